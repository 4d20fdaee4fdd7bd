// SPDX-License-Identifier: Apache-2.0
// Writes a litmus test's threads: checks, control barriers, each thread's instructions.
#include "generate/threads.h"

#include <stdio.h>
#include <string.h>

#define MOST_WAITING 15 // threads, one of which jumps backwards

// --- What one dispatch cannot express

// A value is the same in both halves, so that what is added must not carry.
static bool carries(const struct axi_instruction *of)
{
    return of->operator==
        AXI_SUB ||(of->operator== AXI_ADD &&(of->a.is_register || of->a.value < 0));
}

static const char *cannot(const struct axi_program *program, const struct axi_instruction *of)
{
    if (of->kind == AXI_AVAILABLE_DEVICE || of->kind == AXI_VISIBLE_DEVICE)
        return "the host's operation on the device domain needs several submissions";
    if (of->kind <= AXI_RMW && of->storage > 1)
        return "there is no memory of the storage classes sc2 and sc3";
    if (of->semantics & ~3u)
        return "there is no memory of the storage class semantics semsc2 and semsc3";
    if (of->kind == AXI_RMW && (of->operator== AXI_MUL || of->operator== AXI_DIV))
        return "there is no such atomic instruction";
    if (of->kind == AXI_COMPUTE && of->operator== AXI_DIV &&(of->b.is_register || !of->b.value))
        return "a division by what may be 0";
    if (of->wants)
        return "a read that says what it reads";
    if (program->forms & AXI_WIDE && axi_writes(of) && carries(of))
        return "a number that is not the same in both halves of 64 bits";
    if (program->forms & (AXI_ADDRESS_BY_VALUE | AXI_UNROLLED) && of->kind == AXI_JUMP)
        return "a jump, beside address-by-value or unrolled";
    return NULL;
}

static bool fits(const struct axi_operand *operand)
{
    return operand->is_register || (operand->value >= INT32_MIN && operand->value <= INT32_MAX);
}

static bool check_thread(struct emit *e, const struct axi_thread *thread)
{
    bool jumps = false, waits = false;
    if (thread->group[AXI_QUEUE_FAMILY] != e->program->threads[0].group[AXI_QUEUE_FAMILY])
        return beyond(e, "a dispatch is of one queue family");
    for (size_t i = 0; i < thread->count; i++) {
        const struct axi_instruction *of = &thread->instructions[i];
        const char *why = cannot(e->program, of);
        if (why)
            return beyond(e, "line %u: %s", (unsigned)of->line, why);
        if (!fits(&of->a) || !fits(&of->b))
            return beyond(e, "line %u: a number of more than 32 bits", (unsigned)of->line);
        jumps |= of->kind == AXI_JUMP || e->states->waits;
        waits |= of->kind == AXI_CONTROL_BARRIER;
    }
    return !(jumps && waits) || beyond(e, "a control barrier beside branches");
}

// Where a location is, by the accesses to it.
static bool place_location(struct emit *e, unsigned location)
{
    const struct axi_program *program = e->program;
    const struct axi_thread *user = NULL;
    e->place[location] = UNUSED;
    for (size_t t = 0; t < program->thread_count; t++) {
        const struct axi_thread *thread = &program->threads[t];
        for (size_t i = 0; i < thread->count; i++) {
            const struct axi_instruction *of = &thread->instructions[i];
            if (of->kind > AXI_RMW || program->references[of->reference].location != location)
                continue;
            if (e->place[location] != UNUSED && e->place[location] != of->storage)
                return beyond(e, "%s is in two storage classes",
                              program->references[location].name);
            if (of->storage == SHARED && user &&
                user->group[AXI_WORKGROUP] != thread->group[AXI_WORKGROUP])
                return beyond(e, "%s is workgroup memory (sc1) of several workgroups",
                              program->references[location].name);
            e->home[location] = user ? e->home[location] : (unsigned)t;
            e->place[location] = of->storage;
            user = user ? user : thread;
        }
    }
    if (program->initial[location] < INT32_MIN || program->initial[location] > INT32_MAX)
        return beyond(e, "a number of more than 32 bits");
    return true;
}

