// SPDX-License-Identifier: Apache-2.0
//
// loop-exit.reduction as a programmer writes it.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_clustered : require
#include "../common/interface.glsl"

const uint result_count = 2;
#include "../common/loop-exit.glsl"

void main() RECONVERGES
{
    LOOP_EXIT

#if defined(OP_ADD)
    uint combined = subgroupAdd(v);
#elif defined(OP_MUL)
    uint combined = subgroupMul(v);
#elif defined(OP_MIN)
    uint combined = subgroupMin(v);
#elif defined(OP_MAX)
    uint combined = subgroupMax(v);
#elif defined(OP_AND)
    uint combined = subgroupAnd(~(1u << (v >> 1 & 31u)));
#elif defined(OP_OR)
    uint combined = subgroupOr(1u << (v >> 1 & 31u));
#elif defined(OP_XOR)
    uint combined = subgroupXor(v);
#elif defined(OP_INCLUSIVE)
    uint combined = subgroupInclusiveAdd(v);
#elif defined(OP_EXCLUSIVE)
    uint combined = subgroupExclusiveAdd(v);
#else
    uint combined = subgroupClusteredAdd(v, 4u);
#endif
    STORE(0u, combined);
    STORE(1u, v);
}
