// SPDX-License-Identifier: Apache-2.0
//
// cases.radv-ballot-behind-break as a programmer writes it: the GLSL variant of
// radv-ballot-behind-break.spvasm.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "../common/interface.glsl"

const uint result_count = 2;
#include "../common/place.glsl"

void main() RECONVERGES
{
    uint word = own_word();
    bool old = (word & 2u) != 0u, other = (word & 8u) != 0u, value = old;
    do {
        if ((word & 1u) != 0u) {
            value = !value;
            if ((word & 4u) != 0u) {
                break;
            }
#ifdef READ_OTHER
            store_result(0u, subgroupBallotBitCount(subgroupBallot(other)));
#else
            store_result(0u, subgroupBallotBitCount(subgroupBallot(value)));
#endif
        }
    } while (false);
    store_result(1u, (value ? 1u : 0u) | (old ? 2u : 0u) | (other ? 8u : 0u));
}
