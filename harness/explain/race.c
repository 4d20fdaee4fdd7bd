// SPDX-License-Identifier: Apache-2.0
// Data races in a trace, by vector clocks. What an invocation knows of the others is a clock for
// each of them, which those that met at a barrier share; the own one is apart. An access happened
// before now if the invocation knows of its time. Each storage class has clocks of its own: a
// barrier that names one alone orders no other.
#include "explain/race.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { BUFFERS, SHARED, CLASSES };

// As SPIR-V has them.
enum {
    SCOPE_WORKGROUP = 2,
    SCOPE_SUBGROUP = 3,
    ACQUIRES = 0x2 | 0x8 | 0x10, // Acquire, AcquireRelease, SequentiallyConsistent
    RELEASES = 0x4 | 0x8 | 0x10,
};
static const uint32_t class_semantics[CLASSES] = {[BUFFERS] = 0x40, [SHARED] = 0x100};

#define MOST_SLOT_BITS 20

// What is known of each invocation; shared, and never changed.
struct known {
    uint32_t users;
    uint32_t times[];
};

struct invocation {
    uint32_t time; // its own, from 1
    struct known *known[CLASSES];
    struct known *released[CLASSES]; // by its last fence that releases; NULL: none
    struct known *seen[CLASSES];     // by atomics since its last fence that acquires
    bool waits;
};

struct access {
    size_t step;
    uint32_t invocation, time;
    uint8_t bytes; // of the word, a bit each
    bool atomic;
};

struct accesses {
    struct access *items;
    size_t count;
};

// Four bytes of memory.
struct place {
    uint64_t word; // place / 4, and 1 more
    bool written;  // in this trace, at any time
    uint8_t there; // bytes that hold something
    struct accesses stores, loads;
    // What atomics here have released, and who did: of one workgroup, or UINT32_MAX.
    struct known *released[CLASSES];
    uint32_t group;
    struct place *next;
};

struct search {
    const struct exp_trace *trace;
    const struct exp_bytes *buffers;
    size_t dispatch;
    uint32_t part; // its pipeline
    struct exp_findings *findings;
    struct invocation *invocations;
    bool *unstored;       // of each step: it loads a variable that holds nothing; NULL: none does
    struct place **slots; // by the upper bits of a place's hash
    unsigned slot_bits;
    uint32_t *alive, *waiting, *semantics; // of each workgroup, and of the barrier
};

// --- Clocks

static struct known *share(struct known *known)
{
    if (known)
        known->users++;
    return known;
}

static void drop(struct known **known)
{
    if (*known && --(*known)->users == 0)
        free(*known);
    *known = NULL;
}

static void replace(struct known **at, struct known *with) // takes it over
{
    drop(at);
    *at = with;
}

static struct known *make_known(const struct search *s, const struct known *like)
{
    struct known *known =
        lit_alloc(1, sizeof *known + (size_t)s->trace->invocations * sizeof *known->times);
    known->users = 1;
    if (like)
        memcpy(known->times, like->times, s->trace->invocations * sizeof *known->times);
    return known;
}

static void join(const struct search *s, struct known *into, const struct known *from)
{
    for (uint32_t i = 0; from && i < s->trace->invocations; i++)
        into->times[i] = from->times[i] > into->times[i] ? from->times[i] : into->times[i];
}

// What *at and `from` know together.
static void learn(const struct search *s, struct known **at, const struct known *from)
{
    if (!from || *at == from)
        return;
    struct known *both = make_known(s, *at);
    join(s, both, from);
    replace(at, both);
}

// What an invocation knows, with itself.
static struct known *snapshot(const struct search *s, uint32_t invocation, int class)
{
    struct invocation *i = &s->invocations[invocation];
    struct known *known = make_known(s, i->known[class]);
    known->times[invocation] = i->time;
    return known;
}

static bool happened(const struct search *s, const struct access *access, uint32_t invocation,
                     int class)
{
    const struct known *known = s->invocations[invocation].known[class];
    return access->invocation == invocation ||
           (known && known->times[access->invocation] >= access->time);
}

