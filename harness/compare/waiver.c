// SPDX-License-Identifier: Apache-2.0
// Reads waivers and deqp-runner's lists.
#include "compare/waiver.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES ((size_t)16 << 20)
#define MOST_LINE  4096
#define MOST_REGEX 1024
#define MOST_DEPTH 20 // of parentheses

struct place {
    const char *file;
    size_t line;
    struct lit_error *error;
};

__attribute__((format(printf, 2, 3))) static bool bad_line(const struct place *place,
                                                           const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return lit_fail(place->error, LIT_EXIT_USAGE, "%.200s:%zu: %s", place->file, place->line, text);
}

static struct compare_waiver *add(struct compare_waivers *waivers, enum compare_list list,
                                  const struct place *place, const char *pattern, size_t length)
{
    waivers->items = lit_realloc(waivers->items, waivers->count + 1, sizeof *waivers->items);
    struct compare_waiver *waiver = &waivers->items[waivers->count++];
    *waiver = (struct compare_waiver){.list = list,
                                      .file = lit_strdup(place->file),
                                      .line = place->line,
                                      .pattern = lit_alloc(length + 1, 1),
                                      .url = lit_strdup("")};
    memcpy(waiver->pattern, pattern, length);
    return waiver;
}

// Waivers

static bool is_url(const char *text)
{
    const char *rest = strncmp(text, "https://", 8) == 0  ? text + 8
                       : strncmp(text, "http://", 7) == 0 ? text + 7
                                                          : "";
    for (const char *c = text; *c; c++)
        if (*c <= ' ' || *c > '~' || strchr("\"<>\\^`{|}", *c))
            return false;
    return rest[0] && rest[0] != '/' && strcspn(rest, "/?#") > 0;
}

static char *next_word(char **rest)
{
    char *word = *rest + strspn(*rest, " \t");
    if (!*word || *word == '#')
        return NULL;
    *rest = word + strcspn(word, " \t");
    if (**rest)
        *(*rest)++ = '\0';
    return word;
}

static bool parse_waiver(struct compare_waivers *waivers, char *line, const struct place *place)
{
    char *rest = line;
    const char *pattern = next_word(&rest), *url = next_word(&rest), *word;
    if (!url)
        return bad_line(place, "a waiver needs the URL of its bug after the pattern");
    if (strcmp(url, COMPARE_URL_PLACEHOLDER) == 0)
        return bad_line(place, "fill in the URL of the bug");
    if (!is_url(url))
        return bad_line(place, "'%.80s' is not a URL (https://...)", url);
    if (pattern[0] == '!')
        return bad_line(place, "! is not supported in a waiver");
    struct compare_waiver *waiver = add(waivers, COMPARE_WAIVERS, place, pattern, strlen(pattern));
    free(waiver->url);
    waiver->url = lit_strdup(url);
    waiver->excuses = COMPARE_EXCUSE_ALL;
    while ((word = next_word(&rest))) {
        if (strncmp(word, "until=", 6) != 0)
            return bad_line(place, "unexpected '%.80s'; a comment begins with #", word);
        if (waiver->until[0])
            return bad_line(place, "until= is given twice");
        if (!text_is_date(word + 6))
            return bad_line(place, "'%.40s' is not a date: until=YYYY-MM-DD", word + 6);
        snprintf(waiver->until, sizeof waiver->until, "%s", word + 6);
    }
    return true;
}

// deqp-runner's lists

static bool parse_fail(struct compare_waivers *waivers, char *line, const struct place *place)
{
    static const struct {
        const char *name;
        unsigned excuses;
    } statuses[] = {
        {"Fail", COMPARE_EXCUSE_RATE},
        {"ExpectedFail", COMPARE_EXCUSE_RATE},
        {"Flake", COMPARE_EXCUSE_RATE},
        {"KnownFlake", COMPARE_EXCUSE_RATE},
        {"Crash", COMPARE_EXCUSE_RATE | COMPARE_EXCUSE_CRASH},
        {"Timeout", COMPARE_EXCUSE_RATE | COMPARE_EXCUSE_HANG},
        {"Skip", COMPARE_EXCUSE_SKIP},
        {"Missing", COMPARE_EXCUSE_OPEN},
        {"Pass", 0},
        {"Warn", 0},
        {"UnexpectedPass", 0},
        {"UnexpectedImprovement(Pass)", 0},
        {"UnexpectedImprovement(Skip)", 0},
        {"UnexpectedImprovement(Fail)", COMPARE_EXCUSE_RATE},
        {"UnexpectedImprovement(Warn)", 0},
    };
    // A configuration's name has commas itself.
    char *comma = strrchr(line, ',');
    if (!comma || comma == line)
        return bad_line(place, "expected TEST,STATUS");
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        if (strcmp(comma + 1, statuses[i].name) != 0)
            continue;
        struct compare_waiver *waiver =
            add(waivers, COMPARE_DEQP_FAILS, place, line, (size_t)(comma - line));
        waiver->excuses = statuses[i].excuses;
        return true;
    }
    return bad_line(place, "unknown status '%.40s' (Fail, Crash, Timeout, Skip, Flake, ...)",
                    comma + 1);
}

