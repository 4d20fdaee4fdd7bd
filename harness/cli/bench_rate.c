// SPDX-License-Identifier: Apache-2.0
// litmus bench throughput and single: the text, the Markdown, the JSON.
#include "cli/bench_rate.h"

#include "cli/bench_put.h"
#include "cli/bench_report.h"
#include "report/format.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const about[BENCH_FORMS] = {
    [BENCH_BATCHED] = "as 'litmus run' does it",
    [BENCH_SINGLE] = "one submission, wait and read-back a run",
    [BENCH_COMPILED] = "the same, and a pipeline a run",
};

enum lit_exit cli_rates_exit(const struct cli_rate *rates, size_t count, bool out_of_time,
                             char *because, size_t size)
{
    size_t good = 0, wrong = 0, untold = 0, waited = 0;
    bool lost = false;
    for (size_t i = 0; i < count; i++) {
        uint64_t failed = 0, gave_up = 0;
        for (size_t r = 0; r < rates[i].rates.count; r++) {
            failed += rates[i].rates.rounds[r].failed;
            gave_up += rates[i].rates.rounds[r].gave_up;
        }
        waited += gave_up != 0;
        wrong += failed || rates[i].end == ENG_CRASH || rates[i].end == ENG_HANG;
        lost = lost || rates[i].end == ENG_DEVICE_LOST;
        good += rates[i].end == ENG_PASS;
        untold += rates[i].end != ENG_PASS && rates[i].end != ENG_SKIP;
    }
    if (wrong) {
        snprintf(because, size, "%zu of %zu had wrong instances, or the driver crashed or hung",
                 wrong, count);
        return LIT_EXIT_FORBIDDEN;
    }
    if (lost) {
        snprintf(because, size, "a device was lost");
        return LIT_EXIT_DEVICE_LOST;
    }
    if (out_of_time) {
        snprintf(because, size, "the time was used up");
        return LIT_EXIT_TIME;
    }
    if (waited) {
        snprintf(because, size, "%zu of %zu had runs that gave up waiting", waited, count);
        return LIT_EXIT_UNDECIDED;
    }
    if (untold) {
        snprintf(because, size, "%zu could not be measured", untold);
        return LIT_EXIT_UNDECIDED;
    }
    snprintf(because, size,
             good ? "every instance was right" : "nothing could run on the chosen devices");
    return good ? LIT_EXIT_OK : LIT_EXIT_NOTHING;
}

// --- Text

static void put_form(const struct bench_rates *rates, enum bench_form form, struct text *text)
{
    const struct bench_rate_figures f = bench_rate_figures(rates, form);
    char a[32], b[32], c[32];
    if (!f.rounds)
        return;
    text_printf(text, "    %-9s %8s instances/s, %s to %s in %zu rounds (%s)\n",
                bench_form_name(form), cli_bench_rate(a, f.per_second.median),
                cli_bench_rate(b, f.per_second.least), cli_bench_rate(c, f.per_second.most),
                f.rounds, about[form]);
}

static void put_times(const struct bench_rate_figures *f, struct text *text)
{
    char a[32], b[32], c[32], d[32], e[32];
    if (f->fill + f->test + f->check > 0)
        text_printf(text,
                    "    of the wall time: test %s, checker %s, fills %s, rest %s; the two kernels "
                    "%s\n",
                    cli_bench_share(a, f->test), cli_bench_share(b, f->check),
                    cli_bench_share(c, f->fill), cli_bench_share(d, f->rest > 0 ? f->rest : 0),
                    cli_bench_share(e, f->test + f->check));
    else
        text_puts(text, "    the device has no clock: no shares\n");
    text_printf(text, "    processor time of the process: %s of the wall time\n",
                cli_bench_share(a, f->wall > 0 ? f->cpu / f->wall : 0));
}

static void put_stage(const char *name, double bytes, double share, double per_run_seconds,
                      struct text *text)
{
    char a[32], b[32];
    text_printf(text, "      %-8s %10sB", name, cli_bench_rate(a, bytes));
    if (share > 0)
        text_printf(text, ", %10.2f us, %8sB/s", share * per_run_seconds * 1e6,
                    cli_bench_rate(b, bytes / (share * per_run_seconds)));
    text_puts(text, "\n");
}

