// SPDX-License-Identifier: Apache-2.0
// A device that is asked one request after another: its worker is started when it is needed and
// replaced when it ends. For subcommands that try things out; `run` has the supervisor.
#pragma once

#include "catalogue/catalogue.h"
#include "engine/watch.h"
#include "isa/code.h"
#include "model/inventory.h"

struct eng_client {
    const struct eng_watch *watch;
    const struct eng_device *device;
    struct eng_worker *worker; // with the device open; NULL: none
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
    unsigned losses, hangs; // in a row
    bool unfit;             // it cannot be opened at all, or no worker can be had
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
