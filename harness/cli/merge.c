// SPDX-License-Identifier: Apache-2.0
// litmus merge: puts the sessions of several stores into one.
#include "session/session.h"
#include "cli/cli.h"
#include "report/format.h"
#include "store/merge.h"

struct options {
    const char *output;
    bool parts, sum, quiet;
};

static const struct cli_option options[] = {
    {'o', "output", CLI_TEXT, offsetof(struct options, output), "FILE",
     "output store (default: litmus.db)"},
    {0, "parts", CLI_FLAG, offsetof(struct options, parts), NULL,
     "combine the parts of a plan (see 'litmus help plan') in one\n"
     "session: runs from caselists with the same seed and options,\n"
     "including parts that died"},
    {0, "sum", CLI_FLAG, offsetof(struct options, sum), NULL,
     "add up whole sessions of the same machine, driver and module in\n"
     "one session; their seeds must differ"},
    {'q', "quiet", CLI_FLAG, offsetof(struct options, quiet), NULL, "print only errors"},
};

const struct cli_syntax cli_merge_syntax = {
    .name = "merge",
    .usage = "[-o FILE] [OPTION]... STORE...",
    .about =
        "Merges the sessions of several stores into one, each once, and joins the shards of a run.",
    CLI_OPTIONS(options, struct options, .output = "litmus.db"),
    .more = "FILE is created or extended: it is written under another name and renamed, so a "
            "failure leaves it\nunchanged. A session that it already has is not copied again; if "
            "the session has continued since\n(--resume), the newer copy replaces the older. "
            "Shards of tests are placed side by side; shards of runs\n"
            "are added if module, stress, device and driver agree, else nothing is written and the "
            "exit code is 2.\nWhile shards are missing the session is unfinished; merge them "
            "later. --parts takes the results of\neach part, and those of a configuration that two "
            "parts have (on devices of one kind) once; the session\nis unfinished as long as "
            "'litmus plan --missing', with the parts as caselists, finds something missing.\n"
            "\n"
            "Exit code 3: all was merged, but a session of the input is not in the newest one, "
            "which gate and report\n"
            "read: with --parts or --sum any session, else a shard of an incomplete run. A line on "
            "stderr names each\nof them and says what differs.\n",
    .operands = CLI_OPERANDS_FILES,
};

static void summarise(const struct options *chosen, const struct store_merge_done *done,
                      struct text *text)
{
    text_printf(text, "%s: %s session%s read, %s new", chosen->output, COUNT(done->read),
                done->read == 1 ? "" : "s", COUNT(done->added));
    if (done->replaced > 0)
        text_printf(text, ", %s continued", COUNT(done->replaced));
    text_puts(text,
              done->added + done->replaced + done->combined == 0 ? ": nothing to do\n" : "\n");
    text_puts(text, done->notes.data ? done->notes.data : "");
}

int cli_merge(struct cli_call *call)
{
    const struct options *chosen = call->chosen;
    const struct store_merge_plan plan = {.output = chosen->output,
                                          .inputs = call->operands.items,
                                          .input_count = call->operands.count,
                                          .parts = chosen->parts,
                                          .sum = chosen->sum,
                                          .is_whole = ses_plan_is_whole};
    struct store_merge_done done = {0};
    bool ok = call->operands.count > 0 ||
              lit_fail(&call->error, LIT_EXIT_USAGE, "missing stores: see 'litmus help merge'");
    ok = ok && store_merge(&plan, &done, &call->error);
    if (ok && !chosen->quiet)
        summarise(chosen, &done, &call->out);
    const bool apart = ok && done.apart.length > 0;
    for (const char *line = done.apart.data; apart && *line; line += strcspn(line, "\n") + 1)
        fprintf(stderr, "litmus: %.*s\n", (int)strcspn(line, "\n"), line);
    text_free(&done.notes);
    text_free(&done.apart);
    return !ok ? CLI_FAILED : apart ? LIT_EXIT_UNDECIDED : LIT_EXIT_OK;
}
