// SPDX-License-Identifier: Apache-2.0
// The oracles of family `memory`: the possible observations of an instance. An instance belongs to
// one invocation; its partner varies with the run's seed.

#include "oracles/oracles.h"

static bool is_power_of_two(uint64_t count)
{
    return count && !(count & (count - 1));
}

bool oracle_permutes(const struct cat_args *args, uint64_t instances, struct lit_error *error)
{
    return (is_power_of_two(instances) && is_power_of_two(args->workgroup)) ||
           lit_fail(error, LIT_EXIT_USAGE,
                    "%u workgroups of %u invocations: no powers of two, so no permutation",
                    (unsigned)(args->scale * cat_value(args, "times")), args->workgroup);
}

static uint64_t invocations_of(const struct cat_args *args)
{
    return (uint64_t)args->scale * cat_value(args, "times") * args->workgroup;
}

// Permutations are modulo the number of possible partners.
static bool memory_fits(const struct cat_args *args, struct lit_error *error)
{
    return oracle_permutes(args, invocations_of(args), error);
}

static void memory_shape(struct cat_args *args)
{
    const uint64_t invocations = invocations_of(args);
    const uint64_t each = cat_axis(args, "scopes") ? 3 : 2; // locations per instance
    const uint64_t locations = cat_axis_is(args, "place", "shared") ? 0 : each * invocations;
    args->shape = (struct cat_shape){
        .workgroups = args->scale * cat_value(args, "times"),
        .elements = (uint32_t)invocations,
        .input_words = 2,
        .state_words = 2 + locations * cat_value(args, "stride"),
        .instances = invocations,
        .words_per_instance = 1,
    };
}

static void no_input(const struct cat_args *args, uint64_t seed, uint32_t *input)
{
    (void)seed;
    memset(input, 0, args->shape.input_words * sizeof *input);
}

// `data` has the words in the order of the outcome names.
static void words_expect(const struct cat_args *args, const uint32_t *input, uint32_t *expected)
{
    (void)input;
    memcpy(expected, args->oracle->data, CAT_CHOICES * sizeof *expected);
}

// The partner stores 2, the invocation itself 1, and the initial value is 0.
static void own_expect(const struct cat_args *args, const uint32_t *input, uint32_t *expected)
{
    (void)input;
    const uint32_t own = cat_axis_is(args, "pattern", "write-read");
    memcpy(expected, (const uint32_t[CAT_CHOICES]){own, 2, own, !own},
           CAT_CHOICES * sizeof *expected);
}

// Two bits from one invocation: both, neither, the second, the first.
static const uint32_t bits[CAT_CHOICES] = {3, 0, 2, 1};
// Two bits from two invocations as added to the word's poison, spirv/common/memory-report.h: the
// four combinations of whether a load saw the partner's store, the weak one last.
#define REPORTED(first, second) (CAT_POISON + 0x100 + (first) + 0x200 + 2 * (second))
static const uint32_t stores[CAT_CHOICES] = {REPORTED(1, 0), REPORTED(0, 1), REPORTED(1, 1),
                                             REPORTED(0, 0)};
static const uint32_t loads[CAT_CHOICES] = {REPORTED(1, 0), REPORTED(0, 1), REPORTED(0, 0),
                                            REPORTED(1, 1)};

// In every oracle of this family the last alternative fails, as does any other value.
#define MEMORY(name, expect_, data_, ...)                                                          \
    ORACLE("memory." name, "pair of invocations", .check = CAT_CHECK_CHOICE,                       \
           .needs_progress = true, .alike = true, .fits = memory_fits, .shape = memory_shape,      \
           .choice = {.names = {__VA_ARGS__, "something else"}, .fails = 1u << 3 | 1u << 4},       \
           .input = no_input, .expect = expect_, .data = data_,                                    \
           .where = "lane {unit%lanes}, subgroup {unit%workgroup/lanes} "                          \
                    "of workgroup {unit/workgroup}")

const struct cat_oracle oracles_memory[] = {
    MEMORY("coherence", words_expect, bits, "new twice", "old twice", "old, then new",
           "new, then old"),
    MEMORY("coherence-own", own_expect, NULL, "as without the other", "the other's store", "",
           "against program order"),
    MEMORY("load-buffering", words_expect, loads, "only the first saw", "only the second saw",
           "neither saw", "both saw"),
    MEMORY("message-passing", words_expect, bits, "flag and data", "neither", "data only",
           "flag without data"),
    MEMORY("scope-chain", words_expect, bits, "flag and data", "neither", "data only",
           "flag without data"),
    MEMORY("store-buffering", words_expect, stores, "only the first saw", "only the second saw",
           "both saw", "neither saw"),
    {0},
};
