// SPDX-License-Identifier: Apache-2.0
// A reproducer of one configuration.
#pragma once

#include "base/random.h"
#include "catalogue/package.h"
#include "catalogue/prepare.h"
#include "report/code.h"
#include "report/model.h"

// A ticket's bundle: one configuration as files that do not need this program (docs/repro.md).
// Pure, except the function that writes the folder.

struct repro {
    const struct eng_prepared *ready; // with its data
    // The contents; repro_of_test fills these from the test in `ready`.
    const char *name;            // of the configuration
    const struct cat_head *head; // name, asks, fails, spec and origin
    const char *page;            // source of the module
    const char *plain;           // spirv-dis's text of it; NULL: that is not installed
    const char *archive;         // name of the archive that the ticket tells to unpack
    const char *said;            // ticket.txt of a finding (docs/filing-a-bug.md), or NULL
    const char *page_of_finding; // or NULL
    const uint32_t *words;       // of the module
    const char *expectation;     // NULL: not stated
    const char *reason;          // the expectation's
    bool fixed_seed; // every run gets the low half of ready->stream, instead of its own seed

    const struct dev_facts *facts;    // of the device that `ready` is for
    const char *system;               // kernel name, release, machine
    const struct report_model *model; // the session that has the result; NULL: not measured
    const struct result *result;
    uint64_t seed, runs, first;   // the reproducer's defaults
    bool amber;                   // adds a script for Amber, if that can express the test
    const struct isa_entry *code; // compiled code; NULL: `no_code` says why
    const char *no_code;
    const struct isa_entry *twin; // of the nearest variant that did not fail; NULL: none
    const struct result *twin_result;
    const struct repro_bundle *kept; // its code and evidence as files; NULL: made from the above
};

// Fills the description of a bundle from its test. Appends to `name`, which must live as long.
void repro_of_test(struct repro *repro, struct text *name);

#define REPRO_MAX_FILES (36 + CAT_MOST_PARTS)

// File names for the modules of a kernel's further pipelines.
extern const char *const repro_part_names[CAT_MOST_PARTS];

struct repro_bundle {
    struct repro_file {
        const char *name; // constant, without a folder
        struct text content;
    } files[REPRO_MAX_FILES];
    size_t count;
};

// The contents of a bundle, read from its facts.json and the files of code and evidence beside it.
struct repro_past {
    struct report_model model; // with one device and one result
    struct cat_case which;
    char sha256[65];            // of the module
    uint64_t seed, runs, first; // of the bundle
    struct repro_bundle kept;
    // Of a finding, else empty: its folder's name, its ticket.txt, and its page, FOLDER.md.
    struct text name, said, page;
};
// `past` is zero-initialised; clear it after a failure too. False with an error that names `path`.
bool repro_facts_read(const char *path, struct repro_past *past, struct lit_error *error);
void repro_past_clear(struct repro_past *past);

// Appends the configuration of the module other-NUMBER.spv (from 1) that a ticket.txt names. False
// if it names fewer; `said` may be NULL.
bool repro_other(const char *said, size_t number, struct text *name);

#define DRIVER_LAVAPIPE 13u // VK_DRIVER_ID_MESA_LLVMPIPE

// The most 32-bit words of input, of expectation and of output.
#define REPRO_MOST_WORDS (UINT64_C(1) << 24)

// Whether a bundle can hold the configuration. False with an error that says what is too much.
bool repro_fits(const struct eng_prepared *ready, struct lit_error *error);

// Fills *bundle; clear it with repro_clear.
void repro_make(const struct repro *repro, struct repro_bundle *bundle);
void repro_clear(struct repro_bundle *bundle);

// Why Amber cannot express the test at all, so that there is no script; NULL: it can.
const char *repro_amber_lacks(const struct repro *repro);

