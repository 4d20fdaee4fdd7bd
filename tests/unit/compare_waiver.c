// SPDX-License-Identifier: Apache-2.0
// Waivers and deqp-runner's lists: what is read, what is refused, what is waived.
#include "compare/compare.h"
#include "compare/waiver.h"

#include "sections.h"

#include "base/random.h"

#define URL  "https://bugs.example.org/1"
#define NAME "shuffle.scan-loop/sync=none,form=ssa@workgroup=64,subgroup=8"

static bool parse(struct compare_waivers *waivers, enum compare_list list, const char *text,
                  struct lit_error *error)
{
    *waivers = (struct compare_waivers){0};
    return compare_waivers_parse(waivers, list, text, strlen(text), "list.txt", error);
}

TEST(good_lists)
{
    struct compare_waivers w;
    assert_true(parse(&w, COMPARE_WAIVERS,
                      "# all of it\n\n  shuffle.* " URL "  until=2028-02-29 # leap\r\n" NAME
                      "\t" URL "#anchor\nscan http://b/2 #x",
                      &error));
    assert_int_equal(w.count, 3);
    assert_string_equal(w.items[0].pattern, "shuffle.*");
    assert_string_equal(w.items[0].url, URL);
    assert_string_equal(w.items[0].only[COMPARE_UNTIL], "2028-02-29");
    assert_int_equal(w.items[0].line, 3);
    assert_string_equal(w.items[1].url, URL "#anchor");
    assert_string_equal(w.items[2].only[COMPARE_UNTIL], "");
    compare_waivers_clear(&w);
    assert_true(
        parse(&w, COMPARE_DEQP_FAILS, "# fails\n" NAME ",Fail\nscan.levels,Crash\n", &error));
    assert_int_equal(w.count, 2);
    assert_string_equal(w.items[0].pattern, NAME);
    assert_int_equal(w.items[1].waives, COMPARE_WAIVE_RATE | COMPARE_WAIVE_CRASH);
    compare_waivers_clear(&w);
    assert_true(parse(&w, COMPARE_DEQP_FLAKES, "shuffle\\..*@workgroup=(64|128)\n[]x]+\n", &error));
    assert_int_equal(w.count, 2);
    compare_waivers_clear(&w);
    assert_true(parse(&w, COMPARE_WAIVERS, "", &error));
    compare_waivers_clear(&w);
}

// "@URL" stands for one.
static void refuse(enum compare_list list, const char *line, const char *message)
{
    OWNED(compare_waivers_clear) struct compare_waivers w;
    OWNED(text_free) struct text text = {0};
    const char *url = strstr(line, "@URL");
    text_printf(&text, "%.*s%s%s\n", url ? (int)(url - line) : 0, line, url ? URL : "",
                url ? url + 4 : line);
    must_fail_first(message, parse(&w, list, text.data, &error));
    assert_int_equal(error.code, LIT_EXIT_USAGE);
}

TEST(bad_lines)
{
    static const struct {
        enum compare_list list;
        const char *text, *message;
    } bad[] = {
        {COMPARE_WAIVERS, "# c\nx # c\n", "list.txt:2: a waiver needs the URL"},
        {COMPARE_WAIVERS, "x " COMPARE_URL_PLACEHOLDER "\n", "list.txt:1: fill in"},
        {COMPARE_WAIVERS, "\xef\xbb\xbfx\n", "list.txt:1: a waiver needs the URL"},
        {COMPARE_CASELIST, "\xef\xbb\xbf# a comment\nx\x01\n", "list.txt:2: a control character"},
        {COMPARE_WAIVERS, "x\033[31m " URL "\n", "list.txt:1: a control character"},
        {COMPARE_DEQP_FAILS, "x\n", "list.txt:1: expected TEST,STATUS"},
        {COMPARE_DEQP_FAILS, ",Fail\n", "list.txt:1: expected TEST,STATUS"},
        {COMPARE_DEQP_FAILS, "x,fail\n", "list.txt:1: unknown status 'fail'"},
        {COMPARE_DEQP_FLAKES, "a\n(\n", "list.txt:2: invalid regular expression"},
        {COMPARE_DEQP_FLAKES, "a\\d\n", "list.txt:1: classes like"},
        {COMPARE_DEQP_FLAKES, "(a)\\1\n", "list.txt:1: references"},
        {COMPARE_DEQP_FLAKES, "a{1,32000}\n", "list.txt:1: repetition"},
        {COMPARE_DEQP_FLAKES, "a.*?b\n", "list.txt:1: lazy"},
        {COMPARE_DEQP_SKIPS, "(?:a)\n", "list.txt:1: groups"},
        {COMPARE_DEQP_SKIPS, "((((((((((((((((((((((a))))))))))))))))))))))\n",
         "list.txt:1: too many"},
    };
    for (const char *at = section("bad")->text, *line, *message;
         sections_row(&at, &line, &message);)
        refuse(COMPARE_WAIVERS, line, message);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuse(bad[i].list, bad[i].text, bad[i].message);
}

