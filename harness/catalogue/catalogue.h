// SPDX-License-Identifier: Apache-2.0
// The catalogue: the tests that are built in, their variants and configurations, and how they are
// named and selected. Pure: no Vulkan, no files. Kernels from outside are added to it; else it
// never changes, and everything that it hands out lives as long as the program.
#pragma once

#include "base/error.h"
#include "base/random.h"
#include "base/text.h"
#include "model/facts.h"
#include "catalogue/head.h"
#include "catalogue/oracle.h"
#include "catalogue/package.h"

// One SPIR-V module of a test: a variant, for one subgroup size if the test has `sizes`.
struct cat_module {
    const char *variant; // "sync=none,form=ssa", "" for a test without axes
    uint32_t subgroup;   // 0: any
    uint32_t offset;     // into the test's words
    uint32_t count;      // 32-bit words
    uint64_t features;   // CAT_FEATURE bits that the module's capabilities and extensions need
    char sha256[65];     // of the .spv file
    uint32_t names;      // offset into the test's names
    uint32_t names_size; // bytes; 0: they are not known
    uint32_t page;       // offset into the test's pages
    bool divisible;      // its dispatch may be cut into several (cat_module_is_divisible)
    uint8_t axis[CAT_MAX_AXES]; // the variant once more: index of the value of each axis
};

// What the build embeds for a test: see tools/embed.c.
struct cat_embedded {
    const char *name;                 // "shuffle.scan-loop"
    const struct cat_module *modules; // sorted by `axis`, the first axis first
    size_t module_count;
    const unsigned char *packed; // one zstd frame: the words of all modules, the source text, the
                                 // names of all modules
    size_t packed_size;
    size_t word_count;          // 32-bit words of all modules
    size_t source_size;         // bytes of source text, terminated by a NUL behind them
    size_t names_size;          // bytes of the modules' names
    const unsigned char *pages; // another frame: each module's own text, terminated
    size_t pages_size;          // bytes of the frame
    size_t pages_length;        // bytes that it unpacks to
    size_t head_size;           // bytes of `head`
    const char *head;           // the comment lines of the head
    const unsigned char *file;  // words of the file that the head names, lowest byte first
    size_t file_words;
};

struct cat_test {
    struct cat_head head; // parsed: name, axes, sweeps, rules
    const struct cat_embedded *embedded;
    const struct cat_oracle *oracle;
    const struct cat_package *package; // of a kernel from outside; NULL: built in
    const void *program;               // of a generated one: what its oracle reads
};

// One point: test, axis values, sweep values, subgroup size.
struct cat_case {
    const struct cat_test *test;
    uint8_t axis[CAT_MAX_AXES];    // index of the value of each axis
    uint8_t sweep[CAT_MAX_SWEEPS]; // index of the value of each sweep
    uint32_t subgroup;             // 0 while unresolved
};

// How its words are judged: the final states of a litmus test have names of its own.
struct cat_mode cat_test_mode(const struct cat_test *test);

// The generator whose programs its runs are ("groups"), each another one; NULL: its own module is
// what runs.
const char *cat_test_draws(const struct cat_test *test);
// Programs of so many steps, a parameter, have so many runs of their own.
#define CAT_DRAWN_RUNS(steps) ((steps) / 5)
// Where nobody says how many runs there are, such a test has one of so many that others have.
#define CAT_DRAWN_PART 20

size_t cat_test_count(void);
const struct cat_test *cat_test_at(size_t index); // sorted by name
const struct cat_test *cat_test_find(const char *name);

// Adds a kernel from outside, as cat_package_write has it, as the test kernel.NAME, a litmus test
// as litmus.NAME, or a generated program under the name of its head, and sets *test
// (NULL: nobody asks). The same once more is what is there already, whatever the check says of it.
// False with an error if it makes no sense, or another one has its name. Not thread-safe.
bool cat_test_add(const void *bytes, size_t size, const struct cat_test **test,
                  struct lit_error *error);
// Of a kernel from outside cat_package_check; NULL: it is none.
const char *cat_test_check(const struct cat_test *test);
// Takes back the test that was added last. Nothing may refer to it.
void cat_test_drop(void);
// The bytes of the tests that were added, in turn, from index 0 on, and in *name (NULL: nobody
// asks) what each is called; NULL behind the last.
const struct text *cat_added_at(size_t index, const char **name);

// What identifies all that is built in: a hash over the heads of all tests and the hashes of their
// modules.
extern const char cat_identity[IDENTITY_SIZE];

// The words of a module, unpacked on first use and kept. Not thread-safe.
const uint32_t *cat_module_words(const struct cat_test *test, const struct cat_module *module);
// What its ids are called in the test's text: one a line from 1 on, "" for none. Likewise.
const char *cat_module_names(const struct cat_test *test, const struct cat_module *module);
// A copy of a module with an OpName for each name of such a list; free() it. A module that cannot
// be understood is copied as it is.
uint32_t *cat_ids_insert(const uint32_t *words, size_t count, const char *names, size_t size,
                         size_t *new_count);
