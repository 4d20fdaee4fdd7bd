// SPDX-License-Identifier: Apache-2.0
// What an oracle is: pure C functions that size a configuration, make its input and say what a
// right device would store. An oracle never calls Vulkan and knows nothing of the kernel but its
// ABI (docs/test-format.md). Each oracle is registered in the table of oracle.c.
#pragma once

#include "base/error.h"
#include "model/check.h"

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

// For an oracle whose instances all store the same: repeats the expectation of the first one, which
// has so many words (the mode's stride counted), for all others.
void cat_repeat(const struct cat_shape *shape, size_t words, uint32_t *expected);

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

// How its words are judged.
struct cat_mode cat_mode_of(const struct cat_oracle *oracle);
// The oracle of that name, or NULL.
const struct cat_oracle *cat_oracle_find(const char *name);
