// SPDX-License-Identifier: Apache-2.0
// Where a monotone predicate becomes true. For the files of stats/ alone.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// The least count above `without` at which `is` holds. It does not hold at `without`, holds at
// `with` without being asked, and once it holds it holds from there on. Asks at `guess` first
// (brought in between), then in doubling steps, then by halving: few questions if the guess is
// good. without < with.
uint64_t stat_first(uint64_t without, uint64_t with, uint64_t guess,
                    bool (*is)(const void *data, uint64_t count), const void *data);
