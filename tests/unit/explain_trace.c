// SPDX-License-Identifier: Apache-2.0
// The reader of traces: what a trace says is understood, whatever else a file holds is refused.

#include "explain.h"

#define HEAD                                                                                       \
    "simt-trace 1\n"                                                                               \
    "dispatch 0 model snooping seed 18446744073709551615 subgroup 4 groups 2 1 1 local 6 1 1\n"    \
    "code 0 plain %a = OpIAdd %uint %b %c\n"                                                       \
    "code 1 branch\n"                                                                              \
    "code 2 exchange %d = OpGroupNonUniformShuffle %uint %scope %a %e\n"

TEST(reads_what_is_there)
{
    static const char text[] = HEAD "step 1 0 0 0 0 1f - - f\n"
                                    "step 1 0 0 1 0 20 - - f\n"
                                    "step 2 1 1 1 2 ffffffffffffffff 0 - 2\n"
                                    "step 3 0 0 0 1 - - deadbeef 80000000000000000000000000000001\n"
                                    "switches 12\nend 0 fault\n";
    OWNED(exp_trace_clear) struct exp_trace trace;
    must(exp_trace_read(text, sizeof text - 1, &trace, &error));
    assert_string_equal(trace.model, "snooping");
    assert_true(trace.seed == UINT64_MAX);
    assert_int_equal(trace.subgroups, 2);
    assert_int_equal(trace.invocations, 16);
    assert_int_equal(trace.code_count, 3);
    assert_int_equal(trace.codes[1].kind, EXP_BRANCH);
    assert_string_equal(trace.codes[1].text, "");
    assert_int_equal(trace.step_count, 4);
    assert_int_equal(trace.steps[0].value, 0x1f);
    assert_int_equal(trace.steps[0].source, EXP_NO_LANE);
    assert_int_equal(trace.steps[2].invocation, 13);
    assert_int_equal(exp_group(&trace, 13), 1);
    assert_int_equal(exp_subgroup(&trace, 13), 1);
    assert_int_equal(exp_lane(&trace, 13), 1);
    assert_true(trace.steps[2].value == UINT64_MAX);
    assert_int_equal(trace.steps[2].source, 0);
    assert_false(trace.steps[3].has_value);
    assert_true(trace.steps[3].has_address && trace.steps[3].address == 0xdeadbeef);
    assert_true(exp_lanes_has(&trace.steps[3].tangle, 127));
    assert_int_equal(exp_step_count(&trace, 0), 2);
    assert_int_equal(exp_step_at(&trace, 0, 1), 3);
    assert_int_equal(exp_step_count(&trace, 5), 0);
    assert_int_equal(exp_executions(&trace, 0, 0, 1), 1);
    assert_int_equal(exp_executions(&trace, 0, 0, 0), 0);
    assert_int_equal(trace.switches, 12);
    assert_string_equal(trace.end, "fault");
}

TEST(reads_accesses_of_registers)
{
    static const char text[] = HEAD "code 3 call %f = OpFunctionCall %void %g\n"
                                    "register 0 store 7 8 1048575 1\nregister 2 load 9 4 - 3\n"
                                    "call 3 2\nundefined 5 1048571 - %a\nundefined 9 2 2 %\001\n"
                                    "step 1 0 0 0 2 1f - 5 f\nstep 2 0 0 0 0 1f - 5 f\n";
    OWNED(exp_trace_clear) struct exp_trace trace;
    must(exp_trace_read(text, sizeof text - 1, &trace, &error));
    const struct exp_code *codes = trace.codes;
    assert_int_equal(codes[0].access, EXP_STORE_REGISTER);
    assert_int_equal(codes[0].word, 7);
    assert_int_equal(codes[0].bytes, 8);
    assert_int_equal(codes[0].cell, 1048575);
    assert_int_equal(codes[0].cells, 1);
    assert_false(codes[0].by_pointer);
    assert_int_equal(codes[1].access, EXP_NO_ACCESS);
    assert_int_equal(codes[2].access, EXP_LOAD_REGISTER);
    assert_true(codes[2].by_pointer);
    assert_int_equal(codes[2].cells, 3);
    assert_int_equal(codes[2].function, EXP_NO_FUNCTION);
    assert_int_equal(codes[3].function, 2);
    assert_int_equal(trace.undefined_count, 2);
    assert_int_equal(trace.undefined[0].cell, 5);
    assert_int_equal(trace.undefined[0].count, 1048571);
    assert_int_equal(trace.undefined[0].function, EXP_NO_FUNCTION);
    assert_string_equal(trace.undefined[0].name, "%a");
    assert_int_equal(trace.undefined[1].function, 2);
    assert_string_equal(trace.undefined[1].name, "%?");
    // What is computed is a cell, and no address of memory.
    assert_false(trace.steps[0].has_address);
    assert_int_equal(trace.steps[0].address, 5);
    assert_true(trace.steps[1].has_address);
}

