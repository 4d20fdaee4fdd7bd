// SPDX-License-Identifier: Apache-2.0
// What the parts of the build's tool share: see embed.c.
#pragma once

#include "base/text.h"
#include "catalogue/head.h"

// One .spvasm file, or all of GLSL for the tests that have a variant in it.
struct source {
    char *place; // below the root: "shuffle/scan-loop.spvasm"
    char *path;  // as messages name it
    char *text;
    size_t size;
    bool is_test;         // it has a head; else its modules are rows of the list of kernels
    struct cat_head head; // of a test
    char *glsl;           // the file of the same name in GLSL, where a variant is made from it
    char *glsl_path;
    char *words_text; // of the file that the head names, NULL without one
    uint32_t *words;
    size_t word_count;
};

// One module that is to be made, and what it became.
struct job {
    struct source *source;
    char *variant;       // "sync=none,form=ssa"; of a kernel its name
    struct text defines; // a line "NAME VALUE" each
    uint8_t axis[CAT_MAX_AXES];
    uint32_t subgroup; // 0: any
    bool from_glsl;
    bool left_out;   // the assembler is too old for it
    char *raw;       // preprocessed, with the preprocessor's markers
    struct text own; // the same without them, as a person would have written it
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
    const char *as, *val, *glslang; // of maker_programs
    const char *cc_option;          // one more word for the preprocessor; NULL or ""
    const char *without; // variants whose text has one of these words, "A,B", are left out: the
                         // assembler is too old
    const char *scratch; // a folder for the tools' files
    const char *root;    // the folder of the tests
    struct text
        defined; // every macro that a file below the root defines: a line "#undef NAME" each
    unsigned char tools[32]; // the hash of what the tools say their versions are
};

// Ends the program with one line on stderr; what has been made is kept in the cache.
__attribute__((noreturn, format(__printf__, 1, 2))) void die(const char *format, ...);

char *read_file(const char *path, size_t *size);
// Writes beside the file and renames: a reader never sees a part of it.
void write_file(const char *path, const char *bytes, size_t size);

// Calls `work` for each index below `count`, from as many threads as the machine has processors.
void in_parallel(size_t count, void (*work)(size_t index, void *user), void *user);

// Whether a program exited with 0; what it prints on stdout and stderr is appended to `printed`.
bool run(const char *const argv[], struct text *printed);

// ---- modules.c

void find_versions(struct settings *settings);
// Preprocesses some jobs of one source, all from assembly or all from GLSL, in one process.
void preprocess(const struct settings *settings, struct job *const *jobs, size_t count);
// Makes a preprocessed job's module, or finds it in the cache.
void make_module(const struct settings *settings, struct job *job);

// ---- libraries.c, programs.c: what makes modules of text

// What is wrong with a module.
struct fault {
    unsigned line;       // from 1; 0 where it is not known
    bool is_instruction; // it counts instructions of the listing and not lines
    struct text message;
};

struct maker {
    void (*tell_version)(const struct settings *settings, struct text *version);
    // Each sets the words of a job, or tells the fault.
    bool (*assemble)(const struct settings *settings, struct job *job, const char *listing,
                     bool newer, struct fault *fault);
    bool (*compile)(const struct settings *settings, struct job *job, const char *listing,
                    struct fault *fault);
    bool (*validate)(const struct settings *settings, const struct job *job, bool newer,
                     struct fault *fault);
};

extern const struct maker maker_libraries; // in this process, where HAS_LIBRARIES is defined
extern const struct maker maker_programs;  // spirv-as, spirv-val and glslang, one of each a module

// ---- kernels.c

// Parses the list of kernels and calls `add` with each one's source ("bench/scan"), name and
// defines, which `add` takes over. `path` is for messages.
void read_kernels(const char *path, const char *text,
                  void (*add)(const char *source, struct text *name, struct text *defines,
                              void *user),
                  void *user);

// ---- cache.c: what earlier runs made, by the hash of what it was made from. Thread-safe.

void cache_load(const char *path); // a damaged or missing one is empty
void cache_save(void);             // what this run asked for or added
// The bytes of an entry, which live until the program ends; NULL if there is none.
const void *cache_get(const unsigned char key[32], size_t *size);
void cache_put(const unsigned char key[32], const void *bytes, size_t size);

// ---- output.c

// Writes PREFIX.c, the tables, and PREFIX.bin with PREFIX_data.c, the data that they point into.
// `jobs` are the modules of all sources, each one's together.
void write_catalogue(const char *prefix, struct source *const *sources, size_t source_count,
                     const struct job *jobs, size_t job_count);
