// SPDX-License-Identifier: Apache-2.0
// Which stress makes configurations fail most often on devices, into a store.
#include "tune/tune.h"

#include "base/clock.h"
#include "engine/client.h"
#include "engine/supervisor.h"
#include "kernel/kernel.h"
#include "report/format.h"
#include "report/model.h"
#include "report/table.h"

#define DEFAULT_RUNS 100
#define SIMT_RUNS    5
#define MOST_TRIES   8

// What is printed

// Controls before and after: in runs anew without stress, and as many under the best configuration.
struct controls {
    uint64_t run, seen_before, seen_after;
    uint64_t firm_before, firm_after; // reproducible within the budget, TUNE_REPRODUCIBLE
};

static struct stat_interval interval_of(const struct eng_count *count)
{
    return stat_clopper_pearson(count->failed_runs, tune_judged(count), REPORT_CONFIDENCE);
}

static void put_number(double number, char text[24])
{
    if (number >= 100)
        snprintf(text, 24, "%.0f", number);
    else
        snprintf(text, 24, "%.2g", number);
}

// Failures a second, and the chance to see one within the budget: where none was seen, what the
// interval still allows.
static void rate_cells(const struct eng_count *count, double budget, char second[32],
                       char score[32])
{
    char number[24], rate[24];
    const double bound = count->seconds > 0
                             ? interval_of(count).high * (double)tune_judged(count) / count->seconds
                             : 0;
    if (!tune_judged(count) || count->seconds <= 0) {
        snprintf(second, 32, "unknown");
        snprintf(score, 32, "unknown");
        return;
    }
    const bool none = count->failed_runs == 0;
    const double per_second = none ? bound : tune_per_second(count);
    put_number(per_second, number);
    const double chance = tune_score(per_second, budget);
    format_rate(rate, chance, none ? 1 : -1);
    // More digits than that would be of a rate that nobody measures so well.
    if (chance > TUNE_REPRODUCIBLE)
        snprintf(rate, sizeof rate, "%s", none ? "1" : "> 0.99999");
    snprintf(second, 32, "%s%s", none ? "< " : "", number);
    snprintf(score, 32, "%s%s", none ? "< " : "", rate);
}

static void add_row(struct table *table, const char *name, const struct eng_count *count,
                    double budget)
{
    char second[32], score[32];
    rate_cells(count, budget, second, score);
    table_row(table);
    table_put(table, TONE_PLAIN, "%s", name[0] ? name : "none");
    table_count(table, TONE_PLAIN, count->runs);
    table_count(table, TONE_PLAIN, count->failed_runs);
    table_rate(table, TONE_PLAIN, count->failed_runs, tune_judged(count), interval_of(count));
    table_put(table, TONE_PLAIN, "%s", second);
    table_put(table, TONE_PLAIN, "%s", score);
}

enum { COLUMNS = 6 };

// `columns` lasts as long as the table; `within` is the title of its last one.
static struct table make_table(struct table_column columns[COLUMNS], const char *first,
                               double budget, char within[48])
{
    snprintf(within, 48, "reproduced in %g s", budget);
    const struct table_column all[COLUMNS] = {{.title = first},
                                              {.title = "runs", .kind = TABLE_NUMBER},
                                              {.title = "failed", .kind = TABLE_NUMBER},
                                              {.title = "rate, 95 % interval"},
                                              {.title = "failures/s", .kind = TABLE_NUMBER},
                                              {.title = within, .kind = TABLE_NUMBER}};
    memcpy(columns, all, sizeof all);
    return (struct table){.columns = columns, .column_count = COLUMNS};
}

static void print_tries(const struct tune_search *search, const struct tune_options *o,
                        struct text *out)
{
    struct table_column columns[COLUMNS];
    char within[48];
    OWNED(table_clear)
    struct table table = make_table(columns, "while searching", o->budget, within);
    OWNED(lit_free) size_t *indexes = lit_alloc(search->count + 1, sizeof *indexes);
    size_t shown = 0;
    for (size_t i = 0; i < search->count; i++)
        indexes[i] = i;
    tune_sort(search, indexes, search->count);
    for (size_t i = 0; i < search->count; i++) {
        const struct tune_try *try = &search->tries[indexes[i]];
        if (o->run.verbose == 0 && shown >= MOST_TRIES && indexes[i] != 0)
            continue;
        add_row(&table, try->notation, &try->searched, o->budget);
        shown++;
    }
    table_terminal(&table, term_color((enum term_color)o->run.color), out);
    if (shown < search->count)
        text_printf(out, "  and %s more: -v\n", COUNT(search->count - shown));
}

