// SPDX-License-Identifier: Apache-2.0
// A ticket's bundle: one configuration as files that need nothing of this program (docs/repro.md).
// Pure, but for the function that writes the folder.
#pragma once

#include "catalogue/prepare.h"
#include "report/code.h"
#include "report/model.h"

struct repro {
    const struct eng_prepared *ready; // with its data
    const struct dev_facts *facts;    // of the device that it was made ready for
    const char *system;               // kernel name, release, machine
    const struct report_model *model; // the session that has the result; NULL: not measured
    const struct report_result *result;
    uint64_t seed, runs, first;   // what the reproducer does unless told otherwise
    bool amber;                   // a script for Amber too, if that can express the test
    const struct isa_entry *code; // what the driver made of it; NULL: `no_code` says why
    const char *no_code;
    const struct isa_entry *twin; // of the nearest variant that did not fail; NULL: none
    const struct report_result *twin_result;
};

#define REPRO_MAX_FILES 16

struct repro_bundle {
    struct repro_file {
        const char *name; // constant, without a folder
        struct text content;
    } files[REPRO_MAX_FILES];
    size_t count;
};

// The most 32-bit words of input, of expectation and of output.
#define REPRO_MOST_WORDS (UINT64_C(1) << 24)

// Whether a bundle can hold the configuration. False with an error that says what is too much.
bool repro_fits(const struct eng_prepared *ready, struct lit_error *error);

// Fills *bundle; clear it with repro_clear.
void repro_make(const struct repro *repro, struct repro_bundle *bundle);
void repro_clear(struct repro_bundle *bundle);

// What Amber cannot express of the test at all, so that there is no script; NULL: nothing.
const char *repro_amber_lacks(const struct repro *repro);

// Whether `folder` can be made: it is not there, or an empty folder. False with an error.
bool repro_folder_free(const char *folder, struct lit_error *error);
// Writes the files into a new folder beside `folder` and renames that: all of it is there or
// nothing.
bool repro_write(const struct repro_bundle *bundle, const char *folder, struct lit_error *error);
