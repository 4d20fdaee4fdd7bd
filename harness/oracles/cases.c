// SPDX-License-Identifier: Apache-2.0
// The oracles of the family `cases`: exchanges and control flow. Those about memory are in
// cases_memory.c, and a larger one in cases_reduction.c.

#include "oracles/cases.h"

#include "base/random.h"

#include <stdio.h>

struct cat_shape cases_shape(const struct cat_args *args, uint32_t results)
{
    const uint64_t subgroups = (uint64_t)args->scale * (args->workgroup / args->subgroup);
    return (struct cat_shape){
        .workgroups = args->scale,
        .input_words = subgroups * args->subgroup,
        .state_words = 1,
        .instances = subgroups,
        .words_per_instance = (uint64_t)results * args->subgroup,
    };
}

struct cat_shape cases_workgroup_shape(const struct cat_args *args, uint32_t results)
{
    struct cat_shape shape = cases_shape(args, results);
    shape.instances = args->scale;
    shape.words_per_instance = (uint64_t)results * args->workgroup;
    return shape;
}

void cases_random_input(const struct cat_args *args, const struct cat_shape *shape, uint64_t seed,
                        uint32_t *input)
{
    (void)args;
    struct lit_random random = {seed};
    for (uint64_t i = 0; i < shape->input_words; i++)
        input[i] = (uint32_t)(random_next(&random) >> 32);
}

void cases_each(const struct cat_args *args, const struct cat_shape *shape, const uint32_t *input,
                uint32_t lanes, cases_expectation *expectation, uint32_t *expected)
{
    for (uint64_t i = 0; i < shape->instances; i++)
        expectation(args, input + i * lanes, expected + i * shape->words_per_instance);
}

void cases_where(const struct cat_args *args, const struct cat_shape *shape,
                 const struct cat_failure *failure, char *text, size_t size)
{
    const uint32_t subgroups = args->workgroup / args->subgroup;
    const bool whole = shape->instances == shape->workgroups;
    const uint64_t lanes = whole ? args->workgroup : args->subgroup;
    const uint64_t results = shape->words_per_instance / lanes;
    const unsigned lane = (unsigned)(failure->word / results);
    const unsigned result = (unsigned)(failure->word % results);
    if (whole)
        snprintf(text, size, "invocation %u, result %u, workgroup %u", lane, result,
                 (unsigned)failure->instance);
    else
        snprintf(text, size, "lane %u, result %u, subgroup %u of workgroup %u", lane, result,
                 (unsigned)(failure->instance % subgroups),
                 (unsigned)(failure->instance / subgroups));
}

static void random_below_input(const struct cat_shape *shape, uint64_t seed, uint32_t bound,
                               uint32_t *input)
{
    struct lit_random random = {seed};
    for (uint64_t i = 0; i < shape->input_words; i++)
        input[i] = (uint32_t)random_below(&random, bound);
}

// ---- cases.mesa-12927: all lanes read one lane; its number is the low byte of every word

static bool index_shape(const struct cat_args *args, struct cat_shape *shape,
                        struct lit_error *error)
{
    (void)error;
    *shape = cases_shape(args, 1);
    return true;
}

static void index_input(const struct cat_args *args, const struct cat_shape *shape, uint64_t seed,
                        uint32_t *input)
{
    cases_random_input(args, shape, seed, input);
    for (uint64_t i = 0; i < shape->input_words; i++)
        input[i] = (input[i] & 0xffffff00u) | cat_value(args, "source");
}

static void index_of_subgroup(const struct cat_args *args, const uint32_t *words,
                              uint32_t *expected)
{
    const uint32_t source = cat_value(args, "source");
    for (uint32_t lane = 0; lane < args->subgroup; lane++)
        expected[lane] = cat_axis_is(args, "value", "lane") ? source : words[source];
}

