// SPDX-License-Identifier: Apache-2.0
// Whether programs must end under each progress model: those whose answers can be told by hand.
#include "axiomatic.h"

#include "axiomatic/progress.h"

#define PLACED(n) " P" #n "@sg 0, wg " #n ", qf 0 "
#define TWO       "VULKAN a\n{ x=0; y=0; }\n" PLACED(0) "|" PLACED(1) ";\n"
#define THREE     "VULKAN a\n{ x=0; y=0; }\n" PLACED(0) "|" PLACED(1) "|" PLACED(2) ";\n"
#define SET(x)    "st.atom.dv.sc0 " #x ", 1"
#define GET(x)    "ld.atom.dv.sc0 r0, " #x
#define TAKE      "rmw.atom.dv.sc0 r0, x, 1"

static const struct {
    const char *text, *ends; // the models under which it must end
    const char *endless; // how it may not under the strongest of the others; NULL: not looked at
} rows[] = {
    {TWO SET(x) " | " SET(x) " ;\n", "fair lobe hsa-obe hsa obe none ", NULL},
    // The lower one waits for the higher one, which need not begin.
    {TWO "L: | ;\n" GET(x) " | " SET(x) " ;\n beq r0, 0, L | ;\n", "fair ",
     "after P0; P0 runs for ever; P1 gets no turn"},
    // The higher one waits for the lower one.
    {TWO SET(x) " | L: ;\n | " GET(x) " ;\n | beq r0, 0, L ;\n", "fair lobe hsa-obe hsa ",
     "after P1; P1 runs for ever; P0 gets no turn"},
    // A lock: its holder has begun.
    {TWO "L: | L: ;\n" TAKE " | " TAKE " ;\n bne r0, 0, L | bne r0, 0, L ;\n"
         "st.atom.dv.sc0 x, 0 | st.atom.dv.sc0 x, 0 ;\n",
     "fair lobe hsa-obe obe ", NULL},
    // P0 waits for P1 if P2 has begun.
    {THREE GET(y) " | " SET(x) " | " SET(y) " ;\n beq r0, 0, E | | ;\nL: | | ;\n" GET(
         x) " | | ;\n"
            "beq r0, 0, L | | ;\nE: | | ;\n",
     "fair lobe ", NULL},
    // A loop without an end.
    {TWO "L: | ;\n goto L | ;\n", "", "after P0; P0 runs for ever"},
    // A barrier that both come to, and one that P1 may pass by.
    {TWO "cbar.acq_rel.dv.semsc0 1 | cbar.acq_rel.dv.semsc0 1 ;\n",
     "fair lobe hsa-obe hsa obe none ", NULL},
};

TEST(by_hand)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWNED(axi_program_clear) struct axi_program program;
        OWNED(axi_ending_clear) struct axi_ending ending;
        OWNED(text_free) struct text ends = {0};
        const char *endless = NULL;
        assert_true(axi_parse(rows[i].text, strlen(rows[i].text), &program, &error));
        assert_true(axi_end(&program, &ending, &error));
        for (int model = 0; model < AXI_PROGRESSES; model++) {
            if (!ending.endless[model])
                text_printf(&ends, "%s ", axi_progress_word(model));
            else if (!endless)
                endless = ending.endless[model];
        }
        assert_string_equal(ends.data ? ends.data : "", rows[i].ends);
        if (rows[i].endless)
            assert_string_equal(endless, rows[i].endless);
    }
}

