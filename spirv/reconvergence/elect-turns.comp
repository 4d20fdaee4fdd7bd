// SPDX-License-Identifier: Apache-2.0
//
// reconvergence.elect-turns as a programmer writes it: the GLSL variant of elect-turns.spvasm.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "../common/interface.glsl"

const uint at_remaining = 0, at_turn = 8, at_number = 9, at_stay = 10, at_after = 11;
const uint slots = 12;
#include "../common/record-mask.glsl"

#ifdef TURN_ELECT
#define IS_MINE subgroupElect()
#else
#define IS_MINE (subgroupBroadcastFirst(gl_SubgroupInvocationID) == gl_SubgroupInvocationID)
#endif

void main() RECONVERGES
{
    uint iteration = 0u;
    bool is_mine;
    do {
        // The lanes that are left, and whose turn it is.
        RECORD(at_remaining + (iteration & 7u));
        is_mine = IS_MINE;
        if (is_mine) {
            // Its turn: this lane alone.
            RECORD(at_turn);
            record(at_number, uvec4(iteration, 0u, 0u, 0u));
#ifdef LEAVE_BREAK
            break;
#endif
        }
        RECORD(at_stay);
        iteration++;
    } while (!is_mine);

    // All lanes.
    RECORD(at_after);
}