// Where an instance's threads are: which workgroup of it, subgroup there and lane there, and, where
// threads wait for each other, how many places of each that takes.
static void place_threads(struct emit *e)
{
    const size_t count = e->program->thread_count;
    uint32_t most[3] = {0};
    for (unsigned t = 0; t < count; t++) {
        uint32_t *place = e->role[t];
        for (unsigned other = 0; other < t; other++) {
            const bool first = e->subgroup[other] == other;
            place[0] += e->workgroup[other] == other && other < e->workgroup[t];
            place[1] += first && e->workgroup[other] == e->workgroup[t] && other < e->subgroup[t];
            place[2] += e->subgroup[other] == e->subgroup[t];
        }
        for (size_t i = 0; i < 3; i++)
            most[i] = place[i] > most[i] ? place[i] : most[i];
    }
    for (size_t i = 0; i < 3 && e->states->waits; i++)
        for (e->made->places[i] = 1; e->made->places[i] <= most[i];)
            e->made->places[i] *= 2;
}

static bool place_locations(struct emit *e)
{
    const struct axi_program *program = e->program;
    for (unsigned i = 0; i < program->reference_count; i++) {
        if (program->references[i].location != i)
            return beyond(e, "%s is an alias", program->references[i].name);
        if (!place_location(e, i))
            return false;
    }
    for (size_t o = 0; o < program->observed_count; o++)
        if (program->observed[o].thread < 0 && e->place[program->observed[o].number] == UNUSED)
            e->place[program->observed[o].number] = BUFFER;
    for (size_t o = 0; o < program->observed_count && e->states->waits; o++)
        if (program->observed[o].thread < 0 && e->place[program->observed[o].number] == SHARED)
            return beyond(e, "the final value of workgroup memory beside a loop");
    for (unsigned i = 0; i < program->reference_count; i++) {
        if (e->place[i] == BUFFER)
            e->made->initial[e->made->buffered] = (uint32_t)program->initial[i];
        e->index[i] = e->place[i] == BUFFER   ? e->made->buffered++
                      : e->place[i] == SHARED ? e->made->shared++
                                              : 0;
    }
    return true;
}

bool gen_emit_check(struct emit *e)
{
    const struct axi_program *program = e->program;
    for (size_t t = 0; t < program->thread_count; t++) {
        const struct axi_thread *thread = &program->threads[t];
        if (program->synchronizes[t])
            return beyond(e, "a dispatch does not system-synchronize (ssw) with another here");
        if (!check_thread(e, thread))
            return false;
        e->workgroup[t] = e->subgroup[t] = (unsigned)t;
        for (unsigned other = (unsigned)t; other-- > 0;) {
            const struct axi_thread *of = &program->threads[other];
            const bool same = of->group[AXI_WORKGROUP] == thread->group[AXI_WORKGROUP];
            e->workgroup[t] = same ? other : e->workgroup[t];
            if (same && of->group[AXI_SUBGROUP] == thread->group[AXI_SUBGROUP])
                e->subgroup[t] = other;
        }
    }
    if (e->states->waits && program->thread_count > MOST_WAITING)
        return beyond(e, "a loop beside more than %d threads", MOST_WAITING);
    place_threads(e);
    return place_locations(e);
}

// --- Control barriers: all invocations execute each, between what comes before it in any thread
// and what comes behind it.

uint32_t gen_emit_semantics_of(const struct emit *e, const struct axi_instruction *of)
{
    const bool is_volatile = of->atomic && has_form(e, AXI_VOLATILE);
    return (of->acquire && of->release ? 8u
            : of->acquire              ? 2u
            : of->release              ? 4u
                                       : 0) |
           (of->semantics & 1 ? 0x40u : 0) | (of->semantics & 2 ? 0x100u : 0) |
           (of->sem_available ? 0x2000u : 0) | (of->sem_visible ? 0x4000u : 0) |
           (is_volatile ? 0x8000u : 0);
}

