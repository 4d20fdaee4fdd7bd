// SPDX-License-Identifier: Apache-2.0
// The interpreter of NIR: values, which lanes are together, memory, and what ends a run. Expected
// words are by hand, from the definitions in Mesa's nir_opcodes.py and nir_intrinsics.py.
#include "sections.h"

#include "nir/nir.h"

#define LANES   32
#define NOWHERE UINT64_C(0x10000000000)

static struct run {
    uint32_t words[4 * LANES];
    char text[4096];
    struct nir_program *program;
    struct nir_dispatch dispatch;
    struct lit_error error;
} run;

// Behind the head: two subgroups of 16, %0 the lane, %1 to %4 are 0 to 3, %5 the buffer, %6 the
// invocation's offset, %7 the subgroup's number, %8 a push constant.
#define STORE(value) "@store_ssbo (" value ", %5, %6) (wrmask=x, access=writeonly)\n"
#define TAIL         "}\n"
#define LATER                                                                                      \
    "s2: %1:s[0-1],  s1: %2:s[2],  s1: %3:s[3],  s1: %4:s[4],  s1: %5:s[5],  s1: %6:s[6],  v1: "   \
    "%7:v[0] = p_startpgm\n"

// `ring`: the first argument is the scratch ring, and the last the scratch offset.
static bool execute_with(const char *body, bool ring)
{
    static const uint32_t pushed = 77;
    memset(&run, 0, sizeof run);
    snprintf(run.text, sizeof run.text, "%s%s%s", section("head")->text, body, TAIL);
    for (char *at = run.text; !ring && (at = strstr(at, "arg_num_lsb")); at++)
        at[-3]--; // "base=2, "
    run.dispatch = (struct nir_dispatch){.groups = 2,
                                         .local = LANES,
                                         .buffers = {{NOWHERE, run.words, sizeof run.words}},
                                         .buffer_count = 1,
                                         .bound = {{NOWHERE, NULL, sizeof run.words}},
                                         .bound_count = 1,
                                         .pushed = &pushed,
                                         .steps = 100000};
    const bool good = nir_program_make(run.text, ring ? LATER : strstr(LATER, "s1: %3"),
                                       &run.program, &run.error) &&
                      nir_program_pushed(run.program) == 1 &&
                      nir_run(run.program, &run.dispatch, &run.error);
    nir_program_free(&run.program);
    return good;
}

static bool execute(const char *body)
{
    return execute_with(body, true);
}

// What lane 5 of subgroup 1 stores in workgroup 1.
TEST(values)
{
    for (size_t i = 0; i < section_count; i++) {
        char body[2048];
        const uint32_t want = (uint32_t)strtoul(sections[i].name, NULL, 0);
        if (!strchr("0123456789", sections[i].name[0]))
            continue;
        snprintf(body, sizeof body, "%s%s", sections[i].text, STORE("%40"));
        if (!execute(body))
            fail_msg("%s\n%s", sections[i].text, run.error.message);
        if (run.words[21] != want)
            fail_msg("%s\n0x%x, not 0x%x", sections[i].text, run.words[21], want);
    }
}

// As on GFX11.
TEST(other_arguments)
{
    assert_true(execute_with("32 %40 = iadd %29, %8\n" STORE("%40"), false));
    assert_int_equal(run.words[21], 21 + 77);
}

TEST(a_lane_beyond)
{
    assert_true(execute("32 %40 = @shuffle (%0, %25)\n" STORE("%40")));
    assert_int_equal(strncmp(run.dispatch.beyond, "@shuffle (%0, %25)\n", 19), 0);
    assert_int_not_equal(run.words[21], 4);
    assert_true(execute("32 %40 = @shuffle (%0, %26)\n" STORE("%40")));
    assert_null(run.dispatch.beyond);
}

TEST(refused)
{
    for (size_t i = 0; i < section_count; i++) {
        if (strcmp(sections[i].name, "refused") != 0)
            continue;
        if (execute(sections[i].text))
            fail_msg("%s", sections[i].text);
        if (!strstr(run.error.message, sections[i].more))
            fail_msg("%s\n%s", sections[i].text, run.error.message);
    }
}

// Text that is cut off anywhere ends with an error, or does what is left of it.
TEST(cut_off)
{
    assert_true(execute("1 %41 = ult %0, %26\nif %41 {\nblock b1:\n} else {\nblock b2:\n}\n"));
    for (size_t length = strlen(run.text) - 1; length-- > 0;) {
        run.text[length] = '\0';
        assert_false(nir_program_make(run.text, LATER, &run.program, &run.error));
        nir_program_free(&run.program);
    }
    execute("");
    assert_false(nir_program_make(run.text, "", &run.program, &run.error));
    nir_program_free(&run.program);
}
