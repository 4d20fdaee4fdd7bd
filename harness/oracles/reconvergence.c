// SPDX-License-Identifier: Apache-2.0
// The oracles of the family `reconvergence`: the shape of each kernel as a tree of steps, and what
// the simulator makes of it. The shapes repeat spirv/reconvergence/*.spvasm line by line.
#include "oracles/reconvergence.h"

#include "base/random.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>

uint32_t reconvergence_word(uint64_t seed, uint64_t instance, uint32_t lane, uint32_t subgroup)
{
    struct lit_random random = {seed + instance * UINT64_C(0x9E3779B97F4A7C15)};
    const uint32_t enters = random_below(&random, 4) != 0;
    const uint64_t shared = random_next(&random);
    const uint32_t odd = (uint32_t)random_below(&random, subgroup);
    uint32_t kind = lane; // which lanes are alike

    switch (instance % 8) {
    case 0:
        return lane % (MOST_TRIPS + 1) << TRIPS | (lane % 2 ? 0xffu : 0) << FIRST_CONDITIONS |
               (lane % 4 == 3 ? 0x1ffu : 0) << SECOND_CONDITIONS | lane % 4 << SELECTOR |
               enters << ENTERS;
    case 1:
        kind = 0;
        break;
    case 2:
        kind = lane == odd;
        break;
    case 3:
        kind = lane >= subgroup / 2;
        break;
    }
    struct lit_random own = {shared + kind};
    random_next(&own);
    const uint32_t trips = (uint32_t)random_below(&own, MOST_TRIPS + 1);
    const uint32_t selector = (uint32_t)random_below(&own, 5);
    const uint32_t conditions = (uint32_t)random_next(&own) & 0x1ffff;
    return trips << TRIPS | conditions << FIRST_CONDITIONS | selector << SELECTOR |
           enters << ENTERS;
}

// The conditions of the shapes.

static uint32_t third_bit(const struct masks_lane *lane)
{
    return field(lane->word, FIRST_CONDITIONS + 1, 1);
}

static uint32_t fourth_bit(const struct masks_lane *lane)
{
    return field(lane->word, FIRST_CONDITIONS + 2, 1);
}

static uint32_t same_as_first(const struct masks_lane *lane)
{
    return field(lane->word, TRIPS, 4) == field(lane->first_word, TRIPS, 4);
}

static uint32_t counts_to_128(const struct masks_lane *lane)
{
    return lane->iteration[0] < 128;
}

static uint32_t count_is_lane(const struct masks_lane *lane)
{
    return lane->iteration[0] == lane->lane;
}

static uint32_t count_down_is_lane(const struct masks_lane *lane)
{
    return 127 - lane->iteration[0] == lane->lane;
}

// The shapes. A place that is looked at in each iteration has a slot for each.
// clang-format off

static const struct masks_step while_break[] = {
    WHILE(more_trips,
        IF(first_condition,
            EACH("A", 0),
            IF(second_condition,
                LOOK("break", 16),
                BREAK)),
        EACH("B", 8)),
    LOOK("after the loop", 17),
    END,
};
static const struct masks_shape while_break_shapes[] = {
    {while_break, 18}, {ENTERED(while_break, 18), 19}};

static const struct masks_step break_ballot[] = {
    WHILE(FOREVER,
        IF(trips_over,
            LOOK("break", 8),
            BREAK),
        EACH("stay", 0)),
    LOOK("after the loop", 9),
    END,
};
static const struct masks_shape break_ballot_shapes[] = {{break_ballot, 10}};

static const struct masks_step waterfall[] = {
    WHILE(FOREVER,
        IF(same_as_first,
            LOOK("break", 0),
            BREAK),
        LOOK("stay, last iteration", 1)),
    LOOK("after the loop", 2),
    END,
};
static const struct masks_shape waterfall_shapes[] = {{waterfall, 3}};

static const struct masks_step peeling_up_break[] = {
    WHILE(counts_to_128, IF(count_is_lane, LOOK("break", 0), BREAK)),
    LOOK("after the loop", 1),
    END,
};
static const struct masks_step peeling_down_break[] = {
    WHILE(counts_to_128, IF(count_down_is_lane, LOOK("break", 0), BREAK)),
    LOOK("after the loop", 1),
    END,
};
static const struct masks_step peeling_up_return[] = {
    WHILE(counts_to_128, IF(count_is_lane, LOOK("return", 0), RETURN)),
    LOOK("after the loop", 1),
    END,
};
static const struct masks_step peeling_down_return[] = {
    WHILE(counts_to_128, IF(count_down_is_lane, LOOK("return", 0), RETURN)),
    LOOK("after the loop", 1),
    END,
};
static const struct masks_shape peeling_shapes[] = {
    {peeling_up_break, 2}, {peeling_down_break, 2},
    {peeling_up_return, 2}, {peeling_down_return, 2}};

