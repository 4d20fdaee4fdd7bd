// SPDX-License-Identifier: Apache-2.0
// Globs and regular expressions.
#include <ctype.h>
#include <fnmatch.h>
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// [...]: whether it contains the character. *end: the position after it; NULL if unterminated.
static bool set_has(const char *set, int character, bool fold, const char **end)
{
    static const struct {
        const char *name;
        int (*has)(int character);
    } classes[] = {{"[:alpha:]", isalpha},   {"[:digit:]", isdigit}, {"[:alnum:]", isalnum},
                   {"[:upper:]", isupper},   {"[:lower:]", islower}, {"[:space:]", isspace},
                   {"[:xdigit:]", isxdigit}, {"[:punct:]", ispunct}, {"[:blank:]", isblank},
                   {"[:print:]", isprint},   {"[:graph:]", isgraph}, {"[:cntrl:]", iscntrl}};
    const char *at = set + 1;
    const bool negated = *at == '!' || *at == '^';
    bool has = false;
    at += negated;
    for (const char *first = at; *at && (*at != ']' || at == first);) {
        size_t class = 0;
        while (class < sizeof classes / sizeof *classes &&
               strncmp(at, classes[class].name, strlen(classes[class].name)) != 0)
            class ++;
        if (class < sizeof classes / sizeof *classes) {
            has |= classes[class].has(character) != 0;
            at += strlen(classes[class].name);
            continue;
        }
        const unsigned char low = (unsigned char)*at;
        const bool range = at[1] == '-' && at[2] && at[2] != ']';
        const unsigned char high = (unsigned char)(range ? at[2] : *at);
        has |= character >= low && character <= high;
        if (fold)
            has |= (tolower(character) >= low && tolower(character) <= high) ||
                   (toupper(character) >= low && toupper(character) <= high);
        at += range ? 3 : 1;
    }
    *end = *at ? at + 1 : NULL;
    return has != negated;
}

int fnmatch(const char *pattern, const char *string, int flags)
{
    const bool fold = flags & FNM_CASEFOLD;
    const char *star = NULL, *from = NULL;
    while (*string || *pattern == '*') {
        const unsigned char character = (unsigned char)*string;
        const char *end = NULL;
        if (*pattern == '*') {
            star = ++pattern;
            from = string;
            continue;
        }
        bool same = *pattern == '?' || *pattern == *string ||
                    (fold && tolower((unsigned char)*pattern) == tolower(character));
        if (*pattern == '[') {
            const bool has = set_has(pattern, character, fold, &end);
            same = end ? has : same;
        }
        if (same && *pattern) {
            pattern = end ? end : pattern + 1;
            string++;
        } else if (star) {
            pattern = star;
            string = ++from;
        } else {
            return FNM_NOMATCH;
        }
    }
    return *pattern ? FNM_NOMATCH : 0;
}

// --- Regular expressions: follows all alternatives at once, so time is bounded.

enum kind { CHARACTER, ANY, SET, START, END, SPLIT, JUMP, MATCH };

struct regex_step {
    enum kind kind;
    unsigned char character;
    char *set;    // SET: "[...]"
    size_t to[2]; // SPLIT, JUMP
};

struct parse {
    regex_t *regex;
    const char *at;
    bool bad;
};

// Inserts a step at `at`, and shifts the following ones.
static void insert(regex_t *regex, size_t at, struct regex_step step)
{
    struct regex_step *steps = realloc(regex->steps, (regex->count + 1) * sizeof *steps);
    if (!steps)
        abort();
    regex->steps = steps;
    for (size_t i = at; i < regex->count; i++)
        for (int way = 0; way < 2; way++)
            steps[i].to[way] += steps[i].kind == SPLIT || steps[i].kind == JUMP;
    memmove(steps + at + 1, steps + at, (regex->count - at) * sizeof *steps);
    steps[at] = step;
    regex->count++;
}

static void add(regex_t *regex, struct regex_step step)
{
    insert(regex, regex->count, step);
}

static void parse_ways(struct parse *parse);