// Of two that are one instruction: both.
static uint32_t unite(uint32_t a, uint32_t b)
{
    const uint32_t order = (a | b) & 14;
    return ((a | b) & ~14u) | (order & 8 || order == 6 ? 8 : order);
}

// The next control barrier of a thread; NULL if there is none.
static const struct axi_instruction *next_barrier(const struct axi_thread *thread, size_t *at)
{
    while (*at < thread->count && thread->instructions[*at].kind != AXI_CONTROL_BARRIER)
        ++*at;
    return *at < thread->count ? &thread->instructions[*at] : NULL;
}

static bool is_same(const struct axi_instruction *a, const struct axi_instruction *b)
{
    return a->barrier == b->barrier && a->scope == b->scope;
}

// Whether all threads whose rest has this barrier have come to it.
static bool is_due(const struct axi_program *program, const size_t *at,
                   const struct axi_instruction *barrier)
{
    for (size_t t = 0; t < program->thread_count; t++) {
        const struct axi_thread *thread = &program->threads[t];
        for (size_t i = at[t] + 1; i < thread->count && at[t] < thread->count; i++) {
            const struct axi_instruction *of = &thread->instructions[i];
            if (of->kind == AXI_CONTROL_BARRIER && is_same(of, barrier) &&
                !is_same(&thread->instructions[at[t]], barrier))
                return false;
        }
    }
    return true;
}

bool gen_emit_barriers(struct emit *e)
{
    const struct axi_program *program = e->program;
    size_t at[AXI_THREADS] = {0};
    for (;;) {
        const struct axi_instruction *due = NULL;
        bool left = false;
        for (size_t t = 0; t < program->thread_count; t++) {
            const struct axi_instruction *next = next_barrier(&program->threads[t], &at[t]);
            left |= next != NULL;
        }
        for (size_t t = 0; t < program->thread_count && !due; t++) {
            const struct axi_instruction *next = next_barrier(&program->threads[t], &at[t]);
            due = next && is_due(program, at, next) ? next : NULL;
        }
        if (!due)
            return !left || beyond(e, "threads come to control barriers in different orders");
        struct barrier made = {
            .number = due->barrier, .scope = due->scope, .execution = due->execution};
        for (size_t t = 0; t < program->thread_count; t++) {
            const struct axi_instruction *next = next_barrier(&program->threads[t], &at[t]);
            if (!next || !is_same(next, due))
                continue;
            made.semantics = unite(made.semantics, gen_emit_semantics_of(e, next));
            at[t]++;
        }
        if (e->barrier_count == AXI_INSTRUCTIONS)
            return beyond(e, "more than %d control barriers", AXI_INSTRUCTIONS);
        e->barriers[e->barrier_count++] = made;
    }
}

struct id gen_emit_semantics(struct emit *e, uint32_t bits)
{
    static const struct {
        uint32_t bit;
        const char *word;
    } parts[] = {{2, "acquire"},       {4, "release"},       {8, "acquire_release"},
                 {0x40, "_buffer"},    {0x100, "_shared"},   {0x2000, "_available"},
                 {0x4000, "_visible"}, {0x8000, "_volatile"}};
    OWNED(text_free) struct text name = {0};
    // The older memory model has all of these by itself, and volatile variables.
    bits &= has_form(e, AXI_GLSL) ? ~0xe000u : ~0u;
    text_puts(&name, !bits ? "%no_semantics" : bits == 0x8000 ? "%relaxed" : "%");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        text_puts(&name, bits & parts[i].bit ? parts[i].word : "");
    size_t known = 0;
    while (known < e->semantic_count && e->semantics[known] != bits)
        known++;
    if (bits && known == e->semantic_count) {
        e->semantics[e->semantic_count++] = bits;
        text_printf(&e->lines.declared, "%-21s = OpConstant %%uint %u\n", name.data, bits);
    }
    return id("%s", name.data);
}

const char *gen_emit_scope(enum axi_scope scope)
{
    static const char *const names[] = {"%subgroup_scope", "%workgroup_scope", "%family_scope",
                                        "%device_scope"};
    return names[scope];
}

// --- What a location holds of a value, and back