// Writes a kernel of one module without addresses as FOLDER/NAME.amber, which becomes `path`, and
// the files that this needs. `remark`: lines of comment at its top. False with an error.
bool script_write(const struct cat_package *package, const char *remark, const char *folder,
                  struct text *path, struct lit_error *error);

// Writes the files into a new folder beside `folder` and renames that, so that all or nothing is
// there. Makes missing parent folders. Then adds the script for Amber of a kernel from outside, if
// that is wanted.
bool repro_write(const struct repro *repro, const struct repro_bundle *bundle, const char *folder,
                 struct lit_error *error);

// --- litmus repro

// The operands that name a benchmark's row, at default sizes, "bench:subgroup/emulated/...": see
// cli_syntax.
const char *repro_bench_at(size_t index, void *user);

struct repro_options {
    struct lit_list devices, simt;
    const char *db, *output, *facts;
    uint64_t session, runs;
    struct lit_seed seed;
    bool amber;
};

// Writes the bundle and prints its path. `store_given`: the store must have the result. Returns the
// exit code, after printing any error.
int repro_configuration(const struct repro_options *chosen, bool store_given,
                        const struct lit_list *operands, struct lit_error *error);

// The files of a bundle; one function writes each. Pure. Private to harness/repro/.

// repro.c: template.c with this configuration filled in, and what it includes of the tree.
void repro_program(const struct repro *repro, struct text *out);
// settle.c, which it includes where buffers may differ: the program's own source, in one file.
void repro_settling(struct text *out);
void repro_amber(const struct repro *repro, struct text *out);
// annotated.spvasm: a test's page with one instruction a line, without paths of the repository.
void repro_annotated(const char *page, struct text *out);
// report.md: a finding's page without links to files, and without the points that say where the
// bundle is and whether it was filed. `folder`: of the finding, whose files the bundle has.
void repro_report(const char *page, const char *folder, struct text *out);
void repro_facts(const struct repro *repro, struct text *out);
// Adds the files of compiled code; writes what README.md says about them.
void repro_code(const struct repro *repro, struct repro_bundle *bundle);
void repro_code_readme(const struct repro *repro, struct text *out);
// Adds an empty file to the bundle.
struct text *repro_add(struct repro_bundle *bundle, const char *name);
// Returns the content of a file of the bundle; NULL if it has none of this name.
const struct text *repro_find(const struct repro_bundle *bundle, const char *name);
// Appends text from a driver or a store, with codes for all characters that Markdown or HTML might
// interpret.
void repro_escape(struct text *out, const char *string);
// Like printf, but escapes every string so.
__attribute__((format(__printf__, 2, 3))) void repro_printf(struct text *out, const char *format,
                                                            ...);
// code.txt of a finding: `listing`, but with the marks of its ticket.txt, if that has any.
void repro_mark(const struct repro *repro, const struct text *listing, struct text *out);
// `bundle` has all other files but the README.
void repro_ticket(const struct repro *repro, const struct repro_bundle *bundle, struct text *out);
// `bundle` has all other files: the README lists their names and sizes.
void repro_readme(const struct repro *repro, const struct repro_bundle *bundle, struct text *out);

// The module's SPIR-V version, as assemblers call it.
const char *repro_spirv(const struct repro *repro);
// The module comes from GLSL: its page is no assembly.
bool repro_from_glsl(const struct repro *repro);
// How many words of expectation each word of output has.
uint32_t repro_stride(const struct repro *repro);
uint64_t repro_output_words(const struct repro *repro);
// The words in expected.bin: with alternatives, for one instance if all expect the same, else for
// all.
uint64_t repro_expected_words(const struct repro *repro);

// How a tool that knows no modes can compare a word of output.
enum repro_compare {
    REPRO_EQUAL,     // it must be *word
    REPRO_DIFFERENT, // it must not be *word; others may be wrong as well
    REPRO_OPEN,      // several words are right, and we do not know which are wrong
};
enum repro_compare repro_compare(const struct cat_mode *mode, const uint32_t *expected,
                                 uint32_t *word);
