// SPDX-License-Identifier: Apache-2.0
// Every change of one byte in what a gate reads as text: it is refused by one line, or nothing that
// is counted or judged is another than before. With LITMUS_FULL set every value of every byte, else
// some of them.
#include "compare/side.h"
#include "compare/waiver.h"

#include "unit.h"

#include "base/text.h"

// Calls `check` with every change of one byte: another value, left out, one more, cut there.
static void change_all(const char *text, void (*check)(const char *bytes, size_t length))
{
    static const unsigned char some[] = "019afkz\"\\,:.-{}[] \n\t#\x80\xff";
    const bool full = getenv("LITMUS_FULL") != NULL;
    const size_t length = strlen(text), values = full ? 256 : sizeof some; // the NUL too
    OWNED(lit_free) char *bytes = malloc(length + 2);
    assert_non_null(bytes);
    for (size_t at = 0; at < length; at++) {
        for (size_t v = 0; v < values + 2; v++) {
            const unsigned char near = (unsigned char)text[at] ^ (v == values ? 1 : 32);
            const unsigned char value = v >= values ? near : full ? (unsigned char)v : some[v];
            memcpy(bytes, text, length);
            bytes[at] = (char)value;
            check(bytes, length);
            memmove(bytes + at + 1, text + at, length - at);
            check(bytes, length + 1);
        }
        memcpy(bytes, text, at);
        memcpy(bytes + at, text + at + 1, length - at - 1);
        check(bytes, length - 1);
        memcpy(bytes, text, at);
        check(bytes, at);
    }
}

static void check_refusal(const struct lit_error *error, const char *file)
{
    assert_int_equal(error->code, LIT_EXIT_USAGE);
    if (strncmp(error->message, file, strlen(file)) != 0 || strpbrk(error->message, "\n\r\033"))
        fail_msg("'%s'", error->message);
}

static struct report_model good;
static size_t refused, taken;

// What no change may bring about: other counts, another end, something under another name.
static const char *find_change(const struct report_model *model)
{
    if (model->result_count != good.result_count || model->device_count != good.device_count)
        return "other results";
    if (!model->session.finished)
        return "not finished";
    if (strcmp(model->devices[0].id, good.devices[0].id) != 0)
        return "another device";
    for (size_t i = 0; i < good.result_count; i++) {
        const struct result *is = &model->results[i], *was = &good.results[i];
        if (strcmp(is->name, was->name) != 0 || is->device != was->device)
            return "another configuration";
        if (is->result != was->result || is->expectation != was->expectation)
            return "another result";
        if (is->runs != was->runs || is->failed_runs != was->failed_runs ||
            is->no_progress_runs != was->no_progress_runs || is->judged != was->judged)
            return "other counts";
        if (is->piece_count != was->piece_count)
            return "other parts";
        for (size_t p = 0; p < was->piece_count; p++)
            if (is->pieces[p].runs != was->pieces[p].runs ||
                is->pieces[p].failed_runs != was->pieces[p].failed_runs ||
                is->pieces[p].no_progress_runs != was->pieces[p].no_progress_runs)
                return "other parts";
    }
    return NULL;
}

static void check_report(const char *bytes, size_t length)
{
    OWNED(report_model_clear) struct report_model model;
    // Behind an exact end, for sanitizers.
    OWNED(lit_free) char *copy = malloc(length ? length : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, length);
    if (compare_side_parse(copy, length, "r.json", &model, &error)) {
        const char *change = find_change(&model);
        if (change)
            fail_msg("%s: %.*s", change, (int)length, bytes);
        taken++;
    } else {
        check_refusal(&error, "r.json: ");
        refused++;
    }
}

TEST(reports)
{
    OWNED(text_free) struct text report = {0};
    assert_true(text_read(&report, unit_argument(1), 1 << 16));
    must(compare_side_parse(report.data, report.length, "r.json", &good, &error));
    change_all(report.data, check_report);
    assert_true(refused > 10000 && taken > 1000);
    report_model_clear(&good);
}

// Of a list each line stands for itself: what another line says stays as it was, and a line that
// waives another set of things says something else.
static enum compare_list list;
static const char *list_text;
static struct compare_waivers known;

static bool is_same(const struct compare_waiver *a, const struct compare_waiver *b)
{
    bool same = strcmp(a->pattern, b->pattern) == 0 && a->waives == b->waives;
    for (size_t i = 0; i < COMPARE_CONDITIONS; i++)
        same = same && strcmp(a->only[i], b->only[i]) == 0;
    return same;
}

static void check_list(const char *bytes, size_t length)
{
    struct compare_waivers waivers = {0};
    size_t others = 0;
    if (!compare_waivers_parse(&waivers, list, bytes, length, "list.txt", &error)) {
        check_refusal(&error, "list.txt:");
        compare_waivers_clear(&waivers);
        return;
    }
    for (size_t i = 0; i < waivers.count; i++) {
        const struct compare_waiver *waiver = &waivers.items[i];
        bool there = false;
        for (size_t k = 0; k < known.count; k++)
            there |= is_same(waiver, &known.items[k]);
        others += !there;
        const char *until = waiver->only[COMPARE_UNTIL];
        assert_true(waiver->pattern[0] && (!until[0] || text_is_date(until)));
        assert_true(list != COMPARE_WAIVERS || waiver->url[0]);
    }
    // A line more: it was two. A line less: two became one, or one a comment.
    if (others > 2 || waivers.count > known.count + 1)
        fail_msg("%zu others of %zu: %.*s", others, waivers.count, (int)length, bytes);
    compare_waivers_clear(&waivers);
}

TEST(lists)
{
    static const char *const texts[COMPARE_LISTS] = {
        [COMPARE_WAIVERS] = "# known\nscan.* https://bugs.example.org/1 from=2027-06-29 vendor=0x1 "
                            "version=1..2 # why\n"
                            "loop.form@workgroup=64 http://b/2\nshuffle https://b/3\n",
        [COMPARE_DEQP_FAILS] = "# f\nscan.levels,Fail\nloop.form/x=1,y=2@w=64,Crash\na.b,Timeout\n",
        [COMPARE_DEQP_SKIPS] = "scan\\..*@workgroup=(64|128)$\n# s\n^loop[^x]*form\na+b?c*\n",
        [COMPARE_DEQP_FLAKES] = "x\ny.z\n",
        [COMPARE_CASELIST] = "# c\nscan.levels\nloop.form/x=1@w=64\n",
    };
    for (list = 0; list < COMPARE_LISTS; list++) {
        list_text = texts[list];
        assert_true(
            compare_waivers_parse(&known, list, list_text, strlen(list_text), "list.txt", &error));
        change_all(list_text, check_list);
        compare_waivers_clear(&known);
    }
}
