// SPDX-License-Identifier: Apache-2.0
#include "isa/flow.h"

#include "base/text.h"

static const char *mnemonic(const struct sass_insn *insn)
{
    size_t length;
    return sass_mnemonic(insn, &length);
}

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

// Special registers that are uniform within a warp.
static bool is_same_special(const struct sass_insn *insn)
{
    static const char *const same[] = {
        " SRZ",         " SR_CTAID",  " SR_NCTAID",    " SR_NTID",     " SR_CTASIZE",
        " SR_GRIDID",   " SR_SMEMSZ", " SR_CLUSTERID", " SR_CgaCtaId", " SR_CTAid",
        " SR_NCLUSTER", " SR_SWINLO", " SR_SMEMBANKS",
    };
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
        if (insn->text && strstr(insn->text, same[i]))
            return true;
    return false;
}

static bool holds_tid(const struct uniform_state *state, int reg)
{
    return reg >= 0 && reg < 255 && (state->tid[reg / 64] >> (reg % 64) & 1);
}

// 12 for "R12" and ", R12"; -1 for anything else.
static int register_of(const char *text)
{
    text += strspn(text, ", ");
    if (text[0] != 'R' || text[1] < '0' || text[1] > '9')
        return -1;
    char *end;
    const long number = strtol(text + 1, &end, 10);
    if (starts(end, ".reuse"))
        end += strlen(".reuse");
    return (*end == ',' || *end == '\0' || *end == ' ') && number < 255 ? (int)number : -1;
}

// Finds operand `index` (from 0); returns the text after it, or NULL if there is none.
static const char *operand_of(const struct sass_insn *insn, int index)
{
    const char *text = strchr(mnemonic(insn), ' ');
    for (int i = 0; text && i < index; i++)
        text = strchr(text + 1, ',');
    return text ? text + 1 + strspn(text + 1, " ") : NULL;
}

static bool constant_of(const char *operand, uint32_t *value)
{
    if (!operand || operand[0] != '0' || operand[1] != 'x')
        return false;
    char *end;
    *value = (uint32_t)strtoul(operand, &end, 16);
    return *end == ',' || *end == '\0' || *end == ' ';
}

// With rows of 32 lanes, SR_TID.X >> 5 and more, SR_TID.X & ~31, and comparisons of SR_TID.X with a
// multiple of 32 are uniform within a warp.
static bool is_same_in_row(const struct sass_insn *insn, const struct uniform_state *state)
{
    const char *operands[4];
    for (int i = 0; i < 4; i++)
        if (!(operands[i] = operand_of(insn, i)))
            return false;
    uint32_t constant;
    if (sass_begins(insn, "SHF.R.U32.HI R"))
        return starts(operands[1], "RZ,") && constant_of(operands[2], &constant) && constant >= 5 &&
               constant < 32 && holds_tid(state, register_of(operands[3]));
    if (sass_begins(insn, "LOP3.LUT R"))
        return holds_tid(state, register_of(operands[1])) && constant_of(operands[2], &constant) &&
               constant % 32 == 0 && starts(operands[3], "RZ, 0xc0,");
    const char *rest = operands[3];
    if (!sass_begins(insn, "ISETP.") || !strstr(rest, ", PT") ||
        strchr(rest, 'P') != strstr(rest, "PT") || !holds_tid(state, register_of(operands[2])) ||
        !constant_of(rest, &constant))
        return false;
    if (sass_begins(insn, "ISETP.LT.") || sass_begins(insn, "ISETP.GE."))
        return constant % 32 == 0;
    return (sass_begins(insn, "ISETP.LE.") || sass_begins(insn, "ISETP.GT.")) &&
           constant % 32 == 31;
}

static void step_tid(const struct sass_insn *insn, struct uniform_state *state)
{
    const int from = register_of(operand_of(insn, 1) ? operand_of(insn, 1) : "");
    const bool copies = sass_begins(insn, "MOV R") && holds_tid(state, from);
    const bool reads = insn->op == SASS_S2R && insn->text && strstr(insn->text, " SR_TID.X");
    for (int i = 0; i < 4; i++)
        state->tid[i] &= ~insn->writes.r[i];
    if (insn->guard != SASS_ALWAYS || !(copies || reads))
        return;
    for (int i = 0; i < 4; i++)
        state->tid[i] |= insn->writes.r[i];
}

