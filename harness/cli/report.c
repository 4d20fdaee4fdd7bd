// SPDX-License-Identifier: Apache-2.0
// litmus report: writes a stored session in another format, to stdout or to a file that is complete
// or absent.
#include "base/file.h"
#include "cli/cli.h"
#include "session/output.h"
#include "compare/side.h"
#include "report/format.h"
#include "report/report.h"
#include "store/store.h"

struct options {
    int format;
    const char *db, *output, *device, *test, *check;
    uint64_t session;
};

static const struct cli_option options[] = {
    {'f', "format", CLI_CHOICE, offsetof(struct options, format), REPORT_NAMES,
     "output format (default: text)"},
    {0, "db", CLI_TEXT, offsetof(struct options, db), "FILE", "the store (default: litmus.db)"},
    {0, "session", CLI_COUNT, offsetof(struct options, session), "N",
     "the session (default: the newest)"},
    {'d', "device", CLI_TEXT, offsetof(struct options, device), "DEVICE",
     "only this device of the session: its number, UUID or name"},
    {0, "test", CLI_TEST, offsetof(struct options, test), "TEST",
     "only this configuration, or those that a pattern matches; for\n"
     "one configuration Markdown is a bug report"},
    {'o', "output", CLI_TEXT, offsetof(struct options, output), "FILE",
     "write to a file instead of stdout"},
    {0, "check", CLI_TEXT, offsetof(struct options, check), "FILE",
     "check whether a JSON report is valid: prints a line per fault"},
};

const struct cli_syntax cli_report_syntax = {
    .name = "report",
    .usage = "[--format FORMAT] [OPTION]... | --check FILE",
    .about = "Writes the results of a session in one of several formats. The same store gives the "
             "same\nbytes; an existing file is replaced atomically. The exit code is 0 if the "
             "report was\nwritten, whatever its content.",
    CLI_OPTIONS(options, struct options, .db = "litmus.db", .device = "", .test = ""),
    .more =
        "formats:\n" REPORT_LINES
        "Scripts in contrib/ convert the JSON to others (docs/formats.md).\n"
        "\n"
        "examples:\n"
        "  litmus report -f json -o report.json\n"
        "  litmus report -f markdown --test 'lookback.scan/encoding=word64*elements=1000*' -d 1\n"
        "  litmus report -f junit --session 3 -o report.xml\n"
        "  litmus report --check report.json\n"
        "\n"
        "exit codes of --check: 0 the report is valid, 2 it is invalid, or cannot be read\n",
};

static bool check_usage(const struct options *chosen, uint64_t given, struct lit_error *error)
{
    if (chosen->check && (given & (given - 1)))
        return lit_fail(error, LIT_EXIT_USAGE, "--check reads a JSON report: no other option");
    return !chosen->output || strcmp(chosen->output, "-") == 0 ||
           ses_output_check(chosen->output, chosen->db, error);
}

static bool make_report(const struct options *chosen, struct text *text, struct lit_error *error)
{
    OWNED(report_model_clear) struct report_model model = {0};
    OWNED(store_close) struct store *store = store_open_read(chosen->db, error);
    if (!store)
        return false;
    bool good = report_model_load(store, (int64_t)chosen->session, &model, error) &&
                report_model_narrow(&model, chosen->device, chosen->test, error);
    if (good)
        report_formats[chosen->format].write(&model, text);
    return good;
}

// Prints the faults of a report, or that it has none.
static int check_report(const char *path, struct lit_error *error)
{
    const bool from_stdin = strcmp(path, "-") == 0;
    const char *shown = from_stdin ? "standard input" : path;
    OWNED(text_free) struct text bytes = {0}, said = {0};
    struct compare_faults faults = {0};
    if (!compare_report_read(&bytes, from_stdin ? "/dev/stdin" : path, shown, error))
        return CLI_FAILED;
    compare_report_check(bytes.data, bytes.length, shown, &faults, &said);
    const int code = term_print(faults.count ? &faults.lines : &said);
    text_free(&faults.lines);
    if (code != LIT_EXIT_OK || faults.count == 0)
        return code;
    lit_fail(error, LIT_EXIT_USAGE, "%.300s: cannot be taken: %s fault%s", shown,
             COUNT(faults.count), faults.count == 1 ? "" : "s");
    return CLI_FAILED;
}

int cli_report(struct cli_call *call)
{
    const struct options *chosen = call->chosen;
    if (chosen->check)
        return check_usage(chosen, call->given, &call->error)
                   ? check_report(chosen->check, &call->error)
                   : CLI_FAILED;
    struct text *text = &call->out;
    const bool to_file = chosen->output && strcmp(chosen->output, "-") != 0;
    bool good =
        check_usage(chosen, call->given, &call->error) && make_report(chosen, text, &call->error);
    if (good && to_file)
        good = lit_file_write(chosen->output, text->data, text->length, &call->error);
    else if (good && chosen->format == REPORT_AS_text && !term_utf8() && text->data)
        report_make_ascii(text);
    if (to_file)
        text_free(text);
    return good ? LIT_EXIT_OK : CLI_FAILED;
}
