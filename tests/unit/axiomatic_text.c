// SPDX-License-Identifier: Apache-2.0
// The VULKAN dialect of .litmus and Alloy's .test: what is read, and what is wrong with the rest.
#include "sections.h"

#include "axiomatic.h"

#define HEAD "VULKAN a\n{ x=0; }\n P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 0, qf 0 ;\n"

// Each with what its error begins with; those that cannot be expressed are no faults of the text.
TEST(mistakes)
{
    static const struct {
        const char *text, *error;
        bool beyond;
    } rows[] = {
        {"", "line 1, column 1: neither", false},
        {"VULKAN", "line 1, column 7: '{' expected", false},
        {"VULKAN a\n{ x=0", "line 2, column 6: a name expected", false},
        {"VULKAN a\nKernel=glsl fast\n{ }", "line 2, column 13: no form of a kernel", false},
        {"VULKAN a\nKernel=64-bit 64-bit\n{ }", "line 2, column 15: '64-bit' stands", false},
        {"VULKAN a\n{ x=0; x=1; }", "line 2, column 9: 'x' is declared twice", false},
        {"VULKAN a\n{ x aliases y; }", "line 2, column 14: there is not a location 'y'", false},
        {"VULKAN a\n{ x=99999999999999999999; }", "line 2, column 5: a number of more", false},
        {"VULKAN a\n{ x=&y; }", "line 2, column 5: a location that holds an address", true},
        {"VULKAN a\n{ P0:r0=x; }", "line 2, column 9: a register that holds an address", true},
        {"VULKAN a\n{ P7:r0=1; }\nP0@sg 0, wg 0, qf 0;", "line 2, column 3: there is not a thread",
         false},
        {"VULKAN a\n{ }\n{ ssw 0 0; }\nP0@sg 0, wg 0, qf 0;", "line 3, column 7: ssw needs", false},
        {"VULKAN a\n{ }\nP0@sg 0, wg 0;", "line 3, column 14: ',' expected", false},
        {"VULKAN a\n{ }\nP0@sg 0, wg 0, qf 0|P0@sg 0, wg 0, qf 0;", "line 3, column 23: a second",
         false},
        {HEAD "cbar.wg 1, 1, 2 | ;", "line 4, column 11: a named barrier", true},
        {HEAD "ld.sc0 r99, x | ;", "line 4, column 11: more registers", true},
        {HEAD "L: | ;\nL: | ;", "line 5, column 1: a second label 'L'", false},
        {"NEWTHREAD\nst.sc0 x = 1 2", "line 2, column 14: the end of the line", false},
        {"NEWTHREAD\nst.av.scopedev.sc0 x = 1\nSATISFIABLE consistent[Y]",
         "line 3, column 24: 'X' expected", false},
        {"NEWTHREAD\nst.sc0 x\nNOSOLUTION #dr=1", "line 3, column 17: #dr=0 or #dr>0", false},
        {"NEWTHREAD\nst.sc0 x\nSSW 0 1", "line 3, column 8: there is not a thread P1", false},
        {"NEWTHREAD 3\nst.sc0 x\nNEWTHREAD 3", "line 3, column 12: a second thread 3", false},
        {"st.membar.sc0 x", "line 1, column 1: one of ld, st", false},
    };
    // Behind the head.
    for (const char *at = section("mistakes")->text, *line, *wrong;
         sections_row(&at, &line, &wrong);) {
        OWNED(axi_program_clear) struct axi_program program;
        OWNED(text_free) struct text text = text_format("%s%s", HEAD, line);
        must_fail_first(wrong, axi_parse(text.data, text.length, &program, &error));
        assert_int_equal(error.code, LIT_EXIT_USAGE);
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWNED(axi_program_clear) struct axi_program program;
        must_fail_first(rows[i].error,
                        axi_parse(rows[i].text, strlen(rows[i].text), &program, &error));
        assert_int_equal(error.code, rows[i].beyond ? LIT_EXIT_UNDECIDED : LIT_EXIT_USAGE);
    }
}

TEST(everything_of_the_dialect)
{
    static const char text[] =
        "vulkan all of it\n\"a (* comment\" \n{\nP0:r1=3; P1: r0 = -0x10;\nx=5; y aliases x;\n}\n"
        "{\nssw 0 1;\n}\n"
        " P0@sg 1, wg 2, qf 3 | P1@sg 0,wg 0,qf 0 ;\n"
        " LC00: (* here *)    | st.nonpriv.sc3 z, r0 ;\n"
        " ld.vis.qf.sc2 r0, y | rmw.atom.acq_rel.dv.sc1.semsc1.semsc2.semav.semvis.xor r2, x, 6 ;\n"
        " sub r1, r1, 1       | avdevice ;\n"
        " bgt r1, 0, LC00     | visdevice ;\n"
        " goto LC01           | cbar.acq_rel.sg.semsc0 7 ;\n"
        " LC01:               | membar.acq_rel.wg.semsc0.semsc3 ;\n"
        "locations [P0:r1; x;]\nfilter (not P0:r1 > 9 \\/ 1 = 2)\n"
        "~exists (P0:r1 != 0 /\\ [x] <= -1 \\/ P1:r2 >= P0:r1)\n";
    OWNED(axi_program_clear) struct axi_program program;
    must(axi_parse(text, sizeof text - 1, &program, &error));
    assert_string_equal(program.name, "all of it");
    assert_int_equal(program.thread_count, 2);
    assert_int_equal(program.threads[0].group[AXI_QUEUE_FAMILY], 3);
    assert_int_equal(program.threads[0].initial[1], 3);
    assert_int_equal(program.threads[1].initial[0], -16);
    assert_int_equal(program.reference_count, 3);
    assert_int_equal(program.references[1].location, program.references[0].location);
    assert_int_equal(program.initial[0], 5);
    assert_int_equal(program.synchronizes[0], 2);
    assert_int_equal(program.threads[0].count, 4);
    assert_int_equal(program.threads[0].instructions[2].to, 0);
    assert_false(program.threads[0].instructions[2].spins);
    assert_int_equal(program.threads[0].instructions[3].to, 4);
    const struct axi_instruction *rmw = &program.threads[1].instructions[1];
    assert_true(rmw->atomic && rmw->acquire && rmw->release && rmw->available && rmw->visible &&
                rmw->non_private && rmw->sem_available && rmw->sem_visible);
    assert_int_equal(rmw->semantics, 6);
    assert_int_equal(rmw->storage, 1);
    assert_int_equal(rmw->operator, AXI_XOR);
    assert_int_equal(program.threads[1].instructions[4].execution, AXI_SUBGROUP);
    assert_int_equal(program.observed_count, 3);
    assert_int_equal(program.checks[0].quantifier, AXI_EXISTS_NOT);
    // `and` binds closer than `or`.
    const int64_t values[3] = {0, 0, 0}, others[3] = {1, 7, 0};
    assert_true(axi_satisfies(&program, program.checks[0].condition, values));
    assert_false(axi_satisfies(&program, program.checks[0].condition, others));
}

