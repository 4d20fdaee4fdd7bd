// SPDX-License-Identifier: Apache-2.0
// litmus bench throughput and single: runs configurations, one worker each, and keeps the results.
#include "catalogue/catalogue.h"
#include "benching/benching.h"

#define SIMT_SCALE        2
#define THROUGHPUT_BUDGET 3.0 // seconds per configuration
#define SINGLE_BUDGET     5.0
#define SIMT_BUDGET       0.5

// --- Configurations

struct search {
    const struct cat_selection selection;
    struct text *name;
};

static void take_first(const struct cat_case *which, void *user)
{
    const struct search *search = user;
    if (!search->name->length && cat_selection_has(&search->selection, which))
        cat_case_name(which, search->name);
}

// Finds the first configuration that matches a pattern, for this subgroup size; leaves `name` empty
// if there is none.
static void find_case(const char *pattern, uint32_t subgroup, struct text *name)
{
    struct search search = {.selection = {.patterns = &pattern, .count = 1}, .name = name};
    for (size_t i = 0; i < cat_test_count() && !name->length; i++)
        cat_test_each(cat_test_at(i), subgroup, take_first, &search);
}

// Finds the scan in the widest workgroup for which the device has subgroups and whose loop still
// iterates.
static void find_scan(const struct dev_facts *facts, struct text *name)
{
    static const uint32_t widths[] = {512, 256, 128, 64};
    for (size_t i = 0; i < sizeof widths / sizeof *widths && !name->length; i++) {
        char pattern[160];
        if (widths[i] > facts->max_workgroup || !facts->subgroup ||
            (facts->max_subgroups && widths[i] / facts->subgroup > facts->max_subgroups))
            continue;
        snprintf(pattern, sizeof pattern,
                 "shuffle.scan-loop/sync=none,reconvergence=default,form=variables,op=add,"
                 "mode=inclusive,access=descriptor,pressure=none@workgroup=%u*",
                 widths[i]);
        find_case(pattern, facts->subgroup, name);
    }
}

// --- Output

static const char *const about[BENCH_FORMS] = {
    [BENCH_BATCHED] = "as 'litmus run' does it",
    [BENCH_SINGLE] = "one submission, wait and read-back a run",
    [BENCH_COMPILED] = "the same, and a pipeline a run",
};

static void put_form(const struct bench_rates *rates, enum bench_form form, struct text *text)
{
    const struct bench_rate_figures f = bench_rate_figures(rates, form);
    if (!f.rounds)
        return;
    text_printf(text, "    %-9s %8s units/s, %s to %s in %zu rounds (%s)\n", bench_forms[form],
                PER_SECOND(f.per_second.median), PER_SECOND(f.per_second.least),
                PER_SECOND(f.per_second.most), f.rounds, about[form]);
}

static void put_times(const struct bench_rate_figures *f, struct text *text)
{
    if (f->fill + f->test + f->check > 0)
        text_printf(text,
                    "    of the wall time: test %s, checker %s, fills %s, rest %s; the two kernels "
                    "%s\n",
                    SHARE(f->test), SHARE(f->check), SHARE(f->fill),
                    SHARE(f->rest > 0 ? f->rest : 0), SHARE(f->test + f->check));
    else
        text_puts(text, "    the device has no timestamps: no shares\n");
    text_printf(text, "    processor time of the process: %s of the wall time\n",
                SHARE(f->wall > 0 ? f->cpu / f->wall : 0));
}

static void put_stage(const char *name, double bytes, double share, double per_run_seconds,
                      struct text *text)
{
    text_printf(text, "      %-8s %10sB", name, PER_SECOND(bytes));
    if (share > 0)
        text_printf(text, ", %10.2f us, %8sB/s", share * per_run_seconds * 1e6,
                    PER_SECOND(bytes / (share * per_run_seconds)));
    text_puts(text, "\n");
}

static void put_bound(const struct bench_rate *run, const struct bench_rate_figures *f,
                      struct text *text)
{
    const struct bench_traffic t = bench_rate_traffic(run);
    const double seconds = f->runs ? f->wall / (double)f->runs : 0;
    text_printf(text, "    bytes a run has to move: %sB\n", PER_SECOND(t.fill + t.test + t.check));
    put_stage("fills", t.fill, f->fill, seconds, text);
    put_stage("test", t.test, f->test, seconds, text);
    put_stage("checker", t.check, f->check, seconds, text);
    if (f->limit > 0)
        text_printf(text,
                    "    achieved %sB/s; the copy kernel moves %sB/s, which allows %s units/s\n"
                    "    achieved/limit %.3f\n",
                    PER_SECOND(f->bytes), PER_SECOND(run->copy), PER_SECOND(f->limit), f->of_limit);
    text_printf(text,
                "    subgroup units/s: %s (words of the output by the subgroup's size: %s a "
                "run)\n",
                PER_SECOND(f->subgroups), PER_SECOND(bench_rate_subgroups(run)));
}