static void print_verdict(const struct tune_search *search, struct text *out)
{
    const struct eng_count *none = &search->tries[0].anew;
    const struct eng_count *best = &search->tries[search->best].anew;
    OWNED(text_free) struct text words = {0};
    char chance[32] = "< 1e-300", rate[24];
    format_rate(rate, search->p, 0);
    if (search->p >= 1e-300)
        snprintf(chance, sizeof chance, "= %s", rate);
    if (search->chosen)
        text_printf(
            &words,
            "fails more often than without stress (p %s): used by --stress tuned from now on",
            chance);
    else if (search->best == 0)
        text_puts(
            &words,
            "no stress configuration failed more often than no stress: --stress tuned uses none");
    else if (none->failed_runs + best->failed_runs == 0)
        text_puts(&words, "no failure under either: not distinguishable with these runs");
    else
        text_printf(
            &words,
            "not distinguishable from no stress with these runs (p %s): --stress tuned uses none",
            chance);
    text_paragraph(out, search->best ? "  best stress configuration " : "  ", words.data);
}

static void put_search(const struct tune_search *search, const struct tune_options *o,
                       struct text *out)
{
    struct table_column columns[COLUMNS];
    char within[48];
    if (!search->count)
        return;
    print_tries(search, o, out);
    if (!search->whole) {
        text_puts(out, "  incomplete: the best one was not measured with new runs, and its rate "
                       "has selection bias\n");
        return;
    }
    OWNED(table_clear) struct table table = make_table(columns, "measured anew", o->budget, within);
    add_row(&table, "", &search->tries[0].anew, o->budget);
    if (search->best)
        add_row(&table, search->tries[search->best].notation, &search->tries[search->best].anew,
                o->budget);
    table_terminal(&table, term_color((enum term_color)o->run.color), out);
    print_verdict(search, out);
}

static bool is_seen(const struct eng_count *count)
{
    return count->failed_runs > 0 || (count->runs > 0 && count->no_progress_runs == count->runs);
}

static bool is_firm(const struct eng_count *count, double budget)
{
    return tune_per_second(count) >= tune_ceiling(TUNE_REPRODUCIBLE, budget);
}

static void add_control(struct controls *controls, const struct tune_search *search, double budget)
{
    const struct eng_count *none = &search->tries[0].anew;
    const struct eng_count *best = &search->tries[search->best].anew;
    controls->run++;
    controls->seen_before += is_seen(none);
    controls->seen_after += is_seen(best);
    controls->firm_before += is_firm(none, budget);
    controls->firm_after += is_firm(best, budget);
}

static void put_controls(const struct controls *controls, double budget, struct text *out)
{
    char rate[24];
    if (!controls->run)
        return;
    text_printf(out,
                "\n  controls triggered, of %s: %s without stress (mutation score %.2f), %s under "
                "the best stress (%.2f)\n",
                COUNT(controls->run), COUNT(controls->seen_before),
                (double)controls->seen_before / (double)controls->run, COUNT(controls->seen_after),
                (double)controls->seen_after / (double)controls->run);
    put_number(tune_ceiling(TUNE_REPRODUCIBLE, budget), rate);
    text_printf(out,
                "  reproducible (99.999 %% in %g s: %s failures per second or more): %s, and %s\n",
                budget, rate, COUNT(controls->firm_before), COUNT(controls->firm_after));
}

// Everything that one invocation holds

struct tuning {
    struct tune_options *chosen;
    int argc;
    char **argv;
    struct cat_selection selection;
    struct ses_devices devices;
    struct store *store;
    struct store_session session;
    struct eng_tally tally;
    struct controls controls;
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
    uint64_t done, planned, anew; // runs
    struct eng_count sum;         // of all runs
};

// Measuring

static bool put_try(struct tuning *t, const char *stress, const struct eng_count *count)
{
    const bool good = store_device_put(t->store, t->session.id, t->device->number,
                                       &t->device->facts, t->client.checker, t->error) &&
                      store_tuning_put(t->store, t->session.id,
                                       &(struct result){.device_id = (char *)t->device->id,
                                                        .name = (char *)t->name,
                                                        .sha256 = (char *)t->sha256,
                                                        .stress = (char *)stress,
                                                        .count = *count},
                                       t->error);
    t->broken |= !good;
    return good;
}

// Whether a search can go on after what one request came to.
static bool note(struct tuning *t, const char *notation, const struct eng_outcome *outcome)
{
    char line[1024];
    const enum eng_result result = outcome->result;
    if (eng_is_verdict(result))
        return true;
    if (t->odd == ENG_PASS) {
        t->odd = result;
        snprintf(t->reason, sizeof t->reason, "%s", outcome->reason);
    }
    if (result == ENG_SKIP || result == ENG_HARNESS_ERROR)
        return false;
    snprintf(line, sizeof line, "  %s under %s: %s", eng_result_name(result),
             notation[0] ? notation : "no stress", outcome->reason);
    t->devices.watch.say(line, &t->devices);
    // What ends a worker without stress ends it under any.
    return notation[0];
}

