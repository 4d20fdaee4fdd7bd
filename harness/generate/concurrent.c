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

void gen_emit_template(const struct emit *e, const char *part, struct text *out)
{
    const bool glsl = has_form(e, AXI_GLSL), wide = has_form(e, AXI_WIDE);
    const bool physical = has_form(e, AXI_PHYSICAL);
    const struct {
        const char *word;
        bool holds;
    } words[] = {{"[device]", gen_emit_uses_device(e->program)},
                 {"[shared]", e->made->shared > 0},
                 {"[glsl]", glsl},
                 {"[vulkan]", !glsl},
                 {"[wide]", wide},
                 {"[narrow]", !wide},
                 {"[physical]", physical},
                 {"[logical]", !physical},
                 {"[cells]", e->cells},
                 {"[coherent]", shares_plain(e->program) && glsl},
                 {"[volatile]", has_form(e, AXI_VOLATILE)},
                 {"[waits]", e->states->waits}};
    const char *line = strstr(concurrent_template, part) + strlen(part);
    for (const char *end; *line && strncmp(line, "== ", 3) != 0; line = end + 1) {
        bool holds = true;
        end = strchr(line, '\n');
        for (size_t i = 0; i < sizeof words / sizeof *words && *line == '['; i++) {
            const size_t length = strlen(words[i].word);
            if (strncmp(line, words[i].word, length) != 0)
                continue;
            holds &= words[i].holds;
            line += length;
            i = (size_t)-1;
        }
        if (holds)
            text_append(out, line, (size_t)(end + 1 - line));
    }
}

// --- Assignment of invocations to threads and instances

static void emit_role(struct emit *e, unsigned t)
{
    // Threads of one workgroup or subgroup share the permutation of workgroups or subgroups.
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
    e->local[t] = id("%%P%u_local", n);
    e->instance[t] = id("%%P%u_instance", n);
}

