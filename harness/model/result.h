// SPDX-License-Identifier: Apache-2.0
// What is known of one configuration on one device: counts that grow batch by batch, then a
// verdict. The unit that the engine measures, the store keeps and the reports print.
#pragma once

#include "base/error.h"
#include "model/check.h"
#include "model/field.h"

enum eng_result {
    ENG_PASS,          // every run was right
    ENG_FAIL,          // a failing outcome was seen
    ENG_SKIP,          // the device lacks something; `reason` names it
    ENG_HANG,          // no progress within the time limit
    ENG_CRASH,         // the worker process died
    ENG_DEVICE_LOST,   // VK_ERROR_DEVICE_LOST
    ENG_NO_PROGRESS,   // a bounded wait in the kernel ran out, and nothing else was wrong
    ENG_HARNESS_ERROR, // the harness or the driver could not do what was asked; `reason` says what
    ENG_PARTIAL,       // not finished: interrupted, or out of time
    ENG_RESULTS,
};

// "pass", "fail", "skip", "hang", "crash", "device-lost", "no-progress", "harness-error",
// "partial".
extern const char *const eng_result_names[ENG_RESULTS];
const char *eng_result_name(enum eng_result result); // "unknown" if it is none
enum eng_result eng_result_named(const char *name);  // ENG_RESULTS if there is none
// The driver or the device did not come to an end: hang, crash, device-lost.
bool eng_is_broken(enum eng_result result);

// What was found around a result that did not come to an end, and about a kernel from outside.
enum eng_evidence {
    ENG_EVIDENCE_CHECK,     // what the check says of the kernel (cat_package_check)
    ENG_EVIDENCE_WORDS,     // what the worker or its driver printed last
    ENG_EVIDENCE_KERNEL,    // what the kernel logged of graphics devices since the run began
    ENG_EVIDENCE_BACKTRACE, // of the thread that crashed
    ENG_EVIDENCE_CORE,      // where the system put the memory of the process
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
#define ENG_PART_RUNS 50 // a part ends with the batch that brings it there

// Runs that one worker process did one after another with one pipeline; of several pipelines once
// there would be more than ENG_MAX_PARTS.
struct eng_part {
    uint32_t process; // number of the worker process on its device in its session, from 0
    uint64_t runs, failed_runs, no_progress_runs;
};

extern const struct field eng_failure_fields[], eng_part_fields[];

struct eng_count {
    uint64_t runs, failed_runs, no_progress_runs;
    bool first_run_failed; // run 1 of the configuration, counted apart
    uint64_t instances, failed_instances;
    uint64_t outcomes[CAT_OUTCOMES]; // instances by outcome
    struct eng_failure failures[ENG_MAX_FAILURES];
    size_t failure_count;
    // All runs once more in pieces, in the order in which they ran, to see whether the rate varies
    // between them more than chance would have it, and whether it drifts; none if that is not
    // known. None has more than a sixteenth of all runs, if there are many batches. eng_count_add
    // leaves them alone.
    struct eng_part parts[ENG_MAX_PARTS];
    size_t part_count;
    double seconds; // wall time in the worker
};

// Adds what a batch counted.
void eng_count_add(struct eng_count *sum, const struct eng_count *batch);

// Adds what a batch counted to the parts, before eng_count_add: the batch comes from this process,
// and `fresh` says that it begins a pipeline. Where earlier runs are in no part there will be none.
void eng_count_part(struct eng_count *sum, const struct eng_count *batch, uint32_t process,
                    bool fresh);

// The verdict over finished counts: FAIL if a run failed, else NO_PROGRESS if one gave up, else
// PASS.
enum eng_result eng_verdict(const struct eng_count *count);

// --- Whether the numbers of a result agree with one another: what holds of everything
// that this program counts, batch by batch, resumed, interrupted or merged. Events of workers, rows
// of stores and JSON reports are held against the same. Returned is what contradicts what ("the
// outcomes do not add up to the instances"), or NULL.

// The result follows from the runs; a hang, a crash, a lost device, an error of the harness and
// what was interrupted may have come after any number of runs.
const char *eng_runs_disagree(enum eng_result result, uint64_t runs, uint64_t failed_runs,
                              uint64_t no_progress_runs);

// Runs, instances, outcomes and failures. `mode` says which outcomes fail; NULL if it is not known.
const char *eng_count_disagrees(const struct eng_count *count, const struct cat_mode *mode);

// Both, and the parts.
const char *eng_result_disagrees(enum eng_result result, const struct eng_count *count,
                                 const struct cat_mode *mode);

// --- What the results of a run add up to: how many of each, and the exit code.

// Whether the configuration of this name and class is of a kernel from outside in which the check
// found something: no others of these are contested. Whatever a device does with it is right.
bool eng_is_unsound(const char *name, enum cat_expectation expectation);
// Whether what the check says is that it found nothing.
bool eng_check_is_clean(const char *check);

struct eng_tally {
    uint64_t results[ENG_RESULTS];
    uint64_t planned;   // configurations on all chosen devices
    uint64_t forbidden; // configurations in which a forbidden outcome was seen
    uint64_t unsound;   // kernels that failed, or did not come to an end, and are themselves wrong
    uint64_t expired;   // forbidden and contested ones in which a bounded wait ran out
    uint64_t undecided; // whose sequential rule was not reached by the most runs allowed
    unsigned stopped;   // devices whose queue stopped
    unsigned unopened;  // devices that refused to be opened, or of whom nothing useful is known
    unsigned failed;    // devices whose queue stopped because the harness failed
    unsigned unclosed;  // devices that the driver crashed or hung on as they were closed
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
