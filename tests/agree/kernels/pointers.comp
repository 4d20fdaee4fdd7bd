#version 450
// SPDX-License-Identifier: Apache-2.0
// Pointers in variables: a chain that is followed in a loop, one of two, arguments of functions.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_buffer_reference_uvec2 : require
layout(local_size_x = 64) in;
#define WORDS 7
#include "common.glsl"

layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Node
{
    Node next;
    uint key;
    uint list[3];
};

uvec2 moved(uvec2 address, uint bytes)
{
    uint carry;
    const uint low = uaddCarry(address.x, bytes, carry);
    return uvec2(low, address.y + carry);
}

// Each invocation has four nodes of 32 bytes in the state, which it links in an order of its own.
Node node(uint i)
{
    return Node(moved(state_address, (place() * 4u + (i & 3u)) * 32u));
}

uint walk(Node from, uint steps)
{
    uint hash = 0;
    for (uint i = 0; i < steps; i++) {
        hash = hash * 33u + from.key + from.list[0];
        from = from.next;
    }
    return hash ^ from.key;
}

void main()
{
    const uint a = word(0), step = (a & 2u) | 1u;
    for (uint i = 0; i < 4u; i++) {
        Node it = node(i * step);
        it.key = word(i);
        it.list[i % 3u] = i;
        it.next = node((i + 1u) * step);
    }
    put(walk(node(0), a & 15u)), put(walk(node(a), 3u));
    Node it = node(1);
    if ((word(1) & 1u) == 0u)
        it = it.next;
    put(it.key), put(it.list[1]);
    Node either[2] = Node[](it, node(3));
    put(either[a & 1u].key);
    for (uint i = 0; i < 9u; i++) {
        if (it.key > word(2))
            break;
        it = it.next;
    }
    it.key += 5u;
    put(it.key), put(node(0).key + node(1).key + node(2).key + node(3).key);
    for (uint i = 0; i < 4u; i++)
        node(i).next = Node(uvec2(0));
}
