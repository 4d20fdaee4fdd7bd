// SPDX-License-Identifier: Apache-2.0
// Turns users' compute kernels into tests: makes a package from options or a script, checks it and
// adds it to the catalogue.
#pragma once

#include "base/text.h"
#include "catalogue/package.h"
#include "catalogue/prepare.h"

// As given. Names of files are relative to the current folder.
struct krn_options {
    struct lit_list buffers, specs, expected, allowed, defines, includes, steps, modules, binds;
    struct lit_list lines; // lines of FILE.kernel; options from it point into them
    const char *groups, *push, *entry, *name;
    uint64_t subgroup;
    bool full;
    bool agrees; // --expect agree, and --check, which needs no expectation
    bool check, unchecked;
};

enum krn_source { KRN_SPIRV, KRN_ASSEMBLY, KRN_GLSL };

// Reads a file of 1 to `most` bytes.
bool krn_bytes(const char *path, size_t most, struct text *bytes, struct lit_error *error);
// Reads the words of a file: numbers as text in *.words, else bytes, padded with zeros to a whole
// word. free() them.
bool krn_words(const char *path, uint32_t **words, size_t *count, struct lit_error *error);

// Reads a module from a file: SPIR-V, its assembly (*.spvasm), or GLSL (*.comp). `page` becomes its
// human-readable text. False with an error; the caller frees the words, after a failure too.
bool krn_load(const char *path, const struct krn_options *chosen, uint32_t **words, size_t *count,
              struct text *page, struct lit_error *error);

// Makes a package from the options. False with an error that names what is missing and an option
// for it; cat_package_clear frees it, after a failure too. With `agrees`, leaves the expectation to
// krn_agree.
bool krn_make(const char *path, const struct krn_options *options, struct cat_package *package,
              struct lit_error *error);

// Adds a package to the catalogue.
bool krn_add(const struct cat_package *package, struct lit_error *error);

// Runs it once on the SIMT simulator, within the limits of the check, and appends its memory
// errors: accesses out of bounds, reads of uninitialised memory, data races. False with an error if
// the simulator cannot run it. Adds the package to the catalogue.
bool krn_check(const struct cat_package *package, const char *name, struct text *out, bool *found,
               struct lit_error *error);
// Call before reporting on a device: checks a sample in the same way, unless `unchecked`. Sets
// package->check and ->unsound, and prints on stderr the findings, or why there could be none.
// Leaves the catalogue unchanged. False with an error if the test is impossible or the user
// interrupts.
bool krn_vet(struct cat_package *package, const char *name, bool unchecked,
             struct lit_error *error);

// --- Kernels in a store

struct store;

// Writes the kernels that were added to the catalogue to a session. *all: none was too large;
// prints those on stderr.
bool krn_keep(struct store *store, int64_t session, bool *all, struct lit_error *error);
// Adds a session's kernels to the catalogue; session 0: the newest of each name.
bool krn_take(struct store *store, int64_t session, struct lit_error *error);

// --- The expectation

// Sets the expectation to what one run on the SIMT simulator under lockstep leaves in the written
// buffers. If other runs there, under lockstep and tangled, differ, the kernel's results are
// unspecified; the package and a line on stderr then say so. Leaves the package in the catalogue.
// False with an error if the simulator cannot run it.
bool krn_agree(struct cat_package *package, const char *name, struct lit_error *error);
