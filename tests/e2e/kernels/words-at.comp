// SPDX-License-Identifier: Apache-2.0
// Loads at an address that is given.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
layout(local_size_x = 3) in;
layout(buffer_reference, std430) buffer Words { uint w[]; };
layout(set = 0, binding = 0, std430) readonly buffer In { uvec2 at; };
layout(set = 0, binding = 1, std430) writeonly buffer Out { uint o[]; };
void main() { o[gl_GlobalInvocationID.x] = Words(at).w[gl_GlobalInvocationID.x]; }
