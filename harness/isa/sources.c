// SPDX-License-Identifier: Apache-2.0
// From which instruction of the module one of the code was made, as far as their names tell.
#include "isa/origin.h"

#include "base/spirv.h"

#include <string.h>

// What an opcode becomes, by the beginning of the name, between blanks; "": of the code's only.
#define OF(NAME, MADE)                                                                             \
    {                                                                                              \
        SpvOp##NAME, "Op" #NAME, MADE                                                              \
    }
static const struct {
    uint32_t opcode;
    const char *name, *made;
} rows[] = {
    OF(GroupNonUniformElect, ""),
    OF(GroupNonUniformAll, "VOTE"),
    OF(GroupNonUniformAny, "VOTE"),
    OF(GroupNonUniformAllEqual, "VOTE MATCH"),
    OF(GroupNonUniformBallot, "VOTE"),
    OF(GroupNonUniformInverseBallot, ""),
    OF(GroupNonUniformBallotBitExtract, ""),
    OF(GroupNonUniformBallotBitCount, ""),
    OF(GroupNonUniformBallotFindLSB, ""),
    OF(GroupNonUniformBallotFindMSB, ""),
    OF(GroupNonUniformBroadcast, "SHFL.IDX R2UR"),
    OF(GroupNonUniformBroadcastFirst, "SHFL.IDX R2UR"),
    OF(GroupNonUniformShuffle, "SHFL.IDX"),
    OF(GroupNonUniformShuffleXor, "SHFL.BFLY SHFL.IDX"),
    OF(GroupNonUniformShuffleUp, "SHFL.UP SHFL.IDX"),
    OF(GroupNonUniformShuffleDown, "SHFL.DOWN SHFL.IDX"),
    OF(GroupNonUniformRotateKHR, "SHFL.IDX"),
    OF(GroupNonUniformQuadBroadcast, "SHFL.IDX"),
    OF(GroupNonUniformQuadSwap, "SHFL.BFLY SHFL.IDX"),
    OF(GroupNonUniformPartitionNV, "MATCH"),
    OF(GroupNonUniformIAdd, "REDUX.SUM SHFL"),
    OF(GroupNonUniformFAdd, "SHFL"),
    OF(GroupNonUniformIMul, "SHFL"),
    OF(GroupNonUniformFMul, "SHFL"),
    OF(GroupNonUniformSMin, "REDUX.MIN SHFL"),
    OF(GroupNonUniformUMin, "REDUX.MIN SHFL"),
    OF(GroupNonUniformFMin, "SHFL"),
    OF(GroupNonUniformSMax, "REDUX.MAX SHFL"),
    OF(GroupNonUniformUMax, "REDUX.MAX SHFL"),
    OF(GroupNonUniformFMax, "SHFL"),
    OF(GroupNonUniformBitwiseAnd, "REDUX SHFL"),
    OF(GroupNonUniformBitwiseOr, "REDUX.OR SHFL"),
    OF(GroupNonUniformBitwiseXor, "REDUX.XOR SHFL"),
    OF(GroupNonUniformLogicalAnd, "VOTE REDUX"),
    OF(GroupNonUniformLogicalOr, "VOTE REDUX"),
    OF(GroupNonUniformLogicalXor, "VOTE REDUX"),
    OF(LogicalEqual, ""),
    OF(LogicalNotEqual, ""),
    OF(ControlBarrier, "BAR"),
    OF(MemoryBarrier, "MEMBAR"),
    OF(Load, "LD"),
    OF(Store, "ST"),
    OF(AtomicLoad, "LD"),
    OF(AtomicStore, "ST"),
    OF(AtomicExchange, "ATOM"),
    OF(AtomicCompareExchange, "ATOM"),
    OF(AtomicIIncrement, "ATOM RED."),
    OF(AtomicIDecrement, "ATOM RED."),
    OF(AtomicIAdd, "ATOM RED."),
    OF(AtomicISub, "ATOM RED."),
    OF(AtomicSMin, "ATOM RED."),
    OF(AtomicUMin, "ATOM RED."),
    OF(AtomicSMax, "ATOM RED."),
    OF(AtomicUMax, "ATOM RED."),
    OF(AtomicAnd, "ATOM RED."),
    OF(AtomicOr, "ATOM RED."),
    OF(AtomicXor, "ATOM RED."),
};
#define ROWS (sizeof rows / sizeof *rows)

const char *source_name(uint32_t opcode)
{
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].opcode == opcode)
            return rows[i].name;
    return NULL;
}

static bool becomes(const char *made, const char *mnemonic)
{
    for (size_t length; *made; made += length + (made[length] == ' ')) {
        length = strcspn(made, " ");
        if (strncmp(made, mnemonic, length) == 0)
            return true;
    }
    return false;
}

// `any`: every group operation counts, since others are made of votes and shuffles, too.
static struct lint_source find(const uint32_t *words, size_t count, const char *mnemonic, bool any)
{
    struct lint_source found = {0};
    struct spirv_instruction each;
    SPIRV_EACH (each, words, count)
        for (size_t i = 0; i < ROWS; i++) {
            const bool group = strncmp(rows[i].name, "OpGroup", 7) == 0;
            if (rows[i].opcode != each.opcode || !(any ? group : becomes(rows[i].made, mnemonic)))
                continue;
            const bool has =
                group || strcmp(rows[i].made, "LD") == 0 || strncmp(rows[i].made, "ATOM", 4) == 0;
            if (found.opcode)
                found.others++;
            else
                found = (struct lint_source){each.opcode, has ? spirv_operand(&each, 2, 0) : 0, 0};
        }
    return found;
}

void sources_find(const struct sass_code *code, const uint32_t *words, size_t count,
                  struct lint *lint)
{
    for (size_t i = 0; i < lint->count && spirv_is_module(words, count); i++) {
        struct lint_finding *finding = &lint->findings[i];
        const struct sass_insn *insn = &code->insns[finding->read];
        size_t length;
        const char *mnemonic = sass_mnemonic(insn, &length);
        if (finding->sources[0].opcode || !lint_is_cause(finding->kind))
            continue;
        finding->sources[0] = find(words, count, mnemonic, false);
        if (!finding->sources[0].opcode && sass_is_cross_lane(insn->op))
            finding->sources[0] = find(words, count, mnemonic, true);
    }
}
