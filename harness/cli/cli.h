// SPDX-License-Identifier: Apache-2.0
// The subcommands, and what they share: how errors are told, and what the terminal can show.
#pragma once

#include "base/error.h"
#include "cli/options.h"

// A subcommand: argv[0] is its name. Returns the program's exit code.
int cli_run(int argc, char **argv);
int cli_list(int argc, char **argv);
int cli_show(int argc, char **argv);
int cli_devices(int argc, char **argv);
int cli_report(int argc, char **argv);
int cli_history(int argc, char **argv);
int cli_merge(int argc, char **argv);
int cli_store(int argc, char **argv);
int cli_repro(int argc, char **argv);
int cli_compare(int argc, char **argv);
int cli_gate(int argc, char **argv);
int cli_explain(int argc, char **argv);
int cli_fuzz(int argc, char **argv);
int cli_tune(int argc, char **argv);
int cli_isa(int argc, char **argv);
int cli_bench(int argc, char **argv);
int cli_version(int argc, char **argv);

struct cli_command {
    const char *name;
    int (*run)(int argc, char **argv);
    const struct cli_syntax *syntax; // NULL: it has no options
    const char *help;                // one line; NULL: not for users
};

extern const struct cli_syntax cli_run_syntax, cli_list_syntax, cli_show_syntax, cli_devices_syntax,
    cli_report_syntax, cli_history_syntax, cli_merge_syntax, cli_repro_syntax, cli_compare_syntax,
    cli_gate_syntax, cli_explain_syntax, cli_fuzz_syntax, cli_tune_syntax, cli_isa_syntax,
    cli_store_syntax, cli_version_syntax;
extern const struct cli_syntax cli_compare_syntax, cli_gate_syntax;
extern const struct cli_syntax cli_bench_syntax;

// Prints the table of subcommands, or with a name that subcommand's help.
int cli_help(const struct cli_command *commands, size_t count, int argc, char **argv);
// Prints how the command line could go on (cli/complete.h): the words typed so far are the
// operands.
int cli_complete_words(const struct cli_command *commands, size_t count, int argc, char **argv);
// Fills in a page of the manual: reads it from stdin, writes it to stdout (cli/manual.h).
int cli_manual(const struct cli_command *commands, size_t count, int argc, char **argv);
// Says that there is no such subcommand. Returns the exit code.
int cli_unknown(const struct cli_command *commands, size_t count, const char *name);

// Parses a subcommand's command line. True to go on; false if it is over, after printing help or
// the error, with the exit code in *code.
bool cli_start(const struct cli_syntax *syntax, int argc, char **argv, void *target,
               struct cli_list *operands, uint64_t *given, int *code);

// Prints "litmus: MESSAGE" on stderr and returns the error's exit code.
int cli_fail(const struct lit_error *error);

// Writes all of `text` to stdout and frees it. Returns the exit code: 2 if stdout cannot be
// written, which cli_end says.
int cli_print(struct text *text);
// What was printed until now becomes visible. The same exit code.
int cli_flush(void);
// The end of every subcommand: its exit code, or 2 with a line on stderr where some of what it
// printed could not be written.
int cli_end(int code);

enum cli_color { CLI_COLOR_AUTO, CLI_COLOR_ALWAYS, CLI_COLOR_NEVER };

// Whether to write in colour. An explicit choice wins; then NO_COLOR; then CLICOLOR_FORCE; then a
// terminal that is not dumb. The variables' values may be NULL. Pure.
bool cli_color_decide(enum cli_color choice, const char *no_color, const char *force,
                      const char *term, bool terminal);
// The same for stdout and the environment.
bool cli_color(enum cli_color choice);
// Whether the locale's characters are UTF-8.
bool cli_utf8(void);

// Appends a word as a shell takes it: in single quotes, if it needs any.
void cli_put_quoted(struct text *text, const char *word);

// Appends `value` after a label, broken into lines of 100 columns; "" as value appends nothing.
void cli_paragraph(struct text *text, const char *label, const char *value);
