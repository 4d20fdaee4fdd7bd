// SPDX-License-Identifier: Apache-2.0
// The progress line: what it says of one device and of several, and when it is due.
#include "unit.h"

#include "engine/progress.h"

#include <math.h>

TEST(durations)
{
    static const struct {
        double seconds;
        const char *want;
    } rows[] = {
        {0, "0.0 s"},          {0.44, "0.4 s"},      {9.94, "9.9 s"},      {9.96, "10 s"},
        {59.4, "59 s"},        {59.6, "1 min 00 s"}, {70, "1 min 10 s"},   {242, "4 min 02 s"},
        {3599, "59 min 59 s"}, {3600, "1 h 00 min"}, {7500, "2 h 05 min"}, {-5, "0.0 s"},
    };
    char text[32];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_string_equal(eng_duration(text, rows[i].seconds), rows[i].want);
}

TEST(the_line_says_how_far_and_how_long)
{
    struct eng_progress progress = {.utf8 = true, .last_shown = -1};
    struct eng_progress_queue now = {.device = 1,
                                     .total = 10,
                                     .done = 4,
                                     .active = true,
                                     .name = "a.b/c=d",
                                     .runs = 500,
                                     .of = 1000,
                                     .failed = 3};
    struct text line = {0};
    eng_progress_line(&progress, &now, 1, 45, 0, &line);
    assert_string_equal(
        line.data,
        "  a.b/c=d  run 500 of 1,000 \u00b7 3 failed \u00b7 4 of 10 done \u00b7 55 s left");
    text_free(&line);

    // What an earlier run did took no time now.
    now.before = 4;
    progress.utf8 = false;
    now.failed = 0;
    eng_progress_line(&progress, &now, 1, 10, 0, &line);
    assert_string_equal(line.data, "  a.b/c=d  run 500 of 1,000, 4 of 10 done, 1 min 50 s left");
    text_free(&line);

    // Too early to say; and narrow terminals keep the id alone.
    now.name = "0123abcd family.test/axis=value@workgroup=1024";
    eng_progress_line(&progress, &now, 1, 1, 60, &line);
    assert_string_equal(line.data, "  0123abcd  run 500 of 1,000, 4 of 10 done");
    text_free(&line);
}

// Two devices at work, and what fits into fewer and fewer columns.
TEST(several_devices_have_a_place_each)
{
    static const struct {
        size_t columns;
        const char *want;
    } rows[] = {
        {0, "  device 1 212/430 \u00b7 device 2 180/1,430 \u00b7 3 failed \u00b7 2 min 36 s left"},
        {68, "  device 1 212/430 \u00b7 device 2 180/1,430 \u00b7 3 failed \u00b7 2 min 36 s left"},
        {67, "  1: 212/430 \u00b7 2: 180/1,430 \u00b7 3 failed \u00b7 2 min 36 s left"},
        {56, "  1: 212/430 \u00b7 2: 180/1,430 \u00b7 3 failed \u00b7 2 min 36 s left"},
        {55, "  392 of 1,860 done on 2 devices \u00b7 3 failed \u00b7 2 min 36 s left"},
    };
    struct eng_progress progress = {.utf8 = true, .failed = 3, .last_shown = -1};
    struct eng_progress_queue queues[] = {
        {.device = 1, .total = 430, .done = 212, .active = true, .name = "a.b", .of = 1000},
        // It began with 160 done, and 2 s later than the other.
        {.device = 2, .total = 1430, .done = 180, .before = 160, .active = true, .started = 2},
    };
    struct text line = {0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        eng_progress_line(&progress, queues, 2, 4.5, rows[i].columns, &line);
        assert_string_equal(line.data, rows[i].want);
        text_free(&line);
    }
    // The other one is done: back to the configuration of the one that is left.
    queues[1] = (struct eng_progress_queue){.device = 2, .total = 1430, .done = 1430, .started = 2};
    progress.utf8 = false;
    eng_progress_line(&progress, queues, 2, 212, 0, &line);
    assert_string_equal(line.data, "  a.b  run 0 of 1,000, 1,642 of 1,860 done, 3 min 38 s left");
    text_free(&line);
}

TEST(the_slowest_device_says_how_long)
{
    struct eng_progress_queue queues[] = {
        {.total = 100, .done = 50, .active = true},
        {.total = 100, .done = 20, .active = true, .name = "a.b", .runs = 500, .of = 100},
        {.total = 100, .done = 10, .active = true, .before = 10},
    };
    assert_true(eng_progress_left(queues, 1, 1.9) < 0);
    assert_true(fabs(eng_progress_left(queues, 1, 30) - 30) < 1e-9);
    // More runs than were asked for are not more than one configuration.
    assert_true(fabs(eng_progress_left(queues, 2, 21) - 79) < 1e-9);
    assert_true(fabs(eng_progress_part(queues, 2) - 0.355) < 1e-9);
    // Nothing is known of the third.
    assert_true(eng_progress_left(queues, 3, 21) < 0);
    // It waits for its turn: all that is left, as fast as what was done.
    queues[2].active = false;
    queues[2].started = -1;
    assert_true(fabs(eng_progress_left(queues, 3, 71) - 219) < 1e-9);
    queues[2].started = 3;
    assert_true(fabs(eng_progress_left(queues, 3, 21) - 79) < 1e-9);
    assert_true(eng_progress_part(queues, 0) == 1);
}

TEST(lines_are_due_now_and_then)
{
    struct eng_progress progress = {.last_shown = -1};
    assert_false(eng_progress_due(&progress, 0.5, 9));
    assert_true(eng_progress_due(&progress, 0.06, 10));
    assert_false(eng_progress_due(&progress, 0.04, 1000));
    progress.last_shown = 10;
    progress.last_part = 0.5;
    assert_false(eng_progress_due(&progress, 0.9, 19));
    assert_true(eng_progress_due(&progress, 0.55, 20));
    progress.terminal = true;
    assert_true(eng_progress_due(&progress, 0.5, 10.2));
    assert_false(eng_progress_due(&progress, 0.9, 10.05));
    progress.off = true;
    assert_false(eng_progress_due(&progress, 0.9, 1000));
}
