// SPDX-License-Identifier: Apache-2.0
// litmus run: measures the selected configurations on the chosen devices.
#include "cli/device.h"
#include "run/run.h"

#define AT(member) offsetof(struct ses_options, member)

static const struct cli_option options[] = {
    {'a', "all", CLI_FLAG | CLI_NOT(CLI_RESUMED), AT(all), NULL,
     "every test (of the default run, see --thorough)"},
    {'d', "device", CLI_LIST | CLI_NOT(CLI_RESUMED), AT(devices), "DEVICE",
     "only this device: its number or UUID as 'litmus devices'\nprints them, or its name with * "
     "and ?; can be repeated"},
    {'n', "runs", CLI_COUNT | CLI_NOT(CLI_RESUMED), AT(runs), "N",
     "runs of each configuration (default: 1,000, twice as many or\nhalf as many by what was ever "
     "seen to fail there, half of\nthat on a CPU, all the same with --thorough; 20 with --simt)"},
    {0, "until-width", CLI_RATE | CLI_NOT(CLI_RESUMED), AT(until_width), "WIDTH",
     "run each configuration until the 95 % interval of its rate\nis no wider than this; -n is "
     "then the minimum"},
    {0, "until-decided", CLI_RATE | CLI_NOT(CLI_RESUMED), AT(until_decided), "RATE",
     "run until each rate is shown to be above or below this"},
    {0, "max-runs", CLI_COUNT | CLI_NOT(CLI_RESUMED), AT(max_runs), "N",
     "limit for --until-..., then undecided: exit code 3\n(default: 1,000 times -n)"},
    CLI_OPTION_SIMT("only on the SIMT simulator, with this execution model:\n" CLI_SIMT_MODELS),
    CLI_OPTION_EMULATE,
    {0, "thorough", CLI_FLAG | CLI_NOT(CLI_RESUMED), AT(thorough), NULL,
     "all values of all parameters, and all supported subgroup\nsizes"},
    CLI_OPTION_SEED(
        "random seed, e.g. 24301 or 0x5eed (default: a new one,\nwhich is printed and stored)"),
    {0, "stress", CLI_LIST | CLI_NOT(CLI_RESUMED), AT(stress), CLI_STRESS_ARGUMENT,
     "background load on the device (default: none). random: a\nstress configuration for each "
     "configuration, from the seed;\ntuned: the one that 'litmus tune' found; or parameters,\ne.g. "
     "workgroups=64,kind=memory (docs/stress.md)"},
    {0, "shuffle", CLI_FLAG | CLI_NOT(CLI_RESUMED), AT(shuffle), NULL,
     "in random order, from the seed"},
    {0, "shard", CLI_TEXT | CLI_NOT(CLI_RESUMED), AT(shard_tests), "I/N",
     "only part I (from 0) of N: of the tests; none: all, whatever\nGTEST_SHARD_INDEX, "
     "CI_NODE_INDEX and the like say"},
    {0, "shard-runs", CLI_TEXT | CLI_NOT(CLI_RESUMED), AT(shard_runs), "I/N",
     "only part I (from 0) of N: of the runs of each test"},
    CLI_OPTION_TIMEOUT("seconds without progress that count as a hang (default: 60)"),
    CLI_OPTION_TIME,
    {0, "serial", CLI_FLAG, AT(serial), NULL,
     "run devices one after another (default: in parallel)"},
    {0, "ahead", CLI_TEXT, AT(ahead_text), "N",
     "pipelines to precompile in parallel, 0 to 14 (default: one\nper core but one, shared among "
     "the devices; none on\nsoftware devices)"},
    {0, "resume", CLI_FLAG, AT(resume), NULL,
     "resume the newest unfinished session, with its options"},
    CLI_OPTION_DB,
    {0, "baseline", CLI_LIST, AT(baselines), "FILE[#N|#all]",
     "compare with a baseline (a store or a JSON report) and exit\nas 'litmus gate' does"},
    {0, "waivers", CLI_LIST, AT(waivers), "FILE",
     "with --baseline: allowed failures, see 'litmus help gate'"},
    {0, "validation", CLI_FLAG | CLI_NOT(CLI_RESUMED), AT(validation), NULL,
     "with the Khronos validation layer, if it is installed"},
    {0, "isa", CLI_CHOICE, AT(isa), SES_CODE_ARGUMENT,
     "configurations whose compiled code is stored, see 'litmus\nhelp isa' (default: those that "
     "failed and their nearest\nvariants)"},
    {0, "caselist", CLI_LIST | CLI_NOT(CLI_RESUMED), AT(caselists), "FILE",
     "only the configurations that the lines of a file name, with or\nwithout their subgroup size, "
     "or tests; -: stdin"},
    {0, "skips", CLI_LIST | CLI_NOT(CLI_RESUMED), AT(skips), "FILE",
     "not those that a line of a file matches: regular expressions,\nas deqp-runner takes them"},
    {0, "dry-run", CLI_FLAG | CLI_NOT(CLI_RESUMED), AT(dry_run), NULL,
     "only print the configurations"},
    {'q', "quiet", CLI_FLAG, AT(quiet), NULL,
     "no progress, no tables: only failures and the last line"},
    {'v', "verbose", CLI_MORE, AT(verbose), NULL,
     "print every configuration, the drivers' own output, and the share\n"
     "of the time in which a device executed tests"},
    CLI_OPTION_COLOR,
    CLI_OUTPUT_OPTIONS};

const struct cli_syntax cli_run_syntax = {
    .name = "run",
    .usage = "[OPTION]... --all | PATTERN...",
    .about =
        "Runs tests on all devices, or on those given by -d, and prints the results.\n"
        "A pattern is a test, a family or a configuration, with * ? [...]; the last pattern that\n"
        "matches wins, and ! before it excludes. A configuration may be given by the 8 digits of "
        "its\nid, and its name may omit the usual values. A FILE.litmus, a .test of Khronos's "
        "Alloy model\n(docs/memory-model.md) and a program that 'litmus fuzz' stored are also "
        "tests.",
    CLI_OPTIONS(options, struct ses_options, .timeout = ENG_IDLE_SECONDS, .db = "litmus.db"),
    .more = "examples:\n"
            "  litmus run --all\n"
            "  litmus run 'shuffle.*' '!*@*workgroup=1024*' -d 1\n"
            "  litmus run 'shuffle.scan-loop/sync=none*' -n 100000 --seed 0x5eed\n"
            "  litmus run 'lookback.*' --until-decided 0.001 --max-runs 100,000\n"
            "  litmus run --all --simt snooping,subgroup=32\n"
            "  litmus run 'memory.*' --stress random\n"
            "  litmus run corpus/*.litmus -n 10000\n",
    .operands = CLI_OPERANDS_TESTS,
};

int cli_run(struct cli_call *call)
{
    static const char *const why[] = {CLI_WHY_RESUMED};
    struct ses_options *chosen = call->chosen;
    chosen->patterns = call->operands;
    if (chosen->resume &&
        !cli_calls_check(&cli_run_syntax, call->given, CLI_RESUMED, why, &call->error))
        return CLI_FAILED;
    return run_tests(chosen, call->argc, call->argv, &call->error);
}
