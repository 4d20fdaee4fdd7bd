// SPDX-License-Identifier: Apache-2.0
// litmus compare and litmus gate: compare two sessions; a gate's exit code says whether the second
// may pass.

#include "base/file.h"
#include "cli/device.h"
#include "compare/asked.h"
#include "session/output.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// X(name, purpose)
#define FORMS(X)                                                                                   \
    X(json, "JSON for scripts")                                                                    \
    X(markdown, "Markdown for a merge request")                                                    \
    X(github, "workflow commands, for a log of GitHub Actions")                                    \
    X(junit, "JUnit XML; waived failures are skipped")                                             \
    X(html, "one page for a browser")
#define FORM_AS(name, about)    FORM_##name,
#define FORM_NAME(name, about)  "|" #name
#define FORM_WRITE(name, about) [FORM_##name] = {#name, compare_##name},
#define FORM_ROW(name, about)                                                                      \
    CLI_ROW(0, #name, CLI_TEXT, files[FORM_##name], "FILE", "also write to a file: " about),
enum { FORM_text, FORMS(FORM_AS) FORM_COUNT };

static const struct {
    const char *name;
    compare_function *write;
} forms[FORM_COUNT] = {[FORM_text] = {"text", NULL}, FORMS(FORM_WRITE)};

struct options {
    struct compare_asked asked;
    bool write_waivers, quiet;
    int format, verbose, color, across;
    const char *files[FORM_COUNT]; // or NULL
};

#define AT(member) offsetof(struct options, member)

#define COMMON_OPTIONS                                                                             \
    CLI_ROW('d', "device", CLI_LIST, asked.devices, "DEVICE",                                      \
            "only this device: number, UUID, vendor:product (hex) or\nname with * and ?; given "   \
            "twice, the first is A's and\nthe second B's"),                                        \
        CLI_ROW(0, "only", CLI_TESTS, asked.only, "PATTERN",                                       \
                "only these configurations, as 'litmus run' takes them; can\nbe repeated, ! "      \
                "excludes"),                                                                       \
        CLI_ROW(0, "alpha", CLI_TEXT, asked.alpha, "P",                                            \
                "probability of any false regression (default: 0.05)"),                            \
        CLI_ROW(0, "tolerance", CLI_TEXT, asked.tolerance, "RATE",                                 \
                "smallest rise of the rate that matters (default: 0.01):\n'unchanged' excludes a " \
                "rise of this much, or by half"),                                                  \
        CLI_ROW(0, "ignore-hash", CLI_FLAG, asked.ignore_hash, NULL,                               \
                "compare configurations whose SPIR-V module has changed"),                         \
        CLI_ROW(0, "allow-skips", CLI_FLAG, asked.allow_skips, NULL,                               \
                "not a regression: tests that A ran and B skipped"),                               \
        CLI_ROW(                                                                                   \
            0, "statistical-only", CLI_FLAG, asked.statistical_only, NULL,                         \
            "leave a forbidden outcome that is observed for the first\ntime to the statistical "   \
            "test"),                                                                               \
        CLI_ROW(0, "first-seen", CLI_FLAG, asked.first_seen, NULL,                                 \
                "count it as a regression (default: as undecided)"),                               \
        CLI_ROW(0, "expectations", CLI_TEXT, asked.expectations, "LIST",                           \
                "classes that can fail the gate\n(default: forbidden,contested,assumed)"),         \
        CLI_ROW(0, "unfinished", CLI_FLAG, asked.unfinished, NULL, "accept unfinished sessions"),  \
        CLI_ROW(0, "waivers", CLI_LIST, asked.waivers, "FILE",                                     \
                "allowed failures, one per line: PATTERN URL, then any of\nfrom=DATE until=DATE "  \
                "vendor=0xID device=0xID\ndriver=NAME version=A..B; # begins a comment"),          \
        CLI_ROW(0, "deqp-fails", CLI_LIST, asked.deqp_fails, "FILE",                               \
                "a list of deqp-runner: TEST,STATUS lines"),                                       \
        CLI_ROW(0, "deqp-skips", CLI_LIST, asked.deqp_skips, "FILE",                               \
                "likewise: regular expressions of allowed skips"),                                 \
        CLI_ROW(0, "deqp-flakes", CLI_LIST, asked.deqp_flakes, "FILE",                             \
                "likewise: of failures allowed at any rate"),                                      \
        CLI_ROW(                                                                                   \
            0, "write-waivers", CLI_FLAG, write_waivers, NULL,                                     \
            "print waivers for regressions and undecided results\ninstead of a report; fill in "   \
            "the URLs"),                                                                           \
        CLI_ROW('f', "format", CLI_CHOICE, format, "text" FORMS(FORM_NAME),                        \
                "output format (default: text)"),                                                  \
        FORMS(FORM_ROW) CLI_ROW('q', "quiet", CLI_FLAG, quiet, NULL,                               \
                                "print only the summary and regressions"),                         \
        CLI_ROW('v', "verbose", CLI_MORE, verbose, NULL, "every configuration"), CLI_OPTION_COLOR

static const struct cli_option compare_options[] = {
    CLI_ROW(0, "axis", CLI_TEXT, asked.axis, "AXIS=A,B",
            "compare configurations that differ in this axis or\nparameter only: "
            "sync=none,control-each"),
    CLI_ROW(0, "across", CLI_CHOICE, across, "devices",
            "compare each device with all others of its kind (name,\nproduct, driver) in the "
            "sources, however many: is one bad?"),
    COMMON_OPTIONS,
};

static const struct cli_option gate_options[] = {
    CLI_ROW('b', "baseline", CLI_LIST, asked.baselines, "FILE[#N|#all]",
            "baseline session; several are combined"),
    CLI_ROW(0, "strict", CLI_FLAG, asked.strict, NULL,
            "exit with 3 if any configuration is undecided"),
    CLI_ROW(0, "allow-gone", CLI_FLAG, asked.allow_gone, NULL,
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
             "undecided for\n"
             "lack of runs. The exit code is 0 whatever it finds; use 'litmus gate' to fail on "
             "regressions.",
    CLI_OPTIONS(compare_options, struct options, .format = 0),
    .more = SIDES "Without B both sides are A: give two devices (-d 1 -d 2) or an --axis.\n"
                  "Any number of sources may follow --across devices: each of their devices is "
                  "compared with all\n"
                  "others of its kind, by the same tests over all configurations and devices.\n"
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
    CLI_OPTIONS(gate_options, struct options, .format = 0),
    .more = SIDES "exit code 3: a forbidden outcome was observed for the first time; a "
                  "configuration that is not in the\n"
                  "baseline is wrong; a configuration or device of the baseline was not run (see "
                  "--allow-gone); more than\n"
                  "one in ten configurations are undecided; a driver no longer closes a device; or "
                  "nothing was\n"
                  "compared.\n"
                  "examples:\n"
                  "  litmus gate --baseline baseline.json\n"
                  "  litmus gate --baseline before.db#all after.db --waivers waivers.txt\n",
    .operands = CLI_OPERANDS_FILES,
};

static bool check_across(const struct options *o, const struct lit_list *operands,
                         struct lit_error *error)
{
    if (o->asked.axis || o->asked.devices.count > 0)
        return lit_fail(error, LIT_EXIT_USAGE, "--across and --%s are mutually exclusive",
                        o->asked.axis ? "axis" : "device");
    return operands->count > 0 ||
           lit_fail(error, LIT_EXIT_USAGE,
                    "missing files: stores or reports; see 'litmus help compare'");
}

static bool check_usage(const struct options *o, const struct lit_list *operands, bool gate,
                        struct lit_error *error)
{
    if (o->asked.devices.count > 2)
        return lit_fail(error, LIT_EXIT_USAGE, "-d given more than twice: one for A and one for B");
    if (gate && o->asked.baselines.count == 0)
        return lit_fail(error, LIT_EXIT_USAGE, "missing --baseline FILE");
    if (operands->count > (gate ? 1 : 2))
        return lit_fail(error, LIT_EXIT_USAGE, "unexpected '%.80s'; see 'litmus help %s'",
                        operands->items[gate ? 1 : 2], gate ? "gate" : "compare");
    if (!gate && operands->count == 0)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "missing files: two stores or reports; see 'litmus help compare'");
    return gate || operands->count == 2 || o->asked.axis || o->asked.devices.count == 2 ||
           lit_fail(error, LIT_EXIT_USAGE,
                    "missing second side: a second file, -d A -d B, or --axis");
}

static void print(const struct options *o, const struct comparison *comparison, struct text *text)
{
    const struct compare_look look = {.color = term_color((enum term_color)o->color),
                                      .verbosity = o->quiet         ? -1
                                                   : o->verbose > 0 ? 1
                                                                    : 0};
    if (o->write_waivers)
        compare_waivers_write(comparison->entries, comparison->count, &comparison->policy, text);
    else if (o->format != FORM_text)
        forms[o->format].write(comparison, text);
    else
        compare_text(comparison, &look, text);
    if (comparison->policy.gate && !o->write_waivers && o->format == FORM_text)
        text_printf(text, "exit %d: %s\n", (int)comparison->summary.code,
                    comparison->summary.reason);
}

// Reports unwritable files before comparing, as far as possible.
static bool check_files(const struct options *o, struct lit_error *error)
{
    for (size_t i = 0; i < FORM_COUNT; i++) {
        if (o->files[i] && !ses_output_check(o->files[i], "", error))
            return false;
        for (size_t other = 0; o->files[i] && other < i; other++)
            if (o->files[other] && ses_same_file(o->files[i], o->files[other]))
                return lit_fail(error, LIT_EXIT_USAGE, "--%s and --%s: the same file %.160s",
                                forms[other].name, forms[i].name, o->files[i]);
    }
    return true;
}

static bool write_files(const struct options *o, const struct comparison *comparison,
                        struct lit_error *error)
{
    bool good = true;
    for (size_t i = 0; i < FORM_COUNT; i++) {
        struct text text = {0};
        if (!o->files[i])
            continue;
        forms[i].write(comparison, &text);
        good = lit_file_write(o->files[i], text.data, text.length, error) && good;
        text_free(&text);
    }
    return good;
}

static int compare(struct cli_call *call, bool gate)
{
    const struct options *o = call->chosen;
    const struct lit_list *operands = &call->operands;
    struct lit_error *error = &call->error;
    struct compare_answer answer = {0};
    const struct comparison *comparison = &answer.comparison;
    const bool across = !gate && cli_is_given(&cli_compare_syntax, call->given, "across");
    const bool good =
        (across ? check_across(o, operands, error) : check_usage(o, operands, gate, error)) &&
        check_files(o, error) && compare_ask(&o->asked, operands, gate, across, &answer, error);
    if (good)
        print(o, comparison, &call->out);
    int code = !good ? CLI_FAILED : gate ? (int)comparison->summary.code : LIT_EXIT_OK;
    // Print the verdict even then.
    if (good && !write_files(o, comparison, error)) {
        const int wrong = term_fail(error);
        code = code == LIT_EXIT_OK ? wrong : code;
    }
    compare_answer_clear(&answer);
    return code;
}

int cli_compare(struct cli_call *call)
{
    return compare(call, false);
}

int cli_gate(struct cli_call *call)
{
    return compare(call, true);
}
