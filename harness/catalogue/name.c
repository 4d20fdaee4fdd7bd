// SPDX-License-Identifier: Apache-2.0
// Names of configurations, both ways, and what patterns select.
#include "catalogue/catalogue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Not by text_printf: names of all configurations are made whenever one is looked for.
static void put_pair(struct text *text, const char *before, const char *name, const char *value)
{
    text_puts(text, before);
    text_puts(text, name);
    text_puts(text, "=");
    text_puts(text, value);
}

void cat_case_name(const struct cat_case *which, struct text *name)
{
    const struct cat_head *head = &which->test->head;
    text_puts(name, head->name);
    for (size_t i = 0; i < head->axis_count; i++)
        put_pair(name, i ? "," : "/", head->axes[i].name, head->axes[i].values[which->axis[i]]);
    for (size_t i = 0; i < head->sweep_count; i++)
        put_pair(name, i ? "," : "@", head->sweeps[i].name,
                 head->sweeps[i].values[which->sweep[i]]);
    if (which->subgroup)
        text_printf(name, "%csubgroup=%u", head->sweep_count ? ',' : '@', which->subgroup);
}

static const char *nearest_test(const char *name)
{
    const char *best = "";
    unsigned least = ~0u;
    for (size_t i = 0; i < cat_test_count(); i++) {
        const char *candidate = cat_test_at(i)->head.name;
        unsigned distance = text_distance(name, candidate);
        if (distance < least) {
            least = distance;
            best = candidate;
        }
    }
    return best;
}

// Takes "name=value" off *s, up to ',' or `stop` or the end. False if it is not of that form.
static bool take_pair(const char **s, char stop, char name[64], char value[64])
{
    size_t equals = strcspn(*s, "=,@/");
    if (!equals || equals > 63 || (*s)[equals] != '=')
        return false;
    memcpy(name, *s, equals);
    name[equals] = '\0';
    *s += equals + 1;
    size_t length = strcspn(*s, ",@/");
    if (!length || length > 63)
        return false;
    memcpy(value, *s, length);
    value[length] = '\0';
    *s += length;
    return !**s || **s == ',' || **s == stop;
}

static int find(char *const *values, size_t count, const char *value)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(values[i], value))
            return (int)i;
    return -1;
}

static bool parse_axes(const char **s, struct cat_case *which, struct lit_error *error)
{
    const struct cat_head *head = &which->test->head;
    for (size_t i = 0; i < head->axis_count; i++) {
        const struct cat_axis *axis = &head->axes[i];
        char name[64], value[64];
        bool ok = **s == (i ? ',' : '/');
        *s += ok;
        if (!ok || !take_pair(s, '@', name, value) || strcmp(name, axis->name))
            return lit_fail(error, LIT_EXIT_USAGE, "%s: expected axis '%s' here: '%.80s'",
                            head->name, axis->name, *s);
        int index = find(axis->values, axis->count, value);
        if (index < 0)
            return lit_fail(error, LIT_EXIT_USAGE, "%s: axis '%s' has no value '%s'", head->name,
                            axis->name, value);
        which->axis[i] = (uint8_t)index;
    }
    return true;
}

static bool parse_sweeps(const char **s, struct cat_case *which, struct lit_error *error)
{
    const struct cat_head *head = &which->test->head;
    for (size_t i = 0; i <= head->sweep_count; i++) {
        const struct cat_sweep *sweep = &head->sweeps[i];
        bool last = i == head->sweep_count;
        const char *wanted = last ? "subgroup" : sweep->name;
        char name[64], value[64];
        if (last && !**s)
            return true; // a name without a subgroup size
        bool ok = **s == (i ? ',' : '@');
        *s += ok;
        if (!ok || !take_pair(s, '@', name, value) || strcmp(name, wanted))
            return lit_fail(error, LIT_EXIT_USAGE, "%s: expected parameter '%s' here: '%.80s'",
                            head->name, wanted, *s);
        if (last) {
            char *end;
            unsigned long size = strtoul(value, &end, 10);
            if (*end || size < 1 || size > 128 || size & (size - 1))
                return lit_fail(error, LIT_EXIT_USAGE, "%s: no subgroup size: '%s'", head->name,
                                value);
            which->subgroup = (uint32_t)size;
            return true;
        }
        int index = find(sweep->values, sweep->count, value);
        if (index < 0)
            return lit_fail(error, LIT_EXIT_USAGE, "%s: parameter '%s' has no value '%s'",
                            head->name, sweep->name, value);
        which->sweep[i] = (uint8_t)index;
    }
    return true;
}

