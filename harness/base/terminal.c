// SPDX-License-Identifier: Apache-2.0
// What all subcommands share at the terminal: errors, output, colour, line breaks.

#include "base/terminal.h"

#include "base/clock.h"

#include <errno.h>
#include <langinfo.h>
#include <stdarg.h>
#include <unistd.h>

int term_fail(const struct lit_error *error)
{
    fprintf(stderr, "litmus: %s\n", error->message);
    return error->code;
}

static int unwritten; // errno of what first failed, as far as it is known

int term_flush(void)
{
    if (fflush(stdout) != 0 && !unwritten)
        unwritten = errno;
    return ferror(stdout) ? LIT_EXIT_USAGE : LIT_EXIT_OK;
}

int term_print(struct text *text)
{
    if (fwrite(text->data ? text->data : "", 1, text->length, stdout) != text->length && !unwritten)
        unwritten = errno;
    text_free(text);
    return term_flush();
}

int term_end(int code)
{
    struct lit_error error = {0};
    if (term_flush() == LIT_EXIT_OK)
        return code;
    lit_fail(&error, LIT_EXIT_USAGE, "cannot write the output%s%s", unwritten ? ": " : "",
             unwritten ? strerror(unwritten) : "");
    return term_fail(&error);
}

static bool is_set(const char *value)
{
    return value && value[0];
}

bool term_color_decide(enum term_color choice, const char *no_color, const char *force,
                       const char *term, bool terminal)
{
    if (choice != TERM_COLOR_AUTO)
        return choice == TERM_COLOR_ALWAYS;
    if (is_set(no_color))
        return false;
    if (is_set(force) && strcmp(force, "0") != 0)
        return true;
    return terminal && is_set(term) && strcmp(term, "dumb") != 0;
}

bool term_color(enum term_color choice)
{
    return term_color_decide(choice, getenv("NO_COLOR"), getenv("CLICOLOR_FORCE"), getenv("TERM"),
                             isatty(STDOUT_FILENO) == 1);
}

bool term_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

void term_line_clear(struct term_line *line)
{
    if (line->drawn)
        fprintf(stderr, "\r\033[K");
    line->drawn = false;
}

void term_line_show(struct term_line *line, const char *format, ...)
{
    const bool terminal = isatty(STDERR_FILENO) == 1;
    const double now = clock_now();
    va_list list;
    if (line->quiet || now < line->shown + (terminal ? 0.1 : 30))
        return;
    line->shown = now;
    fputs(terminal ? "\r\033[K" : "", stderr);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputs(terminal ? "" : "\n", stderr);
    line->drawn = terminal;
}
