// SPDX-License-Identifier: Apache-2.0
// The picture of a trace made by hand: XML that a parser takes, with everything in it, whatever the
// texts hold.

#include "explain.h"

#include "explain/explain.h"

#include <unistd.h>

static void draw(const char *title, const char *sentence, struct text *text)
{
    OWNED(exp_trace_clear) struct exp_trace trace, first, second;
    struct exp_fault b;
    OWNED(exp_window_clear) struct exp_window window;
    failing_run(&trace);
    right_run(&first, 1);
    right_run(&second, 2);
    exp_fault_find(&trace, &first, &second, &b);
    exp_window_make(&trace, &b, &window);
    exp_picture(&trace, &b, &window, title, "snooping", sentence, text);
}

// Python's parser is there for the build's sake.
static void assert_well_formed(const struct text *text)
{
    char path[] = "/tmp/litmus-picture-XXXXXX", command[256];
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text->data, text->length), text->length);
    close(file);
    snprintf(command, sizeof command,
             "python3 -c \"import sys, xml.dom.minidom as d; d.parse('%s')\"", path);
    const int status = system(command);
    unlink(path);
    if (status != 0)
        fail_msg("not well-formed:\n%s", text->data);
}

static size_t occurrences(const struct text *text, const char *word)
{
    size_t count = 0;
    for (const char *at = text->data; (at = strstr(at, word)); at++)
        count++;
    return count;
}

TEST(has_lanes_boxes_and_arrows)
{
    OWNED(text_free) struct text text = {0};
    draw("family.test", "lane 2 read too late", &text);
    assert_well_formed(&text);
    for (const char *const *lane =
             (const char *const[]){">lane 0<", ">lane 1<", ">lane 2<", ">lane 3<", NULL};
         *lane; lane++)
        assert_non_null(strstr(text.data, *lane));
    assert_non_null(strstr(text.data, "lane 2 read too late"));
    assert_non_null(strstr(text.data, "prefers-color-scheme:dark"));
    assert_non_null(strstr(text.data, ">not 0x11<"));
    // The faulty arrow and the box it ends in; one of each in the legend's terms.
    assert_int_equal(occurrences(&text, " wrong\"/>"), 1);
    assert_int_equal(occurrences(&text, "class=\"badhead\""), 1);
    assert_int_equal(occurrences(&text, "class=\"duehead\""), 1);
    // Nothing that a page would run or fetch.
    assert_null(strstr(text.data, "<script"));
    assert_null(strstr(text.data, "href"));
    assert_null(strstr(text.data, "url("));
}

TEST(texts_cannot_leave_their_place)
{
    OWNED(text_free) struct text text = {0};
    draw("</title><script>alert('x')</script>&\"\033[2J \xef\xbf\xbf \xc3\xa9 \xff",
         "]]> & <b> --> ' \"", &text);
    assert_well_formed(&text);
    assert_null(strstr(text.data, "<script"));
    assert_null(strchr(text.data, '\033'));
    assert_non_null(strstr(text.data, "\xc3\xa9"));
}

TEST(long_words_are_parted)
{
    // Whatever the width of a line, one of the two would be parted within a character.
    for (int odd = 0; odd < 2; odd++) {
        OWNED(text_free) struct text text = {0}, title = {0};
        text_puts(&title, odd ? "x" : "");
        for (int i = 0; i < 400; i++)
            text_puts(&title, "\xc3\xa9");
        draw(title.data, "", &text);
        assert_well_formed(&text);
        assert_null(strstr(text.data, "?\xc3"));
        assert_null(strstr(text.data, "\xa9?"));
    }
}

TEST(nothing_to_draw)
{
    const struct exp_trace trace = {0};
    struct exp_fault b;
    OWNED(exp_window_clear) struct exp_window window;
    OWNED(text_free) struct text text = {0};
    exp_fault_find(&trace, NULL, NULL, &b);
    exp_window_make(&trace, &b, &window);
    exp_picture(&trace, &b, &window, "t", "m", "s", &text);
    assert_well_formed(&text);
}
