// SPDX-License-Identifier: Apache-2.0
// The checker's rules in C: the definition that the device-side checker (spirv/checker/)
// implements, the host-side checker for devices that cannot be trusted to check, and the names of
// the outcomes.
#pragma once

#include "catalogue/oracle.h"

// Outcomes that every mode has.
enum {
    CAT_RIGHT = 0,
    CAT_NEVER_WRITTEN = 1, // the word still holds the poison
    CAT_VARIED = 14,       // allowed, but not what the same pipeline stored in its first run
    CAT_NO_PROGRESS = 15,  // a bounded wait ran out
};

// CAT_CHECK_EQUAL: 2 zero, 3 wrong.
// CAT_CHECK_TAG: 2 zero (inactive), 3 not a tag, 4 wrong lane, 5..8 stale by 1, 2, 3, more,
//                9..12 ahead by 1, 2, 3, more. Lane is judged before iteration.
// CAT_CHECK_MASK: 2 allowed (not a failure), 3 empty, 4 split (a proper subset of what was wanted),
//                 5 merged (a proper superset), 6 other lanes.
// CAT_CHECK_CHOICE: 0, 2, 3, 4 the oracle's alternatives, 5 anything else. What is not an
//                 alternative's name is common to all modes.
// The name of an outcome ("stale by 1"), or NULL if the mode has none of that number.
const char *cat_outcome_name(enum cat_check check, uint32_t outcome);
// Whether an instance with this outcome has failed.
bool cat_outcome_fails(enum cat_check check, uint32_t outcome);

// How an oracle's words are judged. `choice` counts for CAT_CHECK_CHOICE alone: the two functions
// above know nothing of it, and to them its alternatives have no names, and fail but for the first.
struct cat_mode {
    enum cat_check check;
    struct cat_choice choice;
};

struct cat_mode cat_mode_of(const struct cat_oracle *oracle);
// As cat_outcome_name. The name is a part of *mode.
const char *cat_mode_name(const struct cat_mode *mode, uint32_t outcome);
bool cat_mode_fails(const struct cat_mode *mode, uint32_t outcome);

// Classifies one word. `expected` points at the one or four words of its expectation.
// A word that is wanted to stay poison (a guard) is right if it does.
uint32_t cat_classify(enum cat_check check, uint32_t got, const uint32_t *expected);

// What one run did. Counts are instances.
struct cat_run {
    uint64_t words;                  // words that were compared
    uint64_t outcomes[CAT_OUTCOMES]; // instances by outcome
    uint64_t failed;                 // instances whose outcome fails
    uint32_t digest;                 // of all output words, to tell runs apart
};

// The outcome of an instance is that of its first failing word; else that of its first word that is
// not right; else right. Checks a whole output on the host, appends up to `capacity` failures to
// `failures` starting at *count. digest = sum over words of (word + 0x9E3779B9 * (index + 1)) *
// 0x85EBCA6B, modulo 2^32, index counting from 0 over the whole output.
void cat_check_host(enum cat_check check, const struct cat_shape *shape, const uint32_t *output,
                    const uint32_t *expected, uint64_t run, struct cat_run *result,
                    struct cat_failure *failures, size_t capacity, size_t *count);
// The same for every mode.
void cat_mode_check(const struct cat_mode *mode, const struct cat_shape *shape,
                    const uint32_t *output, const uint32_t *expected, uint64_t run,
                    struct cat_run *result, struct cat_failure *failures, size_t capacity,
                    size_t *count);
