// SPDX-License-Identifier: Apache-2.0
// litmus progress: finds the forward progress that lanes, subgroups and workgroups make.
#include "cli/device.h"
#include "run/run.h"

#define AT(member)  offsetof(struct run_progress, run.member)
#define OWN(member) offsetof(struct run_progress, member)

static const struct cli_option options[] = {
    CLI_OPTION_DEVICE,
    {'n', "runs", CLI_COUNT, AT(runs), "N", "runs of each program in each place (default: 20)"},
    {0, "polls", CLI_COUNT, OWN(polls), "N",
     "limit on a thread's passes through its code: 1,024, 65,536 (the\n"
     "default) or 1,048,576; if it is too low for a device, even fair\n"
     "waits expire"},
    {'a', "all", CLI_FLAG, OWN(all), NULL,
     "all generated programs (default: the smallest eight of those that\nmust end under the same "
     "models)"},
    CLI_OPTION_SIMT("only on the SIMT simulator, with these settings, e.g.\nlockstep,schedule=obe"),
    CLI_OPTION_SEED("random seed (default: a new one, which is printed and stored)"),
    CLI_OPTION_TIMEOUT("seconds without progress that count as a hang (default: 60)"),
    CLI_OPTION_TIME,
    CLI_OPTION_DB,
    {0, "write", CLI_TEXT, OWN(write), "FOLDER",
     "only write the programs, as .litmus files; nothing is run"},
    {'q', "quiet", CLI_FLAG, AT(quiet), NULL, "no progress display"},
    {'v', "verbose", CLI_MORE, AT(verbose), NULL, "print what each program did"},
    CLI_OPTION_COLOR,
};

const struct cli_syntax cli_progress_syntax = {
    .name = "progress",
    .usage = "[OPTION]...",
    .about =
        "Finds which forward progress lanes, subgroups and workgroups make. Runs generated\n"
        "programs of two or three threads that wait for each other, each in three places: with\n"
        "lanes of a subgroup, subgroups of a workgroup, or workgroups as threads. Waits are\n"
        "bounded. An expired wait contradicts every progress model under which the program must\n"
        "end. Prints the strongest model that nothing contradicts, and what rules out the next\n"
        "one. This is not a guarantee.",
    CLI_OPTIONS(options, struct run_progress, .polls = 65536, .run.runs = 20, .run.db = "litmus.db",
                .run.timeout = ENG_IDLE_SECONDS, .run.isa = SES_CODE_NONE, .run.progress = true),
    .more = "Models, from strong to weak: fair, lobe, hsa-obe, hsa and obe, none. 'litmus help\n"
            "model' and docs/memory-model.md explain them, the latter also the programs' names.\n"
            "\n"
            "exit codes: as litmus run\n"
            "\n"
            "examples:\n"
            "  litmus progress\n"
            "  litmus progress -d 1 -n 100 --all\n"
            "  litmus progress --simt lockstep,schedule=hsa\n"
            "  litmus progress --write programs && litmus model --progress programs/*.litmus\n",
    .operands = CLI_OPERANDS_NONE,
};

int cli_progress(struct cli_call *call)
{
    return run_progress(call->chosen, call->argc, call->argv, &call->error);
}
