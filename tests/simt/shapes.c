// SPDX-License-Identifier: Apache-2.0
// Draws random structured control flow and emits it as SPIR-V.
#include "shapes.h"

#include <assert.h>
#include <spirv/unified1/spirv.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Conditions: each as the simulator calls it and as it is emitted.

static uint32_t bit0(const struct masks_lane *at)
{
    return at->word & 1;
}
static uint32_t bit1(const struct masks_lane *at)
{
    return at->word >> 1 & 1;
}
static uint32_t bit_of_outer(const struct masks_lane *at)
{
    return at->word >> 2 >> at->iteration[0] & 1;
}
static uint32_t bit_of_inner(const struct masks_lane *at)
{
    return at->word >> 8 >> at->iteration[1] & 1;
}
static uint32_t even(const struct masks_lane *at)
{
    return ~(at->lane ^ at->iteration[0]) & 1;
}
static uint32_t always(const struct masks_lane *at)
{
    (void)at;
    return 1;
}
static uint32_t outer_trips(const struct masks_lane *at)
{
    return at->iteration[0] < (at->word >> 14 & 3);
}
static uint32_t inner_trips(const struct masks_lane *at)
{
    return at->iteration[1] < (at->word >> 16 & 3);
}
static uint32_t outer_three(const struct masks_lane *at)
{
    return at->iteration[0] < 3;
}
static uint32_t inner_three(const struct masks_lane *at)
{
    return at->iteration[1] < 3;
}
static uint32_t outer_last(const struct masks_lane *at)
{
    return at->iteration[0] >= 4;
}
static uint32_t inner_last(const struct masks_lane *at)
{
    return at->iteration[1] >= 4;
}
static uint32_t selector(const struct masks_lane *at)
{
    return at->word >> 18 >> at->iteration[0] & 3;
}

enum { CONDITIONS = 6, SHAPE_SLOTS_MAX = 2048 };
static masks_choice *const conditions[CONDITIONS] = {bit0,         bit1, bit_of_outer,
                                                     bit_of_inner, even, always};

// Drawing.

struct draw {
    struct shape_random *out;
    uint64_t state;
    uint32_t slots;
};

static uint32_t draw(struct draw *d, uint32_t bound)
{
    d->state = d->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(d->state >> 33) % bound;
}

struct around {
    int depth;      // nesting
    uint32_t loops; // loops around
    bool breaks;    // a loop or switch is around
    bool in_loop;   // a loop is around, in this function
    bool continues; // a loop is around, and this is its body
    bool returns;
    bool plain; // in a continue construct: nothing that leaves
};

static const struct masks_step *draw_list(struct draw *d, struct around at);

static const struct masks_step *reserve(struct draw *d, uint32_t count)
{
    const struct masks_step *first = &d->out->steps[d->out->used];
    d->out->used += count;
    assert(d->out->used <= SHAPE_STEPS);
    return first;
}

static struct masks_step draw_look(struct draw *d, struct around at)
{
    if (d->slots > SHAPE_SLOTS_MAX / 2)
        return (struct masks_step){.kind = MASKS_IF, .choose = always};
    struct masks_step step = {.kind = MASKS_LOOK, .name = "look", .slot = d->slots, .count = 1};
    for (uint32_t i = 0; i < at.loops; i++) {
        step.by[i] = step.count;
        step.count *= SHAPE_LOOPS;
    }
    d->slots += step.count;
    return step;
}

