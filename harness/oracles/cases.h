// SPDX-License-Identifier: Apache-2.0
// What the oracles of the family `cases` share: every invocation has one word of input and a few
// words of output of its own, and all that is expected is a number.
#pragma once

#include "oracles/oracles.h"

// Every invocation has `results` words of output, and an instance is a subgroup. For more than
// this, set the other members afterwards.
struct cat_shape cases_shape(const struct cat_args *args, uint32_t results);
// The same, and an instance is a workgroup.
struct cat_shape cases_workgroup_shape(const struct cat_args *args, uint32_t results);

// Fills the input with random words.
void cases_random_input(const struct cat_args *args, const struct cat_shape *shape, uint64_t seed,
                        uint32_t *input);

// What one instance expects: the words of its invocations, in their order.
typedef void cases_expectation(const struct cat_args *args, const uint32_t *words,
                               uint32_t *expected);
// Calls `expectation` for every instance; `lanes` is the number of its invocations.
void cases_each(const struct cat_args *args, const struct cat_shape *shape, const uint32_t *input,
                uint32_t lanes, cases_expectation *expectation, uint32_t *expected);

// Names the lane or invocation of a failing word, and which of its results it is.
void cases_where(const struct cat_args *args, const struct cat_shape *shape,
                 const struct cat_failure *failure, char *text, size_t size);

// The oracle of the case `ticket`, made of the functions PREFIX_shape, PREFIX_input and
// PREFIX_expect.
#define CASES_ORACLE(prefix, ticket, what)                                                         \
    const struct cat_oracle oracle_cases_##prefix = {                                              \
        .name = "cases." ticket,                                                                   \
        .check = CAT_CHECK_EQUAL,                                                                  \
        .instance = what,                                                                          \
        .shape = prefix##_shape,                                                                   \
        .input = prefix##_input,                                                                   \
        .expect = prefix##_expect,                                                                 \
        .where = cases_where,                                                                      \
    }

// Those of cases_memory.c and cases_reduction.c, for the family's list.
extern const struct cat_oracle oracle_cases_carries;
extern const struct cat_oracle oracle_cases_sorts;
extern const struct cat_oracle oracle_cases_scans;
extern const struct cat_oracle oracle_cases_stacks;
extern const struct cat_oracle oracle_cases_reduction;
