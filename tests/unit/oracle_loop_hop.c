// SPDX-License-Identifier: Apache-2.0
// The oracles of loop.tail, loop.form, loop.trips, shuffle.barrier-kinds and shuffle.branch: hops
// against a subgroup played through; divergent ones against the simulator of control flow, which
// knows who executes what together, and with which rule a test may say "forbidden".
#include "unit.h"

#include "base/text.h"
#include "catalogue/catalogue.h"
#include "model/check.h"
#include "generate/masks.h"
#include "oracles/oracles.h"

#include <stdlib.h>
#include <string.h>

#define SCALE     3u
#define MOST_LOOK 64u

static const uint32_t sizes[] = {2, 4, 8, 32, 128};

// A configuration with its input and expectation. Free with `drop`.
struct made {
    const struct cat_case *which;
    struct cat_args args;
    struct cat_shape size;
    uint32_t *input, *expected;
};

static void drop(struct made *made)
{
    free(made->input);
    free(made->expected);
}

static bool make(struct made *made, const struct cat_case *which)
{
    const struct cat_oracle *oracle = which->test->oracle;
    struct lit_error error;
    *made = (struct made){
        .which = which,
        .args = {.subgroup = which->subgroup, .scale = SCALE, .which = which},
    };
    made->args.workgroup = cat_value(&made->args, "workgroup");
    if (made->args.workgroup % which->subgroup)
        return false;
    assert_true(cat_oracle_shape(oracle, &made->args, &made->size, &error));
    made->input = lit_alloc(made->size.input_words, sizeof(uint32_t));
    made->expected =
        lit_alloc(made->size.instances * made->size.words_per_instance, sizeof(uint32_t));
    cat_oracle_input(oracle, &made->args, &made->size, 3, made->input);
    cat_oracle_expect(oracle, &made->args, &made->size, made->input, made->expected);
    return true;
}

// The same oracle says the same of all values of the axes about the code, but for the tail: one of
// each will do.
static bool is_one_of_many(const struct cat_case *which)
{
    for (size_t i = 0; i < which->test->head.axis_count; i++)
        if (which->axis[i] && strcmp(which->test->head.axes[i].name, "tail"))
            return true;
    return false;
}

static bool has_tail(const struct made *made, const char *tail)
{
    return cat_axis(&made->args, "tail") && cat_axis_is(&made->args, "tail", tail);
}

// One tail: what the kernel makes of the number that the lane carries and of what it received.
static uint32_t play_tail(const struct made *made, uint32_t work, uint32_t received)
{
    work = work * 0x19660D + received;
    if (has_tail(made, "arithmetic") || has_tail(made, "call"))
        for (uint32_t round = 0; round < 16; round++) {
            const uint32_t sum = work * 0x19660D + 0x3C6EF35F;
            work = sum ^ sum / 32768;
        }
    return work;
}

// What a lane that works makes in all iterations against what the oracle says, which begins at
// `tails` for this lane. Returns the sum of all its numbers.
static uint32_t check_tails(const struct made *made, uint32_t number, const uint32_t *received,
                            const uint32_t *tails)
{
    const uint32_t iterations = cat_value(&made->args, "iterations");
    const bool keeps_all = !cat_axis(&made->args, "tail") || has_tail(made, "shared") ||
                           has_tail(made, "buffer") || has_tail(made, "call");
    uint32_t work = number, sum = 0;
    for (uint32_t i = 0; i < iterations; i++) {
        work = play_tail(made, work, received[i * made->args.subgroup]);
        sum += work;
        if (keeps_all)
            assert_int_equal(tails[(number - 1) * iterations + i], work);
    }
    if (has_tail(made, "arithmetic"))
        assert_int_equal(tails[number - 1], work);
    return sum;
}

// The tails of one subgroup; what all add up to.
static uint32_t check_workers(const struct made *made, const uint32_t *expected)
{
    const uint32_t lanes = made->args.subgroup;
    const uint32_t *tails = expected + cat_value(&made->args, "iterations") * lanes;
    uint32_t sum = 0;
    for (uint32_t lane = 0; lane < lanes; lane++)
        if (made->input[lanes + lane])
            sum += check_tails(made, made->input[lanes + lane], expected + lane, tails);
    return sum;
}