// --- Places

static struct place *place_at(struct search *s, uint64_t word)
{
    const uint64_t mixed = (word + 1) * UINT64_C(0x9E3779B97F4A7C15);
    struct place **slot = &s->slots[mixed >> (64 - s->slot_bits)];
    struct place *place = *slot;
    while (place && place->word != word + 1)
        place = place->next;
    if (!place) {
        place = lit_alloc(1, sizeof *place);
        place->word = word + 1;
        place->next = *slot;
        *slot = place;
    }
    return place;
}

static bool stores(const struct exp_code *code)
{
    return code->access == EXP_STORE || code->access == EXP_ATOMIC ||
           code->access == EXP_ATOMIC_STORE;
}

static bool loads(const struct exp_code *code)
{
    return code->access == EXP_LOAD || code->access == EXP_ATOMIC ||
           code->access == EXP_ATOMIC_LOAD;
}

static bool is_atomic(const struct exp_code *code)
{
    return code->access >= EXP_ATOMIC && code->access <= EXP_ATOMIC_STORE;
}

// The bytes of the nth word that a step accesses.
static uint8_t bytes_of(uint64_t address, uint32_t bytes, uint64_t word)
{
    uint8_t set = 0;
    for (unsigned i = 0; i < 4; i++)
        set |= (uint8_t)((word * 4 + i >= address && word * 4 + i < address + bytes) << i);
    return set;
}

// The bytes of a word of Workgroup memory that begin as zeros.
static uint8_t zeros_of(const struct exp_trace *t, uint64_t word)
{
    uint8_t set = 0;
    for (size_t i = 0; i < t->zero_count; i++)
        set |= bytes_of(t->zeros[i].at, (uint32_t)t->zeros[i].size, word);
    return set;
}

// --- Findings

static void find(struct search *s, enum exp_misuse what, size_t step, size_t before)
{
    const struct exp_step *steps = s->trace->steps;
    const uint32_t code = steps[step].code;
    const uint32_t other = what == EXP_RACE ? steps[before].code : code;
    for (size_t i = 0; i < s->findings->count; i++) {
        struct exp_finding *known = &s->findings->items[i];
        if (known->what == what && known->part == s->part &&
            ((known->code == code && known->other == other) ||
             (known->code == other && known->other == code))) {
            known->times++;
            return;
        }
    }
    LIT_ADD(s->findings->items, s->findings->count) = (struct exp_finding){.what = what,
                                                                           .code = code,
                                                                           .other = other,
                                                                           .dispatch = s->dispatch,
                                                                           .part = s->part,
                                                                           .step = step,
                                                                           .before = before,
                                                                           .times = 1};
}

static void compare(struct search *s, const struct accesses *with, const struct access *access,
                    int class)
{
    for (size_t i = 0; i < with->count; i++) {
        const struct access *other = &with->items[i];
        if (other->bytes & access->bytes && !(other->atomic && access->atomic) &&
            !happened(s, other, access->invocation, class))
            find(s, EXP_RACE, access->step, other->step);
    }
}

// Takes out what `access` stands for from now on: whatever races with one of these races with it.
static void forget(const struct search *s, struct accesses *from, const struct access *access,
                   int class)
{
    size_t kept = 0;
    for (size_t i = 0; i < from->count; i++) {
        const struct access *each = &from->items[i];
        if ((each->bytes & ~access->bytes) || (access->atomic && !each->atomic) ||
            !happened(s, each, access->invocation, class))
            from->items[kept++] = *each;
    }
    from->count = kept;
}

