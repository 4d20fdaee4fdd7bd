// SPDX-License-Identifier: Apache-2.0
// Accesses of memory in another order than the module's: of one address, as far as the compiler can
// know, or across a barrier. An access of the module and an instruction are the same if each is the
// only one of its kind on its buffer whose address comes of these loads.
#include "isa/origin.h"

#include "base/spirv.h"

#define MOST_LOADS    64
#define MOST_ACCESSES 256
#define MOST_TERMS    16
#define MOST_DEPTH    8 // of sums
#define MOST_NODES    1500
#define MOST_ROUNDS   50
#define SHARED        31u   // the region of shared memory; buffers have their number
#define DESCRIPTORS   0x30u // of the constant bank 0, 16 bytes each: address, size
#define MOST_BUFFERS  8u
#define NO_REGION     32u

enum kind { LOAD, STORE, CHANGE, BARRIER, FENCE };

struct access {
    enum kind kind;
    uint32_t region;
    uint64_t loads; // that its address comes from: first numbers of loads, then their ranks
    size_t at;      // in the module: offset; in the code: instruction
    size_t node;
    uint32_t block, id, pointer, opcode;
    bool atomic, loops;
};

// A load that addresses come from. Those of one base are sorted by their offset.
struct source {
    uint32_t region, base, offset;
    size_t number;
};

struct accesses {
    struct access all[MOST_ACCESSES];
    size_t count;
    struct source loads[MOST_LOADS];
    size_t load_count;
    bool many; // more than there is room for
};

static struct access *add(struct accesses *to, struct access what)
{
    to->many |= to->count == MOST_ACCESSES;
    if (to->many)
        return NULL;
    to->all[to->count] = what;
    return &to->all[to->count++];
}

// The set of a new load alone.
static uint64_t add_load(struct accesses *to, struct source what)
{
    to->many |= to->load_count == MOST_LOADS;
    if (to->many)
        return 0;
    what.number = to->load_count;
    to->loads[to->load_count] = what;
    return UINT64_C(1) << to->load_count++;
}

static int by_place(const void *a, const void *b)
{
    const struct source *left = a, *right = b;
    if (left->region != right->region)
        return left->region < right->region ? -1 : 1;
    return ((int32_t)left->offset > (int32_t)right->offset) -
           ((int32_t)left->offset < (int32_t)right->offset);
}

// Replaces the loads of addresses by their ranks among them; their number. SIZE_MAX if offsets do
// not tell two apart.
static size_t rank(struct accesses *of)
{
    struct source used[MOST_LOADS];
    size_t count = 0;
    uint64_t all = 0;
    for (size_t i = 0; i < of->count; i++)
        all |= of->all[i].loads;
    for (size_t i = 0; i < of->load_count; i++)
        if (all >> i & 1)
            used[count++] = of->loads[i];
    qsort(used, count, sizeof *used, by_place);
    for (size_t i = 1; i < count; i++)
        if (used[i].region == used[i - 1].region &&
            (used[i].base != used[i - 1].base || used[i].offset == used[i - 1].offset))
            return SIZE_MAX;
    for (size_t i = 0; i < of->count; i++) {
        uint64_t ranks = 0;
        for (size_t k = 0; k < count; k++)
            ranks |= (of->all[i].loads >> used[k].number & 1) << k;
        of->all[i].loads = ranks;
    }
    return count;
}

// --- The module

struct reader {
    const uint32_t *words;
    size_t count, bound, buffers;
    size_t *at;       // per id: its instruction
    uint64_t *loads;  // per id: what it comes of
    uint8_t *regions; // per variable: 1 + its region; 0: not known yet
    struct accesses *to;
};

static struct spirv_instruction made(const struct reader *r, uint32_t id)
{
    return id < r->bound && r->at[id] ? spirv_at(r->words, r->count, r->at[id])
                                      : (struct spirv_instruction){0};
}

static bool is_chain(uint32_t opcode)
{
    return opcode == SpvOpAccessChain || opcode == SpvOpInBoundsAccessChain;
}

