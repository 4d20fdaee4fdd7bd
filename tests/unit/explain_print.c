// SPDX-License-Identifier: Apache-2.0
// What is found and printed of traces made by hand.

#include "explain.h"

#include "explain/explain.h"

// Finds what broke `failing`, and frees it.
static struct exp_fault explain(struct exp_trace *failing, char *sentence, size_t size)
{
    OWNED(exp_trace_clear) struct exp_trace first, second;
    struct exp_fault fault;
    OWNED(text_free) struct text text = {0};
    right_run(&first, 0x777);
    right_run(&second, 0x888);
    exp_fault_find(failing, &first, &second, &fault);
    exp_sentence(failing, &fault, &text);
    snprintf(sentence, size, "%s", text.data);
    exp_trace_clear(failing);
    return fault;
}

TEST(a_cross_lane_read_with_a_lane_that_is_ahead)
{
    struct exp_trace trace;
    char sentence[512];
    failing_run(&trace);
    const struct exp_fault b = explain(&trace, sentence, sizeof sentence);
    assert_string_equal(sentence, "lane 2 read lane 1's %value in iteration 1 while lane 1 was "
                                  "already in iteration 2: got 0x21, expected 0x11");
    assert_int_equal(b.cause, EXP_CAUSE_CROSS_LANE);
    assert_int_equal(b.step, 8);
    assert_int_equal(b.made, 7);
    assert_int_equal(b.due, 1);
    assert_int_equal(b.source, 1);
}

TEST(a_cross_lane_read_with_a_lane_that_is_late)
{
    struct text text = {0};
    struct exp_trace trace;
    char sentence[512];
    begin(&text, "snooping");
    step(&text, 1, 3, COMPUTE, 0x13, -1, 0, 8);
    step(&text, 2, 3, SHUFFLE, 0, 2, 0, 8);
    step(&text, 3, 2, COMPUTE, 0x12, -1, 0, 4);
    finish(&text, 1, "done");
    parse(&text, &trace);
    const struct exp_fault b = explain(&trace, sentence, sizeof sentence);
    assert_string_equal(sentence, "lane 3 read lane 2's %value in iteration 1 before lane 2 had "
                                  "computed it: got 0x0, expected 0x12");
    assert_int_equal(b.made, EXP_NO_STEP);
    assert_int_equal(b.due, 2);
}

// A phi makes the value: there is no instruction of that name.
TEST(a_cross_lane_read_of_a_value_that_no_instruction_makes)
{
    static const char head[] = "simt-trace 1\n"
                               "dispatch 0 model x seed 1 subgroup 2 groups 1 1 1 local 2 1 1\n"
                               "code 0 exchange %b = OpGroupNonUniformShuffle %t %s %phi %lane\n";
    static const char *const steps[] = {
        "step 1 0 0 0 0 7 1 - 3\nstep 1 0 0 1 0 8 0 - 3\nend 0 done\n",
        "step 1 0 0 0 0 5 1 - 1\nend 0 done\n",
        "step 1 0 0 1 0 8 0 - 2\nstep 2 0 0 0 0 5 1 - 1\nend 0 done\n"};
    static const char *const wanted[] = {
        NULL, "lane 0 read lane 1's %phi before lane 1 had computed it: got 0x5, expected 0x7",
        "lane 0 read lane 1's %phi in iteration 1 while lane 1 was already in iteration 2: got "
        "0x5, expected 0x7"};
    for (size_t i = 1; i < 3; i++) {
        struct exp_trace right[2], trace;
        struct exp_fault b;
        struct text text = {0}, sentence = {0};
        for (int r = 0; r < 2; r++) {
            text_printf(&text, "%s%s", head, steps[0]);
            parse(&text, &right[r]);
        }
        text_printf(&text, "%s%s", head, steps[i]);
        parse(&text, &trace);
        exp_fault_find(&trace, &right[0], &right[1], &b);
        exp_sentence(&trace, &b, &sentence);
        assert_string_equal(sentence.data, wanted[i]);
        text_free(&sentence);
        exp_trace_clear(&trace);
        exp_trace_clear(&right[0]);
        exp_trace_clear(&right[1]);
    }
}

