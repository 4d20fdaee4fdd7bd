// SPDX-License-Identifier: Apache-2.0
// Writes the kernel of a litmus test: who is which thread of which instance, the threads' code
// between their control barriers, and how an instance's final state is put together.
#include "generate/concurrent.h"

#include "generate/lines.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 24 }; // bits of the sum of digits; above them the threads that have reported
enum { BUFFER = 0, SHARED = 1, UNUSED = 2 }; // where a location is

struct id {
    char is[64];
};

// A control barrier of the whole kernel.
struct barrier {
    uint32_t number, round;
    enum axi_scope scope, execution;
    uint32_t semantics;
};

struct emit {
    const struct axi_program *program;
    const struct gen_states *states;
    struct gen_concurrent *made;
    struct lit_error *error;
    struct gen_lines lines;
    unsigned place[AXI_REFERENCES], index[AXI_REFERENCES];  // of each location, among those there
    unsigned home[AXI_REFERENCES];                          // SHARED: a thread of its workgroup
    unsigned workgroup[AXI_THREADS], subgroup[AXI_THREADS]; // first thread in the same one
    struct barrier barriers[AXI_INSTRUCTIONS];
    size_t barrier_count;
    // Of each thread: where it goes on, its registers, what of it has an address.
    size_t at[AXI_THREADS];
    struct id registers[AXI_THREADS][AXI_REGISTERS];
    unsigned versions[AXI_THREADS];
    uint32_t addressed[AXI_THREADS];
    uint32_t semantics[64]; // that are declared
    size_t semantic_count;
};

__attribute__((format(__printf__, 2, 3))) static void put(struct emit *e, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    gen_line_list(&e->lines, format, list);
    va_end(list);
}

__attribute__((format(__printf__, 1, 2))) static struct id id(const char *format, ...)
{
    struct id made;
    va_list list;
    va_start(list, format);
    vsnprintf(made.is, sizeof made.is, format, list);
    va_end(list);
    return made;
}

__attribute__((format(__printf__, 2, 3))) static bool beyond(struct emit *e, const char *format,
                                                             ...)
{
    char why[256];
    va_list list;
    va_start(list, format);
    vsnprintf(why, sizeof why, format, list);
    va_end(list);
    return lit_fail(e->error, LIT_EXIT_UNDECIDED, "%s", why);
}

// --- What one dispatch cannot express

static const char *cannot(const struct axi_thread *thread, const struct axi_instruction *of)
{
    const size_t at = (size_t)(of - thread->instructions);
    if (of->kind == AXI_AVAILABLE_DEVICE || of->kind == AXI_VISIBLE_DEVICE)
        return "the host's operation on the device domain needs several submissions";
    if (of->kind == AXI_JUMP && of->to <= at)
        return of->spins ? "a loop that waits may never end" : "a loop";
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
        const char *why = cannot(thread, of);
        if (why)
            return beyond(e, "line %u: %s", (unsigned)of->line, why);
        if (!fits(&of->a) || !fits(&of->b))
            return beyond(e, "line %u: a number of more than 32 bits", (unsigned)of->line);
        jumps |= of->kind == AXI_JUMP;
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
    for (unsigned i = 0; i < program->reference_count; i++) {
        if (e->place[i] == BUFFER)
            e->made->initial[e->made->buffered] = (uint32_t)program->initial[i];
        e->index[i] = e->place[i] == BUFFER   ? e->made->buffered++
                      : e->place[i] == SHARED ? e->made->shared++
                                              : 0;
    }
    return true;
}

static bool check_program(struct emit *e)
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
    return place_locations(e);
}

// --- Control barriers: all invocations execute each, between what comes before it in any thread
// and what comes behind it.

static uint32_t semantics_of(const struct axi_instruction *of)
{
    return (of->acquire && of->release ? 8u
            : of->acquire              ? 2u
            : of->release              ? 4u
                                       : 0) |
           (of->semantics & 1 ? 0x40u : 0) | (of->semantics & 2 ? 0x100u : 0) |
           (of->sem_available ? 0x2000u : 0) | (of->sem_visible ? 0x4000u : 0);
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

static bool order_barriers(struct emit *e)
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
            made.semantics = unite(made.semantics, semantics_of(next));
            at[t]++;
        }
        if (e->barrier_count == AXI_INSTRUCTIONS)
            return beyond(e, "more than %d control barriers", AXI_INSTRUCTIONS);
        e->barriers[e->barrier_count++] = made;
    }
}

