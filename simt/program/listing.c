// SPDX-License-Identifier: Apache-2.0
// The listing: the executed functions in assembler syntax, with the interpreter's instruction
// numbers.
#include "program/compiler.h"
#include "program/names.h"
#include "settings.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_SIZE 256 // longer lines end in "..."

struct text {
    char *data;
    size_t length, capacity;
};

struct listing {
    struct compiler *c;
    struct names names;
    struct text text, lines; // lines: concatenated, each terminated
    uint32_t pc;             // next instruction to list
    char line[LINE_SIZE];
    size_t length;
};

static bool append(struct text *text, const char *bytes, size_t length)
{
    if (length > text->capacity - text->length) {
        const size_t capacity = (text->length + length) * 2 + 4096;
        char *grown = realloc(text->data, capacity);
        if (!grown)
            return false;
        text->data = grown;
        text->capacity = capacity;
    }
    memcpy(text->data + text->length, bytes, length);
    text->length += length;
    return true;
}

__attribute__((format(__printf__, 2, 3))) static void put(struct listing *listing,
                                                          const char *format, ...)
{
    const size_t room = LINE_SIZE - listing->length;
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(listing->line + listing->length, room, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length < room) {
        listing->length += length < 0 ? 0 : (size_t)length;
        return;
    }
    listing->length = LINE_SIZE - 1;
    memcpy(listing->line + LINE_SIZE - 4, "...", 4);
}

static void put_id(struct listing *listing, uint32_t id)
{
    char scratch[NAME_SIZE];
    put(listing, " %%%s", names_of(&listing->names, id, scratch));
}

// Names of set bits, "None" for no bit; unnamed bits as numbers.
static void put_mask(struct listing *listing, uint32_t mask, const char *const *bits,
                     uint32_t count)
{
    const char *separator = " ";
    if (!mask)
        put(listing, " None");
    for (uint32_t i = 0; i < 32; i++) {
        if (!(mask >> i & 1))
            continue;
        if (i < count && bits[i])
            put(listing, "%s%s", separator, bits[i]);
        else
            put(listing, "%s0x%x", separator, 1u << i);
        separator = "|";
    }
}

static const char *const selection_bits[] = {"Flatten", "DontFlatten"};
static const char *const loop_bits[] = {
    "Unroll",        "DontUnroll",        "DependencyInfinite", "DependencyLength", "MinIterations",
    "MaxIterations", "IterationMultiple", "PeelCount",          "PartialCount"};
static const char *const memory_bits[] = {"Volatile",           "Aligned",
                                          "Nontemporal",        "MakePointerAvailable",
                                          "MakePointerVisible", "NonPrivatePointer"};
static const char *const image_bits[] = {"Bias",
                                         "Lod",
                                         "Grad",
                                         "ConstOffset",
                                         "Offset",
                                         "ConstOffsets",
                                         "Sample",
                                         "MinLod",
                                         "MakeTexelAvailable",
                                         "MakeTexelVisible",
                                         "NonPrivateTexel",
                                         "VolatileTexel",
                                         "SignExtend",
                                         "ZeroExtend"};
static const char *const group_operations[] = {"Reduce", "InclusiveScan", "ExclusiveScan",
                                               "ClusteredReduce"};
static const char *const storage_classes[] = {
    "UniformConstant", "Input",   "Uniform",      "Output",  "Workgroup",
    "CrossWorkgroup",  "Private", "Function",     "Generic", "PushConstant",
    "AtomicCounter",   "Image",   "StorageBuffer"};

#define COUNT(array) (uint32_t)(sizeof(array) / sizeof *(array))

static void put_name(struct listing *listing, uint32_t number, const char *const *names,
                     uint32_t count)
{
    if (number < count && names[number])
        put(listing, " %s", names[number]);
    else
        put(listing, " %" PRIu32, number);
}

// `available`: the bit of the first of two scopes that may follow.
static uint32_t put_scopes(struct listing *listing, const struct op *op, uint32_t at, uint32_t mask,
                           uint32_t available)
{
    for (uint32_t bit = available; bit <= 2 * available; bit *= 2) {
        if (mask & bit && at < op->operand_count)
            put_id(listing, op->operands[at++]);
    }
    return at;
}

static uint32_t put_memory(struct listing *listing, const struct op *op, uint32_t at)
{
    const uint32_t mask = op->operands[at++];
    put_mask(listing, mask, memory_bits, COUNT(memory_bits));
    if (mask & SpvMemoryAccessAlignedMask && at < op->operand_count)
        put(listing, " %" PRIu32, op->operands[at++]);
    return put_scopes(listing, op, at, mask, SpvMemoryAccessMakePointerAvailableMask);
}

