// SPDX-License-Identifier: Apache-2.0
// litmus bench: how long subgroup code takes on a device. A table of benchmarks, of which one runs.
#include "cli/bench.h"

#include "base/clock.h"
#include "cli/cli.h"
#include "cli/describe.h"
#include "cli/isa_keep.h"
#include "cli/simt.h"
#include "engine/drivers.h"
#include "engine/watch.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define AT(member) offsetof(struct cli_bench_options, member)

static const struct cli_option options[] = {
    {'d', "device", CLI_LIST, AT(devices), "DEVICE",
     "only this device, as 'litmus run' names them; can be repeated"},
    {0, "simt", CLI_LIST, AT(simt), CLI_SIMT_ARGUMENT,
     "on the reference driver alone: " CLI_SIMT_MODELS},
    {'n', "repeat", CLI_COUNT, AT(repeat), "N",
     "timed dispatches of each row (default: 31; with --simt 3);\n"
     "throughput, single: rounds (default: 9; with --simt 2)"},
    {0, "elements", CLI_COUNT, AT(elements), "N",
     "words that are scanned, a power of two from 4,096 to 16,777,216;\n"
     "lookback: to 1,073,741,824 (default: scan 1,048,576; on a CPU\n"
     "65,536; with --simt 4,096; lookback several sizes; with --simt\n"
     "8,192)"},
    {0, "loops", CLI_COUNT, AT(loops), "N",
     "scan: scans within a dispatch, to 60,000 (default: as many as\n"
     "fit into --budget, to 1,000; with --simt 3)"},
    {0, "test", CLI_LIST, AT(tests), "PATTERN",
     "throughput, single: the first configuration that this names, as\n"
     "for 'litmus run'; can be repeated"},
    {0, "scale", CLI_COUNT, AT(scale), "N",
     "throughput, single: workgroups (default: as many as fill the\n"
     "device; for single as many as 'litmus run' takes; with --simt 2)"},
    {0, "budget", CLI_SECONDS, AT(budget), "SECONDS",
     "scan: that all dispatches together may take, about (default:\n"
     "25); lookback --tune: that the search may take (default: 300);\n"
     "throughput: all rounds of a configuration (default: 3; single: 5;\n"
     "with --simt 0.5)"},
    {0, "variants", CLI_TEXT, AT(variants), "PATTERN",
     "lookback: time the scans whose names match, as 'all' or\n'held=4/*order=id*' (default: "
     "one for each size)"},
    {0, "tune", CLI_FLAG, AT(tune), NULL,
     "lookback: find the fastest scan of the device for each size,\nand keep it in --tuned; "
     "those with order=id only if --variants\nnames them"},
    {0, "tuned", CLI_TEXT, AT(tuned), "FILE",
     "lookback: where what was found is kept, and taken from\n(default: litmus-lookback.json)"},
    {0, "cub", CLI_TEXT, AT(cub), "FILE",
     "lookback: what tools/bench-cub measured on the same device,\nto be held against"},
    {0, "seed", CLI_SEED, AT(seed), "SEED",
     "of the input and of the order, 24301 or 0x5eed (default: a\n"
     "new one, which is printed)"},
    {0, "json", CLI_TEXT, AT(json), "FILE", "write all of it as JSON, every time included"},
    {0, "markdown", CLI_TEXT, AT(markdown), "FILE", "write the table as Markdown"},
    {0, "keep", CLI_TEXT, AT(keep), "FOLDER",
     "scan, lookback: write to files what the driver makes of each\nrow, as 'litmus isa --keep' "
     "does"},
    {0, "timeout", CLI_SECONDS, AT(timeout), "SECONDS",
     "without progress for so long it is a hang (default: 60)"},
    {0, "time", CLI_SECONDS, AT(time), "SECONDS",
     "stop after so long, with exit code 5; 90s, 10m, 2h"},
    {0, "color", CLI_CHOICE, AT(color), "auto|always|never", "colours (default: auto)"},
    {0, "validation", CLI_FLAG, AT(validation), NULL,
     "under VK_LAYER_KHRONOS_validation: times mean nothing then"},
    {'q', "quiet", CLI_FLAG, AT(quiet), NULL, "no progress"},
    {'v', "verbose", CLI_MORE, AT(verbose), NULL,
     "lookback: every row in the table; what drivers print"},
};

const struct cli_syntax cli_bench_syntax = {
    .name = "bench",
    .usage = "[BENCHMARK [OPTION]...]",
    .about = "Times subgroup code on a device; without a BENCHMARK, lists what there is.\n\n"
             "scan: inclusive sums over subgroups and workgroups, by a group operation and by\n"
             "shuffles with and without barriers, against what the device can copy, add and\n"
             "shuffle. Every output is checked: a scan that is wrong is told as wrong.\n\n"
             "lookback: inclusive sums over the whole device in one dispatch, by decoupled\n"
             "look-back, against the best copy of the same run; every output is verified on\n"
             "the device.\n\n"
             "throughput: how many checked instances of a test a device gives in a second,\n"
             "where the time goes, and what its memory would allow.\n\n"
             "single: the same work as a harness does it that submits and checks one run at a\n"
             "time, side by side with 'litmus run'.",
    .options = options,
    .count = sizeof options / sizeof options[0],
    .more =
        "docs/bench.md says what is timed and how it is counted.\n\n"
        "exit codes: 0 every output was right, 1 one was wrong, or a driver crashed or hung, 2\n"
        "usage or input, 3 a row could not be timed, 4 a device was lost, 5 the time was used\n"
        "up, 77 nothing could run\n\n"
        "examples:\n"
        "  litmus bench scan\n"
        "  litmus bench scan -d 1 --json scan.json --markdown scan.md\n"
        "  litmus bench lookback --tune\n"
        "  litmus bench lookback --cub cub.json --json lookback.json\n"
        "  litmus bench throughput --test loop.desync --scale 4096\n",
    .operands = CLI_OPERANDS_WORDS,
    .words = "lookback|scan|single|throughput",
};

