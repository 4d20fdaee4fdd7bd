// SPDX-License-Identifier: Apache-2.0
// The result of one configuration on one device: counts that grow batch by batch, then a verdict.
// The engine measures it, the store keeps it and the reports print it.
#pragma once

#include "base/error.h"
#include "model/check.h"
#include "model/configuration.h"
#include "model/field.h"
#include "stats/stats.h"

enum eng_result {
    ENG_PASS,          // every run was right
    ENG_FAIL,          // a failing outcome was seen
    ENG_SKIP,          // the device lacks something; `reason` names it
    ENG_HANG,          // no progress within the time limit
    ENG_CRASH,         // the worker process died
    ENG_DEVICE_LOST,   // VK_ERROR_DEVICE_LOST
    ENG_NO_PROGRESS,   // a bounded wait in the kernel expired, and nothing else failed
    ENG_HARNESS_ERROR, // the harness or the driver could not do the request; `reason` says what
    ENG_PARTIAL,       // not finished: interrupted, or out of time
    ENG_RESULTS,
};

// "pass", "fail", "skip", "hang", "crash", "device-lost", "no-progress", "harness-error",
// "partial".
extern const char *const eng_result_names[ENG_RESULTS];
const char *eng_result_name(enum eng_result result); // "unknown" if it is none
enum eng_result eng_result_named(const char *name);  // ENG_RESULTS if there is none
// The driver or the device did not finish: hang, crash, device-lost.
bool eng_is_broken(enum eng_result result);
// The runs were done and counted, and nothing else failed: pass, fail, no-progress.
bool eng_is_verdict(enum eng_result result);

// Evidence for a result that did not finish, and for a kernel from outside.
enum eng_evidence {
    ENG_EVIDENCE_CHECK,     // the check's output for the kernel (cat_package_check)
    ENG_EVIDENCE_WORDS,     // the last output of the worker or its driver
    ENG_EVIDENCE_KERNEL,    // kernel messages about graphics devices since the run began
    ENG_EVIDENCE_BACKTRACE, // of the thread that crashed
    ENG_EVIDENCE_CORE,      // where the system saved the core
    ENG_EVIDENCES,
};
#define ENG_EVIDENCE_SIZE 8192 // of each text, with the terminator

// "check", "last-words", "kernel-log", "backtrace", "core".
extern const char *const eng_evidence_names[ENG_EVIDENCES];

#define ENG_MAX_FAILURES 16

// One first-failing word, with its place in words.
struct eng_failure {
    struct cat_failure at;
    char where[96]; // "lane 31, iteration 9"
};

#define ENG_MAX_PARTS 64
#define ENG_PART_RUNS 50 // a part ends with the batch that reaches it

// Consecutive runs by one worker process with one pipeline; with several pipelines once there would
// be more than ENG_MAX_PARTS.
struct eng_part {
    uint32_t process; // number of the worker process on its device in its session, from 0
    uint64_t runs, failed_runs, no_progress_runs;
};

extern const struct field eng_failure_fields[], eng_part_fields[];

// Members of struct eng_count: first_run_failed is of the configuration's run 1; `outcomes` has
// instances by outcome; `failure_count` says how many failures are listed beside the counts;
// `seconds` is wall time in the worker.
#define ENG_COUNT_MEMBERS                                                                          \
    uint64_t runs, failed_runs, no_progress_runs;                                                  \
    bool first_run_failed;                                                                         \
    uint64_t instances, failed_instances;                                                          \
    uint64_t outcomes[CAT_OUTCOMES];                                                               \
    size_t failure_count;                                                                          \
    double seconds;

struct eng_count {
    ENG_COUNT_MEMBERS
};

// Adds a batch's counts; ignores failure_count.
void eng_count_add(struct eng_count *sum, const struct eng_count *batch);

// One result: workers count it, the store keeps it, merges and comparisons read it, reports print
// it. The parts of its name and its counts are members twice, by themselves and together.
// eng_result_clear frees everything that it points to.
struct result {
    union {
        struct cfg cfg;
        struct {
            CFG_MEMBERS
        };
    };
    char *device_id; // dev_facts_id
    enum eng_result result;
    enum cat_expectation expectation;
    char *reason;   // "" if none
    char *sha256;   // of the module, "" if none
    char *headline; // "" if none
    char *stress;   // the parameters it ran under (model/stress.h), "" for none
    char *rule; // when to end: "" after as many runs as the session asks for, else the sequential
                // rule ("width 0.001"), which changes its interval
    uint64_t seed;
    uint64_t first;              // number of its first run, from 0: more than 0 in a shard of runs
    const struct cat_mode *mode; // names the outcomes; from cat_mode_keep
    union {
        struct eng_count count;
        struct {
            ENG_COUNT_MEMBERS
        };
    };
    struct eng_failure *failures; // at most ENG_MAX_FAILURES
    // All runs again in parts, in the order in which they ran, to test whether the rate varies
    // between them more than by chance, and whether it drifts; no parts if that is not known. With
    // many batches, no part has more than a sixteenth of all runs.
    struct eng_part *pieces;
    size_t piece_count;
    char *evidence[ENG_EVIDENCES]; // lines, cut at ENG_EVIDENCE_SIZE; NULL or "" for none

