// SPDX-License-Identifier: Apache-2.0
// The queue of one device: runs its configurations one after another, through one worker at a time.
// The queues of a run are the lanes of a pool, so only one of them at a time uses the shared store,
// tally, progress and terminal.
#pragma once

#include "engine/client.h"
#include "engine/plan.h"
#include "engine/protocol.h"
#include "engine/supervisor.h"

// --- How devices that run at the same time share the machine. Software devices compete for the
// same cores; a hardware device needs cores only to be fed. Pure functions.

struct eng_share {
    unsigned at_once; // software devices that run at the same time; the others wait
    // Multiplies the time limits of a software device: with n running at once, each may be n times
    // slower than alone.
    double patience;
    int niceness;   // of software devices' workers, so that hardware devices are still fed
    unsigned ahead; // configurations whose pipelines each hardware device precompiles
};

// For the devices of one run on a machine of so many cores.
struct eng_share eng_share_make(unsigned cores, unsigned software, unsigned hardware);

// A software device's state, as the others see it.
struct eng_place {
    enum { ENG_PLACE_NONE, ENG_PLACE_WAITS, ENG_PLACE_RUNS } state;
    bool alone;      // what it runs or waits to run must run alone
    uint64_t ticket; // the smallest ticket among waiting devices came first
};

// Whether a waiting device may run: it is compatible with everything that runs, and with every
// device that waited before it.
bool eng_share_may_run(const struct eng_place *places, size_t count, size_t which);

// --- Tracks which configurations a worker was told to precompile, and which it may still be
// compiling. If a worker dies or falls silent meanwhile, the cause is unknown, so nobody is blamed:
// the running configuration continues with the worker to itself, and so does each one that was
// being compiled, when its turn comes. Pure.

struct eng_precompile {
    unsigned most; // configurations ahead of the present one; 0: none
    size_t next;   // the first place of the plan that the worker was not told of
    size_t alone;  // places before this one get the worker to themselves
    size_t count;
    struct eng_precompile_one {
        size_t place; // in the plan
        bool making;  // not yet said to be made
        char name[512];
    } named[ENG_PRECOMPILE_MOST + 1]; // the present one may be among them
};

// Fills request->ahead with what comes after `place`, as far as there is room, and sets
// request->renew if its own pipelines are precompiled, too. done[i]: place i will not run.
// `describe` writes the name and stress of each.
void eng_precompile_ask(struct eng_precompile *precompile, const struct eng_plan *plan,
                        const bool *done, size_t place, struct eng_request *request,
                        void (*describe)(const struct cat_case *which, struct eng_upcoming *ahead,
                                         void *user),
                        void *user);
// The worker says that it made one. False if it was not told to.
bool eng_precompile_made(struct eng_precompile *precompile, const char *name);
// Whether `name` is of a configuration whose turn is over at `place`, so that it no longer matters.
bool eng_precompile_over(const struct eng_plan *plan, size_t place, const char *name);
// Whether the worker may be compiling for another place than this one.
bool eng_precompile_unclear(const struct eng_precompile *precompile, size_t place);
// After an unclear ending: runs alone `place`, what the worker may still be making, and everything
// before them.
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
    struct lit_error *error;             // of the first queue that could not write the store
    struct eng_progress_queue *progress; // of all queues, in their order
    struct eng_place *places;            // likewise; empty for hardware devices
    uint64_t tickets;                    // tickets handed out so far
    size_t count;                        // of queues
    struct eng_pool pool;                // stops if the store cannot be written
};

struct eng_measured; // one configuration

struct eng_queue {
    struct eng_workers *workers;
    const struct eng_device *device;
    struct eng_progress_queue *progress; // its own, in eng_workers.progress
    struct eng_place *place;             // likewise
    struct eng_plan plan;
    struct eng_rule rule; // how many runs for each; its `least` is its own
    char rule_text[48];   // its notation
    bool *done;           // by an earlier run of this session
    size_t left;
    struct eng_watch watch;
    struct eng_client client;         // its worker
    struct eng_precompile precompile; // what the worker precompiles
    size_t present;                   // the place of the plan that it is open for
    struct eng_measured *measured;    // while the worker runs it; else NULL
    bool stored;                      // the device is in the store
    bool on_host;                     // stored, and that the host checks
    char fault[512];                  // why it could not be opened
    double tested;                    // seconds in which the device executed tests, if asked for
    enum eng_stop step;               // how the queue ended
    bool running, ended;
};

// Makes the device's plan and counts what an earlier run has done. The queue must not move.
void eng_queue_make(struct eng_queue *queue, struct eng_workers *workers, size_t index,
                    const struct eng_device *device);
void eng_queue_clear(struct eng_queue *queue);

// Runs the queue; sets queue->step. The caller holds the lock.
void eng_queue_run(struct eng_queue *queue);
