// SPDX-License-Identifier: Apache-2.0
// A worker as the supervisor sees it: requests go in, events come out, and its silence, its death
// and what it prints are watched meanwhile. Each worker is used by one thread at a time; different
// threads may have workers of their own, and then `say`, `tick` and `stop` see to it themselves
// that they do not meet.
#pragma once

#include "engine/protocol.h"
#include "engine/spawn.h"

// What all workers of a run share.
struct eng_watch {
    struct eng_policy policy;
    double started; // of the run, clock_now
    bool verbose;   // hand over what workers print
    int niceness;   // of workers, added to this process's own
    // A line that a worker printed, or a remark of the supervisor: sanitised, without a newline.
    void (*say)(const char *line, void *user);
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

// Ends a worker and frees it; NULL is fine. `at_once` when it is known not to listen. False if the
// process could not be ended even by SIGKILL.
bool eng_worker_end(struct eng_worker **worker, bool at_once);

// Sends a request. What the worker's socket does not take at once is sent by eng_worker_wait, which
// also says if the worker never takes it.
void eng_worker_ask(struct eng_worker *worker, const struct eng_request *request);

// Of several that were asked one is listened to from now on: it was not silent while others were.
void eng_worker_listen(struct eng_worker *worker);

enum eng_wait {
    ENG_WAIT_EVENT,       // *event is filled
    ENG_WAIT_GONE,        // the worker died; `reason` says how
    ENG_WAIT_FAILED,      // the harness failed, not the driver; `reason` says how
    ENG_WAIT_NONSENSE,    // it sent something that is no event; `reason` says what
    ENG_WAIT_HUNG,        // no event for policy.idle (clock_awake); `reason` says so
    ENG_WAIT_TIME,        // the run's time is used up
    ENG_WAIT_INTERRUPTED, // a signal, or watch->stop, asks the run to stop
};

// What is known of a worker's end, or of one that is silent, which is ended for it: evidence[...]
// is allocated, or stays NULL. To be called before eng_worker_end, after a wait that gave no event
// or an event that ends the worker.
void eng_worker_evidence(struct eng_worker *worker, bool silent, char *evidence[ENG_EVIDENCES]);

// Waits for the next event. After anything but an event the worker is good for eng_worker_end only.
enum eng_wait eng_worker_wait(struct eng_worker *worker, struct eng_event *event, char reason[512]);