static void put_bound(const struct bench_rate *run, const struct bench_rate_figures *f,
                      struct text *text)
{
    const struct bench_traffic t = bench_rate_traffic(run);
    const double seconds = f->runs ? f->wall / (double)f->runs : 0;
    char a[32], b[32], c[32], d[32];
    text_printf(text, "    bytes a run has to move: %sB\n",
                cli_bench_rate(a, t.fill + t.test + t.check));
    put_stage("fills", t.fill, f->fill, seconds, text);
    put_stage("test", t.test, f->test, seconds, text);
    put_stage("checker", t.check, f->check, seconds, text);
    if (f->limit > 0)
        text_printf(text,
                    "    achieved %sB/s; the copy kernel moves %sB/s, which allows %s instances/s\n"
                    "    achieved/limit %.3f\n",
                    cli_bench_rate(a, f->bytes), cli_bench_rate(b, run->copy),
                    cli_bench_rate(c, f->limit), f->of_limit);
    text_printf(text,
                "    subgroup instances/s: %s (words of the output by the subgroup's size: %s a "
                "run)\n",
                cli_bench_rate(a, f->subgroups), cli_bench_rate(d, bench_rate_subgroups(run)));
}

static void put_ratios(const struct bench_rates *rates, struct text *text)
{
    for (int form = BENCH_SINGLE; form < BENCH_FORMS; form++) {
        struct stat_sample ratio;
        if (bench_rates_ratio(rates, BENCH_BATCHED, (enum bench_form)form, &ratio))
            text_printf(text, "    batched/%s: %.2f, %.2f to %.2f\n",
                        bench_form_name((enum bench_form)form), ratio.median, ratio.least,
                        ratio.most);
    }
}

void cli_rate_text(const struct cli_rate *rate, struct text *text)
{
    const struct bench_rates *rates = &rate->rates;
    text_printf(text, "  %s\n", rate->name);
    if (rates->count) {
        const struct bench_rate *run = &rates->rounds[0];
        const struct bench_rate_figures f = bench_rate_figures(rates, BENCH_BATCHED);
        text_printf(text,
                    "    %" PRIu64 " workgroups, %" PRIu64 " instances of %" PRIu64
                    " words; %" PRIu32 " runs are made ready and checked together\n",
                    run->workgroups, run->instances, run->output_words / run->instances,
                    run->slots);
        for (int form = 0; form < BENCH_FORMS; form++)
            put_form(rates, (enum bench_form)form, text);
        put_ratios(rates, text);
        put_times(&f, text);
        put_bound(run, &f, text);
        for (int form = 0; form < BENCH_FORMS; form++) {
            const struct bench_rate_figures g = bench_rate_figures(rates, (enum bench_form)form);
            const char *name = bench_form_name((enum bench_form)form);
            if (g.failed)
                text_printf(text, "    WRONG, %s: %" PRIu64 " of %" PRIu64 " instances\n", name,
                            g.failed, g.instances);
            if (g.gave_up)
                text_printf(text,
                            "    UNDECIDED, %s: %" PRIu64 " of %" PRIu64
                            " runs gave up waiting; their instances are not counted\n",
                            name, g.gave_up, g.runs);
        }
    }
    if (rate->end != ENG_PASS)
        text_printf(text, "    %s: %s\n", eng_result_name(rate->end), rate->reason);
}

// --- Markdown

void cli_rates_markdown(const struct cli_rates *rates, struct text *text)
{
    text_printf(text,
                "| | |\n| --- | --- |\n| command | `%s` |\n| started | %s |\n| system | %s |\n\n",
                rates->command, rates->started, rates->system);
    text_puts(text, "| device | driver | configuration | workgroups | form | instances/s | "
                    "subgroup instances/s | test | checker | fills | rest | bytes/s | copy | "
                    "of limit |\n"
                    "| --- | --- | --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | "
                    "---: | ---: | ---: |\n");
    for (size_t i = 0; i < rates->count; i++)
        for (int form = 0; form < BENCH_FORMS; form++) {
            const struct cli_rate *rate = &rates->rates[i];
            const struct bench_rate_figures f =
                bench_rate_figures(&rate->rates, (enum bench_form)form);
            char t[9][32];
            if (!f.rounds)
                continue;
            const struct bench_rate *run = &rate->rates.rounds[0];
            text_printf(text,
                        "| %s | %s %s | `%s` | %" PRIu64
                        " | %s | %s | %s | %s | %s | %s | %s | %sB/s | %sB/s | %.3f |\n",
                        rate->device->facts.name, rate->device->facts.driver_name,
                        rate->device->facts.driver_version, rate->name, run->workgroups,
                        bench_form_name((enum bench_form)form),
                        cli_bench_rate(t[0], f.per_second.median),
                        cli_bench_rate(t[1], f.subgroups), cli_bench_share(t[2], f.test),
                        cli_bench_share(t[3], f.check), cli_bench_share(t[4], f.fill),
                        cli_bench_share(t[5], f.rest), cli_bench_rate(t[6], f.bytes),
                        cli_bench_rate(t[7], run->copy), f.of_limit);
        }
}

// --- JSON

