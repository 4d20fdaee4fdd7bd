// SPDX-License-Identifier: Apache-2.0
// The queue of one device: its configurations one after another, through one worker at a time. The
// queues of a run go side by side in threads of their own, but only one of them is awake: it holds
// the workers's lock, except while it waits for its worker. What is shared (store, tally, progress,
// terminal) is therefore used by one thread at a time.
#pragma once

#include "engine/client.h"
#include "engine/plan.h"
#include "engine/protocol.h"
#include "engine/supervisor.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// --- How devices that run at the same time share the machine. A software device computes on the
// same cores as its neighbours; one of hardware needs them only to be fed. Pure functions.

struct eng_share {
    unsigned at_once; // software devices that run at the same time; the others wait for their turn
    // The time limits of a software device are multiplied by it: with n of them at once each may be
    // n times slower than alone.
    double patience;
    int niceness;   // of software devices' workers, so that hardware is fed beside them
    unsigned ahead; // configurations whose pipelines are precompiled on each device of hardware
};

// For the devices of one run on a machine of so many cores.
struct eng_share eng_share_make(unsigned cores, unsigned software, unsigned hardware);

// What a software device is about, as the others see it.
struct eng_place {
    enum { ENG_PLACE_NONE, ENG_PLACE_WAITS, ENG_PLACE_RUNS } state;
    bool alone;      // what it waits to run, or runs, is not to be run beside anything else
    uint64_t ticket; // of those that wait the smallest one came first
};

// Whether a device that waits may run: nothing that runs stands against it, and nobody who came
// before it waits for what would not go with it.
bool eng_share_may_run(const struct eng_place *places, size_t count, size_t which);

// --- What the supervisor knows of the pipelines that a worker precompiles: which
// configurations it was told of, and which of them it may still be compiling. A worker that dies or
// falls silent meanwhile does so for one of several reasons; then nobody is blamed, and what was
// being run goes on with the worker to itself, as do those that were being compiled when their turn
// comes. Pure.

struct eng_precompile {
    unsigned most; // configurations ahead of the present one; 0: none
    size_t next;   // the first place of the plan that the present worker was not told of
    size_t alone;  // whoever has a place before it gets the worker to itself
    size_t count;
    struct eng_precompile_one {
        size_t place; // in the plan
        bool making;  // not yet said to be made
        char name[512];
    } named[ENG_PRECOMPILE_MOST + 1]; // the present one may be among them
};

// Fills request->ahead with what comes after `place`, as far as there is room, and says whether its
// own pipelines are precompiled, too (request->renew). done[i]: place i will not be run. Of each,
// `describe` writes name and stress.
void eng_precompile_ask(struct eng_precompile *precompile, const struct eng_plan *plan,
                        const bool *done, size_t place, struct eng_request *request,
                        void (*describe)(const struct cat_case *which, struct eng_upcoming *ahead,
                                         void *user),
                        void *user);
// The worker says that it made one. False if it was not told to.
bool eng_precompile_made(struct eng_precompile *precompile, const char *name);
// Whether it is the name of one whose turn is over at `place`: that it is made matters no more.
bool eng_precompile_over(const struct eng_plan *plan, size_t place, const char *name);
// Whether the worker may be compiling for another place than this one.
bool eng_precompile_unclear(const struct eng_precompile *precompile, size_t place);
// An ending was unclear: `place`, what the worker may still be making, and all that lies before
// them are to be alone.
void eng_precompile_separate(struct eng_precompile *precompile, size_t place);
// The worker has ended.
void eng_precompile_forget(struct eng_precompile *precompile);

// What the queues of a run share.
struct eng_workers {
    const struct eng_run *run;
    struct eng_share share;
    struct eng_queue *queues;
    struct eng_tally *tally;
    struct eng_kernel_log kernel_log;
    struct lit_error *error;             // of the first one that could not write the store
    struct eng_progress_queue *progress; // of all queues, in their order
    struct eng_place *places;            // likewise; those of hardware stay empty
    uint64_t tickets;                    // handed out so far
    size_t count;                        // of queues
    atomic_bool stop;                    // all queues are to stop: the store cannot be written
    pthread_mutex_t lock;
    pthread_cond_t changed; // a place became free, or a queue ended
};

struct eng_queue {
    struct eng_workers *workers;
    const struct eng_device *device;
    struct eng_progress_queue *progress; // its own of the workers's
    struct eng_place *place;             // likewise
    struct eng_plan plan;
    struct eng_rule rule; // how many runs of each; `least` is of its own
    char rule_text[48];   // its notation
    bool *done;           // by an earlier run of this session
    size_t left;
    struct eng_watch watch;
    struct eng_client client;         // its worker
    struct eng_precompile precompile; // of what that precompiles
    size_t opening;                   // the place of the plan for which it is being opened
    bool stored;                      // the device is in the store
    bool on_host;                     // and that the host checks
    char fault[512];                  // why it could not be opened
    double tested;                    // seconds in which the device executed tests, if asked for
    enum eng_stop step;               // how it ended
    pthread_t thread;                 // that it has for itself where devices run side by side
    bool has_thread, running, ended;
};

// Waits for a change, but not for long: whoever waits for something looks for signals, too. The
// caller holds the lock.
void eng_workers_wait(struct eng_workers *workers);
// Whether to wait no longer, for anything.
bool eng_workers_stops(const struct eng_workers *workers);

// Makes the device's plan and counts what an earlier run has done of it. The queue must stay where
// it is.
void eng_queue_make(struct eng_queue *queue, struct eng_workers *workers, size_t index,
                    const struct eng_device *device);
void eng_queue_clear(struct eng_queue *queue);

// Runs the queue; sets queue->step. The caller holds the lock.
void eng_queue_run(struct eng_queue *queue);
