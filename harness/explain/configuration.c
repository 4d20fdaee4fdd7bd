// SPDX-License-Identifier: Apache-2.0
// Which interleaving broke a run: of the configurations that patterns select, on the SIMT
// simulator.
#include "base/file.h"
#include "engine/drivers.h"
#include "explain/explain.h"
#include "report/format.h"
#include "session/device.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRACE_NAME "/trace"

struct explaining {
    const struct exp_options *chosen;
    struct lit_list patterns;
    struct text given, settings; // as --simt has them, and as the driver reads them
    struct text run;             // of them those that name one run; "": it is to be searched
    struct ses_devices devices;
    struct exp_found found;
    struct text folder; // for the trace; empty while there is none
};

// Before anything runs

// Puts the settings that name one run apart from the others, which stay in order.
static void part_settings(const char *given, struct explaining *e)
{
    static const char *const of_run[] = {"schedule=", "depth=", "threads=", "seed="};
    for (size_t length; *given; given += length + (given[length] == ',')) {
        struct text *to = &e->given;
        length = strcspn(given, ",");
        for (size_t i = 0; i < sizeof of_run / sizeof *of_run; i++)
            if (strncmp(given, of_run[i], strlen(of_run[i])) == 0)
                to = &e->run;
        text_printf(to, "%s%.*s", to->length ? "," : "", (int)length, given);
    }
}

static bool read_settings(struct explaining *e, struct lit_error *error)
{
    static const char *const own[] = {"devices", "trace"};
    const char *given = NULL;
    OWNED(text_free) struct text valid = {0};
    if (!ses_simt_take(&e->chosen->simt, &given, error))
        return false;
    if (!given)
        return lit_fail(error, LIT_EXIT_USAGE, "missing --simt MODEL");
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (eng_simt_has(given, own[i]))
            return lit_fail(error, LIT_EXIT_USAGE,
                            "--simt '%.80s': '%s' is set by explain; leave it out", given, own[i]);
    const bool good = eng_simt_settings(given, &valid, error);
    if (!good)
        return false;
    if (strcmp(eng_simt_model(valid.data), "miscompiling") == 0)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--simt '%.80s': what fails happens before the run; 'litmus isa' prints "
                        "the changed program",
                        given);
    part_settings(given, e);
    if (e->run.length && !(eng_simt_has(e->run.data, "schedule") && eng_simt_has(given, "seed") &&
                           strstr(e->run.data, ",threads=1,")))
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--simt '%.80s': explain chooses schedule, depth, threads and seed itself; "
                        "to explain a run again, give all of them as it printed them",
                        given);
    if (!eng_simt_has(e->given.data, "subgroup"))
        text_puts(&e->given, ",subgroup=4");
    if (!eng_simt_settings(e->given.data, &e->settings, error))
        return false;
    return (e->settings.length < EXP_SETTINGS_MAX && e->run.length < EXP_RUN_MAX) ||
           lit_fail(error, LIT_EXIT_USAGE, "--simt '%.80s': too long", given);
}

static bool check_usage(struct explaining *e, struct lit_error *error)
{
    struct cat_selection selection = {.patterns = e->patterns.items, .count = e->patterns.count};
    if (e->patterns.count == 0)
        return lit_fail(error, LIT_EXIT_USAGE, "missing test: 'litmus list' prints their names");
    return cat_selection_check(&selection, error) && read_settings(e, error);
}

static bool find_driver(struct explaining *e, struct lit_error *error)
{
    if (!eng_simt_use(e->given.data, error) || !ses_devices_take(&e->devices, error))
        return false;
    if (e->devices.inventory.count == 0)
        return lit_fail(error, LIT_EXIT_USAGE, "the SIMT simulator cannot be used: %s",
                        e->devices.inventory.remark_count ? e->devices.inventory.remarks[0].text
                                                          : "no device");
    return true;
}

static bool make_folder(struct explaining *e, struct lit_error *error)
{
    const char *base = lit_path_temporary();
    if (strchr(base, ','))
        return lit_fail(error, LIT_EXIT_USAGE,
                        "%.200s: the folder for temporary files must not contain a comma, which "
                        "separates settings of the simulator: set TMPDIR",
                        base);
    text_printf(&e->folder, "%s/litmus-explain-XXXXXX", base);
    if (e->folder.length + sizeof TRACE_NAME <= EXP_FILE_MAX && mkdtemp(e->folder.data))
        return true;
    if (e->folder.length + sizeof TRACE_NAME > EXP_FILE_MAX)
        errno = ENAMETOOLONG;
    lit_fail(error, LIT_EXIT_USAGE, "%.200s: %s", e->folder.data, strerror(errno));
    text_free(&e->folder);
    return false;
}

