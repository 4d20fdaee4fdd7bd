// SPDX-License-Identifier: Apache-2.0
// Finds data races in a trace by vector clocks: the relation of axiomatic/execution.c for one
// execution. For each storage class, an invocation knows a time of every other invocation; an
// access happened before now if its time is known. A release fence captures what its invocation
// knows; atomics and control barriers carry that to others, which know it from their next acquire
// fence on. Semantics on an atomic or control barrier act as a fence there.
#include "explain/race.h"

enum { BUFFERS, SHARED, CLASSES };

// As in SPIR-V.
enum {
    SCOPE_WORKGROUP = 2,
    SCOPE_SUBGROUP = 3,
    SCOPE_INVOCATION = 4,
    NON_PRIVATE = 0x20,
    ACQUIRES = 0x2 | 0x8 | 0x10, // Acquire, AcquireRelease, SequentiallyConsistent
    RELEASES = 0x4 | 0x8 | 0x10,
};
static const uint32_t class_semantics[CLASSES] = {[BUFFERS] = 0x40, [SHARED] = 0x100};

// The reach of a scope: nobody, or this group.
enum { TO_SUBGROUP, TO_WORKGROUP, TO_DEVICE, REACHES };

#define MOST_SLOT_BITS 20
#define MIXED          UINT32_MAX

// Known times of some invocations, none for others; shared and immutable.
struct known {
    uint32_t users, first, count;
    uint32_t times[];
};

// An invocation's knowledge at one of its own times.
struct stamp {
    struct known *known;
    uint32_t time; // 0: none
};

struct invocation {
    uint32_t time;  // its own time, from 1
    uint32_t steps; // executed so far
    struct known *known[CLASSES];
    // By class, and by the class of the atomics that carry it (barriers carry the same class):
    // released by its last fence; received since its last acquire fence.
    struct stamp released[CLASSES][CLASSES][REACHES];
    struct known *seen[CLASSES][CLASSES][REACHES];
    size_t barrier;      // step of the barrier where it waits, or of its last subgroup barrier
    bool waits, partial; // partial: the tangle of that one was not the whole subgroup
};

struct access {
    size_t step;
    uint32_t invocation, time;
    uint8_t bytes; // bytes of the word, one bit each
    uint8_t reach;
    bool atomic, is_private;
};

struct accesses {
    struct access *items;
    size_t count;
};

// Four bytes of memory.
struct place {
    uint64_t word; // place / 4, plus 1
    bool written;  // at any time in this trace
    uint8_t there; // initialised bytes
    struct accesses stores, loads;
    // Released by atomics here, and the subgroup or workgroup concerned: index + 1, or MIXED.
    struct known *released[CLASSES][REACHES];
    uint32_t owner[REACHES];
    struct place *next;
};

struct search {
    const struct exp_dispatch *of;
    const struct exp_trace *trace;
    struct exp_findings *findings;
    uint32_t local; // workgroup size
    struct invocation *invocations;
    bool *unstored;       // per step: loads an uninitialised variable; NULL: none does
    struct place **slots; // by the upper bits of the place's hash
    unsigned slot_bits;
    uint32_t *waiting;       // per workgroup
    struct known *learnt[3]; // last merge result: before, from, after
};

// --- Invocations, numbered without nonexistent lanes

static uint32_t number_of(const struct search *s, uint32_t in_trace)
{
    return exp_group(s->trace, in_trace) * s->local +
           in_trace % (s->trace->subgroups * s->trace->subgroup);
}

static uint32_t in_trace(const struct search *s, uint32_t number)
{
    return number / s->local * s->trace->subgroups * s->trace->subgroup + number % s->local;
}

// The number of its subgroup or workgroup in the dispatch; 0: the device.
static uint32_t owner_of(const struct search *s, uint32_t number, int reach)
{
    return reach == TO_SUBGROUP    ? in_trace(s, number) / s->trace->subgroup
           : reach == TO_WORKGROUP ? number / s->local
                                   : 0;
}

