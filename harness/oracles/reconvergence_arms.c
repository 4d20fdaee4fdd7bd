// SPDX-License-Identifier: Apache-2.0
// Shapes of the family `reconvergence` that ask how lanes meet behind the arms of a branch: calls
// in the arms, operands that only some lanes evaluate, labels that several selectors name. And
// those whose jumps drivers were seen to lose: out of a switch inside a switch, out of one arm of a
// branch, out of a loop behind a condition that is never true; and a loop that a subgroup does not
// enter.
#include "oracles/reconvergence.h"

// Conditions.

static uint32_t not_first_condition(const struct masks_lane *lane)
{
    return !first_condition(lane);
}

static uint32_t both_conditions(const struct masks_lane *lane)
{
    return first_condition(lane) && second_condition(lane);
}

static uint32_t either_condition(const struct masks_lane *lane)
{
    return first_condition(lane) || second_condition(lane);
}

// while (more rows && Y), and until (no more rows || Y).

static uint32_t rows_end_or_not(const struct masks_lane *lane)
{
    return !(more_rows(lane) && second_condition(lane));
}

static uint32_t rows_end_or(const struct masks_lane *lane)
{
    return !more_rows(lane) || second_condition(lane);
}

static uint32_t first_selects(const struct masks_lane *lane)
{
    return field(lane->word, FIRST_CONDITIONS, 1);
}

static uint32_t visit_returns(const struct masks_lane *lane)
{
    return field(lane->word, SECOND_CONDITIONS, 1);
}

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

// The function that is called.
static const struct masks_step visit_branch[] = {
    LOOK("function", 0),
    IF(visit_returns,
        LOOK("return", 1),
        RETURN),
    LOOK("end of the function", 2),
    END,
};
static const struct masks_step visit_loop[] = {
    LOOK("function", 0),
    WHILE(more_rows,
        EACH_OF(3, "loop in the function", 3),
        IF(second_condition,
            LOOK("return", 1),
            RETURN)),
    LOOK("end of the function", 2),
    END,
};

#define CALL_OF(function) {.kind = MASKS_CALL, .body = function}
#define ONE_ARM(function)                                                                          \
    {.kind = MASKS_IF, .choose = first_selects,                                                    \
        .body = STEPS(                                                                             \
            LOOK("before the call", 6),                                                            \
            CALL_OF(function),                                                                     \
            LOOK("after the call", 7)),                                                            \
        .other = STEPS(LOOK("other arm", 8))},                                                     \
    LOOK("after both arms", 10)
#define BOTH_ARMS(function)                                                                        \
    {.kind = MASKS_IF, .choose = first_selects,                                                    \
        .body = STEPS(                                                                             \
            LOOK("before the call", 6),                                                            \
            CALL_OF(function),                                                                     \
            LOOK("after the call", 7)),                                                            \
        .other = STEPS(                                                                            \
            LOOK("other arm", 8),                                                                  \
            CALL_OF(function),                                                                     \
            LOOK("after the call in the other arm", 9))},                                          \
    LOOK("after both arms", 10)
static const struct masks_step call_one_branch[] = {ONE_ARM(visit_branch), END};
static const struct masks_step call_one_loop[] = {ONE_ARM(visit_loop), END};
static const struct masks_step call_both_branch[] = {BOTH_ARMS(visit_branch), END};
static const struct masks_step call_both_loop[] = {BOTH_ARMS(visit_loop), END};
static const struct masks_shape call_in_arms_shapes[] = {
    {call_one_branch, 11}, {ENTERED(call_one_branch, 11), 12},
    {call_one_loop, 11}, {ENTERED(call_one_loop, 11), 12},
    {call_both_branch, 11}, {ENTERED(call_both_branch, 11), 12},
    {call_both_loop, 11}, {ENTERED(call_both_loop, 11), 12}};

