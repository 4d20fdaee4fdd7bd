// SPDX-License-Identifier: Apache-2.0
// litmus tune: which stress makes a test fail most often on a device.
#include "cli/cli.h"
#include "base/clock.h"
#include "cli/device.h"
#include "cli/session.h"
#include "cli/tune_report.h"
#include "engine/client.h"
#include "engine/drivers.h"
#include "engine/watch.h"
#include "engine/plan.h"
#include "engine/progress.h"
#include "model/result.h"
#include "store/store.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_SETS 15
#define DEFAULT_RUNS 100
#define SIMT_RUNS    5

struct options {
    struct cli_list devices, simt;
    uint64_t sets, runs;
    struct cli_seed seed;
    bool controls, thorough, quiet;
    int verbose, color;
    const char *db;
    double timeout, time, budget;
};

#define AT(member) offsetof(struct options, member)

static const struct cli_option options[] = {
    {0, "controls", CLI_FLAG, AT(controls), NULL,
     "all controls, or those that match the patterns, with the\nmutation score before and after"},
    {'d', "device", CLI_LIST, AT(devices), "DEVICE",
     "only this device, as for 'litmus run -d'; can be repeated"},
    {0, "simt", CLI_LIST, AT(simt), CLI_SIMT_ARGUMENT,
     "only on the SIMT simulator: " CLI_SIMT_MODELS},
    {0, "sets", CLI_COUNT, AT(sets), "N", "initial stress configurations (default: 15), to 1,000"},
    {'n', "runs", CLI_COUNT, AT(runs), "N",
     "runs of each in the first round (default: 100; with --simt\n5), to 1,000,000"},
    {0, "thorough", CLI_FLAG, AT(thorough), NULL,
     "including --thorough configurations and all subgroup sizes"},
    {0, "seed", CLI_SEED, AT(seed), "SEED",
     "random seed, e.g. 24301 or 0x5eed (default: a new one,\nwhich is printed and stored)"},
    {0, "budget", CLI_SECONDS, AT(budget), "SECONDS",
     "time limit of a reproducible failure in seconds, for the\nreproducibility score (default: "
     "4)"},
    {0, "timeout", CLI_SECONDS, AT(timeout), "SECONDS",
     "seconds without progress that count as a hang (default: 60)"},
    {0, "time", CLI_SECONDS, AT(time), "SECONDS",
     "time budget, then stop with exit code 5; 90s, 10m, 2h"},
    {0, "db", CLI_TEXT, AT(db), "FILE", "the store (default: litmus.db)"},
    {'q', "quiet", CLI_FLAG, AT(quiet), NULL, "no progress"},
    {'v', "verbose", CLI_MORE, AT(verbose), NULL,
     "print every stress configuration, and the drivers' output"},
    {0, "color", CLI_CHOICE, AT(color), "auto|always|never",
     "(default: auto; NO_COLOR and CLICOLOR_FORCE are heeded)"},
};

const struct cli_syntax cli_tune_syntax = {
    .name = "tune",
    .usage = "[OPTION]... PATTERN...",
    .about = "Searches for the stress configuration under which each matching configuration fails "
             "most\noften: random ones first, the better half with twice as many runs, and so on; "
             "then\nneighbours of the best. The best one and no stress are then measured with new "
             "runs: only\nthose rates are free of selection bias. 'litmus run --stress tuned' uses "
             "the result.",
    .options = options,
    .count = sizeof options / sizeof options[0],
    .more = "examples:\n"
            "  litmus tune 'memory.message-passing/sides=device,*order=relaxed*' -d 1\n"
            "  litmus tune --controls --time 10m\n"
            "  litmus run 'memory.*' --stress tuned\n",
    .operands = CLI_OPERANDS_TESTS,
};

// A set's runs so far, as the store has them.
struct known {
    char stress[ENG_STRESS_TEXT];
    struct tune_count count;
};