static uint32_t put_image(struct listing *listing, const struct op *op, uint32_t at)
{
    const uint32_t mask = op->operands[at++];
    put_mask(listing, mask, image_bits, COUNT(image_bits));
    return put_scopes(listing, op, at, mask, SpvImageOperandsMakeTexelAvailableMask);
}

static uint32_t put_cases(struct listing *listing, const struct op *op, uint32_t at)
{
    const struct type *type = module_type_of(listing->c->module, op->operands[0]);
    const uint32_t words = type->width > 32 ? 2 : 1;
    for (; at + words < op->operand_count; at += words + 1) {
        const uint64_t high = words == 2 ? (uint64_t)op->operands[at + 1] << 32 : 0;
        const uint64_t value = op->operands[at] | high;
        if (type->is_signed)
            put(listing, " %" PRId64, words == 2 ? (int64_t)value : (int32_t)value);
        else
            put(listing, " %" PRIu64, value);
        put_id(listing, op->operands[at + words]);
    }
    return op->operand_count;
}

// One operand of the kind of a letter (struct form); returns the position of the next.
static uint32_t put_operand(struct listing *listing, const struct op *op, char letter, uint32_t at)
{
    const uint32_t word = op->operands[at];
    switch (letter) {
    case 'i':
    case 'x':
        put_id(listing, word);
        break;
    case 'g':
        put_name(listing, word, group_operations, COUNT(group_operations));
        break;
    case 'e':
        put_name(listing, word, listing_extended_names, listing_extended_count);
        break;
    case 'c':
        put_name(listing, word, storage_classes, COUNT(storage_classes));
        break;
    case 'v':
        put(listing, word ? " %" PRIu32 : " PackedVectorFormat4x8Bit", word);
        break;
    case 'S':
        put_mask(listing, word, selection_bits, COUNT(selection_bits));
        break;
    case 'L':
        put_mask(listing, word, loop_bits, COUNT(loop_bits));
        break;
    case 'm':
        return put_memory(listing, op, at);
    case 'o':
        return put_image(listing, op, at);
    case 'w':
        return put_cases(listing, op, at);
    default:
        put(listing, " %" PRIu32, word);
    }
    return at + 1;
}

static void put_op(struct listing *listing, const struct op *op)
{
    const struct form *form = decode_form(op->opcode);
    const char *letters = form ? form->operands : "";
    char scratch[NAME_SIZE];
    if (*letters == '=') {
        put(listing, "%%%s = ", names_of(&listing->names, op->result, scratch));
        letters++;
    }
    put(listing, "%s", module_op_name(op->opcode));
    if (form && form->operands[0] == '=')
        put_id(listing, op->type);
    for (uint32_t at = 0; at < op->operand_count;) {
        if (*letters == '?')
            letters++;
        at = put_operand(listing, op, *letters ? *letters : 'l', at);
        if (*letters && letters[1] != '*')
            letters++;
    }
}

static bool end_line(struct listing *listing)
{
    put(listing, "%s", "");
    listing->line[listing->length] = '\n';
    const bool done = append(&listing->text, listing->line, listing->length + 1);
    listing->length = 0;
    return done;
}

// Writes the line, and an entry in `lines` for each interpreter instruction that it became.
static bool list_op(struct listing *listing, const struct op *op)
{
    const struct program *program = listing->c->program;
    const uint32_t first = listing->pc;
    while (listing->pc < program->insn_count && program->insns[listing->pc].at == op->at)
        listing->pc++;
    if (listing->pc > first)
        put(listing, "%6" PRIu32 "  ", first);
    else
        put(listing, "        ");
    const size_t indent = listing->length;
    put_op(listing, op);
    for (uint32_t pc = first; pc < listing->pc; pc++) {
        if (!append(&listing->lines, pc == first ? listing->line + indent : "",
                    pc == first ? listing->length - indent + 1 : 1))
            return false;
    }
    return end_line(listing);
}

// The operators that changed an instruction.
static void put_operators(struct listing *listing, uint32_t operators)
{
    const char *separator = "";
    for (uint32_t i = 0; i < OPERATOR_COUNT; i++) {
        if (!(operators >> i & 1))
            continue;
        put(listing, "%s%s", separator, operator_names[i]);
        separator = ", ";
    }
}

