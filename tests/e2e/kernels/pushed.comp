// SPDX-License-Identifier: Apache-2.0
// Numbers from a specialization constant and a push constant, which MORE may follow.
#version 450
layout(local_size_x = 32) in;
layout(constant_id = 3) const uint factor = 1u;
layout(binding = 0) buffer A { uint a[]; };
layout(push_constant) uniform P { uint add; MORE } p;
void main() { a[gl_GlobalInvocationID.x] = gl_GlobalInvocationID.x * factor + p.add; }
