// SPDX-License-Identifier: Apache-2.0
// Names of configurations, written and parsed, and selection by patterns.
#include "catalogue/catalogue.h"

#define PAIRS (CAT_MAX_AXES + CAT_MAX_SWEEPS + 1)

// The pairs of a case's name; returns their number. `size` is a buffer for the subgroup size.
static size_t pairs_of(const struct cat_case *which, struct cfg_pair pairs[PAIRS], char size[16])
{
    const struct cat_head *head = &which->test->head;
    size_t count = 0;
    for (size_t i = 0; i < head->axis_count; i++)
        pairs[count++] = (struct cfg_pair){head->axes[i].name, head->axes[i].values[which->axis[i]],
                                           CFG_VARIANT};
    for (size_t i = 0; i < head->sweep_count; i++)
        pairs[count++] = (struct cfg_pair){
            head->sweeps[i].name, head->sweeps[i].values[which->sweep[i]], head->sweeps[i].role};
    snprintf(size, 16, "%u", which->subgroup);
    if (which->subgroup)
        pairs[count++] = (struct cfg_pair){cfg_role_name(CFG_SUBGROUP), size, CFG_SUBGROUP};
    return count;
}

void cat_case_name(const struct cat_case *which, struct text *name)
{
    struct cfg_pair pairs[PAIRS];
    char size[16];
    cfg_print(which->test->head.name, pairs, pairs_of(which, pairs, size), name);
}

// Whether a label omits a value.
static bool is_default(const struct cat_axis *axis, bool variant, const char *value)
{
    return (variant || axis->quick == 1) && strcmp(axis->values[0], value) == 0;
}

void cat_label(const struct cfg *cfg, struct text *label)
{
    const struct cat_test *test = cat_test_find(cfg->test);
    const size_t axes = test ? test->head.axis_count : 0;
    const size_t known = axes + (test ? test->head.sweep_count : 0);
    struct cfg_pair kept[PAIRS];
    size_t count = 0;
    bool same = test && cfg->variant_count == axes &&
                (cfg->param_count == known - axes || cfg->param_count == known - axes + 1);
    for (size_t i = 0; i < axes + cfg->param_count && same; i++) {
        const struct cfg_pair *pair = &cfg->variant[i]; // continues into the parameters
        const struct cat_axis *axis = i < axes ? &test->head.axes[i] : &test->head.sweeps[i - axes];
        same = i < known ? strcmp(pair->key, axis->name) == 0 : pair->role == CFG_SUBGROUP;
        if (same && (i == known || !is_default(axis, i < axes, pair->value)))
            kept[count++] = *pair;
    }
    if (same)
        cfg_print(cfg->test, kept, count, label);
    else
        text_puts(label, cfg->name);
}

