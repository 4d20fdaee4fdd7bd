// SPDX-License-Identifier: Apache-2.0
// The queue of one device: its configurations one after another, through one worker at a time. The
// queues of a run go side by side in threads of their own, but only one of them is awake: it holds
// the crew's lock, except while it waits for its worker. What is shared (store, tally, progress,
// terminal) is therefore used by one thread at a time.
#pragma once

#include "engine/foresight.h"
#include "engine/plan.h"
#include "engine/share.h"
#include "engine/supervisor.h"

#include <pthread.h>
#include <stdatomic.h>

// How a queue ended; of several, the last one of these says how the run did.
enum eng_step {
    ENG_STEP_ON,          // at its end
    ENG_STEP_QUEUE_STOPS, // the device is of no more use
    ENG_STEP_TIME,
    ENG_STEP_SIGNAL,
    ENG_STEP_STORE, // the store cannot be written
};

// What the queues of a run share.
struct eng_crew {
    const struct eng_run *run;
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
    struct eng_crew *crew;
    const struct eng_device *device;
    struct eng_progress_queue *progress; // its own of the crew's
    struct eng_place *place;             // likewise
    struct eng_plan plan;
    uint64_t first;       // number of the first run of each configuration
    struct eng_rule rule; // how many runs of each
    char rule_text[48];   // its notation
    bool *done;           // by an earlier run of this session
    size_t left;
    struct eng_watch watch;
    struct eng_worker *worker;      // with the device open; NULL: none
    struct eng_foresight foresight; // of what it makes ahead
    uint32_t process;               // the present worker's number, or the next one's
    uint32_t checks;                // modes of the checker that it tried, bit i: enum cat_check i
    bool stored;                    // the device is in the store
    bool on_host;                   // and that the host checks
    bool wedged;                    // a worker outlived SIGKILL
    bool unfit;                     // it refuses to be opened, and would again
    char fault[512];                // why it could not be opened last time
    unsigned losses, hangs;         // in a row
    unsigned failures;              // of the harness, in a row
    enum eng_step step;             // how it ended
};

// Waits for a change, but not for long: whoever waits for something looks for signals, too. The
// caller holds the lock.
void eng_crew_wait(struct eng_crew *crew);
// Whether to wait no longer, for anything.
bool eng_crew_stops(const struct eng_crew *crew);

// Makes the device's plan and counts what an earlier run has done of it. The queue must stay where
// it is.
void eng_queue_make(struct eng_queue *queue, struct eng_crew *crew, size_t index,
                    const struct eng_device *device, const struct eng_share *share);
void eng_queue_clear(struct eng_queue *queue);

// Runs the queue; sets queue->step. The caller holds the lock.
void eng_queue_run(struct eng_queue *queue);
