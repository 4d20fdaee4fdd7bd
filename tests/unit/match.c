// SPDX-License-Identifier: Apache-2.0
// The globs and regular expressions of windows/ against those of the C library here: made patterns
// match the same made names.
#include "unit.h"

#include "base/random.h"
#include "base/text.h"

#include <fnmatch.h>
#include <regex.h>

#define PATTERNS 20000
#define NAMES    12 // for each pattern

struct windows_regex {
    void *steps;
    size_t count;
};
int windows_fnmatch(const char *pattern, const char *string, int flags);
int windows_regcomp(struct windows_regex *regex, const char *pattern, int flags);
int windows_regexec(const struct windows_regex *regex, const char *string, size_t count,
                    void *matches, int flags);
void windows_regfree(struct windows_regex *regex);

static char one_of(struct lit_random *random, const char *characters)
{
    return characters[random_below(random, strlen(characters))];
}

static void put_set(struct lit_random *random, struct text *pattern, const char *negation)
{
    static const char *const members[] = {"a", "b", "a-b", "b-d", "[:digit:]", "[:alpha:]"};
    text_puts(pattern, "[");
    if (random_below(random, 3) == 0)
        text_puts(pattern, negation);
    if (random_below(random, 4) == 0)
        text_puts(pattern, "]");
    for (uint64_t count = 1 + random_below(random, 2); count > 0; count--)
        text_puts(pattern, members[random_below(random, 6)]);
    text_puts(pattern, random_below(random, 4) ? "]" : "-]");
}

static void put_name(struct lit_random *random, struct text *name)
{
    for (uint64_t length = random_below(random, 7); length > 0; length--)
        text_append(name, (char[]){one_of(random, "aAbBcd1-.]")}, 1);
}

static void put_glob(struct lit_random *random, struct text *pattern)
{
    for (uint64_t length = random_below(random, 6); length > 0; length--)
        if (random_below(random, 4) == 0)
            put_set(random, pattern, "!");
        else
            text_append(pattern, (char[]){one_of(random, "aAb1-.**??")}, 1);
}

static void put_regex(struct lit_random *random, struct text *pattern, unsigned depth)
{
    for (uint64_t length = 1 + random_below(random, 3); length > 0; length--) {
        switch (random_below(random, depth ? 6 : 4)) {
        case 0:
            put_set(random, pattern, "^");
            break;
        case 1:
            text_puts(pattern, random_below(random, 2) ? "." : "\\.");
            break;
        case 4:
        case 5:
            text_puts(pattern, "(");
            put_regex(random, pattern, depth - 1);
            if (random_below(random, 2)) {
                text_puts(pattern, "|");
                put_regex(random, pattern, depth - 1);
            }
            text_puts(pattern, ")");
            break;
        default:
            text_append(pattern, (char[]){one_of(random, "abAB1-")}, 1);
        }
        if (random_below(random, 3) == 0)
            text_append(pattern, (char[]){one_of(random, "*+?")}, 1);
    }
}

TEST(test_globs)
{
    struct lit_random random = {1};
    unsigned matched = 0;
    for (unsigned i = 0; i < PATTERNS; i++) {
        OWNED(text_free) struct text pattern = {0};
        text_puts(&pattern, "");
        put_glob(&random, &pattern);
        for (unsigned n = 0; n < NAMES; n++) {
            OWNED(text_free) struct text name = {0};
            const int flags = FNM_NOESCAPE | (random_below(&random, 2) ? FNM_CASEFOLD : 0);
            text_puts(&name, "");
            put_name(&random, &name);
            const bool matches = fnmatch(pattern.data, name.data, flags) == 0;
            matched += matches;
            if ((windows_fnmatch(pattern.data, name.data, flags) == 0) != matches)
                fail_msg("'%s' and '%s', flags %d: %d here", pattern.data, name.data, flags,
                         matches);
        }
    }
    assert_in_range(matched, PATTERNS / 10, PATTERNS * NAMES / 2);
}

TEST(test_regular_expressions)
{
    struct lit_random random = {2};
    unsigned matched = 0;
    for (unsigned i = 0; i < PATTERNS; i++) {
        OWNED(text_free) struct text pattern = {0};
        struct windows_regex own;
        regex_t regex;
        text_puts(&pattern, random_below(&random, 3) ? "" : "^");
        put_regex(&random, &pattern, 2);
        text_puts(&pattern, random_below(&random, 3) ? "" : "$");
        assert_int_equal(regcomp(&regex, pattern.data, REG_EXTENDED | REG_NOSUB), 0);
        assert_int_equal(windows_regcomp(&own, pattern.data, REG_EXTENDED | REG_NOSUB), 0);
        for (unsigned n = 0; n < NAMES; n++) {
            OWNED(text_free) struct text name = {0};
            text_puts(&name, "");
            put_name(&random, &name);
            const bool matches = regexec(&regex, name.data, 0, NULL, 0) == 0;
            matched += matches;
            if ((windows_regexec(&own, name.data, 0, NULL, 0) == 0) != matches)
                fail_msg("'%s' and '%s': %d here", pattern.data, name.data, matches);
        }
        regfree(&regex);
        windows_regfree(&own);
    }
    assert_in_range(matched, PATTERNS, PATTERNS * (NAMES - 1));
}

TEST(test_broken_expressions)
{
    static const char *const broken[] = {"(", "a)", "[a", "a|(b", "\\"};
    struct windows_regex interval;
    // Refused, for it does not have them: a character it is not.
    assert_int_not_equal(windows_regcomp(&interval, "a{2}", REG_EXTENDED), 0);
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        struct windows_regex own;
        regex_t regex;
        assert_int_not_equal(windows_regcomp(&own, broken[i], REG_EXTENDED), 0);
        if (strcmp(broken[i], "a)") != 0) // the C library here takes it for a character
            assert_int_not_equal(regcomp(&regex, broken[i], REG_EXTENDED), 0);
    }
}
