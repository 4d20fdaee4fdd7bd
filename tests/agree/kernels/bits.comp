#version 450
// SPDX-License-Identifier: Apache-2.0
// Bit fields and counts, carries and long products, packing of bits.
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 64) in;
#define WORDS 30
#include "common.glsl"

void main()
{
    const uint a = word(0), b = word(1);
    const int s = int(a);
    const int offset = int(word(2) & 31u), count = int(word(3) % uint(33 - offset));
    put(bitfieldExtract(a, offset, count)), put(bitfieldExtract(s, offset, count));
    put(bitfieldInsert(a, b, offset, count)), put(bitfieldInsert(s, int(b), offset, count));
    put(bitfieldExtract(a, 0, 32)), put(bitfieldExtract(s, 31, 1)), put(bitfieldInsert(a, b, 8, 0));
    put(bitCount(a)), put(bitCount(s)), put(bitfieldReverse(a)), put(bitfieldReverse(s));
    put(findLSB(a)), put(findMSB(a)), put(findLSB(s)), put(findMSB(s)), put(findMSB(-s));
    uint carry, borrow, high, low;
    put(uaddCarry(a, b, carry)), put(carry), put(usubBorrow(a, b, borrow)), put(borrow);
    umulExtended(a, b, high, low);
    put(high), put(low);
    int signed_high, signed_low;
    imulExtended(s, int(b), signed_high, signed_low);
    put(signed_high), put(signed_low);
    put(uint(bitCount(uvec4(a, b, a & b, a ^ b)).w)), put(findMSB(ivec2(s, int(b))).y);
    // Exact values only: how others are rounded is left open.
    const vec2 halves = vec2(float(int(a & 2047u) - 1024), float(b & 1023u) * 0.125);
    put(packHalf2x16(halves)), put(unpackHalf2x16(packHalf2x16(halves)).y);
    put(unpackHalf2x16((a & 0xbfffbfffu) | 0x04000400u).x), put(floatBitsToInt(tame(a)));
}
