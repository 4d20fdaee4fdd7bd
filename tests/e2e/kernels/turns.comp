// SPDX-License-Identifier: Apache-2.0
// The payload of each NaN is the turn in which its invocation came.
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer A { uint turn; };
layout(binding = 1) buffer B { TYPE b[]; };
void main() { b[gl_LocalInvocationIndex] = CONVERT(0x7fc00001u + atomicAdd(turn, 1u)); }
