// SPDX-License-Identifier: Apache-2.0
// What a driver made of the tests, in Markdown: what choices change, what is at risk, and the code
// of what failed.
#include "report/markdown.h"

#include <stdlib.h>
#include <string.h>

#define LISTING_MOST    6000 // bytes of a listing in the report of a session
#define DIFFERENCE_MOST 4000
#define MOST_RISKS      4    // lines said of one code
#define FRAME           1500 // bytes that a code takes at most beside listing and difference

static void put_users(struct text *out, const struct report_code *code, size_t device,
                      const struct isa_entry *entry)
{
    const struct report_code_users users = report_code_users(code, device, entry, false);
    char failed[32], judged[32], count[32], rate[80];
    const struct report_result *first = users.first;
    format_interval(rate, first->failed_runs, first->judged, first->interval);
    markdown_code(out, first->name);
    text_printf(out, ": %s of %s runs failed, ", text_count(failed, first->failed_runs),
                text_count(judged, first->judged));
    markdown_escape(out, rate);
    if (users.count > 1) {
        text_printf(out, "; in all %s configurations with this code ",
                    text_count(count, users.count));
        text_printf(out, "%s of %s", text_count(failed, users.failed_runs),
                    text_count(judged, users.judged));
    }
}

// --- Sentences on a device

static void put_effects(struct text *out, const struct report_code *code, size_t device,
                        size_t limit)
{
    const struct isa_study *study = &code->studies[device];
    size_t done = 0, left = 0;
    char count[32];
    for (size_t i = 0; i < study->effect_count; i++) {
        const struct isa_axis_effect *effect = &study->effects[i];
        struct text words = {0};
        if (!report_code_about(code, device, effect))
            continue;
        isa_effect_words(effect, study->members, study->twins, &words);
        if (out->length + words.length + 200 < limit) {
            text_puts(out, done++ ? "" : "Effect of each variant axis on the compiled code:\n\n");
            text_puts(out, "- ");
            markdown_code(out, effect->test);
            text_puts(out, ": ");
            markdown_escape(out, words.data);
            text_puts(out, ".\n");
        } else {
            left++;
        }
        text_free(&words);
    }
    if (left)
        text_printf(out, "- *%s more; the JSON report has all*\n", text_count(count, left));
    text_puts(out, done ? "\n" : "");
}

static void put_risk(struct text *out, const struct isa_entry *entry, const char *indent)
{
    const size_t count = isa_risks(entry);
    char number[32];
    for (size_t i = 0; i < count && i < MOST_RISKS; i++) {
        struct text words = {0};
        report_code_risk(entry, i, &words);
        text_printf(out, "%s- ", indent);
        markdown_escape(out, words.data ? words.data : "");
        text_puts(out, "\n");
        text_free(&words);
    }
    if (count > MOST_RISKS)
        text_printf(out, "%s- *%s more*\n", indent, text_count(number, count - MOST_RISKS));
}

static void put_risks(struct text *out, const struct report_code *code, size_t device, size_t limit)
{
    const struct isa_study *study = &code->studies[device];
    size_t looked = 0, done = 0, left = 0;
    char count[32];
    for (size_t i = 0; i < study->count; i++) {
        const struct isa_entry *entry = &study->entries[i];
        if (entry->same_as != i || !entry->linted ||
            report_code_users(code, device, entry, false).count == 0)
            continue;
        looked++;
        if (isa_risks(entry) == 0)
            continue;
        if (out->length + FRAME > limit) {
            left++;
            continue;
        }
        text_puts(out, done++
                           ? ""
                           : "Lint findings: divergent cross-lane reads, and instructions with a "
                             "wrong guard predicate. *At risk*: review; *leaving* and *twice*: "
                             "correct if the source has them so; *misguarded*: a compiler bug "
                             "(docs/lint.md). They matter even where nothing failed:\n\n");
        text_puts(out, "- ");
        put_users(out, code, device, entry);
        text_puts(out, "\n");
        put_risk(out, entry, "  ");
    }
    if (left)
        text_printf(out, "- *%s more codes; the JSON report counts all*\n",
                    text_count(count, left));
    if (looked && !done && !left)
        text_printf(out,
                    "In none of the %s codes that were analysed has a divergent cross-lane read or "
                    "a wrong guard predicate.\n",
                    text_count(count, looked));
    text_puts(out, looked ? "\n" : "");
}

