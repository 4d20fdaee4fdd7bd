// SPDX-License-Identifier: Apache-2.0
//
// loop-exit.scan as a programmer writes it.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_clustered : require
#include "../common/interface.glsl"

const uint result_count = 2;
#include "../common/loop-exit.glsl"

#if defined(OP_AND)
#define GIVEN ~(1u << (v >> 1 & 31u))
#elif defined(OP_OR)
#define GIVEN (1u << (v >> 1 & 31u))
#else
#define GIVEN v
#endif

void main() RECONVERGES
{
    LOOP_EXIT

#if defined(KIND_INCLUSIVE) && defined(OP_MUL)
    uint combined = subgroupInclusiveMul(GIVEN);
#elif defined(KIND_INCLUSIVE) && defined(OP_MIN)
    uint combined = subgroupInclusiveMin(GIVEN);
#elif defined(KIND_INCLUSIVE) && defined(OP_MAX)
    uint combined = subgroupInclusiveMax(GIVEN);
#elif defined(KIND_INCLUSIVE) && defined(OP_AND)
    uint combined = subgroupInclusiveAnd(GIVEN);
#elif defined(KIND_INCLUSIVE) && defined(OP_OR)
    uint combined = subgroupInclusiveOr(GIVEN);
#elif defined(KIND_INCLUSIVE)
    uint combined = subgroupInclusiveXor(GIVEN);
#elif defined(KIND_EXCLUSIVE) && defined(OP_MUL)
    uint combined = subgroupExclusiveMul(GIVEN);
#elif defined(KIND_EXCLUSIVE) && defined(OP_MIN)
    uint combined = subgroupExclusiveMin(GIVEN);
#elif defined(KIND_EXCLUSIVE) && defined(OP_MAX)
    uint combined = subgroupExclusiveMax(GIVEN);
#elif defined(KIND_EXCLUSIVE) && defined(OP_AND)
    uint combined = subgroupExclusiveAnd(GIVEN);
#elif defined(KIND_EXCLUSIVE) && defined(OP_OR)
    uint combined = subgroupExclusiveOr(GIVEN);
#elif defined(KIND_EXCLUSIVE)
    uint combined = subgroupExclusiveXor(GIVEN);
#elif defined(OP_MUL)
    uint combined = subgroupClusteredMul(GIVEN, 4u);
#elif defined(OP_MIN)
    uint combined = subgroupClusteredMin(GIVEN, 4u);
#elif defined(OP_MAX)
    uint combined = subgroupClusteredMax(GIVEN, 4u);
#elif defined(OP_AND)
    uint combined = subgroupClusteredAnd(GIVEN, 4u);
#elif defined(OP_OR)
    uint combined = subgroupClusteredOr(GIVEN, 4u);
#else
    uint combined = subgroupClusteredXor(GIVEN, 4u);
#endif
    STORE(0u, combined);
    STORE(1u, v);
}