static struct masks_step draw_loop(struct draw *d, struct around at)
{
    static masks_choice *const trips[2][2] = {{outer_trips, outer_three},
                                              {inner_trips, inner_three}};
    struct masks_step step = {.kind = draw(d, 2) ? MASKS_WHILE : MASKS_DO};
    step.choose = trips[at.loops][draw(d, 2)];
    struct around body = at, next = at;
    body.depth++;
    next.depth += 2;
    body.loops = next.loops = at.loops + 1;
    body.breaks = body.continues = body.in_loop = true;
    body.plain = at.plain;
    next.plain = true;
    next.breaks = next.continues = next.in_loop = next.returns = false;
    if (step.kind == MASKS_WHILE && draw(d, 3) == 0) {
        // while (true) { if (bit) { look; leave; } look; if (last) break; }
        step.choose = NULL;
        struct masks_step *leave = (struct masks_step *)reserve(d, 2);
        struct masks_step *out = (struct masks_step *)reserve(d, 3);
        struct masks_step *all = (struct masks_step *)reserve(d, 4);
        leave[0] = (struct masks_step){.kind = MASKS_BREAK};
        out[0] = draw_look(d, body);
        out[1] = (struct masks_step){.kind = draw(d, 2) && at.returns ? MASKS_RETURN : MASKS_BREAK};
        all[0] = (struct masks_step){.kind = MASKS_IF, .choose = bit_of_outer, .body = out};
        all[1] = draw_look(d, body);
        all[2] = (struct masks_step){
            .kind = MASKS_IF, .choose = at.loops ? inner_last : outer_last, .body = leave};
        step.body = all;
    } else {
        step.body = draw_list(d, body);
    }
    step.other = draw_list(d, next);
    return step;
}

static struct masks_step draw_switch(struct draw *d, struct around at)
{
    const uint32_t count = 2 + draw(d, 3);
    struct masks_step *cases = (struct masks_step *)reserve(d, count + 1);
    at.depth++;
    at.breaks = true;
    for (uint32_t i = 0; i < count; i++) {
        const bool is_default = i + 1 == count && draw(d, 2);
        const bool falls = i + 1 < count && draw(d, 3) == 0;
        cases[i] = (struct masks_step){
            .kind = MASKS_CASE, .value = i, .is_default = is_default, .falls = falls};
        cases[i].body = draw_list(d, at);
    }
    return (struct masks_step){.kind = MASKS_SWITCH, .choose = selector, .body = cases};
}

static struct masks_step draw_step(struct draw *d, struct around at)
{
    const uint32_t room = SHAPE_STEPS - d->out->used;
    const uint32_t kind = at.depth >= 4 || room < 120 ? 0 : draw(d, 10);
    struct around inner = at;
    inner.depth++;
    if (kind >= 7 && at.loops < MASKS_DEPTH)
        return draw_loop(d, at);
    if (kind == 6)
        return draw_switch(d, at);
    if (kind == 5 && !at.plain) {
        inner.breaks = inner.continues = inner.in_loop = false;
        inner.returns = true;
        return (struct masks_step){.kind = MASKS_CALL, .body = draw_list(d, inner)};
    }
    if (kind >= 2) {
        struct masks_step step = {.kind = MASKS_IF, .choose = conditions[draw(d, CONDITIONS)]};
        step.body = draw_list(d, inner);
        if (draw(d, 2))
            step.other = draw_list(d, inner);
        return step;
    }
    return draw_look(d, at);
}

static const struct masks_step *draw_list(struct draw *d, struct around at)
{
    const uint32_t count = 1 + draw(d, 3);
    struct masks_step *list = (struct masks_step *)reserve(d, count + 3);
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++)
        list[n++] = draw_step(d, at);
    const uint32_t leave = at.plain || at.depth == 0 ? 9 : draw(d, 8);
    if (leave == 0 && at.breaks)
        list[n++] = (struct masks_step){.kind = MASKS_BREAK};
    else if (leave == 3 && at.in_loop)
        list[n++] = (struct masks_step){.kind = MASKS_BREAK_LOOP};
    else if (leave == 1 && at.continues)
        list[n++] = (struct masks_step){.kind = MASKS_CONTINUE};
    else if (leave == 2 && at.returns)
        list[n++] = (struct masks_step){.kind = MASKS_RETURN};
    else
        list[n++] = draw_look(d, at);
    return list;
}

