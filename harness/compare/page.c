// SPDX-License-Identifier: Apache-2.0
// A comparison on the terminal, as Markdown for a ticket or a merge request, and as one
// self-contained HTML page without a script.
#include "compare/compare.h"
#include "report/html.h"
#include "report/markdown.h"
#include "report/pen.h"

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
    OWNED(lit_free) const struct compare_entry **list = compare_select(comparison, kind, &count);
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
    OWNED(table_clear) struct table table = {0};
    compare_waiver_rows(comparison, &table);
    for (size_t i = 0; i < table.count; i++) {
        const struct table_cell *cells = table.rows[i].cells;
        text_printf(out, "%s  %s %s: %s\n", i ? "" : "\n", cells[0].text, cells[1].text,
                    cells[2].text);
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
        print_tables(comparison, look, out);
    text_puts(out, "\n");
    text_paragraph(out, "  ", comparison->words.method);
    text_paragraph(out, "  ", comparison->words.power);
    print_waivers(comparison, out);
}

// --- Markdown and HTML

#define MOST_ROWS  40    // in a table of Markdown
#define MOST_BYTES 60000 // of Markdown: trackers take 64 KB

// Under a heading if the gate depends on it, else folded.
static void put_table(const struct pen *pen, const char *title, bool open, struct table *table)
{
    const bool some = table->count || table->note_count;
    if (some && open)
        pen_heading(pen, title);
    else if (some)
        pen_open(pen, "", title);
    pen_table(pen, table);
    if (some && !open)
        pen_close(pen);
}

static void put_tables(const struct pen *pen, const struct comparison *comparison)
{
    struct table table;
    for (enum compare_kind kind = 0; kind < (pen->html ? COMPARE_KINDS : COMPARE_KIND_REST);
         kind++) {
        const size_t most = pen->html ? SIZE_MAX : pen->out->length < MOST_BYTES ? MOST_ROWS : 0;
        const bool open = kind <= COMPARE_KIND_NOT_MEASURED && kind != COMPARE_KIND_WAIVED;
        OWNED(text_free) struct text title = {0};
        const size_t count = compare_kind_rows(comparison, kind, most, &table);
        if (table.count < count)
            table_note(&table, "... and %zu more", count - table.count);
        text_printf(&title, "%zu %s", count, compare_kind_title(comparison, kind));
        put_table(pen, title.data, open, &table);
    }
    compare_device_rows(comparison, &table);
    put_table(pen, "devices", true, &table);
    compare_family_rows(comparison, &table);
    if (pen->html) // Markdown is short
        put_table(pen, "families", false, &table);
    table_clear(&table);
    compare_waiver_rows(comparison, &table);
    put_table(pen, "waivers", true, &table);
    pen_say(pen, "%s", comparison->words.method);
    if (comparison->words.power)
        pen_say(pen, "%s", comparison->words.power);
}

void compare_markdown(const struct comparison *comparison, struct text *out)
{
    const struct pen pen = {.out = out, .limit = MOST_BYTES};
    markdown_printf(out, "**%s**\n\n%s\n\n- A: %s\n- B: %s\n", comparison->words.summary,
                    comparison->words.counts, comparison->words.a, comparison->words.b);
    for (size_t i = 0; i < comparison->pairs.count; i++)
        markdown_printf(out, "- %s\n", comparison->pairs.items[i].words);
    for (size_t i = 0; i < comparison->remarks.note_count; i++)
        markdown_printf(out, "- note: %s\n", comparison->remarks.notes[i]);
    text_puts(out, "\n");
    put_tables(&pen, comparison);
}

static void put_header(const struct comparison *comparison, struct text *out)
{
    const struct compare_summary *summary = &comparison->summary;
    const bool gate = comparison->policy.gate;
    html_printf(out, "<header id=\"top\">\n<p class=\"kicker\">litmus %s</p>\n<h1>",
                gate ? "gate" : "compare");
    for (size_t i = 0; i < comparison->pairs.count; i++)
        html_printf(out, "%s%s", i ? ", " : "",
                    comparison->b->model.devices[comparison->pairs.items[i].b].facts.name);
    html_printf(out, "</h1>\n<p class=\"verdict %s\">",
                summary->regressions    ? "bad"
                : gate && summary->code ? "open"
                                        : "good");
    if (gate)
        html_printf(out, "<strong>exit %d</strong> ", (int)summary->code);
    html_printf(out, "<span>%s</span></p>\n<p>%s</p>\n<dl class=\"facts\">\n",
                comparison->words.summary, comparison->words.counts);
    html_fact(out, "A", comparison->words.a);
    html_fact(out, "B", comparison->words.b);
    for (size_t i = 0; i < comparison->pairs.count; i++)
        html_fact(out, "device", comparison->pairs.items[i].words);
    for (size_t i = 0; i < comparison->remarks.note_count; i++)
        html_fact(out, "note", comparison->remarks.notes[i]);
    text_puts(out, "</dl>\n</header>\n");
}

void compare_html(const struct comparison *comparison, struct text *out)
{
    const struct html html = {.model = &comparison->b->model};
    const struct pen pen = {.out = out, .html = &html};
    OWNED(text_free) struct text title = {0};
    text_printf(&title, "litmus %s: %s", comparison->policy.gate ? "gate" : "compare",
                comparison->words.summary);
    html_head(title.data, out);
    text_puts(out, "<body>\n<main id=\"main\">\n");
    put_header(comparison, out);
    put_tables(&pen, comparison);
    text_puts(out, "</main>\n</body>\n</html>\n");
}
