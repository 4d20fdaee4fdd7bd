// SPDX-License-Identifier: Apache-2.0
// Finds a run that fails on the SIMT simulator, explains it in words and draws it.
#pragma once

#include "base/random.h"
#include "base/text.h"
#include "catalogue/catalogue.h"
#include "engine/client.h"
#include "explain/trace.h"

#define EXP_RUN_MAX 100

// A failing run on the SIMT simulator, as short as the search found one.
struct exp_found {
    bool found;                    // false: nothing failed
    const char *unusable;          // why no configuration could run; NULL: some could
    struct cat_case which;         // the failing configuration
    char settings[512];            // driver settings without a trace
    char run[EXP_RUN_MAX];         // those settings that identify the run
    bool given;                    // the run was given by the caller
    unsigned tries, failed_tries;  // numbers of runs
    struct exp_trace failing;      // the run to show
    struct exp_trace reference[2]; // the same run under lockstep with two seeds
    bool has_reference;            // the lockstep runs succeeded
    struct eng_outcome outcome;    // of the run shown
    char reason[512];              // storage for `unusable`
};

// The order of runs: rounds over all configurations, each round with deeper schedules and more
// seeds than the one before.
struct exp_plan {
    size_t count; // number of configurations
    uint64_t seed;
    unsigned round, depth, nth; // initially zero
    size_t which;
};
struct exp_point {
    size_t which;
    unsigned depth; // 0: a random schedule
    uint64_t seed;
};
struct exp_point exp_plan_next(struct exp_plan *plan);

// Sorts the smallest first: by workgroup size, then by the other sweeps' values.
void exp_sort_cases(struct cat_case *cases, size_t count);

// The first fault in words, for someone who knows drivers but not the test. Pure.

// One sentence: which lane did what, when, and what it got.
void exp_sentence(const struct exp_trace *trace, const struct exp_fault *fault, struct text *text);

// The full explanation: question, sentence, steps, outcome. `again` is the command to repeat it.
void exp_print(const struct exp_found *found, const struct exp_fault *fault,
               const struct exp_window *window, const char *again, struct text *text);

// The first fault as a picture: a row for each lane, time from left to right, a box for each
// executed instruction, arrows from the lane that supplied a value to the lane that received it. A
// self-contained SVG file for light and dark pages, readable without colours. Pure.

// Appends the SVG document. `title` is the configuration's name, `sentence` the text of
// exp_sentence; both may contain any printable UTF-8.
void exp_picture(const struct exp_trace *trace, const struct exp_fault *fault,
                 const struct exp_window *window, const char *title, const char *model,
                 const char *sentence, struct text *text);

// --- litmus explain

struct exp_options {
    struct lit_list simt;
    const char *svg;
    double time, timeout;
    struct lit_seed seed;
};

// Searches, prints and draws the smallest failing configuration that the patterns select. Returns
// the exit code; an error was printed.
int exp_configuration(const struct exp_options *chosen, const struct lit_list *patterns,
                      struct lit_error *error);

// --- litmus isa

enum exp_disassembler { EXP_AUTO, EXP_NVDISASM, EXP_BUILT_IN };

struct exp_code_options {
    struct lit_list devices, simt;
    bool thorough, listing, diff, every, read, emulate, quiet;
    int disassembler; // enum exp_disassembler
    int verbose;
    const char *keep, *db, *from;
    struct lit_seed seed;
    double timeout;
};

// Prints the compiled code of the configurations that the patterns select, and what is found in it;
// with `read` that of files. Returns the exit code; an error was printed.
int exp_code(const struct exp_code_options *chosen, const struct lit_list *patterns,
             struct lit_error *error);

// Executes the machine code of a configuration, of sm_90, with the data of the first runs of a seed
// that fail on a device. Appends "KIND: " and what makes it fail there; *kind lasts. False: it is
// of another architecture, does not fail, or no single change makes it right.
bool exp_cause(const struct cat_case *which, const struct dev_facts *facts,
               const struct isa_code *code, uint64_t seed, const char **kind, struct text *words);

// Executes the machine code that a store has of the configurations that the patterns select, and
// compares with what the device stored. Returns the exit code; an error was printed.
int exp_emulate(const struct exp_code_options *chosen, const struct lit_list *patterns,
                struct lit_error *error);

// --- litmus model: what the Vulkan memory model allows small programs to do

struct exp_model_options {
    bool quiet, no_chains, progress;
    uint64_t rounds, most;
    const char *svg;
};

// Prints each program's verdict, and writes the pictures. Returns the exit code, or -1 with an
// error.
int exp_model(const struct exp_model_options *chosen, const struct lit_list *paths,
              struct lit_error *error);
