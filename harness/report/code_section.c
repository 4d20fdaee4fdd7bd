// SPDX-License-Identifier: Apache-2.0
// The section on compiled code: what a test's axes change in it, its risks, and the code of
// failures, each with the difference to a paired variant that did not fail.
#include "report/html.h"
#include "report/markdown.h"
#include "report/pen.h"

#define MOST_LISTED    16   // codes of failures on a page
#define SITE_LISTED    3    // the same on a page of a site
#define TICKET_LISTING 1200 // bytes
#define TICKET_LINES   16   // fewer if some are marked
#define FRAME          1500 // bytes at most for a code without listing and difference

// Bytes of a listing and of a difference, risks on one code, and bytes of the section after which
// effects come without differences.
struct sizes {
    size_t listing, difference, risks, effects;
};

static struct sizes sizes_of(const struct pen *pen)
{
    static const struct sizes markdown = {6000, 4000, 4, 0}, site = {24000, 10000, 16, 1 << 16},
                              page = {120000, 40000, 16, 1 << 19};
    return !pen->html ? markdown : pen->html->up ? site : page;
}

size_t *html_listed(const struct html *html)
{
    const struct report_code *code = html->code;
    size_t *listed = lit_alloc(html->model->result_count + 1, sizeof *listed), done = 0;
    for (size_t device = 0; device < code->count; device++) {
        OWNED(lit_free) const struct result **list = NULL;
        const size_t count = report_code_failed(code, device, &list);
        for (size_t i = 0; i < count && done < (html->up ? SITE_LISTED : MOST_LISTED);
             i++, done++) {
            const struct isa_entry *entry = report_code_of(code, list[i]);
            for (size_t k = 0; k < html->model->result_count; k++)
                if (html->model->results[k].device == device && code->of[k] &&
                    code->of[k]->same_as == entry->same_as &&
                    report_failed(&html->model->results[k]))
                    listed[k] = (size_t)(list[i] - html->model->results) + 1;
        }
    }
    return listed;
}

// --- What axes change

static void put_effects(const struct pen *pen, const struct report_code *code, size_t device,
                        size_t limit)
{
    const struct isa_study *study = &code->studies[device];
    const size_t start = pen->out->length;
    const struct sizes sizes = sizes_of(pen);
    size_t done = 0, left = 0;
    for (size_t i = 0; i < study->effect_count; i++) {
        const struct isa_axis_effect *effect = &study->effects[i];
        const struct isa_pair *pair = &study->pairs[effect->example];
        const struct isa_entry *base = &study->entries[pair->base];
        const struct isa_entry *other = &study->entries[pair->other];
        OWNED(text_free) struct text words = {0}, lines = {0};
        if (!report_code_about(code, device, effect))
            continue;
        isa_effect_words(study, effect, &words);
        if (pen->out->length + words.length + 200 >= limit) {
            left++;
            continue;
        }
        if (!done++)
            pen_heading(pen, "Effect of each variant axis on the compiled code");
        pen_item(pen, effect->test, words.data);
        if (pair->likeness > ISA_SAME_TEXT && pen->out->length - start < sizes.effects) {
            report_code_difference(&base->listing, base->name, &other->listing, other->name,
                                   sizes.difference, &lines);
            pen_open(pen, "", "The pair that differs most");
            pen_lines(pen, "diff", lines.data ? lines.data : "");
            pen_close(pen);
        }
    }
    if (left)
        pen_say(pen, "%s more; the JSON report has all", COUNT(left));
}

// --- One code

// The listing, folded, or at most TICKET_LINES of it.
static void put_listing(const struct pen *pen, const struct isa_entry *entry,
                        const struct result *result, size_t most, bool folded)
{
    OWNED(report_marks_clear) struct report_marks marks = {0};
    OWNED(text_free) struct text lines = {0}, title = {0};
    if (entry->why) {
        pen_say(pen, "There is no listing: %s.", entry->why);
        return;
    }
    report_marks_make(entry, result->test, result->failed_runs > 0, &marks);
    report_code_listing(entry, &marks, most, &lines);
    text_printf(&title, "The code (%s, by %s)", entry->piece->name, entry->listing.by);
    if (folded)
        pen_open(pen, "", title.data);
    pen_say(pen, "%s%s%s", marks.words.data ? marks.words.data : "",
            marks.count ? " The mark is >." : "",
            isa_risks(entry) ? " ! marks a lint finding." : "");
    const size_t open = isa_risks(entry) ? TICKET_LINES / 2 : TICKET_LINES;
    for (size_t at = 0, count = 0; !folded && at < lines.length; at++)
        if (lines.data[at] == '\n' && ++count == open && at + 1 < lines.length) {
            lines.data[lines.length = at + 1] = '\0';
            text_puts(&lines, "  ...\n");
            break;
        }
    pen_lines(pen, "", lines.data ? lines.data : "");
    if (folded)
        pen_close(pen);
}

