// SPDX-License-Identifier: Apache-2.0
// litmus bench: times subgroup code on a device.
#include "benching/benching.h"
#include "cli/device.h"

#define AT(member) offsetof(struct benching_options, member)

// Options that not all benchmarks have (CLI_NOT): which have them.
enum { SUMS = 2, SCAN = 4, RATES = 8, LOOKBACK = 16 };
static const char *const whys[] = {
    NULL, "is for 'litmus bench scan' and 'litmus bench lookback'", "is for 'litmus bench scan'",
    "is for 'litmus bench single' and 'litmus bench throughput'", "is for 'litmus bench lookback'"};

static const struct cli_option options[] = {
    CLI_OPTION_DEVICE,
    CLI_OPTION_SIMT("only on the SIMT simulator: " CLI_SIMT_MODELS),
    {'n', "repeat", CLI_COUNT, AT(repeat), "N",
     "timed dispatches of each row (default: 31; with --simt 3);\n"
     "throughput, single: rounds (default: 9; with --simt 2)"},
    {0, "elements", CLI_COUNT | CLI_NOT(SUMS), AT(elements), "N",
     "32-bit words to scan, a power of two from 4,096 to 16,777,216;\n"
     "lookback: to 4,294,967,296 (default: scan 1,048,576; on a CPU\n"
     "65,536; with --simt 4,096; lookback several sizes; with --simt\n"
     "8,192)"},
    {0, "loops", CLI_COUNT | CLI_NOT(SCAN), AT(loops), "N",
     "scan: scans within a dispatch, to 60,000 (default: as many as\n"
     "fit into --budget, to 1,000; with --simt 3)"},
    {0, "test", CLI_TESTS | CLI_NOT(RATES), AT(tests), "PATTERN",
     "throughput, single: the first configuration that matches, as\n"
     "for 'litmus run'; can be repeated"},
    {0, "scale", CLI_COUNT | CLI_NOT(RATES), AT(scale), "N",
     "throughput, single: workgroups (default: as many as fill the\n"
     "device; for single as many as 'litmus run' takes; with --simt 2)"},
    {0, "budget", CLI_SECONDS, AT(budget), "SECONDS",
     "scan: time limit in seconds for all dispatches (default:\n25); lookback --tune: for the "
     "search (default: 300);\n"
     "throughput: all rounds of a configuration (default: 3; single: 5;\n"
     "with --simt 0.5)"},
    {0, "variants", CLI_TEXT | CLI_NOT(LOOKBACK), AT(variants), "PATTERN",
     "lookback: time the scans whose names match, as 'all',\n'held=4/*order=id*', or other "
     "operations: '*operation=NAME*', where\nNAME is add64 (sums of 64 bits), segmented (bit 31 of "
     "a word\nbegins a segment), max, fadd or add/result=exclusive\n(default: one for each size)"},
    {0, "tune", CLI_FLAG | CLI_NOT(LOOKBACK), AT(tune), NULL,
     "lookback: find the fastest scan of the device for each size,\nand keep it in --tuned; those "
     "with order=id, of other operations\nor in place only if --variants names them"},
    {0, "tuned", CLI_TEXT | CLI_NOT(LOOKBACK), AT(tuned), "FILE",
     "lookback: file of the tuned scans\n(default: litmus-lookback.json)"},
    {0, "cub", CLI_TEXT | CLI_NOT(LOOKBACK), AT(cub), "FILE",
     "lookback: compare with what tools/bench-cub measured on\nthe same device"},
    CLI_OPTION_SEED("random seed, e.g. 24301 or 0x5eed (default: a new one,\nwhich is printed)"),
    {0, "json", CLI_TEXT, AT(json), "FILE", "write everything as JSON, including every time"},
    {0, "markdown", CLI_TEXT, AT(markdown), "FILE", "write the table as Markdown"},
    {0, "keep", CLI_TEXT | CLI_NOT(SUMS), AT(keep), "FOLDER",
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
            "hung,\n2 usage or input, 3 a row could not be timed, 4 a device was lost, 5 the time "
            "budget\n"
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
    for (size_t i = 0; call->argc == 1 && i < BENCHING_KINDS; i++)
        text_printf(&call->out, "  %-12s %s\n", benching_kinds[i].name, benching_kinds[i].about);
    if (call->argc == 1)
        return LIT_EXIT_OK;
    const char *asked = operands->count ? operands->items[0] : "";
    const struct benching_kind *kind = benching_kinds;
    while (kind < benching_kinds + BENCHING_KINDS && strcmp(kind->name, asked) != 0)
        kind++;
    if (operands->count > 1) {
        lit_fail(error, LIT_EXIT_USAGE, "only one benchmark at a time");
    } else if (!operands->count) {
        lit_fail(error, LIT_EXIT_USAGE, "missing BENCHMARK: 'litmus bench' lists them");
    } else if (kind == benching_kinds + BENCHING_KINDS) {
        text_suggest(&hint, asked, name_at, NULL);
        lit_fail(error, LIT_EXIT_USAGE, "unknown benchmark '%.80s'%s", asked,
                 hint.length ? hint.data : "; 'litmus bench' lists them");
    } else if (cli_calls_check(&cli_bench_syntax, call->given,
                               kind->bit == BENCHING_SCAN       ? RATES | LOOKBACK
                               : kind->bit == BENCHING_LOOKBACK ? SCAN | RATES
                                                                : SUMS | SCAN | LOOKBACK,
                               whys, error)) {
        return benching_run(b, kind, error);
    }
    return CLI_FAILED;
}

int cli_bench(struct cli_call *call)
{
    OWNED(benching_clear)
    struct benching b = {.chosen = *(const struct benching_options *)call->chosen,
                         .session = ses_make("bench", call->argc, call->argv)};
    const int code = choose(&b, call);
    return ses_devices_end(&b.devices, code);
}
