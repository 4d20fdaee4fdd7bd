// SPDX-License-Identifier: Apache-2.0
// The oracles of the family `reconvergence`, and the shapes behind them.
//
// All kernels of the family share one layout. An invocation's number is workgroup * workgroup size
// + subgroup * subgroup size + lane; `elements` is the subgroup size. input[number] is the word
// that the lane's conditions are made of (reconvergence_word). The output is a list of records of
// four words, the ballot of true: slot s of an invocation is record number * slots + s. A place
// that a lane does not reach leaves its record as poison.
//
// The oracles are written as shapes: with the fields of a lane's word, the conditions that several
// shapes have, and the steps in short.
#pragma once

#include "generate/masks.h"
#include "oracles/oracles.h"

// The rule of the axis `reconvergence`; default without one.
enum masks_rule reconvergence_rule(const struct cat_args *args);

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
#define BREAK_LOOP     {.kind = MASKS_BREAK_LOOP}
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

// `data` of an oracle: its shapes. A configuration runs the one whose index is the sum of the
// numbers of those `picks` whose axis has that value.
struct reconvergence {
    const struct masks_shape *shapes;
    struct reconvergence_pick {
        const char *axis, *value;
        size_t number;
    } picks[5];
};

#define ENTRY                                                                                      \
    {                                                                                              \
        "entry", "subgroup", 1                                                                     \
    }

// RECONVERGENCE(label, shapes, picks...)
#define RECONVERGENCE(label, ...)                                                                  \
    {                                                                                              \
        .name = "reconvergence." label, .check = CAT_CHECK_MASK, .instance = "subgroup",           \
        .deterministic = reconvergence_is_maximal, .fits = reconvergence_fits,                     \
        .shape = reconvergence_shape, .input = reconvergence_input,                                \
        .expect = reconvergence_expect, .describe = reconvergence_describe,                        \
        .data = &(const struct reconvergence){.shapes = __VA_ARGS__},                              \
    }

// The functions of the oracles.
bool reconvergence_is_maximal(const struct cat_args *args);
bool reconvergence_fits(const struct cat_args *args, struct lit_error *error);
void reconvergence_shape(struct cat_args *args);
void reconvergence_input(const struct cat_args *args, uint64_t seed, uint32_t *input);
void reconvergence_expect(const struct cat_args *args, const uint32_t *input, uint32_t *expected);
void reconvergence_describe(const struct cat_args *args, const struct cat_failure *failure,
                            char *text, size_t size);
// What they do for a shape.
void reconvergence_shape_of(const struct masks_shape *shape, struct cat_args *args);
void reconvergence_expect_of(const struct masks_shape *shape, const struct cat_args *args,
                             const uint32_t *input, uint32_t *expected);
void reconvergence_describe_of(const struct masks_shape *shape, const struct cat_args *args,
                               const struct cat_failure *failure, char *text, size_t size);
