// SPDX-License-Identifier: Apache-2.0
// A reproducer of one configuration.
#pragma once

#include "catalogue/prepare.h"
#include "report/code.h"
#include "report/model.h"

// A ticket's bundle: one configuration as files that need nothing of this program (docs/repro.md).
// Pure, but for the function that writes the folder.

struct repro {
    const struct eng_prepared *ready; // with its data
    // What it is; repro_of_test fills these from `ready`, of whose test they are.
    const char *name;            // of the configuration
    const struct cat_head *head; // name, asks, fails, spec and origin
    const char *page;            // what the module was made from
    const uint32_t *words;       // of the module
    const char *expectation;     // NULL: none is stated
    const char *reason;          // of the expectation
    bool fixed_seed;             // every run gets the low half of ready->stream, not one of its own

    const struct dev_facts *facts;    // of the device that it was made ready for
    const char *system;               // kernel name, release, machine
    const struct report_model *model; // the session that has the result; NULL: not measured
    const struct report_result *result;
    uint64_t seed, runs, first;   // what the reproducer does unless told otherwise
    bool amber;                   // a script for Amber too, if that can express the test
    const struct isa_entry *code; // compiled code; NULL: `no_code` says why
    const char *no_code;
    const struct isa_entry *twin; // of the nearest variant that did not fail; NULL: none
    const struct report_result *twin_result;
    const struct repro_bundle *kept; // its code and evidence as files; NULL: made of the above
};

// Fills what says what a bundle is. `name` is appended to and has to live as long.
void repro_of_test(struct repro *repro, struct text *name);

#define REPRO_MAX_FILES (18 + CAT_MOST_PARTS)

// Files of the modules of a kernel's further pipelines.
extern const char *const repro_part_names[CAT_MOST_PARTS];

struct repro_bundle {
    struct repro_file {
        const char *name; // constant, without a folder
        struct text content;
    } files[REPRO_MAX_FILES];
    size_t count;
};

// What a bundle was made of, read from its facts.json and the files of code and evidence beside it.
struct repro_past {
    struct report_model model; // of one device and one result
    struct cat_case which;
    char sha256[65];            // of the module
    uint64_t seed, runs, first; // of the bundle
    struct repro_bundle kept;
};
// `past` is zero-initialised; clear it after a failure too. False with an error that names `path`.
bool repro_facts_read(const char *path, struct repro_past *past, struct lit_error *error);
void repro_past_clear(struct repro_past *past);

// The most 32-bit words of input, of expectation and of output.
#define REPRO_MOST_WORDS (UINT64_C(1) << 24)

// Whether a bundle can hold the configuration. False with an error that says what is too much.
bool repro_fits(const struct eng_prepared *ready, struct lit_error *error);

// Fills *bundle; clear it with repro_clear.
void repro_make(const struct repro *repro, struct repro_bundle *bundle);
void repro_clear(struct repro_bundle *bundle);

// What Amber cannot express of the test at all, so that there is no script; NULL: nothing.
const char *repro_amber_lacks(const struct repro *repro);

// Writes the files into a new folder beside `folder` and renames that: all of it is there or
// nothing. The folders above are made where they are not there.
bool repro_write(const struct repro_bundle *bundle, const char *folder, struct lit_error *error);

// The files of a bundle that are written, each by one function. Pure. Private to harness/repro/.

// repro.c: template.c with this configuration in its place, and without what is for others.
void repro_program(const struct repro *repro, struct text *out);
void repro_amber(const struct repro *repro, struct text *out);
void repro_facts(const struct repro *repro, struct text *out);
// What each feature is called: what has to be true in C for a device to have it; Amber's name, or
// the extension where Amber has no name for it.
extern const struct repro_feature {
    const char *condition, *amber, *extension;
} repro_features[CAT_FEATURE_COUNT];
// The compiled code: the files that there are, and what README.md says of them.
void repro_code(const struct repro *repro, struct repro_bundle *bundle);
void repro_code_readme(const struct repro *repro, struct text *out);
// An empty file, added to the bundle.
struct text *repro_add(struct repro_bundle *bundle, const char *name);
// Appends text that comes from a driver or a store: every character that Markdown or HTML could
// take for more than itself is written as its code.
void repro_escape(struct text *out, const char *string);
// As printf, but every string is escaped so.
__attribute__((format(__printf__, 2, 3))) void repro_printf(struct text *out, const char *format,
                                                            ...);
// `bundle` has all other files: their names and sizes are listed.
void repro_readme(const struct repro *repro, const struct repro_bundle *bundle, struct text *out);

// The version of SPIR-V that the module is of, as assemblers call it.
const char *repro_spirv(const struct repro *repro);
// The module was compiled from GLSL: its page is no assembly.
bool repro_from_glsl(const struct repro *repro);
// How many words the expectation has for each word of the output.
uint32_t repro_stride(const struct repro *repro);
uint64_t repro_output_words(const struct repro *repro);
// The words of expected.bin: with alternatives those of one instance if all expect the same, else
// of all.
uint64_t repro_expected_words(const struct repro *repro);

// How a word of the output can be compared by a tool that knows no modes.
enum repro_compare {
    REPRO_EQUAL,     // it has to be *word
    REPRO_DIFFERENT, // it must not be *word, nor perhaps others
    REPRO_OPEN,      // several words are right, and which are wrong is not known
};
enum repro_compare repro_compare(const struct cat_mode *mode, const uint32_t *expected,
                                 uint32_t *word);
