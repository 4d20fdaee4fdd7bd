// SPDX-License-Identifier: Apache-2.0
// Writes generated programs as SPIR-V assembly: the declarations, and the steps as structured
// control flow.
#include "generate/emit.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The position of a list of steps.
struct place {
    uint32_t loops;
    struct id broke, continued;
    bool continuing; // in a continue construct: each block leads to the loop's header
};

// Lines

void emit_label(struct emit *e, struct id id)
{
    emit_put(e, "%s = OpLabel", id.is);
    e->block = id;
}

static void branch(struct emit *e, struct id id)
{
    emit_put(e, "OpBranch %s", id.is);
}

// Conditions

// id plus the iterations that the condition adds.
static struct id add_turns(struct emit *e, struct id id, const struct gen_condition *when)
{
    for (uint32_t d = 0; d < MASKS_DEPTH; d++)
        if (when->loops >> d & 1) {
            const struct id sum = gen_id("%%turned_%u_%u", e->conditions, d);
            emit_put(e, "%s = OpIAdd %%uint %s %s", sum.is, id.is, e->iteration[d].is);
            id = sum;
        }
    return id;
}

// Extracts a bit field of `from`.
static struct id bits_of(struct emit *e, struct id from, struct id shift, uint32_t mask)
{
    const uint32_t n = e->conditions;
    const struct id shifted = gen_id("%%shifted_%u", n), bits = gen_id("%%bits_%u", n);
    const bool shifts = strcmp(shift.is, "#0") != 0;
    if (shifts)
        emit_put(e, "%s = OpShiftRightLogical %%uint %s %s", shifted.is, from.is, shift.is);
    emit_put(e, "%s = OpBitwiseAnd %%uint %s #%u", bits.is, shifts ? shifted.is : from.is, mask);
    return bits;
}

// A condition's numeric value.
static struct id emit_number(struct emit *e, const struct gen_condition *when)
{
    const struct id at = gen_id("#%u", when->at);
    struct id shift;
    switch ((enum gen_value)when->value) {
    case GEN_LANE_BIT:
        return bits_of(e, add_turns(e, e->lane, when), at, 1);
    case GEN_SUBGROUP_BIT:
        return bits_of(e, add_turns(e, emit_subgroup_number(e), when), at, 1);
    case GEN_NUMBER_FIELD:
        return bits_of(e, add_turns(e, emit_number_register(e, when->at), when), gen_id("#0"), 3);
    case GEN_NUMBER_TRIPS:
        return bits_of(e, emit_number_register(e, when->at), gen_id("#0"), 3);
    case GEN_LANE_FIELD:
        return bits_of(e, add_turns(e, e->lane, when), gen_id("#0"), 3);
    case GEN_TRIPS:
        return bits_of(e, e->word, at, 3);
    default:
        shift = add_turns(e, at, when);
        if (when->loops) {
            emit_put(e, "%%shift_%u = OpBitwiseAnd %%uint %s #31", e->conditions, shift.is);
            shift = gen_id("%%shift_%u", e->conditions);
        }
        return bits_of(e, when->value == GEN_GROUP_BIT ? emit_group_word(e) : e->word, shift,
                       when->value == GEN_FIELD ? 3 : 1);
    }
}

static struct id emit_condition(struct emit *e, const struct gen_condition *when)
{
    const uint32_t n = ++e->conditions;
    const struct id counter = e->iteration[when->loops == 2];
    struct id left = counter, right = gen_id("#%u", when->at);
    const char *op = "OpULessThan";
    switch ((enum gen_value)when->value) {
    case GEN_TRUE:
        return gen_id("%%true");
    case GEN_TRUTH:
        return emit_truth_register(e, when->at);
    case GEN_ELECT:
        emit_put(e, "%%condition_%u = OpGroupNonUniformElect %%bool %%subgroup_scope", n);
        return gen_id("%%condition_%u", n);
    case GEN_TRIPS:
    case GEN_NUMBER_TRIPS:
        right = emit_number(e, when);
        break;
    case GEN_BELOW:
        break;
    case GEN_PAST:
        op = "OpUGreaterThanEqual";
        break;
    case GEN_LANE_FROM:
    case GEN_LANE_STEP:
        op = "OpUGreaterThanEqual";
        left = e->lane;
        if (when->value == GEN_LANE_FROM) {
            right = add_turns(e, right, when);
            break;
        }
        emit_put(e, "%%turned_%u = OpShiftLeftLogical %%uint %s %s", n, right.is, counter.is);
        right = gen_id("%%turned_%u", n);
        break;
    case GEN_LANE_IS:
        op = "OpIEqual";
        left = e->lane;
        right = add_turns(e, right, when);
        break;
    default:
        op = "OpINotEqual";
        left = emit_number(e, when);
        right = gen_id("#0");
    }
    emit_put(e, "%%condition_%u = %s %%bool %s %s", n, op, left.is, right.is);
    return gen_id("%%condition_%u", n);
}

