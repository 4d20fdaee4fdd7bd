// SPDX-License-Identifier: Apache-2.0
// A kernel from outside with everything its runs need, so that it becomes a test like a built-in
// one (cat_test_add). Sent to workers as bytes, which also identify what was measured.
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "catalogue/inspect.h"
#include "model/check.h"
#include "model/interface.h"

#define CAT_MOST_LOCATIONS 32
#define CAT_MOST_PLACES    16
#define CAT_MOST_PACKAGE   (UINT64_C(1) << 28) // bytes, unpacked
#define CAT_PACKAGE_BYTES  ((size_t)64 << 20) // of a kernel's file, and of all its buffers together

// A package may be a litmus test as described in generate/concurrent.h: its module has the usual
// interface and a table in CAT_INPUT. If its threads wait for each other, `groups`, `workgroup` and
// `subgroup` are its places: workgroups per instance, subgroups in each, lanes in each. Else 0.
struct cat_litmus {
    uint32_t threads;  // 0: no litmus test
    uint32_t buffered; // locations in the state buffer
    uint32_t words;    // words per location: 1, or 2 with the same value
    uint32_t initial[CAT_MOST_LOCATIONS];
    bool forbids; // some states are forbidden; if not, the states in its condition fail
    struct cat_choice states;
};

struct cat_package {
    struct text name;   // after "kernel." or "litmus."; empty: a generated program (page, module)
    struct text origin; // source file
    struct text page;   // source, or another readable form; may be empty
    uint32_t *words;    // the module
    size_t word_count;
    struct cat_interface interface;
    uint32_t groups;    // workgroups in x
    uint32_t workgroup; // invocations in a workgroup
    uint32_t subgroup;  // required size; 0: the device's choice
    struct cat_spec *specs;
    size_t spec_count;
    uint32_t *region[CAT_REGIONS]; // contents before each run
    size_t region_words[CAT_REGIONS];
    uint32_t *expected; // CAT_OUTPUT's contents after it
    size_t expected_words;
    struct cat_litmus litmus;
    // Findings of the check about the kernel itself (docs/kernel.md), as lines; the first is a
    // summary: cat_package_check.
    struct text check;
    bool unsound; // the check found a problem: any result of a device is then right
};
void cat_package_clear(struct cat_package *package);

// Appends a package as compressed bytes.
void cat_package_write(const struct cat_package *package, struct text *bytes);
// The number of leading bytes that identify the package: all except the check's text.
size_t cat_package_identity(const void *bytes, size_t size);
// The summary of its check, or that it was not checked. Lives as long as the package, or for ever.
const char *cat_package_check(const struct cat_package *package);
// Parses a package. False with an error unless it is fully valid, including the module and each
// buffer's place in its region. Clear it in any case.
bool cat_package_read(const void *bytes, size_t size, struct cat_package *package,
                      struct lit_error *error);

// Appends its configuration's name; without a subgroup size, a pattern for all of them.
void cat_package_configuration(const struct cat_package *package, struct text *name);

// Appends the head of its test.
void cat_package_head(const struct cat_package *package, struct text *head);
