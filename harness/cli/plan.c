// SPDX-License-Identifier: Apache-2.0
// litmus plan: a run in parts, as caselists that take about equally long.
#include "cli/cli.h"
#include "session/plan.h"

#include <stddef.h>

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
    .about = "Divides a run into caselists for several machines, which take about equally long. "
             "Patterns are\nthose of 'litmus run'. Uses no device.",
    CLI_OPTIONS(options, struct ses_plan_options, .parts = 1),
    .more =
        "Times are those of the newest session that has the configuration; one that no store has "
        "counts as the\n"
        "others of its test do, without a store all count alike. What crashed, hung or was "
        "interrupted when it\n"
        "was measured last is in parts of its own, and what lost the device in others behind "
        "them, as far as\n"
        "there are parts. All parts together are the run, and no configuration is in two.\n\n"
        "Run each part with '--caselist FILE --shard none --seed SEED' and a store of its own, "
        "the seed being\n"
        "that of all, and put the stores together with 'litmus merge --parts'. If a part died, "
        "plan again with\n"
        "the same selection and '--missing' with the stores that there are: what a device of "
        "theirs (as a kind:\n"
        "name and driver) has no result of, was interrupted in, or could not be run "
        "(harness-error). Exit\n"
        "code 3: something is missing. Prints nothing if nothing is.\n\n"
        "examples:\n"
        "  litmus plan --all --parts 8 --from last-week.db -o part\n"
        "  litmus plan --all --parts 2 --missing all.db -o again\n"
        "  litmus plan 'shuffle.*' --from litmus.db | litmus run --caselist -\n",
    .operands = CLI_OPERANDS_TESTS,
};

int krn_plan(struct cli_call *call)
{
    return ses_plan(call->chosen, &call->operands, &call->out, &call->error);
}
