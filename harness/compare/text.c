// SPDX-License-Identifier: Apache-2.0
// A comparison on the terminal: the sentence first, what is worse, then everything else in sums.
#include "compare/compare.h"

#include "catalogue/catalogue.h"

#include <stdlib.h>
#include <string.h>

#define MOST_LISTED 12 // of a kind, unless all are asked for

static void print_head(const struct comparison *comparison, const struct compare_look *look,
                       struct text *out)
{
    text_printf(out, "A %s\nB %s\n", comparison->words.a, comparison->words.b);
    for (size_t i = 0; i < comparison->pairs.count; i++)
        text_paragraph(out, "  ", comparison->pairs.items[i].words);
    for (size_t i = 0; i < comparison->remarks.note_count; i++)
        text_paragraph(out, "  note: ", comparison->remarks.notes[i]);
    text_puts(out, "\n");
    tone_put(out, look->color,
             comparison->summary.regressions                       ? TONE_BAD
             : comparison->policy.gate && comparison->summary.code ? TONE_WARN
                                                                   : TONE_GOOD,
             comparison->words.summary);
    text_puts(out, "\n");
    text_paragraph(out, "  ", comparison->words.counts);
}

static void print_entry(const struct comparison *comparison, const struct compare_entry *entry,
                        struct text *out)
{
    struct text line = {0};
    text_printf(out, "  %s\n", entry->name);
    if (comparison->pairs.count > 1) {
        const struct compare_pair *pair = &comparison->pairs.items[entry->pair];
        text_printf(&line, "device %u, ", comparison->b->model.devices[pair->b].number);
    }
    text_printf(&line, "%s: ", cat_expectation_name(compare_entry_result(entry)->expectation));
    compare_say_entry(entry, &line);
    text_paragraph(out, "    ", line.data);
    if (entry->waiver) {
        const struct compare_waiver *waiver = &comparison->waivers->items[entry->waiver - 1];
        text_printf(out, "    %s:%zu%s%s\n", waiver->file, waiver->line, waiver->url[0] ? " " : "",
                    waiver->url);
    }
    text_free(&line);
}

static void print_kind(const struct comparison *comparison, enum compare_kind kind,
                       const struct compare_look *look, struct text *out)
{
    size_t count;
    const struct compare_entry **list = compare_select(comparison, kind, &count);
    size_t most = look->verbosity > 0 ? count : MOST_LISTED;
    if (count > 0) {
        text_puts(out, "\n  ");
        tone_put(out, look->color, TONE_STRONG, compare_kind_title(kind));
        text_puts(out, "\n");
    }
    for (size_t i = 0; i < count && i < most; i++)
        print_entry(comparison, list[i], out);
    if (count > most)
        text_printf(out, "  ... and %zu more: -v\n", count - most);
    free(list);
}

// The families that there are, in order of the alphabet. free() it.
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

static void print_families(const struct comparison *comparison, const struct compare_look *look,
                           struct text *out)
{
    static const struct table_column heads[] = {
        {.title = "family"},
        {.title = "worse", .kind = TABLE_NUMBER},
        {.title = "better", .kind = TABLE_NUMBER},
        {.title = "unchanged", .kind = TABLE_NUMBER},
        {.title = "undecided", .kind = TABLE_NUMBER},
        {.title = "new", .kind = TABLE_NUMBER},
        {.title = "gone", .kind = TABLE_NUMBER},
        {.title = "skipped", .kind = TABLE_NUMBER},
    };
    // The columns are the verdicts in their order, but for a control that differs.
    static const enum tone tones[COMPARE_VERDICTS] = {
        [COMPARE_REGRESSION] = TONE_BAD, [COMPARE_IMPROVEMENT] = TONE_GOOD,
        [COMPARE_UNDECIDED] = TONE_WARN, [COMPARE_GONE] = TONE_WARN,
        [COMPARE_SKIPPED] = TONE_SOFT,
    };
    struct table table = {TABLE_OF(heads)};
    size_t count;
    const char **families = find_families(comparison, &count);
    for (size_t f = 0; f < count; f++) {
        size_t sums[COMPARE_VERDICTS] = {0};
        for (size_t i = 0; i < comparison->count; i++)
            if (!strcmp(compare_entry_result(&comparison->entries[i])->family, families[f]))
                sums[comparison->entries[i].verdict]++;
        table_row(&table);
        table_put(&table, TONE_PLAIN, "%s", families[f]);
        for (size_t v = 0; v < COMPARE_VERDICTS; v++)
            if (v != COMPARE_CHANGED)
                table_count(&table, tones[v], sums[v]);
    }
    text_puts(out, "\n");
    table_terminal(&table, look->color, out);
    table_clear(&table);
    free(families);
}

static void print_waivers(const struct comparison *comparison, struct text *out)
{
    bool first = true;
    for (size_t i = 0; comparison->waivers && i < comparison->waivers->count; i++) {
        const struct compare_waiver *waiver = &comparison->waivers->items[i];
        struct text line = {0};
        if (compare_say_waiver(waiver, &line)) {
            text_printf(out, "%s  %s:%zu %s: %s\n", first ? "\n" : "", waiver->file, waiver->line,
                        waiver->pattern, line.data);
            first = false;
        }
        text_free(&line);
    }
}

void compare_text(const struct comparison *comparison, const struct compare_look *look,
                  struct text *out)
{
    print_head(comparison, look, out);
    for (enum compare_kind kind = 0; kind < COMPARE_KINDS; kind++) {
        bool always = kind <= COMPARE_KIND_NOT_MEASURED;
        bool usual = kind <= COMPARE_KIND_CONTROLS;
        if (always || (usual && look->verbosity >= 0) || look->verbosity > 0)
            print_kind(comparison, kind, look, out);
    }
    if (look->verbosity >= 0)
        print_families(comparison, look, out);
    text_puts(out, "\n");
    text_paragraph(out, "  ", comparison->words.method);
    text_paragraph(out, "  ", comparison->words.power);
    print_waivers(comparison, out);
}
