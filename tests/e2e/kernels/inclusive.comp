// SPDX-License-Identifier: Apache-2.0
// An inclusive scan of a subgroup.
#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer A { uint a[]; };
layout(set = 0, binding = 1) writeonly buffer B { uint b[]; };
void main() { b[gl_GlobalInvocationID.x] = subgroupInclusiveAdd(a[gl_GlobalInvocationID.x]); }