struct tuning {
    struct options chosen;
    struct cli_list patterns;
    struct cat_selection selection;
    struct eng_watch watch;
    struct eng_inventory inventory;
    bool *devices;
    struct store *store;
    struct store_session session;
    struct eng_tally tally;
    struct cli_tune_controls controls;
    bool utf8, drawn; // a progress line stands on the terminal
    double shown;     // when
    struct lit_error *error;
    bool broken; // the store cannot be written
    // Of the present device and configuration:
    const struct eng_device *device;
    struct eng_client client;
    const struct cat_case *which;
    const char *name, *sha256;
    enum eng_end end;
    enum eng_result odd; // ENG_PASS; or what ended it, or a try, before its runs were done
    char reason[512];
    struct known *known;
    size_t known_count;
    uint64_t done, planned, anew;     // runs
    struct eng_count sum, none, best; // of all runs; of the runs anew
};

static void clear_line(struct tuning *t)
{
    if (t->drawn)
        fprintf(stderr, "\r\033[K");
    t->drawn = false;
}

static void say(const char *line, void *user)
{
    clear_line(user);
    fprintf(stderr, "%s\n", line);
}

static void show_progress(struct tuning *t)
{
    const bool terminal = isatty(STDERR_FILENO) == 1;
    const double now = clock_now();
    char done[32], all[32], failed[32];
    if (t->chosen.quiet || now < t->shown + (terminal ? 0.1 : 30))
        return;
    t->shown = now;
    fprintf(stderr, "%s  %s of at most %s runs, failed: %s%s", terminal ? "\r\033[K" : "",
            text_count(done, t->done), text_count(all, t->planned),
            text_count(failed, t->sum.failed_runs), terminal ? "" : "\n");
    t->drawn = terminal;
}

// Measuring

static struct tune_count *known_count(struct tuning *t, const char *stress)
{
    for (size_t i = 0; i < t->known_count; i++)
        if (strcmp(t->known[i].stress, stress) == 0)
            return &t->known[i].count;
    t->known = lit_realloc(t->known, t->known_count + 1, sizeof *t->known);
    struct known *known = &t->known[t->known_count++];
    *known = (struct known){0};
    snprintf(known->stress, sizeof known->stress, "%s", stress);
    return &known->count;
}

static bool put_try(struct tuning *t, const char *stress, const struct tune_count *count)
{
    const bool good =
        store_device_put(t->store, t->session.id, t->device->number, &t->device->facts,
                         t->client.checker, t->error) &&
        store_tuning_put(t->store, t->session.id,
                         &(struct store_tuning){.device = t->device->id,
                                                .name = t->name,
                                                .sha256 = t->sha256,
                                                .stress = stress,
                                                .runs = count->runs,
                                                .failed_runs = count->failed,
                                                .no_progress_runs = count->no_progress,
                                                .seconds = count->seconds},
                         t->error);
    t->broken |= !good;
    return good;
}

// Whether a search can go on after what one request came to.
static bool note(struct tuning *t, const char *notation, const struct eng_outcome *outcome)
{
    char line[1024];
    const enum eng_result result = outcome->result;
    if (result == ENG_PASS || result == ENG_FAIL || result == ENG_NO_PROGRESS)
        return true;
    if (t->odd == ENG_PASS) {
        t->odd = result;
        snprintf(t->reason, sizeof t->reason, "%s", outcome->reason);
    }
    if (result == ENG_SKIP || result == ENG_HARNESS_ERROR)
        return false;
    snprintf(line, sizeof line, "  %s under %s: %s", eng_result_name(result),
             notation[0] ? notation : "no stress", outcome->reason);
    say(line, t);
    // What ends a worker without stress ends it under any.
    return notation[0];
}

static bool measure(const char *notation, uint64_t first, uint64_t runs, struct tune_count *count,
                    void *user)
{
    struct tuning *t = user;
    struct eng_outcome outcome;
    struct eng_request request = {
        .kind = ENG_RUN, .first = first, .runs = runs, .seed = t->chosen.seed.value};
    snprintf(request.name, sizeof request.name, "%s", t->name);
    snprintf(request.stress, sizeof request.stress, "%s", notation);
    show_progress(t);
    t->end = eng_client_ask(&t->client, &request, &outcome);
    if (eng_end_stops(t->end))
        snprintf(t->reason, sizeof t->reason, "%s", outcome.reason);
    if (t->end != ENG_END_RAN || !note(t, notation, &outcome))
        return false;
    *count = (struct tune_count){.runs = outcome.count.runs,
                                 .failed = outcome.count.failed_runs,
                                 .no_progress = outcome.count.no_progress_runs,
                                 .seconds = outcome.count.seconds};
    t->done += runs;
    eng_count_add(&t->sum, &outcome.count);
    // Runs anew, from number 0 on, replace those of the search: only they are free of its luck.
    struct tune_count *all = known_count(t, notation);
    if (first < t->anew)
        eng_count_add(notation[0] ? &t->best : &t->none, &outcome.count);
    if (first == 0)
        *all = (struct tune_count){0};
    tune_count_add(all, count);
    return put_try(t, notation, all);
}