static const struct masks_step continue_target[] = {
    {.kind = MASKS_WHILE, .choose = more_trips,
        .body = STEPS(
            IF(first_condition,
                EACH("before continue", 0),
                CONTINUE),
            EACH("rest of the body", 8)),
        .other = STEPS(
            EACH("continue target", 16))},
    LOOK("after the loop", 24),
    END,
};
static const struct masks_shape continue_target_shapes[] = {
    {continue_target, 25}, {ENTERED(continue_target, 25), 26}};

static const struct masks_step early_return[] = {
    IF(first_condition,
        LOOK("outer branch", 0),
        IF(second_condition,
            LOOK("return", 1),
            RETURN),
        LOOK("not returned", 2)),
    LOOK("rest", 3),
    END,
};
static const struct masks_step early_return_call[] = {
    {.kind = MASKS_CALL, .body = early_return},
    LOOK("after the call", 4),
    END,
};
static const struct masks_shape early_return_shapes[] = {
    {early_return, 5}, {ENTERED(early_return, 5), 6},
    {early_return_call, 5}, {ENTERED(early_return_call, 5), 6}};

static const struct masks_step nested_loops[] = {
    WHILE(more_rows,
        WHILE(more_columns,
            {.kind = MASKS_LOOK, .name = "inner body", .slot = 0, .by = {3, 1}, .count = 9},
            IF(column_breaks,
                {.kind = MASKS_LOOK, .name = "inner break", .slot = 9, .by = {1}, .count = 3},
                BREAK)),
        {.kind = MASKS_LOOK, .name = "outer body", .slot = 12, .by = {1}, .count = 3}),
    LOOK("after both loops", 15),
    END,
};
static const struct masks_shape nested_loops_shapes[] = {
    {nested_loops, 16}, {ENTERED(nested_loops, 16), 17}};

static const struct masks_step nested_if[] = {
    {.kind = MASKS_IF, .choose = first_condition,
        .body = STEPS(
            LOOK("then", 0),
            {.kind = MASKS_IF, .choose = third_bit,
                .body = STEPS(LOOK("then, then", 1)),
                .other = STEPS(LOOK("then, else", 2))},
            LOOK("end of then", 3)),
        .other = STEPS(
            LOOK("else", 4),
            {.kind = MASKS_IF, .choose = fourth_bit,
                .body = STEPS(LOOK("else, then", 5)),
                .other = STEPS(LOOK("else, else", 6))},
            LOOK("end of else", 7))},
    LOOK("after both", 8),
    END,
};
static const struct masks_shape nested_if_shapes[] = {{nested_if, 9}};

static const struct masks_step trip_count[] = {
    {.kind = MASKS_DO, .choose = trips_again, .body = STEPS(EACH("body", 0))},
    LOOK("after the loop", 8),
    END,
};
static const struct masks_shape trip_count_shapes[] = {{trip_count, 9}};

static const struct masks_step switch_fallthrough[] = {
    {.kind = MASKS_SWITCH, .choose = selector, .body = STEPS(
        {.kind = MASKS_CASE, .value = 0, .falls = true, .body = STEPS(LOOK("case 0", 0))},
        CASE(1, LOOK("case 1", 1)),
        CASE(2, LOOK("case 2", 2)),
        {.kind = MASKS_CASE, .is_default = true, .body = STEPS(LOOK("default", 3))})},
    LOOK("after the switch", 4),
    END,
};
static const struct masks_shape switch_fallthrough_shapes[] = {{switch_fallthrough, 5}};

static const struct masks_step elect_loop[] = {
    WHILE(FOREVER,
        LOOK("body, last iteration", 0),
        IF(elected,
            LOOK("break", 1),
            BREAK)),
    LOOK("after the loop", 2),
    END,
};
static const struct masks_shape elect_loop_shapes[] = {
    {elect_loop, 3}, {ENTERED(elect_loop, 3), 4}};

static const struct masks_step elect_call[] = {
    {.kind = MASKS_CALL, .body = STEPS(
        WHILE(FOREVER, IF(elected, BREAK)),
        {.kind = MASKS_ELECT, .name = "elected after the loop", .slot = 0, .count = 1})},
    LOOK("after the call", 1),
    END,
};
static const struct masks_shape elect_call_shapes[] = {{elect_call, 2}};

// clang-format on

enum masks_rule reconvergence_rule(const struct cat_args *args)
{
    if (cat_axis_is(args, "reconvergence", "maximal"))
        return MASKS_MAXIMAL;
    if (cat_axis_is(args, "reconvergence", "subgroup-uniform"))
        return MASKS_SUBGROUP_UNIFORM;
    return MASKS_DEFAULT;
}

bool reconvergence_is_maximal(const struct cat_args *args)
{
    return reconvergence_rule(args) == MASKS_MAXIMAL;
}

