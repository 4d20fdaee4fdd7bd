// SPDX-License-Identifier: Apache-2.0
// What is known of one configuration on one device: counts that grow batch by batch, then a
// verdict. The unit that the engine measures, the store keeps and the reports print.
#pragma once

#include "catalogue/check.h"
#include "catalogue/head.h"

#include <stdbool.h>
#include <stdint.h>

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
const char *eng_result_name(enum eng_result result);
enum eng_result eng_result_named(const char *name); // ENG_RESULTS if there is none
// The driver or the device did not come to an end: hang, crash, device-lost.
bool eng_is_broken(enum eng_result result);

// What was found around a result that did not come to an end.
enum eng_evidence {
    ENG_EVIDENCE_WORDS,     // what the worker or its driver printed last
    ENG_EVIDENCE_KERNEL,    // what the kernel logged of graphics devices since the run began
    ENG_EVIDENCE_BACKTRACE, // of the thread that crashed
    ENG_EVIDENCE_CORE,      // where the system put the memory of the process
    ENG_EVIDENCES,
};
#define ENG_EVIDENCE_SIZE 8192 // of each text, with the terminator

// "last-words", "kernel-log", "backtrace", "core".
const char *eng_evidence_name(enum eng_evidence kind);

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

struct eng_count {
    uint64_t runs, failed_runs, no_progress_runs;
    bool first_run_failed; // run 1 of the configuration, counted apart
    uint64_t instances, failed_instances;
    uint64_t outcomes[CAT_OUTCOMES]; // instances by outcome
    struct eng_failure failures[ENG_MAX_FAILURES];
    size_t failure_count;
    // All runs once more in pieces, in order, to see whether the rate varies between them more than
    // chance would have it; none if that is not known. eng_count_add leaves them alone.
    struct eng_part parts[ENG_MAX_PARTS];
    size_t part_count;
    double seconds; // wall time in the worker
};

// Adds what a batch counted.
void eng_count_add(struct eng_count *sum, const struct eng_count *batch);

// Adds what a batch counted to the parts, before eng_count_add: the batch comes from this process,
// and `fresh` says that it begins a pipeline. Where earlier runs are in no part (a store of an
// older format) there will be none.
void eng_count_part(struct eng_count *sum, const struct eng_count *batch, uint32_t process,
                    bool fresh);

// The verdict over finished counts: FAIL if a run failed, else NO_PROGRESS if one gave up, else
// PASS.
enum eng_result eng_verdict(const struct eng_count *count);