TEST(a_trace_may_break_off)
{
    static const char text[] = HEAD "step 1 0 0 0 0 1f - - f\nstep 2 0 0 0 0 1f -";
    OWNED(exp_trace_clear) struct exp_trace trace;
    assert_true(exp_trace_read(text, sizeof text - 1, &trace, NULL));
    assert_int_equal(trace.step_count, 1);
    assert_string_equal(trace.end, "");
}

TEST(only_the_first_dispatch_counts)
{
    static const char text[] =
        HEAD "step 1 0 0 0 0 1f - - f\nend 0 done\n"
             "dispatch 1 model x seed 1 subgroup 4 groups 1 1 1 local 4 1 1\n";
    OWNED(exp_trace_clear) struct exp_trace trace;
    assert_true(exp_trace_read(text, sizeof text - 1, &trace, NULL));
    assert_int_equal(trace.invocations, 16);
}

TEST(steps_are_put_in_order)
{
    static const char text[] = HEAD "step 5 0 0 0 0 5 - - f\nstep 2 0 0 0 0 2 - - f\n"
                                    "step 5 0 0 1 0 6 - - f\nend 0 done\n";
    OWNED(exp_trace_clear) struct exp_trace trace;
    assert_true(exp_trace_read(text, sizeof text - 1, &trace, NULL));
    assert_int_equal(trace.steps[0].value, 2);
    assert_int_equal(trace.steps[1].value, 5);
    assert_int_equal(trace.steps[2].value, 6);
    assert_int_equal(exp_step_at(&trace, 0, 0), 0);
}

TEST(nothing_printed_is_obeyed)
{
    static const char text[] =
        "simt-trace 1\n"
        "dispatch 0 model \033[2J seed 1 subgroup 1 groups 1 1 1 local 1 1 1\n"
        "code 0 plain %\033]0;x\007 = \xff\n"
        "end 0 do\001ne\n";
    OWNED(exp_trace_clear) struct exp_trace trace;
    assert_true(exp_trace_read(text, sizeof text - 1, &trace, NULL));
    assert_string_equal(trace.model, "?[2J");
    assert_string_equal(trace.codes[0].text, "%?]0;x? = ?");
    assert_string_equal(trace.end, "do?ne");
}

#define LARGE                                                                                      \
    "simt-trace 1\n"                                                                               \
    "dispatch 0 model x seed 1 subgroup 128 groups 3 1048576 1 local 128 1 1\ncode 0 plain x\n"

// Of a dispatch whose first workgroups alone were executed.
TEST(keeps_what_was_executed)
{
    static const char text[] = LARGE "step 1 0 0 0 0 1 - - 1\nstep 2 4 0 5 0 1 - - 20\n"
                                     "switches 0\nend 0 cut\n";
    OWNED(exp_trace_clear) struct exp_trace trace;
    assert_true(exp_trace_read(text, sizeof text - 1, &trace, NULL));
    const uint64_t groups = trace.dispatched;
    exp_trace_trim(&trace);
    assert_int_equal(groups, 3 * 1048576);
    assert_int_equal(trace.invocations, 5 * 128);
    assert_int_equal(exp_group(&trace, trace.steps[1].invocation), 4);
    // Workgroup 4 is (1, 1, 0).
    assert_int_equal(trace.groups[0], 3);
    assert_int_equal(trace.groups[1], 2);
    assert_int_equal(trace.groups[2], 1);
    assert_int_equal(exp_step_count(&trace, 4 * 128 + 5), 1);
    assert_string_equal(trace.end, "cut");
}

