// SPDX-License-Identifier: Apache-2.0
// Writes a program as SPIR-V with Dat3M's annotations. Each location is a one-word variable, and so
// is the final value of each register in the condition.
#include "generate/threads.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool is_shared(const struct emit *e, const struct axi_observed *of)
{
    return of->thread < 0 && e->place[of->number] == SHARED;
}

// Whether an observed value has a variable other than its location.
static bool has_result(const struct emit *e, const struct axi_observed *of)
{
    return of->thread >= 0 || is_shared(e, of);
}

// --- Limits of the format

static const struct axi_instruction *find_barrier(const struct axi_thread *thread,
                                                  const struct barrier *barrier)
{
    for (size_t i = 0; i < thread->count; i++)
        if (thread->instructions[i].kind == AXI_CONTROL_BARRIER &&
            thread->instructions[i].barrier == barrier->number &&
            thread->instructions[i].scope == barrier->scope)
            return &thread->instructions[i];
    return NULL;
}

// Each control barrier is one instruction that all threads of its scope instance execute.
static bool check_barrier(struct emit *e, const struct barrier *barrier)
{
    const struct axi_program *program = e->program;
    for (size_t t = 0; t < program->thread_count; t++) {
        struct axi_thread rest = program->threads[t];
        const struct axi_instruction *own = find_barrier(&rest, barrier);
        rest.count = own ? (size_t)(rest.instructions + rest.count - own) - 1 : 0;
        rest.instructions += own ? own + 1 - rest.instructions : 0;
        if (find_barrier(&rest, barrier))
            return beyond(e, "a control barrier that a thread comes to twice");
        if (own && gen_emit_semantics_of(e, own) != barrier->semantics)
            return beyond(e, "a control barrier with other semantics in another thread");
        for (size_t i = 0; i < t && own; i++)
            if (e->workgroup[i] == e->workgroup[t] && !find_barrier(&program->threads[i], barrier))
                return beyond(e, "a control barrier that a thread of the workgroup does not have");
        for (size_t i = 0; i < t && !own; i++)
            if (e->workgroup[i] == e->workgroup[t] && find_barrier(&program->threads[i], barrier))
                return beyond(e, "a control barrier that a thread of the workgroup does not have");
    }
    return true;
}

static bool check_numbers(struct emit *e)
{
    const struct axi_program *program = e->program;
    for (size_t i = 0; i < program->node_count; i++)
        for (int side = 0; side < 2; side++) {
            const struct axi_node *node = &program->nodes[i];
            if (node->kind == AXI_COMPARE && node->is_constant[side] &&
                (node->constant[side] < INT32_MIN || node->constant[side] > INT32_MAX))
                return beyond(e, "a number of more than 32 bits");
        }
    return true;
}

// Other threads read the final content of workgroup memory after a barrier.
static bool check_final(struct emit *e)
{
    const struct axi_program *program = e->program;
    for (size_t o = 0; o < program->observed_count; o++)
        for (size_t t = 0; t < program->thread_count && is_shared(e, &program->observed[o]); t++)
            for (size_t i = 0; i < program->threads[t].count; i++) {
                const struct axi_instruction *of = &program->threads[t].instructions[i];
                if (of->kind <= AXI_RMW && of->reference == program->observed[o].number &&
                    axi_writes(of) && !of->non_private)
                    return beyond(e, "the final value of workgroup memory that is private");
            }
    return true;
}

static bool check(struct emit *e)
{
    if (axi_waits(e->program))
        return beyond(e, "a loop");
    if (!gen_emit_check(e) || !gen_emit_barriers(e) || !check_numbers(e) || !check_final(e))
        return false;
    for (size_t b = 0; b < e->barrier_count; b++)
        if (!check_barrier(e, &e->barriers[b]))
            return false;
    return true;
}

// --- Annotations and declarations

// Invocations in a subgroup, subgroups in a workgroup, workgroups.
static void count_places(const struct emit *e, uint32_t counts[3])
{
    for (int i = 0; i < 3; i++) {
        counts[i] = 1;
        for (size_t t = 0; t < e->program->thread_count; t++)
            if (e->role[t][2 - i] >= counts[i])
                counts[i] = e->role[t][2 - i] + 1;
    }
}

