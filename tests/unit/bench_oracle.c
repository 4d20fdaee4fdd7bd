// SPDX-License-Identifier: Apache-2.0
// What the kernels of `litmus bench` have to store, against the same done step by step.
#include "unit.h"

#include "base/random.h"
#include "bench/oracle.h"

#include <stdlib.h>
#include <string.h>

#define WORDS BENCH_ELEMENTS

static uint32_t input[WORDS], expected[WORDS], slow[WORDS];

static struct bench_row scan_row(enum bench_level level, uint32_t items, uint32_t loops)
{
    return (struct bench_row){.kind = BENCH_SCAN,
                              .level = level,
                              .items = items,
                              .workgroup = 256,
                              .loops = loops,
                              .words = WORDS};
}

// Pascal's triangle, modulo 2^32: C(n - 1 + d, d) lies in its diagonals.
static void coefficients_are_those_of_the_triangle(void **state)
{
    (void)state;
    enum { MOST = 70, COUNT = 300 };
    static uint32_t diagonal[COUNT], found[COUNT];
    for (uint32_t d = 0; d < COUNT; d++)
        diagonal[d] = 1; // of n = 1
    for (uint32_t n = 1; n <= MOST; n++) {
        bench_coefficients(n, found, COUNT);
        assert_memory_equal(found, diagonal, sizeof found);
        for (uint32_t d = 1; d < COUNT; d++)
            diagonal[d] += diagonal[d - 1];
    }
}

static void a_scan_is_one_sum_after_the_other(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {4, 8, 16, 32, 64, 128}, loops[] = {1, 2, 3, 64, 1000, 4096};
    for (uint32_t level = 0; level < BENCH_LEVELS; level++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (size_t l = 0; l < sizeof loops / sizeof *loops; l++) {
                const uint32_t items = s % 2 ? 1 : 4;
                const struct bench_row row = scan_row((enum bench_level)level, items, loops[l]);
                const uint32_t block = items * (level == BENCH_WORKGROUP ? BENCH_BLOCK : sizes[s]);
                bench_input(s + 1, input, WORDS);
                bench_expect(&row, sizes[s], 0, input, expected);
                memcpy(slow, input, sizeof slow);
                for (uint32_t turn = 0; turn < loops[l]; turn++)
                    for (uint32_t i = 0; i < WORDS; i++)
                        if (i % block)
                            slow[i] += slow[i - 1];
                assert_memory_equal(expected, slow, sizeof slow);
            }
}

// One wrong word in the input, or in any iteration, is seen: its own word keeps it as it is.
static void an_error_does_not_vanish(void **state)
{
    (void)state;
    const struct bench_row row = scan_row(BENCH_SUBGROUP, 1, 1024);
    uint64_t first = 0;
    bench_input(1, input, WORDS);
    bench_expect(&row, 32, 0, input, expected);
    input[77] += 0x80000000u;
    bench_expect(&row, 32, 0, input, slow);
    assert_true(bench_differ(expected, slow, WORDS, &first) >= 1);
    assert_int_equal(first, 77);
}

static void additions_step_by_step(void **state)
{
    (void)state;
    static const uint32_t chains[] = {1, 8}, steps[] = {32, 4};
    for (size_t c = 0; c < 2; c++)
        for (uint32_t loops = 1; loops < 200; loops += 33) {
            const struct bench_row row = {
                .kind = BENCH_ADDS, .chains = chains[c], .loops = loops, .words = WORDS};
            bench_input(loops, input, WORDS);
            bench_expect(&row, 32, 0, input, expected);
            for (uint32_t i = 0; i < WORDS; i++) {
                slow[i] = 0;
                for (uint32_t chain = 0; chain < chains[c]; chain++) {
                    uint32_t left = input[i] + chain * 0x9E3779B9u, right = input[i];
                    for (uint32_t step = 0; step < loops * steps[c]; step++) {
                        left += right;
                        right += left;
                    }
                    slow[i] += left ^ right;
                }
            }
            assert_memory_equal(expected, slow, sizeof slow);
        }
}

// Which mask the kernel takes for a shuffle: step s of chain c, as limit.spvasm has it.
static uint32_t mask_number(uint32_t chains, uint32_t chain, uint32_t step)
{
    if (chains == 1)
        return step % 3;
    return step == 0 ? chain : chain == 7 ? 6 : chain + 1;
}

static void shuffle_once(uint32_t *values, uint32_t subgroup, uint32_t mask)
{
    uint32_t before[WORDS];
    memcpy(before, values, sizeof before);
    for (uint32_t i = 0; i < WORDS; i++)
        values[i] = before[i - i % subgroup + (i % subgroup ^ mask)];
}

static void shuffles_step_by_step(void **state)
{
    (void)state;
    static uint32_t values[WORDS];
    static const uint32_t sizes[] = {4, 8, 32, 128}, chains[] = {1, 8}, steps[] = {16, 2};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t c = 0; c < 2; c++)
            for (uint32_t loops = 1; loops <= 4; loops++) {
                const struct bench_row row = {
                    .kind = BENCH_SHUFFLES, .chains = chains[c], .loops = loops, .words = WORDS};
                const uint32_t pushed = bench_pushed(loops);
                bench_input(loops, input, WORDS);
                bench_expect(&row, sizes[s], pushed, input, expected);
                memset(slow, 0, sizeof slow);
                for (uint32_t chain = 0; chain < chains[c]; chain++) {
                    for (uint32_t i = 0; i < WORDS; i++)
                        values[i] = input[i] + chain * 0x9E3779B9u;
                    for (uint32_t turn = 0; turn < loops * steps[c]; turn++) {
                        const uint32_t number = mask_number(chains[c], chain, turn % steps[c]);
                        shuffle_once(values, sizes[s], (pushed + number) % (sizes[s] - 1) + 1);
                    }
                    for (uint32_t i = 0; i < WORDS; i++)
                        slow[i] += values[i];
                }
                assert_memory_equal(expected, slow, sizeof slow);
                // A device that does not shuffle at all is seen, since iterations are odd.
                bench_expect(
                    &(struct bench_row){
                        .kind = BENCH_SHUFFLES, .chains = chains[c], .loops = 2, .words = WORDS},
                    sizes[s], pushed, input, slow);
                if (loops % 2)
                    assert_memory_not_equal(expected, slow, sizeof slow);
            }
}