// Emits, once, the address of a location in the instance whose thread t this invocation is.
static void emit_address(struct emit *e, unsigned t, unsigned location)
{
    const unsigned n = number_of(e, t), index = e->index[location];
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
        put(e, "%%P%u_stepped_%s = OpIMul %%uint %s #%u", n, name, number.is, 418 * index + 1);
        put(e, "%%P%u_place_%s = OpBitwiseAnd %%uint %%P%u_stepped_%s %%%s_mask", n, name, n, name,
            shared ? "local" : "total");
        put(e, "%%P%u_first_%s = OpIMul %%uint %%%s #%u", n, name, among, index);
        put(e, "%%P%u_number_%s = OpIAdd %%uint %%P%u_first_%s %%P%u_place_%s", n, name, n, name, n,
            name);
        number = id("%%P%u_number_%s", n, name);
    }
    put(e, "%%P%u_strided_%s = OpIMul %%uint %s %%stride", n, name, number.is);
    if (!shared)
        put(e, "%%P%u_word_%s = OpIAdd %%uint %%P%u_strided_%s #1", n, name, n, name);
    gen_emit_chain(e, id("%%P%u_at_%s", n, name), location, gen_emit_place_of(e, t, location));
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
static struct id emit_digit(struct emit *e, size_t o, const char *prefix, struct id value,
                            struct id sum)
{
    const uint32_t count = e->states->observed[o].count;
    const uint32_t *values = e->states->observed[o].values;
    struct id digit = id("%s_digit_%zu", prefix, o);
    if (count == 0 || values[count - 1] == count - 1) { // values are 0, 1, 2 and so on
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

// The final content of a location.
static struct id emit_final(struct emit *e, size_t o, struct id prefix, struct id address,
                            const char *scope)
{
    const struct id value = id("%s_final_%zu", prefix.is, o), raw = gen_emit_raw(e, value);
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
    const struct id prefix = id("%%P%u", number_of(e, t));
    struct id sum = id("#%u", 1u << DIGITS);
    if (e->states->waits) {
        put(e, "%s_counts = OpSelect %%uint %s_goes_on #%u %s", prefix.is, prefix.is,
            1u << DIGITS | 1u << RAN_OUT, sum.is);
        sum = id("%s_counts", prefix.is);
    }
    for (size_t o = 0; o < program->observed_count; o++) {
        const struct axi_observed *of = &program->observed[o];
        if (of->thread == (int)t) {
            sum = emit_digit(e, o, prefix.is, e->registers[t][of->number], sum);
        } else if (of->thread < 0 && e->place[of->number] == SHARED && e->home[of->number] == t) {
            const char *name = program->references[of->number].name;
            const struct id address = id("%s_at_%s", prefix.is, name);
            sum = emit_digit(e, o, prefix.is, emit_final(e, o, prefix, address, "%workgroup_scope"),
                             sum);
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
    const struct id prefix = id("%%P%u", n), publish = gen_emit_semantics(e, 0x6048);
    put(e, "; P%u reports.", n);
    struct id sum = emit_own_digits(e, t);
    put(e, "%%P%u_report_word = OpIAdd %%uint %%reports %s", n, e->instance[t].is);
    put(e, "%%P%u_report_at = OpAccessChain %%word_pointer %%state %%zero %%P%u_report_word", n, n);
    put(e, "%%P%u_before = OpAtomicIAdd %%uint %%P%u_report_at %%family_scope %s %s", n, n,
        publish.is, sum.is);
    struct id others = id("%%P%u_others", n);
    put(e, "%s = OpShiftRightLogical %%uint %%P%u_before #%d", others.is, n, DIGITS);
    if (e->states->waits) {
        others = id("%%P%u_other_threads", n);
        put(e, "%s = OpBitwiseAnd %%uint %%P%u_others #%u", others.is, n, (1u << REPORTED) - 1);
    }
    put(e, "%%P%u_is_last = OpIEqual %%bool %s #%zu", n, others.is, program->thread_count - 1);
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
        const struct id address = id("%%P%u_at_%s", n, program->references[of->number].name);
        sum = emit_digit(e, o, prefix.is, emit_final(e, o, prefix, address, "%family_scope"), sum);
    }
    put(e, "%%P%u_state_at = OpAccessChain %%word_pointer %%input %%zero %s", n, sum.is);
    struct id state = id("%%P%u_state", n);
    put(e, "%s = OpLoad %%uint %%P%u_state_at", state.is, n);
    if (e->states->waits) {
        put(e, "%%P%u_before_out = OpShiftRightLogical %%uint %%P%u_before #%d", n, n, RAN_OUT);
        put(e, "%%P%u_others_out = OpINotEqual %%bool %%P%u_before_out #0", n, n);
        put(e, "%%P%u_any_out = OpLogicalOr %%bool %%P%u_others_out %%P%u_goes_on", n, n, n);
        state = id("%%P%u_shown", n);
        put(e, "%s = OpSelect %%uint %%P%u_any_out #%u %%P%u_state", state.is, n,
            e->states->ran_out, n);
    }
    put(e, "%%P%u_result_at = OpAccessChain %%word_pointer %%output %%zero %s", n,
        e->instance[t].is);
    put(e, "OpStore %%P%u_result_at %s", n, state.is);
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
        put(e, "%%P%u_code = OpLabel", number_of(e, t));
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
    gen_emit_template(e, "== declarations\n", &e->lines.declared);
    if (e->made->shared) {
        text_printf(&e->lines.declared, "%%location_count      = OpConstant %%uint %u\n",
                    e->made->shared);
        gen_emit_template(e, "== shared\n", &e->lines.declared);
    }
    text_puts(&e->lines.declared, "%step_0               = OpConstant %uint 1\n");
    for (unsigned t = 1; t < e->program->thread_count; t++)
        text_printf(&e->lines.declared,
                    "%%step_%-15u = OpSpecConstantOp %%uint IMul %%step_%u %%step\n", t, t - 1);
    gen_emit_template(e, "== main\n", &e->lines.code);
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
    text_append(&e->lines.declared, e->lines.code.data, e->lines.code.length);
    text_free(&e->lines.code);
    gen_lines_end(&e->lines);
    made->module.text = e->lines.declared;
    gen_assemble(&made->module);
    return true;
}