static bool share_instance(const struct search *s, uint32_t a, uint32_t b, unsigned reach)
{
    return a == b || (reach && owner_of(s, a, (int)reach - 1) == owner_of(s, b, (int)reach - 1));
}

static unsigned reach_of(uint32_t scope)
{
    return scope == SCOPE_INVOCATION  ? 0
           : scope == SCOPE_SUBGROUP  ? TO_SUBGROUP + 1
           : scope == SCOPE_WORKGROUP ? TO_WORKGROUP + 1
                                      : TO_DEVICE + 1;
}

// --- Clocks

static void drop(struct known **known)
{
    if (*known && --(*known)->users == 0)
        free(*known);
    *known = NULL;
}

static void replace(struct known **at, struct known *with)
{
    if (with)
        with->users++;
    drop(at);
    *at = with;
}

static uint32_t time_of(const struct known *known, uint32_t invocation)
{
    return known && invocation - known->first < known->count
               ? known->times[invocation - known->first]
               : 0;
}

static bool covers(const struct known *known, const struct known *other)
{
    for (uint32_t i = 0; known != other && other && i < other->count; i++)
        if (other->times[i] > time_of(known, other->first + i))
            return false;
    return true;
}

static void join(struct known *into, const struct known *from)
{
    for (uint32_t i = 0; from && i < from->count; i++) {
        uint32_t *time = &into->times[from->first + i - into->first];
        *time = from->times[i] > *time ? from->times[i] : *time;
    }
}

static struct known *new_known(uint32_t first, uint32_t end)
{
    struct known *known =
        lit_alloc(1, sizeof *known + (size_t)(end - first) * sizeof *known->times);
    known->first = first;
    known->count = end - first;
    return known;
}

// Merges two, with room for one more invocation.
static struct known *unite(const struct known *a, const struct known *b, uint32_t invocation)
{
    const struct known *const both[] = {a, b};
    uint32_t first = invocation, end = invocation + 1;
    for (int i = 0; i < 2; i++) {
        const uint32_t its_end = both[i] ? both[i]->first + both[i]->count : end;
        first = both[i] && both[i]->first < first ? both[i]->first : first;
        end = its_end > end ? its_end : end;
    }
    struct known *made = new_known(first, end);
    join(made, a);
    join(made, b);
    return made;
}

// Merges `from` into *at.
static void learn(struct search *s, struct known **at, struct known *from)
{
    struct known *made = NULL;
    if (!from || *at == from)
        return;
    if (s->learnt[0] == *at && s->learnt[1] == from)
        made = s->learnt[2];
    else if (covers(*at, from))
        made = *at;
    else if (covers(from, *at))
        made = from;
    else
        made = unite(*at, from, from->first);
    replace(&s->learnt[0], *at);
    replace(&s->learnt[1], from);
    replace(&s->learnt[2], made);
    replace(at, made);
}

// The same, with an invocation's own time.
static void learn_stamp(struct search *s, struct known **at, const struct stamp *from,
                        uint32_t invocation)
{
    learn(s, at, from->known);
    if (!from->time || time_of(*at, invocation) >= from->time)
        return;
    struct known *made = unite(*at, NULL, invocation);
    made->times[invocation - made->first] = from->time;
    replace(at, made);
}

static void set_stamp(struct stamp *at, struct known *known, uint32_t time)
{
    replace(&at->known, known);
    at->time = time;
}

