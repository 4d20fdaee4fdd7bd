// SPDX-License-Identifier: Apache-2.0
// Store buffering between two workgroups: nothing orders the store before the load. The second
// dispatch adds up what both read.
#version 450
layout(local_size_x = 64) in;
layout(push_constant) uniform Phase { uint phase; };
layout(binding = 0) buffer Data { uint data[]; };
layout(binding = 1) buffer Result { uint result[]; };
void main()
{
    uint at = gl_GlobalInvocationID.x;
    if (phase == 0) {
        atomicOr(data[at], 1);
        result[at] = atomicOr(data[at ^ 64], 0);
    } else if ((at & 64) == 0) {
        result[at] |= result[at + 64];
        result[at + 64] = result[at];
    }
}
