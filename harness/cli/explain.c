// SPDX-License-Identifier: Apache-2.0
// litmus explain: finds a run that fails on the SIMT simulator, and explains which interleaving
// caused it.
#include "cli/device.h"
#include "explain/explain.h"

#define AT(member) offsetof(struct exp_options, member)

static const struct cli_option options[] = {
    CLI_OPTION_SIMT("the model to explain it on: " CLI_SIMT_MODELS
                    "\n(subgroups of 4 unless subgroup= says otherwise)"),
    {0, "svg", CLI_TEXT, AT(svg), "FILE", "write a diagram: one row per lane, time to the right"},
    {0, "time", CLI_SECONDS, AT(time), "SECONDS", "seconds to search (default: 20)"},
    CLI_OPTION_TIMEOUT("seconds without progress that count as a hang (default: 10)"),
    CLI_OPTION_SEED("random seed of input and schedules (default: 1)"),
};

const struct cli_syntax cli_explain_syntax = {
    .name = "explain",
    .usage = "[OPTION]... --simt MODEL PATTERN...",
    .about = "Searches for a failing run of a test on the SIMT simulator, shortens it, and prints "
             "which\nlane executed which instruction when, which wrong value was read, and what "
             "was expected.\nUses the smallest failing configuration that the patterns select.",
    CLI_OPTIONS(options, struct exp_options, .time = 20, .timeout = 10, .seed = {.value = 1}),
    .more = "exit codes: 0 explained, 3 nothing failed within the time limit\n\n"
            "example:\n"
            "  litmus explain 'shuffle.scan-loop/sync=none*' --simt snooping --svg hazard.svg\n",
    .operands = CLI_OPERANDS_TESTS,
};

int cli_explain(struct cli_call *call)
{
    return exp_configuration(call->chosen, &call->operands, &call->error);
}
