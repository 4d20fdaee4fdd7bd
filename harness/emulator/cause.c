// SPDX-License-Identifier: Apache-2.0
// Finds the instruction that is to blame for a wrong result: the one whose single change makes all
// results right.
#include "emulator/warp.h"

struct search {
    const struct emu_program *program;
    const struct emu_trace *trace;
    bool (*is_right)(const struct emu_change *change, bool all, void *user);
    void *user;
    struct emu_cause *cause;
    bool *executed;
    uint8_t written[2]; // which of P0 to P6, UP0 to UP6 the program sets
};

static bool is_right(struct search *s, const struct emu_change *change)
{
    if (s->cause->tries++ >= EMU_TRIES_MOST || !s->is_right(change, false, s->user) ||
        !s->is_right(change, true, s->user))
        return false;
    s->cause->change = *change;
    return true;
}

static uint32_t lanes_of(const struct emu_trace *trace)
{
    return trace->count ? trace->events[0].active : 0;
}

// --- Lanes that are apart

// The first instruction before which all lanes would have to meet.
static bool find_apart(struct search *s)
{
    const uint32_t all = lanes_of(s->trace);
    OWNED(lit_free) bool *tried = lit_alloc(s->program->count, sizeof *tried);
    if (!is_right(s, &(struct emu_change){.kind = EMU_MEET}))
        return false;
    for (size_t i = 0; i < s->trace->count; i++) {
        const struct emu_event *event = &s->trace->events[i];
        const struct emu_insn *insn = &s->program->insns[event->insn];
        if (tried[event->insn] || event->active == all ||
            (!sass_is_cross_lane(insn->sass->op) && insn->sass->op != SASS_BAR))
            continue;
        tried[event->insn] = true;
        if (is_right(s, &(struct emu_change){.kind = EMU_TOGETHER, .insn = event->insn})) {
            s->cause->apart = event->active;
            break;
        }
    }
    return true;
}

// A WARPSYNC that takes lanes out of the barrier at which they should meet later.
static bool find_spare(struct search *s)
{
    for (size_t i = 0; i < s->program->count; i++)
        if (s->executed[i] && s->program->insns[i].sass->op == SASS_WARPSYNC &&
            is_right(s, &(struct emu_change){.kind = EMU_SPARE, .insn = i}))
            return true;
    return false;
}

// R2UR, or VOTEU.ANY of a predicate into a uniform one, which compilers use in the same way.
static bool takes_one(const struct sass_insn *sass)
{
    return sass->op == SASS_R2UR || (sass->op == SASS_VOTEU && sass->writes.up && sass->reads.p);
}

// One lane's value that is taken for that of all which execute the instruction.
static bool find_alone(struct search *s)
{
    OWNED(lit_free) bool *tried = lit_alloc(s->program->count, sizeof *tried);
    for (size_t i = 0; i < s->trace->count; i++) {
        const struct emu_event *event = &s->trace->events[i];
        if (tried[event->insn] || !(event->active & (event->active - 1)) ||
            !takes_one(s->program->insns[event->insn].sass))
            continue;
        tried[event->insn] = true;
        if (is_right(s, &(struct emu_change){.kind = EMU_ALONE, .insn = event->insn})) {
            s->cause->apart = event->active;
            return true;
        }
    }
    return false;
}

// --- Predicates that are others

static bool is_executed(const struct search *s, size_t insn)
{
    return s->executed[insn] && s->program->insns[insn].row;
}

// Tries other predicates in the place of one: the most likely first, which are those of the same
// number.
static bool find_other(struct search *s, struct emu_change change, unsigned number, bool uniform,
                       bool negated, bool constants)
{
    if (!constants && !uniform) {
        struct emu_change before = change;
        before.predicate = (uint8_t)number;
        before.negated = negated;
        before.before = true;
        if (is_right(s, &before))
            return true;
    }
    for (unsigned i = 0; i < 16; i++) {
        const bool other_kind = (i < 8) == !uniform;
        const unsigned nth = i % 8 == 0 ? number : i % 8 <= number ? i % 8 - 1u : i % 8;
        for (unsigned k = 0; k < 2; k++) {
            change.predicate = (uint8_t)nth;
            change.uniform = other_kind;
            change.negated = negated != (k == 1);
            const bool same = nth == number && change.uniform == uniform && k == 0;
            const bool is_constant = nth == 7;
            if (same || is_constant != constants || (is_constant && change.uniform) ||
                !(is_constant || s->written[change.uniform] >> nth & 1))
                continue;
            if (is_right(s, &change))
                return true;
        }
    }
    return false;
}