// Of a buffer's or of Workgroup memory: false if it lies behind the end.
static bool look_inside(struct search *s, size_t step, int *class, const bool **uninitialised,
                        uint64_t *offset)
{
    const struct exp_trace *t = s->trace;
    const struct exp_step *at = &t->steps[step];
    const uint64_t region = at->address >> EXP_REGION_SHIFT, bytes = t->codes[at->code].bytes;
    uint64_t size = at->address == EXP_NOWHERE ? 0 : UINT64_MAX;
    *offset = at->address & ((UINT64_C(1) << EXP_REGION_SHIFT) - 1);
    *class = region == EXP_SHARED_REGION ? SHARED : BUFFERS;
    *uninitialised = NULL;
    if (*class == SHARED)
        size = t->shared;
    for (size_t i = 0; i < t->buffer_count; i++)
        if (t->buffers[i].region == region) {
            size = s->buffers[i].size;
            *uninitialised = s->buffers[i].uninitialised;
        }
    if (*offset <= size && bytes <= size - *offset)
        return true;
    find(s, EXP_OUTSIDE, step, step);
    return false;
}

static void take_access(struct search *s, size_t step)
{
    const struct exp_trace *t = s->trace;
    const struct exp_step *at = &t->steps[step];
    const struct exp_code *code = &t->codes[at->code];
    const bool *uninitialised;
    uint64_t offset;
    int class;
    bool empty = false;
    if (!look_inside(s, step, &class, &uninitialised, &offset))
        return;
    const uint64_t first = exp_place(t, at), last = (first + code->bytes - 1) / 4;
    for (uint64_t word = first / 4; word <= last; word++) {
        struct place *place = place_at(s, word);
        const uint64_t nth = offset / 4 + (word - first / 4);
        const struct access access = {.step = step,
                                      .invocation = at->invocation,
                                      .time = s->invocations[at->invocation].time,
                                      .bytes = bytes_of(first, code->bytes, word),
                                      .atomic = is_atomic(code)};
        const bool nothing = class == SHARED || (uninitialised && uninitialised[nth]);
        if (class == SHARED && !place->there)
            place->there = zeros_of(t, nth);
        empty |= loads(code) && nothing && (access.bytes & ~place->there);
        if (stores(code))
            place->there |= access.bytes;
        if (!place->written)
            continue; // what nobody stores to nobody races for
        compare(s, &place->stores, &access, class);
        if (stores(code)) {
            compare(s, &place->loads, &access, class);
            forget(s, &place->stores, &access, class);
        }
        forget(s, &place->loads, &access, class);
        struct accesses *list = stores(code) ? &place->stores : &place->loads;
        LIT_ADD(list->items, list->count) = access;
    }
    if (empty)
        find(s, EXP_UNINITIALISED, step, step);
}

// --- Variables in registers

// Which invocation stored to a cell last, and 1 more; 0: none since its variable began.
#define ALWAYS UINT32_MAX // it began with something

struct cells {
    uint32_t *stored;
    uint32_t count; // those behind are not undefined
};

static uint64_t first_cell(const struct exp_code *code, const struct exp_step *at)
{
    return code->by_pointer ? at->address : code->cell;
}

// Whether it loads cells, none of which this invocation has stored to.
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

// A function's variables begin anew.
static void enter(const struct exp_trace *t, struct cells *cells, uint32_t function)
{
    for (size_t i = 0; function != EXP_NO_FUNCTION && i < t->undefined_count; i++)
        if (t->undefined[i].function == function)
            memset(cells->stored + t->undefined[i].cell, 0,
                   t->undefined[i].count * sizeof *cells->stored);
}

static void find_unstored(struct search *s)
{
    const struct exp_trace *t = s->trace;
    struct cells cells = {0};
    if (!t->undefined_count)
        return;
    for (size_t i = 0; i < t->undefined_count; i++) {
        const uint32_t end = t->undefined[i].cell + t->undefined[i].count;
        cells.count = end > cells.count ? end : cells.count;
    }
    cells.stored = lit_alloc((size_t)cells.count + 1, sizeof *cells.stored);
    memset(cells.stored, 0xff, cells.count * sizeof *cells.stored);
    for (size_t i = 0; i < t->undefined_count; i++)
        memset(cells.stored + t->undefined[i].cell, 0,
               t->undefined[i].count * sizeof *cells.stored);
    s->unstored = lit_alloc(t->step_count + 1, sizeof *s->unstored);
    // One invocation behind the other: each has its own.
    for (uint32_t i = 0; i < t->invocations; i++)
        for (uint32_t n = 0; n < exp_step_count(t, i); n++) {
            const uint32_t step = exp_step_at(t, i, n);
            const struct exp_code *code = &t->codes[t->steps[step].code];
            enter(t, &cells, code->function);
            if (code->access == EXP_LOAD_REGISTER || code->access == EXP_STORE_REGISTER)
                s->unstored[step] = take_registers(&cells, code, &t->steps[step]);
        }
    free(cells.stored);
}