static uint32_t words_of_tails(const struct made *made, uint32_t workers)
{
    if (has_tail(made, "none"))
        return 0;
    if (has_tail(made, "atomic-shared") || has_tail(made, "atomic-buffer"))
        return 1;
    return workers * (has_tail(made, "arithmetic") ? 1 : cat_value(&made->args, "iterations"));
}

// How many lanes work: numbered from the elected one on, as many as the test says, half of them at
// most.
static uint32_t check_numbers(const struct made *made)
{
    const uint32_t lanes = made->args.subgroup, elected = cat_value(&made->args, "elected");
    const bool kinds = cat_axis(&made->args, "barrier") != NULL;
    uint32_t workers = 0;
    for (uint32_t i = 0; i < lanes; i++) {
        const uint32_t number = made->input[lanes + (elected + i) % lanes];
        if (number)
            assert_int_equal(number, ++workers);
    }
    const uint32_t wanted = kinds ? 1 : cat_value(&made->args, "workers");
    assert_int_equal(workers, wanted < lanes / 2 ? wanted : lanes / 2);
    assert_int_equal(made->input[lanes + elected], 1);
    return workers;
}

// Of atomics: one word in each workgroup, to which all its subgroups add.
static void check_counters(const struct made *made, uint32_t added)
{
    const bool in_buffer = has_tail(made, "atomic-buffer");
    const uint32_t subgroups = made->args.workgroup / made->args.subgroup;
    if (!in_buffer && !has_tail(made, "atomic-shared"))
        return;
    for (uint64_t i = 0; i < made->size.instances; i++) {
        const uint32_t *instance = made->expected + i * made->size.words_per_instance;
        uint32_t counter = in_buffer ? CAT_POISON : 0;
        for (uint32_t s = 0; s < subgroups; s++)
            counter += added;
        assert_int_equal(instance[made->size.words_per_instance - 1],
                         i % subgroups ? CAT_POISON : counter);
    }
}

static void check_hops(const struct cat_case *which, void *user)
{
    struct made made;
    if (is_one_of_many(which) || !make(&made, which))
        return;
    const uint32_t lanes = which->subgroup, iterations = cat_value(&made.args, "iterations");
    const bool kinds = cat_axis(&made.args, "barrier") != NULL;
    const uint64_t words = made.size.words_per_instance;
    const uint32_t tails = words_of_tails(&made, check_numbers(&made));
    assert_int_equal(words, iterations * lanes + tails);
    assert_int_equal(made.size.elements, words);
    assert_int_equal(made.size.input_words, 2 * lanes + 2);
    assert_int_equal(made.input[2 * lanes + 1], 0);
    uint32_t held[128], given[128], added = 0;
    for (uint64_t i = 0; i < made.size.instances * iterations; i++) {
        const uint32_t *expected = made.expected + i / iterations * words + i % iterations * lanes;
        for (uint32_t lane = 0; lane < lanes; lane++)
            held[lane] = made.input[lane] + 0x100 * (uint32_t)(i % iterations);
        for (uint32_t hop = 0; hop < (kinds ? 4u : 1u); hop++) {
            for (uint32_t lane = 0; lane < lanes; lane++)
                given[lane + 1 == lanes ? 0 : lane + 1] = held[lane];
            memcpy(held, given, sizeof held);
        }
        assert_memory_equal(expected, held, lanes * sizeof *held);
    }
    for (uint64_t i = 0; i < made.size.instances; i++)
        added = check_workers(&made, made.expected + i * words);
    check_counters(&made, added);
    drop(&made);
    ++*(size_t *)user;
}

static void tags_hop_to_the_right(void **state)
{
    (void)state;
    static const char *const names[] = {"loop.form", "loop.tail", "shuffle.barrier-kinds"};
    for (size_t t = 0; t < sizeof names / sizeof *names; t++) {
        size_t checked = 0;
        assert_non_null(cat_test_find(names[t]));
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            cat_test_each(cat_test_find(names[t]), sizes[s], check_hops, &checked);
        assert_true(checked >= 5 * sizeof sizes / sizeof *sizes);
    }
}

// The kernels as the simulator sees them: a lane's word is its number of iterations and, in bit 16,
// whether it works; or, of shuffle.branch, what it does.

