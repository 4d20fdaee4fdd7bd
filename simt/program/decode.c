// SPDX-License-Identifier: Apache-2.0
// The table of instructions in functions, and the default way to decode them: operands are values
// and literals, and exec/ chooses the function.
#include "program/compiler.h"

#include <stdlib.h>
#include <string.h>

#define OPCODES(forms) (sizeof(forms) / sizeof *(forms))

static bool decode_skip(struct compiler *c, const struct op *op)
{
    (void)c, (void)op;
    return true;
}

// Sorted by opcode. Calls, labels and terminators are in flow.c and function.c.
static const struct form forms[] = {
    {SpvOpUndef, false, "=", NULL, compose_op_undefined},
    {SpvOpExtInst, false, "=xei*", select_extended, decode_extended},
    {SpvOpFunctionParameter, false, "=", NULL, decode_skip},
    {SpvOpFunctionCall, false, "=xi*", NULL, function_call},
    {SpvOpVariable, false, "=c?i", NULL, variables_local},
    {SpvOpImageTexelPointer, false, "=iii", NULL, image_texel_pointer},
    {SpvOpLoad, false, "=im", NULL, access_load},
    {SpvOpStore, false, "iim", NULL, access_store},
    {SpvOpCopyMemory, false, "iimm", NULL, access_copy_memory},
    {SpvOpAccessChain, false, "=ii*", NULL, chain_access},
    {SpvOpInBoundsAccessChain, false, "=ii*", NULL, chain_access},
    {SpvOpPtrAccessChain, false, "=iii*", NULL, chain_pointer_access},
    {SpvOpArrayLength, false, "=il", NULL, access_array_length},
    {SpvOpInBoundsPtrAccessChain, false, "=iii*", NULL, chain_pointer_access},
    {SpvOpVectorExtractDynamic, false, "=ii", NULL, compose_op_extract_dynamic},
    {SpvOpVectorInsertDynamic, false, "=iii", NULL, compose_op_insert_dynamic},
    {SpvOpVectorShuffle, true, "=iil*", NULL, compose_op_shuffle},
    {SpvOpCompositeConstruct, false, "=i*", NULL, compose_op_construct},
    {SpvOpCompositeExtract, true, "=il*", NULL, compose_op_extract},
    {SpvOpCompositeInsert, true, "=iil*", NULL, compose_op_insert},
    {SpvOpCopyObject, false, "=i", NULL, compose_op_alias},
    {SpvOpTranspose, false, "=i", NULL, compose_op_transpose},
    {SpvOpImageRead, false, "=iio", NULL, image_read},
    {SpvOpImageWrite, false, "iiio", NULL, image_write},
    {SpvOpImageQuerySize, false, "=i", NULL, image_query_size},
    {SpvOpConvertFToU, false, "=i", select_convert, NULL},
    {SpvOpConvertFToS, false, "=i", select_convert, NULL},
    {SpvOpConvertSToF, false, "=i", select_convert, NULL},
    {SpvOpConvertUToF, false, "=i", select_convert, NULL},
    {SpvOpUConvert, true, "=i", select_convert, NULL},
    {SpvOpSConvert, true, "=i", select_convert, NULL},
    {SpvOpFConvert, true, "=i", select_convert, NULL},
    {SpvOpQuantizeToF16, true, "=i", select_convert, NULL},
    {SpvOpConvertPtrToU, false, "=i", select_convert, access_convert_pointer},
    {SpvOpConvertUToPtr, false, "=i", select_convert, access_convert_pointer},
    {SpvOpBitcast, false, "=i", select_convert, access_convert_pointer},
    {SpvOpSNegate, true, "=i", select_integer, NULL},
    {SpvOpFNegate, false, "=i", select_float, NULL},
    {SpvOpIAdd, true, "=ii", select_integer, NULL},
    {SpvOpFAdd, false, "=ii", select_float, NULL},
    {SpvOpISub, true, "=ii", select_integer, NULL},
    {SpvOpFSub, false, "=ii", select_float, NULL},
    {SpvOpIMul, true, "=ii", select_integer, NULL},
    {SpvOpFMul, false, "=ii", select_float, NULL},
    {SpvOpUDiv, true, "=ii", select_integer, NULL},
    {SpvOpSDiv, true, "=ii", select_integer, NULL},
    {SpvOpFDiv, false, "=ii", select_float, NULL},
    {SpvOpUMod, true, "=ii", select_integer, NULL},
    {SpvOpSRem, true, "=ii", select_integer, NULL},
    {SpvOpSMod, true, "=ii", select_integer, NULL},
    {SpvOpFRem, false, "=ii", select_float, NULL},
    {SpvOpFMod, false, "=ii", select_float, NULL},
    {SpvOpVectorTimesScalar, false, "=ii", select_float, NULL},
    {SpvOpMatrixTimesScalar, false, "=ii", select_float, NULL},
    {SpvOpVectorTimesMatrix, false, "=ii", select_float, NULL},
    {SpvOpMatrixTimesVector, false, "=ii", select_float, NULL},
    {SpvOpMatrixTimesMatrix, false, "=ii", select_float, NULL},
    {SpvOpOuterProduct, false, "=ii", select_float, NULL},
    {SpvOpDot, false, "=ii", select_float, NULL},
    {SpvOpIAddCarry, false, "=ii", select_integer, NULL},
    {SpvOpISubBorrow, false, "=ii", select_integer, NULL},
    {SpvOpUMulExtended, false, "=ii", select_integer, NULL},
    {SpvOpSMulExtended, false, "=ii", select_integer, NULL},
    {SpvOpAny, false, "=i", select_logical, NULL},
    {SpvOpAll, false, "=i", select_logical, NULL},
    {SpvOpIsNan, false, "=i", select_float, NULL},
    {SpvOpIsInf, false, "=i", select_float, NULL},
    {SpvOpLogicalEqual, true, "=ii", select_logical, NULL},
    {SpvOpLogicalNotEqual, true, "=ii", select_logical, NULL},
    {SpvOpLogicalOr, true, "=ii", select_logical, NULL},
    {SpvOpLogicalAnd, true, "=ii", select_logical, NULL},
    {SpvOpLogicalNot, true, "=i", select_logical, NULL},
    {SpvOpSelect, true, "=iii", select_logical, NULL},
    {SpvOpIEqual, true, "=ii", select_integer, NULL},
    {SpvOpINotEqual, true, "=ii", select_integer, NULL},
    {SpvOpUGreaterThan, true, "=ii", select_integer, NULL},
    {SpvOpSGreaterThan, true, "=ii", select_integer, NULL},
    {SpvOpUGreaterThanEqual, true, "=ii", select_integer, NULL},
    {SpvOpSGreaterThanEqual, true, "=ii", select_integer, NULL},
    {SpvOpULessThan, true, "=ii", select_integer, NULL},
    {SpvOpSLessThan, true, "=ii", select_integer, NULL},
    {SpvOpULessThanEqual, true, "=ii", select_integer, NULL},
    {SpvOpSLessThanEqual, true, "=ii", select_integer, NULL},
    {SpvOpFOrdEqual, false, "=ii", select_float, NULL},
    {SpvOpFUnordEqual, false, "=ii", select_float, NULL},
    {SpvOpFOrdNotEqual, false, "=ii", select_float, NULL},
    {SpvOpFUnordNotEqual, false, "=ii", select_float, NULL},
    {SpvOpFOrdLessThan, false, "=ii", select_float, NULL},
    {SpvOpFUnordLessThan, false, "=ii", select_float, NULL},
    {SpvOpFOrdGreaterThan, false, "=ii", select_float, NULL},
    {SpvOpFUnordGreaterThan, false, "=ii", select_float, NULL},
    {SpvOpFOrdLessThanEqual, false, "=ii", select_float, NULL},
    {SpvOpFUnordLessThanEqual, false, "=ii", select_float, NULL},
    {SpvOpFOrdGreaterThanEqual, false, "=ii", select_float, NULL},
    {SpvOpFUnordGreaterThanEqual, false, "=ii", select_float, NULL},
    {SpvOpShiftRightLogical, true, "=ii", select_integer, NULL},
    {SpvOpShiftRightArithmetic, true, "=ii", select_integer, NULL},
    {SpvOpShiftLeftLogical, true, "=ii", select_integer, NULL},
    {SpvOpBitwiseOr, true, "=ii", select_bits, NULL},
    {SpvOpBitwiseXor, true, "=ii", select_bits, NULL},
    {SpvOpBitwiseAnd, true, "=ii", select_bits, NULL},
    {SpvOpNot, true, "=i", select_bits, NULL},
    {SpvOpBitFieldInsert, false, "=iiii", select_bits, NULL},
    {SpvOpBitFieldSExtract, false, "=iii", select_bits, NULL},
    {SpvOpBitFieldUExtract, false, "=iii", select_bits, NULL},
    {SpvOpBitReverse, false, "=i", select_bits, NULL},
    {SpvOpBitCount, false, "=i", select_bits, NULL},
    {SpvOpControlBarrier, false, "iii", NULL, decode_barrier},
    {SpvOpMemoryBarrier, false, "ii", NULL, decode_barrier},
    {SpvOpAtomicLoad, false, "=iii", select_atomic, access_atomic},
    {SpvOpAtomicStore, false, "iiii", select_atomic, access_atomic},
    {SpvOpAtomicExchange, false, "=iiii", select_atomic, access_atomic},
    {SpvOpAtomicCompareExchange, false, "=iiiiii", select_atomic, access_atomic},
    {SpvOpAtomicIIncrement, false, "=iii", select_atomic, access_atomic},
    {SpvOpAtomicIDecrement, false, "=iii", select_atomic, access_atomic},
    {SpvOpAtomicIAdd, false, "=iiii", select_atomic, access_atomic},
    {SpvOpAtomicISub, false, "=iiii", select_atomic, access_atomic},
    {SpvOpAtomicSMin, false, "=iiii", select_atomic, access_atomic},
    {SpvOpAtomicUMin, false, "=iiii", select_atomic, access_atomic},
    {SpvOpAtomicSMax, false, "=iiii", select_atomic, access_atomic},
    {SpvOpAtomicUMax, false, "=iiii", select_atomic, access_atomic},
    {SpvOpAtomicAnd, false, "=iiii", select_atomic, access_atomic},
    {SpvOpAtomicOr, false, "=iiii", select_atomic, access_atomic},
    {SpvOpAtomicXor, false, "=iiii", select_atomic, access_atomic},
    {SpvOpPhi, false, "=i*", NULL, flow_phi},
    {SpvOpLoopMerge, false, "xxL", NULL, flow_merge},
    {SpvOpSelectionMerge, false, "xS", NULL, flow_merge},
    {SpvOpBranch, false, "x", NULL, flow_branch},
    {SpvOpBranchConditional, false, "ixx?l*", NULL, flow_branch_conditional},
    {SpvOpSwitch, false, "ixw", NULL, flow_switch},
    {SpvOpKill, false, "", NULL, flow_end},
    {SpvOpReturn, false, "", NULL, flow_return},
    {SpvOpReturnValue, false, "i", NULL, flow_return_value},
    {SpvOpUnreachable, false, "", NULL, flow_unreachable},
    {SpvOpGroupNonUniformElect, false, "=i", select_group, NULL},
    {SpvOpGroupNonUniformAll, false, "=ii", select_group, NULL},
    {SpvOpGroupNonUniformAny, false, "=ii", select_group, NULL},
    {SpvOpGroupNonUniformAllEqual, false, "=ii", select_group, NULL},
    {SpvOpGroupNonUniformBroadcast, false, "=iii", select_group, NULL},
    {SpvOpGroupNonUniformBroadcastFirst, false, "=ii", select_group, NULL},
    {SpvOpGroupNonUniformBallot, false, "=ii", select_group, NULL},
    {SpvOpGroupNonUniformInverseBallot, false, "=ii", select_group, NULL},
    {SpvOpGroupNonUniformBallotBitExtract, false, "=iii", select_group, NULL},
    {SpvOpGroupNonUniformBallotBitCount, false, "=igi", select_group, NULL},
    {SpvOpGroupNonUniformBallotFindLSB, false, "=ii", select_group, NULL},
    {SpvOpGroupNonUniformBallotFindMSB, false, "=ii", select_group, NULL},
    {SpvOpGroupNonUniformShuffle, false, "=iii", select_group, NULL},
    {SpvOpGroupNonUniformShuffleXor, false, "=iii", select_group, NULL},
    {SpvOpGroupNonUniformShuffleUp, false, "=iii", select_group, NULL},
    {SpvOpGroupNonUniformShuffleDown, false, "=iii", select_group, NULL},
    {SpvOpGroupNonUniformIAdd, false, "=igi?i", select_group, NULL},
    {SpvOpGroupNonUniformFAdd, false, "=igi?i", select_group, NULL},
    {SpvOpGroupNonUniformIMul, false, "=igi?i", select_group, NULL},
    {SpvOpGroupNonUniformFMul, false, "=igi?i", select_group, NULL},
    {SpvOpGroupNonUniformSMin, false, "=igi?i", select_group, NULL},
    {SpvOpGroupNonUniformUMin, false, "=igi?i", select_group, NULL},
    {SpvOpGroupNonUniformFMin, false, "=igi?i", select_group, NULL},
    {SpvOpGroupNonUniformSMax, false, "=igi?i", select_group, NULL},
    {SpvOpGroupNonUniformUMax, false, "=igi?i", select_group, NULL},
    {SpvOpGroupNonUniformFMax, false, "=igi?i", select_group, NULL},
    {SpvOpGroupNonUniformBitwiseAnd, false, "=igi?i", select_group, NULL},
    {SpvOpGroupNonUniformBitwiseOr, false, "=igi?i", select_group, NULL},
    {SpvOpGroupNonUniformBitwiseXor, false, "=igi?i", select_group, NULL},
    {SpvOpGroupNonUniformLogicalAnd, false, "=igi?i", select_group, NULL},
    {SpvOpGroupNonUniformLogicalOr, false, "=igi?i", select_group, NULL},
    {SpvOpGroupNonUniformLogicalXor, false, "=igi?i", select_group, NULL},
    {SpvOpGroupNonUniformQuadBroadcast, false, "=iii", select_group, NULL},
    {SpvOpGroupNonUniformQuadSwap, false, "=iii", select_group, NULL},
    {SpvOpCopyLogical, false, "=i", NULL, compose_op_copy_logical},
    {SpvOpPtrEqual, false, "=ii", select_integer, NULL},
    {SpvOpPtrNotEqual, false, "=ii", select_integer, NULL},
    {SpvOpPtrDiff, false, "=ii", NULL, chain_pointer_difference},
    {SpvOpTerminateInvocation, false, "", NULL, flow_end},
    {SpvOpSubgroupBallotKHR, false, "=i", select_group, NULL},
    {SpvOpSubgroupFirstInvocationKHR, false, "=i", select_group, NULL},
    {SpvOpSubgroupAllKHR, false, "=i", select_group, NULL},
    {SpvOpSubgroupAnyKHR, false, "=i", select_group, NULL},
    {SpvOpSubgroupAllEqualKHR, false, "=i", select_group, NULL},
    {SpvOpGroupNonUniformRotateKHR, false, "=iii?i", select_group, NULL},
    {SpvOpSubgroupReadInvocationKHR, false, "=ii", select_group, NULL},
    {SpvOpSDot, false, "=ii?v", select_integer, NULL},
    {SpvOpUDot, false, "=ii?v", select_integer, NULL},
    {SpvOpSUDot, false, "=ii?v", select_integer, NULL},
    {SpvOpSDotAccSat, false, "=iii?v", select_integer, NULL},
    {SpvOpUDotAccSat, false, "=iii?v", select_integer, NULL},
    {SpvOpSUDotAccSat, false, "=iii?v", select_integer, NULL},
    {SpvOpCooperativeMatrixLoadKHR, false, "=iii?m", NULL, cooperative_load},
    {SpvOpCooperativeMatrixStoreKHR, false, "iiii?m", NULL, cooperative_store},
    {SpvOpCooperativeMatrixMulAddKHR, false, "=iii?l", NULL, cooperative_multiply_add},
    {SpvOpCooperativeMatrixLengthKHR, true, "=x", NULL, cooperative_length},
    {SpvOpReadClockKHR, false, "=i", select_clock, NULL},
    {SpvOpGroupNonUniformQuadAllKHR, false, "=i", select_group, NULL},
    {SpvOpGroupNonUniformQuadAnyKHR, false, "=i", select_group, NULL},
    {SpvOpGroupNonUniformPartitionNV, false, "=i", select_group, NULL},
    {SpvOpAtomicFMinEXT, false, "=iiii", select_atomic, access_atomic},
    {SpvOpAtomicFMaxEXT, false, "=iiii", select_atomic, access_atomic},
    {SpvOpAssumeTrueKHR, false, "i", NULL, decode_skip},
    {SpvOpExpectKHR, false, "=ii", NULL, compose_op_alias},
    {SpvOpAtomicFAddEXT, false, "=iiii", select_atomic, access_atomic},
};