void cat_name_shown(const char *name, struct text *shown)
{
    OWNED(cfg_clear) struct cfg cfg = cfg_parse(name);
    char id[CFG_ID_SIZE];
    cfg_id(name, id);
    text_printf(shown, "%s ", id);
    cat_label(&cfg, shown);
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

// Finds the values of the pairs from `at` on, which must have these keys.
static bool take_values(const struct cfg *cfg, size_t at, const char *kind,
                        const struct cat_axis *axes, size_t count, uint8_t *indices,
                        struct lit_error *error)
{
    for (size_t i = 0; i < count; i++, at++) {
        const struct cfg_pair *pair = &cfg->variant[at]; // continues into the parameters
        const char *key = at < cfg->variant_count + cfg->param_count ? pair->key : "";
        if (strcmp(key, axes[i].name) != 0)
            return lit_fail(error, LIT_EXIT_USAGE, "%s: expected %s '%s', not '%.80s'", cfg->test,
                            kind, axes[i].name, key);
        size_t value = 0;
        while (value < axes[i].count && strcmp(axes[i].values[value], pair->value) != 0)
            value++;
        if (value == axes[i].count && strcmp(pair->value, "*") == 0)
            return lit_fail(error, LIT_EXIT_USAGE, "%s: %s '%s' is missing", cfg->test, kind, key);
        if (value == axes[i].count)
            return lit_fail(error, LIT_EXIT_USAGE, "%s: %s '%s' has no value '%.80s'", cfg->test,
                            kind, key, pair->value);
        indices[i] = (uint8_t)value;
    }
    return true;
}

static bool take_subgroup(const struct cfg *cfg, size_t at, uint32_t *subgroup,
                          struct lit_error *error)
{
    char *end;
    *subgroup = 0;
    if (at == cfg->variant_count + cfg->param_count)
        return true; // the name has no subgroup size
    const struct cfg_pair *pair = &cfg->variant[at];
    const unsigned long size = strtoul(pair->value, &end, 10);
    if (pair->role != CFG_SUBGROUP || *end || size < 1 || size > 128 || size & (size - 1))
        return lit_fail(error, LIT_EXIT_USAGE, "%s: not a subgroup size: '%.80s=%.80s'", cfg->test,
                        pair->key, pair->value);
    *subgroup = (uint32_t)size;
    return true;
}

bool cat_case_find(const struct cfg *cfg, struct cat_case *which, struct lit_error *error)
{
    *which = (struct cat_case){0};
    which->test = cat_test_find(cfg->test);
    if (!which->test)
        return lit_fail(error, LIT_EXIT_USAGE, "no test '%.80s'; the nearest is '%s'", cfg->test,
                        nearest_test(cfg->test));
    const struct cat_head *head = &which->test->head;
    const size_t axes = head->axis_count, sweeps = head->sweep_count;
    if (!take_values(cfg, 0, "axis", head->axes, axes, which->axis, error) ||
        !take_values(cfg, axes, "parameter", head->sweeps, sweeps, which->sweep, error) ||
        !take_subgroup(cfg, axes + sweeps, &which->subgroup, error))
        return false;
    // Parsing is lenient: reject a name that differs from the one that its parts make.
    OWNED(text_free) struct text name = {0};
    cat_case_name(which, &name);
    if (strcmp(name.data, cfg->name) != 0)
        return lit_fail(error, LIT_EXIT_USAGE, "%s: not a configuration: '%.300s'", cfg->test,
                        cfg->name);
    for (size_t i = 0; i < head->without_count; i++)
        if (cat_condition_holds(&head->without[i].when, which->axis, which->sweep))
            return lit_fail(error, LIT_EXIT_USAGE, "%.300s: this combination does not exist",
                            cfg->name);
    return true;
}

bool cat_case_parse(const char *name, struct cat_case *which, struct lit_error *error)
{
    OWNED(cfg_clear) struct cfg cfg = cfg_parse(name);
    return cat_case_find(&cfg, which, error);
}

// ---- names from users

// Adds the given pairs in the order of the head, and those missing as a label omits them. Returns
// how many of the given pairs were used.
static size_t complete(const struct cfg_pair *given, size_t given_count, bool variant,
                       const struct cat_axis *axes, size_t count, struct cfg_pair *pairs)
{
    size_t taken = 0;
    for (size_t i = 0; i < count; i++) {
        const char *usual = variant || axes[i].quick == 1 ? axes[i].values[0] : "*";
        pairs[i] = (struct cfg_pair){axes[i].name, usual,
                                     variant ? CFG_VARIANT : cfg_parameter(axes[i].name)};
        size_t g = 0;
        while (g < given_count && strcmp(given[g].key, axes[i].name) != 0)
            g++;
        if (g < given_count) {
            pairs[i].value = given[g].value;
            taken++;
        }
    }
    return taken;
}

// False if part of the name does not belong to the test.
static bool complete_name(const char *given, struct text *whole)
{
    OWNED(cfg_clear) struct cfg cfg = cfg_parse(given);
    const struct cat_test *test = cat_test_find(cfg.test);
    struct cfg_pair pairs[PAIRS];
    bool good = test && cfg_is_precise(given) && !strpbrk(given, "*?[");
    if (good) {
        const struct cat_head *head = &test->head;
        const size_t axes = head->axis_count, all = axes + head->sweep_count;
        const struct cfg_pair *size = NULL;
        for (size_t i = 0; i < cfg.param_count; i++)
            size = cfg.params[i].role == CFG_SUBGROUP ? &cfg.params[i] : size;
        good = complete(cfg.variant, cfg.variant_count, true, head->axes, axes, pairs) ==
                   cfg.variant_count &&
               complete(cfg.params, cfg.param_count, false, head->sweeps, all - axes,
                        pairs + axes) == cfg.param_count - (size != NULL);
        if (size)
            pairs[all] = *size;
        if (good)
            cfg_print(cfg.test, pairs, all + (size != NULL), whole);
    }
    return good;
}

struct id_search {
    const char *id;
    struct text name;
    bool found;
};

static void search_id(const struct cat_case *which, void *user)
{
    struct id_search *search = user;
    char id[CFG_ID_SIZE];
    if (search->found)
        return;
    search->name.length = 0;
    cat_case_name(which, &search->name);
    cfg_id(search->name.data, id);
    search->found = strcmp(id, search->id) == 0;
}

static const uint32_t sizes[] = {8, 32, 64, 4, 16, 128, 2, 1};

#define SIZES (sizeof sizes / sizeof *sizes)

char *cat_pattern(const char *given)
{
    const char *body = given + (*given == '!');
    struct id_search search = {.id = body};
    struct text whole = {0};
    text_append(&whole, given, (size_t)(body - given));
    for (size_t s = 0; s < SIZES && !search.found && cfg_is_id(body); s++)
        for (size_t i = 0; i < cat_test_count() && !search.found; i++)
            cat_test_each(cat_test_at(i), sizes[s], search_id, &search);
    if (search.found)
        text_puts(&whole, search.name.data);
    else if (!complete_name(body, &whole))
        text_puts(&whole, body);
    text_free(&search.name);
    return whole.data;
}

// ---- selection

static const char *body_of(const char *pattern)
{
    return *pattern == '!' ? pattern + 1 : pattern;
}

// Whether a pattern without '/' and '@' matches a test by name, by family or by a glob of either.
static bool matches_test(const char *pattern, const struct cat_test *test)
{
    return text_glob(pattern, test->head.name) || text_glob(pattern, test->head.family);
}

// Matches a pattern against one part of a name. True: the part matched, continue after it. False:
// *may says whether that is because of a wildcard, so that the name may match, or of a mismatch.
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

// Whether the text before the first wildcard is a prefix of the case's name or extends it: avoids
// making the names of thousands of configurations that cannot match.
static bool may_match_case(const char *pattern, const struct cat_case *which)
{
    const struct cat_head *head = &which->test->head;
    const size_t axes = head->axis_count;
    bool may;
    if (!follow(&pattern, head->name, &may))
        return may;
    for (size_t i = 0; i < axes + head->sweep_count; i++) { // subgroup size is optional
        const bool is_axis = i < axes;
        const struct cat_axis *axis = is_axis ? &head->axes[i] : &head->sweeps[i - axes];
        const char *value = axis->values[is_axis ? which->axis[i] : which->sweep[i - axes]];
        const char *mark = i == 0 && axes ? "/" : i == axes ? "@" : ",";
        if (!follow(&pattern, mark, &may) || !follow(&pattern, axis->name, &may) ||
            !follow(&pattern, "=", &may) || !follow(&pattern, value, &may))
            return may;
    }
    return true;
}

// Makes the name only if a pattern needs it, which saves making thousands.
static bool matches_case(const char *pattern, const struct cat_case *which, struct text *name)
{
    if (!may_match_case(pattern, which))
        return false;
    if (!name->length)
        cat_case_name(which, name);
    return cfg_matches(pattern, name->data);
}

bool cat_selection_has(const struct cat_selection *selection, const struct cat_case *which)
{
    bool wide = selection->thorough || !cat_case_is_thorough(which);
    if (!selection->count)
        return wide;
    // If the first pattern excludes, everything else is selected.
    bool selected = *selection->patterns[0] == '!' && wide;
    OWNED(text_free) struct text name = {0};
    for (size_t i = 0; i < selection->count; i++) {
        const char *pattern = selection->patterns[i], *body = body_of(pattern);
        bool precise = cfg_is_precise(body_of(pattern));
        if (precise ? matches_case(body, which, &name) : matches_test(body, which->test))
            selected = pattern[0] != '!' && (precise || wide);
    }
    return selected;
}

bool cat_selection_narrow(const struct cat_selection *selection, const struct cat_test *test,
                          const char **room, struct cat_selection *narrow)
{
    bool some = !selection->count || *selection->patterns[0] == '!';
    *narrow = (struct cat_selection){.patterns = room, .thorough = selection->thorough};
    for (size_t i = 0; i < selection->count; i++) {
        const char *pattern = selection->patterns[i], *body = body_of(pattern);
        const bool may = cfg_is_precise(body_of(pattern)) ? may_match(body, test->head.name)
                                                          : matches_test(body, test);
        // Keep the first pattern, because it determines the initial selection.
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
    OWNED(text_free) struct text name = {0};
    search->found = search->found || matches_case(search->pattern, which, &name);
}

// A pattern without wildcards is a name, so no search is needed.
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
        bool precise = cfg_is_precise(search.pattern);
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
        if (cfg_is_id(search.pattern))
            return lit_fail(error, LIT_EXIT_USAGE, "no configuration has the id '%s'",
                            search.pattern);
        char test[128];
        const size_t length = cfg_test_length(search.pattern);
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

struct first {
    struct cat_selection selection;
    struct cat_case *which; // `test` is NULL until found
};

static void take_first(const struct cat_case *which, void *user)
{
    struct first *first = user;
    if (!first->which->test && cat_selection_has(&first->selection, which))
        *first->which = *which;
}

bool cat_case_first(const char *pattern, struct cat_case *which, struct lit_error *error)
{
    struct first first = {{.patterns = &pattern, .count = 1}, which};
    OWNED(lit_free) char *name = lit_strdup(pattern);
    name[cfg_test_length(name)] = '\0';
    const struct cat_test *test = cat_test_find(name);
    if (cat_case_parse(pattern, which, error))
        return true;
    which->test = NULL;
    if (test)
        cat_test_each(test, 0, take_first, &first);
    for (size_t s = 0; s < SIZES && test && !which->test; s++)
        cat_test_each(test, sizes[s], take_first, &first);
    return which->test;
}