// Both sides of limits.
TEST(bounds)
{
    for (int more = 0; more < 2; more++) {
        OWNED(text_free) struct text text = {0};
        OWNED(axi_program_clear) struct axi_program program;
        text_puts(&text, HEAD);
        for (int i = 0; i < AXI_INSTRUCTIONS + more; i++)
            text_puts(&text, "add r0, r0, 1 | ;\n");
        assert_int_equal(axi_parse(text.data, text.length, &program, &error), !more);
    }
    for (int depth = 63; depth < 66; depth += 2) {
        OWNED(text_free) struct text text = {0};
        OWNED(axi_program_clear) struct axi_program program;
        text_puts(&text, HEAD "exists ");
        for (int i = 0; i < depth; i++)
            text_puts(&text, "(");
        text_puts(&text, "x == 0");
        for (int i = 0; i < depth; i++)
            text_puts(&text, ")");
        assert_int_equal(axi_parse(text.data, text.length, &program, &error), depth < 64);
    }
}

// A .test fixes what is read, and says whether such an execution is consistent and free of races.
TEST(alloy)
{
    static const char text[] =
        "// a comment\r\nNEWWG\r\nNEWSG\r\nNEWTHREAD\r\nst.av.scopedev.sc0 x = 1\r\n"
        "st.atom.rel.scopedev.sc0.semsc0 y = 1\r\nNEWWG\r\nNEWSG\r\nNEWTHREAD 5\r\n"
        "ld.atom.acq.scopedev.sc0.semsc0 y = 1\r\nld.vis.scopedev.sc0 x\r\n"
        "SATISFIABLE consistent[X] && #dr=0\r\nNOSOLUTION consistent[X] && #dr>0\r\n"
        "SATISFIABLE consistent[X] && (#rs=1)\r\nNOSOLUTION #dr>0\r\nSATISFIABLE #dr>0\r\n";
    OWNED(decided_clear) struct decided decided;
    assert_true(decide(text, &decided));
    assert_int_equal(decided.program.thread_count, 2);
    assert_int_equal(decided.program.threads[1].number, 5);
    assert_int_equal(decided.program.check_count, 5);
    assert_string_equal(decided.program.checks[0].text, "SATISFIABLE consistent[X] && #dr=0");
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(axi_holds(&decided.program, &decided.verdict, i), i < 4);
}

TEST(too_large)
{
    static const struct {
        const char *body, *error;
    } rows[] = {
        {"L: | ; add r0, r0, 1 | ; st.atom.dv.sc0 x, r0 | ; blt r0, 80, L | ;", "too large: P0"},
        {"ld.sc0 r0, x | st.sc0 x, 1 ; ld.sc0 r1, x | st.sc0 x, 2 ; ld.sc0 r2, x | st.sc0 x, 3 ;"
         "ld.sc0 r3, x | ; ld.sc0 r4, x | ; ld.sc0 r5, x | ; ld.sc0 r6, x | ; ld.sc0 r7, x | ;",
         "too large: 6.55e+04 candidate executions, more than 1000"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWNED(decided_clear) struct decided decided = {0};
        const struct axi_options how = {.rounds = 200, .most = 1000, .listed = 1000000};
        OWNED(text_free) struct text text = text_format(HEAD "%s", rows[i].body);
        assert_true(axi_parse(text.data, text.length, &decided.program, &error));
        must_fail_first(rows[i].error,
                        axi_decide(&decided.program, &how, &decided.verdict, &error));
        assert_int_equal(error.code, LIT_EXIT_UNDECIDED);
    }
}

// A loop with stores is followed as far as is asked.
TEST(loops_are_cut)
{
    static const char text[] = HEAD "L: | ; add r0, r0, 1 | ; st.atom.dv.sc0 x, r0 | ;"
                                    "blt r0, 4, L | ; exists (P0:r0 == 4)";
    for (unsigned rounds = 2; rounds < 4; rounds++) {
        OWNED(decided_clear) struct decided decided;
        const struct axi_options how = {.rounds = rounds, .most = 1000, .listed = 1000};
        assert_true(decide_with(text, how, &decided));
        assert_int_equal(decided.verdict.cut, rounds < 3);
        assert_int_equal(decided.verdict.found[0], rounds == 3);
    }
}