static int compare_opcode(const void *key, const void *element)
{
    const uint32_t opcode = *(const uint32_t *)key;
    const uint32_t other = ((const struct form *)element)->opcode;
    return opcode < other ? -1 : opcode > other;
}

const struct form *decode_form(uint32_t opcode)
{
    return bsearch(&opcode, forms, OPCODES(forms), sizeof(*forms), compare_opcode);
}

static bool add_operand(struct compiler *c, const struct op *op, uint32_t id,
                        struct decoded *decoded)
{
    struct insn_shape *shape = &decoded->shape;
    const uint32_t type = check_value(c, op, id);
    if (!type)
        return false;
    if (shape->operand_count == SHAPE_OPERANDS_MAX)
        return compile_fail(c, op, "has more than %u operands", SHAPE_OPERANDS_MAX);
    shape->operand[shape->operand_count] = check_shape(c, type);
    return value_cell(c, id, &decoded->cell[shape->operand_count++]);
}

bool decode_operands(struct compiler *c, const struct op *op, const char *letters,
                     struct decoded *decoded)
{
    struct insn_shape *shape = &decoded->shape;
    uint32_t at = 0;
    bool optional = false;
    *decoded = (struct decoded){.shape.opcode = (uint16_t)op->opcode};
    for (letters += *letters == '='; *letters;
         letters += letters[1] != '*' || at == op->operand_count) {
        if (*letters == '?' || *letters == '*') {
            optional = true;
            continue;
        }
        if (at == op->operand_count) {
            if (optional || letters[1] == '*')
                continue;
            return compile_fail(c, op, "has too few operands");
        }
        const uint32_t word = op->operands[at++];
        if (*letters == 'i' && !add_operand(c, op, word, decoded))
            return false;
        if ((*letters == 'l' || *letters == 'g' || *letters == 'v')) {
            if (shape->literal_count == 4)
                return compile_fail(c, op, "has more than 4 literals");
            shape->literals[shape->literal_count++] = word;
        }
    }
    if (at < op->operand_count)
        return compile_fail(c, op, "has too many operands");
    return true;
}

