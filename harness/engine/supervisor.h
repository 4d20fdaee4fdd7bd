// SPDX-License-Identifier: Apache-2.0
// The supervisor: runs the plan on all chosen devices through worker processes and stores what
// they measure. It never calls Vulkan.
#pragma once

#include "catalogue/catalogue.h"
#include "model/inventory.h"
#include "engine/watch.h"
#include "engine/progress.h"
#include "model/rule.h"
#include "engine/plan.h"
#include "model/result.h"
#include "store/store.h"

// Of the processor: those that this process may use, 1 or more.
unsigned eng_usable_cores(void);

struct eng_run {
    const struct cat_selection *selection;
    const struct eng_inventory *inventory;
    const bool *chosen;  // of the inventory's devices
    uint64_t runs, seed; // of the whole run, also where this is a shard of it
    struct eng_shard shard;
    struct eng_rule rule; // FIXED: `runs` of each; else `runs` is the least, and `most` counts
    // How many runs a configuration gets of which the others get `runs`, with `user`; NULL: all the
    // same.
    uint64_t (*weigh)(const struct eng_device *device, const char *name, uint64_t runs, void *user);
    bool shuffle, validation;
    bool serial;    // one device after another
    int ahead;      // configurations whose pipelines a worker precompiles, at most
                    // ENG_PRECOMPILE_MOST; negative: as many as suit the machine, none on software
    unsigned cores; // that software devices share; 0: as many as this process may use
    const struct eng_stressing *stress; // NULL: none
    // Its limits and its beginning; `say` takes a line to the user: a remark, what a worker
    // printed, a validation message.
    const struct eng_watch *watch;
    const char *kernel_log; // eng_kernel_log_open
    struct store *store;
    int64_t session;
    struct eng_progress *progress;
    // Prints a device's header: before anything runs where devices run side by side, else when its
    // turn begins. `planned` configurations, of which `before` are done.
    void (*header)(const struct eng_device *device, size_t planned, size_t before, void *user);
    // Told of each result when its configuration is over; may be NULL.
    void (*ended)(const struct eng_device *device, const struct store_result *result, void *user);
    // Told of each result that the session holds already, before anything runs; may be NULL.
    void (*known)(const struct eng_device *device, const struct store_result *result, void *user);
    void *user;
};

// --- What a session keeps of one configuration on one device: all that is measured comes into the
// store this way.

struct eng_record {
    struct text name; // of the configuration
    char reason[512], stress[ENG_STRESS_TEXT];
    enum eng_result result;  // ENG_PARTIAL: not over
    struct store_result row; // points into the record, which stays where it is
};

// Begins a record, whose name is set, of which nothing is known. Free the name when it is over.
void eng_record_begin(struct eng_record *record, const struct cat_case *which,
                      const struct eng_device *device, uint64_t seed);
// Takes what the session has of it. True if it is over; what has no answer (harness-error) is asked
// again. *process becomes larger than the numbers of all workers that measured it. False with an
// error, whose message is empty else, if the store cannot be read.
bool eng_record_recall(struct eng_record *record, struct store *store, int64_t session,
                       uint32_t *process, struct lit_error *error);
// Adds what a batch of a worker counted; `fresh`: it begins a pipeline.
void eng_record_count(struct eng_record *record, const struct eng_count *batch, uint32_t process,
                      bool fresh);
// Stores records, DEV_MAX_SIZES at most, in one transaction.
bool eng_records_put(struct eng_record *const *records, size_t count, struct store *store,
                     int64_t session, struct lit_error *error);

// How a queue ended, or a run: as the last of these that one of its queues has.
enum eng_stop {
    ENG_STOP_NOT,    // everything planned was done, but for devices whose queue stopped
    ENG_STOP_QUEUE,  // the device is of no more use; never of a run
    ENG_STOP_TIME,   // the time was used up
    ENG_STOP_SIGNAL, // eng_interrupt() says which
    ENG_STOP_STORE,  // the store cannot be written; `error` says why
};

// Runs everything: each device has a queue of its own, and these go side by side (eng_share)
// unless the run is serial. A queue that stops leaves the others running; a signal, the end of the
// time and a store that cannot be written stop all. The functions above are called by one thread at
// a time, though not always by the same one. Configurations that the session holds results of are
// not run again; those that are partial go on where they stopped. Fills *tally, with the results of
// earlier runs of the session too.
enum eng_stop eng_supervise(const struct eng_run *run, struct eng_tally *tally,
                            struct lit_error *error);
