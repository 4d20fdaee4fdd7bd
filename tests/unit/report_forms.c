// SPDX-License-Identifier: Apache-2.0
// What a report is made of: the model and its parts, escapes, and room for ten thousand failures.
// unit/report.c has whole reports.
#include "report/markdown.h"
#include "report/report.h"

#include "stored.h"

static void lacks(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("'%s' is in:\n%s", part, text);
}

TEST(test_xml)
{
    static const struct {
        const char *in, *out;
    } cases[] = {
        {"a&b<c>\"d\"'", " v=\"a&#38;b&#60;c&#62;&#34;d&#34;&#39;\""},
        {"\t\r\n", " v=\"&#9;&#13;&#10;\""},
        {"\001\010\033\037\177", " v=\"????\177\""},
        {"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80", " v=\"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80\""},
        {"\xff\xc3", " v=\"??\""},                     // no UTF-8, and cut
        {"\xc0\x80", " v=\"??\""},                     // overlong
        {"\xed\xa0\x80", " v=\"???\""},                // a surrogate
        {"\xef\xbf\xbe\xef\xbf\xbf", " v=\"??????\""}, // U+FFFE, U+FFFF
        {"\xf4\x90\x80\x80", " v=\"????\""},           // beyond U+10FFFF
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        OWNED(text_free) struct text out = {0};
        xml_attribute(&out, "v", cases[i].in);
        assert_string_equal(out.data, cases[i].out);
    }
    OWNED(text_free) struct text out = {0};
    xml_text(&out, "a\n<b>\t&");
    assert_string_equal(out.data, "a\n&#60;b&#62;\t&#38;");
}

// Nothing that a driver says ends a table, a fence or an element.
static void check_markdown(const char *text)
{
    lacks(text, "<script>");
    lacks(text, "|</");
    lacks(text, "@all");
    lacks(text, "www.x");
    assert_int_equal(count_of(text, "<details>"), count_of(text, "</details>"));
    size_t ticks = 0;
    for (const char *at = text; *at; at = strchr(at, '\n') + 1) {
        size_t length = strcspn(at, "\n");
        ticks += length >= 3 && !strncmp(at, "```", 3);
        if (*at == '|')
            assert_true(at[length - 1] == '|');
    }
    assert_int_equal(ticks % 2, 0);
    assert_true(strlen(text) < 65536);
}

// Ten thousand failures, with everything as long as a store lets it be.
TEST(test_many)
{
    OWNED(stored_drop) struct stored s = stored_begin(100, 0);
    char name[1200], *long_name = name + sprintf(name, "lookback.scan/x=");
    memset(long_name, 'y', 1000);
    stored_device(&s, 1, STORED_HOSTILE, "device");
    OWNED(report_model_clear) struct report_model model;
    struct text text = {0};
    struct result failure = stored_result(name, "forbidden", "fail", 9, 9);
    OWNED(lit_free) char *reason = lit_alloc(100001, 1);
    memset(reason, '<', 100000);
    failure.reason = reason;
    for (int i = 0; i < 3; i++) {
        sprintf(long_name + 1000, "%d@a=1", i);
        stored_put(&s, 1, failure);
    }
    stored_load(&s, &model);
    // As the store would give them, without the minute that writing them takes.
    const size_t count = 10000;
    struct result *some = model.results;
    model.results = lit_alloc(count, sizeof(*model.results));
    long_name[1000] = '\0';
    char(*names)[sizeof name + 32] = lit_alloc(count, sizeof *names);
    for (size_t i = 0; i < count; i++) {
        model.results[i] = some[i % 3];
        snprintf(names[i], sizeof *names, "%s%zu@a=1", name, i);
        model.results[i].name = names[i];
    }
    model.result_count = count;
    report_markdown(&model, &text);
    check_markdown(text.data);
    contains(text.data, "10,000 of 10,000 forbidden configurations failed");
    contains(text.data, "left out because a bug report holds 64 KB");
    text_free(&text);
    report_junit(&model, &text);
    assert_true(text.length < 30u << 20); // more is refused by GitLab
    text_free(&text);
    free(model.results);
    free(names);
    model.results = some;
    model.result_count = 3;
    sprintf(long_name + 1000, "2@a=1");
    assert_true(report_model_narrow(&model, "", name, &error));
    report_markdown(&model, &text);
    check_markdown(text.data);
    contains(text.data, "**failed in 9 of 9 runs**");
    text_free(&text);
}

