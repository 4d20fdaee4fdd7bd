// SPDX-License-Identifier: Apache-2.0
// The oracles of the family `memory`: which words the observation of an instance can be. An
// instance belongs to one invocation; who its other side is changes with the seed of a run.

#include "oracles/oracles.h"

#include <stdio.h>
#include <string.h>

static bool is_power_of_two(uint64_t count)
{
    return count && !(count & (count - 1));
}

// Permutations take numbers modulo the count of those among whom the other side is.
static bool memory_shape(const struct cat_args *args, struct cat_shape *shape,
                         struct lit_error *error)
{
    const uint32_t workgroups = args->scale * cat_value(args, "times");
    const uint64_t invocations = (uint64_t)workgroups * args->workgroup;
    const uint64_t locations = cat_axis_is(args, "place", "shared") ? 0 : 2 * invocations;
    if (!is_power_of_two(invocations) || !is_power_of_two(args->workgroup))
        return lit_fail(error, LIT_EXIT_USAGE,
                        "%u workgroups of %u invocations: no powers of two, so no permutation",
                        (unsigned)workgroups, (unsigned)args->workgroup);
    *shape = (struct cat_shape){
        .workgroups = workgroups,
        .elements = (uint32_t)invocations,
        .input_words = 2,
        .state_words = 2 + locations * cat_value(args, "stride"),
        .instances = invocations,
        .words_per_instance = 1,
    };
    return true;
}

static void no_input(const struct cat_args *args, const struct cat_shape *shape, uint64_t seed,
                     uint32_t *input)
{
    (void)args;
    (void)seed;
    memset(input, 0, shape->input_words * sizeof *input);
}

static void same_for_all(const struct cat_shape *shape, const uint32_t words[CAT_CHOICES],
                         uint32_t *expected)
{
    memcpy(expected, words, CAT_CHOICES * sizeof *words);
    cat_repeat(shape, CAT_CHOICES, expected);
}

// Two bits of one invocation, in the order of the names: both, neither, the second, the first.
static void bits_expect(const struct cat_args *args, const struct cat_shape *shape,
                        const uint32_t *input, uint32_t *expected)
{
    (void)args;
    (void)input;
    same_for_all(shape, (const uint32_t[]){3, 0, 2, 1}, expected);
}

// Two bits of two invocations: what they add to the word's poison, spirv/common/memory-report.h.
static uint32_t reported(uint32_t first, uint32_t second)
{
    return CAT_POISON + 0x100 + first + 0x200 + 2 * second;
}

// The four combinations of whether a load saw the other side's store, the weak one last.
static void store_expect(const struct cat_args *args, const struct cat_shape *shape,
                         const uint32_t *input, uint32_t *expected)
{
    (void)args;
    (void)input;
    same_for_all(shape,
                 (const uint32_t[]){reported(1, 0), reported(0, 1), reported(1, 1), reported(0, 0)},
                 expected);
}

static void load_expect(const struct cat_args *args, const struct cat_shape *shape,
                        const uint32_t *input, uint32_t *expected)
{
    (void)args;
    (void)input;
    same_for_all(shape,
                 (const uint32_t[]){reported(1, 0), reported(0, 1), reported(0, 0), reported(1, 1)},
                 expected);
}

// The other side stores 2, the own one 1, and 0 is there at first.
static void own_expect(const struct cat_args *args, const struct cat_shape *shape,
                       const uint32_t *input, uint32_t *expected)
{
    (void)input;
    const uint32_t own = cat_axis_is(args, "pattern", "write-read");
    same_for_all(shape, (const uint32_t[]){own, 2, own, !own}, expected);
}

static void memory_where(const struct cat_args *args, const struct cat_shape *shape,
                         const struct cat_failure *failure, char *text, size_t size)
{
    (void)shape;
    const uint64_t local = failure->instance % args->workgroup;
    snprintf(text, size, "lane %u, subgroup %u of workgroup %u", (unsigned)(local % args->subgroup),
             (unsigned)(local / args->subgroup), (unsigned)(failure->instance / args->workgroup));
}

// Of every oracle of this family: the last alternative fails, and so does anything else.
#define ORACLE(name_, expect_, ...)                                                                \
    {                                                                                              \
        .name = "memory." name_, .check = CAT_CHECK_CHOICE, .interacts = true,                     \
        .choice = {.names = {__VA_ARGS__, "something else"}, .fails = 1u << 3 | 1u << 4},          \
        .instance = "pair of invocations", .shape = memory_shape, .input = no_input,               \
        .expect = expect_, .where = memory_where,                                                  \
    }

static const struct cat_oracle oracle_message_passing = ORACLE(
    "message-passing", bits_expect, "flag and data", "neither", "data only", "flag without data");
static const struct cat_oracle oracle_store_buffering =
    ORACLE("store-buffering", store_expect, "only the first saw", "only the second saw", "both saw",
           "neither saw");
static const struct cat_oracle oracle_load_buffering =
    ORACLE("load-buffering", load_expect, "only the first saw", "only the second saw",
           "neither saw", "both saw");
static const struct cat_oracle oracle_coherence =
    ORACLE("coherence", bits_expect, "new twice", "old twice", "old, then new", "new, then old");
static const struct cat_oracle oracle_coherence_own =
    ORACLE("coherence-own", own_expect, "as without the other", "the other's store", "",
           "against program order");

const struct cat_oracle *const oracles_memory[] = {
    &oracle_coherence,       &oracle_coherence_own,   &oracle_load_buffering,
    &oracle_message_passing, &oracle_store_buffering, NULL,
};
