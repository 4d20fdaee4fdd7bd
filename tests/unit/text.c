// SPDX-License-Identifier: Apache-2.0
// Text helpers: sanitising, globs, distances, counts, and the random numbers beside them.
#include "unit.h"

#include "base/random.h"
#include "base/text.h"

static void check_sanitised(const char *source, const char *wanted)
{
    char target[64];
    text_sanitise(target, sizeof target, source);
    assert_string_equal(target, wanted);
}

TEST(sanitise_replaces_what_a_terminal_would_obey)
{
    check_sanitised("plain", "plain");
    check_sanitised("a\033[31mb\r\nc\t", "a?[31mb??c?");
    check_sanitised("\x7f\x80\xff", "???");
    check_sanitised("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
                    "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
    check_sanitised("\xc2\x9b", "?");            // C1 control sequence introducer
    check_sanitised("\xe2\x80\xae", "?");        // right-to-left override
    check_sanitised("\xc0\xaf", "??");           // overlong
    check_sanitised("\xed\xa0\x80", "???");      // surrogate
    check_sanitised("\xe2\x82", "??");           // cut
    check_sanitised("\xf4\x90\x80\x80", "????"); // beyond Unicode
}

// Any string may come to stand at the beginning of a line, and so may any of its words.
TEST(sanitise_replaces_what_github_would_obey)
{
    check_sanitised("::error::x", "?:error::x");
    check_sanitised("  ::error::x", "  ?:error::x");
    check_sanitised("GPU ::stop-commands::x", "GPU ?:stop-commands::x");
    check_sanitised("\xc2\xa0::error::x", "\xc2\xa0?:error::x"); // a blank to others
    check_sanitised("a\n::error::x", "a?::error::x");            // no blank any more
    check_sanitised(":::", "?::");
    check_sanitised("a::b c:d ::", "a::b c:d ?:");
    check_sanitised("##[error]x", "?#[error]x");
    check_sanitised("a###[error]##vso[x]", "a#?#[error]?#vso[x]");
    check_sanitised("a## [error]", "a## [error]");
    char target[64];
    text_sanitise_lines(target, sizeof target, "a\n::error::x\n\t::b");
    assert_string_equal(target, "a\n?:error::x\n ?:b");
}

TEST(sanitise_never_cuts_a_character)
{
    char target[4];
    text_sanitise(target, sizeof target, "ab\xc3\xa9");
    assert_string_equal(target, "ab");
    text_sanitise(target, 1, "ab");
    assert_string_equal(target, "");
}

TEST(sanitised_lines_stay_lines)
{
    char target[16];
    text_sanitise_lines(target, sizeof target, "a\n\tb\r\n\033\n");
    assert_string_equal(target, "a\n b?\n?\n");
}

TEST(utf8_is_known)
{
    assert_true(text_is_utf8(""));
    assert_true(text_is_utf8("a\n\u00e4\u20ac\U0001f600"));
    assert_false(text_is_utf8("a\xff"));
    assert_false(text_is_utf8("\xc0\x80"));
    assert_false(text_is_utf8("\xed\xa0\x80"));
    assert_false(text_is_utf8("cut \xe2\x82"));
}

TEST(globs)
{
    assert_true(text_glob("shuffle.*", "shuffle.scan-loop"));
    assert_true(text_glob("*", ""));
    assert_true(text_glob("*loop*sync*", "loop.desync/sync=none"));
    assert_true(text_glob("a?c", "abc"));
    assert_true(text_glob("[a-c]x", "bx"));
    assert_true(text_glob("[!a]x", "bx"));
    assert_true(text_glob("a[", "a["));
    assert_false(text_glob("[!a]x", "ax"));
    assert_false(text_glob("shuffle", "shuffle.scan-loop"));
    assert_false(text_glob("a*b", "acbd"));
    assert_false(text_glob("?", ""));
    // Exponential matchers take for ever here.
    assert_false(text_glob("*a*a*a*a*a*a*a*a*a*b",
                           "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
}

TEST(distances)
{
    assert_int_equal(text_distance("", "abc"), 3);
    assert_int_equal(text_distance("kitten", "sitting"), 3);
    assert_int_equal(text_distance("loop.desync", "loop.desync"), 0);
    char longer[600];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_int_equal(text_distance(longer, longer), 0);
}

TEST(counts)
{
    char target[32];
    assert_string_equal(text_count(target, 0), "0");
    assert_string_equal(text_count(target, 999), "999");
    assert_string_equal(text_count(target, 1000), "1,000");
    assert_string_equal(text_count(target, UINT64_MAX), "18,446,744,073,709,551,615");
}

TEST(growing_text_keeps_everything)
{
    struct text text = {0};
    for (int i = 0; i < 10000; i++)
        text_printf(&text, "%d,", i % 10);
    assert_int_equal(text.length, 20000);
    assert_int_equal(strlen(text.data), 20000);
    char large[2000];
    memset(large, 'y', sizeof large - 1);
    large[sizeof large - 1] = '\0';
    text_printf(&text, "%s", large);
    assert_int_equal(text.length, 21999);
    text_free(&text);
    assert_null(text.data);
}

TEST(errors_are_one_safe_line)
{
    must_fail_as("no device 'a?b'", lit_fail(&error, LIT_EXIT_NOTHING, "no device '%s'", "a\nb"));
    assert_int_equal(error.code, LIT_EXIT_NOTHING);
    assert_false(lit_fail(NULL, LIT_EXIT_USAGE, "nobody listens"));
}

TEST(random_numbers_are_the_published_ones)
{
    // splitmix64 with seed 1234567, from the reference implementation's documentation.
    struct lit_random random = {1234567};
    assert_true(random_next(&random) == UINT64_C(6457827717110365317));
    assert_true(random_next(&random) == UINT64_C(3203168211198807973));
    unsigned seen = 0;
    for (int i = 0; i < 1000; i++)
        seen |= 1u << random_below(&random, 6);
    assert_int_equal(seen, 0x3f);
    assert_true(random_derive(1, "a") != random_derive(1, "b"));
    assert_true(random_derive(1, "a") != random_derive(2, "a"));
    assert_true(random_derive(1, "a") == random_derive(1, "a"));
}

TEST(lines_are_broken)
{
    static const struct {
        const char *text;
        size_t room, length;
    } rows[] = {
        {"", 5, 0},
        {"short", 5, 5},
        {"two words", 8, 4},
        {"two words", 9, 9},
        {"sync=none,form=ssa", 15, 10},
        {"reconvergence=default,x", 21, 14}, // nothing better fits
        {"no-rendezvous and", 12, 3},
        {"reconvergence=default,x", 5, 14}, // nothing fits
        {"abcdefghij,", 5, 11},
        {"abcdefghij", 5, 10},
        {"\xc3\xa4\xc3\xa4 b", 3, 5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (text_break(rows[i].text, rows[i].room) != rows[i].length)
            fail_msg("'%s': %zu", rows[i].text, text_break(rows[i].text, rows[i].room));
}