static uint32_t variable_of(const struct reader *r, uint32_t pointer)
{
    struct spirv_instruction chain = made(r, pointer);
    for (int i = 0; i < 16 && is_chain(chain.opcode) && chain.size > 3; i++) {
        pointer = chain.words[3];
        chain = made(r, pointer);
    }
    return chain.opcode == SpvOpVariable ? pointer : 0;
}

static uint32_t binding_of(const struct reader *r, uint32_t variable)
{
    struct spirv_instruction each;
    uint32_t place[2] = {0, UINT32_MAX};
    SPIRV_EACH (each, r->words, r->count)
        if (each.opcode == SpvOpDecorate && each.size == 4 && each.words[1] == variable) {
            place[0] = each.words[2] == SpvDecorationDescriptorSet ? each.words[3] : place[0];
            place[1] = each.words[2] == SpvDecorationBinding ? each.words[3] : place[1];
        }
    return place[0] ? UINT32_MAX : place[1]; // one set
}

static bool is_buffer(const struct spirv_instruction *i)
{
    return i->opcode == SpvOpVariable && i->size > 3 && i->words[3] == SpvStorageClassStorageBuffer;
}

// The number of the descriptor among the module's, as the constant bank has them.
static uint32_t find_region(const struct reader *r, uint32_t variable)
{
    const struct spirv_instruction own = made(r, variable);
    struct spirv_instruction each;
    uint32_t before = 0;
    if (own.size > 3 && own.words[3] == SpvStorageClassWorkgroup)
        return SHARED;
    if (!is_buffer(&own) || r->buffers > MOST_BUFFERS || binding_of(r, variable) == UINT32_MAX)
        return NO_REGION;
    SPIRV_EACH (each, r->words, r->count)
        before += is_buffer(&each) && binding_of(r, each.words[2]) < binding_of(r, variable);
    return before;
}

static uint32_t region_of(const struct reader *r, uint32_t pointer)
{
    const uint32_t variable = variable_of(r, pointer);
    if (!variable)
        return NO_REGION;
    if (!r->regions[variable])
        r->regions[variable] = (uint8_t)(1 + find_region(r, variable));
    return r->regions[variable] - 1u;
}

// A sum of values with factors.
struct sum {
    uint32_t constant, ids[MOST_TERMS], factors[MOST_TERMS];
    size_t count;
    bool many;
};

static bool is_constant(const struct reader *r, uint32_t id, uint32_t *value)
{
    const struct spirv_instruction i = made(r, id);
    *value = i.opcode == SpvOpConstant ? spirv_operand(&i, 3, 0) : 0;
    return (i.opcode == SpvOpConstant && i.size == 4) || i.opcode == SpvOpConstantNull;
}

static void add_up(const struct reader *r, uint32_t id, uint32_t factor, int depth, struct sum *to)
{
    const struct spirv_instruction i = made(r, id);
    uint32_t value;
    if (is_constant(r, id, &value)) {
        to->constant += factor * value;
    } else if (depth < MOST_DEPTH && i.size == 5 &&
               (i.opcode == SpvOpIAdd || i.opcode == SpvOpISub)) {
        add_up(r, i.words[3], factor, depth + 1, to);
        add_up(r, i.words[4], i.opcode == SpvOpISub ? -factor : factor, depth + 1, to);
    } else if (depth < MOST_DEPTH && i.size == 5 && i.opcode == SpvOpIMul &&
               is_constant(r, i.words[4], &value)) {
        add_up(r, i.words[3], factor * value, depth + 1, to);
    } else {
        size_t at = 0;
        while (at < to->count && to->ids[at] != id)
            at++;
        to->many |= at == MOST_TERMS;
        if (to->many)
            return;
        to->factors[at] = factor + (at < to->count ? to->factors[at] : 0);
        to->ids[at] = id;
        to->count += at == to->count;
    }
}

static uint32_t last_index(const struct spirv_instruction *chain)
{
    return is_chain(chain->opcode) && chain->size > 4 ? chain->words[chain->size - 1] : 0;
}

