// SPDX-License-Identifier: Apache-2.0
// Selects the lane to run: any runnable one for a random time; or, in schedules by progress, the
// lanes that are farthest behind, with a few delays.
#include "schedule/worker.h"

enum {
    DRIFT_EVERY = 8,
    AHEAD_EVERY = 64,
    TURN_MAX = 1024,   // instructions, for lanes that keep together
    TANGLES_MAX = 128, // more mean that lanes have diverged too far
    QUIET = 256,       // turns without anything visible to others
    CATCH_UP = 2,      // all but one in this many turns go to the lanes behind
    CATCH_UP_APART = 16,
    CATCH_UP_QUIET = 4096,
    CATCH_UP_TURN = 4096,
};

static unsigned any_lane(struct worker *worker, const struct subgroup *subgroup, lanes set)
{
    const unsigned from = (unsigned)(exec_random(&worker->exec) & (subgroup->width - 1));
    const lanes above = set >> from;
    return above ? from + lanes_first(above) : lanes_first(set);
}

// The runnable lanes at the same instruction in the same tangle, unless delayed.
static lanes companions(const struct worker *worker, const struct subgroup *subgroup, unsigned lane)
{
    lanes set = subgroup_at(subgroup, subgroup->tangle[lane]->here & subgroup->runnable,
                            subgroup->pc[lane]);
    for (lanes left = worker->by_progress ? set : 0; left; left &= left - 1) {
        if (subgroup->asleep[lanes_first(left)] > worker->time)
            set &= ~lanes_of(lanes_first(left));
    }
    return set;
}

static void note_switch(struct worker *worker, const struct subgroup *subgroup, lanes set)
{
    const struct subgroup *last = worker->last;
    if (last && (last != subgroup || !(set & worker->last_set)) &&
        (last->runnable & worker->last_set) == worker->last_set)
        worker->switches++;
    worker->last = subgroup;
    worker->last_set = set;
}

// Gives a turn to a lane and its companions.
static void give_turn(struct worker *worker, struct workgroup *workgroup, struct subgroup *subgroup,
                      unsigned lane, bool alone, uint32_t budget, bool meets)
{
    struct tangle *tangle = subgroup->tangle[lane];
    if (tangle->first_arrival && !lag_merge(worker, subgroup, tangle)) {
        worker->failed = true;
        return;
    }
    tangle = subgroup->tangle[lane];
    lanes set = worker->rules->together ? tangle->here & subgroup->runnable
                                        : companions(worker, subgroup, lane);
    if (alone && !worker->rules->together)
        set = lanes_of(lane);
    note_switch(worker, subgroup, set);
    budget = budget < worker->turn_most ? budget : worker->turn_most;
    worker_run(worker, workgroup, subgroup, set, budget, meets);
}

static bool can_go(struct worker *worker, struct workgroup *workgroup, struct subgroup *subgroup)
{
    if (subgroup->held | subgroup->parked)
        lag_resume(worker, workgroup, subgroup);
    return subgroup->runnable != 0;
}

// The lane in the oldest tangle, at the earliest instruction there.
static unsigned last_lane(const struct subgroup *subgroup, lanes set)
{
    const struct tangle *first = NULL;
    for (lanes left = set; left;) {
        const struct tangle *tangle = subgroup->tangle[lanes_first(left)];
        left &= ~tangle->here;
        if (!first || tangle->number < first->number)
            first = tangle;
    }
    unsigned last = lanes_first(set & first->here);
    each_lane (lane, set & first->here) {
        if (subgroup->pc[lane] < subgroup->pc[last])
            last = lane;
    }
    return last;
}

// Lanes that ran far ahead leave a trail of tangles for the others to pass through. Lets those run
// until they have caught up.
static void catch_up(struct worker *worker, struct workgroup *workgroup, struct subgroup *subgroup,
                     lanes set)
{
    const unsigned lane = last_lane(subgroup, set);
    const lanes with = subgroup->tangle[lane]->here & set;
    const bool others = subgroup_at(subgroup, with, subgroup->pc[lane]) != with;
    give_turn(worker, workgroup, subgroup, lane, false, others ? 1 : CATCH_UP_TURN, true);
}

// A power of two.
static uint32_t catch_up_every(const struct subgroup *subgroup)
{
    if (subgroup->quiet > QUIET)
        return CATCH_UP_QUIET;
    return subgroup->tangle_count > TANGLES_MAX ? CATCH_UP_APART : CATCH_UP;
}

