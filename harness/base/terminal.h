// SPDX-License-Identifier: Apache-2.0
// What all subcommands share at the terminal: errors, output, colour, a line of progress.
#pragma once

#include "base/error.h"
#include "base/text.h"

// Prints "litmus: MESSAGE" on stderr and returns the error's exit code.
int term_fail(const struct lit_error *error);

// Writes all of `text` to stdout and frees it. Returns the exit code: 2 if stdout cannot be
// written, which term_end says.
int term_print(struct text *text);
// What was printed until now becomes visible. The same exit code.
int term_flush(void);
// The end of every subcommand: its exit code, or 2 with a line on stderr where some of what it
// printed could not be written.
int term_end(int code);

enum term_color { TERM_COLOR_AUTO, TERM_COLOR_ALWAYS, TERM_COLOR_NEVER };

// Whether to write in colour. An explicit choice wins; then NO_COLOR; then CLICOLOR_FORCE; then a
// terminal that is not dumb. The variables' values may be NULL. Pure.
bool term_color_decide(enum term_color choice, const char *no_color, const char *force,
                       const char *term, bool terminal);
// The same for stdout and the environment.
bool term_color(enum term_color choice);
// Whether the locale's characters are UTF-8.
bool term_utf8(void);

// A line of progress on stderr, which what is printed next replaces.
struct term_line {
    bool quiet, drawn;
    double shown; // when
};
// Shows it: ten times a second at most, or each half minute where stderr is no terminal.
__attribute__((format(__printf__, 2, 3))) void term_line_show(struct term_line *line,
                                                              const char *format, ...);
void term_line_clear(struct term_line *line);
