// SPDX-License-Identifier: Apache-2.0
// litmus bench: how long subgroup code takes on a device. A table of benchmarks, of which one runs.
#include "cli/bench.h"

#include "base/file.h"
#include "cli/isa.h"
#include "session/output.h"
#include "engine/bench.h"
#include "report/format.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AT(member) offsetof(struct cli_bench_options, member)

static const struct cli_option options[] = {
    CLI_OPTION_DEVICE,
    CLI_OPTION_SIMT("only on the SIMT simulator: " CLI_SIMT_MODELS),
    {'n', "repeat", CLI_COUNT, AT(repeat), "N",
     "timed dispatches of each row (default: 31; with --simt 3);\n"
     "throughput, single: rounds (default: 9; with --simt 2)"},
    {0, "elements", CLI_COUNT, AT(elements), "N",
     "32-bit words to scan, a power of two from 4,096 to 16,777,216;\n"
     "lookback: to 4,294,967,296 (default: scan 1,048,576; on a CPU\n"
     "65,536; with --simt 4,096; lookback several sizes; with --simt\n"
     "8,192)"},
    {0, "loops", CLI_COUNT, AT(loops), "N",
     "scan: scans within a dispatch, to 60,000 (default: as many as\n"
     "fit into --budget, to 1,000; with --simt 3)"},
    {0, "test", CLI_TESTS, AT(tests), "PATTERN",
     "throughput, single: the first configuration that this names, as\n"
     "for 'litmus run'; can be repeated"},
    {0, "scale", CLI_COUNT, AT(scale), "N",
     "throughput, single: workgroups (default: as many as fill the\n"
     "device; for single as many as 'litmus run' takes; with --simt 2)"},
    {0, "budget", CLI_SECONDS, AT(budget), "SECONDS",
     "scan: time limit in seconds for all dispatches (default:\n25); lookback --tune: for the "
     "search (default: 300);\n"
     "throughput: all rounds of a configuration (default: 3; single: 5;\n"
     "with --simt 0.5)"},
    {0, "variants", CLI_TEXT, AT(variants), "PATTERN",
     "lookback: time the scans whose names match, as 'all',\n'held=4/*order=id*', or other "
     "operations: '*operation=NAME*', where\nNAME is add64 (sums of 64 bits), segmented "
     "(bit 31 of a word\nbegins a segment), max, fadd or add/result=exclusive\n(default: one for "
     "each size)"},
    {0, "tune", CLI_FLAG, AT(tune), NULL,
     "lookback: find the fastest scan of the device for each size,\nand keep it in --tuned; "
     "those with order=id, of other operations\nor in place only if --variants names them"},
    {0, "tuned", CLI_TEXT, AT(tuned), "FILE",
     "lookback: file of the tuned scans\n(default: litmus-lookback.json)"},
    {0, "cub", CLI_TEXT, AT(cub), "FILE",
     "lookback: compare with what tools/bench-cub measured on\nthe same device"},
    CLI_OPTION_SEED("random seed, e.g. 24301 or 0x5eed (default: a new one,\nwhich is printed)"),
    {0, "json", CLI_TEXT, AT(json), "FILE", "write everything as JSON, including every time"},
    {0, "markdown", CLI_TEXT, AT(markdown), "FILE", "write the table as Markdown"},
    {0, "keep", CLI_TEXT, AT(keep), "FOLDER",
     "scan, lookback: write the compiled code of each row to\nfiles, as 'litmus isa --keep' does"},
    CLI_OPTION_TIMEOUT("seconds without progress that count as a hang (default: 60)"),
    CLI_OPTION_TIME,
    CLI_OPTION_COLOR,
    {0, "validation", CLI_FLAG, AT(validation), NULL,
     "under VK_LAYER_KHRONOS_validation: times are meaningless"},
    {'q', "quiet", CLI_FLAG, AT(quiet), NULL, "no progress"},
    {'v', "verbose", CLI_MORE, AT(verbose), NULL,
     "lookback: print every row, and the drivers' own output"},
};

