#version 450
// SPDX-License-Identifier: Apache-2.0
// Specialization constants: the workgroup size, an array's size, what is computed from them.
#extension GL_GOOGLE_include_directive : require
layout(local_size_x_id = 0) in;
#define WORDS 12
#include "common.glsl"

layout(constant_id = 1) const uint length = 2;
layout(constant_id = 2) const float scale = 1.0;
layout(constant_id = 3) const bool on = false;
layout(constant_id = 4) const int negative = 1;
layout(constant_id = 9) const uint left_alone = 77;
const uint computed = (length * 3u + left_alone) / 2u - (on ? 1u : 9u);
const int shifted = negative >> 1;
const uvec3 vector = uvec3(length, computed, 3u);

uint values[length + 1u];

void main()
{
    for (uint i = 0; i <= length; i++)
        values[i] = word(i & 7u) * i;
    put(values[word(0) % (length + 1u)]), put(uint(values.length())), put(gl_WorkGroupSize.x);
    put(length), put(scale * 2.0), put(on), put(negative), put(left_alone), put(computed);
    put(shifted), put(vector.y + vector.z), put(negative < 0 ? 1u : 2u);
}
