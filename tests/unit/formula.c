// SPDX-License-Identifier: Apache-2.0
// Formulas in the heads of tests: what they give, what they may ask for, and that no text makes the
// parser lose its way; and the files of words that they read.
#include "sections.h"

#include "base/text.h"
#include "catalogue/catalogue.h"
#include "catalogue/words.h"

// Workgroups of two subgroups of four, of which there are three; the word that is asked for is the
// second result of lane 2 of subgroup 1 of workgroup 1.
enum { LANES = 4, WORKGROUP = 8, WORKGROUPS = 3, UNIT = 3, WORD = 2 * 2 + 1 };

struct fixture {
    struct cat_test test;
    struct cat_case which;
    struct cat_args args;
    uint32_t input[WORKGROUPS * WORKGROUP];
};

static void begin(struct fixture *f)
{
    static const char text[] = "; litmus  a.b\n"
                               "; asks    what?\n"
                               "; fails   it\n"
                               "; origin  here\n"
                               "; spec    none: none\n"
                               "; axis    kind  odd-one | plain\n"
                               "; axis    count  2 | 8\n"
                               "; sweep   workgroup 0  8\n"
                               "; sweep   source-lane -  last 1\n"
                               "; expect  control : none\n"
                               "; file    a-b.words\n"
                               "; output  lane\n"
                               "; oracle  formula.subgroup\n";
    static const unsigned char file[] = {7, 0, 0, 0, 8, 0, 0, 0, 0x0d, 0x0c, 0x0b, 0x8a};
    static const struct cat_embedded embedded = {.file = file, .file_words = 3};
    *f = (struct fixture){.test = {.embedded = &embedded},
                          .which = {.test = &f->test, .axis = {1, 1}, .subgroup = LANES}};
    assert_true(cat_head_parse(text, sizeof text - 1, &f->test.head, NULL));
    f->args = (struct cat_args){.subgroup = LANES,
                                .workgroup = WORKGROUP,
                                .which = &f->which,
                                .oracle = cat_oracle_find("formula.subgroup"),
                                .shape = {.workgroups = WORKGROUPS,
                                          .elements = 77,
                                          .input_words = WORKGROUPS * WORKGROUP,
                                          .instances = WORKGROUPS * WORKGROUP / LANES,
                                          .words_per_instance = 2 * LANES}};
    assert_non_null(f->args.oracle);
    for (uint32_t i = 0; i < WORKGROUPS * WORKGROUP; i++)
        f->input[i] = 100 + i * i;
}

TEST(values)
{
    struct fixture f;
    begin(&f);
    struct lit_random random = {7};
    const struct cat_place place = {
        .args = &f.args, .input = f.input, .unit = UNIT, .word = WORD, .random = &random};
    for (const char *at = section("values")->text, *text, *number;
         sections_row(&at, &text, &number);) {
        const uint32_t wanted = (uint32_t)strtoul(number, NULL, 0);
        struct cat_formula formula;
        if (!cat_formula_parse(text, &f.test.head, CAT_ASKS_ALL, &formula, &error))
            fail_msg("%s: %s", text, error.message);
        cat_formula_settle(&formula, &f.which);
        const uint32_t value = cat_formula_value(&formula, &place);
        if (value != wanted)
            fail_msg("%s is %u, not %u", text, value, wanted);
        // The greatest of as many equal ones is evaluated in another way; there is none within
        // another.
        char greatest[1040];
        snprintf(greatest, sizeof greatest, "max(%s)", text);
        if (!cat_formula_parse(greatest, &f.test.head, CAT_ASKS_ALL, &formula, NULL))
            continue;
        cat_formula_settle(&formula, &f.which);
        if (!strstr(text, "other") && cat_formula_value(&formula, &place) != value)
            fail_msg("%s is not %u", greatest, value);
    }
    cat_head_clear(&f.test.head);
}

// More invocations than are evaluated at once, and no multiple of that.
TEST(a_unit_may_be_large)
{
    struct fixture f;
    struct cat_formula formula;
    begin(&f);
    f.args.oracle = cat_oracle_find("formula.workgroup");
    f.args.workgroup = 1000;
    f.args.shape.words_per_instance = 1000;
    const struct cat_place place = {.args = &f.args, .input = f.input, .word = 999};
    assert_true(cat_formula_parse("add(other <= lane || other >= 0 ? other * other : 0)",
                                  &f.test.head, CAT_ASKS_ALL, &formula, NULL));
    assert_int_equal(cat_formula_value(&formula, &place), 999 * 1000 * 1999 / 6);
    cat_head_clear(&f.test.head);
}

TEST(a_unit_may_be_a_workgroup)
{
    static const struct {
        const char *text;
        uint32_t value;
    } rows[] = {{"lane", 1},   {"subgroup", 1},    {"group", 2},
                {"index", 21}, {"add(other)", 28}, {"in", 100 + 21 * 21}};
    struct fixture f;
    begin(&f);
    f.args.oracle = cat_oracle_find("formula.workgroup");
    f.args.shape.words_per_instance = 2 * WORKGROUP;
    const struct cat_place place = {.args = &f.args, .input = f.input, .unit = 2, .word = 2 * 5};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct cat_formula formula;
        assert_true(cat_formula_parse(rows[i].text, &f.test.head, CAT_ASKS_ALL, &formula, NULL));
        assert_int_equal(cat_formula_value(&formula, &place), rows[i].value);
    }
    cat_head_clear(&f.test.head);
}

