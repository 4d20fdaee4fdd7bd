// SPDX-License-Identifier: Apache-2.0
// Emits generated programs: the declarations and the steps, each construct as the structured
// control flow of SPIR-V has it.
#include "generate/module.h"

#include <assert.h>
#include <spirv/unified1/spirv.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Younger than some versions of the header.
#define MODE_MAXIMALLY_RECONVERGES 6023
#define MODE_SUBGROUP_UNIFORM      4421
#define MAX_NUMBER                 1024 // constants below it are made when they are needed

// A list of instructions. The module is two of them, one behind the other: what is declared, which
// grows as constants are needed, and the functions.
struct stream {
    uint32_t *words;
    size_t count, capacity;
    struct gen_note *notes;
    size_t note_count;
};

// A function that is still to be emitted.
struct call {
    uint32_t id, body, loops;
};

struct emit {
    const struct gen_program *program;
    const struct gen_shape *shape;
    struct gen_module *module;
    struct stream declared, code, *out;
    char note[128]; // of the next instruction
    // What is declared.
    uint32_t main, void_type, procedure, boolean, uint, uint3, uint4, true_id, subgroup_scope;
    uint32_t words_pointer, masks_pointer, push_uint, input, output, push;
    uint32_t lane_input, subgroup_input, workgroup_input, width;
    uint32_t numbers[MAX_NUMBER];
    uint32_t callee[MASKS_DEPTH + 1]; // types of functions, by the loops around the call
    // Of the function that is being emitted.
    uint32_t word, lane, records, iteration[MASKS_DEPTH], block;
    struct call calls[GEN_STEPS];
    uint32_t call_count;
    uint32_t ifs, loops, switches, conditions;
};

// Where a list of steps stands.
struct place {
    uint32_t loops, broke, continued;
    bool continuing; // in a continue construct: each of its blocks leads to the loop's header
};

// Words, ids, notes

__attribute__((format(printf, 2, 3))) static uint32_t name(struct emit *e, const char *format, ...)
{
    struct gen_module *module = e->module;
    const uint32_t id = module->bound++;
    va_list list;
    module->names = lit_realloc(module->names, module->bound, sizeof *module->names);
    va_start(list, format);
    vsnprintf(module->names[id], GEN_NAME, format, list);
    va_end(list);
    return id;
}

__attribute__((format(printf, 2, 3))) static void note(struct emit *e, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(e->note, sizeof e->note, format, list);
    va_end(list);
}

static void put(struct stream *out, uint32_t word)
{
    if (out->count == out->capacity) {
        out->capacity = 2 * out->capacity + 256;
        out->words = lit_realloc(out->words, out->capacity, 4);
    }
    out->words[out->count++] = word;
}

// Appends an instruction of `count` operands.
static void op(struct emit *e, uint32_t opcode, uint32_t count, ...)
{
    struct stream *out = e->out;
    va_list list;
    if (e->note[0]) {
        out->notes = lit_realloc(out->notes, out->note_count + 1, sizeof *out->notes);
        out->notes[out->note_count++] = (struct gen_note){out->count, lit_strdup(e->note)};
        e->note[0] = '\0';
    }
    put(out, (count + 1) << 16 | opcode);
    va_start(list, count);
    for (uint32_t i = 0; i < count; i++)
        put(out, va_arg(list, uint32_t));
    va_end(list);
}

// Appends one more operand to the last instruction, which begins at word `start`.
static void more(struct stream *out, size_t start, uint32_t word)
{
    put(out, word);
    out->words[start] += 1u << 16;
}

static void more_text(struct stream *out, size_t start, const char *text)
{
    const size_t length = strlen(text);
    for (size_t at = 0; at <= length; at += 4) {
        uint32_t word = 0;
        for (size_t i = 0; i < 4 && at + i < length; i++)
            word |= (uint32_t)(unsigned char)text[at + i] << 8 * i;
        more(out, start, word);
    }
}

