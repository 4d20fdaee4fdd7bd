// SPDX-License-Identifier: Apache-2.0
// Writes generated programs as SPIR-V assembly: the declarations and the steps, each construct as
// the structured control flow of SPIR-V has it.
#include "generate/module.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NUMBER 1024 // constants below it are made when they are needed

// What an operand is called: "%word", or "#5" for a constant.
struct name {
    char is[24];
};

// A function that is still to be emitted.
struct call {
    uint32_t body, loops;
};

struct emit {
    const struct gen_program *program;
    const struct gen_shape *shape;
    // The module is two texts, one behind the other: what is declared, which grows as constants are
    // needed, and the functions.
    struct text declared, code;
    bool is_declared[MAX_NUMBER];
    bool callee[MASKS_DEPTH + 1]; // types of functions, by the loops around the call
    // Of the function that is being emitted.
    struct name word, lane, records, iteration[MASKS_DEPTH], block;
    struct call calls[GEN_STEPS];
    uint32_t call_count;
    uint32_t ifs, loops, switches, conditions;
};

// Where a list of steps stands.
struct place {
    uint32_t loops;
    struct name broke, continued;
    bool continuing; // in a continue construct: each of its blocks leads to the loop's header
};

// Lines

__attribute__((format(printf, 1, 2))) static struct name name(const char *format, ...)
{
    struct name name;
    va_list list;
    va_start(list, format);
    vsnprintf(name.is, sizeof name.is, format, list);
    va_end(list);
    return name;
}

// Declares a constant at its first use, and appends what it is called.
static void put_constant(struct emit *e, uint32_t value, struct text *out)
{
    static const char *const words[] = {"zero", "one", "two", "three", "four"};
    const bool has_word = value < sizeof words / sizeof *words;
    const struct name id = has_word ? name("%%%s", words[value]) : name("%%number_%u", value);
    assert(value < MAX_NUMBER);
    if (!e->is_declared[value])
        text_printf(&e->declared, "%-21s = OpConstant %%uint %u\n", id.is, value);
    e->is_declared[value] = true;
    text_puts(out, id.is);
}

// Appends a line: an instruction, in two columns, with #N for the constant N; or a comment.
static void put_line(struct emit *e, const char *line, struct text *out)
{
    const char *equals = strstr(line, " = ");
    struct text made = {0};
    if (*line == ';') {
        text_printf(out, "\n%s\n", line);
        return;
    }
    for (const char *at = line; *at;) {
        const size_t length = strcspn(at, "#");
        text_append(&made, at, length);
        at += length;
        if (*at == '#') {
            char *end;
            put_constant(e, (uint32_t)strtoul(at + 1, &end, 10), &made);
            at = end;
        }
    }
    if (*line == '%' && equals)
        text_printf(out, "%-21.*s%s\n", (int)(equals - line), line, made.data + (equals - line));
    else
        text_printf(out, "%*s%s\n", *line ? 24 : 0, "", made.data ? made.data : "");
    text_free(&made);
}

__attribute__((format(printf, 2, 3))) static void put(struct emit *e, const char *format, ...)
{
    char line[512];
    va_list list;
    va_start(list, format);
    const int length = vsnprintf(line, sizeof line, format, list);
    va_end(list);
    assert(length >= 0 && (size_t)length < sizeof line);
    (void)length;
    put_line(e, line, &e->code);
}

static void put_lines(struct emit *e, const char *const *lines, struct text *out)
{
    for (; *lines; lines++)
        put_line(e, *lines, out);
}

static void label(struct emit *e, struct name id)
{
    put(e, "%s = OpLabel", id.is);
    e->block = id;
}

static void branch(struct emit *e, struct name id)
{
    put(e, "OpBranch %s", id.is);
}

// Conditions