struct id gen_emit_to_location(struct emit *e, struct id value)
{
    if (!has_form(e, AXI_WIDE))
        return value;
    const unsigned n = ++e->numbers;
    put(e, "%%long_%u = OpUConvert %%wide %s", n, value.is);
    put(e, "%%both_%u = OpIMul %%wide %%long_%u %%spread", n, n);
    return id("%%both_%u", n);
}

const char *gen_emit_type_of_locations(const struct emit *e)
{
    return has_form(e, AXI_WIDE) ? "%wide" : "%uint";
}

struct id gen_emit_raw(struct emit *e, struct id value)
{
    return has_form(e, AXI_WIDE) ? id("%%raw_%u", ++e->numbers) : value;
}

void gen_emit_from_location(struct emit *e, struct id raw, struct id value)
{
    if (!has_form(e, AXI_WIDE))
        return;
    const unsigned n = ++e->numbers;
    put(e, "%%low_%u = OpUConvert %%uint %s", n, raw.is);
    put(e, "%%above_%u = OpShiftRightLogical %%wide %s #32", n, raw.is);
    put(e, "%%high_%u = OpUConvert %%uint %%above_%u", n, n);
    put(e, "%%whole_%u = OpIEqual %%bool %%low_%u %%high_%u", n, n, n);
    put(e, "%s = OpSelect %%uint %%whole_%u %%low_%u #%u", value.is, n, n, TORN);
}

struct id gen_emit_place_of(const struct emit *e, unsigned location)
{
    return id("@_%s_%s", e->place[location] == SHARED ? "strided" : "word",
              e->program->references[location].name);
}

void gen_emit_chain(struct emit *e, struct id made, unsigned location, struct id place)
{
    put(e, "%s = OpAccessChain %s %s", made.is,
        e->place[location] == SHARED ? "%location_pointer %locations"
        : e->cells                   ? "%cell_pointer %cells %zero"
                                     : "%word_pointer %state %zero",
        place.is);
}

// --- A thread's instructions

static struct id operand(const struct emit *e, unsigned t, const struct axi_operand *of)
{
    if (of->is_register)
        return e->registers[t][of->number];
    return id("#%u", (uint32_t)of->value);
}

// The id of what a register holds from now on.
static struct id define(struct emit *e, unsigned t, unsigned target)
{
    const struct id made = target < AXI_REGISTERS ? id("@_r%u_%u", target, ++e->versions[t])
                                                  : id("@_unused_%u", ++e->versions[t]);
    if (target < AXI_REGISTERS)
        e->registers[t][target] = made;
    return made;
}

// The memory operands of a plain access.
static void put_access(const struct emit *e, const struct axi_instruction *of, struct text *access)
{
    const bool glsl = has_form(e, AXI_GLSL), moves = !glsl && (of->available || of->visible);
    const struct {
        bool holds;
        const char *word;
    } words[] = {{!glsl && has_form(e, AXI_VOLATILE), "Volatile"},
                 {has_form(e, AXI_PHYSICAL) && of->storage == BUFFER, "Aligned"},
                 {moves && of->available, "MakePointerAvailable"},
                 {moves && of->visible, "MakePointerVisible"},
                 {!glsl && (of->non_private || moves), "NonPrivatePointer"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].holds)
            text_printf(access, "%s%s", access->length ? "|" : " ", words[i].word);
    if (words[1].holds)
        text_puts(access, has_form(e, AXI_WIDE) ? " 8" : " 4");
    if (moves)
        text_printf(access, " %s", gen_emit_scope(of->scope));
}

static void emit_plain(struct emit *e, const struct axi_instruction *of, struct id address,
                       struct id value, struct id made)
{
    OWNED(text_free) struct text access = {0};
    put_access(e, of, &access);
    const char *how = access.length ? access.data : "";
    if (of->kind == AXI_LOAD)
        put(e, "%s = OpLoad %s %s%s", made.is, gen_emit_type_of_locations(e), address.is, how);
    else
        put(e, "OpStore %s %s%s", address.is, value.is, how);
}

