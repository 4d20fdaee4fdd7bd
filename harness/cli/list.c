// SPDX-License-Identifier: Apache-2.0
// litmus list: the tests, one line each, or the names of all configurations, or all of it as JSON
// (docs/list.schema.json). Needs no device.

#include "catalogue/catalogue.h"
#include "cli/cli.h"
#include "report/fields.h"
#include "report/format.h"

#include <stddef.h>
#include <string.h>

struct options {
    bool names, thorough, json;
    int verbose;
    struct lit_list families, expectations, needs;
};

#define AT(member) offsetof(struct options, member)

static const struct cli_option options[] = {
    {0, "family", CLI_LIST, AT(families), "FAMILY",
     "only this family (more than one may be given)"},
    {0, "expectation", CLI_LIST, AT(expectations), "WORD",
     "only this class: forbidden, contested, assumed or control"},
    {0, "needs", CLI_LIST, AT(needs), "FEATURE",
     "only tests that need this device extension or feature"},
    {0, "names", CLI_FLAG, AT(names), NULL,
     "the name of every configuration, for scripts and completion"},
    {0, "json", CLI_FLAG, AT(json), NULL,
     "all that is known of the tests, and their configurations, as\nJSON (docs/list.schema.json)"},
    {0, "thorough", CLI_FLAG, AT(thorough), NULL, "including those that only --thorough runs"},
    {'v', "verbose", CLI_MORE, AT(verbose), NULL,
     "print each test's question and requirements, and the bugs that\ncases are about"},
};

const struct cli_syntax cli_list_syntax = {
    .name = "list",
    .usage = "[OPTION]... [PATTERN]...",
    .about = "Lists the tests that match the patterns, or all. Patterns are those of 'litmus run'.",
    CLI_OPTIONS(options, struct options, 0),
    .more = "Subgroup sizes depend on the device and are not counted: with --thorough each "
            "supported\nsize is a configuration of its own.\n",
    .operands = CLI_OPERANDS_TESTS,
};

// What is listed: the patterns' cases, of these families, with these expectations, that need at
// least one of these features. An empty set of bits stands for all.
struct filter {
    struct cat_selection selection;
    const struct lit_list *families;
    unsigned expectations;
    uint64_t needs;
};

static bool passes(const struct filter *filter, const struct cat_case *which, uint64_t features)
{
    const unsigned expectation = 1u << cat_case_expectation(which, NULL);
    return (!filter->expectations || (filter->expectations & expectation)) &&
           (!filter->needs || (filter->needs & features));
}

static bool has_family(const struct filter *filter, const char *family)
{
    for (size_t i = 0; i < filter->families->count; i++)
        if (!strcmp(filter->families->items[i], family))
            return true;
    return filter->families->count == 0;
}

struct counting {
    const struct filter *filter;
    // What the variant of the last case needs: cases of one come one after another.
    const struct cat_test *test;
    uint8_t axis[CAT_MAX_AXES];
    uint64_t features;
    struct text *names; // NULL: count only
    json_t *listed;     // likewise
    size_t quick, all;
    size_t by_expectation[CAT_CONTROL + 1];
    uint64_t sometimes, always; // features that some, that all of them need
};

static uint64_t features_of(struct counting *counting, const struct cat_case *which)
{
    if (counting->test != which->test || memcmp(counting->axis, which->axis, sizeof which->axis)) {
        counting->test = which->test;
        memcpy(counting->axis, which->axis, sizeof which->axis);
        counting->features = cat_case_features(which);
    }
    return counting->features;
}

static json_t *make_needs(uint64_t features)
{
    json_t *json = json_array();
    for (int f = CAT_FEATURE_BASIC + 1; f < CAT_FEATURE_COUNT; f++)
        if (features >> f & 1)
            json_array_append_new(json, json_string(cat_feature_name((enum cat_feature)f)));
    return json;
}

static json_t *make_configuration(const struct cat_case *which, uint64_t features)
{
    const struct cat_rule *expect = cat_case_expect(which);
    OWNED(text_free) struct text name = {0};
    cat_case_name(which, &name);
    json_t *json =
        json_pack("{s:o, s:s, s:s, s:o, s:b, s:o}", "name", field_text(name.data), "expectation",
                  cat_expectation_name(expect->expectation), "by", expect->by ? expect->by : "",
                  "reason", field_text(expect->reason ? expect->reason : ""), "thorough",
                  cat_case_is_thorough(which), "needs", make_needs(features));
    return json;
}