// --- Declarations

static bool uses_device_scope(const struct axi_program *program)
{
    for (size_t t = 0; t < program->thread_count; t++)
        for (size_t i = 0; i < program->threads[t].count; i++)
            if (program->threads[t].instructions[i].scope == AXI_DEVICE)
                return true;
    return false;
}

extern const char concurrent_template[]; // generate/concurrent.spvasm

// A part of the template; lines that begin with [device] or [shared] only where that is used.
static void put_template(struct emit *e, const char *part, struct text *out)
{
    const bool device = uses_device_scope(e->program), shared = e->made->shared > 0;
    const char *line = strstr(concurrent_template, part) + strlen(part);
    for (const char *end; *line && strncmp(line, "== ", 3) != 0; line = end + 1) {
        end = strchr(line, '\n');
        if (*line == '[') {
            const bool is_device = line[1] == 'd';
            if (is_device ? !device : !shared)
                continue;
            line += strlen("[device]");
        }
        text_append(out, line, (size_t)(end + 1 - line));
    }
}

// The name of a constant of memory semantics: "%release_buffer_available".
static struct id semantics_name(struct emit *e, uint32_t bits)
{
    static const struct {
        uint32_t bit;
        const char *word;
    } parts[] = {{2, "acquire"},      {4, "release"},     {8, "acquire_release"},
                 {0x40, "_buffer"},   {0x100, "_shared"}, {0x2000, "_available"},
                 {0x4000, "_visible"}};
    OWNED(text_free) struct text name = {0};
    text_puts(&name, bits ? "%" : "%no_semantics");
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

static const char *scope_name(enum axi_scope scope)
{
    static const char *const names[] = {"%subgroup_scope", "%workgroup_scope", "%family_scope",
                                        "%device_scope"};
    return names[scope];
}

// --- Who is which thread of which instance

static unsigned number_of(const struct emit *e, unsigned thread)
{
    return e->program->threads[thread].number;
}

static void emit_role(struct emit *e, unsigned t)
{
    // Threads of one workgroup or subgroup have the same permutation of these.
    const unsigned n = number_of(e, t), g = e->subgroup[t], w = e->workgroup[t];
    put(e, "; P%u: of instance %%P%u_instance, in the workgroup %%P%u_local", n, n, n);
    put(e, "%%P%u_turned = OpIMul %%uint %%turn #%u", n, 2654435761u + 2 * t * 40503u);
    put(e, "%%P%u_turn = OpShiftRightLogical %%uint %%P%u_turned #9", n, n);
    put(e, "%%P%u_lane_stepped = OpIMul %%uint %%lane #%u", n, 4 * t + 1);
    put(e, "%%P%u_lane_sum = OpIAdd %%uint %%P%u_lane_stepped %%P%u_turn", n, n, n);
    put(e, "%%P%u_lane = OpBitwiseAnd %%uint %%P%u_lane_sum %%lane_mask", n, n);
    put(e, "%%P%u_subgroup_stepped = OpIMul %%uint %%subgroup #%u", n, 4 * g + 1);
    put(e, "%%P%u_by_lane = OpIMul %%uint %%P%u_lane #%u", n, n, 2 * g + 3);
    put(e, "%%P%u_subgroup_mixed = OpIAdd %%uint %%P%u_subgroup_stepped %%P%u_by_lane", n, n, n);
    put(e, "%%P%u_subgroup_turn = OpShiftRightLogical %%uint %%P%u_turned #5", n, number_of(e, g));
    put(e, "%%P%u_subgroup_sum = OpIAdd %%uint %%P%u_subgroup_mixed %%P%u_subgroup_turn", n, n, n);
    put(e, "%%P%u_subgroup = OpBitwiseAnd %%uint %%P%u_subgroup_sum %%subgroup_mask", n, n);
    put(e, "%%P%u_subgroup_begin = OpIMul %%uint %%P%u_subgroup %%subgroup_size", n, n);
    put(e, "%%P%u_local = OpIAdd %%uint %%P%u_subgroup_begin %%P%u_lane", n, n, n);
    put(e, "%%P%u_workgroup_stepped = OpIMul %%uint %%workgroup %%step_%u", n, w);
    put(e, "%%P%u_by_local = OpIMul %%uint %%P%u_local #%u", n, n, 2 * w + 1);
    put(e, "%%P%u_workgroup_mixed = OpIAdd %%uint %%P%u_workgroup_stepped %%P%u_by_local", n, n, n);
    put(e, "%%P%u_workgroup_turn = OpShiftRightLogical %%uint %%P%u_turned #3", n, number_of(e, w));
    put(e, "%%P%u_workgroup_sum = OpIAdd %%uint %%P%u_workgroup_mixed %%P%u_workgroup_turn", n, n,
        n);
    put(e, "%%P%u_workgroup = OpBitwiseAnd %%uint %%P%u_workgroup_sum %%workgroup_mask", n, n);
    put(e, "%%P%u_workgroup_begin = OpIMul %%uint %%P%u_workgroup %%workgroup_width", n, n);
    put(e, "%%P%u_instance = OpIAdd %%uint %%P%u_workgroup_begin %%P%u_local", n, n, n);
}

// The address of a location of the instance of which this is thread t, once.
static void emit_address(struct emit *e, unsigned t, unsigned location)
{
    const unsigned n = number_of(e, t), index = e->index[location];
    const bool shared = e->place[location] == SHARED;
    const char *name = e->program->references[location].name;
    const char *among = shared ? "workgroup_width" : "total";
    if (e->addressed[t] >> location & 1)
        return;
    e->addressed[t] |= 1u << location;
    struct id number = id("%%P%u_%s", n, shared ? "local" : "instance");
    if (index) {
        // In another order than the first one's, so that neighbours there are far apart here.
        put(e, "%%P%u_stepped_%s = OpIMul %%uint %s #%u", n, name, number.is, 418 * index + 1);
        put(e, "%%P%u_place_%s = OpBitwiseAnd %%uint %%P%u_stepped_%s %%%s_mask", n, name, n, name,
            shared ? "local" : "total");
        put(e, "%%P%u_first_%s = OpIMul %%uint %%%s #%u", n, name, among, index);
        put(e, "%%P%u_number_%s = OpIAdd %%uint %%P%u_first_%s %%P%u_place_%s", n, name, n, name, n,
            name);
        number = id("%%P%u_number_%s", n, name);
    }
    put(e, "%%P%u_strided_%s = OpIMul %%uint %s %%stride", n, name, number.is);
    if (shared) {
        put(e, "%%P%u_at_%s = OpAccessChain %%location_pointer %%locations %%P%u_strided_%s", n,
            name, n, name);
        return;
    }
    put(e, "%%P%u_word_%s = OpIAdd %%uint %%P%u_strided_%s #1", n, name, n, name);
    put(e, "%%P%u_at_%s = OpAccessChain %%word_pointer %%state %%zero %%P%u_word_%s", n, name, n,
        name);
}

static void emit_roles(struct emit *e)
{
    const struct axi_program *program = e->program;
    for (unsigned t = 0; t < program->thread_count; t++) {
        emit_role(e, t);
        for (size_t i = 0; i < program->threads[t].count; i++) {
            const struct axi_instruction *of = &program->threads[t].instructions[i];
            if (of->kind <= AXI_RMW)
                emit_address(e, t, program->references[of->reference].location);
        }
    }
}

// Workgroup memory holds nothing at first: every invocation fills its part of each location.
static void emit_filling(struct emit *e)
{
    const struct axi_program *program = e->program;
    if (!e->made->shared)
        return;
    put(e, "; Each fills its part of workgroup memory.");
    for (unsigned i = 0; i < program->reference_count; i++) {
        const char *name = program->references[i].name;
        if (e->place[i] != SHARED)
            continue;
        put(e, "%%own_first_%s = OpIMul %%uint %%workgroup_width #%u", name, e->index[i]);
        put(e, "%%own_number_%s = OpIAdd %%uint %%own_first_%s %%local", name, name);
        put(e, "%%own_strided_%s = OpIMul %%uint %%own_number_%s %%stride", name, name);
        put(e, "%%own_at_%s = OpAccessChain %%location_pointer %%locations %%own_strided_%s", name,
            name);
        put(e, "OpStore %%own_at_%s #%u NonPrivatePointer", name, (uint32_t)program->initial[i]);
    }
    put(e, "OpControlBarrier %%workgroup_scope %%workgroup_scope %s", semantics_name(e, 0x6108).is);
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
    const struct id made = target < AXI_REGISTERS
                               ? id("%%P%u_r%u_%u", number_of(e, t), target, ++e->versions[t])
                               : id("%%P%u_unused_%u", number_of(e, t), ++e->versions[t]);
    if (target < AXI_REGISTERS)
        e->registers[t][target] = made;
    return made;
}

static void emit_plain(struct emit *e, unsigned t, const struct axi_instruction *of,
                       const struct id *address)
{
    OWNED(text_free) struct text access = {0};
    if (of->available || of->visible)
        text_printf(&access, " MakePointer%s|NonPrivatePointer %s",
                    of->available ? "Available" : "Visible", scope_name(of->scope));
    else if (of->non_private)
        text_puts(&access, " NonPrivatePointer");
    const char *how = access.length ? access.data : "";
    if (of->kind == AXI_LOAD)
        put(e, "%s = OpLoad %%uint %s%s", define(e, t, of->target).is, address->is, how);
    else
        put(e, "OpStore %s %s%s", address->is, operand(e, t, &of->a).is, how);
}

static void emit_atomic(struct emit *e, unsigned t, const struct axi_instruction *of,
                        const struct id *address)
{
    static const char *const names[] = {
        [AXI_ADD] = "IAdd", [AXI_SUB] = "ISub", [AXI_AND] = "And",
        [AXI_OR] = "Or",    [AXI_XOR] = "Xor",  [AXI_REPLACE] = "Exchange"};
    const struct id semantics = semantics_name(e, semantics_of(of)), value = operand(e, t, &of->a);
    const char *scope = scope_name(of->scope);
    if (of->kind == AXI_STORE)
        put(e, "OpAtomicStore %s %s %s %s", address->is, scope, semantics.is, value.is);
    else if (of->kind == AXI_LOAD)
        put(e, "%s = OpAtomicLoad %%uint %s %s %s", define(e, t, of->target).is, address->is, scope,
            semantics.is);
    else
        put(e, "%s = OpAtomic%s %%uint %s %s %s %s", define(e, t, of->target).is,
            names[of->operator], address->is, scope, semantics.is, value.is);
}

static void emit_instruction(struct emit *e, unsigned t, const struct axi_instruction *of)
{
    static const char *const names[] = {
        [AXI_ADD] = "IAdd",      [AXI_SUB] = "ISub",       [AXI_MUL] = "IMul",
        [AXI_DIV] = "SDiv",      [AXI_AND] = "BitwiseAnd", [AXI_OR] = "BitwiseOr",
        [AXI_XOR] = "BitwiseXor"};
    OWNED(text_free) struct text code = {0};
    axi_write(e->program, of, &code);
    put(e, "; P%u: %s", number_of(e, t), code.data);
    if (of->kind <= AXI_RMW) {
        const unsigned location = e->program->references[of->reference].location;
        const struct id address =
            id("%%P%u_at_%s", number_of(e, t), e->program->references[location].name);
        (of->atomic ? emit_atomic : emit_plain)(e, t, of, &address);
    } else if (of->kind == AXI_MEMORY_BARRIER) {
        put(e, "OpMemoryBarrier %s %s", scope_name(of->scope),
            semantics_name(e, semantics_of(of)).is);
    } else if (of->kind == AXI_COMPUTE) {
        const struct id a = operand(e, t, &of->a), b = operand(e, t, &of->b);
        put(e, "%s = Op%s %%uint %s %s", define(e, t, of->target).is, names[of->operator], a.is,
            b.is);
    }
}

// Whether something leads to an instruction but the one before it.
static bool is_target(const struct axi_thread *thread, size_t at)
{
    for (size_t i = 0; i < at; i++)
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
    const unsigned n = number_of(e, t);
    if (last->kind != AXI_JUMP)
        return id("#%u", (unsigned)end);
    OWNED(text_free) struct text code = {0};
    axi_write(e->program, last, &code);
    put(e, "; P%u: %s", n, code.data);
    if (last->operator== AXI_ALWAYS)
        return id("#%u", (unsigned)last->to);
    const struct id a = operand(e, t, &last->a), b = operand(e, t, &last->b);
    put(e, "%%P%u_jumps_%zu = Op%s %%bool %s %s", n, block, names[last->operator], a.is, b.is);
    put(e, "%%P%u_goes_%zu = OpSelect %%uint %%P%u_jumps_%zu #%u #%u", n, block, n, block,
        (unsigned)last->to, (unsigned)end);
    return id("%%P%u_goes_%zu", n, block);
}

// A thread with branches, which lead forward alone: each of its blocks is executed if it is the
// next one. What is `next` comes from the block before.
static void emit_blocks(struct emit *e, unsigned t)
{
    const struct axi_thread *thread = &e->program->threads[t];
    const unsigned n = number_of(e, t);
    struct id next = id("#0"), before = id("%%P%u_begin", n);
    put(e, "; P%u: %%P%u_next_N is the instruction that comes next", n, n);
    put(e, "OpBranch %s", before.is);
    put(e, "%s = OpLabel", before.is);
    for (size_t first = 0, end; first < thread->count; first = end) {
        struct id old[AXI_REGISTERS];
        for (end = first + 1; end < thread->count && !is_target(thread, end);)
            end++;
        memcpy(old, e->registers[t], sizeof old);
        const struct id body = id("%%P%u_block_%zu", n, first),
                        merge = id("%%P%u_end_%zu", n, first);
        put(e, "%%P%u_is_%zu = OpIEqual %%bool %s #%zu", n, first, next.is, first);
        put(e, "OpSelectionMerge %s None", merge.is);
        put(e, "OpBranchConditional %%P%u_is_%zu %s %s", n, first, body.is, merge.is);
        put(e, "%s = OpLabel", body.is);
        for (size_t i = first; i < end; i++)
            if (thread->instructions[i].kind != AXI_JUMP)
                emit_instruction(e, t, &thread->instructions[i]);
        const struct id goes = emit_next(e, t, first, end);
        put(e, "OpBranch %s", merge.is);
        put(e, "%s = OpLabel", merge.is);
        put(e, "%%P%u_next_%zu = OpPhi %%uint %s %s %s %s", n, end, next.is, before.is, goes.is,
            body.is);
        for (unsigned r = 0; r < AXI_REGISTERS; r++) {
            const struct id changed = e->registers[t][r];
            if (strcmp(changed.is, old[r].is) != 0)
                put(e, "%s = OpPhi %%uint %s %s %s %s", define(e, t, r).is, old[r].is, before.is,
                    changed.is, body.is);
        }
        next = id("%%P%u_next_%zu", n, end);
        before = merge;
    }
}

// What a thread does up to its next control barrier, if that is this one, or to its end: a thread
// that does not have the barrier goes on.
static void emit_part(struct emit *e, unsigned t, const struct barrier *barrier)
{
    const struct axi_thread *thread = &e->program->threads[t];
    bool jumps = false;
    for (size_t i = 0; i < thread->count; i++)
        jumps |= thread->instructions[i].kind == AXI_JUMP;
    if (jumps && e->at[t] == 0)
        emit_blocks(e, t);
    while (!jumps && e->at[t] < thread->count) {
        const struct axi_instruction *of = &thread->instructions[e->at[t]];
        if (of->kind == AXI_CONTROL_BARRIER) {
            e->at[t] += barrier && of->barrier == barrier->number && of->scope == barrier->scope;
            return;
        }
        emit_instruction(e, t, of);
        e->at[t]++;
    }
    e->at[t] = thread->count;
}

static void emit_threads(struct emit *e)
{
    for (unsigned t = 0; t < e->program->thread_count; t++)
        for (unsigned r = 0; r < AXI_REGISTERS; r++)
            e->registers[t][r] = id("#%u", (uint32_t)e->program->threads[t].initial[r]);
    for (size_t b = 0; b <= e->barrier_count; b++) {
        const struct barrier *barrier = b < e->barrier_count ? &e->barriers[b] : NULL;
        for (unsigned t = 0; t < e->program->thread_count; t++)
            emit_part(e, t, barrier);
        if (!barrier)
            break;
        put(e, "; cbar %u", (unsigned)barrier->number);
        put(e, "OpControlBarrier %s %s %s", scope_name(barrier->execution),
            scope_name(barrier->scope), semantics_name(e, barrier->semantics).is);
    }
}

// --- Final states

// Adds the digit of a value to a sum.
static struct id emit_digit(struct emit *e, size_t o, const char *prefix, struct id value,
                            struct id sum)
{
    const uint32_t count = e->states->observed[o].count;
    const uint32_t *values = e->states->observed[o].values;
    struct id digit = id("%s_digit_%zu", prefix, o);
    if (count == 0 || values[count - 1] == count - 1) { // 0, 1, 2 and so on
        put(e, "%s_known_%zu = OpULessThan %%bool %s #%u", prefix, o, value.is, count);
        put(e, "%s = OpSelect %%uint %s_known_%zu %s #%u", digit.is, prefix, o, value.is, count);
    } else {
        struct id other = id("#%u", count);
        for (uint32_t i = 0; i < count; i++) {
            digit = id("%s_digit_%zu_%u", prefix, o, i);
            put(e, "%s_is_%zu_%u = OpIEqual %%bool %s #%u", prefix, o, i, value.is, values[i]);
            put(e, "%s = OpSelect %%uint %s_is_%zu_%u #%u %s", digit.is, prefix, o, i, i, other.is);
            other = digit;
        }
    }
    put(e, "%s_part_%zu = OpIMul %%uint %s #%u", prefix, o, digit.is,
        e->states->observed[o].weight);
    put(e, "%s_sum_%zu = OpIAdd %%uint %s %s_part_%zu", prefix, o, sum.is, prefix, o);
    return id("%s_sum_%zu", prefix, o);
}

// What thread t knows: its registers, and workgroup memory of which it is the first user.
static struct id emit_own_digits(struct emit *e, unsigned t)
{
    const struct axi_program *program = e->program;
    const struct id prefix = id("%%P%u", number_of(e, t));
    struct id sum = id("#%u", 1u << DIGITS);
    for (size_t o = 0; o < program->observed_count; o++) {
        const struct axi_observed *of = &program->observed[o];
        if (of->thread == (int)t) {
            sum = emit_digit(e, o, prefix.is, e->registers[t][of->number], sum);
        } else if (of->thread < 0 && e->place[of->number] == SHARED && e->home[of->number] == t) {
            const char *name = program->references[of->number].name;
            put(e, "%s_final_%zu = OpAtomicOr %%uint %s_at_%s %%workgroup_scope %%no_semantics #0",
                prefix.is, o, prefix.is, name);
            sum = emit_digit(e, o, prefix.is, id("%s_final_%zu", prefix.is, o), sum);
        }
    }
    return sum;
}

// Final values are read by RMWs, which read what is last whatever is wrong with the device's
// acquire. Each thread adds what it knows to the instance's word. The last one adds the buffer's
// locations and stores the state's number.
static void emit_report(struct emit *e, unsigned t)
{
    const struct axi_program *program = e->program;
    const unsigned n = number_of(e, t);
    const struct id prefix = id("%%P%u", n), publish = semantics_name(e, 0x6048);
    put(e, "; P%u reports.", n);
    struct id sum = emit_own_digits(e, t);
    put(e, "%%P%u_report_word = OpIAdd %%uint %%reports %%P%u_instance", n, n);
    put(e, "%%P%u_report_at = OpAccessChain %%word_pointer %%state %%zero %%P%u_report_word", n, n);
    put(e, "%%P%u_before = OpAtomicIAdd %%uint %%P%u_report_at %%family_scope %s %s", n, n,
        publish.is, sum.is);
    put(e, "%%P%u_others = OpShiftRightLogical %%uint %%P%u_before #%d", n, n, DIGITS);
    put(e, "%%P%u_is_last = OpIEqual %%bool %%P%u_others #%zu", n, n, program->thread_count - 1);
    put(e, "OpSelectionMerge %%P%u_done None", n);
    put(e, "OpBranchConditional %%P%u_is_last %%P%u_last %%P%u_done", n, n, n);
    put(e, "%%P%u_last = OpLabel", n);
    put(e, "%%P%u_all = OpIAdd %%uint %%P%u_before %s", n, n, sum.is);
    put(e, "%%P%u_digits = OpBitwiseAnd %%uint %%P%u_all #%u", n, n, (1u << DIGITS) - 1);
    sum = id("%%P%u_digits", n);
    for (size_t o = 0; o < program->observed_count; o++) {
        const struct axi_observed *of = &program->observed[o];
        if (of->thread >= 0 || e->place[of->number] != BUFFER)
            continue;
        emit_address(e, t, of->number);
        put(e, "%%P%u_final_%zu = OpAtomicOr %%uint %%P%u_at_%s %%family_scope %%no_semantics #0",
            n, o, n, program->references[of->number].name);
        sum = emit_digit(e, o, prefix.is, id("%%P%u_final_%zu", n, o), sum);
    }
    put(e, "%%P%u_state_at = OpAccessChain %%word_pointer %%input %%zero %s", n, sum.is);
    put(e, "%%P%u_state = OpLoad %%uint %%P%u_state_at", n, n);
    put(e, "%%P%u_result_at = OpAccessChain %%word_pointer %%output %%zero %%P%u_instance", n, n);
    put(e, "OpStore %%P%u_result_at %%P%u_state", n, n);
    put(e, "OpBranch %%P%u_done", n);
    put(e, "%%P%u_done = OpLabel", n);
}

static void emit_reports(struct emit *e)
{
    const struct axi_program *program = e->program;
    bool waits = false;
    for (size_t o = 0; o < program->observed_count; o++)
        waits |= program->observed[o].thread < 0 && e->place[program->observed[o].number] == SHARED;
    if (waits) {
        put(e, "; What workgroup memory holds at the end is there when all have ended.");
        put(e, "OpControlBarrier %%workgroup_scope %%workgroup_scope %s",
            semantics_name(e, 0x6108).is);
    }
    for (unsigned t = 0; t < program->thread_count; t++)
        emit_report(e, t);
    put(e, "OpReturn");
    put(e, "OpFunctionEnd");
}

static void declare(struct emit *e)
{
    for (uint32_t known = 0; known < 4; known++)
        gen_lines_know(&e->lines, known);
    put_template(e, "== declarations\n", &e->lines.declared);
    if (e->made->shared) {
        text_printf(&e->lines.declared, "%%location_count      = OpConstant %%uint %u\n",
                    e->made->shared);
        put_template(e, "== shared\n", &e->lines.declared);
    }
    text_puts(&e->lines.declared, "%step_0               = OpConstant %uint 1\n");
    for (unsigned t = 1; t < e->program->thread_count; t++)
        text_printf(&e->lines.declared,
                    "%%step_%-15u = OpSpecConstantOp %%uint IMul %%step_%u %%step\n", t, t - 1);
    put_template(e, "== main\n", &e->lines.code);
    put(e, "%%all_locations = OpIMul %%uint %%total #%u", e->made->buffered);
    put(e, "%%all_strided = OpIMul %%uint %%all_locations %%stride");
    put(e, "%%reports = OpIAdd %%uint %%all_strided #1");
}

bool gen_concurrent_make(const struct axi_program *program, const struct gen_states *states,
                         struct gen_concurrent *made, struct lit_error *error)
{
    OWNED(lit_free) struct emit *e = lit_alloc(1, sizeof *e);
    e->program = program;
    e->states = states;
    e->made = made;
    e->error = error;
    made->threads = (uint32_t)program->thread_count;
    if (!check_program(e) || !order_barriers(e))
        return false;
    declare(e);
    emit_filling(e);
    emit_roles(e);
    emit_threads(e);
    emit_reports(e);
    text_append(&e->lines.declared, e->lines.code.data, e->lines.code.length);
    text_free(&e->lines.code);
    gen_lines_end(&e->lines);
    made->module.text = e->lines.declared;
    gen_assemble(&made->module);
    return true;
}
