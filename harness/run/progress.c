// SPDX-License-Identifier: Apache-2.0
// litmus progress: runs generated programs whose threads wait for each other, and reports the
// strongest progress model that none of them contradicts.
#include "run/run.h"

#include "axiomatic/progress.h"
#include "base/folder.h"
#include "kernel/litmus.h"
#include "report/report.h"
#include "report/sections.h"

#include <inttypes.h>
#include <stdio.h>

#define USUAL 8 // programs that must end under the same models

#define MARK "litmus-progress-programs" // marks a folder as one of programs

static bool each_program(const struct run_progress *asked, struct lit_folder *folder,
                         struct lit_error *error)
{
    size_t count = 0;
    OWNED(lit_free)
    struct axi_waiting *all = axi_waiting_make(asked->all ? SIZE_MAX : USUAL, &count);
    for (size_t i = 0; i < count; i++)
        for (int place = 0; place < AXI_PLACES; place++) {
            OWNED(text_free) struct text name = {0}, text = {0};
            const struct cat_test *test;
            axi_waiting_write(&all[i], place, &name, &text);
            text_puts(&name, ".litmus");
            if (asked->write)
                text_append(lit_folder_add(folder, name.data), text.data, text.length);
            else if (!krn_litmus_add(name.data, &text, &test, error))
                return false;
        }
    return true;
}

static int write_programs(const struct run_progress *asked, struct lit_error *error)
{
    struct lit_folder folder = {0};
    const bool good = lit_folder_check(asked->write, MARK, error) &&
                      each_program(asked, &folder, error) &&
                      lit_folder_write(&folder, asked->write, MARK, error);
    lit_folder_clear(&folder);
    return good ? LIT_EXIT_OK : term_fail(error);
}

int run_progress(struct run_progress *asked, int argc, char **argv, struct lit_error *error)
{
    OWNED(text_free) struct text pattern = {0};
    if (asked->write)
        return write_programs(asked, error);
    if (asked->polls != 1024 && asked->polls != 65536 && asked->polls != 1048576)
        lit_fail(error, LIT_EXIT_USAGE, "--polls: 1024, 65536 or 1048576");
    else if (each_program(asked, NULL, error)) {
        // With few workgroups, the simulator has all of them in flight.
        text_printf(&pattern,
                    "litmus." AXI_WAITING
                    "*@workgroup=256,times=%d,stride=1,step=4099,polls=%" PRIu64 "*",
                    asked->run.simt.count ? 1 : 32, asked->polls);
        const char *item = pattern.data;
        asked->run.patterns = (struct lit_list){&item, 1};
        return run_tests(&asked->run, argc, argv, error);
    }
    return term_fail(error);
}

bool run_progress_text(struct store *store, int64_t session, bool all, struct text *text,
                       struct lit_error *error)
{
    struct report_model model;
    const bool good = report_model_load(store, session, &model, error);
    for (size_t device = 0; good && device < model.device_count; device++) {
        OWNED(report_progress_clear) struct report_progress progress;
        OWNED(table_clear) struct table table = {0};
        report_progress(&model, device, &progress);
        if (model.device_count > 1)
            text_printf(text, "%s\n", model.devices[device].facts.name);
        if (all) {
            report_final_states(&model, device, true, &table);
            table_terminal(&table, term_color(TERM_COLOR_AUTO), text);
        }
        for (int place = 0; place < AXI_PLACES; place++)
            text_printf(text, "  %s: %s\n", axi_place_word(place),
                        progress.between[place] ? progress.between[place] : "not measured");
    }
    report_model_clear(&model);
    return good;
}
