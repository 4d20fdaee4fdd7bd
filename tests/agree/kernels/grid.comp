#version 450
// SPDX-License-Identifier: Apache-2.0
// Who is who in a dispatch of three dimensions, and push constants.
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 4, local_size_y = 3, local_size_z = 5) in;
#define WORDS 16
#include "common.glsl"

shared uvec3 first;

void main()
{
    if (gl_LocalInvocationIndex == 0u)
        first = gl_GlobalInvocationID;
    barrier();
    put(uvec4(gl_LocalInvocationID, gl_LocalInvocationIndex)), put(uvec4(gl_WorkGroupID, seed));
    put(uvec4(gl_NumWorkGroups, input_words)), put(uvec4(first, gl_WorkGroupSize.y));
}
