// SPDX-License-Identifier: Apache-2.0
// The oracles of the broadcast family against subgroups played through with a counter, and against
// the place of each kept word counted on its own.
#include "unit.h"

#include "base/text.h"
#include "catalogue/catalogue.h"
#include "oracles/oracles.h"

#include <stdlib.h>

#define SCALE 2u

static const uint32_t sizes[] = {1, 4, 8, 16, 32, 64, 128};

static struct cat_args arguments(const struct cat_case *which)
{
    struct cat_args args = {.subgroup = which->subgroup, .scale = SCALE, .which = which};
    args.workgroup = cat_value(&args, "workgroup");
    return args;
}

// A case with its input and expectation. Free with `drop`.
struct made {
    struct cat_args args;
    struct cat_shape shape;
    uint32_t *input, *expected;
};

// False if the case differs from another only in what the oracle does not look at.
static bool make(const struct cat_oracle *oracle, const struct cat_case *which, struct made *made)
{
    const struct cat_args args = arguments(which);
    struct cat_shape shape;
    struct lit_error error;
    if (!cat_axis_is(&args, "sync", "none") || args.workgroup % args.subgroup)
        return false;
    assert_true(cat_oracle_shape(oracle, &args, &shape, &error));
    const uint64_t subgroups = args.workgroup / args.subgroup * SCALE;
    assert_int_equal(shape.workgroups, SCALE);
    assert_int_equal(shape.instances, subgroups);
    assert_int_equal(shape.state_words, 1 + subgroups);
    assert_int_equal(shape.words_per_instance, cat_value(&args, "iterations") * args.subgroup);
    *made = (struct made){
        .args = args,
        .shape = shape,
        .input = lit_alloc(shape.input_words, sizeof(uint32_t)),
        .expected = lit_alloc(subgroups * shape.words_per_instance, sizeof(uint32_t)),
    };
    cat_oracle_input(oracle, &args, &shape, 5, made->input);
    cat_oracle_expect(oracle, &args, &shape, made->input, made->expected);
    return true;
}

static void drop(struct made *made)
{
    free(made->input);
    free(made->expected);
}

// One subgroup, lane by lane: whoever comes first takes numbers for all who come.
static void play(const struct made *made, uint32_t elected, const uint32_t *stored)
{
    uint32_t counter = 0;
    for (uint64_t start = 0; start < made->shape.words_per_instance; start += made->args.subgroup) {
        bool fetched = false;
        uint32_t base = 0, come = 0;
        for (uint32_t lane = 0; lane < made->args.subgroup; lane++) {
            if (lane < elected) {
                assert_int_equal(stored[start + lane], CAT_POISON);
                continue;
            }
            if (!fetched)
                base = counter;
            fetched = true;
            counter++;
            assert_int_equal(stored[start + lane], base + come++);
        }
    }
}

static void check_versus(const struct cat_case *which, void *user)
{
    struct made made;
    if (!make(which->test->oracle, which, &made))
        return;
    const uint32_t elected = cat_value(&made.args, "elected");
    assert_int_equal(made.input[0], elected);
    for (uint64_t i = 0; i < made.shape.instances; i++)
        play(&made, elected, made.expected + i * made.shape.words_per_instance);
    drop(&made);
    ++*(size_t *)user;
}

static void the_lanes_number_their_rounds(void **state)
{
    (void)state;
    const struct cat_test *test = cat_test_find("broadcast.versus-shuffle");
    assert_non_null(test);
    size_t checked = 0;
    for (size_t s = 1; s < sizeof sizes / sizeof *sizes; s++)
        cat_test_each(test, sizes[s], check_versus, &checked);
    assert_true(checked >= 6 * sizeof sizes / sizeof *sizes);
}

// Each odd word lies where as many odd words of its subgroup are before it; nothing else was
// written.
static void check_compaction(const struct cat_case *which, void *user)
{
    struct made made;
    if (!make(cat_oracle_find("broadcast.compaction"), which, &made))
        return;
    const uint64_t words = made.shape.words_per_instance;
    assert_int_equal(made.shape.input_words, made.shape.instances * words);
    for (uint64_t i = 0; i < made.shape.instances; i++) {
        const uint32_t *input = made.input + i * words, *stored = made.expected + i * words;
        uint64_t kept = 0, written = 0;
        for (uint64_t word = 0; word < words; word++) {
            uint64_t before = 0;
            for (uint64_t other = 0; other < word; other++)
                before += input[other] % 2;
            if (input[word] % 2)
                assert_int_equal(stored[before], input[word]);
            kept += input[word] % 2;
            written += stored[word] != CAT_POISON;
        }
        assert_int_equal(written, kept);
    }
    drop(&made);
    ++*(size_t *)user;
}

static void the_odd_words_move_to_the_front(void **state)
{
    (void)state;
    const struct cat_test *test = cat_test_find("broadcast.compaction");
    assert_non_null(test);
    size_t checked = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        cat_test_each(test, sizes[s], check_compaction, &checked);
    assert_true(checked >= 4 * sizeof sizes / sizeof *sizes);
}

