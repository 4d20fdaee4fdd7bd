// SPDX-License-Identifier: Apache-2.0
// Lists the tests, one a line, or the names of all configurations, or everything as JSON.
#include "session/session.h"

#include "report/fields.h"
#include "report/format.h"

static bool passes(const struct report_list *filter, const struct cat_case *which,
                   uint64_t features)
{
    const unsigned expectation = 1u << cat_case_expectation(which, NULL);
    return (!filter->expectations || (filter->expectations & expectation)) &&
           (!filter->needs || (filter->needs & features));
}

static bool has_family(const struct report_list *filter, const char *family)
{
    for (size_t i = 0; i < filter->families->count; i++)
        if (!strcmp(filter->families->items[i], family))
            return true;
    return filter->families->count == 0;
}

struct counting {
    const struct report_list *filter;
    // What the last case's variant needs: the cases of one variant follow each other.
    const struct cat_test *test;
    uint8_t axis[CAT_MAX_AXES];
    uint64_t features;
    struct text *names; // NULL: count only
    json_t *listed;     // NULL: count only
    size_t quick, all;
    size_t by_expectation[CAT_CONTROL + 1];
    uint64_t sometimes, always; // features that some configurations need, that all need
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

// The bug behind a case: the devices that had it, what came of it, and a link.
static void put_bug(struct text *text, const struct cat_head *head, int width)
{
    if (!head->bug)
        return;
    text_puts(text, text->length ? "" : "\nBugs\n");
    text_printf(text, "  %-*s  %-17s  %s\n      %s\n", width, head->name, head->vendor,
                head->status, head->bug);
}

void report_list_text(const struct report_list *filter, bool names, bool questions,
                      struct text *text)
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

void report_list_json(const struct report_list *filter, struct text *text)
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
