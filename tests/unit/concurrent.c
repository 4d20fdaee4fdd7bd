// SPDX-License-Identifier: Apache-2.0
// Litmus tests as kernels: the numbers of final states, where locations are, what is refused.
#include "axiomatic.h"

#include "generate/concurrent.h"

#define DEVICE "P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;\n"
#define NEAR   "P0@sg 0, wg 0, qf 0 | P1@sg 1, wg 0, qf 0 ;\n"
#define SAME   "VULKAN t\n{ x=0; y=5; }\n"
// P0 waits until x is so.
#define LOOP(value)                                                                                \
    "L: | st.atom.dv.sc0 x, 1 ;\nld.atom.dv.sc0 r0, x | ;\nbne r0, " value ", L | ;\n"

static bool make(const char *text, struct gen_states *states, struct gen_concurrent *made,
                 struct lit_error *error)
{
    OWNED(decided_clear) struct decided decided;
    assert_true(decide(text, &decided));
    return gen_states_make(&decided.program, &decided.verdict, states, error) &&
           gen_concurrent_make(&decided.program, states, made, error);
}

static void clear(struct gen_states *states, struct gen_concurrent *made)
{
    gen_states_clear(states);
    gen_module_clear(&made->module);
}

// Number 0 does not fail; what is asked for and has no candidate execution is forbidden.
TEST(states_are_numbered)
{
    struct gen_states states = {0};
    struct gen_concurrent made = {0};
    assert_true(make(SAME DEVICE
                     "st.atom.dv.sc0 x, 1 | ;\nst.atom.dv.sc0 x, 2 | ;\n~exists (x == 1)",
                     &states, &made, &error));
    assert_true(states.forbids);
    assert_string_equal(states.names[0], "x=2");
    assert_string_equal(states.names[1], "x=1 *");
    assert_string_equal(states.names[GEN_STATES], "another state");
    assert_int_equal(states.fails, 1u << GEN_STATES | 2);
    // Values 1 and 2, and any other.
    assert_int_equal(states.size, 3);
    assert_int_equal(states.table[0], 1);
    assert_int_equal(states.table[1], 0);
    assert_int_equal(states.table[2], GEN_STATES);
    clear(&states, &made);
}

// Nothing is forbidden: what is asked for is a control.
TEST(allowed_states_are_controls)
{
    struct gen_states states = {0};
    struct gen_concurrent made = {0};
    assert_true(make(SAME DEVICE
                     "st.atom.dv.sc0 x, 1 | ld.atom.dv.sc0 r0, x ;\nexists (P1:r0 == 1)",
                     &states, &made, &error));
    assert_false(states.forbids);
    assert_string_equal(states.names[0], "P1:r0=0");
    assert_string_equal(states.names[1], "P1:r0=1 *");
    assert_int_equal(states.fails, 2);
    clear(&states, &made);
}

static void put_many(struct text *text)
{
    text_puts(text, "VULKAN many\n{ }\n" DEVICE);
    for (int i = 0; i < 6; i++)
        text_printf(text, "st.atom.dv.sc0 x%d, 1 | ld.atom.dv.sc0 r%d, x%d ;\n", i, i, i);
    text_puts(text, "exists (P1:r0 == 1");
    for (int i = 1; i < 6; i++)
        text_printf(text, " /\\ P1:r%d == 0", i);
    text_puts(text, ")");
}

// 64 allowed states: those that have no number of their own are counted together.
TEST(many_states_share_a_number)
{
    OWNED(text_free) struct text text = {0};
    struct gen_states states = {0};
    struct gen_concurrent made = {0};
    size_t others = 0;
    put_many(&text);
    assert_true(make(text.data, &states, &made, &error));
    assert_string_equal(states.names[GEN_STATES - 1], "another allowed state");
    for (uint32_t i = 0; i < states.size; i++)
        others += states.table[i] == GEN_STATES - 1;
    assert_int_equal(others, 64 - (GEN_STATES - 1));
    clear(&states, &made);
}

TEST(locations_have_places)
{
    struct gen_states states = {0};
    struct gen_concurrent made = {0};
    assert_true(make(SAME NEAR "st.atom.wg.sc1 x, 1 | ld.atom.wg.sc0 r0, y ;\nexists (P1:r0 == 5)",
                     &states, &made, &error));
    assert_int_equal(made.threads, 2);
    assert_int_equal(made.shared, 1);
    assert_int_equal(made.buffered, 1);
    assert_int_equal(made.initial[0], 5);
    assert_non_null(strstr(made.module.text.data, "OpAtomicStore %P0_at_x %workgroup_scope"));
    clear(&states, &made);
}

