// SPDX-License-Identifier: Apache-2.0
// Prints all information about a test, then its source; and an instance as a program of the memory
// model: the `; formal` lines of the source, preprocessed for the variant.
#include "catalogue/catalogue.h"

#define USUAL_SIZE 32

static void put(struct text *text, const char *label, const char *value)
{
    char padded[12];
    snprintf(padded, sizeof padded, "%-11s", label);
    text_paragraph(text, padded, value);
}

// Prints variant axes or run parameters with their values.
static void put_axes(struct text *text, const struct cat_axis *axes, size_t count, bool parameters)
{
    for (size_t i = 0; i < count; i++) {
        OWNED(text_free) struct text line = text_format("%s:", axes[i].name);
        for (size_t v = 0; v < axes[i].count; v++)
            text_printf(&line, "%s %s",
                        !parameters          ? (v ? " |" : "")
                        : v == axes[i].quick ? " and with --thorough"
                                             : "",
                        axes[i].values[v]);
        put(text, i ? "" : parameters ? "parameters" : "axes", line.data);
    }
}

// Prints "forbidden by uniform-flow,tangled-wait"; docs/spec.md has the rules' sentences.
static void put_class(struct text *text, const struct cat_rule *rule)
{
    text_puts(text, cat_expectation_name(rule->expectation));
    if (rule->by)
        text_printf(text, " by %s", rule->by);
}

static void put_rules(struct text *text, const struct cat_head *head, const char *label,
                      const struct cat_rule *rules, size_t count, bool expectations)
{
    for (size_t i = 0; i < count; i++) {
        OWNED(text_free) struct text line = {0};
        if (expectations)
            put_class(&line, &rules[i]);
        if (rules[i].when.count) {
            text_puts(&line, expectations ? " when" : "");
            cat_condition_words(head, &rules[i].when, &line);
        }
        if (rules[i].reason)
            text_printf(&line, ": %s", rules[i].reason);
        put(text, i ? "" : label, line.data);
    }
}

// Prints what devices need, for all or for some configurations.
static void put_needs(struct text *text, const struct cat_embedded *embedded)
{
    uint64_t always = ~UINT64_C(0), sometimes = 0;
    for (size_t i = 0; i < embedded->module_count; i++) {
        always &= embedded->modules[i].features;
        sometimes |= embedded->modules[i].features;
    }
    OWNED(text_free) struct text line = {0};
    for (int f = 0; f < CAT_FEATURE_COUNT; f++)
        if (sometimes >> f & 1)
            text_printf(&line, "%s%s%s", line.length ? ", " : "",
                        cat_feature_name((enum cat_feature)f),
                        always >> f & 1 ? "" : " (some variants)");
    put(text, "needs", line.data);
}

static void put_test(struct text *text, const struct cat_test *test)
{
    const struct cat_head *head = &test->head;
    text_printf(text, "%s\n\n", head->name);
    put(text, "asks", head->asks);
    put(text, "fails", head->fails);
    put(text, "origin", head->origin);
    put(text, "bug", head->bug);
    put(text, "vendor", head->vendor);
    put(text, "status", head->status);
    for (size_t i = 0; i < head->spec_count; i++)
        put(text, i ? "" : "spec", head->spec[i]);
    put_axes(text, head->axes, head->axis_count, false);
    put_axes(text, head->sweeps, head->sweep_count, true);
    put_rules(text, head, "without", head->without, head->without_count, false);
    put_rules(text, head, "thorough", head->thorough, head->thorough_count, false);
    put_rules(text, head, "expect", head->expect, head->expect_count, true);
    put(text, "headline", head->headline);
    put_needs(text, test->embedded);
    text_printf(text, "checks     each %s\n", test->oracle->instance);
    text_printf(text, "modules    %s\n\n", text_count((char[32]){0}, test->embedded->module_count));
}

bool cat_show(const char *name, bool source, struct text *text, struct lit_error *error)
{
    struct cat_case which = {.test = cat_test_find(name)};
    bool is_case = cfg_is_precise(name);
    OWNED(text_free) struct text whole = {0};
    if ((is_case || !which.test) && !cat_case_first(name, &which, error))
        return false;
    cat_case_name(&which, &whole);
    name = whole.data;
    if (!source)
        put_test(text, which.test);
    if (is_case && !source) {
        OWNED(text_free) struct text line = {0};
        const struct cat_rule *expect = cat_case_expect(&which);
        put_class(&line, expect);
        text_printf(&line, ": %s", expect->reason);
        cat_name_shown(name, text);
        text_puts(text, "\n");
        put(text, "", name);
        put(text, "", line.data);
        text_puts(text, "\n");
    }
    // If modules depend on the subgroup size, the name may not determine which one it is.
    const struct cat_module *module = is_case ? cat_case_module(&which) : NULL;
    if (is_case && !module && !which.subgroup) {
        which.subgroup = USUAL_SIZE;
        module = cat_case_module(&which);
        if (!source)
            text_printf(text,
                        "The source for subgroups of %d; 'subgroup=' in the name selects others.\n"
                        "\n",
                        USUAL_SIZE);
    }
    text_puts(text, module ? cat_module_page(which.test, module) : cat_test_source(which.test));
    return true;
}

bool cat_case_formal(const struct cat_case *which, struct text *text, struct lit_error *error)
{
    static const char mark[] = "\n; formal ";
    const struct cat_module *module = cat_case_module(which);
    const char *line = module ? strstr(cat_module_page(which->test, module), mark) : NULL;
    if (!line)
        return lit_fail(error, LIT_EXIT_UNDECIDED,
                        "not expressed as a program of the memory model");
    text_printf(text, "VULKAN %s\n", which->test->head.name);
    for (; line; line = strstr(line, mark)) {
        line += sizeof mark - 1;
        line += strspn(line, " ");
        const int length = (int)strcspn(line, "\n");
        if (*line == '!')
            return lit_fail(error, LIT_EXIT_UNDECIDED,
                            "not expressed as a program of the memory model: %.*s", length - 2,
                            line + 2);
        const bool asks = strncmp(line, "exists ", 7) == 0;
        const bool forbidden = cat_case_expect(which)->expectation == CAT_FORBIDDEN;
        text_printf(text, "%s%.*s\n", asks && forbidden ? "~" : "", length, line);
    }
    return true;
}
