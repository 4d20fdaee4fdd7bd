// SPDX-License-Identifier: Apache-2.0
// The arithmetic behind what the kernels of `litmus bench` have to store. Whether they store it,
// e2e-bench and e2e-bench_lookback see on the SIMT simulator.
#include "unit.h"

#include "bench/oracle.h"

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

// One wrong word in the input, or in any iteration, is seen: its own word keeps it as it is.
TEST(an_error_does_not_vanish)
{
    const struct bench_row row = scan_row(BENCH_SUBGROUP, 1, 1024);
    uint64_t first = 0;
    bench_input(1, input, WORDS);
    bench_expect(&row, 32, 0, input, expected);
    input[77] += 0x80000000u;
    bench_expect(&row, 32, 0, input, slow);
    assert_true(bench_differ(expected, slow, WORDS, &first) >= 1);
    assert_int_equal(first, 77);
}

// A device that does not shuffle at all is seen, since the program makes iterations odd.
TEST(even_shuffles_cancel)
{
    for (uint32_t chains = 1; chains <= 8; chains += 7) {
        struct bench_row row = {.kind = BENCH_SHUFFLES, .chains = chains, .words = WORDS};
        bench_input(1, input, WORDS);
        for (uint32_t i = 0; i < WORDS; i++)
            slow[i] = chains * input[i] + chains * (chains - 1) / 2 * 0x9E3779B9u;
        for (row.loops = 1; row.loops <= 4; row.loops++) {
            bench_expect(&row, 32, bench_pushed(1), input, expected);
            assert_int_equal(memcmp(expected, slow, sizeof slow) == 0, row.loops % 2 == 0);
        }
    }
}

TEST(differences_are_counted)
{
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

TEST(input_follows_from_the_seed)
{
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
