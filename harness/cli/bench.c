// SPDX-License-Identifier: Apache-2.0
// litmus bench: how long subgroup code takes on a device. A table of benchmarks, of which one runs.
#include "cli/bench_report.h"
#include "cli/cli.h"
#include "cli/describe.h"
#include "cli/isa_keep.h"
#include "cli/output.h"
#include "cli/simt.h"
#include "engine/bench.h"
#include "engine/benching.h"
#include "engine/interrupt.h"
#include "engine/progress.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define REPEATS       31 // an odd number: the median is one of them
#define SIMT_REPEATS  3
#define ELEMENTS_GPU  (1u << 20) // of the founding article
#define ELEMENTS_CPU  (1u << 16)
#define ELEMENTS_SIMT BENCH_ELEMENTS
#define LOOPS_SIMT    3

struct options {
    struct cli_list devices, simt;
    uint64_t repeat, elements, loops;
    struct cli_seed seed;
    const char *json, *markdown, *keep;
    int color, verbose;
    bool quiet, validation;
    double timeout, time, budget;
};

#define AT(member) offsetof(struct options, member)

static const struct cli_option options[] = {
    {'d', "device", CLI_LIST, AT(devices), "DEVICE",
     "only this device, as 'litmus run' names them; can be repeated"},
    {0, "simt", CLI_LIST, AT(simt), CLI_SIMT_ARGUMENT,
     "on the reference driver alone: " CLI_SIMT_MODELS},
    {'n', "repeat", CLI_COUNT, AT(repeat), "N",
     "timed dispatches of each row (default: 31; with --simt 3)"},
    {0, "elements", CLI_COUNT, AT(elements), "N",
     "words that are scanned, a power of two from 4,096 to 16,777,216\n"
     "(default: 1,048,576; on a CPU 65,536; with --simt 4,096)"},
    {0, "loops", CLI_COUNT, AT(loops), "N",
     "scans within a dispatch, to 60,000 (default: as many as fit\n"
     "into --budget, to 1,000; with --simt 3)"},
    {0, "budget", CLI_SECONDS, AT(budget), "SECONDS",
     "that all dispatches together may take, about (default: 25)"},
    {0, "seed", CLI_SEED, AT(seed), "SEED",
     "of the input and of the order, 24301 or 0x5eed (default: a\n"
     "new one, which is printed)"},
    {0, "json", CLI_TEXT, AT(json), "FILE", "write all of it as JSON, every time included"},
    {0, "markdown", CLI_TEXT, AT(markdown), "FILE", "write the table as Markdown"},
    {0, "keep", CLI_TEXT, AT(keep), "FOLDER",
     "write to files what the driver makes of each row, as\n'litmus isa --keep' does"},
    {0, "timeout", CLI_SECONDS, AT(timeout), "SECONDS",
     "without progress for so long it is a hang (default: 60)"},
    {0, "time", CLI_SECONDS, AT(time), "SECONDS",
     "stop after so long, with exit code 5; 90s, 10m, 2h"},
    {0, "color", CLI_CHOICE, AT(color), "auto|always|never", "colours (default: auto)"},
    {0, "validation", CLI_FLAG, AT(validation), NULL,
     "under VK_LAYER_KHRONOS_validation: times mean nothing then"},
    {'q', "quiet", CLI_FLAG, AT(quiet), NULL, "no progress"},
    {'v', "verbose", CLI_MORE, AT(verbose), NULL, "what drivers print"},
};

const struct cli_syntax cli_bench_syntax = {
    .name = "bench",
    .usage = "[BENCHMARK [OPTION]...]",
    .about = "Times subgroup code on a device; without a BENCHMARK, lists what there is.\n\n"
             "scan: inclusive sums over subgroups and workgroups, by a group operation and by\n"
             "shuffles with and without barriers, against what the device can copy, add and\n"
             "shuffle. Every output is checked: a scan that is wrong is told as wrong.",
    .options = options,
    .count = sizeof options / sizeof options[0],
    .more =
        "docs/bench.md says what is timed and how it is counted.\n\n"
        "exit codes: 0 every output was right, 1 one was wrong, or a driver crashed or hung, 2\n"
        "usage or input, 3 a row could not be timed, 4 a device was lost, 5 the time was used\n"
        "up, 77 nothing could run\n\n"
        "examples:\n"
        "  litmus bench scan\n"
        "  litmus bench scan -d 1 --json scan.json --markdown scan.md\n",
    .operands = CLI_OPERANDS_WORDS,
    .words = "scan",
};

