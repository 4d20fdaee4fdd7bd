#version 450
// SPDX-License-Identifier: Apache-2.0
// Atomics of a buffer and of shared memory, of which only what no order changes is looked at.
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 64) in;
#define WORDS 3
#include "common.glsl"
layout(set = 0, binding = 2, std430) buffer State
{
    uint sum, least, most, both, any_of, odd, tickets, squares, increments;
    int lowest, highest;
    uint taken[32];
};
shared uint local_sum, local_most, local_count, local_seen;

void main()
{
    const uint a = word(0), b = word(1);
    atomicAdd(sum, a), atomicMin(least, a | 1u), atomicMax(most, a);
    atomicOr(any_of, 1u << (a & 31u));
    atomicAnd(both, ~a), atomicXor(odd, b), atomicMin(lowest, int(b)), atomicMax(highest, int(b));
    // Every ticket is drawn once: the sum of their squares is the same in every order.
    const uint ticket = atomicAdd(tickets, 1u);
    atomicAdd(squares, ticket * ticket);
    atomicOr(taken[ticket / 32u], 1u << (ticket & 31u));
    for (bool done = false; !done; ) {
        const uint old = increments;
        done = atomicCompSwap(increments, old, old + (a & 255u)) == old;
    }

    if (gl_LocalInvocationIndex == 0u)
        local_sum = local_most = local_count = local_seen = 0u;
    barrier();
    atomicAdd(local_sum, b), atomicMax(local_most, b);
    const uint count = atomicAdd(local_count, 1u);
    atomicXor(local_seen, count * count);
    barrier();
    put(local_sum), put(local_most), put(local_seen + local_count);
}
