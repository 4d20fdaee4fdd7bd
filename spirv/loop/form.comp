// SPDX-License-Identifier: Apache-2.0
//
// loop.form as a programmer writes it: the GLSL variant of form.spvasm. glslang makes of it what
// form=for, values=variables has by hand.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_EXT_control_flow_attributes : require
#include "../common/interface.glsl"

layout(constant_id = 1) const uint iterations = 16;
shared uint works[workgroup_width * iterations / 2u];

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

void keep(uint number, uint slot)
{
    works[slot] = number;
}

void main() RECONVERGES
{
    uint lane = gl_SubgroupInvocationID;
    uint subgroup_size = gl_SubgroupSize;
    uint last_lane = subgroup_size - 1u;
    uint instance = gl_WorkGroupID.x * (workgroup_width / subgroup_size) + gl_SubgroupID;
    uint neighbour = (lane + last_lane) & last_lane;
    uint tag = source.data[lane];
    uint worker = source.data[subgroup_size + lane];
    uint kept_count = source.data[2u * subgroup_size];
    uint instance_start = instance * parameters.elements;
    uint own_start = instance_start + lane;
    uint slot = (gl_SubgroupID * (subgroup_size / 2u) + worker - 1u) * iterations;
    uint tail_start = instance_start + iterations * (subgroup_size + worker - 1u);
    uint work = worker;

    HINT
    for (COUNTING) {
#ifdef SYNC_CONTROL
        controlBarrier(gl_ScopeSubgroup, gl_ScopeSubgroup, 0, 0);
#endif
        uint received = exchange(tag, neighbour);
        result.data[own_start + ITERATION * subgroup_size] = received;

        // The tail: one lane alone makes a number of what it received, and keeps it in shared memory.
        if (worker != 0u) {
            work = work * 1664525u + received;
            keep(work, slot + ITERATION);
        }
        tag += 0x100u;
    }

    // The lane that worked hands out what it kept. How much that is only the run knows.
    if (worker != 0u)
        for (uint i = 0u; i < kept_count; i++)
            result.data[tail_start + i] = works[slot + i];
}
