// SPDX-License-Identifier: Apache-2.0
//
// cases.nvidia-skipped-reduction as a programmer writes it: the GLSL variant of
// nvidia-skipped-reduction.spvasm.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#define INPUT_QUALIFIER readonly
#include "../common/interface.glsl"

const uint result_count = 2;
#include "../common/place.glsl"

#if defined(BOOLS_4)
const uint bools = 4;
#elif defined(BOOLS_12)
const uint bools = 12;
#elif defined(BOOLS_24)
const uint bools = 24;
#endif

// Which subgroups take the branch, and where the results begin that are taken.
#if defined(BRANCH_SUBGROUP_ZERO)
#define CHOSEN gl_SubgroupID == 0
#elif defined(BRANCH_LESS_THAN_ONE)
#define CHOSEN gl_SubgroupID < 1
#elif defined(BRANCH_LAST)
#define CHOSEN gl_SubgroupID == gl_NumSubgroups - 1
#define START (gl_NumSubgroups - 1) * gl_SubgroupSize
#elif defined(BRANCH_LOCAL_INDEX)
#define CHOSEN gl_LocalInvocationIndex < gl_SubgroupSize
#elif defined(BRANCH_PUSH)
#define CHOSEN gl_SubgroupID == (parameters.elements & 1)
#elif defined(BRANCH_EVEN)
#define CHOSEN (gl_SubgroupID & 1) == 0
#define START (gl_SubgroupID & ~1) * gl_SubgroupSize
#elif defined(BRANCH_WORKGROUP)
#define CHOSEN gl_WorkGroupID.x != 0x7fffffff
#define START gl_SubgroupID * gl_SubgroupSize
#elif defined(BRANCH_NONE)
#define CHOSEN true
#define START gl_SubgroupID * gl_SubgroupSize
#endif
#ifndef START
#define START 0
#endif

#if defined(OP_ADD)
#define OPERATE subgroupAdd
#elif defined(OP_UMIN)
#define OPERATE subgroupMin
#endif

shared uint kept[workgroup_width];

void main() RECONVERGES
{
    uint place = own_place(), own = own_word(), first[bools];
    [[unroll]] for (uint i = 0; i < bools; i++) {
        uint at = place + 1 + 32 * i;
        first[i] = at < parameters.elements ? source.data[at] : 0;
    }
    if (CHOSEN)
        kept[own_invocation()] = OPERATE(own);
    barrier();
    uint given = kept[START + gl_SubgroupInvocationID];
    if (!(CHOSEN))
        given += own;
    uint sum = 0, no_more = parameters.elements >> 31;
    [[unroll]] for (uint i = 0; i < bools; i++) {
        uint at = place + 1 + 32 * i;
        if (at < parameters.elements && first[i] == source.data[at] + no_more)
            sum += 2 * i + 1;
    }
    store_result(0, given);
    store_result(1, sum);
}