static bool measure(const struct tune_try *set, uint64_t first, uint64_t runs,
                    struct eng_count *count, void *user)
{
    struct tuning *t = user;
    struct eng_outcome outcome;
    struct eng_request request = {
        .kind = ENG_RUN, .first = first, .runs = runs, .seed = t->chosen->run.seed.value};
    term_line_show(&t->devices.line, "  %s of at most %s runs, failed: %s", COUNT(t->done),
                   COUNT(t->planned), COUNT(t->sum.failed_runs));
    t->end = eng_submit(&t->client, &(struct eng_work){.name = t->name, .stress = set->notation},
                        &request, &outcome);
    if (eng_end_stops(t->end))
        snprintf(t->reason, sizeof t->reason, "%s", outcome.reason);
    if (t->end != ENG_END_RAN || !note(t, set->notation, &outcome))
        return false;
    *count = outcome.count;
    t->done += runs;
    eng_count_add(&t->sum, &outcome.count);
    // Runs anew, from number 0 on, replace those of the search: only they are free of its luck.
    struct eng_count all = first < t->anew ? set->anew : set->searched;
    eng_count_add(&all, count);
    return put_try(t, set->notation, &all);
}

// What was found is an ordinary result, of runs that the search knew nothing of.
static bool put_result(struct tuning *t, const struct tune_search *search)
{
    const struct tune_try *chosen = &search->tries[search->chosen];
    OWNED(eng_result_clear) struct result record;
    eng_record_begin(&record, t->name, t->which, t->device, t->chosen->run.seed.value);
    record.result = eng_verdict(&chosen->anew);
    record.count = chosen->anew;
    snprintf(record.stress, ENG_STRESS_TEXT, "%s", chosen->notation);
    const bool good = store_result_put(t->store, t->session.id, &record, t->error);
    t->broken |= !good;
    return good;
}

// One configuration

static void print_search(struct tuning *t, const struct tune_search *search)
{
    struct text out = {0};
    term_line_clear(&t->devices.line);
    text_puts(&out, "\n");
    cat_name_shown(t->name, &out);
    text_puts(&out, "\n");
    if (t->odd == ENG_SKIP || t->odd == ENG_HARNESS_ERROR)
        text_printf(&out, "  %s: %s\n", eng_result_name(t->odd), t->reason);
    else if (t->sum.runs == 0)
        text_puts(&out, "  nothing was measured\n");
    else
        put_search(search, t->chosen, &out);
    term_print(&out);
}

static void conclude(struct tuning *t, const struct tune_search *search)
{
    const enum cat_expectation expectation = cat_case_expectation(t->which, NULL);
    if (search->whole && !t->broken && put_result(t, search) && t->chosen->controls)
        add_control(&t->controls, search, t->chosen->budget);
    enum eng_result result = t->odd != ENG_PASS ? t->odd : eng_verdict(&t->sum);
    if (!search->whole && t->odd == ENG_PASS && t->sum.failed_runs == 0)
        result = ENG_PARTIAL;
    t->tally.planned++;
    eng_tally_add(&t->tally, t->name, result, expectation, &t->sum);
    print_search(t, search);
}

static void tune_case(struct tuning *t, const struct cat_case *which)
{
    OWNED(text_free) struct text name = {0};
    OWNED(tune_clear) struct tune_search search = {0};
    const struct cat_module *module = cat_case_module(which);
    const struct tune_plan plan = {.seed = t->chosen->run.seed.value,
                                   .sets = t->chosen->sets,
                                   .runs = t->chosen->run.runs,
                                   .limits = {&t->device->facts, module && module->divisible}};
    cat_case_name(which, &name);
    t->which = which;
    t->name = name.data;
    t->sha256 = module ? module->sha256 : "";
    t->odd = ENG_PASS;
    t->end = ENG_END_RAN;
    t->reason[0] = '\0';
    t->done = 0;
    t->devices.line.shown = clock_now();
    t->planned = tune_runs_all(&plan);
    t->anew = tune_runs_anew(&plan);
    t->sum = (struct eng_count){0};
    tune_run(&plan, measure, t, &search);
    conclude(t, &search);
}

// One device

