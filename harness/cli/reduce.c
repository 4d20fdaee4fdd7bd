// SPDX-License-Identifier: Apache-2.0
// litmus reduce: shrinks a failing configuration while it still fails.
#include "cli/device.h"
#include "reduce/reduce.h"

#define AT(member) offsetof(struct red_options, member)

static const struct cli_option options[] = {
    CLI_OPTION_DEVICE,
    CLI_OPTION_SIMT("on the SIMT simulator: " CLI_SIMT_MODELS),
    CLI_OPTION_EMULATE,
    {'n', "runs", CLI_COUNT, AT(runs), "N",
     "most runs to measure how often it fails (default: 1,000)"},
    {0, "part", CLI_RATE, AT(part), "X",
     "share of its failure rate that must remain, above 0 and below 1\n"
     "(default: 0.2)"},
    {0, "jobs", CLI_COUNT, AT(jobs), "N",
     "candidates to try in parallel, each in its own processes\n"
     "(default: one per core; up to 64)"},
    {'o', "out", CLI_TEXT, AT(out), "FOLDER",
     "folder for the reduced kernel (default: reduced-NAME); the\n"
     "same command continues from its state"},
    CLI_OPTION_TIMEOUT("seconds without progress that count as a hang (default: 60)"),
    CLI_OPTION_TIME,
    {'q', "quiet", CLI_FLAG, AT(quiet), NULL, "no progress"},
    {'v', "verbose", CLI_MORE, AT(verbose), NULL, "print the drivers' own output"},
};

const struct cli_syntax cli_reduce_syntax = {
    .name = "reduce",
    .usage = "[OPTION]... CONFIGURATION",
    .about = "Makes a kernel that fails on a device as small as possible while it fails in the "
             "same way:\na wrong word of the same kind, a crash at the same place, a hang. The "
             "SIMT simulator, under\nlockstep and tangled, determines the right words and excludes "
             "undefined behaviour.\n"
             "'litmus kernel FILE reduce' reduces your own kernel.",
    CLI_OPTIONS(options, struct red_options, .runs = 1000, .part = 0.2,
                .timeout = ENG_IDLE_SECONDS),
    .more =
        "exit codes: 0 nothing smaller fails, 1 the device or the simulator stopped before that,\n"
        "2 usage or input, 3 it does not fail here, or the right result is unknown, 5 the time "
        "budget\nwas used up\n"
        "\n"
        "examples:\n"
        "  litmus reduce 5bc95a78 -d 1\n"
        "  litmus kernel scan.spv --groups 64 --expect agree reduce -d 1\n"
        "  litmus reduce lookback.scan --simt miscompiling,hoist=1 --time 10m\n",
    .operands = CLI_OPERANDS_TESTS,
};

int cli_reduce(struct cli_call *call)
{
    const struct lit_list *operands = &call->operands;
    if (operands->count == 1)
        return red_configuration(call->chosen, operands->items[0], cli_start, &call->error);
    lit_fail(&call->error, LIT_EXIT_USAGE,
             operands->count ? "only one configuration at a time: unexpected '%.80s'"
                             : "missing configuration: 'litmus list --names' prints them",
             operands->count ? operands->items[1] : "");
    return CLI_FAILED;
}
