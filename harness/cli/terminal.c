// SPDX-License-Identifier: Apache-2.0
// What all subcommands share at the terminal: errors, output, colour, line breaks.

#include "cli/cli.h"

#include <errno.h>
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cli_fail(const struct lit_error *error)
{
    fprintf(stderr, "litmus: %s\n", error->message);
    return error->code;
}

static int unwritten; // errno of what first failed, as far as it is known

int cli_flush(void)
{
    if (fflush(stdout) != 0 && !unwritten)
        unwritten = errno;
    return ferror(stdout) ? LIT_EXIT_USAGE : LIT_EXIT_OK;
}

int cli_print(struct text *text)
{
    if (fwrite(text->data ? text->data : "", 1, text->length, stdout) != text->length && !unwritten)
        unwritten = errno;
    text_free(text);
    return cli_flush();
}

int cli_end(int code)
{
    struct lit_error error = {0};
    if (cli_flush() == LIT_EXIT_OK)
        return code;
    lit_fail(&error, LIT_EXIT_USAGE, "cannot write the output%s%s", unwritten ? ": " : "",
             unwritten ? strerror(unwritten) : "");
    return cli_fail(&error);
}

static bool is_set(const char *value)
{
    return value && value[0];
}

bool cli_color_decide(enum cli_color choice, const char *no_color, const char *force,
                      const char *term, bool terminal)
{
    if (choice != CLI_COLOR_AUTO)
        return choice == CLI_COLOR_ALWAYS;
    if (is_set(no_color))
        return false;
    if (is_set(force) && strcmp(force, "0") != 0)
        return true;
    return terminal && is_set(term) && strcmp(term, "dumb") != 0;
}

bool cli_color(enum cli_color choice)
{
    return cli_color_decide(choice, getenv("NO_COLOR"), getenv("CLICOLOR_FORCE"), getenv("TERM"),
                            isatty(STDOUT_FILENO) == 1);
}

bool cli_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}
