// SPDX-License-Identifier: Apache-2.0
// A comparison as annotations of GitHub Actions.
#include "compare/compare.h"

#include <stdlib.h>
#include <string.h>

#define MOST_ANNOTATIONS 10 // of a kind, for a step

// Escapes as a runner's parser expects it; in a property colons and commas too.
static void escape(struct text *out, const char *string, bool property)
{
    for (; *string; string++) {
        if (strchr(property ? "%\r\n:," : "%\r\n", *string))
            text_printf(out, "%%%02X", (unsigned char)*string);
        else
            text_append(out, string, 1);
    }
}

static void annotate(struct text *out, const char *level, const char *title, const char *message)
{
    text_printf(out, "::%s title=", level);
    escape(out, title, true);
    text_puts(out, "::");
    escape(out, message, false);
    text_puts(out, "\n");
}

static void annotate_kind(const struct comparison *comparison, enum compare_kind kind,
                          const char *level, size_t *left, struct text *out)
{
    size_t count;
    const struct compare_entry **list = compare_select(comparison, kind, &count);
    for (size_t i = 0; i<count && * left> 0; i++, --*left) {
        OWNED(text_free) struct text line = {0};
        compare_say_entry(list[i], &line);
        annotate(out, level, list[i]->name, line.data);
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
    // The headline counts as one of its kind.
    size_t errors = MOST_ANNOTATIONS - (code == LIT_EXIT_FORBIDDEN);
    size_t warnings = MOST_ANNOTATIONS - (code == LIT_EXIT_UNDECIDED);
    text_printf(&line, "%s. %s. %s", comparison->words.summary,
                comparison->words.counts ? comparison->words.counts : "",
                comparison->words.power ? comparison->words.power : "");
    annotate(out, level, "litmus", line.data);
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
        escape(out, waiver->file, true);
        text_printf(out, ",line=%zu::waiver expired after %s\n", waiver->line,
                    waiver->only[COMPARE_UNTIL]);
        warnings--;
    }
}
