#version 450
// SPDX-License-Identifier: Apache-2.0
// Buffers by address: arrays, structs, pointers in memory that are followed.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_buffer_reference_uvec2 : require
layout(local_size_x = 64) in;
#define WORDS 8
#include "common.glsl"

layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint at[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Vectors { uvec4 at[]; };
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

void main()
{
    Words words = Words(input_address);
    Vectors vectors = Vectors(input_address);
    const uint a = word(0), b = word(5), last = input_words - 1u;
    put(words.at[a & last]), put(vectors.at[a & (last / 4u)].z);
    put(Words(moved(input_address, 4u * (a & 255u))).at[3]);
    put((a & 1u) == 0u ? words.at[7] : Words(state_address).at[7] & 0u);

    const uint step = (a & 2u) | 1u;
    for (uint i = 0; i < 4u; i++) {
        node(i * step).key = word(i);
        node(i * step).list[i % 3u] = i;
        node(i * step).next = node((i + 1u) * step);
    }
    node(a).next.next.key = 5u;
    put(node(0).key + node(1).next.key + node(2).next.next.key + node(3).key);
    put(node(b).next.next.next.list[a % 3u]), put(uvec2(node(a).next) == uvec2(node(a + step)));
    put(b);
    for (uint i = 0; i < 4u; i++)
        node(i).next = Node(uvec2(0));
}
