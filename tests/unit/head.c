// SPDX-License-Identifier: Apache-2.0
// The head of a test file: what it means, and that every mistake is named with its line. HEAD FILE.
#include "sections.h"

#include "base/text.h"
#include "catalogue/head.h"

TEST(a_good_head_is_understood)
{
    const char *good = section("good")->text;
    struct cat_head head;
    assert_true(cat_head_parse(good, strlen(good), &head, &error));
    assert_string_equal(head.name, "shuffle.example");
    assert_string_equal(head.family, "shuffle");
    assert_string_equal(head.test, "example");
    assert_string_equal(head.asks, "is this one question?");
    assert_int_equal(head.spec_count, 2);
    assert_string_equal(head.spec[1], "Other: another");
    assert_int_equal(head.axis_count, 2);
    assert_int_equal(head.axes[1].count, 3);
    assert_string_equal(head.axes[0].values[1], "control-each");
    assert_int_equal(head.size_count, 2);
    assert_int_equal(head.sizes[1], 32);
    assert_int_equal(head.sweep_count, 2);
    assert_int_equal(head.sweeps[0].spec_id, 0);
    assert_int_equal(head.sweeps[0].count, 3);
    assert_int_equal(head.sweeps[0].quick, 2);
    assert_int_equal(head.sweeps[1].spec_id, -1);
    assert_int_equal(head.sweeps[1].quick, 4);
    assert_string_equal(head.expect[0].by, "a-rule,rule-2");
    assert_string_equal(head.expect[0].reason, "no text");
    assert_null(head.expect[1].by); // may be left out
    assert_string_equal(head.expect[1].reason, "the text goes on");
    assert_string_equal(head.needs, "shaderFloat64");
    assert_int_equal(head.advice_count, 3);
    assert_true(head.advice[0].family && !head.advice[0].is_remedy);
    assert_string_equal(head.advice[0].values, "form=a,b");
    assert_string_equal(head.advice[0].what, "it holds");
    assert_true(head.advice[1].is_remedy && !head.advice[1].family);
    assert_string_equal(head.advice[1].values, "other.test form=x");
    assert_string_equal(head.advice[2].values, "");
    assert_string_equal(head.advice[2].what, "give up");
    assert_string_equal(head.bug, "https://example.org/1");
    assert_string_equal(head.vendor, "Intel, NVIDIA");
    assert_string_equal(head.status, "fixed in 2");
    assert_null(head.headline);
    cat_head_clear(&head);
    assert_null(head.name);
}

TEST(conditions_hold_where_they_should)
{
    const char *good = section("good")->text;
    OWNED(cat_head_clear) struct cat_head head;
    assert_true(cat_head_parse(good, strlen(good), &head, NULL));
    const uint8_t none_c[] = {0, 2}, each_c[] = {1, 2}, none_a[] = {0, 0};
    const uint8_t small[] = {0, 0}, large[] = {2, 0};
    assert_true(cat_condition_holds(&head.without[0].when, none_c, NULL));
    assert_false(cat_condition_holds(&head.without[0].when, each_c, NULL));
    assert_true(cat_condition_holds(&head.thorough[0].when, each_c, small));
    assert_false(cat_condition_holds(&head.thorough[0].when, none_a, small));
    assert_true(cat_condition_holds(&head.expect[0].when, none_a, large));
    assert_false(cat_condition_holds(&head.expect[0].when, none_a, small));
    // A condition about sweeps says nothing while only the axes are known.
    assert_false(cat_condition_holds(&head.expect[0].when, none_a, NULL));
    assert_true(cat_condition_holds(&head.expect[1].when, none_a, NULL));
}

// Replaces one piece of the good head, and expects exactly this complaint.
static void check_mistake(const char *piece, const char *instead, const char *complaint)
{
    OWNED(text_free) struct text text = {0};
    const char *good = section("good")->text, *at = strstr(good, piece);
    assert_non_null(at);
    text_append(&text, good, (size_t)(at - good));
    text_puts(&text, instead);
    text_puts(&text, at + strlen(piece));
    OWNED(cat_head_clear) struct cat_head head;
    must_fail_as(complaint, cat_head_parse(text.data, text.length, &head, &error));
}

TEST(every_mistake_is_named)
{
    for (const char *at = section("mistakes")->text, *piece, *complaint;
         sections_row(&at, &piece, &complaint);) {
        const char *instead = sections_instead(piece);
        check_mistake(piece, instead, complaint);
    }
    check_mistake("; origin  nowhere\n", "", "line 27: the head lacks 'origin'");
    for (size_t i = 0; i < 6; i++) {
        static const char *const wrong[] = {"", ",", "A", "a,", "a,a", "a,b,a"};
        OWNED(text_free) struct text complaint = {0}, by = {0};
        text_printf(&by, "by %s ", wrong[i]);
        text_printf(&complaint, "line 21: 'by' names rules by their ids, each once: '%s'",
                    *wrong[i] ? wrong[i] : "when");
        check_mistake("by a-rule,rule-2 ", by.data, complaint.data);
    }
    check_mistake("; vendor  Intel, NVIDIA\n", "", "line 27: the head lacks 'vendor'");
}

TEST(too_much_of_anything_is_refused)
{
    struct text text = {0};
    text_puts(&text, "; litmus a.b\n; axis x ");
    for (int i = 0; i < 40; i++)
        text_printf(&text, "%sv%d", i ? " | " : "", i);
    text_puts(&text, "\n");
    struct cat_head head;
    must_fail_as("line 2: unexpected in an axis: 'v20'",
                 cat_head_parse(text.data, text.length, &head, &error));
    cat_head_clear(&head);
    text_free(&text);
    static const char zero[] = "; litmus a.b\n; asks \0x\n";
    must_fail_as("line 2: not a text file", cat_head_parse(zero, sizeof zero - 1, &head, &error));
    cat_head_clear(&head);
}
