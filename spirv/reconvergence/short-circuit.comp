// SPDX-License-Identifier: Apache-2.0
//
// reconvergence.short-circuit as a programmer writes it: the GLSL variant of short-circuit.spvasm, of
// operand=call. The selection and the phi behind the operator are the front end's.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "../common/interface.glsl"

const uint at_operand = 0, at_operator = 4, at_then = 8, at_else = 12, at_after = 13;
const uint slots = 14;
#include "../common/record-mask.glsl"

bool f(uint word, uint turn)
{
    RECORD(at_operand + turn);
    return bitfieldExtract(word, int(16u + turn), 1) != 0u;
}

void main() RECONVERGES
{
    uint word = own_word();
#ifdef USED_WHILE
    uint rows = bitfieldExtract(word, 0, 2);
    for (uint row = 0u; ; row++) {
#ifdef OPERATOR_AND
        bool goes_on = row < rows && f(word, row);
#else
        bool goes_on = !(row >= rows || f(word, row));
#endif
        RECORD(at_operator + row);
        if (!goes_on)
            break;
        RECORD(at_then + row);
    }
#else
    bool a = bitfieldExtract(word, 8, 1) != 0u;
#ifdef OPERATOR_AND
    bool condition = a && f(word, 0u);
#else
    bool condition = a || f(word, 0u);
#endif
    RECORD(at_operator);
    if (condition)
        RECORD(at_then);
    else
        RECORD(at_else);
#endif

    // All lanes.
    RECORD(at_after);
}