// Whether two accesses are of one address, or of two that differ by loaded words alone, which a
// compiler does not know.
static bool may_be_one(const struct reader *r, const struct access *a, const struct access *b)
{
    const struct spirv_instruction one = made(r, a->pointer), other = made(r, b->pointer);
    struct sum sum = {0};
    bool same = variable_of(r, a->pointer) == variable_of(r, b->pointer), loaded = false;
    if (a->pointer == b->pointer)
        return true;
    if (!last_index(&one) || !last_index(&other) || one.size != other.size)
        return false;
    for (uint32_t i = 3; i + 1 < one.size; i++)
        same = same && one.words[i] == other.words[i];
    add_up(r, last_index(&one), 1, 0, &sum);
    add_up(r, last_index(&other), -1U, 0, &sum);
    for (size_t i = 0; i < sum.count; i++) {
        const uint32_t opcode = made(r, sum.ids[i]).opcode;
        same = same && (!sum.factors[i] || opcode == SpvOpLoad || opcode == SpvOpAtomicLoad);
        loaded |= sum.factors[i] != 0;
    }
    return same && !sum.many && (loaded || sum.constant == 0);
}

static enum kind kind_of(uint32_t opcode)
{
    return opcode == SpvOpLoad || opcode == SpvOpAtomicLoad     ? LOAD
           : opcode == SpvOpStore || opcode == SpvOpAtomicStore ? STORE
                                                                : CHANGE;
}

static void read_access(struct reader *r, const struct spirv_instruction *i, struct access here)
{
    const bool stores = kind_of(i->opcode) == STORE;
    here.pointer = spirv_operand(i, stores ? 1 : 3, 0);
    here.region = region_of(r, here.pointer);
    here.kind = kind_of(i->opcode);
    here.id = stores ? 0 : i->words[2];
    here.atomic = i->opcode != SpvOpLoad && i->opcode != SpvOpStore;
    here.at = i->at;
    here.opcode = i->opcode;
    if (here.pointer >= r->bound || here.id >= r->bound)
        return;
    here.loads = r->loads[here.pointer];
    if (here.region == NO_REGION) { // a variable of the invocation's, perhaps
        const uint32_t variable = variable_of(r, here.pointer);
        if (stores && spirv_operand(i, 2, 0) < r->bound)
            r->loads[variable] |= r->loads[i->words[2]];
        else if (!stores)
            r->loads[here.id] = r->loads[variable];
        return;
    }
    if (!stores) {
        const struct spirv_instruction chain = made(r, here.pointer);
        struct sum sum = {0};
        add_up(r, last_index(&chain), 1, 0, &sum);
        r->loads[here.id] = add_load(r->to, (struct source){.region = here.region,
                                                            .base = sum.count ? here.pointer : 0,
                                                            .offset = 4 * sum.constant});
    }
    add(r->to, here);
}

static void read_other(struct reader *r, const struct spirv_instruction *i)
{
    uint8_t kinds[256];
    if (i->size < 3 || i->size > 256 || i->words[2] >= r->bound || r->at[i->words[2]] != i->at ||
        !spirv_kinds(i, 1, kinds))
        return;
    for (uint32_t k = i->opcode == SpvOpSelect ? 4 : 3; k < i->size; k++)
        if (kinds[k] == SPIRV_ID && i->words[k] < r->bound)
            r->loads[i->words[2]] |= r->loads[i->words[k]];
}

