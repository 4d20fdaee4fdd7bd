// SPDX-License-Identifier: Apache-2.0
// litmus lint: the convergence lint over machine code from anywhere, and over SPIR-V.
#include "cli/kernel.h"

#include "base/file.h"
#include "isa/code.h"
#include "isa/lint.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct options {
    bool rows, all, quiet, built_in;
    uint64_t sm;
    struct lit_list defines, includes;
};

#define AT(member) offsetof(struct options, member)

static const struct cli_option options[] = {
    {0, "rows", CLI_FLAG, AT(rows), NULL,
     "workgroups are of one row, of rows of a multiple of 32 invocations,\nor of rows of 32 at "
     "most: SR_TID.X / 32 is one number for a warp"},
    {'a', "all", CLI_FLAG, AT(all), NULL,
     "print inside, guarded, exited and query, too, which the program\nmay ask for; of SPIR-V "
     "near, loops that lack something of the shape"},
    {'q', "quiet", CLI_FLAG, AT(quiet), NULL, "print the summary alone"},
    {0, "sm", CLI_COUNT, AT(sm), "N",
     "the architecture, 90 for sm_90, of files that do not say it:\npipeline binaries, and machine "
     "code alone"},
    {0, "built-in", CLI_FLAG, AT(built_in), NULL,
     "decode machine code by the built-in decoder alone, which knows\nsm_90 (default: by nvdisasm "
     "if there is one)"},
    {0, "define", CLI_LIST, AT(defines), "NAME[=VALUE]", "a macro of GLSL"},
    {0, "include", CLI_LIST, AT(includes), "FOLDER",
     "where GLSL's includes are, besides the folder of FILE"},
};

const struct cli_syntax cli_lint_syntax = {
    .name = "lint",
    .usage = "[OPTION]... FILE...",
    .about =
        "Finds divergent cross-lane reads in NVIDIA machine code: SHFL, VOTE, MATCH and REDUX\n"
        "that lanes of a warp can reach without reconvergence after a branch, and warp-wide\n"
        "instructions with a wrong guard predicate. Nothing is run. A FILE is what it is by its\n"
        "content: SASS text of nvdisasm or cuobjdump -sass, a cubin (ELF), or what\n"
        "vkGetPipelineCacheData or vkGetPipelineBinaryDataKHR gave for one pipeline.\n"
        "Of SPIR-V, its assembly (*.spvasm) and GLSL (*.comp, *.glsl) it names the loops behind\n"
        "which NVIDIA's compiler leaves a subgroup to execute operations apart.",
    CLI_OPTIONS(options, struct options, 0),
    .more = "docs/lint.md says what is found, what is not, and why.\n\n"
            "exit codes: 0 nothing found, 1 at risk, leaving, twice or misguarded was found, or a\n"
            "loop of SPIR-V, 2 usage or input, 3 some code could not be analysed\n\n"
            "examples:\n"
            "  cuobjdump -sass program > program.sass && litmus lint program.sass\n"
            "  litmus lint --rows kernel.cubin\n"
            "  litmus lint pipeline.cache\n"
            "  litmus lint shader.spv\n"
            "  litmus lint --include shaders --define SIZE=64 shaders/sort.comp\n",
    .operands = CLI_OPERANDS_FILES,
};

struct linting {
    const struct options *chosen;
    size_t functions, refused, reads, findings[LINT_KINDS];
    struct cli_lint_spirv spirv;
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
        return lit_fail(error, LIT_EXIT_USAGE, "the architecture is not known: missing --sm N");
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
    if (good && cli_lint_is_spirv(path, &bytes))
        return cli_lint_spirv(&l->spirv, path, error);
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
    for (int kind = 0; kind < LINT_KINDS; kind++)
        printf("%s%zu %s", kind ? ", " : ": ", l->findings[kind],
               lint_kind_name((enum lint_kind)kind));
    printf("\n");
}

static void sum_up_spirv(const struct cli_lint_spirv *l)
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

int cli_lint(struct cli_call *call)
{
    const struct options *chosen = call->chosen;
    struct linting l = {.chosen = chosen,
                        .spirv = {.defines = &chosen->defines,
                                  .includes = &chosen->includes,
                                  .all = chosen->all,
                                  .quiet = chosen->quiet}};
    const struct lit_list *paths = &call->operands;
    bool good = paths->count > 0 || lit_fail(&call->error, LIT_EXIT_USAGE, "missing FILE");
    for (size_t i = 0; i < paths->count && good; i++)
        good = lint_file(&l, paths->items[i], &call->error);
    return good ? sum_up(&l) : CLI_FAILED;
}
