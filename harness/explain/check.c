// SPDX-License-Identifier: Apache-2.0
// Finds what a kernel from outside does wrong in any of its dispatches.
#include "base/spirv.h"
#include "explain/race.h"

// --- Function and Private variables, which are registers: uninitialised loads

// The last invocation to store to a cell, plus 1; 0: none since its variable began.
#define ALWAYS UINT32_MAX // initialised

struct cells {
    uint32_t *stored;
    uint32_t count; // cells after these are initialised
};

static uint64_t first_cell(const struct exp_code *code, const struct exp_step *at)
{
    return code->by_pointer ? at->address : code->cell;
}

// Whether it loads only cells that this invocation has not stored to.
static bool take_registers(struct cells *cells, const struct exp_code *code,
                           const struct exp_step *at)
{
    const uint64_t first = first_cell(code, at);
    const uint32_t self = at->invocation + 1;
    bool nothing = code->access == EXP_LOAD_REGISTER && code->cells;
    for (uint64_t i = first; i - first < code->cells; i++) {
        uint32_t *stored = i < cells->count ? &cells->stored[i] : NULL;
        nothing &= stored && *stored != ALWAYS && *stored != self;
        if (stored && *stored != ALWAYS && code->access == EXP_STORE_REGISTER)
            *stored = self;
        if (!stored)
            break;
    }
    return nothing;
}

// Resets a function's variables.
static void enter(const struct exp_trace *t, struct cells *cells, uint32_t function)
{
    for (size_t i = 0; function != EXP_NO_FUNCTION && i < t->undefined_count; i++)
        if (t->undefined[i].function == function)
            memset(cells->stored + t->undefined[i].cell, 0,
                   t->undefined[i].count * sizeof *cells->stored);
}

bool *exp_find_unstored(const struct exp_trace *t)
{
    struct cells cells = {0};
    if (!t->undefined_count)
        return NULL;
    for (size_t i = 0; i < t->undefined_count; i++) {
        const uint32_t end = t->undefined[i].cell + t->undefined[i].count;
        cells.count = end > cells.count ? end : cells.count;
    }
    cells.stored = lit_alloc((size_t)cells.count + 1, sizeof *cells.stored);
    memset(cells.stored, 0xff, cells.count * sizeof *cells.stored);
    for (size_t i = 0; i < t->undefined_count; i++)
        memset(cells.stored + t->undefined[i].cell, 0,
               t->undefined[i].count * sizeof *cells.stored);
    bool *unstored = lit_alloc(t->step_count + 1, sizeof *unstored);
    // Invocation by invocation, since each has its own variables.
    for (uint32_t i = 0; i < t->invocations; i++)
        for (uint32_t n = 0; n < exp_step_count(t, i); n++) {
            const uint32_t step = exp_step_at(t, i, n);
            const struct exp_code *code = &t->codes[t->steps[step].code];
            enter(t, &cells, code->function);
            if (code->access == EXP_LOAD_REGISTER || code->access == EXP_STORE_REGISTER)
                unstored[step] = take_registers(&cells, code, &t->steps[step]);
        }
    free(cells.stored);
    return unstored;
}

const char *exp_variable(const struct exp_trace *t, const struct exp_step *step)
{
    const uint64_t first = first_cell(&t->codes[step->code], step);
    for (size_t i = 0; i < t->undefined_count; i++)
        if (first >= t->undefined[i].cell && first - t->undefined[i].cell < t->undefined[i].count)
            return t->undefined[i].name;
    return "";
}

// --- Cut dispatches that would never have ended

// The trace has the value of each executed instruction. An invocation that repeated the same
// instructions with the same values several times continues so while memory stays unchanged, and
// memory does if that holds for all invocations.

#define REPEATS 4 // repetitions that prove an endless loop

static const struct exp_step *from_end(const struct exp_trace *t, uint32_t invocation, uint32_t n)
{
    return &t->steps[exp_step_at(t, invocation, exp_step_count(t, invocation) - 1 - n)];
}

static bool are_alike(const struct exp_step *a, const struct exp_step *b)
{
    return a->code == b->code && a->value == b->value && a->address == b->address &&
           a->source == b->source;
}

