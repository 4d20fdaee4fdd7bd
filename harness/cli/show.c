// SPDX-License-Identifier: Apache-2.0
// litmus show: prints all information about a test, then its source. Needs no device.
#include "catalogue/catalogue.h"
#include "cli/cli.h"
#include "kernel/litmus.h"

enum { FORMAT_TEXT, FORMAT_LITMUS, FORMAT_DAT3M };

struct options {
    bool source;
    int format;
};

static const struct cli_option options[] = {
    {0, "source", CLI_FLAG, offsetof(struct options, source), NULL, "print only the source"},
    {'f', "format", CLI_CHOICE, offsetof(struct options, format), "text|litmus|dat3m",
     "litmus: the test as a program of the memory model, as a .litmus file;\n"
     "dat3m: that program as SPIR-V assembly with Dat3M's annotations"},
};

static bool reads_files(const void *chosen)
{
    return ((const struct options *)chosen)->format != FORMAT_TEXT;
}

const struct cli_syntax cli_show_syntax = {
    .name = "show",
    .usage = "[OPTION]... TEST...",
    .about = "Prints a test: its question, the meaning of a failure, its origin, what "
             "the\nspecification says, its variants and expectations, then its source.",
    CLI_OPTIONS(options, struct options, 0),
    .more =
        "Given a configuration's name, prints its test, its expectation, and the preprocessed\n"
        "source from which its module was made.\n"
        "\n"
        "--format litmus and dat3m take files (.litmus, .test), tests made from one, and\n"
        "configurations of the family memory (a test alone means its first configuration). Exit\n"
        "code 3: the format cannot express it.\n"
        "\n"
        "examples:\n"
        "  litmus show memory.message-passing\n"
        "  litmus show -f litmus memory.message-passing/order=barrier > mp.litmus\n"
        "  litmus show -f dat3m mp.litmus > mp.spvasm\n",
    .operands = CLI_OPERANDS_TESTS,
    .reads_files = reads_files,
};

int cli_show(struct cli_call *call)
{
    const struct options *chosen = call->chosen;
    const struct lit_list *names = &call->operands;
    bool ok = names->count > 0 || lit_fail(&call->error, LIT_EXIT_USAGE,
                                           "missing test: 'litmus list' prints their names");
    for (size_t i = 0; ok && i < names->count; i++) {
        text_puts(&call->out, i ? "\n" : "");
        ok = chosen->format == FORMAT_TEXT
                 ? cat_show(names->items[i], chosen->source, &call->out, &call->error)
                 : krn_litmus_export(names->items[i], chosen->format == FORMAT_DAT3M, &call->out,
                                     &call->error);
    }
    return ok ? LIT_EXIT_OK : CLI_FAILED;
}
