// SPDX-License-Identifier: Apache-2.0
// The result of a correct device for a row. Pure functions that work differently from the kernels.
#pragma once

#include "bench/row.h"

// Fills the input with `words` words from a seed.
void bench_input(uint64_t seed, uint32_t *input, uint64_t words);

// KIND_SHUFFLES's word in the push constants, from a seed.
uint32_t bench_pushed(uint64_t seed);

// Computes the row->words output words for row->words input words, in subgroups of `subgroup`.
// `pushed` is used only for BENCH_SHUFFLES.
//
// A scan applied n times is one sum: word j becomes the sum over d of C(n - 1 + d, d) times word j
// - d within its subgroup or block, because the generating function of a scan is 1 / (1 - z). A
// chain of additions gives Fibonacci numbers, computed by doubling. Several xor shuffles are one,
// or none. Scans of the whole device and copies are sums that restart at each segment
// (look_segment).
void bench_expect(const struct bench_row *row, uint32_t subgroup, uint32_t pushed,
                  const uint32_t *input, uint32_t *expected);

// The number of words that differ; *first is the index of the first of them.
uint64_t bench_differ(const uint32_t *expected, const uint32_t *got, uint64_t words,
                      uint64_t *first);
