#version 450
// SPDX-License-Identifier: Apache-2.0
// Control flow that depends on data: every invocation goes its own way.
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 64) in;
#define WORDS 8
#include "common.glsl"

uint collatz(uint n)
{
    uint steps = 0;
    while (n != 1u) {
        if (++steps == 60u)
            return n | 0x80000000u;
        n = (n & 1u) == 0u ? n / 2u : 3u * n + 1u;
    }
    return steps;
}

uint nested(uint a, uint b)
{
    uint sum = 0;
    for (uint i = 0; i < (a & 15u); i++) {
        if ((b >> i & 1u) != 0u)
            continue;
        for (uint j = i; ; j++) {
            sum = sum * 31u + j;
            if (j * i > (b & 63u))
                break;
            if ((sum & 127u) == 5u)
                return sum;
            if (j > 12u)
                break;
        }
        if (sum > 0xf0000000u)
            break;
    }
    return sum;
}

uint choose(uint n)
{
    uint value = 1;
    switch (n % 7u) {
    case 0u:
        value = 3;
    case 1u:
        value *= 5u;
        break;
    case 2u:
    case 3u:
        value += n;
    default:
        value ^= 0x55u;
    case 5u:
        if (n > 1000u)
            break;
        value <<= 2;
        break;
    case 6u:
        return 99u;
    }
    return value;
}

void main()
{
    const uint a = word(0), b = word(1);
    put(collatz((a & 255u) + 1u)), put(collatz((b & 4095u) + 1u)), put(nested(a, b));
    put(choose(a)), put(choose(b & 15u));
    uint n = a & 63u, m = 0;
    do {
        m += choose(n);
        if (m > 5000u)
            break;
        if ((m & 1u) == 0u)
            continue;
        m += 3u;
    } while (n-- > 0u);
    put(m);
    bool odd = false;
    for (uint rest = b; rest != 0u && !(odd && rest == 1u); rest &= rest - 1u)
        odd = !odd;
    put(odd);
    if ((a & 1u) == 0u) {
        put(1u);
        return;
    }
    put(a > b && b / max(a & 3u, 1u) > 5u || a == 3u ? 2u : 3u);
}
