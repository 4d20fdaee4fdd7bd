// SPDX-License-Identifier: Apache-2.0
//
// lane-word.h and record-mask.h as a programmer writes them: the lane's word, and RECORD(SLOT), which
// stores who executes this ballot together. The ballot stays where it is written; only the store is
// called. The GLSL variant includes interface.glsl first, and declares slots, the number of its
// records.

uint own_number()
{
    return gl_WorkGroupID.x * workgroup_width + gl_SubgroupID * parameters.elements
           + gl_SubgroupInvocationID;
}

uint own_word()
{
    return source.data[own_number()];
}

void record(uint slot, uvec4 mask)
{
    uint first = (own_number() * slots + slot) * 4u;
    result.data[first] = mask.x;
    result.data[first + 1u] = mask.y;
    result.data[first + 2u] = mask.z;
    result.data[first + 3u] = mask.w;
}

#define RECORD(slot) record(slot, subgroupBallot(true))
