// SPDX-License-Identifier: Apache-2.0
//
// loop-exit.exchange as a programmer writes it.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_quad : require

// SPDX-License-Identifier: Apache-2.0
//
// What every GLSL variant shares: the interface of interface.h, as a front end is given it. The
// GLSL variant enables its own extensions before it includes this file, and may define
// STATE_QUALIFIER, of the buffer `state`, and INPUT_QUALIFIER, of `input`.

#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
// The workgroup is workgroup_width x 1 x 1, and the width is specialization constant 0.
layout(local_size_x_id = 0, local_size_y = 1, local_size_z = 1) in;
const uint workgroup_width = gl_WorkGroupSize.x;

layout(set = 0, binding = 0, std430) buffer Input { uint data[]; } source;
layout(set = 0, binding = 1, std430) buffer Output { uint data[]; } result;
layout(set = 0, binding = 2, std430) buffer State { uint data[]; } state;

layout(push_constant) uniform Parameters {
    uvec2 input_address, output_address, state_address;
    uint elements, seed;
} parameters;

const uint result_count = 2;
// SPDX-License-Identifier: Apache-2.0
//
// loop-exit.h as a programmer writes it, with place=exit and behind: what the variable v of each lane is
// behind the loop. With calls=none the kernel calls no function, from its first instruction to its last.
// What lanes take part, and their work.

// What stands behind it in the block that leaves.

void main()
{
    uint lane = gl_SubgroupInvocationID, place = (gl_WorkGroupID.x * workgroup_width + gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID), far = place ^ 2u, v = source.data[place]; for (uint i = 0u; i < 8u; i++) { if (source.data[0] != 0u) { if (lane != 0u) { v = source.data[far]; } break; } v += source.data[i]; }

    uint received = subgroupShuffle(v, 0u);
    result.data[place * result_count + 0u] = received;
    result.data[place * result_count + 1u] = v;
}