static uint32_t unary(struct emit *e, uint32_t opcode, uint32_t type, uint32_t id, uint32_t a)
{
    op(e, opcode, 3, type, id, a);
    return id;
}

static uint32_t binary(struct emit *e, uint32_t opcode, uint32_t type, uint32_t id, uint32_t a,
                       uint32_t b)
{
    op(e, opcode, 4, type, id, a, b);
    return id;
}

static void label(struct emit *e, uint32_t id)
{
    op(e, SpvOpLabel, 1, id);
    e->block = id;
}

static uint32_t constant(struct emit *e, uint32_t value)
{
    static const char *const words[] = {"zero", "one", "two", "three", "four"};
    assert(value < MAX_NUMBER);
    if (!e->numbers[value]) {
        struct stream *out = e->out;
        char pending[sizeof e->note];
        memcpy(pending, e->note, sizeof pending);
        e->note[0] = '\0';
        e->out = &e->declared;
        e->numbers[value] = value < sizeof words / sizeof *words ? name(e, "%s", words[value])
                                                                 : name(e, "number_%u", value);
        op(e, SpvOpConstant, 3, e->uint, e->numbers[value], value);
        memcpy(e->note, pending, sizeof pending);
        e->out = out;
    }
    return e->numbers[value];
}

// Conditions

// id + the iterations of the loops that the condition adds.
static uint32_t add_turns(struct emit *e, uint32_t id, const struct gen_condition *when)
{
    for (uint32_t d = 0; d < MASKS_DEPTH; d++)
        if (when->loops >> d & 1)
            id = binary(e, SpvOpIAdd, e->uint, name(e, "turned_%u_%u", e->conditions, d), id,
                        e->iteration[d]);
    return id;
}

// `bits` bits of `from`, from bit AT + turns on.
static uint32_t bits_of(struct emit *e, uint32_t from, uint32_t shift, uint32_t bits)
{
    const uint32_t n = e->conditions;
    const uint32_t moved = shift == e->numbers[0] ? from
                                                  : binary(e, SpvOpShiftRightLogical, e->uint,
                                                           name(e, "shifted_%u", n), from, shift);
    return binary(e, SpvOpBitwiseAnd, e->uint, name(e, "bits_%u", n), moved, constant(e, bits));
}

// The value of a condition that is a number.
static uint32_t emit_number(struct emit *e, const struct gen_condition *when)
{
    uint32_t shift;
    switch ((enum gen_value)when->value) {
    case GEN_LANE_BIT:
        return bits_of(e, add_turns(e, e->lane, when), constant(e, when->at), 1);
    case GEN_LANE_FIELD:
        return binary(e, SpvOpBitwiseAnd, e->uint, name(e, "bits_%u", e->conditions),
                      add_turns(e, e->lane, when), constant(e, 3));
    case GEN_TRIPS:
        return bits_of(e, e->word, constant(e, when->at), 3);
    default:
        shift = add_turns(e, constant(e, when->at), when);
        if (when->loops)
            shift = binary(e, SpvOpBitwiseAnd, e->uint, name(e, "shift_%u", e->conditions), shift,
                           constant(e, 31));
        return bits_of(e, e->word, shift, when->value == GEN_FIELD ? 3 : 1);
    }
}

static uint32_t emit_condition(struct emit *e, const struct gen_condition *when)
{
    const uint32_t n = ++e->conditions;
    const uint32_t counter = e->iteration[when->loops == 2];
    uint32_t number;
    switch ((enum gen_value)when->value) {
    case GEN_TRUE:
        return e->true_id;
    case GEN_ELECT:
        return unary(e, SpvOpGroupNonUniformElect, e->boolean, name(e, "condition_%u", n),
                     e->subgroup_scope);
    case GEN_TRIPS:
    case GEN_BELOW:
        number = when->value == GEN_TRIPS ? emit_number(e, when) : constant(e, when->at);
        return binary(e, SpvOpULessThan, e->boolean, name(e, "condition_%u", n), counter, number);
    case GEN_PAST:
        return binary(e, SpvOpUGreaterThanEqual, e->boolean, name(e, "condition_%u", n), counter,
                      constant(e, when->at));
    case GEN_LANE_IS:
        number = add_turns(e, constant(e, when->at), when);
        return binary(e, SpvOpIEqual, e->boolean, name(e, "condition_%u", n), e->lane, number);
    default:
        number = emit_number(e, when);
        return binary(e, SpvOpINotEqual, e->boolean, name(e, "condition_%u", n), number,
                      constant(e, 0));
    }
}

