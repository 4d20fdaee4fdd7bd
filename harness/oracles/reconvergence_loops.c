// SPDX-License-Identifier: Apache-2.0
// Shapes of the family `reconvergence` that ask how lanes leave loops: through two levels, out of a
// switch, at the end of the continue construct, one by one, and by copies of the body.
#include "oracles/reconvergence.h"

// Conditions.

// Some column of this row breaks, among those that the row has.
static uint32_t row_escapes(const struct masks_lane *lane)
{
    struct masks_lane at = *lane;
    for (at.iteration[1] = 0; more_columns(&at); at.iteration[1]++) {
        if (column_breaks(&at))
            return 1;
    }
    return 0;
}

static uint32_t turning_selector(const struct masks_lane *lane)
{
    return (selector(lane) + lane->iteration[0]) & 3;
}

static uint32_t rows_again(const struct masks_lane *lane)
{
    return lane->iteration[0] + 1 < field(lane->word, TRIPS, 2);
}

// Whether any lane of the tangle goes on.
static uint32_t any_rows_again(const struct masks_lane *lane)
{
    for (uint32_t i = 0; i < lane->subgroup; i++) {
        struct masks_lane other = *lane;
        other.word = lane->words[i];
        if (lane->tangle[i / 32] >> i % 32 & 1 && rows_again(&other))
            return 1;
    }
    return 0;
}

static uint32_t not_elected(const struct masks_lane *lane)
{
    return !elected(lane);
}

static uint32_t has_trips(const struct masks_lane *lane)
{
    return field(lane->word, TRIPS, 4) != 0;
}

static uint32_t first_leaves(const struct masks_lane *lane)
{
    return field(lane->word, SECOND_CONDITIONS, 1);
}

static uint32_t next_leaves(const struct masks_lane *lane)
{
    return field(lane->word, SECOND_CONDITIONS + 1 + lane->iteration[0], 1);
}

static uint32_t no_more_trips(const struct masks_lane *lane)
{
    return !trips_again(lane);
}

// Shapes.
// clang-format off

static const struct masks_step nested_breaks_flag[] = {
    WHILE(more_rows,
        WHILE(more_columns,
            {.kind = MASKS_LOOK, .name = "inner body", .slot = 0, .by = {3, 1}, .count = 9},
            IF(column_breaks,
                EACH_OF(3, "escape", 9),
                BREAK)),
        EACH_OF(3, "after the inner loop", 12),
        IF(row_escapes,
            LOOK("outer break", 15),
            BREAK),
        EACH_OF(3, "rest of the outer body", 16)),
    LOOK("after both loops", 19),
    END,
};
static const struct masks_step nested_breaks_return[] = {
    CALL(
        WHILE(more_rows,
            WHILE(more_columns,
                {.kind = MASKS_LOOK, .name = "inner body", .slot = 0, .by = {3, 1}, .count = 9},
                IF(column_breaks,
                    EACH_OF(3, "escape", 9),
                    RETURN)),
            EACH_OF(3, "after the inner loop", 12)),
        LOOK("after both loops", 19)),
    LOOK("after the call", 20),
    END,
};
static const struct masks_shape nested_breaks_shapes[] = {
    {nested_breaks_flag, 21}, {ENTERED(nested_breaks_flag, 21), 22},
    {nested_breaks_return, 21}, {ENTERED(nested_breaks_return, 21), 22}};

// The steps behind `if (Y)` are given: with branch=bare only the one that leaves.
#define SWITCH_EXIT(id, ...)                                                                       \
    static const struct masks_step id[] = {                                                        \
        {.kind = MASKS_WHILE, .choose = more_rows,                                                 \
            .body = STEPS(                                                                         \
                {.kind = MASKS_SWITCH, .choose = turning_selector, .body = STEPS(                  \
                    CASE(0,                                                                        \
                        EACH_OF(3, "case 0", 0),                                                   \
                        IF(second_condition, __VA_ARGS__),                                         \
                        EACH_OF(3, "rest of case 0", 3)),                                          \
                    {.kind = MASKS_CASE, .value = 1, .falls = true, .body = STEPS(                 \
                        EACH_OF(3, "case 1", 6),                                                   \
                        IF(second_condition, __VA_ARGS__))},                                       \
                    CASE(2, EACH_OF(3, "case 2", 9)),                                              \
                    DEFAULT(EACH_OF(3, "default", 12)))},                                          \
                EACH_OF(3, "after the switch", 15)),                                               \
            .other = STEPS(EACH_OF(3, "continue target", 18))},                                    \
        LOOK("after the loop", 21),                                                                \
        END,                                                                                       \
    }
SWITCH_EXIT(switch_exit_bare, BREAK);
SWITCH_EXIT(switch_exit_bare_continue, CONTINUE);
SWITCH_EXIT(switch_exit_bare_loop, BREAK_LOOP);
SWITCH_EXIT(switch_exit_block, EACH_OF(3, "exit", 22), BREAK);
SWITCH_EXIT(switch_exit_block_continue, EACH_OF(3, "exit", 22), CONTINUE);
SWITCH_EXIT(switch_exit_block_loop, EACH_OF(3, "exit", 22), BREAK_LOOP);
static const struct masks_shape switch_exit_shapes[] = {
    {switch_exit_bare, 25}, {ENTERED(switch_exit_bare, 25), 26},
    {switch_exit_bare_continue, 25}, {ENTERED(switch_exit_bare_continue, 25), 26},
    {switch_exit_bare_loop, 25}, {ENTERED(switch_exit_bare_loop, 25), 26},
    {switch_exit_block, 25}, {ENTERED(switch_exit_block, 25), 26},
    {switch_exit_block_continue, 25}, {ENTERED(switch_exit_block_continue, 25), 26},
    {switch_exit_block_loop, 25}, {ENTERED(switch_exit_block_loop, 25), 26}};

