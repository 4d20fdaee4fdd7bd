// SPDX-License-Identifier: Apache-2.0
// litmus model: says what the Vulkan memory model allows a small program to do.
#include "cli/cli.h"
#include "explain/explain.h"

#define AT(member) offsetof(struct exp_model_options, member)

static const struct cli_option options[] = {
    {'q', "quiet", CLI_FLAG, AT(quiet), NULL, "print only one line for each condition"},
    {0, "no-chains", CLI_FLAG, AT(no_chains), NULL,
     "as if vulkanMemoryModelAvailabilityVisibilityChains is false"},
    {0, "progress", CLI_FLAG, AT(progress), NULL,
     "decide whether the programs must end, under each progress model"},
    {0, "rounds", CLI_COUNT, AT(rounds), "N",
     "follow each backward jump at most N times (default: 2); loops\n"
     "that only wait are decided for any number"},
    {0, "most", CLI_COUNT, AT(most), "N",
     "refuse programs with more candidate executions than N\n"
     "(default: 10,000,000)"},
    {0, "svg", CLI_TEXT, AT(svg), "FOLDER",
     "draw, for each forbidden final state, an execution that has it and the\ncycle that forbids "
     "it: FOLDER/FILE.N.svg, N its line in the table"},
};

const struct cli_syntax cli_model_syntax = {
    .name = "model",
    .usage = "[OPTION]... FILE...",
    .about =
        "Decides small concurrent programs by the Vulkan memory model: which final states are\n"
        "allowed, by which cycle the others are forbidden, and whether there is a data race.\n"
        "Nothing is run. A FILE is a litmus test in the VULKAN dialect of .litmus, or a .test\n"
        "of Khronos's Alloy model. With --progress: whether the programs must end, if the "
        "scheduler\ngives turns again and again to all threads that have not ended (fair), to "
        "those numbered up\nto the highest that has had a turn (lobe), to those that have had a "
        "turn (obe), to the one\nwith the lowest number (hsa), to the latter two (hsa-obe), or to "
        "some thread (none).",
    CLI_OPTIONS(options, struct exp_model_options, .rounds = 2, .most = 10000000),
    .more = "docs/memory-model.md describes the dialects, and names the section of the "
            "specification's\nappendix Memory Model for each relation.\n"
            "\n"
            "exit codes: 0 all conditions hold as written (--progress: all programs end under\n"
            "fair), 1 one does not, 2 usage or input, 3 a program cannot be expressed, or is too "
            "large\n"
            "\n"
            "examples:\n"
            "  litmus model mp.litmus\n"
            "  litmus model --quiet tests/*.litmus\n"
            "  litmus model --progress spin-lock.litmus\n",
    .operands = CLI_OPERANDS_FILES,
};

int cli_model(struct cli_call *call)
{
    return exp_model(call->chosen, &call->operands, &call->error);
}