static uint32_t emit_selector(struct emit *e, const struct gen_condition *when)
{
    e->conditions++;
    return emit_number(e, when);
}

// Steps

static bool emit_list(struct emit *e, uint32_t first, struct place at);

static void note_step(struct emit *e, const struct gen_step *step)
{
    struct text text = {0};
    gen_write_step(step, &text);
    note(e, "%s", text.data);
    text_free(&text);
}

// The number of the record in which this place stores, this time.
static uint32_t emit_record(struct emit *e, const struct masks_step *place)
{
    const char *n = strrchr(place->name, ' ') + 1;
    uint32_t record = binary(e, SpvOpIAdd, e->uint, name(e, "record_%s", n), e->records,
                             constant(e, place->slot));
    for (uint32_t d = 0; d < MASKS_DEPTH; d++) {
        uint32_t turns = e->iteration[d];
        if (place->by[d] == 0)
            continue;
        if (place->by[d] > 1)
            turns = binary(e, SpvOpIMul, e->uint, name(e, "row_%s", n), turns,
                           constant(e, place->by[d]));
        record =
            binary(e, SpvOpIAdd, e->uint, name(e, "record_%s_%c", n, 'i' + (int)d), record, turns);
    }
    return record;
}

static void emit_look(struct emit *e, const struct gen_step *step, const struct masks_step *place)
{
    const char *n = strrchr(place->name, ' ') + 1;
    const uint32_t mask = name(e, "mask_%s", n);
    if (step->kind == MASKS_LOOK) {
        note(e, "%s: who executes this together", place->name);
        op(e, SpvOpGroupNonUniformBallot, 4, e->uint4, mask, e->subgroup_scope, e->true_id);
    } else {
        note(e, "%s: who is elected, 255 for that lane and 240 for the others", place->name);
        const uint32_t elected = unary(e, SpvOpGroupNonUniformElect, e->boolean,
                                       name(e, "elected_%s", n), e->subgroup_scope);
        const uint32_t tag = name(e, "tag_%s", n), zero = constant(e, 0);
        op(e, SpvOpSelect, 5, e->uint, tag, elected, constant(e, 255), constant(e, 240));
        op(e, SpvOpCompositeConstruct, 6, e->uint4, mask, tag, zero, zero, zero);
    }
    const uint32_t record = emit_record(e, place), at = name(e, "at_%s", n);
    op(e, SpvOpAccessChain, 5, e->masks_pointer, at, e->output, constant(e, 0), record);
    op(e, SpvOpStore, 2, at, mask);
}

static bool emit_if(struct emit *e, const struct gen_step *step, struct place at)
{
    const uint32_t n = ++e->ifs;
    const uint32_t yes = name(e, "then_%u", n);
    const uint32_t no = step->other ? name(e, "else_%u", n) : 0;
    const uint32_t merge = name(e, "end_if_%u", n);
    const uint32_t condition = emit_condition(e, &step->when);
    bool open = !step->other;
    op(e, SpvOpSelectionMerge, 2, merge, 0);
    op(e, SpvOpBranchConditional, 3, condition, yes, no ? no : merge);
    label(e, yes);
    if (emit_list(e, step->body, at)) {
        op(e, SpvOpBranch, 1, merge);
        open = true;
    }
    if (no) {
        note(e, "else");
        label(e, no);
        if (emit_list(e, step->other, at)) {
            op(e, SpvOpBranch, 1, merge);
            open = true;
        }
    }
    label(e, merge);
    if (!open && !at.continuing)
        op(e, SpvOpUnreachable, 0);
    return open || at.continuing;
}