static bool find_guard(struct search *s, bool constants)
{
    for (size_t i = 0; i < s->program->count; i++) {
        const struct sass_insn *sass = s->program->insns[i].sass;
        if (is_executed(s, i) && sass->guard != SASS_ALWAYS &&
            find_other(s, (struct emu_change){.kind = EMU_GUARD, .insn = i}, sass->guard,
                       sass->guard_uniform, sass->guard_negated, constants))
            return true;
    }
    return false;
}

static bool find_test(struct search *s, bool constants)
{
    for (size_t i = 0; i < s->program->count; i++) {
        const struct emu_insn *insn = &s->program->insns[i];
        for (uint8_t k = 0; is_executed(s, i) && k < insn->tests; k++)
            if (insn->test[k].index != 7 &&
                find_other(s, (struct emu_change){.kind = EMU_TEST, .insn = i, .operand = k},
                           insn->test[k].index, insn->test[k].kind == EMU_UP, insn->test[k].invert,
                           constants))
                return true;
    }
    return false;
}

// A table that is right for the negations of some operands.
static bool find_table(struct search *s)
{
    static const uint8_t inverted[] = {6, 5, 3, 7}; // of its operands
    for (size_t i = 0; i < s->program->count; i++)
        for (size_t k = 0; k < sizeof inverted && is_executed(s, i); k++)
            if (sass_begins(s->program->insns[i].sass, "PLOP3.LUT ") &&
                is_right(
                    s, &(struct emu_change){.kind = EMU_INVERT, .insn = i, .operand = inverted[k]}))
                return true;
    return false;
}

// Predicates that an instruction should have left alone: few before many.
static bool find_kept(struct search *s)
{
    for (int most = 1; most <= 7; most += 6)
        for (size_t i = 0; i < s->program->count; i++) {
            const unsigned writes = s->program->insns[i].sass->writes.p & 0x7fu;
            for (unsigned kept = writes; kept && is_executed(s, i); kept = (kept - 1) & writes)
                if ((__builtin_popcount(kept) == 1) == (most == 1) &&
                    is_right(s, &(struct emu_change){
                                    .kind = EMU_KEEP, .insn = i, .operand = (uint8_t)kept}))
                    return true;
        }
    return false;
}

// An instruction that should not have been executed at all, or in all lanes.
static bool find_never(struct search *s)
{
    for (size_t i = 0; i < s->program->count; i++)
        if (is_executed(s, i) && s->program->insns[i].sass->guard == SASS_ALWAYS &&
            is_right(s, &(struct emu_change){
                            .kind = EMU_GUARD, .insn = i, .predicate = 7, .negated = true}))
            return true;
    return false;
}

// --- What the change leads to

// The first event of a trace whose lanes or values are not those of another.
void emu_cause_compare(struct emu_cause *cause, const struct emu_trace *wrong,
                       const struct emu_trace *right)
{
    cause->first = EMU_NEVER;
    for (uint32_t lane = 0; lane < EMU_LANES; lane++) {
        const uint32_t bit = UINT32_C(1) << lane;
        size_t k = 0;
        for (size_t i = 0; i < wrong->count; i++) {
            const struct emu_event *a = &wrong->events[i];
            if (!(a->active & bit))
                continue;
            while (k < right->count && !(right->events[k].active & bit))
                k++;
            const struct emu_event *b = k < right->count ? &right->events[k] : NULL;
            if (b && a->insn == b->insn && a->value[lane] == b->value[lane]) {
                k++;
                continue;
            }
            if (cause->first == EMU_NEVER || i < cause->first_event) {
                cause->first = a->insn;
                cause->first_event = i;
                cause->first_lane = lane;
                cause->got = a->value[lane];
                cause->want = b && a->insn == b->insn ? b->value[lane] : 0;
                cause->elsewhere = !b || a->insn != b->insn;
            }
            break;
        }
    }
}

bool emu_cause_find(const struct emu_program *program, const struct emu_trace *trace,
                    bool (*right)(const struct emu_change *change, bool all, void *user),
                    void *user, struct emu_cause *cause)
{
    OWNED(lit_free) bool *executed = lit_alloc(program->count + 1, sizeof *executed);
    struct search s = {program, trace, right, user, cause, executed, {0}};
    *cause = (struct emu_cause){.first = EMU_NEVER};
    for (size_t i = 0; i < trace->count; i++)
        executed[trace->events[i].insn] = true;
    for (size_t i = 0; i < program->count; i++) {
        s.written[0] |= program->insns[i].sass->writes.p;
        s.written[1] |= program->insns[i].sass->writes.up;
    }
    return find_spare(&s) || find_apart(&s) || find_alone(&s) || find_guard(&s, false) ||
           find_table(&s) || find_test(&s, false) || find_kept(&s) || find_guard(&s, true) ||
           find_test(&s, true) || find_never(&s);
}

