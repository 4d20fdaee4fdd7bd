// SPDX-License-Identifier: Apache-2.0
// Schedules of progress models. Lanes that are promised turns get them one after the other; others
// get none, as far as the model allows. A turn is one instruction of one lane that other lanes can
// observe. Unobservable instructions are executed in between and do not count.
#include "schedule/worker.h"

#include "memory/host.h"
#include "program/instructions.h"

enum {
    AHEAD_MOST = 4096, // consecutive unobservable instructions
    LUCK = 4,          // one draw in this many gives unlimited turns
    LOWEST = 4,        // turns per round for the lowest lane, if it is promised any
};

// A lane, and its number in the dispatch.
struct spot {
    struct workgroup *workgroup;
    struct subgroup *subgroup;
    unsigned lane;
    uint64_t number;
};

static uint64_t number_of(const struct spot *spot)
{
    const struct workgroup *workgroup = spot->workgroup;
    const uint64_t subgroups = workgroup->number * workgroup->subgroup_count;
    return (subgroups + spot->subgroup->number) * LANES_MAX + spot->lane;
}

static bool is_noticed(const struct worker *worker, const struct spot *spot)
{
    const struct subgroup *subgroup = spot->subgroup;
    const uint32_t pc = subgroup->pc[spot->lane];
    const struct insn *insn = &worker->program->insns[pc];
    if (!worker->flow->visible[pc] || insn->run != memory_load)
        return worker->flow->visible[pc];
    const uint64_t address =
        subgroup->cells[(size_t)insn->operand[0] * subgroup->width + spot->lane];
    return host_region_number(address) != LOCAL_PUSH;
}

static void run_one(struct worker *worker, const struct spot *spot)
{
    worker_run(worker, spot->workgroup, spot->subgroup, lanes_of(spot->lane), 1, false);
}

static bool can_run(const struct spot *spot)
{
    return spot->subgroup->runnable & lanes_of(spot->lane);
}

// Runs up to an observable instruction. Returns whether anything ran.
static bool run_ahead(struct worker *worker, const struct spot *spot)
{
    uint32_t count = 0;
    while (count < AHEAD_MOST && can_run(spot) && !is_noticed(worker, spot) && !worker->failed) {
        run_one(worker, spot);
        count++;
    }
    return count;
}

// Calls a function for each lane that has not ended, until one returns true.
static bool each_spot(struct worker *worker,
                      bool (*ask)(struct worker *worker, const struct spot *spot, void *user),
                      void *user)
{
    for (uint32_t i = 0; i < worker->slot_count; i++) {
        struct workgroup *workgroup = &worker->slots[i];
        for (uint32_t j = 0; workgroup->live && j < workgroup->subgroup_count; j++) {
            struct subgroup *subgroup = &workgroup->subgroups[j];
            each_lane (lane, subgroup->live) {
                struct spot spot = {workgroup, subgroup, lane, 0};
                spot.number = number_of(&spot);
                if (ask(worker, &spot, user))
                    return true;
            }
        }
    }
    return false;
}

// Candidates for the next turn.
struct choice {
    struct spot lowest;                    // lane that has not ended
    struct spot next, first;               // promised a turn: after the last one; the first
    struct spot any, fresh;                // runnable, at random; the same among those without
    uint64_t count, fresh_count, promised; // a turn so far
};

static bool go_ahead(struct worker *worker, const struct spot *spot, void *user)
{
    struct choice *choice = user;
    if (run_ahead(worker, spot) && worker->ended)
        return true;
    if (!(spot->subgroup->live & lanes_of(spot->lane)))
        return false;
    if (!choice->lowest.subgroup || spot->number < choice->lowest.number)
        choice->lowest = *spot;
    return false;
}

static bool is_promised(const struct worker *worker, const struct choice *choice,
                        const struct spot *spot)
{
    const bool begun = spot->subgroup->begun & lanes_of(spot->lane),
               lowest = spot->number == choice->lowest.number,
               favourite = worker->favours && spot->number == worker->favourite;
    switch (worker->schedule) {
    case SCHEDULE_FAIR:
        return true;
    case SCHEDULE_LOBE:
        return worker->any_begun && spot->number <= worker->highest;
    case SCHEDULE_HSA_OBE:
        return begun || lowest;
    case SCHEDULE_HSA:
        return lowest || favourite;
    case SCHEDULE_OBE:
        return begun;
    default:
        return favourite;
    }
}

static bool choose(struct worker *worker, const struct spot *spot, void *user)
{
    struct choice *choice = user;
    if (!can_run(spot))
        return false;
    if (exec_random(&worker->exec) % ++choice->count == 0)
        choice->any = *spot;
    if (!(spot->subgroup->begun & lanes_of(spot->lane)) &&
        exec_random(&worker->exec) % ++choice->fresh_count == 0)
        choice->fresh = *spot;
    if (!is_promised(worker, choice, spot))
        return false;
    choice->promised++;
    if (!choice->first.subgroup || spot->number < choice->first.number)
        choice->first = *spot;
    if (spot->number > worker->last_number &&
        (!choice->next.subgroup || spot->number < choice->next.number))
        choice->next = *spot;
    return false;
}

// Under hsa and none, the others do nothing while a favourite has its turns: one to four, or all.
static bool favours_one(const struct worker *worker)
{
    return worker->schedule == SCHEDULE_HSA || worker->schedule == SCHEDULE_NONE;
}

static void favour(struct worker *worker, const struct spot *spot)
{
    const uint64_t luck = exec_random(&worker->exec) % LUCK;
    worker->favours = true;
    worker->favourite = spot->number;
    worker->patience = luck ? luck : UINT64_MAX;
}

static void give(struct worker *worker, const struct spot *spot)
{
    const bool favourite = worker->favours && spot->number == worker->favourite;
    spot->subgroup->begun |= lanes_of(spot->lane);
    if (!worker->any_begun || spot->number > worker->highest)
        worker->highest = spot->number;
    worker->any_begun = true;
    worker->last_number = spot->number;
    run_one(worker, spot);
    run_ahead(worker, spot);
    if (favourite && (--worker->patience == 0 || !can_run(spot)))
        worker->favours = false;
}

static const struct spot *pick(struct worker *worker, const struct choice *choice)
{
    const enum schedule schedule = worker->schedule;
    const bool hsa = schedule == SCHEDULE_HSA || schedule == SCHEDULE_HSA_OBE,
               obe = schedule == SCHEDULE_OBE || schedule == SCHEDULE_HSA_OBE;
    const struct spot *fresh = choice->fresh_count ? &choice->fresh : &choice->any;
    // Some begin at once, in any order.
    if (obe && !worker->any_begun)
        worker->begins = 1 + exec_random(&worker->exec) % choice->count;
    if (obe && worker->begins) {
        worker->begins--;
        return fresh;
    }
    if (favours_one(worker) && !worker->favours) {
        favour(worker, fresh);
        return fresh;
    }
    if (hsa && can_run(&choice->lowest) &&
        exec_random(&worker->exec) % (choice->promised + LOWEST) < LOWEST)
        return &choice->lowest;
    return choice->next.subgroup    ? &choice->next
           : choice->first.subgroup ? &choice->first
                                    : &choice->any;
}

bool worker_promised_turn(struct worker *worker)
{
    struct choice choice = {0};
    if (each_spot(worker, go_ahead, &choice) || worker->ended)
        return true; // a workgroup has ended: another may begin
    each_spot(worker, choose, &choice);
    if (!choice.count)
        return false;
    give(worker, pick(worker, &choice));
    return true;
}
