// SPDX-License-Identifier: Apache-2.0
// litmus run: from the options to the exit code.
#include "run/run.h"

#include "axiomatic/progress.h"
#include "base/clock.h"
#include "base/folder.h"
#include "engine/progress.h"
#include "engine/supervisor.h"
#include "fuzz/options.h"
#include "kernel/kernel.h"
#include "kernel/litmus.h"
#include "report/failures.h"
#include "report/format.h"
#include "report/report.h"
#include "report/sections.h"

#include <ctype.h>
#include <unistd.h>

#define DEFAULT_RUNS  1000
#define SMALL_SECONDS 60 // to shrink drawn programs
#define MOST_RUNS     (UINT64_C(1) << 53)

static bool parse_ahead(struct ses_options *o, struct lit_error *error)
{
    char *end = NULL;
    o->ahead = -1;
    if (!o->ahead_text)
        return true;
    const unsigned long number = strtoul(o->ahead_text, &end, 10);
    if (!isdigit((unsigned char)o->ahead_text[0]) || *end || number > ENG_PRECOMPILE_MOST)
        return lit_fail(error, LIT_EXIT_USAGE, "--ahead '%.40s': a number from 0 to %d is needed",
                        o->ahead_text, ENG_PRECOMPILE_MOST);
    o->ahead = (int)number;
    return true;
}

static bool check_usage(const struct ses_options *o, struct lit_error *error)
{
    const bool width = o->until_width > 0, decided = o->until_decided > 0;
    const struct {
        bool both;
        const char *one, *other;
    } apart[] = {
        {o->shard_tests && o->shard_runs, "shard", "shard-runs"},
        {width && decided, "until-width", "until-decided"},
        // A shard of runs needs to know the number of runs.
        {width && o->shard_runs, "until-width", "shard-runs"},
        {decided && o->shard_runs, "until-decided", "shard-runs"},
    };
    if (o->resume)
        return o->patterns.count == 0 ||
               lit_fail(error, LIT_EXIT_USAGE, "--resume uses the session's tests: no patterns");
    if (o->dry_run && ses_outputs_wanted(&o->outputs))
        return lit_fail(error, LIT_EXIT_USAGE, "--dry-run measures nothing to report");
    for (size_t i = 0; i < sizeof apart / sizeof *apart; i++)
        if (apart[i].both)
            return lit_fail(error, LIT_EXIT_USAGE, "--%s and --%s are mutually exclusive",
                            apart[i].one, apart[i].other);
    if (o->max_runs && !width && !decided)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--max-runs goes with --until-width or --until-decided");
    if (o->max_runs && o->runs > o->max_runs)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "-n is the minimum and --max-runs the maximum: %" PRIu64
                        " is above %" PRIu64,
                        o->runs, o->max_runs);
    return ses_check_tests(o->all, &o->patterns, &o->caselists, "run", error) &&
           ses_check(&o->patterns, &o->simt, error);
}

// The state of one invocation.
struct run {
    struct ses_options options;
    struct cat_selection selection;
    struct ses_devices devices;
    struct eng_progress progress;
    struct eng_stressing stress;
    struct store *store;
    struct store_session session;
    struct ses_baseline baseline;
    struct ses_shares shares;
    bool kept;       // the session has all needed kernels from outside
    bool incomplete; // a device of the resumed session is missing
};

// Devices

static void remark_drivers(const struct run *run)
{
    size_t quiet = 0;
    for (size_t i = 0; i < run->devices.inventory.remark_count; i++) {
        const struct eng_remark *remark = &run->devices.inventory.remarks[i];
        char manifest[512];
        // Report a driver without hardware only if there is nothing else.
        if (remark->harmless && run->devices.inventory.count > 0 && run->options.verbose == 0) {
            quiet++;
            continue;
        }
        text_sanitise(manifest, sizeof manifest, remark->manifest);
        fprintf(stderr, "litmus: no device: %s: %s\n", manifest, remark->text);
    }
    if (quiet > 0 && !run->options.quiet)
        fprintf(stderr, "litmus: %zu driver%s found no device; 'litmus devices' says why\n", quiet,
                quiet > 1 ? "s" : "");
}