void shape_draw(struct shape_random *random, uint64_t seed)
{
    memset(random, 0, sizeof(*random));
    struct draw d = {.out = random, .state = seed * 7919 + 1};
    for (int i = 0; i < 4; i++)
        draw(&d, 2);
    const struct around at = {.returns = true};
    random->shape.steps = draw_list(&d, at);
    random->shape.slots = d.slots;
}

static const char *const kind_names[] = {
    [MASKS_IF] = "if",         [MASKS_WHILE] = "while",       [MASKS_DO] = "do",
    [MASKS_SWITCH] = "switch", [MASKS_CASE] = "case",         [MASKS_CALL] = "call",
    [MASKS_BREAK] = "break",   [MASKS_CONTINUE] = "continue", [MASKS_RETURN] = "return",
    [MASKS_LOOK] = "look",     [MASKS_ELECT] = "elect",       [MASKS_BREAK_LOOP] = "break loop",
};

void shape_print(const struct masks_step *steps, int indent)
{
    for (const struct masks_step *step = steps; step && step->kind != MASKS_END; step++) {
        printf("%*s%s", indent, "", kind_names[step->kind]);
        for (int i = 0; i < CONDITIONS; i++) {
            if (step->choose == conditions[i])
                printf(" condition %d", i);
        }
        if (step->kind == MASKS_LOOK)
            printf(" slot %u of %u", step->slot, step->count);
        if (step->kind == MASKS_CASE)
            printf(" %u%s%s", step->value, step->is_default ? " default" : "",
                   step->falls ? " falls" : "");
        printf("\n");
        shape_print(step->body, indent + 2);
        if (step->other) {
            printf("%*selse or continue\n", indent, "");
            shape_print(step->other, indent + 2);
        }
    }
}

// Emitting.

enum {
    MAIN = 1,
    VOID,
    PROCEDURE,
    BOOL,
    UINT,
    UINT4,
    WORDS,
    BUFFER,
    BUFFER_POINTER,
    WORD_POINTER,
    INPUT,
    OUTPUT,
    UINT_INPUT,
    LANE,
    INDEX,
    PRIVATE,
    ITERATION0,
    ITERATION1,
    TRUE_ID,
    SCOPE,
    NUMBERS, // constants
    FIRST_FREE = NUMBERS + SHAPE_SLOTS_MAX
};

struct emit {
    uint32_t *words;
    size_t count, size;
    uint32_t next;
    uint32_t slots, word, lane, base;   // ids of values of the function being emitted
    const struct masks_step *calls[64]; // functions still to be emitted
    uint32_t call_ids[64], call_loops[64], call_count;
};

static void op(struct emit *e, uint32_t opcode, uint32_t count, ...)
{
    va_list list;
    if (e->count + count + 1 > e->size) {
        e->size = 2 * e->size + count + 64;
        e->words = realloc(e->words, e->size * sizeof(uint32_t));
        assert(e->words);
    }
    e->words[e->count++] = (count + 1) << 16 | opcode;
    va_start(list, count);
    for (uint32_t i = 0; i < count; i++)
        e->words[e->count++] = va_arg(list, uint32_t);
    va_end(list);
}

static uint32_t number(uint32_t value)
{
    assert(value < SHAPE_SLOTS_MAX);
    return NUMBERS + value;
}

static uint32_t binary(struct emit *e, uint32_t opcode, uint32_t type, uint32_t a, uint32_t b)
{
    const uint32_t id = e->next++;
    op(e, opcode, 4, type, id, a, b);
    return id;
}

static uint32_t load(struct emit *e, uint32_t pointer)
{
    const uint32_t id = e->next++;
    op(e, SpvOpLoad, 3, UINT, id, pointer);
    return id;
}