// id + the iterations of the loops that the condition adds.
static struct name add_turns(struct emit *e, struct name id, const struct gen_condition *when)
{
    for (uint32_t d = 0; d < MASKS_DEPTH; d++)
        if (when->loops >> d & 1) {
            const struct name sum = name("%%turned_%u_%u", e->conditions, d);
            put(e, "%s = OpIAdd %%uint %s %s", sum.is, id.is, e->iteration[d].is);
            id = sum;
        }
    return id;
}

// The bits of `from` that the mask has, from a bit on.
static struct name bits_of(struct emit *e, struct name from, struct name shift, uint32_t mask)
{
    const uint32_t n = e->conditions;
    const struct name shifted = name("%%shifted_%u", n), bits = name("%%bits_%u", n);
    const bool shifts = strcmp(shift.is, "#0") != 0;
    if (shifts)
        put(e, "%s = OpShiftRightLogical %%uint %s %s", shifted.is, from.is, shift.is);
    put(e, "%s = OpBitwiseAnd %%uint %s #%u", bits.is, shifts ? shifted.is : from.is, mask);
    return bits;
}

// The value of a condition that is a number.
static struct name emit_number(struct emit *e, const struct gen_condition *when)
{
    const struct name at = name("#%u", when->at);
    struct name shift;
    switch ((enum gen_value)when->value) {
    case GEN_LANE_BIT:
        return bits_of(e, add_turns(e, e->lane, when), at, 1);
    case GEN_LANE_FIELD:
        return bits_of(e, add_turns(e, e->lane, when), name("#0"), 3);
    case GEN_TRIPS:
        return bits_of(e, e->word, at, 3);
    default:
        shift = add_turns(e, at, when);
        if (when->loops) {
            put(e, "%%shift_%u = OpBitwiseAnd %%uint %s #31", e->conditions, shift.is);
            shift = name("%%shift_%u", e->conditions);
        }
        return bits_of(e, e->word, shift, when->value == GEN_FIELD ? 3 : 1);
    }
}

static struct name emit_condition(struct emit *e, const struct gen_condition *when)
{
    const uint32_t n = ++e->conditions;
    const struct name counter = e->iteration[when->loops == 2];
    struct name left = counter, right = name("#%u", when->at);
    const char *op = "OpULessThan";
    switch ((enum gen_value)when->value) {
    case GEN_TRUE:
        return name("%%true");
    case GEN_ELECT:
        put(e, "%%condition_%u = OpGroupNonUniformElect %%bool %%subgroup_scope", n);
        return name("%%condition_%u", n);
    case GEN_TRIPS:
        right = emit_number(e, when);
        break;
    case GEN_BELOW:
        break;
    case GEN_PAST:
        op = "OpUGreaterThanEqual";
        break;
    case GEN_LANE_IS:
        op = "OpIEqual";
        left = e->lane;
        right = add_turns(e, right, when);
        break;
    default:
        op = "OpINotEqual";
        left = emit_number(e, when);
        right = name("#0");
    }
    put(e, "%%condition_%u = %s %%bool %s %s", n, op, left.is, right.is);
    return name("%%condition_%u", n);
}

// Steps

static bool emit_list(struct emit *e, uint32_t first, struct place at);

static void note_step(struct emit *e, const struct gen_step *step)
{
    struct text text = {0};
    gen_write_step(step, &text);
    put(e, "; %s", text.data);
    text_free(&text);
}

// The number of the record in which this place stores, this time.
static struct name emit_record(struct emit *e, const struct masks_step *place, const char *n)
{
    struct name record = name("%%record_%s", n);
    put(e, "%s = OpIAdd %%uint %s #%u", record.is, e->records.is, place->slot);
    for (uint32_t d = 0; d < MASKS_DEPTH; d++) {
        const struct name before = record, row = name("%%row_%s", n);
        struct name turns = e->iteration[d];
        if (place->by[d] == 0)
            continue;
        if (place->by[d] > 1) {
            put(e, "%s = OpIMul %%uint %s #%u", row.is, turns.is, place->by[d]);
            turns = row;
        }
        record = name("%%record_%s_%c", n, 'i' + (int)d);
        put(e, "%s = OpIAdd %%uint %s %s", record.is, before.is, turns.is);
    }
    return record;
}

