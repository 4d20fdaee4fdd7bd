// SPDX-License-Identifier: Apache-2.0
// The head of shaders with two buffers, of which o is written.
#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) coherent buffer A { uint a[]; };
layout(set = 0, binding = 1, std430) writeonly buffer O { uint o[]; };
shared uint s[64];
uint l = gl_LocalInvocationIndex, g = gl_WorkGroupID.x;
