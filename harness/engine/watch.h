// SPDX-License-Identifier: Apache-2.0
// A worker as the supervisor sees it: requests go in, events come out, and its silence, its death
// and what it prints are watched meanwhile. Each worker is used by one thread at a time; different
// threads may have workers of their own, and then `say`, `tick` and `stop` see to it themselves
// that they do not meet.
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "engine/process.h"
#include "engine/protocol.h"
#include "model/result.h"

#include <stdbool.h>

// --- How long the supervisor waits for a worker, how it ends one, and when a device's queue stops.
// Pure functions of limits and times: they read no clock and send no signal.

// All in seconds.
struct eng_policy {
    double idle;  // without an event for so long a worker hangs
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

// Whether to go on waiting for the next event. *left becomes the seconds until the answer can
// change; 0 unless the answer is to wait. A hang is reported before the end of the run's time.
enum eng_watchdog eng_watchdog(const struct eng_policy *policy, const struct eng_times *times,
                               double *left);

enum eng_kill {
    ENG_KILL_WAIT,    // for *left seconds
    ENG_KILL_TERM,    // send SIGTERM
    ENG_KILL_KILL,    // send SIGKILL
    ENG_KILL_ABANDON, // SIGKILL has no effect: the process hangs in the kernel
};

// The next step of ending a worker that has not exited.
enum eng_kill eng_kill_next(const struct eng_policy *policy, const struct eng_times *times,
                            double *left);

// The time of its last event for a worker to whom nobody listened until now: with it the worker has
// a second at least before it hangs.
double eng_received(const struct eng_policy *policy, double now, double event);

// The longest that a worker may let one batch take, so that it can say itself that a batch did not
// end before it is killed for silence.
uint32_t eng_batch_limit_ms(const struct eng_policy *policy);

#define ENG_LOSSES 3  // of the device in a row stop its queue
#define ENG_HANGS  10 // likewise: each costs the whole policy->idle

// How many results of one kind there are in a row, with one more result. A device that could not be
// opened again counts as lost. A skip leaves the number as it is: nothing ran on the device.
unsigned eng_in_a_row(unsigned count, enum eng_result which, enum eng_result result);

// What all workers of a run share.
struct eng_watch {
    struct eng_policy policy;
    double started; // of the run, clock_now
    bool verbose;   // hand over what workers print
    int niceness;   // of workers, added to this process's own
    // A line that a worker printed, or a remark of the supervisor: sanitised, without a newline.
    void (*say)(const char *line, void *user);
    double due; // clock_now: a wait for an event ends then (ENG_WAIT_DUE); 0: it does not
    // Called a few times a second while waiting; may be NULL.
    void (*tick)(void *user);
    // Asked as often: whether to stop as if a signal had come; may be NULL.
    bool (*stop)(void *user);
    void *user;
};

struct eng_worker;

// Starts a worker for a driver's manifest. NULL with an error. `watch` must outlive the worker.
struct eng_worker *eng_worker_start(const struct eng_watch *watch, const char *manifest,
                                    struct lit_error *error);

// Sends it the tests that were added to the catalogue.
void eng_worker_teach(struct eng_worker *worker);
// Sends it one test alone, as cat_package_write has it; `instead`: it takes the place of the last.
// Or, where `name` is not "", the words of the module that this configuration runs from here on.
void eng_worker_teach_one(struct eng_worker *worker, const struct text *test, bool instead,
                          const char *name);

// Ends a worker and frees it; NULL is fine. `at_once` when it is known not to listen. False if the
// process could not be ended even by SIGKILL.
bool eng_worker_end(struct eng_worker **worker, bool at_once);
// Likewise of a worker that listens, which closes its device first: in policy->idle seconds.
// `ending` says how the driver did not do so, "" if it did, or if the harness failed.
bool eng_worker_close(struct eng_worker **worker, char ending[64]);

// Sends a request. What the worker's socket does not take at once is sent by eng_worker_wait, which
// also says if the worker never takes it.
void eng_worker_ask(struct eng_worker *worker, const struct eng_request *request);

// Of several that were asked one is listened to from now on: it was not silent while others were.
void eng_worker_listen(struct eng_worker *worker);

enum eng_wait {
    ENG_WAIT_EVENT,       // *event is filled
    ENG_WAIT_DUE,         // it is watch->due
    ENG_WAIT_GONE,        // the worker died; `reason` says how
    ENG_WAIT_FAILED,      // the harness failed, not the driver; `reason` says how
    ENG_WAIT_NONSENSE,    // it sent something that is no event; `reason` says what
    ENG_WAIT_HUNG,        // no event for policy.idle (clock_awake); `reason` says so
    ENG_WAIT_TIME,        // the run's time is used up
    ENG_WAIT_INTERRUPTED, // a signal, or watch->stop, asks the run to stop
};

// The result of what was asked, if a wait for its event ended so; PARTIAL if the run is to stop.
enum eng_result eng_wait_result(enum eng_wait wait);

// What is known of a worker's end, or of one that is silent, which is ended for it: evidence[...]
// is allocated, or stays NULL. To be called before eng_worker_end, after a wait that gave no event
// or an event that ends the worker.
void eng_worker_evidence(struct eng_worker *worker, bool silent, char *evidence[ENG_EVIDENCES]);

// Waits for the next event. After anything but an event or ENG_WAIT_DUE the worker is good for
// eng_worker_end only.
enum eng_wait eng_worker_wait(struct eng_worker *worker, struct eng_event *event, char reason[512]);

// --- What the kernel logs of graphics devices while a run lasts. Not everybody may read it:
// without permission there is nothing.

#define ENG_KERNEL_LOG "/dev/kmsg"

struct eng_kernel_log {
    int file;        // -1: it cannot be read
    char rest[1024]; // of a line that has not come to its end
    size_t rest_length;
    struct text lines; // what matters, as dmesg prints it: "[ 1234.567890] NVRM: Xid ..."
};

// From here on what is logged is kept. `path`: of records as /dev/kmsg has them; NULL: none.
void eng_kernel_log_open(struct eng_kernel_log *log, const char *path);
void eng_kernel_log_close(struct eng_kernel_log *log);

// Reads what has come; never waits. Of more than ENG_EVIDENCE_SIZE bytes the newest lines are kept.
void eng_kernel_log_read(struct eng_kernel_log *log);