bool cat_case_parse(const char *name, struct cat_case *which, struct lit_error *error)
{
    *which = (struct cat_case){0};
    size_t length = strcspn(name, "/@");
    char test[128];
    if (length >= sizeof test)
        return lit_fail(error, LIT_EXIT_USAGE, "no test '%.80s...'", name);
    memcpy(test, name, length);
    test[length] = '\0';
    which->test = cat_test_find(test);
    if (!which->test)
        return lit_fail(error, LIT_EXIT_USAGE, "no test '%s'; the nearest is '%s'", test,
                        nearest_test(test));
    const char *s = name + length;
    if (!parse_axes(&s, which, error) || !parse_sweeps(&s, which, error))
        return false;
    if (*s)
        return lit_fail(error, LIT_EXIT_USAGE, "%s: unexpected after the name: '%.80s'", test, s);
    for (size_t i = 0; i < which->test->head.without_count; i++)
        if (cat_condition_holds(&which->test->head.without[i].when, which->axis, which->sweep))
            return lit_fail(error, LIT_EXIT_USAGE, "%s: this combination does not exist", name);
    return true;
}

// ---- selection

static const char *body_of(const char *pattern)
{
    return *pattern == '!' ? pattern + 1 : pattern;
}

static bool names_configurations(const char *pattern)
{
    return strpbrk(body_of(pattern), "/@") != NULL;
}

// Whether a pattern without '/' and '@' matches a test: its name, its family, or a glob of either.
static bool matches_test(const char *pattern, const struct cat_test *test)
{
    return text_glob(pattern, test->head.name) || text_glob(pattern, test->head.family);
}

// Follows a pattern along a part of a name. True: go on behind it; false: *may says whether a
// wildcard was met, behind which everything may be, or another character.
static bool follow(const char **pattern, const char *part, bool *may)
{
    while (*part && **pattern == *part) {
        ++*pattern;
        part++;
    }
    *may = !*part || strchr("*?[", **pattern); // the end of the pattern counts as a wildcard
    return !*part;
}

static bool may_match(const char *pattern, const char *test)
{
    bool may;
    follow(&pattern, test, &may);
    return may;
}

// Whether what stands before the first wildcard is the beginning of the case's name, or goes on
// from it: spares making the names of thousands of configurations that cannot match.
static bool may_match_case(const char *pattern, const struct cat_case *which)
{
    const struct cat_head *head = &which->test->head;
    bool may;
    if (!follow(&pattern, head->name, &may))
        return may;
    for (size_t i = 0; i < head->axis_count; i++)
        if (!follow(&pattern, i ? "," : "/", &may) || !follow(&pattern, head->axes[i].name, &may) ||
            !follow(&pattern, "=", &may) ||
            !follow(&pattern, head->axes[i].values[which->axis[i]], &may))
            return may;
    for (size_t i = 0; i < head->sweep_count; i++)
        if (!follow(&pattern, i ? "," : "@", &may) ||
            !follow(&pattern, head->sweeps[i].name, &may) || !follow(&pattern, "=", &may) ||
            !follow(&pattern, head->sweeps[i].values[which->sweep[i]], &may))
            return may;
    return true;
}

// A case's name with the subgroup size and without, made when the first pattern asks for it and not
// for each of thousands.
struct names {
    struct text full, bare;
};

static void names_clear(struct names *names)
{
    text_free(&names->full);
    text_free(&names->bare);
}