static void put_annotations(const struct emit *e, const uint32_t counts[3], struct text *text)
{
    static const char *const words[] = {"and", "or", "not "};
    static const char *const asks[] = {"exists", "not exists", "forall"};
    const struct axi_program *program = e->program;
    for (unsigned i = 0; i < program->reference_count; i++)
        if (e->place[i] != UNUSED)
            text_printf(text, "; @Input: %%location_%s = {%" PRId64 "}\n",
                        program->references[i].name, program->initial[i]);
    for (size_t o = 0; o < program->observed_count; o++)
        if (has_result(e, &program->observed[o]))
            text_printf(text, "; @Input: %.*s = {0}\n",
                        (int)strcspn(program->observed[o].name, "["), program->observed[o].name);
    if (program->check_count && axi_is_plain(&program->checks[0])) {
        text_printf(text, "; @Output: %s (", asks[program->checks[0].quantifier]);
        axi_write_condition(program, program->checks[0].condition, words, text);
        text_puts(text, ")\n");
    }
    if (program->filter != AXI_TRUE) {
        text_puts(text, "; @Filter: (");
        axi_write_condition(program, program->filter, words, text);
        text_puts(text, ")\n");
    }
    text_printf(text, "; @Config: %u, %u, %u\n", (unsigned)counts[0], (unsigned)counts[1],
                (unsigned)counts[2]);
    // In a comment, Dat3M takes what follows that character for an annotation.
    OWNED(text_free) struct text name = {0};
    text_puts(&name, program->name);
    for (char *at = name.data; at && (at = strchr(at, '@'));)
        *at = '+';
    text_printf(text, "; %s: a litmus test as one instance\n", name.data ? name.data : "");
}

// For each variable, a line with its name, its set's binding and whether it is workgroup memory.
static void put_variables(const struct emit *e, const char *format, struct text *text)
{
    const struct axi_program *program = e->program;
    unsigned binding = 0;
    const bool declares = strstr(format, "OpVariable") != NULL;
    for (unsigned i = 0; i < program->reference_count + program->observed_count; i++) {
        OWNED(text_free) struct text name = {0};
        bool shared = false;
        if (i < program->reference_count) {
            if (e->place[i] == UNUSED)
                continue;
            text_printf(&name, "%%location_%s", program->references[i].name);
            shared = e->place[i] == SHARED;
        } else {
            const struct axi_observed *of = &program->observed[i - program->reference_count];
            if (!has_result(e, of))
                continue;
            text_printf(&name, "%.*s", (int)strcspn(of->name, "["), of->name);
        }
        if (declares)
            text_printf(text, "%-21s = OpVariable %s\n", name.data,
                        shared ? "%shared_variable Workgroup" : "%variable StorageBuffer");
        else if (strcmp(format, " ") == 0)
            text_printf(text, " %s", name.data);
        else if (!shared)
            text_printf(text, "%24sOpDecorate %s DescriptorSet 0\n%24sOpDecorate %s Binding %u\n",
                        "", name.data, "", name.data, binding++);
    }
}

static void put_declarations(struct emit *e, const uint32_t counts[3])
{
    struct text *text = &e->lines.declared;
    put_annotations(e, counts, text);
    gen_emit_template(e, "dat3m", text);
    text_printf(text,
                "%24sOpEntryPoint GLCompute %%main \"main\" %%lane_input %%subgroup_input "
                "%%workgroup_input",
                "");
    put_variables(e, " ", text);
    text_printf(text, "\n%24sOpExecutionMode %%main LocalSize %u 1 1\n", "",
                (unsigned)(counts[0] * counts[1]));
    gen_emit_template(e, "dat3m decorations", text);
    put_variables(e, "", text);
    gen_emit_template(e, "dat3m types", text);
    gen_lines_know(&e->lines, 0);
    put_variables(e, "OpVariable", text);
}

// --- The function