// Steps

static bool emit_list(struct emit *e, uint32_t first, struct place at);

static void note_step(struct emit *e, const struct gen_step *step)
{
    OWNED(text_free) struct text text = {0};
    gen_write_step(step, &text);
    emit_put(e, "; %s", text.data);
}

// The record number for this execution of a place.
static struct id emit_record(struct emit *e, const struct masks_step *place, const char *n)
{
    struct id record = gen_id("%%record_%s", n);
    emit_put(e, "%s = OpIAdd %%uint %s #%u", record.is, e->records.is, place->slot);
    for (uint32_t d = 0; d < MASKS_DEPTH; d++) {
        const struct id before = record, row = gen_id("%%row_%s", n);
        struct id turns = e->iteration[d];
        if (place->by[d] == 0)
            continue;
        if (place->by[d] > 1) {
            emit_put(e, "%s = OpIMul %%uint %s #%u", row.is, turns.is, place->by[d]);
            turns = row;
        }
        record = gen_id("%%record_%s_%c", n, 'i' + (int)d);
        emit_put(e, "%s = OpIAdd %%uint %s %s", record.is, before.is, turns.is);
    }
    return record;
}

static void emit_look(struct emit *e, const struct gen_step *step, const struct masks_step *place)
{
    const char *n = strrchr(place->name, ' ') + 1;
    if (step->kind == MASKS_LOOK) {
        emit_put(e, "; %s: who executes this together", place->name);
        emit_put(e, "%%mask_%s = OpGroupNonUniformBallot %%uint4 %%subgroup_scope %%true", n);
    } else {
        emit_put(e, "; %s: who is elected, 255 for that lane and 240 for the others", place->name);
        emit_put(e, "%%elected_%s = OpGroupNonUniformElect %%bool %%subgroup_scope", n);
        emit_put(e, "%%tag_%s = OpSelect %%uint %%elected_%s #255 #240", n, n);
        emit_put(e, "%%mask_%s = OpCompositeConstruct %%uint4 %%tag_%s #0 #0 #0", n, n);
    }
    const struct id record = emit_record(e, place, n);
    emit_put(e, "%%at_%s = OpAccessChain %%mask_pointer %%output #0 %s", n, record.is);
    emit_put(e, "OpStore %%at_%s %%mask_%s", n, n);
}

// After a construct: keeps values that were known before it and not assigned inside.
static void forget(struct emit *e, const struct gen_step *step, const struct held *before)
{
    e->held = *before;
    emit_forget(e, step->body);
    emit_forget(e, step->other);
}

static bool emit_if(struct emit *e, const struct gen_step *step, struct place at)
{
    const uint32_t n = ++e->ifs;
    const struct id yes = gen_id("%%then_%u", n), merge = gen_id("%%end_if_%u", n);
    const struct id no = step->other ? gen_id("%%else_%u", n) : merge;
    const struct id condition = emit_condition(e, &step->when);
    bool open = !step->other;
    emit_put(e, "OpSelectionMerge %s None", merge.is);
    emit_put(e, "OpBranchConditional %s %s %s", condition.is, yes.is, no.is);
    const struct held before = e->held;
    emit_label(e, yes);
    if (emit_list(e, step->body, at)) {
        branch(e, merge);
        open = true;
    }
    if (step->other) {
        emit_put(e, "; else");
        e->held = before;
        emit_label(e, no);
        if (emit_list(e, step->other, at)) {
            branch(e, merge);
            open = true;
        }
    }
    emit_label(e, merge);
    forget(e, step, &before);
    if (!open && !at.continuing)
        emit_put(e, "OpUnreachable");
    return open || at.continuing;
}

