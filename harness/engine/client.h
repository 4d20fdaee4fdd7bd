// SPDX-License-Identifier: Apache-2.0
// A device that is asked one request after another: its worker is started when it is needed and
// replaced when it ends. Here alone workers are opened, lost and counted, for the queues of a run
// as for subcommands that try things out.
#pragma once

#include "catalogue/catalogue.h"
#include "engine/watch.h"
#include "isa/code.h"
#include "model/inventory.h"

#include <pthread.h>

struct eng_client {
    const struct eng_watch *watch;
    const struct eng_device *device;
    struct eng_worker *worker; // with the device open; NULL: none
    pthread_mutex_t *lock;     // of the caller, who holds it: released while a worker is waited for
    // Where they are not NULL, called with watch->user: of an event that is no answer (MESSAGE,
    // PRECOMPILED), instead of watch->say; and when a worker has ended, with what eng_worker_close
    // says of it.
    void (*heard)(const struct eng_event *event, void *user);
    void (*ended)(const char *ending, void *user);
    bool validation;           // the device is opened with the validation layer
    bool capture;              // the device is opened for COMPILE alone
    bool generated;            // the host checks, as GENERATED has it: the checker is not tried
    const struct text *kernel; // its workers know this test instead of those that were added to the
                               // catalogue; eng_client_teach
    const char *replaced;      // its workers run this configuration with `words` for its module;
    const struct text *words;  // NULL: none; eng_client_replace
    const struct eng_benching *benching; // of BENCH, NULL else
    char checker[600];                   // "device", or "host: why"; "" before it was open
    struct text
        code; // of COMPILE: what isa_pack made of what the driver gave; of OUTPUT: the words
    uint32_t process;       // the present worker's number, or the next one's
    uint32_t tried;         // modes in which the present worker tried the checker, bit i
    unsigned losses, hangs; // in a row
    unsigned failures;      // of the harness, in a row
    bool opened;            // at least once
    bool unfit;             // it refuses to be opened, and would again
    bool wedged;            // a worker outlived SIGKILL
};

enum eng_end {
    ENG_END_RAN,   // the outcome is filled
    ENG_END_STOPS, // the device is of no use any more: outcome.reason says why
    ENG_END_UNFIT, // likewise, but it was not lost: it refuses to be opened, or the harness failed
    ENG_END_TIME,  // the time is used up
    ENG_END_SIGNAL,
};

static inline bool eng_end_stops(enum eng_end end)
{
    return end == ENG_END_STOPS || end == ENG_END_UNFIT;
}

struct eng_outcome {
    enum eng_result result;
    enum lit_exit code; // of the error that the worker said or is; else LIT_EXIT_OK
    struct eng_count count;
    char reason[512];
    char place[160]; // of a crash: the first frame of its backtrace that is the driver's; else ""
};

// Of a crash: by what, and where, "killed by signal 11 (SIGSEGV) in
// libLLVM-15.so.1(_ZN4llvm5Value"; what fails so fails alike. "" of other outcomes.
void eng_outcome_how(const struct eng_outcome *outcome, char how[320]);
// The most frequent outcome that is a failure; 0: none is.
uint32_t eng_outcome_worst(enum cat_check check, const struct eng_count *count);

// Ends the worker and frees the code. A client starts as {.watch, .device}, which must outlive it.
void eng_client_end(struct eng_client *client);

// From here on its workers know this test alone, as cat_package_write has it; it must outlive that.
void eng_client_teach(struct eng_client *client, const struct text *kernel);

// From here on its workers run a configuration with these words for its module; name and words must
// outlive that.
void eng_client_replace(struct eng_client *client, const char *name, const struct text *words);

// Whether the device is of no use any more: it was lost or hung, or the harness failed, too often
// in a row.
bool eng_client_must_stop(const struct eng_client *client);
// Sees to it that there is a worker with the device open, and that it tried the checker in these
// modes, bit i: enum cat_check i. outcome->reason says why not.
enum eng_end eng_client_open(struct eng_client *client, uint32_t checks,
                             struct eng_outcome *outcome);
// eng_worker_wait of its worker.
enum eng_wait eng_client_wait(struct eng_client *client, struct eng_event *event, char reason[512]);
// Counts how something ended that was asked of the worker.
void eng_client_count(struct eng_client *client, enum eng_result result);
// Ends the worker: at once if it is known not to listen.
void eng_client_stop(struct eng_client *client, bool at_once);

// Asks for runs (RUN, GENERATED), for code (COMPILE), or for what opens the device itself (TRY,
// BENCH), and waits for their end. A crash, a hang, a lost device are results; the next request has
// a new worker. The request's index and timeout_ms are filled in.
enum eng_end eng_client_ask(struct eng_client *client, const struct eng_request *asked,
                            struct eng_outcome *outcome);

// --- What a device's driver makes of configurations, asked of a worker. Nothing is run.

struct eng_capture {
    const struct eng_watch *watch;
    const struct eng_device *device;
    // Takes what came of one configuration. `code` is empty unless result is ENG_PASS, and may be
    // taken over and left empty; `reason` says why. False: no more.
    bool (*take)(const struct cat_case *which, enum eng_result result, const char *reason,
                 struct isa_code *code, void *user);
    void *user;
};

// Compiles the cases in turn, each taken once. A driver that crashes or hangs at one costs that one
// only. Ends early, with why in `reason`, when the device is of no use any more, at the end of the
// time, or at a signal.
enum eng_end eng_capture(const struct eng_capture *capture, const struct cat_case *cases,
                         size_t count, char reason[512]);