static bool happened(const struct search *s, const struct access *access, uint32_t invocation,
                     int class)
{
    return access->invocation == invocation ||
           time_of(s->invocations[invocation].known[class], access->invocation) >= access->time;
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

static bool loads(const struct exp_code *code)
{
    return code->access == EXP_LOAD || code->access == EXP_ATOMIC ||
           code->access == EXP_ATOMIC_LOAD || code->access == EXP_MATRIX_LOAD;
}

static bool is_atomic(const struct exp_code *code)
{
    return code->access >= EXP_ATOMIC && code->access <= EXP_ATOMIC_STORE;
}

// The bytes that a step accesses in its nth word.
static uint8_t bytes_of(uint64_t address, uint32_t bytes, uint64_t word)
{
    uint8_t set = 0;
    for (unsigned i = 0; i < 4; i++)
        set |= (uint8_t)((word * 4 + i >= address && word * 4 + i < address + bytes) << i);
    return set;
}

// The zero-initialised bytes of a word of Workgroup memory.
static uint8_t zeros_of(const struct exp_trace *t, uint64_t word)
{
    uint8_t set = 0;
    for (size_t i = 0; i < t->zero_count; i++)
        set |= bytes_of(t->zeros[i].at, (uint32_t)t->zeros[i].size, word);
    return set;
}

// A step's memory access.
struct spot {
    int class;
    uint64_t first, offset;    // place; byte offset in the buffer or Workgroup memory
    uint64_t size;             // of that memory; UINT64_MAX: unknown
    const bool *uninitialised; // by word; NULL: all initialised
};

static struct spot spot_of(const struct search *s, const struct exp_step *at)
{
    const struct exp_trace *t = s->trace;
    struct spot spot = {.first = exp_place(t, at), .size = UINT64_MAX};
    const struct exp_buffer *buffer = exp_buffer_at(t, at->address, &spot.offset);
    if (at->address >> EXP_REGION_SHIFT == EXP_SHARED_REGION) {
        spot.class = SHARED;
        spot.size = t->shared;
    } else if (buffer) {
        spot.first = buffer->address ? buffer->address + spot.offset : spot.first;
        spot.size = s->of->buffers[buffer - t->buffers].size;
        spot.uninitialised = s->of->buffers[buffer - t->buffers].uninitialised;
    }
    if (at->outside || at->address == EXP_NOWHERE)
        spot.size = 0;
    return spot;
}

static bool is_inside(const struct spot *spot, uint32_t bytes)
{
    return spot->offset <= spot->size && bytes <= spot->size - spot->offset;
}

// --- Findings

// Adds a finding; NULL if it is known, which only counts it.
static struct exp_finding *find(struct search *s, enum exp_misuse what, size_t step, size_t before)
{
    const struct exp_step *steps = s->trace->steps;
    const uint32_t code = steps[step].code;
    const uint32_t other = what == EXP_RACE ? steps[before].code : code;
    for (size_t i = 0; i < s->findings->count; i++) {
        struct exp_finding *known = &s->findings->items[i];
        if (known->what == what && known->part == s->of->part &&
            ((known->code == code && known->other == other) ||
             (known->code == other && known->other == code))) {
            known->times++;
            return NULL;
        }
    }
    const struct exp_finding found = {.what = what,
                                      .code = code,
                                      .other = other,
                                      .dispatch = s->of->dispatch,
                                      .part = s->of->part,
                                      .step = step,
                                      .before = before,
                                      .barrier = EXP_NO_STEP,
                                      .times = 1};
    LIT_ADD(s->findings->items, s->findings->count) = found;
    return &s->findings->items[s->findings->count - 1];
}

// Whether `one` met a barrier of its subgroup after `since` without `other`.
static bool met_alone(const struct search *s, uint32_t one, uint32_t other, size_t since)
{
    const struct invocation *self = &s->invocations[one];
    return self->partial && self->barrier > since &&
           share_instance(s, one, other, TO_SUBGROUP + 1) &&
           !exp_lanes_has(&s->trace->steps[self->barrier].tangle,
                          exp_lane(s->trace, in_trace(s, other)));
}

static void find_race(struct search *s, const struct access *access, const struct access *other)
{
    struct exp_finding *finding = find(s, EXP_RACE, access->step, other->step);
    const uint32_t self = access->invocation, its = other->invocation;
    if (!finding)
        return;
    finding->is_private = access->is_private || other->is_private;
    if (met_alone(s, self, its, other->step))
        finding->barrier = s->invocations[self].barrier;
    else if (met_alone(s, its, self, other->step))
        finding->barrier = s->invocations[its].barrier;
}

static bool are_atomic(const struct search *s, const struct access *a, const struct access *b)
{
    return a->atomic && b->atomic &&
           share_instance(s, a->invocation, b->invocation,
                          a->reach < b->reach ? a->reach : b->reach);
}

static void compare(struct search *s, const struct accesses *with, const struct access *access,
                    int class)
{
    for (size_t i = 0; i < with->count; i++) {
        const struct access *other = &with->items[i];
        const bool is_private =
            (access->is_private || other->is_private) && access->invocation != other->invocation;
        if (other->bytes & access->bytes && !are_atomic(s, other, access) &&
            (is_private || !happened(s, other, access->invocation, class)))
            find_race(s, access, other);
    }
}

// Removes accesses that `access` now represents: whatever races with them also races with it.
static void forget(const struct search *s, struct accesses *from, const struct access *access,
                   int class)
{
    size_t kept = 0;
    for (size_t i = 0; i < from->count; i++) {
        const struct access *each = &from->items[i];
        const bool alike = !access->atomic ||
                           (each->atomic && access->reach == each->reach &&
                            (access->reach == REACHES || access->invocation == each->invocation));
        if ((each->bytes & ~access->bytes) || !alike || (each->is_private && !access->is_private) ||
            !happened(s, each, access->invocation, class))
            from->items[kept++] = *each;
    }
    from->count = kept;
}

// Whether it matters that a read is uninitialised: for an exchange or load only if the result is
// used.
static bool asks_value(const struct search *s, const struct exp_step *at)
{
    const struct exp_code *code = &s->trace->codes[at->code];
    return loads(code) && !(s->of->unused && s->of->unused[at->code]);
}

static void take_access(struct search *s, size_t step)
{
    const struct exp_trace *t = s->trace;
    const struct exp_step *at = &t->steps[step];
    const struct exp_code *code = &t->codes[at->code];
    const struct spot spot = spot_of(s, at);
    const uint32_t self = number_of(s, at->invocation);
    bool empty = false;
    if (!is_inside(&spot, code->bytes)) {
        find(s, EXP_OUTSIDE, step, step);
        return;
    }
    const uint64_t first = spot.first, last = (first + code->bytes - 1) / 4;
    for (uint64_t word = first / 4; word <= last; word++) {
        struct place *place = place_at(s, word);
        const uint64_t nth = spot.offset / 4 + (word - first / 4);
        const struct access access = {.step = step,
                                      .invocation = self,
                                      .time = s->invocations[self].time,
                                      .bytes = bytes_of(first, code->bytes, word),
                                      .reach = (uint8_t)reach_of(code->scope),
                                      .atomic = is_atomic(code),
                                      .is_private =
                                          !is_atomic(code) && !(code->semantics & NON_PRIVATE)};
        const bool nothing =
            spot.class == SHARED || (spot.uninitialised && spot.uninitialised[nth]);
        if (spot.class == SHARED && !place->there)
            place->there = zeros_of(t, nth);
        empty |= asks_value(s, at) && nothing && (access.bytes & ~place->there);
        if (exp_stores(code))
            place->there |= access.bytes;
        if (!place->written || exp_is_matrix(code))
            continue; // no race on memory that nobody stores to
        compare(s, &place->stores, &access, spot.class);
        if (exp_stores(code)) {
            compare(s, &place->loads, &access, spot.class);
            forget(s, &place->stores, &access, spot.class);
        }
        forget(s, &place->loads, &access, spot.class);
        struct accesses *list = exp_stores(code) ? &place->stores : &place->loads;
        LIT_ADD(list->items, list->count) = access;
    }
    if (empty)
        find(s, EXP_UNINITIALISED, step, step);
}

// --- Order

// The reach of a fence on a class, for atomics of another class.
static unsigned reach_for(const struct exp_code *code, int class, int by)
{
    const uint32_t both = class_semantics[class] | class_semantics[by];
    return (code->semantics & both) == both ? reach_of(code->scope) : 0;
}

static void acquire(struct search *s, struct invocation *self, const struct exp_code *code)
{
    for (int class = 0; class < CLASSES && code->semantics & ACQUIRES; class ++)
        for (int by = 0; by < CLASSES; by++)
            for (unsigned reach = 0; reach < reach_for(code, class, by); reach++) {
                learn(s, &self->known[class], self->seen[class][by][reach]);
                drop(&self->seen[class][by][reach]);
            }
}

static void release(struct invocation *self, const struct exp_code *code)
{
    for (int class = 0; class < CLASSES && code->semantics & RELEASES; class ++)
        for (int by = 0; by < CLASSES; by++)
            for (unsigned reach = 0; reach < reach_for(code, class, by); reach++)
                set_stamp(&self->released[class][by][reach], self->known[class], self->time);
}

static void take_atomic(struct search *s, size_t step)
{
    const struct exp_step *at = &s->trace->steps[step];
    const struct exp_code *code = &s->trace->codes[at->code];
    const struct spot spot = spot_of(s, at);
    struct place *place = place_at(s, spot.first / 4);
    const uint32_t number = number_of(s, at->invocation);
    struct invocation *self = &s->invocations[number];
    for (unsigned reach = 0; reach < reach_of(code->scope); reach++) {
        const uint32_t owner = 1 + owner_of(s, number, (int)reach);
        const bool meets = place->owner[reach] == owner || place->owner[reach] == MIXED;
        // A plain store starts a new release sequence; a modification continues it.
        const bool anew = code->access == EXP_ATOMIC_STORE;
        for (int class = 0; class < CLASSES; class ++) {
            const bool named = code->semantics & class_semantics[class];
            struct known **there = &place->released[class][reach];
            if (loads(code) && meets)
                learn(s,
                      named && code->semantics & ACQUIRES ? &self->known[class]
                                                          : &self->seen[class][spot.class][reach],
                      *there);
            if (anew)
                drop(there);
            const struct stamp own = {self->known[class], self->time};
            if (exp_stores(code))
                learn_stamp(s, there,
                            named && code->semantics & RELEASES
                                ? &own
                                : &self->released[class][spot.class][reach],
                            number);
        }
        if (exp_stores(code))
            place->owner[reach] =
                anew || !place->owner[reach] || place->owner[reach] == owner ? owner : MIXED;
    }
    self->time += exp_stores(code);
}

// Merges what the waiting invocations among `first` to `end` have released.
static struct known *gather(struct search *s, uint32_t first, uint32_t end, int class, int reach)
{
    struct known *all = NULL, *own = NULL;
    for (uint32_t i = first; i < end; i++) {
        const struct stamp *of = &s->invocations[i].released[class][class][reach];
        if (!s->invocations[i].waits || !of->time)
            continue;
        learn(s, &all, of->known);
        if (!own)
            replace(&own, new_known(first, end));
        own->times[i - first] = of->time;
    }
    learn(s, &all, own);
    drop(&own);
    return all;
}

// The waiting invocations among `first` to `end` meet at a barrier.
static void meet(struct search *s, uint32_t first, uint32_t end, int reach)
{
    for (int class = 0; class < CLASSES; class ++) {
        struct known *all = gather(s, first, end, class, reach);
        for (uint32_t i = first; i < end && all; i++)
            if (s->invocations[i].waits)
                learn(s, &s->invocations[i].seen[class][class][reach], all);
        drop(&all);
    }
}

static void leave(struct search *s, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        struct invocation *self = &s->invocations[i];
        if (!self->waits)
            continue;
        acquire(s, self, &s->trace->codes[s->trace->steps[self->barrier].code]);
        self->time++;
        self->waits = false;
    }
}