static void emit_look(struct emit *e, const struct gen_step *step, const struct masks_step *place)
{
    const char *n = strrchr(place->name, ' ') + 1;
    if (step->kind == MASKS_LOOK) {
        put(e, "; %s: who executes this together", place->name);
        put(e, "%%mask_%s = OpGroupNonUniformBallot %%uint4 %%subgroup_scope %%true", n);
    } else {
        put(e, "; %s: who is elected, 255 for that lane and 240 for the others", place->name);
        put(e, "%%elected_%s = OpGroupNonUniformElect %%bool %%subgroup_scope", n);
        put(e, "%%tag_%s = OpSelect %%uint %%elected_%s #255 #240", n, n);
        put(e, "%%mask_%s = OpCompositeConstruct %%uint4 %%tag_%s #0 #0 #0", n, n);
    }
    const struct name record = emit_record(e, place, n);
    put(e, "%%at_%s = OpAccessChain %%mask_pointer %%output #0 %s", n, record.is);
    put(e, "OpStore %%at_%s %%mask_%s", n, n);
}

static bool emit_if(struct emit *e, const struct gen_step *step, struct place at)
{
    const uint32_t n = ++e->ifs;
    const struct name yes = name("%%then_%u", n), merge = name("%%end_if_%u", n);
    const struct name no = step->other ? name("%%else_%u", n) : merge;
    const struct name condition = emit_condition(e, &step->when);
    bool open = !step->other;
    put(e, "OpSelectionMerge %s None", merge.is);
    put(e, "OpBranchConditional %s %s %s", condition.is, yes.is, no.is);
    label(e, yes);
    if (emit_list(e, step->body, at)) {
        branch(e, merge);
        open = true;
    }
    if (step->other) {
        put(e, "; else");
        label(e, no);
        if (emit_list(e, step->other, at)) {
            branch(e, merge);
            open = true;
        }
    }
    label(e, merge);
    if (!open && !at.continuing)
        put(e, "OpUnreachable");
    return open || at.continuing;
}

// The counter is a phi: it is set on the way in and on the way back, where all who stay pass.
static bool emit_loop(struct emit *e, const struct gen_step *step, struct place at)
{
    const uint32_t n = ++e->loops;
    const bool tests = step->kind == MASKS_WHILE && step->when.value != GEN_NONE;
    const struct name header = name("%%loop_%u", n), body = name("%%body_%u", n);
    const struct name again = name("%%again_%u", n), merge = name("%%end_loop_%u", n);
    const struct name next = step->other ? name("%%continue_%u", n) : again;
    const struct name test = tests ? name("%%test_%u", n) : body, before = e->block;
    const struct name counter = name("%%%c_%u", 'i' + (int)at.loops, n);
    branch(e, header);
    label(e, header);
    put(e, "%s = OpPhi %%uint #0 %s %%next_%s %s", counter.is, before.is, counter.is + 1, again.is);
    put(e, "OpLoopMerge %s %s None", merge.is, next.is);
    branch(e, test);
    e->iteration[at.loops] = counter;
    if (tests) {
        label(e, test);
        const struct name condition = emit_condition(e, &step->when);
        put(e, "OpBranchConditional %s %s %s", condition.is, body.is, merge.is);
    }
    label(e, body);
    if (emit_list(e, step->body, (struct place){at.loops + 1, merge, next, at.continuing}))
        branch(e, next);
    if (step->other) {
        put(e, "; the continue construct");
        label(e, next);
        emit_list(e, step->other, (struct place){.loops = at.loops + 1, .continuing = true});
        branch(e, again);
    }
    if (step->kind == MASKS_DO)
        note_step(e, &(struct gen_step){.kind = MASKS_WHILE, .when = step->when});
    label(e, again);
    put(e, "%%next_%s = OpIAdd %%uint %s #1", counter.is + 1, counter.is);
    if (step->kind == MASKS_DO) {
        const struct name condition = emit_condition(e, &step->when);
        put(e, "OpBranchConditional %s %s %s", condition.is, header.is, merge.is);
    } else {
        branch(e, header);
    }
    label(e, merge);
    return true;
}