static uint32_t goes_on(const struct masks_lane *lane)
{
    return lane->iteration[0] < (lane->word & 0xffff);
}

static uint32_t works(const struct masks_lane *lane)
{
    return lane->word >> 16;
}

static uint32_t takes_branch(const struct masks_lane *lane)
{
    return lane->word & 1;
}

static uint32_t takes_inner(const struct masks_lane *lane)
{
    return lane->word & 2;
}

#define LOOK_AT(at, ...)                                                                           \
    {                                                                                              \
        .kind = MASKS_LOOK, .name = "the exchange", .slot = (at), __VA_ARGS__                      \
    }
static const struct masks_step nothing[] = {{.kind = MASKS_END}};
static const struct masks_step exchange[] = {LOOK_AT(0, .count = 1), {.kind = MASKS_END}};
static const struct masks_step other_exchange[] = {LOOK_AT(1, .count = 1), {.kind = MASKS_END}};
static const struct masks_step body[] = {LOOK_AT(0, .count = MOST_LOOK, .by = {1}),
                                         {.kind = MASKS_END}};
static const struct masks_step body_and_tail[] = {
    LOOK_AT(0, .count = MOST_LOOK, .by = {1}),
    {.kind = MASKS_IF, .choose = works, .body = nothing},
    {.kind = MASKS_END}};
static const struct masks_step inner[] = {
    {.kind = MASKS_IF, .choose = takes_inner, .body = exchange}, {.kind = MASKS_END}};

static const struct masks_step loop[] = {{.kind = MASKS_WHILE, .choose = goes_on, .body = body},
                                         {.kind = MASKS_END}};
static const struct masks_step loop_and_tail[] = {
    {.kind = MASKS_WHILE, .choose = goes_on, .body = body_and_tail}, {.kind = MASKS_END}};
static const struct masks_step then[] = {
    {.kind = MASKS_IF, .choose = takes_branch, .body = exchange}, {.kind = MASKS_END}};
static const struct masks_step both[] = {
    {.kind = MASKS_IF, .choose = takes_branch, .body = exchange, .other = other_exchange},
    {.kind = MASKS_END}};
static const struct masks_step nested[] = {
    {.kind = MASKS_IF, .choose = takes_branch, .body = inner}, {.kind = MASKS_END}};
static const struct masks_step after[] = {
    {.kind = MASKS_IF, .choose = takes_branch, .body = nothing},
    LOOK_AT(0, .count = 1),
    {.kind = MASKS_END}};

static struct masks_shape shape_of(const struct cat_args *args)
{
    const char *place = cat_axis(args, "place");
    if (!place)
        return (struct masks_shape){
            .steps = cat_axis_is(args, "tail", "none") ? loop : loop_and_tail, .slots = MOST_LOOK};
    return (struct masks_shape){.steps = !strcmp(place, "then")     ? then
                                         : !strcmp(place, "both")   ? both
                                         : !strcmp(place, "nested") ? nested
                                                                    : after,
                                .slots = 2};
}

static enum masks_rule rule_of(const struct cat_args *args)
{
    return cat_axis_is(args, "reconvergence", "maximal")            ? MASKS_MAXIMAL
           : cat_axis_is(args, "reconvergence", "subgroup-uniform") ? MASKS_SUBGROUP_UNIFORM
                                                                    : MASKS_DEFAULT;
}

// The lane that a lane of the dispatch is told to read.
static uint32_t source_of(const struct made *made, uint64_t invocation)
{
    return cat_axis(&made->args, "place") ? made->input[2 * invocation + 1] >> 8
                                          : made->input[4 * invocation + 2];
}

static uint32_t word_of(const struct made *made, uint64_t invocation)
{
    if (cat_axis(&made->args, "place"))
        return made->input[2 * invocation + 1];
    return made->input[4 * invocation + 1] | made->input[4 * invocation + 3] << 16;
}

// Of what a lane reads: how often it is there at all, and how often it is sure to be.
struct seen {
    uint64_t reads, there, sure;
};