// Whether two barriers are the same dynamic instance.
static bool are_together(const struct search *s, size_t a, size_t b)
{
    const struct exp_step *steps = s->trace->steps;
    return steps[a].code == steps[b].code && steps[a].address == steps[b].address;
}

static uint32_t count_together(const struct search *s, uint32_t group, size_t barrier)
{
    const struct invocation *all = &s->invocations[(size_t)group * s->local];
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->local; i++)
        count += all[i].waits && are_together(s, all[i].barrier, barrier);
    return count;
}

// An invocation's next instruction, or its last. Some have no text because they are part of
// another.
static uint32_t code_at(const struct search *s, uint32_t number)
{
    const struct exp_trace *t = s->trace;
    const uint32_t lane = in_trace(s, number), count = exp_step_count(t, lane);
    uint32_t code = EXP_NO_CODE;
    for (uint32_t n = 0; n < count; n++) {
        const uint32_t each = t->steps[exp_step_at(t, lane, n)].code;
        if (!t->codes[each].text[0])
            continue;
        code = each;
        if (n >= s->invocations[number].steps)
            break;
    }
    return code;
}

// Not all of a workgroup are at the same barrier: the most common one counts.
static void find_missed(struct search *s, uint32_t group)
{
    const uint32_t first = group * s->local;
    const struct invocation *all = &s->invocations[first];
    uint32_t most = 0;
    size_t barrier = 0;
    for (uint32_t i = 0; i < s->local && most * 2 < s->waiting[group]; i++) {
        const uint32_t count = all[i].waits && !(most && are_together(s, all[i].barrier, barrier))
                                   ? count_together(s, group, all[i].barrier)
                                   : 0;
        if (count > most) {
            most = count;
            barrier = all[i].barrier;
        }
    }
    struct exp_finding *finding = find(s, EXP_MISSED, barrier, barrier);
    if (!finding)
        return;
    finding->reached = most;
    finding->at = lit_alloc(s->local, sizeof *finding->at);
    for (uint32_t i = 0; i < s->local; i++) {
        const uint32_t code =
            all[i].waits ? s->trace->steps[all[i].barrier].code : code_at(s, first + i);
        const bool another =
            all[i].waits && code == finding->code && !are_together(s, all[i].barrier, barrier);
        finding->at[i] = another ? EXP_ANOTHER : code;
    }
}

