// SPDX-License-Identifier: Apache-2.0
//
// cases.offload-test-suite-520 as a programmer writes it: the GLSL variant of
// offload-test-suite-520.spvasm.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "../common/interface.glsl"

const uint result_count = 1;
#include "../common/place.glsl"

void main() RECONVERGES
{
    uint invocation = own_invocation();
    for (uint i = 0u; i < workgroup_width; i++) {
        if (i == invocation) {
            // Who is here.
            store_result(0u, subgroupBallotBitCount(subgroupBallot(true)));
            break;
        }
    }
}
