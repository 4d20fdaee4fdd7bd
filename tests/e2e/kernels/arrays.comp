// SPDX-License-Identifier: Apache-2.0
// Arrays of descriptors, one of SIZE.
#version 460
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer A { uint d[]; } a[SIZE];
layout(set = 0, binding = 1) buffer B { uint d[]; } b[2];
void main()
{
    uint i = gl_LocalInvocationIndex;
    b[0].d[i] = a[0].d[i] + a[2].d[i];
    b[1].d[i] = a[nonuniformEXT(i % 3u)].d[i];
}
