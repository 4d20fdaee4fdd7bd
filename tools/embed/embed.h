// SPDX-License-Identifier: Apache-2.0
// Shared by the parts of the build tool: see embed.c.
#pragma once

#include "base/text.h"
#include "catalogue/head.h"

// A .spvasm file; for tests with a GLSL variant also the GLSL.
struct source {
    char *place; // below the root: "shuffle/scan-loop.spvasm"
    char *path;  // for messages
    char *text;
    size_t size;
    bool is_test;         // has a head; otherwise its modules are in the list of kernels
    struct cat_head head; // if it is a test
    char *glsl;           // GLSL file of the same name, if a variant is made from it
    char *glsl_path;
    char *words_text; // contents of the file that the head names, or NULL
    uint32_t *words;
    size_t word_count;
};

// A module to make, and the result.
struct job {
    struct source *source;
    char *variant;       // "sync=none,form=ssa"; a kernel's name
    struct text defines; // one line "NAME VALUE" each
    uint8_t axis[CAT_MAX_AXES];
    uint32_t subgroup; // 0: any
    bool from_glsl;
    bool left_out;   // the assembler is too old
    char *raw;       // preprocessed, with line markers
    struct text own; // the same without markers, readable
    uint32_t *words;
    size_t count;
    struct text names; // of its ids
    char sha256[65];
    uint64_t features;
    bool divisible;
};

struct settings {
    const struct maker *maker;
    const char *cc;
    const char *as, *val, *glslang; // for maker_programs
    const char *cc_option;          // extra argument for the preprocessor; NULL or ""
    const char *without;     // "A,B": skip variants with these words: the assembler is too old
    const char *unvalidated; // likewise: these are made, but the validator is too old for them
    const char *scratch;     // folder for the tools' files
    const char *root;        // folder of the tests
    struct text defined; // all macros defined in files below the root: a line "#undef NAME" each
    unsigned char tools[32]; // hash of the tools' versions
};

// Ends the program with one line on stderr; finished modules stay in the cache.
__attribute__((noreturn, format(__printf__, 1, 2))) void die(const char *format, ...);

char *read_file(const char *path, size_t *size);
// Writes a temporary file and renames it: readers never see a partial file.
void write_file(const char *path, const char *bytes, size_t size);

// Calls `work` for each index below `count`, on as many threads as there are processors.
void in_parallel(size_t count, void (*work)(size_t index, void *user), void *user);

// Whether a program exited with 0; appends its stdout and stderr to `printed`.
bool run(const char *const argv[], struct text *printed);

// ---- modules.c

void find_versions(struct settings *settings);
// Preprocesses jobs of one source, all from assembly or all from GLSL, in one process.
void preprocess(const struct settings *settings, struct job *const *jobs, size_t count);
// Makes a preprocessed job's module, or takes it from the cache.
void make_module(const struct settings *settings, struct job *job);

// ---- libraries.c, programs.c: making modules from text

// An error in a module.
struct fault {
    unsigned line;       // from 1; 0: unknown
    bool is_instruction; // counts instructions of the listing instead of lines
    struct text message;
};

struct maker {
    void (*tell_version)(const struct settings *settings, struct text *version);
    // Each stores a job's words, or reports the fault.
    bool (*assemble)(const struct settings *settings, struct job *job, const char *listing,
                     bool newer, struct fault *fault);
    bool (*compile)(const struct settings *settings, struct job *job, const char *listing,
                    struct fault *fault);
    bool (*validate)(const struct settings *settings, const struct job *job, bool newer,
                     struct fault *fault);
};

extern const struct maker maker_libraries; // in this process, if HAS_LIBRARIES is defined
extern const struct maker maker_programs;  // spirv-as, spirv-val and glslang, run once per module

// ---- kernels.c

// Parses the list of kernels, and calls `add` with each one's source ("bench/scan"), name and
// defines, which `add` takes over. `path` is for messages.
void read_kernels(const char *path, const char *text,
                  void (*add)(const char *source, struct text *name, struct text *defines,
                              void *user),
                  void *user);

// ---- cache.c: results of earlier runs by the hash of their input. Thread-safe.

void cache_load(const char *path); // a damaged or missing file is empty
void cache_save(void);             // saves entries used or added by this run
// An entry's bytes, valid until the program ends; NULL if there is none.
const void *cache_get(const unsigned char key[32], size_t *size);
void cache_put(const unsigned char key[32], const void *bytes, size_t size);

// ---- output.c

// Writes PREFIX.c, the tables, and PREFIX.bin with PREFIX_data.c, their data. `jobs` are the
// modules of all sources, grouped by source.
void write_catalogue(const char *prefix, struct source *const *sources, size_t source_count,
                     const struct job *jobs, size_t job_count);
