// SPDX-License-Identifier: Apache-2.0
// The oracle of scan.workgroup: sums of 32-bit words modulo 2^32, over each workgroup.

#include "base/random.h"
#include "oracles/oracles.h"
#include "oracles/scan.h"

#include <stdio.h>
#include <stdlib.h>

static uint32_t items(const struct cat_args *args)
{
    return (uint32_t)strtoul(cat_axis(args, "items"), NULL, 10);
}

static bool workgroup_shape(const struct cat_args *args, struct cat_shape *shape,
                            struct lit_error *error)
{
    (void)error;
    const uint64_t words = (uint64_t)args->workgroup * items(args);
    *shape = (struct cat_shape){
        .workgroups = args->scale,
        .elements = (uint32_t)(words * args->scale),
        .input_words = words * args->scale,
        .state_words = 1,
        .instances = args->scale,
        .words_per_instance = words,
    };
    return true;
}

static void workgroup_input(const struct cat_args *args, const struct cat_shape *shape,
                            uint64_t seed, uint32_t *input)
{
    (void)args;
    struct lit_random random = {seed};
    for (uint64_t i = 0; i < shape->input_words; i++)
        input[i] = (uint32_t)(random_next(&random) >> 32);
}

static void workgroup_expect(const struct cat_args *args, const struct cat_shape *shape,
                             const uint32_t *input, uint32_t *expected)
{
    const bool inclusive = cat_axis_is(args, "mode", "inclusive");
    const bool reduce = cat_axis_is(args, "mode", "reduce");
    for (uint64_t i = 0; i < shape->instances; i++) {
        const uint64_t begin = i * shape->words_per_instance;
        const uint64_t end = begin + shape->words_per_instance;
        uint32_t sum = 0;
        for (uint64_t word = begin; word < end; word++) {
            const uint32_t before = sum;
            sum += input[word];
            expected[word] = inclusive ? sum : before;
        }
        for (uint64_t word = begin; reduce && word < end; word++)
            expected[word] = sum;
    }
}

static void workgroup_where(const struct cat_args *args, const struct cat_shape *shape,
                            const struct cat_failure *failure, char *text, size_t size)
{
    (void)shape;
    const uint64_t invocation = failure->word / items(args);
    snprintf(text, size, "subgroup %u, lane %u, item %u", (unsigned)(invocation / args->subgroup),
             (unsigned)(invocation % args->subgroup), (unsigned)(failure->word % items(args)));
}

static const struct cat_oracle oracle_scan_workgroup = {
    .name = "scan.workgroup",
    .check = CAT_CHECK_EQUAL,
    .instance = "workgroup",
    .shape = workgroup_shape,
    .input = workgroup_input,
    .expect = workgroup_expect,
    .where = workgroup_where,
};

const struct cat_oracle *const oracles_scan[] = {
    &oracle_scan_blelloch,   &oracle_scan_hillis_steele,
    &oracle_scan_levels,     &oracle_scan_subgroup,
    &oracle_scan_vector_sum, &oracle_scan_vector_sum_grid,
    &oracle_scan_workgroup,  NULL,
};
