// SPDX-License-Identifier: Apache-2.0
// What decides on the HTML page: what is escaped, where a rate is drawn, which results stand side
// by side, which courses are shown.
#include "report/html.h"

#include "unit.h"

#include <math.h>

TEST(test_escape)
{
    static const struct {
        const char *text, *escaped;
    } cases[] = {
        {"", ""},
        {"plain 0.5 \xc3\xa4 \xe4\xb8\xad", "plain 0.5 \xc3\xa4 \xe4\xb8\xad"},
        {"</script>", "&#60;/script&#62;"},
        {"a\"b'c`d", "a&#34;b&#39;c&#96;d"},
        {"&lt;", "&#38;lt;"},
        {"one\ntwo\ttab\x7f\x01", "one\ntwo?tab??"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        OWNED(text_free) struct text out = {0};
        text_puts(&out, "");
        html_escape(&out, cases[i].text);
        assert_string_equal(out.data, cases[i].escaped);
    }
}

TEST(test_printf)
{
    OWNED(text_free) struct text out = {0};
    html_printf(&out, "<a title=\"%s\">%u %5.1f%% %zu %c 0x%08x %ju</a>", "\"<", 7u, 2.25,
                (size_t)3, '<', 0xabu, (uintmax_t)1 << 60);
    assert_string_equal(out.data, "<a title=\"&#34;&#60;\">7   2.2% 3 &#60; 0x000000ab "
                                  "1152921504606846976</a>");
}

TEST(test_json)
{
    OWNED(text_free) struct text out = {0};
    html_json(&out, json_pack("[s, s]", "</script><!--&", "\xe2\x80\xa8\"\\\xc3\xa4"));
    assert_string_equal(out.data, "[\"\\u003c/script\\u003e\\u003c!--\\u0026\","
                                  "\"\\u2028\\\"\\\\\\u00E4\"]");
}

TEST(test_name)
{
    OWNED(text_free) struct text out = {0};
    html_name(&out, "a.b/c=<d>,e=1@f=2");
    assert_string_equal(out.data, "a.b/<wbr>c=&#60;d&#62;,<wbr>e=1@<wbr>f=2");
    out.length = 0;
    html_name(&out, "2,000 words, of which the last is long: "
                    "012345678901234567890123456789\xe4\xb8\xad!");
    assert_string_equal(out.data, "2,000 words, of which the last is long: "
                                  "012345678901234567890123456789<wbr>"
                                  "\xe4\xb8\xad!");
}

TEST(test_axis)
{
    // The ends of the axis, its middle, and what lies beyond.
    assert_true(fabs(html_x(4, 1) - 312) < 1e-9);
    assert_true(fabs(html_x(4, 1e-4) - 8) < 1e-9);
    assert_true(fabs(html_x(4, 1e-2) - 160) < 1e-9);
    assert_true(fabs(html_x(4, 1e-9) - 8) < 1e-9);
    assert_true(fabs(html_x(4, 0) - 8) < 1e-9);
    assert_true(html_x(4, 0.2) > html_x(4, 0.1));
}

TEST(test_decades)
{
    static const struct {
        uint64_t failed, judged;
        double low, high;
        int decades;
    } cases[] = {
        {0, 0, 0, 1, 2},            // nothing was judged
        {0, 20, 0, 0.17, 2},        // never less than two
        {0, 1000, 0, 3.7e-3, 3},    // the bound
        {1, 1000, 2.5e-5, 5e-3, 5}, // the lower end
        {1000, 1000, 0.99, 1, 2},
        {0, 1000000, 0, 1e-6, 6}, // exactly on a decade
        {1, 1, 1e-30, 1, 9},      // never more than nine
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct result result = {.failed_runs = cases[i].failed,
                                .judged = cases[i].judged,
                                .interval = {cases[i].low, cases[i].high}};
        const struct report_model model = {.results = &result, .result_count = 1};
        assert_int_equal(html_decades(&model), cases[i].decades);
    }
}

TEST(test_plot)
{
    const struct html_rate rates[] = {
        {0, 1000, {0, 1e-2}, CAT_FORBIDDEN},
        {10, 1000, {1e-3, 1e-1}, CAT_CONTESTED},
        {0, 0, {0, 1}, CAT_FORBIDDEN},
    };
    OWNED(text_free) struct text out = {0};
    html_plot(&out, 4, rates, 3);
    // One-sided: from the bound to the left end, with a cap; two-sided: with a dot.
    assert_non_null(strstr(out.data, "class=\"bound\" d=\"M160.0 8H4\""));
    assert_non_null(strstr(out.data, "class=\"interval e1\" d=\"M84.0 8H236.0\""));
    assert_non_null(strstr(out.data, "class=\"dot e1\" d=\"M156.0 8"));
    assert_null(strstr(out.data, "M312.0 8")); // nothing for no runs
    assert_null(strstr(out.data, "style"));
}

// A bar for each batch, in their order, as wide as its runs and as high as its rate.
TEST(test_batches)
{
    static struct eng_part batches[] = {
        {.runs = 100, .failed_runs = 10}, // of 50 that did not give up
        {.runs = 300, .failed_runs = 0},
        {.runs = 200, .failed_runs = 20},
    };
    static const struct {
        double x, width, height;
    } bars[] = {{8, 152.0 / 3, 34}, {8 + 152.0 / 3, 152, 0}, {8 + 608.0 / 3, 304.0 / 3, 17}};
    const struct result result = {
        .runs = 600, .failed_runs = 30, .first = 1000, .pieces = batches, .piece_count = 3};
    OWNED(text_free) struct text out = {0};
    batches[0].no_progress_runs = 50;
    html_batches(&out, &result);
    const char *at = out.data;
    for (size_t i = 0; i < 3; i++) {
        double x, y, width, height;
        at = strstr(at, "<rect ");
        assert_non_null(at);
        assert_int_equal(sscanf(at++, "<rect x=\"%lf\" y=\"%lf\" width=\"%lf\" height=\"%lf\">", &x,
                                &y, &width, &height),
                         4);
        assert_true(fabs(x - bars[i].x) < 0.01 && fabs(width - (bars[i].width - 1)) < 0.01);
        assert_true(fabs(height - bars[i].height) < 0.01 && fabs(y + height - 35) < 0.01);
    }
    assert_null(strstr(at, "<rect "));
    assert_non_null(strstr(out.data, "<title>runs 1,401 to 1,600: 20 of 200 failed</title>"));
    assert_non_null(strstr(
        out.data, "3 batches in the order of their runs; in the highest 10 of 50 runs failed"));
}

TEST(test_bar)
{
    const uint64_t shares[] = {1, 0, 3};
    const char *const kinds[] = {"pass", "fail", "skip"};
    struct text out = {0};
    html_bar(&out, shares, kinds, 3);
    assert_non_null(strstr(out.data, "\"pass\" x=\"0.00\" width=\"25.00\""));
    assert_non_null(strstr(out.data, "\"skip\" x=\"25.00\" width=\"75.00\""));
    assert_null(strstr(out.data, "fail"));
    text_free(&out);
    // One of many is wide enough to be seen, and all of it is not wider than the bar.
    html_bar(&out, (const uint64_t[]){1, 999999, 0}, kinds, 3);
    assert_non_null(strstr(out.data, "\"pass\" x=\"0.00\" width=\"1.48\""));
    assert_non_null(strstr(out.data, "\"fail\" x=\"1.48\" width=\"98.52\""));
    text_free(&out);
    html_bar(&out, (const uint64_t[]){0, 0, 0}, kinds, 3);
    assert_null(strstr(out.data, "<rect"));
    text_free(&out);
}

TEST(test_log_bar)
{
    static const struct {
        uint64_t part, whole;
        const char *drawn; // NULL: no bar
    } cases[] = {
        {0, 100, NULL},
        {0, 0, NULL},
        {1, 1, "width=\"100.00\""},
        {1, 999, "width=\"10.03\""},
        {999, 999, "width=\"100.00\""},
        {8781, 262144000, "width=\"46.84\""},
        {9, 3, "width=\"100.00\""}, // a damaged store: not beyond the bar
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        OWNED(text_free) struct text out = {0};
        html_log_bar(&out, cases[i].part, cases[i].whole, "fail");
        assert_int_equal(strstr(out.data, "<rect") != NULL, cases[i].drawn != NULL);
        if (cases[i].drawn)
            assert_non_null(strstr(out.data, cases[i].drawn));
        assert_non_null(strstr(out.data, "</svg>"));
    }
}

TEST(test_entries)
{
    static const char *const names[] = {
        "b.x/s=1@w=128,subgroup=32", "b.x/s=1@w=64,subgroup=32", "a.y@w=1,subgroup=32",
        "b.x/s=1@w=64,subgroup=8",   "b.x/s=1@w=128,subgroup=8",
    };
    struct result results[5] = {0};
    struct html_entry *entries;
    for (size_t i = 0; i < 5; i++) {
        results[i].device = i > 2;
        report_result_is(&results[i], cfg_parse(names[i]));
    }
    const struct report_model model = {.results = results, .result_count = 5};
    assert_int_equal(html_entries(&model, &entries), 5);
    // By test, then in the session's order, then by device.
    static const size_t order[] = {2, 0, 4, 1, 3};
    for (size_t i = 0; i < 5; i++)
        assert_ptr_equal(entries[i].result, &results[order[i]]);
    assert_int_equal(html_alike(entries, 5, 0, HTML_FAMILY), 1);
    assert_int_equal(html_alike(entries, 5, 1, HTML_FAMILY), 4);
    assert_int_equal(html_alike(entries, 5, 1, HTML_TEST), 4);
    assert_int_equal(html_alike(entries, 5, 1, HTML_KEY), 2);
    assert_int_equal(html_alike(entries, 5, 3, HTML_KEY), 2);
    OWNED(text_free) struct text out = {0};
    html_pairs(&out, entries + 1, 4, 0, false);
    text_puts(&out, " | ");
    html_pairs(&out, entries + 1, 4, 0, true);
    assert_string_equal(out.data, "w=128 | s=1");
    html_entries_free(entries, 5);
    for (size_t i = 0; i < 5; i++) {
        cfg_clear(&results[i].cfg);
        free(results[i].label);
    }
}
