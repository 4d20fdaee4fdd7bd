// SPDX-License-Identifier: Apache-2.0
// litmus tune: finds the stress that makes a test fail most often on a device.
#include "cli/device.h"
#include "tune/tune.h"

#define DEFAULT_SETS 15

#define AT(member)  offsetof(struct tune_options, run.member)
#define OWN(member) offsetof(struct tune_options, member)

static const struct cli_option options[] = {
    {0, "controls", CLI_FLAG, OWN(controls), NULL,
     "all controls, or those that match the patterns, with the\nmutation score before and after"},
    CLI_OPTION_DEVICE,
    CLI_OPTION_SIMT("only on the SIMT simulator: " CLI_SIMT_MODELS),
    {0, "sets", CLI_COUNT, OWN(sets), "N", "initial stress configurations (default: 15), to 1,000"},
    {'n', "runs", CLI_COUNT, AT(runs), "N",
     "runs of each in the first round (default: 100; with --simt\n5), to 1,000,000"},
    {0, "thorough", CLI_FLAG, AT(thorough), NULL,
     "including --thorough configurations and all subgroup sizes"},
    CLI_OPTION_SEED(
        "random seed, e.g. 24301 or 0x5eed (default: a new one,\nwhich is printed and stored)"),
    {0, "budget", CLI_SECONDS, OWN(budget), "SECONDS",
     "seconds within which a reproducible failure occurs, for the\n"
     "reproducibility score (default: 4)"},
    CLI_OPTION_TIMEOUT("seconds without progress that count as a hang (default: 60)"),
    CLI_OPTION_TIME,
    CLI_OPTION_DB,
    {'q', "quiet", CLI_FLAG, AT(quiet), NULL, "no progress"},
    {'v', "verbose", CLI_MORE, AT(verbose), NULL,
     "print every stress configuration, and the drivers' output"},
    CLI_OPTION_COLOR,
};

const struct cli_syntax cli_tune_syntax = {
    .name = "tune",
    .usage = "[OPTION]... PATTERN...",
    .about = "Searches for the stress configuration under which each matching configuration fails "
             "most\noften: random ones first, the better half with twice as many runs, and so on; "
             "then\nneighbours of the best. The best one and no stress are then measured with new "
             "runs: only\nthose rates are free of selection bias. 'litmus run --stress tuned' uses "
             "the result.",
    CLI_OPTIONS(options, struct tune_options, .sets = DEFAULT_SETS, .budget = TUNE_BUDGET,
                .run.db = "litmus.db", .run.timeout = ENG_IDLE_SECONDS),
    .more = "examples:\n"
            "  litmus tune 'memory.message-passing/sides=device,*order=relaxed*' -d 1\n"
            "  litmus tune --controls --time 10m\n"
            "  litmus run 'memory.*' --stress tuned\n",
    .operands = CLI_OPERANDS_TESTS,
};

int cli_tune(struct cli_call *call)
{
    struct tune_options *chosen = call->chosen;
    chosen->run.patterns = call->operands;
    return tune_configurations(chosen, call->argc, call->argv, &call->error);
}
