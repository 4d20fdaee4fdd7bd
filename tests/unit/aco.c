// SPDX-License-Identifier: Apache-2.0
// Executes machine code of GFX10.3 with the data of its NIR, and finds the first value that it does
// not compute. Code words are as llvm-mc of LLVM 22 gives them.
#include "unit.h"

#include "aco/aco.h"

#define LANES   32
#define NOWHERE UINT64_C(0x10000000000)

// Each lane adds its number to its word.
static const char nir_text[] =
    "shader: MESA_SHADER_COMPUTE\n"
    "workgroup_size: 32, 1, 1\n"
    "system_values_read: 0x00000000'00000000'00000000'00000002\n"
    "api_subgroup_size: 32\n\n"
    "impl main {\n"
    "con block b0:  // preds:\n"
    "con 64 ssa_0 = load_const (0xffffffffffffffff)\n"
    "con 32 ssa_1 = load_const (0x00000000)\n"
    "div 32 ssa_2.lane = @mbcnt_amd (ssa_0 (0xffffffffffffffff), ssa_1 (0x0))\n"
    "con 32 ssa_3 = @load_scalar_arg_amd (base=0, arg_num_lsb_zero=2)\n"
    "con 32 ssa_4 = load_const (0xffff8000)\n"
    "con 64 ssa_5 = pack_64_2x32_split ssa_3, ssa_4 (0xffff8000)\n"
    "con 32x4 ssa_6 = @load_global_amd (ssa_5, ssa_1 (0x0)) (base=0)\n"
    "con 32 ssa_7 = load_const (0x00000002)\n"
    "div 32 ssa_8 = ishl ssa_2.lane, ssa_7 (0x2)\n"
    "div 32 ssa_9 = @load_ssbo (ssa_6, ssa_8)\n"
    "div 32 ssa_10 = iadd ssa_9, ssa_2.lane\n"
    "@store_ssbo (ssa_10, ssa_6, ssa_8) (wrmask=x)\n"
    "}\n";

static const char aco_text[] = " s1: %12:s[0],  v1: %13:v[0] = p_startpgm\n"
                               " // 0x100 (null):0:0\n // 0x100 (null):0:0\n // 0x100 (null):0:0\n"
                               " v1: %3 = v_mbcnt_lo_u32_b32 -1, 0\n"
                               " // 0x110 (null):0:0\n // 0x110 (null):0:0\n // 0x110 (null):0:0\n"
                               " s2: %6 = p_create_vector %12, 0xffff8000\n"
                               " // 0x110 (null):0:0\n"
                               " s4: %7 = s_load_dwordx4 %6, 0\n"
                               " // 0x120 (null):0:0\n // 0x120 (null):0:0\n"
                               " v1: %9 = v_lshlrev_b32 2, %3\n"
                               " // 0x130 (null):0:0\n"
                               " v1: %10 = buffer_load_dword %7, %9, 0 offen\n"
                               " // 0x144 (null):0:0\n"
                               " v1: %11 = v_add_u32 %10, %3\n"
                               " // 0x150 (null):0:0\n"
                               " buffer_store_dword %7, %9, 0, %11 offen\n";

#define WAIT "\ts_waitcnt vmcnt(0)  ; bf8c3f70\n"
#define ADD  "\tv_add_nc_u32_e32 v2, v2, v0  ; 4a040102\n"
#define SUB  "\tv_sub_nc_u32_e32 v2, v2, v0  ; 4c040102\n"
#define CODE(WAITS, SUM)                                                                           \
    "BB0:\n"                                                                                       \
    "\ts_movk_i32 s1, 0x8000  ; b0018000\n"                                                        \
    "\ts_load_dwordx4 s[4:7], s[0:1], null  ; f4080100 fa000000\n"                                 \
    "\tv_mbcnt_lo_u32_b32 v0, -1, 0  ; d7650000 020100c1\n"                                        \
    "\ts_nop 0  ; bf800000\n"                                                                      \
    "\t(then repeated 2 times)\n"                                                                  \
    "\tv_lshlrev_b32_e32 v1, 2, v0  ; 34020082\n"                                                  \
    "\ts_waitcnt lgkmcnt(0)  ; bf8cc07f\n"                                                         \
    "\tbuffer_load_dword v2, v1, s[4:7], 0 offen  ; e0301000 80010201\n" WAITS SUM                 \
    "\tbuffer_store_dword v2, v1, s[4:7], 0 offen  ; e0701000 80010201\n"                          \
    "\ts_endpgm  ; bf810000\n"

