// SPDX-License-Identifier: Apache-2.0
// Reads a module: header, instructions in order, and their results.
#include "module/module.h"

#include "module/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_WORDS 5
#define VERSION_MIN  0x00010000u
#define VERSION_MAX  0x00010600u

// Strings in the words start in the lowest byte.
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "strings are read where they lie");

bool reader_fail(struct reader *reader, const char *format, ...)
{
    if (!reader->error_size)
        return false;
    size_t used = 0;
    if (reader->at)
        used = (size_t)snprintf(reader->error, reader->error_size, "word %u: ", reader->at);
    if (used < reader->error_size) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(reader->error + used, reader->error_size - used, format, arguments);
        va_end(arguments);
    }
    for (char *c = reader->error; *c; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
    return false;
}

bool instruction_next(const struct module *module, uint32_t *at, uint32_t end,
                      struct instruction *instruction)
{
    if (*at >= end)
        return false;
    const uint32_t *words = module->words + *at;
    *instruction = (struct instruction){words[0] & 0xffff, *at, words[0] >> 16, words};
    *at += instruction->length;
    return true;
}

const char *instruction_string(const struct instruction *instruction, uint32_t word, uint32_t *next)
{
    if (word >= instruction->length)
        return NULL;
    const char *string = (const char *)(instruction->words + word);
    const size_t room = (size_t)(instruction->length - word) * sizeof *instruction->words;
    const char *end = memchr(string, '\0', room);
    if (end && next)
        *next = word + (uint32_t)((size_t)(end - string) / sizeof *instruction->words) + 1;
    return end ? string : NULL;
}

static uint32_t swapped(uint32_t word)
{
    return word >> 24 | (word >> 8 & 0xff00) | (word << 8 & 0xff0000) | word << 24;
}

static bool read_header(struct reader *reader, const uint32_t *words, size_t count)
{
    struct module *module = reader->module;
    if (count < HEADER_WORDS)
        return reader_fail(reader, "a module of %zu words is too short", count);
    if (count > MODULE_WORDS_MAX)
        return reader_fail(reader, "a module of %zu words is too long", count);
    const bool swap = words[0] == swapped(SpvMagicNumber);
    if (!swap && words[0] != SpvMagicNumber)
        return reader_fail(reader, "not SPIR-V: it begins with 0x%08x", words[0]);
    module->words = malloc(count * sizeof *words);
    if (!module->words)
        return reader_fail(reader, "out of memory");
    for (size_t i = 0; i < count; i++)
        module->words[i] = swap ? swapped(words[i]) : words[i];
    module->count = (uint32_t)count;
    module->version = module->words[1];
    module->bound = module->words[3];
    if (module->version < VERSION_MIN || module->version > VERSION_MAX || module->version & 0xff)
        return reader_fail(reader, "SPIR-V version 0x%08x is not supported", module->version);
    if (module->bound == 0 || module->bound > MODULE_IDS_MAX)
        return reader_fail(reader, "a bound of %u ids, where 1 to %u are supported", module->bound,
                           MODULE_IDS_MAX);
    if (module->words[4] != 0)
        return reader_fail(reader, "instruction schema %u is not supported", module->words[4]);
    module->ids = calloc(module->bound, sizeof *module->ids);
    return module->ids || reader_fail(reader, "out of memory");
}

// Every instruction's length must fit into the module, which instruction_next relies on.
static bool check_lengths(struct reader *reader)
{
    const struct module *module = reader->module;
    uint32_t length;
    for (uint32_t at = HEADER_WORDS; at < module->count; at += length) {
        length = module->words[at] >> 16;
        if (length == 0 || length > module->count - at) {
            reader->at = at;
            return reader_fail(reader, "%s of %u words, where %u are left",
                               module_op_name(module->words[at] & 0xffff), length,
                               module->count - at);
        }
    }
    return true;
}

static enum id_kind result_kind(const struct reader *reader, uint32_t opcode, enum section section,
                                bool has_type)
{
    switch (section) {
    case SECTION_IMPORT:
        return ID_EXTENDED;
    case SECTION_FUNCTION:
        return ID_FUNCTION;
    case SECTION_DECLARATION:
        if (!has_type)
            return ID_TYPE;
        if (reader->function)
            return ID_VALUE;
        return opcode == SpvOpVariable ? ID_VARIABLE : ID_CONSTANT;
    case SECTION_BODY:
        return opcode == SpvOpLabel ? ID_LABEL : ID_VALUE;
    default:
        return reader->function ? ID_VALUE : ID_OTHER;
    }
}

static bool is_forward_pointer(const struct id *id)
{
    return id->kind == ID_TYPE && id->shape.kind == TYPE_POINTER && !id->shape.element;
}