static void fibonacci_numbers(void **state)
{
    (void)state;
    uint32_t a = 0, b = 1;
    for (uint64_t n = 0; n < 500; n++) {
        uint32_t pair[2];
        bench_fibonacci(n, pair);
        assert_int_equal(pair[0], a);
        assert_int_equal(pair[1], b);
        const uint32_t next = a + b;
        a = b;
        b = next;
    }
}

static void differences_are_counted(void **state)
{
    (void)state;
    uint64_t first = 99;
    memset(expected, 0, sizeof expected);
    memset(slow, 0, sizeof slow);
    assert_int_equal(bench_differ(expected, slow, WORDS, &first), 0);
    assert_int_equal(first, 99);
    slow[WORDS - 1] = 1;
    slow[5] = 1;
    assert_int_equal(bench_differ(expected, slow, WORDS, &first), 2);
    assert_int_equal(first, 5);
}

static void look_backs_are_sums_of_segments(void **state)
{
    (void)state;
    bench_input(3, input, WORDS);
    for (size_t i = 0; i < look_rows(); i++) {
        const struct bench_row row = look_row(i, WORDS);
        const uint32_t segment = row.kind == BENCH_COPY    ? 1
                                 : row.kind == BENCH_TILES ? row.tile
                                                           : WORDS;
        uint32_t sum = 0;
        if (row.scan != CAT_SCAN_ADD) // unit bench_lookback
            continue;
        bench_expect(&row, 32, 0, input, expected);
        for (uint32_t word = 0; word < WORDS; word++) {
            sum = word % segment ? sum + input[word] : input[word];
            assert_int_equal(expected[word], sum);
        }
    }
}

static void input_follows_from_the_seed(void **state)
{
    (void)state;
    bench_input(1, input, WORDS);
    bench_input(1, expected, WORDS);
    bench_input(2, slow, WORDS);
    assert_memory_equal(input, expected, sizeof input);
    assert_memory_not_equal(input, slow, sizeof input);
    // The last word of an odd number of them is not left out, nor is the one behind it written.
    memset(expected, 0, sizeof expected);
    bench_input(1, expected, 7);
    assert_memory_equal(input, expected, 7 * sizeof *input);
    assert_int_equal(expected[7], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coefficients_are_those_of_the_triangle),
        cmocka_unit_test(a_scan_is_one_sum_after_the_other),
        cmocka_unit_test(an_error_does_not_vanish),
        cmocka_unit_test(additions_step_by_step),
        cmocka_unit_test(shuffles_step_by_step),
        cmocka_unit_test(fibonacci_numbers),
        cmocka_unit_test(differences_are_counted),
        cmocka_unit_test(look_backs_are_sums_of_segments),
        cmocka_unit_test(input_follows_from_the_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
