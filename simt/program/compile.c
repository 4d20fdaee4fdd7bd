// SPDX-License-Identifier: Apache-2.0
// Compiles a module: order of steps, errors, and the arrays of the result.
#include "program/compiler.h"

#include "program/execution.h"
#include "program/miscompile.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Keeps the first error. With an instruction it begins with "OpIAdd at word 123 ".
bool compile_fail(struct compiler *c, const struct op *op, const char *format, ...)
{
    if (c->failed)
        return false;
    c->failed = true;
    if (!c->error_size)
        return false;
    size_t length = 0;
    va_list arguments;
    c->error[0] = '\0';
    if (op) {
        snprintf(c->error, c->error_size, "%s at word %u ", module_op_name(op->opcode), op->at);
        length = strlen(c->error);
    }
    va_start(arguments, format);
    vsnprintf(c->error + length, c->error_size - length, format, arguments);
    va_end(arguments);
    return false;
}

bool compile_room(struct compiler *c, void *array, uint32_t count, uint32_t more,
                  uint32_t *capacity, size_t size, uint32_t limit)
{
    if (more > limit || count > limit - more)
        return compile_fail(c, NULL, "the module is too large: more than %u of something", limit);
    const uint32_t need = count + more;
    if (need <= *capacity)
        return true;
    const uint32_t room = need < 32 ? 64 : need * 2; // limits are far below 1 << 31
    void *old, *grown;
    memcpy(&old, array, sizeof(old));
    grown = realloc(old, room * size);
    if (!grown)
        return compile_fail(c, NULL, "out of memory");
    memset((unsigned char *)grown + *capacity * size, 0, (room - *capacity) * size);
    memcpy(array, &grown, sizeof(grown));
    *capacity = room;
    return true;
}

static bool has_result(uint32_t opcode) // after a result type
{
    const struct form *form = decode_form(opcode);
    return (opcode >= SpvOpConstantTrue && opcode <= SpvOpSpecConstantOp) ||
           opcode == SpvOpFunction || (form && form->operands[0] == '=');
}

bool compile_read(struct compiler *c, uint32_t at, struct op *op)
{
    const struct module *module = c->module;
    *op = (struct op){.at = at};
    if (at >= module->count)
        return compile_fail(c, NULL, "the module ends within a function");
    op->words = module->words + at;
    op->opcode = op->words[0] & 0xffff;
    op->count = op->words[0] >> 16;
    if (!op->count || op->count > module->count - at)
        return compile_fail(c, op, "has the wrong length");
    op->operands = op->words + 1;
    op->operand_count = op->count - 1;
    if (!has_result(op->opcode))
        return true;
    if (op->count < 3)
        return compile_fail(c, op, "has the wrong length");
    op->type = op->words[1];
    op->result = op->words[2];
    op->operands += 2;
    op->operand_count -= 2;
    if (op->result >= module->bound || op->type >= module->bound ||
        module->ids[op->result].at != at || module->ids[op->result].type != op->type)
        return compile_fail(c, op, "has a result that is not its own");
    return true;
}

bool compile_new_cells(struct compiler *c, uint32_t count, uint32_t *cell)
{
    if (c->evaluating) {
        *cell = c->value_count;
        if (!COMPILE_ROOM(c, c->values, c->value_count, count, value_capacity, PROGRAM_CELLS_MAX))
            return false;
        c->value_count += count;
        return true;
    }
    *cell = c->program->cell_count;
    if (count > PROGRAM_CELLS_MAX - c->program->cell_count)
        return compile_fail(c, NULL, "the module needs more than %u registers", PROGRAM_CELLS_MAX);
    c->program->cell_count += count;
    return true;
}

bool compile_extra(struct compiler *c, uint32_t count, uint32_t *first)
{
    struct program *program = c->program;
    *first = program->extra_count;
    if (!COMPILE_ROOM(c, program->extra, program->extra_count, count, extra_capacity,
                      PROGRAM_EXTRA_MAX))
        return false;
    program->extra_count += count;
    return true;
}

bool compile_preset(struct compiler *c, uint32_t cell, uint64_t value)
{
    struct program *program = c->program;
    if (!COMPILE_ROOM(c, program->constants, program->constant_count, 1, constant_capacity,
                      PROGRAM_CELLS_MAX))
        return false;
    program->constants[program->constant_count++] =
        (struct constant_cell){.cell = cell, .value = value};
    return true;
}

static bool execute_now(struct compiler *c, const struct op *op, const struct insn *insn)
{
    uint64_t clock = 0;
    if (insn->kind != INSN_PLAIN || !insn->run)
        return compile_fail(c, op, "is not allowed in a constant");
    struct exec exec = {
        .cells = c->values,
        .width = 1,
        .count = 1,
        .mask = lanes_of(0),
        .present = lanes_of(0),
        .program = c->program,
        .insn = insn,
        .random = 1,
        .clock = &clock,
    };
    insn->run(&exec, insn);
    return true;
}