static void put_difference(const struct pen *pen, const struct report_code *code,
                           const struct result *result, size_t most)
{
    const struct result *paired = report_code_paired(code, result);
    OWNED(text_free) struct text words = {0}, lines = {0};
    if (report_code_versus(code, result, &words)) {
        report_code_difference(&report_code_of(code, paired)->listing, paired->name,
                               &report_code_of(code, result)->listing, result->name, most, &lines);
        pen_open(pen, "", words.data);
        pen_lines(pen, "diff", lines.data ? lines.data : "");
        pen_close(pen);
    } else if (words.length) {
        pen_say(pen, "%s", words.data);
    }
}

static void put_code(const struct pen *pen, const struct report_code *code,
                     const struct result *result)
{
    const struct isa_entry *entry = report_code_of(code, result);
    const size_t index = (size_t)(result - code->model->results);
    const struct report_code_users users = report_code_users(code, result->device, entry, true);
    const struct sizes sizes = sizes_of(pen);
    OWNED(text_free) struct text title = {0}, cost = {0};
    struct table statistics = {0};
    char id[32];
    snprintf(id, sizeof id, "code-%zu", (pen->html ? pen->html->first_code : 0) + index);
    text_printf(&title, "Code of %s: %s of %s runs failed", result->name,
                COUNT(result->failed_runs), COUNT(result->judged));
    if (users.count > 1)
        text_printf(&title, "; %s more that failed have the same code", COUNT(users.count - 1));
    pen_open(pen, id, title.data);
    report_code_cost(entry, &cost);
    if (cost.length)
        pen_say(pen, "It takes %s.", cost.data);
    report_code_statistics(entry, &statistics);
    pen_table(pen, &statistics);
    put_listing(pen, entry, result, sizes.listing, true);
    put_difference(pen, code, result, sizes.difference);
    pen_close(pen);
}

// The code of what failed; on a page as far as it is listed, in Markdown as far as there is room.
static void put_failed(const struct pen *pen, const struct report_code *code, size_t device,
                       size_t limit)
{
    OWNED(lit_free) const struct result **list = NULL;
    const size_t count = report_code_failed(code, device, &list);
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t index = (size_t)(list[i] - code->model->results);
        OWNED(text_free) struct text one = {0};
        const struct pen inner = {&one, pen->html, SIZE_MAX};
        if (!pen->html || pen->html->listed[index] == index + 1)
            put_code(&inner, code, list[i]);
        if (one.length && pen->out->length + one.length < limit)
            text_puts(pen->out, one.data);
        else
            left++;
    }
    if (left)
        pen_say(pen, "The code of %s more that failed is left out: litmus isa NAME prints it.",
                COUNT(left));
}

// --- The section

static void put_section(const struct pen *pen, const struct report_code *code, size_t device,
                        size_t most)
{
    const struct sizes sizes = sizes_of(pen);
    struct table shared = {0}, findings = {0};
    const struct pen rest = {pen->out, pen->html, most - FRAME};
    put_failed(pen, code, device, most / 3 * 2);
    report_code_findings(code, device, NULL, sizes.risks, &findings);
    pen_table(&rest, &findings);
    put_effects(pen, code, device, most - FRAME);
    report_code_shared(code, device, &shared);
    pen_table(&rest, &shared);
}

void markdown_codes(struct text *out, const struct report_code *code, size_t device, size_t most)
{
    OWNED(text_free) struct text section = {0};
    const struct pen pen = {.out = &section};
    if (code->fault[0])
        markdown_printf(out, "The code in the store could not be read: %s\n\n", code->fault);
    else if (code->studies[device].count && most > 2 * FRAME)
        put_section(&pen, code, device, most);
    if (section.length)
        text_printf(out, "## Code\n\n%s", section.data);
}

void html_codes(const struct html *html, struct text *out)
{
    const struct report_code *code = html->code;
    if (code->fault[0])
        html_printf(out, "<p>The code in the store could not be read: %s</p>\n", code->fault);
    for (size_t device = 0; device < code->count && !code->fault[0]; device++) {
        OWNED(text_free) struct text own = {0};
        const struct pen pen = {&own, html, SIZE_MAX};
        put_section(&pen, code, device, SIZE_MAX);
        if (own.length && html->model->device_count > 1)
            html_device_heading(html, device, out);
        text_puts(out, own.data ? own.data : "");
    }
}

void markdown_one_code(struct text *out, const struct report_code *code,
                       const struct result *result, size_t most)
{
    const struct isa_entry *entry = report_code_of(code, result);
    OWNED(text_free) struct text one = {0}, cost = {0};
    const struct pen pen = {.out = &one, .limit = SIZE_MAX};
    struct table findings = {0};
    if (!entry || most < 2 * FRAME)
        return;
    report_code_cost(entry, &cost);
    markdown_printf(&one, "Compiled code%s%s. ", cost.length ? ": " : "",
                    cost.length ? cost.data : "");
    put_listing(&pen, entry, result, TICKET_LISTING, false);
    if (isa_risks(entry)) {
        report_code_findings(code, result->device, entry, sizes_of(&pen).risks, &findings);
        pen_table(&pen, &findings);
    }
    put_difference(&pen, code, result, most - TICKET_LISTING - FRAME);
    if (one.length < most)
        text_puts(out, one.data);
}