static void count_case(const struct cat_case *which, void *user)
{
    struct counting *counting = user;
    struct cat_selection selection = counting->filter->selection;
    const bool quick = cat_selection_has(&selection, which);
    const uint64_t features = features_of(counting, which);
    selection.thorough = true;
    if (!(quick || cat_selection_has(&selection, which)) ||
        !passes(counting->filter, which, features))
        return;
    counting->always = counting->all ? counting->always & features : features;
    counting->sometimes |= features;
    counting->all++;
    if (!quick)
        return;
    counting->quick++;
    counting->by_expectation[cat_case_expectation(which, NULL)]++;
    if (counting->names) {
        cat_case_name(which, counting->names);
        text_puts(counting->names, "\n");
    }
    if (counting->listed)
        json_array_append_new(counting->listed, make_configuration(which, features));
}

static void put_features(struct text *text, uint64_t features, const char *before)
{
    for (int f = 0; f < CAT_FEATURE_COUNT; f++)
        if (f != CAT_FEATURE_BASIC && (features >> f & 1)) {
            text_printf(text, "%s%s", before, cat_feature_name((enum cat_feature)f));
            before = ", ";
        }
}

// The question, then what all configurations need and what only some do.
static void put_question(struct text *text, const struct cat_test *test, const struct counting *c)
{
    OWNED(text_free) struct text needs = {0};
    text_paragraph(text, "    ", test->head.asks);
    put_features(&needs, c->always, "needs ");
    put_features(&needs, c->sometimes & ~c->always, needs.length ? "; some: " : "some need ");
    text_paragraph(text, "    ", needs.length ? needs.data : "");
}

static void list_line(struct text *text, const struct cat_test *test, const struct counting *c,
                      int width)
{
    const char *comma = "";
    OWNED(text_free) struct text expectations = {0};
    for (int e = CAT_FORBIDDEN; e <= CAT_CONTROL; e++)
        if (c->by_expectation[e]) {
            text_printf(&expectations, "%s%s %s", comma, COUNT(c->by_expectation[e]),
                        cat_expectation_name((enum cat_expectation)e));
            comma = ", ";
        }
    text_printf(text, "%-*s  %7s", width, test->head.name, COUNT(c->quick));
    if (c->all > c->quick)
        text_printf(text, "  + %-7s", COUNT(c->all - c->quick));
    else
        text_puts(text, "           ");
    text_printf(text, "  %s\n", expectations.length ? expectations.data : "");
}

// The bug that a case is about: whose devices had it, what came of it, where it is.
static void put_bug(struct text *text, const struct cat_head *head, int width)
{
    if (!head->bug)
        return;
    text_puts(text, text->length ? "" : "\nBugs\n");
    text_printf(text, "  %-*s  %-17s  %s\n      %s\n", width, head->name, head->vendor,
                head->status, head->bug);
}

static void put_list(const struct filter *filter, bool names, bool questions, struct text *text)
{
    OWNED(text_free) struct text bugs = {0};
    size_t tests = 0, quick = 0, all = 0;
    int width = 4;
    for (size_t i = 0; i < cat_test_count(); i++)
        if ((int)strlen(cat_test_at(i)->head.name) > width)
            width = (int)strlen(cat_test_at(i)->head.name);
    if (!names)
        text_printf(text, "%-*s  %7s  %-9s  %s\n", width, "test", "default", "thorough",
                    "expectations");
    for (size_t i = 0; i < cat_test_count(); i++) {
        const struct cat_test *test = cat_test_at(i);
        struct counting counting = {.filter = filter, .names = names ? text : NULL};
        if (has_family(filter, test->head.family))
            cat_test_each(test, 0, count_case, &counting);
        if (counting.all == 0)
            continue;
        tests++;
        quick += counting.quick;
        all += counting.all;
        if (!names)
            list_line(text, test, &counting, width);
        if (!names && questions) {
            put_question(text, test, &counting);
            put_bug(&bugs, &test->head, width);
        }
    }
    text_puts(text, bugs.length ? bugs.data : "");
    if (!names) {
        text_printf(text, "%zu test%s, %s configuration%s", tests, tests == 1 ? "" : "s",
                    COUNT(quick), quick == 1 ? "" : "s");
        if (all > quick)
            text_printf(text, ", %s more with --thorough", COUNT(all - quick));
        text_puts(text, "\n");
    }
}

// As JSON: a test a line.

static json_t *make_axes(const struct cat_axis *axes, size_t count)
{
    json_t *json = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *values = json_array();
        for (size_t v = 0; v < axes[i].count; v++)
            json_array_append_new(values, json_string(axes[i].values[v]));
        json_array_append_new(json,
                              json_pack("{s:s, s:o}", "name", axes[i].name, "values", values));
    }
    return json;
}