static void check_cell(const struct made *made, const struct masks_cell *cell, uint64_t invocation,
                       uint32_t word, uint32_t iteration, struct seen *seen)
{
    if (!cell->executed) {
        assert_int_equal(word, CAT_POISON);
        return;
    }
    const uint32_t source = source_of(made, invocation), bit = 1u << source % 32;
    const bool maximal = rule_of(&made->args) == MASKS_MAXIMAL;
    assert_int_equal(word, cat_tag(iteration, source));
    seen->reads++;
    seen->there += (cell->want[source / 32] & bit) != 0;
    seen->sure += ((maximal ? cell->want : cell->lower)[source / 32] & bit) != 0;
}

// Compares a whole dispatch with the simulator, workgroup by workgroup.
static struct seen look(const struct made *made)
{
    const uint32_t lanes = made->args.subgroup, width = made->args.workgroup;
    const struct masks_shape shape = shape_of(&made->args);
    struct masks_cell *cells = lit_alloc((size_t)width * shape.slots, sizeof *cells);
    struct seen seen = {0};
    uint32_t words[MASKS_LANES];
    for (uint32_t group = 0; group < SCALE; group++) {
        for (uint32_t i = 0; i < width; i++)
            words[i] = word_of(made, (uint64_t)group * width + i);
        masks_simulate(&shape, rule_of(&made->args), width, lanes, words, cells);
        const bool loops = cat_axis(&made->args, "trips") != NULL;
        const uint64_t length = made->size.words_per_instance;
        const uint64_t rounds = loops ? cat_value(&made->args, "iterations") : length / lanes;
        for (uint32_t i = 0; i < width; i++) {
            const uint64_t invocation = (uint64_t)group * width + i, instance = invocation / lanes;
            for (uint32_t round = 0; round < rounds; round++) {
                const bool other = shape.steps == both && !(words[i] & 1);
                const uint64_t at = instance * length + round * lanes + i % lanes;
                check_cell(made, &cells[i * shape.slots + (other ? 1 : round)], invocation,
                           made->expected[at], round, &seen);
            }
        }
    }
    free(cells);
    return seen;
}

// Of loop.trips: what a lane that works makes of what it received, as long as it is in the loop.
static void check_trips_tails(const struct made *made)
{
    const uint32_t lanes = made->args.subgroup;
    const uint32_t iterations = cat_value(&made->args, "iterations");
    for (uint64_t i = 0; i < made->size.instances * lanes; i++) {
        const uint32_t *words = made->input + 4 * i;
        const uint32_t *received =
            made->expected + i / lanes * made->size.words_per_instance + i % lanes;
        const uint32_t *tails = received - i % lanes + iterations * (lanes + words[3] - 1);
        uint32_t work = words[3];
        for (uint32_t t = 0; words[3] && t < iterations; t++) {
            work = play_tail(made, work, received[t * lanes]);
            assert_int_equal(tails[t], t < words[1] ? work : CAT_POISON);
        }
    }
}

static void check_divergent(const struct cat_case *which, void *user)
{
    struct made made;
    const char *reason;
    if (!make(&made, which))
        return;
    const struct seen seen = look(&made);
    if (cat_axis(&made.args, "trips") && cat_axis_is(&made.args, "tail", "shared"))
        check_trips_tails(&made);
    const bool none = !cat_axis(&made.args, "sync") || cat_axis_is(&made.args, "sync", "none");
    const enum cat_expectation expectation = cat_case_expectation(which, &reason);
    // Lanes that are sure to be together: only there may a failure be forbidden without a barrier.
    if (expectation == CAT_FORBIDDEN && none)
        assert_true(seen.sure == seen.reads);
    // Where it is assumed, some are not, if subgroups or lanes have something to come apart by.
    const bool several =
        cat_axis(&made.args, "trips") && cat_axis_is(&made.args, "trips", "subgroup")
            ? 2 * which->subgroup < made.args.workgroup
            : which->subgroup > 2;
    if (expectation == CAT_ASSUMED && none && several &&
        cat_value(&made.args, "workers") < which->subgroup &&
        cat_value(&made.args, "iterations") >= 16)
        assert_true(seen.sure < seen.reads);
    // Nobody reads a lane that has left or took another way, but where that is the question.
    if (expectation == CAT_CONTROL)
        assert_true(seen.there < seen.reads);
    else
        assert_true(seen.there == seen.reads);
    assert_true(seen.reads > 0);
    drop(&made);
    ++*(size_t *)user;
}

