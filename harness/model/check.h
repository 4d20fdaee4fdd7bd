// SPDX-License-Identifier: Apache-2.0
// The checker's rules in C: they define what the device-side checker (spirv/checker/) implements,
// check on the host when a device's checker is unreliable, and name the outcomes.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The meaning of a failing outcome: cat_expectation_meaning gives it in a line.
enum cat_expectation { CAT_FORBIDDEN, CAT_CONTESTED, CAT_ASSUMED, CAT_CONTROL, CAT_EXPECTATIONS };
extern const char *const cat_expectation_names[CAT_EXPECTATIONS];
const char *cat_expectation_name(enum cat_expectation expectation); // "forbidden"
const char *cat_expectation_meaning(enum cat_expectation expectation);
enum cat_expectation cat_expectation_named(const char *name); // CAT_EXPECTATIONS if there is none

#define CAT_POISON   0xC0DEDEADu
#define CAT_OUTCOMES 32

// How the checker compares one output word with its expectation. Each mode has its own outcomes,
// named in check.c; outcome 0 of every mode is "right".
enum cat_check {
    // expected[i] is the word.
    CAT_CHECK_EQUAL,
    // expected[i] is a tag (see cat_tag); a wrong tag says from which lane and iteration it came.
    CAT_CHECK_TAG,
    // expected[4i .. 4i+3] is {want, alternative, lower, upper}: a mask is right if it is `want`,
    // allowed if it is `alternative`, or contains `lower` and lies within `upper`. {m, m, ~0, 0}
    // demands exactly m.
    CAT_CHECK_MASK,
    // expected[4i .. 4i+3] are the words that an observation may be, each named by the oracle
    // (struct cat_choice): the first match counts.
    CAT_CHECK_CHOICE,
    // expected[i] is 0. The word is the number of a final state, which has a name (struct
    // cat_choice). Only the host checks it.
    CAT_CHECK_STATE,
};

#define CAT_CHECKS        (CAT_CHECK_STATE + 1)
#define CAT_DEVICE_CHECKS (CAT_CHECK_CHOICE + 1)      // modes of the device's checker
extern const char *const cat_check_names[CAT_CHECKS]; // "equal"

// How many expectation words each output word has.
static inline uint32_t cat_check_stride(enum cat_check check)
{
    return check == CAT_CHECK_MASK || check == CAT_CHECK_CHOICE ? 4 : 1;
}

#define CAT_CHOICES     4
#define CAT_STATES      28 // with their own names
#define CAT_CHOICE_NAME 64 // bytes, with the terminator

// CAT_CHECK_CHOICE: names the alternatives of a word and says which ones fail; names[CAT_CHOICES]
// is for a word that matches none. An oracle with fewer than four leaves names empty, and repeats
// the first word in their place. CAT_CHECK_STATE: likewise for states, with names[CAT_STATES].
struct cat_choice {
    char names[CAT_STATES + 1][CAT_CHOICE_NAME];
    uint32_t fails; // bit i: names[i] is a failing outcome. Never bit 0
};

// A tag names the dynamic instance that a value comes from. Bits 31..24: 0x5A, 23..16: spare (0),
// 15..8: iteration, 7..0: lane.
static inline uint32_t cat_tag(uint32_t iteration, uint32_t lane)
{
    return 0x5A000000u | (iteration & 0xff) << 8 | (lane & 0xff);
}

// The size of a configuration, in 32-bit words and instances. Instance i owns the output words
// [i * words_per_instance, (i + 1) * words_per_instance); output_words is their sum.
struct cat_shape {
    uint32_t workgroups;         // workgroups in x; 0 dispatches nothing
    uint32_t elements;           // passed in the push constants
    uint64_t input_words;        // may be 0
    uint64_t state_words;        // at least 1: word 0 says that a bounded wait ran out
    uint64_t instances;          // at least 1: word 0 is set when a bounded wait expired
    uint64_t words_per_instance; // at least 1
};

// The first word in which an instance failed, as the checker recorded it.
struct cat_failure {
    uint64_t run;      // 0 is the first run of the configuration
    uint64_t instance; // which
    uint64_t word;     // within the instance
    uint32_t got, want;
    uint32_t outcome; // index into the mode's outcomes
};

// Outcomes that every mode has.
enum {
    CAT_RIGHT = 0,
    CAT_NEVER_WRITTEN = 1, // the word still holds the poison
    CAT_VARIED = 14,       // allowed, but differs from the same pipeline's first run
    CAT_NO_PROGRESS = 15,  // a bounded wait expired
};

// CAT_CHECK_EQUAL: 2 zero, 3 wrong.
// CAT_CHECK_TAG: 2 zero (inactive), 3 not a tag, 4 wrong lane, 5..8 stale by 1, 2, 3, more,
//                9..12 ahead by 1, 2, 3, more. Lane is judged before iteration.
// CAT_CHECK_MASK: 2 allowed (not a failure), 3 empty, 4 split (a proper subset of what was wanted),
//                 5 merged (a proper superset), 6 other lanes.
// CAT_CHECK_CHOICE: 0, 2, 3, 4 the oracle's alternatives, 5 anything else. What is not an
//                 alternative's name is common to all modes.
// CAT_CHECK_STATE: 0, 2 to 13, 16 to 30 the states, 31 any other.
// The name of an outcome ("stale by 1"), or NULL if the mode has none of that number.
const char *cat_outcome_name(enum cat_check check, uint32_t outcome);
// Whether an instance with this outcome has failed.
bool cat_outcome_fails(enum cat_check check, uint32_t outcome);

// How to judge an oracle's words. Only the last two modes use `choice`: the two functions above
// ignore it; to them its alternatives have no names, and all but the first fail.
struct cat_mode {
    enum cat_check check;
    struct cat_choice choice;
};

// As cat_outcome_name. The name is a part of *mode.
const char *cat_mode_name(const struct cat_mode *mode, uint32_t outcome);
bool cat_mode_fails(const struct cat_mode *mode, uint32_t outcome);
// Finds an outcome by name; CAT_OUTCOMES if the mode has none.
uint32_t cat_mode_find(const struct cat_mode *mode, const char *name);
// Copies a mode until it is dropped. Modes without their own names, the majority, share one copy: a
// mode is a large struct.
const struct cat_mode *cat_mode_keep(const struct cat_mode *mode);
void cat_mode_drop(const struct cat_mode *mode); // NULL is fine

// Classifies one word. `expected` points at the one or four words of its expectation. A word that
// should keep the poison (a guard) is right if it does.
uint32_t cat_classify(enum cat_check check, uint32_t got, const uint32_t *expected);

// The results of one run. Counts are instances.
struct cat_run {
    uint64_t words;                  // words that were compared
    uint64_t outcomes[CAT_OUTCOMES]; // instances by outcome
    uint64_t failed;                 // instances whose outcome fails
    uint32_t digest;                 // of all output words, to tell runs apart
};

// Checks a whole output on the host. An instance's outcome is that of its first failing word; else
// of its first word that is not right; else right. Appends up to `capacity` failures to `failures`
// starting at *count. digest = sum over words of (word + 0x9E3779B9 * (index + 1)) * 0x85EBCA6B,
// modulo 2^32, index counting from 0 over the whole output.
void cat_mode_check(const struct cat_mode *mode, const struct cat_shape *shape,
                    const uint32_t *output, const uint32_t *expected, uint64_t run,
                    struct cat_run *result, struct cat_failure *failures, size_t capacity,
                    size_t *count);
