// SPDX-License-Identifier: Apache-2.0
// Of SPIR-V: loops behind which subgroup operations may be executed apart.
#include "lint/files.h"

#include "base/program.h"
#include "base/terminal.h"
#include "lint/exits.h"

#include <stdio.h>
#include <string.h>

#define MOST_NAME 200

// Functions become one, variables values, and what is computed or loaded twice one; nothing else is
// done. The first, which changes more, is only for functions that cannot be inlined without it:
// those that return in a loop.
static const char *const passes[] = {"--merge-return",
                                     "--scalar-block-layout",
                                     "--inline-entry-points-exhaustive",
                                     "--eliminate-dead-functions",
                                     "--private-to-local",
                                     "--scalar-replacement=64",
                                     "--convert-local-access-chains",
                                     "--ssa-rewrite",
                                     "--redundancy-elimination",
                                     NULL};

// The string of an OpName, OpEntryPoint or OpString that is at a word.
static void string_of(const struct red_line *line, uint32_t word, char name[MOST_NAME])
{
    char bytes[MOST_NAME] = "";
    const size_t size = (line->size - word) * sizeof *line->words;
    memcpy(bytes, line->words + word, size < sizeof bytes ? size : sizeof bytes - 1);
    text_sanitise(name, MOST_NAME, bytes);
}

// The name of a function: that by which it is entered, else its own.
static void name_of(const struct red_module *m, size_t function, char name[MOST_NAME])
{
    const uint32_t id = m->lines[function].words[2];
    snprintf(name, MOST_NAME, "%%%u", id);
    for (size_t i = 0; i < function; i++) {
        const struct red_line *line = &m->lines[i];
        if (red_op(line) == SpvOpEntryPoint && line->words[2] == id) {
            string_of(line, 3, name);
            return;
        }
        if (red_op(line) == SpvOpName && line->words[1] == id)
            string_of(line, 2, name);
    }
}

// The line of the source that an instruction comes from; NULL: none is known.
static const struct red_line *source_of(const struct red_module *m, size_t at)
{
    for (; red_op(&m->lines[at]) != SpvOpLabel && red_op(&m->lines[at]) != SpvOpFunction; at--)
        if (red_op(&m->lines[at]) == SpvOpLine)
            return &m->lines[at];
        else if (red_op(&m->lines[at]) == SpvOpNoLine)
            return NULL;
    return NULL;
}

// "line 15", "%17 in block %12".
static void put_place(const struct red_module *m, size_t at, struct text *text)
{
    const struct red_line *source = source_of(m, at);
    const uint32_t result = red_result(&m->lines[at]);
    if (source) {
        text_printf(text, "line %u", source->words[2]);
        return;
    }
    while (red_op(&m->lines[at]) != SpvOpLabel && red_op(&m->lines[at]) != SpvOpFunction)
        at--;
    if (result)
        text_printf(text, "%%%u in ", result);
    text_printf(text, "block %%%u", red_result(&m->lines[at]));
}

static const char *work_of(uint32_t opcode)
{
    return opcode == SpvOpLoad                          ? "loads"
           : opcode == SpvOpStore                       ? "stores, beside a changed value,"
           : opcode >= SpvOpUDiv && opcode <= SpvOpFMod ? "divides"
           : opcode >= SpvOpImageSampleImplicitLod && opcode <= SpvOpImageRead ? "reads an image"
                                                                               : "has an atomic";
}