// The counter is a phi: it is set on the way in and on the way back, where all who stay pass.
static bool emit_loop(struct emit *e, const struct gen_step *step, struct place at)
{
    const uint32_t n = ++e->loops;
    const uint32_t header = name(e, "loop_%u", n), body = name(e, "body_%u", n);
    const uint32_t next = step->other ? name(e, "continue_%u", n) : 0;
    const uint32_t again = name(e, "again_%u", n), merge = name(e, "end_loop_%u", n);
    const uint32_t counter = name(e, "%c_%u", 'i' + (int)at.loops, n);
    const uint32_t counted = name(e, "next_%c_%u", 'i' + (int)at.loops, n);
    const uint32_t tested =
        step->kind == MASKS_WHILE && step->when.value != GEN_NONE ? name(e, "test_%u", n) : body;
    const struct place inner = {at.loops + 1, merge, next ? next : again, at.continuing};
    const uint32_t zero = constant(e, 0), one = constant(e, 1), before = e->block;
    op(e, SpvOpBranch, 1, header);
    label(e, header);
    op(e, SpvOpPhi, 6, e->uint, counter, zero, before, counted, again);
    op(e, SpvOpLoopMerge, 3, merge, inner.continued, 0);
    op(e, SpvOpBranch, 1, tested);
    e->iteration[at.loops] = counter;
    if (tested != body) {
        label(e, tested);
        op(e, SpvOpBranchConditional, 3, emit_condition(e, &step->when), body, merge);
    }
    label(e, body);
    if (emit_list(e, step->body, inner))
        op(e, SpvOpBranch, 1, inner.continued);
    if (next) {
        note(e, "the continue construct");
        label(e, next);
        emit_list(e, step->other, (struct place){.loops = at.loops + 1, .continuing = true});
        op(e, SpvOpBranch, 1, again);
    }
    if (step->kind == MASKS_DO)
        note_step(e, &(struct gen_step){.kind = MASKS_WHILE, .when = step->when});
    label(e, again);
    binary(e, SpvOpIAdd, e->uint, counted, counter, one);
    if (step->kind == MASKS_DO)
        op(e, SpvOpBranchConditional, 3, emit_condition(e, &step->when), header, merge);
    else
        op(e, SpvOpBranch, 1, header);
    label(e, merge);
    return true;
}

static bool emit_switch(struct emit *e, const struct gen_step *step, struct place at)
{
    const uint32_t n = ++e->switches, merge = name(e, "end_switch_%u", n);
    const uint32_t selector = emit_selector(e, &step->when);
    uint32_t labels[GEN_CASES + 2] = {0}, count = 0, fallback = merge;
    for (uint32_t i = step->body; i; i = e->program->steps[i].next) {
        const struct gen_step *one = &e->program->steps[i];
        labels[count] =
            one->is_default ? name(e, "default_%u", n) : name(e, "case_%u_%u", n, one->value);
        if (one->is_default)
            fallback = labels[count];
        count++;
    }
    op(e, SpvOpSelectionMerge, 2, merge, 0);
    const size_t start = e->out->count;
    op(e, SpvOpSwitch, 2, selector, fallback);
    count = 0;
    for (uint32_t i = step->body; i; i = e->program->steps[i].next, count++) {
        if (e->program->steps[i].is_default)
            continue;
        more(e->out, start, e->program->steps[i].value);
        more(e->out, start, labels[count]);
    }
    at.broke = merge;
    count = 0;
    for (uint32_t i = step->body; i; i = e->program->steps[i].next, count++) {
        const struct gen_step *one = &e->program->steps[i];
        note_step(e, one);
        label(e, labels[count]);
        if (emit_list(e, one->body, at))
            op(e, SpvOpBranch, 1, one->falls ? labels[count + 1] : merge);
    }
    label(e, merge);
    return true;
}