static void emit_atomic(struct emit *e, const struct axi_instruction *of, struct id address,
                        struct id value, struct id made)
{
    static const char *const names[] = {
        [AXI_ADD] = "IAdd", [AXI_SUB] = "ISub", [AXI_AND] = "And",
        [AXI_OR] = "Or",    [AXI_XOR] = "Xor",  [AXI_REPLACE] = "Exchange"};
    const struct id semantics = gen_emit_semantics(e, gen_emit_semantics_of(e, of));
    const char *scope = gen_emit_scope(of->scope), *type = gen_emit_type_of_locations(e);
    if (of->kind == AXI_STORE)
        put(e, "OpAtomicStore %s %s %s %s", address.is, scope, semantics.is, value.is);
    else if (of->kind == AXI_LOAD)
        put(e, "%s = OpAtomicLoad %s %s %s %s", made.is, type, address.is, scope, semantics.is);
    else
        put(e, "%s = OpAtomic%s %s %s %s %s %s", made.is, names[of->operator], type, address.is,
            scope, semantics.is, value.is);
}

// Adds to the place of an access what is 0 and is not known to be, where the kernel's form says so.
static struct id disguise(struct emit *e, unsigned t, struct id place)
{
    const bool again = has_form(e, AXI_ADDRESS_AGAIN) && e->accesses[t];
    const bool by_value = has_form(e, AXI_ADDRESS_BY_VALUE) && e->read[t].is[0];
    for (int turn = 0; turn < 2; turn++) {
        if (!(turn ? by_value : again))
            continue;
        const unsigned n = ++e->numbers;
        put(e, "%%nothing_at_%u = OpAccessChain %%word_pointer %%input %%zero #%u", n,
            e->states->size);
        put(e, "%%nothing_%u = OpLoad %%uint %%nothing_at_%u", n, n);
        if (turn)
            put(e, "%%nothing_of_%u = OpBitwiseAnd %%uint %s %%nothing_%u", n, e->read[t].is, n);
        put(e, "%%place_%u = OpIAdd %%uint %s %%nothing_%s%u", n, place.is, turn ? "of_" : "", n);
        place = id("%%place_%u", n);
    }
    return place;
}

// An access at a place; `made` is the value that it reads.
static void emit_access(struct emit *e, unsigned t, const struct axi_instruction *of,
                        struct id place, struct id value, struct id made)
{
    const unsigned location = e->program->references[of->reference].location;
    const struct id again = disguise(e, t, place);
    struct id address = id("@_at_%s", e->program->references[location].name);
    if (strcmp(again.is, gen_emit_place_of(e, location).is) != 0) {
        address = id("%%at_%u", ++e->numbers);
        gen_emit_chain(e, address, location, again);
    }
    if (axi_writes(of))
        value = gen_emit_to_location(e, value);
    const struct id raw = axi_reads(of) ? gen_emit_raw(e, made) : made;
    (of->atomic ? emit_atomic : emit_plain)(e, of, address, value, raw);
    if (axi_reads(of))
        gen_emit_from_location(e, raw, made);
}

// As a comment.
static void note(struct emit *e, unsigned t, const struct axi_instruction *of)
{
    OWNED(text_free) struct text code = {0};
    axi_write(e->program, of, &code);
    put(e, "; P%u: %s", number_of(e, t), code.data);
}

static void emit_instruction(struct emit *e, unsigned t, const struct axi_instruction *of)
{
    static const char *const names[] = {
        [AXI_ADD] = "IAdd",      [AXI_SUB] = "ISub",       [AXI_MUL] = "IMul",
        [AXI_DIV] = "SDiv",      [AXI_AND] = "BitwiseAnd", [AXI_OR] = "BitwiseOr",
        [AXI_XOR] = "BitwiseXor"};
    note(e, t, of);
    if (of->kind <= AXI_RMW) {
        const unsigned location = e->program->references[of->reference].location;
        const struct id value = operand(e, t, &of->a);
        const struct id made = axi_reads(of) ? define(e, t, of->target) : id("%s", "");
        emit_access(e, t, of, gen_emit_place_of(e, location), value, made);
        e->read[t] = axi_reads(of) ? made : e->read[t];
        e->accesses[t]++;
    } else if (of->kind == AXI_MEMORY_BARRIER) {
        put(e, "OpMemoryBarrier %s %s", gen_emit_scope(of->scope),
            gen_emit_semantics(e, gen_emit_semantics_of(e, of)).is);
    } else if (of->kind == AXI_COMPUTE) {
        const struct id a = operand(e, t, &of->a), b = operand(e, t, &of->b);
        put(e, "%s = Op%s %%uint %s %s", define(e, t, of->target).is, names[of->operator], a.is,
            b.is);
    }
}