// --- One code

static void put_statistics(struct text *out, const struct isa_entry *entry)
{
    struct text cost = {0};
    report_code_cost(entry, &cost);
    if (cost.length) {
        text_puts(out, "It takes ");
        markdown_escape(out, cost.data);
        text_puts(out, ".\n\n");
    }
    text_free(&cost);
    if (entry->code.statistic_count == 0)
        return;
    text_puts(out, "| statistic of the driver | value |\n| --- | ---: |\n");
    for (size_t i = 0; i < entry->code.statistic_count && i < 24; i++) {
        text_puts(out, "| ");
        markdown_escape(out, entry->code.statistics[i].name);
        text_puts(out, " | ");
        markdown_escape(out, entry->code.statistics[i].value);
        text_puts(out, " |\n");
    }
    text_puts(out, "\n");
}

static void put_listing(struct text *out, const struct isa_entry *entry,
                        const struct report_result *result, size_t most)
{
    struct report_marks marks;
    struct text lines = {0}, title = {0};
    if (entry->why) {
        text_puts(out, "There is no listing: ");
        markdown_escape(out, entry->why);
        text_puts(out, ".\n\n");
        return;
    }
    report_marks_make(entry, result->test, result->failed_runs > 0, &marks);
    report_code_listing(entry, &marks, most, &lines);
    text_printf(&title, "The code (%s, by %s)", entry->piece->name, entry->listing.by);
    markdown_fold(out, title.data);
    text_puts(out, marks.words.data ? marks.words.data : "");
    text_puts(out, marks.count ? " The mark is `>`." : "");
    text_puts(out, isa_risks(entry) ? " `!` is a lint finding.\n\n" : "\n\n");
    markdown_fence(out, "", lines.data ? lines.data : "");
    markdown_unfold(out);
    report_marks_clear(&marks);
    text_free(&lines);
    text_free(&title);
}

static void put_difference(struct text *out, const struct report_code *code,
                           const struct report_result *result, size_t most)
{
    const struct isa_entry *entry = report_code_of(code, result);
    const struct report_result *twin = report_code_twin(code, result);
    struct text names = {0}, lines = {0}, title = {0};
    char judged[32];
    if (entry->listing.count == 0)
        return;
    if (!twin) {
        text_puts(out, "The store has no code of a passing variant.\n\n");
        return;
    }
    const struct isa_entry *other = report_code_of(code, twin);
    report_differences(result, twin, &names);
    text_printf(&title, "%s, which never failed in %s runs", names.data ? names.data : twin->name,
                text_count(judged, twin->judged));
    report_code_difference(&other->listing, twin->name, &entry->listing, result->name, most,
                           &lines);
    if (other->same_as == entry->same_as) {
        text_puts(out, "It is the same code as that of ");
        markdown_escape(out, title.data);
        text_puts(out, ": the difference is not in the code.\n\n");
    } else if (!lines.length) {
        text_puts(out, "It has the same instructions as the code of ");
        markdown_escape(out, title.data);
        text_puts(out, "; scheduling or branch targets differ.\n\n");
    } else {
        struct text summary = {0};
        text_printf(&summary, "Difference to %s", title.data);
        markdown_fold(out, summary.data);
        markdown_fence(out, "diff", lines.data);
        markdown_unfold(out);
        text_free(&summary);
    }
    text_free(&names);
    text_free(&lines);
    text_free(&title);
}