// An instruction of a program that no longer follows the module's order.
static bool list_insn(struct listing *listing, uint32_t pc)
{
    const struct insn *insn = &listing->c->program->insns[pc];
    struct op op;
    if (!compile_read(listing->c, insn->at, &op))
        return false;
    put(listing, "%6" PRIu32 "  ", pc);
    const size_t indent = listing->length;
    if (insn->miscompiled & INSN_ADDED) {
        put(listing, "; ");
        put_operators(listing, insn->miscompiled);
        put(listing, ", for ");
    }
    put_op(listing, &op);
    if (insn->miscompiled && !(insn->miscompiled & INSN_ADDED)) {
        put(listing, "  ; ");
        put_operators(listing, insn->miscompiled);
    }
    put(listing, "%s", "");
    return append(&listing->lines, listing->line + indent, listing->length - indent + 1) &&
           end_line(listing);
}

static bool list_label(struct listing *listing, uint32_t label)
{
    const struct program *program = listing->c->program;
    const struct block *block = &program->blocks[listing->c->slots[label].index - 1];
    put(listing, "block");
    put_id(listing, label);
    if (block->merge_kind != MERGE_NONE) {
        put(listing, ": %s, merge", block->merge_kind == MERGE_LOOP ? "loop" : "selection");
        put_id(listing, program->blocks[block->merge].label);
    }
    if (block->merge_kind == MERGE_LOOP) {
        put(listing, ", continue");
        put_id(listing, program->blocks[block->next].label);
    }
    return end_line(listing);
}

static bool is_skipped(const struct compiler *c, const struct op *op)
{
    return op->opcode == SpvOpFunction || op->opcode == SpvOpNop || op->opcode == SpvOpLine ||
           op->opcode == SpvOpNoLine || (op->opcode == SpvOpExtInst && extended_is_skipped(c, op));
}

static bool list_function(struct listing *listing, const struct body *body)
{
    struct compiler *c = listing->c;
    struct op op;
    if (body != c->bodies && !append(&listing->text, "\n", 1))
        return false;
    put(listing, "function");
    put_id(listing, body->id);
    if (!end_line(listing))
        return false;
    const struct program *program = c->program;
    for (uint32_t b = 0; c->options->operators && b < program->block_count; b++) {
        const uint32_t end =
            b + 1 < program->block_count ? program->blocks[b + 1].first : program->insn_count;
        if (program->blocks[b].function != (uint32_t)(body - c->bodies))
            continue;
        bool done = list_label(listing, program->blocks[b].label);
        for (uint32_t pc = program->blocks[b].first; done && pc < end; pc++)
            done = list_insn(listing, pc);
        if (!done)
            return false;
    }
    for (uint32_t at = body->at; !c->options->operators && at < body->end; at += op.count) {
        if (!compile_read(c, at, &op))
            return false;
        if (op.opcode == SpvOpLabel ? !list_label(listing, op.operands[0])
                                    : !is_skipped(c, &op) && !list_op(listing, &op))
            return false;
    }
    return true;
}

// The lines' addresses and the lines in one allocation.
static bool keep_lines(struct listing *listing)
{
    struct program *program = listing->c->program;
    const size_t table = ((size_t)program->insn_count + 1) * sizeof(char *);
    program->lines = malloc(table + listing->lines.length);
    if (!program->lines)
        return false;
    char *line = (char *)program->lines + table;
    if (listing->lines.length)
        memcpy(line, listing->lines.data, listing->lines.length);
    for (uint32_t pc = 0; pc < program->insn_count; pc++) {
        program->lines[pc] = line;
        line += strlen(line) + 1;
    }
    program->lines[program->insn_count] = NULL;
    return true;
}

static bool name_undefined(struct listing *listing)
{
    struct program *program = listing->c->program;
    for (uint32_t i = 0; i < program->undefined_count; i++) {
        struct undefined_cells *run = &program->undefined[i];
        char scratch[NAME_SIZE];
        run->name = strdup(names_of(&listing->names, run->variable, scratch));
        if (!run->name)
            return false;
    }
    return true;
}

bool listing_write(struct compiler *c)
{
    struct listing listing = {.c = c};
    bool done = names_collect(&listing.names, c->module);
    for (uint32_t i = 0; done && i < c->body_count; i++)
        done = list_function(&listing, &c->bodies[i]);
    done = done && append(&listing.text, "", 1) && name_undefined(&listing) && keep_lines(&listing);
    if (done)
        c->program->listing = listing.text.data;
    else
        free(listing.text.data);
    free(listing.lines.data);
    names_free(&listing.names);
    return done || compile_fail(c, NULL, "out of memory");
}
