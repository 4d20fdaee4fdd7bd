// SPDX-License-Identifier: Apache-2.0
//
// loop-exit.vote as a programmer writes it.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_vote : require
#if defined(OP_OLD_BALLOT)
#extension GL_ARB_gpu_shader_int64 : require
#extension GL_ARB_shader_ballot : require
#elif defined(OP_OLD_ANY) || defined(OP_OLD_ALL) || defined(OP_OLD_ALL_EQUAL)
#extension GL_ARB_shader_group_vote : require
#endif
#include "../common/interface.glsl"

const uint result_count = 2;
#include "../common/loop-exit.glsl"

void main() RECONVERGES
{
    LOOP_EXIT

#if defined(OP_BALLOT)
    uint answer = subgroupBallot((v & 2u) != 0u).x;
#elif defined(OP_BIT_COUNT)
    uint answer = subgroupBallotBitCount(subgroupBallot((v & 2u) != 0u));
#elif defined(OP_ANY)
    uint answer = uint(subgroupAny((v & 6u) == 6u));
#elif defined(OP_ALL)
    uint answer = uint(subgroupAll((v & 6u) != 0u));
#elif defined(OP_ALL_EQUAL)
    uint answer = uint(subgroupAllEqual(v & 2u));
#elif defined(OP_BIT_EXTRACT)
    uint answer = uint(subgroupBallotBitExtract(subgroupBallot((v & 2u) != 0u), lane ^ 1u));
#elif defined(OP_INCLUSIVE_COUNT)
    uint answer = subgroupBallotInclusiveBitCount(subgroupBallot((v & 2u) != 0u));
#elif defined(OP_EXCLUSIVE_COUNT)
    uint answer = subgroupBallotExclusiveBitCount(subgroupBallot((v & 2u) != 0u));
#elif defined(OP_FIND_LSB) || defined(OP_FIND_MSB)
    uvec4 mask = subgroupBallot((v & 2u) != 0u);
#ifdef OP_FIND_LSB
    uint answer = gl_SubgroupSize - 1u;
    if (mask != uvec4(0u))
        answer = subgroupBallotFindLSB(mask);
#else
    uint answer = 0u;
    if (mask != uvec4(0u))
        answer = subgroupBallotFindMSB(mask);
#endif
#elif defined(OP_OLD_BALLOT)
    uint answer = unpackUint2x32(ballotARB((v & 2u) != 0u)).x;
#elif defined(OP_OLD_ANY)
    uint answer = uint(anyInvocationARB((v & 6u) == 6u));
#elif defined(OP_OLD_ALL)
    uint answer = uint(allInvocationsARB((v & 6u) != 0u));
#elif defined(OP_OLD_ALL_EQUAL)
    uint answer = uint(allInvocationsEqualARB((v & 2u) != 0u));
#else
    uint answer = uint(subgroupElect());
#endif
    STORE(0u, answer);
    STORE(1u, v);
}