bool compile_emit(struct compiler *c, const struct op *op, struct insn insn)
{
    struct program *program = c->program;
    insn.at = op->at;
    insn.id = op->result;
    if (!insn.opcode)
        insn.opcode = (uint16_t)op->opcode;
    if (c->evaluating)
        return execute_now(c, op, &insn);
    if (!COMPILE_ROOM(c, program->insns, program->insn_count, 1, insn_capacity, PROGRAM_INSNS_MAX))
        return false;
    program->insns[program->insn_count++] = insn;
    return true;
}

bool compile_copy(struct compiler *c, const struct op *op, uint32_t to, uint32_t from,
                  uint32_t count)
{
    for (uint32_t i = 0; i < count; i += COPY_MAX) {
        const uint32_t rest = count - i;
        const struct insn insn = {
            .run = compose_copy,
            .components = (uint8_t)(rest < COPY_MAX ? rest : COPY_MAX),
            .width = 64,
            .operand_width = 64,
            .result = to + i,
            .operand = {from + i},
        };
        if (!compile_emit(c, op, insn))
            return false;
    }
    return true;
}

static bool copy_modes(struct compiler *c)
{
    const struct module *module = c->module;
    struct program *program = c->program;
    program->subgroup = c->options->subgroup;
    program->maximally_reconverges = module->maximally_reconverges;
    program->subgroup_uniform = module->subgroup_uniform;
    program->vulkan_memory_model = module->vulkan_memory_model;
    program->cell_count = 1; // cell 0 is unused: null pointers
    c->slots = calloc(module->bound ? module->bound : 1, sizeof(*c->slots));
    return c->slots || compile_fail(c, NULL, "out of memory");
}

static bool decode_functions(struct compiler *c)
{
    if (!function_find_all(c))
        return false;
    for (uint32_t i = 0; i < c->body_count; i++) {
        if (!function_decode(c, &c->bodies[i]))
            return false;
    }
    c->body = NULL;
    variables_finish(c);
    if (c->program->shared_size > c->options->shared_max)
        return compile_fail(c, NULL, "%llu bytes of Workgroup variables, the limit is %llu",
                            (unsigned long long)c->program->shared_size,
                            (unsigned long long)c->options->shared_max);
    return true;
}

static uint64_t key_of(const uint32_t *words, size_t count, const struct program_options *options)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ words[i]) * UINT64_C(0x100000001b3);
    for (uint32_t i = 0; i < options->constant_count; i++) {
        hash = (hash ^ options->constants[i].spec_id) * UINT64_C(0x100000001b3);
        hash = (hash ^ options->constants[i].value) * UINT64_C(0x100000001b3);
    }
    for (const char *c = options->entry; *c; c++)
        hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    return (hash ^ options->subgroup) * UINT64_C(0x100000001b3);
}

struct program *program_compile(const uint32_t *words, size_t count,
                                const struct program_options *options, char *error, size_t size)
{
    struct compiler c = {.options = options, .error = error, .error_size = size};
    c.program = calloc(1, sizeof(*c.program));
    c.module = module_read(words, count, options->entry, error, size);
    bool done = c.program && c.module;
    if (!c.program)
        compile_fail(&c, NULL, "out of memory");
    if (done)
        c.program->key = key_of(words, count, options);
    done = done && copy_modes(&c) && constants_evaluate(&c) && constants_local_size(&c) &&
           decode_functions(&c) && (!options->operators || miscompile(&c, c.program->key)) &&
           listing_write(&c);
    free(c.slots);
    free(c.values);
    free(c.pointers);
    free(c.layouts);
    free(c.edge_notes);
    free(c.bodies);
    module_free(c.module);
    if (!done) {
        program_free(c.program);
        return NULL;
    }
    return c.program;
}

uint32_t program_line(const struct program *program, uint32_t pc)
{
    uint32_t line = 0;
    for (uint32_t i = 0; i < program->source_line_count && program->source_lines[i].insn <= pc; i++)
        line = program->source_lines[i].line;
    return line;
}

void program_free(struct program *program)
{
    if (!program)
        return;
    free(program->insns);
    free(program->blocks);
    free(program->functions);
    free(program->edges);
    free(program->moves);
    free(program->extra);
    free(program->wrapped);
    free(program->constants);
    free(program->initial);
    for (uint32_t i = 0; i < program->undefined_count; i++)
        free(program->undefined[i].name);
    free(program->undefined);
    free(program->builtins);
    free(program->resources);
    free(program->shared_zero);
    free(program->source_lines);
    free(program->lines);
    free(program->listing);
    free(program);
}
