// SPDX-License-Identifier: Apache-2.0
// Votes about the opposite of what the module votes about: lanes for which two words are equal, or
// for which they differ.
#include "isa/origin.h"

#include "base/spirv.h"

#include <string.h>

enum { UNKNOWN = 0, EQUAL = 1, DIFFER = 2 };

static unsigned inverted(unsigned relation)
{
    return relation ? relation ^ (EQUAL | DIFFER) : UNKNOWN;
}

// --- The module

static struct spirv_instruction made(const uint32_t *words, size_t count, uint32_t id)
{
    struct spirv_instruction each;
    SPIRV_EACH (each, words, count)
        if (each.size > 3 && each.words[2] == id &&
            (each.opcode == SpvOpConstant || each.opcode >= SpvOpVectorExtractDynamic))
            return each;
    return (struct spirv_instruction){0};
}

static unsigned relation_of(const uint32_t *words, size_t count, uint32_t id)
{
    struct spirv_instruction i = made(words, count, id);
    if (i.opcode == SpvOpLogicalNot) {
        const struct spirv_instruction of = made(words, count, i.words[3]);
        return of.opcode == SpvOpLogicalNot ? UNKNOWN
                                            : inverted(relation_of(words, count, i.words[3]));
    }
    if (i.size != 5 || (i.opcode != SpvOpIEqual && i.opcode != SpvOpINotEqual))
        return UNKNOWN;
    // "(x & 1) == 1" is tested as "(x & 1) != 0".
    const struct spirv_instruction constant = made(words, count, i.words[4]);
    const bool bit = made(words, count, i.words[3]).opcode == SpvOpBitwiseAnd &&
                     constant.opcode == SpvOpConstant && constant.words[3] != 0;
    const unsigned relation = i.opcode == SpvOpIEqual ? EQUAL : DIFFER;
    return bit ? inverted(relation) : relation;
}

// What the module votes about; UNKNOWN: not always one of the two. The votes of a quad may be made
// of votes about the opposite.
static unsigned module_relations(const uint32_t *words, size_t count)
{
    struct spirv_instruction each;
    unsigned all = 0;
    SPIRV_EACH (each, words, count) {
        unsigned one = UNKNOWN;
        switch (each.opcode) {
        case SpvOpGroupNonUniformAll:
        case SpvOpGroupNonUniformAny:
        case SpvOpGroupNonUniformBallot:
            one = relation_of(words, count, spirv_operand(&each, 4, 0));
            break;
        case SpvOpGroupNonUniformAllEqual:
        case SpvOpGroupNonUniformLogicalAnd:
        case SpvOpGroupNonUniformLogicalOr:
        case SpvOpGroupNonUniformLogicalXor:
        case SpvOpGroupNonUniformPartitionNV:
        case SpvOpGroupNonUniformQuadAllKHR:
        case SpvOpGroupNonUniformQuadAnyKHR:
            break;
        default:
            continue;
        }
        if (!one)
            return UNKNOWN;
        all |= one;
    }
    return all;
}

// --- The code

static unsigned compared(const struct sass_insn *insn, unsigned predicate)
{
    const size_t length = strlen(insn->text);
    const bool alone = length > 4 && strcmp(insn->text + length - 4, ", PT") == 0;
    if (!sass_is_always(insn) || insn->writes.p != 1u << predicate)
        return UNKNOWN;
    if (sass_begins(insn, "LOP3.LUT ") && strstr(insn->text, ", RZ, 0xc0, !PT"))
        return DIFFER;
    return sass_begins(insn, "ISETP.NE.") && alone   ? DIFFER
           : sass_begins(insn, "ISETP.EQ.") && alone ? EQUAL
                                                     : UNKNOWN;
}

// What "VOTE.ANY R2, PT, !P1" counts, unless the lanes then part by P1, and the instruction that
// sets P1.
static unsigned voted(const struct sass_code *code, const struct flow_node *node, size_t vote,
                      size_t *by)
{
    const struct sass_insn *insn = &code->insns[vote];
    const char *last = strrchr(insn->text, ' ');
    const uint8_t set = insn->reads.p;
    const bool plain = sass_begins(insn, "VOTE.ANY R") || sass_begins(insn, "VOTEU.ANY UR");
    if (!plain || !last || !set || set & (set - 1) || !sass_is_always(insn) ||
        sass_begins(insn, "VOTE.ANY RZ"))
        return UNKNOWN;
    const unsigned predicate = (unsigned)__builtin_ctz(set);
    for (size_t i = vote + 1; i < node->end && !(code->insns[i].writes.p & set); i++)
        if (code->insns[i].guard == predicate && !code->insns[i].guard_uniform)
            return UNKNOWN;
    for (size_t i = vote; i-- > node->first;)
        if (code->insns[i].writes.p & set) {
            const unsigned relation = compared(&code->insns[i], predicate);
            *by = i;
            return last[1] == '!' ? inverted(relation) : relation;
        }
    return UNKNOWN;
}

void votes_find(const struct sass_code *code, const struct flow *flow, const uint32_t *words,
                size_t count, struct findings *findings)
{
    const unsigned all = spirv_is_module(words, count) ? module_relations(words, count) : UNKNOWN;
    for (size_t n = 0; all && n < flow->count; n++)
        for (size_t i = flow->nodes[n].first; i < flow->nodes[n].end; i++) {
            size_t by = i;
            const unsigned one = voted(code, &flow->nodes[n], i, &by);
            if (one && !(one & all) && !flow_is_query(code, flow, n, i))
                findings_add_alone(findings, code, LINT_MASK, i, by);
        }
}