// A wait is bounded: an instance that runs out has a number of its own, which does not fail.
// Without a condition all others have one.
TEST(waits_run_out)
{
    static const struct {
        const char *threads;
        uint32_t places[3];
    } table[] = {
        {DEVICE, {2, 1, 1}},
        {NEAR, {1, 2, 1}},
        {"P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 0, qf 0 ;\n", {1, 1, 2}},
        {"P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 | P2@sg 1, wg 0, qf 0 | P3@sg 0, wg 2, qf 0 | "
         "P4@sg 1, wg 0, qf 0 ;\n",
         {4, 2, 2}},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct gen_states states = {0};
        struct gen_concurrent made = {0};
        const bool two = i < 3;
        OWNED(text_free) struct text text = text_format(SAME "%s" LOOP("1"), table[i].threads);
        if (!two) {
            text.length = 0;
            text_printf(&text,
                        SAME "%sL: | | | | ;\nld.atom.dv.sc0 r0, x | | | | ;\n"
                             "bne r0, 1, L | | | | ;\n",
                        table[i].threads);
        }
        assert_true(make(text.data, &states, &made, &error));
        assert_memory_equal(made.places, table[i].places, sizeof made.places);
        assert_false(states.forbids);
        assert_int_equal(states.fails, 0);
        assert_string_equal(states.names[0], "ended");
        assert_int_equal(states.ran_out, GEN_STATES - 1);
        assert_string_equal(states.names[states.ran_out], AXI_RAN_OUT);
        assert_int_equal(states.size, 1);
        assert_int_equal(states.table[0], 0);
        clear(&states, &made);
    }
}

// States that the filter leaves out are one, which does not fail whatever the model says of them.
TEST(filters_leave_out)
{
    static const char program[] =
        SAME DEVICE "st.atom.dv.sc0 x, 1 | ld.atom.dv.sc0 r0, x ;\n | ld.atom.dv.sc0 r1, x ;\n";
    for (int filtered = 0; filtered < 2; filtered++) {
        OWNED(text_free) struct text text = {0};
        struct gen_states states = {0};
        struct gen_concurrent made = {0};
        text_printf(&text, "%s%s~exists (P1:r0 == 1 /\\ P1:r1 == 0)", program,
                    filtered ? "filter (P1:r0 == 0)\n" : "");
        assert_true(make(text.data, &states, &made, &error));
        // Of 0 0, 0 1, 1 1 and, forbidden, 1 0; 2 stands for any other value.
        const uint32_t left_out = GEN_STATES - 1, forbidden = states.table[1];
        assert_int_equal(states.size, 9);
        if (!filtered) {
            assert_true(states.forbids && states.fails >> forbidden & 1);
            clear(&states, &made);
            continue;
        }
        assert_int_equal(forbidden, left_out);
        assert_int_equal(states.table[4], left_out);
        assert_string_equal(states.names[left_out], AXI_LEFT_OUT);
        assert_false(states.fails >> left_out & 1);
        assert_true(states.table[0] < left_out && states.table[3] < left_out);
        clear(&states, &made);
    }
}

#define FORMED(forms) "VULKAN t\nKernel=" forms "\n{ x=0; y=5; }\n"
#define TWICE         "st.atom.wg.sc0 x, 1 | ld.atom.wg.sc0 r0, x ;\n| ld.atom.wg.sc0 r1, x ;\n"
#define ASKED         "exists (P1:r0 == 1 /\\ P1:r1 == 0)"

