// SPDX-License-Identifier: Apache-2.0
// The subcommands, and what they share.
#pragma once

#include "base/random.h"
#include "base/terminal.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Command line options: one table for each subcommand, which both drives getopt_long and prints the
// help.

// What an option's value becomes in the struct that its table fills.
enum cli_kind {
    CLI_FLAG,    // bool, true if given
    CLI_MORE,    // int, how often it was given
    CLI_COUNT,   // uint64_t, 1 or more, decimal; commas may stand between the digits
    CLI_SECONDS, // double, more than 0; a number with s, m or h behind it, or none for seconds
    CLI_RATE,    // double, above 0 and below 1: 0.001, 1e-3
    CLI_SEED,    // struct lit_seed, decimal or 0x and hexadecimal
    CLI_TEXT,    // const char *
    CLI_LIST,    // struct lit_list, one item each time it is given
    CLI_TEST,    // const char *, a pattern of tests: what it stands for (cat_pattern)
    CLI_TESTS,   // struct lit_list, likewise
    CLI_CHOICE,  // int, the number of the word among those of `argument`: "auto|always|never"
};

struct cli_option {
    char letter;          // 0: none
    const char *name;     // without "--"
    unsigned kind;        // enum cli_kind, and CLI_NOT()
    size_t at;            // offset in the struct
    const char *argument; // what the help calls the value; NULL for those without
    const char *help;
};

// With which calls an option has no meaning: bits of the subcommand's, CLI_RESUMED of all that have
// --resume.
#define CLI_NOT(calls)  ((unsigned)(calls) << 8)
#define CLI_KIND(value) ((value) & (CLI_NOT(1) - 1))
#define CLI_RESUMED     1 // what the session has

// A row of a table of options, in a file that defines AT(member), its offset.
#define CLI_ROW(letter, name, kind, member, argument, help)                                        \
    {                                                                                              \
        letter, name, kind, AT(member), argument, help                                             \
    }

// What the operands are, for completion.
enum cli_operands {
    CLI_OPERANDS_NONE,
    CLI_OPERANDS_TESTS, // patterns of tests and configurations
    CLI_OPERANDS_FILES,
    CLI_OPERANDS_WORDS, // one of `words`
};

// One subcommand's command line.
struct cli_syntax {
    const char *name;  // "run"
    const char *usage; // "[OPTION]... PATTERN..."
    const char *about; // one or more lines
    const struct cli_option *options;
    size_t count;
    const void *defaults; // of the struct that the options fill, `size` bytes
    size_t size;
    const char *more; // text behind the options, "" for none
    enum cli_operands operands;
    const char *words; // "this|that"
    // Besides CLI_OPERANDS_TESTS, once a word is begun: the name at an index, NULL behind the last.
    const char *(*name_at)(size_t index, void *user);
    // What is not one of its options, nor --help in front of all others, belongs to another
    // subcommand and stays among the operands as it is.
    bool forwards;
    // Besides CLI_OPERANDS_TESTS: whether, with these options, it reads files of litmus tests
    // itself.
    bool (*reads_files)(const void *chosen);
};

// Has the catalogue know what the operands and options that are patterns of tests name besides what
// is built in: files (cli_files_take), and what a store alone knows, that of --db and --session, of
// --from and --missing, or litmus.db. All subcommands come by here. Ids and files become names.
bool cli_tests_take(const struct cli_syntax *syntax, void *chosen, struct lit_list *operands,
                    struct lit_error *error);

// Its table of options, and the struct that they fill, with what differs from 0.
#define CLI_OPTIONS(table, type, ...)                                                              \
    .options = (table), .count = sizeof(table) / sizeof *(table),                                  \
    .defaults = &(const type){__VA_ARGS__}, .size = sizeof(type)

enum cli_outcome {
    CLI_PARSED,
    CLI_HELP,  // --help was given
    CLI_WRONG, // the error says what, with the nearest name if an option is unknown
};

// Parses argv[1] and so on. Every table has --help besides its own options. `target` is the struct
// that the options fill; it holds the defaults before. *given, if not NULL, gets a bit for each
// option of the table that was there (at most 64).
enum cli_outcome cli_parse(const struct cli_syntax *syntax, int argc, char **argv, void *target,
                           struct lit_list *operands, uint64_t *given, struct lit_error *error);