// The type of a function that is called with so many loops around.
static uint32_t callee(struct emit *e, uint32_t loops)
{
    static const char *const names[] = {"called", "called_in_loop", "called_in_loops"};
    struct stream *out = e->out;
    if (e->callee[loops])
        return e->callee[loops];
    e->out = &e->declared;
    const size_t start = e->out->count;
    e->callee[loops] = name(e, "%s", names[loops]);
    op(e, SpvOpTypeFunction, 5, e->callee[loops], e->void_type, e->uint, e->uint, e->uint);
    for (uint32_t d = 0; d < loops; d++)
        more(e->out, start, e->uint);
    e->out = out;
    return e->callee[loops];
}

static void emit_call(struct emit *e, const struct gen_step *step, struct place at)
{
    struct call *call = &e->calls[e->call_count++];
    *call = (struct call){name(e, "function_%u", e->call_count), step->body, at.loops};
    const uint32_t result = name(e, "called_%u", e->call_count);
    const size_t start = e->out->count;
    op(e, SpvOpFunctionCall, 6, e->void_type, result, call->id, e->word, e->lane, e->records);
    for (uint32_t d = 0; d < at.loops; d++)
        more(e->out, start, e->iteration[d]);
}

// Emits the steps; whether control may reach the end of the list. What follows a step that nobody
// passes is left out.
static bool emit_list(struct emit *e, uint32_t first, struct place at)
{
    for (uint32_t i = first; i; i = e->program->steps[i].next) {
        const struct gen_step *step = &e->program->steps[i];
        bool open = true;
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
            op(e, SpvOpBranch, 1, step->kind == MASKS_BREAK ? at.broke : at.continued);
            open = false;
            break;
        default:
            op(e, SpvOpReturn, 0);
            open = false;
            break;
        }
        if (!open)
            return false;
    }
    return true;
}

// Functions

// What a function is handed: the lane's word, its number, its records, the iterations around.
static void emit_function(struct emit *e, const struct call *call)
{
    const uint32_t n = (uint32_t)(call - e->calls) + 1, type = callee(e, call->loops);
    e->word = name(e, "word_%u", n);
    e->lane = name(e, "lane_%u", n);
    e->records = name(e, "records_%u", n);
    note(e, "What is called: call %u", n);
    op(e, SpvOpFunction, 4, e->void_type, call->id, 0, type);
    op(e, SpvOpFunctionParameter, 2, e->uint, e->word);
    op(e, SpvOpFunctionParameter, 2, e->uint, e->lane);
    op(e, SpvOpFunctionParameter, 2, e->uint, e->records);
    for (uint32_t d = 0; d < call->loops; d++) {
        e->iteration[d] = name(e, "%c_of_call_%u", 'i' + (int)d, n);
        op(e, SpvOpFunctionParameter, 2, e->uint, e->iteration[d]);
    }
    label(e, name(e, "entry_%u", n));
    if (emit_list(e, call->body, (struct place){.loops = call->loops}))
        op(e, SpvOpReturn, 0);
    op(e, SpvOpFunctionEnd, 0);
}

static uint32_t load(struct emit *e, uint32_t type, const char *called, uint32_t pointer)
{
    return unary(e, SpvOpLoad, type, name(e, "%s", called), pointer);
}

