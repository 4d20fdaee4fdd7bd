// SPDX-License-Identifier: Apache-2.0
// The help of a subcommand, from its table of options.
#include "cli/cli.h"

#include <string.h>

#define HELP_COLUMN 26
#define COLUMNS     100

static void help_line(struct text *text, const struct cli_option *option)
{
    OWNED(text_free) struct text left = {0};
    text_printf(&left, option->letter ? "  -%c, --%s" : "%5c --%s",
                option->letter ? option->letter : ' ', option->name);
    if (option->argument)
        text_printf(&left, " %s", option->argument);
    // A list of words that is too long continues on the next line.
    const char *rest = left.data;
    while (strlen(rest) > COLUMNS) {
        size_t length = COLUMNS;
        while (length > HELP_COLUMN && rest[length - 1] != '|')
            length--;
        text_printf(text, "%.*s\n%*s", (int)length, rest, HELP_COLUMN, "");
        rest += length;
    }
    text_puts(text, rest);
    size_t column = rest == left.data ? left.length : HELP_COLUMN + strlen(rest);
    text_puts(text, column + 2 > HELP_COLUMN ? "\n" : "");
    for (const char *help = option->help; *help; column = 0) {
        const size_t length = strcspn(help, "\n");
        text_printf(text, "%*s%.*s\n",
                    column + 2 > HELP_COLUMN ? HELP_COLUMN : (int)(HELP_COLUMN - column), "",
                    (int)length, help);
        help += length + (help[length] == '\n');
    }
}

void cli_help_text(const struct cli_syntax *syntax, struct text *text)
{
    text_printf(text, "usage: litmus %s %s\n\n%s\n\n", syntax->name, syntax->usage, syntax->about);
    const struct cli_option *option;
    for (size_t i = 0; (option = cli_option_at(syntax, i)); i++)
        help_line(text, option);
    if (syntax->more[0])
        text_printf(text, "\n%s", syntax->more);
}
