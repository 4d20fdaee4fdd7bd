// SPDX-License-Identifier: Apache-2.0
//
// shuffle.scan-loop as a programmer writes it: the GLSL variant of scan-loop.spvasm, of its additions
// alone. glslang makes of it what form=variables has by hand.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_EXT_control_flow_attributes : require
#include "../common/interface.glsl"

const uint virtual_width = 1024;
const uint subgroup_size = SUBGROUP_SIZE;
const uint last_lane = subgroup_size - 1;
const uint round_count = virtual_width / workgroup_width;
const uint subgroup_count = workgroup_width / subgroup_size;
const uint partial_count = virtual_width / subgroup_size;
const uint chunk_count = (partial_count + last_lane) / subgroup_size;

shared uint partials[chunk_count * subgroup_size];
uint registers[round_count];

// The cures, each where it was tried.
void before_the_scan()
{
#if defined(SYNC_MEMORY_ONCE)
    memoryBarrier(gl_ScopeSubgroup, gl_StorageSemanticsShared, gl_SemanticsAcquire);
#elif defined(SYNC_CONTROL_ONCE)
    controlBarrier(gl_ScopeSubgroup, gl_ScopeSubgroup, 0, 0);
#endif
}

void before_each_shuffle()
{
#ifdef SYNC_CONTROL_EACH
    controlBarrier(gl_ScopeSubgroup, gl_ScopeSubgroup, 0, 0);
#endif
}

// Kogge and Stone. What the shuffle gives to lanes without a neighbour is undefined, and dropped.
uint subgroup_scan(uint value)
{
    before_the_scan();
    before_each_shuffle();
    uint other = subgroupShuffleUp(value, 1u);
    value += gl_SubgroupInvocationID < 1u ? 0u : other;
    [[unroll]]
    for (uint step = 2u; step < subgroup_size; step <<= 1) {
        before_each_shuffle();
        other = subgroupShuffleUp(value, step);
        value += gl_SubgroupInvocationID < step ? 0u : other;
    }
    return value;
}

void main() RECONVERGES
{
    uint lane = gl_SubgroupInvocationID;
    uint invocation = gl_SubgroupID * subgroup_size + lane;
    uint base = gl_WorkGroupID.x * virtual_width + invocation;
    [[unroll]]
    for (uint round = 0u; round < round_count; round++)
        registers[round] = source.data[base + round * workgroup_width];

    // Level 0, the loop in question: the last lane alone keeps the total.
    [[unroll]]
    for (uint round = 0u; round < round_count; round++) {
        registers[round] = subgroup_scan(registers[round]);
        if (lane == last_lane)
            partials[round * subgroup_count + gl_SubgroupID] = registers[round];
#ifdef SYNC_WORKGROUP_IN_LOOP
        barrier();
#endif
    }
    barrier();

    // Level 1: subgroup 0 scans the totals, as many at a time as it has lanes.
    if (gl_SubgroupID == 0u) {
        uint carry = 0u;
        [[unroll]]
        for (uint chunk = 0u; chunk < chunk_count; chunk++) {
            uint at = chunk * subgroup_size + lane;
            uint partial = partials[at]; // outside the choice, which is then none of control flow
            uint value = carry + subgroup_scan(at < partial_count ? partial : 0u);
            partials[at] = value;
            before_each_shuffle();
            carry = subgroupShuffle(value, last_lane);
        }
    }
    barrier();

    // Combine: each register takes in what lies to the left of its subgroup's part of the round.
    [[unroll]]
    for (uint round = 0u; round < round_count; round++) {
        uint position = round * subgroup_count + gl_SubgroupID;
        uint left = 0u;
        if (position != 0u)
            left = partials[position - 1u];
        registers[round] += left;
    }
    [[unroll]]
    for (uint round = 0u; round < round_count; round++)
        result.data[base + round * workgroup_width] = registers[round];
}