// Who an invocation is, as in spirv/common/lane-word.h.
static void emit_lane(struct emit *e)
{
    note(e, "Who this invocation is: subgroups count in the order of their ids.");
    e->lane = load(e, e->uint, "lane", e->lane_input);
    const uint32_t subgroup = load(e, e->uint, "subgroup", e->subgroup_input);
    const uint32_t ids = load(e, e->uint3, "workgroup_id", e->workgroup_input);
    const uint32_t workgroup = name(e, "workgroup");
    op(e, SpvOpCompositeExtract, 4, e->uint, workgroup, ids, 0);
    const uint32_t at = name(e, "subgroup_size_at");
    op(e, SpvOpAccessChain, 4, e->push_uint, at, e->push, constant(e, 3));
    const uint32_t size = load(e, e->uint, "subgroup_size", at);
    const uint32_t start =
        binary(e, SpvOpIMul, e->uint, name(e, "workgroup_start"), workgroup, e->width);
    const uint32_t offset =
        binary(e, SpvOpIMul, e->uint, name(e, "subgroup_offset"), subgroup, size);
    const uint32_t base = binary(e, SpvOpIAdd, e->uint, name(e, "subgroup_start"), start, offset);
    const uint32_t invocation = binary(e, SpvOpIAdd, e->uint, name(e, "invocation"), base, e->lane);
    const uint32_t word_at = name(e, "word_at");
    note(e, "The lane's word, of which its conditions are made, and where its records begin.");
    op(e, SpvOpAccessChain, 5, e->words_pointer, word_at, e->input, constant(e, 0), invocation);
    e->word = load(e, e->uint, "word", word_at);
    e->records = binary(e, SpvOpIMul, e->uint, name(e, "records"), invocation,
                        constant(e, e->shape->masks.slots));
}

static void emit_main(struct emit *e)
{
    op(e, SpvOpFunction, 4, e->void_type, e->main, 0, e->procedure);
    label(e, name(e, "entry"));
    emit_lane(e);
    if (emit_list(e, e->program->first, (struct place){0}))
        op(e, SpvOpReturn, 0);
    op(e, SpvOpFunctionEnd, 0);
}

// Declarations

static void declare_mode(struct emit *e, enum masks_rule rule)
{
    static const char *const extensions[] = {
        [MASKS_SUBGROUP_UNIFORM] = "SPV_KHR_subgroup_uniform_control_flow",
        [MASKS_MAXIMAL] = "SPV_KHR_maximal_reconvergence",
    };
    op(e, SpvOpCapability, 1, SpvCapabilityShader);
    op(e, SpvOpCapability, 1, SpvCapabilityGroupNonUniform);
    op(e, SpvOpCapability, 1, SpvCapabilityGroupNonUniformBallot);
    if (rule != MASKS_DEFAULT) {
        const size_t start = e->out->count;
        op(e, SpvOpExtension, 0);
        more_text(e->out, start, extensions[rule]);
    }
    op(e, SpvOpMemoryModel, 2, SpvAddressingModelLogical, SpvMemoryModelGLSL450);
    const size_t start = e->out->count;
    op(e, SpvOpEntryPoint, 2, SpvExecutionModelGLCompute, e->main);
    more_text(e->out, start, "main");
    more(e->out, start, e->lane_input);
    more(e->out, start, e->subgroup_input);
    more(e->out, start, e->workgroup_input);
    op(e, SpvOpExecutionMode, 5, e->main, SpvExecutionModeLocalSize, 1, 1, 1);
    if (rule != MASKS_DEFAULT)
        op(e, SpvOpExecutionMode, 2, e->main,
           rule == MASKS_MAXIMAL ? MODE_MAXIMALLY_RECONVERGES : MODE_SUBGROUP_UNIFORM);
}

struct buffers {
    uint32_t words, masks, word_buffer, mask_buffer, parameters, size;
};

