// SPDX-License-Identifier: Apache-2.0
// Times subgroup code on a device: the table of benchmarks, and shared code.
#include "benching/benching.h"

#include "base/file.h"
#include "engine/measure.h"
#include "engine/client.h"
#include "report/format.h"
#include "session/output.h"

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

// The one request of a benchmark.
struct asking {
    struct benching *of;
    struct eng_client client;
};

// Writes the row's code to files if --keep is given. A failed write does not stop the benchmark.
static bool take_row(struct asking *asking, const struct eng_event *event)
{
    struct benching *b = asking->of;
    struct bench_result *result = &b->size->result;
    struct text *bytes = &asking->client.code;
    const enum bench_state state = event->result == ENG_PASS            ? BENCH_READY
                                   : event->result == ENG_SKIP          ? BENCH_SKIPPED
                                   : event->result == ENG_HARNESS_ERROR ? BENCH_REFUSED
                                                                        : BENCH_UNREPORTED;
    OWNED(text_free) struct text name = {0};
    OWNED(isa_code_clear) struct isa_code code = {0};
    if ((bytes->length && !isa_unpack(bytes->data, bytes->length, &code, NULL)) ||
        !bench_result_row(result, &event->bench, state, event->text))
        return false;
    text_free(bytes);
    const struct bench_row *row = &bench_result_find(result, event->bench.row)->row;
    if (row->tile)
        text_printf(&name, "%" PRIu64 "/", result->shape.elements);
    bench_row_name(row, &name);
    if (b->chosen.keep && !b->unkept.code)
        isa_keep(b->chosen.keep, b->device->number, name.data, &code, &b->unkept);
    return true;
}

static bool take(struct asking *asking, const struct eng_event *event)
{
    struct benching *b = asking->of;
    switch (event->kind) {
    case ENG_EVENT_CODE:
        return !b->rate;
    case ENG_EVENT_ROW:
        return !b->rate && take_row(asking, event);
    case ENG_EVENT_TIME:
        if (b->rate)
            return false;
        show_round(b, &event->bench);
        return bench_result_time(&b->size->result, &event->bench);
    case ENG_EVENT_RATE:
        if (!b->rate)
            return false;
        term_line_show(&b->devices.line, "  round %u, %s", event->rate.round + 1, b->rate->name);
        return bench_rates_take(&b->rate->rates, &event->rate);
    case ENG_EVENT_MESSAGE:
        b->devices.watch.say(event->text, b->devices.watch.user);
        return true;
    default:
        return false;
    }
}

static const char *hear(const struct eng_event *event, void *user)
{
    return take(user, event) ? NULL : "invalid message from the worker";
}

bool benching_ask(struct benching *b, struct eng_request *request, enum eng_result *result,
                  char reason[512])
{
    struct eng_outcome outcome = {0};
    request->validation = b->chosen.validation;
    request->capture = b->chosen.keep != NULL;
    request->seed = b->chosen.seed.value;
    request->kind = ENG_BENCH;
    struct asking asking = {.of = b};
    asking.client = (struct eng_client){
        .watch = &b->devices.watch, .device = b->device, .heard = hear, .user = &asking};
    b->end = eng_submit(&asking.client, NULL, request, &outcome);
    eng_client_end(&asking.client);
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
        OWNED(text_free) struct text text = {0};
        if (!files[i].path)
            continue;
        files[i].write(b, &text);
        written = lit_file_write(files[i].path, text.data, text.length, error);
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
    store_session_clear(&b->session);
}
