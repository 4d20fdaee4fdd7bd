// SPDX-License-Identifier: Apache-2.0
// Fuzzes the parser of test heads: every text gives a head that makes sense, or an error of one
// line.
#include "fuzz.h"

#include "catalogue/head.h"

static void check_condition(const struct cat_head *head, const struct cat_condition *condition)
{
    MUST(condition->count <= CAT_MAX_AXES + CAT_MAX_SWEEPS);
    for (size_t i = 0; i < condition->count; i++) {
        const struct cat_term *term = &condition->terms[i];
        const size_t names = term->is_sweep ? head->sweep_count : head->axis_count;
        MUST(term->index < names);
        const size_t values =
            term->is_sweep ? head->sweeps[term->index].count : head->axes[term->index].count;
        MUST(term->values && term->values >> values == 0);
    }
    const uint8_t point[CAT_MAX_AXES + CAT_MAX_SWEEPS] = {0};
    cat_condition_holds(condition, point, point);
    cat_condition_holds(condition, point, NULL);
}

static void check_head(const struct cat_head *head)
{
    MUST(head->name && head->family && head->test && head->asks && head->fails && head->origin);
    MUST(head->oracle && head->spec_count >= 1 && head->spec_count <= CAT_MAX_RULES);
    MUST(head->axis_count <= CAT_MAX_AXES && head->sweep_count <= CAT_MAX_SWEEPS);
    MUST(head->size_count <= CAT_MAX_SIZES);
    for (size_t i = 0; i < head->axis_count; i++)
        MUST(head->axes[i].count >= 1 && head->axes[i].count <= CAT_MAX_VALUES);
    for (size_t i = 0; i < head->sweep_count; i++) {
        const struct cat_axis *sweep = &head->sweeps[i];
        MUST(sweep->count >= 1 && sweep->count <= CAT_MAX_VALUES);
        MUST(sweep->quick >= 1 && sweep->quick <= sweep->count);
    }
    MUST(head->expect_count >= 1 && head->expect[head->expect_count - 1].when.count == 0);
    for (size_t i = 0; i < head->expect_count; i++)
        check_condition(head, &head->expect[i].when);
    for (size_t i = 0; i < head->without_count; i++)
        check_condition(head, &head->without[i].when);
    for (size_t i = 0; i < head->thorough_count; i++)
        check_condition(head, &head->thorough[i].when);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    OWNED(cat_head_clear) struct cat_head head;
    struct lit_error error = {0};
    if (cat_head_parse((const char *)data, size, &head, &error))
        check_head(&head);
    else
        MUST(error.message[0] && !strpbrk(error.message, "\n\r\033"));
    return 0;
}
