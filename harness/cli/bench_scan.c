// SPDX-License-Identifier: Apache-2.0
// litmus bench scan: native and emulated scans against what the device can do.
#include "cli/bench.h"

#include "base/clock.h"
#include "base/file.h"
#include "cli/bench_report.h"
#include "cli/cli.h"
#include "cli/isa_keep.h"
#include "cli/output.h"
#include "engine/bench.h"
#include "engine/benching.h"
#include "engine/watch.h"
#include "engine/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPEATS       31 // an odd number: the median is one of them
#define SIMT_REPEATS  3
#define BUDGET        25.0       // seconds
#define ELEMENTS_GPU  (1u << 20) // of the founding article
#define ELEMENTS_CPU  (1u << 16)
#define ELEMENTS_SIMT BENCH_ELEMENTS
#define LOOPS_SIMT    3

struct scanning {
    struct cli_benching *b;
    struct cli_bench_device *told;
    size_t told_count;
    bool out_of_time;
    struct cli_bench_device *current;
};

// What a worker says

static void show_progress(const struct scanning *s, const struct bench_said *said)
{
    const struct bench_result *result = &s->current->result;
    if (cli_benching_progress(s->b))
        fprintf(stderr, "\r\033[K  round %" PRIu32 " of %" PRIu32 ", %" PRIu32 " scans a dispatch",
                said->round + 1, result->warm + result->repeats, result->shape.loops);
}

static bool take_row(const struct bench_said *said, enum eng_result outcome, const char *reason,
                     void *user)
{
    struct scanning *s = user;
    struct bench_result *result = &s->current->result;
    struct text name = {0};
    if (!bench_result_row(result, said, cli_benching_state(outcome), reason))
        return false;
    bench_row_name(&result->rows[said->row].row, &name);
    cli_benching_keep(s->b, s->current->device->number, name.data);
    text_free(&name);
    return true;
}

static bool take_code(const char *bytes, size_t size, void *user)
{
    struct scanning *s = user;
    return cli_benching_code(bytes, size, s->b);
}

static bool take_time(const struct bench_said *said, void *user)
{
    struct scanning *s = user;
    show_progress(s, said);
    return bench_result_time(&s->current->result, said);
}

// Devices

static bool is_usable(const struct eng_device *device, struct cli_bench_device *told)
{
    const uint32_t subgroup = device->facts.subgroup;
    if (device->facts.problem[0])
        snprintf(told->reason, sizeof told->reason, "%s", device->facts.problem);
    else if (subgroup < 4 || subgroup > 128)
        snprintf(told->reason, sizeof told->reason,
                 "subgroups of %" PRIu32 "; the kernels are for 4 to 128", subgroup);
    return !told->reason[0];
}

static void print_device(const struct scanning *s, const struct cli_bench_device *told)
{
    struct text table = {0};
    cli_bench_table(told, cli_color((enum cli_color)s->b->chosen.color), &table);
    printf("%s\n", table.data ? table.data : "");
    cli_flush();
    text_free(&table);
}

static enum eng_end bench_device(struct scanning *s, const struct eng_device *device)
{
    struct eng_outcome outcome = {0};
    struct cli_bench_device *told = &s->told[s->told_count++];
    const struct cli_bench_options *o = &s->b->chosen;
    enum eng_end end = ENG_END_RAN;
    const uint64_t elements = o->elements         ? o->elements
                              : o->simt.count     ? ELEMENTS_SIMT
                              : device->facts.cpu ? ELEMENTS_CPU
                                                  : ELEMENTS_GPU;
    const uint64_t loops = o->loops ? o->loops : o->simt.count ? LOOPS_SIMT : 0;
    told->device = device;
    told->end = ENG_SKIP;
    s->current = told;
    cli_benching_header(s->b, device);
    if (is_usable(device, told)) {
        const struct eng_request request = {
            .name = "scan",
            .validation = o->validation,
            .capture = o->keep != NULL,
            .elements = (uint32_t)elements,
            .loops = (uint32_t)loops,
            .budget_ms = (uint32_t)((o->budget > 0 ? o->budget : BUDGET) * 1e3),
            .runs = o->repeat,
            .seed = o->seed.value};
        bench_result_begin(&told->result, &device->facts, (uint32_t)elements, (uint32_t)loops,
                           ENG_BENCH_WARM, (uint32_t)o->repeat);
        end = eng_bench_ask(&s->b->watch, device, &request,
                            &(struct eng_benching){
                                .row = take_row, .code = take_code, .time = take_time, .user = s},
                            &outcome);
        told->end = end == ENG_END_UNFIT ? ENG_HARNESS_ERROR : outcome.result;
        snprintf(told->reason, sizeof told->reason, "%s", outcome.reason);
    }
    if (end == ENG_END_TIME || end == ENG_END_SIGNAL)
        snprintf(told->reason, sizeof told->reason, "%s",
                 end == ENG_END_TIME ? "the time was used up" : "interrupted");
    cli_benching_clear_line(s->b);
    print_device(s, told);
    return end;
}