static bool is_wanted(const struct tuning *t, const struct cat_case *which)
{
    return !t->chosen->controls || cat_case_expectation(which, NULL) == CAT_CONTROL;
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
    OWNED(eng_plan_clear)
    struct eng_plan plan = eng_plan_make(&t->selection, &device->facts, false, 0);
    t->device = device;
    t->client = (struct eng_client){.watch = &t->devices.watch, .device = device};
    t->end = ENG_END_RAN;
    ses_devices_heading(&t->devices, device);
    const size_t count = count_wanted(t, &plan);
    printf("  %s configuration%s, %s stress configurations, from %s runs each, seed 0x%" PRIx64
           "\n",
           COUNT(count), count == 1 ? "" : "s", COUNT(t->chosen->sets), COUNT(t->chosen->run.runs),
           t->chosen->run.seed.value);
    term_flush();
    for (size_t i = 0; i < plan.count && t->end == ENG_END_RAN && !t->broken; i++)
        if (is_wanted(t, &plan.cases[i]))
            tune_case(t, &plan.cases[i]);
    eng_client_end(&t->client);
    if (eng_end_stops(t->end)) {
        fprintf(stderr, "  device %u stops: %s\n", device->number, t->reason);
        *(t->end == ENG_END_UNFIT ? &t->tally.unopened : &t->tally.stopped) += 1;
    }
    t->tally.out_of_time |= t->end == ENG_END_TIME;
    return !t->broken && t->end != ENG_END_TIME && t->end != ENG_END_SIGNAL;
}

// From the options to the exit code

static bool check_usage(const struct tuning *t, struct lit_error *error)
{
    const struct tune_options *o = t->chosen;
    if (o->run.patterns.count == 0 && !o->controls)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "missing tests: patterns, or --controls; see 'litmus help tune'");
    if (o->sets > 1000)
        return lit_fail(error, LIT_EXIT_USAGE, "--sets: at most 1,000");
    return o->run.runs <= 1000000 || lit_fail(error, LIT_EXIT_USAGE, "--runs: at most 1,000,000");
}

static void settle(struct tuning *t)
{
    struct tune_options *o = t->chosen;
    ses_seed_settle(&o->run.seed, true);
    if (!o->run.runs)
        o->run.runs = o->run.simt.count ? SIMT_RUNS : DEFAULT_RUNS;
    t->selection = (struct cat_selection){.patterns = o->run.patterns.items,
                                          .count = o->run.patterns.count,
                                          .thorough = o->run.thorough};
    t->devices.line.quiet = o->run.quiet;
    ses_devices_watch(&t->devices, o->run.timeout, o->run.time, o->run.verbose);
}

static bool find_devices(struct tuning *t, struct lit_error *error)
{
    size_t count = 0;
    if (!ses_devices_find(&t->devices, &t->chosen->run.devices, error))
        return false;
    SES_EACH_DEVICE (device, &t->devices) {
        OWNED(eng_plan_clear)
        struct eng_plan plan = eng_plan_make(&t->selection, &device->facts, false, 0);
        count += count_wanted(t, &plan);
    }
    return count > 0 || lit_fail(error, LIT_EXIT_NOTHING, "these devices have no such %s",
                                 t->chosen->controls ? "control" : "configuration");
}

// A session that searched is finished when it begins: there is nothing that --resume could go on
// with.
static bool begin_session(struct tuning *t, struct lit_error *error)
{
    const struct tune_plan plan = {.sets = t->chosen->sets, .runs = t->chosen->run.runs};
    struct ses_options asked = t->chosen->run;
    asked.runs = tune_runs_anew(&plan);
    t->session.finished = true;
    bool kept;
    return ses_begin("tune", t->argc, t->argv, &asked, &t->devices, &t->store, &t->session,
                     error) &&
           krn_keep(t->store, t->session.id, &kept, error);
}

static int finish(struct tuning *t)
{
    char reason[256];
    struct text text = {0};
    const enum lit_exit code = eng_tally_exit(&t->tally, reason, sizeof reason);
    put_controls(&t->controls, t->chosen->budget, &text);
    text_puts(&text, "\n");
    term_print(&text);
    ses_last_line(t->chosen->run.db, t->chosen->run.seed.value, t->devices.watch.started, code,
                  reason);
    return code;
}

static int tune(struct tuning *t, struct lit_error *error)
{
    const struct ses_options *run = &t->chosen->run;
    if (!check_usage(t, error) || !ses_check(&run->patterns, &run->simt, error))
        return term_fail(error);
    settle(t);
    if (!cat_selection_check(&t->selection, error) || !ses_simt_use(&run->simt, error) ||
        !find_devices(t, error) || !begin_session(t, error))
        return term_fail(error);
    SES_EACH_DEVICE (device, &t->devices)
        if (!tune_device(t, device))
            break;
    return t->broken || !store_stays(t->store, error) ? term_fail(error) : finish(t);
}

int tune_configurations(struct tune_options *chosen, int argc, char **argv, struct lit_error *error)
{
    struct tuning t = {.chosen = chosen, .argc = argc, .argv = argv, .error = error};
    const int code = tune(&t, error);
    store_session_clear(&t.session);
    store_close(&t.store);
    return ses_devices_end(&t.devices, code);
}
