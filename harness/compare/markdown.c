// SPDX-License-Identifier: Apache-2.0
// A comparison for a ticket or a merge request, and as annotations of GitHub Actions.
#include "compare/words.h"

#include "catalogue/catalogue.h"

#include <stdlib.h>
#include <string.h>

#define MOST_ROWS        40    // of a table
#define MOST_BYTES       60000 // trackers take 64 KB
#define MOST_ANNOTATIONS 10    // of a kind, for a step of GitHub Actions

// Text from drivers and files must not become markup.
static void put_plain(struct text *out, const char *text)
{
    for (const char *c = text ? text : ""; *c; c++) {
        if (*c == '<' || *c == '>' || *c == '&')
            text_puts(out, *c == '<' ? "&lt;" : *c == '>' ? "&gt;" : "&amp;");
        else if (strchr("\\`*_[]|#~!@", *c))
            text_printf(out, "&#%d;", *c);
        else
            text_append(out, c, 1);
    }
}

// Names of configurations, in a table's cell: ` and | would end it.
static void put_code(struct text *out, const char *name)
{
    text_puts(out, "`");
    for (const char *c = name; *c; c++)
        text_append(out, *c == '`' || *c == '|' ? "?" : c, 1);
    text_puts(out, "`");
}

static void put_line(const struct comparison *comparison, struct text *out, const char *end,
                     void (*say)(const struct comparison *comparison, struct text *out))
{
    struct text line = {0};
    say(comparison, &line);
    put_plain(out, line.data);
    text_puts(out, line.length ? end : "");
    text_free(&line);
}

static void put_head(const struct comparison *comparison, struct text *out)
{
    const struct compare_side *sides[] = {comparison->a, comparison->b};
    struct text line = {0};
    text_puts(out, "**");
    put_line(comparison, out, "**\n\n", compare_say_headline);
    put_line(comparison, out, "\n\n", compare_say_counts);
    for (size_t s = 0; s < 2; s++) {
        line.length = 0;
        compare_say_side(sides[s], &line);
        text_puts(out, s ? "- B: " : "- A: ");
        put_plain(out, line.data);
        text_puts(out, "\n");
    }
    for (size_t i = 0; i < comparison->pairs.count; i++) {
        line.length = 0;
        compare_say_pair(comparison, i, &line);
        text_puts(out, "- ");
        put_plain(out, line.data);
        text_puts(out, "\n");
    }
    for (size_t i = 0; i < comparison->remark_count; i++) {
        text_puts(out, "- note: ");
        put_plain(out, comparison->remarks[i]);
        text_puts(out, "\n");
    }
    text_free(&line);
}

static void put_row(const struct comparison *comparison, const struct compare_entry *entry,
                    struct text *out)
{
    struct text line = {0};
    compare_say_entry(entry, &line);
    text_puts(out, "| ");
    put_code(out, entry->name);
    text_printf(out, " | %s | ", cat_expectation_name(compare_entry_result(entry)->expectation));
    put_plain(out, line.data);
    if (entry->waiver) {
        text_puts(out, ", waived: ");
        put_plain(out, comparison->waivers->items[entry->waiver - 1].url);
    }
    text_puts(out, " |\n");
    text_free(&line);
}

static void put_kind(const struct comparison *comparison, enum compare_kind kind, struct text *out)
{
    size_t count, shown = 0;
    const struct compare_entry **list = compare_select(comparison, kind, &count);
    bool open = kind <= COMPARE_KIND_NOT_MEASURED && kind != COMPARE_KIND_WAIVED;
    if (count > 0) {
        const char *title = compare_kind_title(kind);
        text_printf(out, open ? "\n### %zu %s\n\n" : "\n<details><summary>%zu %s</summary>\n\n",
                    count, title);
        text_puts(out, "| configuration | expectation | from A to B |\n| --- | --- | --- |\n");
        while (shown < count && shown < MOST_ROWS && out->length < MOST_BYTES)
            put_row(comparison, list[shown++], out);
        if (shown < count)
            text_printf(out, "\n... and %zu more\n", count - shown);
        text_puts(out, open ? "" : "\n</details>\n");
    }
    free(list);
}

