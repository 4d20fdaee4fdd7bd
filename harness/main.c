// SPDX-License-Identifier: Apache-2.0
// litmus: hand-written SPIR-V subgroup tests against any Vulkan driver. The table of its
// subcommands.

#include "base/clock.h"
#include "base/program.h"
#include "cli/cli.h"
#include "engine/process.h"
#include "engine/protocol.h"
#include "report/format.h"
#include "session/session.h"

#include <jansson.h>
#include <errno.h>
#include <locale.h>

const struct cli_command cli_commands[] = {
    {"run", cli_run, &cli_run_syntax, "run tests on all devices, or on the given ones"},
    {"list", cli_list, &cli_list_syntax, "list the tests"},
    {"show", cli_show, &cli_show_syntax, "print a test: its question, expectations and source"},
    {"devices", cli_devices, &cli_devices_syntax, "list devices and drivers"},
    {"report", cli_report, &cli_report_syntax,
     "write a stored session as tables, JSON, JUnit XML, CSV, Markdown, HTML"},
    {"history", cli_history, &cli_history_syntax, "show results over drivers and dates"},
    {"site", cli_site, &cli_site_syntax,
     "write a site of stores and reports: tests, devices, findings, search"},
    {"plan", cli_plan, &cli_plan_syntax, "divide a run into parts of equal time, as caselists"},
    {"merge", cli_merge, &cli_merge_syntax, "merge stores, and the shards of a run"},
    {"store", cli_store, &cli_store_syntax, "check a store for damage, and salvage it"},
    {"repro", cli_repro, &cli_repro_syntax, "write a standalone reproducer for a bug report"},
    {"advise", cli_advise, &cli_advise_syntax,
     "say what shaders may rely on, and how to work around failures"},
    {"compare", cli_compare, &cli_compare_syntax, "compare two sessions"},
    {"gate", cli_compare, &cli_gate_syntax, "compare with a baseline; exit code for CI"},
    {"isa", cli_isa, &cli_isa_syntax, "print compiled code, its differences and lint findings"},
    {"kernel", cli_kernel, &cli_kernel_syntax, "run your own compute kernel as a test"},
    {"reduce", cli_reduce, &cli_reduce_syntax, "make a failing kernel as small as possible"},
    {"lint", cli_lint, &cli_lint_syntax, "check machine code for divergent cross-lane reads"},
    {"model", cli_model, &cli_model_syntax, "decide litmus tests by the Vulkan memory model"},
    {"progress", cli_progress, &cli_progress_syntax,
     "find the forward progress that lanes, subgroups and workgroups make"},
    {"explain", cli_explain, &cli_explain_syntax,
     "find an interleaving that fails on the SIMT simulator"},
    {"fuzz", cli_fuzz, &cli_fuzz_syntax, "run generated programs and shrink those that fail"},
    {"tune", cli_tune, &cli_tune_syntax, "search for the stress under which tests fail most often"},
    {"bench", cli_bench, &cli_bench_syntax, "time subgroup code: scans, look-back, throughput"},
    {"version", cli_version, &cli_version_syntax, "print the version"},
    {"help", cli_help, NULL, "print help on a command"},
    {"complete", cli_complete, NULL, NULL},
    {0},
};

static void *take(size_t size)
{
    return lit_alloc(size, 1);
}

static int run_command(int argc, char **argv)
{
    if (argc < 2) {
        cli_start("help", argc, argv);
        return LIT_EXIT_USAGE;
    }
    const char *first = argv[1];
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0)
        return cli_start("help", 1, argv);
    if (strcmp(first, "--version") == 0 || strcmp(first, "-V") == 0)
        return cli_start("version", 1, argv);
    // Options without a command are those of run: litmus --all.
    if (first[0] == '-')
        return cli_start("run", argc, argv);
    return cli_start(first, argc - 1, argv + 1);
}

// Only what decides whether characters are UTF-8: numbers keep their points. A locale that is not
// there leaves ASCII.
static void use_locale(void)
{
    errno = 0;
    if (!setlocale(LC_CTYPE, "") && errno == ENOMEM)
        lit_give_up("out of memory");
}

int main(int argc, char **argv)
{
    eng_process_begin(&argc, &argv);
    // Where jansson lacks memory, it leaves out a member.
    json_set_alloc_funcs(take, free);
    clock_open();
    // A worker prints nothing of its own (what a driver prints is no output of this program), and
    // has an exit code of its own for lack of memory: nothing may ask for any before.
    if (argc > 1 && strcmp(argv[1], "worker") == 0)
        return eng_worker_main(argc > 2 ? argv[2] : "");
    use_locale();
    report_known = &ses_known;
    lit_program_add_tools();
    // The launcher is what its user calls.
    const char *launcher = getenv("LITMUS_CALLED");
    format_called = lit_strdup(launcher ? launcher : argc > 0 ? argv[0] : "litmus");
    unsetenv("LITMUS_CALLED");
    return term_end(run_command(argc, argv));
}
