// SPDX-License-Identifier: Apache-2.0
// The bits of loaded words that registers and predicates depend on, along all paths, and what is
// wrong with them.
#include "isa/origin.h"

#define MOST_NODES  1500
#define OPERANDS    8
#define MOST_CURES  64 // each takes as long as the whole
#define MOST_ROUNDS 200
#define PREDICATES  7
#define SEVERAL     UINT32_MAX // definitions

// A register's value: which bits may be 1, and what they depend on.
struct bits {
    struct origin of;
    uint32_t ones;
    uint32_t by; // the instruction that defines it; SEVERAL, or of a merge
};

struct state {
    bool reached;
    struct bits registers[SASS_REGISTERS];
    uint32_t predicates[2][PREDICATES], by[2][PREDICATES]; // P, UP
};

// What is known of a node of the flow.
struct place {
    struct state end; // the state at its end
    uint32_t gate;    // what a register that is merged there also depends on
    uint32_t branch;  // what the branch at its end depends on
    bool stale;       // what its state at the end comes of has changed
};

struct bits_run {
    const struct sass_code *code;
    const struct flow *flow;
    struct place *nodes;
    size_t *froms, *from_at; // the nodes before each node; its first of them
    uint64_t *controls; // per node: a set of the nodes whose branches decide whether it executes
    size_t words;       // of such a set
    size_t cures;       // asked for
    struct cure *tried;
    // As if this instruction read another value from a predicate; FLOW_NONE: none.
    size_t changed;
    unsigned changed_predicate;
    uint32_t changed_bits;
};

// --- Operands

struct operand {
    enum { OTHER, NUMBER, REGISTER, PREDICATE } kind;
    uint32_t number; // its value, or which
    bool uniform, negated;
    const char *rest; // behind its name: ".B1"
};

static struct operand operand_at(const char *text)
{
    struct operand operand = {0};
    for (; strchr("-~!|", *text) && *text; text++)
        operand.negated = true;
    const char *name = text + (*text == 'U');
    operand.uniform = *text == 'U';
    char *end = (char *)text;
    if (*text == '0' && text[1] == 'x') {
        operand.kind = NUMBER;
        operand.number = (uint32_t)strtoull(text, &end, 16);
        operand.number = operand.negated ? -operand.number : operand.number;
    } else if ((*name == 'R' || *name == 'P') && name[1] >= '0' && name[1] <= '9') {
        operand.kind = *name == 'R' ? REGISTER : PREDICATE;
        operand.number = (uint32_t)strtoul(name + 1, &end, 10);
    } else if (strncmp(name, "RZ", 2) == 0 || strncmp(name, "PT", 2) == 0) {
        operand.kind = NUMBER;
        operand.number = (*name == 'P') != operand.negated ? *name == 'P' : 0;
        end = (char *)name + 2;
    }
    operand.rest = end;
    return operand;
}

static size_t read_operands(const struct sass_insn *insn, struct operand operands[OPERANDS])
{
    size_t length, count = 0;
    const char *at = sass_mnemonic(insn, &length) + length;
    for (; count < OPERANDS && *at; count++) {
        at += strspn(at, " ,");
        operands[count] = operand_at(at);
        at += strcspn(at, ",");
    }
    return count;
}

static uint32_t predicate_bits(const struct bits_run *run, const struct state *state, size_t insn,
                               unsigned predicate, bool uniform)
{
    if (insn == run->changed && predicate == run->changed_predicate && !uniform)
        return run->changed_bits;
    return predicate < PREDICATES ? state->predicates[uniform][predicate] : 0;
}

static struct bits value_of(const struct bits_run *run, const struct state *state, size_t insn,
                            const struct operand *operand)
{
    struct bits value = {.ones = UINT32_MAX};
    if (operand->kind == NUMBER)
        value.ones = operand->number;
    else if (operand->kind == REGISTER && operand->number < (operand->uniform ? 64 : 256))
        value = state->registers[operand->number + (operand->uniform ? 256 : 0)];
    else if (operand->kind == PREDICATE)
        value.of.bits[0] = predicate_bits(run, state, insn, operand->number, operand->uniform);
    if (operand->negated && operand->kind == REGISTER)
        value.ones = UINT32_MAX;
    return value;
}

