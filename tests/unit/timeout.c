// SPDX-License-Identifier: Apache-2.0
// The timeout policy, kill escalation, the end of a device's queue, and the exit code, as tables.
#include "unit.h"

#include "base/clock.h"
#include "model/result.h"
#include "engine/watch.h"

#include <unistd.h>

static const struct eng_policy unlimited = {.idle = 30, .term = 2, .kill = 5};
static const struct eng_policy limited = {.idle = 30, .term = 2, .kill = 5, .total = 100};

TEST(silence_is_a_hang_and_time_runs_out)
{
    static const struct {
        const struct eng_policy *policy;
        double started, event, now;
        enum eng_watchdog want;
        double left;
    } rows[] = {
        {&unlimited, 0, 0, 0, ENG_WATCHDOG_WAIT, 30},
        {&unlimited, 0, 10, 15, ENG_WATCHDOG_WAIT, 25},
        {&unlimited, 0, 10, 39.5, ENG_WATCHDOG_WAIT, 0.5},
        {&unlimited, 0, 10, 40, ENG_WATCHDOG_HANG, 0},
        {&unlimited, 0, 10, 1e6, ENG_WATCHDOG_HANG, 0},
        {&unlimited, 0, 1e6, 1e6 + 1, ENG_WATCHDOG_WAIT, 29},
        {&limited, 0, 0, 1, ENG_WATCHDOG_WAIT, 29},
        {&limited, 0, 95, 96, ENG_WATCHDOG_WAIT, 4},
        {&limited, 0, 95, 100, ENG_WATCHDOG_TIME, 0},
        {&limited, 50, 95, 100, ENG_WATCHDOG_WAIT, 25},
        // Both at once: the hang is what somebody must hear of.
        {&limited, 0, 70, 100, ENG_WATCHDOG_HANG, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct eng_times times = {
            .now = rows[i].now, .started = rows[i].started, .event = rows[i].event};
        double left = -1;
        assert_int_equal(eng_watchdog(rows[i].policy, &times, &left), rows[i].want);
        assert_float_equal(left, rows[i].left, 1e-9);
    }
}

#ifndef _WIN32 // no file of a clock there
TEST(a_pause_is_no_time)
{
    static const struct {
        uint64_t passed, stopped; // ms until the next look
        double awake;
    } rows[] = {
        {1000, 0, 1},  {0, 900, 0.9},      {0, 1100, 0},        {50, 200, 0.25},
        {0, 200, 0.2}, {3600000, 0, 3600}, {100, 3600000, 0.1},
    };
    uint64_t clock[2] = {0};
    char path[] = "/tmp/litmus-clock-XXXXXX";
    const int file = mkstemp(path);
    assert_int_equal(pwrite(file, clock, sizeof clock, 0), sizeof clock);
    setenv("LITMUS_CLOCK", path, 1);
    clock_open();
    assert_float_equal(clock_awake(), clock_now(), 1e-6);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const double now = clock_now(), awake = clock_awake();
        const uint64_t both = rows[i].passed + rows[i].stopped;
        clock[0] += rows[i].passed * 1000000;
        clock[1] += rows[i].stopped * 1000000;
        assert_int_equal(pwrite(file, clock, sizeof clock, 0), sizeof clock);
        assert_float_equal((clock_now() - now), (double)both / 1e3, 1e-6);
        assert_float_equal((clock_awake() - awake), rows[i].awake, 1e-6);
    }
    assert_int_equal(clock_date(), (time_t)clock_now());
    close(file);
    unlink(path);
    // Without it they are the machine's.
    unsetenv("LITMUS_CLOCK");
    clock_open();
    const double now = clock_now();
    assert_true(clock_date() > 1700000000);
    for (int i = 0; i < 100; i++)
        assert_true(clock_now() >= now);
}
#endif