static struct name case_name(uint32_t n, const struct gen_step *one)
{
    return one->is_default ? name("%%default_%u", n) : name("%%case_%u_%u", n, one->value);
}

static bool emit_switch(struct emit *e, const struct gen_step *step, struct place at)
{
    const uint32_t n = ++e->switches;
    const struct gen_step *steps = e->program->steps;
    struct text cases = {0};
    struct name fallback = at.broke = name("%%end_switch_%u", n);
    e->conditions++;
    const struct name selector = emit_number(e, &step->when);
    text_puts(&cases, "");
    for (uint32_t i = step->body; i; i = steps[i].next)
        if (steps[i].is_default)
            fallback = case_name(n, &steps[i]);
        else
            text_printf(&cases, " %u %s", steps[i].value, case_name(n, &steps[i]).is);
    put(e, "OpSelectionMerge %s None", at.broke.is);
    put(e, "OpSwitch %s %s%s", selector.is, fallback.is, cases.length ? cases.data : "");
    text_free(&cases);
    for (uint32_t i = step->body; i; i = steps[i].next) {
        note_step(e, &steps[i]);
        label(e, case_name(n, &steps[i]));
        if (emit_list(e, steps[i].body, at))
            branch(e, steps[i].falls ? case_name(n, &steps[steps[i].next]) : at.broke);
    }
    label(e, at.broke);
    return true;
}

static void emit_call(struct emit *e, const struct gen_step *step, struct place at)
{
    const uint32_t n = ++e->call_count;
    e->calls[n - 1] = (struct call){step->body, at.loops};
    put(e, "%%called_%u = OpFunctionCall %%void %%function_%u %s %s %s%s%s%s%s", n, n, e->word.is,
        e->lane.is, e->records.is, at.loops > 0 ? " " : "", at.loops > 0 ? e->iteration[0].is : "",
        at.loops > 1 ? " " : "", at.loops > 1 ? e->iteration[1].is : "");
}

// Emits the steps; whether control may reach the end of the list. What follows a step that nobody
// passes is left out.
static bool emit_list(struct emit *e, uint32_t first, struct place at)
{
    bool open = true;
    for (uint32_t i = first; i && open; i = e->program->steps[i].next) {
        const struct gen_step *step = &e->program->steps[i];
        if (step->kind != MASKS_LOOK && step->kind != MASKS_ELECT)
            note_step(e, step);
        switch (step->kind) {
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
            put(e, "OpReturn");
            open = false;
        }
    }
    return open;
}

// Functions

static void emit_body(struct emit *e, uint32_t first, uint32_t loops)
{
    if (emit_list(e, first, (struct place){.loops = loops}))
        put(e, "OpReturn");
    put(e, "OpFunctionEnd");
}

// What a function is handed: the lane's word, its number, its records, the iterations around.
static void emit_function(struct emit *e, uint32_t n)
{
    static const char *const types[] = {"called", "called_in_loop", "called_in_loops"};
    const struct call *call = &e->calls[n - 1];
    if (!e->callee[call->loops])
        text_printf(&e->declared, "%%%-20s = OpTypeFunction %%void %%uint %%uint %%uint%s%s\n",
                    types[call->loops], call->loops > 0 ? " %uint" : "",
                    call->loops > 1 ? " %uint" : "");
    e->callee[call->loops] = true;
    e->word = name("%%word_%u", n);
    e->lane = name("%%lane_%u", n);
    e->records = name("%%records_%u", n);
    put(e, "; What is called: call %u", n);
    put(e, "%%function_%u = OpFunction %%void None %%%s", n, types[call->loops]);
    put(e, "%s = OpFunctionParameter %%uint", e->word.is);
    put(e, "%s = OpFunctionParameter %%uint", e->lane.is);
    put(e, "%s = OpFunctionParameter %%uint", e->records.is);
    for (uint32_t d = 0; d < call->loops; d++) {
        e->iteration[d] = name("%%%c_of_call_%u", 'i' + (int)d, n);
        put(e, "%s = OpFunctionParameter %%uint", e->iteration[d].is);
    }
    label(e, name("%%entry_%u", n));
    emit_body(e, call->body, call->loops);
}