static uint32_t all_of(const struct bits *value)
{
    uint32_t all = 0;
    for (int i = 0; i < 32; i++)
        all |= value->ones >> i & 1 ? value->of.bits[i] : 0;
    return all;
}

// --- Operations

// A new word: each bit is its own, and depends on what decided the way that it came.
static struct bits fresh(uint32_t by)
{
    struct bits value = {.ones = UINT32_MAX};
    for (int i = 0; i < 32; i++)
        value.of.bits[i] = 1u << i | by;
    return value;
}

// What a comparison with the value depends on: as of origin.c.
static uint32_t compared(const struct bits *value)
{
    uint32_t all = UINT32_MAX;
    for (int i = 0; i < 32; i++)
        all &= value->of.bits[i];
    return __builtin_popcount(value->ones) > ORIGIN_FEW ? all : all_of(value);
}

// Everything that an instruction reads, but its guard.
static uint32_t all_read(const struct bits_run *run, const struct state *state, size_t index)
{
    const struct sass_insn *insn = &run->code->insns[index];
    uint32_t all = 0;
    SASS_EACH_REGISTER (i, &insn->reads)
        all |= compared(&state->registers[i]);
    for (unsigned i = 0; i < PREDICATES; i++) {
        const bool guards = insn->guard == i;
        if (insn->reads.p >> i & 1 && !(guards && !insn->guard_uniform))
            all |= predicate_bits(run, state, index, i, false);
        if (insn->reads.up >> i & 1 && !(guards && insn->guard_uniform))
            all |= predicate_bits(run, state, index, i, true);
    }
    return all;
}

static struct bits add_up(const struct bits *a, const struct bits *b, const struct bits *c)
{
    struct bits sum = {.ones = a->ones | b->ones | c->ones};
    const bool apart = !(a->ones & b->ones) && !(a->ones & c->ones) && !(b->ones & c->ones);
    for (int i = 0; i < 32; i++)
        sum.of.bits[i] = (a->ones >> i & 1 ? a->of.bits[i] : 0) |
                         (b->ones >> i & 1 ? b->of.bits[i] : 0) |
                         (c->ones >> i & 1 ? c->of.bits[i] : 0);
    return apart ? sum : fresh(compared(a) | compared(b) | compared(c));
}

static struct bits shifted(const struct bits *value, int left)
{
    struct bits result = {.ones = left < 0 ? value->ones >> -left : value->ones << left};
    for (int i = 0; i < 32; i++)
        if (i - left >= 0 && i - left < 32)
            result.of.bits[i] = value->of.bits[i - left];
    return result;
}

// The bit of a table of three inputs' combinations, as LOP3 and PLOP3 have it.
static bool looked_up(uint32_t table, unsigned a, unsigned b, unsigned c)
{
    return table >> (a << 2 | b << 1 | c) & 1;
}

// Bit i of LOP3's result; *one: it may be 1.
static uint32_t logic_bit(const struct bits in[3], const bool constant[3], int i, uint32_t table,
                          bool *one)
{
    uint32_t all = 0;
    *one = false;
    for (unsigned way = 0; way < 8; way++) {
        const unsigned each[3] = {way >> 2, way >> 1 & 1, way & 1};
        bool can = true;
        for (int k = 0; k < 3; k++) {
            const unsigned may = in[k].ones >> i & 1;
            can = can && (constant[k] ? each[k] == may : each[k] <= may);
        }
        if (!can)
            continue;
        *one |= looked_up(table, each[0], each[1], each[2]);
        for (int k = 0; k < 3; k++)
            if (!constant[k] && in[k].ones >> i & 1 &&
                looked_up(table, each[0], each[1], each[2]) !=
                    looked_up(table, each[0] ^ (k == 0), each[1] ^ (k == 1), each[2] ^ (k == 2)))
                all |= in[k].of.bits[i];
    }
    return all;
}

