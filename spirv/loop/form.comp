// SPDX-License-Identifier: Apache-2.0
//
// loop.form as a programmer writes it: the twin in GLSL of form.spvasm. glslang makes of it what
// form=for, values=variables has by hand.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_EXT_control_flow_attributes : require
#include "../common/interface.glsl"

layout(constant_id = 1) const uint iterations = 16;
shared uint works[workgroup_width];

#ifdef COUNT_UP
#define COUNTING uint count = 0u; count < iterations; count++
#define ITERATION count
#else
#define COUNTING uint count = iterations; count != 0u; count--
#define ITERATION (iterations - count)
#endif

#ifdef HINT_UNROLL
#define HINT [[unroll]]
#else
#define HINT
#endif

uint exchange(uint tag, uint neighbour)
{
    return subgroupShuffle(tag, neighbour);
}

void keep(uint received, uint slot)
{
    works[slot] = received;
}

void main() RECONVERGES
{
    uint lane = gl_SubgroupInvocationID;
    uint subgroup_size = gl_SubgroupSize;
    uint last_lane = subgroup_size - 1u;
    uint instance = gl_WorkGroupID.x * (workgroup_width / subgroup_size) + gl_SubgroupID;
    uint neighbour = (lane + last_lane) & last_lane;
    uint slot = gl_SubgroupID * subgroup_size + lane;
    uint tag = source.data[lane];
    bool is_worker = source.data[subgroup_size + lane] != 0u;
    uint own_start = instance * iterations * subgroup_size + lane;

    HINT
    for (COUNTING) {
#ifdef SYNC_CONTROL
        controlBarrier(gl_ScopeSubgroup, gl_ScopeSubgroup, 0, 0);
#endif
        uint received = exchange(tag, neighbour);
        result.data[own_start + ITERATION * subgroup_size] = received;

        // The tail: one lane alone keeps in shared memory what it received.
        if (is_worker)
            keep(received, slot);
        tag += 0x100u;
    }

    // What was kept is handed out, so that no compiler may drop it. Nobody looks at it.
    state.data[instance * subgroup_size + lane + 1u] = works[slot];
}