// What was found is an ordinary result, of runs that the search knew nothing of.
static bool put_result(struct tuning *t, const struct tune_search *search)
{
    const struct cat_test *test = t->which->test;
    const struct eng_count *count = search->chosen ? &t->best : &t->none;
    const bool good = store_result_put(
        t->store, t->session.id,
        &(struct store_result){
            .name = (char *)t->name,
            .device = (char *)t->device->id,
            .result = (char *)eng_result_name(eng_verdict(count)),
            .reason = (char *)"",
            .expectation = (char *)cat_expectation_name(cat_case_expectation(t->which, NULL)),
            .sha256 = (char *)t->sha256,
            .headline = test->head.headline ? test->head.headline : (char *)"",
            .stress = search->tries[search->chosen].notation,
            .seed = t->chosen.seed.value,
            .mode = cat_mode_of(test->oracle),
            .count = *count,
        },
        t->error);
    t->broken |= !good;
    return good;
}

// One configuration

static void print_search(struct tuning *t, const struct tune_search *search)
{
    const struct cli_tune_view view = {.budget = t->chosen.budget,
                                       .color = cli_color(t->chosen.color),
                                       .every = t->chosen.verbose > 0};
    struct text out = {0};
    clear_line(t);
    text_printf(&out, "\n%s\n", t->name);
    if (t->odd == ENG_SKIP || t->odd == ENG_HARNESS_ERROR)
        text_printf(&out, "  %s: %s\n", eng_result_name(t->odd), t->reason);
    else if (t->sum.runs == 0)
        text_puts(&out, "  nothing was measured\n");
    else
        cli_tune_table(search, &view, &out);
    cli_print(&out);
}

static void conclude(struct tuning *t, const struct tune_search *search)
{
    const enum cat_expectation expectation = cat_case_expectation(t->which, NULL);
    if (search->whole && !t->broken && put_result(t, search) && t->chosen.controls)
        cli_tune_controls_add(&t->controls, search, t->chosen.budget);
    enum eng_result result = t->odd != ENG_PASS ? t->odd : eng_verdict(&t->sum);
    if (!search->whole && t->odd == ENG_PASS && t->sum.failed_runs == 0)
        result = ENG_PARTIAL;
    t->tally.planned++;
    eng_tally_add(&t->tally, result, expectation, &t->sum);
    print_search(t, search);
}

static void tune_case(struct tuning *t, const struct cat_case *which)
{
    struct text name = {0};
    struct tune_search search;
    const struct cat_module *module = cat_case_module(which);
    const struct tune_plan plan = {
        .seed = t->chosen.seed.value,
        .sets = t->chosen.sets,
        .runs = t->chosen.runs,
        .limits = eng_stress_limits(&t->device->facts, module && module->divisible)};
    cat_case_name(which, &name);
    t->which = which;
    t->name = name.data;
    t->sha256 = module ? module->sha256 : "";
    t->odd = ENG_PASS;
    t->end = ENG_END_RAN;
    t->reason[0] = '\0';
    t->known_count = 0;
    t->done = 0;
    t->shown = clock_now();
    t->planned = tune_runs_all(&plan);
    t->anew = tune_runs_anew(&plan);
    t->sum = t->none = t->best = (struct eng_count){0};
    tune_run(&plan, measure, t, &search);
    conclude(t, &search);
    tune_clear(&search);
    text_free(&name);
}

// One device