static void put_finding(const struct red_module *m, const char *path, const struct exits_finding *f,
                        struct text *text)
{
    static const char *const lacks[] = {
        "no constants at its top give it two rounds or more", "its rounds only count",
        "it has an operation or barrier of a group", "its loop control says whether to unroll it",
        "code follows the selection"};
    const struct red_line *source = source_of(m, f->loop), *file = NULL;
    char name[MOST_NAME], from[MOST_NAME] = "";
    name_of(m, f->function, name);
    if (source && (file = red_made(m, source->words[1])))
        string_of(file, 2, from);
    text_puts(text, from[0] ? from : path);
    if (source)
        text_printf(text, ":%u", source->words[2]);
    text_printf(text, ": %s: %sloop", name, f->lacks ? "near: " : "");
    if (!source) {
        text_puts(text, " ");
        put_place(m, f->loop, text);
    }
    text_printf(text, ": its exit at ");
    put_place(m, f->exit, text);
    text_puts(
        text,
        " has a condition that is the same for all invocations; those that leave diverge at ");
    put_place(m, f->selection, text);
    text_printf(text, " by %%%u", m->lines[f->selection].words[1]);
    if (f->work == RED_NONE) {
        text_puts(text, " and again after it, and each time some leave by themselves");
    } else {
        text_printf(text, ", where one side %s at ", work_of(red_op(&m->lines[f->work])));
        put_place(m, f->work, text);
    }
    text_puts(text, "; the subgroup operation at ");
    put_place(m, f->operation, text);
    text_puts(text, " follows");
    for (unsigned i = 0; i < sizeof lacks / sizeof *lacks; i++)
        if (f->lacks >> i & 1)
            text_printf(text, "; but %s", lacks[i]);
    text_puts(text, "\n    right: only set a flag there and leave the loop; after it, if the flag "
                    "is set, execute the code of ");
    put_place(m, f->selection, text);
    text_puts(text, "\n");
}

static bool optimise(const uint32_t *words, size_t count, struct text *made,
                     struct lit_error *error)
{
    struct text merged = {0};
    struct spirv_instruction at;
    struct lit_error ignored;
    bool calls = false;
    if (!lit_spirv_optimise(passes + 1, words, count * 4, made, error))
        return false;
    SPIRV_EACH (at, (const void *)made->data, made->length / 4)
        calls |= at.opcode == SpvOpFunctionCall;
    if (calls && lit_spirv_optimise(passes, words, count * 4, &merged, &ignored)) {
        text_free(made);
        *made = merged;
    }
    return true;
}

// False if the module was refused.
static bool find(const struct text *made, struct red_module *module, struct exits *exits,
                 struct lit_error *error)
{
    OWNED(lit_free) uint32_t *words = lit_alloc(made->length / 4 + 1, sizeof *words);
    memcpy(words, made->data ? made->data : "", made->length / 4 * 4);
    return (red_module_read(module, words, made->length / 4) ||
            lit_fail(error, LIT_EXIT_UNDECIDED, "it has an unknown instruction")) &&
           exits_find(module, exits, error);
}

bool linting_is_spirv(const char *path, const struct text *bytes)
{
    static const char *const ends[] = {".comp", ".glsl", ".spvasm"};
    const uint32_t magic = SpvMagicNumber;
    const size_t length = strlen(path);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (length > strlen(ends[i]) && strcmp(path + length - strlen(ends[i]), ends[i]) == 0)
            return true;
    return bytes->length >= sizeof magic && memcmp(bytes->data, &magic, sizeof magic) == 0;
}

bool linting_spirv(struct linting_spirv *l, const char *path, struct lit_error *error)
{
    OWNED(lit_free) uint32_t *words = NULL;
    OWNED(text_free) struct text page = {0}, made = {0};
    OWNED(red_module_clear) struct red_module module = {0};
    OWNED(exits_clear) struct exits exits = {0};
    struct lit_error why = {0};
    struct text lines = {0};
    size_t count = 0;
    if (!l->load(path, l->chosen, &words, &count, &page, error))
        return false;
    const bool good = optimise(words, count, &made, &why);
    if (!good && why.code == LIT_EXIT_NOTHING)
        return lit_fail(error, LIT_EXIT_USAGE, "%.200s: SPIR-V needs spirv-opt, of SPIRV-Tools",
                        path);
    l->modules++;
    if (!good || !find(&made, &module, &exits, &why)) {
        l->refused++;
        text_printf(&lines, "%s: %s\n", path, why.message);
    }
    l->loops += exits.loops;
    for (size_t i = 0; i < exits.count; i++) {
        const bool near = exits.findings[i].lacks;
        l->found += !near;
        l->near += near;
        if (!l->chosen->quiet && (!near || l->chosen->all))
            put_finding(&module, path, &exits.findings[i], &lines);
    }
    term_print(&lines);
    return true;
}
