// SPDX-License-Identifier: Apache-2.0
// litmus merge: the sessions of several stores in one.

#include "cli/cli.h"
#include "store/merge.h"

#include <stddef.h>
#include <stdio.h>

struct options {
    const char *output;
    bool sum, quiet;
};

static const struct cli_option options[] = {
    {'o', "output", CLI_TEXT, offsetof(struct options, output), "FILE",
     "output store (default: litmus.db)"},
    {0, "sum", CLI_FLAG, offsetof(struct options, sum), NULL,
     "add what whole sessions of the same machine, driver and module\n"
     "counted into one session; their seeds must differ"},
    {'q', "quiet", CLI_FLAG, offsetof(struct options, quiet), NULL, "print only errors"},
};

const struct cli_syntax cli_merge_syntax = {
    .name = "merge",
    .usage = "[-o FILE] [OPTION]... STORE...",
    .about =
        "Merges the sessions of several stores into one, each once, and joins the shards of a run.",
    .options = options,
    .count = sizeof options / sizeof options[0],
    .more =
        "FILE is made or added to: it is written beside its name and renamed, so that after a "
        "failure it is\n"
        "what it was. A session that is there is not copied again; if it has gone on since "
        "(--resume), the\n"
        "newer copy replaces the older. Shards of tests are put side by side; shards of runs are "
        "added where\n"
        "module, stress, device and driver agree, else nothing is written and the exit code is 2. "
        "While\n"
        "shards are missing the session is unfinished; merge them later.\n",
    .operands = CLI_OPERANDS_FILES,
};

static void summarise(const struct options *chosen, const struct store_merge_done *done,
                      struct text *text)
{
    char read[32], added[32], replaced[32];
    text_printf(text, "%s: %s session%s read, %s new", chosen->output, text_count(read, done->read),
                done->read == 1 ? "" : "s", text_count(added, done->added));
    if (done->replaced > 0)
        text_printf(text, ", %s went on", text_count(replaced, done->replaced));
    text_puts(text,
              done->added + done->replaced + done->combined == 0 ? ": nothing to do\n" : "\n");
    text_puts(text, done->notes.data ? done->notes.data : "");
}

int cli_merge(int argc, char **argv)
{
    struct options chosen = {.output = "litmus.db"};
    struct cli_list operands = {0};
    struct lit_error error = {0};
    struct store_merge_done done = {0};
    struct text text = {0};
    int code = LIT_EXIT_OK;
    if (!cli_start(&cli_merge_syntax, argc, argv, &chosen, &operands, NULL, &code))
        return code;
    const struct store_merge_plan plan = {chosen.output, operands.items, operands.count,
                                          chosen.sum};
    bool ok = operands.count > 0 ||
              lit_fail(&error, LIT_EXIT_USAGE, "missing stores: see 'litmus help merge'");
    ok = ok && store_merge(&plan, &done, &error);
    if (ok && !chosen.quiet)
        summarise(&chosen, &done, &text);
    code = ok ? cli_print(&text) : cli_fail(&error);
    text_free(&done.notes);
    text_free(&text);
    return code;
}