static bool choose_devices(struct run *run, struct lit_error *error)
{
    const struct ses_options *o = &run->options;
    if (!ses_devices_take(&run->devices, error))
        return false;
    if (!run->devices.inventory.failed[0])
        remark_drivers(run);
    if (!eng_inventory_some(&run->devices.inventory, error))
        return false;
    if (!o->resume)
        return eng_inventory_choose(&run->devices.inventory, o->devices.items, o->devices.count,
                                    run->devices.chosen, error);
    return ses_choose(run->session.options, &run->devices, &run->incomplete, error);
}

// A software driver needs minutes where a GPU needs seconds.
static uint64_t usual_on(const struct eng_device *device, uint64_t runs)
{
    return device->facts.cpu ? (runs + 1) / 2 : runs;
}

static void print_header(const struct eng_device *device, size_t planned, size_t before, void *user)
{
    const struct run *run = user;
    OWNED(text_free) struct text line = {0};
    char rule[48];
    uint64_t first, own;
    if (run->options.quiet)
        return;
    eng_shard_runs(&run->options.shard, run->options.runs, &first, &own);
    eng_rule_write(&run->options.rule, rule);
    ses_devices_heading(&run->devices, device);
    text_printf(&line, "  %s configuration%s, ", COUNT(planned), planned == 1 ? "" : "s");
    if (run->options.rule.kind != ENG_RULE_FIXED)
        text_printf(&line, "%s to %s runs each until %s", COUNT(own), COUNT(run->options.rule.most),
                    rule);
    else if (run->options.usual)
        text_printf(&line, "%s to %s runs each", COUNT(usual_on(device, own) / 2),
                    COUNT(usual_on(device, own) * 2));
    else
        text_printf(&line, "%s run%s each", COUNT(own), own == 1 ? "" : "s");
    text_printf(&line, ", seed 0x%" PRIx64, run->options.seed.value);
    if (run->options.shard.kind != STORE_WHOLE)
        text_printf(&line, ", shard %" PRIu64 "/%" PRIu64, run->options.shard.index,
                    run->options.shard.count);
    if (run->options.stress.count && run->stress.mode != ENG_STRESS_NONE)
        text_printf(&line, ", stress %s", run->options.stress.items[0]);
    if (before > 0)
        text_printf(&line, "; done before: %s", COUNT(before));
    printf("%s\n", line.data);
    term_flush();
}

// The session

static bool begin_session(struct run *run, int argc, char **argv, struct lit_error *error)
{
    return ses_begin("run", argc, argv, &run->options, &run->devices, &run->store, &run->session,
                     error) &&
           krn_keep(run->store, run->session.id, &run->kept, error);
}

// Notes unusable drivers for reports.
static bool note_drivers(struct run *run, struct lit_error *error)
{
    const struct eng_inventory *inventory = &run->devices.inventory;
    bool good = true;
    for (size_t i = 0; i < inventory->remark_count && good; i++) {
        char line[1024], clean[1024];
        snprintf(line, sizeof line, "%s: %s", inventory->remarks[i].manifest,
                 inventory->remarks[i].text);
        text_sanitise(clean, sizeof clean, line);
        good = inventory->remarks[i].harmless ||
               store_session_note(run->store, run->session.id, clean, false, error);
    }
    return good;
}

static bool load_session(struct run *run, struct lit_error *error)
{
    return ses_resume(&run->store, NULL, &run->session, &run->options, error) &&
           krn_take(run->store, run->session.id, error);
}

// Results

static int verbosity(const struct run *run)
{
    return run->options.quiet ? -1 : run->options.verbose > 0;
}

