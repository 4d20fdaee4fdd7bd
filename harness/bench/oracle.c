// SPDX-License-Identifier: Apache-2.0
// Closed forms of the results that the kernels of spirv/bench/ compute step by step.
#include "bench/oracle.h"

#include "base/random.h"

#define CHAINS       8
#define GOLDEN       0x9E3779B9u // between the starts of successive chains
#define ADDS_STEPS_1 32u         // per iteration of a single chain, two additions each
#define ADDS_STEPS   4u          // per iteration of each of several

void bench_input(uint64_t seed, uint32_t *input, uint64_t words)
{
    struct lit_random random = {random_derive(seed, "bench input")};
    for (uint64_t i = 0; i < words; i += 2) {
        const uint64_t drawn = random_next(&random);
        input[i] = (uint32_t)drawn;
        if (i + 1 < words)
            input[i + 1] = (uint32_t)(drawn >> 32);
    }
}

uint32_t bench_pushed(uint64_t seed)
{
    struct lit_random random = {random_derive(seed, "bench masks")};
    return (uint32_t)random_below(&random, 1u << 16);
}

// The inverse of an odd number modulo 2^32 by Newton's iteration, which doubles the correct bits.
static uint32_t inverse(uint32_t odd)
{
    uint32_t x = odd; // correct in three bits
    for (int i = 0; i < 4; i++)
        x *= 2 - odd * x;
    return x;
}

// Fills C(n - 1 + d, d) modulo 2^32 for d from 0 to count - 1; n >= 1. Each is its predecessor
// times (n - 1 + d) / d: divides by the odd part and counts the powers of two separately.
static void fill_coefficients(uint32_t n, uint32_t *coefficients, uint32_t count)
{
    uint32_t odd = 1;
    unsigned twos = 0;
    for (uint32_t d = 0; d < count; d++) {
        if (d > 0) {
            uint64_t above = (uint64_t)n - 1 + d;
            uint32_t below = d;
            for (; above % 2 == 0; above /= 2)
                twos++;
            for (; below % 2 == 0; below /= 2)
                twos--;
            odd *= (uint32_t)above * inverse(below);
        }
        coefficients[d] = twos < 32 ? odd << twos : 0;
    }
}

static void expect_scan(const struct bench_row *row, uint32_t subgroup, const uint32_t *input,
                        uint32_t *expected)
{
    const uint32_t lanes = row->level == BENCH_WORKGROUP ? BENCH_BLOCK : subgroup;
    const uint32_t block = lanes * row->items;
    OWNED(lit_free) uint32_t *coefficients = lit_alloc(block, sizeof *coefficients);
    fill_coefficients(row->loops, coefficients, block);
    memset(expected, 0, row->words * sizeof *expected);
    for (uint64_t begin = 0; begin < row->words; begin += block)
        for (uint32_t d = 0; d < block; d++) {
            const uint32_t factor = coefficients[d];
            for (uint32_t j = d; j < block; j++)
                expected[begin + j] += factor * input[begin + j - d];
        }
}

// F(n) and F(n + 1) modulo 2^32: F(2k) = F(k) (2 F(k+1) - F(k)), F(2k+1) = F(k)^2 + F(k+1)^2, from
// the highest bit down.
static void find_fibonacci(uint64_t n, uint32_t pair[2])
{
    uint32_t a = 0, b = 1;
    for (int bit = 63; bit >= 0; bit--) {
        const uint32_t even = a * (2 * b - a), odd = a * a + b * b;
        a = n >> bit & 1 ? odd : even;
        b = n >> bit & 1 ? even + odd : odd;
    }
    pair[0] = a;
    pair[1] = b;
}

