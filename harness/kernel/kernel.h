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
    struct lit_list without; // execution modes
    const char *groups, *push, *entry, *name;
    uint64_t subgroup;
    bool full;
    bool check, unchecked;
};

// What an option of a kernel says, an Amber script (*.amber) says itself.
#define KRN_SCRIPT_SAYS "is for kernels without a script, which says that itself"
bool krn_is_script(const char *path);
// Whether a file's name ends so: ".spvasm".
bool krn_ends(const char *path, const char *end);
// Appends a test's name made from `length` bytes of a file's: small letters, digits and dashes.
void krn_name(const char *from, size_t length, struct text *name);

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

// Adds a kernel to the catalogue, with its expectation; `test` becomes its configuration's name, a
// pattern without a subgroup size. First checks a sample of it on the SIMT simulator, within limits
// on executed instructions, and prints on stderr what is wrong with it, or why that is not known.
// With `--expect agree`, one run there under lockstep says what is right; if further runs differ,
// the kernel's results are unspecified, and stderr says so. False with an error that names what is
// missing and an option for it, if the simulator cannot run what it must, or if the user
// interrupts.
bool krn_add(const char *path, const struct krn_options *chosen, struct text *test,
             struct lit_error *error);
// Runs a kernel once on the SIMT simulator, with larger limits, and appends its errors: accesses
// out of bounds, reads of uninitialised memory, data races, barriers that not all reach. False with
// an error as above.
bool krn_check(const char *path, const struct krn_options *chosen, struct text *out, bool *found,
               struct lit_error *error);

// --- Kernels in a store

struct store;

// Writes the kernels that were added to the catalogue to a session. *all: none was too large;
// prints those on stderr.
bool krn_keep(struct store *store, int64_t session, bool *all, struct lit_error *error);
// Adds a session's kernels to the catalogue; session 0: the newest of each name.
bool krn_take(struct store *store, int64_t session, struct lit_error *error);
