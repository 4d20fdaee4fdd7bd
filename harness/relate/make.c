// SPDX-License-Identifier: Apache-2.0
// Writes a module anew, line by line, with a change made at its places.
#include "relate/relate.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

struct words {
    uint32_t *items;
    size_t count;
};

struct draft {
    const struct rel_study *study;
    const struct red_module *module;
    enum rel_change change;
    bool *at; // of each line: it is chosen
    struct words preamble, declared, body, added;
    uint32_t bound;
    uint32_t label;      // of the block that is being written
    uint32_t block;      // of the module's block
    uint32_t *last;      // of each label: that of the last part of what was its block
    uint32_t *with;      // of each id: what it is called here; 0: as it is
    uint32_t *variables; // of each id: that it goes through; 0
    size_t *phis;        // where the module's own phis stand in `body`
    size_t phi_count;
    size_t *waiting; // lines that were put off
    size_t waiting_count;
};

static void put(struct words *to, const uint32_t *words, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++)
        LIT_ADD(to->items, to->count) = words[i];
}

#define OP(name, ...)                                                                              \
    (uint32_t[]){(uint32_t)(sizeof((uint32_t[]){__VA_ARGS__}) / 4 + 1) << SpvWordCountShift |      \
                     SpvOp##name,                                                                  \
                 __VA_ARGS__},                                                                     \
        (uint32_t)(sizeof((uint32_t[]){__VA_ARGS__}) / 4 + 1)

static uint32_t fresh(struct draft *d)
{
    return d->bound++;
}

static uint32_t called(const struct draft *d, uint32_t id)
{
    return id < d->module->bound && d->with[id] ? d->with[id] : id;
}

// A line as it stands, but for the names of ids.
static void copy_line(struct draft *d, struct words *to, size_t at)
{
    const struct red_line *line = &d->module->lines[at];
    for (uint32_t w = 0; w < line->size; w++)
        LIT_ADD(to->items, to->count) =
            w > 0 && line->kinds[w] != SPIRV_WORD ? called(d, line->words[w]) : line->words[w];
}

static void begin_block(struct draft *d, uint32_t label)
{
    put(&d->body, OP(Label, label));
    d->label = label;
}

// --- Types and constants

// Whether a declaration, whose first word is `first`, has these words behind its id.
static bool declares(const uint32_t *line, uint32_t first, const uint32_t *words, uint32_t count)
{
    if (line[0] != first)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (line[2 + i] != words[i])
            return false;
    return true;
}

// The type that these words say, behind its opcode and id; declared where there is none. A type
// without such words has none: NULL and 0.
static uint32_t type_of(struct draft *d, uint32_t opcode, const uint32_t *words, uint32_t count)
{
    const uint32_t first = (count + 2) << SpvWordCountShift | opcode;
    for (size_t i = 0; i < d->module->count; i++)
        if (declares(d->module->lines[i].words, first, words, count))
            return d->module->lines[i].words[1];
    for (size_t at = 0; at < d->declared.count; at += d->declared.items[at] >> SpvWordCountShift)
        if (declares(d->declared.items + at, first, words, count))
            return d->declared.items[at + 1];
    const uint32_t id = fresh(d);
    put(&d->declared, (uint32_t[]){first, id}, 2);
    put(&d->declared, words, count);
    return id;
}

static uint32_t null_of(struct draft *d, uint32_t type)
{
    const uint32_t id = fresh(d);
    put(&d->declared, OP(ConstantNull, type, id));
    return id;
}

static uint32_t number(struct draft *d, uint32_t type, uint32_t value)
{
    const uint32_t id = fresh(d);
    put(&d->declared, OP(Constant, type, id, value));
    return id;
}

// --- Conditions

// A condition that has this value for all numbers x and y, which no compiler is known to find: that
// x * x + 1 is not 7 * y * y, modulo 8 and so modulo 2^32.
static uint32_t opaque(struct draft *d, const struct rel_line *here, bool value)
{
    const uint32_t boolean = type_of(d, SpvOpTypeBool, NULL, 0);
    const uint32_t type = d->module->type[here->x];
    const uint32_t xx = fresh(d), left = fresh(d), yy = fresh(d), right = fresh(d), is = fresh(d);
    uint32_t y = here->y;
    if (y == here->x) {
        y = fresh(d);
        put(&d->body, OP(BitwiseXor, type, y, here->x, number(d, type, 0x2545f491)));
    }
    put(&d->body, OP(IMul, type, xx, here->x, here->x));
    put(&d->body, OP(IAdd, type, left, xx, number(d, type, 1)));
    put(&d->body, OP(IMul, type, yy, y, y));
    put(&d->body, OP(IMul, type, right, yy, number(d, type, 7)));
    if (value)
        put(&d->body, OP(INotEqual, boolean, is, left, right));
    else
        put(&d->body, OP(IEqual, boolean, is, left, right));
    return is;
}

