// SPDX-License-Identifier: Apache-2.0
// litmus plan: splits a run into caselists that take about equally long.
#include "cli/cli.h"
#include "session/session.h"

#define AT(member) offsetof(struct ses_plan_options, member)

static const struct cli_option options[] = {
    {'a', "all", CLI_FLAG, AT(all), NULL, "every test (of the default run, see --thorough)"},
    {0, "parts", CLI_COUNT, AT(parts), "N", "number of parts (default: 1)"},
    {'o', "output", CLI_TEXT, AT(output), "PREFIX",
     "write PREFIX-0.txt, PREFIX-1.txt... (default: all parts to\nstdout, with a comment before "
     "each)"},
    {0, "from", CLI_LIST, AT(from), "FILE",
     "a store that says how long configurations take, which of them\n"
     "broke, and which subgroup sizes exist; can be repeated"},
    {0, "missing", CLI_LIST, AT(missing), "FILE[#N|#all]",
     "only what the run's session in this store (the one that\n"
     "'litmus gate' reads) has not measured; can be repeated"},
    {0, "thorough", CLI_FLAG, AT(thorough), NULL,
     "all values of all parameters, and all subgroup sizes of the\ndevices of the stores"},
    {0, "caselist", CLI_LIST, AT(caselists), "FILE", "only what a file names, as for 'litmus run'"},
    {0, "skips", CLI_LIST, AT(skips), "FILE", "not what a file matches, as for 'litmus run'"},
};

const struct cli_syntax cli_plan_syntax = {
    .name = "plan",
    .usage = "[OPTION]... --all | PATTERN...",
    .about = "Divides a run into caselists that take about equally long, for several machines. "
             "Patterns are\nthose of 'litmus run'. Uses no device.",
    CLI_OPTIONS(options, struct ses_plan_options, .parts = 1),
    .more = "Times are those of the newest session that has the configuration. One that no store "
            "has counts like\nthe others of its test; without a store all count alike. "
            "Configurations that crashed, hung or were\ninterrupted when last measured get parts "
            "of their own, and those that lost the device get further parts\nafter these, as far "
            "as there are parts. All parts together are the run, and no configuration is in two.\n"
            "\n"
            "Run each part with '--caselist FILE --shard none --seed SEED', the same seed for all, "
            "and a store of\nits own, and combine the stores with 'litmus merge --parts'. If a "
            "part died, plan again with the same\n"
            "selection and '--missing' with the existing stores. This plans whatever one of their "
            "devices (as a\nkind: name and driver) has no result for, was interrupted in, or could "
            "not run (harness-error). Exit\n"
            "code 3: something is missing. If nothing is missing, prints nothing.\n"
            "\n"
            "examples:\n"
            "  litmus plan --all --parts 8 --from last-week.db -o part\n"
            "  litmus plan --all --parts 2 --missing all.db -o again\n"
            "  litmus plan 'shuffle.*' --from litmus.db | litmus run --caselist -\n",
    .operands = CLI_OPERANDS_TESTS,
};

int cli_plan(struct cli_call *call)
{
    return ses_plan(call->chosen, &call->operands, &call->out, &call->error);
}
