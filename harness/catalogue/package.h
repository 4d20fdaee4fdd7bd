// SPDX-License-Identifier: Apache-2.0
// A kernel from outside with all that its runs need: what makes it a test like those that are built
// in (cat_test_add). Travels as bytes to workers, and identifies what was measured.
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

// A package may be a litmus test, whose module has the usual interface, a table in CAT_INPUT, and
// is what generate/concurrent.h describes. Where its threads wait for each other `groups`,
// `workgroup` and `subgroup` are its places: for workgroups of an instance, for subgroups in each,
// for lanes in each. Else 0.
struct cat_litmus {
    uint32_t threads;  // 0: it is none
    uint32_t buffered; // locations in the state buffer
    uint32_t words;    // of each: 1, or 2, which hold the same
    uint32_t initial[CAT_MOST_LOCATIONS];
    bool forbids; // some states are forbidden; else those fail that its condition asks for
    struct cat_choice states;
};

struct cat_package {
    struct text name;   // of the test behind "kernel.", or "litmus."; empty: a generated program,
                        // which has a page, whose head says all else, and the module
    struct text origin; // the file that it came from
    struct text page;   // its source, or what else a person can read of it; may be empty
    uint32_t *words;    // the module
    size_t word_count;
    struct cat_interface interface;
    uint32_t groups;    // workgroups in x
    uint32_t workgroup; // invocations in a workgroup
    uint32_t subgroup;  // that is asked for; 0: as the device runs it
    struct cat_spec *specs;
    size_t spec_count;
    uint32_t *region[CAT_REGIONS]; // what they hold before each run
    size_t region_words[CAT_REGIONS];
    uint32_t *expected; // what CAT_OUTPUT holds after it
    size_t expected_words;
    struct cat_litmus litmus;
    // What the check says of the kernel itself (docs/kernel.md), lines; the first sums up:
    // cat_package_check.
    struct text check;
    bool unsound; // the check found something: whatever a device does with it is right
};
void cat_package_clear(struct cat_package *package);

// Appends a package as bytes, compressed.
void cat_package_write(const struct cat_package *package, struct text *bytes);
// How many of these bytes, from the first on, identify it: all but what the check says.
size_t cat_package_identity(const void *bytes, size_t size);
// What the check says of it; that it was not checked, where nobody asked. Lives as long as the
// package, or always.
const char *cat_package_check(const struct cat_package *package);
// Reads it back. False with an error unless all of it makes sense: that the module is one, that
// each buffer lies in its region. Clear it after a failure too.
bool cat_package_read(const void *bytes, size_t size, struct cat_package *package,
                      struct lit_error *error);

// Appends the name of its configuration; without a subgroup size that of each of them.
void cat_package_configuration(const struct cat_package *package, struct text *name);

// Appends the head of the test that it is.
void cat_package_head(const struct cat_package *package, struct text *head);