// The number of steps that an invocation repeats at its end; 0: none.
static uint32_t period_of(const struct exp_trace *t, uint32_t invocation)
{
    const uint32_t most = exp_step_count(t, invocation) / REPEATS;
    for (uint32_t period = 1; period <= most; period++) {
        uint32_t alike = 0;
        while (alike < period * (REPEATS - 1) &&
               are_alike(from_end(t, invocation, alike), from_end(t, invocation, alike + period)))
            alike++;
        if (alike == period * (REPEATS - 1))
            return period;
    }
    return 0;
}

// The workgroup barrier where an invocation waits or arrives next without a branch; otherwise its
// position.
static uint32_t next_barrier(const struct exp_trace *t, uint32_t code)
{
    uint32_t at = code;
    while (at < t->code_count && (t->codes[at].kind == EXP_PLAIN || t->codes[at].kind == EXP_FENCE))
        at++;
    return at < t->code_count && exp_is_workgroups(&t->codes[at]) ? at : code;
}

// An invocation that does not end by itself.
struct stuck {
    uint32_t code;  // current instruction
    uint32_t steps; // number of repeated steps executed; 0 if it does not repeat
    bool is_shared; // it reads only Workgroup memory
};

// False if it may still make progress.
static bool look_at(const struct exp_trace *t, uint32_t invocation, struct stuck *stuck)
{
    const struct exp_left *left = &t->left[invocation];
    const uint32_t period = left->state == EXP_RUNS ? period_of(t, invocation) : 0;
    *stuck = (struct stuck){.code = left->code, .is_shared = true};
    if (left->state == EXP_WAITS)
        stuck->code = next_barrier(t, left->code);
    for (uint32_t n = period; n-- > 0;) {
        const struct exp_step *step = from_end(t, invocation, n);
        const enum exp_access access = t->codes[step->code].access;
        if (access < EXP_LOAD || access > EXP_MATRIX_STORE)
            continue;
        stuck->code = step->code;
        stuck->is_shared &= step->address >> EXP_REGION_SHIFT == EXP_SHARED_REGION;
    }
    stuck->steps = period ? exp_step_count(t, invocation) : 0;
    return left->state != EXP_RUNS || period;
}

static bool add(const struct exp_dispatch *of, struct exp_findings *findings,
                const struct exp_finding *finding)
{
    for (size_t i = 0; i < findings->count; i++) {
        struct exp_finding *known = &findings->items[i];
        if (known->what == finding->what && known->code == finding->code &&
            known->part == of->part && known->within) {
            known->times++;
            return false;
        }
    }
    LIT_ADD(findings->items, findings->count) = *finding;
    return true;
}

// Finds the invocations of a workgroup that can never end. `all` has each one's position.
static void find(const struct exp_dispatch *of, uint32_t group, const struct stuck *all,
                 uint32_t local, struct exp_findings *findings)
{
    const struct exp_trace *t = of->trace;
    const uint32_t first = group * t->subgroups * t->subgroup;
    struct exp_finding finding = {.what = EXP_ENDLESS,
                                  .dispatch = of->dispatch,
                                  .part = of->part,
                                  .barrier = EXP_NO_STEP,
                                  .times = 1};
    for (uint32_t i = 0; i < local; i++) {
        const uint32_t steps = all[i].steps;
        const bool is_barrier =
            t->left[first + i].state && exp_is_workgroups(&t->codes[all[i].code]);
        if (steps && (!finding.within || steps < finding.within))
            finding.within = steps;
        if (steps && finding.what == EXP_ENDLESS)
            finding.code = all[i].code;
        if (steps)
            finding.step = exp_step_at(t, first + i, steps - 1);
        if (is_barrier && finding.what == EXP_ENDLESS) {
            finding.what = EXP_MISSED;
            finding.code = all[i].code;
        }
    }
    finding.other = finding.code;
    if (!finding.within || !add(of, findings, &finding))
        return;
    uint32_t *at = lit_alloc(local, sizeof *at);
    for (uint32_t i = 0; i < local; i++) {
        const uint32_t count = exp_step_count(t, first + i);
        at[i] = t->left[first + i].state ? all[i].code
                : count                  ? from_end(t, first + i, 0)->code
                                         : EXP_NO_CODE;
    }
    findings->items[findings->count - 1].at = at;
}

