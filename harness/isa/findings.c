// SPDX-License-Identifier: Apache-2.0
#include "isa/origin.h"

#include "base/spirv.h"

#include <search.h>

static int compare_keys(const void *a, const void *b)
{
    return memcmp(a, b, offsetof(struct finding_key, at));
}

// Looks up a key; if it is new, sets *is_new and maps it to `at`.
static size_t look_up(struct findings *findings, struct finding_key key, bool *is_new)
{
    struct finding_key *const *found = tfind(&key, &findings->keys, compare_keys);
    *is_new = !found;
    if (found)
        return (*found)->at;
    struct finding_key *own = lit_alloc(1, sizeof *own);
    *own = key;
    lit_have(tsearch(own, &findings->keys, compare_keys));
    return key.at;
}

// Number of addresses on a path: the branch, the blocks, and the read unless it begins the last
// block.
static size_t length_of(const struct divergent *lanes, const struct divergent_hit *hit)
{
    const struct divergent_state *state = &lanes->states[hit->state];
    return state->depth + 1 + (lanes->flow->nodes[state->node].first != hit->insn);
}

static void fill_way(struct findings *findings, const struct divergent *lanes, size_t branch,
                     const struct divergent_hit *hit, struct lint_way *way)
{
    const struct sass_insn *insns = lanes->code->insns;
    const size_t length = length_of(lanes, hit);
    way->count = length < LINT_WAY ? length : LINT_WAY;
    way->skipped = length - way->count;
    if (!way->addresses)
        way->addresses = lit_alloc(LINT_WAY, sizeof(*way->addresses));
    way->addresses[0] = insns[branch].address;
    way->addresses[way->count - 1] = insns[hit->insn].address;
    size_t at = lanes->states[hit->state].depth;
    for (uint32_t i = hit->state; i != DIVERGENT_NONE; i = lanes->states[i].parent, at--) {
        const size_t first = lanes->flow->nodes[lanes->states[i].node].first;
        if (at < LINT_WAY / 2 && at < way->count)
            way->addresses[at] = insns[first].address;
        else if (at >= LINT_WAY / 2 + way->skipped)
            way->addresses[at - way->skipped] = insns[first].address;
    }
    findings->work += length / 16 + 1;
}

static bool waits(const struct divergent *lanes, const struct divergent_hit *hit)
{
    const uint32_t place = hit ? lanes->states[hit->state].place : DIVERGENT_NONE;
    const size_t at = place != DIVERGENT_NONE ? sass_at(lanes->code, place) : lanes->code->count;
    return at < lanes->code->count && lanes->code->insns[at].op != SASS_BSYNC;
}

// The finding for a key, or for all branches if they share one; *is_new if it is new.
static struct lint_finding *find(struct findings *findings, enum lint_kind kind, size_t branch,
                                 size_t read, size_t other, bool *is_new)
{
    struct lint *lint = findings->lint;
    struct finding_key key = {.kind = kind,
                              .read = read,
                              .other = other,
                              .branch = kind <= LINT_TWICE ? branch : SIZE_MAX,
                              .at = lint->count};
    const size_t at = look_up(findings, key, is_new);
    if (*is_new)
        LIT_ADD(lint->findings, lint->count) =
            (struct lint_finding){.kind = kind, .read = read, .other = other, .branch = branch};
    key.branch = branch;
    bool first = true;
    if (kind > LINT_TWICE)
        look_up(findings, key, &first);
    if (!*is_new && kind > LINT_TWICE)
        lint->findings[at].more += first;
    return &lint->findings[at];
}

void findings_add(struct findings *findings, const struct divergent *lanes, enum lint_kind kind,
                  size_t branch, const struct divergent_hit *first,
                  const struct divergent_hit *second)
{
    const uint32_t node = lanes->states[first->state].node;
    bool is_new;
    if (flow_is_query(lanes->code, lanes->flow, node, first->insn)) {
        kind = LINT_QUERY;
        findings->work += lanes->flow->count;
    }
    struct lint_finding *finding =
        find(findings, kind, branch, first->insn, second ? second->insn : first->insn, &is_new);
    findings->work++;
    const size_t length = length_of(lanes, first) + (second ? length_of(lanes, second) : 0);
    const struct lint_way *ways = finding->ways;
    if (!is_new && length >= ways[0].count + ways[0].skipped + ways[1].count + ways[1].skipped)
        return;
    finding->branch = branch;
    finding->waits = waits(lanes, first) || waits(lanes, second);
    fill_way(findings, lanes, branch, first, &finding->ways[0]);
    finding->ways[1].count = finding->ways[1].skipped = 0;
    if (second)
        fill_way(findings, lanes, branch, second, &finding->ways[1]);
}

void findings_add_alone(struct findings *findings, enum lint_kind kind, size_t read, size_t branch)
{
    bool is_new;
    struct lint_finding *finding = find(findings, kind, branch, read, read, &is_new);
    if (!is_new)
        return;
    finding->ways[0].addresses = lit_alloc(1, sizeof(uint32_t));
    finding->ways[0].addresses[0] = findings->code->insns[branch].address;
    finding->ways[0].count = 1;
}

static void drop(struct lint *lint)
{
    for (size_t i = 0; i < 2 * lint->count; i++)
        free(lint->findings[i / 2].ways[i % 2].addresses);
    lint->count = 0;
}

void lint_clear(struct lint *lint)
{
    drop(lint);
    free(lint->findings);
    *lint = (struct lint){0};
}

void findings_restart(struct findings *findings)
{
    drop(findings->lint);
    findings_clear(findings);
}

void findings_clear(struct findings *findings)
{
    tdestroy(findings->keys, free);
    findings->keys = NULL;
}

// --- From which instruction of the module one of the code was made, as far as their names tell

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
static struct lint_source find_source(const uint32_t *words, size_t count, const char *mnemonic,
                                      bool any)
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

void sources_find(struct findings *findings)
{
    const uint32_t *words = findings->options.words;
    const size_t count = findings->options.word_count;
    for (size_t i = 0; i < findings->lint->count && spirv_is_module(words, count); i++) {
        struct lint_finding *finding = &findings->lint->findings[i];
        const struct sass_insn *insn = &findings->code->insns[finding->read];
        size_t length;
        const char *mnemonic = sass_mnemonic(insn, &length);
        if (finding->sources[0].opcode || !lint_is_cause(finding->kind))
            continue;
        finding->sources[0] = find_source(words, count, mnemonic, false);
        if (!finding->sources[0].opcode && sass_is_cross_lane(insn->op))
            finding->sources[0] = find_source(words, count, mnemonic, true);
    }
}
