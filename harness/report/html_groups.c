// SPDX-License-Identifier: Apache-2.0
// Results side by side: a configuration's name includes the subgroup size, so devices with other
// sizes have other names for the same question.
#include "report/html.h"

#include <stdlib.h>
#include <string.h>

static int compare_keys(const void *left, const void *right)
{
    const struct html_entry *a = left, *b = right;
    const int order = strcmp(a->key, b->key);
    return order ? order : a->first < b->first ? -1 : 1;
}

static int compare_places(const void *left, const void *right)
{
    const struct html_entry *a = left, *b = right;
    int order = strcmp(a->result->family, b->result->family);
    if (order == 0)
        order = strcmp(a->result->test, b->result->test);
    if (order == 0 && a->first != b->first)
        order = a->first < b->first ? -1 : 1;
    if (order == 0 && a->result->device != b->result->device)
        order = a->result->device < b->result->device ? -1 : 1;
    if (order == 0)
        order = a->result < b->result ? -1 : a->result > b->result;
    return order;
}

size_t html_entries(const struct report_model *model, struct html_entry **entries)
{
    const size_t count = model->result_count;
    struct html_entry *all = lit_alloc(count, sizeof *all);
    for (size_t i = 0; i < count; i++)
        all[i] = (struct html_entry){&model->results[i], lit_strdup(model->results[i].name), i};
    for (size_t i = 0; i < count; i++)
        all[i].key[cfg_bare_length(all[i].key)] = '\0';
    if (count > 0)
        qsort(all, count, sizeof *all, compare_keys);
    for (size_t i = 1; i < count; i++)
        if (!strcmp(all[i].key, all[i - 1].key))
            all[i].first = all[i - 1].first;
    if (count > 0)
        qsort(all, count, sizeof *all, compare_places);
    *entries = all;
    return count;
}

void html_entries_free(struct html_entry *entries, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(entries[i].key);
    free(entries);
}

static bool is_alike(const struct html_entry *a, const struct html_entry *b, enum html_level level)
{
    switch (level) {
    case HTML_FAMILY:
        return !strcmp(a->result->family, b->result->family);
    case HTML_TEST:
        return !strcmp(a->result->test, b->result->test);
    default:
        return a->first == b->first;
    }
}

size_t html_alike(const struct html_entry *entries, size_t count, size_t at, enum html_level level)
{
    size_t end = at + 1;
    while (end < count && is_alike(&entries[end], &entries[at], level))
        end++;
    return end - at;
}

uint32_t html_label_pairs(const struct result *result)
{
    OWNED(cfg_clear) struct cfg label = cfg_parse(result->label);
    uint32_t bits = 0;
    size_t at = 0;
    for (size_t i = 0; i < result->variant_count + result->param_count && i < 32; i++) {
        const struct cfg_pair *pair = &result->variant[i], *kept = &label.variant[at];
        if (at < label.variant_count + label.param_count && !strcmp(pair->key, kept->key) &&
            !strcmp(pair->value, kept->value)) {
            bits |= (uint32_t)1 << i;
            at++;
        }
    }
    return bits;
}

void html_pairs(struct text *out, const struct html_entry *entries, size_t count, size_t at,
                bool common)
{
    const struct result *result = entries[at].result;
    const uint32_t kept = html_label_pairs(result);
    bool first = true;
    for (size_t i = 0; i < result->variant_count + result->param_count; i++) {
        const struct cfg_pair *pair = &result->variant[i]; // the parameters follow
        bool all = true;
        for (size_t other = 0; other < count && all; other++)
            all = !strcmp(report_value(entries[other].result, pair->key), pair->value);
        if (pair->role == CFG_SUBGROUP || all != common || (!common && !(kept >> i & 1)))
            continue;
        text_printf(out, "%s%s=%s", first ? "" : ", ", pair->key, pair->value);
        first = false;
    }
}