void exp_find_endless(const struct exp_dispatch *of, struct exp_findings *findings)
{
    const struct exp_trace *t = of->trace;
    const uint32_t local = t->local[0] * t->local[1] * t->local[2],
                   width = t->subgroups * t->subgroup, groups = t->invocations / width;
    OWNED(lit_free) struct stuck *all = lit_alloc((size_t)groups * local, sizeof *all);
    OWNED(lit_free) bool *may_end = lit_alloc(groups, sizeof *may_end);
    OWNED(lit_free) bool *is_shared = lit_alloc(groups, sizeof *is_shared);
    bool any_may_end = false;
    if (!t->left)
        return;
    for (uint32_t group = 0; group < groups; group++) {
        is_shared[group] = true;
        for (uint32_t i = 0; i < local; i++) {
            struct stuck *each = &all[(size_t)group * local + i];
            may_end[group] |= !look_at(t, group * width + i, each);
            is_shared[group] &= each->is_shared;
        }
        any_may_end |= may_end[group];
    }
    findings->starved = !any_may_end && groups < t->dispatched;
    any_may_end |= findings->starved;
    for (uint32_t group = 0; group < groups; group++)
        if (!may_end[group] && (is_shared[group] || !any_may_end))
            find(of, group, &all[(size_t)group * local], local, findings);
}

// --- All dispatches of a kernel from outside

struct checking {
    const struct cat_package *package;
    bool *nothing[CAT_REGIONS]; // per word: never given or stored
};

// For each word of a trace's buffer, whether it is uninitialised, and the number of words; NULL:
// the package has no such buffer.
static bool *nothing_of(const struct checking *c, const struct exp_buffer *of, uint32_t part,
                        uint64_t *words)
{
    const struct cat_interface *first = &c->package->interface,
                               *interface = part ? &first->parts[part - 1].interface : first;
    for (size_t b = 0; b < interface->binding_count; b++) {
        const struct cat_binding *each = &interface->bindings[b];
        *words = each->words;
        if (each->set == of->set && each->binding == of->binding &&
            of->element == cat_index(each->element))
            return c->nothing[each->region] + each->first;
    }
    return NULL;
}

// Marks what a dispatch stored as initialised for later ones.
static void note_what_is_there(struct checking *c, const struct exp_trace *t, uint32_t part)
{
    for (size_t n = 0; n < t->step_count; n++) {
        const struct exp_step *at = &t->steps[n];
        const struct exp_code *code = &t->codes[at->code];
        uint64_t offset, words = 0;
        if (!at->has_address || !code->bytes || !exp_stores(code))
            continue;
        const struct exp_buffer *buffer = exp_buffer_at(t, at->address, &offset);
        bool *nothing = buffer ? nothing_of(c, buffer, part, &words) : NULL;
        for (uint64_t w = offset / 4; nothing && w <= (offset + code->bytes - 1) / 4 && w < words;
             w++)
            nothing[w] = false;
    }
}

// --- Unused reads

// The words of a pipeline's module.
static const uint32_t *module_of(const struct checking *c, uint32_t part, size_t *count)
{
    const struct cat_part *own = part ? &c->package->interface.parts[part - 1] : NULL;
    const bool has_own = own && own->word_count;
    *count = has_own ? own->word_count : c->package->word_count;
    return has_own ? own->words : c->package->words;
}