static void read_module(struct reader *r)
{
    struct spirv_instruction each;
    struct access here = {0};
    uint32_t merges[64] = {0}, depth = 0;
    SPIRV_EACH (each, r->words, r->count) {
        const uint32_t first = spirv_operand(&each, 1, 0);
        struct access barrier = here;
        if (r->to->many)
            return;
        barrier.at = each.at;
        barrier.opcode = each.opcode;
        switch (each.opcode) {
        case SpvOpLabel:
            here.block = first;
            while (depth && merges[depth - 1] == first)
                depth--;
            here.loops = depth > 0;
            break;
        case SpvOpLoopMerge:
            r->to->many |= depth == 64;
            if (depth < 64)
                merges[depth++] = first;
            here.loops = true;
            break;
        case SpvOpControlBarrier:
        case SpvOpMemoryBarrier:
            barrier.kind = each.opcode == SpvOpControlBarrier ? BARRIER : FENCE;
            add(r->to, barrier);
            break;
        case SpvOpLoad:
        case SpvOpStore:
            if (each.size >= 3)
                read_access(r, &each, here);
            break;
        default:
            if (each.opcode >= SpvOpAtomicLoad && each.opcode <= SpvOpAtomicXor && each.size >= 4)
                read_access(r, &each, here);
            else
                read_other(r, &each);
        }
    }
}

// --- The code

struct held {
    uint64_t loads;
    uint32_t regions, by; // descriptors that it comes from; the instruction that set it last
};

struct follower {
    const struct sass_code *code;
    const struct flow *flow;
    struct held (*starts)[SASS_REGISTERS]; // of each node
    uint64_t *loads;                       // of each instruction: its own set, if it loads
    struct accesses *to;
};

static bool is_memory(enum sass_op op)
{
    return op == SASS_LD || op == SASS_LDG || op == SASS_LDS || op == SASS_ST || op == SASS_STG ||
           op == SASS_STS || op == SASS_ATOM || op == SASS_ATOMG || op == SASS_ATOMS ||
           op == SASS_RED;
}

// The registers in brackets, and the number behind them.
static struct held address_of(const struct held *state, const struct sass_insn *insn,
                              uint32_t *offset)
{
    struct held all = {0};
    const char *at = strchr(insn->text, '[');
    *offset = 0;
    for (; at && *at && *at != ']'; at++) {
        const bool uniform = at[0] == 'U' && at[1] == 'R';
        const char *number = at + 1 + uniform;
        if ((at[0] == 'R' || uniform) && *number >= '0' && *number <= '9') {
            const unsigned which = (unsigned)strtoul(number, (char **)&at, 10);
            const unsigned i = which + (uniform ? 256 : 0);
            if (i < SASS_REGISTERS) {
                all.loads |= state[i].loads;
                all.regions |= state[i].regions;
                all.by = uniform && all.by ? all.by : state[i].by;
            }
            at--;
        } else if (at[0] == '+' && (at[1] == '-' || at[1] == '0')) {
            *offset = (uint32_t)strtol(at + 1, (char **)&at, 16);
            at--;
        }
    }
    return all;
}

// Descriptors' addresses among the constants that it reads.
static uint32_t descriptors(const char *text)
{
    uint32_t found = 0;
    for (const char *at = text; (at = strstr(at, "c[0x0][0x")) != NULL; at += 9) {
        const unsigned long where = strtoul(at + 9, NULL, 16);
        if (where >= DESCRIPTORS && where < DESCRIPTORS + 16 * MOST_BUFFERS &&
            (where - DESCRIPTORS) % 16 < 8)
            found |= 1u << (where - DESCRIPTORS) / 16;
    }
    return found;
}

static void step(struct follower *f, struct held *state, size_t index)
{
    const struct sass_insn *insn = &f->code->insns[index];
    struct held result = {.regions = descriptors(insn->text), .by = (uint32_t)index + 1};
    SASS_EACH_REGISTER (i, &insn->reads) {
        result.loads |= state[i].loads;
        result.regions |= state[i].regions;
    }
    if (is_memory(insn->op)) {
        result.loads = f->loads[index];
        result.regions = 0;
    }
    SASS_EACH_REGISTER (i, &insn->writes) {
        // A guard decides what an index is, not whose buffer an address is of.
        const uint64_t old = sass_is_always(insn) ? 0 : state[i].loads;
        state[i] = (struct held){result.loads | old, result.regions, result.by};
    }
}