    // What a report derives; else empty.
    char *label;          // what people read: report_known
    char id[CFG_ID_SIZE]; // what people type
    size_t device;        // index in the report
    uint64_t judged;      // runs that did not give up waiting: the denominator of rates
    // Rate of failed runs among judged ones: a confidence sequence if a sequential rule ended them.
    struct stat_interval interval;
    struct stat_dispersion spread; // of the rate between the pieces
};
void eng_result_clear(struct result *result);

// Adds a batch: its counts, its failures, and its runs to the pieces, unless earlier runs are in
// none. The batch comes from this process; `fresh`: it begins a pipeline.
void eng_result_add(struct result *result, const struct eng_count *batch,
                    const struct eng_failure *failures, uint32_t process, bool fresh);

// The verdict on final counts: FAIL if a run failed, else NO_PROGRESS if one gave up, else PASS.
enum eng_result eng_verdict(const struct eng_count *count);

// --- Checks that the numbers of a result are consistent. The rules hold for everything that this
// program counts: batch by batch, resumed, interrupted or merged. They apply alike to workers'
// events, store rows and JSON reports. Each function returns the contradiction ("the outcomes do
// not add up to the instances"), or NULL.

// Checks the result against the runs. A hang, a crash, a lost device, a harness error or an
// interruption may come after any number of runs.
const char *eng_runs_disagree(enum eng_result result, uint64_t runs, uint64_t failed_runs,
                              uint64_t no_progress_runs);

// Checks runs, instances, outcomes and failures. `mode` says which outcomes fail; NULL if unknown.
const char *eng_count_disagrees(const struct eng_count *count, const struct cat_mode *mode);

// Checks both, and the parts.
const char *eng_result_disagrees(const struct result *result);

// --- Adds up the results of a run: how many of each, and the exit code.

// Whether a configuration, by name and class, is a kernel from outside in which the check found a
// fault: these are the only contested ones from outside. Any result of a device is right.
bool eng_is_unsound(const char *name, enum cat_expectation expectation);
// Whether the check's output says that it found nothing.
bool eng_check_is_clean(const char *check);

struct eng_tally {
    uint64_t results[ENG_RESULTS];
    uint64_t planned;   // configurations on all chosen devices
    uint64_t forbidden; // configurations in which a forbidden outcome was seen
    uint64_t unsound;   // faulty kernels that failed or did not finish
    uint64_t expired;   // forbidden and contested ones in which a bounded wait expired
    uint64_t undecided; // their sequential rule was not reached within the most runs allowed
    unsigned stopped;   // devices whose queue stopped
    unsigned unopened;  // devices that refused to open, or about which nothing useful is known
    unsigned failed;    // devices whose queue stopped because the harness failed
    unsigned unclosed;  // devices on which the driver crashed or hung as they were closed
    bool shard;         // this is one part of a run over several machines
    bool out_of_time;
};

void eng_tally_add(struct eng_tally *tally, const char *name, enum eng_result result,
                   enum cat_expectation expectation, const struct eng_count *count);

// The exit code and, in `reason`, a sentence without a full stop. What is known for certain comes
// before what is missing. The first that holds:
//   4   a device was lost for good, or hung again and again, and its queue stopped
//   1   a forbidden outcome was seen; or the driver crashed, hung or lost the device
//   2   a kernel from outside failed, or did not come to an end, in which the check found something
//   5   the time was used up
//   3   the harness failed, and a queue stopped for it;
//       a configuration could not be run although the device has what it needs (harness-error), or
//       a bounded wait expired (no-progress, unless that is what it asks about: assumed, control),
//       or one of several devices refused to be opened; or a sequential rule was not reached
//   77  nothing ran; 0 if it is a shard that has no configuration
//   0   otherwise
enum lit_exit eng_tally_exit(const struct eng_tally *tally, char *reason, size_t size);
