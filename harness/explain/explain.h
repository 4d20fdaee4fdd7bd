// SPDX-License-Identifier: Apache-2.0
// A run that fails on the SIMT simulator: found, explained in words, drawn.
#pragma once

#include "base/random.h"
#include "base/text.h"
#include "catalogue/catalogue.h"
#include "engine/client.h"
#include "explain/trace.h"
#include "model/result.h"

// Searches a run that fails on the SIMT simulator, and then a short one: by priority schedules of
// growing depth, random ones and many seeds, each run in a worker process.

#define EXP_SETTINGS_MAX 300
#define EXP_RUN_MAX      100
#define EXP_FILE_MAX     512 // as the simulator takes it

struct exp_search {
    struct eng_watch *watch; // what it says is taken over while a search goes on
    const char *manifest;    // of the SIMT simulator
    // "model=snooping,subgroup=4": nothing of the schedule, no trace; below EXP_SETTINGS_MAX bytes.
    const char *settings;
    // "schedule=random,threads=1,seed=7": the run that is to be explained, without a search; below
    // EXP_RUN_MAX bytes. NULL: any.
    const char *run;
    const struct cat_case *cases; // in the order in which they are tried
    size_t count;
    uint64_t seed;    // of the input and of the first schedule
    double seconds;   // how long to search; half of what is left goes into a shorter run
    const char *file; // where traces may be written: below EXP_FILE_MAX bytes, no comma
};

struct exp_found {
    bool found;                    // else: nothing failed
    const char *unusable;          // why no configuration could run at all; NULL: some could
    struct cat_case which;         // which configuration failed
    char settings[512];            // of the driver, without a trace
    char run[EXP_RUN_MAX];         // those of them that name the run among all
    bool given;                    // that was asked for
    unsigned tries, failed_tries;  // runs
    struct exp_trace failing;      // of the run that is shown
    struct exp_trace reference[2]; // the same run under lockstep, with two seeds
    bool has_reference;            // the lockstep runs could be made
    struct eng_outcome outcome;    // of that run
    char reason[512];              // storage for `unusable`
};

// Clear what was found after a failure too. False with an error if the driver cannot be used, with
// the code LIT_EXIT_TIME if a signal stopped it.
bool exp_search(const struct exp_search *search, struct exp_found *found, struct lit_error *error);
void exp_found_clear(struct exp_found *found);

// The order of tries: rounds that take all configurations in turn, each round with deeper schedules
// and more seeds than the one before.
struct exp_plan {
    size_t count; // configurations
    uint64_t seed;
    unsigned round, depth, nth; // zero to begin with
    size_t which;
};
struct exp_point {
    size_t which;
    unsigned depth; // 0: the scheduler draws who goes next
    uint64_t seed;
};
struct exp_point exp_plan_next(struct exp_plan *plan);

// Puts the smallest first: by workgroup size, then by the other sweeps' values.
void exp_sort_cases(struct cat_case *cases, size_t count);

// The first fault in words: for someone who knows drivers and has never seen the test. Pure.

// One sentence: who did what when, and what it got.
void exp_sentence(const struct exp_trace *trace, const struct exp_fault *fault, struct text *text);

// All of it: the question, the sentence, the steps, the outcome. `again` is the command that
// explains it again.
void exp_print(const struct exp_found *found, const struct exp_fault *fault,
               const struct exp_window *window, const char *again, struct text *text);

// The first fault as a picture: a row for each lane, time to the right, a box for each executed
// instruction, arrows from the lane that gave a value to the one that got it. An SVG file that
// needs nothing else, for light and dark pages, readable without colours. Pure.

// Appends the SVG document. `title` is the configuration's name, `sentence` what exp_sentence said;
// both may hold any printable UTF-8.
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
    bool thorough, listing, diff, every, read;
    int disassembler; // enum exp_disassembler
    int verbose;
    const char *keep;
    double timeout;
};

// Prints the compiled code of the configurations that the patterns select, and what is found in it;
// with `read` that of files. Returns the exit code; an error was printed.
int exp_code(const struct exp_code_options *chosen, const struct lit_list *patterns,
             struct lit_error *error);