TEST(test_narrow)
{
    OWNED(stored_drop) struct stored s = stored_begin(100, 0);
    struct report_model model;
    stored_device(&s, 1, "One", "device");
    stored_device(&s, 2, "Two", "device");
    stored_put(&s, 1, stored_result("a.b/c=1@d=1", "forbidden", "fail", 9, 1));
    stored_put(&s, 1, stored_result("a.b/c=2@d=1", "forbidden", "pass", 9, 0));
    stored_put(&s, 2, stored_result("a.b/c=1@d=1", "forbidden", "pass", 9, 0));
    stored_put(&s, 2, stored_result("e.f@d=1", "control", "pass", 9, 0));
    static const struct {
        const char *device, *test;
        size_t devices, results, rest;
        enum lit_exit code;
        const char *error; // "" for none
    } cases[] = {
        {"", "", 2, 4, 0, LIT_EXIT_TIME, ""},
        {"1", "", 1, 2, 0, LIT_EXIT_FORBIDDEN, ""},
        {"two", "", 1, 2, 0, LIT_EXIT_TIME, ""},
        {"2", "e", 1, 1, 1, LIT_EXIT_TIME, ""},
        {"", "a.b", 2, 3, 1, LIT_EXIT_FORBIDDEN, ""},
        {"", "a.b/c=1@d=1", 2, 2, 2, LIT_EXIT_FORBIDDEN, ""},
        {"", "*c=2*", 2, 1, 3, LIT_EXIT_TIME, ""},
        {"3", "", 0, 0, 0, 0, "no device '3'; it has 2, the first is One"},
        {"", "nothing", 0, 0, 0, 0, "no result of 'nothing'"},
        {"1", "e.f", 0, 0, 0, 0, "no result of 'e.f' on this device"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        stored_load(&s, &model);
        bool good = report_model_narrow(&model, cases[i].device, cases[i].test, &error);
        assert_int_equal(good, !cases[i].error[0]);
        if (good) {
            assert_int_equal(model.device_count, cases[i].devices);
            assert_int_equal(model.result_count, cases[i].results);
            assert_int_equal(model.rest_count, cases[i].rest);
            for (size_t r = 0; r < model.result_count; r++)
                assert_true(model.results[r].device < model.device_count);
            if (cases[i].code != LIT_EXIT_TIME) // the session is not finished
                assert_int_equal(model.code, cases[i].code);
        } else {
            contains(error.message, cases[i].error);
            assert_int_equal(model.result_count, 4);
        }
        report_model_clear(&model);
    }
}

// A count that JSON's readers would round is no count of runs.
TEST(test_too_many)
{
    const uint64_t most = (UINT64_C(1) << 53) - 1;
    const struct {
        uint64_t runs, instances, first;
        bool good;
    } cases[] = {
        {most, most, most, true}, {most + 1, most + 1, 0, false},   {1, most + 1, 0, false},
        {1, 1, most + 1, false},  {INT64_MAX, INT64_MAX, 0, false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        OWNED(stored_drop) struct stored s = stored_begin(100, 0);
        OWNED(report_model_clear) struct report_model model;
        stored_device(&s, 1, "One", "device");
        struct result result = stored_result("a.b", "forbidden", "pass", cases[i].runs, 0);
        result.count.instances = cases[i].instances;
        result.count.outcomes[0] = cases[i].instances;
        result.first = cases[i].first;
        stored_put(&s, 1, result);
        assert_int_equal(report_model_load(s.store, s.session.id, &model, &error), cases[i].good);
    }
    contains(error.message, "the file is damaged (more runs than can be)");
}

TEST(test_references)
{
    assert_true(report_reference_count > 700);
    for (size_t i = 0; i < report_reference_count; i++) {
        if (i > 0)
            assert_true(strcmp(report_references[i - 1].variant, report_references[i].variant) < 0);
        assert_ptr_equal(report_reference_find(report_references[i].variant),
                         &report_references[i]);
    }
    char name[512];
    snprintf(name, sizeof(name), "%s@workgroup=1", report_references[7].variant);
    assert_ptr_equal(report_reference_find(name), &report_references[7]);
    assert_null(report_reference_find("lookback.scan"));
    assert_null(report_reference_find(""));
}
