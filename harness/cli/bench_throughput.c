// SPDX-License-Identifier: Apache-2.0
// litmus bench throughput, and single: configurations, one worker each, and what came of them.
#include "cli/bench.h"

#include "base/clock.h"
#include "base/file.h"
#include "catalogue/catalogue.h"
#include "cli/bench_rate.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "engine/benching.h"
#include "engine/watch.h"
#include "engine/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS            9 // an odd number: the median is one of them
#define SIMT_ROUNDS       2
#define SIMT_SCALE        2
#define THROUGHPUT_BUDGET 3.0 // seconds, of a configuration
#define SINGLE_BUDGET     5.0
#define SIMT_BUDGET       0.5

struct rating {
    struct cli_benching *b;
    const char *benchmark;
    struct cli_rate *rates;
    size_t count;
    bool out_of_time;
    struct cli_rate *current;
};

static bool take_rate(const struct bench_rate *said, void *user)
{
    struct rating *r = user;
    if (cli_benching_progress(r->b))
        fprintf(stderr, "\r\033[K  round %" PRIu32 ", %s", said->round + 1, r->current->name);
    return bench_rates_take(&r->current->rates, said);
}

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

// The first configuration that a pattern names, for subgroups of this size; nothing if there is
// none.
static void find_case(const char *pattern, uint32_t subgroup, struct text *name)
{
    struct search search = {.selection = {.patterns = &pattern, .count = 1}, .name = name};
    for (size_t i = 0; i < cat_test_count() && !name->length; i++)
        cat_test_each(cat_test_at(i), subgroup, take_first, &search);
}

// The scan in the widest workgroup that the device has the subgroups for, in which it still goes
// round its loop.
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
                 "mode=inclusive,access=descriptor,pressure=none@workgroup=%" PRIu32 "*",
                 widths[i]);
        find_case(pattern, facts->subgroup, name);
    }
}

// --- A configuration on a device

static enum eng_end rate_one(struct rating *r, const struct eng_device *device, const char *name,
                             const char *asked)
{
    const struct cli_bench_options *o = &r->b->chosen;
    struct eng_outcome outcome = {0};
    struct text text = {0};
    enum eng_end end = ENG_END_RAN;
    r->rates = lit_realloc(r->rates, r->count + 1, sizeof *r->rates);
    struct cli_rate *rate = r->current = &r->rates[r->count++];
    *rate = (struct cli_rate){.device = device, .end = ENG_SKIP};
    snprintf(rate->name, sizeof rate->name, "%s", *name ? name : asked);
    if (!*name) {
        snprintf(rate->reason, sizeof rate->reason, "no configuration for subgroups of %" PRIu32,
                 device->facts.subgroup);
    } else {
        struct eng_request request = {
            .validation = o->validation,
            .elements = (uint32_t)(o->scale        ? o->scale
                                   : o->simt.count ? SIMT_SCALE
                                                   : 0),
            .budget_ms = (uint32_t)(o->budget * 1e3),
            .runs = o->repeat,
            .seed = o->seed.value,
        };
        snprintf(request.name, sizeof request.name, "%s %.480s", r->benchmark, name);
        end = eng_bench_ask(&r->b->watch, device, &request,
                            &(struct eng_benching){.rate = take_rate, .user = r}, &outcome);
        rate->end = end == ENG_END_UNFIT ? ENG_HARNESS_ERROR : outcome.result;
        snprintf(rate->reason, sizeof rate->reason, "%s", outcome.reason);
    }
    cli_benching_clear_line(r->b);
    cli_rate_text(rate, &text);
    printf("%s\n", text.data);
    cli_flush();
    text_free(&text);
    return end;
}

static enum eng_end rate_device(struct rating *r, const struct eng_device *device)
{
    const struct cli_list *tests = &r->b->chosen.tests;
    const size_t count = tests->count ? tests->count : 2;
    enum eng_end end = ENG_END_RAN;
    cli_benching_header(r->b, device);
    if (device->facts.problem[0]) {
        printf("  %s\n\n", device->facts.problem);
        return end;
    }
    for (size_t i = 0; i < count && end != ENG_END_TIME && end != ENG_END_SIGNAL; i++) {
        struct text name = {0};
        const char *asked = tests->count ? tests->items[i]
                            : i          ? "loop.desync"
                                         : "shuffle.scan-loop";
        if (!tests->count && !i)
            find_scan(&device->facts, &name);
        else
            find_case(asked, device->facts.subgroup, &name);
        end = rate_one(r, device, name.length ? name.data : "", asked);
        text_free(&name);
    }
    return end;
}

