// SPDX-License-Identifier: Apache-2.0
// litmus bench: times subgroup code on a device.
#include "benching/benching.h"
#include "cli/device.h"

#include <stddef.h>
#include <string.h>

#define AT(member) offsetof(struct benching_options, member)

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
     "throughput, single: the first configuration that matches, as\n"
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
    .about = "Times subgroup code on a device; without a BENCHMARK, lists the benchmarks.\n"
             "\n"
             "scan: inclusive sums over subgroups and workgroups, by a group operation and by\n"
             "shuffles with and without barriers, against what the device can copy, add and\n"
             "shuffle. Every output is checked, and wrong scans are reported.\n"
             "\n"
             "lookback: inclusive sums over the whole device in one dispatch, by decoupled\n"
             "look-back, against the best copy of the same run; every output is verified on\n"
             "the device.\n"
             "\n"
             "throughput: checked units of a test per second on a device, where the time goes,\n"
             "and the limit set by memory bandwidth.\n"
             "\n"
             "single: the same work, submitting and checking one run at a time, next to\n"
             "'litmus run'.",
    CLI_OPTIONS(options, struct benching_options, .timeout = ENG_IDLE_SECONDS),
    .more = "docs/bench.md says what is timed and how operations are counted.\n"
            "\n"
            "exit codes: 0 every output was correct, 1 an output was wrong, or a driver crashed or "
            "hung,\n"
            "2 usage or input, 3 a row could not be timed, 4 a device was lost, 5 the time budget\n"
            "was used up, 77 nothing could run\n"
            "\n"
            "examples:\n"
            "  litmus bench scan\n"
            "  litmus bench scan -d 1 --json scan.json --markdown scan.md\n"
            "  litmus bench lookback --tune\n"
            "  litmus bench lookback --cub cub.json --json lookback.json\n"
            "  litmus bench throughput --test loop.desync --scale 4096\n",
    .operands = CLI_OPERANDS_WORDS,
    .words = "lookback|scan|single|throughput",
};

// Options that not all benchmarks have.
static const struct {
    const char *name;
    int of;
} particular[] = {
    {"elements", BENCHING_SCAN | BENCHING_LOOKBACK},
    {"loops", BENCHING_SCAN},
    {"test", BENCHING_SINGLE | BENCHING_THROUGHPUT},
    {"scale", BENCHING_SINGLE | BENCHING_THROUGHPUT},
    {"variants", BENCHING_LOOKBACK},
    {"tune", BENCHING_LOOKBACK},
    {"tuned", BENCHING_LOOKBACK},
    {"cub", BENCHING_LOOKBACK},
    {"keep", BENCHING_SCAN | BENCHING_LOOKBACK},
};

static bool check_particular(const struct benching_kind *kind, uint64_t given,
                             struct lit_error *error)
{
    for (size_t i = 0; i < sizeof particular / sizeof *particular; i++) {
        struct text names = {0};
        if (!cli_is_given(&cli_bench_syntax, given, particular[i].name) ||
            particular[i].of & kind->bit)
            continue;
        for (size_t k = 0; k < BENCHING_KINDS; k++)
            if (particular[i].of & benching_kinds[k].bit)
                text_printf(&names, "%s'litmus bench %s'", names.length ? " and " : "",
                            benching_kinds[k].name);
        lit_fail(error, LIT_EXIT_USAGE, "--%s is for %s", particular[i].name, names.data);
        text_free(&names);
        return false;
    }
    return true;
}

static int list(void)
{
    struct text text = {0};
    for (size_t i = 0; i < BENCHING_KINDS; i++)
        text_printf(&text, "  %-12s %s\n", benching_kinds[i].name, benching_kinds[i].about);
    return term_print(&text);
}

static const char *name_at(size_t index, void *user)
{
    (void)user;
    return index < BENCHING_KINDS ? benching_kinds[index].name : NULL;
}

static int choose(struct benching *b, struct cli_call *call)
{
    const struct lit_list *operands = &call->operands;
    struct lit_error *error = &call->error;
    OWNED(text_free) struct text hint = {0};
    if (operands->count > 1) {
        lit_fail(error, LIT_EXIT_USAGE, "only one benchmark at a time");
        return CLI_FAILED;
    }
    if (operands->count == 0 && call->argc == 1)
        return list();
    const char *asked = operands->count ? operands->items[0] : "";
    for (size_t i = 0; i < BENCHING_KINDS; i++)
        if (strcmp(benching_kinds[i].name, asked) == 0)
            return check_particular(&benching_kinds[i], call->given, error)
                       ? benching_run(b, &benching_kinds[i], error)
                       : CLI_FAILED;
    if (!operands->count) {
        lit_fail(error, LIT_EXIT_USAGE, "missing BENCHMARK: 'litmus bench' lists them");
        return CLI_FAILED;
    }
    text_suggest(&hint, asked, name_at, NULL);
    lit_fail(error, LIT_EXIT_USAGE, "unknown benchmark '%.80s'%s", asked,
             hint.length ? hint.data : "; 'litmus bench' lists them");
    return CLI_FAILED;
}

int cli_bench(struct cli_call *call)
{
    struct benching b = {.chosen = *(const struct benching_options *)call->chosen,
                         .session = ses_make("bench", call->argc, call->argv)};
    const int code = choose(&b, call);
    benching_clear(&b);
    return ses_devices_end(&b.devices, code);
}
