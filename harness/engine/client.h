// SPDX-License-Identifier: Apache-2.0
// A client sends a device one request after another: it starts a worker when needed and replaces it
// when it ends. Only this code opens, loses and counts workers, for the queues of a run and for
// subcommands that try things out.
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
    pthread_mutex_t *lock;     // the caller's, who holds it: released while waiting for a worker
    // If not NULL, called with watch->user: for an event that is not an answer (MESSAGE,
    // PRECOMPILED), instead of watch->say; and when a worker has ended, with the text from
    // eng_worker_close.
    void (*heard)(const struct eng_event *event, void *user);
    void (*ended)(const char *ending, void *user);
    bool validation;           // open the device with the validation layer
    bool capture;              // open the device only for COMPILE
    bool generated;            // the host checks, as for GENERATED: do not try the checker
    const struct text *kernel; // its workers know this test instead of the ones added to the
                               // catalogue; eng_client_teach
    const struct eng_benching *benching; // for BENCH, else NULL
    char checker[600];                   // "device", or "host: why"; "" before it was opened
    struct text code; // of COMPILE: the driver's output, packed (isa_pack); of OUTPUT: the words
    uint32_t process; // the present worker's number, or the next one's
    uint32_t tried;   // modes in which the present worker tried the checker, bit i
    unsigned losses, hangs; // in a row
    unsigned failures;      // of the harness, in a row
    bool opened;            // at least once
    bool unfit;             // it refuses to open, and would again
    bool wedged;            // a worker outlived SIGKILL
};

enum eng_end {
    ENG_END_RAN,   // the outcome is filled
    ENG_END_STOPS, // the device is unusable: outcome.reason says why
    ENG_END_UNFIT, // likewise, but not lost: it refuses to open, or the harness failed
    ENG_END_TIME,  // the time is used up
    ENG_END_SIGNAL,
};

static inline bool eng_end_stops(enum eng_end end)
{
    return end == ENG_END_STOPS || end == ENG_END_UNFIT;
}

struct eng_outcome {
    enum eng_result result;
    enum lit_exit code; // the error's code that the worker sent or caused; else LIT_EXIT_OK
    struct eng_count count;
    struct eng_failure first; // if count.failure_count is 1; no others
    char reason[512];
    char place[160]; // of a crash: the first driver frame in its backtrace; else ""
};

// Describes how and where it crashed: "killed by signal 11 (SIGSEGV) in
// libLLVM-15.so.1(_ZN4llvm5Value"; equal crashes get equal text. "" for other outcomes.
void eng_outcome_how(const struct eng_outcome *outcome, char how[320]);
// Returns the most frequent failing outcome; 0: none.
uint32_t eng_outcome_worst(enum cat_check check, const struct eng_count *count);

// Ends the worker and frees the code. A client starts as {.watch, .device}; both must outlive it.
void eng_client_end(struct eng_client *client);

// From now on its workers know only this test, in the form of cat_package_write; `kernel` must
// outlive them.
void eng_client_teach(struct eng_client *client, const struct text *kernel);

// Whether the device is unusable: it was lost or hung, or the harness failed, too often in a row.
bool eng_client_must_stop(const struct eng_client *client);
// Makes sure that a worker has the device open and has tried the checker in these modes, bit i:
// enum cat_check i. outcome->reason says why not.
enum eng_end eng_client_open(struct eng_client *client, uint32_t checks,
                             struct eng_outcome *outcome);
// Calls eng_worker_wait for its worker.
enum eng_wait eng_client_wait(struct eng_client *client, struct eng_event *event, char reason[512]);
// Counts how a request ended.
void eng_client_count(struct eng_client *client, enum eng_result result);
// Ends the worker, at once if it no longer listens.
void eng_client_stop(struct eng_client *client, bool at_once);

// Requests runs (RUN, GENERATED), code (COMPILE), or something that opens the device itself (TRY,
// BENCH), and waits for the end. A crash, a hang or a lost device is a result; the next request
// gets a new worker. Fills in the request's index and timeout_ms.
enum eng_end eng_client_ask(struct eng_client *client, const struct eng_request *asked,
                            struct eng_outcome *outcome);

// --- Asks a worker what a device's driver makes of configurations. Runs nothing.

struct eng_capture {
    const struct eng_watch *watch;
    const struct eng_device *device;
    // Takes one configuration's code. `code` is empty unless result is ENG_PASS, and may be taken
    // over and left empty; `reason` says why. Return false to stop.
    bool (*take)(const struct cat_case *which, enum eng_result result, const char *reason,
                 struct isa_code *code, void *user);
    void *user;
};

// Compiles the cases in turn, and takes each once. If a driver crashes or hangs, only that case is
// lost. Ends early, with a `reason`, when the device becomes unusable, when the time is up, or at a
// signal.
enum eng_end eng_capture(const struct eng_capture *capture, const struct cat_case *cases,
                         size_t count, char reason[512]);
