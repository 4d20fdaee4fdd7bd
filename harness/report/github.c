// SPDX-License-Identifier: Apache-2.0
// For GitHub Actions: a short page for the step's summary, and annotations as workflow commands.
#include "report/markdown.h"

#include <stdlib.h>

#define MOST_BLOCKS      20 // of failures in the summary, for each device
#define MOST_ANNOTATIONS 10 // of a kind: more are dropped, so the last one sums up
#define SUMMARY_MOST     (MARKDOWN_MOST * 4)

// By expectation, then the rates that are surely high first.
static int compare_rates(const void *left, const void *right)
{
    const struct report_result *a = *(const struct report_result *const *)left;
    const struct report_result *b = *(const struct report_result *const *)right;
    if (a->expectation != b->expectation)
        return a->expectation < b->expectation ? -1 : 1;
    if (a->interval.low != b->interval.low)
        return a->interval.low > b->interval.low ? -1 : 1;
    return a < b ? -1 : 1;
}

// The summary

static void print_blocks(const struct report_model *model, size_t device, const char *title,
                         bool (*which)(const struct report_result *result), struct text *out)
{
    struct report_block *list;
    const size_t count = report_blocks(model, device, which, &list);
    if (count > 0)
        text_printf(out, "**%s**\n\n", title);
    for (size_t i = 0; i < count && i < MOST_BLOCKS; i++)
        markdown_block(out, &list[i]);
    if (count > MOST_BLOCKS)
        text_printf(out, "and %s more\n\n", COUNT(count - MOST_BLOCKS));
    report_blocks_free(list, count);
}

void report_github(const struct report_model *model, struct text *out)
{
    const size_t limit = out->length + SUMMARY_MOST;
    for (size_t device = 0; device < model->device_count && out->length < limit; device++) {
        markdown_printf(out, "### litmus: %s\n\n", model->devices[device].facts.name);
        markdown_verdict(out, model, device);
        markdown_section(model, device, report_key_results, 0, limit, out);
        print_blocks(model, device, "Failures", report_failed, out);
        print_blocks(model, device, "Incomplete", report_unfinished_only, out);
    }
    markdown_printf(out, "Exit code %d: %s.\n", (int)model->code, model->code_reason);
}

// Annotations

void github_escape(struct text *out, const char *string, bool property)
{
    for (; *string; string++) {
        if (*string == '%' || *string == '\r' || *string == '\n' ||
            (property && (*string == ':' || *string == ',')))
            text_printf(out, "%%%02X", (unsigned char)*string);
        else
            text_append(out, string, 1);
    }
}

void github_annotate(struct text *out, const char *level, const char *title, const char *message)
{
    text_printf(out, "::%s title=", level);
    github_escape(out, title, true);
    text_puts(out, "::");
    github_escape(out, message, false);
    text_puts(out, "\n");
}

enum kind { ANNOTATE_ERROR, ANNOTATE_WARNING, ANNOTATE_NOTICE, ANNOTATE_NOT };

// As the exit codes have it: an error is what ends a run with 1, a warning what leaves it undecided
// or unfinished, or is the fault of a kernel from outside, a notice what was seen but is not
// forbidden.
static enum kind kind_of(const struct report_result *result)
{
    bool failed = report_failed(result);
    if (eng_is_unsound(result->name, result->expectation) &&
        (failed || eng_is_broken(result->result)))
        return ANNOTATE_WARNING;
    switch (result->result) {
    case ENG_CRASH:
    case ENG_HANG:
    case ENG_DEVICE_LOST:
        return ANNOTATE_ERROR;
    case ENG_HARNESS_ERROR:
    case ENG_PARTIAL:
        return failed && result->expectation == CAT_FORBIDDEN ? ANNOTATE_ERROR : ANNOTATE_WARNING;
    case ENG_NO_PROGRESS:
        return result->expectation <= CAT_CONTESTED ? ANNOTATE_WARNING : ANNOTATE_NOT;
    default:
        return !failed                                ? ANNOTATE_NOT
               : result->expectation == CAT_FORBIDDEN ? ANNOTATE_ERROR
                                                      : ANNOTATE_NOTICE;
    }
}

static void annotate(const struct report_model *model, const struct report_result *result,
                     const char *word, struct text *out)
{
    OWNED(text_free) struct text message = {0};
    report_check(&message, "", result, "\n");
    text_printf(&message, "%s: ", cat_expectation_name(result->expectation));
    format_failed(&message, result);
    if (result->result != ENG_FAIL) {
        text_puts(&message, "; ");
        format_end(&message, result);
    }
    text_printf(&message,
                "\non %s, driver %s\nreproduce: ", model->devices[result->device].facts.name,
                model->devices[result->device].facts.driver_version);
    format_again(&message, model, result);
    github_annotate(out, word, result->label, message.data);
}

void report_annotations(const struct report_model *model, struct text *out)
{
    static const char *const words[] = {"error", "warning", "notice"};
    const struct report_result **list = lit_alloc(model->result_count, sizeof *list);
    for (enum kind kind = ANNOTATE_ERROR; kind < ANNOTATE_NOT; kind++) {
        size_t count = 0;
        for (size_t i = 0; i < model->result_count; i++)
            if (kind_of(&model->results[i]) == kind)
                list[count++] = &model->results[i];
        qsort(list, count, sizeof *list, compare_rates);
        size_t most = count <= MOST_ANNOTATIONS ? count : MOST_ANNOTATIONS - 1;
        for (size_t i = 0; i < most; i++)
            annotate(model, list[i], words[kind], out);
        if (most < count) {
            text_printf(out,
                        "::%s title=litmus::and %s configurations more; the summary of the "
                        "step and 'litmus report' have them\n",
                        words[kind], COUNT(count - most));
        }
    }
    free(list);
}
