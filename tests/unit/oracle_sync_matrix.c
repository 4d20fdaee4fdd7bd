// SPDX-License-Identifier: Apache-2.0
// The oracles of sync-matrix against operations played through: any set of lanes executes one, and
// what each of them gets is said lane by lane. Played with all lanes it must be what the oracles
// say; played with one lane missing, or with one that is an iteration late, it must be something
// else often enough for a run to show it.
#include "unit.h"

#include "base/text.h"
#include "catalogue/catalogue.h"
#include "model/check.h"
#include "oracles/oracles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCALE     8u
#define LANES     128u
#define UNDEFINED 0xBADBADu // what nobody may rely on: never a right result here

static const uint32_t sizes[] = {2, 4, 8, 16, 32, 64, 128};
static const char *const tests[] = {"arithmetic",  "ballot", "broadcast", "clustered",
                                    "partitioned", "quad",   "shuffle",   "vote"};

// Who executes an operation, and with which numbers.
struct tangle {
    const struct cat_args *args;
    const char *test, *op;
    bool has[LANES];
    uint32_t value[LANES];
};

static bool is(const struct tangle *t, const char *test, const char *op)
{
    return !strcmp(t->test, test) && (!op || !strcmp(t->op, op));
}

static uint32_t first(const struct tangle *t)
{
    uint32_t lane = 0;
    while (!t->has[lane])
        lane++;
    return lane;
}

static uint32_t play_vote(const struct tangle *t, uint32_t lane)
{
    bool all = true, any = false, equal = true;
    if (is(t, "vote", "elect"))
        return lane == first(t);
    for (uint32_t i = 0; i < t->args->subgroup; i++) {
        if (!t->has[i])
            continue;
        all = all && t->value[i] % 2;
        any = any || t->value[i] % 2;
        equal = equal && t->value[i] == t->value[first(t)];
    }
    return is(t, "vote", "all") ? all : is(t, "vote", "any") ? any : equal;
}

// What the lanes say of `lane` in a ballot.
static bool bit(const struct tangle *t, uint32_t lane)
{
    return t->has[lane] && t->value[lane] % 2;
}

static uint32_t play_ballot(const struct tangle *t, uint32_t lane)
{
    const uint32_t size = t->args->subgroup;
    uint32_t word[4] = {0}, count = 0, below = 0, lowest = UNDEFINED, highest = UNDEFINED;
    for (uint32_t i = size; i-- > 0;) {
        if (!bit(t, i))
            continue;
        word[i / 32] |= 1u << i % 32;
        count++;
        below += i < lane;
        lowest = i;
        if (highest == UNDEFINED)
            highest = i;
    }
    if (is(t, "ballot", "ballot"))
        return word[0] + 3 * word[1] + 5 * word[2] + 7 * word[3];
    if (is(t, "ballot", "inverse-ballot"))
        return bit(t, lane % 2 ? lane - 1 : lane + 1);
    if (is(t, "ballot", "bit-extract"))
        return bit(t, lane ? lane - 1 : size - 1);
    if (is(t, "ballot", "bit-count"))
        return count;
    if (is(t, "ballot", "bit-count-exclusive"))
        return below;
    if (is(t, "ballot", "bit-count-inclusive"))
        return below + bit(t, lane);
    return is(t, "ballot", "find-lsb") ? lowest : highest;
}

static uint32_t play_exchange(const struct tangle *t, uint32_t lane)
{
    const uint32_t size = t->args->subgroup, elected = cat_value(t->args, "elected");
    const uint32_t four = lane - lane % 4;
    uint32_t from = UNDEFINED;
    if (is(t, "broadcast", "broadcast"))
        from = elected;
    else if (is(t, "broadcast", "broadcast-first"))
        from = first(t);
    else if (is(t, "quad", "broadcast"))
        from = four + elected % 4;
    else if (is(t, "quad", "swap-horizontal"))
        from = four + (const uint32_t[]){1, 0, 3, 2}[lane % 4];
    else if (is(t, "quad", "swap-vertical"))
        from = four + (const uint32_t[]){2, 3, 0, 1}[lane % 4];
    else if (is(t, "quad", "swap-diagonal"))
        from = four + (const uint32_t[]){3, 2, 1, 0}[lane % 4];
    else if (is(t, "shuffle", "shuffle"))
        from = lane ? lane - 1 : size - 1;
    else if (is(t, "shuffle", "xor"))
        from = lane % 2 ? lane - 1 : lane + 1;
    else if (is(t, "shuffle", "up"))
        from = lane ? lane - 1 : lane;
    else if (is(t, "shuffle", "down"))
        from = lane + 1 < size ? lane + 1 : lane;
    else if (is(t, "shuffle", "rotate"))
        from = lane + 1 < size ? lane + 1 : 0;
    else if (is(t, "shuffle", "rotate-clustered"))
        from = four + (lane + 1) % 4;
    assert_true(from < size);
    return t->has[from] ? t->value[from] : UNDEFINED;
}