static json_t *make_round(const struct bench_rate *rate)
{
    json_t *object = json_object();
    cli_put_text(object, "form", bench_form_name((enum bench_form)rate->form));
    cli_put_count(object, "runs", rate->runs);
    cli_put_count(object, "failed", rate->failed);
    cli_put_count(object, "gave_up", rate->gave_up);
    cli_put_real(object, "wall_ns", rate->wall_ns);
    cli_put_real(object, "cpu_ns", rate->cpu_ns);
    cli_put_real(object, "fill_ns", rate->fill_ns);
    cli_put_real(object, "test_ns", rate->test_ns);
    cli_put_real(object, "check_ns", rate->check_ns);
    return object;
}

static json_t *make_form(const struct bench_rates *rates, enum bench_form form)
{
    const struct bench_rate_figures f = bench_rate_figures(rates, form);
    json_t *object = json_object(), *shares = json_object();
    struct stat_sample ratio;
    cli_put_count(object, "rounds", f.rounds);
    cli_put_count(object, "runs", f.runs);
    cli_put_count(object, "instances", f.instances);
    cli_put_count(object, "failed", f.failed);
    cli_put_count(object, "gave_up", f.gave_up);
    json_object_set_new(object, "instances_per_second", cli_bench_sample(&f.per_second));
    cli_put_real(object, "subgroup_instances_per_second", f.subgroups);
    cli_put_real(object, "wall_seconds", f.wall);
    cli_put_real(object, "cpu_seconds", f.cpu);
    cli_put_real(shares, "test", f.test);
    cli_put_real(shares, "check", f.check);
    cli_put_real(shares, "fill", f.fill);
    cli_put_real(shares, "rest", f.rest);
    json_object_set_new(object, "of_wall", shares);
    cli_put_real(object, "bytes_per_second", f.bytes);
    cli_put_real(object, "limit_instances_per_second", f.limit);
    cli_put_real(object, "of_limit", f.of_limit);
    if (form != BENCH_BATCHED && bench_rates_ratio(rates, BENCH_BATCHED, form, &ratio))
        json_object_set_new(object, "batched_by_this", cli_bench_sample(&ratio));
    return object;
}

static void put_run(json_t *object, const struct bench_rate *run)
{
    const struct bench_traffic t = bench_rate_traffic(run);
    json_t *shape = json_object(), *bytes = json_object();
    cli_put_count(shape, "workgroups", run->workgroups);
    cli_put_count(shape, "input_words", run->input_words);
    cli_put_count(shape, "output_words", run->output_words);
    cli_put_count(shape, "state_words", run->state_words);
    cli_put_count(shape, "instances", run->instances);
    cli_put_count(shape, "expected_stride", run->stride);
    cli_put_count(shape, "slots", run->slots);
    cli_put_count(shape, "subgroup", run->subgroup);
    cli_put_real(bytes, "fill", t.fill);
    cli_put_real(bytes, "test", t.test);
    cli_put_real(bytes, "check", t.check);
    json_object_set_new(shape, "bytes", bytes);
    json_object_set_new(object, "run", shape);
    cli_put_real(object, "copy_bytes_per_second", run->copy);
}

static json_t *make_rate(const struct cli_rate *rate)
{
    json_t *object = json_object(), *forms = json_object(), *rounds = json_array();
    const struct dev_facts *facts = &rate->device->facts;
    cli_put_text(object, "configuration", rate->name);
    cli_put_count(object, "device", rate->device->number);
    cli_put_text(object, "name", facts->name);
    cli_put_text(object, "driver", facts->driver_name);
    cli_put_text(object, "driver_info", facts->driver_info);
    cli_put_text(object, "driver_version", facts->driver_version);
    cli_put_text(object, "result", eng_result_name(rate->end));
    cli_put_text(object, "reason", rate->reason);
    if (rate->rates.count)
        put_run(object, &rate->rates.rounds[0]);
    for (int form = 0; form < BENCH_FORMS; form++)
        if (bench_rate_figures(&rate->rates, (enum bench_form)form).rounds)
            json_object_set_new(forms, bench_form_name((enum bench_form)form),
                                make_form(&rate->rates, (enum bench_form)form));
    for (size_t i = 0; i < rate->rates.count; i++)
        json_array_append_new(rounds, make_round(&rate->rates.rounds[i]));
    json_object_set_new(object, "forms", forms);
    json_object_set_new(object, "rounds", rounds);
    return object;
}

void cli_rates_json(const struct cli_rates *rates, struct text *text)
{
    json_t *list = json_array();
    json_t *object = cli_bench_begin(&(struct cli_bench_head){.schema = "litmus-bench-rate/1",
                                                              .benchmark = rates->benchmark,
                                                              .command = rates->command,
                                                              .started = rates->started,
                                                              .system = rates->system,
                                                              .seed = rates->seed});
    for (size_t i = 0; i < rates->count; i++)
        json_array_append_new(list, make_rate(&rates->rates[i]));
    json_object_set_new(object, "rates", list);
    cli_bench_end(object, rates->exit, rates->because, text);
}
