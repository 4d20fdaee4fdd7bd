// SPDX-License-Identifier: Apache-2.0
// A thread of the interpreter: the workgroups that it has in flight, and whose turn it is.
#pragma once

#include "memory/order.h"
#include "schedule/counts.h"
#include "schedule/machine.h"
#include "schedule/model.h"
#include "schedule/trace.h"
#include "schedule/workgroup.h"

#include <pthread.h>

struct worker {
    struct exec exec;
    struct machine *machine;
    uint32_t number; // of the thread
    pthread_t thread;
    struct workgroup *slots;
    uint64_t *registers; // [register_count], owned
    uint64_t register_count;
    uint32_t slot_count;
    struct model_rules rules_of_schedule;
    const struct model_rules *rules;
    const struct program *program;
    struct flow *flow;
    uint64_t compilation;     // a seed that is the same for all dispatches
    struct trace *trace;      // NULL: none
    struct counts counts;     // of the dispatch, where something is counted or traced
    enum model_memory memory; // the model's, or that of FAULT_TORN
    bool counts_y_first;      // FAULT_IDS
    struct past *past;        // NULL: memory is sequentially consistent
    struct exec_seen seen[LANES_MAX];

    uint64_t time;     // instructions that sets of lanes executed
    uint64_t executed; // the same, each lane counted
    uint64_t switches;
    bool failed;                // out of host memory
    bool rendezvous, impatient; // FAULT_RENDEZVOUS, FAULT_LOOPS
    const uint32_t *guards;     // FAULT_REDUCTION: guard.h; else NULL
    bool ended;                 // a workgroup in a slot has ended
    bool catches_up;            // most turns are those of the lanes that are farthest behind
    uint32_t turn_most;         // instructions

    // SCHEDULE_PRIORITY: when some lane is delayed, the next time last.
    bool by_progress;
    uint64_t delays[64];
    uint32_t delays_left;

    // promise.c: of lanes by their number the highest that has had a turn, who had the last one,
    // and who has so many more of them while others have none.
    enum schedule schedule;
    bool any_begun, favours;
    uint64_t highest, last_number, favourite, patience;
    uint64_t begins; // how many more lanes begin at first

    // Who ran last, and whether it could have gone on.
    const struct subgroup *last;
    lanes last_set;
};

// step.c: executes instructions of `set`, lanes of one tangle at one pc, until they have to wait,
// part, or `budget` instructions are executed; with `meets` also when they come to where others
// are.
void worker_run(struct worker *worker, struct workgroup *workgroup, struct subgroup *subgroup,
                lanes set, uint32_t budget, bool meets);
// Executes the barrier or fence at `pc` for `set`, and sets its pc behind it.
void worker_pass(struct worker *worker, struct workgroup *workgroup, struct subgroup *subgroup,
                 lanes set, uint32_t pc);
// Lets those of a workgroup go on that wait at its barriers for others, who will not come. False if
// nobody waits there.
bool worker_release(struct worker *worker, struct workgroup *workgroup);
// Points the exec at a set of lanes of a subgroup.
void worker_aim(struct worker *worker, struct workgroup *workgroup, struct subgroup *subgroup,
                lanes set);

// lag.c: model `lagging`.
//
// Lanes have come together in a tangle: one of them may stay behind. False: out of memory.
bool lag_merge(struct worker *worker, struct subgroup *subgroup, struct tangle *tangle);
// Lanes have come to a barrier or fence: whether they wait there, for those behind or as one of
// them.
bool lag_stop(struct subgroup *subgroup, lanes set, uint32_t pc);
// Lets lanes continue for which no other lane can still arrive.
void lag_resume(struct worker *worker, struct workgroup *workgroup, struct subgroup *subgroup);

// promise.c: worker_turn of the schedules of progress models.
bool worker_promised_turn(struct worker *worker);

// pick.c: gives the next set of lanes its turn. False: no lane in any slot can continue.
bool worker_turn(struct worker *worker);
// Draws when lanes are to be delayed, before a dispatch begins.
void worker_draw_delays(struct worker *worker, uint32_t count);