// What the module was made from, terminated: the test's text with the choices of this variant made
// and all includes in their places, as spirv-as takes it; GLSL for a module that was compiled from
// that. Likewise.
const char *cat_module_page(const struct cat_test *test, const struct cat_module *module);
// The test's source text, terminated, unpacked on first use and kept.
const char *cat_test_source(const struct cat_test *test);

// How many words the file has that the test's head names; 0 without one. Word `at` of it, which
// ends the program where there is none: the test is broken.
size_t cat_test_file_words(const struct cat_test *test);
uint32_t cat_test_file(const struct cat_test *test, size_t at);

// The module that a case runs, or NULL if there is none (the assembler at build time was too old
// for it, or no module for this subgroup size).
const struct cat_module *cat_case_module(const struct cat_case *which);
// Has that module be another one from here on, whose words are copied. One module of all can be
// another. False with an error if the case has no module, or the words are
// none. Not thread-safe.
bool cat_case_replace(const struct cat_case *which, const uint32_t *words, size_t count,
                      struct lit_error *error);
// The features (CAT_FEATURE bits) that a case's module needs, at whatever subgroup size.
uint64_t cat_case_features(const struct cat_case *which);
// Appends the configuration's name. Without a subgroup size (0) the name has no `subgroup`.
void cat_case_name(const struct cat_case *which, struct text *name);
// Appends what people read of a name: without the first value of each axis, and without the value
// of each parameter of which the default run has only one. All of it, if the catalogue has no such
// test.
void cat_label(const struct cfg *cfg, struct text *label);
// Appends the id and the label of a name: "5bc95a78 shuffle.scan-loop@subgroup=8".
void cat_name_shown(const char *name, struct text *shown);
// The pattern that a user's pattern stands for, with ! before it or not; free() it. Of an id the
// name, if the catalogue has it. Of a name without wildcards, in which pairs may be left out: all
// pairs, with the values that a label leaves out; parameters of which a label has every value get a
// wildcard. Everything else as it is.
char *cat_pattern(const char *given);
// The inverse: parses "test/axis=value,...@parameter=value,...". Fails with one line that names the
// nearest test, axis or value.
bool cat_case_parse(const char *name, struct cat_case *which, struct lit_error *error);
// What a pattern names where one configuration is wanted: of several the first, of those of the
// default run if it says nothing else. It is to name its test. False with an error.
bool cat_case_first(const char *pattern, struct cat_case *which, struct lit_error *error);
// The same as cat_case_parse of a name that was taken apart already.
bool cat_case_find(const struct cfg *cfg, struct cat_case *which, struct lit_error *error);
// Appends the small program of the memory model that an instance of a case is, as a .litmus that
// asks for what fails: ~exists if that is forbidden, else exists. False with an error if there is
// none (LIT_EXIT_UNDECIDED).
bool cat_case_formal(const struct cat_case *which, struct text *text, struct lit_error *error);
// The `expect` line that holds.
const struct cat_rule *cat_case_expect(const struct cat_case *which);
// Its expectation and reason.
enum cat_expectation cat_case_expectation(const struct cat_case *which, const char **reason);
bool cat_case_is_thorough(const struct cat_case *which);
// Symbolic values can coincide for small subgroups: the first of equals stands for all of them, and
// the others do not exist.
bool cat_case_repeats(const struct cat_case *which);
// Calls `visit` for every case of a test that exists, in the order of the head, for one subgroup
// size.
void cat_test_each(const struct cat_test *test, uint32_t subgroup,
                   void (*visit)(const struct cat_case *which, void *user), void *user);
// The number that sweep `index` has: `last` and `middle` resolved, `largest` as CAT_LARGEST.
uint32_t cat_case_sweep(const struct cat_case *which, size_t index);

// A selection: patterns, of which the last that matches a name wins; `!` before a pattern excludes.
// A pattern matches a test name ("shuffle.*", "shuffle") or a whole configuration name. Naming a
// configuration (a pattern with `/` or `@`) reaches those behind --thorough too.
struct cat_selection {
    const char *const *patterns; // none: everything
    size_t count;
    bool thorough;
    // What else has to hold of a case on a device (eng_plan_make asks it), NULL for nothing.
    bool (*keeps)(const struct cat_case *which, const char *name, const struct dev_facts *facts,
                  const void *user);
    const void *user;
};

// False with an error that names the nearest tests, if a pattern matches nothing in the catalogue.
bool cat_selection_check(const struct cat_selection *selection, struct lit_error *error);
bool cat_selection_has(const struct cat_selection *selection, const struct cat_case *which);
// The part of a selection that says anything of a test: it has the same cases of it, and less to
// compare each with. `room` is for as many patterns. False if it has none.
bool cat_selection_narrow(const struct cat_selection *selection, const struct cat_test *test,
                          const char **room, struct cat_selection *narrow);