static void index_expect(const struct cat_args *args, const struct cat_shape *shape,
                         const uint32_t *input, uint32_t *expected)
{
    cases_each(args, shape, input, args->subgroup, index_of_subgroup, expected);
}

static CASES_ORACLE(index, "mesa-12927", "subgroup");

// ---- cases.igc-396: lane 1 hands its word to its subgroup, with a branch in workgroup 0 alone

static bool guarded_shape(const struct cat_args *args, struct cat_shape *shape,
                          struct lit_error *error)
{
    if (args->subgroup < 2)
        return lit_fail(error, LIT_EXIT_USAGE, "a subgroup of one lane has nothing to exchange");
    *shape = cases_shape(args, 1);
    return true;
}

#define guarded_input cases_random_input

static void guarded_expect(const struct cat_args *args, const struct cat_shape *shape,
                           const uint32_t *input, uint32_t *expected)
{
    const bool guarded = cat_axis_is(args, "guard", "branch");
    for (uint64_t i = 0; i < shape->input_words; i++)
        expected[i] = guarded && i >= args->workgroup ? 0 : input[i - i % args->subgroup + 1];
}

static CASES_ORACLE(guarded, "igc-396", "subgroup");

// ---- cases.igc-397: squares of differences, added to the poison

static bool adds_shape(const struct cat_args *args, struct cat_shape *shape,
                       struct lit_error *error)
{
    (void)error;
    *shape = cases_shape(args, cat_axis_is(args, "width", "64") ? 2 : 1);
    return true;
}

// Numbers so small that floats of 32 bits hold every sum of squares.
static void adds_input(const struct cat_args *args, const struct cat_shape *shape, uint64_t seed,
                       uint32_t *input)
{
    (void)args;
    random_below_input(shape, seed, 256, input);
}

static void adds_of_subgroup(const struct cat_args *args, const uint32_t *words, uint32_t *expected)
{
    const bool wide = cat_axis_is(args, "width", "64");
    const uint64_t poison = (uint64_t)CAT_POISON << 32 | CAT_POISON;
    for (uint32_t lane = 0; lane < args->subgroup; lane++) {
        uint64_t sum = 0;
        for (uint32_t other = 0; other < args->subgroup; other++) {
            const int64_t difference = (int64_t)words[other] - words[lane];
            sum += (uint64_t)(difference * difference);
        }
        if (wide) {
            expected[2 * lane] = (uint32_t)(poison + sum);
            expected[2 * lane + 1] = (uint32_t)((poison + sum) >> 32);
        } else {
            expected[lane] = CAT_POISON + (uint32_t)sum;
        }
    }
}

static void adds_expect(const struct cat_args *args, const struct cat_shape *shape,
                        const uint32_t *input, uint32_t *expected)
{
    cases_each(args, shape, input, args->subgroup, adds_of_subgroup, expected);
}

static CASES_ORACLE(adds, "igc-397", "subgroup");

// ---- cases.igc-402: the sum of four 16-bit numbers

// A whole number below 2048 as a half.
static uint32_t half_of(uint32_t number)
{
    if (!number)
        return 0;
    uint32_t exponent = 0;
    while (number >> (exponent + 1))
        exponent++;
    return (exponent + 15) << 10 | (number << (10 - exponent) & 0x3ff);
}

// The number that a half of that kind holds.
static uint32_t number_of(uint32_t half)
{
    const uint32_t exponent = half >> 10 & 31;
    return exponent ? ((half & 0x3ff) | 0x400) >> (25 - exponent) : 0;
}

static bool halves_shape(const struct cat_args *args, struct cat_shape *shape,
                         struct lit_error *error)
{
    if (args->subgroup < 4)
        return lit_fail(error, LIT_EXIT_USAGE, "the sum is that of four lanes");
    *shape = cases_shape(args, 1);
    return true;
}