// The counter is a phi, with values from the entry and from the back edge, which all remaining
// lanes pass.
static bool emit_loop(struct emit *e, const struct gen_step *step, struct place at)
{
    const uint32_t n = ++e->loops;
    const bool tests = step->kind == MASKS_WHILE && step->when.value != GEN_NONE;
    const struct id header = gen_id("%%loop_%u", n), body = gen_id("%%body_%u", n);
    const struct id again = gen_id("%%again_%u", n), merge = gen_id("%%end_loop_%u", n);
    const struct id next = step->other ? gen_id("%%continue_%u", n) : again;
    const struct id test = tests ? gen_id("%%test_%u", n) : body, before = e->block;
    const struct id counter = gen_id("%%%c_%u", 'i' + (int)at.loops, n);
    const struct held entered = e->held;
    forget(e, step, &entered);
    const struct held held = e->held;
    branch(e, header);
    emit_label(e, header);
    emit_put(e, "%s = OpPhi %%uint #0 %s %%next_%s %s", counter.is, before.is, counter.is + 1,
             again.is);
    emit_put(e, "OpLoopMerge %s %s None", merge.is, next.is);
    branch(e, test);
    e->iteration[at.loops] = counter;
    if (tests) {
        emit_label(e, test);
        const struct id condition = emit_condition(e, &step->when);
        emit_put(e, "OpBranchConditional %s %s %s", condition.is, body.is, merge.is);
    }
    emit_label(e, body);
    if (emit_list(e, step->body, (struct place){at.loops + 1, merge, next, at.continuing}))
        branch(e, next);
    if (step->other) {
        emit_put(e, "; the continue construct");
        e->held = held;
        emit_label(e, next);
        emit_list(e, step->other, (struct place){.loops = at.loops + 1, .continuing = true});
        branch(e, again);
    }
    if (step->kind == MASKS_DO)
        note_step(e, &(struct gen_step){.kind = MASKS_WHILE, .when = step->when});
    e->held = held;
    emit_label(e, again);
    emit_put(e, "%%next_%s = OpIAdd %%uint %s #1", counter.is + 1, counter.is);
    if (step->kind == MASKS_DO) {
        const struct id condition = emit_condition(e, &step->when);
        emit_put(e, "OpBranchConditional %s %s %s", condition.is, header.is, merge.is);
    } else {
        branch(e, header);
    }
    emit_label(e, merge);
    e->held = held;
    return true;
}

static struct id case_name(uint32_t n, const struct gen_step *one)
{
    return one->is_default ? gen_id("%%default_%u", n) : gen_id("%%case_%u_%u", n, one->value);
}

static bool emit_switch(struct emit *e, const struct gen_step *step, struct place at)
{
    const uint32_t n = ++e->switches;
    const struct gen_step *steps = e->program->steps;
    OWNED(text_free) struct text cases = {0};
    struct id fallback = at.broke = gen_id("%%end_switch_%u", n);
    e->conditions++;
    const struct id selector = emit_number(e, &step->when);
    text_puts(&cases, "");
    for (uint32_t i = step->body; i; i = steps[i].next)
        if (steps[i].is_default)
            fallback = case_name(n, &steps[i]);
        else
            text_printf(&cases, " %u %s", steps[i].value, case_name(n, &steps[i]).is);
    emit_put(e, "OpSelectionMerge %s None", at.broke.is);
    emit_put(e, "OpSwitch %s %s%s", selector.is, fallback.is, cases.length ? cases.data : "");
    const struct held before = e->held;
    for (uint32_t i = step->body; i; i = steps[i].next) {
        note_step(e, &steps[i]);
        e->held = before;
        emit_forget(e, step->body); // a case that falls through to here has assigned
        emit_label(e, case_name(n, &steps[i]));
        if (emit_list(e, steps[i].body, at))
            branch(e, steps[i].falls ? case_name(n, &steps[steps[i].next]) : at.broke);
    }
    emit_label(e, at.broke);
    forget(e, step, &before);
    return true;
}

static void emit_call(struct emit *e, const struct gen_step *step, struct place at)
{
    const uint32_t n = ++e->call_count;
    e->calls[n - 1] = (struct call){step->body, at.loops};
    emit_put(e, "%%called_%u = OpFunctionCall %%void %%function_%u %s %s %s%s%s%s%s", n, n,
             e->word.is, e->lane.is, e->records.is, at.loops > 0 ? " " : "",
             at.loops > 0 ? e->iteration[0].is : "", at.loops > 1 ? " " : "",
             at.loops > 1 ? e->iteration[1].is : "");
    emit_forget(e, step->body);
}

