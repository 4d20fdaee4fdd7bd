// SPDX-License-Identifier: Apache-2.0
// Parses and describes options from their tables.

#include "catalogue/catalogue.h"
#include "cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OPTIONS_MAX 64
#define FIRST_LONG  256 // getopt_long's value for a table's first option

// Values

static bool parse_count(const char *text, uint64_t *count)
{
    uint64_t value = 0;
    for (const char *c = text; *c; c++) {
        if (*c == ',' && c > text && c[1])
            continue;
        if (*c < '0' || *c > '9' || value > 100000000000000u)
            return false;
        value = value * 10 + (uint64_t)(*c - '0');
    }
    *count = value;
    return value > 0;
}

static bool parse_seconds(const char *text, double *seconds)
{
    char *end;
    double value = strtod(text, &end);
    double unit = 1;
    if (end == text)
        return false;
    if (*end == 's' || *end == 'm' || *end == 'h')
        unit = *end == 's' ? 1 : *end == 'm' ? 60 : 3600, end++;
    *seconds = value * unit;
    return *end == '\0' && isfinite(*seconds) && *seconds > 0 && *seconds < 1e9;
}

static bool parse_rate(const char *value, double *rate)
{
    char *end = NULL;
    // No sign, no hexadecimal, no "nan".
    if (strspn(value, "0123456789.e-") != strlen(value) || !strchr("0123456789.", value[0]))
        return false;
    *rate = strtod(value, &end);
    return *end == '\0' && *rate > 0 && *rate < 1;
}

static bool parse_seed(const char *text, struct lit_seed *seed)
{
    bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = hexadecimal ? text + 2 : text;
    const char *allowed = hexadecimal ? "0123456789abcdefABCDEF" : "0123456789";
    if (!digits[0] || digits[strspn(digits, allowed)])
        return false;
    errno = 0;
    seed->value = strtoull(digits, NULL, hexadecimal ? 16 : 10);
    seed->given = true;
    return errno == 0;
}

static bool parse_choice(const char *text, const char *words, int *choice)
{
    size_t length = strlen(text);
    for (int i = 0; words; i++) {
        if (length > 0 && strncmp(words, text, length) == 0 &&
            (words[length] == '|' || words[length] == '\0')) {
            *choice = i;
            return true;
        }
        words = strchr(words, '|');
        words += words ? 1 : 0;
    }
    return false;
}

static bool store_value(const struct cli_option *option, const char *value, void *target)
{
    void *place = (char *)target + option->at;
    switch ((enum cli_kind)CLI_KIND(option->kind)) {
    case CLI_FLAG:
        *(bool *)place = true;
        return true;
    case CLI_MORE:
        ++*(int *)place;
        return true;
    case CLI_COUNT:
        return parse_count(value, place);
    case CLI_SECONDS:
        return parse_seconds(value, place);
    case CLI_RATE:
        return parse_rate(value, place);
    case CLI_SEED:
        return parse_seed(value, place);
    case CLI_TEXT:
        *(const char **)place = value;
        return value[0] != '\0';
    case CLI_LIST:
        lit_list_add(place, lit_strdup(value));
        return value[0] != '\0';
    case CLI_TEST:
        lit_keep(*(char **)place = cat_pattern(value));
        return value[0] != '\0';
    case CLI_TESTS:
        lit_list_add(place, cat_pattern(value));
        return value[0] != '\0';
    case CLI_CHOICE:
        return parse_choice(value, option->argument, place);
    }
    return false;
}

static const char *wanted(unsigned kind)
{
    static const char *const values[CLI_CHOICE + 1] = {
        [CLI_COUNT] = "a number, 1 or more",
        [CLI_SECONDS] = "a time: 30, 90s, 5m, 2h",
        [CLI_RATE] = "a rate above 0 and below 1: 0.001, 1e-3",
        [CLI_SEED] = "a seed, e.g. 24301 or 0x5eed",
        [CLI_CHOICE] = "one of these words",
    };
    return values[kind] ? values[kind] : "a value";
}

