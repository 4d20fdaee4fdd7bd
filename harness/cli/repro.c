// SPDX-License-Identifier: Apache-2.0
// litmus repro: exports one configuration as a folder that driver developers can use without this
// program.
#include "cli/device.h"
#include "repro/repro.h"

#define AT(member) offsetof(struct repro_options, member)

static const struct cli_option options[] = {
    {'o', "output", CLI_TEXT, AT(output), "FOLDER",
     "output folder; must be empty or not exist (default: named\nafter the test)"},
    {'d', "device", CLI_LIST, AT(devices), "DEVICE",
     "target device, as listed by 'litmus devices' or the\nsession: number, UUID or name"},
    CLI_OPTION_DB,
    {0, "session", CLI_COUNT, AT(session), "N", "the session (default: the newest)"},
    {'n', "runs", CLI_COUNT, AT(runs), "N",
     "runs of the reproducer (default: as measured, else 1,000)"},
    CLI_OPTION_SEED("random seed of the data (default: as measured, else 1)"),
    {0, "facts", CLI_TEXT, AT(facts), "FILE",
     "make a bundle again from its facts.json: its device and\nresults, and the code and evidence "
     "beside it"},
    {0, "amber", CLI_FLAG, AT(amber), NULL, "also write an Amber script"},
    CLI_OPTION_SIMT("for the SIMT simulator, if nothing was measured:\n" CLI_SIMT_MODELS),
};

const struct cli_syntax cli_repro_syntax = {
    .name = "repro",
    .usage = "[OPTION]... CONFIGURATION|bench:ROW|--facts FILE",
    .about =
        "Writes a folder with one configuration for a bug report: a text for the tracker, the\n"
        "shader, its data, and a reproducer in one C file with a Makefile, which\n"
        "does not need litmus. Uses the session's result of this configuration, preferably a "
        "failed\none; without a result the folder is made for a device of this machine. bench:ROW "
        "is the\n"
        "kernel of a row of 'litmus bench scan' or 'lookback', with its size:\n"
        "bench:ROW@elements=N,loops=N.",
    CLI_OPTIONS(options, struct repro_options, .db = "litmus.db"),
    .operands = CLI_OPERANDS_TESTS,
    .name_at = repro_bench_at,
    .more =
        "exit codes: 0 written, 2 usage or input, 77 the configuration cannot run on the device\n\n"
        "examples:\n"
        "  litmus repro 'barrier.long-loop/form=one@workgroup=64,iterations=100000' -o ticket\n"
        "  litmus repro bench:subgroup/emulated/none/items=1/workgroup=256@elements=4096\n",
};

int cli_repro(struct cli_call *call)
{
    const bool store_given = cli_is_given(&cli_repro_syntax, call->given, "db") ||
                             cli_is_given(&cli_repro_syntax, call->given, "session");
    return repro_configuration(call->chosen, store_given, &call->operands, &call->error);
}