const char *exp_variable(const struct exp_trace *t, const struct exp_step *step)
{
    const uint64_t first = first_cell(&t->codes[step->code], step);
    for (size_t i = 0; i < t->undefined_count; i++)
        if (first >= t->undefined[i].cell && first - t->undefined[i].cell < t->undefined[i].count)
            return t->undefined[i].name;
    return "";
}

// --- Order

static void take_atomic(struct search *s, size_t step)
{
    const struct exp_trace *t = s->trace;
    const struct exp_step *at = &t->steps[step];
    const struct exp_code *code = &t->codes[at->code];
    struct place *place = place_at(s, exp_place(t, at) / 4);
    struct invocation *self = &s->invocations[at->invocation];
    const uint32_t group = exp_group(t, at->invocation);
    const bool narrow = code->scope == SCOPE_WORKGROUP || code->scope == SCOPE_SUBGROUP;
    for (int class = 0; class < CLASSES; class ++) {
        const bool named = code->semantics & class_semantics[class];
        // Semantics of the workgroup do not reach beyond it, on either side.
        const bool reaches = place->group == group || (place->group == UINT32_MAX && !narrow);
        if (loads(code) && place->released[class] && reaches)
            learn(s, named && code->semantics & ACQUIRES ? &self->known[class] : &self->seen[class],
                  place->released[class]);
        if (!stores(code))
            continue;
        // A store of its own begins anew; what changes a value goes on with what was released.
        if (code->access == EXP_ATOMIC_STORE)
            drop(&place->released[class]);
        if (named && code->semantics & RELEASES) {
            struct known *own = snapshot(s, at->invocation, class);
            learn(s, &place->released[class], own);
            drop(&own);
        } else {
            learn(s, &place->released[class], self->released[class]);
        }
    }
    if (stores(code)) {
        place->group = narrow ? group : UINT32_MAX;
        self->time++;
    }
}

static void take_fence(struct search *s, uint32_t invocation, const struct exp_code *code)
{
    struct invocation *self = &s->invocations[invocation];
    for (int class = 0; class < CLASSES; class ++) {
        if (!(code->semantics & class_semantics[class]))
            continue;
        if (code->semantics & ACQUIRES) {
            learn(s, &self->known[class], self->seen[class]);
            drop(&self->seen[class]);
        }
        if (code->semantics & RELEASES)
            replace(&self->released[class], snapshot(s, invocation, class));
    }
    self->time++;
}

// Those of `count` invocations that wait are at one barrier: each knows of all that happened
// before.
static void meet(struct search *s, uint32_t first, uint32_t count, uint32_t semantics)
{
    for (int class = 0; class < CLASSES; class ++) {
        const struct known *last = NULL;
        if (!(semantics & class_semantics[class]) || !(semantics & ACQUIRES & RELEASES))
            continue;
        struct known *all = make_known(s, NULL);
        for (uint32_t i = first; i < first + count; i++) {
            struct invocation *each = &s->invocations[i];
            if (!each->waits)
                continue;
            if (each->known[class] != last)
                join(s, all, each->known[class]);
            last = each->known[class];
            all->times[i] = each->time;
        }
        for (uint32_t i = first; i < first + count; i++)
            if (s->invocations[i].waits)
                replace(&s->invocations[i].known[class], share(all));
        drop(&all);
    }
    for (uint32_t i = first; i < first + count; i++) {
        s->invocations[i].time += s->invocations[i].waits;
        s->invocations[i].waits = false;
    }
}

static uint32_t lanes_that_wait(const struct search *s, uint32_t first)
{
    uint32_t count = 0;
    for (uint32_t i = first; i < first + s->trace->subgroup; i++)
        count += s->invocations[i].waits;
    return count;
}