// What POSIX's extended syntax does not have, or what costs without bound. NULL if it is fine.
static const char *check_regex(const char *text)
{
    int depth = 0, deepest = 0;
    bool set = false;
    if (strlen(text) > MOST_REGEX)
        return "too long";
    for (const char *c = text; *c; c++) {
        if (*c == '\\' && (!c[1] || strchr("0123456789", c[1])))
            return "references are not supported";
        if (*c == '\\' && ((c[1] >= 'a' && c[1] <= 'z') || (c[1] >= 'A' && c[1] <= 'Z')))
            return "classes like \\d are not supported; write [0-9]";
        if (*c == '\\' && !set) {
            c++;
            continue;
        }
        if (set || *c == '[') {
            set = *c != ']' || c[-1] == '[' || (c[-1] == '^' && c[-2] == '[');
            continue;
        }
        depth += (*c == '(') - (*c == ')');
        deepest = depth > deepest ? depth : deepest;
        if (*c == '{')
            return "repetition by {} is not supported";
        if (*c == '?' && c > text && strchr("*+?", c[-1]) && (c - 1 == text || c[-2] != '\\'))
            return "lazy repetition is not supported";
        if (*c == '(' && c[1] == '?')
            return "groups with (? are not supported";
    }
    return deepest > MOST_DEPTH ? "too many parentheses" : NULL;
}

static bool parse_regex(struct compare_waivers *waivers, enum compare_list list, const char *line,
                        const struct place *place)
{
    const char *problem = check_regex(line);
    if (problem)
        return bad_line(place, "%s", problem);
    struct compare_waiver *waiver = add(waivers, list, place, line, strlen(line));
    waiver->excuses = list == COMPARE_DEQP_SKIPS ? COMPARE_EXCUSE_SKIP : COMPARE_EXCUSE_RATE;
    waiver->needed = compare_regex_needs(line);
    waiver->regex = lit_alloc(1, sizeof *waiver->regex);
    int failed = regcomp(waiver->regex, line, REG_EXTENDED | REG_NOSUB);
    if (failed) {
        char text[128];
        regerror(failed, waiver->regex, text, sizeof text);
        free(waiver->regex);
        waiver->regex = NULL;
        return bad_line(place, "invalid regular expression: %s", text);
    }
    return true;
}

// Lines

static bool parse_line(struct compare_waivers *waivers, enum compare_list list, char *line,
                       const struct place *place)
{
    size_t length = strlen(line);
    while (length > 0 && strchr(" \t\r", line[length - 1]))
        line[--length] = '\0';
    line += strspn(line, " \t");
    if (!*line || *line == '#')
        return true;
    for (const char *c = line; *c; c++)
        if (((unsigned char)*c < ' ' && *c != '\t') || *c == '\x7f')
            return bad_line(place, "a control character");
    if (list == COMPARE_WAIVERS)
        return parse_waiver(waivers, line, place);
    if (list == COMPARE_DEQP_FAILS)
        return parse_fail(waivers, line, place);
    return parse_regex(waivers, list, line, place);
}

bool compare_waivers_parse(struct compare_waivers *waivers, enum compare_list list,
                           const char *bytes, size_t length, const char *file,
                           struct lit_error *error)
{
    struct place place = {file, 0, error};
    size_t at = 0;
    while (at < length) {
        char line[MOST_LINE];
        const char *end = memchr(bytes + at, '\n', length - at);
        size_t size = end ? (size_t)(end - bytes) - at : length - at;
        place.line++;
        if (size >= sizeof line)
            return bad_line(&place, "the line is too long");
        if (memchr(bytes + at, '\0', size))
            return bad_line(&place, "not a text file");
        memcpy(line, bytes + at, size);
        line[size] = '\0';
        if (!parse_line(waivers, list, line, &place))
            return false;
        at += size + 1;
    }
    return true;
}

bool compare_waivers_read(struct compare_waivers *waivers, enum compare_list list, const char *path,
                          struct lit_error *error)
{
    struct text bytes = {0};
    bool good = text_read(&bytes, path, MOST_BYTES);
    if (!good)
        lit_fail(error, LIT_EXIT_USAGE, "%.200s: %s", path, strerror(errno));
    else if (bytes.length > MOST_BYTES)
        good = lit_fail(error, LIT_EXIT_USAGE, "%.200s: too large for a list", path);
    good = good && compare_waivers_parse(waivers, list, bytes.data, bytes.length, path, error);
    text_free(&bytes);
    return good;
}

void compare_waivers_clear(struct compare_waivers *waivers)
{
    for (size_t i = 0; i < waivers->count; i++) {
        struct compare_waiver *waiver = &waivers->items[i];
        free(waiver->file);
        free(waiver->pattern);
        free(waiver->url);
        if (waiver->regex)
            regfree(waiver->regex);
        free(waiver->regex);
        free(waiver->needed);
    }
    free(waivers->items);
    *waivers = (struct compare_waivers){0};
}
