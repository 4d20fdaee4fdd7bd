// SPDX-License-Identifier: Apache-2.0
// What every kernel has: words in, words out. Each invocation puts exactly WORDS words.

layout(set = 0, binding = 0, std430) readonly buffer Input { uint words_in[]; };
layout(set = 0, binding = 1, std430) buffer Output { uint words_out[]; };
layout(push_constant, std430) uniform Push
{
    uvec2 input_address, output_address, state_address;
    uint seed, input_words;
};

uint next_word = 0;

// This invocation's place in the dispatch.
uint place()
{
    const uvec3 size = gl_NumWorkGroups * gl_WorkGroupSize, at = gl_GlobalInvocationID;
    return (at.z * size.y + at.y) * size.x + at.x;
}

uint word(uint k)
{
    return words_in[(place() * 8 + k) & (input_words - 1)];
}

void put(uint value)
{
    words_out[place() * WORDS + next_word] = value;
    next_word++;
}

void put(int value) { put(uint(value)); }
void put(bool value) { put(value ? 1u : 0u); }
void put(float value) { put(floatBitsToUint(value)); }
void put(uvec2 value) { put(value.x), put(value.y); }
void put(uvec4 value) { put(value.xy), put(value.zw); }

// Floats with every bit of the significand in use, whose products and sums are never denormal.
float tame(uint bits)
{
    return uintBitsToFloat((bits & 0xbfffffffu) | 0x20000000u);
}