bool decode_selected(struct compiler *c, const struct op *op, insn_select *select,
                     struct decoded *decoded, struct insn *insn)
{
    struct insn_shape *shape = &decoded->shape;
    const struct shape *wide = shape->has_result ? &shape->result : &shape->operand[0];
    insn->opcode = (uint16_t)op->opcode;
    insn->components = (uint8_t)(wide->components < COPY_MAX ? wide->components : COPY_MAX);
    insn->width = (uint8_t)shape->result.width;
    insn->operand_width = (uint8_t)shape->operand[0].width;
    for (uint32_t i = 0; i < 4; i++)
        insn->operand[i] = i < shape->operand_count ? decoded->cell[i] : CELL_NONE;
    if (shape->operand_count > 4) {
        if (!compile_extra(c, shape->operand_count, &insn->extra))
            return false;
        insn->extra_count = shape->operand_count;
        memcpy(c->program->extra + insn->extra, decoded->cell,
               shape->operand_count * sizeof(uint32_t));
    }
    insn->run = select(shape, insn);
    if (insn->run == convert_encoded && c->module->ids[op->result].decorations.to_largest)
        insn->flags |= CONVERT_TO_LARGEST;
    return insn->run || compile_fail(c, op, "has operands that do not fit, or is not supported");
}

