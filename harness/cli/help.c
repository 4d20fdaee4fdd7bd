// SPDX-License-Identifier: Apache-2.0
// litmus help, litmus version, and what is said about a subcommand that does not exist.

#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

struct commands {
    const struct cli_command *items;
    size_t count;
};

static const struct cli_command *find(const struct cli_command *commands, size_t count,
                                      const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (commands[i].help && strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static const char *name_at(size_t index, void *user)
{
    const struct commands *commands = user;
    if (index >= commands->count)
        return NULL;
    return commands->items[index].help ? commands->items[index].name : "help";
}

int cli_unknown(const struct cli_command *commands, size_t count, const char *name)
{
    struct commands table = {commands, count};
    struct lit_error error = {0};
    struct text hint = {0};
    if (strpbrk(name, ".*?/@!"))
        text_printf(&hint, "; to run tests: litmus run '%.80s'", name);
    else
        cli_suggest(&hint, name, name_at, &table);
    if (!hint.length)
        text_puts(&hint, "; see 'litmus help'");
    lit_fail(&error, LIT_EXIT_USAGE, "unknown command '%.80s'%s", name, hint.data);
    text_free(&hint);
    return cli_fail(&error);
}

int cli_help(const struct cli_command *commands, size_t count, int argc, char **argv)
{
    struct text text = {0};
    if (argc > 1 && argv[1][0] != '-') {
        const struct cli_command *command = find(commands, count, argv[1]);
        char help[] = "--help";
        char *arguments[] = {argv[1], help, NULL};
        return command ? command->run(2, arguments) : cli_unknown(commands, count, argv[1]);
    }
    text_puts(&text, "usage: litmus COMMAND [OPTION]...\n"
                     "       litmus --all\n\n"
                     "Tests how Vulkan drivers execute subgroup code: whether it follows "
                     "the\nspecification, how often it fails, and how.\n\n");
    for (size_t i = 0; i < count; i++)
        if (commands[i].help)
            text_printf(&text, "  %-10s %s\n", commands[i].name, commands[i].help);
    text_puts(
        &text,
        "\n'litmus COMMAND --help' describes a command; 'litmus --all' is 'litmus run --all'.\n"
        "\nexit codes: 0 no forbidden outcome, 1 a forbidden outcome, or a driver crashed "
        "or\nhung, 2 usage or input, 3 something could not be measured, 4 a device was lost and "
        "its\n"
        "queue stopped, 5 the time budget was used up, 77 nothing could run\n");
    return cli_print(&text);
}

const struct cli_syntax cli_version_syntax = {
    .name = "version", .usage = "", .about = "Prints the version of litmus.", .more = ""};

int cli_version(int argc, char **argv)
{
    struct cli_list operands = {0};
    struct text text = {0};
    int code = LIT_EXIT_OK;
    if (!cli_start(&cli_version_syntax, argc, argv, NULL, &operands, NULL, &code))
        return code;
    text_puts(&text, "litmus " LITMUS_VERSION "\n");
    return cli_print(&text);
}