TEST(mistakes)
{
    static const struct {
        const char *text;
        unsigned asks;
        const char *message;
    } rows[] = {
#ifndef _WIN32 // its strtoull reads no number there
        {"0x", CAT_ASKS_ALL, "formula: unexpected 'x'"},
#endif
        {"random", CAT_ASKS_ALL & ~CAT_ASKS_RANDOM, "formula: not here: 'random'"},
        {"in", CAT_ASKS_SIZES, "formula: not here: 'in'"},
        {"lanes + in[0]", CAT_ASKS_SIZES, "formula: not here: 'in[0]'"},
        {"lane", CAT_ASKS_SIZES, "formula: not here: 'lane'"},
        {"workgroups", CAT_ASKS_SIZES, "formula: not here: 'workgroups'"},
        {"elements", CAT_ASKS_SIZES | CAT_ASKS_DISPATCH, "formula: not here: 'elements'"},
        {"add(lanes)", CAT_ASKS_SIZES, "formula: not here: 'lanes)'"},
    };
    struct fixture f;
    begin(&f);
    for (const char *at = section("mistakes")->text, *text, *message;
         sections_row(&at, &text, &message);) {
        struct cat_formula formula;
        must_fail_as(message,
                     cat_formula_parse(text, &f.test.head, CAT_ASKS_ALL, &formula, &error));
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct cat_formula formula;
        must_fail_as(rows[i].message,
                     cat_formula_parse(rows[i].text, &f.test.head, rows[i].asks, &formula, &error));
    }
    cat_head_clear(&f.test.head);
}

TEST(files_of_words)
{
    static const struct {
        const char *text, *message; // NULL: it is read
        uint32_t words[3];
        size_t count;
    } rows[] = {
        {"1 2\t3", NULL, {1, 2, 3}, 3},
        {"; 9 9\n0x10\r\n;\n4294967295;c 4\n", NULL, {16, UINT32_MAX}, 2},
        {"0xffffffff 007", NULL, {UINT32_MAX, 7}, 2},
        {"", "1: no words", {0}, 0},
        {"\n; 1\n", "3: no words", {0}, 0},
        {"1\n2 x", "2: not a word of 32 bits: 'x'", {0}, 0},
        {"1\n\n-1", "3: not a word of 32 bits: '-1'", {0}, 0},
        {"4294967296", "1: not a word of 32 bits: '4294967296'", {0}, 0},
        {"0x100000000", "1: not a word of 32 bits: '0x100000000'", {0}, 0},
        {"0x", "1: not a word of 32 bits: '0x'", {0}, 0},
        {"1,2", "1: not a word of 32 bits: '1,2'", {0}, 0},
        {"1.5", "1: not a word of 32 bits: '1.5'", {0}, 0},
    };
    OWNED(text_free) struct text many = {0};
    uint32_t *words;
    size_t count;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const bool good =
            cat_words_parse(rows[i].text, strlen(rows[i].text), &words, &count, &error);
        assert_int_equal(good, !rows[i].message);
        if (good) {
            assert_int_equal(count, rows[i].count);
            assert_memory_equal(words, rows[i].words, count * sizeof *words);
        } else {
            assert_string_equal(error.message, rows[i].message);
        }
        free(words);
    }
    assert_false(cat_words_parse("1\0002", 3, &words, &count, &error));
    free(words);
    for (size_t i = 0; i <= CAT_MOST_WORDS; i++)
        text_puts(&many, "5\n");
    assert_true(cat_words_parse(many.data, many.length - 2, &words, &count, &error));
    assert_int_equal(count, CAT_MOST_WORDS);
    free(words);
    must_fail_as("65537: more than 65536 words",
                 cat_words_parse(many.data, many.length, &words, &count, &error));
    free(words);
}

// `count` times `piece`, around a 1.
static bool parses(const char *before, const char *after, size_t count, const char *message)
{
    OWNED(text_free) struct text text = {0};
    struct cat_formula formula;
    for (size_t i = 0; i < count; i++)
        text_puts(&text, before);
    text_puts(&text, "1");
    for (size_t i = 0; i < count; i++)
        text_puts(&text, after);
    const bool good = cat_formula_parse(text.data, NULL, CAT_ASKS_ALL, &formula, &error);
    if (!good)
        assert_string_equal(error.message, message);
    return good;
}

TEST(depth_and_length_are_bounded)
{
    static const struct {
        const char *before, *after;
        size_t most;
        const char *message;
    } rows[] = {
        {"(", ")", CAT_FORMULA_DEPTH / 2 - 1, "formula: too deep"},
        {"-", "", CAT_FORMULA_DEPTH - 2, "formula: too deep"},
        {"in[", "]", CAT_FORMULA_DEPTH / 2 - 1, "formula: too deep"},
        {"1 ? 1 : ", "", CAT_FORMULA_DEPTH - 2, "formula: too deep"},
        {"", " + 1", (CAT_FORMULA_NODES - 1) / 2, "formula: too long"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(parses(rows[i].before, rows[i].after, rows[i].most, rows[i].message));
        for (size_t count = rows[i].most + 1; count < 100000; count *= 3)
            assert_false(parses(rows[i].before, rows[i].after, count, rows[i].message));
    }
}

// The text of a place: what stands in braces ends at a | or at the brace.
TEST(places)
{
    static const struct {
        const char *where, *text;
    } rows[] = {
        {"lane {lane}, result {result}", "lane 2, result 1"},
        {"{word / results} of {words}", "2 of 8"},
        {"{result|first|second} of {index}", "second of 14"},
        {"{word|none}", ""},
        {"{source-lane=last|no|yes}", "yes"},
        {"plain", "plain"},
    };
    struct fixture f;
    begin(&f);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[64];
        f.test.head.where = (char *)rows[i].where;
        cat_oracle_where(f.args.oracle, &f.args, &f.args.shape,
                         &(struct cat_failure){.instance = UNIT, .word = WORD}, text, sizeof text);
        assert_string_equal(text, rows[i].text);
    }
    cat_head_clear(&f.test.head);
}
