// SPDX-License-Identifier: Apache-2.0
// Files of machine code and SPIR-V: what is found in them, and their sum.
#include "lint/files.h"

#include "base/file.h"
#include "base/terminal.h"
#include "isa/code.h"
#include "isa/lint.h"

#include <stdio.h>
#include <string.h>

struct linting {
    const struct linting_options *chosen;
    size_t functions, refused, reads, findings[LINT_KINDS];
    struct linting_spirv spirv;
};

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
    return l->chosen->built_in
               ? sass_decode(bytes, function->size, architecture, code, error)
               : sass_from_bytes(bytes, function->size, architecture, code, NULL, error);
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

static bool lint_bytes(struct linting *l, const char *path, const struct text *bytes,
                       struct lit_error *error)
{
    struct isa_file file;
    struct lit_error why = {0};
    char nameless[] = "";
    const char *data = bytes->data ? bytes->data : "";
    bool good = isa_file_read(data, bytes->length, &file, &why);
    for (size_t i = 0; i < file.count && good; i++)
        lint_function(l, path, &file.functions[i]);
    // Machine code alone cannot be told from anything else.
    if (!good && l->chosen->sm && !file.format && bytes->length &&
        bytes->length % SASS_BYTES == 0) {
        lint_function(
            l, path,
            &(struct isa_function){.name = nameless, .bytes = data, .size = bytes->length});
        good = true;
    }
    isa_file_clear(&file);
    return good || lit_fail(error, LIT_EXIT_USAGE, "%.300s: %s", path, why.message);
}

static bool lint_file(struct linting *l, const char *path, struct lit_error *error)
{
    OWNED(text_free) struct text bytes = {0};
    const bool good = lit_file_read(path, ISA_MOST_BYTES, &bytes, error);
    if (good && linting_is_spirv(path, &bytes))
        return linting_spirv(&l->spirv, path, error);
    return good && lint_bytes(l, path, &bytes, error);
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

static void sum_up_spirv(const struct linting_spirv *l)
{
    printf("%zu module%s, %zu loop%s", l->modules, plural(l->modules), l->loops, plural(l->loops));
    if (l->refused)
        printf(", %zu not analysed", l->refused);
    printf(": %zu left apart, %zu near\n", l->found, l->near);
}

static int sum_up(const struct linting *l)
{
    size_t risks = l->spirv.found;
    for (int kind = 0; kind < LINT_KINDS; kind++)
        risks += lint_is_risk((enum lint_kind)kind) ? l->findings[kind] : 0;
    if (l->functions || !l->spirv.modules)
        sum_up_code(l);
    if (l->spirv.modules)
        sum_up_spirv(&l->spirv);
    return risks                            ? LIT_EXIT_FORBIDDEN
           : l->refused || l->spirv.refused ? LIT_EXIT_UNDECIDED
                                            : LIT_EXIT_OK;
}

int linting(const struct linting_options *chosen, linting_load *load, const struct lit_list *paths,
            struct lit_error *error)
{
    struct linting l = {.chosen = chosen, .spirv = {.chosen = chosen, .load = load}};
    bool good = paths->count > 0 || lit_fail(error, LIT_EXIT_USAGE, "missing FILE");
    for (size_t i = 0; i < paths->count && good; i++)
        good = lint_file(&l, paths->items[i], error);
    return good ? sum_up(&l) : -1;
}