static void put_rate(const struct benching_rate *rate, struct text *text)
{
    const struct bench_rates *rates = &rate->rates;
    struct stat_sample ratio;
    text_printf(text, "  %s\n", rate->name);
    if (rates->count) {
        const struct bench_rate *run = &rates->rounds[0];
        const struct bench_rate_figures f = bench_rate_figures(rates, BENCH_BATCHED);
        text_printf(text,
                    "    %" PRIu64 " workgroups, %" PRIu64 " units of %" PRIu64
                    " words; %u runs are made ready and checked together\n",
                    run->workgroups, run->instances, run->output_words / run->instances,
                    run->slots);
        for (int form = 0; form < BENCH_FORMS; form++)
            put_form(rates, (enum bench_form)form, text);
        for (int form = BENCH_SINGLE; form < BENCH_FORMS; form++)
            if (bench_rates_ratio(rates, BENCH_BATCHED, (enum bench_form)form, &ratio))
                text_printf(text, "    batched/%s: %.2f, %.2f to %.2f\n", bench_forms[form],
                            ratio.median, ratio.least, ratio.most);
        put_times(&f, text);
        put_bound(run, &f, text);
        for (int form = 0; form < BENCH_FORMS; form++) {
            const struct bench_rate_figures g = bench_rate_figures(rates, (enum bench_form)form);
            const char *name = bench_forms[form];
            if (g.failed)
                text_printf(text, "    WRONG, %s: %" PRIu64 " of %" PRIu64 " units\n", name,
                            g.failed, g.instances);
            if (g.expired)
                text_printf(text,
                            "    UNDECIDED, %s: %" PRIu64 " of %" PRIu64
                            " runs had an expired bounded wait; their units are not counted\n",
                            name, g.expired, g.runs);
        }
    }
    if (rate->end != ENG_PASS)
        text_printf(text, "    %s: %s\n", eng_result_name(rate->end), rate->reason);
}

// --- Devices

static void rate_one(struct benching *b, const char *name, const char *asked)
{
    const struct benching_options *o = &b->chosen;
    struct text text = {0};
    b->rates = lit_realloc(b->rates, b->rate_count + 1, sizeof *b->rates);
    struct benching_rate *rate = b->rate = &b->rates[b->rate_count++];
    *rate = (struct benching_rate){.device = b->device, .end = ENG_SKIP};
    snprintf(rate->name, sizeof rate->name, "%s", *name ? name : asked);
    if (!*name) {
        snprintf(rate->reason, sizeof rate->reason, "no configuration for subgroups of %u",
                 b->device->facts.subgroup);
    } else {
        struct eng_request request = {
            .elements = (uint32_t)(o->scale        ? o->scale
                                   : o->simt.count ? SIMT_SCALE
                                                   : 0),
            .budget_ms = (uint32_t)(o->budget * 1e3),
            .runs = o->repeat,
        };
        snprintf(request.name, sizeof request.name, "%s %.480s", b->name, name);
        benching_ask(b, &request, &rate->end, rate->reason);
    }
    put_rate(rate, &text);
    text_puts(&text, "\n");
    term_print(&text);
}

void benching_rates(struct benching *b)
{
    const struct lit_list *tests = &b->chosen.tests;
    const size_t count = tests->count ? tests->count : 2;
    const struct dev_facts *facts = &b->device->facts;
    if (facts->problem[0]) {
        printf("  %s\n\n", facts->problem);
        return;
    }
    for (size_t i = 0; i < count && !benching_is_over(b); i++) {
        OWNED(text_free) struct text name = {0};
        const char *asked = tests->count ? tests->items[i]
                            : i          ? "loop.desync"
                                         : "shuffle.scan-loop";
        if (!tests->count && !i)
            find_scan(facts, &name);
        else
            find_case(asked, facts->subgroup, &name);
        rate_one(b, name.length ? name.data : "", asked);
    }
}

bool benching_rates_begin(struct benching *b, struct lit_error *error)
{
    struct benching_options *o = &b->chosen;
    const struct cat_selection selection = {.patterns = o->tests.items, .count = o->tests.count};
    if (!o->budget)
        o->budget = o->simt.count                    ? SIMT_BUDGET
                    : strcmp(b->name, "single") == 0 ? SINGLE_BUDGET
                                                     : THROUGHPUT_BUDGET;
    return !o->tests.count || cat_selection_check(&selection, error);
}

// --- Exit code

enum lit_exit benching_rates_exit(const struct benching_rate *rates, size_t count, bool out_of_time,
                                  char *because, size_t size)
{
    size_t good = 0, wrong = 0, unreported = 0, waited = 0;
    bool lost = false;
    for (size_t i = 0; i < count; i++) {
        uint64_t failed = 0, expired = 0;
        for (size_t r = 0; r < rates[i].rates.count; r++) {
            failed += rates[i].rates.rounds[r].failed;
            expired += rates[i].rates.rounds[r].expired;
        }
        waited += expired != 0;
        wrong += failed || rates[i].end == ENG_CRASH || rates[i].end == ENG_HANG;
        lost = lost || rates[i].end == ENG_DEVICE_LOST;
        good += rates[i].end == ENG_PASS;
        unreported += rates[i].end != ENG_PASS && rates[i].end != ENG_SKIP;
    }
    const struct {
        bool holds;
        enum lit_exit code;
        const char *why;
        size_t number;
    } ends[] = {
        {wrong, LIT_EXIT_FORBIDDEN, "%zu of %zu had wrong units, or the driver crashed or hung",
         wrong},
        {lost, LIT_EXIT_DEVICE_LOST, "a device was lost", 0},
        {out_of_time, LIT_EXIT_TIME, "the time budget was used up", 0},
        {waited, LIT_EXIT_UNDECIDED, "%zu of %zu had runs in which a bounded wait expired", waited},
        {unreported, LIT_EXIT_UNDECIDED, "%zu could not be measured", unreported},
        {good, LIT_EXIT_OK, "every unit was correct", 0},
        {true, LIT_EXIT_NOTHING, "nothing could run on the chosen devices", 0},
    };
    size_t end = 0;
    while (!ends[end].holds)
        end++;
    snprintf(because, size, ends[end].why, ends[end].number, count);
    return ends[end].code;
}