static struct bits logic(const struct bits in[3], const bool constant[3], uint32_t table)
{
    struct bits result = {0};
    for (int i = 0; i < 32; i++) {
        bool one;
        result.of.bits[i] = logic_bit(in, constant, i, table, &one);
        result.ones |= (uint32_t)one << i;
    }
    return result;
}

static struct bits selected(const struct bits *a, const struct bits *b, bool constant, uint32_t by)
{
    struct bits result = {.ones = a->ones | b->ones};
    for (int i = 0; i < 32; i++)
        result.of.bits[i] = (a->of.bits[i] | b->of.bits[i]) |
                            (constant && (a->ones >> i & 1) == (b->ones >> i & 1) ? 0 : by);
    return result;
}

static int power(uint32_t number)
{
    return number && !(number & (number - 1)) ? __builtin_ctz(number) : -1;
}

// An instruction being stepped over.
struct doing {
    const struct bits_run *run;
    struct state *state;
    const struct sass_insn *insn;
    size_t index, count;
    struct operand operands[OPERANDS];
    size_t first; // the first source
};

static struct bits source(const struct doing *d, size_t number)
{
    const size_t at = d->first + number;
    static const struct operand none = {.kind = NUMBER};
    return value_of(d->run, d->state, d->index, at < d->count ? &d->operands[at] : &none);
}

static bool is_number(const struct doing *d, size_t number)
{
    const size_t at = d->first + number;
    return at >= d->count || d->operands[at].kind == NUMBER;
}

static struct bits multiplied(const struct doing *d)
{
    const struct bits a = source(d, 0), b = source(d, 1), c = source(d, 2);
    const int shift = is_number(d, 1) ? power(b.ones) : -1;
    const struct bits zero = {0};
    if (is_number(d, 1) && b.ones == 0)
        return c;
    const struct bits product =
        shift >= 0 ? shifted(&a, shift) : fresh(compared(&a) | compared(&b));
    return add_up(&product, &c, &zero);
}

// The value that it gives its first register.
static struct bits result_of(const struct doing *d)
{
    const struct bits a = source(d, 0), b = source(d, 1), c = source(d, 2);
    const struct sass_insn *insn = d->insn;
    if (sass_begins(insn, "MOV ") || sass_begins(insn, "UMOV ") || sass_begins(insn, "R2UR "))
        return a;
    if (sass_begins(insn, "IMAD ") || sass_begins(insn, "IMAD.IADD ") ||
        sass_begins(insn, "IMAD.SHL.U32 ") || sass_begins(insn, "IMAD.MOV.U32 ") ||
        sass_begins(insn, "IMAD.U32 "))
        return multiplied(d);
    if (sass_begins(insn, "IADD3 ") || sass_begins(insn, "VIADD ") || sass_begins(insn, "UIADD3 "))
        return add_up(&a, &b, &c);
    if (sass_begins(insn, "SEL "))
        return selected(&a, &b, is_number(d, 0) && is_number(d, 1), c.of.bits[0]);
    if (sass_begins(insn, "LOP3.LUT ") || sass_begins(insn, "ULOP3.LUT "))
        return logic((const struct bits[]){a, b, c},
                     (const bool[]){is_number(d, 0), is_number(d, 1), is_number(d, 2)},
                     source(d, 3).ones);
    if (sass_begins(insn, "SHF.R.U32.HI ") && is_number(d, 0) && is_number(d, 1) && b.ones < 32)
        return shifted(&c, -(int)b.ones);
    if (sass_begins(insn, "SHF.L.U32 ") && is_number(d, 1) && b.ones < 32)
        return shifted(&a, (int)b.ones);
    return fresh(all_read(d->run, d->state, d->index));
}

