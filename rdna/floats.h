// SPDX-License-Identifier: Apache-2.0
// Rounding to integers to nearest even, in whatever rounding mode the host is.
#pragma once

float rdna_round_even(float value);
double rdna_round_even_double(double value);
