// SPDX-License-Identifier: Apache-2.0
// litmus lint: checks convergence in machine code from any source, and in SPIR-V.
#include "cli/cli.h"

#include "kernel/kernel.h"
#include "lint/files.h"

#define AT(member) offsetof(struct linting_options, member)

static const struct cli_option options[] = {
    {0, "rows", CLI_FLAG, AT(rows), NULL,
     "assume workgroups of one row, of rows of a multiple of 32\n"
     "invocations, or of rows of at most 32: SR_TID.X / 32 is the same\n"
     "for a whole warp"},
    {'a', "all", CLI_FLAG, AT(all), NULL,
     "also print what correct code may have: leaving, twice, shared wait,\n"
     "unclear, unset, unused, inside, guarded, exited and query; for SPIR-V\n"
     "also near, loops that lack a part of the shape"},
    {'q', "quiet", CLI_FLAG, AT(quiet), NULL, "print only the summary"},
    {0, "sm", CLI_COUNT, AT(sm), "N",
     "the architecture (90 for sm_90) of files that do not say it:\n"
     "pipeline binaries and plain machine code"},
    {0, "built-in", CLI_FLAG, AT(built_in), NULL,
     "decode machine code only with the built-in decoder, which knows\n"
     "sm_90 (default: with nvdisasm if it is installed)"},
    {0, "define", CLI_LIST, AT(defines), "NAME[=VALUE]", "a macro of GLSL"},
    {0, "include", CLI_LIST, AT(includes), "FOLDER",
     "where GLSL's includes are, besides the folder of FILE"},
};

const struct cli_syntax cli_lint_syntax = {
    .name = "lint",
    .usage = "[OPTION]... FILE...",
    .about =
        "Finds divergent cross-lane reads in NVIDIA machine code: SHFL, VOTE, MATCH and REDUX\n"
        "that lanes of a warp can reach without reconvergence after a branch, and instructions\n"
        "with a wrong guard, mask or register. Nothing is run. The content of a\n"
        "FILE determines its type: SASS text of nvdisasm or cuobjdump -sass, a cubin (ELF), or "
        "the\nresult of vkGetPipelineCacheData or vkGetPipelineBinaryDataKHR for one pipeline.\n"
        "In SPIR-V, its assembly (*.spvasm) and GLSL (*.comp, *.glsl), it finds the loops after\n"
        "which NVIDIA's compiler lets parts of a subgroup execute operations separately.",
    CLI_OPTIONS(options, struct linting_options, 0),
    .more =
        "docs/lint.md says what is found, what is not, and why.\n"
        "\n"
        "exit codes: 0 nothing found, 1 a probable fault, or a loop of SPIR-V, 2 usage or input,\n"
        "3 some code could not be analysed\n"
        "\n"
        "examples:\n"
        "  cuobjdump -sass program > program.sass && litmus lint program.sass\n"
        "  litmus lint --rows kernel.cubin\n"
        "  litmus lint pipeline.cache\n"
        "  litmus lint shader.spv\n"
        "  litmus lint --include shaders --define SIZE=64 shaders/sort.comp\n",
    .operands = CLI_OPERANDS_FILES,
};

static bool load(const char *path, const struct linting_options *chosen, uint32_t **words,
                 size_t *count, struct text *page, struct lit_error *error)
{
    const struct krn_options glsl = {.defines = chosen->defines, .includes = chosen->includes};
    return krn_load(path, &glsl, words, count, page, error);
}

int cli_lint(struct cli_call *call)
{
    return linting(call->chosen, load, &call->operands, &call->error);
}
