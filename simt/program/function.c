// SPDX-License-Identifier: Apache-2.0
// Functions: those reachable from the entry point, their instructions, parameters and calls.
#include "program/compiler.h"

#include <stdlib.h>

#define NOBODY     UINT32_MAX
#define UNFINISHED UINT32_MAX

static bool add_body(struct compiler *c, const struct op *call, uint32_t id, uint32_t caller)
{
    if (id >= c->module->bound || c->module->ids[id].kind != ID_FUNCTION)
        return compile_fail(c, call, "%%%u is not a function", id);
    if (!COMPILE_ROOM(c, c->bodies, c->body_count, 1, body_capacity, MODULE_IDS_MAX))
        return false;
    const uint32_t at = c->module->ids[id].at;
    c->bodies[c->body_count++] = (struct body){
        .id = id, .at = at, .scan = at, .caller = caller, .finish = UNFINISHED, .cell = CELL_NONE};
    c->slots[id].index = c->body_count;
    return true;
}

static void add_depth(struct body *caller, const struct body *callee)
{
    if (caller->depth <= callee->depth)
        caller->depth = callee->depth + 1;
}

// A step of the search: `current` is the body in which it continues, NOBODY at the end. Calling an
// unfinished body is recursion.
static bool search_step(struct compiler *c, uint32_t *current, uint32_t *finished)
{
    struct body *body = &c->bodies[*current];
    struct op op;
    if (!compile_read(c, body->scan, &op))
        return false;
    if ((op.opcode == SpvOpFunction) != (body->scan == body->at))
        return compile_fail(c, &op, "is where no function can begin");
    if (op.opcode == SpvOpFunctionEnd) {
        body->end = body->scan;
        body->finish = (*finished)++;
        *current = body->caller;
        if (body->caller != NOBODY)
            add_depth(&c->bodies[body->caller], body);
        return true;
    }
    body->scan += op.count;
    if (op.opcode != SpvOpFunctionCall)
        return true;
    if (!check_length(c, &op, 1, UINT32_MAX))
        return false;
    const uint32_t id = op.operands[0];
    const uint32_t found = id < c->module->bound ? c->slots[id].index : 0;
    if (!found) {
        const uint32_t caller = *current;
        *current = c->body_count;
        return add_body(c, &op, id, caller);
    }
    if (c->bodies[found - 1].finish == UNFINISHED)
        return compile_fail(c, &op, "calls a function that is being executed: %%%u", id);
    add_depth(body, &c->bodies[found - 1]);
    return true;
}

static bool number_functions(struct compiler *c)
{
    struct body *sorted = calloc(c->body_count, sizeof(*sorted));
    c->program->functions = calloc(c->body_count, sizeof(*c->program->functions));
    if (!sorted || !c->program->functions) {
        free(sorted);
        return compile_fail(c, NULL, "out of memory");
    }
    for (uint32_t i = 0; i < c->body_count; i++) {
        const uint32_t index = c->body_count - 1 - c->bodies[i].finish;
        sorted[index] = c->bodies[i];
        c->slots[sorted[index].id].index = index + 1;
        c->program->functions[index].id = sorted[index].id;
    }
    free(c->bodies);
    c->bodies = sorted;
    c->program->function_count = c->body_count;
    c->program->call_depth = sorted[0].depth;
    return true;
}

// The declaration: OpFunction and its type.
static bool declare(struct compiler *c, struct body *body, bool is_entry)
{
    struct op op;
    if (!compile_read(c, body->at, &op) || !check_length(c, &op, 2, 2))
        return false;
    const struct type *type = module_type(c->module, op.operands[1]);
    if (type->kind != TYPE_FUNCTION || type->element != op.type)
        return compile_fail(c, &op, "has a type that is not its own");
    const bool is_void = module_type(c->module, op.type)->kind == TYPE_VOID;
    if (is_entry && (!is_void || type->count))
        return compile_fail(c, &op, "is an entry point with parameters or a result");
    return is_void ||
           (check_result(c, &op) && compile_new_cells(c, check_cells(c, op.type), &body->cell));
}

bool function_find_all(struct compiler *c)
{
    uint32_t current = 0, finished = 0;
    if (!add_body(c, NULL, c->module->entry, NOBODY))
        return false;
    while (current != NOBODY) {
        if (!search_step(c, &current, &finished))
            return false;
    }
    if (!number_functions(c))
        return false;
    for (uint32_t i = 0; i < c->body_count; i++) {
        if (!declare(c, &c->bodies[i], i == 0))
            return false;
    }
    return true;
}

static bool add_blocks(struct compiler *c, const struct body *body)
{
    struct program *program = c->program;
    struct op op;
    const uint32_t first = program->block_count;
    for (uint32_t at = body->at; at < body->end; at += op.count) {
        if (!compile_read(c, at, &op))
            return false;
        if (op.opcode != SpvOpLabel)
            continue;
        const uint32_t label = op.operand_count == 1 ? op.operands[0] : UINT32_MAX;
        if (label >= c->module->bound || c->module->ids[label].at != at)
            return compile_fail(c, &op, "has no result");
        if (!COMPILE_ROOM(c, program->blocks, program->block_count, 1, block_capacity,
                          PROGRAM_INSNS_MAX))
            return false;
        program->blocks[program->block_count++] =
            (struct block){.label = label, .function = (uint32_t)(body - c->bodies)};
        c->slots[label].index = program->block_count;
    }
    program->functions[body - c->bodies].entry = first;
    return program->block_count > first ||
           compile_fail(c, NULL, "function %%%u has no body", body->id);
}