static void print_header(const struct tuning *t, size_t count)
{
    struct text line = {0};
    char number[32], sets[32], runs[32];
    cli_device_heading(t->device, t->inventory.count, t->utf8, &line);
    printf(
        "%s  %s configuration%s, %s stress configurations, from %s runs each, seed 0x%" PRIx64 "\n",
        line.data, text_count(number, count), count == 1 ? "" : "s",
        text_count(sets, t->chosen.sets), text_count(runs, t->chosen.runs), t->chosen.seed.value);
    cli_flush();
    text_free(&line);
}

static bool is_wanted(const struct tuning *t, const struct cat_case *which)
{
    return !t->chosen.controls || cat_case_expectation(which, NULL) == CAT_CONTROL;
}

static size_t count_wanted(const struct tuning *t, const struct eng_plan *plan)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->count; i++)
        count += is_wanted(t, &plan->cases[i]);
    return count;
}

// False if the search of the others is over, too.
static bool tune_device(struct tuning *t, const struct eng_device *device)
{
    struct eng_plan plan;
    eng_plan_make(&plan, &t->selection, &device->facts, false, 0);
    t->device = device;
    t->client = (struct eng_client){.watch = &t->watch, .device = device};
    t->end = ENG_END_RAN;
    print_header(t, count_wanted(t, &plan));
    for (size_t i = 0; i < plan.count && t->end == ENG_END_RAN && !t->broken; i++)
        if (is_wanted(t, &plan.cases[i]))
            tune_case(t, &plan.cases[i]);
    eng_client_end(&t->client);
    eng_plan_clear(&plan);
    if (eng_end_stops(t->end)) {
        fprintf(stderr, "  device %u stops: %s\n", device->number, t->reason);
        *(t->end == ENG_END_UNFIT ? &t->tally.unopened : &t->tally.stopped) += 1;
    }
    t->tally.out_of_time |= t->end == ENG_END_TIME;
    return !t->broken && t->end != ENG_END_TIME && t->end != ENG_END_SIGNAL;
}

// From the command line to the exit code

static bool check_usage(const struct tuning *t, struct lit_error *error)
{
    const struct options *o = &t->chosen;
    if (t->patterns.count == 0 && !o->controls)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "missing tests: patterns, or --controls; see 'litmus help tune'");
    if (o->sets > 1000)
        return lit_fail(error, LIT_EXIT_USAGE, "--sets: at most 1,000");
    return o->runs <= 1000000 || lit_fail(error, LIT_EXIT_USAGE, "--runs: at most 1,000,000");
}

static void settle(struct tuning *t)
{
    struct options *o = &t->chosen;
    if (!o->seed.given && getrandom(&o->seed.value, sizeof o->seed.value, 0) < 0)
        o->seed.value = (uint64_t)time(NULL);
    if (!o->seed.given)
        o->seed.value &= 0xffffffff;
    if (!o->runs)
        o->runs = o->simt.count ? SIMT_RUNS : DEFAULT_RUNS;
    t->selection = (struct cat_selection){
        .patterns = t->patterns.items, .count = t->patterns.count, .thorough = o->thorough};
    t->watch.policy = (struct eng_policy){
        .idle = o->timeout, .term = ENG_TERM_SECONDS, .kill = ENG_KILL_SECONDS, .total = o->time};
    t->watch.verbose = o->verbose > 0;
    t->watch.user = t;
}

static bool find_devices(struct tuning *t, struct lit_error *error)
{
    size_t count = 0;
    if (!eng_inventory_take(&t->watch, &t->inventory))
        return lit_fail(error, LIT_EXIT_TIME, "the time budget was used up before the first test");
    t->devices = lit_alloc(t->inventory.count + 1, sizeof *t->devices);
    if (!eng_inventory_some(&t->inventory, error) ||
        !eng_inventory_choose(&t->inventory, t->chosen.devices.items, t->chosen.devices.count,
                              t->devices, error))
        return false;
    for (size_t i = 0; i < t->inventory.count; i++) {
        struct eng_plan plan;
        if (!t->devices[i])
            continue;
        eng_plan_make(&plan, &t->selection, &t->inventory.devices[i].facts, false, 0);
        count += count_wanted(t, &plan);
        eng_plan_clear(&plan);
    }
    return count > 0 || lit_fail(error, LIT_EXIT_NOTHING, "these devices have no such %s",
                                 t->chosen.controls ? "control" : "configuration");
}