TEST(a_value_that_is_not_prescribed_breaks_nothing)
{
    struct exp_trace trace;
    char sentence[512];
    // Lane 0 reads a lane that is not there: every value is right.
    right_run(&trace, 0x999);
    assert_int_equal(explain(&trace, sentence, sizeof sentence).cause, EXP_CAUSE_NONE);
}

// One lane stores one value.
static void store_run(struct exp_trace *trace, unsigned value)
{
    struct text text = {0};
    begin(&text, "lockstep");
    step(&text, 1, 1, STORE, value, -1, 0x100, 2);
    finish(&text, 0, "done");
    parse(&text, trace);
}

TEST(what_right_runs_disagree_on_is_not_prescribed)
{
    for (unsigned agree = 0; agree < 2; agree++) {
        struct exp_trace trace, right[2];
        struct exp_fault b;
        store_run(&right[0], 1);
        store_run(&right[1], agree ? 1 : 2);
        store_run(&trace, 3);
        exp_fault_find(&trace, &right[0], &right[1], &b);
        assert_int_equal(b.cause, agree ? EXP_CAUSE_STORE : EXP_CAUSE_NONE);
        exp_trace_clear(&trace);
        exp_trace_clear(&right[0]);
        exp_trace_clear(&right[1]);
    }
}

TEST(the_earliest_is_printed)
{
    struct text text = {0};
    struct exp_trace trace;
    char sentence[512];
    begin(&text, "snooping");
    step(&text, 1, 3, COMPUTE, 0x13, -1, 0, 8);
    step(&text, 2, 1, COMPUTE, 0x11, -1, 0, 2);
    step(&text, 3, 3, SHUFFLE, 5, 2, 0, 8);
    step(&text, 4, 1, SHUFFLE, 6, 0, 0, 2);
    finish(&text, 1, "done");
    parse(&text, &trace);
    const struct exp_fault b = explain(&trace, sentence, sizeof sentence);
    assert_int_equal(b.step, 2);
    assert_int_equal(b.got, 5);
}

TEST(a_tangle_that_lacks_lanes)
{
    struct text text = {0}, sentence = {0};
    struct exp_trace right[2], trace;
    struct exp_fault b;
    for (int i = 0; i < 2; i++) {
        begin(&text, "lockstep");
        for (unsigned lane = 0; lane < 4; lane++)
            step(&text, 1, lane, BALLOT, 15, -1, 0, 15);
        finish(&text, 0, "done");
        parse(&text, &right[i]);
    }
    begin(&text, "peeling");
    step(&text, 1, 0, BALLOT, 9, -1, 0, 9);
    step(&text, 1, 3, BALLOT, 9, -1, 0, 9);
    finish(&text, 0, "done");
    parse(&text, &trace);
    exp_fault_find(&trace, &right[0], &right[1], &b);
    exp_sentence(&trace, &b, &sentence);
    assert_string_equal(sentence.data,
                        "lane 0 executed OpGroupNonUniformBallot without the lanes {1-2}, which "
                        "are in its tangle: got 0x9, expected 0xf");
    assert_int_equal(b.cause, EXP_CAUSE_TANGLE);
    text_free(&sentence);
    exp_trace_clear(&trace);
    exp_trace_clear(&right[0]);
    exp_trace_clear(&right[1]);
}

// A lane loads what another one stores.
static void load_run(struct exp_trace *trace, unsigned loaded, unsigned store_at, unsigned load_at)
{
    struct text text = {0};
    begin(&text, "relaxed");
    step(&text, store_at, 0, STORE, 0x42, -1, 0x100, 1);
    step(&text, load_at, 1, LOAD, loaded, -1, 0x100, 2);
    finish(&text, 0, "done");
    parse(&text, trace);
}

