// SPDX-License-Identifier: Apache-2.0
// What an oracle is: pure C functions that size a configuration, make its input and say what a
// correct device would store. An oracle never calls Vulkan and knows nothing of the kernel but its
// ABI (docs/test-format.md). They are in the tables of oracles/*.c (oracles/oracles.h).
#pragma once

#include "base/error.h"
#include "base/random.h"
#include "catalogue/formula.h"
#include "model/check.h"

// One configuration, resolved to numbers. What an oracle may look at.
struct cat_args {
    uint32_t subgroup;   // invocations in a subgroup: a power of two, 1 to 128
    uint32_t workgroup;  // invocations in a workgroup: a multiple of subgroup
    uint32_t scale;      // how many workgroups suit the device (about 8 on a CPU, 256 on a GPU)
    uint64_t most_words; // of a buffer that the device and the host have room for; 0: not asked
    uint32_t most_workgroups;     // of a dispatch; 0: not asked
    const struct cat_case *which; // for cat_value() and cat_axis_is()
    // Set for the functions of an oracle only, by those at the end of this file.
    const struct cat_oracle *oracle;
    struct cat_shape shape;
};

// The number of a parameter whose value is `largest`: the oracle's shape says how much that is.
#define CAT_LARGEST UINT32_MAX

// The number that parameter `name` has in this configuration; stops the program if there is none.
uint32_t cat_value(const struct cat_args *args, const char *name);
// The value that axis `name` has in this configuration ("none"); NULL if there is no such axis.
const char *cat_axis(const struct cat_args *args, const char *name);
bool cat_axis_is(const struct cat_args *args, const char *name, const char *value);

// The usual shape of an oracle (below), for so many workgroups.
void cat_shape_usual(struct cat_args *args, uint32_t workgroups);
// Fills the input with random words.
void cat_random_words(const struct cat_args *args, uint64_t seed, uint32_t *input);
// Where all units store the same: repeats the expectation of the first one, which has so many words
// (the mode's stride counted), for all others.
void cat_repeat(const struct cat_shape *shape, size_t words, uint32_t *expected);

// All but `name` and `instance` may be left out. The usual shape: `scale` workgroups, whose units
// are subgroups (or workgroups) with `results` words for each invocation; a word of input for each
// invocation, one word of state.
struct cat_oracle {
    const char *name;
    enum cat_check check;
    struct cat_choice choice; // CAT_CHECK_CHOICE only
    // The checked unit, which passes or fails: "subgroup", "workgroup", "device scan".
    const char *instance;
    // Its workgroups (or subgroups) wait for each other or race, so that what else the processor
    // does shows in the results: a software device runs it with no other such device beside it.
    bool needs_progress;
    bool of_workgroups;   // the unit of the usual shape is a workgroup
    bool alike;           // all units store the same: `expect` fills those of the first
    uint32_t results;     // words of output of each invocation, in the usual shape
    const char *elements; // the parameter that is shape.elements, in the usual shape; NULL: 0
    // Its module is never run: a run is a program that is drawn from the run's seed, as `litmus
    // fuzz` draws those of this name. NULL: it is a test like any other.
    const char *draws;
    // Makes cat_test.program of that of a head, once for a test. free() it; NULL with an error.
    void *(*read)(const struct cat_head *head, struct lit_error *error);
    uint32_t least;   // lanes that a subgroup must have
    const void *data; // for the functions
    // All words of all runs of one pipeline must be the same, even where several values are
    // allowed.
    bool (*deterministic)(const struct cat_args *args);
    // False with an error if the configuration makes no sense on this device: it is skipped.
    bool (*fits)(const struct cat_args *args, struct lit_error *error);
    // Changes args->shape, which is the usual one before.
    void (*shape)(struct cat_args *args);
    // Fills input[shape.input_words], which is zero before. Without it: random words.
    void (*input)(const struct cat_args *args, uint64_t seed, uint32_t *input);
    // Fills expected[]: cat_check_stride() words for each output word.
    void (*expect)(const struct cat_args *args, const uint32_t *input, uint32_t *expected);
    // Instead of it: fills those of one unit, which has as many words of input as any other.
    void (*expect_unit)(const struct cat_args *args, const uint32_t *input, uint32_t *expected);
    // Where in the test a failing word is (cat_oracle_where); without it lane, result and unit.
    // Or a function that picks among several, or one that says it.
    const char *where;
    const char *(*where_of)(const struct cat_args *args, const struct cat_failure *failure);
    void (*describe)(const struct cat_args *args, const struct cat_failure *failure, char *text,
                     size_t size);
};

// How its words are judged.
struct cat_mode cat_mode_of(const struct cat_oracle *oracle);
// The oracle of that name, or NULL.
const struct cat_oracle *cat_oracle_find(const char *name);

// Sizes. False with an error if the configuration makes no sense on this device: it is skipped.
bool cat_oracle_shape(const struct cat_oracle *oracle, const struct cat_args *args,
                      struct cat_shape *shape, struct lit_error *error);
// Fills input[shape->input_words], which is zero before.
void cat_oracle_input(const struct cat_oracle *oracle, const struct cat_args *args,
                      const struct cat_shape *shape, uint64_t seed, uint32_t *input);
// Fills expected[]: cat_check_stride() words for each output word.
void cat_oracle_expect(const struct cat_oracle *oracle, const struct cat_args *args,
                       const struct cat_shape *shape, const uint32_t *input, uint32_t *expected);
// Says where in the test a failing word is: "lane 31, iteration 9", at most `size` bytes.
//
// In `where` of an oracle, or of the test, {A} stands for the number that the formula A gives, and
// {A|x|y|z} for the Ath word.
void cat_oracle_where(const struct cat_oracle *oracle, const struct cat_args *args,
                      const struct cat_shape *shape, const struct cat_failure *failure, char *text,
                      size_t size);

// A word of the output, or of the input, for which a formula has a value. What the formula does not
// ask for may be missing, but for `args`.
struct cat_place {
    const struct cat_args *args; // with `oracle` and `shape`
    const uint32_t *input;
    uint64_t unit, word;       // of the unit
    struct lit_random *random; // CAT_ASKS_RANDOM
};
// Puts numbers in place of axes and parameters: once, before a formula that uses any has a value.
void cat_formula_settle(struct cat_formula *formula, const struct cat_case *which);
// Division by zero gives 0, and so do a shift by 32 or more and a word behind the input's end.
uint32_t cat_formula_value(const struct cat_formula *formula, const struct cat_place *place);