bool reconvergence_fits(const struct cat_args *args, struct lit_error *error)
{
    if (args->subgroup == 0 || args->subgroup > 128)
        return lit_fail(error, LIT_EXIT_USAGE, "a mask has no room for subgroups of %u",
                        args->subgroup);
    return (args->workgroup <= MASKS_LANES && args->workgroup % args->subgroup == 0) ||
           lit_fail(error, LIT_EXIT_USAGE,
                    "a workgroup of %u is no whole number of subgroups of %u, or over %u",
                    args->workgroup, args->subgroup, MASKS_LANES);
}

static const struct masks_shape *shape_of(const struct cat_args *args)
{
    const struct reconvergence *of = args->oracle->data;
    size_t index = 0;
    for (const struct reconvergence_pick *pick = of->picks; pick->axis; pick++)
        index += cat_axis_is(args, pick->axis, pick->value) ? pick->number : 0;
    return &of->shapes[index];
}

void reconvergence_shape_of(const struct masks_shape *shape, struct cat_args *args)
{
    args->shape.elements = args->subgroup;
    args->shape.words_per_instance = (uint64_t)args->subgroup * shape->slots * 4;
}

void reconvergence_shape(struct cat_args *args)
{
    reconvergence_shape_of(shape_of(args), args);
}

void reconvergence_input(const struct cat_args *args, uint64_t seed, uint32_t *input)
{
    for (uint64_t i = 0; i < args->shape.input_words; i++)
        input[i] = reconvergence_word(seed, i / args->subgroup, (uint32_t)(i % args->subgroup),
                                      args->subgroup);
}

void reconvergence_expect_of(const struct masks_shape *shape, const struct cat_args *args,
                             const uint32_t *input, uint32_t *expected)
{
    const size_t records = (size_t)args->workgroup * shape->slots;
    struct masks_cell *cells = lit_alloc(records, sizeof(*cells));

    for (uint32_t workgroup = 0; workgroup < args->shape.workgroups; workgroup++) {
        masks_simulate(shape, reconvergence_rule(args), args->workgroup, args->subgroup,
                       &input[(size_t)workgroup * args->workgroup], cells);
        for (size_t record = 0; record < records; record++) {
            const struct masks_cell *cell = &cells[record];
            for (uint32_t i = 0; i < 4; i++) {
                uint32_t *word = &expected[((workgroup * records + record) * 4 + i) * 4];
                word[0] = cell->executed ? cell->want[i] : CAT_POISON;
                word[1] = cell->executed ? cell->alternative[i] : CAT_POISON;
                word[2] = cell->executed ? cell->lower[i] : UINT32_MAX;
                word[3] = cell->executed ? cell->upper[i] : 0;
            }
        }
    }
    free(cells);
}

void reconvergence_expect(const struct cat_args *args, const uint32_t *input, uint32_t *expected)
{
    reconvergence_expect_of(shape_of(args), args, input, expected);
}

void reconvergence_describe_of(const struct masks_shape *shape, const struct cat_args *args,
                               const struct cat_failure *failure, char *text, size_t size)
{
    const uint64_t record = failure->word / 4;
    const uint32_t part = (uint32_t)(failure->word % 4);
    char place[96];
    masks_describe(shape, (uint32_t)(record % shape->slots), place, sizeof(place));
    const int length =
        snprintf(text, size, "lane %u, %s", (uint32_t)(record / shape->slots), place);
    if (args->subgroup > 32 && length > 0 && (size_t)length < size)
        snprintf(text + length, size - (size_t)length, ", lanes %u to %u", part * 32,
                 part * 32 + 31);
}

void reconvergence_describe(const struct cat_args *args, const struct cat_failure *failure,
                            char *text, size_t size)
{
    reconvergence_describe_of(shape_of(args), args, failure, text, size);
}

const struct cat_oracle oracles_reconvergence[] = {
    RECONVERGENCE("break-ballot", break_ballot_shapes),
    RECONVERGENCE("continue-target", continue_target_shapes, {ENTRY}),
    RECONVERGENCE("early-return", early_return_shapes, {ENTRY, {"from", "function", 2}}),
    RECONVERGENCE("elect-call", elect_call_shapes),
    RECONVERGENCE("elect-loop", elect_loop_shapes, {ENTRY}),
    RECONVERGENCE("loop-peeling", peeling_shapes, {{"order", "down", 1}, {"exit", "return", 2}}),
    RECONVERGENCE("nested-if", nested_if_shapes),
    RECONVERGENCE("nested-loops", nested_loops_shapes, {ENTRY}),
    RECONVERGENCE("switch-fallthrough", switch_fallthrough_shapes),
    RECONVERGENCE("trip-count", trip_count_shapes),
    RECONVERGENCE("waterfall", waterfall_shapes),
    RECONVERGENCE("while-break", while_break_shapes, {ENTRY}),
    {0},
};