// Whether something leads to an instruction but the one before it.
static bool is_target(const struct axi_thread *thread, size_t at)
{
    for (size_t i = 0; i < thread->count; i++)
        if (thread->instructions[i].kind == AXI_JUMP &&
            (thread->instructions[i].to == at || i + 1 == at))
            return true;
    return false;
}

// What `next` is behind the last instruction of a block.
static struct id emit_next(struct emit *e, unsigned t, size_t block, size_t end)
{
    static const char *const names[] = {
        [AXI_EQ] = "IEqual",       [AXI_NE] = "INotEqual",      [AXI_LT] = "SLessThan",
        [AXI_GT] = "SGreaterThan", [AXI_LE] = "SLessThanEqual", [AXI_GE] = "SGreaterThanEqual"};
    const struct axi_instruction *last = &e->program->threads[t].instructions[end - 1];
    if (last->kind != AXI_JUMP)
        return id("#%u", (unsigned)end);
    note(e, t, last);
    if (last->operator== AXI_ALWAYS)
        return id("#%u", (unsigned)last->to);
    const struct id a = operand(e, t, &last->a), b = operand(e, t, &last->b);
    put(e, "@_jumps_%zu = Op%s %%bool %s %s", block, names[last->operator], a.is, b.is);
    put(e, "@_goes_%zu = OpSelect %%uint @_jumps_%zu #%u #%u", block, block, (unsigned)last->to,
        (unsigned)end);
    return id("@_goes_%zu", block);
}

// A thread's blocks in their order: each is executed if it is the next one. What is `next` comes
// from the block before. Gives what is next behind the last one, and the block that ends there.
static struct id emit_blocks(struct emit *e, unsigned t, struct id next, struct id *at)
{
    const struct axi_thread *thread = &e->program->threads[t];
    const unsigned n = number_of(e, t);
    struct id before = id("@_begin");
    put(e, "; P%u: @_next_N is the instruction that comes next", n);
    put(e, "OpBranch %s", before.is);
    put(e, "%s = OpLabel", before.is);
    for (size_t first = 0, end; first < thread->count; first = end) {
        struct id old[AXI_REGISTERS];
        for (end = first + 1; end < thread->count && !is_target(thread, end);)
            end++;
        memcpy(old, e->registers[t], sizeof old);
        const struct id body = id("@_block_%zu", first), merge = id("@_end_%zu", first);
        put(e, "@_is_%zu = OpIEqual %%bool %s #%zu", first, next.is, first);
        put(e, "OpSelectionMerge %s None", merge.is);
        put(e, "OpBranchConditional @_is_%zu %s %s", first, body.is, merge.is);
        put(e, "%s = OpLabel", body.is);
        for (size_t i = first; i < end; i++)
            if (thread->instructions[i].kind != AXI_JUMP)
                emit_instruction(e, t, &thread->instructions[i]);
        const struct id goes = emit_next(e, t, first, end);
        put(e, "OpBranch %s", merge.is);
        put(e, "%s = OpLabel", merge.is);
        put(e, "@_next_%zu = OpPhi %%uint %s %s %s %s", end, next.is, before.is, goes.is, body.is);
        for (unsigned r = 0; r < AXI_REGISTERS; r++) {
            const struct id changed = e->registers[t][r];
            if (strcmp(changed.is, old[r].is) != 0)
                put(e, "%s = OpPhi %%uint %s %s %s %s", define(e, t, r).is, old[r].is, before.is,
                    changed.is, body.is);
        }
        next = id("@_next_%zu", end);
        before = merge;
    }
    e->block = *at = before;
    return next;
}

