// SPDX-License-Identifier: Apache-2.0
// The oracle of loop.desync against a subgroup played through: every lane sends, and what a lane
// holds afterwards is what was sent to it; and what the elected lane makes of that.
#include "unit.h"

#include "base/text.h"
#include "catalogue/catalogue.h"
#include "model/check.h"
#include "oracles/oracles.h"

#include <stdlib.h>
#include <string.h>

#define SCALE 3u

static const uint32_t sizes[] = {2, 4, 8, 16, 32, 64, 128};

static struct cat_args arguments(const struct cat_case *which)
{
    struct cat_args args = {.subgroup = which->subgroup, .scale = SCALE, .which = which};
    args.workgroup = cat_value(&args, "workgroup");
    return args;
}

// One exchange: held[] is what each lane holds, and becomes what it received.
static void play(const char *exchange, uint32_t lanes, uint32_t *held)
{
    uint32_t sent[128];
    memcpy(sent, held, lanes * sizeof *sent);
    for (uint32_t lane = 0; lane < lanes; lane++) {
        if (!strcmp(exchange, "up") && lane + 1 < lanes)
            held[lane + 1] = sent[lane];
        else if (!strcmp(exchange, "xor"))
            held[lane % 2 ? lane - 1 : lane + 1] = sent[lane];
        else if (!strcmp(exchange, "rotate"))
            held[lane + 1 == lanes ? 0 : lane + 1] = sent[lane];
    }
}

// The generator of the tails, as the kernels spell it out.
static uint32_t play_tail(uint32_t work, uint32_t received, uint32_t rounds)
{
    uint64_t state = (uint64_t)work * 0x19660D + received;
    while (rounds--) {
        state = (state % (1ull << 32) * 0x19660D + 0x3C6EF35F) % (1ull << 32);
        state ^= state / (1u << 15);
    }
    return (uint32_t)state;
}

static void check_case(const struct cat_case *which, void *user)
{
    const struct cat_oracle *oracle = cat_oracle_find("loop.desync");
    const struct cat_args args = arguments(which);
    struct cat_shape shape;
    struct lit_error error;
    if (!cat_axis_is(&args, "sync", "none") || !cat_axis_is(&args, "pressure", "none") ||
        args.workgroup % args.subgroup)
        return;
    assert_true(cat_oracle_shape(oracle, &args, &shape, &error));
    const uint32_t iterations = cat_value(&args, "iterations");
    const uint64_t subgroups = args.workgroup / args.subgroup * SCALE;
    assert_int_equal(shape.workgroups, SCALE);
    assert_int_equal(shape.instances, subgroups);
    assert_int_equal(shape.state_words, 1);
    assert_int_equal(shape.elements, iterations);
    assert_int_equal(shape.words_per_instance, iterations * args.subgroup + iterations);

    uint32_t input[129], tails[64];
    assert_int_equal(shape.input_words, args.subgroup + 1);
    cat_oracle_input(oracle, &args, &shape, 1, input);
    uint32_t *expected = lit_alloc(subgroups * shape.words_per_instance, sizeof *expected);
    cat_oracle_expect(oracle, &args, &shape, input, expected);
    const uint32_t *next = expected;
    for (uint64_t i = 0; i < subgroups; i++) {
        uint32_t work = input[args.subgroup];
        for (uint32_t iteration = 0; iteration < iterations; iteration++) {
            uint32_t held[128];
            for (uint32_t lane = 0; lane < args.subgroup; lane++)
                held[lane] = input[lane] + 0x100 * iteration;
            play(cat_axis(&args, "exchange"), args.subgroup, held);
            assert_memory_equal(next, held, args.subgroup * sizeof *held);
            next += args.subgroup;
            work = play_tail(work, held[cat_value(&args, "elected")], cat_value(&args, "weight"));
            tails[iteration] = work;
        }
        assert_memory_equal(next, tails, iterations * sizeof *tails);
        next += iterations;
    }
    free(expected);
    ++*(size_t *)user;
}

static void a_lane_has_what_its_neighbour_sent(void **state)
{
    (void)state;
    const struct cat_test *test = cat_test_find("loop.desync");
    assert_non_null(test);
    size_t checked = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        cat_test_each(test, sizes[s], check_case, &checked);
    assert_true(checked >= 3 * sizeof sizes / sizeof *sizes);
}

static const char *const one_case =
    "loop.desync/sync=none,exchange=up,reconvergence=default,store=each,pressure=none@"
    "workgroup=128,elected=last,"
    "iterations=16,weight=16,subgroup=32";

// A device that is one iteration late, or reads another lane, is named as such.
static void the_hazards_have_their_names(void **state)
{
    (void)state;
    struct cat_case which;
    struct lit_error error = {0};
    if (!cat_case_parse(one_case, &which, &error))
        fail_msg("%s", error.message);
    const struct cat_args args = arguments(&which);
    struct cat_shape shape;
    assert_true(cat_oracle_shape(cat_oracle_find("loop.desync"), &args, &shape, &error));
    uint32_t *expected = lit_alloc(shape.instances * shape.words_per_instance, sizeof *expected);
    uint32_t input[33];
    cat_oracle_input(cat_oracle_find("loop.desync"), &args, &shape, 1, input);
    cat_oracle_expect(cat_oracle_find("loop.desync"), &args, &shape, input, expected);
    const uint32_t *word = &expected[9 * 32 + 31];
    const enum cat_check mode = cat_oracle_find("loop.desync")->check;
    assert_string_equal(cat_outcome_name(mode, cat_classify(mode, cat_tag(8, 30), word)),
                        "stale by 1");
    assert_string_equal(cat_outcome_name(mode, cat_classify(mode, cat_tag(10, 30), word)),
                        "ahead by 1");
    assert_string_equal(cat_outcome_name(mode, cat_classify(mode, cat_tag(9, 31), word)),
                        "wrong lane");
    // A tail that is lost, or that went on from the number of another iteration.
    word = &expected[16 * 32 + 9];
    assert_string_equal(cat_outcome_name(mode, cat_classify(mode, 0, word)), "zero");
    assert_string_equal(cat_outcome_name(mode, cat_classify(mode, word[-1], word)), "not a tag");
    free(expected);

    const struct cat_failure failure = {.instance = 6, .word = 9 * 32 + 31};
    char text[128];
    cat_oracle_where(cat_oracle_find("loop.desync"), &args, &shape, &failure, text, sizeof text);
    assert_string_equal(text, "lane 31, iteration 9, subgroup 2 of workgroup 1");
    const struct cat_failure lost = {.instance = 6, .word = 16 * 32 + 9};
    cat_oracle_where(cat_oracle_find("loop.desync"), &args, &shape, &lost, text, sizeof text);
    assert_string_equal(text, "tail of iteration 9, subgroup 2 of workgroup 1");
}

static void one_lane_is_too_few(void **state)
{
    (void)state;
    struct cat_shape shape;
    struct lit_error error = {0};
    const struct cat_args args = {.subgroup = 1, .workgroup = 64, .scale = 1};
    assert_false(cat_oracle_shape(cat_oracle_find("loop.desync"), &args, &shape, &error));
    assert_string_equal(error.message, "subgroups of 1 lanes: the test needs 2 or more");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lane_has_what_its_neighbour_sent),
        cmocka_unit_test(the_hazards_have_their_names),
        cmocka_unit_test(one_lane_is_too_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