// Part of a workgroup waits where nobody else arrives.
static void leave_together(struct search *s, uint32_t group)
{
    const uint32_t first = group * s->local, end = first + s->local;
    uint32_t subgroup = first;
    if (s->waiting[group] < s->local ||
        count_together(s, group, s->invocations[first].barrier) < s->local)
        find_missed(s, group);
    for (; subgroup < end; subgroup += s->trace->subgroup)
        meet(s, subgroup, end - subgroup < s->trace->subgroup ? end : subgroup + s->trace->subgroup,
             TO_SUBGROUP);
    meet(s, first, end, TO_WORKGROUP);
    leave(s, first, end);
    s->waiting[group] = 0;
}

static uint32_t count_lanes(const struct exp_lanes *lanes)
{
    const uint64_t *words = lanes->words;
    return (uint32_t)(__builtin_popcountll(words[0]) + __builtin_popcountll(words[1]));
}

// A subgroup barrier: its tangle waits.
static void meet_subgroup(struct search *s, struct invocation *self, size_t step)
{
    const struct exp_step *at = &s->trace->steps[step];
    const uint32_t number = number_of(s, at->invocation), lane = exp_lane(s->trace, at->invocation),
                   left = s->local - (number % s->local - lane), width = s->trace->subgroup,
                   first = number - lane, end = first + (left < width ? left : width);
    uint32_t waiting = 0;
    self->waits = true;
    self->barrier = step;
    self->partial = count_lanes(&at->tangle) < end - first;
    for (uint32_t i = first; i < end; i++)
        waiting += s->invocations[i].waits;
    if (waiting < count_lanes(&at->tangle))
        return;
    meet(s, first, end, TO_SUBGROUP);
    leave(s, first, end);
}

