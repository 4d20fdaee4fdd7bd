// SPDX-License-Identifier: Apache-2.0
//
// loop-exit.h as a programmer writes it, with place=exit and behind: what the variable v of each lane is
// behind the loop. With calls=none the kernel calls no function, from its first instruction to its last.

#ifdef CALLS_SOME
#include "place.glsl"
#define PLACE          own_place()
#define STORE(slot, x) store_result(slot, x)
#else
#define PLACE                                                                                      \
    (gl_WorkGroupID.x * workgroup_width + gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID)
#define STORE(slot, x) result.data[place * result_count + slot] = x
#endif

// What lanes take part, and their work.
#ifndef TAKES_PART
#define TAKES_PART lane != 0u
#endif
#ifndef WORK
#define WORK v = source.data[far];
#endif
// What stands behind it in the block that leaves.
#ifndef LEAVE_SYNC
#define LEAVE_SYNC
#endif

#define TAKE_PART                                                                                  \
    if (TAKES_PART) {                                                                              \
        WORK                                                                                       \
    }
#ifdef PLACE_EXIT
#define LEAVE TAKE_PART
#define BEHIND
#else
#define LEAVE
#define BEHIND TAKE_PART
#endif

#define LOOP_EXIT                                                                                  \
    uint lane = gl_SubgroupInvocationID, place = PLACE, far = place ^ 2u, v = source.data[place];  \
    for (uint i = 0u; i < 8u; i++) {                                                               \
        if (source.data[0] != 0u) {                                                                \
            LEAVE                                                                                  \
            LEAVE_SYNC                                                                             \
            break;                                                                                 \
        }                                                                                          \
        v += source.data[i];                                                                       \
    }                                                                                              \
    BEHIND