struct benching {
    struct options chosen;
    struct eng_watch watch;
    struct eng_inventory inventory;
    bool *devices;
    struct cli_bench_device *told;
    size_t told_count;
    struct text command, system;
    char started[32];
    bool utf8, drawn, out_of_time;
    double shown;
    struct cli_bench_device *current;
    struct isa_code code;   // of the row that comes next
    struct lit_error error; // a file of code that could not be written
};

static void clear_line(struct benching *b)
{
    if (b->drawn)
        fprintf(stderr, "\r\033[K");
    b->drawn = false;
}

static void say(const char *line, void *user)
{
    clear_line(user);
    fprintf(stderr, "%s\n", line);
}

// What a worker says

static void show_progress(struct benching *b, const struct bench_said *said)
{
    const double now = eng_now();
    const struct bench_result *result = &b->current->result;
    if (b->chosen.quiet || isatty(STDERR_FILENO) != 1 || now < b->shown + 0.1)
        return;
    b->shown = now;
    fprintf(stderr, "\r\033[K  round %" PRIu32 " of %" PRIu32 ", %" PRIu32 " scans a dispatch",
            said->round + 1, result->warm + result->repeats, result->shape.loops);
    b->drawn = true;
}

// A file that cannot be written ends nothing that is being timed.
static void keep_code(struct benching *b, const struct bench_said *said)
{
    struct text name = {0};
    if (b->chosen.keep && !b->error.code) {
        bench_row_name(&b->current->result.rows[said->row].row, &name);
        cli_isa_keep(b->chosen.keep, b->current->device->number, name.data, &b->code, &b->error);
        text_free(&name);
    }
    isa_code_clear(&b->code);
}

static bool take_row(const struct bench_said *said, enum eng_result outcome, const char *reason,
                     void *user)
{
    struct benching *b = user;
    const enum bench_state state = outcome == ENG_PASS            ? BENCH_READY
                                   : outcome == ENG_SKIP          ? BENCH_SKIPPED
                                   : outcome == ENG_HARNESS_ERROR ? BENCH_REFUSED
                                                                  : BENCH_UNTOLD;
    const bool sense = bench_result_row(&b->current->result, said, state, reason);
    if (sense)
        keep_code(b, said);
    return sense;
}

static bool take_code(const char *bytes, size_t size, void *user)
{
    struct benching *b = user;
    struct isa_code code;
    if (!isa_unpack(bytes, size, &code, NULL))
        return false;
    isa_code_clear(&b->code);
    b->code = code;
    return true;
}

static bool take_time(const struct bench_said *said, void *user)
{
    struct benching *b = user;
    show_progress(b, said);
    return bench_result_time(&b->current->result, said);
}

// Devices

static bool find_devices(struct benching *b, struct lit_error *error)
{
    if (!cli_simt_use(&b->chosen.simt, error))
        return false;
    if (!eng_inventory_take(&b->watch, &b->inventory))
        return lit_fail(error, LIT_EXIT_TIME, "the time was used up before the first dispatch");
    b->devices = lit_alloc(b->inventory.count + 1, sizeof *b->devices);
    b->told = lit_alloc(b->inventory.count + 1, sizeof *b->told);
    return eng_inventory_some(&b->inventory, error) &&
           eng_inventory_choose(&b->inventory, b->chosen.devices.items, b->chosen.devices.count,
                                b->devices, error);
}

static void print_header(const struct benching *b, const struct eng_device *device)
{
    struct text line = {0};
    cli_device_heading(device, b->inventory.count, b->utf8, &line);
    fputs(line.data, stdout);
    fflush(stdout);
    text_free(&line);
}

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

static void print_device(const struct benching *b, const struct cli_bench_device *told)
{
    struct text table = {0};
    cli_bench_table(told, cli_color((enum cli_color)b->chosen.color), &table);
    printf("%s\n", table.data ? table.data : "");
    fflush(stdout);
    text_free(&table);
}