static void put_places(struct emit *e, const uint32_t counts[3])
{
    const struct axi_program *program = e->program;
    uint32_t used[AXI_THREADS] = {0};
    put(e, "%%main = OpFunction %%void None %%procedure");
    put(e, "%%entry = OpLabel");
    put(e, "%%lane = OpLoad %%uint %%lane_input");
    put(e, "%%subgroup = OpLoad %%uint %%subgroup_input");
    put(e, "%%workgroup_at = OpAccessChain %%uint_input %%workgroup_input %%zero");
    put(e, "%%workgroup = OpLoad %%uint %%workgroup_at");
    put(e, "%%subgroups_before = OpIMul %%uint %%workgroup #%u", (unsigned)counts[1]);
    put(e, "%%subgroup_number = OpIAdd %%uint %%subgroups_before %%subgroup");
    put(e, "%%lanes_before = OpIMul %%uint %%subgroup_number #%u", (unsigned)counts[0]);
    put(e, "%%number = OpIAdd %%uint %%lanes_before %%lane");
    for (size_t t = 0; t < program->thread_count; t++) {
        const uint32_t *role = e->role[t];
        const unsigned n = number_of(e, t);
        gen_emit_be(e, (unsigned)t);
        put(e, "; P%u", n);
        put(e, "%%is_P%u = OpIEqual %%bool %%number #%u", n,
            (unsigned)((role[0] * counts[1] + role[1]) * counts[0] + role[2]));
        for (size_t i = 0; i < program->threads[t].count; i++) {
            const struct axi_instruction *of = &program->threads[t].instructions[i];
            const char *name = program->references[of->reference].name;
            if (of->kind > AXI_RMW || used[t] >> of->reference & 1)
                continue;
            used[t] |= 1u << of->reference;
            put(e, "@_at_%s = OpAccessChain %s %%location_%s %%zero", name,
                of->storage == SHARED ? "%location_pointer" : "%word_pointer", name);
        }
    }
}

static void store_result(struct emit *e, const struct axi_observed *of, const char *value)
{
    const int length = (int)strcspn(of->name, "[");
    put(e, "%.*s_at = OpAccessChain %%word_pointer %.*s %%zero", length, of->name, length,
        of->name);
    put(e, "OpStore %.*s_at %s", length, of->name, value);
}

// Emits this thread's code up to the barrier, or to the end (NULL), in a selection. Invocations
// that are other threads keep their registers.
static void put_part(struct emit *e, unsigned t, const struct barrier *barrier, size_t part)
{
    const unsigned n = number_of(e, t);
    const struct axi_thread *thread = &e->program->threads[t];
    const bool waits =
        e->at[t] < thread->count && thread->instructions[e->at[t]].kind == AXI_CONTROL_BARRIER;
    struct id old[AXI_REGISTERS];
    const struct id before = e->block;
    gen_emit_be(e, t);
    if (barrier && (waits || e->at[t] == thread->count)) {
        gen_emit_part(e, t, barrier);
        return;
    }
    memcpy(old, e->registers[t], sizeof old);
    put(e, "OpSelectionMerge @_behind_%zu None", part);
    put(e, "OpBranchConditional %%is_P%u @_part_%zu @_behind_%zu", n, part, part);
    put(e, "@_part_%zu = OpLabel", part);
    snprintf(e->block.is, sizeof e->block.is, "%%P%u_part_%zu", n, part);
    gen_emit_part(e, t, barrier);
    for (size_t o = 0; o < e->program->observed_count && !barrier; o++)
        if (e->program->observed[o].thread == (int)t)
            store_result(e, &e->program->observed[o],
                         e->registers[t][e->program->observed[o].number].is);
    const struct id body = e->block;
    put(e, "OpBranch @_behind_%zu", part);
    put(e, "@_behind_%zu = OpLabel", part);
    snprintf(e->block.is, sizeof e->block.is, "%%P%u_behind_%zu", n, part);
    for (unsigned r = 0; r < AXI_REGISTERS && barrier; r++) {
        const struct id changed = e->registers[t][r];
        if (strcmp(changed.is, old[r].is) == 0)
            continue;
        snprintf(e->registers[t][r].is, sizeof changed.is, "%%P%u_r%u_part_%zu", n, r, part);
        put(e, "%s = OpPhi %%uint %s %s %s %s", e->registers[t][r].is, old[r].is, before.is,
            changed.is, body.is);
    }
}