static uint32_t lanes_of(const struct exp_lanes *lanes)
{
    return (uint32_t)(__builtin_popcountll(lanes->words[0]) +
                      __builtin_popcountll(lanes->words[1]));
}

// Once all of a workgroup that have not ended wait.
static void leave_together(struct search *s, uint32_t group)
{
    const uint32_t size = s->trace->subgroups * s->trace->subgroup;
    if (!s->waiting[group] || s->waiting[group] != s->alive[group])
        return;
    meet(s, group * size, size, s->semantics[group]);
    s->waiting[group] = 0;
}

static void take_order(struct search *s, const struct exp_step *at)
{
    const struct exp_trace *t = s->trace;
    const struct exp_code *code = &t->codes[at->code];
    const uint32_t group = exp_group(t, at->invocation);
    struct invocation *self = &s->invocations[at->invocation];
    if (code->kind != EXP_BARRIER) {
        take_fence(s, at->invocation, code);
        return;
    }
    if (code->scope == SCOPE_SUBGROUP) {
        const uint32_t first = at->invocation - exp_lane(t, at->invocation);
        self->waits = true;
        if (lanes_that_wait(s, first) == lanes_of(&at->tangle))
            meet(s, first, t->subgroup, code->semantics);
        return;
    }
    s->waiting[group] += !self->waits;
    self->waits = true;
    s->semantics[group] = code->semantics;
    leave_together(s, group);
}

static void take_step(struct search *s, size_t step)
{
    const struct exp_trace *t = s->trace;
    const struct exp_step *at = &t->steps[step];
    const struct exp_code *code = &t->codes[at->code];
    const uint32_t group = exp_group(t, at->invocation);
    if (code->access == EXP_ORDER) {
        take_order(s, at);
    } else if (code->by_pointer && at->address == EXP_NOWHERE) {
        find(s, EXP_OUTSIDE, step, step);
    } else if (s->unstored && s->unstored[step]) {
        find(s, EXP_UNINITIALISED, step, step);
    } else if (code->access != EXP_NO_ACCESS && code->bytes && at->has_address) {
        take_access(s, step);
        if (is_atomic(code))
            take_atomic(s, step);
    }
    // What waits at its last step did not come to its end: the trace breaks off.
    const uint32_t last = exp_step_count(t, at->invocation) - 1;
    if (exp_step_at(t, at->invocation, last) == step && !s->invocations[at->invocation].waits) {
        s->alive[group]--;
        leave_together(s, group); // those that wait need not wait for it
    }
}

static void note_stores(struct search *s)
{
    const struct exp_trace *t = s->trace;
    for (size_t i = 0; i < t->step_count; i++) {
        const struct exp_step *at = &t->steps[i];
        const struct exp_code *code = &t->codes[at->code];
        if (!at->has_address || !code->bytes || !stores(code))
            continue;
        const uint64_t first = exp_place(t, at);
        for (uint64_t word = first / 4; word <= (first + code->bytes - 1) / 4; word++)
            place_at(s, word)->written = true;
    }
}

static void clear(struct search *s)
{
    for (size_t i = 0; i < (size_t)1 << s->slot_bits; i++)
        for (struct place *place = s->slots[i], *next; place; place = next) {
            next = place->next;
            free(place->stores.items);
            free(place->loads.items);
            for (int class = 0; class < CLASSES; class ++)
                drop(&place->released[class]);
            free(place);
        }
    for (uint32_t i = 0; i < s->trace->invocations; i++)
        for (int class = 0; class < CLASSES; class ++) {
            drop(&s->invocations[i].known[class]);
            drop(&s->invocations[i].released[class]);
            drop(&s->invocations[i].seen[class]);
        }
    free(s->unstored);
    free(s->slots);
    free(s->invocations);
    free(s->alive);
    free(s->waiting);
    free(s->semantics);
}