static enum eng_end bench_device(struct benching *b, const struct eng_device *device)
{
    struct eng_outcome outcome = {0};
    struct cli_bench_device *told = &b->told[b->told_count++];
    const struct options *o = &b->chosen;
    enum eng_end end = ENG_END_RAN;
    const uint64_t elements = o->elements         ? o->elements
                              : o->simt.count     ? ELEMENTS_SIMT
                              : device->facts.cpu ? ELEMENTS_CPU
                                                  : ELEMENTS_GPU;
    const uint64_t loops = o->loops ? o->loops : o->simt.count ? LOOPS_SIMT : 0;
    told->device = device;
    told->end = ENG_SKIP;
    b->current = told;
    print_header(b, device);
    if (is_usable(device, told)) {
        const struct eng_request request = {.name = "scan",
                                            .validation = o->validation,
                                            .capture = o->keep != NULL,
                                            .elements = (uint32_t)elements,
                                            .loops = (uint32_t)loops,
                                            .budget_ms = (uint32_t)(o->budget * 1e3),
                                            .runs = o->repeat,
                                            .seed = o->seed.value};
        bench_result_begin(&told->result, &device->facts, (uint32_t)elements, (uint32_t)loops,
                           ENG_BENCH_WARM, (uint32_t)o->repeat);
        end = eng_bench_ask(&b->watch, device, &request,
                            &(struct eng_benching){
                                .row = take_row, .code = take_code, .time = take_time, .user = b},
                            &outcome);
        told->end = end == ENG_END_STOPS ? ENG_HARNESS_ERROR : outcome.result;
        snprintf(told->reason, sizeof told->reason, "%s", outcome.reason);
    }
    if (end == ENG_END_TIME || end == ENG_END_SIGNAL)
        snprintf(told->reason, sizeof told->reason, "%s",
                 end == ENG_END_TIME ? "the time was used up" : "interrupted");
    clear_line(b);
    print_device(b, told);
    return end;
}

// From the command line to the exit code

static bool check_usage(const struct benching *b, struct lit_error *error)
{
    const struct options *o = &b->chosen;
    if (o->elements && (o->elements < BENCH_ELEMENTS || o->elements > BENCH_MOST ||
                        (o->elements & (o->elements - 1))))
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--elements: a power of two from 4,096 to 16,777,216");
    if (o->loops > BENCH_MOST_LOOPS)
        return lit_fail(error, LIT_EXIT_USAGE, "--loops: at most 60,000");
    if (o->budget > 86400)
        return lit_fail(error, LIT_EXIT_USAGE, "--budget: at most 24h");
    if (o->repeat > BENCH_REPEATS)
        return lit_fail(error, LIT_EXIT_USAGE, "--repeat: at most 100,000");
    return (!o->json || cli_output_check(o->json, "", error)) &&
           (!o->markdown || cli_output_check(o->markdown, "", error));
}

static void settle(struct benching *b, int argc, char **argv)
{
    struct options *o = &b->chosen;
    struct utsname system;
    const time_t now = time(NULL);
    struct tm utc;
    if (!o->seed.given && getrandom(&o->seed.value, sizeof o->seed.value, 0) < 0)
        o->seed.value = (uint64_t)now;
    // Shorter to write down, and more than enough.
    if (!o->seed.given)
        o->seed.value &= 0xffffffff;
    if (!o->repeat)
        o->repeat = o->simt.count ? SIMT_REPEATS : REPEATS;
    b->watch.policy = (struct eng_policy){
        .idle = o->timeout, .term = ENG_TERM_SECONDS, .kill = ENG_KILL_SECONDS, .total = o->time};
    b->watch.verbose = o->verbose > 0;
    b->watch.user = b;
    strftime(b->started, sizeof b->started, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    if (uname(&system) == 0)
        text_printf(&b->system, "%s %s %s", system.sysname, system.release, system.machine);
    else
        text_puts(&b->system, "unknown");
    text_puts(&b->command, "litmus");
    for (int i = 0; i < argc; i++) {
        text_puts(&b->command, " ");
        cli_put_quoted(&b->command, argv[i]);
    }
}

static bool write_files(const struct benching *b, const struct cli_bench *bench,
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
        const bool written = cli_output_write(files[i].path, &text, error);
        text_free(&text);
        if (!written)
            return false;
    }
    return true;
}