static void put_waivers(const struct comparison *comparison, struct text *out)
{
    for (size_t i = 0; comparison->waivers && i < comparison->waivers->count; i++) {
        const struct compare_waiver *waiver = &comparison->waivers->items[i];
        struct text line = {0};
        if (out->length < MOST_BYTES && compare_say_waiver(waiver, &line)) {
            text_puts(out, "- ");
            put_plain(out, waiver->file);
            text_printf(out, ":%zu ", waiver->line);
            put_code(out, waiver->pattern);
            text_printf(out, ": %s\n", line.data);
        }
        text_free(&line);
    }
}

void compare_markdown(const struct comparison *comparison, struct text *out)
{
    put_head(comparison, out);
    for (enum compare_kind kind = 0; kind <= COMPARE_KIND_UNDECIDED; kind++)
        put_kind(comparison, kind, out);
    text_puts(out, "\n");
    put_line(comparison, out, "\n\n", compare_say_method);
    put_line(comparison, out, "\n\n", compare_say_power);
    put_waivers(comparison, out);
}

// GitHub Actions

// What ends a command or begins another is written as %25, %0D, %0A; in a property also : and ,.
static void put_escaped(struct text *out, const char *text, bool property)
{
    for (const char *c = text ? text : ""; *c; c++) {
        if (*c == '%' || *c == '\r' || *c == '\n' || (property && (*c == ':' || *c == ',')))
            text_printf(out, "%%%02X", (unsigned char)*c);
        else
            text_append(out, c, 1);
    }
}

static void annotate(const char *level, const char *title, const char *message, struct text *out)
{
    text_printf(out, "::%s title=", level);
    put_escaped(out, title, true);
    text_puts(out, "::");
    put_escaped(out, message, false);
    text_puts(out, "\n");
}

static void annotate_kind(const struct comparison *comparison, enum compare_kind kind,
                          const char *level, size_t *left, struct text *out)
{
    size_t count;
    const struct compare_entry **list = compare_select(comparison, kind, &count);
    for (size_t i = 0; i<count && * left> 0; i++, --*left) {
        struct text line = {0};
        compare_say_entry(list[i], &line);
        annotate(level, list[i]->name, line.data, out);
        text_free(&line);
    }
    free(list);
}

void compare_github(const struct comparison *comparison, struct text *out)
{
    const enum lit_exit code = comparison->summary.code;
    const char *level = code == LIT_EXIT_OK          ? "notice"
                        : code == LIT_EXIT_UNDECIDED ? "warning"
                                                     : "error";
    struct text line = {0};
    // The headline counts among its kind.
    size_t errors = MOST_ANNOTATIONS - (code == LIT_EXIT_FORBIDDEN);
    size_t warnings = MOST_ANNOTATIONS - (code == LIT_EXIT_UNDECIDED);
    compare_say_headline(comparison, &line);
    text_puts(&line, ". ");
    compare_say_counts(comparison, &line);
    text_puts(&line, ". ");
    compare_say_power(comparison, &line);
    annotate(level, "litmus", line.data, out);
    text_free(&line);
    annotate_kind(comparison, COMPARE_KIND_REGRESSIONS, "error", &errors, out);
    annotate_kind(comparison, COMPARE_KIND_FIRST_SEEN, "warning", &warnings, out);
    annotate_kind(comparison, COMPARE_KIND_NEW_WRONG, "warning", &warnings, out);
    annotate_kind(comparison, COMPARE_KIND_NOT_MEASURED, "warning", &warnings, out);
    for (size_t i = 0; comparison->waivers && i < comparison->waivers->count && warnings > 0; i++) {
        const struct compare_waiver *waiver = &comparison->waivers->items[i];
        if (!waiver->expired)
            continue;
        text_puts(out, "::warning file=");
        put_escaped(out, waiver->file, true);
        text_printf(out, ",line=%zu::waiver expired after %s\n", waiver->line, waiver->until);
        warnings--;
    }
}
