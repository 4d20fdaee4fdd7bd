// SPDX-License-Identifier: Apache-2.0
// Whether programs must end under each progress model: those whose answers can be told by hand.
// AXIOMATIC_PROGRESS FILE.
#include "sections.h"

#include "axiomatic.h"

#include "axiomatic/progress.h"

static void parse(const struct section *of, struct axi_program *program)
{
    OWNED(text_free) struct text text = {0};
    text_printf(&text, "VULKAN %s\n%s", of->name, of->text);
    must(axi_parse(text.data, text.length, program, &error));
}

TEST(by_hand)
{
    size_t count = 0;
    for (size_t i = 0; i < section_count; i++) {
        OWNED(axi_program_clear) struct axi_program program;
        OWNED(axi_ending_clear) struct axi_ending ending;
        OWNED(text_free) struct text found = {0};
        const char *endless = NULL;
        if (*sections[i].more != '=')
            continue;
        parse(&sections[i], &program);
        assert_true(axi_end(&program, &ending, &error));
        text_puts(&found, "=");
        for (int model = 0; model < AXI_PROGRESSES; model++) {
            if (!ending.endless[model])
                text_printf(&found, " %s", axi_progress_word(model));
            else if (!endless)
                endless = ending.endless[model];
        }
        if (strchr(sections[i].more, '|'))
            text_printf(&found, " | %s", endless);
        assert_string_equal(found.data, sections[i].more);
        count++;
    }
    assert_int_equal(count, 7);
}

// A thread that passes a barrier by, and one that counts without end.
TEST(barrier_and_size)
{
    static const char one[] = "NEWTHREAD\nld.atom.scopedev.sc0 x = 0\nSATISFIABLE consistent[X]\n";
    OWNED(axi_program_clear) struct axi_program a, b, c;
    OWNED(axi_ending_clear) struct axi_ending ending = {0}, none = {0};
    parse(section("passed-by"), &a);
    assert_true(axi_end(&a, &ending, &error));
    for (int model = 0; model < AXI_PROGRESSES; model++)
        assert_string_equal(ending.endless[model], "after P0 x2, P1 x2; P1 waits at a barrier");
    parse(section("counts"), &b);
    must_fail("more than 1000000 states", axi_end(&b, &none, &error));
    assert_int_equal(error.code, LIT_EXIT_UNDECIDED);
    assert_true(axi_parse(one, sizeof one - 1, &c, &error));
    must_fail("", axi_end(&c, &none, &error));
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
