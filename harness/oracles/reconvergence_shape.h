// SPDX-License-Identifier: Apache-2.0
// What the oracles of the family `reconvergence` are written with: the fields of a lane's word, the
// conditions that several shapes have, the steps in short, and the functions that make an oracle of
// a shape.
#pragma once

#include "catalogue/masks.h"
#include "catalogue/oracle.h"

// The lane's word.
enum {
    TRIPS = 0,
    FIRST_CONDITIONS = 8,
    SECOND_CONDITIONS = 16,
    SELECTOR = 25,
    ENTERS = 31,
    MOST_TRIPS = 8,
};

static inline uint32_t field(uint32_t word, uint32_t shift, uint32_t bits)
{
    return word >> shift & ((1u << bits) - 1);
}

// Conditions.

static inline uint32_t enters(const struct masks_lane *lane)
{
    return field(lane->word, ENTERS, 1);
}

static inline uint32_t first_condition(const struct masks_lane *lane)
{
    return field(lane->word, FIRST_CONDITIONS + lane->iteration[0], 1);
}

static inline uint32_t second_condition(const struct masks_lane *lane)
{
    return field(lane->word, SECOND_CONDITIONS + lane->iteration[0], 1);
}

static inline uint32_t more_trips(const struct masks_lane *lane)
{
    return lane->iteration[0] < field(lane->word, TRIPS, 4);
}

static inline uint32_t trips_again(const struct masks_lane *lane)
{
    return lane->iteration[0] + 1 < field(lane->word, TRIPS, 4);
}

static inline uint32_t trips_over(const struct masks_lane *lane)
{
    return lane->iteration[0] == field(lane->word, TRIPS, 4);
}

static inline uint32_t more_rows(const struct masks_lane *lane)
{
    return lane->iteration[0] < field(lane->word, TRIPS, 2);
}

static inline uint32_t more_columns(const struct masks_lane *lane)
{
    return lane->iteration[1] < field(lane->word, FIRST_CONDITIONS + 2 * lane->iteration[0], 2);
}

static inline uint32_t column_breaks(const struct masks_lane *lane)
{
    return field(lane->word, SECOND_CONDITIONS + 3 * lane->iteration[0] + lane->iteration[1], 1);
}

static inline uint32_t selector(const struct masks_lane *lane)
{
    return field(lane->word, SELECTOR, 3);
}

static inline uint32_t elected(const struct masks_lane *lane)
{
    return lane->lane == lane->first;
}

// Steps. A place that is looked at in each iteration has a slot for each.
// clang-format off

#define STEPS(...)     (const struct masks_step[]){__VA_ARGS__, END}
#define END            {.kind = MASKS_END}
#define IF(c, ...)     {.kind = MASKS_IF, .choose = c, .body = STEPS(__VA_ARGS__)}
#define WHILE(c, ...)  {.kind = MASKS_WHILE, .choose = c, .body = STEPS(__VA_ARGS__)}
#define FOREVER        NULL
#define BREAK          {.kind = MASKS_BREAK}
#define CONTINUE       {.kind = MASKS_CONTINUE}
#define RETURN         {.kind = MASKS_RETURN}
#define LOOK(n, s)     {.kind = MASKS_LOOK, .name = n, .slot = s, .count = 1}
#define EACH(n, s)     {.kind = MASKS_LOOK, .name = n, .slot = s, .by = {1}, .count = MOST_TRIPS}
#define CASE(v, ...)   {.kind = MASKS_CASE, .value = v, .body = STEPS(__VA_ARGS__)}