// Who an invocation is, as in spirv/common/lane-word.h.
static const char *const main_lines[] = {
    "",
    "%main = OpFunction %void None %procedure",
    "%entry = OpLabel",
    "; Who this invocation is: subgroups count in the order of their ids.",
    "%lane = OpLoad %uint %lane_input",
    "%subgroup = OpLoad %uint %subgroup_input",
    "%workgroup_id = OpLoad %uint3 %workgroup_input",
    "%workgroup = OpCompositeExtract %uint %workgroup_id 0",
    "%subgroup_size_at = OpAccessChain %push_uint %push #3",
    "%subgroup_size = OpLoad %uint %subgroup_size_at",
    "%workgroup_start = OpIMul %uint %workgroup %workgroup_width",
    "%subgroup_offset = OpIMul %uint %subgroup %subgroup_size",
    "%subgroup_start = OpIAdd %uint %workgroup_start %subgroup_offset",
    "%invocation = OpIAdd %uint %subgroup_start %lane",
    "; The lane's word, of which its conditions are made, and where its records begin.",
    "%word_at = OpAccessChain %word_pointer %input #0 %invocation",
    "%word = OpLoad %uint %word_at",
    NULL,
};

static void emit_main(struct emit *e)
{
    put_lines(e, main_lines, &e->code);
    put(e, "%%records = OpIMul %%uint %%invocation #%u", e->shape->masks.slots);
    e->word = name("%%word");
    e->lane = name("%%lane");
    e->records = name("%%records");
    e->block = name("%%entry");
    emit_body(e, e->program->first, 0);
}

// Declarations