const struct cli_syntax cli_bench_syntax = {
    .name = "bench",
    .usage = "[BENCHMARK [OPTION]...]",
    .about =
        "Times subgroup code on a device; without a BENCHMARK, lists what there is.\n\n"
        "scan: inclusive sums over subgroups and workgroups, by a group operation and by\n"
        "shuffles with and without barriers, against what the device can copy, add and\n"
        "shuffle. Every output is checked, and wrong scans are reported.\n\n"
        "lookback: inclusive sums over the whole device in one dispatch, by decoupled\n"
        "look-back, against the best copy of the same run; every output is verified on\n"
        "the device.\n\n"
        "throughput: checked units of a test per second on a device, where the time goes,\nand the "
        "limit set by memory bandwidth.\n\n"
        "single: the same work, submitting and checking one run at a time, next to\n'litmus run'.",
    CLI_OPTIONS(options, struct cli_bench_options, .timeout = ENG_IDLE_SECONDS),
    .more = "See docs/bench.md for what is timed and how it is counted.\n\n"
            "exit codes: 0 every output was correct, 1 an output was wrong, or a driver crashed or "
            "hung,\n2 usage or input, 3 a row could not be timed, 4 a device was lost, 5 the time "
            "budget\nwas used up, 77 nothing could run\n\n"
            "examples:\n"
            "  litmus bench scan\n"
            "  litmus bench scan -d 1 --json scan.json --markdown scan.md\n"
            "  litmus bench lookback --tune\n"
            "  litmus bench lookback --cub cub.json --json lookback.json\n"
            "  litmus bench throughput --test loop.desync --scale 4096\n",
    .operands = CLI_OPERANDS_WORDS,
    .words = "lookback|scan|single|throughput",
};

// --- What there is

enum { SCAN = 1, LOOKBACK = 2, SINGLE = 4, THROUGHPUT = 8 };

static const struct benchmark {
    const char *name, *about;
    int bit;
    uint64_t repeat, simt_repeat, most_repeat;
    bool (*begin)(struct cli_benching *b, struct lit_error *error); // may be NULL
    void (*run)(struct cli_benching *b);
} benchmarks[] = {
    // The default numbers of repetitions are odd: the median is one of them.
    {"scan", "inclusive sums over subgroups and workgroups, native and emulated", SCAN, 31, 3,
     BENCH_REPEATS, NULL, cli_bench_scan},
    {"lookback", "inclusive sums over the whole device by look-back, against copies", LOOKBACK, 31,
     3, BENCH_REPEATS, cli_bench_lookback_begin, cli_bench_lookback},
    {"single", "checked runs, one submission each, against those of 'litmus run'", SINGLE, 9, 2,
     BENCH_RATE_ROUNDS, cli_bench_rate_begin, cli_bench_rates},
    {"throughput", "checked units per second, and what memory allows", THROUGHPUT, 9, 2,
     BENCH_RATE_ROUNDS, cli_bench_rate_begin, cli_bench_rates},
};

#define BENCHMARKS (sizeof benchmarks / sizeof benchmarks[0])

// Options that not all of them have.
static const struct {
    const char *name;
    int of;
} particular[] = {
    {"elements", SCAN | LOOKBACK}, {"loops", SCAN},
    {"test", SINGLE | THROUGHPUT}, {"scale", SINGLE | THROUGHPUT},
    {"variants", LOOKBACK},        {"tune", LOOKBACK},
    {"tuned", LOOKBACK},           {"cub", LOOKBACK},
    {"keep", SCAN | LOOKBACK},
};

static bool check_particular(const struct benchmark *benchmark, uint64_t given,
                             struct lit_error *error)
{
    for (size_t i = 0; i < sizeof particular / sizeof *particular; i++) {
        struct text names = {0};
        if (!cli_is_given(&cli_bench_syntax, given, particular[i].name) ||
            particular[i].of & benchmark->bit)
            continue;
        for (size_t k = 0; k < BENCHMARKS; k++)
            if (particular[i].of & benchmarks[k].bit)
                text_printf(&names, "%s'litmus bench %s'", names.length ? " and " : "",
                            benchmarks[k].name);
        lit_fail(error, LIT_EXIT_USAGE, "--%s is for %s", particular[i].name, names.data);
        text_free(&names);
        return false;
    }
    return true;
}