static bool print_tables(const struct run *run)
{
    const struct report_terminal_info info = {
        .color = term_color(run->options.color), .utf8 = term_utf8(), .verbosity = verbosity(run)};
    struct lit_error error = {0};
    OWNED(text_free) struct text text = {0};
    if (!(run->options.progress
              ? run_progress_text(run->store, run->session.id, info.verbosity > 0, &text, &error)
              : report_terminal(run->store, run->session.id, &info, &text, &error))) {
        term_fail(&error);
        return false;
    }
    term_print(&text);
    return true;
}

static void print_last_line(const struct run *run, enum lit_exit code, const char *reason,
                            bool unfinished)
{
    const char *kernel = run->kept ? NULL : format_kernel;
    OWNED(text_free) struct text command = text_format("litmus%s run", kernel ? kernel : "");
    ses_last_line(run->options.db, run->options.seed.value, run->devices.watch.started, code,
                  reason);
    if (unfinished)
        ses_print_resume(command.data, run->options.db);
    term_flush();
}

// All results are stored by now, so a failure here loses none.
static void collect_code(const struct run *run)
{
    struct lit_error error = {0};
    if (!ses_code_collect(&run->devices, run->store, run->session.id,
                          (enum ses_code_which)run->options.isa, &run->shares, &error))
        fprintf(stderr, "litmus: not all code could be stored: %s\n", error.message);
}

// Returns the device of a failed result with drawn programs; else NULL.
static const struct eng_device *drawn_on(const struct run *run, const struct report_model *model,
                                         const struct result *result)
{
    const struct cat_test *test = cat_test_find(result->test);
    if (result->failure_count && test && cat_test_draws(test))
        SES_EACH_DEVICE (device, &run->devices)
            if (strcmp(device->id, model->devices[result->device].id) == 0)
                return device;
    return NULL;
}

// Shrinks the first failing program of each drawn configuration.
static void make_small(const struct run *run)
{
    struct report_model model;
    struct lit_error error = {0};
    const double until = clock_now() + SMALL_SECONDS;
    bool good =
        !run->options.quiet && report_model_load(run->store, run->session.id, &model, &error);
    for (size_t i = 0; good && i < model.result_count; i++) {
        const struct result *result = &model.results[i];
        const struct eng_device *device = drawn_on(run, &model, result);
        const double left = until - clock_now();
        struct cat_case which;
        if (!device || left < 1)
            continue;
        printf("  %s, made small:\n", result->label);
        term_flush();
        good = cat_case_find(&result->cfg, &which, &error) &&
               fuzz_small(&run->devices, device, &which, result->seed, result->failures[0].at.run,
                          left, &error);
    }
    if (!run->options.quiet)
        report_model_clear(&model);
    if (!good && error.message[0])
        fprintf(stderr, "litmus: not all programs were made small: %s\n", error.message);
}

static uint64_t weigh(const struct eng_device *device, const char *name, uint64_t runs, void *user)
{
    const struct run *run = user;
    return ses_shares_runs(&run->shares, device->id, name,
                           ses_usual_runs(name, usual_on(device, runs)));
}

// Shares runs only if their number was not given, not between machines, and if the code may be
// collected afterwards.
static bool load_shares(struct run *run, struct lit_error *error)
{
    const struct ses_options *o = &run->options;
    return !o->usual || o->shard.kind != STORE_WHOLE || o->isa == SES_CODE_NONE ||
           run->stress.mode != ENG_STRESS_NONE ||
           ses_shares_load(run->store, run->session.id, &run->selection, &run->devices,
                           &run->shares, error);
}