static json_t *make_test(const struct cat_head *head, json_t *configurations)
{
    json_t *spec = json_array();
    for (size_t i = 0; i < head->spec_count; i++)
        json_array_append_new(spec, field_text(head->spec[i]));
    json_t *test = json_pack(
        "{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name", head->name, "family", head->family,
        "asks", field_text(head->asks), "fails", field_text(head->fails), "origin",
        field_text(head->origin), "spec", spec, "axes", make_axes(head->axes, head->axis_count),
        "parameters", make_axes(head->sweeps, head->sweep_count), "configurations", configurations);
    if (head->bug)
        json_object_set_new(test, "bug",
                            json_pack("{s:o, s:s, s:o}", "address", field_text(head->bug), "vendor",
                                      head->vendor, "status", field_text(head->status)));
    return test;
}

static void put_json(const struct filter *filter, struct text *text)
{
    const char *comma = "";
    text_printf(text,
                "{\"schema\":\"litmus-list/1\",\"version\":\"" LITMUS_VERSION
                "\",\"catalogue\":\"%s\",\"tests\":[\n",
                cat_identity);
    for (size_t i = 0; i < cat_test_count(); i++) {
        const struct cat_test *test = cat_test_at(i);
        struct counting counting = {.filter = filter, .listed = json_array()};
        if (has_family(filter, test->head.family))
            cat_test_each(test, 0, count_case, &counting);
        if (counting.quick == 0) {
            json_decref(counting.listed);
            continue;
        }
        text_puts(text, comma);
        fields_dump(text, make_test(&test->head, counting.listed));
        comma = ",\n";
    }
    text_puts(text, "\n]}\n");
}

// What the words on the command line may be

const char *cli_family_at(size_t index, void *user)
{
    (void)user;
    return index < cat_test_count() ? cat_test_at(index)->head.family : NULL;
}

const char *cli_expectation_at(size_t index, void *user)
{
    (void)user;
    return index <= CAT_CONTROL ? cat_expectation_name((enum cat_expectation)index) : NULL;
}

const char *cli_feature_at(size_t index, void *user)
{
    (void)user;
    return index < CAT_FEATURE_COUNT ? cat_feature_name((enum cat_feature)index) : NULL;
}

// Adds a bit for each of the words; fails at the first that is none of the names.
static bool resolve(const struct lit_list *words, const char *what,
                    const char *(*name_at)(size_t index, void *user), uint64_t *bits,
                    struct lit_error *error)
{
    for (size_t i = 0; i < words->count; i++) {
        const char *name;
        size_t found = 0;
        while ((name = name_at(found, NULL)) && strcmp(name, words->items[i]))
            found++;
        if (!name) {
            struct text hint = {0};
            text_suggest(&hint, words->items[i], name_at, NULL);
            lit_fail(error, LIT_EXIT_USAGE, "unknown %s: %s%s", what, words->items[i],
                     hint.length ? hint.data : "");
            text_free(&hint);
            return false;
        }
        *bits |= UINT64_C(1) << (found % 64);
    }
    return true;
}

int cli_list(struct cli_call *call)
{
    const struct options *chosen = call->chosen;
    struct lit_error *error = &call->error;
    struct filter filter = {
        .selection = {.patterns = call->operands.items,
                      .count = call->operands.count,
                      .thorough = chosen->thorough},
        .families = &chosen->families,
    };
    uint64_t families = 0, expectations = 0;
    if (!cat_selection_check(&filter.selection, error) ||
        !resolve(&chosen->families, "family", cli_family_at, &families, error) ||
        !resolve(&chosen->expectations, "expectation", cli_expectation_at, &expectations, error) ||
        !resolve(&chosen->needs, "feature", cli_feature_at, &filter.needs, error))
        return CLI_FAILED;
    filter.expectations = (unsigned)expectations;
    // What is listed has no subgroup size.
    for (size_t i = 0; i < call->operands.count; i++)
        call->operands.items[i] =
            lit_have(strndup(call->operands.items[i], cfg_bare_length(call->operands.items[i])));
    if (chosen->json && chosen->names) {
        lit_fail(error, LIT_EXIT_USAGE, "--json and --names are mutually exclusive");
        return CLI_FAILED;
    }
    if (chosen->json)
        put_json(&filter, &call->out);
    else
        put_list(&filter, chosen->names, chosen->verbose > 0, &call->out);
    return LIT_EXIT_OK;
}