// --- Changes

static void split(struct draft *d, size_t at)
{
    const uint32_t next = fresh(d);
    put(&d->body, OP(Branch, next));
    begin_block(d, next);
    copy_line(d, &d->body, at);
}

// Lines in a branch that is always taken. What others use of them has its name behind the branch.
static void branch(struct draft *d, size_t from, size_t to)
{
    const struct rel_study *s = d->study;
    const uint32_t condition = opaque(d, &s->lines[from], from % 2);
    const uint32_t before = d->label, taken = fresh(d), merge = fresh(d);
    put(&d->body, OP(SelectionMerge, merge, SpvSelectionControlMaskNone));
    if (from % 2)
        put(&d->body, OP(BranchConditional, condition, taken, merge));
    else
        put(&d->body, OP(BranchConditional, condition, merge, taken));
    begin_block(d, taken);
    for (size_t i = from; i < to; i++) {
        const uint32_t id = red_result(&d->module->lines[i]);
        if (id && s->first_use[id] <= s->last_use[id] &&
            (s->first_use[id] < from || s->last_use[id] >= to))
            d->with[id] = fresh(d);
        copy_line(d, &d->body, i);
    }
    put(&d->body, OP(Branch, merge));
    begin_block(d, merge);
    for (size_t i = from; i < to; i++) {
        const struct red_line *line = &d->module->lines[i];
        const uint32_t id = red_result(line), type = red_word(line, SPIRV_TYPE);
        if (!id || !d->with[id])
            continue;
        put(&d->body, OP(Phi, type, id, d->with[id], taken, null_of(d, type), before));
        d->with[id] = 0;
    }
}

static void loop(struct draft *d, size_t at)
{
    const uint32_t header = fresh(d), body = fresh(d), more = fresh(d), merge = fresh(d);
    put(&d->body, OP(Branch, header));
    begin_block(d, header);
    put(&d->body, OP(LoopMerge, merge, more, SpvLoopControlMaskNone));
    put(&d->body, OP(Branch, body));
    begin_block(d, body);
    copy_line(d, &d->body, at);
    put(&d->body, OP(Branch, more));
    begin_block(d, more);
    put(&d->body, OP(BranchConditional, opaque(d, &d->study->lines[at], false), header, merge));
    begin_block(d, merge);
}

static void dead(struct draft *d, size_t at)
{
    const struct red_line *line = &d->module->lines[at];
    const uint32_t never = fresh(d), merge = fresh(d);
    const uint32_t condition = opaque(d, &d->study->lines[at], false);
    put(&d->body, OP(SelectionMerge, merge, SpvSelectionControlMaskNone));
    put(&d->body, OP(BranchConditional, condition, never, merge));
    begin_block(d, never);
    put(&d->body, line->words, 2);
    put(&d->body, (uint32_t[]){null_of(d, d->module->type[line->words[2]])}, 1);
    put(&d->body, line->words + 3, line->size - 3);
    put(&d->body, OP(Branch, merge));
    begin_block(d, merge);
    copy_line(d, &d->body, at);
}

static void swap(struct draft *d, size_t at)
{
    const struct red_line *line = &d->module->lines[at];
    put(&d->body,
        (uint32_t[]){5u << SpvWordCountShift | rel_swapped(red_op(line)), line->words[1],
                     line->words[2], line->words[4], line->words[3]},
        5);
}

static void change_operand(struct draft *d, size_t at)
{
    const struct red_line *line = &d->module->lines[at];
    const struct rel_line *here = &d->study->lines[at];
    const uint32_t operand = rel_operand(d->study, line), id = line->words[operand];
    const uint32_t type = d->module->type[id], instead = fresh(d);
    if (d->change == REL_SELECT) {
        const uint32_t condition = opaque(d, here, true);
        put(&d->body, OP(Select, type, instead, condition, id, null_of(d, type)));
    } else {
        const uint32_t both = fresh(d), y = here->y == id ? here->x : here->y;
        put(&d->body, OP(BitwiseXor, type, both, id, y));
        put(&d->body, OP(BitwiseXor, type, instead, both, y));
    }
    const size_t first = d->body.count;
    copy_line(d, &d->body, at);
    d->body.items[first + operand] = instead;
}