static struct eng_run make_work(struct run *run)
{
    return (struct eng_run){.selection = &run->selection,
                            .inventory = &run->devices.inventory,
                            .chosen = run->devices.chosen,
                            .runs = run->options.runs,
                            .seed = run->options.seed.value,
                            .shard = run->options.shard,
                            .rule = run->options.rule,
                            .weigh = run->options.usual ? weigh : NULL,
                            .shuffle = run->options.shuffle,
                            .validation = run->options.validation,
                            .serial = run->options.serial,
                            .ahead = run->options.ahead,
                            .stress = &run->stress,
                            .watch = &run->devices.watch,
                            .kernel_log = ENG_KERNEL_LOG,
                            .store = run->store,
                            .session = run->session.id,
                            .progress = &run->progress,
                            .header = print_header,
                            .user = run};
}

static int measure(struct run *run)
{
    const struct eng_run work = make_work(run);
    struct eng_tally tally = {0};
    struct lit_error error = {0};
    char reason[256];
    enum eng_stop stop = eng_supervise(&work, &tally, &error);
    if (stop == ENG_STOP_STORE)
        return term_fail(&error);
    bool finished = stop == ENG_STOP_NOT && tally.stopped + tally.failed == 0 && !run->incomplete;
    if (finished && !store_session_finish(run->store, run->session.id, &error))
        return term_fail(&error);
    enum lit_exit code = eng_tally_exit(&tally, reason, sizeof reason);
    if (stop == ENG_STOP_NOT)
        collect_code(run);
    bool told = print_tables(run);
    if (stop == ENG_STOP_NOT && !eng_interrupt())
        make_small(run);
    const struct compare_look look = {term_color(run->options.color), verbosity(run)};
    code = ses_baseline_conclude(&run->baseline, run->store, run->session.id, &look, code,
                                 tally.unopened + tally.failed == 0, reason, sizeof reason);
    run->options.outputs.gate_junit = run->baseline.junit.data;
    told = ses_outputs_write(&run->options.outputs, run->store, run->session.id) && told;
    if (!told && code == LIT_EXIT_OK) {
        code = LIT_EXIT_USAGE;
        snprintf(reason, sizeof reason,
                 "a report could not be written; no forbidden outcome was observed");
    }
    if (!store_stays(run->store, &error))
        return term_fail(&error);
    print_last_line(run, code, reason, !finished);
    return code;
}

// --dry-run

static int print_plan(const struct run *run)
{
    struct text text = {0};
    SES_EACH_DEVICE (device, &run->devices) {
        OWNED(eng_plan_clear)
        struct eng_plan plan = eng_plan_make(&run->selection, &device->facts, run->options.shuffle,
                                             run->options.seed.value);
        eng_plan_shard(&plan, &run->options.shard);
        text_printf(&text, "# device %u, %s: %s configurations\n", device->number,
                    device->facts.name, COUNT(plan.count));
        for (size_t c = 0; c < plan.count; c++) {
            cat_case_name(&plan.cases[c], &text);
            text_puts(&text, "\n");
        }
    }
    return term_print(&text);
}

// Whether there is anything to do: an empty session would become the newest one.
static bool plan_exists(const struct run *run, struct lit_error *error)
{
    size_t count = 0;
    SES_EACH_DEVICE (device, &run->devices) {
        if (device->facts.problem[0])
            fprintf(stderr, "litmus: nothing can run on %s: %s\n", device->facts.name,
                    device->facts.problem);
        OWNED(eng_plan_clear)
        struct eng_plan plan = eng_plan_make(&run->selection, &device->facts, false, 0);
        count += plan.count;
    }
    return count > 0 ||
           lit_fail(error, LIT_EXIT_NOTHING, "none of these configurations exists on %s",
                    run->devices.inventory.count == 1 ? "this device" : "these devices");
}

// From the options to the exit code