// --- From the command line to the exit code

static bool check_usage(const struct cli_benching *b, struct lit_error *error)
{
    const struct cli_bench_options *o = &b->chosen;
    const struct cat_selection selection = {.patterns = o->tests.items, .count = o->tests.count};
    if (o->elements || o->loops || o->keep)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--elements and --keep are for scan and lookback, --loops for scan");
    if (o->variants || o->cub || o->tune || o->tuned)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--variants, --tune, --tuned and --cub are for 'litmus bench lookback'");
    if (o->budget > 86400)
        return lit_fail(error, LIT_EXIT_USAGE, "--budget: at most 24h");
    if (o->repeat > BENCH_RATE_ROUNDS)
        return lit_fail(error, LIT_EXIT_USAGE, "--repeat: at most 1,000 rounds");
    if (o->scale > 1u << 20)
        return lit_fail(error, LIT_EXIT_USAGE, "--scale: at most 1,048,576");
    return (!o->tests.count || cat_selection_check(&selection, error)) &&
           (!o->json || cli_output_check(o->json, "", error)) &&
           (!o->markdown || cli_output_check(o->markdown, "", error));
}

static bool write_files(const struct cli_benching *b, const struct cli_rates *rates,
                        struct lit_error *error)
{
    const struct {
        const char *path;
        void (*write)(const struct cli_rates *rates, struct text *text);
    } files[] = {{b->chosen.json, cli_rates_json}, {b->chosen.markdown, cli_rates_markdown}};
    bool written = true;
    for (size_t i = 0; i < sizeof files / sizeof *files && written; i++) {
        struct text text = {0};
        if (!files[i].path)
            continue;
        files[i].write(rates, &text);
        written = lit_file_write(files[i].path, text.data, text.length, error);
        text_free(&text);
    }
    return written;
}

static int finish(const struct rating *r, struct lit_error *error)
{
    const struct cli_benching *b = r->b;
    const char *dot = b->utf8 ? " \u00b7 " : ", ";
    char because[256], took[32];
    const enum lit_exit code =
        cli_rates_exit(r->rates, r->count, r->out_of_time, because, sizeof because);
    const struct cli_rates rates = {.benchmark = r->benchmark,
                                    .command = b->command.data,
                                    .started = b->started,
                                    .system = b->system.data,
                                    .seed = b->chosen.seed.value,
                                    .rates = r->rates,
                                    .count = r->count,
                                    .exit = code,
                                    .because = because};
    printf("seed 0x%" PRIx64 "%s%s%s", b->chosen.seed.value, dot,
           eng_duration(took, clock_now() - b->watch.started), dot);
    if (eng_interrupt())
        printf("interrupted\n");
    else
        printf("exit %d: %s\n", (int)code, because);
    cli_flush();
    return write_files(b, &rates, error) ? (int)code : cli_fail(error);
}

static int run(struct rating *r, double budget, int argc, char **argv, struct lit_error *error)
{
    struct cli_benching *b = r->b;
    const bool simt = b->chosen.simt.count;
    enum eng_end end = ENG_END_RAN;
    if (!b->chosen.budget)
        b->chosen.budget = simt ? SIMT_BUDGET : budget;
    if (!check_usage(b, error))
        return cli_fail(error);
    if (!cli_benching_begin(b, argc, argv, simt ? SIMT_ROUNDS : ROUNDS, error))
        return eng_interrupt() ? LIT_EXIT_TIME : cli_fail(error);
    for (size_t i = 0; i < b->inventory.count && end != ENG_END_TIME && end != ENG_END_SIGNAL; i++)
        if (b->devices[i])
            end = rate_device(r, &b->inventory.devices[i]);
    r->out_of_time = end == ENG_END_TIME;
    return finish(r, error);
}

static int rate(struct cli_benching *b, const char *benchmark, double budget, int argc, char **argv)
{
    struct rating r = {.b = b, .benchmark = benchmark};
    struct lit_error error = {0};
    const int code = run(&r, budget, argc, argv, &error);
    for (size_t i = 0; i < r.count; i++)
        bench_rates_clear(&r.rates[i].rates);
    free(r.rates);
    return code;
}

int cli_bench_throughput(struct cli_benching *b, int argc, char **argv)
{
    return rate(b, "throughput", THROUGHPUT_BUDGET, argc, argv);
}

int cli_bench_single(struct cli_benching *b, int argc, char **argv)
{
    return rate(b, "single", SINGLE_BUDGET, argc, argv);
}
