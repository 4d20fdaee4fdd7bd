// SPDX-License-Identifier: Apache-2.0
// A workgroup in flight: its subgroups, and each invocation's position.
#pragma once

#include "program/execution.h"
#include "schedule/flow.h"
#include "schedule/model.h"
#include "schedule/tangle.h"
#include "schedule/uniform.h"

#include <string.h>

struct pool_chunk;

struct subgroup {
    uint64_t *cells;  // [cell][lane]
    uint32_t number;  // in its workgroup
    uint32_t width;   // lanes
    lanes present;    // have an invocation
    lanes live;       // have not ended
    lanes runnable;   // can execute their next instruction
    lanes at_barrier; // wait for their workgroup
    lanes ordered;    // model `snooping`: passed a barrier, and made no cross-lane read since
    lanes behind;     // model `lagging`: stayed behind
    lanes held;       // wait at a barrier for those
    lanes parked;     // lanes behind that have reached one
    uint32_t pc[LANES_MAX];
    struct tangle *tangle[LANES_MAX];
    uint32_t quiet; // turns without anything visible to other invocations
    lanes begun;    // schedules of progress models: have had a turn
    // SCHEDULE_PRIORITY: instructions executed, and the end of a lane's delay.
    uint64_t progress[LANES_MAX], asleep[LANES_MAX];

    // Of the dispatch.
    const struct program *program;
    const struct flow *flow;
    const struct model_rules *rules;
    uint64_t compilation; // seed for choices made once per compilation

    struct uniform *uniform; // of the workgroup; NULL if its control flow decides nothing

    // Of tangle.c.
    uint64_t random;
    uint64_t tangles_made;
    uint32_t tangle_count; // in use
    struct tangle *queue, *free_tangles;
    struct construct *free_constructs;
    struct pool_chunk *chunks;
};

// Sets the lanes' pc, and their tangle unless NULL. Most often these are all lanes, which the
// compiler can vectorise.
static inline void subgroup_put(struct subgroup *subgroup, lanes set, uint32_t pc,
                                struct tangle *tangle)
{
    const uint32_t width = set == lanes_below(subgroup->width) ? subgroup->width : 0;
    for (uint32_t lane = 0; lane < width; lane++)
        subgroup->pc[lane] = pc;
    for (uint32_t lane = 0; tangle && lane < width; lane++)
        subgroup->tangle[lane] = tangle;
    if (width)
        return;
    each_lane (lane, set) {
        subgroup->pc[lane] = pc;
        if (tangle)
            subgroup->tangle[lane] = tangle;
    }
}

// The lanes at `pc`.
static inline lanes subgroup_at(const struct subgroup *subgroup, lanes set, uint32_t pc)
{
    uint64_t words[LANES_MAX / 64] = {0};
#ifdef __SSE2__
    // All lanes, 16 at a time: a byte 0xff or 0 for each.
    for (uint32_t lane = 0; lane < subgroup->width; lane += 16) {
        typedef int32_t four __attribute__((vector_size(16)));
        typedef int16_t eight __attribute__((vector_size(16)));
        four at[4];
        memcpy(at, &subgroup->pc[lane], sizeof at);
        for (int i = 0; i < 4; i++)
            at[i] = at[i] == (int32_t)pc;
        const eight low = __builtin_ia32_packssdw128(at[0], at[1]);
        const eight high = __builtin_ia32_packssdw128(at[2], at[3]);
        words[lane / 64] |=
            (uint64_t)__builtin_ia32_pmovmskb128(__builtin_ia32_packsswb128(low, high))
            << lane % 64;
    }
#else
    each_lane (lane, set)
        words[lane / 64] |= (uint64_t)(subgroup->pc[lane] == pc) << lane % 64;
#endif
    return set & ((lanes)words[1] << 64 | words[0]);
}

struct workgroup {
    uint32_t id[3];
    uint64_t number; // linear
    struct subgroup *subgroups;
    uint32_t subgroup_count;
    unsigned char *shared, *start; // start: pointer to free
    struct order *order;           // NULL: sequentially consistent
    struct uniform *uniform;       // NULL: as in its subgroups
    bool running;                  // has begun, and its end is not yet processed
    uint32_t live;                 // subgroups with lanes that have not ended
};