// What the predicates depend on that it defines, but those of R2P.
static uint32_t truth_of(const struct doing *d, const struct bits *result)
{
    if (sass_begins(d->insn, "LOP3.LUT "))
        return all_of(result);
    if (sass_begins(d->insn, "PLOP3.LUT ")) {
        struct bits in[3];
        bool constant[3], one;
        for (size_t i = 0; i < 3; i++) {
            const size_t at = i + 2;
            const struct operand *operand = &d->operands[at < d->count ? at : 0];
            in[i] = value_of(d->run, d->state, d->index, operand);
            constant[i] = operand->kind == NUMBER;
            in[i].ones = constant[i] ? operand->number & 1 : 1;
        }
        return logic_bit(in, constant, 0, d->count > 5 ? d->operands[5].number : 0, &one);
    }
    return all_read(d->run, d->state, d->index);
}

// "R2P PR, R5.B1, 0x9": bit 8 to P0 and bit 11 to P3. The bit of a predicate; -1: it sets another.
static int spread_bit(const struct sass_insn *insn, const struct operand operands[OPERANDS],
                      unsigned predicate)
{
    const char *rest = operands[1].rest;
    if (!sass_begins(insn, "R2P ") || !(insn->writes.p >> predicate & 1) || !rest)
        return -1;
    const char *byte = strstr(rest, ".B");
    const bool named = byte && byte < rest + strcspn(rest, ",") && byte[2] >= '1' && byte[2] <= '3';
    const int from = named ? 8 * (byte[2] - '0') : 0;
    return operands[2].kind == NUMBER && from + (int)predicate < 32 ? from + (int)predicate : -1;
}

// What a guard does to what an instruction writes.
struct guarding {
    uint32_t by; // what the guard depends on
    bool keeps;  // the old value may remain
};

static void define_register(struct doing *d, unsigned number, const struct bits *value,
                            const struct guarding *guarding)
{
    struct bits *to = &d->state->registers[number];
    for (int i = 0; i < 32; i++)
        to->of.bits[i] = value->of.bits[i] | guarding->by | (guarding->keeps ? to->of.bits[i] : 0);
    to->ones = value->ones | (guarding->keeps ? to->ones : 0);
    to->by = (uint32_t)d->index;
}

static void define_predicate(struct doing *d, unsigned number, bool uniform, uint32_t bits,
                             const struct guarding *guarding)
{
    uint32_t *to = &d->state->predicates[uniform][number];
    *to = bits | guarding->by | (guarding->keeps ? *to : 0);
    d->state->by[uniform][number] = guarding->keeps ? SEVERAL : (uint32_t)d->index;
}

static void step(const struct bits_run *run, struct state *state, size_t index)
{
    const struct sass_insn *insn = &run->code->insns[index];
    struct doing d = {run, state, insn, index, 0, {{0}}, 1};
    if (sass_is_never(insn) || registers_empty(&insn->writes))
        return;
    d.count = read_operands(insn, d.operands);
    const bool sure = sass_is_always(insn) || guard_is_idle(run->code, index);
    struct guarding guarding = {.keeps = !sure && !guard_is_completed(run->code, index)};
    if (!sure)
        guarding.by = predicate_bits(run, state, index, insn->guard, insn->guard_uniform);
    // Predicates before or behind the first register are results, too.
    const bool plain = d.operands[0].kind == REGISTER;
    d.first = plain ? 1 : 2;
    for (; plain && sass_begins(insn, "IADD3") && d.operands[d.first].kind == PREDICATE;)
        d.first++;
    struct bits result = result_of(&d);
    const struct bits rest = fresh(all_read(run, state, index));
    const uint32_t truth = truth_of(&d, &result);
    SASS_EACH_REGISTER (i, &insn->writes) {
        const struct operand *to = &d.operands[plain ? 0 : 1];
        const bool first = to->kind == REGISTER && to->number + (to->uniform ? 256 : 0) == i;
        define_register(&d, i, first ? &result : &rest, &guarding);
    }
    for (unsigned i = 0; i < PREDICATES; i++) {
        const int bit = spread_bit(insn, d.operands, i);
        const uint32_t from =
            bit < 0
                ? truth
                : source(&(struct doing){run, state, insn, index, d.count, {d.operands[1]}, 0}, 0)
                      .of.bits[bit];
        if (insn->writes.p >> i & 1)
            define_predicate(&d, i, false, from, &guarding);
        if (insn->writes.up >> i & 1)
            define_predicate(&d, i, true, truth, &guarding);
    }
}

