// SPDX-License-Identifier: Apache-2.0
// Truth values taken for their opposites: votes about the opposite of what the module votes about,
// lanes for which two words are equal, or for which they differ; and values combined as the module
// combines their negations.
#include "isa/origin.h"

#include "base/spirv.h"

#define MOST_TRIES 256   // values of a module that may be combined
#define MOST_DEPTH 2     // of what such a value is made of
#define MOST_WORDS 20000 // of a module; the values of larger ones are not compared

// Sets of relations. ORDERED: of an order that equality has, too.
enum { UNKNOWN = 0, EQUAL = 1, DIFFER = 2, STRICT = 4, ORDERED = 8 };
enum { NEGATIVE = EQUAL | STRICT, POSITIVE = DIFFER | ORDERED };

static unsigned inverted(unsigned relations)
{
    return (relations & NEGATIVE) << 1 | (relations & POSITIVE) >> 1;
}

// --- The module

static struct spirv_instruction made(const struct lint_options *m, uint32_t id)
{
    struct spirv_instruction each;
    SPIRV_EACH (each, m->words, m->word_count)
        if (each.size > 3 && each.words[2] == id &&
            (each.opcode == SpvOpConstant || each.opcode == SpvOpLoad ||
             each.opcode >= SpvOpVectorExtractDynamic))
            return each;
    return (struct spirv_instruction){0};
}

static unsigned relation_of(const struct lint_options *m, uint32_t id)
{
    struct spirv_instruction i = made(m, id);
    if (i.opcode == SpvOpLogicalNot) {
        const struct spirv_instruction of = made(m, i.words[3]);
        return of.opcode == SpvOpLogicalNot ? UNKNOWN : inverted(relation_of(m, i.words[3]));
    }
    if (i.size != 5 || (i.opcode != SpvOpIEqual && i.opcode != SpvOpINotEqual))
        return UNKNOWN;
    // "(x & 1) == 1" is tested as "(x & 1) != 0".
    const struct spirv_instruction constant = made(m, i.words[4]);
    const bool bit = made(m, i.words[3]).opcode == SpvOpBitwiseAnd &&
                     constant.opcode == SpvOpConstant && constant.words[3] != 0;
    const unsigned relation = i.opcode == SpvOpIEqual ? EQUAL : DIFFER;
    return bit ? inverted(relation) : relation;
}