// Suggestions

static const char *option_at(size_t index, void *user)
{
    const struct cli_syntax *syntax = user;
    if (index == syntax->count)
        return "help";
    return index < syntax->count ? syntax->options[index].name : NULL;
}

// Explains why getopt_long refused an option. `word` is the last one it looked at. optopt is 0 for
// an unknown long option, else its number from the table. Some implementations use one reply for
// both errors, so look for `=` to detect a value.
static void explain(const struct cli_syntax *syntax, int reply, const char *word,
                    struct lit_error *error)
{
    size_t known = optopt >= FIRST_LONG ? (size_t)(optopt - FIRST_LONG) : syntax->count;
    const char *name = known < syntax->count ? syntax->options[known].name : "help";
    if (optopt >= FIRST_LONG) {
        lit_fail(error, LIT_EXIT_USAGE, "--%s %s value", name,
                 strchr(word, '=') ? "takes no" : "needs a");
        return;
    }
    if (optopt) {
        lit_fail(error, LIT_EXIT_USAGE,
                 reply == ':' ? "-%c needs a value" : "unknown option '-%c'; see 'litmus help %s'",
                 optopt, syntax->name);
        return;
    }
    OWNED(text_free) struct text hint = {0};
    OWNED(lit_free) char *unknown = lit_strdup(strncmp(word, "--", 2) == 0 ? word + 2 : word);
    unknown[strcspn(unknown, "=")] = '\0';
    text_suggest(&hint, unknown, option_at, (void *)syntax);
    if (!hint.length)
        text_printf(&hint, "; see 'litmus help %s'", syntax->name);
    lit_fail(error, LIT_EXIT_USAGE, "unknown option '--%.80s'%s", unknown, hint.data);
}

// Parsing

static void make_getopt_tables(const struct cli_syntax *syntax, struct option *longs, char *letters)
{
    *letters++ = ':';
    *letters++ = 'h';
    for (size_t i = 0; i < syntax->count; i++) {
        const struct cli_option *option = &syntax->options[i];
        longs[i] = (struct option){.name = option->name,
                                   .has_arg = option->argument ? required_argument : no_argument,
                                   .val = FIRST_LONG + (int)i};
        if (option->letter)
            *letters++ = option->letter;
        if (option->letter && option->argument)
            *letters++ = ':';
    }
    longs[syntax->count] = (struct option){
        .name = "help", .has_arg = no_argument, .val = FIRST_LONG + (int)syntax->count};
    longs[syntax->count + 1] = (struct option){0};
    *letters = '\0';
}

static size_t option_of(const struct cli_syntax *syntax, int reply)
{
    if (reply >= FIRST_LONG)
        return (size_t)(reply - FIRST_LONG);
    size_t i = 0;
    while (syntax->options[i].letter != reply)
        i++;
    return i;
}

// Moves the words of this table's options to the front, in order. Returns how many words these are,
// including the subcommand.
static int split(const struct cli_syntax *syntax, int argc, char **argv)
{
    char **words = lit_alloc((size_t)argc + 1, sizeof *words);
    int own = 1, others = 0;
    for (int i = 1; i < argc; i++) {
        const bool is_option = strncmp(argv[i], "--", 2) == 0;
        const size_t length = is_option ? strcspn(argv[i] + 2, "=") : 0;
        const struct cli_option *found = NULL;
        for (size_t o = 0; o < syntax->count && length; o++)
            if (strlen(syntax->options[o].name) == length &&
                strncmp(syntax->options[o].name, argv[i] + 2, length) == 0)
                found = &syntax->options[o];
        const bool help = !others && (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0);
        if (!found && !help) {
            words[others++] = argv[i];
            continue;
        }
        argv[own++] = argv[i];
        if (found && found->argument && !argv[i][2 + length] && i + 1 < argc)
            argv[own++] = argv[++i];
    }
    for (int i = 0; i < others; i++)
        argv[own + i] = words[i];
    free(words);
    return own;
}

