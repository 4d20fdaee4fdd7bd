// SPDX-License-Identifier: Apache-2.0
// What a regular expression cannot match without. Matching one takes microseconds, and a list of
// ten thousand is held against every configuration: looking for plain text rules nearly all out.
#include "compare/waiver.h"

#include <ctype.h>
#include <string.h>

// Behind a set like [^]a-z] that begins here; the end of the text if it is not closed.
static const char *skip_set(const char *set)
{
    const char *c = set + 1 + (set[1] == '^');
    c += *c == ']';
    while (*c && *c != ']') {
        // [:alpha:] and its like have a bracket of their own.
        const char mark = *c == '[' && c[1] && strchr(":.=", c[1]) ? c[1] : '\0';
        for (c += mark ? 2 : 1; mark && *c && !(c[-1] == mark && *c == ']');)
            c++;
        c += mark && *c;
    }
    return c + (*c != '\0');
}

// Behind a group that begins here.
static const char *skip_group(const char *group)
{
    int depth = 0;
    const char *c = group;
    do {
        depth += (*c == '(') - (*c == ')');
        if (*c == '[')
            c = skip_set(c);
        else
            c += 1 + (c[0] == '\\' && c[1]);
    } while (*c && depth > 0);
    return c;
}

struct needs {
    struct text all;    // as compare_regex_needs has it
    size_t piece;       // where in it the present one begins
    size_t alternative; // likewise
    bool open;          // an alternative needs nothing
};

static void end_piece(struct needs *needs)
{
    if (needs->all.length > needs->piece)
        text_append(&needs->all, "", 1);
    needs->piece = needs->all.length;
}

static void end_alternative(struct needs *needs)
{
    end_piece(needs);
    needs->open |= needs->all.length == needs->alternative;
    text_append(&needs->all, "", 1);
    needs->piece = needs->alternative = needs->all.length;
}

// A character, of which there has to be one, unless the signs behind it say otherwise. Returns the
// place behind these.
static const char *add_plain(struct needs *needs, char c, const char *signs)
{
    const size_t count = strspn(signs, "*?+");
    const size_t sure = strspn(signs, "+");
    if (sure == count && signs[count] != '{')
        text_append(&needs->all, &c, 1);
    if (count > 0 || *signs == '{')
        end_piece(needs);
    return signs + count;
}

char *compare_regex_needs(const char *regex)
{
    struct needs needs = {0};
    for (const char *c = regex; *c;) {
        if (*c == '|') {
            end_alternative(&needs);
            c++;
        } else if (*c == '(' || *c == '[') {
            end_piece(&needs);
            c = *c == '(' ? skip_group(c) : skip_set(c);
        } else if (*c == '\\' && ispunct((unsigned char)c[1]) && !strchr("<>`'", c[1])) {
            c = add_plain(&needs, c[1], c + 2);
        } else if (strchr(".*?+^$)]{}\\", *c)) {
            end_piece(&needs);
            c += 1 + (c[0] == '\\' && c[1]);
        } else {
            c = add_plain(&needs, *c, c + 1);
        }
    }
    end_alternative(&needs);
    text_append(&needs.all, "", 1);
    if (needs.open)
        memset(needs.all.data, 0, 2);
    return needs.all.data;
}

bool compare_regex_may_match(const char *needed, const char *name)
{
    for (bool first = true; first || *needed; first = false) {
        const char *at = name;
        while (*needed) {
            at = at ? strstr(at, needed) : NULL;
            at = at ? at + strlen(needed) : NULL;
            needed += strlen(needed) + 1;
        }
        if (at)
            return true;
        needed++;
    }
    return false;
}
