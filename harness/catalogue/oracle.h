// SPDX-License-Identifier: Apache-2.0
// An oracle: pure C functions that size a configuration, make its input and compute what a correct
// device stores. An oracle never calls Vulkan, and knows only the kernel's ABI
// (docs/test-format.md). The tables are in oracles/*.c (oracles/oracles.h).
#pragma once

#include "base/error.h"
#include "base/random.h"
#include "catalogue/formula.h"
#include "model/check.h"

// The inputs to an oracle: one configuration, resolved to numbers.
struct cat_args {
    uint32_t subgroup;        // invocations in a subgroup: a power of two, 1 to 128
    uint32_t workgroup;       // invocations in a workgroup: a multiple of subgroup
    uint32_t scale;           // workgroups that suit the device (about 8 on a CPU, 256 on a GPU)
    uint64_t most_words;      // limit on a buffer by device and host memory; 0: unknown
    uint32_t most_workgroups; // limit per dispatch; 0: unknown
    const struct cat_case *which; // for cat_value() and cat_axis_is()
    // Set only inside an oracle's functions, by the functions at the end of this file.
    const struct cat_oracle *oracle;
    struct cat_shape shape;
};

// The value of a parameter that is `largest`: the oracle's shape determines it.
#define CAT_LARGEST UINT32_MAX

// The value of parameter `name` in this configuration; ends the program if there is none.
uint32_t cat_value(const struct cat_args *args, const char *name);
// The value of axis `name` in this configuration ("none"); NULL if there is no such axis.
const char *cat_axis(const struct cat_args *args, const char *name);
bool cat_axis_is(const struct cat_args *args, const char *name, const char *value);

// Sets the default shape of an oracle (below), for this many workgroups.
void cat_shape_usual(struct cat_args *args, uint32_t workgroups);
// Fills the input with random words.
void cat_random_words(const struct cat_args *args, uint64_t seed, uint32_t *input);
// For identical units: copies the expectation of the first one, `words` long including the mode's
// stride, to all others.
void cat_repeat(const struct cat_shape *shape, size_t words, uint32_t *expected);

// Everything except `name` and `instance` is optional. The default shape has `scale` workgroups
// whose units are subgroups (or workgroups) with `results` words per invocation, one input word per
// invocation, and one word of state.
struct cat_oracle {
    const char *name;
    enum cat_check check;
    struct cat_choice choice; // CAT_CHECK_CHOICE only
    // The checked unit, which passes or fails as a whole: "subgroup", "workgroup", "device scan".
    const char *instance;
    // Its workgroups (or subgroups) wait for each other or race, so other load on the processor
    // affects the results: a software device runs it while no other such device runs.
    bool needs_progress;
    bool of_workgroups;   // default shape: the unit is a workgroup
    bool alike;           // all units store the same: `expect` fills only the first
    uint32_t results;     // default shape: output words per invocation
    const char *elements; // default shape: the parameter for shape.elements; NULL: 0
    // The name of a generator: a run draws a program from its seed, as `litmus fuzz` does, and the
    // module itself never runs. NULL: an ordinary test.
    const char *draws;
    // Makes cat_test.program of that of a head, once for a test. free() it; NULL with an error.
    void *(*read)(const struct cat_head *head, struct lit_error *error);
    uint32_t least;   // minimum subgroup size
    const void *data; // for the functions
    // Whether all runs of one pipeline must store the same words, even if several values are
    // allowed.
    bool (*deterministic)(const struct cat_args *args);
    // False with an error if the configuration is not possible on this device: it is skipped.
    bool (*fits)(const struct cat_args *args, struct lit_error *error);
    // Adjusts args->shape, which starts as the default shape.
    void (*shape)(struct cat_args *args);
    // Fills input[shape.input_words], initially zero. NULL: random words.
    void (*input)(const struct cat_args *args, uint64_t seed, uint32_t *input);
    // Fills expected[]: cat_check_stride() words per output word.
    void (*expect)(const struct cat_args *args, const uint32_t *input, uint32_t *expected);
    // Alternative: fills those of one unit, if all units have equally many input words.
    void (*expect_unit)(const struct cat_args *args, const uint32_t *input, uint32_t *expected);
    // Describes a failing word's position (cat_oracle_where); NULL: lane, result and unit. Or a
    // function that chooses a text, or one that writes it.
    const char *where;
    const char *(*where_of)(const struct cat_args *args, const struct cat_failure *failure);
    void (*describe)(const struct cat_args *args, const struct cat_failure *failure, char *text,
                     size_t size);
};

// How its output words are judged.
struct cat_mode cat_mode_of(const struct cat_oracle *oracle);
// Finds an oracle by name, or NULL.
const struct cat_oracle *cat_oracle_find(const char *name);

// Computes sizes. False with an error if the configuration is not possible on this device: it is
// skipped.
bool cat_oracle_shape(const struct cat_oracle *oracle, const struct cat_args *args,
                      struct cat_shape *shape, struct lit_error *error);
// Fills input[shape->input_words], which must be zero.
void cat_oracle_input(const struct cat_oracle *oracle, const struct cat_args *args,
                      const struct cat_shape *shape, uint64_t seed, uint32_t *input);
// Fills expected[]: cat_check_stride() words per output word.
void cat_oracle_expect(const struct cat_oracle *oracle, const struct cat_args *args,
                       const struct cat_shape *shape, const uint32_t *input, uint32_t *expected);
// Writes a failing word's position in the test, "lane 31, iteration 9", in at most `size` bytes.
//
// In the text `where` of an oracle or test, {A} is replaced by the value of formula A, and
// {A|x|y|z} by the word with that index.
void cat_oracle_where(const struct cat_oracle *oracle, const struct cat_args *args,
                      const struct cat_shape *shape, const struct cat_failure *failure, char *text,
                      size_t size);

// The output or input word for which a formula is evaluated. Members that the formula does not
// refer to may be unset, except `args`.
struct cat_place {
    const struct cat_args *args; // with `oracle` and `shape` set
    const uint32_t *input;
    uint64_t unit, word;       // within the unit
    struct lit_random *random; // CAT_ASKS_RANDOM
};
// Replaces axes and parameters by their values; required before evaluating a formula that uses any.
void cat_formula_settle(struct cat_formula *formula, const struct cat_case *which);
// Division by zero, shifts by 32 or more, and words after the end of the input give 0.
uint32_t cat_formula_value(const struct cat_formula *formula, const struct cat_place *place);
