// SPDX-License-Identifier: Apache-2.0
// litmus show: prints all information about a test, then its source. Needs no device.

#include "catalogue/catalogue.h"
#include "cli/cli.h"
#include "kernel/litmus.h"
#include "report/format.h"

#include <stddef.h>
#include <string.h>

#define USUAL_SIZE 32

enum { FORMAT_TEXT, FORMAT_LITMUS, FORMAT_DAT3M };

struct options {
    bool source;
    int format;
};

static const struct cli_option options[] = {
    {0, "source", CLI_FLAG, offsetof(struct options, source), NULL, "print only the source"},
    {'f', "format", CLI_CHOICE, offsetof(struct options, format), "text|litmus|dat3m",
     "litmus: the test as a program of the memory model, as a .litmus file;\n"
     "dat3m: that program as SPIR-V assembly with Dat3M's annotations"},
};

static bool reads_files(const void *chosen)
{
    return ((const struct options *)chosen)->format != FORMAT_TEXT;
}

const struct cli_syntax cli_show_syntax = {
    .name = "show",
    .usage = "[OPTION]... TEST...",
    .about = "Prints a test: its question, the meaning of a failure, its origin, what "
             "the\nspecification says, its variants and expectations, then its source.",
    CLI_OPTIONS(options, struct options, 0),
    .more =
        "Given a configuration's name, prints its test, its expectation, and the preprocessed\n"
        "source from which its module was made.\n"
        "\n"
        "--format litmus and dat3m take files (.litmus, .test), tests made from one, and\n"
        "configurations of the family memory (a test alone means its first configuration). Exit\n"
        "code 3: the format cannot express it.\n"
        "\n"
        "examples:\n"
        "  litmus show memory.message-passing\n"
        "  litmus show -f litmus memory.message-passing/order=barrier > mp.litmus\n"
        "  litmus show -f dat3m mp.litmus > mp.spvasm\n",
    .operands = CLI_OPERANDS_TESTS,
    .reads_files = reads_files,
};

// Prints variant axes or run parameters with their values.
static void put_axes(struct text *text, const struct cat_axis *axes, size_t count, bool parameters)
{
    for (size_t i = 0; i < count; i++) {
        struct text line = {0};
        text_printf(&line, "%s:", axes[i].name);
        for (size_t v = 0; v < axes[i].count; v++)
            text_printf(&line, "%s %s",
                        !parameters          ? (v ? " |" : "")
                        : v == axes[i].quick ? " and with --thorough"
                                             : "",
                        axes[i].values[v]);
        text_paragraph(text,
                       i            ? "           "
                       : parameters ? "parameters "
                                    : "axes       ",
                       line.data);
        text_free(&line);
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
        struct text line = {0};
        if (expectations)
            put_class(&line, &rules[i]);
        if (rules[i].when.count) {
            text_puts(&line, expectations ? " when" : "");
            cat_condition_words(head, &rules[i].when, &line);
        }
        if (rules[i].reason)
            text_printf(&line, ": %s", rules[i].reason);
        text_paragraph(text, i ? "           " : label, line.data);
        text_free(&line);
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
    text_paragraph(text, "needs      ", line.length ? line.data : "");
}

static void put_test(struct text *text, const struct cat_test *test)
{
    const struct cat_head *head = &test->head;
    text_printf(text, "%s\n\n", head->name);
    text_paragraph(text, "asks       ", head->asks);
    text_paragraph(text, "fails      ", head->fails);
    text_paragraph(text, "origin     ", head->origin);
    text_paragraph(text, "bug        ", head->bug);
    text_paragraph(text, "vendor     ", head->vendor);
    text_paragraph(text, "status     ", head->status);
    for (size_t i = 0; i < head->spec_count; i++)
        text_paragraph(text, i ? "           " : "spec       ", head->spec[i]);
    put_axes(text, head->axes, head->axis_count, false);
    put_axes(text, head->sweeps, head->sweep_count, true);
    put_rules(text, head, "without    ", head->without, head->without_count, false);
    put_rules(text, head, "thorough   ", head->thorough, head->thorough_count, false);
    put_rules(text, head, "expect     ", head->expect, head->expect_count, true);
    text_paragraph(text, "headline   ", head->headline);
    put_needs(text, test->embedded);
    text_printf(text, "checks     each %s\n", test->oracle->instance);
    text_printf(text, "modules    %s\n\n", COUNT(test->embedded->module_count));
}

static bool show_one(struct text *text, const char *name, bool source, struct lit_error *error)
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
        struct text line = {0};
        const struct cat_rule *expect = cat_case_expect(&which);
        put_class(&line, expect);
        text_printf(&line, ": %s", expect->reason);
        cat_name_shown(name, text);
        text_puts(text, "\n");
        text_paragraph(text, "           ", name);
        text_paragraph(text, "           ", line.data);
        text_puts(text, "\n");
        text_free(&line);
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

int cli_show(struct cli_call *call)
{
    const struct options *chosen = call->chosen;
    const struct lit_list *names = &call->operands;
    bool ok = names->count > 0 || lit_fail(&call->error, LIT_EXIT_USAGE,
                                           "missing test: 'litmus list' prints their names");
    for (size_t i = 0; ok && i < names->count; i++) {
        text_puts(&call->out, i ? "\n" : "");
        ok = chosen->format == FORMAT_TEXT
                 ? show_one(&call->out, names->items[i], chosen->source, &call->error)
                 : krn_litmus_export(names->items[i], chosen->format == FORMAT_DAT3M, &call->out,
                                     &call->error);
    }
    return ok ? LIT_EXIT_OK : CLI_FAILED;
}