static void outline(struct draft *d, size_t at)
{
    const struct red_line *line = &d->module->lines[at];
    const uint32_t result = red_word(line, SPIRV_TYPE), function = fresh(d), value = fresh(d);
    OWNED(lit_free) uint32_t *types = lit_alloc(line->size + 1, sizeof *types);
    OWNED(lit_free) uint32_t *call = lit_alloc(line->size + 4, sizeof *call);
    OWNED(lit_free) uint32_t *own = lit_alloc(line->size, sizeof *own);
    struct words parameters = {0};
    uint32_t count = 0;
    types[0] = result;
    memcpy(own, line->words, line->size * sizeof *own);
    own[2] = value;
    for (uint32_t w = 3; w < line->size; w++) {
        const uint32_t id = line->words[w];
        if (line->kinds[w] != SPIRV_ID || !d->study->block[id])
            continue;
        own[w] = fresh(d);
        put(&parameters, OP(FunctionParameter, d->module->type[id], own[w]));
        types[++count] = d->module->type[id];
        call[3 + count] = id;
    }
    const uint32_t type = type_of(d, SpvOpTypeFunction, types, count + 1);
    put(&d->added, OP(Function, result, function, SpvFunctionControlMaskNone, type));
    put(&d->added, parameters.items, (uint32_t)parameters.count);
    put(&d->added, OP(Label, fresh(d)));
    put(&d->added, own, line->size);
    put(&d->added, OP(ReturnValue, value));
    put(&d->added, (uint32_t[]){1u << SpvWordCountShift | SpvOpFunctionEnd}, 1);
    call[0] = (count + 4) << SpvWordCountShift | SpvOpFunctionCall;
    call[1] = result;
    call[2] = line->words[2];
    call[3] = function;
    put(&d->body, call, count + 4);
    free(parameters.items);
}

static void through_variable(struct draft *d, size_t at)
{
    const struct red_line *line = &d->module->lines[at];
    const uint32_t id = red_result(line), variable = d->variables[id], value = fresh(d);
    d->with[id] = value;
    copy_line(d, &d->body, at);
    d->with[id] = 0;
    put(&d->body, OP(Store, variable, value));
    put(&d->body, OP(Load, red_word(line, SPIRV_TYPE), id, variable));
}

// At the beginning of a function.
static void declare_variables(struct draft *d, size_t at)
{
    const struct red_module *m = d->module;
    for (size_t i = at; i < m->count && red_op(&m->lines[i]) != SpvOpFunctionEnd; i++) {
        const uint32_t id = red_result(&m->lines[i]);
        if (!d->at[i])
            continue;
        const uint32_t type =
            type_of(d, SpvOpTypePointer,
                    (uint32_t[]){SpvStorageClassFunction, red_word(&m->lines[i], SPIRV_TYPE)}, 2);
        d->variables[id] = fresh(d);
        put(&d->body, OP(Variable, type, d->variables[id], SpvStorageClassFunction));
    }
}

static void hoist_all(struct draft *d, size_t from)
{
    const struct red_module *m = d->module;
    for (size_t i = from; i < m->count && red_op(&m->lines[i]) != SpvOpFunctionEnd; i++)
        if (d->at[i])
            copy_line(d, &d->body, i);
}

static void write_waiting(struct draft *d)
{
    for (size_t i = 0; i < d->waiting_count; i++)
        copy_line(d, &d->body, d->waiting[i]);
    d->waiting_count = 0;
}

// Whether a line uses what was put off.
static bool needs_waiting(const struct draft *d, size_t at)
{
    const struct red_line *line = &d->module->lines[at];
    for (size_t i = 0; i < d->waiting_count; i++)
        for (uint32_t w = 1; w < line->size; w++)
            if (line->kinds[w] == SPIRV_ID &&
                line->words[w] == red_result(&d->module->lines[d->waiting[i]]))
                return true;
    return false;
}

// --- Line by line