// Emits the barrier; workgroups without it skip it.
static void put_barrier(struct emit *e, const struct barrier *barrier, size_t number)
{
    const struct axi_program *program = e->program;
    bool chosen = false;
    for (size_t t = 0; t < program->thread_count; t++)
        chosen |= !find_barrier(&program->threads[t], barrier);
    put(e, "; cbar %u", (unsigned)barrier->number);
    if (chosen) {
        OWNED(text_free) struct text has = {0};
        for (size_t t = 0; t < program->thread_count; t++) {
            if (e->workgroup[t] != t || !find_barrier(&program->threads[t], barrier))
                continue;
            put(e, "%%in_P%u_%zu = OpIEqual %%bool %%workgroup #%u", number_of(e, t), number,
                (unsigned)e->role[t][0]);
            if (has.length)
                put(e, "%%with_P%u_%zu = OpLogicalOr %%bool %s %%in_P%u_%zu", number_of(e, t),
                    number, has.data, number_of(e, t), number);
            const char *word = has.length ? "with" : "in";
            text_free(&has);
            text_printf(&has, "%%%s_P%u_%zu", word, number_of(e, t), number);
        }
        put(e, "OpSelectionMerge %%passed_%zu None", number);
        put(e, "OpBranchConditional %s %%meeting_%zu %%passed_%zu", has.data, number, number);
        put(e, "%%meeting_%zu = OpLabel", number);
    }
    put(e, "OpControlBarrier %s %s %s", gen_emit_scope(barrier->execution),
        gen_emit_scope(barrier->scope), gen_emit_semantics(e, barrier->semantics).is);
    if (chosen) {
        put(e, "OpBranch %%passed_%zu", number);
        put(e, "%%passed_%zu = OpLabel", number);
        snprintf(e->block.is, sizeof e->block.is, "%%passed_%zu", number);
    }
}

// Conditions cannot name one workgroup's copy of a variable, so one of its threads copies the
// content after all have ended.
static void put_finals(struct emit *e)
{
    const struct axi_program *program = e->program;
    bool met = false;
    for (size_t o = 0; o < program->observed_count; o++) {
        const struct axi_observed *of = &program->observed[o];
        if (!is_shared(e, of))
            continue;
        const char *name = program->references[of->number].name;
        const unsigned n = number_of(e, e->home[of->number]);
        gen_emit_be(e, e->home[of->number]);
        if (!met)
            put(e, "OpControlBarrier %%workgroup_scope %%workgroup_scope %s",
                gen_emit_semantics(e, 0x6108).is);
        met = true;
        put(e, "OpSelectionMerge %%behind_%s None", name);
        put(e, "OpBranchConditional %%is_P%u %%copies_%s %%behind_%s", n, name, name);
        put(e, "%%copies_%s = OpLabel", name);
        put(e, "%%last_%s = OpAtomicLoad %%uint @_at_%s %%workgroup_scope %%no_semantics", name,
            name);
        char value[AXI_NAME + 8];
        snprintf(value, sizeof value, "%%last_%s", name);
        store_result(e, of, value);
        put(e, "OpBranch %%behind_%s", name);
        put(e, "%%behind_%s = OpLabel", name);
    }
}

static void put_function(struct emit *e, const uint32_t counts[3])
{
    const struct axi_program *program = e->program;
    put_places(e, counts);
    snprintf(e->block.is, sizeof e->block.is, "%%entry");
    for (unsigned t = 0; t < program->thread_count; t++)
        gen_emit_initial(e, t);
    for (size_t b = 0; b <= e->barrier_count; b++) {
        const struct barrier *barrier = b < e->barrier_count ? &e->barriers[b] : NULL;
        for (unsigned t = 0; t < program->thread_count; t++)
            put_part(e, t, barrier, b);
        if (barrier)
            put_barrier(e, barrier, b);
    }
    put_finals(e);
    put(e, "OpReturn");
    put(e, "OpFunctionEnd");
}

bool gen_dat3m(const struct axi_program *program, struct text *text, struct lit_error *error)
{
    OWNED(lit_free) struct axi_program *plain = lit_alloc(1, sizeof *plain);
    OWNED(lit_free) struct emit *e = lit_alloc(1, sizeof *e);
    struct gen_concurrent made = {0};
    const struct gen_states states = {0};
    uint32_t counts[3];
    *plain = *program;
    plain->forms = 0;
    e->program = plain;
    e->states = &states;
    e->made = &made;
    e->error = error;
    if (!check(e))
        return false;
    for (size_t o = 0; o < plain->observed_count; o++) {
        struct axi_observed *of = &plain->observed[o];
        if (of->thread >= 0)
            snprintf(of->name, sizeof of->name, "%%P%u_r%u[0]", number_of(e, (size_t)of->thread),
                     of->number);
        else
            snprintf(of->name, sizeof of->name, "%%%s_%.31s[0]",
                     is_shared(e, of) ? "final" : "location", program->references[of->number].name);
    }
    count_places(e, counts);
    put_declarations(e, counts);
    put_function(e, counts);
    OWNED(text_free) struct text whole = gen_lines_end(&e->lines);
    text_append(text, whole.data, whole.length);
    return true;
}
