// SPDX-License-Identifier: Apache-2.0
// Two buffers of an array, a uniform one, and constants of 32 and 64 bits.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(constant_id = 4) const uint64_t wide = 1ul;
layout(constant_id = 5) const uint more = 1u;
layout(push_constant) uniform P { uint p; uint q; };
layout(set = 0, binding = 0) readonly buffer A { uint d[]; } a;
layout(set = 1, binding = 3) buffer B { uint d[]; } b[2];
layout(set = 0, binding = 2) uniform U { uvec4 u; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    b[0].d[i] += a.d[i] + p + uint(wide >> 33) + u.x;
    b[1].d[i] = b[0].d[i] * more;
}