// --- Paths

static bool in_set(const uint64_t *set, size_t member)
{
    return set[member / 64] >> (member % 64) & 1;
}

// For each node, the nodes behind which it is certain: itself, and those whose ways all lead to it.
static void find_controls(struct bits_run *run)
{
    const size_t count = run->flow->count, words = run->words;
    OWNED(lit_free) uint64_t *behind = lit_alloc(count * words, sizeof *behind);
    memset(behind, 0xff, count * words * sizeof *behind); // behind[n]: the nodes certain after n
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t n = count; n-- > 0;) {
            const struct flow_node *node = &run->flow->nodes[n];
            for (size_t w = 0; w < words; w++) {
                uint64_t both = UINT64_MAX;
                bool any = false;
                FLOW_EACH_NEXT (next, node) {
                    both &= behind[next * words + w];
                    any = true;
                }
                both = (any ? both : 0) | (n / 64 == w ? UINT64_C(1) << n % 64 : 0);
                changed |= both != behind[n * words + w];
                behind[n * words + w] = both;
            }
        }
    }
    for (size_t b = 0; b < count; b++)
        FLOW_EACH_NEXT (next, &run->flow->nodes[b])
            for (size_t n = 0; n < count; n++)
                if (in_set(&behind[next * words], n) && (n == b || !in_set(&behind[b * words], n)))
                    run->controls[n * words + b / 64] |= UINT64_C(1) << b % 64;
}

static void find_gates(struct bits_run *run)
{
    for (size_t p = 0; p < run->flow->count; p++)
        FLOW_EACH_NEXT (n, &run->flow->nodes[p]) {
            const uint32_t before = run->nodes[n].gate;
            for (size_t b = 0; b < run->flow->count; b++)
                if (b == p || (in_set(&run->controls[p * run->words], b) &&
                               !in_set(&run->controls[n * run->words], b)))
                    run->nodes[n].gate |= run->nodes[b].branch;
            run->nodes[n].stale |= run->nodes[n].gate != before;
        }
}

static void merge_bits(struct bits *to, const struct bits *from, uint32_t by, uint32_t gate)
{
    const bool merges = to->by != from->by;
    for (int i = 0; i < 32; i++)
        to->of.bits[i] |= from->of.bits[i] | (merges ? gate : 0);
    to->ones |= from->ones;
    to->by = merges ? by : to->by;
}

static void merge(struct state *to, const struct state *from, uint32_t node, uint32_t gate)
{
    const uint32_t by = node | 1u << 31;
    if (!to->reached) {
        *to = *from;
        return;
    }
    for (unsigned i = 0; i < SASS_REGISTERS; i++)
        merge_bits(&to->registers[i], &from->registers[i], by, gate);
    for (unsigned i = 0; i < 2 * PREDICATES; i++) {
        const unsigned file = i / PREDICATES, number = i % PREDICATES;
        const bool merges = to->by[file][number] != from->by[file][number];
        to->predicates[file][number] |= from->predicates[file][number] | (merges ? gate : 0);
        to->by[file][number] = merges ? by : to->by[file][number];
    }
}

// The state at the start of a node, from the ends of those before it.
static void begin(const struct bits_run *run, size_t node, struct state *state)
{
    memset(state, 0, sizeof *state);
    for (unsigned i = 0; node == 0 && i < SASS_REGISTERS; i++)
        state->registers[i].ones = UINT32_MAX;
    state->reached = node == 0;
    for (size_t i = run->from_at[node]; i < run->from_at[node + 1]; i++)
        if (run->nodes[run->froms[i]].end.reached)
            merge(state, &run->nodes[run->froms[i]].end, (uint32_t)node, run->nodes[node].gate);
}