// Each lane of the subgroup has what its source holds in this iteration, and the sources are where
// the axis says.
static void check_id(const struct cat_case *which, void *user)
{
    const struct cat_oracle *oracle = cat_oracle_find("broadcast.id");
    const struct cat_args args = arguments(which);
    struct cat_shape shape;
    struct lit_error error;
    if (!cat_axis_is(&args, "sync", "none") || args.workgroup % args.subgroup)
        return;
    assert_true(cat_oracle_shape(oracle, &args, &shape, &error));
    uint32_t *input = lit_alloc(shape.input_words, sizeof(uint32_t));
    uint32_t *expected = lit_alloc(shape.instances * shape.words_per_instance, sizeof(uint32_t));
    cat_oracle_input(oracle, &args, &shape, 5, input);
    cat_oracle_expect(oracle, &args, &shape, input, expected);
    const bool dynamic = cat_axis_is(&args, "read", "shuffle-dynamic");
    const bool active = cat_axis_is(&args, "source", "active");
    for (uint64_t place = 0; place < shape.input_words; place++) {
        const uint32_t lane = (uint32_t)(place % args.subgroup);
        const uint32_t *words = input + place - lane;
        const bool takes_part = words[lane] & 0x100;
        const uint32_t from = dynamic ? words[lane] & 0xff : cat_value(&args, "source-lane");
        const uint64_t start = (place - lane) * cat_value(&args, "iterations");
        assert_true(takes_part || cat_axis_is(&args, "flow", "divergent"));
        assert_int_equal(words[lane] >> 16, cat_value(&args, "source-lane"));
        assert_true(from < args.subgroup);
        assert_int_equal((words[from] & 0x100) != 0, active);
        for (uint32_t i = 0; i < cat_value(&args, "iterations"); i++)
            assert_int_equal(expected[start + i * args.subgroup + lane],
                             takes_part ? 0x5A000000u + i * 0x100u + from : CAT_POISON);
    }
    free(input);
    free(expected);
    ++*(size_t *)user;
}

static void each_lane_has_the_tag_of_its_source(void **state)
{
    (void)state;
    const struct cat_test *test = cat_test_find("broadcast.id");
    assert_non_null(test);
    size_t checked = 0;
    for (size_t s = 1; s < sizeof sizes / sizeof *sizes; s++)
        cat_test_each(test, sizes[s], check_id, &checked);
    assert_true(checked >= 6 * sizeof sizes / sizeof *sizes);
}

// The loop played through: the first of those that are left, and all that share its value, leave.
static void check_match(const struct cat_case *which, void *user)
{
    const struct cat_oracle *oracle = which->test->oracle;
    const struct cat_args args = arguments(which);
    struct cat_shape shape;
    struct lit_error error;
    if (args.workgroup % args.subgroup)
        return;
    assert_true(cat_oracle_shape(oracle, &args, &shape, &error));
    uint32_t *input = lit_alloc(shape.input_words, sizeof(uint32_t));
    uint32_t *expected = lit_alloc(4 * shape.input_words, sizeof(uint32_t));
    cat_oracle_input(oracle, &args, &shape, 5, input);
    cat_oracle_expect(oracle, &args, &shape, input, expected);
    for (uint64_t start = 0; start < shape.input_words; start += args.subgroup) {
        bool left[128] = {false};
        for (uint32_t first = 0; first < args.subgroup; first++) {
            uint32_t mask[4] = {0};
            if (left[first])
                continue;
            for (uint32_t lane = first; lane < args.subgroup; lane++)
                if (!left[lane] && input[start + lane] == input[start + first]) {
                    mask[lane >> 5] |= 1u << (lane & 31);
                    left[lane] = true;
                }
            for (uint32_t lane = first; lane < args.subgroup; lane++)
                if (mask[lane >> 5] >> (lane & 31) & 1)
                    assert_memory_equal(expected + 4 * (start + lane), mask, sizeof mask);
        }
    }
    free(input);
    free(expected);
    ++*(size_t *)user;
}

static void each_lane_finds_those_of_its_value(void **state)
{
    (void)state;
    const struct cat_test *test = cat_test_find("broadcast.match");
    assert_non_null(test);
    size_t checked = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        cat_test_each(test, sizes[s], check_match, &checked);
    assert_true(checked >= 4 * sizeof sizes / sizeof *sizes);
}

static void a_failing_word_is_located(void **state)
{
    (void)state;
    const struct cat_case match = {.test = cat_test_find("broadcast.match")};
    const struct cat_case versus = {.test = cat_test_find("broadcast.versus-shuffle")};
    struct cat_args args = {.subgroup = 32, .workgroup = 128, .scale = SCALE, .which = &versus};
    struct cat_shape shape = {.workgroups = SCALE};
    const struct cat_failure failure = {.instance = 6, .word = 9 * 32 + 31};
    char text[128];
    cat_oracle_where(versus.test->oracle, &args, &shape, &failure, text, sizeof text);
    assert_string_equal(text, "lane 31, iteration 9, subgroup 2 of workgroup 1");
    args.which = NULL;
    cat_oracle_where(cat_oracle_find("broadcast.compaction"), &args, &shape, &failure, text,
                     sizeof text);
    assert_string_equal(text, "place 319, subgroup 2 of workgroup 1");
    const struct cat_failure in_mask = {.instance = 6, .word = 4 * 31 + 2};
    args.which = &match;
    shape.words_per_instance = 4 * 32;
    cat_oracle_where(match.test->oracle, &args, &shape, &in_mask, text, sizeof text);
    assert_string_equal(text, "word 2 of the mask of lane 31, subgroup 2 of workgroup 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lanes_number_their_rounds),
        cmocka_unit_test(the_odd_words_move_to_the_front),
        cmocka_unit_test(each_lane_has_the_tag_of_its_source),
        cmocka_unit_test(each_lane_finds_those_of_its_value),
        cmocka_unit_test(a_failing_word_is_located),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
