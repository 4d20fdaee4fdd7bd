// SPDX-License-Identifier: Apache-2.0
// What sequential rules came to.
#include "report/ruling.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum eng_ruling report_ruling(const struct report_result *result)
{
    struct eng_rule rule = {0};
    const struct eng_count count = {.runs = result->runs,
                                    .failed_runs = result->failed_runs,
                                    .no_progress_runs = result->no_progress_runs};
    const bool counted = result->result == ENG_PASS || result->result == ENG_FAIL ||
                         result->result == ENG_NO_PROGRESS;
    return counted && eng_rule_read(result->rule, &rule) ? eng_rule_judge(&rule, &count)
                                                         : ENG_RULING_NONE;
}

bool report_is_undecided(const struct report_result *result)
{
    return report_ruling(result) == ENG_RULING_MISSED;
}

size_t report_rules(const struct report_model *model, size_t device, struct report_rule **rules)
{
    size_t count = 0, room = 0;
    *rules = NULL;
    for (size_t i = 0; i < model->result_count; i++) {
        const struct report_result *result = &model->results[i];
        const enum eng_ruling ruling = report_ruling(result);
        size_t at = 0;
        if (result->device != device || ruling == ENG_RULING_NONE)
            continue;
        while (at < count && strcmp((*rules)[at].rule, result->rule) != 0)
            at++;
        if (at == count) {
            if (count == room)
                *rules = lit_realloc(*rules, room = room * 2 + 4, sizeof(**rules));
            (*rules)[count++] = (struct report_rule){.rule = result->rule};
        }
        (*rules)[at].configurations++;
        (*rules)[at].rulings[ruling]++;
    }
    return count;
}

void report_rule_say(const struct report_rule *rule, struct text *out)
{
    static const char *const words[ENG_RULINGS] = {
        [ENG_RULING_REACHED] = "reached",
        [ENG_RULING_ABOVE] = "above",
        [ENG_RULING_BELOW] = "below",
        [ENG_RULING_MISSED] = "undecided",
    };
    char number[32];
    const char *before = ":";
    text_printf(out, "until %s", rule->rule);
    for (int i = ENG_RULING_REACHED; i < ENG_RULINGS; i++) {
        if (rule->rulings[i] == 0)
            continue;
        text_printf(out, "%s %s in %s", before, words[i], text_count(number, rule->rulings[i]));
        before = ",";
    }
    text_printf(out, " of %s configuration%s", text_count(number, rule->configurations),
                rule->configurations == 1 ? "" : "s");
}