// SHFL.IDX over the whole warp from a lane number that is uniform.
static bool takes_from_one(const struct sass_insn *insn, const struct uniform_state *state)
{
    if (!sass_begins(insn, "SHFL.IDX "))
        return false;
    const char *index = operand_of(insn, 3), *width = operand_of(insn, 4);
    uint32_t constant;
    if (!index || !constant_of(width, &constant) || constant != 31)
        return false;
    if (constant_of(index, &constant) || starts(index, "RZ,"))
        return true;
    const int reg = register_of(index);
    return reg >= 0 && !(state->varying.r[reg / 64] >> (reg % 64) & 1);
}

// A comparison combined by AND with a predicate that is the same for all lanes: its result may
// differ only where that holds.
static bool is_same_where(const struct sass_insn *insn, const struct uniform_state *state)
{
    size_t length;
    const char *name = sass_mnemonic(insn, &length);
    const char *last = operand_of(insn, 4);
    if (!last || !starts(name, "ISETP.") || memcmp(name + length - 4, ".AND", 4) != 0)
        return false;
    const bool value = *last != '!';
    last += !value;
    const unsigned number = *last == 'P' ? (unsigned)(last[1] - '0') : 7;
    struct sass_registers varying = state->varying;
    if (number > 6 || varying.p >> number & 1)
        return false;
    registers_remove(&varying, &state->clean[number][value]);
    return !registers_meet(&insn->reads, &varying);
}

// Whether its results may differ between lanes that execute it together.
static bool gives_varying(const struct sass_insn *insn, bool rows,
                          const struct uniform_state *state)
{
    const bool reads = registers_meet(&insn->reads, &state->varying) && !is_same_where(insn, state);
    switch (insn->op) {
    case SASS_S2R:
        return !is_same_special(insn);
    case SASS_VOTE:
    case SASS_VOTEU:
    case SASS_REDUX:
    case SASS_S2UR:
    case SASS_R2UR:
        return false;
    case SASS_SHFL:
        return !takes_from_one(insn, state);
    case SASS_MATCH:
    case SASS_LDL: // each lane has its own local memory
    case SASS_ATOM:
    case SASS_ATOMG:
    case SASS_ATOMS:
    case SASS_BMOV:
        return true;
    case SASS_OTHER:
        if (sass_begins(insn, "CS2R"))
            return !is_same_special(insn);
        return reads && !(rows && is_same_in_row(insn, state));
    default: // includes loads: lanes that load from one address together get one value
        return reads;
    }
}

static void forget_clean(struct uniform_state *state, const struct sass_registers *written)
{
    for (int i = 0; i < 7; i++)
        for (int value = 0; value < 2; value++) {
            if (written->p >> i & 1)
                state->clean[i][value] = (struct sass_registers){0};
            registers_remove(&state->clean[i][value], written);
        }
}

// Registers of `of` that are also in both other sets.
static struct sass_registers common(struct sass_registers of, const struct sass_registers *a,
                                    const struct sass_registers *b)
{
    struct sass_registers not_a = of, not_b = of;
    registers_remove(&not_a, a);
    registers_remove(&not_b, b);
    registers_remove(&of, &not_a);
    registers_remove(&of, &not_b);
    return of;
}

// An instruction that executes only in lanes where a predicate has some value; the others keep
// their registers.
static void step_guarded(const struct sass_code *code, bool rows, const struct sass_insn *insn,
                         const struct sass_registers *written, struct uniform_state *state)
{
    const bool value = !insn->guard_negated;
    struct sass_registers *clean = state->clean[insn->guard];
    struct uniform_state seen = *state; // as seen by the lanes that execute it
    registers_remove(&seen.varying, &clean[value]);
    seen.varying.p &= (uint8_t) ~(1u << insn->guard);
    const bool varies = gives_varying(insn, rows, &seen);
    const bool diverges = uniform_diverges(code, insn, state);

    struct sass_registers kept = *written; // uniform among the lanes that do not execute it
    registers_remove(&kept, &state->varying);
    const struct sass_registers clean_before = common(*written, &clean[!value], written);
    registers_add(&kept, &clean_before);
    forget_clean(state, written);
    if (insn->writes.p >> insn->guard & 1) { // the predicate itself changes
        if (varies || diverges)
            registers_add(&state->varying, written);
        return;
    }
    registers_add(&clean[!value], &kept);
    if (varies || diverges)
        registers_add(&state->varying, written);
    if (!varies)
        registers_add(&clean[value], written);
    if (!diverges) {
        const struct sass_registers both = common(*written, &clean[0], &clean[1]);
        registers_remove(&state->varying, &both);
    }
}