// As IF, with what the others do: IF_ELSE(c, STEPS(...), STEPS(...)).
#define IF_ELSE(c, yes, no) {.kind = MASKS_IF, .choose = c, .body = yes, .other = no}
#define CALL(...)      {.kind = MASKS_CALL, .body = STEPS(__VA_ARGS__)}
// A case whose label is that of the next one; and the case that all other selectors take.
#define SAME_CASE(v)   {.kind = MASKS_CASE, .value = v, .falls = true}
#define DEFAULT(...)   {.kind = MASKS_CASE, .is_default = true, .body = STEPS(__VA_ARGS__)}
// Looked at in each of n iterations of the outermost loop.
#define EACH_OF(n, name_, s) {.kind = MASKS_LOOK, .name = name_, .slot = s, .by = {1}, .count = n}

// The same steps, entered only by some subgroups, and a last look where all are together again.
#define ENTERED(s, l)  STEPS({.kind = MASKS_IF, .choose = enters, .body = s}, LOOK("outside", l))

// clang-format on

// Which of the shapes of a test a configuration runs.

static inline size_t by_entry(const struct cat_args *args)
{
    return cat_axis_is(args, "entry", "subgroup");
}

static inline size_t the_only(const struct cat_args *args)
{
    (void)args;
    return 0;
}

bool reconvergence_is_maximal(const struct cat_args *args);
bool reconvergence_size(const struct cat_args *args, const struct masks_shape *shape,
                        struct cat_shape *size, struct lit_error *error);
void reconvergence_input(const struct cat_args *args, const struct cat_shape *size, uint64_t seed,
                         uint32_t *input);
void reconvergence_expect(const struct cat_args *args, const struct masks_shape *shape,
                          const struct cat_shape *size, const uint32_t *input, uint32_t *expected);
void reconvergence_where(const struct cat_args *args, const struct masks_shape *shape,
                         const struct cat_failure *failure, char *text, size_t size);

// The four functions of an oracle, for the shape that `pick` picks among `shapes`.
#define ORACLE(id, label, shapes, pick)                                                            \
    static bool id##_shape(const struct cat_args *args, struct cat_shape *size,                    \
                           struct lit_error *error)                                                \
    {                                                                                              \
        return reconvergence_size(args, &(shapes)[pick(args)], size, error);                       \
    }                                                                                              \
    static void id##_expect(const struct cat_args *args, const struct cat_shape *size,             \
                            const uint32_t *input, uint32_t *expected)                             \
    {                                                                                              \
        reconvergence_expect(args, &(shapes)[pick(args)], size, input, expected);                  \
    }                                                                                              \
    static void id##_where(const struct cat_args *args, const struct cat_shape *size,              \
                           const struct cat_failure *failure, char *text, size_t capacity)         \
    {                                                                                              \
        (void)size;                                                                                \
        reconvergence_where(args, &(shapes)[pick(args)], failure, text, capacity);                 \
    }                                                                                              \
    const struct cat_oracle reconvergence_##id = {                                                 \
        .name = "reconvergence." label,                                                            \
        .check = CAT_CHECK_MASK,                                                                   \
        .instance = "subgroup",                                                                    \
        .steady = reconvergence_is_maximal,                                                        \
        .shape = id##_shape,                                                                       \
        .input = reconvergence_input,                                                              \
        .expect = id##_expect,                                                                     \
        .where = id##_where,                                                                       \
    }

// The oracles that are not in reconvergence.c.
extern const struct cat_oracle reconvergence_call_in_arms;
extern const struct cat_oracle reconvergence_continue_exit;
extern const struct cat_oracle reconvergence_elect_turns;
extern const struct cat_oracle reconvergence_else_leaves;
extern const struct cat_oracle reconvergence_loop_not_entered;
extern const struct cat_oracle reconvergence_nested_breaks;
extern const struct cat_oracle reconvergence_never_true;
extern const struct cat_oracle reconvergence_peeled_by_hand;
extern const struct cat_oracle reconvergence_short_circuit;
extern const struct cat_oracle reconvergence_straight_line;
extern const struct cat_oracle reconvergence_switch_exit;
extern const struct cat_oracle reconvergence_switch_in_switch;
extern const struct cat_oracle reconvergence_switch_shared_target;
