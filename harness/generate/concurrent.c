// SPDX-License-Identifier: Apache-2.0
// Writes the kernel of a litmus test: the assignment of invocations to threads and instances, the
// threads' code between control barriers, and the assembly of an instance's final state.
#include "generate/concurrent.h"

#include "generate/threads.h"

#include <string.h>

// Bits of the sum of digits; above them the threads that have reported, and those of them whose
// waits ran out.
enum { DIGITS = 24, REPORTED = 4, RAN_OUT = DIGITS + REPORTED };

// --- Declarations

extern const char concurrent_template[]; // generate/concurrent.spvasm

static bool uses_device(const struct axi_program *program)
{
    for (size_t t = 0; t < program->thread_count; t++)
        for (size_t i = 0; i < program->threads[t].count; i++)
            if (program->threads[t].instructions[i].scope == AXI_DEVICE)
                return true;
    return false;
}

// Whether plain accesses to the buffer must be visible to others.
static bool shares_plain(const struct axi_program *program)
{
    for (size_t t = 0; t < program->thread_count; t++)
        for (size_t i = 0; i < program->threads[t].count; i++) {
            const struct axi_instruction *of = &program->threads[t].instructions[i];
            if (of->kind <= AXI_RMW && !of->atomic && of->non_private && of->storage == BUFFER)
                return true;
        }
    return false;
}

static bool is_marked(const char *mark, size_t length, const void *user)
{
    const struct emit *e = user;
    const bool glsl = has_form(e, AXI_GLSL), wide = has_form(e, AXI_WIDE);
    const bool physical = has_form(e, AXI_PHYSICAL);
    const struct {
        const char *word;
        bool holds;
    } words[] = {{"device", uses_device(e->program)},
                 {"shared", e->made->shared > 0},
                 {"glsl", glsl},
                 {"vulkan", !glsl},
                 {"wide", wide},
                 {"narrow", !wide},
                 {"physical", physical},
                 {"logical", !physical},
                 {"cells", e->cells},
                 {"coherent", shares_plain(e->program) && glsl},
                 {"volatile", has_form(e, AXI_VOLATILE)},
                 {"waits", e->states->waits}};
    size_t i = 0;
    while (strlen(words[i].word) != length || strncmp(mark, words[i].word, length) != 0)
        i++;
    return words[i].holds;
}

void gen_emit_template(const struct emit *e, const char *part, struct text *out)
{
    const char *at = gen_part(concurrent_template, part);
    for (const char *line; (line = gen_part_line(&at, is_marked, e));)
        text_append(out, line, (size_t)(strchr(line, '\n') + 1 - line));
}

// --- Assignment of invocations to threads and instances

static void emit_role(struct emit *e, unsigned t)
{
    // Threads of one workgroup or subgroup share the permutation of workgroups or subgroups.
    const unsigned n = number_of(e, t), g = e->subgroup[t], w = e->workgroup[t];
    gen_emit_be(e, t);
    put(e, "; P%u: of instance @_instance, in the workgroup @_local", n);
    put(e, "@_turned = OpIMul %%uint %%turn #%u", 2654435761u + 2 * t * 40503u);
    put(e, "@_turn = OpShiftRightLogical %%uint @_turned #9");
    put(e, "@_lane_stepped = OpIMul %%uint %%lane #%u", 4 * t + 1);
    put(e, "@_lane_sum = OpIAdd %%uint @_lane_stepped @_turn");
    put(e, "@_lane = OpBitwiseAnd %%uint @_lane_sum %%lane_mask");
    put(e, "@_subgroup_stepped = OpIMul %%uint %%subgroup #%u", 4 * g + 1);
    put(e, "@_by_lane = OpIMul %%uint @_lane #%u", 2 * g + 3);
    put(e, "@_subgroup_mixed = OpIAdd %%uint @_subgroup_stepped @_by_lane");
    put(e, "@_subgroup_turn = OpShiftRightLogical %%uint %%P%u_turned #5", number_of(e, g));
    put(e, "@_subgroup_sum = OpIAdd %%uint @_subgroup_mixed @_subgroup_turn");
    put(e, "@_subgroup = OpBitwiseAnd %%uint @_subgroup_sum %%subgroup_mask");
    put(e, "@_subgroup_begin = OpIMul %%uint @_subgroup %%subgroup_size");
    put(e, "@_local = OpIAdd %%uint @_subgroup_begin @_lane");
    put(e, "@_workgroup_stepped = OpIMul %%uint %%workgroup %%step_%u", w);
    put(e, "@_by_local = OpIMul %%uint @_local #%u", 2 * w + 1);
    put(e, "@_workgroup_mixed = OpIAdd %%uint @_workgroup_stepped @_by_local");
    put(e, "@_workgroup_turn = OpShiftRightLogical %%uint %%P%u_turned #3", number_of(e, w));
    put(e, "@_workgroup_sum = OpIAdd %%uint @_workgroup_mixed @_workgroup_turn");
    put(e, "@_workgroup = OpBitwiseAnd %%uint @_workgroup_sum %%workgroup_mask");
    put(e, "@_workgroup_begin = OpIMul %%uint @_workgroup %%workgroup_width");
    put(e, "@_instance = OpIAdd %%uint @_workgroup_begin @_local");
    e->local[t] = id("@_local");
    e->instance[t] = id("@_instance");
}