// Declares an instruction's result.
static bool read_result(struct reader *reader, const struct instruction *instruction,
                        enum section section, bool has_type)
{
    const char *name = module_op_name(instruction->opcode);
    const uint32_t word = has_type ? 2 : 1;
    if (instruction->length <= word)
        return reader_fail(reader, "%s of %u words has no result", name, instruction->length);
    const uint32_t result = instruction->words[word];
    if (result == 0 || result >= reader->module->bound)
        return reader_fail(reader, "%s has the result %%%u, where the bound is %u", name, result,
                           reader->module->bound);
    struct id *id = &reader->module->ids[result];
    const bool completes = instruction->opcode == SpvOpTypePointer && is_forward_pointer(id);
    if (id->kind != ID_UNDEFINED && !completes)
        return reader_fail(reader, "%s defines %%%u again", name, result);
    if (has_type && module_type(reader->module, instruction->words[1])->kind == TYPE_NONE)
        return reader_fail(reader, "%s has the result type %%%u, which is not a type", name,
                           instruction->words[1]);
    const enum id_kind kind = result_kind(reader, instruction->opcode, section, has_type);
    if (!(kind == ID_TYPE ? declare_type(reader, instruction) : declare_other(reader, instruction)))
        return false;
    id->kind = kind;
    id->at = instruction->at;
    id->type = has_type ? instruction->words[1] : 0;
    id->decorations =
        (struct decorations){.set = UINT32_MAX, UINT32_MAX, UINT32_MAX, .builtin = UINT32_MAX};
    return true;
}

// Checks an instruction's place. `last` is the section of the one before.
static bool check_place(struct reader *reader, const struct instruction *instruction,
                        enum section section, enum section *last)
{
    struct module *module = reader->module;
    const char *name = module_op_name(instruction->opcode);
    if (reader->function) {
        if (section <= SECTION_FUNCTION && instruction->opcode != SpvOpVariable &&
            instruction->opcode != SpvOpUndef)
            return reader_fail(reader, "%s inside a function", name);
        return true;
    }
    if (section == SECTION_ANY)
        return true;
    if (section == SECTION_BODY)
        return reader_fail(reader, "%s is not supported outside functions", name);
    if (section < *last)
        return reader_fail(reader, "%s comes too late", name);
    if (section >= SECTION_DECLARATION && *last < SECTION_DECLARATION)
        module->first_declaration = instruction->at;
    if (section == SECTION_FUNCTION && *last < SECTION_FUNCTION)
        module->first_function = instruction->at;
    *last = section;
    return true;
}

// Visits all instructions and determines every id's kind and type.
static bool read_instructions(struct reader *reader)
{
    struct module *module = reader->module;
    module->first_declaration = module->first_function = module->count;
    enum section last = SECTION_CAPABILITY;
    struct instruction instruction;
    for (uint32_t at = HEADER_WORDS; instruction_next(module, &at, module->count, &instruction);) {
        reader->at = instruction.at;
        const uint32_t opcode = instruction.opcode;
        if (!op_known(opcode))
            return reader_fail(reader, "opcode %u is not known", opcode);
        const enum section section = section_of(opcode);
        bool has_result, has_type;
        op_results(opcode, &has_result, &has_type);
        if (!check_place(reader, &instruction, section, &last) ||
            !preamble_check(reader, &instruction) ||
            (has_result && !read_result(reader, &instruction, section, has_type)))
            return false;
        if (opcode == SpvOpTypeForwardPointer && !declare_type(reader, &instruction))
            return false;
        if (opcode == SpvOpFunction)
            reader->function = instruction.words[2];
        else if (opcode == SpvOpFunctionEnd)
            reader->function = 0;
    }
    reader->at = 0;
    if (reader->function)
        return reader_fail(reader, "function %%%u does not end", reader->function);
    if (reader->forward)
        return reader_fail(reader, "%u OpTypeForwardPointer without OpTypePointer",
                           reader->forward);
    return true;
}

// Applies annotations to ids, which are known by now.
static bool read_annotations(struct reader *reader)
{
    const struct module *module = reader->module;
    struct instruction instruction;
    for (uint32_t at = HEADER_WORDS;
         instruction_next(module, &at, module->first_declaration, &instruction);) {
        reader->at = instruction.at;
        if (!preamble_apply(reader, &instruction) || !annotate_apply(reader, &instruction))
            return false;
    }
    reader->at = 0;
    return preamble_finish(reader);
}

struct module *module_read(const uint32_t *words, size_t count, const char *entry, char *error,
                           size_t size)
{
    struct reader reader = {.entry_name = entry, .error = error, .error_size = size};
    reader.module = calloc(1, sizeof *reader.module);
    if (!reader.module) {
        reader_fail(&reader, "out of memory");
        return NULL;
    }
    const bool good = read_header(&reader, words, count) && check_lengths(&reader) &&
                      read_instructions(&reader) && read_annotations(&reader);
    annotate_free(&reader);
    if (good)
        return reader.module;
    module_free(reader.module);
    return NULL;
}

void module_free(struct module *module)
{
    if (!module)
        return;
    for (uint32_t i = 0; module->ids && i < module->bound; i++)
        free(module->ids[i].shape.members);
    free(module->ids);
    free(module->words);
    free(module);
}

const struct type *module_type(const struct module *module, uint32_t id)
{
    static const struct type none = {.kind = TYPE_NONE};
    return id < module->bound && module->ids[id].kind == ID_TYPE ? &module->ids[id].shape : &none;
}

bool module_has_images(const struct module *module, uint32_t id)
{
    const struct type *type = module_type(module, id);
    while (type->kind == TYPE_ARRAY || type->kind == TYPE_RUNTIME_ARRAY)
        type = module_type(module, type->element);
    return type->kind == TYPE_IMAGE;
}

const struct type *module_type_of(const struct module *module, uint32_t value)
{
    return module_type(module, value < module->bound ? module->ids[value].type : 0);
}