static int finish(const struct benching *b, struct lit_error *error)
{
    const char *dot = b->utf8 ? " \u00b7 " : ", ";
    char because[256], took[32];
    struct cli_bench_sum sum = cli_bench_sum(b->told, b->told_count);
    sum.out_of_time = b->out_of_time;
    const enum lit_exit code = cli_bench_exit(&sum, because, sizeof because);
    const struct cli_bench bench = {.command = b->command.data,
                                    .started = b->started,
                                    .system = b->system.data,
                                    .seed = b->chosen.seed.value,
                                    .devices = b->told,
                                    .count = b->told_count,
                                    .exit = code,
                                    .because = because};
    printf("seed 0x%" PRIx64 "%s%s%s", b->chosen.seed.value, dot,
           eng_duration(took, eng_now() - b->watch.started), dot);
    if (eng_interrupt())
        printf("interrupted\n");
    else
        printf("exit %d: %s\n", (int)code, because);
    fflush(stdout);
    if (!write_files(b, &bench, error))
        return cli_fail(error);
    return b->error.code ? cli_fail(&b->error) : (int)code;
}

static int bench_scan(struct benching *b, int argc, char **argv, struct lit_error *error)
{
    enum eng_end end = ENG_END_RAN;
    if (!check_usage(b, error) || (b->chosen.keep && !cli_isa_keep_start(b->chosen.keep, error)))
        return cli_fail(error);
    settle(b, argc, argv);
    eng_interrupt_listen();
    if (!find_devices(b, error))
        return eng_interrupt() ? LIT_EXIT_TIME : cli_fail(error);
    for (size_t i = 0; i < b->inventory.count && end != ENG_END_TIME && end != ENG_END_SIGNAL; i++)
        if (b->devices[i])
            end = bench_device(b, &b->inventory.devices[i]);
    b->out_of_time = end == ENG_END_TIME;
    return finish(b, error);
}

// What there is

static const struct benchmark {
    const char *name, *about;
    int (*run)(struct benching *b, int argc, char **argv, struct lit_error *error);
} benchmarks[] = {
    {"scan", "inclusive sums over subgroups and workgroups, native and emulated", bench_scan},
};

#define BENCHMARKS (sizeof benchmarks / sizeof benchmarks[0])

static int list(void)
{
    struct text text = {0};
    for (size_t i = 0; i < BENCHMARKS; i++)
        text_printf(&text, "  %-12s %s\n", benchmarks[i].name, benchmarks[i].about);
    return cli_print(&text);
}

static const char *name_at(size_t index, void *user)
{
    (void)user;
    return index < BENCHMARKS ? benchmarks[index].name : NULL;
}

static int choose(struct benching *b, const struct cli_list *operands, int argc, char **argv,
                  struct lit_error *error)
{
    struct text hint = {0};
    if (operands->count > 1) {
        lit_fail(error, LIT_EXIT_USAGE, "one benchmark at a time");
        return cli_fail(error);
    }
    if (operands->count == 0 && argc == 1)
        return list();
    const char *asked = operands->count ? operands->items[0] : "";
    for (size_t i = 0; i < BENCHMARKS; i++)
        if (strcmp(benchmarks[i].name, asked) == 0)
            return benchmarks[i].run(b, argc, argv, error);
    if (!operands->count) {
        lit_fail(error, LIT_EXIT_USAGE, "which benchmark? 'litmus bench' lists them");
        return cli_fail(error);
    }
    cli_suggest(&hint, asked, name_at, NULL);
    lit_fail(error, LIT_EXIT_USAGE, "there is no benchmark '%.80s'%s", asked,
             hint.length ? hint.data : "; 'litmus bench' lists them");
    text_free(&hint);
    return cli_fail(error);
}

int cli_bench(int argc, char **argv)
{
    struct benching b = {
        .chosen = {.timeout = ENG_IDLE_SECONDS, .budget = 25},
        .watch = {.started = eng_now(), .say = say},
        .utf8 = cli_utf8(),
    };
    struct cli_list operands = {0};
    struct lit_error error = {0};
    int code = LIT_EXIT_OK;
    if (cli_start(&cli_bench_syntax, argc, argv, &b.chosen, &operands, NULL, &code))
        code = choose(&b, &operands, argc, argv, &error);
    for (size_t i = 0; i < b.told_count; i++)
        bench_result_clear(&b.told[i].result);
    eng_inventory_clear(&b.inventory);
    free(b.devices);
    free(b.told);
    text_free(&b.command);
    text_free(&b.system);
    isa_code_clear(&b.code);
    cli_list_clear(&operands);
    cli_list_clear(&b.chosen.devices);
    cli_list_clear(&b.chosen.simt);
    if (eng_interrupt())
        eng_interrupt_reraise(eng_interrupt());
    return code;
}