// Marks the ids that are read. Names, decorations and stores to an id do not count, nor does the
// value of a store to a register variable that is not among `read` (may be NULL).
static void note_reads(const uint32_t *words, size_t count, const bool *read, bool *now)
{
    const uint32_t bound = words[SPIRV_BOUND];
    OWNED(lit_free) uint8_t *kinds = lit_alloc(UINT16_MAX, 1);
    OWNED(lit_free) bool *variables = lit_alloc((size_t)bound + 1, sizeof *variables);
    struct spirv_instruction each;
    SPIRV_EACH (each, words, count) {
        const bool known = spirv_kinds(&each, 1, kinds);
        const uint32_t first = spirv_operand(&each, 1, 0), class = spirv_operand(&each, 3, 0);
        if (each.opcode == SpvOpName || each.opcode == SpvOpDecorate ||
            each.opcode == SpvOpEntryPoint)
            continue;
        if (each.opcode == SpvOpVariable && spirv_operand(&each, 2, 0) < bound)
            variables[each.words[2]] =
                class == SpvStorageClassFunction || class == SpvStorageClassPrivate;
        if (each.opcode == SpvOpStore && first < bound && variables[first] && read && !read[first])
            continue;
        for (uint32_t i = each.opcode == SpvOpStore ? 2 : 1; i < each.size; i++)
            if (each.words[i] < bound && (!known || kinds[i] == SPIRV_ID))
                now[each.words[i]] = true;
    }
}

// For each instruction, whether it reads memory and its result is unused.
static bool *find_unused(const struct checking *c, const struct exp_trace *t, uint32_t part)
{
    size_t count;
    const uint32_t *words = module_of(c, part, &count);
    const uint32_t bound = words[SPIRV_BOUND];
    OWNED(lit_free) bool *first = lit_alloc((size_t)bound + 1, sizeof *first);
    OWNED(lit_free) bool *read = lit_alloc((size_t)bound + 1, sizeof *read);
    bool *unused = lit_alloc(t->code_count + 1, sizeof *unused);
    note_reads(words, count, NULL, first);
    note_reads(words, count, first, read);
    for (size_t i = 0; i < t->code_count; i++) {
        const struct spirv_instruction of = spirv_at(words, count, t->codes[i].word);
        const uint32_t result = spirv_operand(&of, 2, 0);
        unused[i] = (of.opcode == SpvOpLoad || of.opcode == SpvOpAtomicLoad ||
                     of.opcode == SpvOpAtomicExchange) &&
                    result < bound && !read[result];
    }
    return unused;
}

static bool check_dispatch(struct checking *c, const struct exp_trace *t, size_t dispatch,
                           struct exp_findings *findings, struct lit_error *error)
{
    const uint32_t part = dispatch ? c->package->interface.steps[dispatch - 1].part : 0;
    OWNED(lit_free) struct exp_bytes *buffers = lit_alloc(t->buffer_count + 1, sizeof *buffers);
    OWNED(lit_free) bool *unused = find_unused(c, t, part);
    const struct exp_dispatch of = {t, buffers, unused, dispatch, part};
    for (size_t i = 0; i < t->buffer_count; i++) {
        uint64_t words;
        buffers[i].uninitialised = nothing_of(c, &t->buffers[i], part, &words);
        buffers[i].size = buffers[i].uninitialised ? words * 4 : t->buffers[i].size;
    }
    const bool good = exp_find_misuse(&of, findings, error);
    if (good)
        exp_find_endless(&of, findings);
    if (good)
        note_what_is_there(c, t, part);
    return good;
}

bool exp_check(const struct exp_trace *traces, const struct cat_package *package,
               struct exp_findings *findings, struct lit_error *error)
{
    struct checking c = {.package = package};
    bool good = true;
    *findings = (struct exp_findings){0};
    for (int region = 0; region < CAT_REGIONS; region++) {
        c.nothing[region] = lit_alloc(package->region_words[region] + 1, sizeof(bool));
        for (uint64_t word = 0; word < package->region_words[region]; word++)
            c.nothing[region][word] = package->region[region][word] == CAT_POISON;
    }
    for (size_t i = 0; i < exp_dispatches(package) && good; i++)
        good = check_dispatch(&c, &traces[i], i, findings, error);
    for (int region = 0; region < CAT_REGIONS; region++)
        free(c.nothing[region]);
    return good;
}

void exp_findings_clear(struct exp_findings *findings)
{
    for (size_t i = 0; i < findings->count; i++)
        free(findings->items[i].at);
    free(findings->items);
    *findings = (struct exp_findings){0};
}
