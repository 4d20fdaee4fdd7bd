// SPDX-License-Identifier: Apache-2.0
// What floats of several sizes share.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// A size of floats, as words.
struct rdna_floats {
    double (*value)(uint64_t word);
    uint64_t quiet; // the bit that a quiet NaN has
};
extern const struct rdna_floats rdna_floats16, rdna_floats32, rdna_floats64;

// v_min and v_max, v_med3; `ieee`: as with IEEE_MODE.
uint64_t rdna_least(const struct rdna_floats *size, bool ieee, uint64_t a, uint64_t b,
                    bool greatest);
// The same, where a NaN of any source is the result: v_minimum and v_maximum.
uint64_t rdna_extreme(const struct rdna_floats *size, uint64_t a, uint64_t b, bool greatest);
uint64_t rdna_median(const struct rdna_floats *size, bool ieee, uint64_t a, uint64_t b, uint64_t c);

// Rounding to integers to nearest even, in whatever rounding mode the host is.
float rdna_round_even(float value);
double rdna_round_even_double(double value);
