// SPDX-License-Identifier: Apache-2.0
// Reads command lines by the tables of options, and describes these.
#include "catalogue/catalogue.h"
#include "cli/cli.h"

#include <errno.h>
#include <math.h>

const struct cli_option *cli_option_at(const struct cli_syntax *syntax, size_t index)
{
    static const struct cli_option help = {'h', "help", CLI_FLAG, 0, NULL, "print this"};
    return index < syntax->count ? &syntax->options[index] : index == syntax->count ? &help : NULL;
}

static const char *name_at(size_t index, void *user)
{
    const struct cli_option *option = cli_option_at(user, index);
    return option ? option->name : NULL;
}

const struct cli_option *cli_option_find(const struct cli_syntax *syntax, const char *word,
                                         size_t length)
{
    const struct cli_option *option;
    for (size_t i = 0; (option = cli_option_at(syntax, i)); i++)
        if (length == 2 ? word[0] == '-' && option->letter && word[1] == option->letter
                        : strlen(option->name) + 2 == length && strncmp(word, "--", 2) == 0 &&
                              strncmp(word + 2, option->name, length - 2) == 0)
            break;
    return option;
}

// The only option whose name begins so; NULL if there are none or several.
static const struct cli_option *find_beginning(const struct cli_syntax *syntax, const char *name,
                                               size_t length)
{
    const struct cli_option *found = NULL, *option;
    size_t count = 0;
    for (size_t i = 0; (option = cli_option_at(syntax, i)); i++)
        if (strncmp(option->name, name, length) == 0 && count++ == 0)
            found = option;
    return count == 1 ? found : NULL;
}

// --- Values

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
    for (*choice = 0;; ++*choice) {
        const size_t length = strcspn(words, "|");
        if (length == strlen(text) && strncmp(words, text, length) == 0)
            return true;
        if (!words[length])
            return false;
        words += length + 1;
    }
}

static bool parse_value(const struct cli_option *option, const char *value, void *target)
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

// Stores a value in the options' struct. False with an error that says what is expected.
static bool store_value(const struct cli_option *option, const char *value, void *target,
                        struct lit_error *error)
{
    static const char *const wanted[CLI_CHOICE + 1] = {
        [CLI_COUNT] = "a number, 1 or more",
        [CLI_SECONDS] = "a time: 30, 90s, 5m, 2h",
        [CLI_RATE] = "a rate above 0 and below 1: 0.001, 1e-3",
        [CLI_SEED] = "a number, e.g. 24301 or 0x5eed",
        [CLI_CHOICE] = "one of these words",
    };
    const unsigned kind = CLI_KIND(option->kind);
    const bool choice = kind == CLI_CHOICE;
    return parse_value(option, value, target) ||
           lit_fail(error, LIT_EXIT_USAGE, "--%s '%.80s': expected %s%s%s%s", option->name, value,
                    wanted[kind] ? wanted[kind] : "a value", choice ? " (" : "",
                    choice ? option->argument : "", choice ? ")" : "");
}

// --- Words

struct parsing {
    const struct cli_syntax *syntax;
    void *target;
    uint64_t given;
    bool help;
    bool others; // words of another subcommand may follow
    struct lit_error *error;
};

static bool store(struct parsing *p, const struct cli_option *option, const char *value)
{
    p->help = option == cli_option_at(p->syntax, p->syntax->count);
    if (p->help)
        return true;
    p->given |= UINT64_C(1) << (option - p->syntax->options);
    return store_value(option, value, p->target, p->error);
}

static bool fail_unknown(const struct parsing *p, const char *name, size_t length)
{
    OWNED(text_free) struct text unknown = {0}, hint = {0};
    text_append(&unknown, name, length);
    text_suggest(&hint, unknown.data, name_at, (void *)p->syntax);
    if (!hint.length)
        text_printf(&hint, "; see 'litmus help %s'", p->syntax->name);
    return lit_fail(p->error, LIT_EXIT_USAGE, "unknown option '--%.80s'%s", unknown.data,
                    hint.data);
}

// Takes "--name", "--name value" or "--name=value". Returns how many words it took, 0 for none of
// this command's, -1 with an error.
static int take_name(struct parsing *p, const char *word, const char *next)
{
    const size_t length = strcspn(word, "=");
    const struct cli_option *option = cli_option_find(p->syntax, word, length);
    if (p->others && (!option || option == cli_option_at(p->syntax, p->syntax->count)))
        return 0;
    option = option ? option : find_beginning(p->syntax, word + 2, length - 2);
    const char *value = word[length] ? word + length + 1 : NULL;
    if (!option)
        return fail_unknown(p, word + 2, length - 2), -1;
    const bool apart = option->argument && !value;
    if (option->argument ? !value && !next : value != NULL)
        return lit_fail(p->error, LIT_EXIT_USAGE, "--%s %s value", option->name,
                        value ? "takes no" : "needs a"),
               -1;
    return store(p, option, apart ? next : value) ? 1 + apart : -1;
}

// Takes letters: "-qv", "-n value", "-nvalue". Returns the same.
static int take_letters(struct parsing *p, const char *word, const char *next)
{
    for (const char *at = word + 1; *at && !p->help; at++) {
        const struct cli_option *option = cli_option_find(p->syntax, (char[]){'-', *at, 0}, 2);
        if (!option)
            return lit_fail(p->error, LIT_EXIT_USAGE, "unknown option '-%c'; see 'litmus help %s'",
                            *at, p->syntax->name),
                   -1;
        if (option->argument && !at[1] && !next)
            return lit_fail(p->error, LIT_EXIT_USAGE, "-%c needs a value", *at), -1;
        if (!store(p, option, at[1] ? at + 1 : next))
            return -1;
        if (option->argument)
            return at[1] ? 1 : 2;
    }
    return 1;
}

enum cli_outcome cli_parse(const struct cli_syntax *syntax, int argc, char **argv, void *target,
                           struct lit_list *operands, uint64_t *given, struct lit_error *error)
{
    struct parsing p = {.syntax = syntax, .target = target, .error = error};
    OWNED(lit_free) char **others = lit_alloc((size_t)argc + 1, sizeof *others);
    int own = 1, count = 0;
    bool ended = false;
    for (int i = 1, taken; i < argc; i += taken ? taken : 1) {
        const char *word = argv[i], *next = i + 1 < argc ? argv[i + 1] : NULL;
        const bool is_name = strncmp(word, "--", 2) == 0, ends = is_name && !word[2];
        p.others = syntax->forwards && count;
        if (ended || word[0] != '-' || !word[1] || (p.others && (!is_name || ends)))
            taken = 0;
        else if (ends)
            taken = ended = true;
        else
            taken = is_name ? take_name(&p, word, next) : take_letters(&p, word, next);
        if (taken < 0)
            return CLI_WRONG;
        if (p.help)
            return CLI_HELP;
        if (!taken)
            others[count++] = argv[i];
        for (int k = 0; k < taken; k++)
            argv[own++] = argv[i + k];
    }
    for (int i = 0; i < count; i++) {
        argv[own + i] = others[i];
        lit_list_add(operands, syntax->operands == CLI_OPERANDS_TESTS ? cat_pattern(others[i])
                                                                      : lit_strdup(others[i]));
    }
    if (given)
        *given = p.given;
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

// --- The help of a subcommand

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
