// SPDX-License-Identifier: Apache-2.0
// Makes a kernel that fails as small as it can while it fails in the same way.
#pragma once

#include "base/text.h"
#include "catalogue/prepare.h"
#include "engine/client.h"
#include "reduce/pass.h"

// --- Whether a kernel fails as another one did: asked of the device that it failed on, and of the
// SIMT simulator, which says what is right.

// What is reduced, and where.
struct red_target {
    const struct eng_watch *watch;     // of the device's workers
    const struct eng_watch *reference; // of the simulator's: it is not waited for as long
    const struct eng_device *device;
    const struct eng_device *simulator; // of which only the manifest counts
    uint64_t
        runs;    // the most to learn how often the kernel fails, and of a try that ends its worker
    double part; // of that rate, which is to remain
    // Results may be left open: only bits on which several runs of the simulator agree count.
    bool loose;
    // How it failed; by red_measure.
    enum eng_result result;
    uint32_t outcome; // ENG_FAIL: the most frequent one
    char how[320];    // a crash: by which signal, and where
    double simulated; // seconds that the simulator took for it
    uint64_t tries, failed;
    bool checked;    // on the simulator, of which it is not too large
    unsigned misuse; // kinds of enum exp_misuse that it has itself, a bit for each
};

// A thread's workers. End it by red_lane_end.
struct red_lane {
    const struct red_target *target;
    struct eng_client device, simulator;
    struct text taught[2]; // what each of them knows
    enum eng_end end;      // why there is no answer
    char reason[512];      // likewise
};
void red_lane_begin(struct red_lane *lane, const struct red_target *target);
void red_lane_end(struct red_lane *lane);

enum red_answer {
    RED_FAILS,
    RED_OTHER,     // it does not fail so, or not often enough
    RED_INVALID,   // spirv-val refuses it
    RED_REFUSED,   // the simulator cannot run it, or it does not end there
    RED_UNDEFINED, // it does something undefined, or its results are not the same on each run
    RED_STOP,      // no answer: lane->end says why
    RED_ANSWERS,
};

// Learns how a kernel fails, and fills that part of `target`, which is the lane's. RED_FAILS: it
// does; RED_OTHER: it did not fail in target->runs runs. Else lane->reason says why it cannot be
// reduced. What is right is left in package->expected.
enum red_answer red_measure(struct red_lane *lane, struct red_target *target,
                            struct cat_package *package, struct red_values *values);

// Whether a kernel fails as the target did. `same`: its module is one that was asked of before.
enum red_answer red_decide(struct red_lane *lane, struct cat_package *package, bool same,
                           struct red_values *values);

// --- The loop

struct red_tally {
    const char *pass; // that is being tried
    uint64_t answers[RED_ANSWERS];
    uint64_t known; // candidates that were refused before
    uint64_t rounds;
    size_t body, words, bindings; // of what is reached
    uint32_t workgroup, groups;
};

struct red_plan {
    struct red_target *target; // measured
    unsigned jobs;             // candidates that are tried at once, 1 or more
    const char *folder;        // in which what is reached is kept; it is there
    const char *identity;      // a line that says what is reduced, and where
    bool spirv_tools;          // spirv-opt and spirv-reduce are asked too
    // Called now and then, by one thread at a time.
    void (*progress)(const struct red_tally *tally, void *user);
    void *user;
};

enum red_end {
    RED_DONE,    // nothing smaller fails
    RED_TIME,    // the time is used up
    RED_SIGNAL,  // a signal came
    RED_NO_MORE, // the device, or the simulator, is of no use any more: `reason` says why
    RED_UNKEPT,  // what is reached cannot be written: the error says why
};

// The kernel that was reached in a folder, by an earlier call of the same identity: false where
// there is none. The error has a code where what is there is of another, or makes no sense.
bool red_resume(const struct red_plan *plan, struct cat_package *package, struct lit_error *error);

// Reduces base->package, which fails, and whose values are known or not. What is reached stands in
// it, in the end, and in the folder after each step.
enum red_end red_reduce(const struct red_plan *plan, struct red_base *base, struct red_tally *tally,
                        char reason[512], struct lit_error *error);

// --- Private to harness/reduce/: threads with their workers, which try several candidates at once.

struct red_candidate {
    struct cat_package package;
    struct red_values values;
    bool *chosen; // of the pass's places; NULL: nobody asks
    char key[65]; // what it is known by
    bool same;    // its module is the base's
    enum red_answer answer;
};
void red_candidate_clear(struct red_candidate *candidate);

struct red_crew;
struct red_crew *red_crew_begin(const struct red_plan *plan);
// Tries them all; plan->progress is called meanwhile with the tally. RED_STOP for those that nobody
// came to.
void red_crew_try(struct red_crew *crew, struct red_candidate *candidates, size_t count,
                  const struct red_tally *tally);
// Whether the reduction is to end: RED_TIME or RED_SIGNAL; else RED_DONE.
enum red_end red_over(const struct red_plan *plan);
// Why an answer was RED_STOP, or red_over what it is.
enum red_end red_crew_end_of(const struct red_crew *crew, char reason[512]);
void red_crew_end(struct red_crew **crew);

// spirv.c: decides about a module that somebody else made. RED_STOP: no more of them.
typedef enum red_answer red_try(const uint32_t *words, size_t count, void *user);
// Asks spirv-opt for what is left of the package's module by some of its passes at a time, of which
// each begins with what `package` has then. Does nothing where it is not installed.
void red_spirv_opt(const struct cat_package *package, red_try *try_one, void *user);
// Asks spirv-reduce for candidates of a module, one after another, which `try_one` decides;
// RED_STOP from it ends it, and so does the end of the plan's time. It does not outlive this
// program. Does nothing where it is not installed.
void red_spirv_reduce(const struct red_plan *plan, const struct cat_package *package,
                      red_try *try_one, void *user);

// --- From a configuration to a folder

// A configuration of a test as a kernel: what its first run has in its buffers and push constants,
// and a generated program's has in litmus fuzz. *loose becomes whether its oracle leaves anything
// open. False with an error that says why there can be none.
bool red_package_take(const struct cat_case *which, const struct dev_facts *facts, bool *loose,
                      struct cat_package *package, struct lit_error *error);

// Writes a kernel into a folder as litmus kernel takes it, with lines of comment (`remark`) on top;
// `path` becomes the file that it takes.
bool red_package_write(const struct cat_package *package, const char *remark, const char *folder,
                       struct text *path, struct lit_error *error);

struct red_options {
    struct lit_list devices, simt;
    uint64_t runs, jobs;
    double part, timeout, time;
    const char *out;
    bool quiet;
    int verbose;
};

// Calls a subcommand of litmus in this process; argv[0] is its name.
typedef int red_start(const char *name, int argc, char **argv);
// Reduces a configuration, prints how it goes on and what is reached, and bundles that by 'litmus
// kernel' and 'litmus repro'. Returns the exit code; an error was printed.
int red_configuration(const struct red_options *chosen, const char *configuration, red_start *start,
                      struct lit_error *error);