// Emits steps; returns whether control may reach the end of the list. Omits unreachable steps.
static bool emit_list(struct emit *e, uint32_t first, struct place at)
{
    bool open = true;
    for (uint32_t i = first; i && open; i = e->program->steps[i].next) {
        const struct gen_step *step = &e->program->steps[i];
        if (step->kind != MASKS_LOOK && step->kind != MASKS_ELECT)
            note_step(e, step);
        switch (step->kind) {
        case MASKS_ACT:
            emit_act(e, i);
            break;
        case MASKS_LOOK:
        case MASKS_ELECT:
            emit_look(e, step, e->shape->of[i]);
            break;
        case MASKS_IF:
            open = emit_if(e, step, at);
            break;
        case MASKS_WHILE:
        case MASKS_DO:
            open = emit_loop(e, step, at);
            break;
        case MASKS_SWITCH:
            open = emit_switch(e, step, at);
            break;
        case MASKS_CALL:
            emit_call(e, step, at);
            break;
        case MASKS_BREAK:
        case MASKS_CONTINUE:
            branch(e, step->kind == MASKS_BREAK ? at.broke : at.continued);
            open = false;
            break;
        default:
            emit_put(e, "OpReturn");
            open = false;
        }
    }
    return open;
}

// Functions

static void emit_body(struct emit *e, uint32_t first, uint32_t loops, bool is_main)
{
    if (emit_list(e, first, (struct place){.loops = loops})) {
        if (is_main && e->program->numbers)
            emit_end(e);
        emit_put(e, "OpReturn");
    }
    emit_put(e, "OpFunctionEnd");
}

// Functions get the lane's word, its number, its records and the enclosing iterations.
static void emit_function(struct emit *e, uint32_t n)
{
    static const char *const types[] = {"called", "called_in_loop", "called_in_loops"};
    const struct call *call = &e->calls[n - 1];
    if (!e->callee[call->loops])
        text_printf(
            &e->lines.declared, "%%%-20s = OpTypeFunction %%void %%uint %%uint %%uint%s%s\n",
            types[call->loops], call->loops > 0 ? " %uint" : "", call->loops > 1 ? " %uint" : "");
    e->callee[call->loops] = true;
    e->word = gen_id("%%word_%u", n);
    e->lane = gen_id("%%lane_%u", n);
    e->records = gen_id("%%records_%u", n);
    emit_put(e, "; What is called: call %u", n);
    emit_put(e, "%%function_%u = OpFunction %%void None %%%s", n, types[call->loops]);
    emit_put(e, "%s = OpFunctionParameter %%uint", e->word.is);
    emit_put(e, "%s = OpFunctionParameter %%uint", e->lane.is);
    emit_put(e, "%s = OpFunctionParameter %%uint", e->records.is);
    for (uint32_t d = 0; d < call->loops; d++) {
        e->iteration[d] = gen_id("%%%c_of_call_%u", 'i' + (int)d, n);
        emit_put(e, "%s = OpFunctionParameter %%uint", e->iteration[d].is);
    }
    emit_label(e, gen_id("%%entry_%u", n));
    gen_declare_copies(e->program, n, &e->lines.code);
    if (e->program->numbers)
        emit_entry(e, n);
    emit_body(e, call->body, call->loops, false);
}

static void emit_main(struct emit *e, const struct gen_title *title)
{
    gen_template("main", title, e->program, &e->lines.code);
    emit_put(e, "%%records = OpIMul %%uint %%invocation #%u",
             e->shape->masks.slots + gen_registers_records(e->program));
    e->word = gen_id("%%word");
    e->lane = gen_id("%%lane");
    e->records = gen_id("%%records");
    e->block = gen_id("%%entry");
    if (e->program->numbers) {
        emit_entry(e, 0);
        emit_begin(e);
    }
    emit_body(e, e->program->first, 0, true);
}

void gen_module_make(const struct gen_program *program, enum masks_rule rule,
                     struct gen_module *module)
{
    const struct gen_title title = {.rule = rule};
    OWNED(lit_free) struct gen_shape *shape = gen_shape_make(program);
    OWNED(lit_free) struct emit *e = lit_alloc(1, sizeof *e);
    e->program = program;
    e->shape = shape;
    gen_converge(program, rule, &e->places);
    gen_template("declarations", &title, program, &e->lines.declared);
    gen_lines_know(&e->lines, 0);
    gen_lines_know(&e->lines, 1);
    gen_lines_know(&e->lines, 3);
    emit_main(e, &title);
    for (uint32_t n = 1; n <= e->call_count; n++)
        emit_function(e, n);
    *module = (struct gen_module){.text = gen_lines_end(&e->lines)};
    gen_assemble(module);
}

void gen_module_clear(struct gen_module *module)
{
    text_free(&module->text);
    free(module->words);
    *module = (struct gen_module){0};
}
