// SPDX-License-Identifier: Apache-2.0
// Words and one more.
#version 450
layout(local_size_x_id = 0) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
void main() { b[gl_GlobalInvocationID.x] = a[gl_GlobalInvocationID.x] + 1; }