static void decorate(struct emit *e, const struct buffers *b)
{
    static const uint32_t offsets[] = {0, 8, 16, 24, 28};
    note(e,
         "The workgroup is workgroup_width x 1 x 1, and the width is specialization constant 0.");
    op(e, SpvOpDecorate, 3, e->width, SpvDecorationSpecId, 0);
    op(e, SpvOpDecorate, 3, b->size, SpvDecorationBuiltIn, SpvBuiltInWorkgroupSize);
    op(e, SpvOpDecorate, 3, e->lane_input, SpvDecorationBuiltIn,
       SpvBuiltInSubgroupLocalInvocationId);
    op(e, SpvOpDecorate, 3, e->subgroup_input, SpvDecorationBuiltIn, SpvBuiltInSubgroupId);
    op(e, SpvOpDecorate, 3, e->workgroup_input, SpvDecorationBuiltIn, SpvBuiltInWorkgroupId);
    note(e, "The input is an array of words, the output one of records: four words each.");
    op(e, SpvOpDecorate, 3, b->words, SpvDecorationArrayStride, 4);
    op(e, SpvOpDecorate, 3, b->masks, SpvDecorationArrayStride, 16);
    op(e, SpvOpDecorate, 2, b->word_buffer, SpvDecorationBlock);
    op(e, SpvOpDecorate, 2, b->mask_buffer, SpvDecorationBlock);
    op(e, SpvOpMemberDecorate, 4, b->word_buffer, 0, SpvDecorationOffset, 0);
    op(e, SpvOpMemberDecorate, 4, b->mask_buffer, 0, SpvDecorationOffset, 0);
    op(e, SpvOpDecorate, 3, e->input, SpvDecorationDescriptorSet, 0);
    op(e, SpvOpDecorate, 3, e->input, SpvDecorationBinding, 0);
    op(e, SpvOpDecorate, 3, e->output, SpvDecorationDescriptorSet, 0);
    op(e, SpvOpDecorate, 3, e->output, SpvDecorationBinding, 1);
    note(e, "The push constants: three addresses, the subgroup size, a seed.");
    op(e, SpvOpDecorate, 2, b->parameters, SpvDecorationBlock);
    for (uint32_t i = 0; i < sizeof offsets / sizeof *offsets; i++)
        op(e, SpvOpMemberDecorate, 4, b->parameters, i, SpvDecorationOffset, offsets[i]);
}

static uint32_t pointer(struct emit *e, const char *called, uint32_t class, uint32_t type)
{
    const uint32_t id = name(e, "%s", called);
    op(e, SpvOpTypePointer, 3, id, class, type);
    return id;
}

static void declare_types(struct emit *e, uint32_t uint2)
{
    note(e, "Types, constants, variables.");
    op(e, SpvOpTypeVoid, 1, e->void_type);
    op(e, SpvOpTypeFunction, 2, e->procedure, e->void_type);
    op(e, SpvOpTypeBool, 1, e->boolean);
    op(e, SpvOpTypeInt, 3, e->uint, 32, 0);
    op(e, SpvOpTypeVector, 3, uint2, e->uint, 2);
    op(e, SpvOpTypeVector, 3, e->uint3, e->uint, 3);
    op(e, SpvOpTypeVector, 3, e->uint4, e->uint, 4);
    op(e, SpvOpConstantTrue, 2, e->boolean, e->true_id);
    op(e, SpvOpConstant, 3, e->uint, e->subgroup_scope, SpvScopeSubgroup);
}

static void declare_variables(struct emit *e, const struct buffers *b, uint32_t uint2)
{
    const uint32_t one = constant(e, 1);
    op(e, SpvOpSpecConstant, 3, e->uint, e->width, 64);
    op(e, SpvOpSpecConstantComposite, 5, e->uint3, b->size, e->width, one, one);
    const uint32_t scalar = pointer(e, "uint_input", SpvStorageClassInput, e->uint);
    const uint32_t vector = pointer(e, "uint3_input", SpvStorageClassInput, e->uint3);
    op(e, SpvOpVariable, 3, scalar, e->lane_input, SpvStorageClassInput);
    op(e, SpvOpVariable, 3, scalar, e->subgroup_input, SpvStorageClassInput);
    op(e, SpvOpVariable, 3, vector, e->workgroup_input, SpvStorageClassInput);
    op(e, SpvOpTypeRuntimeArray, 2, b->words, e->uint);
    op(e, SpvOpTypeRuntimeArray, 2, b->masks, e->uint4);
    op(e, SpvOpTypeStruct, 2, b->word_buffer, b->words);
    op(e, SpvOpTypeStruct, 2, b->mask_buffer, b->masks);
    op(e, SpvOpTypeStruct, 6, b->parameters, uint2, uint2, uint2, e->uint, e->uint);
    const uint32_t input =
        pointer(e, "word_buffer_pointer", SpvStorageClassStorageBuffer, b->word_buffer);
    const uint32_t output =
        pointer(e, "mask_buffer_pointer", SpvStorageClassStorageBuffer, b->mask_buffer);
    const uint32_t push = pointer(e, "push_parameters", SpvStorageClassPushConstant, b->parameters);
    e->words_pointer = pointer(e, "word_pointer", SpvStorageClassStorageBuffer, e->uint);
    e->masks_pointer = pointer(e, "mask_pointer", SpvStorageClassStorageBuffer, e->uint4);
    e->push_uint = pointer(e, "push_uint", SpvStorageClassPushConstant, e->uint);
    op(e, SpvOpVariable, 3, input, e->input, SpvStorageClassStorageBuffer);
    op(e, SpvOpVariable, 3, output, e->output, SpvStorageClassStorageBuffer);
    op(e, SpvOpVariable, 3, push, e->push, SpvStorageClassPushConstant);
}

