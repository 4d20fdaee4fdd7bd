// SPDX-License-Identifier: Apache-2.0
// Shapes of the family `reconvergence` whose jumps drivers were seen to lose: out of a switch
// inside a switch, out of one arm of a branch, out of a loop behind a condition that is never true;
// and a loop that a subgroup does not enter.
#include "oracles/reconvergence_shape.h"

// Conditions.

static uint32_t inner_selector(const struct masks_lane *lane)
{
    return field(lane->word, FIRST_CONDITIONS + 3 + lane->iteration[0], 1);
}

static uint32_t columns_again(const struct masks_lane *lane)
{
    return lane->iteration[1] + 1 < field(lane->word, FIRST_CONDITIONS + 2 * lane->iteration[0], 2);
}

static uint32_t is_lane_zero(const struct masks_lane *lane)
{
    return lane->lane == 0;
}

static uint32_t is_lane_of_turn(const struct masks_lane *lane)
{
    return lane->lane == 1 + lane->iteration[0];
}

// Shapes.
// clang-format off

// The steps of case 0 of the inner switch are given.
#define SWITCH_IN_SWITCH(id, ...)                                                                  \
    static const struct masks_step id[] = {                                                        \
        WHILE(more_rows,                                                                           \
            {.kind = MASKS_SWITCH, .choose = first_condition, .body = STEPS(                        \
                CASE(0,                                                                            \
                    {.kind = MASKS_SWITCH, .choose = inner_selector, .body = STEPS(                \
                        CASE(0, __VA_ARGS__))},                                                    \
                    EACH_OF(3, "rest of the outer case", 3)))},                                    \
            EACH_OF(3, "after both switches", 6)),                                                 \
        LOOK("after the loop", 9),                                                                 \
        END,                                                                                       \
    }
#define EARLY IF(second_condition, BREAK)
#define LEAVE EACH_OF(3, "leave", 0)
#define BREAK_LOOP {.kind = MASKS_BREAK_LOOP}
SWITCH_IN_SWITCH(in_switch_continue, LEAVE, CONTINUE);
SWITCH_IN_SWITCH(in_switch_loop, LEAVE, BREAK_LOOP);
SWITCH_IN_SWITCH(in_switch_early_continue, EARLY, LEAVE, CONTINUE);
SWITCH_IN_SWITCH(in_switch_early_loop, EARLY, LEAVE, BREAK_LOOP);
static const struct masks_shape switch_in_switch_shapes[] = {
    {in_switch_continue, 10}, {in_switch_loop, 10},
    {in_switch_early_continue, 10}, {in_switch_early_loop, 10}};

static const struct masks_step loop_not_entered[] = {
    WHILE(more_rows,
        {.kind = MASKS_DO, .choose = columns_again, .body = STEPS(
            {.kind = MASKS_LOOK, .name = "inner body", .slot = 0, .by = {3, 1}, .count = 9})},
        EACH_OF(3, "after the inner loop", 9)),
    LOOK("after both loops", 12),
    END,
};
static const struct masks_shape loop_not_entered_shapes[] = {{loop_not_entered, 13}};

#define ELSE_LEAVES(id, leave)                                                                     \
    static const struct masks_step id[] = {                                                        \
        WHILE(more_rows,                                                                           \
            IF_ELSE(first_condition,                                                               \
                STEPS(                                                                             \
                    IF(second_condition,                                                           \
                        EACH_OF(3, "before continue", 0),                                          \
                        CONTINUE),                                                                 \
                    EACH_OF(3, "rest of the arm", 3),                                              \
                    EACH_OF(3, "rest of the arm, stored behind the branch", 6)),                   \
                STEPS(leave)),                                                                     \
            EACH_OF(3, "behind the branch", 9),                                                    \
            BREAK),                                                                                \
        LOOK("after the loop", 12),                                                                \
        END,                                                                                       \
    }
ELSE_LEAVES(else_continues, CONTINUE);
ELSE_LEAVES(else_breaks, BREAK);
static const struct masks_shape else_leaves_shapes[] = {{else_continues, 13}, {else_breaks, 13}};

static const struct masks_step never_true[] = {
    IF(is_lane_zero,
        WHILE(more_rows,
            IF(is_lane_of_turn,
                LOOK("never executed", 0),
                RETURN),
            EACH_OF(3, "rest of the body", 1)),
        LOOK("after the loop", 4)),
    LOOK("after all", 5),
    END,
};
static const struct masks_shape never_true_shapes[] = {{never_true, 6}};

// clang-format on

// Which of the shapes a configuration runs.

static size_t switch_in_switch_pick(const struct cat_args *args)
{
    return (cat_axis_is(args, "target", "loop") ? 1u : 0u) +
           (cat_axis_is(args, "early", "yes") ? 2u : 0u);
}

static size_t else_leaves_pick(const struct cat_args *args)
{
    return cat_axis_is(args, "leave", "break");
}

ORACLE(else_leaves, "else-leaves", else_leaves_shapes, else_leaves_pick);
ORACLE(loop_not_entered, "loop-not-entered", loop_not_entered_shapes, the_only);
ORACLE(never_true, "never-true", never_true_shapes, the_only);
ORACLE(switch_in_switch, "switch-in-switch", switch_in_switch_shapes, switch_in_switch_pick);