// After k steps of (l += r, r += l) a pair (l, r) is (F(2k-1) l + F(2k) r, F(2k) l + F(2k+1) r).
static void expect_adds(const struct bench_row *row, const uint32_t *input, uint32_t *expected)
{
    const uint64_t steps = (uint64_t)row->loops * (row->chains == 1 ? ADDS_STEPS_1 : ADDS_STEPS);
    uint32_t pair[2];
    find_fibonacci(2 * steps, pair);
    const uint32_t even = pair[0], after = pair[1], before = after - even;
    for (uint64_t i = 0; i < row->words; i++) {
        expected[i] = 0;
        for (uint32_t chain = 0; chain < row->chains; chain++) {
            const uint32_t left = input[i] + chain * GOLDEN, right = input[i];
            expected[i] += (before * left + even * right) ^ (even * left + after * right);
        }
    }
}

static uint32_t mask_of(uint32_t pushed, uint32_t number, uint32_t subgroup)
{
    return (pushed + number) % (subgroup - 1) + 1;
}

// The combined mask of all shuffles of a chain.
static uint32_t whole_mask(const struct bench_row *row, uint32_t chain, uint32_t pushed,
                           uint32_t subgroup)
{
    // For one chain, the second and third mask remain, since the first occurs an even number of
    // times; for several, the chain's own mask and its neighbour's.
    const uint32_t one = row->chains == 1 ? 1 : chain;
    const uint32_t other = row->chains == 1 ? 2 : chain < CHAINS - 1 ? chain + 1 : chain - 1;
    const uint32_t mask = mask_of(pushed, one, subgroup) ^ mask_of(pushed, other, subgroup);
    return row->loops % 2 ? mask : 0;
}

static void expect_shuffles(const struct bench_row *row, uint32_t subgroup, uint32_t pushed,
                            const uint32_t *input, uint32_t *expected)
{
    uint32_t masks[CHAINS];
    for (uint32_t chain = 0; chain < row->chains && chain < CHAINS; chain++)
        masks[chain] = whole_mask(row, chain, pushed, subgroup);
    for (uint64_t i = 0; i < row->words; i++) {
        const uint64_t lane = i % subgroup, begin = i - lane;
        expected[i] = 0;
        for (uint32_t chain = 0; chain < row->chains && chain < CHAINS; chain++)
            expected[i] += input[begin + (lane ^ masks[chain])] + chain * GOLDEN;
    }
}

static uint64_t element_at(const uint32_t *words, uint64_t index, uint32_t size)
{
    return words[index] | (size > 1 ? (uint64_t)words[index + 1] << 32 : 0);
}

static void expect_segments(const struct bench_row *row, const uint32_t *input, uint32_t *expected)
{
    const uint32_t size = cat_scan_words(row->scan), back = size * cat_scan_excludes(row->scan);
    uint64_t value = 0;
    for (uint64_t i = 0; i < row->words; i += size) {
        const bool begins = i % look_segment(row) == 0;
        value = cat_scan_output(row->scan, begins, value,
                                element_at(input, begins ? i : i - back, size));
        for (uint32_t word = 0; word < size; word++)
            expected[i + word] = (uint32_t)(value >> 32 * word);
    }
}

void bench_expect(const struct bench_row *row, uint32_t subgroup, uint32_t pushed,
                  const uint32_t *input, uint32_t *expected)
{
    if (row->kind == BENCH_SCAN)
        expect_scan(row, subgroup, input, expected);
    else if (row->kind == BENCH_ADDS)
        expect_adds(row, input, expected);
    else if (row->kind == BENCH_SHUFFLES)
        expect_shuffles(row, subgroup, pushed, input, expected);
    else
        expect_segments(row, input, expected);
}

uint64_t bench_differ(const uint32_t *expected, const uint32_t *got, uint64_t words,
                      uint64_t *first)
{
    uint64_t wrong = 0;
    if (memcmp(expected, got, words * sizeof *got) == 0)
        return 0;
    for (uint64_t i = 0; i < words; i++)
        if (expected[i] != got[i] && !wrong++)
            *first = i;
    return wrong;
}
