// SPDX-License-Identifier: Apache-2.0
// Caselists and skip lists of a run.
#include "session/session.h"

#include "model/configuration.h"

static bool check(const struct compare_waiver *line, struct lit_error *error)
{
    struct cat_case found;
    struct lit_error why;
    return cat_test_find(line->pattern) || cat_case_parse(line->pattern, &found, &why) ||
           lit_fail(error, LIT_EXIT_USAGE, "%.200s:%zu: %.280s", line->file, line->line,
                    why.message);
}

bool ses_cases_read(struct ses_cases *cases, const struct lit_list *caselists,
                    const struct lit_list *skips, struct lit_error *error)
{
    struct compare_waivers *list = &cases->list;
    if (!compare_waivers_read(list, COMPARE_CASELIST, caselists, error) ||
        !compare_waivers_read(&cases->skips, COMPARE_DEQP_SKIPS, skips, error))
        return false;
    cases->names = lit_alloc(list->count + 1, sizeof *cases->names);
    for (size_t i = 0; i < list->count; i++) {
        cfg_runner_read(list->items[i].pattern);
        if (cfg_is_id(list->items[i].pattern)) {
            char *name = cat_pattern(list->items[i].pattern);
            free(list->items[i].pattern);
            list->items[i].pattern = name;
        }
        if (!check(&list->items[i], error))
            return false;
        cases->names[i] = list->items[i].pattern;
    }
    text_sort(cases->names, list->count, sizeof *cases->names);
    return caselists->count == 0 || list->count > 0 ||
           lit_fail(error, LIT_EXIT_USAGE, "%.200s: the caselist names nothing",
                    caselists->items[0]);
}

struct piece {
    const char *name;
    size_t length;
};

static int compare_piece(const void *key, const void *item)
{
    const struct piece *piece = key;
    const char *name = *(char *const *)item;
    const int order = strncmp(piece->name, name, piece->length);
    return order ? order : -(name[piece->length] != '\0');
}

static bool is_listed(const struct ses_cases *cases, const char *name, size_t length)
{
    const struct piece piece = {name, length};
    return bsearch(&piece, cases->names, cases->list.count, sizeof *cases->names, compare_piece);
}

// A name without a subgroup size means the device's usual one.
static bool has(const struct ses_cases *cases, const struct cat_case *which, const char *name,
                const struct dev_facts *facts)
{
    if (is_listed(cases, name, strlen(name)))
        return true;
    return which->subgroup == facts->subgroup &&
           (is_listed(cases, name, cfg_bare_length(name)) ||
            ((cases->thorough || !cat_case_is_thorough(which)) &&
             is_listed(cases, name, cfg_test_length(name))));
}

static bool is_kept(const struct cat_case *which, const char *name, const struct dev_facts *facts,
                    const void *user)
{
    const struct ses_cases *cases = user;
    if (cases->list.count && !has(cases, which, name, facts))
        return false;
    OWNED(text_free) struct text runner = {0};
    cfg_runner_name(name, &runner);
    for (size_t i = 0; i < cases->skips.count; i++)
        if (compare_waiver_names(&cases->skips.items[i], name, runner.data))
            return false;
    return true;
}

struct cat_selection ses_cases_select(struct ses_cases *cases, const struct lit_list *patterns,
                                      bool all, bool thorough)
{
    cases->thorough = thorough;
    return (struct cat_selection){
        .patterns = patterns->items,
        .count = patterns->count,
        // A list also selects the thorough cases that it names.
        .thorough = thorough || (cases->list.count && !all && !patterns->count),
        .keeps = cases->list.count + cases->skips.count > 0 ? is_kept : NULL,
        .user = cases};
}

void ses_cases_clear(struct ses_cases *cases)
{
    compare_waivers_clear(&cases->list);
    compare_waivers_clear(&cases->skips);
    free(cases->names);
    *cases = (struct ses_cases){0};
}