static void find_froms(struct bits_run *run)
{
    const struct flow *flow = run->flow;
    run->from_at = lit_alloc(flow->count + 2, sizeof *run->from_at);
    run->froms = lit_alloc(2 * flow->count + 1, sizeof *run->froms);
    for (int round = 0; round < 2; round++) {
        for (size_t n = 0; n < flow->count; n++)
            FLOW_EACH_NEXT (next, &flow->nodes[n]) {
                if (round == 0)
                    run->from_at[next + 2]++;
                else
                    run->froms[run->from_at[next + 1]++] = n;
            }
        for (size_t n = 0; round == 0 && n < flow->count; n++)
            run->from_at[n + 2] += run->from_at[n + 1];
    }
}

// The state at the end of a node; true if it is new.
static bool follow_node(struct bits_run *run, size_t n, struct state *state, bool *branched)
{
    const struct flow_node *node = &run->flow->nodes[n];
    run->nodes[n].stale = false;
    begin(run, n, state);
    if (!state->reached)
        return false;
    for (size_t i = node->first; i < node->end; i++)
        step(run, state, i);
    const struct sass_insn *last = flow_last(run->code, node);
    const bool both = node->next[FLOW_FALL] != FLOW_NONE && node->next[FLOW_TAKEN] != FLOW_NONE;
    const uint32_t before = run->nodes[n].branch;
    if (both && last->op != SASS_CALL && last->guard != SASS_ALWAYS)
        run->nodes[n].branch |=
            predicate_bits(run, state, node->end - 1, last->guard, last->guard_uniform);
    *branched |= run->nodes[n].branch != before;
    return memcmp(&run->nodes[n].end, state, sizeof *state) != 0;
}

static void follow(struct bits_run *run)
{
    const size_t count = run->flow->count;
    OWNED(lit_free) struct state *state = lit_alloc(1, sizeof *state);
    memset(run->nodes, 0, count * sizeof *run->nodes);
    for (size_t n = 0; n < count; n++)
        run->nodes[n].stale = true;
    bool changed = true, branched = false;
    for (int round = 0; changed && round < MOST_ROUNDS; round++) {
        changed = false;
        if (branched)
            find_gates(run);
        branched = false;
        for (size_t n = 0; n < count; n++) {
            if (!run->nodes[n].stale || !follow_node(run, n, state, &branched))
                continue;
            changed = true;
            run->nodes[n].end = *state;
            FLOW_EACH_NEXT (next, &run->flow->nodes[n])
                run->nodes[next].stale = true;
        }
    }
}

// --- What is wrong

// What the stores of four words at the end of the code store, from the last on.
struct sinks {
    struct origin of[ORIGIN_STORES][ORIGIN_COMPONENTS];
    size_t insns[ORIGIN_STORES], count;
};

typedef void visiting(const struct bits_run *run, const struct state *state, size_t index,
                      void *user);

static void visit(const struct bits_run *run, visiting *each, void *user)
{
    OWNED(lit_free) struct state *state = lit_alloc(1, sizeof *state);
    for (size_t n = 0; n < run->flow->count; n++) {
        begin(run, n, state);
        for (size_t i = run->flow->nodes[n].first; i < run->flow->nodes[n].end; i++) {
            each(run, state, i, user);
            step(run, state, i);
        }
    }
}