// Instructions with two results as a struct.
bool decode_pair_fits(struct compiler *c, const struct op *op, uint32_t first,
                      const struct shape *second)
{
    const struct type *pair = module_type(c->module, op->type);
    if (pair->kind == TYPE_STRUCT && pair->count == 2 && pair->members[0].type == first) {
        const struct shape shape = check_shape(c, pair->members[1].type);
        if (shape.scalar == second->scalar && shape.width == second->width &&
            shape.components == second->components)
            return true;
    }
    return compile_fail(c, op, "has a result that is not a struct of its two results");
}

bool decode_usual(struct compiler *c, const struct op *op)
{
    const struct form *form = decode_form(op->opcode);
    struct decoded decoded;
    struct insn insn = {.result = CELL_NONE};
    if (!decode_operands(c, op, form->operands, &decoded))
        return false;
    if (form->operands[0] == '=') {
        decoded.shape.has_result = true;
        decoded.shape.result = check_shape(c, op->type);
        if (!value_result(c, op, &insn.result))
            return false;
    }
    if (op->type && module_type(c->module, op->type)->kind == TYPE_COOPERATIVE)
        return cooperative_by_component(c, op, form->select, &decoded, insn.result);
    if (!decode_selected(c, op, form->select, &decoded, &insn))
        return false;
    if (op->opcode >= SpvOpIAddCarry && op->opcode <= SpvOpSMulExtended &&
        !decode_pair_fits(c, op, decoded.shape.operand[0].type, &decoded.shape.operand[0]))
        return false;
    c->program->group_operations += form->select == select_group;
    return compile_emit(c, op, insn);
}

bool decode(struct compiler *c, const struct op *op)
{
    const struct form *form = decode_form(op->opcode);
    if (!form)
        return compile_fail(c, op, "is not supported");
    return form->decode ? form->decode(c, op) : decode_usual(c, op);
}

// OpControlBarrier and OpMemoryBarrier: all operands are scopes and semantics.
bool decode_barrier(struct compiler *c, const struct op *op)
{
    const bool control = op->opcode == SpvOpControlBarrier;
    const uint32_t count = control ? 3 : 2;
    struct insn insn = {
        .run = control ? memory_barrier : memory_fence,
        .kind = control ? INSN_BARRIER : INSN_FENCE,
        .result = CELL_NONE,
        .operand = {CELL_NONE, CELL_NONE, CELL_NONE, CELL_NONE},
    };
    if (!check_length(c, op, count, count))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!check_word(c, op, op->operands[i]) ||
            !value_cell(c, op->operands[i], &insn.operand[i]))
            return false;
    }
    c->program->barriers += control;
    return compile_emit(c, op, insn);
}
