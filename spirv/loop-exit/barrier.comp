// SPDX-License-Identifier: Apache-2.0
//
// loop-exit.barrier as a programmer writes it.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "../common/interface.glsl"

const uint result_count = 2;
#ifdef SYNC_IN_EXIT
#define LEAVE_SYNC subgroupMemoryBarrierShared();
#endif
#include "../common/loop-exit.glsl"

void main() RECONVERGES
{
    LOOP_EXIT

#if defined(SYNC_SUBGROUP_MEMORY)
    subgroupMemoryBarrierShared();
#elif defined(SYNC_SUBGROUP)
    subgroupBarrier();
#elif defined(SYNC_WORKGROUP_MEMORY)
    memoryBarrierShared();
#elif defined(SYNC_WORKGROUP)
    barrier();
#endif
    STORE(0u, subgroupAdd(v));
    STORE(1u, v);
}
