// SPDX-License-Identifier: Apache-2.0
// What a right device stores for a row. Pure functions; none of them does what the kernels do.
#pragma once

#include "bench/row.h"

// Fills `words` words of input from a seed.
void bench_input(uint64_t seed, uint32_t *input, uint64_t words);

// What KIND_SHUFFLES finds in the push constants, of a seed.
uint32_t bench_pushed(uint64_t seed);

// Fills row->words words that row->words words of input become, in subgroups of `subgroup`.
// `pushed` is only looked at for BENCH_SHUFFLES.
//
// A scan done n times over is one sum: word j becomes the sum over d of C(n - 1 + d, d) times word
// j - d, over the words of its subgroup or block, since the series of a scan is 1 / (1 - z). The
// additions of a chain are those of the Fibonacci numbers, which are doubled here. Shuffles by xor
// are one such shuffle, or none. Scans of the whole device, and copies, are sums that begin anew at
// each segment (look_segment).
void bench_expect(const struct bench_row *row, uint32_t subgroup, uint32_t pushed,
                  const uint32_t *input, uint32_t *expected);

// Fills C(n - 1 + d, d) modulo 2^32 for d from 0 to count - 1; n is at least 1.
void bench_coefficients(uint32_t n, uint32_t *coefficients, uint32_t count);

// F(n) and F(n + 1) modulo 2^32.
void bench_fibonacci(uint64_t n, uint32_t pair[2]);

// How many of `words` words differ; if any do, *first is the first of them.
uint64_t bench_differ(const uint32_t *expected, const uint32_t *got, uint64_t words,
                      uint64_t *first);
