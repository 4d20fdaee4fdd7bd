// SPDX-License-Identifier: Apache-2.0
// Stores a push constant.
#version 450
layout(local_size_x = 64) in;
layout(push_constant) uniform P { uint p; };
layout(set = 0, binding = 0) buffer B { uint b[]; };
void main() { b[gl_LocalInvocationIndex] = p; }
