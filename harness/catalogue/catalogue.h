// SPDX-License-Identifier: Apache-2.0
// The catalogue: the built-in tests, their variants and configurations, and their names and
// selection. Pure: no Vulkan, no files. It changes only when kernels from outside are added, and
// everything it returns lives as long as the program.
#pragma once

#include "base/error.h"
#include "base/random.h"
#include "base/text.h"
#include "model/facts.h"
#include "catalogue/head.h"
#include "catalogue/oracle.h"
#include "catalogue/package.h"

// One SPIR-V module of a test: a variant, for one subgroup size if the head has `sizes`.
struct cat_module {
    const char *variant; // "sync=none,form=ssa", "" for a test without axes
    uint32_t subgroup;   // 0: any
    uint32_t offset;     // into the test's words
    uint32_t count;      // 32-bit words
    uint64_t features;   // CAT_FEATURE bits required by the module's capabilities and extensions
    char sha256[65];     // of the .spv file
    uint32_t names;      // offset into the test's names
    uint32_t names_size; // bytes; 0: no names
    uint32_t page;       // offset into the test's pages
    bool divisible;      // its dispatch may be split (cat_module_is_divisible)
    uint8_t axis[CAT_MAX_AXES]; // the variant as indexes: the value of each axis
};

// A test as embedded by the build: see tools/embed.c.
struct cat_embedded {
    const char *name;                 // "shuffle.scan-loop"
    const struct cat_module *modules; // sorted by `axis`, first axis most significant
    size_t module_count;
    const unsigned char *packed; // one zstd frame: modules' words, source text, modules' names
    size_t packed_size;
    size_t word_count;          // 32-bit words of all modules
    size_t source_size;         // bytes of source text without its terminating NUL
    size_t names_size;          // bytes of the modules' names
    const unsigned char *pages; // another frame: each module's own text, NUL-terminated
    size_t pages_size;          // bytes of the frame
    size_t pages_length;        // unpacked bytes
    size_t head_size;           // bytes of `head`
    const char *head;           // the comment lines of the head
    const unsigned char *file;  // words of the file named by the head, little-endian
    size_t file_words;
};

struct cat_test {
    struct cat_head head; // parsed: name, axes, sweeps, rules
    const struct cat_embedded *embedded;
    const struct cat_oracle *oracle;
    const struct cat_package *package; // for a kernel from outside; NULL: built in
    const void *program;               // of a generated one: what its oracle reads
    const uint32_t *words; // of a generated one: its only module; NULL: unpacked on first use
};

// One point: test, axis values, sweep values, subgroup size.
struct cat_case {
    const struct cat_test *test;
    uint8_t axis[CAT_MAX_AXES];    // index of the value of each axis
    uint8_t sweep[CAT_MAX_SWEEPS]; // index of the value of each sweep
    uint32_t subgroup;             // 0 while unresolved
};

// How its words are judged; the final states of a litmus test have individual names.
struct cat_mode cat_test_mode(const struct cat_test *test);

// The generator ("groups") whose programs are its runs, a different one each run; NULL: it runs its
// own module.
const char *cat_test_draws(const struct cat_test *test);
// Runs of each drawn program, given its number of steps (a parameter).
#define CAT_DRAWN_RUNS(steps) ((steps) / 5)
// Such a test gets 1/CAT_DRAWN_PART of the default number of runs.
#define CAT_DRAWN_PART 20

size_t cat_test_count(void);
const struct cat_test *cat_test_at(size_t index); // sorted by name
const struct cat_test *cat_test_find(const char *name);

// Adds a kernel from outside in the form of cat_package_write: as test kernel.NAME, a litmus test
// as litmus.NAME, a generated program under its head's name. Sets *test (may be NULL). Adding the
// same one again returns the existing test, even if its check differs. False with an error if it is
// invalid or its name is taken. Not thread-safe.
bool cat_test_add(const void *bytes, size_t size, const struct cat_test **test,
                  struct lit_error *error);
// For a kernel from outside cat_package_check; else NULL.
const char *cat_test_check(const struct cat_test *test);
// Removes the test that was added last. Nothing may refer to it.
void cat_test_drop(void);
// The bytes of added tests by index, in order of addition, and the test's name in *name (may be
// NULL); NULL after the last.
const struct text *cat_added_at(size_t index, const char **name);

// Identifies everything built in: a hash over the heads of all tests and the hashes of their
// modules.
extern const char cat_identity[IDENTITY_SIZE];

// A module's words, unpacked on first use and kept. Not thread-safe.
const uint32_t *cat_module_words(const struct cat_test *test, const struct cat_module *module);
// The names of its ids in the test's text: one per line from 1 on, "" for none. Unpacked like the
// words.
const char *cat_module_names(const struct cat_test *test, const struct cat_module *module);
// A copy of a module with an OpName for each name of such a list; free() it. A module that cannot
// be parsed is copied unchanged.
uint32_t *cat_ids_insert(const uint32_t *words, size_t count, const char *names, size_t size,
                         size_t *new_count);
