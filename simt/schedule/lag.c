// SPDX-License-Identifier: Apache-2.0
// The model `lagging`: after divergence a lane stays behind until it meets the others at a barrier.
#include "schedule/worker.h"

bool lag_merge(struct worker *worker, struct subgroup *subgroup, struct tangle *tangle)
{
    const lanes first = tangle->first_arrival & tangle->here;
    const lanes others = tangle->here & ~first;
    tangle->first_arrival = 0;
    if (!first || !others || tangle->lags || exec_random(&worker->exec) % 2)
        return true;
    // The smaller part is the one that had work of its own.
    const lanes fewer = lanes_count(first) < lanes_count(others) ? first : others;
    uint64_t skip = exec_random(&worker->exec) % lanes_count(fewer);
    unsigned chosen = 0;
    each_lane (lane, fewer) {
        if (skip-- == 0)
            chosen = lane;
    }
    return tangle_leave_behind(subgroup, tangle, chosen);
}

bool lag_stop(struct subgroup *subgroup, lanes set, uint32_t pc)
{
    if (!subgroup->behind)
        return false;
    if (set & subgroup->behind)
        subgroup->parked |= set;
    else
        subgroup->held |= set;
    subgroup->runnable &= ~set;
    subgroup_put(subgroup, set, pc, NULL);
    return true;
}

static void release_held(struct worker *worker, struct workgroup *workgroup,
                         struct subgroup *subgroup)
{
    while (subgroup->held) {
        const unsigned first = lanes_first(subgroup->held);
        struct tangle *tangle = subgroup->tangle[first];
        const uint32_t pc = subgroup->pc[first];
        const lanes joining = subgroup_at(subgroup, subgroup->parked, pc);
        tangle_rejoin(subgroup, tangle, joining);
        subgroup->parked &= ~joining;
        subgroup->held &= ~tangle->here;
        subgroup->runnable |= tangle->here;
        worker_pass(worker, workgroup, subgroup, tangle->here, pc);
    }
}

void lag_resume(struct worker *worker, struct workgroup *workgroup, struct subgroup *subgroup)
{
    if (subgroup->behind & subgroup->runnable)
        return;
    if (subgroup->held) {
        release_held(worker, workgroup, subgroup);
    } else if (!subgroup->runnable) {
        each_lane (lane, subgroup->parked) {
            subgroup->runnable |= lanes_of(lane);
            worker_pass(worker, workgroup, subgroup, lanes_of(lane), subgroup->pc[lane]);
        }
        subgroup->parked = 0;
    }
}