// What they share

void cli_benching_clear_line(struct cli_benching *b)
{
    if (b->drawn)
        fprintf(stderr, "\r\033[K");
    b->drawn = false;
}

static void say(const char *line, void *user)
{
    cli_benching_clear_line(user);
    fprintf(stderr, "%s\n", line);
}

enum bench_state cli_benching_state(enum eng_result outcome)
{
    return outcome == ENG_PASS            ? BENCH_READY
           : outcome == ENG_SKIP          ? BENCH_SKIPPED
           : outcome == ENG_HARNESS_ERROR ? BENCH_REFUSED
                                          : BENCH_UNTOLD;
}

bool cli_benching_code(const char *bytes, size_t size, void *user)
{
    struct cli_benching *b = user;
    struct isa_code code;
    if (!isa_unpack(bytes, size, &code, NULL))
        return false;
    isa_code_clear(&b->code);
    b->code = code;
    return true;
}

void cli_benching_keep(struct cli_benching *b, unsigned device, const char *row)
{
    if (b->chosen.keep && !b->unkept.code)
        cli_isa_keep(b->chosen.keep, device, row, &b->code, &b->unkept);
    isa_code_clear(&b->code);
}

bool cli_benching_progress(struct cli_benching *b)
{
    const double now = clock_now();
    if (b->chosen.quiet || isatty(STDERR_FILENO) != 1 || now < b->shown + 0.1)
        return false;
    b->shown = now;
    b->drawn = true;
    return true;
}

static bool find_devices(struct cli_benching *b, struct lit_error *error)
{
    if (!cli_simt_use(&b->chosen.simt, error))
        return false;
    if (!eng_inventory_take(&b->watch, &b->inventory))
        return lit_fail(error, LIT_EXIT_TIME, "the time was used up before the first dispatch");
    b->devices = lit_alloc(b->inventory.count + 1, sizeof *b->devices);
    return eng_inventory_some(&b->inventory, error) &&
           eng_inventory_choose(&b->inventory, b->chosen.devices.items, b->chosen.devices.count,
                                b->devices, error);
}

void cli_benching_header(const struct cli_benching *b, const struct eng_device *device)
{
    struct text line = {0};
    cli_device_heading(device, b->inventory.count, b->utf8, &line);
    cli_print(&line);
}

static void settle(struct cli_benching *b, int argc, char **argv, uint64_t repeat)
{
    struct cli_bench_options *o = &b->chosen;
    struct utsname system;
    const time_t now = time(NULL);
    struct tm utc;
    if (!o->seed.given && getrandom(&o->seed.value, sizeof o->seed.value, 0) < 0)
        o->seed.value = (uint64_t)now;
    // Shorter to write down, and more than enough.
    if (!o->seed.given)
        o->seed.value &= 0xffffffff;
    if (!o->repeat)
        o->repeat = repeat;
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

bool cli_benching_begin(struct cli_benching *b, int argc, char **argv, uint64_t repeat,
                        struct lit_error *error)
{
    settle(b, argc, argv, repeat);
    eng_interrupt_listen();
    return find_devices(b, error);
}

// What there is

static const struct benchmark {
    const char *name, *about;
    int (*run)(struct cli_benching *b, int argc, char **argv);
} benchmarks[] = {
    {"scan", "inclusive sums over subgroups and workgroups, native and emulated", cli_bench_scan},
    {"lookback", "inclusive sums over the whole device by look-back, against copies",
     cli_bench_lookback},
    {"single", "checked runs, one submission each, against those of 'litmus run'",
     cli_bench_single},
    {"throughput", "checked instances a second, and what memory allows", cli_bench_throughput},
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

static int choose(struct cli_benching *b, const struct cli_list *operands, int argc, char **argv,
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
            return benchmarks[i].run(b, argc, argv);
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
    struct cli_benching b = {
        .chosen = {.timeout = ENG_IDLE_SECONDS},
        .watch = {.started = clock_now(), .say = say},
        .utf8 = cli_utf8(),
    };
    struct cli_list operands = {0};
    struct lit_error error = {0};
    int code = LIT_EXIT_OK;
    if (cli_start(&cli_bench_syntax, argc, argv, &b.chosen, &operands, NULL, &code))
        code = choose(&b, &operands, argc, argv, &error);
    eng_inventory_clear(&b.inventory);
    free(b.devices);
    isa_code_clear(&b.code);
    text_free(&b.command);
    text_free(&b.system);
    cli_list_clear(&operands);
    cli_list_clear(&b.chosen.devices);
    cli_list_clear(&b.chosen.simt);
    cli_list_clear(&b.chosen.tests);
    if (eng_interrupt())
        eng_interrupt_reraise(eng_interrupt());
    return code;
}