// The number is the lower half of a word, and the upper half must not matter.
static void halves_input(const struct cat_args *args, const struct cat_shape *shape, uint64_t seed,
                         uint32_t *input)
{
    cases_random_input(args, shape, seed, input);
    if (cat_axis_is(args, "number", "half"))
        for (uint64_t i = 0; i < shape->input_words; i++)
            input[i] = (input[i] & 0xffff0000u) | half_of(input[i] & 0xff);
}

static void halves_of_subgroup(const struct cat_args *args, const uint32_t *words,
                               uint32_t *expected)
{
    const bool half = cat_axis_is(args, "number", "half");
    const bool all = cat_axis_is(args, "consumer", "straight");
    for (uint32_t lane = 0; lane < args->subgroup; lane++) {
        uint32_t sum = 0;
        for (uint32_t i = lane - lane % 4; i < lane - lane % 4 + 4; i++)
            sum += half ? number_of(words[i] & 0xffff) : words[i] & 0xffff;
        expected[lane] = !all && lane % 4 ? CAT_POISON : half ? half_of(sum) : sum & 0xffff;
    }
}

static void halves_expect(const struct cat_args *args, const struct cat_shape *shape,
                          const uint32_t *input, uint32_t *expected)
{
    cases_each(args, shape, input, args->subgroup, halves_of_subgroup, expected);
}

static CASES_ORACLE(halves, "igc-402", "subgroup");

// ---- cases.amdvlk-138 and cases.llpc-426: turns, one value after the other

static bool turns_shape(const struct cat_args *args, struct cat_shape *shape,
                        struct lit_error *error)
{
    (void)error;
    *shape = cases_shape(args, 2);
    return true;
}

static void turns_input(const struct cat_args *args, const struct cat_shape *shape, uint64_t seed,
                        uint32_t *input)
{
    random_below_input(shape, seed, cat_value(args, "values"), input);
    for (uint64_t i = 0; i < shape->input_words; i++)
        input[i] = (input[i] + 1) * 0x9E3779B1u;
}

// The different words of a subgroup, in the order in which they come first. Returns how many.
static uint32_t turns_of(const struct cat_args *args, const uint32_t *words, uint32_t *turns)
{
    uint32_t count = 0;
    for (uint32_t lane = 0; lane < args->subgroup; lane++) {
        uint32_t turn = 0;
        while (turn < count && turns[turn] != words[lane])
            turn++;
        if (turn == count)
            turns[count++] = words[lane];
    }
    return count;
}

static void turns_of_subgroup(const struct cat_args *args, const uint32_t *words,
                              uint32_t *expected)
{
    uint32_t turns[128];
    turns_of(args, words, turns);
    for (uint32_t lane = 0; lane < args->subgroup; lane++) {
        uint32_t turn = 0, companions = 0;
        while (turns[turn] != words[lane])
            turn++;
        for (uint32_t other = 0; other < args->subgroup; other++)
            companions += words[other] == words[lane];
        expected[2 * lane] = turn + 1;
        expected[2 * lane + 1] = companions;
    }
}

static void turns_expect(const struct cat_args *args, const struct cat_shape *shape,
                         const uint32_t *input, uint32_t *expected)
{
    cases_each(args, shape, input, args->subgroup, turns_of_subgroup, expected);
}

static CASES_ORACLE(turns, "amdvlk-138", "subgroup");

static void asks_of_subgroup(const struct cat_args *args, const uint32_t *words, uint32_t *expected)
{
    uint32_t turns[128];
    turns_of(args, words, turns);
    for (uint32_t lane = 0; lane < args->subgroup; lane++) {
        uint32_t turn = 0, sum = 0;
        while (turns[turn] != words[lane])
            sum = sum * 31 + turns[++turn];
        expected[2 * lane] = turn;
        expected[2 * lane + 1] = sum;
    }
}

static void asks_expect(const struct cat_args *args, const struct cat_shape *shape,
                        const uint32_t *input, uint32_t *expected)
{
    cases_each(args, shape, input, args->subgroup, asks_of_subgroup, expected);
}