static bool join(struct held *to, const struct held *from, size_t node)
{
    bool more = false;
    for (unsigned i = 0; i < SASS_REGISTERS; i++) {
        const struct held before = to[i];
        to[i].loads |= from[i].loads;
        to[i].regions |= from[i].regions;
        to[i].by = !before.by || before.by == from[i].by ? from[i].by : UINT32_MAX - (uint32_t)node;
        more |= to[i].loads != before.loads || to[i].regions != before.regions;
    }
    return more;
}

static uint32_t only(uint32_t set)
{
    return set && !(set & (set - 1)) ? (uint32_t)__builtin_ctz(set) : NO_REGION;
}

static void take(struct follower *f, const struct held *state, size_t index, size_t node)
{
    const struct sass_insn *insn = &f->code->insns[index];
    uint32_t offset;
    struct access access = {.at = index, .node = node};
    if (insn->op == SASS_BAR || insn->op == SASS_MEMBAR) {
        access.kind = insn->op == SASS_BAR ? BARRIER : FENCE;
    } else if (is_memory(insn->op)) {
        const struct held address = address_of(state, insn, &offset);
        const bool shared = insn->op == SASS_LDS || insn->op == SASS_STS || insn->op == SASS_ATOMS;
        access.region = shared ? SHARED : only(address.regions);
        access.loads = address.loads;
        access.kind = insn->op == SASS_LD || insn->op == SASS_LDG || insn->op == SASS_LDS ? LOAD
                      : insn->op == SASS_ST || insn->op == SASS_STG || insn->op == SASS_STS
                          ? STORE
                          : CHANGE;
        if (f->loads[index])
            f->to->loads[__builtin_ctzll(f->loads[index])] = (struct source){
                access.region, address.by, offset, (size_t)__builtin_ctzll(f->loads[index])};
    } else {
        return;
    }
    add(f->to, access);
}

static void read_code(struct follower *f)
{
    OWNED(lit_free) struct held *state = lit_alloc(SASS_REGISTERS, sizeof *state);
    for (size_t i = 0; i < f->code->count; i++)
        if (is_memory(f->code->insns[i].op) && !registers_empty(&f->code->insns[i].writes))
            f->loads[i] = add_load(f->to, (struct source){0});
    bool more = !f->to->many;
    for (int round = 0; more && round < MOST_ROUNDS; round++) {
        more = false;
        for (size_t n = 0; n < f->flow->count; n++) {
            const struct flow_node *node = &f->flow->nodes[n];
            memcpy(state, f->starts[n], sizeof f->starts[n]);
            for (size_t i = node->first; i < node->end; i++)
                step(f, state, i);
            FLOW_EACH_NEXT (next, node)
                more |= join(f->starts[next], state, next);
        }
    }
    for (size_t n = 0; n < f->flow->count; n++) {
        memcpy(state, f->starts[n], sizeof f->starts[n]);
        for (size_t i = f->flow->nodes[n].first; i < f->flow->nodes[n].end; i++) {
            take(f, state, i, n);
            step(f, state, i);
        }
    }
}

// --- Comparison

static bool is_like(const struct access *a, const struct access *b)
{
    return a->kind == b->kind &&
           (a->kind >= BARRIER ||
            (a->region == b->region && a->region != NO_REGION && a->loads == b->loads));
}

// The only one like it; NULL.
static const struct access *counterpart(const struct accesses *in, const struct access *of)
{
    const struct access *found = NULL;
    for (size_t i = 0; i < in->count; i++)
        if (is_like(&in->all[i], of)) {
            if (found)
                return NULL;
            found = &in->all[i];
        }
    return found;
}

// Whether the second may not be executed before the first, which is before it in a block.
static bool has_order(const struct reader *r, const struct access *first,
                      const struct access *second)
{
    const struct access *other = first->kind >= BARRIER ? second : first;
    bool loaded = false, stored = false;
    if (first->kind < BARRIER && second->kind < BARRIER)
        return first->region == second->region &&
               (first->kind != LOAD || second->kind != LOAD || (first->atomic && second->atomic)) &&
               may_be_one(r, first, second);
    for (size_t i = 0; i < r->to->count; i++) {
        const struct access *each = &r->to->all[i];
        loaded |= each->kind != STORE && each->kind < BARRIER && each->region == other->region;
        stored |= each->kind != LOAD && each->kind < BARRIER && each->region == other->region;
    }
    return (first->kind < BARRIER || second->kind < BARRIER) && loaded && stored;
}

