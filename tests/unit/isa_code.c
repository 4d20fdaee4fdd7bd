// SPDX-License-Identifier: Apache-2.0
// What a driver made of a pipeline: sanitised, packed, unpacked, and packed bytes that are wrong.
#include "isa/code.h"

#include "unit.h"

static struct isa_code some_code(void)
{
    struct isa_code code = {0};
    isa_add_statistic(&code, "Register Count", "registers of an invocation", "16");
    isa_add_statistic(&code, "", "", "");
    isa_add_piece(&code, ISA_TEXT, "NIR", "the optimized one", "a = b\n  c\n", 10);
    isa_add_piece(&code, ISA_CACHE, "cache", "", "\0\1\2", 3);
    isa_add_piece(&code, ISA_MACHINE, "SASS", "pipeline cache", "0123456789abcdef", 16)
        ->architecture = 90;
    isa_add_piece(&code, ISA_BYTES, "empty", "", NULL, 0);
    isa_remark(&code, "one %d", 1);
    return code;
}

TEST(test_round_trip)
{
    OWNED(isa_code_clear) struct isa_code code = some_code(), back;
    OWNED(text_free) struct text bytes = {0}, again = {0};
    isa_pack(&code, &bytes);
    assert_true(isa_unpack(bytes.data, bytes.length, &back, &error));
    assert_int_equal(back.statistic_count, 2);
    assert_string_equal(back.statistics[0].value, "16");
    assert_int_equal(back.piece_count, 4);
    assert_string_equal(back.pieces[0].bytes, "a = b\n  c\n");
    assert_int_equal(back.pieces[1].size, 3);
    assert_int_equal(back.pieces[2].architecture, 90);
    assert_int_equal(back.pieces[3].size, 0);
    assert_string_equal(back.remarks[0], "one 1");
    isa_pack(&back, &again);
    assert_int_equal(bytes.length, again.length);
    assert_memory_equal(bytes.data, again.data, bytes.length);
}

// Every prefix is refused; no changed byte does harm, and what is taken can be packed again.
TEST(test_cut_and_corrupted)
{
    struct isa_code code = some_code(), back;
    OWNED(text_free) struct text bytes = {0};
    isa_pack(&code, &bytes);
    for (size_t cut = 0; cut < bytes.length; cut++) {
        OWNED(lit_free) char *part = malloc(cut ? cut : 1);
        memcpy(part, bytes.data, cut);
        must_fail("", isa_unpack(part, cut, &back, &error));
        assert_int_equal(back.piece_count, 0);
    }
    for (size_t at = 0; at < bytes.length; at++)
        for (int bit = 0; bit < 8; bit++) {
            bytes.data[at] ^= (char)(1 << bit);
            if (isa_unpack(bytes.data, bytes.length, &back, NULL)) {
                OWNED(text_free) struct text again = {0};
                isa_pack(&back, &again);
            }
            isa_code_clear(&back);
            bytes.data[at] ^= (char)(1 << bit);
        }
    text_puts(&bytes, "x");
    assert_false(isa_unpack(bytes.data, bytes.length, &back, NULL));
    isa_code_clear(&code);
}

TEST(test_sanitised)
{
    OWNED(isa_code_clear) struct isa_code code = {0};
    isa_add_statistic(&code, "a\033[31m", "b\nc", "\x80");
    assert_string_equal(code.statistics[0].name, "a?[31m");
    assert_string_equal(code.statistics[0].about, "b?c");
    assert_string_equal(code.statistics[0].value, "?");
    static const char text[] = "one\ttwo\r\n\033]0;x\a\n\xc3\xa9\nlast\0behind";
    isa_add_piece(&code, ISA_TEXT, "t", "", text, sizeof text - 1);
    assert_string_equal(code.pieces[0].bytes, "one two?\n?]0;x?\n\xc3\xa9\nlast\n");
    assert_int_equal(code.pieces[0].size, strlen(code.pieces[0].bytes));
    isa_remark(&code, "x\ny");
    assert_string_equal(code.remarks[0], "x?y");
}

TEST(test_empty)
{
    static const char bytes[33];
    struct isa_code code = {0};
    assert_true(isa_is_empty(&code));
    isa_remark(&code, "no extension");
    isa_add_piece(&code, ISA_CACHE, "c", "", bytes, 32);
    assert_true(isa_is_empty(&code));
    isa_add_piece(&code, ISA_CACHE, "c", "", bytes, 33);
    assert_false(isa_is_empty(&code));
    isa_code_clear(&code);
    isa_add_statistic(&code, "a", "", "1");
    assert_false(isa_is_empty(&code));
    isa_code_clear(&code);
}

TEST(test_lowest)
{
    OWNED(isa_code_clear) struct isa_code code = {0};
    assert_null(isa_lowest(&code));
    isa_add_piece(&code, ISA_CACHE, "c", "", "x", 1);
    assert_null(isa_lowest(&code));
    isa_add_piece(&code, ISA_TEXT, "NIR", "", "x", 1);
    isa_add_piece(&code, ISA_TEXT, "Assembly", "", "y", 1);
    assert_string_equal(isa_lowest(&code)->name, "Assembly");
}