#define asks_shape turns_shape
#define asks_input turns_input
static CASES_ORACLE(asks, "llpc-426", "subgroup");

// ---- cases.wgpu-7319: a loop that also counts

static bool counts_shape(const struct cat_args *args, struct cat_shape *shape,
                         struct lit_error *error)
{
    (void)error;
    *shape = cases_shape(args, 2);
    shape->elements = cat_value(args, "iterations");
    return true;
}

#define counts_input cases_random_input

// The loop is a linear congruential generator: x becomes factor * x + term in so many steps.
static void counts_expect(const struct cat_args *args, const struct cat_shape *shape,
                          const uint32_t *input, uint32_t *expected)
{
    (void)args;
    uint32_t factor[8], term[8];
    factor[0] = 1;
    term[0] = 0;
    for (uint32_t step = 0; step < shape->elements; step++) {
        factor[0] *= 1664525u;
        term[0] = term[0] * 1664525u + 1013904223u;
    }
    for (uint32_t extra = 1; extra < 8; extra++) {
        factor[extra] = factor[extra - 1] * 1664525u;
        term[extra] = term[extra - 1] * 1664525u + 1013904223u;
    }
    for (uint64_t i = 0; i < shape->input_words; i++) {
        expected[2 * i] = shape->elements + input[i] % 8;
        expected[2 * i + 1] = factor[input[i] % 8] * input[i] + term[input[i] % 8];
    }
}

static CASES_ORACLE(counts, "wgpu-7319", "subgroup");

// ---- cases.offload-test-suite-520: each counts itself

#define peels_shape index_shape
#define peels_input cases_random_input

static void peels_expect(const struct cat_args *args, const struct cat_shape *shape,
                         const uint32_t *input, uint32_t *expected)
{
    (void)args;
    (void)input;
    for (uint64_t i = 0; i < shape->input_words; i++)
        expected[i] = 1;
}

static CASES_ORACLE(peels, "offload-test-suite-520", "subgroup");

// ---- cases.offload-test-suite-320: the first lane of each case, and of all

#define elects_shape turns_shape

static void elects_input(const struct cat_args *args, const struct cat_shape *shape, uint64_t seed,
                         uint32_t *input)
{
    (void)args;
    random_below_input(shape, seed, 3, input);
}

static void elects_of_subgroup(const struct cat_args *args, const uint32_t *words,
                               uint32_t *expected)
{
    bool taken[3] = {false};
    for (uint32_t lane = 0; lane < args->subgroup; lane++) {
        expected[2 * lane] = !taken[words[lane]];
        expected[2 * lane + 1] = lane == 0;
        taken[words[lane]] = true;
    }
}

static void elects_expect(const struct cat_args *args, const struct cat_shape *shape,
                          const uint32_t *input, uint32_t *expected)
{
    cases_each(args, shape, input, args->subgroup, elects_of_subgroup, expected);
}

static CASES_ORACLE(elects, "offload-test-suite-320", "subgroup");

// ---- cases.offload-test-suite-480: three indices

static bool indices_shape(const struct cat_args *args, struct cat_shape *shape,
                          struct lit_error *error)
{
    if (args->subgroup < 4)
        return lit_fail(error, LIT_EXIT_USAGE, "the lanes exchange in fours");
    *shape = cases_shape(args, 3);
    return true;
}

#define indices_input cases_random_input

static void indices_of_subgroup(const struct cat_args *args, const uint32_t *words,
                                uint32_t *expected)
{
    static const uint32_t order[4] = {2, 3, 1, 0};
    for (uint32_t lane = 0; lane < args->subgroup; lane++) {
        const uint32_t *four = words + (lane & ~3u);
        expected[3 * lane] = words[2];
        expected[3 * lane + 1] = four[(lane + 1) % 4] + four[(lane + 3) % 4];
        expected[3 * lane + 2] = four[order[lane % 4]];
    }
}

