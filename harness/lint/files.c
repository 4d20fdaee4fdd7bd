// SPDX-License-Identifier: Apache-2.0
// Files of machine code and SPIR-V: what is found in them, and their sum.
#include "lint/files.h"

#include "base/file.h"
#include "base/program.h"
#include "base/terminal.h"
#include "isa/code.h"
#include "isa/lint.h"
#include "lint/exits.h"

#define MOST_NAME 200

struct linting {
    const struct linting_options *chosen;
    linting_load *load;
    size_t functions, refused, reads, findings[LINT_KINDS];
    struct {
        size_t modules, loops, found, near, refused;
    } spirv;
};

// --- SPIR-V: loops after which subgroup operations may be executed separately

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

// Optimises words, and reads the module. False if it was refused.
static bool read_kernel(uint32_t *words, size_t count, struct red_module *module,
                        struct lit_error *error)
{
    OWNED(text_free) struct text made = {0}, merged = {0};
    struct spirv_instruction at;
    struct lit_error ignored;
    const struct text *best = &made;
    bool calls = false;
    if (!lit_spirv_optimise(passes + 1, words, count * 4, &made, error))
        return false;
    SPIRV_EACH (at, (const void *)made.data, made.length / 4)
        calls |= at.opcode == SpvOpFunctionCall;
    if (calls && lit_spirv_optimise(passes, words, count * 4, &merged, &ignored))
        best = &merged;
    return red_module_read(module, (const void *)best->data, best->length / 4) ||
           lit_fail(error, LIT_EXIT_UNDECIDED, "it has an unknown instruction");
}

// Whether a file is a module, or one can be made of it: by its name, else by what it begins with.
static bool is_spirv(const char *path, const struct text *bytes)
{
    static const char *const ends[] = {".comp", ".glsl", ".spvasm"};
    const uint32_t magic = SpvMagicNumber;
    const size_t length = strlen(path);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (length > strlen(ends[i]) && strcmp(path + length - strlen(ends[i]), ends[i]) == 0)
            return true;
    return bytes->length >= sizeof magic && memcmp(bytes->data, &magic, sizeof magic) == 0;
}

static bool lint_spirv(struct linting *l, const char *path, struct lit_error *error)
{
    OWNED(lit_free) uint32_t *words = NULL;
    OWNED(text_free) struct text page = {0};
    OWNED(red_module_clear) struct red_module module = {0};
    OWNED(exits_clear) struct exits exits = {0};
    struct lit_error why = {0};
    struct text lines = {0};
    size_t count = 0;
    if (!l->load(path, l->chosen, &words, &count, &page, error))
        return false;
    const bool good = read_kernel(words, count, &module, &why);
    if (!good && why.code == LIT_EXIT_NOTHING)
        return lit_fail(error, LIT_EXIT_USAGE, "%.200s: SPIR-V needs spirv-opt, of SPIRV-Tools",
                        path);
    l->spirv.modules++;
    if (!good || !exits_find(&module, &exits, &why)) {
        l->spirv.refused++;
        text_printf(&lines, "%s: %s\n", path, why.message);
    }
    l->spirv.loops += exits.loops;
    for (size_t i = 0; i < exits.count; i++) {
        const bool near = exits.findings[i].lacks;
        l->spirv.found += !near;
        l->spirv.near += near;
        if (!l->chosen->quiet && (!near || l->chosen->all))
            put_finding(&module, path, &exits.findings[i], &lines);
    }
    term_print(&lines);
    return true;
}

// --- Machine code

static void put_where(const char *path, const struct isa_function *function, struct text *line)
{
    text_printf(line, "%s: %s%s", path, function->name, function->name[0] ? ": " : "");
}

static bool decode(const struct linting *l, const struct isa_function *function,
                   struct sass_code *code, struct lit_error *error)
{
    const uint32_t architecture =
        function->architecture ? function->architecture : (uint32_t)l->chosen->sm;
    const uint8_t *bytes = (const uint8_t *)function->bytes;
    if (function->is_text)
        return sass_parse(function->bytes, function->size, architecture, code, error);
    if (!architecture)
        return lit_fail(error, LIT_EXIT_USAGE, "unknown architecture: missing --sm N");
    return l->chosen->built_in ? sass_decode(bytes, function->size, architecture, code, error)
                               : sass_from_bytes(bytes, function->size, architecture, code, error);
}

