// SPDX-License-Identifier: Apache-2.0
// litmus progress: runs generated programs whose threads wait for each other, and reports the
// strongest progress model that none of them contradicts.
#include "axiomatic/progress.h"
#include "base/folder.h"
#include "cli/cli.h"
#include "cli/device.h"
#include "cli/litmus.h"
#include "cli/session.h"
#include "report/report.h"
#include "report/sections.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USUAL   8  // programs that must end under the same models
#define RUNS    20 // of each program at each place
#define RUNS_BY "20"

struct options {
    bool all, quiet;
    int verbose, color;
    struct lit_list devices, simt;
    uint64_t runs;
    struct lit_seed seed;
    double timeout, time;
    uint64_t polls;
    const char *db, *write;
};

#define AT(member) offsetof(struct options, member)

static const struct cli_option options[] = {
    CLI_OPTION_DEVICE,
    {'n', "runs", CLI_COUNT, AT(runs), "N",
     "runs of each program in each place (default: " RUNS_BY ")"},
    {0, "polls", CLI_COUNT, AT(polls), "N",
     "limit on a thread's passes through its code: 1,024, 65,536 (the\n"
     "default) or 1,048,576; if it is too low for a device, even fair\n"
     "waits expire"},
    {'a', "all", CLI_FLAG, AT(all), NULL,
     "all generated programs (default: the smallest eight of those that\nmust end under the same "
     "models)"},
    CLI_OPTION_SIMT("only on the SIMT simulator, with these settings, e.g.\nlockstep,schedule=obe"),
    CLI_OPTION_SEED("random seed (default: a new one, which is printed and stored)"),
    CLI_OPTION_TIMEOUT("seconds without progress that count as a hang (default: 60)"),
    CLI_OPTION_TIME,
    CLI_OPTION_DB,
    {0, "write", CLI_TEXT, AT(write), "FOLDER",
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
    CLI_OPTIONS(options, struct options, .timeout = ENG_IDLE_SECONDS, .db = "litmus.db",
                .polls = 65536),
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

#define MARK "litmus-progress-programs" // marks a folder as one of programs

static bool each_program(const struct options *chosen, struct lit_folder *folder,
                         struct lit_error *error)
{
    size_t count = 0;
    OWNED(lit_free)
    struct axi_waiting *all = axi_waiting_make(chosen->all ? SIZE_MAX : USUAL, &count);
    for (size_t i = 0; i < count; i++)
        for (int place = 0; place < AXI_PLACES; place++) {
            OWNED(text_free) struct text name = {0}, text = {0};
            const struct cat_test *test;
            axi_waiting_write(&all[i], place, &name, &text);
            text_puts(&name, ".litmus");
            if (chosen->write)
                text_append(lit_folder_add(folder, name.data), text.data, text.length);
            else if (!cli_litmus_add(name.data, &text, &test, error))
                return false;
        }
    return true;
}

static int write_programs(const struct options *chosen, struct lit_error *error)
{
    struct lit_folder folder = {0};
    const bool good = lit_folder_check(chosen->write, MARK, error) &&
                      each_program(chosen, &folder, error) &&
                      lit_folder_write(&folder, chosen->write, MARK, error);
    lit_folder_clear(&folder);
    return good ? LIT_EXIT_OK : CLI_FAILED;
}

int cli_progress(struct cli_call *call)
{
    const struct options *chosen = call->chosen;
    OWNED(text_free) struct text pattern = {0};
    if (chosen->write)
        return write_programs(chosen, &call->error);
    if (chosen->polls != 1024 && chosen->polls != 65536 && chosen->polls != 1048576) {
        lit_fail(&call->error, LIT_EXIT_USAGE, "--polls: 1024, 65536 or 1048576");
        return CLI_FAILED;
    }
    if (!each_program(chosen, NULL, &call->error))
        return CLI_FAILED;
    // With few workgroups, the simulator has all of them in flight.
    text_printf(&pattern,
                "litmus." AXI_WAITING "*@workgroup=256,times=%d,stride=1,step=4099,polls=%" PRIu64
                "*",
                chosen->simt.count ? 1 : 32, chosen->polls);
    const char *item = pattern.data;
    struct ses_options run = *(const struct ses_options *)cli_run_syntax.defaults;
    run.devices = chosen->devices;
    run.simt = chosen->simt;
    run.runs = chosen->runs ? chosen->runs : RUNS;
    run.seed = chosen->seed;
    run.timeout = chosen->timeout;
    run.time = chosen->time;
    run.db = chosen->db;
    run.quiet = chosen->quiet;
    run.verbose = chosen->verbose;
    run.color = chosen->color;
    run.isa = SES_CODE_NONE;
    run.progress = true;
    struct cli_call inner = {.argc = call->argc,
                             .argv = call->argv,
                             .chosen = &run,
                             .operands = {.items = &item, .count = 1}};
    const int code = cli_run(&inner);
    call->error = inner.error;
    return code;
}

bool cli_progress_print(struct store *store, int64_t session, bool all)
{
    struct report_model model;
    struct lit_error error = {0};
    const bool good = report_model_load(store, session, &model, &error);
    if (!good) {
        term_fail(&error);
    } else {
        for (size_t device = 0; device < model.device_count; device++) {
            OWNED(report_progress_clear) struct report_progress progress;
            OWNED(table_clear) struct table table = {0};
            struct text out = {0};
            report_progress(&model, device, &progress);
            if (model.device_count > 1)
                text_printf(&out, "%s\n", model.devices[device].facts.name);
            if (all) {
                report_final_states(&model, device, true, &table);
                table_terminal(&table, term_color(TERM_COLOR_AUTO), &out);
            }
            for (int place = 0; place < AXI_PLACES; place++)
                text_printf(&out, "  %s: %s\n", axi_place_word(place),
                            progress.between[place] ? progress.between[place] : "not measured");
            term_print(&out);
        }
    }
    report_model_clear(&model);
    return good;
}
