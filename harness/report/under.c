// SPDX-License-Identifier: Apache-2.0
// Finds the stress that most results of a family have.
#include "report/under.h"

#include "report/markdown.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

struct report_under report_under(const struct report_model *model, size_t device,
                                 const char *family)
{
    struct report_under under = {.stress = ""};
    const char **all = lit_alloc(model->result_count, sizeof *all);
    size_t count = 0, most = 0;
    for (size_t i = 0; i < model->result_count; i++) {
        const struct report_result *result = &model->results[i];
        if (result->device == device && strcmp(result->family, family) == 0 &&
            result->result != ENG_SKIP)
            all[count++] = result->stress;
    }
    if (count > 0)
        qsort(all, count, sizeof *all, compare);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && strcmp(all[next], all[i]) == 0;)
            next++;
        if (next - i > most) {
            most = next - i;
            under.stress = all[i];
        }
    }
    under.others = count - most;
    free(all);
    return under;
}

bool report_is_under(const struct report_result *result, const struct report_under *under)
{
    return result->result == ENG_SKIP || strcmp(result->stress, under->stress) == 0;
}

void report_under_sentence(struct text *out, const struct report_under *under)
{
    char number[32];
    const bool one = under->others == 1;
    if (under->stress[0])
        text_printf(out, "All of this ran under stress: %s.", under->stress);
    if (under->others)
        text_printf(out, "%s%s configuration%s ran under other stress and %s not counted here.",
                    under->stress[0] ? " " : "", text_count(number, under->others), one ? "" : "s",
                    one ? "is" : "are");
}

void report_under_terminal(struct text *out, const struct report_under *under)
{
    struct text sentence = {0};
    report_under_sentence(&sentence, under);
    text_paragraph(out, "  ", sentence.data);
    text_free(&sentence);
}

void report_under_markdown(struct text *out, const struct report_under *under)
{
    struct text sentence = {0};
    report_under_sentence(&sentence, under);
    if (sentence.length) {
        text_puts(out, "\n");
        markdown_escape(out, sentence.data);
        text_puts(out, "\n");
    }
    text_free(&sentence);
}

void report_under_json(json_t *json, const struct report_under *under)
{
    json_object_set_new(json, "stress", json_string(under->stress));
    json_object_set_new(json, "other_stress", json_integer((json_int_t)under->others));
}