// What each form of a kernel has that the others do not.
TEST(kernels_have_forms)
{
    static const struct {
        const char *text, *has;
        uint32_t words;
    } table[] = {
        {FORMED("glsl") NEAR TWICE ASKED, "OpMemoryModel Logical GLSL450", 1},
        {FORMED("64-bit") NEAR TWICE ASKED, "OpAtomicLoad %wide %P1_at_x", 2},
        {FORMED("physical") NEAR TWICE ASKED, "OpLoad %cells_pointer %cells_at", 1},
        {FORMED("volatile") NEAR TWICE ASKED, "OpConstant %uint 32768", 1},
        {FORMED("glsl volatile") NEAR TWICE ASKED, "OpMemberDecorate %cell_block 0 Volatile", 1},
        {FORMED("address-again") NEAR TWICE ASKED, "OpIAdd %uint %P1_word_x %nothing_1", 1},
        {FORMED("address-by-value") NEAR TWICE ASKED, "OpBitwiseAnd %uint %P1_r0_1 %nothing_1", 1},
        {FORMED("unrolled") NEAR TWICE ASKED, "OpLoopMerge %end_1 %continue_1 Unroll", 1},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct gen_states states = {0};
        struct gen_concurrent made = {0};
        assert_true(make(table[i].text, &states, &made, &error));
        assert_non_null(strstr(made.module.text.data, table[i].has));
        assert_int_equal(made.words, table[i].words);
        for (size_t other = 0; other < sizeof table / sizeof *table; other++)
            if (other != i && !(i == 4 && other == 0))
                assert_null(strstr(made.module.text.data, table[other].has));
        clear(&states, &made);
    }
}

TEST(what_one_dispatch_cannot_express)
{
    static const struct {
        const char *text, *why;
    } table[] = {
        {SAME NEAR LOOP("1") "cbar.wg 0 | cbar.wg 0 ;\nexists (P0:r0 == 1)",
         "a control barrier beside branches"},
        {SAME NEAR "L: | st.atom.wg.sc1 x, 1 ;\nld.atom.wg.sc1 r0, x | ;\nbne r0, 1, L | ;\n"
                   "exists (x == 1)",
         "the final value of workgroup memory beside a loop"},
        {SAME DEVICE "st.atom.dv.sc2 x, 1 | ;\nexists (x == 1)",
         "line 4: there is no memory of the storage classes sc2 and sc3"},
        {SAME DEVICE "st.atom.dv.sc1 x, 1 | ld.atom.dv.sc1 r0, x ;\nexists (x == 1)",
         "x is workgroup memory (sc1) of several workgroups"},
        {SAME NEAR "st.atom.dv.sc1 x, 1 | ld.atom.dv.sc0 r0, x ;\nexists (x == 1)",
         "x is in two storage classes"},
        {"VULKAN t\n{ x=0; y aliases x; }\n" DEVICE "st.atom.dv.sc0 x, 1 | ;\nexists (x == 1)",
         "y is an alias"},
        {SAME "{ ssw 0 1; }\n" DEVICE "st.atom.dv.sc0 x, 1 | ;\nexists (x == 1)",
         "a dispatch does not system-synchronize (ssw) with another here"},
        {SAME DEVICE "st.atom.dv.sc0 x, 1 | avdevice ;\nexists (x == 1)",
         "line 4: the host's operation on the device domain needs several submissions"},
        {SAME DEVICE "rmw.mul.atom.dv.sc0 r0, x, 1 | ;\nexists (x == 1)",
         "line 4: there is no such atomic instruction"},
        {SAME DEVICE "st.atom.dv.sc0 x, 4294967296 | ;\nexists (x == 1)",
         "x=4294967296: no number of 32 bits"},
        {SAME NEAR "cbar.wg 0 | cbar.wg 1 ;\ncbar.wg 1 | cbar.wg 0 ;\nst.atom.dv.sc0 x, 1 | ;\n"
                   "exists (x == 1)",
         "it has no execution"},
        {SAME DEVICE "st.atom.dv.sc0 x, 1 | ;", "its condition names nothing"},
        {FORMED("64-bit") DEVICE "rmw.add.atom.dv.sc0 r0, x, -1 | ;\nexists (x == 1)",
         "line 5: a number that is not the same in both halves of 64 bits"},
        {FORMED("unrolled") DEVICE "beq r0, 0, L | ;\nst.atom.dv.sc0 x, 1 | ;\nL: | ;\n"
                                   "exists (x == 1)",
         "line 5: a jump, beside address-by-value or unrolled"},
        {FORMED("physical") NEAR "st.atom.wg.sc1 x, 1 | ld.atom.wg.sc1 r0, x ;\n"
                                 "exists (P1:r0 == 1)",
         "no location has an address: none is in a buffer"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct gen_states states = {0};
        struct gen_concurrent made = {0};
        assert_false(make(table[i].text, &states, &made, &error));
        assert_string_equal(error.message, table[i].why);
        assert_int_equal(error.code, LIT_EXIT_UNDECIDED);
        clear(&states, &made);
    }
}
