// SPDX-License-Identifier: Apache-2.0
// The supervisor: runs the plan on all chosen devices through worker processes and stores the
// measurements. It never calls Vulkan.
#pragma once

#include "catalogue/catalogue.h"
#include "model/inventory.h"
#include "engine/watch.h"
#include "engine/progress.h"
#include "model/rule.h"
#include "engine/plan.h"
#include "model/result.h"
#include "store/store.h"

// How many cores this process may use, 1 or more.
unsigned eng_usable_cores(void);

struct eng_run {
    const struct cat_selection *selection;
    const struct eng_inventory *inventory;
    const bool *chosen;  // of the inventory's devices
    uint64_t runs, seed; // of the whole run, even if this is a shard
    struct eng_shard shard;
    struct eng_rule rule; // FIXED: `runs` of each; else `runs` is the least, and `most` counts
    // How many runs a configuration gets when the others get `runs`; takes `user`. NULL: all get
    // the same.
    uint64_t (*weigh)(const struct eng_device *device, const char *name, uint64_t runs, void *user);
    bool shuffle, validation;
    bool serial;    // one device after another
    int ahead;      // configurations whose pipelines a worker precompiles, at most
                    // ENG_PRECOMPILE_MOST; negative: as many as suit the machine, none on software
    unsigned cores; // cores that software devices share; 0: as many as this process may use
    const struct eng_stressing *stress; // NULL: none
    // Limits and start time; `say` takes a line to the user: a remark, a worker's output, a
    // validation message.
    const struct eng_watch *watch;
    const char *kernel_log; // eng_kernel_log_open
    struct store *store;
    int64_t session;
    struct eng_progress *progress;
    // Prints a device's header: before anything runs if devices run side by side, else when its
    // turn begins. `before` of the `planned` configurations are done.
    void (*header)(const struct eng_device *device, size_t planned, size_t before, void *user);
    // Called with each result when its configuration is over; may be NULL.
    void (*ended)(const struct eng_device *device, const struct result *result, void *user);
    // Called with each earlier result of the session before anything runs; may be NULL.
    void (*known)(const struct eng_device *device, const struct result *result, void *user);
    void *user;
};

// --- A session's results on a device while they are measured, by one worker or by several at once.
// All measurements reach the store through them.

#define ENG_REASON 512 // bytes of a result's reason; its stress has ENG_STRESS_TEXT

struct eng_records {
    struct store *store;
    int64_t session;
    double pause; // seconds that counts wait for others: a commit costs more than all other work
    double due;   // clock_now: when they must be stored; 0: none wait
    struct eng_record {
        struct result kept;
        uint64_t planned; // runs; those stored are always the first ones
        bool changed;     // since it was stored
    } * items;
    size_t count;
};

// Begins an empty, partial result; eng_result_clear it.
void eng_record_begin(struct result *result, const char *name, const struct cat_case *which,
                      const struct eng_device *device, uint64_t seed);
// Reads the session's result. True if it is over; a result without an answer (harness-error) is run
// again. Sets *process above the numbers of all workers that measured it. If the store cannot be
// read, returns false with an error; otherwise error->message is empty.
bool eng_record_recall(const struct eng_records *records, struct result *result, uint32_t *process,
                       struct lit_error *error);
// Counts a batch: see eng_result_add.
void eng_record_add(struct eng_records *records, struct eng_record *record,
                    const struct eng_count *batch, const struct eng_failure *failures,
                    uint32_t process, bool fresh);
bool eng_records_are_due(const struct eng_records *records);
// Stores those that changed.
bool eng_records_put(struct eng_records *records, struct lit_error *error);

// How a queue or a run ended; a run ends as the queue with the last of these.
enum eng_stop {
    ENG_STOP_NOT,    // everything planned was done, except on devices whose queue stopped
    ENG_STOP_QUEUE,  // the device is unusable; never for a run
    ENG_STOP_TIME,   // the time was used up
    ENG_STOP_SIGNAL, // eng_interrupt() says which
    ENG_STOP_STORE,  // the store cannot be written; `error` says why
};

// Runs everything: each device has its own queue, and queues run side by side (eng_share) unless
// the run is serial. A queue that stops leaves the others running; a signal, the end of the time,
// or a store that cannot be written stops all. One thread at a time calls the functions above, not
// always the same one. Skips configurations that already have results in the session; continues
// partial ones. *tally includes the results of earlier runs of the session.
enum eng_stop eng_supervise(const struct eng_run *run, struct eng_tally *tally,
                            struct lit_error *error);
