// SPDX-License-Identifier: Apache-2.0
//
// loop-exit.types as a programmer writes it.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_subgroup_extended_types_int8 : require
#extension GL_EXT_shader_subgroup_extended_types_int16 : require
#extension GL_EXT_shader_subgroup_extended_types_int64 : require
#extension GL_EXT_shader_subgroup_extended_types_float16 : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_vote : require
#include "../common/interface.glsl"

const uint result_count = 2;
#include "../common/loop-exit.glsl"

#if defined(TYPE_I64)
#define TYPE int64_t
#elif defined(TYPE_U64)
#define TYPE uint64_t
#elif defined(TYPE_I32)
#define TYPE int
#elif defined(TYPE_I16)
#define TYPE int16_t
#elif defined(TYPE_U16)
#define TYPE uint16_t
#elif defined(TYPE_I8)
#define TYPE int8_t
#elif defined(TYPE_U8)
#define TYPE uint8_t
#elif defined(TYPE_F64)
#define TYPE double
#elif defined(TYPE_F32)
#define TYPE float
#elif defined(TYPE_F16)
#define TYPE float16_t
#else
#define TYPE bool
#endif
#if defined(TYPE_F64) || defined(TYPE_F32) || defined(TYPE_F16)
#define IS_FLOAT
#endif

// The bit for and, or: one of as many as the type has, of bool the first of four.
#if defined(TYPE_BOOL)
#define BIT (1u << (v >> 1 & 3u))
#elif defined(TYPE_I8)
#define BIT (1u << (v >> 1 & 7u))
#elif defined(TYPE_I16)
#define BIT (1u << (v >> 1 & 15u))
#else
#define BIT (1u << (v >> 1 & 31u))
#endif

// A lane's word.
#if defined(OP_AND)
#define GIVEN ~BIT
#elif defined(OP_OR)
#define GIVEN BIT
#elif defined(OP_ALL_EQUAL) || defined(TYPE_BOOL)
#define GIVEN (v & 2u)
#elif defined(OP_MUL) && defined(IS_FLOAT)
#define GIVEN (1u - (v & 2u))
#else
#define GIVEN v
#endif

// The type's value of it, and the word of a result.
#if defined(TYPE_BOOL) && (defined(OP_AND) || defined(OP_OR))
#define VALUE (GIVEN & 1u) != 0u
#define WORD(x) uint(x)
#elif (defined(TYPE_I64) || defined(TYPE_U64)) && !defined(OP_MUL) && !defined(OP_ALL_EQUAL)
#define VALUE TYPE(int(GIVEN)) << 20
#define WORD(x) uint(x >> 20)
#elif defined(TYPE_I16) || defined(TYPE_U16)
#define VALUE TYPE(GIVEN)
#define WORD(x) (uint(x) & 0xffffu)
#elif defined(TYPE_I8) || defined(TYPE_U8)
#define VALUE TYPE(GIVEN)
#define WORD(x) (uint(x) & 0xffu)
#elif defined(IS_FLOAT)
#define VALUE TYPE(int(GIVEN))
#define WORD(x) uint(int(x))
#else
#define VALUE TYPE(GIVEN)
#define WORD(x) uint(x)
#endif

void main() RECONVERGES
{
    LOOP_EXIT

    TYPE given = VALUE;
#if defined(OP_ADD)
    TYPE combined = subgroupAdd(given);
#elif defined(OP_MUL)
    TYPE combined = subgroupMul(given);
#elif defined(OP_MIN)
    TYPE combined = subgroupMin(given);
#elif defined(OP_MAX)
    TYPE combined = subgroupMax(given);
#elif defined(OP_AND)
    TYPE combined = subgroupAnd(given);
#elif defined(OP_OR)
    TYPE combined = subgroupOr(given);
#elif defined(OP_XOR)
    TYPE combined = subgroupXor(given);
#elif defined(OP_INCLUSIVE)
    TYPE combined = subgroupInclusiveAdd(given);
#elif defined(OP_EXCLUSIVE)
    TYPE combined = subgroupExclusiveAdd(given);
#elif defined(OP_CLUSTERED)
    TYPE combined = subgroupClusteredAdd(given, 4u);
#elif defined(OP_SHUFFLE)
    TYPE combined = subgroupShuffle(given, 0u);
#elif defined(OP_FIRST)
    TYPE combined = subgroupBroadcastFirst(given);
#elif defined(OP_QUAD_HORIZONTAL)
    TYPE combined = subgroupQuadSwapHorizontal(given);
#else
    bool combined = subgroupAllEqual(given);
#endif
#ifdef OP_ALL_EQUAL
    STORE(0u, uint(combined));
#else
    STORE(0u, WORD(combined));
#endif
    STORE(1u, v);
}
