// SPDX-License-Identifier: Apache-2.0
// Times subgroup code on a device: the table of benchmarks, and shared code.
#include "benching/benching.h"

#include "base/file.h"
#include "engine/bench.h"
#include "report/format.h"
#include "session/output.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct benching_kind benching_kinds[BENCHING_KINDS] = {
    // The default numbers of repetitions are odd, so that the median is one of them.
    {"scan", "inclusive sums over subgroups and workgroups, native and emulated", BENCHING_SCAN, 31,
     3, BENCH_REPEATS, NULL, benching_scan},
    {"lookback", "inclusive sums over the whole device by look-back, against copies",
     BENCHING_LOOKBACK, 31, 3, BENCH_REPEATS, benching_lookback_begin, benching_lookback},
    {"single", "checked runs, one submission each, against those of 'litmus run'", BENCHING_SINGLE,
     9, 2, BENCH_RATE_ROUNDS, benching_rates_begin, benching_rates},
    {"throughput", "checked units per second, and what memory allows", BENCHING_THROUGHPUT, 9, 2,
     BENCH_RATE_ROUNDS, benching_rates_begin, benching_rates},
};

static bool check_usage(const struct benching_kind *kind, const struct benching *b,
                        struct lit_error *error)
{
    const struct benching_options *o = &b->chosen;
    const uint64_t most = kind->bit == BENCHING_LOOKBACK ? LOOK_MOST : BENCH_MOST;
    if (o->elements &&
        (o->elements < BENCH_ELEMENTS || o->elements > most || (o->elements & (o->elements - 1))))
        return lit_fail(error, LIT_EXIT_USAGE, "--elements: a power of two from 4,096 to %s",
                        COUNT(most));
    const struct {
        const char *name;
        uint64_t value, most;
    } limits[] = {{"loops", o->loops, BENCH_MOST_LOOPS},
                  {"repeat", o->repeat, kind->most_repeat},
                  {"scale", o->scale, 1u << 20}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (limits[i].value > limits[i].most)
            return lit_fail(error, LIT_EXIT_USAGE, "--%s: at most %s", limits[i].name,
                            COUNT(limits[i].most));
    if (o->budget > 86400)
        return lit_fail(error, LIT_EXIT_USAGE, "--budget: at most 24h");
    const struct ses_file files[] = {{"json", o->json}, {"markdown", o->markdown}};
    return ses_files_check(files, 2, "", error);
}

// --- Shared

bool benching_is_over(const struct benching *b)
{
    return b->end == ENG_END_TIME || b->end == ENG_END_SIGNAL;
}

static void show_round(struct benching *b, const struct bench_report *report)
{
    const struct bench_result *result = &b->size->result;
    term_line_show(&b->devices.line, "  %s words, round %u of %u", COUNT(result->shape.elements),
                   report->round + 1, result->warm + result->repeats);
}

// Writes the row's code to files if --keep is given. A failed write does not stop the benchmark.
static bool take_row(const struct bench_report *report, enum eng_result outcome, const char *reason,
                     void *user)
{
    struct benching *b = user;
    struct bench_result *result = &b->size->result;
    const enum bench_state state = outcome == ENG_PASS            ? BENCH_READY
                                   : outcome == ENG_SKIP          ? BENCH_SKIPPED
                                   : outcome == ENG_HARNESS_ERROR ? BENCH_REFUSED
                                                                  : BENCH_UNREPORTED;
    OWNED(text_free) struct text name = {0};
    if (!bench_result_row(result, report, state, reason))
        return false;
    const struct bench_row *row = &bench_result_find(result, report->row)->row;
    if (row->tile)
        text_printf(&name, "%" PRIu64 "/", result->shape.elements);
    bench_row_name(row, &name);
    if (b->chosen.keep && !b->unkept.code)
        isa_keep(b->chosen.keep, b->device->number, name.data, &b->code, &b->unkept);
    isa_code_clear(&b->code);
    return true;
}

static bool take_code(const char *bytes, size_t size, void *user)
{
    struct benching *b = user;
    isa_code_clear(&b->code);
    return isa_unpack(bytes, size, &b->code, NULL);
}

static bool take_time(const struct bench_report *report, void *user)
{
    struct benching *b = user;
    show_round(b, report);
    return bench_result_time(&b->size->result, report);
}

static bool take_rate(const struct bench_rate *rate, void *user)
{
    struct benching *b = user;
    term_line_show(&b->devices.line, "  round %u, %s", rate->round + 1, b->rate->name);
    return bench_rates_take(&b->rate->rates, rate);
}

bool benching_ask(struct benching *b, struct eng_request *request, enum eng_result *result,
                  char reason[512])
{
    struct eng_outcome outcome = {0};
    const bool rates = b->rate;
    request->validation = b->chosen.validation;
    request->capture = b->chosen.keep != NULL;
    request->seed = b->chosen.seed.value;
    request->kind = ENG_BENCH;
    const struct eng_benching benching = {.row = rates ? NULL : take_row,
                                          .code = rates ? NULL : take_code,
                                          .time = rates ? NULL : take_time,
                                          .rate = rates ? take_rate : NULL,
                                          .user = b};
    struct eng_client client = {
        .watch = &b->devices.watch, .device = b->device, .benching = &benching};
    b->end = eng_client_ask(&client, request, &outcome);
    eng_client_end(&client);
    term_line_clear(&b->devices.line);
    const bool over = benching_is_over(b);
    *result = over ? ENG_SKIP : b->end == ENG_END_UNFIT ? ENG_HARNESS_ERROR : outcome.result;
    snprintf(reason, 512, "%s",
             b->end == ENG_END_TIME     ? "the time budget was used up"
             : b->end == ENG_END_SIGNAL ? "interrupted"
                                        : outcome.reason);
    return !over;
}

// --- From the options to the exit code

static bool settle(struct benching *b, const struct benching_kind *kind, struct lit_error *error)
{
    struct benching_options *o = &b->chosen;
    ses_seed_settle(&o->seed, true);
    if (!o->repeat)
        o->repeat = o->simt.count ? kind->simt_repeat : kind->repeat;
    ses_devices_watch(&b->devices, o->timeout, o->time, o->verbose);
    b->devices.line.quiet = o->quiet || isatty(STDERR_FILENO) != 1;
    if (!ses_simt_use(&o->simt, error) || !ses_devices_find(&b->devices, &o->devices, error))
        return false;
    b->measured = lit_alloc(b->devices.inventory.count + 1, sizeof *b->measured);
    return true;
}

static bool write_files(const struct benching *b, struct lit_error *error)
{
    const struct {
        const char *path;
        void (*write)(const struct benching *b, struct text *text);
    } files[] = {{b->chosen.json, benching_json}, {b->chosen.markdown, benching_markdown}};
    bool written = true;
    for (size_t i = 0; i < sizeof files / sizeof *files && written; i++) {
        struct text text = {0};
        if (!files[i].path)
            continue;
        files[i].write(b, &text);
        written = lit_file_write(files[i].path, text.data, text.length, error);
        text_free(&text);
    }
    return written;
}

static void sum_up(struct benching *b, const struct benching_kind *kind, bool out_of_time)
{
    struct bench_sum sum = bench_devices_sum(b->measured, b->measured_count);
    sum.out_of_time = out_of_time;
    b->exit = kind->bit & (BENCHING_SCAN | BENCHING_LOOKBACK)
                  ? bench_sum_exit(&sum, b->because, sizeof b->because)
                  : benching_rates_exit(b->rates, b->rate_count, out_of_time, b->because,
                                        sizeof b->because);
}

static int finish(const struct benching *b, struct lit_error *error)
{
    const char *dot = term_utf8() ? " \u00b7 " : ", ";
    if (b->chosen.cub)
        printf("CUB was timed on %s%s", b->cub.device, dot);
    for (size_t i = 0; b->chosen.cub && i < b->measured_count; i++)
        if (strcmp(b->measured[i].device->facts.name, b->cub.device) != 0)
            printf("which device %u is not%s", b->measured[i].device->number, dot);
    ses_last_line(NULL, b->chosen.seed.value, b->devices.watch.started, b->exit, b->because);
    if (!write_files(b, error))
        return term_fail(error);
    return b->unkept.code ? term_fail(&b->unkept) : (int)b->exit;
}

int benching_run(struct benching *b, const struct benching_kind *kind, struct lit_error *error)
{
    b->name = kind->name;
    b->end = ENG_END_RAN;
    if (!check_usage(kind, b, error) || (kind->begin && !kind->begin(b, error)) ||
        (b->chosen.keep && !isa_keep_start(b->chosen.keep, error)))
        return term_fail(error);
    if (!settle(b, kind, error))
        return term_fail(error);
    SES_EACH_DEVICE (device, &b->devices) {
        b->device = device;
        ses_devices_heading(&b->devices, device);
        kind->run(b);
        if (benching_is_over(b))
            break;
    }
    sum_up(b, kind, b->end == ENG_END_TIME);
    return finish(b, error);
}

void benching_clear(struct benching *b)
{
    for (size_t i = 0; i < b->measured_count; i++)
        for (size_t s = 0; s < b->measured[i].count; s++)
            bench_result_clear(&b->measured[i].sizes[s].result);
    for (size_t i = 0; i < b->rate_count; i++)
        bench_rates_clear(&b->rates[i].rates);
    free(b->measured);
    free(b->rates);
    look_tuned_clear(&b->tunings);
    isa_code_clear(&b->code);
    store_session_clear(&b->session);
}
