// SPDX-License-Identifier: Apache-2.0
//
// place.h as a programmer writes it: who an invocation is, its word of `input`, and its results.
// The GLSL variant includes interface.glsl first, and declares result_count, the number of words
// that it stores.

uint own_invocation()
{
    return gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
}

uint own_place()
{
    return gl_WorkGroupID.x * workgroup_width + own_invocation();
}

uint own_word()
{
    return source.data[own_place()];
}

void store_result(uint slot, uint value)
{
    result.data[own_place() * result_count + slot] = value;
}