TEST(names)
{
    static const struct {
        const char *pattern, *name;
        bool matches;
    } table[] = {
        {NAME, NAME, true},
        {"shuffle", NAME, true},
        {"shuffle.*", NAME, true},
        {"shuffle.scan-loop", NAME, true},
        {"*", NAME, true},
        {"shuffle.scan-loop/sync=none,form=ssa@workgroup=64", NAME, true},
        {"shuffle.scan-loop/sync=none*", NAME, true},
        {"shuffle.scan-loop/*@*", NAME, true},
        {"shuffle.scan-loop/sync=control*", NAME, false},
        {"scan", NAME, false},
        {"shuffle.scan", NAME, false},
        {"a.b", "a.b@subgroup=8", true},
        {"a.b/x", "a.b/x@subgroup=8", true},
        {"a.b/x@subgroup=16", "a.b/x@subgroup=8", false},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (cfg_matches(table[i].pattern, table[i].name) != table[i].matches)
            fail_msg("%s and %s", table[i].pattern, table[i].name);
}

// What is ruled out without it would not have matched: every expression of a small alphabet.
TEST(needed_text)
{
    static const char alphabet[] = "aab.|()[]*+?^$\\";
    struct lit_random random = {1};
    size_t matching = 0, ruled_out = 0;
    for (int i = 0; i < 60000; i++) {
        char regex[12] = "", name[8] = "";
        regex_t compiled;
        const size_t length = 1 + random_below(&random, sizeof regex - 1);
        for (size_t at = 0; at < length; at++)
            regex[at] = alphabet[random_below(&random, sizeof alphabet - 1)];
        if (regcomp(&compiled, regex, REG_EXTENDED | REG_NOSUB) != 0)
            continue;
        char *needed = compare_regex_needs(regex);
        for (int n = 0; n < 8; n++) {
            for (size_t at = 0; at < sizeof name - 1; at++)
                name[at] = "ab.|"[random_below(&random, 4)];
            const bool matches = regexec(&compiled, name, 0, NULL, 0) == 0;
            const bool may = compare_regex_may_match(needed, name);
            if (matches && !may)
                fail_msg("%s matches %s", regex, name);
            matching += matches;
            ruled_out += !may;
        }
        free(needed);
        regfree(&compiled);
    }
    assert_true(matching > 10000 && ruled_out > 10000);
    static const struct {
        const char *regex, *name;
        bool may;
    } table[] = {
        {"scan-loop", NAME, true},
        {"scan-loops", NAME, false},
        {"^shuffle.*form=ssa", NAME, true},
        {"form=ssa.*^shuffle", NAME, false},
        {"form=(ssa|x)@workgroup=64", NAME, true},
        {"form=(ssa|x)@workgroup=[0-9]+,subgroup=16", NAME, false},
        {"[[:alpha:]_x]oop", NAME, true},
        {"x|scan-loop", NAME, true},
        {"x|y.*z", NAME, false},
        {"x|.*", NAME, true},
        {"scan-loops*", NAME, true},
        {"scan-loops+", NAME, false},
        {"shuffle\\.scan", NAME, true},
        {"shuffle\\.scam", NAME, false},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        OWNED(lit_free) char *needed = compare_regex_needs(table[i].regex);
        if (compare_regex_may_match(needed, table[i].name) != table[i].may)
            fail_msg("%s", table[i].regex);
    }
}

static struct result result_of(const char *name, enum eng_result result, uint64_t failed,
                               uint64_t runs)
{
    return (struct result){.name = (char *)name,
                           .family = (char *)"f",
                           .sha256 = (char *)"",
                           .stress = (char *)"",
                           .rule = (char *)"",
                           .reason = (char *)"",
                           .result = result,
                           .failed_runs = failed,
                           .runs = runs,
                           .judged = runs};
}

static const struct dev_facts device = {.vendor = 0x10de,
                                        .product = 0x2330,
                                        .driver_name = "NVIDIA",
                                        .driver_info = "580.159.04",
                                        .driver_version = "580.159.04"};
static const struct dev_facts *const devices[] = {&device};

// One configuration that got worse in a given way, and whether a list waives it.
static void waived(enum compare_list list, const char *text, const struct result *b, bool is,
                   struct compare_waiver *shown)
{
    const struct result a = result_of(NAME, ENG_PASS, 0, 1000);
    struct compare_entry entry = {.a = &a, .b = b};
    struct compare_policy policy = compare_policy_default;
    struct compare_summary summary;
    OWNED(compare_waivers_clear) struct compare_waivers waivers;
    policy.gate = true;
    must(parse(&waivers, list, text, &error));
    compare_judge(&entry, 1, &policy, &summary);
    compare_waivers_apply(&waivers, &entry, 1, &policy, "2026-11-21", devices, 1);
    compare_decide(&entry, 1, &policy, &summary);
    if ((entry.waiver != 0) != is)
        fail_msg("%s: %s", text, is ? "not waived" : "waived");
    assert_int_equal(summary.waived, is);
    *shown = waivers.items[0];
    shown->pattern = shown->url = shown->file = NULL;
}

// For which devices and drivers a waiver holds: the device above.
TEST(conditions)
{
    const struct result fail = result_of(NAME, ENG_FAIL, 300, 1000);
    for (const char *at = section("conditions")->text, *only, *is; sections_row(&at, &only, &is);) {
        struct compare_waiver w;
        const bool holds = strcmp(is, "true") == 0;
        OWNED(text_free) struct text line = text_format("shuffle " URL " %s", only);
        waived(COMPARE_WAIVERS, line.data, &fail, holds, &w);
        assert_int_equal(w.foreign, !holds);
        assert_int_equal(w.matched, holds);
    }
}

TEST(waives)
{
    const struct result fail = result_of(NAME, ENG_FAIL, 300, 1000),
                        once = result_of(NAME, ENG_FAIL, 1, 1000),
                        crash = result_of(NAME, ENG_CRASH, 0, 0),
                        hang = result_of(NAME, ENG_HANG, 0, 0),
                        skip = result_of(NAME, ENG_SKIP, 0, 0),
                        pass = result_of(NAME, ENG_PASS, 0, 1000);
    struct compare_waiver w;
    waived(COMPARE_WAIVERS, "shuffle " URL, &fail, true, &w);
    assert_int_equal(w.used, 1);
    waived(COMPARE_WAIVERS, "shuffle " URL, &crash, true, &w);
    waived(COMPARE_WAIVERS, "shuffle " URL, &once, true, &w);
    waived(COMPARE_WAIVERS, "shuffle " URL " until=2026-11-21", &fail, true, &w);
    waived(COMPARE_WAIVERS, "shuffle " URL " until=2026-11-20", &fail, false, &w);
    assert_true(w.expired && w.used == 1);
    waived(COMPARE_WAIVERS, "scan " URL, &fail, false, &w);
    assert_int_equal(w.matched, 0);
    waived(COMPARE_WAIVERS, "shuffle " URL, &pass, false, &w);
    assert_true(w.matched == 1 && w.used == 0);
    waived(COMPARE_WAIVERS, "shuffle " URL " from=2026-11-21", &fail, true, &w);
    waived(COMPARE_WAIVERS, "shuffle " URL " from=2026-11-22", &fail, false, &w);
    assert_true(w.early && w.used == 1);
    // Behind an expired one a second that holds.
    waived(COMPARE_WAIVERS, "shuffle " URL " until=2026-11-20\nshuffle " URL, &fail, true, &w);
    waived(COMPARE_DEQP_FAILS, NAME ",Fail", &fail, true, &w);
    waived(COMPARE_DEQP_FAILS, "shuffle.scan-loop,Fail", &fail, true, &w);
    waived(COMPARE_DEQP_FAILS, "shuffle.*,Fail", &fail, false, &w);
    waived(COMPARE_DEQP_FAILS, "2/shuffle.scan_loop/sync=none/form=ssa@workgroup=64,Fail", &fail,
           true, &w);
    waived(COMPARE_DEQP_FLAKES, "scan_loop/sync=none/form", &fail, true, &w);
    waived(COMPARE_DEQP_FAILS, NAME ",Fail", &crash, false, &w);
    waived(COMPARE_DEQP_FAILS, NAME ",Crash", &crash, true, &w);
    waived(COMPARE_DEQP_FAILS, NAME ",Crash", &hang, false, &w);
    waived(COMPARE_DEQP_FAILS, NAME ",Timeout", &hang, true, &w);
    waived(COMPARE_DEQP_FAILS, NAME ",Fail", &pass, false, &w);
    assert_int_equal(w.passing, 1);
    waived(COMPARE_DEQP_FLAKES, "scan-loop", &fail, true, &w);
    waived(COMPARE_DEQP_FLAKES, "^scan-loop", &fail, false, &w);
    waived(COMPARE_DEQP_FLAKES, "scan-loop", &skip, false, &w);
    waived(COMPARE_DEQP_SKIPS, "scan-loop", &skip, true, &w);
    waived(COMPARE_DEQP_SKIPS, "scan-loop", &fail, false, &w);
}

// Ten thousand lines of deqp-runner's lists over a thousand configurations.
TEST(long_lists)
{
    enum { LINES = 5000, NAMES = 1000 };
    static char names[NAMES][128];
    static struct result results[NAMES];
    static struct compare_entry entries[NAMES];
    OWNED(compare_waivers_clear) struct compare_waivers waivers = {0};
    OWNED(text_free) struct text list = {0};
    for (int i = 0; i < LINES; i++) {
        static const char *const forms[] = {"dEQP-VK\\.memory\\.%d\\..*", "shuffle.*case-%d@",
                                            "(scan|shuffle)\\.[a-z-]+/case-%d$",
                                            "^memory\\.x%d|^loop\\.x%d"};
        text_printf(&list, "shuffle\\.scan/case-%d.*subgroup=(8|16)\n", i);
        text_printf(&list, forms[i % 4], i, i);
        text_puts(&list, "\n");
    }
    for (int i = 0; i < NAMES; i++) {
        snprintf(names[i], sizeof names[i], "shuffle.scan/case-%d@workgroup=64,subgroup=8", i);
        results[i] = result_of(names[i], ENG_SKIP, 0, 0);
        entries[i] = (struct compare_entry){.a = &results[i],
                                            .b = &results[i],
                                            .verdict = COMPARE_REGRESSION,
                                            .why = COMPARE_NEW_SKIP};
    }
    assert_true(parse(&waivers, COMPARE_DEQP_SKIPS, list.data, &error));
    compare_waivers_apply(&waivers, entries, NAMES, &compare_policy_default, "2026-11-21", devices,
                          1);
    for (int i = 0; i < NAMES; i++)
        assert_true(entries[i].waiver > 0);
    // The text that a line needs spares nearly all matches of its expression.
    size_t tried = 0, matched = 0;
    for (size_t line = 0; line < waivers.count; line += 11)
        for (int i = 0; i < NAMES; i++) {
            const struct compare_waiver *waiver = &waivers.items[line];
            matched += compare_waiver_names(waiver, names[i], names[i]);
            tried += compare_regex_may_match(waiver->needed, names[i]);
        }
    assert_in_range(tried, matched, waivers.count / 11 * 10);
}

// What is written is refused until it is filled in, and then waives all of it.
TEST(written)
{
    const struct result a = result_of(NAME, ENG_PASS, 0, 1000),
                        b = result_of(NAME, ENG_FAIL, 300, 1000),
                        c = result_of("a.b@subgroup=8", ENG_PASS, 0, 1000),
                        d = result_of("a.b@subgroup=8", ENG_CRASH, 0, 0);
    struct compare_entry entries[] = {{.a = &a, .b = &b}, {.a = &c, .b = &d}, {.a = &a, .b = &a}};
    struct compare_policy policy = compare_policy_default;
    struct compare_summary summary;
    OWNED(compare_waivers_clear) struct compare_waivers waivers;
    OWNED(text_free) struct text text = {0};
    compare_judge(entries, 3, &policy, &summary);
    compare_waivers_write(entries, 3, &policy, &text);
    assert_string_equal(text.data, "a.b@subgroup=8 " COMPARE_URL_PLACEHOLDER "\n" NAME
                                   " " COMPARE_URL_PLACEHOLDER "\n");
    assert_false(parse(&waivers, COMPARE_WAIVERS, text.data, &error));
}
