// SPDX-License-Identifier: Apache-2.0
// What an oracle is: pure C functions that size a configuration, make its input and say what a
// right device would store. An oracle never calls Vulkan and knows nothing of the kernel but its
// ABI (docs/test-format.md). Each oracle is registered in the table of oracle.c.
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CAT_POISON   0xC0DEDEADu
#define CAT_OUTCOMES 16

// One configuration, resolved to numbers. What an oracle may look at.
struct cat_args {
    uint32_t subgroup;   // invocations in a subgroup: a power of two, 1 to 128
    uint32_t workgroup;  // invocations in a workgroup: a multiple of subgroup
    uint32_t scale;      // how many workgroups suit the device (about 8 on a CPU, 256 on a GPU)
    uint64_t most_words; // of a buffer that the device and the host have room for; 0: not asked
    uint32_t most_workgroups;     // of a dispatch; 0: not asked
    const struct cat_case *which; // for cat_value() and cat_axis_is()
};

// The number of a parameter whose value is `largest`: the oracle's shape says how much that is.
#define CAT_LARGEST UINT32_MAX

// The number that parameter `name` has in this configuration; stops the program if there is none.
uint32_t cat_value(const struct cat_args *args, const char *name);
// The value that axis `name` has in this configuration ("none"); NULL if there is no such axis.
const char *cat_axis(const struct cat_args *args, const char *name);
bool cat_axis_is(const struct cat_args *args, const char *name, const char *value);

// How the checker compares one word of the output with its expectation. Each mode has its outcomes,
// named in check.c; outcome 0 of every mode is "right".
enum cat_check {
    // expected[i] is the word.
    CAT_CHECK_EQUAL,
    // expected[i] is a tag (see cat_tag); a wrong tag says which lane and which iteration it came
    // from.
    CAT_CHECK_TAG,
    // expected[4i .. 4i+3] is {want, alternative, lower, upper}: a mask is right if it is `want`,
    // allowed if it is `alternative`, or contains `lower` and lies within `upper`. {m, m, ~0, 0}
    // demands exactly m.
    CAT_CHECK_MASK,
    // expected[4i .. 4i+3] are the words that an observation may be, each with a name of the
    // oracle's (struct cat_choice): the first that matches counts.
    CAT_CHECK_CHOICE,
};

#define CAT_CHECKS (CAT_CHECK_CHOICE + 1)

// How many words of an expectation stand for one word of the output.
static inline uint32_t cat_check_stride(enum cat_check check)
{
    return check == CAT_CHECK_MASK || check == CAT_CHECK_CHOICE ? 4 : 1;
}

#define CAT_CHOICES     4
#define CAT_CHOICE_NAME 28 // bytes, with the terminator

// CAT_CHECK_CHOICE: what the alternatives of a word are called, and which of them fail. An oracle
// with fewer than four leaves names empty, and repeats the first word in their place.
struct cat_choice {
    char names[CAT_CHOICES + 1][CAT_CHOICE_NAME]; // the last: of a word that is none of them
    uint32_t fails; // bit i: names[i] is a failing outcome. Never bit 0
};

// A tag names the dynamic instance that a value comes from. Bit 31..24 0x5A, 23..16 spare (0),
// 15..8 iteration, 7..0 lane.
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
    uint64_t instances;          // at least 1
    uint64_t words_per_instance; // at least 1
};

// For an oracle whose instances all store the same: repeats the expectation of the first one, which
// has so many words (the mode's stride counted), for all others.
void cat_repeat(const struct cat_shape *shape, size_t words, uint32_t *expected);

// The first word in which an instance went wrong, as the checker recorded it.
struct cat_failure {
    uint64_t run;      // 0 is the first run of the configuration
    uint64_t instance; // which
    uint64_t word;     // within the instance
    uint32_t got, want;
    uint32_t outcome; // index into the mode's outcomes
};

struct cat_oracle {
    const char *name;
    enum cat_check check;
    struct cat_choice choice; // CAT_CHECK_CHOICE only
    // What the unit is that passes or fails: "subgroup", "workgroup", "device scan".
    const char *instance;
    // Its workgroups (or subgroups) wait for each other or race, so that what else the processor
    // does shows in the results: a software device runs it with no other such device beside it.
    bool interacts;
    // All words of all runs of one pipeline must be the same, even where several values are
    // allowed.
    bool (*steady)(const struct cat_args *args); // NULL: no
    // Sizes. False with an error if the configuration makes no sense on this device: it is skipped.
    bool (*shape)(const struct cat_args *args, struct cat_shape *shape, struct lit_error *error);
    // Fills input[shape->input_words]. NULL if there is no input.
    void (*input)(const struct cat_args *args, const struct cat_shape *shape, uint64_t seed,
                  uint32_t *input);
    // Fills expected[]: cat_check_stride() words for each output word.
    void (*expect)(const struct cat_args *args, const struct cat_shape *shape,
                   const uint32_t *input, uint32_t *expected);
    // Says where in the test a failing word is: "lane 31, iteration 9", at most `size` bytes.
    void (*where)(const struct cat_args *args, const struct cat_shape *shape,
                  const struct cat_failure *failure, char *text, size_t size);
};

// The oracle of that name, or NULL.
const struct cat_oracle *cat_oracle_find(const char *name);