static bool is_changed(const struct axi_thread *thread, unsigned target)
{
    for (size_t i = 0; i < thread->count; i++)
        if (thread->instructions[i].target == target)
            return true;
    return false;
}

// A thread where threads wait for each other: rounds of its blocks until it has ended, or `polls`.
void gen_emit_rounds(struct emit *e, unsigned t)
{
    const struct axi_thread *thread = &e->program->threads[t];
    const unsigned n = number_of(e, t);
    struct id first[AXI_REGISTERS], at, next;
    put(e, "; P%u: rounds until it has ended, %%polls at most", n);
    put(e, "OpBranch @_round");
    put(e, "@_round = OpLabel");
    put(e, "@_rounds = OpPhi %%uint #0 @_code @_rounds_after @_again");
    put(e, "@_next = OpPhi %%uint #0 @_code @_next_after @_again");
    for (unsigned r = 0; r < AXI_REGISTERS; r++) {
        if (!is_changed(thread, r))
            continue;
        first[r] = e->registers[t][r];
        put(e, "%s = OpPhi %%uint %s @_code @_r%u_after @_again", define(e, t, r).is, first[r].is,
            r);
    }
    put(e, "OpLoopMerge @_out @_again None");
    next = emit_blocks(e, t, id("@_next"), &at);
    put(e, "@_goes_on = OpINotEqual %%bool %s #%zu", next.is, thread->count);
    put(e, "@_rounds_more = OpIAdd %%uint @_rounds #1");
    put(e, "@_may_go_on = OpULessThan %%bool @_rounds_more %%polls");
    put(e, "@_goes_back = OpLogicalAnd %%bool @_goes_on @_may_go_on");
    put(e, "OpBranch @_again");
    put(e, "@_again = OpLabel");
    put(e, "@_rounds_after = OpPhi %%uint @_rounds_more %s", at.is);
    put(e, "@_next_after = OpPhi %%uint %s %s", next.is, at.is);
    for (unsigned r = 0; r < AXI_REGISTERS; r++)
        if (is_changed(thread, r))
            put(e, "@_r%u_after = OpPhi %%uint %s %s", r, e->registers[t][r].is, at.is);
    put(e, "OpBranchConditional @_goes_back @_round @_out");
    put(e, "@_out = OpLabel");
}

// --- Accesses as a loop

// Whether two accesses may be one instruction, but for where, what and into which register.
static bool is_alike(const struct axi_instruction *a, const struct axi_instruction *b)
{
    return a->kind <= AXI_RMW && a->kind == b->kind &&
           a->operator== b->operator&& a->atomic == b->atomic && a->acquire == b->acquire &&
           a->release == b->release && a->available == b->available && a->visible == b->visible &&
           a->sem_available == b->sem_available && a->sem_visible == b->sem_visible &&
           a->non_private == b->non_private && a->scope == b->scope && a->storage == b->storage &&
           a->semantics == b->semantics;
}

// How many from `at` on may be one instruction.
static size_t count_alike(const struct axi_thread *thread, size_t at)
{
    const struct axi_instruction *first = &thread->instructions[at];
    size_t end = at + 1;
    while (end < thread->count && is_alike(first, &thread->instructions[end]) &&
           !(axi_reads(first) && thread->instructions[end].a.is_register))
        end++;
    return end - at;
}

// The one of several that belongs to the turn.
static struct id choose(struct emit *e, unsigned loop, const struct id *of, size_t count)
{
    struct id chosen = of[0];
    for (size_t i = 1; i < count; i++) {
        if (strcmp(of[i].is, chosen.is) == 0)
            continue;
        const unsigned n = ++e->numbers;
        put(e, "%%is_%u = OpIEqual %%bool %%turn_%u #%zu", n, loop, i);
        put(e, "%%chosen_%u = OpSelect %%uint %%is_%u %s %s", n, n, of[i].is, chosen.is);
        chosen = id("%%chosen_%u", n);
    }
    return chosen;
}

