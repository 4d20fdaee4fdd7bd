// SPDX-License-Identifier: Apache-2.0
// A comparison as one self-contained HTML page without a script.
#include "compare/compare.h"

#include "report/html.h"

static void put_item(struct text *out, const char *name, const char *value)
{
    if (value && value[0])
        html_printf(out, "<dt>%s</dt><dd>%s</dd>\n", name, value);
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
    put_item(out, "A", comparison->words.a);
    put_item(out, "B", comparison->words.b);
    for (size_t i = 0; i < comparison->pairs.count; i++)
        put_item(out, "device", comparison->pairs.items[i].words);
    for (size_t i = 0; i < comparison->remarks.note_count; i++)
        put_item(out, "note", comparison->remarks.notes[i]);
    text_puts(out, "</dl>\n</header>\n");
}

// Folded, unless the gate depends on it.
static void put_section(const struct html *html, const char *title, bool open, struct table *table,
                        struct text *out)
{
    if (table->count) {
        html_printf(out, "<section>\n<details%s><summary>%s (%zu)</summary>\n", open ? " open" : "",
                    title, table->count);
        html_table(html, table, false, out);
        text_puts(out, "</details>\n</section>\n");
    }
    table_clear(table);
}

void compare_html(const struct comparison *comparison, struct text *out)
{
    const struct html html = {.model = &comparison->b->model};
    struct table table;
    OWNED(text_free) struct text title = {0};
    text_printf(&title, "litmus %s: %s", comparison->policy.gate ? "gate" : "compare",
                comparison->words.summary);
    html_head(title.data, out);
    text_puts(out, "<body>\n<main id=\"main\">\n");
    put_header(comparison, out);
    for (enum compare_kind kind = 0; kind < COMPARE_KINDS; kind++) {
        compare_kind_rows(comparison, kind, SIZE_MAX, &table);
        put_section(&html, compare_kind_title(comparison, kind), kind <= COMPARE_KIND_NOT_MEASURED,
                    &table, out);
    }
    compare_device_rows(comparison, &table);
    put_section(&html, "devices", true, &table, out);
    compare_family_rows(comparison, &table);
    put_section(&html, "families", true, &table, out);
    compare_waiver_rows(comparison, &table);
    put_section(&html, "waivers", true, &table, out);
    html_printf(out, "</main>\n<footer>\n<p>%s</p>\n<p>%s</p>\n</footer>\n</body>\n</html>\n",
                comparison->words.method, comparison->words.power ? comparison->words.power : "");
}