// From the command line to the exit code

static bool check_usage(const struct cli_benching *b, struct lit_error *error)
{
    const struct cli_bench_options *o = &b->chosen;
    if (o->elements && (o->elements < BENCH_ELEMENTS || o->elements > BENCH_MOST ||
                        (o->elements & (o->elements - 1))))
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--elements: a power of two from 4,096 to 16,777,216");
    if (o->tests.count || o->scale)
        return lit_fail(error, LIT_EXIT_USAGE, "--test and --scale are not for scan");
    if (o->loops > BENCH_MOST_LOOPS)
        return lit_fail(error, LIT_EXIT_USAGE, "--loops: at most 60,000");
    if (o->budget > 86400)
        return lit_fail(error, LIT_EXIT_USAGE, "--budget: at most 24h");
    if (o->repeat > BENCH_REPEATS)
        return lit_fail(error, LIT_EXIT_USAGE, "--repeat: at most 100,000");
    if (o->variants || o->cub || o->tune || o->tuned)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--variants, --tune, --tuned and --cub are for 'litmus bench lookback'");
    return (!o->json || cli_output_check(o->json, "", error)) &&
           (!o->markdown || cli_output_check(o->markdown, "", error));
}

static bool write_files(const struct cli_benching *b, const struct cli_bench *bench,
                        struct lit_error *error)
{
    const struct {
        const char *path;
        void (*write)(const struct cli_bench *bench, struct text *text);
    } files[] = {{b->chosen.json, cli_bench_json}, {b->chosen.markdown, cli_bench_markdown}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct text text = {0};
        if (!files[i].path)
            continue;
        files[i].write(bench, &text);
        const bool written = lit_file_write(files[i].path, text.data, text.length, error);
        text_free(&text);
        if (!written)
            return false;
    }
    return true;
}

static int finish(const struct scanning *s, struct lit_error *error)
{
    const struct cli_benching *b = s->b;
    const char *dot = b->utf8 ? " \u00b7 " : ", ";
    char because[256], took[32];
    struct cli_bench_sum sum = cli_bench_sum(s->told, s->told_count);
    sum.out_of_time = s->out_of_time;
    const enum lit_exit code = cli_bench_exit(&sum, because, sizeof because);
    const struct cli_bench bench = {.command = b->command.data,
                                    .started = b->started,
                                    .system = b->system.data,
                                    .seed = b->chosen.seed.value,
                                    .devices = s->told,
                                    .count = s->told_count,
                                    .exit = code,
                                    .because = because};
    printf("seed 0x%" PRIx64 "%s%s%s", b->chosen.seed.value, dot,
           eng_duration(took, clock_now() - b->watch.started), dot);
    if (eng_interrupt())
        printf("interrupted\n");
    else
        printf("exit %d: %s\n", (int)code, because);
    cli_flush();
    if (!write_files(b, &bench, error))
        return cli_fail(error);
    return b->unkept.code ? cli_fail(&b->unkept) : (int)code;
}

static int run(struct scanning *s, int argc, char **argv, struct lit_error *error)
{
    struct cli_benching *b = s->b;
    enum eng_end end = ENG_END_RAN;
    if (!check_usage(b, error) || (b->chosen.keep && !cli_isa_keep_start(b->chosen.keep, error)))
        return cli_fail(error);
    if (!cli_benching_begin(b, argc, argv, b->chosen.simt.count ? SIMT_REPEATS : REPEATS, error))
        return eng_interrupt() ? LIT_EXIT_TIME : cli_fail(error);
    s->told = lit_alloc(b->inventory.count, sizeof *s->told);
    for (size_t i = 0; i < b->inventory.count && end != ENG_END_TIME && end != ENG_END_SIGNAL; i++)
        if (b->devices[i])
            end = bench_device(s, &b->inventory.devices[i]);
    s->out_of_time = end == ENG_END_TIME;
    return finish(s, error);
}

int cli_bench_scan(struct cli_benching *b, int argc, char **argv)
{
    struct scanning s = {.b = b};
    struct lit_error error = {0};
    const int code = run(&s, argc, argv, &error);
    for (size_t i = 0; i < s.told_count; i++)
        bench_result_clear(&s.told[i].result);
    free(s.told);
    return code;
}