static void visit_sink(const struct bits_run *run, const struct state *state, size_t index,
                       void *user)
{
    const struct sass_insn *insn = &run->code->insns[index];
    struct sinks *sinks = user;
    struct operand operands[OPERANDS] = {0};
    const bool wide = insn->op == SASS_STG && strstr(insn->text, ".128");
    size_t at = 0;
    if (!wide || read_operands(insn, operands) < 2 || operands[1].kind != REGISTER ||
        operands[1].number + ORIGIN_COMPONENTS > 256)
        return;
    while (at < sinks->count && sinks->insns[at] > index)
        at++;
    if (at == ORIGIN_STORES || (at < sinks->count && sinks->insns[at] == index))
        return;
    sinks->count += sinks->count < ORIGIN_STORES;
    memmove(&sinks->of[at + 1], &sinks->of[at], (sinks->count - 1 - at) * sizeof *sinks->of);
    memmove(&sinks->insns[at + 1], &sinks->insns[at],
            (sinks->count - 1 - at) * sizeof *sinks->insns);
    sinks->insns[at] = index;
    for (unsigned c = 0; c < ORIGIN_COMPONENTS; c++)
        for (int i = 0; i < 32; i++) {
            const struct bits *value = &state->registers[operands[1].number + c];
            sinks->of[at][c].bits[i] = value->ones >> i & 1 ? value->of.bits[i] : 0;
        }
}

// A use of a predicate that holds a bit which R2P took.
struct use {
    size_t insn, from; // the R2P
    unsigned predicate, bit;
    uint32_t beside; // what its other operands depend on, if it combines truth values; 0
};

struct uses {
    struct use *uses;
    size_t count;
};

// What PLOP3 or a comparison combines with the predicate; 0: nothing, or it does otherwise.
static uint32_t beside(const struct bits_run *run, const struct state *state, size_t index,
                       unsigned predicate)
{
    const struct sass_insn *insn = &run->code->insns[index];
    OWNED(lit_free) struct state *without = lit_alloc(1, sizeof *without);
    *without = *state;
    without->predicates[0][predicate] = 0;
    const bool combines = sass_begins(insn, "PLOP3.LUT ") || sass_begins(insn, "ISETP.");
    const bool guards = insn->guard == predicate && !insn->guard_uniform;
    return combines && !guards ? all_read(run, without, index) : 0;
}

static void visit_use(const struct bits_run *run, const struct state *state, size_t index,
                      void *user)
{
    struct uses *uses = user;
    const struct sass_insn *insn = &run->code->insns[index];
    for (unsigned i = 0; i < PREDICATES; i++) {
        const uint32_t bits = state->predicates[0][i], by = state->by[0][i];
        const int bit = power(bits);
        if (bit < 0 || !(insn->reads.p >> i & 1) || by >= run->code->count ||
            !sass_begins(&run->code->insns[by], "R2P "))
            continue;
        LIT_ADD(uses->uses, uses->count) =
            (struct use){index, by, i, (unsigned)bit, beside(run, state, index, i)};
    }
}

// Bits of equal number in their bytes.
static uint32_t twins_of(unsigned bit)
{
    return 0x01010101u << bit % 8 & ~(1u << bit);
}

static void report(struct findings *findings, const struct use *use, unsigned meant)
{
    findings_add_alone(findings, LINT_BIT, use->insn, use->from);
    for (size_t i = 0; i < findings->lint->count; i++) {
        struct lint_finding *finding = &findings->lint->findings[i];
        if (finding->kind == LINT_BIT && finding->read == use->insn) {
            finding->bit = (uint8_t)use->bit;
            finding->meant = (uint8_t)meant;
        }
    }
}

// What is stored if the use reads another bit.
struct cure {
    const struct use *use;
    unsigned meant;
    struct sinks sinks;
    struct cure *next;
};

// What the stored bit depends on if the use reads another bit; the same as before if too many uses
// were tried.
static uint32_t cured(struct bits_run *run, const struct use *use, unsigned meant, size_t sink,
                      unsigned component, unsigned bit, uint32_t before)
{
    struct cure *cure = run->tried;
    if (run->cures == MOST_CURES)
        return before;
    run->cures++;
    while (cure && (cure->use != use || cure->meant != meant))
        cure = cure->next;
    if (!cure) {
        cure = lit_alloc(1, sizeof *cure);
        *cure = (struct cure){.use = use, .meant = meant, .next = run->tried};
        run->tried = cure;
        run->changed = use->insn;
        run->changed_predicate = use->predicate;
        run->changed_bits = 1u << meant;
        follow(run);
        visit(run, visit_sink, &cure->sinks);
        run->changed = FLOW_NONE;
    }
    return sink < cure->sinks.count ? cure->sinks.of[sink][component].bits[bit] : before;
}

