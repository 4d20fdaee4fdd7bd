// SPDX-License-Identifier: Apache-2.0
// The oracles of loop.trips and shuffle.branch against the simulator of control flow, which knows
// who executes what together, and with which rule a test may say "forbidden".
#include "unit.h"

#include "catalogue/catalogue.h"
#include "model/check.h"
#include "generate/masks.h"

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
    *made = (struct made){.which = which,
                          .args = {.subgroup = which->subgroup, .scale = SCALE, .which = which}};
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
    OWNED(lit_free)
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
    return seen;
}

static void check_divergent(const struct cat_case *which, void *user)
{
    struct made made;
    const char *reason;
    if (!make(&made, which))
        return;
    const struct seen seen = look(&made);
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

TEST(who_is_read_is_there)
{
    size_t trips = 0, branches = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        cat_test_each(cat_test_find("loop.trips"), sizes[s], check_divergent, &trips);
        cat_test_each(cat_test_find("shuffle.branch"), sizes[s], check_divergent, &branches);
    }
    assert_true(trips > 500 && branches > 200);
}