// Whether an option of the table was there, by the bits of cli_parse.
bool cli_is_given(const struct cli_syntax *syntax, uint64_t given, const char *name);

// False with an error if an option was there that has no meaning with one of these calls: "--NAME
// WHY", where whys[i] is that of bit i.
bool cli_calls_check(const struct cli_syntax *syntax, uint64_t given, unsigned calls,
                     const char *const *whys, struct lit_error *error);
#define CLI_WHY_RESUMED "cannot be given: --resume uses the session's options"

// Appends the help text.
void cli_help_text(const struct cli_syntax *syntax, struct text *text);

// The subcommands, and what they share: how errors are told, and what the terminal can show.

// A subcommand's call.
struct cli_call {
    int argc;
    char **argv;              // argv[0] is its name; `litmus --all` comes as it is
    void *chosen;             // the struct that its options filled
    struct lit_list operands; // of one without a syntax these, too, are only in argv
    uint64_t given;           // a bit for each option of its table that was there
    struct lit_error error;   // what CLI_FAILED prints
    struct text out;          // printed at its end, unless it failed
};

// Returns the program's exit code, or CLI_FAILED.
#define CLI_FAILED (-1)
typedef int cli_command_run(struct cli_call *call);
cli_command_run cli_run, cli_advise, cli_list, cli_show, cli_devices, cli_report, cli_history,
    krn_plan, cli_merge, cli_site, cli_store, cli_repro, cli_compare, cli_gate, cli_explain,
    cli_fuzz, cli_tune, cli_isa, cli_kernel, cli_reduce, cli_lint, cli_model, cli_progress,
    cli_bench, cli_version;

struct cli_command {
    const char *name;
    cli_command_run *run;
    const struct cli_syntax *syntax; // NULL: it has no options
    const char *help;                // one line; NULL: not for users
};

extern const struct cli_syntax cli_advise_syntax, cli_bench_syntax, cli_run_syntax, cli_list_syntax,
    cli_show_syntax, cli_devices_syntax, cli_report_syntax, cli_history_syntax, cli_plan_syntax,
    cli_merge_syntax, cli_site_syntax, cli_repro_syntax, cli_compare_syntax, cli_gate_syntax,
    cli_explain_syntax, cli_fuzz_syntax, cli_tune_syntax, cli_isa_syntax, cli_kernel_syntax,
    cli_reduce_syntax, cli_lint_syntax, cli_model_syntax, cli_progress_syntax, cli_store_syntax,
    cli_version_syntax;

extern const struct cli_command cli_commands[]; // ended by one without a name: harness/main.c

// Prints the table of subcommands, or with a name that subcommand's help.
int cli_help(struct cli_call *call);
// What the shells' completions ask: prints the candidates for the last of its words, one a line:
// the whole word, then, if something is to be said of it, a tab and a short description. A last
// line ":files" or ":folders" stands for the names of files, which the shell knows itself. Nothing
// is printed where nothing can follow.
int cli_complete(struct cli_call *call);
// Copies a page of the manual (scdoc; docs/man/) from stdin to stdout, in which lines that are one
// of these words are replaced by what the tables of options know:
//   @SYNOPSIS@  how the subcommand, the operand, is called
//   @ABOUT@     what its help says first
//   @OPTIONS@   its options, each with its help
//   @MORE@      what its help says last
//   @COMMANDS@  all subcommands, each with its line of `litmus help`
int cli_manual(struct cli_call *call);
// Says that there is no such subcommand. Returns the exit code.
int cli_unknown(const char *name);

// NULL if there is none of that name.
const struct cli_command *cli_command_find(const char *name);
// Parses a subcommand's command line and runs it, or prints its help or what is wrong. Returns the
// exit code.
int cli_start(const char *name, int argc, char **argv);

// The values of options of litmus list by their number, NULL behind the last; `user` is not used.
const char *cli_family_at(size_t index, void *user);
const char *cli_expectation_at(size_t index, void *user);
const char *cli_feature_at(size_t index, void *user);
