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
    check_mistake("shuffle.example", "shuffle",
                  "line 3: a test's name is family.test, not 'shuffle'");
    check_mistake("shuffle.example", "Shuffle.x",
                  "line 3: names have a-z, 0-9 and '-' only: 'Shuffle.x'");
    check_mistake("origin  nowhere", "asks again", "line 7: given twice: 'asks'");
    check_mistake("origin  nowhere", "orgin nowhere", "line 7: unknown keyword 'orgin'");
    check_mistake("; origin  nowhere\n", "", "line 27: the head lacks 'origin'");
    check_mistake("none | control-each", "none control-each",
                  "line 10: unexpected in an axis: 'control-each'");
    check_mistake("form  a", "sync  a", "line 11: not a new axis name: 'sync'");
    check_mistake("form  a", "subgroup  a", "line 11: not a new axis name: 'subgroup'");
    check_mistake("sizes   8 32", "sizes   8 33", "line 12: not a subgroup size: '33'");
    check_mistake("workgroup 0", "workgroup x",
                  "line 13: a sweep needs a specialization id or '-': 'workgroup'");
    check_mistake("64 128 | 256", "64 | 128 | 256", "line 13: unexpected in a sweep: '|'");
    check_mistake("64 128 | 256", "64 | largest", "line 13: unexpected in a sweep: 'largest'");
    check_mistake("64 128 | 256", "| 256", "line 13: a sweep needs values before '|': 'workgroup'");
    check_mistake("workgroup 0", "groups 0",
                  "line 21: no axis or sweep of that name above: 'workgroup!=64'");
    check_mistake("form=c", "form=d", "line 15: no such value: 'form=d'");
    check_mistake("form=c", "form", "line 15: a term is name=value or name!=value, not 'form'");
    check_mistake("contested by", "perhaps by", "line 21: not an expectation: 'perhaps'");
    for (size_t i = 0; i < 6; i++) {
        static const char *const wrong[] = {"", ",", "A", "a,", "a,a", "a,b,a"};
        OWNED(text_free) struct text complaint = {0}, by = {0};
        text_printf(&by, "by %s ", wrong[i]);
        text_printf(&complaint, "line 21: 'by' names rules by their ids, each once: '%s'",
                    *wrong[i] ? wrong[i] : "when");
        check_mistake("by a-rule,rule-2 ", by.data, complaint.data);
    }
    check_mistake("needs   shaderFloat64", "file  ../x.words",
                  "line 17: a file of words beside the test is NAME.words, not '../x.words'");
    check_mistake("needs   shaderFloat64", "file  x.txt",
                  "line 17: a file of words beside the test is NAME.words, not 'x.txt'");
    check_mistake("needs   shaderFloat64", "relies  form=d : it holds",
                  "line 17: no such value: 'form=d'");
    check_mistake("needs   shaderFloat64", "relies  form!=a : it holds",
                  "line 17: values are KEY=VALUE,... here, not 'form!=a'");
    check_mistake("needs   shaderFloat64", "remedy  form=b : it helps",
                  "line 17: no 'relies' above this 'remedy'");
    check_mistake("https://", "http://",
                  "line 24: a bug is https://... or reports/findings/..., not "
                  "'http://example.org/1'");
    check_mistake("Intel, NVIDIA", "Intel,NVIDIA",
                  "line 25: vendors are known names with ', ' between: 'Intel,NVIDIA'");
    check_mistake("Intel, NVIDIA", "Intel, ",
                  "line 25: vendors are known names with ', ' between: "
                  "'Intel,'");
    check_mistake("fixed in 2", "fixedin 2",
                  "line 26: a bug is open, fixed, disputed, withdrawn or unknown, not 'fixedin 2'");
    check_mistake("; vendor  Intel, NVIDIA\n", "", "line 27: the head lacks 'vendor'");
    check_mistake(" : no text", "", "line 21: an expectation needs ' : ' and a reason");
    check_mistake("forbidden :", "forbidden when sync=none :",
                  "line 28: the last expect line must have no condition");
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