// The loop counts from 0 what the kernel counts from 1.
static const struct masks_step peeled_first[] = {
    IF(has_trips,
        LOOK("A, first copy", 0),
        IF_ELSE(first_leaves,
            STEPS(LOOK("leave, first copy", 16)),
            STEPS(
                LOOK("B, first copy", 8),
                WHILE(trips_again,
                    EACH_OF(7, "A", 1),
                    IF(next_leaves,
                        LOOK("leave", 17),
                        BREAK),
                    EACH_OF(7, "B", 9)),
                LOOK("after the loop", 18)))),
    LOOK("after all", 19),
    END,
};
static const struct masks_step peeled_rotated[] = {
    IF(has_trips,
        LOOK("A, first copy", 0),
        WHILE(FOREVER,
            IF(second_condition,
                LOOK("leave", 17),
                BREAK),
            EACH("B", 8),
            IF(no_more_trips, BREAK),
            EACH_OF(7, "A", 1)),
        LOOK("after the loop", 18)),
    LOOK("after all", 19),
    END,
};
static const struct masks_shape peeled_shapes[] = {
    {peeled_first, 20}, {ENTERED(peeled_first, 20), 21},
    {peeled_rotated, 20}, {ENTERED(peeled_rotated, 20), 21}};

#define REMAINING {.kind = MASKS_LOOK, .name = "remaining", .slot = 0, .by = {1}, .count = 8, .wrap = 8}
#define TURN      {.kind = MASKS_NUMBER, .name = "number of the turn", .slot = 9, .count = 1}
static const struct masks_step elect_turns_break[] = {
    WHILE(FOREVER,
        REMAINING,
        IF(elected,
            LOOK("turn", 8),
            TURN,
            BREAK),
        LOOK("stay, last iteration", 10)),
    LOOK("after the loop", 11),
    END,
};
static const struct masks_step elect_turns_condition[] = {
    {.kind = MASKS_DO, .choose = not_elected, .body = STEPS(
        REMAINING,
        IF(elected,
            LOOK("turn", 8),
            TURN),
        LOOK("stay, last iteration", 10))},
    LOOK("after the loop", 11),
    END,
};
static const struct masks_shape elect_turns_shapes[] = {
    {elect_turns_break, 12}, {ENTERED(elect_turns_break, 12), 13},
    {elect_turns_condition, 12}, {ENTERED(elect_turns_condition, 12), 13}};

#define CONTINUE_EXIT(id, condition, ...)                                                          \
    static const struct masks_step id[] = {                                                        \
        {.kind = MASKS_DO, .choose = condition,                                                    \
            .body = STEPS(                                                                         \
                EACH_OF(3, "body", 0),                                                             \
                IF(second_condition,                                                               \
                    EACH_OF(3, "before continue", 3),                                              \
                    CONTINUE),                                                                     \
                EACH_OF(3, "rest of the body", 6)),                                                \
            .other = STEPS(__VA_ARGS__)},                                                          \
        LOOK("after the loop", 18),                                                                \
        END,                                                                                       \
    }
#define IN_TARGET EACH_OF(3, "continue target", 9)
#define BRANCH_IN_TARGET                                                                           \
    IN_TARGET,                                                                                     \
    IF(first_condition, EACH_OF(3, "branch in the continue construct", 12)),                       \
    EACH_OF(3, "back-edge block", 15)
CONTINUE_EXIT(continue_exit_plain, rows_again, IN_TARGET);
CONTINUE_EXIT(continue_exit_branch, rows_again, BRANCH_IN_TARGET);
CONTINUE_EXIT(continue_exit_any_plain, any_rows_again, IN_TARGET);
CONTINUE_EXIT(continue_exit_any_branch, any_rows_again, BRANCH_IN_TARGET);
static const struct masks_shape continue_exit_shapes[] = {
    {continue_exit_plain, 19}, {ENTERED(continue_exit_plain, 19), 20},
    {continue_exit_branch, 19}, {ENTERED(continue_exit_branch, 19), 20},
    {continue_exit_any_plain, 19}, {ENTERED(continue_exit_any_plain, 19), 20},
    {continue_exit_any_branch, 19}, {ENTERED(continue_exit_any_branch, 19), 20}};

// clang-format on

const struct cat_oracle oracles_reconvergence_loops[] = {
    RECONVERGENCE("continue-exit", continue_exit_shapes,
                  {ENTRY, {"construct", "branch", 2}, {"condition", "any", 4}}),
    RECONVERGENCE("elect-turns", elect_turns_shapes, {ENTRY, {"leave", "condition", 2}}),
    RECONVERGENCE("nested-breaks", nested_breaks_shapes, {ENTRY, {"by", "return", 2}}),
    RECONVERGENCE("peeled-by-hand", peeled_shapes, {ENTRY, {"form", "rotated", 2}}),
    RECONVERGENCE(
        "switch-exit", switch_exit_shapes,
        {ENTRY, {"target", "continue", 2}, {"target", "loop", 4}, {"branch", "block", 6}}),
    {0},
};
