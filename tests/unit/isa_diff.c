// SPDX-License-Identifier: Apache-2.0
// Listings side by side: alignment, likeness, words, and what an axis does to the code.
#include "isa/study.h"

#include "unit.h"

struct side {
    struct isa_code code;
    struct isa_listing listing;
};

static void make(struct side *side, const char *text)
{
    *side = (struct side){0};
    isa_add_piece(&side->code, ISA_TEXT, "Assembly", "", text, strlen(text));
    assert_true(isa_list(&side->code.pieces[0], &side->listing, &error));
}

static void clear(struct side *side)
{
    isa_listing_clear(&side->listing);
    isa_code_clear(&side->code);
}

// One character a row: '=' on both sides, '<' left only, '>' right only.
static void picture(const struct isa_diff *diff, char *target)
{
    for (size_t i = 0; i < diff->count; i++)
        *target++ = diff->rows[i].left == SIZE_MAX    ? '>'
                    : diff->rows[i].right == SIZE_MAX ? '<'
                                                      : '=';
    *target = '\0';
}

TEST(test_table)
{
    static const struct {
        const char *left, *right, *rows;
        enum isa_likeness likeness;
        const char *words;
    } cases[] = {
        {"a\nb\nc\n", "a\nb\nc\n", "===", ISA_SAME, ""},
        {"", "", "", ISA_SAME, ""},
        {"", "a 1\n", ">", ISA_OTHER, "adds a"},
        {"a 1\nb 2\n", "", "<<", ISA_OTHER, "drops a, b"},
        // Comments, indentation and the numbers of values and blocks are no difference.
        {"a 1 ; 77\nb %12\n", "  a 1 ; 99\n b %13\n", "==", ISA_SAME_TEXT, ""},
        {" 7  %8 = add %9\n", "12  %7 = add %3\n", "=", ISA_SAME_TEXT, ""},
        {"a v1\nb v2\n", "a v1\nb v3\n", "=<>", ISA_SAME_NAMES, ""},
        {"a 1\nb 2\nc 3\n", "b 2\na 1\nc 3\n", "<=>=", ISA_SAME_MEMBERS, "moves a"},
        {"a 1\nc 3\n", "a 1\nbar 2\nbar 2\nc 3\n", "=>>=", ISA_OTHER, "adds 2 bar"},
        {"a 1\nl 1\nc 3\nd\n", "a 1\nc 3\nl 1\nd\ne\n", "=<=>=>", ISA_OTHER, "adds e; moves l"},
        {"x\ny\n\n", "x\n\ny\n", "=<=>", ISA_SAME_MEMBERS, "moves y"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        OWNED(clear) struct side left, right;
        OWNED(isa_diff_clear) struct isa_diff diff;
        OWNED(text_free) struct text words = {0};
        char rows[64];
        make(&left, cases[i].left);
        make(&right, cases[i].right);
        isa_diff(&left.listing, &right.listing, &diff);
        picture(&diff, rows);
        assert_string_equal(rows, cases[i].rows);
        assert_true(diff.aligned);
        assert_int_equal(
            isa_compare(&left.listing, &left.code.pieces[0], &right.listing, &right.code.pieces[0]),
            cases[i].likeness);
        isa_diff_words(&left.listing, &right.listing, &words);
        assert_string_equal(words.data ? words.data : "", cases[i].words);
    }
}

// Random listings: every line of both sides has its row, in order, and equal rows are equal; and
// the alignment is no shorter than one found by trying all.
static size_t longest(const char *a, const char *b)
{
    if (!*a || !*b)
        return 0;
    if (*a == *b)
        return 1 + longest(a + 1, b + 1);
    const size_t x = longest(a + 1, b), y = longest(a, b + 1);
    return x > y ? x : y;
}

TEST(test_property)
{
    uint32_t seed = 1;
    for (int round = 0; round < 300; round++) {
        char letters[2][12], text[2][64];
        struct side side[2];
        OWNED(isa_diff_clear) struct isa_diff diff = {0};
        for (int s = 0; s < 2; s++) {
            size_t length = (seed = seed * 1664525 + 1013904223) >> 24 & 7, at = 0;
            for (size_t i = 0; i < length; i++) {
                letters[s][i] = (char)('a' + ((seed = seed * 1664525 + 1013904223) >> 28) % 3);
                text[s][at++] = letters[s][i];
                text[s][at++] = '\n';
            }
            letters[s][length] = text[s][at] = '\0';
            make(&side[s], text[s]);
        }
        isa_diff(&side[0].listing, &side[1].listing, &diff);
        size_t next[2] = {0}, equal = 0;
        for (size_t i = 0; i < diff.count; i++) {
            const struct isa_row *row = &diff.rows[i];
            if (row->left != SIZE_MAX)
                assert_int_equal(row->left, next[0]++);
            if (row->right != SIZE_MAX)
                assert_int_equal(row->right, next[1]++);
            if (row->left != SIZE_MAX && row->right != SIZE_MAX) {
                equal++;
                assert_int_equal(letters[0][row->left], letters[1][row->right]);
            }
        }
        assert_int_equal(next[0], strlen(letters[0]));
        assert_int_equal(next[1], strlen(letters[1]));
        assert_int_equal(equal, longest(letters[0], letters[1]));
        clear(&side[0]);
        clear(&side[1]);
    }
}

// Two long listings with nothing in common are not aligned, and say so.
TEST(test_too_long)
{
    OWNED(text_free) struct text left = {0}, right = {0};
    OWNED(clear) struct side a, b;
    OWNED(isa_diff_clear) struct isa_diff diff;
    for (int i = 0; i < 6000; i++) {
        text_printf(&left, "a %d\n", i);
        text_printf(&right, "b %d\n", i);
    }
    make(&a, left.data);
    make(&b, right.data);
    isa_diff(&a.listing, &b.listing, &diff);
    assert_false(diff.aligned);
    assert_int_equal(diff.count, 12000);
    assert_int_equal(diff.dropped, 6000);
    assert_int_equal(diff.added, 6000);
}

// --- Paired variants

#define LOOP(sync, reconvergence)                                                                  \
    "loop.desync/sync=" sync ",exchange=up,reconvergence=" reconvergence                           \
    ",store=each,pressure=none@workgroup=128,elected=middle,iterations=16,weight=16,subgroup=32"

// Axes are named and ordered by a table of these values.
static bool describe(const char *name, struct isa_variant *variant)
{
    static const char *const axes[][3] = {{"sync", "none", "control"},
                                          {"reconvergence", "default", "maximal"}};
    const char *params = strchr(name, '@');
    if (!params)
        return false;
    snprintf(variant->test, sizeof variant->test, "loop.desync");
    snprintf(variant->params, sizeof variant->params, "%s", params);
    variant->axis_count = 2;
    for (size_t i = 0; i < 2; i++) {
        char pair[64];
        snprintf(pair, sizeof pair, "%s=%s", axes[i][0], axes[i][2]);
        variant->axes[i].order = strstr(name, pair) != NULL;
        snprintf(variant->axes[i].name, 32, "%s", axes[i][0]);
        snprintf(variant->axes[i].value, 64, "%s", axes[i][1 + variant->axes[i].order]);
    }
    return true;
}

static void study_texts(struct isa_study *study, const char *const *names, const char *const *texts,
                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct isa_code code = {0};
        isa_add_piece(&code, ISA_TEXT, "text", "", texts[i], strlen(texts[i]));
        isa_study_add(study, names[i], &code, NULL, NULL);
    }
    isa_study_finish(study, describe);
}