// A session that searched is finished when it begins: there is nothing that --resume could go on
// with.
static bool begin_session(struct tuning *t, int argc, char **argv, struct lit_error *error)
{
    struct utsname system;
    struct text name = {0}, command = {0};
    char started[32];
    time_t now = time(NULL);
    struct tm utc;
    const struct tune_plan plan = {.sets = t->chosen.sets, .runs = t->chosen.runs};
    const struct cli_run_options asked = {.thorough = t->chosen.thorough,
                                          .patterns = t->patterns,
                                          .simt = t->chosen.simt,
                                          .runs = tune_runs_anew(&plan),
                                          .seed = t->chosen.seed,
                                          .timeout = t->chosen.timeout};
    strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    if (uname(&system) == 0)
        text_printf(&name, "%s %s %s", system.sysname, system.release, system.machine);
    text_puts(&command, "litmus");
    for (int i = 0; i < argc; i++) {
        text_puts(&command, " ");
        cli_put_quoted(&command, argv[i]);
    }
    t->session = (struct store_session){
        .version = lit_strdup(LITMUS_VERSION),
        .command = command.data,
        .started = lit_strdup(started),
        .system = name.data ? name.data : lit_strdup("unknown"),
        .seed = t->chosen.seed.value,
        .runs = tune_runs_anew(&plan),
        .finished = true,
        .options = cli_session_write(&asked, &t->inventory, t->devices),
    };
    t->store = store_open(t->chosen.db, error);
    return t->store && store_session_begin(t->store, &t->session, error);
}

static int finish(struct tuning *t)
{
    const char *dot = t->utf8 ? " \u00b7 " : ", ";
    char reason[256], took[32];
    struct text text = {0};
    const enum lit_exit code = eng_tally_exit(&t->tally, reason, sizeof reason);
    cli_tune_controls(&t->controls, t->chosen.budget, &text);
    printf("%s\nstored in %s%sseed 0x%" PRIx64 "%s%s%s", text.data ? text.data : "", t->chosen.db,
           dot, t->chosen.seed.value, dot, eng_duration(took, clock_now() - t->watch.started), dot);
    if (eng_interrupt())
        printf("interrupted\n");
    else
        printf("exit %d: %s\n", (int)code, reason);
    cli_flush();
    text_free(&text);
    return code;
}

static int tune(struct tuning *t, int argc, char **argv, struct lit_error *error)
{
    if (!check_usage(t, error) || !cli_session_check(&t->patterns, &t->chosen.simt, error))
        return cli_fail(error);
    settle(t);
    if (!cat_selection_check(&t->selection, error) || !cli_simt_use(&t->chosen.simt, error))
        return cli_fail(error);
    eng_interrupt_listen();
    if (!find_devices(t, error) || !begin_session(t, argc, argv, error))
        return eng_interrupt() ? LIT_EXIT_TIME : cli_fail(error);
    bool on = true;
    for (size_t i = 0; i < t->inventory.count && on; i++)
        if (t->devices[i])
            on = tune_device(t, &t->inventory.devices[i]);
    return t->broken || !store_stays(t->store, error) ? cli_fail(error) : finish(t);
}

int cli_tune(int argc, char **argv)
{
    struct lit_error error = {0};
    struct tuning t = {.chosen = {.sets = DEFAULT_SETS,
                                  .timeout = ENG_IDLE_SECONDS,
                                  .budget = TUNE_BUDGET,
                                  .db = "litmus.db"},
                       .watch = {.started = clock_now(), .say = say},
                       .utf8 = cli_utf8(),
                       .error = &error};
    int code = LIT_EXIT_OK;
    if (cli_start(&cli_tune_syntax, argc, argv, &t.chosen, &t.patterns, NULL, &code))
        code = tune(&t, argc, argv, &error);
    store_session_clear(&t.session);
    store_close(&t.store);
    eng_inventory_clear(&t.inventory);
    free(t.devices);
    free(t.known);
    cli_list_clear(&t.patterns);
    cli_list_clear(&t.chosen.devices);
    cli_list_clear(&t.chosen.simt);
    if (eng_interrupt())
        eng_interrupt_reraise(eng_interrupt());
    return code;
}