static uint32_t apply(const char *op, uint32_t a, uint32_t b)
{
    if (!strcmp(op, "add"))
        return a + b;
    if (!strcmp(op, "mul"))
        return a * b;
    if (!strcmp(op, "min"))
        return b < a ? b : a;
    if (!strcmp(op, "max"))
        return b > a ? b : a;
    if (!strcmp(op, "and"))
        return a & b;
    if (!strcmp(op, "or"))
        return a | b;
    assert_string_equal(op, "xor");
    return a ^ b;
}

static uint32_t play_combined(const struct tangle *t, uint32_t lane)
{
    const char *scan = cat_axis(t->args, "scan");
    bool some = false;
    uint32_t result = 0;
    for (uint32_t i = 0; i < t->args->subgroup; i++) {
        const bool counts =
            t->has[i] && (!is(t, "clustered", NULL) || i / 4 == lane / 4) &&
            (!is(t, "partitioned", NULL) || t->value[i] / 2 % 4 == t->value[lane] / 2 % 4) &&
            (!scan || !strcmp(scan, "reduce") || i < lane ||
             (i == lane && !strcmp(scan, "inclusive")));
        if (counts)
            result = some ? apply(t->op, result, t->value[i]) : t->value[i];
        some |= counts;
    }
    if (some)
        return result;
    // The identity.
    return !strcmp(t->op, "mul") ? 1 : !strcmp(t->op, "min") || !strcmp(t->op, "and") ? ~0u : 0;
}

static uint32_t play(const struct tangle *t, uint32_t lane)
{
    assert_true(t->has[lane]);
    if (is(t, "vote", NULL))
        return play_vote(t, lane);
    if (is(t, "ballot", NULL))
        return play_ballot(t, lane);
    if (is(t, "broadcast", NULL) || is(t, "quad", NULL) || is(t, "shuffle", NULL))
        return play_exchange(t, lane);
    return play_combined(t, lane);
}

// One configuration with its numbers and what the oracle says.
struct bench {
    struct cat_args args;
    struct cat_shape shape;
    const struct cat_oracle *oracle;
    struct tangle whole; // all lanes, without numbers
    uint32_t *input, *expected;
    uint32_t lanes, iterations;
};

// False if the subgroup is too small.
static bool set_up(struct bench *bench, const struct cat_case *which, uint64_t seed)
{
    struct lit_error error;
    *bench = (struct bench){.args = {.subgroup = which->subgroup, .scale = SCALE, .which = which}};
    bench->args.workgroup = cat_value(&bench->args, "workgroup");
    bench->oracle = cat_oracle_find(which->test->head.oracle);
    bench->lanes = which->subgroup;
    bench->iterations = cat_value(&bench->args, "iterations");
    if (!cat_oracle_shape(bench->oracle, &bench->args, &bench->shape, &error)) {
        assert_true(bench->lanes < 4);
        return false;
    }
    assert_int_equal(bench->shape.elements, bench->iterations);
    assert_int_equal(bench->shape.input_words, bench->iterations * bench->lanes + 1);
    assert_int_equal(bench->shape.words_per_instance, bench->iterations * (bench->lanes + 1));
    assert_int_equal(bench->shape.instances,
                     bench->shape.workgroups * bench->args.workgroup / bench->lanes);
    assert_int_equal(bench->shape.state_words, 1);
    const uint64_t words = bench->shape.instances * bench->shape.words_per_instance;
    bench->input = lit_alloc(bench->shape.input_words, sizeof *bench->input);
    bench->expected = lit_alloc(words, sizeof *bench->expected);
    cat_oracle_input(bench->oracle, &bench->args, &bench->shape, seed, bench->input);
    cat_oracle_expect(bench->oracle, &bench->args, &bench->shape, bench->input, bench->expected);
    bench->whole = (struct tangle){
        .args = &bench->args,
        .test = which->test->head.test,
        .op = cat_axis(&bench->args, "op"),
    };
    memset(bench->whole.has, true, bench->lanes);
    return true;
}

static void tear_down(struct bench *bench)
{
    free(bench->input);
    free(bench->expected);
}

