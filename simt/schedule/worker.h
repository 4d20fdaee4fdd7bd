// SPDX-License-Identifier: Apache-2.0
// A thread of the interpreter: its workgroups in flight, and whose turn it is.
#pragma once

#include "memory/order.h"
#include "schedule/check.h"
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
    uint64_t compilation;     // seed that is the same for all dispatches
    struct trace *trace;      // NULL: none
    struct check *check;      // NULL: none
    struct counts counts;     // of the dispatch, for counts and traces
    enum model_memory memory; // the model's, or that of FAULT_TORN
    bool counts_y_first;      // FAULT_IDS
    struct past *past;        // NULL: memory is sequentially consistent
    struct exec_seen seen[LANES_MAX];

    uint64_t time;     // instructions executed by sets of lanes
    uint64_t executed; // the same, counted per lane
    uint64_t switches;
    bool failed;                // out of host memory
    bool rendezvous, impatient; // FAULT_RENDEZVOUS, FAULT_LOOPS
    const uint32_t *guards;     // FAULT_REDUCTION: guard.h; else NULL
    bool ended;                 // a workgroup in a slot has ended
    bool catches_up;            // most turns go to the lanes farthest behind
    uint32_t turn_most;         // instructions

    // SCHEDULE_PRIORITY: times at which to delay a lane, the next last.
    bool by_progress;
    uint64_t delays[64];
    uint32_t delays_left;

    // promise.c, lanes by number: the highest that has had a turn; the last; and one that has this
    // many more turns while others have none.
    enum schedule schedule;
    bool any_begun, favours;
    uint64_t highest, last_number, favourite, patience;
    uint64_t begins; // lanes still to begin at first

    // The last to run, and whether it could have continued.
    const struct subgroup *last;
    lanes last_set;
};

// step.c: executes instructions for `set`, lanes of one tangle at one pc, until they must wait,
// diverge, or have executed `budget` instructions; with `meets` also until they reach others.
void worker_run(struct worker *worker, struct workgroup *workgroup, struct subgroup *subgroup,
                lanes set, uint32_t budget, bool meets);
// Executes the barrier or fence at `pc` for `set`, and advances its pc.
void worker_pass(struct worker *worker, struct workgroup *workgroup, struct subgroup *subgroup,
                 lanes set, uint32_t pc);
// Releases a workgroup's lanes that wait at barriers for others that will not come. False if none
// wait.
bool worker_release(struct worker *worker, struct workgroup *workgroup);
// Points the exec at a set of lanes of a subgroup.
void worker_aim(struct worker *worker, struct workgroup *workgroup, struct subgroup *subgroup,
                lanes set);

// lag.c: model `lagging`.
//
// Lanes have met in a tangle: one of them may stay behind. False: out of memory.
bool lag_merge(struct worker *worker, struct subgroup *subgroup, struct tangle *tangle);
// Lanes have reached a barrier or fence: whether they stop there, to wait for those behind or as
// one of these.
bool lag_stop(struct subgroup *subgroup, lanes set, uint32_t pc);
// Resumes lanes for which no other lane can still arrive.
void lag_resume(struct worker *worker, struct workgroup *workgroup, struct subgroup *subgroup);

// promise.c: worker_turn for schedules of progress models.
bool worker_promised_turn(struct worker *worker);

// pick.c: gives the next set of lanes a turn. False: no lane in any slot can continue.
bool worker_turn(struct worker *worker);
// Draws the times of delays before a dispatch begins.
void worker_draw_delays(struct worker *worker, uint32_t count);