static void check_load(unsigned loaded, unsigned store_at, unsigned load_at, const char *wanted)
{
    OWNED(text_free) struct text sentence = {0};
    struct exp_trace right[2], trace;
    struct exp_fault b;
    load_run(&right[0], 0x42, 1, 2);
    load_run(&right[1], 0x42, 1, 2);
    load_run(&trace, loaded, store_at, load_at);
    exp_fault_find(&trace, &right[0], &right[1], &b);
    exp_sentence(&trace, &b, &sentence);
    assert_string_equal(sentence.data, wanted);
    exp_trace_clear(&trace);
    exp_trace_clear(&right[0]);
    exp_trace_clear(&right[1]);
}

TEST(loads_that_come_too_early_or_see_too_little)
{
    check_load(7, 1, 2,
               "lane 1 loaded from 0x100 another value than lane 0 had stored there last, 0x42, a "
               "stale value: got 0x7, expected 0x42");
    check_load(7, 2, 1,
               "lane 1 loaded from 0x100 before lane 0 had stored there: got 0x7, expected "
               "0x42");
}

TEST(an_old_value_is_found_without_a_reference)
{
    OWNED(exp_trace_clear) struct exp_trace trace;
    struct exp_fault b;
    load_run(&trace, 7, 1, 2);
    exp_fault_find(&trace, NULL, NULL, &b);
    assert_int_equal(b.cause, EXP_CAUSE_LOAD);
    assert_int_equal(b.want, 0x42);
    assert_int_equal(b.stored, 0);
}

TEST(workgroup_memory_is_each_workgroup_s_own)
{
    static const char text[] =
        "simt-trace 1\ndispatch 0 model x seed 1 subgroup 1 groups 2 1 1 local 1 1 1\n"
        "code 0 plain OpStore %p %v\ncode 1 plain %l = OpLoad %uint %p\n"
        "step 1 0 0 0 0 5 - 4000000000000010 1\nstep 2 1 0 0 1 0 - 4000000000000010 1\n"
        "step 3 0 0 0 1 0 - 4000000000000010 1\nend 0 done\n";
    OWNED(exp_trace_clear) struct exp_trace trace;
    struct exp_fault b;
    assert_true(exp_trace_read(text, sizeof text - 1, &trace, NULL));
    exp_fault_find(&trace, NULL, NULL, &b);
    // Not what workgroup 1 loaded, but what workgroup 0 did.
    assert_int_equal(b.cause, EXP_CAUSE_LOAD);
    assert_int_equal(b.step, 2);
}

static void find(struct text *text, struct exp_trace *trace, struct exp_fault *fault)
{
    parse(text, trace);
    exp_fault_find(trace, NULL, NULL, fault);
}