static void who_is_read_is_there(void **state)
{
    (void)state;
    size_t trips = 0, branches = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        cat_test_each(cat_test_find("loop.trips"), sizes[s], check_divergent, &trips);
        cat_test_each(cat_test_find("shuffle.branch"), sizes[s], check_divergent, &branches);
    }
    assert_true(trips > 500 && branches > 200);
}

// The outcome of an output that is right but for one word.
static const char *spoilt(const char *name, uint64_t word, uint32_t got)
{
    struct cat_case which;
    struct made made;
    struct lit_error error = {0};
    if (!cat_case_parse(name, &which, &error))
        fail_msg("%s", error.message);
    assert_true(make(&made, &which));
    const enum cat_check mode = which.test->oracle->check;
    const uint64_t words = made.size.instances * made.size.words_per_instance;
    uint32_t *output = lit_alloc(words, sizeof *output);
    struct cat_run run = {0};
    struct cat_failure failures[2];
    size_t count = 0;
    memcpy(output, made.expected, words * sizeof *output);
    cat_mode_check(&(struct cat_mode){.check = mode}, &made.size, output, made.expected, 0, &run,
                   failures, 2, &count);
    assert_int_equal(run.failed, 0);
    output[word] = got;
    cat_mode_check(&(struct cat_mode){.check = mode}, &made.size, output, made.expected, 0, &run,
                   failures, 2, &count);
    assert_int_equal(run.failed, 1);
    free(output);
    drop(&made);
    return cat_outcome_name(mode, failures[0].outcome);
}

static void a_wrong_word_is_seen(void **state)
{
    (void)state;
    static const char tail[] =
        "loop.tail/tail=shared,sync=none,reconvergence=default,pressure=none@"
        "workgroup=128,elected=last,workers=1,iterations=16,subgroup=32";
    static const char atomic[] =
        "loop.tail/tail=atomic-buffer,sync=none,reconvergence=default,pressure=none@"
        "workgroup=128,elected=last,workers=1,iterations=16,subgroup=32";
    static const char trips[] =
        "loop.trips/trips=divergent,tail=none,sync=none,reconvergence="
        "default,pressure=none@workgroup=128,elected=last,workers=1,iterations=16,"
        "subgroup=32";
    static const char kinds[] =
        "shuffle.barrier-kinds/barrier=none,place=each,pressure=none@workgroup=128,"
        "elected=last,iterations=16,subgroup=32";
    static const char branch[] =
        "shuffle.branch/place=then,source=active,reconvergence=default,pressure=none@"
        "workgroup=128,subgroup=32";
    assert_string_equal(spoilt(tail, 9 * 32 + 31, cat_tag(8, 30)), "stale by 1");
    assert_string_equal(spoilt(tail, 9 * 32 + 31, cat_tag(9, 31)), "wrong lane");
    assert_string_equal(spoilt(tail, 9 * 32, cat_tag(11, 31)), "ahead by 2");
    assert_string_equal(spoilt(kinds, 9 * 32 + 1, cat_tag(9, 30)), "wrong lane");
    // Tails: an addition that is lost, a store that is lost, the number of the iteration before.
    assert_string_equal(spoilt(tail, 16 * 32 + 9, 0), "zero");
    assert_string_equal(spoilt(tail, 16 * 32 + 9, CAT_POISON), "never written");
    assert_string_equal(spoilt(tail, 16 * 32, cat_tag(0, 30)), "wrong lane");
    assert_string_equal(spoilt(atomic, 16 * 32, CAT_POISON), "never written");
    assert_string_equal(spoilt(atomic, 16 * 32, 12345), "not a tag");
    assert_string_equal(spoilt(atomic, 2 * (16 * 32 + 1) - 1, 12345), "not a tag");
    // Lane 0 of the third subgroup has no iteration: whatever it stores is wrong.
    assert_non_null(spoilt(trips, 2 * 16 * 32, cat_tag(0, 0)));
    // Lane 0 of the first subgroup does not take the branch.
    assert_non_null(spoilt(branch, 0, cat_tag(0, 0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tags_hop_to_the_right),
        cmocka_unit_test(who_is_read_is_there),
        cmocka_unit_test(a_wrong_word_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