static void declare(struct emit *e, enum masks_rule rule)
{
    struct buffers b;
    e->main = name(e, "main");
    e->void_type = name(e, "void");
    e->procedure = name(e, "procedure");
    e->boolean = name(e, "bool");
    e->uint = name(e, "uint");
    e->uint3 = name(e, "uint3");
    e->uint4 = name(e, "uint4");
    e->true_id = name(e, "true");
    e->subgroup_scope = name(e, "subgroup_scope");
    e->input = name(e, "input");
    e->output = name(e, "output");
    e->push = name(e, "push");
    e->lane_input = name(e, "lane_input");
    e->subgroup_input = name(e, "subgroup_input");
    e->workgroup_input = name(e, "workgroup_input");
    e->width = name(e, "workgroup_width");
    b.size = name(e, "workgroup_size");
    b.words = name(e, "words");
    b.masks = name(e, "masks");
    b.word_buffer = name(e, "word_buffer");
    b.mask_buffer = name(e, "mask_buffer");
    b.parameters = name(e, "parameters");
    const uint32_t uint2 = name(e, "uint2");
    declare_mode(e, rule);
    decorate(e, &b);
    declare_types(e, uint2);
    declare_variables(e, &b, uint2);
}

// The whole

static void append(struct gen_module *module, struct stream *stream)
{
    module->words = lit_realloc(module->words, module->count + stream->count, 4);
    memcpy(module->words + module->count, stream->words, stream->count * 4);
    module->notes = lit_realloc(module->notes, module->note_count + stream->note_count + 1,
                                sizeof *module->notes);
    for (size_t i = 0; i < stream->note_count; i++) {
        module->notes[module->note_count] = stream->notes[i];
        module->notes[module->note_count++].at += module->count;
    }
    module->count += stream->count;
    free(stream->words);
    free(stream->notes);
}

void gen_module_make(const struct gen_program *program, enum masks_rule rule,
                     struct gen_module *module)
{
    struct gen_shape *shape = gen_shape_make(program);
    struct emit *e = lit_alloc(1, sizeof *e);
    *module = (struct gen_module){.bound = 1, .names = lit_alloc(1, GEN_NAME)};
    e->program = program;
    e->shape = shape;
    e->module = module;
    e->out = &e->declared;
    declare(e, rule);
    e->out = &e->code;
    emit_main(e);
    for (uint32_t i = 0; i < e->call_count; i++)
        emit_function(e, &e->calls[i]);
    module->words = lit_alloc(5, 4);
    module->count = 5;
    module->words[0] = SpvMagicNumber;
    module->words[1] = 0x10300;
    module->words[3] = module->bound;
    append(module, &e->declared);
    append(module, &e->code);
    free(shape);
    free(e);
}

void gen_module_clear(struct gen_module *module)
{
    for (size_t i = 0; i < module->note_count; i++)
        free(module->notes[i].text);
    free(module->notes);
    free(module->names);
    free(module->words);
    *module = (struct gen_module){0};
}
