// SPDX-License-Identifier: Apache-2.0
// litmus manual: fills a page of the manual in.

#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void put_commands(struct text *out, const struct cli_command *commands, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!commands[i].help)
            continue;
        text_printf(out, "*%s*\n", commands[i].name);
        put_lines(out, commands[i].help, "\t");
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

bool cli_manual_page(const struct cli_command *commands, size_t count, const char *name,
                     const char *page, struct text *out, struct lit_error *error)
{
    const struct cli_syntax *syntax = NULL;
    for (size_t i = 0; i < count; i++)
        if (commands[i].syntax && strcmp(commands[i].name, name) == 0)
            syntax = commands[i].syntax;
    if (!syntax && name[0])
        return lit_fail(error, LIT_EXIT_USAGE, "unknown command '%.80s'", name);
    while (*page) {
        const size_t length = strcspn(page, "\n");
        if (strncmp(page, "@COMMANDS@", length) == 0 && length == 10)
            put_commands(out, commands, count);
        else if (syntax && strncmp(page, "@SYNOPSIS@", length) == 0 && length == 10)
            put_synopsis(out, syntax);
        else if (syntax && strncmp(page, "@ABOUT@", length) == 0 && length == 7)
            put_lines(out, syntax->about, "");
        else if (syntax && strncmp(page, "@OPTIONS@", length) == 0 && length == 9)
            put_options(out, syntax);
        else if (syntax && strncmp(page, "@MORE@", length) == 0 && length == 6)
            put_more(out, syntax->more);
        else
            text_printf(out, "%.*s\n", (int)length, page);
        page += length + (page[length] == '\n');
    }
    return true;
}

static void read_all(FILE *file, struct text *text)
{
    char buffer[4096];
    size_t size;
    while ((size = fread(buffer, 1, sizeof buffer, file)) > 0)
        text_printf(text, "%.*s", (int)size, buffer);
}

int cli_manual(const struct cli_command *commands, size_t count, int argc, char **argv)
{
    struct lit_error error = {0};
    struct text page = {0}, out = {0};
    read_all(stdin, &page);
    int code = cli_manual_page(commands, count, argc > 1 ? argv[1] : "", page.data ? page.data : "",
                               &out, &error)
                   ? cli_print(&out)
                   : cli_fail(&error);
    text_free(&page);
    text_free(&out);
    return code;
}