static struct run {
    uint32_t words[LANES];
    struct nir_program *nir;
    struct aco_program *program;
    struct nir_dispatch dispatch;
    struct lit_error error;
} run;

static void fill(void *user)
{
    (void)user;
    for (uint32_t i = 0; i < LANES; i++)
        run.words[i] = 1000 * i;
}

static bool make(const char *listing)
{
    run.dispatch = (struct nir_dispatch){.groups = 1,
                                         .local = LANES,
                                         .buffers = {{NOWHERE, run.words, sizeof run.words}},
                                         .buffer_count = 1,
                                         .bound = {{NOWHERE, NULL, sizeof run.words}},
                                         .bound_count = 1,
                                         .pushed = run.words,
                                         .steps = 1000};
    fill(NULL);
    return nir_program_make(nir_text, aco_text, &run.nir, &run.error) &&
           aco_program_make(run.nir, aco_text, listing, 8, &run.program, &run.error);
}

static void clear(void)
{
    aco_program_free(&run.program);
    nir_program_free(&run.nir);
}

static uint32_t right_words(void)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < LANES; i++)
        count += run.words[i] == 1001 * i;
    return count;
}

// How many words are right with prompt memory, and with late memory.
static void check(const char *listing, uint32_t prompt, uint32_t late)
{
    assert_true(make(listing));
    if (!aco_run(run.program, &run.dispatch, false, &run.error))
        fail_msg("%s", run.error.message);
    assert_int_equal(right_words(), prompt);
    fill(NULL);
    assert_true(aco_run(run.program, &run.dispatch, true, &run.error));
    assert_int_equal(right_words(), late);
    clear();
}

TEST(executed)
{
    check(CODE(WAIT, ADD), LANES, LANES);
    check(CODE(WAIT, SUB), 1, 1);
    check(CODE("", ADD), LANES, 0);
}

// What is said of the place where the code parts from the NIR.
static void check_parting(const char *listing, bool late, const char *want, const char *marked)
{
    OWNED(text_free) struct text text = {0}, list = {0};
    struct aco_parting parting;
    assert_true(make(listing));
    assert_true(aco_first(run.program, &run.dispatch, late, fill, NULL, &parting, &run.error));
    aco_parting_print(run.program, &parting, &text);
    assert_string_equal(text.data, want);
    aco_parting_list(run.program, &parting, &list);
    const char *mark = list.length ? strchr(list.data, '*') : NULL;
    assert_int_equal(!!mark, !!marked);
    if (mark && strncmp(mark, marked, strlen(marked)) != 0)
        fail_msg("%s", list.data);
    clear();
}

TEST(a_wrong_value)
{
    check_parting(CODE(WAIT, SUB), false,
                  "first: no register has the value of iadd ssa_9, ssa_2.lane (SPIR-V at byte "
                  "0x144); v2, behind v_sub_nc_u32_e32 v2, v2, v0 at 0x34, has 1 of 32 lanes; lane "
                  "1: 0x3e7, not 0x3e9",
                  "* 0034  v_sub_nc_u32_e32 v2, v2, v0\n");
}

TEST(a_value_that_is_late)
{
    check_parting(CODE("", ADD), true,
                  "first: no register has the value of @load_ssbo (ssa_6, ssa_8) (SPIR-V at byte "
                  "0x130), which is 0x0 in lane 0; what it is computed from was there behind "
                  "s_waitcnt lgkmcnt(0) at 0x24",
                  "* 0024  s_waitcnt lgkmcnt(0)\n");
}

TEST(no_wrong_value)
{
    check_parting(CODE(WAIT, ADD), false,
                  "first: none: registers have all 11 values of the NIR that were looked for; an "
                  "address, a mask or the order is wrong",
                  NULL);
}

TEST(not_known)
{
    assert_false(make("\tv_sub_nc_u32_e32 v2, v2, v0  ; 4a040102\n"));
    assert_string_equal(run.error.message, "machine code that is not known");
    clear();
    assert_false(make(""));
    clear();
    assert_false(make("\t(then repeated 18446744073709551615 times)\n"));
    clear();
    assert_false(make("\ts_nop 0  ; bf800000\n\t(then repeated 18446744073709551615 times)\n"));
    clear();
    // What lies behind the code.
    assert_true(make("\ts_nop 0  ; bf800000\n"));
    assert_false(aco_run(run.program, &run.dispatch, false, &run.error));
    assert_string_equal(run.error.message,
                        "fault: code at 0x7f0000000004, where nothing is mapped");
    clear();
}