static uint32_t shifted(struct emit *e, uint32_t by, uint32_t variable, uint32_t mask)
{
    uint32_t value = binary(e, SpvOpShiftRightLogical, UINT, e->word, number(by));
    if (variable)
        value = binary(e, SpvOpShiftRightLogical, UINT, value, load(e, variable));
    return binary(e, SpvOpBitwiseAnd, UINT, value, number(mask));
}

static uint32_t emit_value(struct emit *e, masks_choice *choose)
{
    if (choose == bit0)
        return shifted(e, 0, 0, 1);
    if (choose == bit1)
        return shifted(e, 1, 0, 1);
    if (choose == bit_of_outer)
        return shifted(e, 2, ITERATION0, 1);
    if (choose == bit_of_inner)
        return shifted(e, 8, ITERATION1, 1);
    assert(choose == selector);
    return shifted(e, 18, ITERATION0, 3);
}

static uint32_t emit_condition(struct emit *e, masks_choice *choose)
{
    if (choose == always)
        return TRUE_ID;
    if (choose == outer_trips || choose == inner_trips) {
        const bool inner = choose == inner_trips;
        const uint32_t at = load(e, inner ? ITERATION1 : ITERATION0);
        return binary(e, SpvOpULessThan, BOOL, at, shifted(e, inner ? 16 : 14, 0, 3));
    }
    if (choose == outer_three || choose == inner_three)
        return binary(e, SpvOpULessThan, BOOL,
                      load(e, choose == inner_three ? ITERATION1 : ITERATION0), number(3));
    if (choose == outer_last || choose == inner_last)
        return binary(e, SpvOpUGreaterThanEqual, BOOL,
                      load(e, choose == inner_last ? ITERATION1 : ITERATION0), number(4));
    if (choose == even) {
        const uint32_t x = binary(e, SpvOpBitwiseXor, UINT, e->lane, load(e, ITERATION0));
        return binary(e, SpvOpIEqual, BOOL, binary(e, SpvOpBitwiseAnd, UINT, x, number(1)),
                      number(0));
    }
    return binary(e, SpvOpINotEqual, BOOL, emit_value(e, choose), number(0));
}

struct targets {
    uint32_t broke, continued;
    uint32_t loops;
    uint32_t left; // the merge block of the innermost loop
};

static void label(struct emit *e, uint32_t id)
{
    op(e, SpvOpLabel, 1, id);
}

static bool emit_list(struct emit *e, const struct masks_step *steps, struct targets at);

static void emit_look(struct emit *e, const struct masks_step *step)
{
    const uint32_t mask = e->next++;
    uint32_t slot = number(step->slot);
    for (uint32_t d = 0; d < MASKS_DEPTH; d++) {
        if (step->by[d])
            slot = binary(e, SpvOpIAdd, UINT, slot,
                          binary(e, SpvOpIMul, UINT, load(e, d ? ITERATION1 : ITERATION0),
                                 number(step->by[d])));
    }
    op(e, SpvOpGroupNonUniformBallot, 4, UINT4, mask, SCOPE, TRUE_ID);
    const uint32_t cell = binary(e, SpvOpIAdd, UINT, e->base, slot);
    const uint32_t first = binary(e, SpvOpIMul, UINT, cell, number(4));
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t word = e->next++, pointer = e->next++;
        const uint32_t at = binary(e, SpvOpIAdd, UINT, first, number(i));
        op(e, SpvOpCompositeExtract, 4, UINT, word, mask, i);
        op(e, SpvOpAccessChain, 5, WORD_POINTER, pointer, OUTPUT, number(0), at);
        op(e, SpvOpStore, 2, pointer, word);
    }
}