static bool check_usage(const struct benchmark *benchmark, const struct cli_benching *b,
                        uint64_t given, struct lit_error *error)
{
    const struct cli_bench_options *o = &b->chosen;
    const uint64_t most = benchmark->bit == LOOKBACK ? LOOK_MOST : BENCH_MOST;
    if (!check_particular(benchmark, given, error))
        return false;
    if (o->elements &&
        (o->elements < BENCH_ELEMENTS || o->elements > most || (o->elements & (o->elements - 1))))
        return lit_fail(error, LIT_EXIT_USAGE, "--elements: a power of two from 4,096 to %s",
                        COUNT(most));
    const struct {
        const char *name;
        uint64_t value, most;
    } limits[] = {{"loops", o->loops, BENCH_MOST_LOOPS},
                  {"repeat", o->repeat, benchmark->most_repeat},
                  {"scale", o->scale, 1u << 20}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (limits[i].value > limits[i].most)
            return lit_fail(error, LIT_EXIT_USAGE, "--%s: at most %s", limits[i].name,
                            COUNT(limits[i].most));
    if (o->budget > 86400)
        return lit_fail(error, LIT_EXIT_USAGE, "--budget: at most 24h");
    return (!o->json || ses_output_check(o->json, "", error)) &&
           (!o->markdown || ses_output_check(o->markdown, "", error));
}

// --- What they share

bool cli_benching_is_over(const struct cli_benching *b)
{
    return b->end == ENG_END_TIME || b->end == ENG_END_SIGNAL;
}

static void show_round(struct cli_benching *b, const struct bench_report *report)
{
    const struct bench_result *result = &b->size->result;
    term_line_show(&b->devices.line, "  %s words, round %u of %u", COUNT(result->shape.elements),
                   report->round + 1, result->warm + result->repeats);
}

// Writes the code of the row to files, if --keep asks for it. A file that cannot be written ends
// nothing that is being timed.
static bool take_row(const struct bench_report *report, enum eng_result outcome, const char *reason,
                     void *user)
{
    struct cli_benching *b = user;
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
        cli_isa_keep(b->chosen.keep, b->device->number, name.data, &b->code, &b->unkept);
    isa_code_clear(&b->code);
    return true;
}

static bool take_code(const char *bytes, size_t size, void *user)
{
    struct cli_benching *b = user;
    isa_code_clear(&b->code);
    return isa_unpack(bytes, size, &b->code, NULL);
}

static bool take_time(const struct bench_report *report, void *user)
{
    struct cli_benching *b = user;
    show_round(b, report);
    return bench_result_time(&b->size->result, report);
}

static bool take_rate(const struct bench_rate *rate, void *user)
{
    struct cli_benching *b = user;
    term_line_show(&b->devices.line, "  round %u, %s", rate->round + 1, b->rate->name);
    return bench_rates_take(&b->rate->rates, rate);
}

bool cli_benching_ask(struct cli_benching *b, struct eng_request *request, enum eng_result *result,
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
    const bool over = cli_benching_is_over(b);
    *result = over ? ENG_SKIP : b->end == ENG_END_UNFIT ? ENG_HARNESS_ERROR : outcome.result;
    snprintf(reason, 512, "%s",
             b->end == ENG_END_TIME     ? "the time budget was used up"
             : b->end == ENG_END_SIGNAL ? "interrupted"
                                        : outcome.reason);
    return !over;
}

// --- From the command line to the exit code

static bool settle(struct cli_benching *b, const struct benchmark *benchmark, struct cli_call *call)
{
    struct cli_bench_options *o = &b->chosen;
    ses_seed_settle(&o->seed, true);
    if (!o->repeat)
        o->repeat = o->simt.count ? benchmark->simt_repeat : benchmark->repeat;
    b->session = ses_make("bench", call->argc, call->argv);
    ses_devices_watch(&b->devices, o->timeout, o->time, o->verbose);
    b->devices.line.quiet = o->quiet || isatty(STDERR_FILENO) != 1;
    if (!ses_simt_use(&o->simt, &call->error) ||
        !ses_devices_find(&b->devices, &o->devices, &call->error))
        return false;
    b->measured = lit_alloc(b->devices.inventory.count + 1, sizeof *b->measured);
    return true;
}

static bool write_files(const struct cli_benching *b, struct lit_error *error)
{
    const struct {
        const char *path;
        void (*write)(const struct cli_benching *b, struct text *text);
    } files[] = {{b->chosen.json, cli_bench_json}, {b->chosen.markdown, cli_bench_markdown}};
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

static void sum_up(struct cli_benching *b, const struct benchmark *benchmark, bool out_of_time)
{
    struct bench_sum sum = bench_devices_sum(b->measured, b->measured_count);
    sum.out_of_time = out_of_time;
    b->exit =
        benchmark->bit & (SCAN | LOOKBACK)
            ? bench_sum_exit(&sum, b->because, sizeof b->because)
            : cli_rates_exit(b->rates, b->rate_count, out_of_time, b->because, sizeof b->because);
}

static int finish(const struct cli_benching *b, struct lit_error *error)
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

static int run(struct cli_benching *b, const struct benchmark *benchmark, struct cli_call *call)
{
    struct lit_error *error = &call->error;
    b->name = benchmark->name;
    b->end = ENG_END_RAN;
    if (!check_usage(benchmark, b, call->given, error) ||
        (benchmark->begin && !benchmark->begin(b, error)) ||
        (b->chosen.keep && !cli_isa_keep_start(b->chosen.keep, error)))
        return term_fail(error);
    if (!settle(b, benchmark, call))
        return eng_interrupt() ? LIT_EXIT_TIME : term_fail(error);
    const struct eng_inventory *all = &b->devices.inventory;
    for (size_t i = 0; i < all->count && !cli_benching_is_over(b); i++) {
        if (!b->devices.chosen[i])
            continue;
        b->device = &all->devices[i];
        ses_devices_heading(&b->devices, b->device);
        benchmark->run(b);
    }
    sum_up(b, benchmark, b->end == ENG_END_TIME);
    return finish(b, error);
}

static int list(void)
{
    struct text text = {0};
    for (size_t i = 0; i < BENCHMARKS; i++)
        text_printf(&text, "  %-12s %s\n", benchmarks[i].name, benchmarks[i].about);
    return term_print(&text);
}

static const char *name_at(size_t index, void *user)
{
    (void)user;
    return index < BENCHMARKS ? benchmarks[index].name : NULL;
}

static int choose(struct cli_benching *b, struct cli_call *call)
{
    const struct lit_list *operands = &call->operands;
    struct lit_error *error = &call->error;
    OWNED(text_free) struct text hint = {0};
    if (operands->count > 1) {
        lit_fail(error, LIT_EXIT_USAGE, "only one benchmark at a time");
        return term_fail(error);
    }
    if (operands->count == 0 && call->argc == 1)
        return list();
    const char *asked = operands->count ? operands->items[0] : "";
    for (size_t i = 0; i < BENCHMARKS; i++)
        if (strcmp(benchmarks[i].name, asked) == 0)
            return run(b, &benchmarks[i], call);
    if (!operands->count) {
        lit_fail(error, LIT_EXIT_USAGE, "missing BENCHMARK: 'litmus bench' lists them");
        return term_fail(error);
    }
    cli_suggest(&hint, asked, name_at, NULL);
    lit_fail(error, LIT_EXIT_USAGE, "unknown benchmark '%.80s'%s", asked,
             hint.length ? hint.data : "; 'litmus bench' lists them");
    return term_fail(error);
}

static void clear(struct cli_benching *b)
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

int cli_bench(struct cli_call *call)
{
    struct cli_benching b = {.chosen = *(const struct cli_bench_options *)call->chosen};
    const int code = choose(&b, call);
    clear(&b);
    return ses_devices_end(&b.devices, code);
}