static void turn_in(struct worker *worker, struct workgroup *workgroup, struct subgroup *subgroup)
{
    struct exec *exec = &worker->exec;
    const uint64_t random = exec_random(exec);
    static const uint32_t ranges[] = {4, 16, 64, 256};
    lanes set = subgroup->runnable;
    // Lanes left behind run when the others cannot, or once in a while.
    if (subgroup->behind && (set & ~subgroup->behind) && random % AHEAD_EVERY)
        set &= ~subgroup->behind;
    if (worker->catches_up && (random & (catch_up_every(subgroup) - 1))) {
        catch_up(worker, workgroup, subgroup, set);
        return;
    }
    const uint32_t budget = worker->rules->together && !worker->rules->short_turns
                                ? TURN_MAX
                                : 1 + ((uint32_t)(random >> 16) & (ranges[random >> 8 & 3] - 1));
    give_turn(worker, workgroup, subgroup, any_lane(worker, subgroup, set), random >> 10 & 1,
              budget, false);
    if (workgroup->order && random % DRIFT_EVERY == 0)
        order_drift(exec);
}

static bool random_turn(struct worker *worker)
{
    const uint64_t random = exec_random(&worker->exec);
    uint32_t slot = (uint32_t)random % worker->slot_count;
    for (uint32_t i = 0; i < worker->slot_count; i++, slot = (slot + 1) % worker->slot_count) {
        struct workgroup *workgroup = &worker->slots[slot];
        if (!workgroup->live)
            continue;
        uint32_t number = (uint32_t)(random >> 32) % workgroup->subgroup_count;
        for (uint32_t j = 0; j < workgroup->subgroup_count; j++) {
            struct subgroup *subgroup = &workgroup->subgroups[number];
            if (can_go(worker, workgroup, subgroup)) {
                turn_in(worker, workgroup, subgroup);
                return true;
            }
            number = (number + 1) % workgroup->subgroup_count;
        }
    }
    return false;
}

// The schedule by progress.

struct place {
    struct workgroup *workgroup;
    struct subgroup *subgroup;
    unsigned lane;
    uint64_t asleep, progress;
};

// Awake before asleep, then fewest instructions executed first.
static bool is_before(const struct place *a, const struct place *b)
{
    if (!b->subgroup)
        return true;
    return a->asleep != b->asleep ? a->asleep < b->asleep : a->progress < b->progress;
}

static struct place farthest_behind(struct worker *worker)
{
    struct place best = {0};
    for (uint32_t i = 0; i < worker->slot_count; i++) {
        struct workgroup *workgroup = &worker->slots[i];
        for (uint32_t j = 0; workgroup->live && j < workgroup->subgroup_count; j++) {
            struct subgroup *subgroup = &workgroup->subgroups[j];
            if (!can_go(worker, workgroup, subgroup))
                continue;
            each_lane (lane, subgroup->runnable) {
                struct place place = {workgroup, subgroup, lane, subgroup->asleep[lane],
                                      subgroup->progress[lane]};
                if (place.asleep <= worker->time)
                    place.asleep = 0;
                if (subgroup->behind & lanes_of(lane))
                    place.asleep = UINT64_MAX;
                if (is_before(&place, &best))
                    best = place;
            }
        }
    }
    return best;
}

static uint64_t draw_scale(struct exec *exec, unsigned low, unsigned high)
{
    const uint64_t random = exec_random(exec);
    const uint64_t scale = UINT64_C(1) << (low + random % (high - low + 1));
    return 1 + (random >> 16) % scale;
}

void worker_draw_delays(struct worker *worker, uint32_t count)
{
    worker->by_progress = true;
    worker->delays_left = count;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t at = draw_scale(&worker->exec, 3, 13);
        uint32_t j = i;
        for (; j > 0 && worker->delays[j - 1] < at; j--)
            worker->delays[j] = worker->delays[j - 1];
        worker->delays[j] = at;
    }
}

static void delay_somebody(struct worker *worker)
{
    struct exec *exec = &worker->exec;
    const struct workgroup *workgroup = &worker->slots[exec_random(exec) % worker->slot_count];
    if (!workgroup->live)
        return;
    struct subgroup *subgroup =
        &workgroup->subgroups[exec_random(exec) % workgroup->subgroup_count];
    if (subgroup->live)
        subgroup->asleep[any_lane(worker, subgroup, subgroup->live)] =
            worker->time + draw_scale(exec, 1, 8);
}

static bool progress_turn(struct worker *worker)
{
    while (worker->delays_left && worker->delays[worker->delays_left - 1] <= worker->time) {
        worker->delays_left--;
        delay_somebody(worker);
    }
    const struct place place = farthest_behind(worker);
    if (!place.subgroup)
        return false;
    const bool alone = place.subgroup->asleep[place.lane] > worker->time;
    give_turn(worker, place.workgroup, place.subgroup, place.lane, alone, 1, false);
    if (place.workgroup->order && exec_random(&worker->exec) % (8 * DRIFT_EVERY) == 0)
        order_drift(&worker->exec);
    return true;
}

bool worker_turn(struct worker *worker)
{
    return worker->schedule >= SCHEDULE_FAIR ? worker_promised_turn(worker)
           : worker->by_progress             ? progress_turn(worker)
                                             : random_turn(worker);
}