// Emits, once, the address of a location in the instance whose thread t this invocation is.
static void emit_address(struct emit *e, unsigned t, unsigned location)
{
    const unsigned index = e->index[location];
    const bool shared = e->place[location] == SHARED;
    const char *name = e->program->references[location].name;
    const char *among = shared ? "workgroup_width" : "total";
    if (e->addressed[t] >> location & 1)
        return;
    e->addressed[t] |= 1u << location;
    struct id number = shared ? e->local[t] : e->instance[t];
    if (index) {
        // In a different order from the first location's, so that neighbours there are far apart
        // here.
        put(e, "@_stepped_%s = OpIMul %%uint %s #%u", name, number.is, 418 * index + 1);
        put(e, "@_place_%s = OpBitwiseAnd %%uint @_stepped_%s %%%s_mask", name, name,
            shared ? "local" : "total");
        put(e, "@_first_%s = OpIMul %%uint %%%s #%u", name, among, index);
        put(e, "@_number_%s = OpIAdd %%uint @_first_%s @_place_%s", name, name, name);
        number = id("@_number_%s", name);
    }
    put(e, "@_strided_%s = OpIMul %%uint %s %%stride", name, number.is);
    if (!shared)
        put(e, "@_word_%s = OpIAdd %%uint @_strided_%s #1", name, name);
    gen_emit_chain(e, id("@_at_%s", name), location, gen_emit_place_of(e, location));
}

// This instance's place among so many; an instance's places are adjacent or as far apart as
// possible. `left` is the instance's number.
static struct id emit_place(struct emit *e, const char *who, struct id all, uint32_t places,
                            struct id *left)
{
    *left = id("%%%s", who);
    if (places == 1)
        return id("#0");
    put(e, "%%%s_near = OpBitwiseAnd %%uint %%%s #%u", who, who, places - 1);
    put(e, "%%%s_near_left = OpUDiv %%uint %%%s #%u", who, who, places);
    put(e, "%%%s_step = OpUDiv %%uint %s #%u", who, all.is, places);
    put(e, "%%%s_far = OpUDiv %%uint %%%s %%%s_step", who, who, who);
    put(e, "%%%s_far_left = OpUMod %%uint %%%s %%%s_step", who, who, who);
    put(e, "%%%s_place = OpSelect %%uint %%is_near %%%s_near %%%s_far", who, who, who);
    put(e, "%%%s_left = OpSelect %%uint %%is_near %%%s_near_left %%%s_far_left", who, who, who);
    *left = id("%%%s_left", who);
    return id("%%%s_place", who);
}

