// SPDX-License-Identifier: Apache-2.0
// A worker as the supervisor sees it: takes requests, returns events, and watches for silence,
// death and output. One thread at a time may use a worker; different threads may have their own
// workers, and must then make `say` and `tick` thread-safe.
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "engine/process.h"
#include "engine/protocol.h"
#include "model/result.h"

#include <stdatomic.h>

// --- How long the supervisor waits for a worker, how it ends one, and when it stops a device's
// queue. Pure functions of limits and times: they read no clock and send no signal.

// All in seconds.
struct eng_policy {
    double idle;  // a worker without an event for this long hangs
    double term;  // from SIGTERM to SIGKILL
    double kill;  // from SIGKILL to giving the process up
    double total; // for the whole run; 0: no limit
};

#define ENG_IDLE_SECONDS 60.0 // a driver may compile within the first dispatch
#define ENG_TERM_SECONDS 2.0
#define ENG_KILL_SECONDS 5.0

// Times in seconds of one monotonic clock.
struct eng_times {
    double now;
    double started;    // the run
    double event;      // the worker's last event, or the request if none came since
    double terminated; // when SIGTERM was sent; negative: not yet
    double killed;     // when SIGKILL was sent; negative: not yet
};

enum eng_watchdog {
    ENG_WATCHDOG_WAIT,
    ENG_WATCHDOG_HANG, // the worker made no progress for policy->idle
    ENG_WATCHDOG_TIME, // the run's time is used up
};

// Whether to keep waiting for the next event. *left becomes the seconds until the answer can
// change; 0 unless the answer is to wait. Reports a hang before the end of the run's time.
enum eng_watchdog eng_watchdog(const struct eng_policy *policy, const struct eng_times *times,
                               double *left);

enum eng_kill {
    ENG_KILL_WAIT,    // for *left seconds
    ENG_KILL_TERM,    // send SIGTERM
    ENG_KILL_KILL,    // send SIGKILL
    ENG_KILL_ABANDON, // SIGKILL has no effect: the process hangs in the kernel
};

// The next step to end a worker that has not exited.
enum eng_kill eng_kill_next(const struct eng_policy *policy, const struct eng_times *times,
                            double *left);

// The longest that one batch may take, so that the worker can report a batch that did not end
// before it is killed for silence.
uint32_t eng_batch_limit_ms(const struct eng_policy *policy);

#define ENG_LOSSES 3  // losses of the device in a row that stop its queue
#define ENG_HANGS  10 // likewise hangs: each costs the whole policy->idle

// Returns how many results of one kind came in a row, including `result`. A device that could not
// be reopened counts as lost. A skip does not change the number: nothing ran on the device.
unsigned eng_in_a_row(unsigned count, enum eng_result which, enum eng_result result);

// What all workers of a run share.
struct eng_watch {
    struct eng_policy policy;
    double started; // of the run, clock_now
    bool verbose;   // pass on what workers print
    int niceness;   // of workers, added to this process's own
    // A line that a worker printed, or a remark of the supervisor: sanitised, without a newline.
    void (*say)(const char *line, void *user);
    // Called a few times a second while waiting; may be NULL.
    void (*tick)(void *user);
    void *user;
    const atomic_bool *stop; // whether to stop as if a signal had come; may be NULL
};

struct eng_worker;

// Starts a worker for a driver's manifest. NULL with an error. `watch` must outlive the worker.
struct eng_worker *eng_worker_start(const struct eng_watch *watch, const char *manifest,
                                    struct lit_error *error);

// Sends it the tests added to the catalogue.
void eng_worker_teach(struct eng_worker *worker);
// Sends it one test, as cat_package_write writes it; `instead` replaces the last one.
void eng_worker_teach_one(struct eng_worker *worker, const struct text *test, bool instead);

// Ends a worker and frees it; NULL is fine. Use `at_once` if it no longer listens. False if even
// SIGKILL did not end the process.
bool eng_worker_end(struct eng_worker **worker, bool at_once);
// Ends a worker that listens: it first closes its device, within policy->idle seconds. `ending`
// says how the driver failed to close it; "" if it did close it, or if the harness failed.
bool eng_worker_close(struct eng_worker **worker, char ending[64]);

// Sends a request. eng_worker_wait sends what the worker's socket does not take at once, and
// reports if the worker never takes it.
void eng_worker_ask(struct eng_worker *worker, const struct eng_request *request);

enum eng_wait {
    ENG_WAIT_EVENT,       // *event is filled
    ENG_WAIT_GONE,        // the worker died; `reason` says how
    ENG_WAIT_FAILED,      // the harness failed, not the driver; `reason` says how
    ENG_WAIT_NONSENSE,    // it sent something that is not an event; `reason` says what
    ENG_WAIT_HUNG,        // no event for policy.idle (clock_awake); `reason` says so
    ENG_WAIT_TIME,        // the run's time is used up
    ENG_WAIT_INTERRUPTED, // a signal, or watch->stop, asks the run to stop
};

// The request's result if a wait for its event ended so; PARTIAL if the run is to stop.
enum eng_result eng_wait_result(enum eng_wait wait);

// Collects evidence about a worker that ended or is silent; a silent one is ended for it. Allocates
// evidence[...] or leaves it NULL. Call before eng_worker_end, after a wait without an event or
// after an event that ends the worker.
void eng_worker_evidence(struct eng_worker *worker, bool silent, char *evidence[ENG_EVIDENCES]);

// Waits for the next event. After any result but ENG_WAIT_EVENT, the worker can only be ended
// (eng_worker_end).
enum eng_wait eng_worker_wait(struct eng_worker *worker, struct eng_event *event, char reason[512]);

// --- Kernel messages about graphics devices during a run. Reading them may need permission;
// without it there are none.

#define ENG_KERNEL_LOG "/dev/kmsg"

struct eng_kernel_log {
    int file;        // -1: unreadable
    char rest[1024]; // an incomplete line
    size_t rest_length;
    struct text lines; // relevant lines, as dmesg prints them: "[ 1234.567890] NVRM: Xid ..."
};

// Starts keeping messages. `path`: a file of records like /dev/kmsg; NULL: none.
void eng_kernel_log_open(struct eng_kernel_log *log, const char *path);
void eng_kernel_log_close(struct eng_kernel_log *log);

// Reads what has come; never waits. Keeps the newest lines, at most ENG_EVIDENCE_SIZE bytes.
void eng_kernel_log_read(struct eng_kernel_log *log);