static void indices_expect(const struct cat_args *args, const struct cat_shape *shape,
                           const uint32_t *input, uint32_t *expected)
{
    cases_each(args, shape, input, args->subgroup, indices_of_subgroup, expected);
}

static CASES_ORACLE(indices, "offload-test-suite-480", "subgroup");

// ---- cases.moltenvk-2750: a lane far away

static bool far_shape(const struct cat_args *args, struct cat_shape *shape, struct lit_error *error)
{
    const uint32_t mask = cat_value(args, "mask");
    if (mask >= args->subgroup)
        return lit_fail(error, LIT_EXIT_USAGE, "a subgroup of %u has no lane that far away",
                        (unsigned)args->subgroup);
    *shape = cases_shape(args, 1);
    shape->elements = mask;
    return true;
}

#define far_input cases_random_input

static void far_expect(const struct cat_args *args, const struct cat_shape *shape,
                       const uint32_t *input, uint32_t *expected)
{
    (void)args;
    for (uint64_t i = 0; i < shape->input_words; i++)
        expected[i] = input[i ^ shape->elements];
}

static CASES_ORACLE(far, "moltenvk-2750", "subgroup");

// ---- cases.vkd3d-proton-1649: the first of those with an odd word

#define parties_shape index_shape
#define parties_input cases_random_input

static void parties_of_subgroup(const struct cat_args *args, const uint32_t *words,
                                uint32_t *expected)
{
    uint32_t first = 0;
    while (first + 1 < args->subgroup && words[first] % 2 == 0)
        first++;
    for (uint32_t lane = 0; lane < args->subgroup; lane++)
        expected[lane] = words[lane] % 2 ? words[first] : CAT_POISON;
}

static void parties_expect(const struct cat_args *args, const struct cat_shape *shape,
                           const uint32_t *input, uint32_t *expected)
{
    cases_each(args, shape, input, args->subgroup, parties_of_subgroup, expected);
}

static CASES_ORACLE(parties, "vkd3d-proton-1649", "subgroup");

// ---- cases.dolphin-9783: smallest and largest odd word

#define reduces_shape turns_shape
#define reduces_input cases_random_input

static void reduces_of_subgroup(const struct cat_args *args, const uint32_t *words,
                                uint32_t *expected)
{
    uint32_t least = UINT32_MAX, most = 0;
    for (uint32_t lane = 0; lane < args->subgroup; lane++)
        if (words[lane] % 2) {
            least = words[lane] < least ? words[lane] : least;
            most = words[lane] > most ? words[lane] : most;
        }
    for (uint32_t lane = 0; lane < args->subgroup; lane++) {
        expected[2 * lane] = words[lane] % 2 ? least : CAT_POISON;
        expected[2 * lane + 1] = words[lane] % 2 ? most : CAT_POISON;
    }
}

static void reduces_expect(const struct cat_args *args, const struct cat_shape *shape,
                           const uint32_t *input, uint32_t *expected)
{
    cases_each(args, shape, input, args->subgroup, reduces_of_subgroup, expected);
}

static CASES_ORACLE(reduces, "dolphin-9783", "subgroup");

const struct cat_oracle *const oracles_cases[] = {
    &oracle_cases_adds,
    &oracle_cases_asks,
    &oracle_cases_carries,
    &oracle_cases_counts,
    &oracle_cases_elects,
    &oracle_cases_far,
    &oracle_cases_guarded,
    &oracle_cases_halves,
    &oracle_cases_index,
    &oracle_cases_indices,
    &oracle_cases_parties,
    &oracle_cases_peels,
    &oracle_cases_reduces,
    &oracle_cases_reduction,
    &oracle_cases_scans,
    &oracle_cases_sorts,
    &oracle_cases_stacks,
    &oracle_cases_turns,
    NULL,
};