// Returns the next line.
static size_t change_line(struct draft *d, size_t at)
{
    const size_t end = d->study->lines[at].end;
    switch (d->change) {
    case REL_SPLIT:
        split(d, at);
        break;
    case REL_BRANCH:
        branch(d, at, at + 1);
        break;
    case REL_TAIL:
        branch(d, at, end);
        return end;
    case REL_LOOP:
        loop(d, at);
        break;
    case REL_DEAD:
        dead(d, at);
        break;
    case REL_SWAP:
        swap(d, at);
        break;
    case REL_IDENTITY:
    case REL_SELECT:
        change_operand(d, at);
        break;
    case REL_SINK:
        LIT_ADD(d->waiting, d->waiting_count) = at;
        break;
    case REL_OUTLINE:
        outline(d, at);
        break;
    case REL_VARIABLE:
        through_variable(d, at);
        break;
    default: // REL_HOIST: it stands in the first block
        break;
    }
    return at + 1;
}

static bool is_closing(uint32_t opcode)
{
    return opcode == SpvOpSelectionMerge || opcode == SpvOpLoopMerge || red_is_end(opcode);
}

static size_t write_line(struct draft *d, size_t at, bool *is_first)
{
    const struct red_line *line = &d->module->lines[at];
    const uint32_t opcode = red_op(line);
    if (d->at[at] && d->change == REL_SINK)
        return change_line(d, at);
    if (is_closing(opcode) || needs_waiting(d, at))
        write_waiting(d);
    if (d->at[at])
        return change_line(d, at);
    if (is_closing(opcode) && *is_first) {
        if (d->change == REL_HOIST)
            hoist_all(d, at);
        *is_first = false;
    }
    if (red_is_end(opcode))
        d->last[d->block] = d->label;
    if (opcode == SpvOpPhi)
        LIT_ADD(d->phis, d->phi_count) = d->body.count;
    if (opcode == SpvOpLabel)
        d->label = d->block = line->words[1];
    if (opcode == SpvOpFunction)
        *is_first = true;
    put(&d->body, line->words, line->size);
    if (opcode == SpvOpLabel && *is_first && d->change == REL_VARIABLE)
        declare_variables(d, at);
    return at + 1;
}

// What came from a block comes from its last part now.
static void settle_phis(struct draft *d)
{
    for (size_t i = 0; i < d->phi_count; i++) {
        uint32_t *words = d->body.items + d->phis[i];
        for (uint32_t w = 4; w < words[0] >> SpvWordCountShift; w += 2)
            if (d->last[words[w]])
                words[w] = d->last[words[w]];
    }
}

static uint32_t *join(struct draft *d, size_t *count)
{
    struct words all = {0};
    put(&all, d->module->header, SPIRV_HEADER);
    all.items[SPIRV_BOUND] = d->bound;
    put(&all, d->preamble.items, (uint32_t)d->preamble.count);
    put(&all, d->declared.items, (uint32_t)d->declared.count);
    put(&all, d->body.items, (uint32_t)d->body.count);
    put(&all, d->added.items, (uint32_t)d->added.count);
    *count = all.count;
    return all.items;
}

uint32_t *rel_make(const struct red_module *m, enum rel_change change, const bool *chosen,
                   size_t *count)
{
    struct rel_study study;
    size_t places = 0, at = 0;
    bool is_first = false;
    rel_study_make(&study, m);
    struct draft d = {.study = &study,
                      .module = m,
                      .change = change,
                      .at = lit_alloc(m->count + 1, 1),
                      .bound = m->bound,
                      .last = lit_alloc(m->bound, sizeof *d.last),
                      .with = lit_alloc(m->bound, sizeof *d.with),
                      .variables = lit_alloc(m->bound, sizeof *d.variables)};
    for (size_t i = 0; i < m->count; i++)
        d.at[i] = rel_is_place(&study, change, i) && chosen[places++];
    for (; at < m->count && red_op(&m->lines[at]) != SpvOpFunction; at++)
        copy_line(&d, &d.preamble, at);
    while (at < m->count)
        at = write_line(&d, at, &is_first);
    settle_phis(&d);
    uint32_t *words = join(&d, count);
    free(d.preamble.items);
    free(d.declared.items);
    free(d.body.items);
    free(d.added.items);
    free(d.at);
    free(d.last);
    free(d.with);
    free(d.variables);
    free(d.phis);
    free(d.waiting);
    rel_study_clear(&study);
    return words;
}