// If threads wait for each other, an invocation is at most one of them: a subgroup has one
// instance, and so has a workgroup if an instance's threads are in several.
static void emit_places(struct emit *e)
{
    const uint32_t *places = e->made->places;
    const bool apart = places[0] > 1;
    struct id workgroups_left, subgroups_left, lanes_left, others;
    put(e,
        "; Which thread of which instance this is, if any; the seed says how far apart they are.");
    put(e, "%%turned = OpIMul %%uint %%turn #2654435761");
    put(e, "%%turned_bit = OpShiftRightLogical %%uint %%turned #31");
    put(e, "%%is_near = OpIEqual %%bool %%turned_bit #0");
    put(e, "%%all_workgroups = OpIMul %%uint %%total #%u", places[0]);
    const struct id workgroup =
        emit_place(e, "workgroup", id("%%all_workgroups"), places[0], &workgroups_left);
    const struct id subgroup =
        emit_place(e, "subgroup", id("%%subgroups"), places[1], &subgroups_left);
    const struct id lane = emit_place(e, "lane", id("%%subgroup_size"), places[2], &lanes_left);
    put(e, "%%places_before = OpIMul %%uint %s #%u", workgroup.is, places[1]);
    put(e, "%%subgroup_places = OpIAdd %%uint %%places_before %s", subgroup.is);
    put(e, "%%lanes_before = OpIMul %%uint %%subgroup_places #%u", places[2]);
    put(e, "%%own_place = OpIAdd %%uint %%lanes_before %s", lane.is);
    others = lanes_left;
    if (apart) {
        put(e, "%%others = OpBitwiseOr %%uint %s %s", lanes_left.is, subgroups_left.is);
        others = id("%%others");
    }
    put(e, "%%is_one = OpIEqual %%bool %s #0", others.is);
    put(e, "%%role = OpSelect %%uint %%is_one %%own_place #%u", places[0] * places[1] * places[2]);
    if (!apart) {
        put(e, "%%instances_each = OpUDiv %%uint %%subgroups #%u", places[1]);
        put(e, "%%instances_before = OpIMul %%uint %%workgroup %%instances_each");
        put(e, "%%instance = OpIAdd %%uint %%instances_before %s", subgroups_left.is);
    }
    for (unsigned t = 0; t < e->program->thread_count; t++) {
        e->instance[t] = apart ? workgroups_left : id("%%instance");
        e->local[t] = apart ? id("#0") : subgroups_left;
    }
}

static void emit_addresses(struct emit *e, unsigned t)
{
    const struct axi_program *program = e->program;
    for (size_t i = 0; i < program->threads[t].count; i++) {
        const struct axi_instruction *of = &program->threads[t].instructions[i];
        if (of->kind <= AXI_RMW)
            emit_address(e, t, program->references[of->reference].location);
    }
}

static void emit_roles(struct emit *e)
{
    const struct axi_program *program = e->program;
    for (unsigned t = 0; t < program->thread_count; t++) {
        emit_role(e, t);
        emit_addresses(e, t);
    }
}

// Workgroup memory is uninitialised: every invocation fills its part of each location.
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
        const struct id value = gen_emit_to_location(e, id("#%u", (uint32_t)program->initial[i]));
        put(e, "OpStore %%own_at_%s %s%s", name, value.is,
            has_form(e, AXI_GLSL) ? "" : " NonPrivatePointer");
    }
    put(e, "OpControlBarrier %%workgroup_scope %%workgroup_scope %s",
        gen_emit_semantics(e, 0x6108).is);
}

static void emit_threads(struct emit *e)
{
    for (unsigned t = 0; t < e->program->thread_count; t++)
        gen_emit_initial(e, t);
    for (size_t b = 0; b <= e->barrier_count; b++) {
        const struct barrier *barrier = b < e->barrier_count ? &e->barriers[b] : NULL;
        for (unsigned t = 0; t < e->program->thread_count; t++)
            gen_emit_part(e, t, barrier);
        if (!barrier)
            break;
        put(e, "; cbar %u", (unsigned)barrier->number);
        put(e, "OpControlBarrier %s %s %s", gen_emit_scope(barrier->execution),
            gen_emit_scope(barrier->scope), gen_emit_semantics(e, barrier->semantics).is);
    }
}

// --- Final states

// Adds a value's digit to a sum.
static struct id emit_digit(struct emit *e, size_t o, struct id value, struct id sum)
{
    const uint32_t count = e->states->observed[o].count;
    const uint32_t *values = e->states->observed[o].values;
    struct id digit = id("@_digit_%zu", o);
    if (count == 0 || values[count - 1] == count - 1) { // values are 0, 1, 2 and so on
        put(e, "@_known_%zu = OpULessThan %%bool %s #%u", o, value.is, count);
        put(e, "%s = OpSelect %%uint @_known_%zu %s #%u", digit.is, o, value.is, count);
    } else {
        struct id other = id("#%u", count);
        for (uint32_t i = 0; i < count; i++) {
            digit = id("@_digit_%zu_%u", o, i);
            put(e, "@_is_%zu_%u = OpIEqual %%bool %s #%u", o, i, value.is, values[i]);
            put(e, "%s = OpSelect %%uint @_is_%zu_%u #%u %s", digit.is, o, i, i, other.is);
            other = digit;
        }
    }
    put(e, "@_part_%zu = OpIMul %%uint %s #%u", o, digit.is, e->states->observed[o].weight);
    put(e, "@_sum_%zu = OpIAdd %%uint %s @_part_%zu", o, sum.is, o);
    return id("@_sum_%zu", o);
}

