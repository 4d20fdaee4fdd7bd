// SPDX-License-Identifier: Apache-2.0
// Reduces a failing kernel as far as possible while it fails in the same way.
#pragma once

#include "base/text.h"
#include "catalogue/prepare.h"
#include "engine/client.h"
#include "reduce/pass.h"

// --- Whether a kernel fails as another did: tested on the device where it failed, and on the SIMT
// simulator, which determines the right output.

// The failure to preserve, and where it occurs.
struct red_target {
    const struct eng_watch *watch;     // for the device's workers
    const struct eng_watch *reference; // for the simulator's, with shorter time limits
    const struct eng_device *device;
    const struct eng_device *simulator; // manifest only
    uint64_t runs; // most runs to measure the failure rate, and per try that ends its worker
    double part;   // share of that rate that must remain
    // Results may be left open: compares only bits on which several runs of the simulator agree.
    bool loose;
    // The failure, measured by red_measure.
    enum eng_result result;
    uint32_t outcome; // ENG_FAIL: the most common one
    char how[320];    // crash: signal and location
    double simulated; // seconds taken by the simulator
    uint64_t tries, failed;
    bool checked;    // small enough to be checked on the simulator
    unsigned misuse; // kinds of enum exp_misuse in the original, one bit each
};

// A thread's workers. End with red_lane_end.
struct red_lane {
    const struct red_target *target;
    struct eng_client device, simulator;
    struct text taught[2]; // what each of them has been sent
    enum eng_end end;      // why there is no answer
    char reason[512];      // likewise
};
void red_lane_begin(struct red_lane *lane, const struct red_target *target);
void red_lane_end(struct red_lane *lane);

enum red_answer {
    RED_FAILS,
    RED_OTHER,     // does not fail this way, or not often enough
    RED_INVALID,   // rejected by spirv-val
    RED_REFUSED,   // the simulator cannot run it, or it does not end there
    RED_UNDEFINED, // undefined behaviour, or results that vary between runs
    RED_STOP,      // no answer: lane->end says why
    RED_ANSWERS,
};

// Measures how a kernel fails, and fills in that part of `target`, which must be the lane's.
// RED_FAILS: it does; RED_OTHER: not within target->runs runs. Otherwise lane->reason says why it
// cannot be reduced. Leaves the right output in package->expected.
enum red_answer red_measure(struct red_lane *lane, struct red_target *target,
                            struct cat_package *package, struct red_values *values);

// Whether a kernel fails as the target did. `same`: its module was tested before.
enum red_answer red_decide(struct red_lane *lane, struct cat_package *package, bool same,
                           struct red_values *values);

// --- The loop

struct red_tally {
    const char *pass; // the current pass
    uint64_t answers[RED_ANSWERS];
    uint64_t known; // candidates refused in earlier calls
    uint64_t rounds;
    size_t body, words, bindings; // of the current kernel
    uint32_t workgroup, groups;
};

struct red_plan {
    struct red_target *target; // from red_measure
    unsigned jobs;             // candidates tried in parallel, at least 1
    const char *folder;        // existing folder for saved state
    const char *identity;      // one line that identifies the kernel and device
    bool spirv_tools;          // also use spirv-opt and spirv-reduce
    // Called from time to time, by one thread at a time.
    void (*progress)(const struct red_tally *tally, void *user);
    void *user;
};

enum red_end {
    RED_DONE,    // nothing smaller fails
    RED_TIME,    // time limit
    RED_SIGNAL,  // a signal came
    RED_NO_MORE, // device or simulator unusable: `reason` says why
    RED_UNKEPT,  // cannot save the kernel: the error says why
};

// Loads the kernel saved in the folder by an earlier call with the same identity: false if there is
// none. The error is set if the saved state has another identity or is invalid.
bool red_resume(const struct red_plan *plan, struct cat_package *package, struct lit_error *error);

// Reduces base->package, a failing kernel; its values are optional. The result replaces it, and is
// saved in the folder after each step.
enum red_end red_reduce(const struct red_plan *plan, struct red_base *base, struct red_tally *tally,
                        char reason[512], struct lit_error *error);

// --- Private to harness/reduce/

// Whether the reduction must end: RED_TIME or RED_SIGNAL; else RED_DONE.
enum red_end red_over(const struct red_plan *plan);

// spirv.c: decides about a module from another program. RED_STOP: stop.
typedef enum red_answer red_try(const uint32_t *words, size_t count, void *user);
// Offers the results of spirv-opt on the package's module, a few passes at a time, each applied to
// the package's current module. Does nothing if it is not installed.
void red_spirv_opt(const struct cat_package *package, red_try *try_one, void *user);
// Offers candidates of spirv-reduce to `try_one`, one after another, until RED_STOP or the end of
// the plan's time. spirv-reduce never outlives this program. Does nothing if it is not installed.
void red_spirv_reduce(const struct red_plan *plan, const struct cat_package *package,
                      red_try *try_one, void *user);

// --- From a configuration to a folder

// A configuration of a test as a kernel: what its first run has in its buffers and push constants,
// and a generated program's has in litmus fuzz. *loose becomes whether its oracle leaves anything
// open. False with an error that says why there can be none.
bool red_package_take(const struct cat_case *which, const struct dev_facts *facts, bool *loose,
                      struct cat_package *package, struct lit_error *error);

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