enum cli_outcome cli_parse(const struct cli_syntax *syntax, int argc, char **argv, void *target,
                           struct lit_list *operands, uint64_t *given, struct lit_error *error)
{
    struct option longs[OPTIONS_MAX + 2];
    char letters[2 * OPTIONS_MAX + 3];
    int reply;
    make_getopt_tables(syntax, longs, letters);
    opterr = 0;
    optind = 0; // glibc: restart
    const int count = argc;
    if (syntax->forwards)
        argc = split(syntax, argc, argv);
    if (given)
        *given = 0;
    for (;;) {
        optopt = 0;
        reply = getopt_long(argc, argv, letters, longs, NULL);
        if (reply == -1)
            break;
        if (reply == 'h' || reply == FIRST_LONG + (int)syntax->count)
            return CLI_HELP;
        if (reply == '?' || reply == ':') {
            explain(syntax, reply, argv[optind - 1], error);
            return CLI_WRONG;
        }
        size_t index = option_of(syntax, reply);
        const struct cli_option *option = &syntax->options[index];
        if (!store_value(option, optarg, target)) {
            const unsigned kind = CLI_KIND(option->kind);
            lit_fail(error, LIT_EXIT_USAGE, "--%s '%.80s': expected %s%s%s%s", option->name, optarg,
                     wanted(kind), kind == CLI_CHOICE ? " (" : "",
                     kind == CLI_CHOICE ? option->argument : "", kind == CLI_CHOICE ? ")" : "");
            return CLI_WRONG;
        }
        if (given)
            *given |= (uint64_t)1 << index;
    }
    for (int i = optind; i < count; i++)
        lit_list_add(operands, syntax->operands == CLI_OPERANDS_TESTS ? cat_pattern(argv[i])
                                                                      : lit_strdup(argv[i]));
    return CLI_PARSED;
}

bool cli_is_given(const struct cli_syntax *syntax, uint64_t given, const char *name)
{
    size_t i = 0;
    while (strcmp(syntax->options[i].name, name) != 0)
        i++;
    return given >> i & 1;
}

bool cli_calls_check(const struct cli_syntax *syntax, uint64_t given, unsigned calls,
                     const char *const *whys, struct lit_error *error)
{
    for (size_t i = 0; i < syntax->count; i++)
        for (unsigned bit = 0; given >> i & 1 && calls >> bit; bit++)
            if (calls & syntax->options[i].kind / CLI_NOT(1) & 1u << bit)
                return lit_fail(error, LIT_EXIT_USAGE, "--%s %s", syntax->options[i].name,
                                whys[bit]);
    return true;
}

// Help

#define HELP_COLUMN 26
#define COLUMNS     100

static void help_line(struct text *text, char letter, const char *name, const char *argument,
                      const char *help)
{
    struct text left = {0};
    if (letter)
        text_printf(&left, "  -%c, --%s", letter, name);
    else
        text_printf(&left, "      --%s", name);
    if (argument)
        text_printf(&left, " %s", argument);
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
    // Print a help text of several lines below its first.
    while (*help) {
        size_t length = strcspn(help, "\n");
        if (column + 2 > HELP_COLUMN) {
            text_puts(text, "\n");
            column = 0;
        }
        text_printf(text, "%*s%.*s\n", (int)(HELP_COLUMN - column), "", (int)length, help);
        help += length + (help[length] == '\n');
        column = 0;
    }
    text_free(&left);
}

void cli_help_text(const struct cli_syntax *syntax, struct text *text)
{
    text_printf(text, "usage: litmus %s %s\n\n%s\n\n", syntax->name, syntax->usage, syntax->about);
    for (size_t i = 0; i < syntax->count; i++) {
        const struct cli_option *option = &syntax->options[i];
        help_line(text, option->letter, option->name, option->argument, option->help);
    }
    help_line(text, 'h', "help", NULL, "print this");
    if (syntax->more[0])
        text_printf(text, "\n%s", syntax->more);
}