// What the elected lane makes of its results, iteration by iteration.
static void check_tails(const struct bench *bench)
{
    const uint32_t *result = bench->expected + cat_value(&bench->args, "elected");
    const uint32_t *tail = bench->expected + bench->iterations * bench->lanes;
    uint32_t work = bench->input[bench->iterations * bench->lanes];
    for (uint32_t i = 0; i < bench->iterations; i++, result += bench->lanes) {
        work = 0x19660D * work + *result;
        for (uint32_t round = cat_value(&bench->args, "weight"); round > 0; round--) {
            const uint32_t sum = 0x19660D * work + 0x3C6EF35F;
            work = sum ^ sum / 32768;
        }
        assert_int_equal(*tail++, work);
    }
}

// All values of the axes about the code make the same output: one of each will do.
static bool is_plain(const struct cat_args *args)
{
    return cat_axis_is(args, "sync", "none") && cat_axis_is(args, "reconvergence", "default") &&
           cat_axis_is(args, "pressure", "none");
}

static void check_all_lanes(const struct cat_case *which, void *user)
{
    struct bench bench;
    struct cat_args args = {.subgroup = which->subgroup, .which = which};
    if (!is_plain(&args) || cat_value(&args, "workgroup") != 128 || !set_up(&bench, which, 7))
        return;
    const uint32_t *next = bench.expected;
    for (uint32_t i = 0; i < bench.iterations; i++) {
        struct tangle t = bench.whole;
        memcpy(t.value, bench.input + i * bench.lanes, bench.lanes * sizeof *t.value);
        for (uint32_t lane = 0; lane < bench.lanes; lane++) {
            assert_int_equal(*next, play(&t, lane));
            assert_true(*next++ != UNDEFINED);
        }
    }
    check_tails(&bench);
    const uint64_t words = bench.shape.words_per_instance;
    for (uint64_t instance = 1; instance < bench.shape.instances; instance++)
        assert_memory_equal(bench.expected + instance * words, bench.expected,
                            words * sizeof *bench.expected);
    tear_down(&bench);
    ++*(size_t *)user;
}

static void each_test(void (*visit)(const struct cat_case *which, void *user), size_t *count)
{
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        char name[64];
        snprintf(name, sizeof name, "sync-matrix.%s", tests[i]);
        const struct cat_test *test = cat_test_find(name);
        assert_non_null(test);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            cat_test_each(test, sizes[s], visit, count);
    }
}

static void all_lanes_get_what_the_operation_says(void **state)
{
    (void)state;
    size_t checked = 0;
    each_test(check_all_lanes, &checked);
    // 73 operations and scans, for seven sizes; a few need subgroups of 4.
    assert_true(checked >= 73 * 6);
}

static const uint32_t *row(const struct bench *bench, const uint32_t *rows, uint32_t iteration)
{
    return rows + iteration * bench->lanes;
}

// Iteration i without the elected lane, which then executes it alone.
static bool shows_missing(const struct bench *bench, uint32_t i, uint32_t elected)
{
    const uint32_t *want = row(bench, bench->expected, i);
    struct tangle rest = bench->whole, alone = bench->whole;
    memcpy(rest.value, row(bench, bench->input, i), bench->lanes * sizeof *rest.value);
    memcpy(alone.value, rest.value, sizeof rest.value);
    rest.has[elected] = false;
    memset(alone.has, false, sizeof alone.has);
    alone.has[elected] = true;
    bool shows = play(&alone, elected) != want[elected];
    for (uint32_t lane = 0; lane < bench->lanes; lane++)
        shows |= lane != elected && play(&rest, lane) != want[lane];
    return shows;
}

// The others are in iteration i, and the elected lane takes part from the one before.
static bool shows_late(const struct bench *bench, uint32_t i, uint32_t elected)
{
    struct tangle mixed = bench->whole;
    memcpy(mixed.value, row(bench, bench->input, i), bench->lanes * sizeof *mixed.value);
    mixed.value[elected] = row(bench, bench->input, i - 1)[elected];
    bool shows = false;
    for (uint32_t lane = 0; lane < bench->lanes; lane++)
        shows |= play(&mixed, lane) != row(bench, bench->expected, i - (lane == elected))[lane];
    return shows;
}

