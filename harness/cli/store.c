// SPDX-License-Identifier: Apache-2.0
// litmus store check: reports what is damaged in a store.
#include "cli/cli.h"
#include "report/format.h"
#include "store/merge.h"

struct options {
    const char *repaired;
};

static const struct cli_option options[] = {
    {0, "repair", CLI_TEXT, offsetof(struct options, repaired), "FILE",
     "copy the intact rows into this file, which must not exist"},
};

const struct cli_syntax cli_store_syntax = {
    .name = "store",
    .usage = "check [--repair FILE] STORE",
    .about = "Checks a store: the structure of the file, the checksum of each row, and whether "
             "rows are missing.\nPrints one line for each fault.",
    CLI_OPTIONS(options, struct options, 0),
    .more = "STORE is never changed. A session that lost anything is unfinished in the copy:\n"
            "'litmus run --resume --db FILE' measures what is missing.\n\n"
            "exit codes: 0 intact, 2 damaged, or the file cannot be read\n\n"
            "examples:\n"
            "  litmus store check litmus.db\n"
            "  litmus store check --repair whole.db litmus.db\n",
    .operands = CLI_OPERANDS_FILES,
};

static bool check_usage(const struct lit_list *operands, struct lit_error *error)
{
    if (operands->count == 0 || strcmp(operands->items[0], "check") != 0)
        return lit_fail(error, LIT_EXIT_USAGE, "missing action: check; see 'litmus help store'");
    if (operands->count != 2)
        return lit_fail(error, LIT_EXIT_USAGE,
                        operands->count < 2 ? "missing store: see 'litmus help store'"
                                            : "only one store at a time: unexpected '%.80s'",
                        operands->count < 2 ? "" : operands->items[2]);
    return true;
}

static int tell_of(const char *path, const char *repaired, struct store_checked *checked,
                   struct lit_error *error)
{
    text_printf(
        &checked->lines, "%s%s: %s session%s and %s result%s %s\n", repaired ? repaired : path,
        repaired           ? ""
        : checked->damaged ? ", what is intact"
                           : "",
        COUNT(checked->sessions), checked->sessions == 1 ? "" : "s", COUNT(checked->results),
        checked->results == 1 ? "" : "s", repaired ? "were copied" : "are intact");
    const int code = term_print(&checked->lines);
    if (code != LIT_EXIT_OK || checked->damaged == 0)
        return code;
    lit_fail(error, LIT_EXIT_USAGE, "%.300s: the file is damaged: %s fault%s", path,
             COUNT(checked->damaged), checked->damaged == 1 ? "" : "s");
    return CLI_FAILED;
}

int cli_store(struct cli_call *call)
{
    const char *repaired = ((const struct options *)call->chosen)->repaired;
    struct store_checked checked = {0};
    int code = CLI_FAILED;
    if (check_usage(&call->operands, &call->error) &&
        store_check(call->operands.items[1], repaired, &checked, &call->error))
        code = tell_of(call->operands.items[1], repaired, &checked, &call->error);
    text_free(&checked.lines);
    return code;
}
