// SPDX-License-Identifier: Apache-2.0
// How to call a subcommand; litmus help, litmus version, litmus manual, and the error for an
// unknown subcommand.

#include "catalogue/catalogue.h"
#include "cli/cli.h"

#include "base/build.h"
#include "session/cases.h"
#include "kernel/kernel.h"
#include "cli/litmus.h"

#include <stdlib.h>
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
    OWNED(text_free) struct text hint = {0};
    if (strpbrk(name, ".*?/@!") || cfg_is_id(name))
        text_printf(&hint, "; to run tests: litmus run '%.80s'", name);
    else
        text_suggest(&hint, name, name_at, NULL);
    if (!hint.length)
        text_puts(&hint, "; see 'litmus help'");
    lit_fail(&error, LIT_EXIT_USAGE, "unknown command '%.80s'%s", name, hint.data);
    return term_fail(&error);
}

const struct cli_command *cli_command_find(const char *name)
{
    for (const struct cli_command *command = cli_commands; command->name; command++)
        if (strcmp(command->name, name) == 0)
            return command;
    return NULL;
}

static int run_parsed(const struct cli_command *command, struct cli_call *call)
{
    const struct cli_syntax *syntax = command->syntax;
    if (syntax->size)
        memcpy(call->chosen, syntax->defaults, syntax->size);
    switch (cli_parse(syntax, call->argc, call->argv, call->chosen, &call->operands, &call->given,
                      &call->error)) {
    case CLI_PARSED:
        if (!cli_tests_take(syntax, call->chosen, &call->operands, &call->error))
            return CLI_FAILED;
        if (syntax->operands != CLI_OPERANDS_NONE || call->operands.count == 0)
            return command->run(call);
        lit_fail(&call->error, LIT_EXIT_USAGE, "unexpected '%.80s'; see 'litmus help %s'",
                 call->operands.items[0], syntax->name);
        break;
    case CLI_HELP:
        cli_help_text(syntax, &call->out);
        return LIT_EXIT_OK;
    case CLI_WRONG:
        break;
    }
    return CLI_FAILED;
}

static int start(const struct cli_command *command, struct cli_call *call)
{
    if (command->syntax)
        call->chosen = lit_alloc(1, command->syntax->size + 1);
    int code = command->syntax ? run_parsed(command, call) : command->run(call);
    if (code == CLI_FAILED)
        code = term_fail(&call->error);
    else if (call->out.length)
        term_print(&call->out);
    text_free(&call->out);
    free(call->chosen);
    return code;
}

int cli_start(const char *name, int argc, char **argv)
{
    const struct cli_command *command = cli_command_find(name);
    struct cli_call call = {.argc = argc, .argv = argv};
    return command ? start(command, &call) : cli_unknown(name);
}

int cli_help(struct cli_call *call)
{
    struct text *text = &call->out;
    char *name = call->argc > 1 && call->argv[1][0] != '-' ? call->argv[1] : NULL;
    if (name) {
        char help[] = "--help";
        const struct cli_command *command = cli_command_find(name);
        return command && command->help ? cli_start(name, 2, (char *[]){name, help, NULL})
                                        : cli_unknown(name);
    }
    text_puts(text, "usage: litmus COMMAND [OPTION]...\n"
                    "       litmus --all\n\n"
                    "Tests how Vulkan drivers execute subgroup code: whether it follows "
                    "the\nspecification, how often it fails, and how.\n\n");
    for (const struct cli_command *command = cli_commands; command->name; command++)
        if (command->help)
            text_printf(text, "  %-10s %s\n", command->name, command->help);
    text_puts(
        text,
        "\n'litmus COMMAND --help' describes a command; 'litmus --all' is 'litmus run --all'.\n"
        "\nexit codes: 0 no forbidden outcome, 1 a forbidden outcome, or a driver crashed "
        "or\nhung, 2 usage or input, 3 something could not be measured, 4 a device was lost and "
        "its\n"
        "queue stopped, 5 the time budget was used up, 77 nothing could run\n");
    return LIT_EXIT_OK;
}

const struct cli_syntax cli_version_syntax = {
    .name = "version",
    .usage = "",
    .about = "Prints the version of litmus, the commit that it was built from, a hash of its "
             "tests,\nand how "
             "it was built. Stores and JSON reports record them.",
    .more = ""};

int cli_version(struct cli_call *call)
{
    text_printf(&call->out, "litmus " LITMUS_VERSION "\ncommit %s\ncatalogue %s\nbuild %s\n",
                build_commit, cat_identity, build_options);
    return LIT_EXIT_OK;
}

// litmus manual

// scdoc treats *, _, \ and # as markup.
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
    put_option(out, 'h', "help", NULL, "print the command's usage and options");
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

// Examples are indented in the help and have a tab in the manual.
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
        else {
            text_puts(out, more[0] == '-' ? "\\" : ""); // not a list
            put_escaped(out, more, length);
        }
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
    const struct cli_command *command = cli_command_find(name);
    const struct cli_syntax *syntax = command ? command->syntax : NULL;
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

int cli_manual(struct cli_call *call)
{
    OWNED(text_free) struct text page = {0};
    const bool good = text_read(&page, "/dev/stdin", SIZE_MAX / 2)
                          ? put_page(call->argc > 1 ? call->argv[1] : "",
                                     page.data ? page.data : "", &call->out, &call->error)
                          : lit_fail(&call->error, LIT_EXIT_USAGE, "the page cannot be read");
    return good ? LIT_EXIT_OK : CLI_FAILED;
}