bool exp_is_workgroups(const struct exp_code *code)
{
    return code->kind == EXP_BARRIER && code->access == EXP_ORDER &&
           reach_of(code->execution) > TO_WORKGROUP;
}

static void take_order(struct search *s, struct invocation *self, size_t step)
{
    const struct exp_step *at = &s->trace->steps[step];
    const struct exp_code *code = &s->trace->codes[at->code];
    const uint32_t group = exp_group(s->trace, at->invocation);
    if (code->kind != EXP_BARRIER || code->execution == SCOPE_INVOCATION)
        acquire(s, self, code);
    release(self, code);
    if (exp_is_workgroups(code)) {
        self->waits = true;
        self->barrier = step;
        self->partial = false;
        if (++s->waiting[group] == s->local)
            leave_together(s, group);
    } else if (code->kind == EXP_BARRIER && code->execution == SCOPE_SUBGROUP) {
        meet_subgroup(s, self, step);
    } else {
        self->time++;
    }
}

static void take_step(struct search *s, size_t step)
{
    const struct exp_trace *t = s->trace;
    const struct exp_step *at = &t->steps[step];
    const struct exp_code *code = &t->codes[at->code];
    const uint32_t group = exp_group(t, at->invocation);
    struct invocation *self = &s->invocations[number_of(s, at->invocation)];
    // The simulator lists the invocations that leave a barrier consecutively.
    if (s->waiting[group] && (self->waits || !exp_is_workgroups(code)))
        leave_together(s, group);
    if (code->access == EXP_ORDER) {
        take_order(s, self, step);
    } else if (code->by_pointer && at->address == EXP_NOWHERE) {
        find(s, EXP_OUTSIDE, step, step);
    } else if (s->unstored && s->unstored[step]) {
        if (!s->of->unused || !s->of->unused[at->code])
            find(s, EXP_UNINITIALISED, step, step);
    } else if (code->access != EXP_NO_ACCESS && code->bytes && at->has_address) {
        take_access(s, step);
        if (is_atomic(code))
            take_atomic(s, step);
    }
    self->steps++;
}

