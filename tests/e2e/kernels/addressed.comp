// SPDX-License-Identifier: Apache-2.0
// Words behind addresses, one in a buffer and one in the push constants.
#version 450
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 32) in;
layout(buffer_reference, std430) buffer Words { uint w[]; };
layout(binding = 0) readonly buffer A { uint first; uint pad; Words from; };
layout(push_constant) uniform P { Words to; uint add; float more; } p;
void main()
{
    uint i = gl_GlobalInvocationID.x;
    p.to.w[i] = from.w[i] + first + p.add + uint(p.more);
}