// A pattern that names configurations may leave the subgroup size out.
static bool matches_case(const char *pattern, const struct cat_case *which, struct names *names)
{
    if (!may_match_case(pattern, which))
        return false;
    if (!names->full.length) {
        struct cat_case bare = *which;
        bare.subgroup = 0;
        cat_case_name(which, &names->full);
        cat_case_name(&bare, &names->bare);
    }
    return text_glob(pattern, names->full.data) || text_glob(pattern, names->bare.data);
}

bool cat_selection_has(const struct cat_selection *selection, const struct cat_case *which)
{
    bool wide = selection->thorough || !cat_case_is_thorough(which);
    if (!selection->count)
        return wide;
    // If the first pattern excludes, it excludes from everything.
    bool selected = *selection->patterns[0] == '!' && wide;
    struct names names = {0};
    for (size_t i = 0; i < selection->count; i++) {
        const char *pattern = selection->patterns[i], *body = body_of(pattern);
        bool precise = names_configurations(pattern);
        if (precise ? matches_case(body, which, &names) : matches_test(body, which->test))
            selected = pattern[0] != '!' && (precise || wide);
    }
    names_clear(&names);
    return selected;
}

bool cat_selection_narrow(const struct cat_selection *selection, const struct cat_test *test,
                          const char **room, struct cat_selection *narrow)
{
    bool some = !selection->count || *selection->patterns[0] == '!';
    *narrow = (struct cat_selection){.patterns = room, .thorough = selection->thorough};
    for (size_t i = 0; i < selection->count; i++) {
        const char *pattern = selection->patterns[i], *body = body_of(pattern);
        const bool may = names_configurations(pattern) ? may_match(body, test->head.name)
                                                       : matches_test(body, test);
        // The first one stays, because it says what is selected before any pattern matches.
        if (may || i == 0)
            room[narrow->count++] = pattern;
        some = some || (may && *pattern != '!');
    }
    return some;
}

struct search {
    const char *pattern;
    bool found;
};

static void search_case(const struct cat_case *which, void *user)
{
    struct search *search = user;
    struct names names = {0};
    search->found = search->found || matches_case(search->pattern, which, &names);
    names_clear(&names);
}

static const uint32_t sizes[] = {8, 32, 64, 4, 16, 128, 2, 1};

#define SIZES (sizeof sizes / sizeof *sizes)

// A pattern without wildcards is a name, which need not be looked for among all of them.
static bool is_name(const char *pattern)
{
    struct cat_case which;
    struct lit_error error;
    if (strpbrk(pattern, "*?[") || !cat_case_parse(pattern, &which, &error))
        return false;
    if (which.subgroup)
        return !cat_case_repeats(&which);
    for (size_t s = 0; s < SIZES; s++) {
        which.subgroup = sizes[s];
        if (!cat_case_repeats(&which))
            return true;
    }
    return false;
}

bool cat_selection_check(const struct cat_selection *selection, struct lit_error *error)
{
    for (size_t i = 0; i < selection->count; i++) {
        struct search search = {body_of(selection->patterns[i]), false};
        bool precise = names_configurations(search.pattern);
        search.found = precise && is_name(search.pattern);
        for (size_t t = 0; t < cat_test_count() && !search.found; t++) {
            const struct cat_test *test = cat_test_at(t);
            if (!precise)
                search.found = matches_test(search.pattern, test);
            if (!precise || !may_match(search.pattern, test->head.name))
                continue;
            for (size_t s = 0; s < SIZES && !search.found; s++)
                cat_test_each(test, sizes[s], search_case, &search);
        }
        if (search.found)
            continue;
        char test[128];
        size_t length = strcspn(search.pattern, "/@");
        snprintf(test, sizeof test, "%.*s", (int)(length < 100 ? length : 100), search.pattern);
        const struct cat_test *known = cat_test_find(test);
        if (known)
            return lit_fail(
                error, LIT_EXIT_USAGE,
                "test '%s' has no configuration '%s'; 'litmus list --names %s' prints them", test,
                search.pattern, test);
        return lit_fail(error, LIT_EXIT_USAGE, "no test matches '%s'; the nearest is '%s'",
                        search.pattern, nearest_test(test));
    }
    return true;
}