// --- In words

static void put_predicate(struct text *text, bool negated, bool uniform, unsigned number)
{
    if (number == 7)
        text_puts(text, negated ? "no lane" : "every lane");
    else
        text_printf(text, "%s%sP%u", negated ? "!" : "", uniform ? "U" : "", number);
}

static void put_definition(const struct emu_program *program, const struct emu_change *change,
                           unsigned number, bool uniform, struct text *text)
{
    for (size_t i = change->insn; i-- > 0;) {
        const struct sass_insn *sass = program->insns[i].sass;
        if ((uniform ? sass->writes.up : sass->writes.p) >> number & 1) {
            text_printf(text, ", which is of %s at 0x%x", sass->text, sass->address);
            return;
        }
    }
}

static void put_right(const struct emu_change *change, struct text *text)
{
    text_puts(text, "; right would be ");
    if (change->before)
        text_puts(text, "its value before that");
    else
        put_predicate(text, change->negated, change->uniform, change->predicate);
}

// Lanes that are apart, and use the same of something.
static void put_shared(const struct emu_program *program, const struct emu_cause *cause,
                       struct text *text)
{
    const struct sass_insn *sass =
        cause->first == EMU_NEVER ? NULL : program->insns[cause->first].sass;
    text_puts(text, "lanes of a warp are apart that should be together");
    if (sass && (sass->reads.ur || sass->reads.up))
        text_printf(text, ": %s at 0x%x reads a uniform register that the others have overwritten",
                    sass->text, sass->address);
}

void emu_cause_print(const struct emu_program *program, const struct emu_cause *cause,
                     struct text *text)
{
    const struct emu_change *change = &cause->change;
    const struct emu_insn *insn = &program->insns[change->insn];
    const struct sass_insn *sass = insn->sass;
    size_t length;
    const char *name = sass_mnemonic(sass, &length);
    switch (change->kind) {
    case EMU_MEET:
        put_shared(program, cause, text);
        break;
    case EMU_TOGETHER:
        text_printf(text,
                    "%.*s at 0x%x is executed by lanes 0x%08x without the others of the warp: they "
                    "parted, and nothing makes them meet",
                    (int)length, name, sass->address, cause->apart);
        break;
    case EMU_SPARE:
        text_printf(text,
                    "%.*s at 0x%x waits at convergence barrier 0, in which its lanes are: at the "
                    "BSYNC B0 behind it nobody waits for them",
                    (int)length, name, sass->address);
        break;
    case EMU_GUARD:
        text_printf(text, "%.*s at 0x%x is executed by ", (int)length, name, sass->address);
        put_predicate(text, sass->guard_negated, sass->guard_uniform, sass->guard);
        if (sass->guard != SASS_ALWAYS)
            put_definition(program, change, sass->guard, sass->guard_uniform, text);
        put_right(change, text);
        break;
    case EMU_TEST:
        text_printf(text, "%.*s at 0x%x reads ", (int)length, name, sass->address);
        put_predicate(text, insn->test[change->operand].invert,
                      insn->test[change->operand].kind == EMU_UP,
                      insn->test[change->operand].index);
        put_definition(program, change, insn->test[change->operand].index,
                       insn->test[change->operand].kind == EMU_UP, text);
        put_right(change, text);
        break;
    case EMU_INVERT:
        text_printf(text, "%s at 0x%x has a table that would be right for the negations of",
                    sass->text, sass->address);
        for (unsigned i = 0, n = 0; i < 3; i++)
            if (change->operand >> i & 1) {
                text_puts(text, n++ ? " and " : " ");
                put_predicate(text, insn->test[i].invert, insn->test[i].kind == EMU_UP,
                              insn->test[i].index);
            }
        break;
    case EMU_KEEP:
        text_printf(text, "%.*s at 0x%x overwrites", (int)length, name, sass->address);
        for (unsigned i = 0, n = 0; i < 7; i++)
            if (change->operand >> i & 1)
                text_printf(text, "%sP%u", n++ ? ", " : " ", i);
        text_puts(text, ", whose earlier values are still needed");
        break;
    case EMU_ALONE:
        text_printf(text,
                    "%.*s at 0x%x takes one lane's value for all that execute it, lanes 0x%08x: "
                    "right would be one lane after the other",
                    (int)length, name, sass->address, cause->apart);
        break;
    case EMU_AS_IT_IS:
        text_puts(text,
                  "unknown: no single change of a guard, a predicate or a meeting place makes "
                  "it right");
        break;
    }
}

uint32_t emu_cause_place(const struct emu_cause *cause)
{
    return cause->change.kind == EMU_AS_IT_IS || cause->change.kind == EMU_MEET
               ? cause->first
               : (uint32_t)cause->change.insn;
}
