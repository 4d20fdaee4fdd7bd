// SPDX-License-Identifier: Apache-2.0
//
// cases.amdvlk-138 as a programmer writes it: the GLSL variant of amdvlk-138.spvasm.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "../common/interface.glsl"

const uint result_count = 2;
#include "../common/place.glsl"

#ifdef DONE_MASK
#define GOES_ON ((done & gl_SubgroupEqMask) == uvec4(0u))
#else
#define GOES_ON (!is_mine)
#endif

void main() RECONVERGES
{
    uint own = own_word();
    uint bound = 2u * gl_SubgroupSize;
    uint iterations = 0u;
    uvec4 done = uvec4(0u);
    uvec4 turn = uvec4(0u);
    bool is_mine = false;

    // The lowest lane of those that are left says whose turn it is.
    while (GOES_ON && iterations < bound) {
        uint first = subgroupBroadcastFirst(own);
        is_mine = first == own;
        turn = subgroupBallot(is_mine);
        done |= turn;
        iterations++;
    }

    // A loop that did not end says so.
    if (GOES_ON)
        atomicStore(state.data[0], 1u, gl_ScopeDevice, 0, 0);
    store_result(0u, iterations);
    store_result(1u, subgroupBallotBitCount(turn));
}
