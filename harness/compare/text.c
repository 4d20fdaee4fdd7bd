// SPDX-License-Identifier: Apache-2.0
// A comparison on the terminal: the main sentence, what became worse, then sums of the rest.
#include "compare/compare.h"

#include <stdlib.h>

#define MOST_LISTED 12 // of a kind, unless the user asks for all

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
    OWNED(text_free) struct text line = {0};
    text_puts(out, "  ");
    compare_say_name(entry, out);
    text_puts(out, "\n");
    compare_say_device(comparison, entry, &line);
    text_printf(&line, "%s%s: ", line.length ? ", " : "",
                cat_expectation_name(compare_entry_result(entry)->expectation));
    compare_say_entry(entry, &line);
    text_paragraph(out, "    ", line.data);
    if (entry->waiver) {
        const struct compare_waiver *waiver = &comparison->waivers->items[entry->waiver - 1];
        text_printf(out, "    %s:%zu%s%s\n", waiver->file, waiver->line, waiver->url[0] ? " " : "",
                    waiver->url);
    }
}

static void print_kind(const struct comparison *comparison, enum compare_kind kind,
                       const struct compare_look *look, struct text *out)
{
    size_t count;
    const struct compare_entry **list = compare_select(comparison, kind, &count);
    size_t most = look->verbosity > 0 ? count : MOST_LISTED;
    if (count > 0) {
        text_puts(out, "\n  ");
        tone_put(out, look->color, TONE_STRONG, compare_kind_title(comparison, kind));
        text_puts(out, "\n");
    }
    for (size_t i = 0; i < count && i < most; i++)
        print_entry(comparison, list[i], out);
    if (count > most)
        text_printf(out, "  ... and %zu more: -v\n", count - most);
    free(list);
}

static void print_tables(const struct comparison *comparison, const struct compare_look *look,
                         struct text *out)
{
    struct table table;
    compare_device_rows(comparison, &table);
    text_puts(out, "\n");
    table_terminal(&table, look->color, out);
    text_puts(out, table.count ? "\n" : "");
    table_clear(&table);
    compare_family_rows(comparison, &table);
    table_terminal(&table, look->color, out);
    table_clear(&table);
}

// Names are too long for columns.
static void print_waivers(const struct comparison *comparison, struct text *out)
{
    struct table table;
    compare_waiver_rows(comparison, &table);
    for (size_t i = 0; i < table.count; i++) {
        const struct table_cell *cells = table.rows[i].cells;
        text_printf(out, "%s  %s %s: %s\n", i ? "" : "\n", cells[0].text, cells[1].text,
                    cells[2].text);
    }
    table_clear(&table);
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
        print_tables(comparison, look, out);
    text_puts(out, "\n");
    text_paragraph(out, "  ", comparison->words.method);
    text_paragraph(out, "  ", comparison->words.power);
    print_waivers(comparison, out);
}