TEST(killing_escalates)
{
    static const struct {
        double terminated, killed, now;
        enum eng_kill want;
        double left;
    } rows[] = {
        {-1, -1, 0, ENG_KILL_TERM, 0},     {-1, -1, 1000, ENG_KILL_TERM, 0},
        {10, -1, 10, ENG_KILL_WAIT, 2},    {10, -1, 11.5, ENG_KILL_WAIT, 0.5},
        {10, -1, 12, ENG_KILL_KILL, 0},    {10, -1, 1000, ENG_KILL_KILL, 0},
        {10, 12, 12, ENG_KILL_WAIT, 5},    {10, 12, 16, ENG_KILL_WAIT, 1},
        {10, 12, 17, ENG_KILL_ABANDON, 0}, {10, 12, 1000, ENG_KILL_ABANDON, 0},
        {0, -1, 1, ENG_KILL_WAIT, 1},      {0, 0, 1, ENG_KILL_WAIT, 4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct eng_times times = {
            .now = rows[i].now, .terminated = rows[i].terminated, .killed = rows[i].killed};
        double left = -1;
        assert_int_equal(eng_kill_next(&unlimited, &times, &left), rows[i].want);
        assert_float_equal(left, rows[i].left, 1e-9);
    }
}

TEST(a_worker_hears_of_a_late_batch_before_it_is_killed)
{
    static const double idle[] = {0.001, 0.1, 1, 30, 3600, 1e8};
    for (size_t i = 0; i < sizeof idle / sizeof idle[0]; i++) {
        struct eng_policy policy = {.idle = idle[i]};
        uint32_t limit = eng_batch_limit_ms(&policy);
        assert_true(limit >= 1);
        assert_true(limit <= 1 || limit < idle[i] * 1000);
    }
}

TEST(hangs_in_a_row_are_counted)
{
    assert_int_equal(eng_in_a_row(0, ENG_HANG, ENG_HANG), 1);
    assert_int_equal(eng_in_a_row(9, ENG_HANG, ENG_HANG), ENG_HANGS);
    assert_int_equal(eng_in_a_row(4, ENG_HANG, ENG_SKIP), 4);
    assert_int_equal(eng_in_a_row(9, ENG_HANG, ENG_PASS), 0);
    assert_int_equal(eng_in_a_row(9, ENG_HANG, ENG_CRASH), 0);
}

TEST(three_losses_in_a_row_are_counted)
{
    static const struct {
        unsigned before;
        enum eng_result result;
        unsigned want;
    } rows[] = {
        {0, ENG_PASS, 0},        {0, ENG_DEVICE_LOST, 1}, {1, ENG_DEVICE_LOST, 2},
        {2, ENG_DEVICE_LOST, 3}, {2, ENG_PASS, 0},        {2, ENG_FAIL, 0},
        {2, ENG_SKIP, 2},        {2, ENG_CRASH, 0},       {2, ENG_HANG, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(eng_in_a_row(rows[i].before, ENG_DEVICE_LOST, rows[i].result),
                         rows[i].want);
}

#define NAME "kernels.x@workgroup=1"

TEST(exit_codes)
{
    static const struct {
        enum eng_result result;
        enum cat_expectation expectation;
        uint64_t failed_runs;
        bool time;
        unsigned stopped;
        enum lit_exit want;
        const char *reason;
    } rows[] = {
        {ENG_PASS, CAT_FORBIDDEN, 0, false, 0, LIT_EXIT_OK, "no forbidden outcome was observed"},
        {ENG_FAIL, CAT_FORBIDDEN, 1, false, 0, LIT_EXIT_FORBIDDEN,
         "a forbidden outcome was observed"},
        {ENG_FAIL, CAT_CONTESTED, 1, false, 0, LIT_EXIT_OK, "no forbidden outcome was observed"},
        {ENG_FAIL, CAT_ASSUMED, 1, false, 0, LIT_EXIT_OK, "no forbidden outcome was observed"},
        {ENG_FAIL, CAT_CONTROL, 1, false, 0, LIT_EXIT_OK, "no forbidden outcome was observed"},
        {ENG_PARTIAL, CAT_FORBIDDEN, 1, true, 0, LIT_EXIT_FORBIDDEN,
         "a forbidden outcome was observed"},
        {ENG_PARTIAL, CAT_FORBIDDEN, 0, true, 0, LIT_EXIT_TIME, "the time budget was used up"},
        {ENG_CRASH, CAT_CONTROL, 0, false, 0, LIT_EXIT_FORBIDDEN, "the driver crashed once"},
        {ENG_HANG, CAT_CONTESTED, 0, false, 0, LIT_EXIT_FORBIDDEN, "a configuration hung"},
        {ENG_DEVICE_LOST, CAT_ASSUMED, 0, false, 0, LIT_EXIT_FORBIDDEN, "the device was lost once"},
        {ENG_DEVICE_LOST, CAT_FORBIDDEN, 1, false, 1, LIT_EXIT_DEVICE_LOST,
         "a device was lost and its queue stopped"},
        {ENG_NO_PROGRESS, CAT_ASSUMED, 0, false, 0, LIT_EXIT_OK,
         "no forbidden outcome was observed"},
        {ENG_NO_PROGRESS, CAT_CONTROL, 0, false, 0, LIT_EXIT_OK,
         "no forbidden outcome was observed"},
        {ENG_NO_PROGRESS, CAT_FORBIDDEN, 0, false, 0, LIT_EXIT_UNDECIDED,
         "a configuration is inconclusive: a bounded wait expired"},
        {ENG_HARNESS_ERROR, CAT_FORBIDDEN, 0, false, 0, LIT_EXIT_UNDECIDED,
         "a configuration could not be run"},
        {ENG_SKIP, CAT_FORBIDDEN, 0, false, 0, LIT_EXIT_NOTHING,
         "the only configuration was skipped"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct eng_tally tally = {
            .planned = 1, .out_of_time = rows[i].time, .stopped = rows[i].stopped};
        struct eng_count count = {.runs = 10, .failed_runs = rows[i].failed_runs};
        char reason[256];
        eng_tally_add(&tally, NAME, rows[i].result, rows[i].expectation, &count);
        assert_int_equal(eng_tally_exit(&tally, reason, sizeof reason), rows[i].want);
        assert_string_equal(reason, rows[i].reason);
    }
}

// One that is itself wrong blames no driver, whatever it does.
TEST(exit_codes_of_kernels)
{
    static const char wrong[] = "a kernel failed that is itself wrong: its results are unspecified";
    static const struct {
        enum eng_result result;
        enum cat_expectation expectation;
        uint64_t failed_runs;
        bool time;
        enum lit_exit want;
        const char *reason;
    } rows[] = {
        {ENG_FAIL, CAT_CONTESTED, 1, false, LIT_EXIT_USAGE, wrong},
        {ENG_CRASH, CAT_CONTESTED, 0, false, LIT_EXIT_USAGE, wrong},
        {ENG_HANG, CAT_CONTESTED, 1, true, LIT_EXIT_USAGE, wrong},
        {ENG_PASS, CAT_CONTESTED, 0, false, LIT_EXIT_OK, "no forbidden outcome was observed"},
        {ENG_CRASH, CAT_FORBIDDEN, 0, false, LIT_EXIT_FORBIDDEN, "the driver crashed once"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct eng_tally tally = {.planned = 1, .out_of_time = rows[i].time};
        struct eng_count count = {.runs = 10, .failed_runs = rows[i].failed_runs};
        char reason[256];
        eng_tally_add(&tally, "kernel.x@workgroup=1", rows[i].result, rows[i].expectation, &count);
        assert_int_equal(eng_tally_exit(&tally, reason, sizeof reason), rows[i].want);
        assert_string_equal(reason, rows[i].reason);
    }
}

TEST(exit_codes_of_many)
{
    struct eng_tally tally = {0};
    struct eng_count none = {0};
    char reason[256];
    assert_int_equal(eng_tally_exit(&tally, reason, sizeof reason), LIT_EXIT_NOTHING);
    assert_string_equal(reason, "none of the configurations exists on these devices");
    tally.planned = 1204;
    assert_int_equal(eng_tally_exit(&tally, reason, sizeof reason), LIT_EXIT_NOTHING);
    assert_string_equal(reason, "nothing could run");
    for (int i = 0; i < 1200; i++)
        eng_tally_add(&tally, NAME, ENG_SKIP, CAT_FORBIDDEN, &none);
    assert_int_equal(eng_tally_exit(&tally, reason, sizeof reason), LIT_EXIT_NOTHING);
    assert_string_equal(reason, "all 1,200 configurations were skipped");
    eng_tally_add(&tally, NAME, ENG_PASS, CAT_CONTROL, &none);
    assert_int_equal(eng_tally_exit(&tally, reason, sizeof reason), LIT_EXIT_OK);
    tally.unopened = 1;
    assert_int_equal(eng_tally_exit(&tally, reason, sizeof reason), LIT_EXIT_UNDECIDED);
    assert_string_equal(reason, "a device could not be used");
    tally.undecided = 2;
    assert_int_equal(eng_tally_exit(&tally, reason, sizeof reason), LIT_EXIT_UNDECIDED);
    assert_string_equal(reason, "2 configurations are undecided after the maximum number of runs");
    tally.failed = 1;
    assert_int_equal(eng_tally_exit(&tally, reason, sizeof reason), LIT_EXIT_UNDECIDED);
    assert_string_equal(reason, "the harness failed, and the queue of a device stopped");
    eng_tally_add(&tally, NAME, ENG_HANG, CAT_CONTROL, &none);
    eng_tally_add(&tally, NAME, ENG_HANG, CAT_CONTROL, &none);
    assert_int_equal(eng_tally_exit(&tally, reason, sizeof reason), LIT_EXIT_FORBIDDEN);
    assert_string_equal(reason, "2 configurations hung");
}