// The final content of a location.
static struct id emit_final(struct emit *e, size_t o, struct id address, const char *scope)
{
    const struct id value = id("@_final_%zu", o), raw = gen_emit_raw(e, value);
    const struct id zero = gen_emit_to_location(e, id("#0"));
    put(e, "%s = OpAtomicOr %s %s %s %%no_semantics %s", raw.is, gen_emit_type_of_locations(e),
        address.is, scope, zero.is);
    gen_emit_from_location(e, raw, value);
    return value;
}

// Adds the digits known to thread t: its registers, and the workgroup memory that it uses first.
static struct id emit_own_digits(struct emit *e, unsigned t)
{
    const struct axi_program *program = e->program;
    struct id sum = id("#%u", 1u << DIGITS);
    if (e->states->waits) {
        put(e, "@_counts = OpSelect %%uint @_goes_on #%u %s", 1u << DIGITS | 1u << RAN_OUT, sum.is);
        sum = id("@_counts");
    }
    for (size_t o = 0; o < program->observed_count; o++) {
        const struct axi_observed *of = &program->observed[o];
        if (of->thread == (int)t) {
            sum = emit_digit(e, o, e->registers[t][of->number], sum);
        } else if (of->thread < 0 && e->place[of->number] == SHARED && e->home[of->number] == t) {
            const char *name = program->references[of->number].name;
            const struct id address = id("@_at_%s", name);
            sum = emit_digit(e, o, emit_final(e, o, address, "%workgroup_scope"), sum);
        }
    }
    return sum;
}

// RMWs read the final values, because they read the last value even if the device's acquire is
// broken. Each thread adds what it knows to the instance's word. The last one adds the buffer's
// locations and stores the state's number.
static void emit_report(struct emit *e, unsigned t)
{
    const struct axi_program *program = e->program;
    const unsigned n = number_of(e, t);
    const struct id publish = gen_emit_semantics(e, 0x6048);
    gen_emit_be(e, t);
    put(e, "; P%u reports.", n);
    struct id sum = emit_own_digits(e, t);
    put(e, "@_report_word = OpIAdd %%uint %%reports %s", e->instance[t].is);
    put(e, "@_report_at = OpAccessChain %%word_pointer %%state %%zero @_report_word");
    put(e, "@_before = OpAtomicIAdd %%uint @_report_at %%family_scope %s %s", publish.is, sum.is);
    struct id others = id("@_others");
    put(e, "%s = OpShiftRightLogical %%uint @_before #%d", others.is, DIGITS);
    if (e->states->waits) {
        others = id("@_other_threads");
        put(e, "%s = OpBitwiseAnd %%uint @_others #%u", others.is, (1u << REPORTED) - 1);
    }
    put(e, "@_is_last = OpIEqual %%bool %s #%zu", others.is, program->thread_count - 1);
    put(e, "OpSelectionMerge @_done None");
    put(e, "OpBranchConditional @_is_last @_last @_done");
    put(e, "@_last = OpLabel");
    put(e, "@_all = OpIAdd %%uint @_before %s", sum.is);
    put(e, "@_digits = OpBitwiseAnd %%uint @_all #%u", (1u << DIGITS) - 1);
    sum = id("@_digits");
    for (size_t o = 0; o < program->observed_count; o++) {
        const struct axi_observed *of = &program->observed[o];
        if (of->thread >= 0 || e->place[of->number] != BUFFER)
            continue;
        emit_address(e, t, of->number);
        const struct id address = id("@_at_%s", program->references[of->number].name);
        sum = emit_digit(e, o, emit_final(e, o, address, "%family_scope"), sum);
    }
    put(e, "@_state_at = OpAccessChain %%word_pointer %%input %%zero %s", sum.is);
    struct id state = id("@_state");
    put(e, "%s = OpLoad %%uint @_state_at", state.is);
    if (e->states->waits) {
        put(e, "@_before_out = OpShiftRightLogical %%uint @_before #%d", RAN_OUT);
        put(e, "@_others_out = OpINotEqual %%bool @_before_out #0");
        put(e, "@_any_out = OpLogicalOr %%bool @_others_out @_goes_on");
        state = id("@_shown");
        put(e, "%s = OpSelect %%uint @_any_out #%u @_state", state.is, e->states->ran_out);
    }
    put(e, "@_result_at = OpAccessChain %%word_pointer %%output %%zero %s", e->instance[t].is);
    put(e, "OpStore @_result_at %s", state.is);
    put(e, "OpBranch @_done");
    put(e, "@_done = OpLabel");
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
            gen_emit_semantics(e, 0x6108).is);
    }
    for (unsigned t = 0; t < program->thread_count; t++)
        emit_report(e, t);
    put(e, "OpReturn");
    put(e, "OpFunctionEnd");
}