static void note_stores(struct search *s)
{
    const struct exp_trace *t = s->trace;
    for (size_t i = 0; i < t->step_count; i++) {
        const struct exp_step *at = &t->steps[i];
        const struct exp_code *code = &t->codes[at->code];
        if (!at->has_address || !code->bytes || !exp_stores(code))
            continue;
        const uint64_t first = spot_of(s, at).first;
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
            for (int n = 0; n < CLASSES * REACHES; n++)
                drop(&place->released[n / REACHES][n % REACHES]);
            free(place);
        }
    for (uint32_t i = 0; i < exp_real(s->trace); i++) {
        struct invocation *each = &s->invocations[i];
        for (int class = 0; class < CLASSES; class ++) {
            drop(&each->known[class]);
            for (int n = 0; n < CLASSES * REACHES; n++) {
                drop(&each->seen[class][n / REACHES][n % REACHES]);
                drop(&each->released[class][n / REACHES][n % REACHES].known);
            }
        }
    }
    for (int i = 0; i < 3; i++)
        drop(&s->learnt[i]);
    free(s->unstored);
    free(s->slots);
    free(s->invocations);
    free(s->waiting);
}

bool exp_find_misuse(const struct exp_dispatch *of, struct exp_findings *findings,
                     struct lit_error *error)
{
    const struct exp_trace *trace = of->trace;
    const uint32_t groups = trace->groups[0] * trace->groups[1] * trace->groups[2];
    struct search s = {.of = of, .trace = trace, .findings = findings, .slot_bits = 4};
    s.local = trace->local[0] * trace->local[1] * trace->local[2];
    if (exp_real(trace) > EXP_MOST_RACED)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--check: %" PRIu32 " invocations: fewer workgroups, of %" PRIu32
                        " invocations at most, can be looked at",
                        exp_real(trace), EXP_MOST_RACED);
    while (s.slot_bits < MOST_SLOT_BITS && (size_t)1 << s.slot_bits < trace->step_count)
        s.slot_bits++;
    s.slots = lit_alloc((size_t)1 << s.slot_bits, sizeof *s.slots);
    s.invocations = lit_alloc(exp_real(trace), sizeof *s.invocations);
    s.waiting = lit_alloc(groups, sizeof *s.waiting);
    for (uint32_t i = 0; i < exp_real(trace); i++)
        s.invocations[i].time = 1;
    note_stores(&s);
    s.unstored = exp_find_unstored(trace);
    for (size_t i = 0; i < trace->step_count; i++)
        take_step(&s, i);
    // If the trace is truncated, others may still be on their way.
    for (uint32_t i = 0; i < groups && strcmp(trace->end, "done") == 0; i++)
        if (s.waiting[i])
            leave_together(&s, i);
    clear(&s);
    return true;
}