static void parse_atom(struct parse *parse)
{
    const unsigned char c = (unsigned char)*parse->at;
    const char *end;
    switch (c) {
    case '(':
        parse->at++;
        parse_ways(parse);
        parse->bad |= *parse->at != ')';
        parse->at += *parse->at == ')';
        return;
    case '[':
        set_has(parse->at, 0, false, &end);
        if (!end) {
            parse->bad = true;
            return;
        }
        add(parse->regex,
            (struct regex_step){.kind = SET, .set = strndup(parse->at, (size_t)(end - parse->at))});
        parse->at = end;
        return;
    case '*':
    case '+':
    case '?':
    case '{':
        parse->bad = true;
        return;
    case '\\':
        parse->at++;
        parse->bad |= !*parse->at;
        break;
    default:
        break;
    }
    if (parse->bad)
        return;
    add(parse->regex, (struct regex_step){.kind = c == '.'   ? ANY
                                                  : c == '^' ? START
                                                  : c == '$' ? END
                                                             : CHARACTER,
                                          .character = (unsigned char)*parse->at});
    parse->at++;
}

static void parse_piece(struct parse *parse)
{
    regex_t *regex = parse->regex;
    const size_t start = regex->count;
    parse_atom(parse);
    for (; !parse->bad && *parse->at && strchr("*+?", *parse->at); parse->at++) {
        if (*parse->at == '+') {
            add(regex, (struct regex_step){.kind = SPLIT, .to = {start, regex->count + 1}});
            continue;
        }
        if (*parse->at == '*')
            add(regex, (struct regex_step){.kind = JUMP, .to = {start - 1, start - 1}});
        // The jump goes back to the inserted step.
        insert(regex, start, (struct regex_step){.kind = SPLIT});
        regex->steps[start].to[0] = start + 1;
        regex->steps[start].to[1] = regex->count;
    }
}

static void parse_ways(struct parse *parse)
{
    regex_t *regex = parse->regex;
    const size_t start = regex->count;
    while (!parse->bad && *parse->at && *parse->at != ')' && *parse->at != '|')
        parse_piece(parse);
    if (parse->bad || *parse->at != '|')
        return;
    parse->at++;
    insert(regex, start, (struct regex_step){.kind = SPLIT});
    const size_t jump = regex->count;
    add(regex, (struct regex_step){.kind = JUMP});
    regex->steps[start].to[0] = start + 1;
    regex->steps[start].to[1] = regex->count;
    parse_ways(parse);
    regex->steps[jump].to[0] = regex->steps[jump].to[1] = regex->count;
}

int regcomp(regex_t *regex, const char *pattern, int flags)
{
    struct parse parse = {.regex = regex, .at = pattern};
    (void)flags;
    *regex = (regex_t){0};
    parse_ways(&parse);
    parse.bad |= *parse.at != '\0';
    add(regex, (struct regex_step){.kind = MATCH});
    if (parse.bad)
        regfree(regex);
    return parse.bad ? 2 : 0;
}

// Adds a step, and those reachable from it without a character.
static void reach(const regex_t *regex, bool *reached, size_t step, bool first, bool last)
{
    if (reached[step])
        return;
    reached[step] = true;
    const struct regex_step *s = &regex->steps[step];
    if (s->kind == SPLIT || s->kind == JUMP) {
        reach(regex, reached, s->to[0], first, last);
        reach(regex, reached, s->to[1], first, last);
    } else if ((s->kind == START && first) || (s->kind == END && last)) {
        reach(regex, reached, step + 1, first, last);
    }
}

static bool takes(const struct regex_step *step, unsigned char character)
{
    const char *end;
    return step->kind == ANY || (step->kind == CHARACTER && step->character == character) ||
           (step->kind == SET && set_has(step->set, character, false, &end));
}

int regexec(const regex_t *regex, const char *string, size_t count, regmatch_t *matches, int flags)
{
    (void)count, (void)matches, (void)flags;
    bool *now = calloc(2 * regex->count, sizeof *now), *next = now + regex->count;
    bool found = false;
    if (!now)
        abort();
    for (const char *at = string; !found; at++) {
        reach(regex, now, 0, at == string, !*at);
        found = now[regex->count - 1];
        if (found || !*at)
            break;
        memset(next, 0, regex->count);
        for (size_t i = 0; i < regex->count; i++)
            if (now[i] && takes(&regex->steps[i], (unsigned char)*at))
                reach(regex, next, i + 1, false, !at[1]);
        memcpy(now, next, regex->count);
    }
    free(now);
    return found ? 0 : REG_NOMATCH;
}

size_t regerror(int error, const regex_t *regex, char *text, size_t size)
{
    (void)error, (void)regex;
    return (size_t)snprintf(text, size, "unmatched bracket, nothing to repeat, or an interval {}");
}

void regfree(regex_t *regex)
{
    for (size_t i = 0; i < regex->count; i++)
        free(regex->steps[i].set);
    free(regex->steps);
    *regex = (regex_t){0};
}