static void lint_function(struct linting *l, const char *path, const struct isa_function *function)
{
    const struct lint_options how = {.rows = l->chosen->rows};
    OWNED(sass_code_clear) struct sass_code code = {0};
    OWNED(lint_clear) struct lint lint = {0};
    struct lit_error error = {0};
    struct text lines = {0};
    l->functions++;
    if (decode(l, function, &code, &error) && lint_run(&code, &how, &lint, &error)) {
        l->reads += lint.reads;
    } else {
        l->refused++;
        put_where(path, function, &lines);
        text_printf(&lines, "%s\n", error.message);
    }
    for (size_t i = 0; i < lint.count; i++) {
        const enum lint_kind kind = lint.findings[i].kind;
        l->findings[kind]++;
        if (l->chosen->quiet || (!l->chosen->all && !lint_is_risk(kind)))
            continue;
        put_where(path, function, &lines);
        lint_word(&code, &lint, &lint.findings[i], &lines);
        text_puts(&lines, "\n");
    }
    term_print(&lines);
}

static bool lint_file(struct linting *l, const char *path, struct lit_error *error)
{
    OWNED(text_free) struct text bytes = {0};
    OWNED(isa_file_clear) struct isa_file file = {0};
    struct lit_error why = {0};
    char nameless[] = "";
    if (!lit_file_read(path, ISA_MOST_BYTES, &bytes, error))
        return false;
    if (is_spirv(path, &bytes))
        return lint_spirv(l, path, error);
    const char *data = bytes.data ? bytes.data : "";
    bool good = isa_file_read(data, bytes.length, &file, &why);
    for (size_t i = 0; i < file.count && good; i++)
        lint_function(l, path, &file.functions[i]);
    // Machine code alone cannot be told from anything else.
    if (!good && l->chosen->sm && !file.format && bytes.length && bytes.length % SASS_BYTES == 0) {
        lint_function(
            l, path, &(struct isa_function){.name = nameless, .bytes = data, .size = bytes.length});
        good = true;
    }
    return good || lit_fail(error, LIT_EXIT_USAGE, "%.300s: %s", path, why.message);
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void sum_up_code(const struct linting *l)
{
    printf("%zu function%s, %zu cross-lane read%s", l->functions, plural(l->functions), l->reads,
           plural(l->reads));
    if (l->refused)
        printf(", %zu not analysed", l->refused);
    bool any = false;
    for (int kind = 0; kind < LINT_KINDS; kind++)
        if (l->findings[kind]) {
            printf("%s%zu %s", any ? ", " : ": ", l->findings[kind],
                   lint_kind_name((enum lint_kind)kind));
            any = true;
        }
    puts(any ? "" : ": nothing");
}

static int sum_up(const struct linting *l)
{
    size_t risks = l->spirv.found;
    for (int kind = 0; kind < LINT_KINDS; kind++)
        risks += lint_is_risk((enum lint_kind)kind) ? l->findings[kind] : 0;
    if (l->functions || !l->spirv.modules)
        sum_up_code(l);
    if (l->spirv.modules) {
        printf("%zu module%s, %zu loop%s", l->spirv.modules, plural(l->spirv.modules),
               l->spirv.loops, plural(l->spirv.loops));
        if (l->spirv.refused)
            printf(", %zu not analysed", l->spirv.refused);
        printf(": %zu left apart, %zu near\n", l->spirv.found, l->spirv.near);
    }
    return risks                            ? LIT_EXIT_FORBIDDEN
           : l->refused || l->spirv.refused ? LIT_EXIT_UNDECIDED
                                            : LIT_EXIT_OK;
}

int linting(const struct linting_options *chosen, linting_load *load, const struct lit_list *paths,
            struct lit_error *error)
{
    struct linting l = {.chosen = chosen, .load = load};
    bool good = paths->count > 0 || lit_fail(error, LIT_EXIT_USAGE, "missing FILE");
    for (size_t i = 0; i < paths->count && good; i++)
        good = lint_file(&l, paths->items[i], error);
    return good ? sum_up(&l) : -1;
}