static bool reaches(const struct flow *flow, size_t from, size_t to)
{
    OWNED(flow_queue_close) struct flow_queue queue = flow_queue_make(flow);
    OWNED(lit_free) bool *seen = lit_alloc(flow->count, sizeof *seen);
    flow_push(&queue, from);
    for (size_t node; !seen[to] && flow_pop(&queue, &node);)
        FLOW_EACH_NEXT (next, &flow->nodes[node])
            if (!seen[next]) {
                seen[next] = true;
                flow_push(&queue, next);
            }
    return seen[to];
}

// Whether one is executed before the other, and never after it.
static bool precedes(const struct flow *flow, const struct access *one, const struct access *other)
{
    if (one->node == other->node)
        return one->at < other->at && !reaches(flow, one->node, one->node);
    return reaches(flow, one->node, other->node) && !reaches(flow, other->node, one->node);
}

static void compare(const struct reader *r, const struct follower *f, struct findings *findings)
{
    const struct accesses *module = r->to, *code = f->to;
    for (size_t s = 0; s < module->count; s++)
        for (size_t k = s; k-- > 0;) {
            const struct access *first = &module->all[k], *second = &module->all[s];
            if (first->block != second->block || first->loops || !has_order(r, first, second) ||
                counterpart(module, first) != first || counterpart(module, second) != second)
                continue;
            const struct access *a = counterpart(code, first), *b = counterpart(code, second);
            if (!a || !b || !precedes(f->flow, b, a))
                continue;
            findings_add_alone(findings, LINT_MOVED, b->at, a->at);
            struct lint_finding *last = &findings->lint->findings[findings->lint->count - 1];
            last->sources[0] = (struct lint_source){second->opcode, second->id, 0};
            last->sources[1] = (struct lint_source){first->opcode, first->id, 0};
            break;
        }
}

void moved_find(struct findings *findings)
{
    const struct sass_code *code = findings->code;
    const struct flow *flow = findings->flow;
    const uint32_t *words = findings->options.words;
    const size_t count = findings->options.word_count;
    if (!spirv_is_module(words, count) || words[SPIRV_BOUND] > ORIGIN_MOST_IDS || !code->operands ||
        flow->count > MOST_NODES)
        return;
    struct reader r = {.words = words, .count = count, .bound = words[SPIRV_BOUND]};
    struct follower f = {.code = code, .flow = flow};
    struct spirv_instruction each;
    r.to = lit_alloc(1, sizeof *r.to);
    f.to = lit_alloc(1, sizeof *f.to);
    r.at = lit_alloc(r.bound + 1, sizeof *r.at);
    r.loads = lit_alloc(r.bound + 1, sizeof *r.loads);
    r.regions = lit_alloc(r.bound + 1, sizeof *r.regions);
    SPIRV_EACH (each, words, count) {
        uint8_t kinds[256];
        r.buffers += is_buffer(&each);
        for (uint32_t i = 1; each.size <= 256 && i < each.size && i < 3; i++)
            if (spirv_kinds(&each, 1, kinds) && kinds[i] == SPIRV_RESULT && each.words[i] < r.bound)
                r.at[each.words[i]] = each.at;
    }
    read_module(&r);
    if (!r.to->many && r.to->count > 1) {
        f.starts = lit_alloc(flow->count, sizeof *f.starts);
        f.loads = lit_alloc(code->count, sizeof *f.loads);
        read_code(&f);
        const size_t ranks = f.to->many ? SIZE_MAX : rank(r.to);
        if (ranks != SIZE_MAX && rank(f.to) == ranks)
            compare(&r, &f, findings);
    }
    free(f.starts);
    free(f.loads);
    free(f.to);
    free(r.to);
    free(r.at);
    free(r.loads);
    free(r.regions);
}
