// SPDX-License-Identifier: Apache-2.0
// A loop that all invocations leave in the first round, with a load by some of them, and a shuffle.
#version 450
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) READ buffer A { uint a[]; };
layout(set = 0, binding = 1, std430) buffer B { uint b[]; };
layout(constant_id = 0) const uint rounds = 8u;
shared uint s[64];
HELPER
void main()
{
    uint lane = gl_SubgroupInvocationID, id = gl_GlobalInvocationID.x, l = gl_LocalInvocationIndex;
    uint v = a[id];
    s[l] = v;
    LOOP
    BEHIND;
    b[id] = OPERATION;
}
