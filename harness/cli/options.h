// SPDX-License-Identifier: Apache-2.0
// Command line options: one table for each subcommand, which both drives getopt_long and prints the
// help.
#pragma once

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cli_list {
    const char **items;
    size_t count;
};
void cli_list_add(struct cli_list *list, const char *item); // copies the item
void cli_list_clear(struct cli_list *list);

struct cli_seed {
    bool given;
    uint64_t value;
};

// What an option's value becomes in the struct that its table fills.
enum cli_kind {
    CLI_FLAG,    // bool, true if given
    CLI_MORE,    // int, how often it was given
    CLI_COUNT,   // uint64_t, 1 or more, decimal; commas may stand between the digits
    CLI_SECONDS, // double, more than 0; a number with s, m or h behind it, or none for seconds
    CLI_RATE,    // double, above 0 and below 1: 0.001, 1e-3
    CLI_SEED,    // struct cli_seed, decimal or 0x and hexadecimal
    CLI_TEXT,    // const char *
    CLI_LIST,    // struct cli_list, one item each time it is given
    CLI_CHOICE,  // int, the number of the word among those of `argument`: "auto|always|never"
};

struct cli_option {
    char letter;      // 0: none
    const char *name; // without "--"
    enum cli_kind kind;
    size_t at;            // offset in the struct
    const char *argument; // what the help calls the value; NULL for those without
    const char *help;
};

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
    const char *more; // text behind the options, "" for none
    enum cli_operands operands;
    const char *words; // "this|that"
};

enum cli_outcome {
    CLI_PARSED,
    CLI_HELP,  // --help was given
    CLI_WRONG, // the error says what, with the nearest name if an option is unknown
};

// Parses argv[1] and so on. Every table has --help besides its own options. `target` is the struct
// that the options fill; it holds the defaults before. *given, if not NULL, gets a bit for each
// option of the table that was there (at most 64).
enum cli_outcome cli_parse(const struct cli_syntax *syntax, int argc, char **argv, void *target,
                           struct cli_list *operands, uint64_t *given, struct lit_error *error);

// Appends the help text.
void cli_help_text(const struct cli_syntax *syntax, struct text *text);

// Appends `, did you mean 'NAME'?` for the names that are near to `word`, or nothing if none is.
void cli_suggest(struct text *text, const char *word,
                 const char *(*name_at)(size_t index, void *user), void *user);