// The module's source, NUL-terminated: the test's text preprocessed for this variant, as spirv-as
// takes it; for a module compiled from GLSL, the GLSL. Unpacked like the words.
const char *cat_module_page(const struct cat_test *test, const struct cat_module *module);
// The test's source text, NUL-terminated, unpacked on first use and kept.
const char *cat_test_source(const struct cat_test *test);
// Appends all about a test, or about a configuration and its test, then the source; with `source`
// only that. False with an error if nothing has this name.
bool cat_show(const char *name, bool source, struct text *text, struct lit_error *error);

// The number of words in the file that the test's head names; 0 without a file. Word `at` of it;
// beyond the last word the test is broken, and the program ends.
size_t cat_test_file_words(const struct cat_test *test);
uint32_t cat_test_file(const struct cat_test *test, size_t at);

// The module that a case runs; NULL if there is none (too new for the assembler at build time, or
// none for this subgroup size).
const struct cat_module *cat_case_module(const struct cat_case *which);
// The CAT_FEATURE bits that a case's module needs at any subgroup size.
uint64_t cat_case_features(const struct cat_case *which);
// Appends the configuration's name, without `subgroup` if the size is 0.
void cat_case_name(const struct cat_case *which, struct text *name);
// Appends a label for readers: the name without each axis's first value and without parameters
// whose default run has a single value. The full name, if the catalogue lacks the test.
void cat_label(const struct cfg *cfg, struct text *label);
// Appends the id and the label of a name: "5bc95a78 shuffle.scan-loop@subgroup=8".
void cat_name_shown(const char *name, struct text *shown);
// Expands a user's pattern, which may begin with !; free() the result. An id becomes its name, if
// the catalogue has it. A name without wildcards may lack pairs: it is completed with the values
// that a label omits, and a wildcard for parameters whose every value a label shows. Anything
// else is returned unchanged.
char *cat_pattern(const char *given);
// Parses "test/axis=value,...@parameter=value,...", the inverse. Fails with a one-line error that
// suggests the nearest test, axis or value.
bool cat_case_parse(const char *name, struct cat_case *which, struct lit_error *error);
// Resolves a pattern where one configuration is needed: the first match, from the default run
// unless the pattern says otherwise. The pattern must name the test. False with an error.
bool cat_case_first(const char *pattern, struct cat_case *which, struct lit_error *error);
// Like cat_case_parse, for a name that is already parsed.
bool cat_case_find(const struct cfg *cfg, struct cat_case *which, struct lit_error *error);
// Appends an instance of a case as a program of the memory model: a .litmus whose condition is the
// failure, ~exists if forbidden, else exists. False with an error if the test has none
// (LIT_EXIT_UNDECIDED).
bool cat_case_formal(const struct cat_case *which, struct text *text, struct lit_error *error);
// The `expect` line that applies.
const struct cat_rule *cat_case_expect(const struct cat_case *which);
// Its expectation and reason.
enum cat_expectation cat_case_expectation(const struct cat_case *which, const char **reason);
bool cat_case_is_thorough(const struct cat_case *which);
// Whether symbolic values coincide with earlier ones, as they can for small subgroups: only the
// first of equal values exists.
bool cat_case_repeats(const struct cat_case *which);
// Calls `visit` for every existing case of a test at one subgroup size, in the order of the head.
void cat_test_each(const struct cat_test *test, uint32_t subgroup,
                   void (*visit)(const struct cat_case *which, void *user), void *user);
// The value of sweep `index`: `last` and `middle` resolved, `largest` as CAT_LARGEST.
uint32_t cat_case_sweep(const struct cat_case *which, size_t index);

// A selection: patterns; the last that matches a name decides; `!` before a pattern
// excludes. A pattern matches a test name ("shuffle.*", "shuffle") or a whole configuration name. A
// pattern that names configurations (with `/` or `@`) also reaches those that need --thorough.
struct cat_selection {
    const char *const *patterns; // none: everything
    size_t count;
    bool thorough;
    // A further condition on a case and device, checked by eng_plan_make; NULL: none.
    bool (*keeps)(const struct cat_case *which, const char *name, const struct dev_facts *facts,
                  const void *user);
    const void *user;
};

// False with an error that suggests the nearest tests if a pattern matches nothing in the
// catalogue.
bool cat_selection_check(const struct cat_selection *selection, struct lit_error *error);
bool cat_selection_has(const struct cat_selection *selection, const struct cat_case *which);
// Reduces a selection to the patterns that can concern a test, for speed: it selects the same cases
// of the test. `room` is for as many patterns. False if none can.
bool cat_selection_narrow(const struct cat_selection *selection, const struct cat_test *test,
                          const char **room, struct cat_selection *narrow);
