// SPDX-License-Identifier: Apache-2.0
// The tables of a comparison; each format writes them in its own way.
#include "compare/compare.h"

#include "catalogue/catalogue.h"

#include <stdlib.h>
#include <string.h>

void compare_say_name(const struct compare_entry *entry, struct text *out)
{
    if (strcmp(entry->name, compare_entry_result(entry)->name) == 0)
        cat_name_shown(entry->name, out);
    else
        text_puts(out, entry->name);
}

void compare_say_device(const struct comparison *comparison, const struct compare_entry *entry,
                        struct text *out)
{
    const struct compare_pair *pair = &comparison->pairs.items[entry->pair];
    if (comparison->pairs.count > 1)
        text_printf(out, "device %u", comparison->b->model.devices[pair->b].number);
}

static void put_entry(const struct comparison *comparison, const struct compare_entry *entry,
                      struct table *table)
{
    const char *expectation = cat_expectation_name(compare_entry_result(entry)->expectation);
    OWNED(text_free) struct text line = {0}, device = {0}, name = {0};
    compare_say_name(entry, &name);
    compare_say_device(comparison, entry, &device);
    compare_say_entry(entry, &line);
    if (entry->waiver) {
        const struct compare_waiver *waiver = &comparison->waivers->items[entry->waiver - 1];
        text_printf(&line, ", waived: %s", waiver->url[0] ? waiver->url : waiver->file);
    }
    table_row(table);
    table_put(table, TONE_PLAIN, "%s", name.data);
    table_put(table, TONE_PLAIN, "%s", device.length ? device.data : "");
    table_put(table, TONE_PLAIN, "%s", expectation)->class = expectation;
    table_put(table, TONE_PLAIN, "%s", line.data);
}

size_t compare_kind_rows(const struct comparison *comparison, enum compare_kind kind, size_t most,
                         struct table *table)
{
    static const struct table_column heads[] = {CODE("configuration"),
                                                COL("device", .without = TABLE_UNLESS_USED),
                                                CHIP("expectation"), COL("from A to B")};
    size_t count;
    const struct compare_entry **list = compare_select(comparison, kind, &count);
    *table = (struct table){TABLE_OF(heads), .about = compare_kind_title(comparison, kind)};
    for (size_t i = 0; i < count && i < most; i++)
        put_entry(comparison, list[i], table);
    free(list);
    return count;
}

// Finds all families, in alphabetical order. free() it.
static const char **find_families(const struct comparison *comparison, size_t *count)
{
    const char **list = lit_alloc(comparison->count + 1, sizeof *list);
    *count = 0;
    for (size_t i = 0; i < comparison->count; i++)
        list[i] = compare_entry_result(&comparison->entries[i])->family;
    text_sort(list, comparison->count, sizeof *list);
    for (size_t i = 0; i < comparison->count; i++)
        if (*count == 0 || strcmp(list[*count - 1], list[i]) != 0)
            list[(*count)++] = list[i];
    return list;
}

void compare_family_rows(const struct comparison *comparison, struct table *table)
{
    static const struct table_column heads[] = {COL("family"),    NUM("worse"),     NUM("better"),
                                                NUM("unchanged"), NUM("undecided"), NUM("new"),
                                                NUM("gone"),      NUM("skipped")};
    // The columns are the verdicts in order, except changed controls.
    static const enum tone tones[COMPARE_VERDICTS] = {
        [COMPARE_REGRESSION] = TONE_BAD, [COMPARE_IMPROVEMENT] = TONE_GOOD,
        [COMPARE_UNDECIDED] = TONE_WARN, [COMPARE_GONE] = TONE_WARN,
        [COMPARE_SKIPPED] = TONE_SOFT,
    };
    size_t count;
    const char **families = find_families(comparison, &count);
    *table = (struct table){TABLE_OF(heads), .about = "verdicts by family"};
    for (size_t f = 0; f < count; f++) {
        size_t sums[COMPARE_VERDICTS] = {0};
        for (size_t i = 0; i < comparison->count; i++)
            if (!strcmp(compare_entry_result(&comparison->entries[i])->family, families[f]))
                sums[comparison->entries[i].verdict]++;
        table_row(table);
        table_put(table, TONE_PLAIN, "%s", families[f]);
        for (size_t v = 0; v < COMPARE_VERDICTS; v++)
            if (v != COMPARE_CHANGED)
                table_count(table, tones[v], sums[v]);
    }
    free(families);
}

void compare_waiver_rows(const struct comparison *comparison, struct table *table)
{
    static const struct table_column heads[] = {COL("waiver"), CODE("for"), COL("status")};
    *table = (struct table){TABLE_OF(heads), .about = "waivers"};
    for (size_t i = 0; comparison->waivers && i < comparison->waivers->count; i++) {
        const struct compare_waiver *waiver = &comparison->waivers->items[i];
        OWNED(text_free) struct text line = {0};
        if (compare_say_waiver(waiver, &line)) {
            table_row(table);
            table_put(table, TONE_PLAIN, "%s:%zu", waiver->file, waiver->line);
            table_put(table, TONE_PLAIN, "%s", waiver->pattern);
            table_put(table, waiver->expired ? TONE_WARN : TONE_PLAIN, "%s", line.data);
        }
    }
}
