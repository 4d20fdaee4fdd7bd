// SPDX-License-Identifier: Apache-2.0
// Finds the plain text that a regular expression needs to match. A match takes microseconds, and we
// try a list of ten thousand on every configuration: a search for plain text rules out nearly all.
#include "compare/waiver.h"

#include <ctype.h>
#include <string.h>

// Skips a set like [^]a-z] that begins here; to the end of the text if nothing closes it.
static const char *skip_set(const char *set)
{
    const char *c = set + 1 + (set[1] == '^');
    c += *c == ']';
    while (*c && *c != ']') {
        // [:alpha:] and the like have their own brackets.
        const char mark = *c == '[' && c[1] && strchr(":.=", c[1]) ? c[1] : '\0';
        for (c += mark ? 2 : 1; mark && *c && !(c[-1] == mark && *c == ']');)
            c++;
        c += mark && *c;
    }
    return c + (*c != '\0');
}

// Skips a group that begins here.
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
    struct text all;    // as compare_regex_needs returns it
    size_t piece;       // where the current one begins in it
    size_t alternative; // where the current one begins in it
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

// Adds a character, unless the signs after it make it optional. Returns the end of these signs.
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
