// SPDX-License-Identifier: Apache-2.0
// The subcommands and shared code.
#pragma once

#include "base/terminal.h"
#include "base/text.h"

// Command line options: one table for each subcommand reads it, prints the help and completes.

// How to store an option's value in the table's struct.
enum cli_kind {
    CLI_FLAG,    // bool, true if given
    CLI_MORE,    // int, how often it was given
    CLI_COUNT,   // uint64_t, 1 or more, decimal; commas between digits are allowed
    CLI_SECONDS, // double, more than 0; a number with suffix s, m or h, or none for seconds
    CLI_RATE,    // double, above 0 and below 1: 0.001, 1e-3
    CLI_SEED,    // struct lit_seed, decimal or 0x and hexadecimal
    CLI_TEXT,    // const char *
    CLI_LIST,    // struct lit_list, one item each time it is given
    CLI_TEST,    // const char *, a pattern of tests, resolved (cat_pattern)
    CLI_TESTS,   // struct lit_list, likewise
    CLI_CHOICE,  // int, index of the word in `argument`: "auto|always|never"
};

struct cli_option {
    char letter;          // 0: none
    const char *name;     // without "--"
    unsigned kind;        // enum cli_kind, and CLI_NOT()
    size_t at;            // offset in the struct
    const char *argument; // the value's name in the help; NULL without a value
    const char *help;
};

// Calls for which an option is meaningless: the subcommand's bits; CLI_RESUMED for all with
// --resume.
#define CLI_NOT(calls)  ((unsigned)(calls) << 8)
#define CLI_KIND(value) ((value) & (CLI_NOT(1) - 1))
#define CLI_RESUMED     1 // the session has them

// A row of an option table; the file defines AT(member), its offset.
#define CLI_ROW(letter, name, kind, member, argument, help)                                        \
    {                                                                                              \
        letter, name, kind, AT(member), argument, help                                             \
    }

// The kind of operands, for completion.
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
    const void *defaults; // for the options' struct, `size` bytes
    size_t size;
    const char *more; // text after the options, "" for none
    enum cli_operands operands;
    const char *words; // "this|that"
    // With CLI_OPERANDS_TESTS, once a word is begun: the name at an index, NULL after the last.
    const char *(*name_at)(size_t index, void *user);
    // Behind the first operand leaves other words than its options, also --help, unchanged among
    // the operands: they belong to another subcommand.
    bool forwards;
    // With CLI_OPERANDS_TESTS: whether, with these options, it reads files of litmus tests itself.
    bool (*reads_files)(const void *chosen);
};

// Adds to the catalogue what patterns of tests in operands and options name and is not built in:
// files (krn_files_take), and kernels in a store (the one of --db and --session, of --from and
// --missing, or litmus.db). All subcommands call it. Replaces ids and files by names.
bool cli_tests_take(const struct cli_syntax *syntax, void *chosen, struct lit_list *operands,
                    struct lit_error *error);

// Its options, their struct, and defaults that are not 0.
#define CLI_OPTIONS(table, type, ...)                                                              \
    .options = (table), .count = sizeof(table) / sizeof *(table),                                  \
    .defaults = &(const type){__VA_ARGS__}, .size = sizeof(type)

enum cli_outcome {
    CLI_PARSED,
    CLI_HELP,  // --help was given
    CLI_WRONG, // the error says what, with the nearest name for an unknown option
};

// Parses argv[1] and so on. Every table also has --help. `target` is the options' struct; it must
// hold the defaults. *given, if not NULL, gets a bit for each option that was given (at most 64).
enum cli_outcome cli_parse(const struct cli_syntax *syntax, int argc, char **argv, void *target,
                           struct lit_list *operands, uint64_t *given, struct lit_error *error);

// Whether an option was given, by the bits from cli_parse.
bool cli_is_given(const struct cli_syntax *syntax, uint64_t given, const char *name);

// False with an error if an option was given that is meaningless for one of these calls: "--NAME
// WHY", with whys[i] for bit i.
bool cli_calls_check(const struct cli_syntax *syntax, uint64_t given, unsigned calls,
                     const char *const *whys, struct lit_error *error);
#define CLI_WHY_RESUMED "cannot be given: --resume uses the session's options"

// Appends the help text.
void cli_help_text(const struct cli_syntax *syntax, struct text *text);
// An option by its number, --help after those of the table, then NULL; and by a word's first
// characters, "--name" or "-n", NULL if there is none.
const struct cli_option *cli_option_at(const struct cli_syntax *syntax, size_t index);
const struct cli_option *cli_option_find(const struct cli_syntax *syntax, const char *word,
                                         size_t length);

// The subcommands, error output, and what the terminal supports.

// A subcommand's call.
struct cli_call {
    int argc;
    char **argv;              // argv[0] is its name; `litmus --all` comes unchanged
    void *chosen;             // the struct that its options filled
    struct lit_list operands; // without a syntax, operands are only in argv
    uint64_t given;           // a bit for each option that was given
    const char *test;         // of cli_start_with, or NULL
    struct lit_error error;   // what CLI_FAILED prints
    struct text out;          // printed at the end unless it failed
};

// Returns the program's exit code, or CLI_FAILED.
#define CLI_FAILED (-1)
typedef int cli_command_run(struct cli_call *call);
cli_command_run cli_run, cli_advise, cli_list, cli_show, cli_devices, cli_report, cli_history,
    cli_plan, cli_merge, cli_site, cli_store, cli_repro, cli_compare, cli_explain, cli_fuzz,
    cli_tune, cli_isa, cli_kernel, cli_reduce, cli_lint, cli_model, cli_progress, cli_bench,
    cli_version;

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

extern const struct cli_command cli_commands[]; // terminated by an empty name: harness/main.c

// Prints the table of subcommands, or the help of a named one.
int cli_help(struct cli_call *call);
// Serves shell completion: prints candidates for the last word, one per line: the whole word, then
// optionally a tab and a short description. A last line ":files" or ":folders" makes the shell add
// names of files. Prints nothing if nothing can follow.
int cli_complete(struct cli_call *call);
// NULL if there is none of that name.
const struct cli_command *cli_command_find(const char *name);
// Parses a subcommand's command line and runs it, or prints its help or the error. Returns the exit
// code.
int cli_start(const char *name, int argc, char **argv);
// The same, with one more test: if the subcommand takes tests, none of its words names a
// configuration of this one, and no session is resumed, which has its own.
int cli_start_with(const char *name, int argc, char **argv, const char *test);

// Option values of litmus list by number, NULL after the last; ignores `user`.
const char *cli_family_at(size_t index, void *user);
const char *cli_expectation_at(size_t index, void *user);
const char *cli_feature_at(size_t index, void *user);
