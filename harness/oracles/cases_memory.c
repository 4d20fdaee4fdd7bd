// SPDX-License-Identifier: Apache-2.0
// The oracles of the family `cases` that are about memory: between workgroups, in a workgroup, and
// of one invocation.

#include "oracles/cases.h"

#include <stdlib.h>

// ---- cases.acceleratedkernels-98: the sum of the invocation one workgroup further

static bool carries_shape(const struct cat_args *args, struct cat_shape *shape,
                          struct lit_error *error)
{
    (void)error;
    *shape = cases_shape(args, 1);
    shape->elements = (uint32_t)shape->input_words;
    shape->state_words = 1 + 2 * shape->input_words;
    return true;
}

#define carries_input cases_random_input

static void carries_expect(const struct cat_args *args, const struct cat_shape *shape,
                           const uint32_t *input, uint32_t *expected)
{
    for (uint64_t i = 0; i < shape->input_words; i++)
        expected[i] = input[(i + args->workgroup) % shape->input_words];
}

CASES_ORACLE(carries, "acceleratedkernels-98", "subgroup");

// ---- cases.llama-cpp-28975: each workgroup's row, sorted

static bool sorts_shape(const struct cat_args *args, struct cat_shape *shape,
                        struct lit_error *error)
{
    (void)error;
    *shape = cases_workgroup_shape(args, 4);
    shape->state_words = 1 + shape->input_words;
    shape->input_words *= 2;
    return true;
}

// Keys out of a range so small that many are equal.
static void sorts_input(const struct cat_args *args, const struct cat_shape *shape, uint64_t seed,
                        uint32_t *input)
{
    cases_random_input(args, shape, seed, input);
    for (uint64_t i = 0; i < shape->input_words; i++)
        input[i] %= 3 * args->workgroup;
}

static int by_number(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

static void sorts_of_workgroup(const struct cat_args *args, const uint32_t *words,
                               uint32_t *expected)
{
    uint64_t pairs[2 * 1024]; // a workgroup has 1024 invocations at most
    const uint32_t length = 2 * args->workgroup;
    for (uint32_t i = 0; i < length; i++)
        pairs[i] = (uint64_t)words[i] << 32 | i;
    qsort(pairs, length, sizeof *pairs, by_number);
    for (uint32_t i = 0; i < length; i++) {
        expected[2 * i] = (uint32_t)(pairs[i] >> 32);
        expected[2 * i + 1] = (uint32_t)pairs[i];
    }
}

static void sorts_expect(const struct cat_args *args, const struct cat_shape *shape,
                         const uint32_t *input, uint32_t *expected)
{
    cases_each(args, shape, input, 2 * args->workgroup, sorts_of_workgroup, expected);
}

CASES_ORACLE(sorts, "llama-cpp-28975", "workgroup");

// ---- cases.vello-10-nv-bug-3: a scan of elements of twelve numbers

static bool scans_shape(const struct cat_args *args, struct cat_shape *shape,
                        struct lit_error *error)
{
    (void)error;
    *shape = cases_workgroup_shape(args, 12);
    return true;
}

#define scans_input cases_random_input

static void scans_of_workgroup(const struct cat_args *args, const uint32_t *words,
                               uint32_t *expected)
{
    // From which bit of its word each number of an element comes; the last has all bits from there.
    static const uint32_t shift[12] = {0, 4, 8, 12, 0, 4, 12, 8, 4, 0, 8, 16};
    uint32_t sum[12] = {0};
    for (uint32_t i = 0; i < args->workgroup; i++)
        for (uint32_t k = 0; k < 12; k++) {
            sum[k] += words[i] >> shift[k] & (k == 11 ? UINT32_MAX : 15);
            expected[12 * i + k] = sum[k];
        }
}

static void scans_expect(const struct cat_args *args, const struct cat_shape *shape,
                         const uint32_t *input, uint32_t *expected)
{
    cases_each(args, shape, input, args->workgroup, scans_of_workgroup, expected);
}

CASES_ORACLE(scans, "vello-10-nv-bug-3", "workgroup");

// ---- cases.vello-10-nv-crash-1: the top of a stack

struct stack_entry {
    uint32_t members[6];
};

static bool stacks_shape(const struct cat_args *args, struct cat_shape *shape,
                         struct lit_error *error)
{
    (void)error;
    *shape = cases_shape(args, 6);
    return true;
}

#define stacks_input cases_random_input

static void stacks_expect(const struct cat_args *args, const struct cat_shape *shape,
                          const uint32_t *input, uint32_t *expected)
{
    (void)args;
    for (uint64_t i = 0; i < shape->input_words; i++) {
        struct stack_entry stack[12], top = {{0}};
        uint32_t depth = 0, number = input[i];
        for (uint32_t bit = 0; bit < 12; bit++) {
            const uint32_t next = number * 1664525u + 1013904223u;
            if (input[i] >> bit & 1) {
                stack[depth] = top;
                top = (struct stack_entry){{next, 2 * next, ~next, bit, number, depth}};
                depth++;
            } else if (depth) {
                top = stack[--depth];
            }
            number = next;
        }
        for (uint32_t k = 0; k < 6; k++)
            expected[6 * i + k] = top.members[k];
    }
}

CASES_ORACLE(stacks, "vello-10-nv-crash-1", "subgroup");
