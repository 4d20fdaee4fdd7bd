// SPDX-License-Identifier: Apache-2.0
// Compute kernels of others as tests: what is said of one, by options or a script, becomes a
// package, which is checked and added to the catalogue.
#pragma once

#include "base/text.h"
#include "catalogue/package.h"
#include "catalogue/prepare.h"

// As given. Files are named from the present folder on.
struct krn_options {
    struct lit_list buffers, specs, expected, allowed, defines, includes, steps, modules, binds;
    struct lit_list lines; // of FILE.kernel: what the options of it hold lies in them
    const char *groups, *push, *entry, *name;
    uint64_t subgroup;
    bool full;
    bool agrees; // --expect agree, and --check, which asks for nothing
    bool check, unchecked;
};

enum krn_source { KRN_SPIRV, KRN_ASSEMBLY, KRN_GLSL };

// Reads a file of 1 to `most` bytes.
bool krn_bytes(const char *path, size_t most, struct text *bytes, struct lit_error *error);
// Reads the words of a file: numbers as text in *.words, else bytes, which zeros fill up to a whole
// word. free() them.
bool krn_words(const char *path, uint32_t **words, size_t *count, struct lit_error *error);

// Reads the module of a file: SPIR-V, its assembly (*.spvasm), or GLSL (*.comp). `page` becomes
// what a person can read of it. False with an error; the words are freed by whoever asked, after a
// failure too.
bool krn_load(const char *path, const struct krn_options *chosen, uint32_t **words, size_t *count,
              struct text *page, struct lit_error *error);

// Makes a package of what was given. False with an error that names what is missing, and an option
// that says it; cat_package_clear frees it, after a failure too.
// Where `agrees` is set, what is expected is left open: krn_agree says it.
bool krn_make(const char *path, const struct krn_options *options, struct cat_package *package,
              struct lit_error *error);

// Adds a package to the catalogue.
bool krn_add(const struct cat_package *package, struct lit_error *error);

// Runs it once on the SIMT simulator, as far as can be looked at, and appends what it did wrong
// with memory: accesses out of bounds, reads of what nobody wrote, data races. False with an error
// if the simulator cannot run it. Adds the package to the catalogue.
bool krn_check(const struct cat_package *package, const char *name, struct text *out, bool *found,
               struct lit_error *error);
// Comes before anything is said of a device: the same of a sample, unless it is to stay
// `unchecked`. Sets package->check and ->unsound, and says on stderr what was found, or why nothing
// could be. Leaves the catalogue as it was. False with an error if there can be no such test, or
// somebody interrupts.
bool krn_vet(struct cat_package *package, const char *name, bool unchecked,
             struct lit_error *error);

// --- Kernels in a store

struct store;

// Writes the kernels that were added to the catalogue as those of a session. *all: none was too
// large, which is said on stderr.
bool krn_keep(struct store *store, int64_t session, bool *all, struct lit_error *error);
// Adds those of a session to the catalogue; session 0: the newest of each name.
bool krn_take(struct store *store, int64_t session, struct lit_error *error);

// --- What is right

// Sets what is expected to what one run on the SIMT simulator under lockstep leaves in the buffers
// that are written. Where other runs there, under lockstep and tangled, differ, it is a kernel with
// unspecified results, whose package says so then, and so does a line on stderr. Leaves the package
// in the catalogue.
// False with an error if the simulator cannot run it.
bool krn_agree(struct cat_package *package, const char *name, struct lit_error *error);
