// SPDX-License-Identifier: Apache-2.0
//
// cases.radv-shuffle-index as a programmer writes it: the GLSL variant of radv-shuffle-index.spvasm.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "../common/interface.glsl"

const uint result_count = 1;
#include "../common/place.glsl"

#ifdef BITS_6
const uint mask = 0x3fu;
#else
const uint mask = 0xffu;
#endif

void main() RECONVERGES
{
    uint value = parameters.elements + gl_SubgroupInvocationID;
    store_result(0u, subgroupShuffle(value, own_word() & mask));
}