TEST(the_flag_that_announced_a_value_is_shown)
{
    struct text text = {0};
    OWNED(exp_trace_clear) struct exp_trace trace;
    struct exp_fault b;
    OWNED(exp_window_clear) struct exp_window window;
    begin(&text, "relaxed");
    step(&text, 1, 0, STORE, 0x42, -1, 0x100, 1);
    step(&text, 2, 0, STORE, 5, -1, 0x300, 1);
    step(&text, 3, 0, STORE, 1, -1, 0x200, 1);
    step(&text, 4, 1, LOAD, 1, -1, 0x200, 2);
    step(&text, 5, 1, LOAD, 0, -1, 0x100, 2);
    finish(&text, 0, "done");
    find(&text, &trace, &b);
    exp_window_make(&trace, &b, &window);
    // All but the store to a place that lane 1 did not read.
    static const size_t shown[] = {0, 2, 3, 4};
    assert_int_equal(window.step_count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(window.steps[i].step, shown[i]);
}

TEST(waiting_for_a_flag_is_no_fault)
{
    struct text text = {0};
    OWNED(exp_trace_clear) struct exp_trace trace;
    struct exp_fault b;
    begin(&text, "relaxed");
    step(&text, 1, 0, STORE, 1, -1, 0x100, 1);
    step(&text, 2, 1, LOAD, 0, -1, 0x100, 2);
    step(&text, 3, 1, LOAD, 1, -1, 0x100, 2);
    finish(&text, 0, "done");
    find(&text, &trace, &b);
    assert_int_equal(b.cause, EXP_CAUSE_NONE);
}

TEST(a_dispatch_that_is_stuck)
{
    struct text text = {0};
    OWNED(exp_trace_clear) struct exp_trace trace;
    struct exp_fault b;
    OWNED(exp_window_clear) struct exp_window window;
    begin(&text, "snooping");
    step(&text, 1, 0, RETURN, 0, -1, 0, 1);
    step(&text, 2, 3, COMPUTE, 1, -1, 0, 8);
    step(&text, 3, 2, COMPUTE, 1, -1, 0, 4);
    finish(&text, 0, "fault");
    find(&text, &trace, &b);
    assert_int_equal(b.cause, EXP_CAUSE_STUCK);
    // Shown are the last steps of lanes 2 and 3; lane 0 has ended, lane 1 never began.
    exp_window_make(&trace, &b, &window);
    assert_int_equal(window.step_count, 2);
    assert_int_equal(window.steps[0].step, 1);
    assert_int_equal(window.steps[1].step, 2);
    for (size_t i = 0; i < window.row_count; i++)
        assert_int_equal(window.rows[i].involved, window.rows[i].invocation >= 2);
}

TEST(an_empty_trace_is_no_reason_to_fall)
{
    struct exp_trace trace = {0};
    struct exp_fault b;
    OWNED(exp_window_clear) struct exp_window window;
    exp_fault_find(&trace, NULL, NULL, &b);
    assert_int_equal(b.cause, EXP_CAUSE_STUCK);
    exp_window_make(&trace, &b, &window);
    assert_int_equal(window.step_count, 0);
}

TEST(the_text_has_what_one_needs)
{
    OWNED(exp_trace_clear) struct exp_trace trace, first, second;
    struct exp_fault b;
    OWNED(exp_window_clear) struct exp_window window;
    OWNED(text_free) struct text text = {0};
    const struct eng_count count = {
        .runs = 1, .failed_runs = 1, .instances = 8, .failed_instances = 1, .failure_count = 1};
    const struct eng_failure failure = {.at = {.word = 6, .got = 1, .want = 2, .outcome = 3},
                                        .where = "lane 2, iteration 1"};
    char asks[] = "is it so?", fails[] = "it is not", name[] = "family.test";
    char reason[] = "nobody knows";
    const struct cat_oracle oracle = {.instance = "workgroup"};
    const struct cat_test test = {
        .head = {.name = name,
                 .asks = asks,
                 .fails = fails,
                 .expect = {{.expectation = CAT_CONTESTED, .reason = reason}},
                 .expect_count = 1},
        .oracle = &oracle};
    struct exp_found found = {.which = {.test = &test},
                              .settings = "model=snooping,seed=7",
                              .tries = 12,
                              .failed_tries = 3,
                              .outcome = {.result = ENG_FAIL, .count = count, .first = failure}};
    failing_run(&trace);
    right_run(&first, 1);
    right_run(&second, 2);
    exp_fault_find(&trace, &first, &second, &b);
    exp_window_make(&trace, &b, &window);
    found.failing = trace;
    exp_print(&found, &b, &window, "./litmus explain", &text);
    static const char *const wanted[] = {
        "family.test\n",
        "asks       is it so?\nfails      it is not\nexpect     contested: nobody knows\n"
        "model      snooping: ",
        "3 runs failed, of 12",
        "broke      lane 2 read lane 1's %value",
        "          8     1     2  -         0x21        -                   %value = OpIAdd %uint",
        ">>        9     2     1  {2}       0x21        lane 1              %up = OpGroupNonUnif",
        "   prescribed                     0x11\n",
        "workgroup 0, word 6 (lane 2, iteration 1): it stored 0x1, expected 0x2 (wrong)",
        "reproduce  ./litmus explain\n",
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!strstr(text.data, wanted[i]))
            fail_msg("'%s' is not in\n%s", wanted[i], text.data);
    // Of lanes that had no part in it only the picture speaks.
    assert_null(strstr(text.data, "\n          4     3"));
}