// if (A && f(Y)), if (A || f(Y)).
#define CIRCUIT_IF(id, evaluates, holds)                                                           \
    static const struct masks_step id[] = {                                                        \
        IF(evaluates, EACH_OF(4, "second operand", 0)),                                            \
        EACH_OF(4, "after the operator", 4),                                                       \
        IF_ELSE(holds, STEPS(EACH_OF(4, "then", 8)), STEPS(LOOK("else", 12))),                     \
        LOOK("after both arms", 13),                                                               \
        END,                                                                                       \
    }
// while (i < rows && f(Y)), and until (i == rows || f(Y)).
#define CIRCUIT_WHILE(id, ends)                                                                    \
    static const struct masks_step id[] = {                                                        \
        WHILE(FOREVER,                                                                             \
            IF(more_rows, EACH_OF(4, "second operand", 0)),                                        \
            EACH_OF(4, "after the operator", 4),                                                   \
            IF(ends, BREAK),                                                                       \
            EACH_OF(4, "body", 8)),                                                                \
        LOOK("after the loop", 13),                                                                \
        END,                                                                                       \
    }
CIRCUIT_IF(circuit_if_and, first_condition, both_conditions);
CIRCUIT_IF(circuit_if_or, not_first_condition, either_condition);
CIRCUIT_WHILE(circuit_while_and, rows_end_or_not);
CIRCUIT_WHILE(circuit_while_or, rows_end_or);
static const struct masks_shape short_circuit_shapes[] = {
    {circuit_if_and, 14}, {ENTERED(circuit_if_and, 14), 15},
    {circuit_if_or, 14}, {ENTERED(circuit_if_or, 14), 15},
    {circuit_while_and, 14}, {ENTERED(circuit_while_and, 14), 15},
    {circuit_while_or, 14}, {ENTERED(circuit_while_or, 14), 15}};

// What comes first is looked at by all, whether their subgroup enters or not.
static const struct masks_step straight_line[] = {
    LOOK("select", 1),
    LOOK("scattered load", 2),
    LOOK("atomic", 3),
    CALL(LOOK("function", 4)),
    LOOK("after the call", 5),
    END,
};
static const struct masks_step straight_line_start[] = {
    LOOK("start", 0),
    CALL_OF(straight_line),
    END,
};
static const struct masks_step straight_line_entered[] = {
    LOOK("start", 0),
    {.kind = MASKS_IF, .choose = enters, .body = straight_line},
    LOOK("outside", 6),
    END,
};
static const struct masks_shape straight_line_shapes[] = {
    {straight_line_start, 6}, {straight_line_entered, 7}};

static const struct masks_step switch_shared_target[] = {
    {.kind = MASKS_SWITCH, .choose = selector, .body = STEPS(
        CASE(0, LOOK("case 0", 0)),
        SAME_CASE(1),
        CASE(2,
            LOOK("case 1 and 2", 1),
            IF(first_condition, LOOK("branch in case 1 and 2", 2)),
            LOOK("end of case 1 and 2", 3)),
        DEFAULT(LOOK("default", 4)))},
    LOOK("after the switch", 5),
    END,
};
static const struct masks_shape switch_shared_target_shapes[] = {
    {switch_shared_target, 6}, {ENTERED(switch_shared_target, 6), 7}};

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

const struct cat_oracle oracles_reconvergence_arms[] = {
    RECONVERGENCE("call-in-arms", call_in_arms_shapes,
                  {ENTRY, {"returns", "loop", 2}, {"calls", "both-arms", 4}}),
    RECONVERGENCE("else-leaves", else_leaves_shapes, {{"leave", "break", 1}}),
    RECONVERGENCE("loop-not-entered", loop_not_entered_shapes),
    RECONVERGENCE("never-true", never_true_shapes),
    RECONVERGENCE("short-circuit", short_circuit_shapes,
                  {ENTRY, {"operator", "or", 2}, {"used", "while", 4}}),
    RECONVERGENCE("straight-line", straight_line_shapes, {ENTRY}),
    RECONVERGENCE("switch-in-switch", switch_in_switch_shapes,
                  {{"target", "loop", 1}, {"early", "yes", 2}}),
    RECONVERGENCE("switch-shared-target", switch_shared_target_shapes, {ENTRY}),
    {0},
};