static void check_sensitivity(const struct cat_case *which, void *user)
{
    struct cat_args args = {.subgroup = which->subgroup, .which = which};
    if (!is_plain(&args) || which->subgroup < 4 || cat_value(&args, "workgroup") != 128 ||
        cat_value(&args, "iterations") != 16 || cat_value(&args, "weight") != 16)
        return;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        struct bench bench;
        assert_true(set_up(&bench, which, seed));
        const uint32_t elected = cat_value(&args, "elected");
        uint32_t missing = 0, late = 0;
        for (uint32_t i = 1; i < bench.iterations; i++) {
            missing += shows_missing(&bench, i, elected);
            late += shows_late(&bench, i, elected);
        }
        // Who is elected does not depend on the iteration.
        const bool timeless = is(&bench.whole, "vote", "elect");
        if (missing < 5 || (late < 3 && !timeless)) {
            struct text name = {0};
            cat_case_name(which, &name);
            fail_msg(
                "%s, seed %u: of 15 iterations only %u show a lane that is missing, and %u one "
                "that is late",
                name.data, (unsigned)seed, (unsigned)missing, (unsigned)late);
        }
        tear_down(&bench);
    }
    ++*(size_t *)user;
}

static void a_lane_out_of_step_shows(void **state)
{
    (void)state;
    size_t checked = 0;
    each_test(check_sensitivity, &checked);
    assert_true(checked >= 73 * 6 * 3);
}

// Whatever word is spoiled, the check sees it, and names the place.
static void a_spoiled_word_is_found(void **state)
{
    (void)state;
    static const char *const names[] = {
        "sync-matrix.vote/"
        "op=all,sync=none,reconvergence=default,pressure=none@workgroup=128,elected=last,"
        "iterations=16,weight=16,subgroup=32",
        "sync-matrix.arithmetic/"
        "op=min,scan=exclusive,sync=control,reconvergence=default,pressure=none@workgroup="
        "128,elected=last,iterations=16,weight=16,subgroup=32",
        "sync-matrix.quad/"
        "op=swap-diagonal,sync=none,reconvergence=default,pressure=none@workgroup=128,"
        "elected=last,iterations=16,weight=16,subgroup=32"};
    for (size_t n = 0; n < 3; n++) {
        struct cat_case which;
        struct lit_error error = {0};
        if (!cat_case_parse(names[n], &which, &error))
            fail_msg("%s", error.message);
        struct bench bench;
        assert_true(set_up(&bench, &which, 3));
        const uint64_t words = bench.shape.instances * bench.shape.words_per_instance;
        uint32_t *output = lit_alloc(words, sizeof *output);
        memcpy(output, bench.expected, words * sizeof *output);
        const uint64_t at = bench.shape.words_per_instance * 6 + 9 * 32 + 31;
        output[at] ^= 0x100;
        struct cat_run run = {0};
        struct cat_failure failure;
        size_t count = 0;
        cat_mode_check(&(struct cat_mode){.check = bench.oracle->check}, &bench.shape, output,
                       bench.expected, 0, &run, &failure, 1, &count);
        assert_int_equal(run.failed, 1);
        assert_int_equal(failure.instance, 6);
        char text[128];
        cat_oracle_where(bench.oracle, &bench.args, &bench.shape, &failure, text, sizeof text);
        assert_string_equal(text, "lane 31, iteration 9, subgroup 2 of workgroup 1");
        free(output);
        tear_down(&bench);
    }
}

static void small_subgroups_are_refused(void **state)
{
    (void)state;
    static const char *const names[] = {
        "sync-matrix.quad/"
        "op=swap-diagonal,sync=none,reconvergence=default,pressure=none@workgroup=128,"
        "elected=last,iterations=16,weight=16,subgroup=2",
        "sync-matrix.shuffle/"
        "op=rotate-clustered,sync=none,reconvergence=default,pressure=none@workgroup=128,"
        "elected=last,iterations=16,weight=16,subgroup=2",
        "sync-matrix.vote/"
        "op=any,sync=none,reconvergence=default,pressure=none@workgroup=128,elected=last,"
        "iterations=16,weight=16,subgroup=1"};
    for (size_t n = 0; n < 3; n++) {
        struct cat_case which;
        struct lit_error error = {0};
        if (!cat_case_parse(names[n], &which, &error))
            fail_msg("%s", error.message);
        const struct cat_args args = {
            .subgroup = which.subgroup, .workgroup = 128, .scale = 1, .which = &which};
        struct cat_shape shape;
        assert_false(
            cat_oracle_shape(cat_oracle_find(which.test->head.oracle), &args, &shape, &error));
        assert_string_equal(error.message, n < 2
                                               ? "subgroups of 2 lanes: the test needs 4 or more"
                                               : "subgroups of 1 lanes: the test needs 2 or more");
    }
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(all_lanes_get_what_the_operation_says),
        cmocka_unit_test(a_lane_out_of_step_shows),
        cmocka_unit_test(a_spoiled_word_is_found),
        cmocka_unit_test(small_subgroups_are_refused),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