static bool emit_if(struct emit *e, const struct masks_step *step, struct targets at)
{
    const uint32_t yes = e->next++, no = e->next++, merge = e->next++;
    const uint32_t condition = emit_condition(e, step->choose);
    bool open = !step->other;
    op(e, SpvOpSelectionMerge, 2, merge, 0);
    op(e, SpvOpBranchConditional, 3, condition, yes, step->other ? no : merge);
    label(e, yes);
    if (emit_list(e, step->body, at)) {
        op(e, SpvOpBranch, 1, merge);
        open = true;
    }
    if (step->other) {
        label(e, no);
        if (emit_list(e, step->other, at)) {
            op(e, SpvOpBranch, 1, merge);
            open = true;
        }
    }
    label(e, merge);
    if (!open)
        op(e, SpvOpUnreachable, 0);
    return open;
}

static bool emit_loop(struct emit *e, const struct masks_step *step, struct targets at)
{
    const uint32_t header = e->next++, test = e->next++, body = e->next++, next = e->next++;
    const uint32_t merge = e->next++;
    const uint32_t counter = at.loops ? ITERATION1 : ITERATION0;
    const struct targets inner = {merge, next, at.loops + 1, merge};
    op(e, SpvOpStore, 2, counter, number(0));
    op(e, SpvOpBranch, 1, header);
    label(e, header);
    op(e, SpvOpLoopMerge, 3, merge, next, 0);
    op(e, SpvOpBranch, 1, test);
    label(e, test);
    if (step->kind == MASKS_WHILE && step->choose)
        op(e, SpvOpBranchConditional, 3, emit_condition(e, step->choose), body, merge);
    else
        op(e, SpvOpBranch, 1, body);
    label(e, body);
    if (emit_list(e, step->body, inner))
        op(e, SpvOpBranch, 1, next);
    label(e, next);
    emit_list(e, step->other, (struct targets){.loops = at.loops + 1});
    const uint32_t goes_on = step->kind == MASKS_DO ? emit_condition(e, step->choose) : 0;
    op(e, SpvOpStore, 2, counter, binary(e, SpvOpIAdd, UINT, load(e, counter), number(1)));
    if (step->kind == MASKS_DO)
        op(e, SpvOpBranchConditional, 3, goes_on, header, merge);
    else
        op(e, SpvOpBranch, 1, header);
    label(e, merge);
    op(e, SpvOpStore, 2, counter, number(0)); // as the simulator has it outside of the loop
    return true;
}

static bool emit_switch(struct emit *e, const struct masks_step *step, struct targets at)
{
    uint32_t count = 0, labels[8], values[8], targets = 0, fallback;
    const uint32_t merge = e->next++;
    const uint32_t value = emit_value(e, step->choose);
    fallback = merge;
    for (const struct masks_step *one = step->body; one->kind == MASKS_CASE; one++) {
        labels[count] = e->next++;
        if (one->is_default)
            fallback = labels[count];
        else
            values[targets++] = one->value;
        count++;
    }
    op(e, SpvOpSelectionMerge, 2, merge, 0);
    // OpSwitch by hand: its length varies.
    op(e, SpvOpSwitch, 2, value, fallback);
    e->words[e->count - 3] += 2 * targets << 16;
    for (uint32_t i = 0; i < targets; i++) {
        op(e, values[i], 1, labels[i]);
        e->words[e->count - 2] = values[i];
    }
    at.broke = merge;
    uint32_t i = 0;
    bool open = fallback == merge;
    for (const struct masks_step *one = step->body; one->kind == MASKS_CASE; one++, i++) {
        label(e, labels[i]);
        if (emit_list(e, one->body, at)) {
            op(e, SpvOpBranch, 1, one->falls ? labels[i + 1] : merge);
            open = true;
        }
    }
    label(e, merge);
    (void)open; // whether anybody comes here is left to run time
    return true;
}