// What comes before and behind the execution mode of the rule.
static const char *const declarations[] = {
    "; The workgroup is workgroup_width x 1 x 1, and the width is specialization constant 0.",
    "OpDecorate %workgroup_width SpecId 0",
    "OpDecorate %workgroup_size BuiltIn WorkgroupSize",
    "OpDecorate %lane_input BuiltIn SubgroupLocalInvocationId",
    "OpDecorate %subgroup_input BuiltIn SubgroupId",
    "OpDecorate %workgroup_input BuiltIn WorkgroupId",
    "; The input is an array of words, the output one of records: four words each.",
    "OpDecorate %words ArrayStride 4",
    "OpDecorate %masks ArrayStride 16",
    "OpDecorate %word_buffer Block",
    "OpDecorate %mask_buffer Block",
    "OpMemberDecorate %word_buffer 0 Offset 0",
    "OpMemberDecorate %mask_buffer 0 Offset 0",
    "OpDecorate %input DescriptorSet 0",
    "OpDecorate %input Binding 0",
    "OpDecorate %output DescriptorSet 0",
    "OpDecorate %output Binding 1",
    "; The push constants: three addresses, the subgroup size, a seed.",
    "OpDecorate %parameters Block",
    "OpMemberDecorate %parameters 0 Offset 0",
    "OpMemberDecorate %parameters 1 Offset 8",
    "OpMemberDecorate %parameters 2 Offset 16",
    "OpMemberDecorate %parameters 3 Offset 24",
    "OpMemberDecorate %parameters 4 Offset 28",
    "; Types, constants, variables.",
    "%void = OpTypeVoid",
    "%procedure = OpTypeFunction %void",
    "%bool = OpTypeBool",
    "%uint = OpTypeInt 32 0",
    "%uint2 = OpTypeVector %uint 2",
    "%uint3 = OpTypeVector %uint 3",
    "%uint4 = OpTypeVector %uint 4",
    "%true = OpConstantTrue %bool",
    "%subgroup_scope = OpConstant %uint 3",
    "%one = OpConstant %uint 1",
    "%workgroup_width = OpSpecConstant %uint 64",
    "%workgroup_size = OpSpecConstantComposite %uint3 %workgroup_width %one %one",
    "%uint_input = OpTypePointer Input %uint",
    "%uint3_input = OpTypePointer Input %uint3",
    "%lane_input = OpVariable %uint_input Input",
    "%subgroup_input = OpVariable %uint_input Input",
    "%workgroup_input = OpVariable %uint3_input Input",
    "%words = OpTypeRuntimeArray %uint",
    "%masks = OpTypeRuntimeArray %uint4",
    "%word_buffer = OpTypeStruct %words",
    "%mask_buffer = OpTypeStruct %masks",
    "%parameters = OpTypeStruct %uint2 %uint2 %uint2 %uint %uint",
    "%word_buffer_pointer = OpTypePointer StorageBuffer %word_buffer",
    "%mask_buffer_pointer = OpTypePointer StorageBuffer %mask_buffer",
    "%push_parameters = OpTypePointer PushConstant %parameters",
    "%word_pointer = OpTypePointer StorageBuffer %uint",
    "%mask_pointer = OpTypePointer StorageBuffer %uint4",
    "%push_uint = OpTypePointer PushConstant %uint",
    "%input = OpVariable %word_buffer_pointer StorageBuffer",
    "%output = OpVariable %mask_buffer_pointer StorageBuffer",
    "%push = OpVariable %push_parameters PushConstant",
    NULL,
};

static void declare(struct emit *e, enum masks_rule rule)
{
    static const struct {
        const char *extension, *mode;
    } rules[] = {
        [MASKS_SUBGROUP_UNIFORM] = {"OpExtension \"SPV_KHR_subgroup_uniform_control_flow\"",
                                    "OpExecutionMode %main SubgroupUniformControlFlowKHR"},
        [MASKS_MAXIMAL] = {"OpExtension \"SPV_KHR_maximal_reconvergence\"",
                           "OpExecutionMode %main MaximallyReconvergesKHR"},
    };
    const char *const first[] = {"OpCapability Shader", "OpCapability GroupNonUniform",
                                 "OpCapability GroupNonUniformBallot", rules[rule].extension, NULL};
    const char *const modes[] = {
        "OpMemoryModel Logical GLSL450",
        "OpEntryPoint GLCompute %main \"main\" %lane_input %subgroup_input %workgroup_input",
        "OpExecutionMode %main LocalSize 1 1 1",
        rules[rule].mode,
        NULL,
    };
    put_lines(e, first, &e->declared);
    put_lines(e, modes, &e->declared);
    put_lines(e, declarations, &e->declared);
    e->is_declared[1] = true;
}

void gen_module_make(const struct gen_program *program, enum masks_rule rule,
                     struct gen_module *module)
{
    struct gen_shape *shape = gen_shape_make(program);
    struct emit *e = lit_alloc(1, sizeof *e);
    e->program = program;
    e->shape = shape;
    declare(e, rule);
    emit_main(e);
    for (uint32_t n = 1; n <= e->call_count; n++)
        emit_function(e, n);
    text_append(&e->declared, e->code.data, e->code.length);
    text_free(&e->code);
    *module = (struct gen_module){.text = e->declared};
    gen_assemble(module);
    free(shape);
    free(e);
}

void gen_module_clear(struct gen_module *module)
{
    text_free(&module->text);
    free(module->words);
    *module = (struct gen_module){0};
}