// A use that gives a stored bit one that the module's does not depend on, where another would not;
// or that keeps one from it, where with it all would be as in the module.
static bool find_foreign(struct bits_run *run, const struct origin_module *module,
                         const struct sinks *sinks, const struct uses *uses,
                         struct findings *findings)
{
    for (size_t s = 0; s < sinks->count && s < module->count; s++)
        for (unsigned c = 0; c < ORIGIN_COMPONENTS; c++)
            for (unsigned b = 0; b < 32; b++) {
                const uint32_t wanted = module->stores[module->count - 1 - s].components[c].bits[b];
                const uint32_t got = sinks->of[s][c].bits[b];
                for (size_t u = uses->count; got != wanted && u-- > 0;) {
                    const struct use *use = &uses->uses[u];
                    const bool foreign = got & ~wanted & 1u << use->bit;
                    const uint32_t meant = twins_of(use->bit) & wanted & (foreign ? wanted : ~got);
                    if (!(got >> use->bit & 1) || !meant)
                        continue;
                    const unsigned other = (unsigned)__builtin_ctz(meant);
                    const uint32_t then = cured(run, use, other, s, c, b, got);
                    if (foreign ? then >> use->bit & 1 : then != wanted)
                        continue;
                    report(findings, use, other);
                    return true;
                }
            }
    return false;
}

// The module combines another bit with what the code combines this with, and not this.
static void find_pair(const struct origin_module *module, const struct uses *uses,
                      struct findings *findings)
{
    for (size_t u = 0; u < uses->count; u++) {
        const struct use *use = &uses->uses[u];
        uint32_t meant = 0;
        bool has = !use->beside;
        for (size_t i = 0; i < module->pair_count; i++) {
            const struct origin_pair *pair = &module->pairs[i];
            const bool fits = !(use->beside & ~pair->other);
            has |= fits && pair->one == 1u << use->bit;
            meant |= fits ? pair->one & twins_of(use->bit) : 0;
        }
        if (meant && !has) {
            report(findings, use, (unsigned)__builtin_ctz(meant));
            return;
        }
    }
}

void origin_find(struct findings *findings)
{
    const struct sass_code *code = findings->code;
    const struct flow *flow = findings->flow;
    struct bits_run run = {.code = code, .flow = flow, .changed = FLOW_NONE};
    OWNED(origin_module_clear) struct origin_module module = {0};
    struct uses uses = {0};
    bool spreads = false;
    for (size_t i = 0; i < code->count; i++)
        spreads |= sass_begins(&code->insns[i], "R2P ");
    if (!spreads || !code->operands || flow->count > MOST_NODES ||
        !origin_module(findings->options.words, findings->options.word_count, &module))
        return;
    OWNED(lit_free) struct sinks *sinks = lit_alloc(1, sizeof *sinks);
    run.words = flow->count / 64 + 1;
    run.nodes = lit_alloc(flow->count, sizeof *run.nodes);
    find_froms(&run);
    run.controls = lit_alloc(flow->count * run.words, sizeof *run.controls);
    find_controls(&run);
    follow(&run);
    visit(&run, visit_sink, sinks);
    visit(&run, visit_use, &uses);
    if (!find_foreign(&run, &module, sinks, &uses, findings))
        find_pair(&module, &uses, findings);
    for (struct cure *next; run.tried; run.tried = next) {
        next = run.tried->next;
        free(run.tried);
    }
    free(uses.uses);
    free(run.nodes);
    free(run.froms);
    free(run.from_at);
    free(run.controls);
}