#define DISPATCH "simt-trace 1\ndispatch 0 model x seed 1 subgroup "

TEST(refuses_what_makes_no_sense)
{
    static const char *const wrong[][2] = {
        {"", "line 1"},
        {"simt-trace 2\n", "line 1"},
        {"simt-trace 1\n", "dispatch"},
        {"simt-trace 1\nstep 1 0 0 0 0 - - - 1\n", "line 2"},
        {"simt-trace 1\nhello\n", "line 2"},
        {DISPATCH "0 groups 1 1 1 local 1 1 1\n", "line 2"},
        {DISPATCH "129 groups 1 1 1 local 1 1 1\n", "subgroup"},
        {DISPATCH "4 groups 1048576 1048576 1048576 local 65536 65536 65536\n", "size"},
        {LARGE "step 1 65536 0 0 0 1 - - 1\n", "size"},
        {DISPATCH "4 groups 1 1 1 local 4 1\n", "line 2"},
        {HEAD "code 4 plain x\n", "line 6"},
        {HEAD "code 3 odd x\n", "kind"},
        {HEAD "step 1 2 0 0 0 1 - - f\n", "workgroup"},
        {HEAD "step 1 0 2 0 0 1 - - f\n", "subgroup"},
        {HEAD "step 1 0 0 4 0 1 - - f\n", "lane"},
        {HEAD "step 1 0 0 0 3 1 - - f\n", "instruction"},
        {HEAD "step 1 0 0 0 0 1 4 - f\n", "source"},
        {HEAD "step 1 0 0 0 0 1 - - e\n", "tangle"},
        {HEAD "step 1 0 0 0 0 1 - - f f\n", "end of line"},
        {HEAD "step 1 0 0 0 0 1ffffffffffffffff - - f\n", "value"},
        {HEAD "step 1 0 0 0 0 xyz - - f\n", "value"},
        {HEAD "step -1 0 0 0 0 1 - - f\n", "time"},
        {HEAD "step 1 0 0 0 0 1 - - f\ncode 3 plain x\n", "before the first step"},
        {HEAD "step 1 0 0 0 0\n", "line 6"},
        {HEAD "switches x\n", "switches"},
        {HEAD "register 3 load 1 4 1 1\n", "instruction"},
        {HEAD "register 0 atomic 1 4 1 1\n", "access"},
        {HEAD "register 0 load 1 4 1048577 0\n", "cell"},
        {HEAD "register 0 load 1 4 1048576 1\n", "cells"},
        {HEAD "register 0 load 1 4 - 1048577\n", "cells"},
        {HEAD "register 0 load 1 4 x 1\n", "cell"},
        {HEAD "step 1 0 0 0 0 1 - - f\nregister 0 load 1 4 1 1\n", "instruction"},
        {HEAD "call 3 0\n", "instruction"},
        {HEAD "call 0 4294967295\n", "function"},
        {HEAD "undefined 1048576 1 - %x\n", "cells"},
        {HEAD "undefined 1 1 x %x\n", "function"},
        {HEAD "undefined 1 1 4294967295 %x\n", "function"},
        {HEAD "undefined 1 1 -\n", "name"},
        {HEAD "dispatch 1 model x seed 1 subgroup 4 groups 1 1 1 local 4 1 1\n", "line 6"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        OWNED(exp_trace_clear) struct exp_trace trace;
        must_fail(wrong[i][1], exp_trace_read(wrong[i][0], strlen(wrong[i][0]), &trace, &error));
    }
}

TEST(a_long_line_is_refused)
{
    OWNED(text_free) struct text text = {0};
    OWNED(exp_trace_clear) struct exp_trace trace;
    text_puts(&text, HEAD "code 3 plain ");
    for (int i = 0; i < 5000; i++)
        text_puts(&text, "x");
    text_puts(&text, "\n");
    assert_false(exp_trace_read(text.data, text.length, &trace, NULL));
}

TEST(files_that_cannot_be_read)
{
    OWNED(exp_trace_clear) struct exp_trace trace;
    must_fail("No such file", exp_trace_load("/nowhere/at all", 1, &trace, &error));
    assert_false(exp_trace_load("/", 1, &trace, &error));
    assert_false(exp_trace_load("/dev/null", 1, &trace, &error));
}