// A thread that passes a barrier by, and one that counts without end.
TEST(barrier_and_size)
{
    static const char passed_by[] =
        "VULKAN a\n{ x=0; }\n P0@sg 0, wg 0, qf 0 | P1@sg 1, wg 0, qf 0 ;\n" GET(x) " | " SET(
            x) " ;\n beq r0, 0, E | ;\n cbar.acq_rel.wg.semsc0 1 | cbar.acq_rel.wg.semsc0 1 ;\n"
               "E: | ;\n";
    static const char counts[] = TWO "L: | ;\n add r0, r0, 1 | ;\n goto L | ;\n";
    static const char one[] = "NEWTHREAD\nld.atom.scopedev.sc0 x = 0\nSATISFIABLE consistent[X]\n";
    struct lit_error error = {0};
    OWNED(axi_program_clear) struct axi_program a, b, c;
    OWNED(axi_ending_clear) struct axi_ending ending = {0}, none = {0};
    assert_true(axi_parse(passed_by, sizeof passed_by - 1, &a, &error));
    assert_true(axi_end(&a, &ending, &error));
    for (int model = 0; model < AXI_PROGRESSES; model++)
        assert_string_equal(ending.endless[model], "after P0 x2, P1 x2; P1 waits at a barrier");
    assert_true(axi_parse(counts, sizeof counts - 1, &b, &error));
    assert_false(axi_end(&b, &none, &error));
    assert_int_equal(error.code, LIT_EXIT_UNDECIDED);
    assert_non_null(strstr(error.message, "more than 1000000 states"));
    assert_true(axi_parse(one, sizeof one - 1, &c, &error));
    assert_false(axi_end(&c, &none, &error));
    assert_int_equal(error.code, LIT_EXIT_UNDECIDED);
}

// The generated programs: their number is that of docs/memory-model.md, each must end under what
// its name says and is a program in each place.
TEST(waiting_programs)
{
    size_t count = 0, few = 0, of[1 << AXI_PROGRESSES] = {0};
    OWNED(lit_free) struct axi_waiting *all = axi_waiting_make(SIZE_MAX, &count);
    OWNED(lit_free) struct axi_waiting *some = axi_waiting_make(8, &few);
    assert_int_equal(count, 143);
    assert_int_equal(few, 48);
    assert_string_equal(some[0].name, "s1-w1");
    for (size_t i = 0; i < count; i++) {
        of[all[i].ends]++;
        for (enum axi_place place = 0; place < AXI_PLACES; place++) {
            OWNED(text_free) struct text name = {0}, text = {0};
            OWNED(axi_program_clear) struct axi_program program;
            OWNED(axi_ending_clear) struct axi_ending ending;
            enum axi_place found;
            unsigned ends;
            axi_waiting_write(&all[i], place, &name, &text);
            assert_true(axi_waiting_named(name.data, &found, &ends));
            assert_int_equal(found, place);
            assert_int_equal(ends, all[i].ends);
            assert_true(axi_parse(text.data, text.length, &program, &error));
            assert_true(axi_end(&program, &ending, &error));
            for (int model = 0; model < AXI_PROGRESSES; model++)
                assert_int_equal(!ending.endless[model], ends >> model & 1);
            assert_int_equal(program.threads[1].group[AXI_WORKGROUP], place == AXI_WORKGROUPS);
            assert_int_equal(program.threads[1].group[AXI_SUBGROUP], place == AXI_SUBGROUPS);
        }
    }
    static const size_t counts[][2] = {{0x01, 74}, {0x03, 8},  {0x07, 11},
                                       {0x0f, 8},  {0x17, 22}, {0x1f, 20}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        assert_int_equal(of[counts[i][0]], counts[i][1]);
}

TEST(names_of_no_program)
{
    static const char *const names[] = {"progress-lanes-fair-",
                                        "progress-lanes-fair-n0-",
                                        "progress-lanes-fair-n",
                                        "progress-lanes-fair-n0s1s2s0s1",
                                        "progress-lanes-fair--n0",
                                        "progress-lanes-fair-n0-s1-s1-s1",
                                        "progress-lanes-none-n0-s1",
                                        "progress-waves-fair-n0-s1",
                                        "progress-lanes-fair-x0-s1",
                                        "progress-lanes",
                                        ""};
    enum axi_place place;
    unsigned ends;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_false(axi_waiting_named(names[i], &place, &ends));
}