// After the search

static void put_again(const struct explaining *e, const char *name, struct text *text)
{
    OWNED(text_free) struct text simt = {0};
    text_printf(&simt, "%s,%s", e->given.data, e->found.run);
    char id[CFG_ID_SIZE];
    cfg_id(name, id);
    format_call(text, name);
    text_printf(text, " explain %s", id);
    text_puts(text, " --simt ");
    text_quote(text, simt.data);
    text_printf(text, " --seed 0x%" PRIx64, e->chosen->seed.value);
}

static bool describe(const struct explaining *e, struct text *out, struct lit_error *error)
{
    const struct exp_found *found = &e->found;
    const struct exp_trace *references = found->has_reference ? found->reference : NULL;
    struct exp_fault fault;
    struct exp_window window;
    OWNED(text_free) struct text name = {0}, again = {0}, sentence = {0}, picture = {0};
    exp_fault_find(&found->failing, references, references ? references + 1 : NULL, &fault);
    exp_window_make(&found->failing, &fault, &window);
    cat_case_name(&found->which, &name);
    put_again(e, name.data, &again);
    exp_print(found, &fault, &window, again.data, out);
    bool good = true;
    if (e->chosen->svg) {
        exp_sentence(&found->failing, &fault, &sentence);
        exp_picture(&found->failing, &fault, &window, name.data, eng_simt_model(found->settings),
                    sentence.data, &picture);
        good = lit_file_write(e->chosen->svg, picture.data, picture.length, error);
        text_printf(out, "picture    %s\n", e->chosen->svg);
    }
    exp_window_clear(&window);
    return good;
}

static bool search(struct explaining *e, struct lit_error *error)
{
    struct cat_selection selection = {.patterns = e->patterns.items, .count = e->patterns.count};
    struct eng_plan plan;
    OWNED(text_free) struct text file = {0};
    text_printf(&file, "%s" TRACE_NAME, e->folder.data);
    eng_plan_make(&plan, &selection, &e->devices.inventory.devices[0].facts, false, 0);
    exp_sort_cases(plan.cases, plan.count);
    const struct exp_search work = {.watch = &e->devices.watch,
                                    .manifest = e->devices.inventory.devices[0].manifest,
                                    .settings = e->settings.data,
                                    .run = e->run.data,
                                    .cases = plan.cases,
                                    .count = plan.count,
                                    .seed = e->chosen->seed.value,
                                    .seconds = e->chosen->time,
                                    .file = file.data};
    bool good = plan.count > 0 ? exp_search(&work, &e->found, error)
                               : lit_fail(error, LIT_EXIT_NOTHING,
                                          "none of these configurations exists for these settings");
    eng_plan_clear(&plan);
    return good;
}

static int explain(struct explaining *e, struct lit_error *error)
{
    OWNED(text_free) struct text out = {0};
    if (!check_usage(e, error) || !find_driver(e, error) || !make_folder(e, error) ||
        !search(e, error))
        return term_fail(error);
    if (e->found.unusable) {
        lit_fail(error, LIT_EXIT_NOTHING, "nothing can run: %s", e->found.unusable);
        return term_fail(error);
    }
    if (!e->found.found && e->run.length) {
        text_printf(&out, "this run did not fail under model %s\n",
                    eng_simt_model(e->settings.data));
    } else if (!e->found.found) {
        text_printf(&out, "nothing failed in %s %s of %g seconds under model %s\n",
                    COUNT(e->found.tries), e->found.tries == 1 ? "run" : "runs", e->chosen->time,
                    eng_simt_model(e->settings.data));
    }
    if (!e->found.found) {
        const int code = term_print(&out);
        return code == LIT_EXIT_OK ? LIT_EXIT_UNDECIDED : code;
    }
    if (!describe(e, &out, error))
        return term_fail(error);
    return term_print(&out);
}

int exp_configuration(const struct exp_options *chosen, const struct lit_list *patterns,
                      struct lit_error *error)
{
    struct explaining e = {.chosen = chosen, .patterns = *patterns};
    ses_devices_watch(&e.devices, chosen->timeout, 0, 0);
    const int code = explain(&e, error);
    if (e.folder.length)
        rmdir(e.folder.data);
    text_free(&e.folder);
    exp_found_clear(&e.found);
    text_free(&e.given);
    text_free(&e.settings);
    text_free(&e.run);
    return ses_devices_end(&e.devices, code);
}