// The source's line of the instructions that follow; 0: not known.
static bool begin_line(struct compiler *c, uint32_t line)
{
    struct program *program = c->program;
    if (!COMPILE_ROOM(c, program->source_lines, program->source_line_count, 1, line_capacity,
                      PROGRAM_EXTRA_MAX))
        return false;
    program->source_lines[program->source_line_count++] =
        (struct source_line){program->insn_count, line};
    return true;
}

// Decodes one instruction. `inside`: within a block.
static bool decode_one(struct compiler *c, const struct op *op, bool *inside)
{
    switch (op->opcode) {
    case SpvOpFunction:
    case SpvOpNop:
        return true;
    case SpvOpLine:
    case SpvOpNoLine:
        return begin_line(c,
                          op->opcode == SpvOpLine && op->operand_count > 1 ? op->operands[1] : 0);
    case SpvOpFunctionParameter:
        return !*inside || compile_fail(c, op, "is inside a block");
    case SpvOpLabel:
        if (*inside)
            return compile_fail(c, op, "begins a block within another one");
        *inside = true;
        c->block = c->slots[op->operands[0]].index - 1;
        c->program->blocks[c->block].first = c->program->insn_count;
        return !c->program->source_line_count || begin_line(c, 0);
    default:
        if (!*inside)
            return compile_fail(c, op, "is outside of a block");
        *inside = !flow_is_terminator(op->opcode);
        return decode(c, op);
    }
}

static bool check_parameters(struct compiler *c, const struct body *body)
{
    struct op op;
    if (!compile_read(c, body->at, &op))
        return false;
    const struct op function = op;
    const struct type *type = module_type(c->module, op.operands[1]);
    uint32_t count = 0;
    for (uint32_t at = body->at; at < body->end; at += op.count) {
        if (!compile_read(c, at, &op))
            return false;
        if (op.opcode == SpvOpFunctionParameter &&
            (count >= type->count || type->parameters[count++] != op.type || !check_result(c, &op)))
            return compile_fail(c, &op, "is not of the type that the function says");
    }
    return count == type->count || compile_fail(c, &function, "has too few parameters");
}

bool function_decode(struct compiler *c, const struct body *body)
{
    struct op op;
    bool inside = false;
    c->body = body;
    if (!check_parameters(c, body) || !add_blocks(c, body))
        return false;
    for (uint32_t at = body->at; at < body->end; at += op.count) {
        if (!compile_read(c, at, &op) || !decode_one(c, &op, &inside))
            return false;
    }
    if (inside)
        return compile_fail(c, NULL, "the last block of function %%%u does not end", body->id);
    return flow_moves(c, body);
}

// A pointer parameter's knowledge is what all calls agree on. All callers are decoded first.
static bool join_pointers(struct compiler *c, const struct op *op, uint32_t parameter,
                          struct pointer argument)
{
    const struct decorations *decorations = &c->module->ids[parameter].decorations;
    argument.coherent |= decorations->coherent || decorations->is_volatile;
    if (!c->slots[parameter].pointer)
        return variables_note(c, parameter, argument);
    struct pointer *known = &c->pointers[c->slots[parameter].pointer - 1];
    if (known->matrix_stride != argument.matrix_stride ||
        known->vector_stride != argument.vector_stride || known->row_major != argument.row_major)
        return compile_fail(c, op, "passes matrices of another layout than other calls");
    known->known &= argument.known && known->value == argument.value;
    known->coherent |= argument.coherent;
    if (known->variable != argument.variable)
        known->variable = 0;
    return true;
}

static bool pass(struct compiler *c, const struct op *op, uint32_t argument,
                 const struct op *parameter)
{
    struct pointer pointer = {0};
    uint32_t from, to;
    const uint32_t type = check_value(c, op, argument);
    if (!type || !check_same_type(c, op, type, parameter->type) || !value_cell(c, argument, &from))
        return false;
    // Its cell must come first and is never preset.
    if (!c->slots[parameter->result].cell) {
        if (!compile_new_cells(c, check_cells(c, type), &to))
            return false;
        value_alias(c, parameter->result, to);
    }
    to = c->slots[parameter->result].cell - 1;
    if (module_type(c->module, type)->kind == TYPE_POINTER &&
        (!variables_pointer(c, argument, &pointer) ||
         !join_pointers(c, op, parameter->result, pointer)))
        return false;
    return compile_copy(c, op, to, from, check_cells(c, type));
}

bool function_call(struct compiler *c, const struct op *op)
{
    const struct body *callee = &c->bodies[c->slots[op->operands[0]].index - 1];
    struct op parameter;
    uint32_t passed = 0, result;
    if (c->module->ids[callee->id].type != op->type)
        return compile_fail(c, op, "has another type than its function");
    for (uint32_t at = callee->at; at < callee->end; at += parameter.count) {
        if (!compile_read(c, at, &parameter))
            return false;
        if (parameter.opcode == SpvOpLabel)
            break;
        if (parameter.opcode != SpvOpFunctionParameter)
            continue;
        if (++passed >= op->operand_count)
            return compile_fail(c, op, "has too few arguments");
        if (!pass(c, op, op->operands[passed], &parameter))
            return false;
    }
    if (passed + 1 != op->operand_count)
        return compile_fail(c, op, "has too many arguments");
    const struct insn insn = {
        .kind = INSN_CALL, .result = CELL_NONE, .literal = (uint64_t)(callee - c->bodies)};
    if (!compile_emit(c, op, insn) || callee->cell == CELL_NONE)
        return !c->failed;
    return value_result(c, op, &result) &&
           compile_copy(c, op, result, callee->cell, check_cells(c, op->type));
}