static void emit_loop(struct emit *e, unsigned t, const struct axi_instruction *of, size_t count)
{
    const unsigned n = ++e->numbers;
    const bool reads = axi_reads(of);
    struct id places[AXI_INSTRUCTIONS], values[AXI_INSTRUCTIONS], old[AXI_INSTRUCTIONS];
    put(e, "; P%u: %zu accesses, in turn", number_of(e, t), count);
    for (size_t i = 0; i < count; i++) {
        note(e, t, &of[i]);
        places[i] = gen_emit_place_of(e, e->program->references[of[i].reference].location);
        values[i] = operand(e, t, &of[i].a);
        old[i] = of[i].target < AXI_REGISTERS ? e->registers[t][of[i].target] : id("#0");
    }
    put(e, "OpBranch %%loop_%u", n);
    put(e, "%%loop_%u = OpLabel", n);
    put(e, "%%turn_%u = OpPhi %%uint #0 %s %%next_%u %%continue_%u", n, e->block.is, n, n);
    for (size_t i = 0; i < count && reads; i++)
        put(e, "%%before_%u_%zu = OpPhi %%uint %s %s %%result_%u_%zu %%continue_%u", n, i,
            old[i].is, e->block.is, n, i, n);
    put(e, "OpLoopMerge %%end_%u %%continue_%u Unroll", n, n);
    put(e, "OpBranch %%body_%u", n);
    put(e, "%%body_%u = OpLabel", n);
    const struct id place = choose(e, n, places, count);
    const struct id value = axi_writes(of) ? choose(e, n, values, count) : values[0];
    const struct id made = id("%%read_%u", n);
    e->accesses[t] += (unsigned)count;
    emit_access(e, t, of, place, value, made);
    for (size_t i = 0; i < count && reads; i++) {
        put(e, "%%is_%u_%zu = OpIEqual %%bool %%turn_%u #%zu", n, i, n, i);
        put(e, "%%result_%u_%zu = OpSelect %%uint %%is_%u_%zu %s %%before_%u_%zu", n, i, n, i,
            made.is, n, i);
        if (of[i].target < AXI_REGISTERS)
            e->registers[t][of[i].target] = id("%%result_%u_%zu", n, i);
    }
    put(e, "OpBranch %%continue_%u", n);
    put(e, "%%continue_%u = OpLabel", n);
    put(e, "%%next_%u = OpIAdd %%uint %%turn_%u #1", n, n);
    put(e, "%%goes_on_%u = OpULessThan %%bool %%next_%u #%zu", n, n, count);
    put(e, "OpBranchConditional %%goes_on_%u %%loop_%u %%end_%u", n, n, n);
    put(e, "%%end_%u = OpLabel", n);
    e->block = id("%%end_%u", n);
    e->read[t] = reads ? made : e->read[t];
}

void gen_emit_initial(struct emit *e, unsigned t)
{
    gen_emit_be(e, t);
    for (unsigned r = 0; r < AXI_REGISTERS; r++)
        e->registers[t][r] = id("#%u", (uint32_t)e->program->threads[t].initial[r]);
}

void gen_emit_part(struct emit *e, unsigned t, const struct barrier *barrier)
{
    const struct axi_thread *thread = &e->program->threads[t];
    bool jumps = false;
    gen_emit_be(e, t);
    for (size_t i = 0; i < thread->count; i++)
        jumps |= thread->instructions[i].kind == AXI_JUMP;
    if (jumps && e->at[t] == 0) {
        struct id at;
        emit_blocks(e, t, id("#0"), &at);
    }
    while (!jumps && e->at[t] < thread->count) {
        const struct axi_instruction *of = &thread->instructions[e->at[t]];
        if (of->kind == AXI_CONTROL_BARRIER) {
            e->at[t] += barrier && of->barrier == barrier->number && of->scope == barrier->scope;
            return;
        }
        const size_t alike = has_form(e, AXI_UNROLLED) ? count_alike(thread, e->at[t]) : 1;
        if (alike > 1)
            emit_loop(e, t, of, alike);
        else
            emit_instruction(e, t, of);
        e->at[t] += alike;
    }
    e->at[t] = thread->count;
}
