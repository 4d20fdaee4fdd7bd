// SPDX-License-Identifier: Apache-2.0
// litmus help, litmus version, litmus manual, and what is said about a subcommand that does not
// exist.

#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

static const char *name_at(size_t index, void *user)
{
    (void)user;
    const struct cli_command *command = &cli_commands[index];
    return command->name && !command->help ? "help" : command->name;
}

int cli_unknown(const char *name)
{
    struct lit_error error = {0};
    struct text hint = {0};
    if (strpbrk(name, ".*?/@!"))
        text_printf(&hint, "; to run tests: litmus run '%.80s'", name);
    else
        cli_suggest(&hint, name, name_at, NULL);
    if (!hint.length)
        text_puts(&hint, "; see 'litmus help'");
    lit_fail(&error, LIT_EXIT_USAGE, "unknown command '%.80s'%s", name, hint.data);
    text_free(&hint);
    return cli_fail(&error);
}

int cli_help(int argc, char **argv)
{
    struct text text = {0};
    if (argc > 1 && argv[1][0] != '-') {
        char help[] = "--help";
        char *arguments[] = {argv[1], help, NULL};
        for (const struct cli_command *command = cli_commands; command->name; command++)
            if (command->help && strcmp(command->name, argv[1]) == 0)
                return command->run(2, arguments);
        return cli_unknown(argv[1]);
    }
    text_puts(&text, "usage: litmus COMMAND [OPTION]...\n"
                     "       litmus --all\n\n"
                     "Tests how Vulkan drivers execute subgroup code: whether it follows "
                     "the\nspecification, how often it fails, and how.\n\n");
    for (const struct cli_command *command = cli_commands; command->name; command++)
        if (command->help)
            text_printf(&text, "  %-10s %s\n", command->name, command->help);
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

// litmus manual

// scdoc takes *, _, \ and # for marks.
static void put_escaped(struct text *out, const char *string, size_t length)
{
    for (size_t i = 0; i < length; i++)
        text_printf(out, strchr("*_\\#[]`.|", string[i]) ? "\\%c" : "%c", string[i]);
}

static void put_lines(struct text *out, const char *string, const char *indent)
{
    while (*string) {
        const size_t length = strcspn(string, "\n");
        const size_t spaces = strspn(string, " ");
        text_puts(out, length ? indent : "");
        if (spaces < length)
            put_escaped(out, string + spaces, length - spaces);
        text_puts(out, "\n");
        string += length + (string[length] == '\n');
    }
}

static void put_option(struct text *out, char letter, const char *name, const char *argument,
                       const char *help)
{
    if (letter)
        text_printf(out, "*-%c*, ", letter);
    text_printf(out, "*--%s*", name);
    if (argument) {
        text_puts(out, " _");
        put_escaped(out, argument, strlen(argument));
        text_puts(out, "_");
    }
    text_puts(out, "\n");
    put_lines(out, help, "\t");
    text_puts(out, "\n");
}

static void put_options(struct text *out, const struct cli_syntax *syntax)
{
    for (size_t i = 0; i < syntax->count; i++) {
        const struct cli_option *option = &syntax->options[i];
        put_option(out, option->letter, option->name, option->argument, option->help);
    }
    put_option(out, 'h', "help", NULL, "print how the command is called and what its options are");
}

static void put_commands(struct text *out)
{
    for (const struct cli_command *command = cli_commands; command->name; command++) {
        if (!command->help)
            continue;
        text_printf(out, "*%s*\n", command->name);
        put_lines(out, command->help, "\t");
        text_puts(out, "\n");
    }
}

static void put_synopsis(struct text *out, const struct cli_syntax *syntax)
{
    text_printf(out, "*litmus %s* ", syntax->name);
    put_escaped(out, syntax->usage, strlen(syntax->usage));
    text_puts(out, "\n");
}

// An example is set apart by its indentation in the help, by a tab in the manual.
static void put_more(struct text *out, const char *more)
{
    bool inside = false;
    while (*more) {
        const size_t length = strcspn(more, "\n");
        const bool example = length > 1 && more[0] == ' ' && more[1] == ' ';
        if (inside != example)
            text_puts(out, inside ? "```\n\n" : "\n```\n");
        inside = example;
        if (example)
            text_printf(out, "%.*s", (int)length, more);
        else
            put_escaped(out, more, length);
        text_puts(out, "\n");
        more += length + (more[length] == '\n');
    }
    text_puts(out, inside ? "```\n" : "");
}

static bool is_mark(const char *line, const char *mark)
{
    return strcspn(line, "\n") == strlen(mark) && strncmp(line, mark, strlen(mark)) == 0;
}

static bool put_page(const char *name, const char *page, struct text *out, struct lit_error *error)
{
    const struct cli_syntax *syntax = NULL;
    for (const struct cli_command *command = cli_commands; command->name; command++)
        if (command->syntax && strcmp(command->name, name) == 0)
            syntax = command->syntax;
    if (!syntax && name[0])
        return lit_fail(error, LIT_EXIT_USAGE, "unknown command '%.80s'", name);
    while (*page) {
        const size_t length = strcspn(page, "\n");
        if (is_mark(page, "@COMMANDS@"))
            put_commands(out);
        else if (syntax && is_mark(page, "@SYNOPSIS@"))
            put_synopsis(out, syntax);
        else if (syntax && is_mark(page, "@ABOUT@"))
            put_lines(out, syntax->about, "");
        else if (syntax && is_mark(page, "@OPTIONS@"))
            put_options(out, syntax);
        else if (syntax && is_mark(page, "@MORE@"))
            put_more(out, syntax->more);
        else
            text_printf(out, "%.*s\n", (int)length, page);
        page += length + (page[length] == '\n');
    }
    return true;
}

int cli_manual(int argc, char **argv)
{
    struct lit_error error = {0};
    struct text page = {0}, out = {0};
    if (!text_read(&page, "/dev/stdin", SIZE_MAX / 2))
        return cli_fail((lit_fail(&error, LIT_EXIT_USAGE, "the page cannot be read"), &error));
    const bool good = put_page(argc > 1 ? argv[1] : "", page.data ? page.data : "", &out, &error);
    text_free(&page);
    const int code = good ? cli_print(&out) : cli_fail(&error);
    text_free(&out);
    return code;
}