TEST(test_paired_variants)
{
    static const char *const names[] = {
        LOOP("none", "default"),
        LOOP("none", "maximal"),
        LOOP("control", "default"),
        LOOP("control", "maximal"),
        "nonsense",
    };
    static const char *const texts[] = {"a 1\nb 2\n", "a 1\nb 2\n", "a 1\nbar\nb 2\n",
                                        "a 1\nbar\nb 3\n", "a 1\n"};
    OWNED(isa_study_clear) struct isa_study study = {0}, two = {0};
    study_texts(&study, names, texts, 5);
    assert_int_equal(study.pair_count, 4);
    assert_int_equal(study.effect_count, 2);
    for (size_t i = 0; i < study.effect_count; i++) {
        OWNED(text_free) struct text words = {0};
        assert_int_equal(study.effects[i].pairs, 2);
        isa_effect_words(&study, &study.effects[i], &words);
        assert_string_equal(
            words.data,
            strcmp(study.effects[i].axis, "sync") == 0
                ? "the subgroup barrier (sync=control) changes the code in 2 of 2 pairs; largest "
                  "difference: adds bar"
                : "maximal reconvergence (reconvergence=maximal) changes the code in 1 of 2 pairs; "
                  "largest difference: the same instructions in the same order, with other "
                  "operands");
    }
    // Without the variants that differ there is but one pair, of equal code.
    study_texts(&two, names, texts, 2);
    assert_int_equal(two.pair_count, 1);
    assert_int_equal(two.effect_count, 1);
    OWNED(text_free) struct text words = {0};
    isa_effect_words(&two, &two.effects[0], &words);
    assert_string_equal(words.data, "maximal reconvergence (reconvergence=maximal) changes nothing "
                                    "here: identical code to reconvergence=default");
}
