// SPDX-License-Identifier: Apache-2.0
// litmus compare and litmus gate: compare two sessions; a gate's exit code says whether the second
// may pass.
#include "cli/device.h"
#include "compare/compare.h"
#include "session/output.h"

#define FORM_NAME(name, about) "|" #name
#define FORM_ROW(name, about)                                                                      \
    CLI_ROW(0, #name, CLI_TEXT, files[COMPARE_AS_##name], "FILE", "also write to a file: " about),

#define AT(member) offsetof(struct compare_asked, member)

#define COMMON_OPTIONS                                                                             \
    CLI_ROW('d', "device", CLI_LIST, devices, "DEVICE",                                            \
            "only this device: number, UUID, vendor:product (hex) or\nname with * and ?; given "   \
            "twice, the first is A's and\nthe second B's"),                                        \
        CLI_ROW(0, "only", CLI_TESTS, only, "PATTERN",                                             \
                "only these configurations, as 'litmus run' takes them; can\nbe repeated, ! "      \
                "excludes"),                                                                       \
        CLI_ROW(0, "alpha", CLI_RATE, alpha, "P",                                                  \
                "probability of any false regression (default: 0.05)"),                            \
        CLI_ROW(0, "tolerance", CLI_RATE, tolerance, "RATE",                                       \
                "smallest rise of the rate that matters (default: 0.01):\n'unchanged' excludes a " \
                "rise of this much, or by half"),                                                  \
        CLI_ROW(0, "ignore-hash", CLI_FLAG, ignore_hash, NULL,                                     \
                "compare configurations whose SPIR-V module has changed"),                         \
        CLI_ROW(0, "allow-skips", CLI_FLAG, allow_skips, NULL,                                     \
                "not a regression: tests that A ran and B skipped"),                               \
        CLI_ROW(                                                                                   \
            0, "statistical-only", CLI_FLAG, statistical_only, NULL,                               \
            "leave a forbidden outcome that is observed for the first\ntime to the statistical "   \
            "test"),                                                                               \
        CLI_ROW(0, "first-seen", CLI_FLAG, first_seen, NULL,                                       \
                "count it as a regression (default: as undecided)"),                               \
        CLI_ROW(0, "expectations", CLI_TEXT, expectations, "LIST",                                 \
                "classes that can fail the gate\n(default: forbidden,contested,assumed)"),         \
        CLI_ROW(0, "unfinished", CLI_FLAG, unfinished, NULL, "accept unfinished sessions"),        \
        CLI_ROW(0, "waivers", CLI_LIST, waivers, "FILE",                                           \
                "allowed failures, one per line: PATTERN URL, then any of\nfrom=DATE until=DATE "  \
                "vendor=0xID device=0xID\ndriver=NAME version=A..B; # begins a comment"),          \
        CLI_ROW(0, "deqp-fails", CLI_LIST, deqp_fails, "FILE",                                     \
                "a list of deqp-runner: TEST,STATUS lines"),                                       \
        CLI_ROW(0, "deqp-skips", CLI_LIST, deqp_skips, "FILE",                                     \
                "likewise: regular expressions of allowed skips"),                                 \
        CLI_ROW(0, "deqp-flakes", CLI_LIST, deqp_flakes, "FILE",                                   \
                "likewise: of failures allowed at any rate"),                                      \
        CLI_ROW(                                                                                   \
            0, "write-waivers", CLI_FLAG, write_waivers, NULL,                                     \
            "print waivers for regressions and undecided results\ninstead of a report; fill in "   \
            "the URLs"),                                                                           \
        CLI_ROW('f', "format", CLI_CHOICE, format, "text" COMPARE_FORMS(FORM_NAME),                \
                "output format (default: text)"),                                                  \
        COMPARE_FORMS(FORM_ROW) CLI_ROW('q', "quiet", CLI_FLAG, quiet, NULL,                       \
                                        "print only the summary and regressions"),                 \
        CLI_ROW('v', "verbose", CLI_MORE, verbose, NULL, "every configuration"), CLI_OPTION_COLOR

static const struct cli_option compare_options[] = {
    CLI_ROW(0, "axis", CLI_TEXT, axis, "AXIS=A,B",
            "compare configurations that differ in this axis or\nparameter only: "
            "sync=none,control-each"),
    CLI_ROW(0, "across", CLI_CHOICE, across, "devices",
            "compare each device with all others of its kind (name,\nproduct, driver) in the "
            "sources, however many: is one bad?"),
    COMMON_OPTIONS,
};

static const struct cli_option gate_options[] = {
    CLI_ROW('b', "baseline", CLI_LIST, baselines, "FILE[#N|#all]",
            "baseline session; several are combined"),
    CLI_ROW(0, "strict", CLI_FLAG, strict, NULL, "exit with 3 if any configuration is undecided"),
    CLI_ROW(0, "allow-gone", CLI_FLAG, allow_gone, NULL,
            "ignore baseline configurations and devices that the other\nside did not run"),
    COMMON_OPTIONS,
};

#define SIDES                                                                                      \
    "A side is a store (its newest session), FILE#N (session N), FILE#all (all its sessions\n"     \
    "put together), or a JSON report; - is a report on stdin.\n"

const struct cli_syntax cli_compare_syntax = {
    .name = "compare",
    .usage = "[OPTION]... A [B] | --across devices SOURCE...",
    .about = "Reports for each configuration whether B is worse than A, better, unchanged, or "
             "undecided for\nlack of runs. The exit code is 0 whatever it finds; use 'litmus gate' "
             "to fail on regressions.",
    CLI_OPTIONS(compare_options, struct compare_asked, .across = -1),
    .more = SIDES
    "Without B both sides are A: give two devices (-d 1 -d 2) or an --axis.\n"
    "Any number of sources may follow --across devices: each of their devices is compared with "
    "all\nothers of its kind, by the same tests over all configurations and devices.\n"
    "examples:\n"
    "  litmus compare before.db after.db\n"
    "  litmus compare --across devices node-*.db\n"
    "  litmus compare litmus.db#3 litmus.db#4 --format markdown\n"
    "  litmus compare litmus.db --axis sync=none,control-each\n",
    .operands = CLI_OPERANDS_FILES,
};

const struct cli_syntax cli_gate_syntax = {
    .name = "gate",
    .usage = "--baseline FILE [OPTION]... [B]",
    .about = "Compares B (default: the newest session of litmus.db) with a baseline. Exit codes: 0 "
             "no regression,\n1 regression, 3 undecided, 2 cannot be compared.",
    CLI_OPTIONS(gate_options, struct compare_asked, .gate = true, .across = -1),
    .more =
        SIDES "exit code 3: a forbidden outcome was observed for the first time; a configuration "
              "that is not in the\nbaseline is wrong; a configuration or device of the baseline "
              "was not run (see --allow-gone); more than\none in ten configurations are undecided; "
              "a driver no longer closes a device; or nothing was\n"
              "compared.\nexamples:\n"
              "  litmus gate --baseline baseline.json\n"
              "  litmus gate --baseline before.db#all after.db --waivers waivers.txt\n",
    .operands = CLI_OPERANDS_FILES,
};

int cli_compare(struct cli_call *call)
{
    const struct compare_asked *asked = call->chosen;
    struct lit_error *error = &call->error;
    OWNED(compare_answer_clear) struct compare_answer answer = {0};
    struct ses_file files[COMPARE_FORM_COUNT];
    for (size_t i = 0; i < COMPARE_FORM_COUNT; i++)
        files[i] = (struct ses_file){compare_forms[i].name, asked->files[i]};
    const bool good = compare_check(asked, &call->operands, error) &&
                      ses_files_check(files, COMPARE_FORM_COUNT, "", error) &&
                      compare_ask(asked, &call->operands, &answer, error);
    int code = !good ? CLI_FAILED : asked->gate ? (int)answer.comparison.summary.code : LIT_EXIT_OK;
    // Print the verdict even if a file cannot be written.
    if (good && !compare_put(asked, &answer.comparison, &call->out, error)) {
        const int wrong = term_fail(error);
        code = code == LIT_EXIT_OK ? wrong : code;
    }
    return code;
}
