// SPDX-License-Identifier: Apache-2.0
// The values of options, and which options were given.

#include "catalogue/catalogue.h"
#include "cli/cli.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static bool store(const struct cli_option *option, const char *value, void *target)
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

bool cli_value_store(const struct cli_option *option, const char *value, void *target,
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
    return store(option, value, target) ||
           lit_fail(error, LIT_EXIT_USAGE, "--%s '%.80s': expected %s%s%s%s", option->name, value,
                    wanted[kind] ? wanted[kind] : "a value", choice ? " (" : "",
                    choice ? option->argument : "", choice ? ")" : "");
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
