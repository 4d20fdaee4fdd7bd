#version 450
// SPDX-License-Identifier: Apache-2.0
// Functions with in, out and inout, structs and arrays by value, local arrays with any index.
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 64) in;
#define WORDS 16
#include "common.glsl"

struct Item { uint key; vec2 weight; uint history[3]; };

const uint table[8] = uint[](3, 1, 4, 1, 5, 9, 2, 6);
uint calls = 0;

void swap(inout uint a, inout uint b)
{
    const uint t = a;
    a = b, b = t;
    calls++;
}

// Bubble sort of a copy: the caller's array stays.
uint median(uint values[7])
{
    for (uint i = 0; i < 7u; i++)
        for (uint j = 0; j + 1u < 7u - i; j++)
            if (values[j] > values[j + 1u])
                swap(values[j], values[j + 1u]);
    return values[3];
}

Item changed(Item item, uint by, out uint before)
{
    before = item.key;
    item.key += by;
    item.weight.y = float(by & 15u);
    item.history[by % 3u] = before;
    return item;
}

void rotate(inout uvec4 v, in uint by)
{
    const uvec4 was = v;
    for (uint i = 0; i < 4u; i++)
        v[i] = was[(i + by) & 3u];
}

void main()
{
    uint values[7];
    for (uint i = 0; i < 7u; i++)
        values[i] = word(i) ^ table[(word(i) >> 3) & 7u];
    put(median(values)), put(values[word(7) % 7u]), put(calls);

    Item items[2];
    items[0] = Item(word(0), vec2(1, 2), uint[](7, 8, 9));
    uint before;
    items[1] = changed(items[0], word(1), before);
    const uint k = word(2) & 1u;
    put(before), put(items[k].key), put(items[k].history[word(3) % 3u]), put(items[k].weight.y);
    items[1 - k] = items[k];
    put(items[0] == items[1]), put(items[1 - k].weight[word(4) & 1u]);

    uvec4 v = uvec4(word(0), word(1), word(2), word(3));
    rotate(v, word(4)), swap(v.x, v[word(5) & 3u]);
    put(v);
    uint square[3][4];
    for (uint i = 0; i < 12u; i++)
        square[i / 4u][i % 4u] = word(i & 7u) * i;
    put(square[word(6) % 3u][word(7) & 3u]);
    const uint row[4] = square[word(1) % 3u];
    put(row[1] + row[3]), put(calls);
}