// Emits the steps; whether control reaches the end of the list.
static bool emit_list(struct emit *e, const struct masks_step *steps, struct targets at)
{
    for (const struct masks_step *step = steps; step && step->kind != MASKS_END; step++) {
        bool open = true;
        switch (step->kind) {
        case MASKS_LOOK:
            emit_look(e, step);
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
            assert(e->call_count < 64);
            e->calls[e->call_count] = step;
            e->call_loops[e->call_count] = at.loops;
            e->call_ids[e->call_count] = e->next++;
            op(e, SpvOpFunctionCall, 3, VOID, e->next++, e->call_ids[e->call_count++]);
            // Who returned out of a loop has left it.
            for (uint32_t d = at.loops; d < MASKS_DEPTH; d++)
                op(e, SpvOpStore, 2, d ? ITERATION1 : ITERATION0, number(0));
            break;
        case MASKS_BREAK:
            op(e, SpvOpBranch, 1, at.broke);
            open = false;
            break;
        case MASKS_BREAK_LOOP:
            op(e, SpvOpBranch, 1, at.left);
            open = false;
            break;
        case MASKS_CONTINUE:
            op(e, SpvOpBranch, 1, at.continued);
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

static void emit_function(struct emit *e, uint32_t id, const struct masks_step *steps,
                          uint32_t loops)
{
    op(e, SpvOpFunction, 4, VOID, id, 0, PROCEDURE);
    label(e, e->next++);
    const uint32_t index = load(e, INDEX), pointer = e->next++;
    e->lane = load(e, LANE);
    op(e, SpvOpAccessChain, 5, WORD_POINTER, pointer, INPUT, number(0), index);
    e->word = load(e, pointer);
    e->base = binary(e, SpvOpIMul, UINT, index, e->slots);
    if (emit_list(e, steps, (struct targets){.loops = loops}))
        op(e, SpvOpReturn, 0);
    op(e, SpvOpFunctionEnd, 0);
}

static void emit_text(struct emit *e, uint32_t opcode, const char *text)
{
    const uint32_t length = (uint32_t)strlen(text) / 4 + 1;
    op(e, opcode, 0);
    for (uint32_t i = 0; i < length; i++) {
        op(e, 0, 0);
        e->words[e->count - 1] = 0;
    }
    e->words[e->count - length - 1] += length << 16;
    memcpy(&e->words[e->count - length], text, strlen(text));
}

static void emit_head(struct emit *e, enum masks_rule rule, uint32_t workgroup)
{
    op(e, SpvOpCapability, 1, SpvCapabilityShader);
    op(e, SpvOpCapability, 1, SpvCapabilityGroupNonUniform);
    op(e, SpvOpCapability, 1, SpvCapabilityGroupNonUniformBallot);
    if (rule == MASKS_MAXIMAL)
        emit_text(e, SpvOpExtension, "SPV_KHR_maximal_reconvergence");
    if (rule == MASKS_SUBGROUP_UNIFORM)
        emit_text(e, SpvOpExtension, "SPV_KHR_subgroup_uniform_control_flow");
    op(e, SpvOpMemoryModel, 2, 0, 1);
    op(e, SpvOpEntryPoint, 6, SpvExecutionModelGLCompute, MAIN, 0x6e69616d, 0, LANE, INDEX);
    op(e, SpvOpExecutionMode, 5, MAIN, SpvExecutionModeLocalSize, workgroup, 1, 1);
    if (rule == MASKS_MAXIMAL)
        op(e, SpvOpExecutionMode, 2, MAIN, SpvExecutionModeMaximallyReconvergesKHR);
    if (rule == MASKS_SUBGROUP_UNIFORM)
        op(e, SpvOpExecutionMode, 2, MAIN, SpvExecutionModeSubgroupUniformControlFlowKHR);
    op(e, SpvOpDecorate, 3, LANE, SpvDecorationBuiltIn, SpvBuiltInSubgroupLocalInvocationId);
    op(e, SpvOpDecorate, 3, INDEX, SpvDecorationBuiltIn, SpvBuiltInLocalInvocationIndex);
    op(e, SpvOpDecorate, 3, WORDS, SpvDecorationArrayStride, 4);
    op(e, SpvOpDecorate, 2, BUFFER, SpvDecorationBlock);
    op(e, SpvOpMemberDecorate, 4, BUFFER, 0, SpvDecorationOffset, 0);
    for (uint32_t i = 0; i < 2; i++) {
        op(e, SpvOpDecorate, 3, INPUT + i, SpvDecorationDescriptorSet, 0);
        op(e, SpvOpDecorate, 3, INPUT + i, SpvDecorationBinding, i);
    }
}

size_t shape_emit(const struct shape_random *random, enum masks_rule rule, uint32_t workgroup,
                  uint32_t **words)
{
    struct emit e = {.next = FIRST_FREE, .slots = number(random->shape.slots)};
    op(&e, 0, 4, 0x10300, 0, 0, 0);
    e.words[0] = SpvMagicNumber;
    emit_head(&e, rule, workgroup);
    op(&e, SpvOpTypeVoid, 1, VOID);
    op(&e, SpvOpTypeFunction, 2, PROCEDURE, VOID);
    op(&e, SpvOpTypeBool, 1, BOOL);
    op(&e, SpvOpTypeInt, 3, UINT, 32, 0);
    op(&e, SpvOpTypeVector, 3, UINT4, UINT, 4);
    op(&e, SpvOpTypeRuntimeArray, 2, WORDS, UINT);
    op(&e, SpvOpTypeStruct, 2, BUFFER, WORDS);
    op(&e, SpvOpTypePointer, 3, BUFFER_POINTER, SpvStorageClassStorageBuffer, BUFFER);
    op(&e, SpvOpTypePointer, 3, WORD_POINTER, SpvStorageClassStorageBuffer, UINT);
    op(&e, SpvOpVariable, 3, BUFFER_POINTER, INPUT, SpvStorageClassStorageBuffer);
    op(&e, SpvOpVariable, 3, BUFFER_POINTER, OUTPUT, SpvStorageClassStorageBuffer);
    op(&e, SpvOpTypePointer, 3, UINT_INPUT, SpvStorageClassInput, UINT);
    op(&e, SpvOpVariable, 3, UINT_INPUT, LANE, SpvStorageClassInput);
    op(&e, SpvOpVariable, 3, UINT_INPUT, INDEX, SpvStorageClassInput);
    op(&e, SpvOpTypePointer, 3, PRIVATE, SpvStorageClassPrivate, UINT);
    op(&e, SpvOpVariable, 3, PRIVATE, ITERATION0, SpvStorageClassPrivate);
    op(&e, SpvOpVariable, 3, PRIVATE, ITERATION1, SpvStorageClassPrivate);
    op(&e, SpvOpConstantTrue, 2, BOOL, TRUE_ID);
    op(&e, SpvOpConstant, 3, UINT, SCOPE, SpvScopeSubgroup);
    for (uint32_t i = 0; i < SHAPE_SLOTS_MAX; i++)
        op(&e, SpvOpConstant, 3, UINT, NUMBERS + i, i);
    // The counters begin at 0 like everything Private that is stored before it is loaded.
    op(&e, SpvOpFunction, 4, VOID, MAIN, 0, PROCEDURE);
    label(&e, e.next++);
    op(&e, SpvOpStore, 2, ITERATION0, number(0));
    op(&e, SpvOpStore, 2, ITERATION1, number(0));
    const uint32_t all = e.next++;
    op(&e, SpvOpFunctionCall, 3, VOID, e.next++, all);
    op(&e, SpvOpReturn, 0);
    op(&e, SpvOpFunctionEnd, 0);
    emit_function(&e, all, random->shape.steps, 0);
    for (uint32_t i = 0; i < e.call_count; i++)
        emit_function(&e, e.call_ids[i], e.calls[i]->body, e.call_loops[i]);
    e.words[3] = e.next;
    e.words[4] = 0;
    *words = e.words;
    return e.count;
}