void uniform_step(const struct sass_code *code, bool rows, const struct sass_insn *insn,
                  struct uniform_state *state)
{
    if (insn->flags & SASS_UNKNOWN) {
        *state = (struct uniform_state){0};
        memset(state->varying.r, 0xff, sizeof(state->varying.r));
        state->varying.p = 0x7f;
        return;
    }
    if (sass_is_never(insn))
        return;
    struct sass_registers written = insn->writes;
    written.ur = 0; // shared by all lanes of a warp, whatever is written
    written.up = 0;
    written.b = 0;
    if (insn->guard != SASS_ALWAYS && !insn->guard_uniform) {
        step_guarded(code, rows, insn, &written, state);
    } else if (gives_varying(insn, rows, state)) {
        registers_add(&state->varying, &written);
        forget_clean(state, &written);
    } else {
        if (insn->guard == SASS_ALWAYS)
            registers_remove(&state->varying, &written);
        forget_clean(state, &written);
    }
    step_tid(insn, state);
}

bool uniform_diverges(const struct sass_code *code, const struct sass_insn *insn,
                      const struct uniform_state *state)
{
    if (sass_is_never(insn))
        return false;
    if (insn->guard != SASS_ALWAYS && !insn->guard_uniform) {
        if (!code->operands || (state->varying.p >> insn->guard & 1))
            return true;
    }
    if (!flow_is_conditional(insn))
        return false;
    if (insn->flags & SASS_UNIFORM)
        return false;
    return flow_is_branch(insn->op) && (insn->reads.p & state->varying.p);
}

bool uniform_decides(const struct sass_code *code, const struct flow_node *node,
                     unsigned *predicate)
{
    const struct sass_insn *last = flow_last(code, node);
    *predicate = last->guard;
    return last->op == SASS_BRA && last->guard != SASS_ALWAYS && !last->guard_uniform &&
           !(last->flags & (SASS_CONVERGED | SASS_DIVERGED)) &&
           !(last->reads.p & ~(1u << last->guard));
}

void uniform_sided(const struct sass_code *code, const struct flow_node *node,
                   struct sass_registers *registers)
{
    unsigned predicate;
    *registers = (struct sass_registers){0};
    if (!uniform_decides(code, node, &predicate))
        return;
    for (size_t i = node->first; i < node->end; i++)
        if (code->insns[i].guard == predicate && !code->insns[i].guard_uniform)
            registers_add(registers, &code->insns[i].writes);
}

// The state of lanes that leave a node in one direction.
static struct uniform_state leave(const struct sass_code *code, const struct flow_node *node,
                                  bool rows, int way, const struct uniform_state *state)
{
    struct uniform_state out = *state;
    unsigned predicate;
    for (size_t i = node->first; i < node->end; i++)
        uniform_step(code, rows, &code->insns[i], &out);
    if (node->next[FLOW_FALL] != node->next[FLOW_TAKEN] &&
        uniform_decides(code, node, &predicate)) {
        const bool value = (way == FLOW_TAKEN) != flow_last(code, node)->guard_negated;
        registers_remove(&out.varying, &out.clean[predicate][value]);
    }
    return out;
}

// Merges the state at the end of a node into that at the start of another.
static bool join(struct uniform_state *to, const struct uniform_state *from, bool first)
{
    if (first) {
        *to = *from;
        return true;
    }
    bool changed = registers_add(&to->varying, &from->varying);
    for (int i = 0; i < 14; i++) {
        struct sass_registers gone = to->clean[i / 2][i % 2];
        registers_remove(&gone, &from->clean[i / 2][i % 2]);
        changed |= !registers_empty(&gone);
        registers_remove(&to->clean[i / 2][i % 2], &gone);
    }
    for (int i = 0; i < 4; i++) {
        changed |= (to->tid[i] & ~from->tid[i]) != 0;
        to->tid[i] &= from->tid[i];
    }
    return changed;
}

void uniform_find(const struct sass_code *code, const struct flow *flow, bool rows,
                  const struct sass_registers *met, struct uniform_state *states)
{
    memset(states, 0, flow->count * sizeof(*states));
    if (!code->operands)
        return;
    OWNED(lit_free) bool *seen = lit_alloc(flow->count, sizeof(*seen));
    OWNED(flow_queue_close) struct flow_queue queue = flow_queue_make(flow);
    seen[0] = true;
    flow_push(&queue, 0);
    for (size_t node; flow_pop(&queue, &node);)
        for (int way = 0; way < FLOW_WAYS; way++) {
            const size_t next = flow->nodes[node].next[way];
            if (next == FLOW_NONE)
                continue;
            struct uniform_state out = leave(code, &flow->nodes[node], rows, way, &states[node]);
            registers_add(&out.varying, &met[node]);
            forget_clean(&out, &met[node]);
            if (join(&states[next], &out, !seen[next]))
                flow_push(&queue, next);
            seen[next] = true;
        }
}