static void settle_rule(struct ses_options *o)
{
    const bool width = o->until_width > 0, decided = o->until_decided > 0;
    o->rule = (struct eng_rule){.kind = width     ? ENG_RULE_WIDTH
                                        : decided ? ENG_RULE_DECIDED
                                                  : ENG_RULE_FIXED,
                                .value = width ? o->until_width : o->until_decided,
                                .least = o->runs,
                                .most = o->max_runs};
    if (!o->max_runs)
        o->rule.most = o->runs < MOST_RUNS / ENG_RULE_MOST ? o->runs * ENG_RULE_MOST : MOST_RUNS;
    // One expired wait already contradicts a progress model; more add nothing.
    o->rule.waits = o->usual ? ENG_RULE_WAITS : o->progress;
    // The maximum also limits the first look if -n has its default.
    if ((width || decided) && o->rule.most < o->rule.least)
        o->runs = o->rule.least = o->rule.most;
}

static void settle(struct run *run)
{
    struct ses_options *o = &run->options;
    ses_seed_settle(&o->seed, false);
    o->seed.given = true;
    if (!o->resume)
        o->usual = !o->runs && !o->simt.count && !o->thorough && !o->until_width &&
                   !o->until_decided && o->shard.kind != STORE_SHARD_RUNS;
    if (!o->runs)
        o->runs = o->simt.count ? ENG_SIMT_RUNS : DEFAULT_RUNS;
    if (!o->resume)
        settle_rule(o);
    run->selection = ses_cases_select(&o->cases, &o->patterns, o->all, o->thorough);
    ses_devices_watch(&run->devices, o->timeout, o->time, o->verbose);
    const char *term = getenv("TERM");
    run->progress = (struct eng_progress){.off = o->quiet,
                                          .terminal = isatty(STDERR_FILENO) == 1 && term &&
                                                      strcmp(term, "dumb") != 0,
                                          .utf8 = term_utf8(),
                                          .started = clock_now(),
                                          .last_shown = -1};
}

static bool prepare(struct run *run, struct lit_error *error)
{
    struct ses_options *o = &run->options;
    if (!parse_ahead(o, error) || !check_usage(o, error) ||
        !ses_outputs_check(&o->outputs, o->db, error) || (o->resume && !load_session(run, error)) ||
        !ses_cases_read(&o->cases, &o->caselists, &o->skips, error) || !ses_shard_settle(o, error))
        return false;
    settle(run);
    if (!ses_baseline_load(&run->baseline, &o->baselines, &o->waivers, error) ||
        !ses_stress_take(&o->stress, &run->stress, error) ||
        !cat_selection_check(&run->selection, error) || !ses_simt_use(&o->simt, error))
        return false;
    return choose_devices(run, error) &&
           ses_baseline_check(&run->baseline, &run->selection, &run->devices, error);
}

int run_tests(const struct ses_options *options, int argc, char **argv, struct lit_error *error)
{
    struct run run = {.options = *options};
    int code;
    if (!prepare(&run, error)) {
        code = term_fail(error);
    } else if (run.options.dry_run) {
        code = print_plan(&run);
    } else if (!plan_exists(&run, error) ||
               (!run.options.resume && !begin_session(&run, argc, argv, error)) ||
               !note_drivers(&run, error) || !ses_stress_load(&run.stress, run.store, error) ||
               !load_shares(&run, error)) {
        code = term_fail(error);
    } else {
        run.progress.started = clock_now();
        code = measure(&run);
    }
    store_session_clear(&run.session);
    store_close(&run.store);
    ses_stress_clear(&run.stress);
    ses_baseline_clear(&run.baseline);
    ses_shares_clear(&run.shares);
    ses_cases_clear(&run.options.cases);
    return ses_devices_end(&run.devices, code);
}

// --- litmus progress: runs generated programs whose threads wait for each other, and reports the
// strongest progress model that none of them contradicts.

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
    OWNED(lit_folder_clear) struct lit_folder folder = {0};
    const bool good = lit_folder_check(asked->write, MARK, error) &&
                      each_program(asked, &folder, error) &&
                      lit_folder_write(&folder, asked->write, MARK, error);
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
    OWNED(report_model_clear) struct report_model model = {0};
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
    return good;
}
