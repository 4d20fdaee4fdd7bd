// SPDX-License-Identifier: Apache-2.0
// What reports say about tests besides their results. Reports do not depend on the catalogue: the
// program hands in what it knows.
#pragma once

#include "model/facts.h"
#include "model/head.h"
#include "model/result.h"

// A configuration that this program has.
struct report_case {
    const struct cat_head *head;
    uint8_t axis[CAT_MAX_AXES];       // index of the value of each axis
    uint32_t subgroup;                // 0: the device's default
    enum cat_expectation expectation; // with its reason, which may be NULL
    const char *reason;
    const char *unit;             // what a checked unit is: "subgroup"
    const char *variant, *sha256; // of its module; NULL if it has none
};

// Everything returned lives as long as the program.
struct report_known {
    // A test's head; NULL if this program does not have the test.
    const struct cat_head *(*head)(const char *test);
    // The head of the test at `index`, by name; NULL after the last.
    const struct cat_head *(*at)(size_t index);
    // The generator ("groups") whose programs are a test's runs; NULL: it runs its own module.
    const char *(*generator)(const char *test);
    // Appends the options with which litmus fuzz draws program `index` of such a result alone, in
    // so far as its name does not give them.
    void (*drawn)(const struct result *result, const struct dev_facts *facts, uint64_t index,
                  struct text *options);
    // False if this program does not have the configuration.
    bool (*find)(const struct cfg *cfg, struct report_case *found);
    // The preprocessed source of its module, or of its test.
    const char *(*source)(const struct cfg *cfg);
    // The SPIR-V module of the configuration with this name; NULL if this program does not have it.
    const uint32_t *(*words)(const char *name, size_t *count);
    // Calls `visit` with each name of a test's default run at a subgroup size.
    void (*each)(const char *test, uint32_t subgroup, void (*visit)(const char *name, void *user),
                 void *user);
    // Appends a configuration's label for readers; its id and label.
    void (*label)(const struct cfg *cfg, struct text *label);
    void (*shown)(const char *name, struct text *shown);
    // Whether two configurations have the same dispatch on a device, and one seed gives both the
    // same input and expectation.
    bool (*is_same_work)(const char *a, const char *b, const struct dev_facts *facts);
    // Whether a signal asks to stop: the code that was not read yet is left.
    bool (*stops)(void);
    // Takes a kernel that a store has.
    void (*add)(const void *bytes, size_t size);
};
// Set it before the first report; not owned.
extern const struct report_known *report_known;
