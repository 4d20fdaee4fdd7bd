// SPDX-License-Identifier: Apache-2.0
// Compiled code in Markdown: what choices change, the risks, and the code of failures.
#include "report/markdown.h"

#include <stdlib.h>

#define LISTING_MOST    6000 // bytes of a listing in a session's report
#define DIFFERENCE_MOST 4000
#define TICKET_LISTING  1200
#define TICKET_LINES    16   // fewer if some are marked
#define MOST_RISKS      4    // on one code
#define FRAME           1500 // bytes at most for a code without listing and difference

// --- Sentences about a device

static void put_effects(struct text *out, const struct report_code *code, size_t device,
                        size_t limit)
{
    const struct isa_study *study = &code->studies[device];
    size_t done = 0, left = 0;
    for (size_t i = 0; i < study->effect_count; i++) {
        const struct isa_axis_effect *effect = &study->effects[i];
        OWNED(text_free) struct text words = {0};
        if (!report_code_about(code, device, effect))
            continue;
        isa_effect_words(study, effect, &words);
        if (out->length + words.length + 200 < limit) {
            text_puts(out,
                      done++ ? "- " : "Effect of each variant axis on the compiled code:\n\n- ");
            markdown_code(out, effect->test);
            markdown_printf(out, ": %s.\n", words.data);
        } else {
            left++;
        }
    }
    if (left)
        text_printf(out, "- *%s more; the JSON report has all*\n", COUNT(left));
    text_puts(out, done ? "\n" : "");
}

static void put_findings(struct text *out, const struct report_code *code, size_t device,
                         const struct isa_entry *only, size_t limit)
{
    OWNED(table_clear) struct table table = {0};
    report_code_findings(code, device, only, MOST_RISKS, &table);
    if (table.count)
        text_puts(out, "Lint findings:\n\n");
    table_markdown(&table, limit > FRAME ? limit - FRAME : 0, out);
}

static void put_shared(struct text *out, const struct report_code *code, size_t device,
                       size_t limit)
{
    OWNED(table_clear) struct table table = {0};
    report_code_shared(code, device, &table);
    if (table.count)
        text_puts(out, "Same machine code:\n\n");
    table_markdown(&table, limit > FRAME ? limit - FRAME : 0, out);
}

// --- One code

static void put_statistics(struct text *out, const struct isa_entry *entry)
{
    OWNED(text_free) struct text cost = {0};
    report_code_cost(entry, &cost);
    if (cost.length)
        markdown_printf(out, "It takes %s.\n\n", cost.data);
    OWNED(table_clear) struct table table = {0};
    report_code_statistics(entry, &table);
    table_markdown(&table, SIZE_MAX, out);
}

// The listing, folded, or at most TICKET_LINES of it.
static void put_listing(struct text *out, const struct isa_entry *entry,
                        const struct report_result *result, size_t most, bool folded)
{
    struct report_marks marks;
    OWNED(text_free) struct text lines = {0}, title = {0};
    if (entry->why) {
        markdown_printf(out, "There is no listing: %s.\n\n", entry->why);
        return;
    }
    report_marks_make(entry, result->test, result->failed_runs > 0, &marks);
    report_code_listing(entry, &marks, most, &lines);
    text_printf(&title, "The code (%s, by %s)", entry->piece->name, entry->listing.by);
    if (folded)
        markdown_fold(out, title.data);
    text_puts(out, marks.words.data ? marks.words.data : "");
    text_puts(out, marks.count ? " The mark is `>`." : "");
    text_puts(out, isa_risks(entry) ? " `!` is a lint finding.\n\n" : "\n\n");
    const size_t open = isa_risks(entry) ? TICKET_LINES / 2 : TICKET_LINES;
    for (size_t at = 0, count = 0; !folded && at < lines.length; at++)
        if (lines.data[at] == '\n' && ++count == open && at + 1 < lines.length) {
            lines.data[lines.length = at + 1] = '\0';
            text_puts(&lines, "  ...\n");
            break;
        }
    markdown_fence(out, "", lines.data ? lines.data : "");
    if (folded)
        markdown_unfold(out);
    report_marks_clear(&marks);
}

static void put_difference(struct text *out, const struct report_code *code,
                           const struct report_result *result, size_t most)
{
    const struct report_result *paired = report_code_paired(code, result);
    OWNED(text_free) struct text words = {0}, lines = {0};
    if (report_code_versus(code, result, &words)) {
        report_code_difference(&report_code_of(code, paired)->listing, paired->name,
                               &report_code_of(code, result)->listing, result->name, most, &lines);
        markdown_fold(out, words.data);
        markdown_fence(out, "diff", lines.data ? lines.data : "");
        markdown_unfold(out);
    } else if (words.length) {
        markdown_printf(out, "%s\n\n", words.data);
    }
}

static void put_code(struct text *out, const struct report_code *code,
                     const struct report_result *result, size_t listing, size_t difference)
{
    const struct isa_entry *entry = report_code_of(code, result);
    put_statistics(out, entry);
    put_listing(out, entry, result, listing, true);
    put_difference(out, code, result, difference);
}

static void put_failed(struct text *out, const struct report_code *code, size_t device,
                       size_t limit)
{
    const struct report_result **list;
    const size_t count = report_code_failed(code, device, &list);
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        const struct report_result *result = list[i];
        const struct report_code_users users =
            report_code_users(code, device, report_code_of(code, result), true);
        OWNED(text_free) struct text title = {0}, one = {0};
        text_printf(&title, "Code of %s: %s of %s runs failed", result->name,
                    COUNT(result->failed_runs), COUNT(result->judged));
        if (users.count > 1)
            text_printf(&title, "; %s more that failed have the same code", COUNT(users.count - 1));
        markdown_fold(&one, title.data);
        put_code(&one, code, result, LISTING_MOST, DIFFERENCE_MOST);
        markdown_unfold(&one);
        if (out->length + one.length < limit)
            text_puts(out, one.data);
        else
            left++;
    }
    if (left)
        text_printf(
            out,
            "*The code of %s more that failed is left out because a bug report holds 64 KB; "
            "`litmus isa NAME` prints it.*\n\n",
            COUNT(left));
    free(list);
}

void markdown_codes(struct text *out, const struct report_code *code, size_t device, size_t most)
{
    if (code->fault[0]) {
        markdown_printf(out, "The code in the store could not be read: %s\n\n", code->fault);
        return;
    }
    if (code->studies[device].count == 0)
        return;
    OWNED(text_free) struct text section = {0};
    put_effects(&section, code, device, most / 3);
    put_shared(&section, code, device, most / 2);
    put_findings(&section, code, device, NULL, most * 2 / 3);
    put_failed(&section, code, device, most);
    if (section.length) {
        text_puts(out, "## Code\n\n");
        text_append(out, section.data, section.length);
    }
}

void markdown_one_code(struct text *out, const struct report_code *code,
                       const struct report_result *result, size_t most)
{
    const struct isa_entry *entry = report_code_of(code, result);
    OWNED(text_free) struct text one = {0}, cost = {0};
    if (!entry || most < 2 * FRAME)
        return;
    report_code_cost(entry, &cost);
    markdown_printf(&one, "Compiled code%s%s. ", cost.length ? ": " : "",
                    cost.length ? cost.data : "");
    put_listing(&one, entry, result, TICKET_LISTING, false);
    if (isa_risks(entry))
        put_findings(&one, code, result->device, entry, SIZE_MAX);
    put_difference(&one, code, result, most - TICKET_LISTING - FRAME);
    if (one.length < most)
        text_puts(out, one.data);
}