static bool look_at(struct search *s, struct lit_error *error)
{
    const struct exp_trace *trace = s->trace;
    const uint32_t groups = trace->groups[0] * trace->groups[1] * trace->groups[2];
    if (trace->invocations > EXP_MOST_RACED)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "%u invocations: with fewer workgroups, of %u at most, races can be found",
                        trace->invocations, EXP_MOST_RACED);
    s->slot_bits = 4;
    while (s->slot_bits < MOST_SLOT_BITS && (size_t)1 << s->slot_bits < trace->step_count)
        s->slot_bits++;
    s->slots = lit_alloc((size_t)1 << s->slot_bits, sizeof *s->slots);
    s->invocations = lit_alloc(trace->invocations, sizeof *s->invocations);
    s->alive = lit_alloc(groups, sizeof *s->alive);
    s->waiting = lit_alloc(groups, sizeof *s->waiting);
    s->semantics = lit_alloc(groups, sizeof *s->semantics);
    for (uint32_t i = 0; i < trace->invocations; i++) {
        s->invocations[i].time = 1;
        s->alive[exp_group(trace, i)] += exp_step_count(trace, i) > 0;
    }
    note_stores(s);
    find_unstored(s);
    for (size_t i = 0; i < trace->step_count; i++)
        take_step(s, i);
    clear(s);
    return true;
}

bool exp_find_misuse(const struct exp_trace *trace, const struct exp_bytes *buffers,
                     struct exp_findings *findings, struct lit_error *error)
{
    struct search s = {.trace = trace, .buffers = buffers, .findings = findings};
    *findings = (struct exp_findings){0};
    return look_at(&s, error);
}

void exp_findings_clear(struct exp_findings *findings)
{
    free(findings->items);
    *findings = (struct exp_findings){0};
}

// --- A kernel's

struct checking {
    const struct cat_package *package;
    bool *nothing[CAT_REGIONS]; // of each word: nobody said or stored anything
};

// The buffer of a trace; NULL: it has none there.
static const struct cat_binding *binding_of(const struct checking *c, const struct exp_buffer *of,
                                            uint32_t part)
{
    const struct cat_interface *first = &c->package->interface,
                               *interface = part ? &first->parts[part - 1].interface : first;
    for (size_t b = 0; b < interface->binding_count; b++)
        if (interface->bindings[b].set == of->set && interface->bindings[b].binding == of->binding)
            return &interface->bindings[b];
    return NULL;
}

// What a dispatch has stored is there for the next ones.
static void note_what_is_there(struct checking *c, const struct exp_trace *t, uint32_t part)
{
    for (size_t i = 0; i < t->buffer_count; i++) {
        const struct cat_binding *binding = binding_of(c, &t->buffers[i], part);
        for (size_t n = 0; binding && n < t->step_count; n++) {
            const struct exp_step *at = &t->steps[n];
            const struct exp_code *code = &t->codes[at->code];
            const uint64_t offset = at->address & ((UINT64_C(1) << EXP_REGION_SHIFT) - 1);
            if (!at->has_address || !code->bytes || !stores(code) ||
                at->address >> EXP_REGION_SHIFT != t->buffers[i].region)
                continue;
            for (uint64_t w = offset / 4; w <= (offset + code->bytes - 1) / 4 && w < binding->words;
                 w++)
                c->nothing[binding->region][binding->first + w] = false;
        }
    }
}

static bool check_dispatch(struct checking *c, const struct exp_trace *t, size_t dispatch,
                           struct exp_findings *findings, struct lit_error *error)
{
    const uint32_t part = dispatch ? c->package->interface.steps[dispatch - 1].part : 0;
    OWNED(lit_free) struct exp_bytes *buffers = lit_alloc(t->buffer_count + 1, sizeof *buffers);
    struct search s = {
        .trace = t, .buffers = buffers, .dispatch = dispatch, .part = part, .findings = findings};
    for (size_t i = 0; i < t->buffer_count; i++) {
        const struct cat_binding *binding = binding_of(c, &t->buffers[i], part);
        if (binding)
            buffers[i] = (struct exp_bytes){binding->words * 4,
                                            c->nothing[binding->region] + binding->first};
    }
    const bool good = look_at(&s, error);
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