// If threads wait for each other, each is a case of a switch with all of its code.
static void emit_cases(struct emit *e)
{
    const struct axi_program *program = e->program;
    OWNED(text_free) struct text cases = {0};
    for (unsigned t = 0; t < program->thread_count; t++) {
        const uint32_t *role = e->role[t], *places = e->made->places;
        text_printf(&cases, " %u %%P%u_code", (role[0] * places[1] + role[1]) * places[2] + role[2],
                    number_of(e, t));
    }
    put(e, "OpSelectionMerge %%all_done None");
    put(e, "OpSwitch %%role %%all_done%s", cases.data);
    for (unsigned t = 0; t < program->thread_count; t++) {
        gen_emit_initial(e, t);
        put(e, "@_code = OpLabel");
        emit_addresses(e, t);
        gen_emit_rounds(e, t);
        emit_report(e, t);
        put(e, "OpBranch %%all_done");
    }
    put(e, "%%all_done = OpLabel");
    put(e, "OpReturn");
    put(e, "OpFunctionEnd");
}

static void declare(struct emit *e)
{
    for (uint32_t known = 0; known < 4; known++)
        gen_lines_know(&e->lines, known);
    gen_emit_template(e, "declarations", &e->lines.declared);
    if (e->made->shared) {
        text_printf(&e->lines.declared, "%%location_count      = OpConstant %%uint %u\n",
                    e->made->shared);
        gen_emit_template(e, "shared", &e->lines.declared);
    }
    text_puts(&e->lines.declared, "%step_0               = OpConstant %uint 1\n");
    for (unsigned t = 1; t < e->program->thread_count; t++)
        text_printf(&e->lines.declared,
                    "%%step_%-15u = OpSpecConstantOp %%uint IMul %%step_%u %%step\n", t, t - 1);
    gen_emit_template(e, "main", &e->lines.code);
    put(e, "%%all_locations = OpIMul %%uint %%total #%u", e->made->buffered);
    put(e, "%%all_strided = OpIMul %%uint %%all_locations %%stride");
    if (has_form(e, AXI_WIDE)) {
        put(e, "%%all_words = OpIMul %%uint %%all_strided #2");
        put(e, "%%reports = OpIAdd %%uint %%all_words #2");
    } else {
        put(e, "%%reports = OpIAdd %%uint %%all_strided #1");
    }
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
    if (!gen_emit_check(e) || !gen_emit_barriers(e))
        return false;
    if (made->buffered == 0 && has_form(e, AXI_PHYSICAL))
        return beyond(e, "no location has an address: none is in a buffer");
    made->words = has_form(e, AXI_WIDE) ? 2 : 1;
    e->block = id("%%entry");
    e->cells = has_form(e, AXI_WIDE) || has_form(e, AXI_PHYSICAL) ||
               (has_form(e, AXI_GLSL) && (has_form(e, AXI_VOLATILE) || shares_plain(program)));
    declare(e);
    emit_filling(e);
    if (states->waits) {
        emit_places(e);
        emit_cases(e);
    } else {
        emit_roles(e);
        emit_threads(e);
        emit_reports(e);
    }
    made->module.text = gen_lines_end(&e->lines);
    gen_assemble(&made->module);
    return true;
}