static void put_remarks(struct text *out, const struct isa_entry *entry)
{
    for (size_t i = 0; i < entry->code.remark_count && i < 4; i++) {
        text_puts(out, "Note: ");
        markdown_escape(out, entry->code.remarks[i]);
        text_puts(out, ".\n\n");
    }
    if (entry->unlinted) {
        text_puts(out, "Not linted: ");
        markdown_escape(out, entry->unlinted);
        text_puts(out, ".\n\n");
    }
}

static void put_code(struct text *out, const struct report_code *code,
                     const struct report_result *result, size_t listing, size_t difference)
{
    const struct isa_entry *entry = report_code_of(code, result);
    put_statistics(out, entry);
    put_listing(out, entry, result, listing);
    put_difference(out, code, result, difference);
    put_remarks(out, entry);
}

static void put_failed(struct text *out, const struct report_code *code, size_t device,
                       size_t limit)
{
    size_t *indexes, left = 0;
    const size_t count = report_code_failed(code, device, &indexes);
    char number[32], judged[32];
    for (size_t i = 0; i < count; i++) {
        const struct report_result *result = &code->model->results[indexes[i]];
        const struct report_code_users users =
            report_code_users(code, device, report_code_of(code, result), true);
        struct text title = {0}, one = {0};
        text_printf(&title, "Code of %s: %s of ", result->name,
                    text_count(number, result->failed_runs));
        text_printf(&title, "%s runs failed", text_count(judged, result->judged));
        if (users.count > 1)
            text_printf(&title, "; %s more that failed have the same code",
                        text_count(number, users.count - 1));
        markdown_fold(&one, title.data);
        put_code(&one, code, result, LISTING_MOST, DIFFERENCE_MOST);
        markdown_unfold(&one);
        if (out->length + one.length < limit)
            text_puts(out, one.data);
        else
            left++;
        text_free(&title);
        text_free(&one);
    }
    if (left)
        text_printf(
            out,
            "*The code of %s more that failed is left out because a bug report holds 64 KB; "
            "`litmus isa NAME` prints it.*\n\n",
            text_count(number, left));
    free(indexes);
}

void markdown_codes(struct text *out, const struct report_code *code, size_t device, size_t most)
{
    if (code->fault[0]) {
        text_puts(out, "The code in the store could not be read: ");
        markdown_escape(out, code->fault);
        text_puts(out, "\n\n");
        return;
    }
    if (code->studies[device].count == 0)
        return;
    struct text section = {0};
    put_effects(&section, code, device, most / 3);
    put_risks(&section, code, device, most * 2 / 3);
    put_failed(&section, code, device, most);
    if (section.length) {
        text_puts(out, "## Code\n\n");
        text_append(out, section.data, section.length);
    }
    text_free(&section);
}

void markdown_one_code(struct text *out, const struct report_code *code,
                       const struct report_result *result, size_t most)
{
    const struct isa_entry *entry = report_code_of(code, result);
    const struct isa_study *study = &code->studies[result->device];
    struct text one = {0};
    if (!entry || most < 2 * FRAME)
        return;
    markdown_fold(&one, "Compiled code");
    if (isa_risks(entry)) {
        text_puts(&one, "Lint findings (explained in docs/lint.md):\n\n");
        put_risk(&one, entry, "");
        text_puts(&one, "\n");
    }
    bool any = false;
    for (size_t i = 0; i < study->effect_count && one.length < FRAME; i++) {
        struct text words = {0};
        if (strcmp(study->effects[i].test, result->test) != 0)
            continue;
        isa_effect_words(&study->effects[i], study->members, study->twins, &words);
        text_puts(&one, any ? "- " : "Effect of each variant axis on the compiled code:\n\n-  ");
        markdown_escape(&one, words.data);
        text_puts(&one, ".\n");
        any = true;
        text_free(&words);
    }
    text_puts(&one, any ? "\n" : "");
    const size_t room = most > one.length + FRAME ? most - one.length - FRAME : 0;
    put_code(&one, code, result, room * 3 / 5, room * 2 / 5);
    markdown_unfold(&one);
    if (one.length < most)
        text_puts(out, one.data);
    text_free(&one);
}