// What the module votes about; UNKNOWN: not always one of the two. The votes of a quad may be made
// of votes about the opposite.
static unsigned module_relations(const struct lint_options *m)
{
    struct spirv_instruction each;
    unsigned all = 0;
    SPIRV_EACH (each, m->words, m->word_count) {
        unsigned one = UNKNOWN;
        switch (each.opcode) {
        case SpvOpGroupNonUniformAll:
        case SpvOpGroupNonUniformAny:
        case SpvOpGroupNonUniformBallot:
            one = relation_of(m, spirv_operand(&each, 4, 0));
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

static unsigned order_of(const struct lint_options *m, const struct spirv_instruction *i)
{
    // "x >= 2" is tested as "x > 1".
    for (uint32_t k = 3; k < 5; k++)
        if (made(m, spirv_operand(i, k, 0)).opcode == SpvOpConstant)
            return UNKNOWN;
    switch (i->opcode) {
    case SpvOpUGreaterThanEqual:
    case SpvOpSGreaterThanEqual:
    case SpvOpULessThanEqual:
    case SpvOpSLessThanEqual:
        return ORDERED;
    case SpvOpUGreaterThan:
    case SpvOpSGreaterThan:
    case SpvOpULessThan:
    case SpvOpSLessThan:
        return STRICT;
    default:
        return UNKNOWN;
    }
}

// What a truth value may be; UNKNOWN: other things, or one relation or its opposite.
static unsigned truth_of(const struct lint_options *m, uint32_t id, bool loads)
{
    struct spirv_instruction i = made(m, id), each;
    unsigned all = UNKNOWN;
    if (i.opcode == SpvOpGroupNonUniformBallotBitExtract ||
        i.opcode == SpvOpGroupNonUniformInverseBallot)
        return DIFFER;
    if (i.opcode != SpvOpLoad)
        return relation_of(m, id) | order_of(m, &i);
    SPIRV_EACH (each, m->words, m->word_count)
        if (loads && each.opcode == SpvOpStore && spirv_operand(&each, 1, 0) == i.words[3]) {
            const unsigned one = truth_of(m, spirv_operand(&each, 2, 0), false);
            all |= one ? one : NEGATIVE | POSITIVE;
        }
    return all & NEGATIVE && all & POSITIVE ? UNKNOWN : all;
}

// In "x != (a || b)" and its like: where the part of a and b has another value than elsewhere.
enum { NOWHERE = 0, BOTH_FALSE = 1, BOTH_TRUE = 2, APART = 4 };

static unsigned place_of(bool a, bool b)
{
    return a != b ? APART : a ? BOTH_TRUE : BOTH_FALSE;
}

// What a module combines in this way: places, of POSITIVE relations; per place one of its
// instructions, and which relations.
struct parts {
    unsigned places, relations[APART + 1];
    struct lint_source sources[APART + 1];
    size_t tries;
    bool unknown;
};

static void add_parts(const struct lint_options *m, const struct spirv_instruction *whole,
                      uint32_t id, uint32_t other, unsigned depth, struct parts *parts)
{
    struct spirv_instruction i = made(m, id), each;
    parts->unknown |= parts->tries++ == MOST_TRIES;
    if (parts->unknown)
        return;
    if (i.opcode == SpvOpLogicalNot && depth < MOST_DEPTH)
        add_parts(m, whole, i.words[3], other, depth + 1, parts);
    SPIRV_EACH (each, m->words, m->word_count)
        if (i.opcode == SpvOpLoad && depth < MOST_DEPTH && each.opcode == SpvOpStore &&
            spirv_operand(&each, 1, 0) == i.words[3])
            add_parts(m, whole, spirv_operand(&each, 2, 0), other, depth + 1, parts);
    // "x != (a || x)" is of two values.
    if ((i.opcode != SpvOpLogicalOr && i.opcode != SpvOpLogicalAnd) ||
        spirv_operand(&i, 3, 0) == other || spirv_operand(&i, 4, 0) == other)
        return;
    const unsigned a = truth_of(m, spirv_operand(&i, 3, 0), true);
    const unsigned b = truth_of(m, spirv_operand(&i, 4, 0), true);
    const bool both = i.opcode == SpvOpLogicalAnd;
    const unsigned place = place_of(both != !!(a & NEGATIVE), both != !!(b & NEGATIVE));
    parts->unknown |= !a || !b;
    parts->places |= place;
    parts->relations[place] |= a | b | inverted(a | b);
    parts->sources[place] = (struct lint_source){whole->opcode, whole->words[2], 0};
}

static void module_parts(const struct lint_options *m, struct parts *parts)
{
    struct spirv_instruction each;
    SPIRV_EACH (each, m->words, m->word_count)
        for (uint32_t k = 3;
             k < 5 && (each.opcode == SpvOpLogicalEqual || each.opcode == SpvOpLogicalNotEqual);
             k++)
            add_parts(m, &each, spirv_operand(&each, k, 0), spirv_operand(&each, 7 - k, 0), 0,
                      parts);
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

void votes_find(struct findings *findings)
{
    const struct sass_code *code = findings->code;
    const struct flow *flow = findings->flow;
    const struct lint_options *m = &findings->options;
    const unsigned all = spirv_is_module(m->words, m->word_count) ? module_relations(m) : UNKNOWN;
    for (size_t n = 0; all && n < flow->count; n++)
        for (size_t i = flow->nodes[n].first; i < flow->nodes[n].end; i++) {
            size_t by = i;
            const unsigned one = voted(code, &flow->nodes[n], i, &by);
            if (one && !(one & all) && !flow_is_query(code, flow, n, i))
                findings_add_alone(findings, LINT_MASK, i, by);
        }
}

// --- Tables

// Also of bits of several words, and of an order.
static unsigned tested(const struct sass_insn *insn, unsigned predicate)
{
    const unsigned one = compared(insn, predicate);
    const size_t length = strlen(insn->text);
    const char *end = length > 5 ? insn->text + length - 5 : "";
    if (one || !sass_is_always(insn) || insn->writes.p != 1u << predicate)
        return one;
    if (sass_begins(insn, "LOP3.LUT ") && strcmp(end, ", !PT") == 0)
        return DIFFER;
    if (strcmp(end + 1, ", PT") != 0 || strstr(insn->text, "RZ") || strstr(insn->text, "0x"))
        return UNKNOWN;
    return sass_begins(insn, "ISETP.GE.") || sass_begins(insn, "ISETP.LE.")   ? ORDERED
           : sass_begins(insn, "ISETP.GT.") || sass_begins(insn, "ISETP.LT.") ? STRICT
                                                                              : UNKNOWN;
}

// What the predicate is that an instruction reads, if its block sets it.
static unsigned read_truth(const struct sass_code *code, const struct flow_node *node,
                           size_t reader, unsigned predicate)
{
    for (size_t i = reader; i-- > node->first;)
        if (code->insns[i].writes.p >> predicate & 1)
            return tested(&code->insns[i], predicate);
    return UNKNOWN;
}

// Whether a table of three values tells `x` of them from a part of the two others, which has
// another value in one of four places than in the others: `odd`, as two bits.
static bool is_part(unsigned table, unsigned x, unsigned *odd)
{
    const unsigned a = 4u >> (x + 1) % 3, b = 4u >> (x + 2) % 3;
    unsigned ones = 0;
    for (unsigned i = 0; i < 4; i++) {
        const unsigned at = (i & 2 ? a : 0) | (i & 1 ? b : 0);
        if ((table >> at & 1) == (table >> (at | 4u >> x) & 1))
            return false;
        ones |= (table >> at & 1) << i;
    }
    const int count = __builtin_popcount(ones);
    *odd = (unsigned)__builtin_ctz(count == 1 ? ones : ~ones);
    return count % 2 == 1;
}

// The place of what a PLOP3 combines so, and the relations.
static unsigned combined(const struct sass_code *code, const struct flow_node *node, size_t index,
                         unsigned *relations)
{
    size_t length;
    unsigned table, odd;
    char operand[3][4];
    if (sscanf(sass_mnemonic(&code->insns[index], &length),
               "PLOP3.LUT P%*u, PT, %3[!P0-6], %3[!P0-6], %3[!P0-6], 0x%x, 0x0", operand[0],
               operand[1], operand[2], &table) != 4)
        return NOWHERE;
    for (unsigned x = 0; x < 3; x++)
        if (is_part(table, x, &odd)) {
            bool value[2];
            *relations = 0;
            for (unsigned k = 0; k < 2; k++) {
                const char *name = operand[(x + 1 + k) % 3];
                const unsigned predicate = (unsigned)name[strlen(name) - 1] - '0';
                const unsigned one = predicate < 7 ? read_truth(code, node, index, predicate) : 0;
                if (!one)
                    return NOWHERE;
                *relations |= one;
                value[k] = (odd >> (1 - k) & 1) ^ (*name == '!') ^ !!(one & NEGATIVE);
            }
            return place_of(value[0], value[1]);
        }
    return NOWHERE;
}

void tables_find(struct findings *findings)
{
    const struct flow *flow = findings->flow;
    const struct lint_options *m = &findings->options;
    struct parts parts = {0};
    if (spirv_is_module(m->words, m->word_count) && m->word_count <= MOST_WORDS)
        module_parts(m, &parts);
    for (size_t n = 0; parts.places && !parts.unknown && n < flow->count; n++)
        for (size_t i = flow->nodes[n].first; i < flow->nodes[n].end; i++) {
            unsigned relations = UNKNOWN;
            const unsigned place = combined(findings->code, &flow->nodes[n], i, &relations);
            const unsigned meant = place == BOTH_FALSE ? BOTH_TRUE : BOTH_FALSE;
            // "if (c) x ^= a || b" of two bits of one word is x ^ (c && (word & mask)).
            if (!place || place == APART || parts.places & place || !(parts.places & meant) ||
                relations & ~parts.relations[meant] || !(relations & (STRICT | ORDERED)))
                continue;
            findings_add_alone(findings, LINT_TABLE, i, i);
            findings->lint->findings[findings->lint->count - 1].sources[0] = parts.sources[meant];
            return;
        }
}
