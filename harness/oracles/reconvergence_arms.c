// SPDX-License-Identifier: Apache-2.0
// Shapes of the family `reconvergence` that ask how lanes meet behind the arms of a branch: calls
// in the arms, operands that only some lanes evaluate, labels that several selectors name.
#include "oracles/reconvergence_shape.h"

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

// clang-format on

// Which of the shapes a configuration runs.

static size_t call_in_arms_pick(const struct cat_args *args)
{
    return by_entry(args) + (cat_axis_is(args, "returns", "loop") ? 2u : 0u) +
           (cat_axis_is(args, "calls", "both-arms") ? 4u : 0u);
}

static size_t short_circuit_pick(const struct cat_args *args)
{
    return by_entry(args) + (cat_axis_is(args, "operator", "or") ? 2u : 0u) +
           (cat_axis_is(args, "used", "while") ? 4u : 0u);
}

ORACLE(call_in_arms, "call-in-arms", call_in_arms_shapes, call_in_arms_pick);
ORACLE(short_circuit, "short-circuit", short_circuit_shapes, short_circuit_pick);
ORACLE(straight_line, "straight-line", straight_line_shapes, by_entry);
ORACLE(switch_shared_target, "switch-shared-target", switch_shared_target_shapes, by_entry);
