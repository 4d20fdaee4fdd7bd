// SPDX-License-Identifier: Apache-2.0
// The interpreter of NIR: values, which lanes are together, memory, and what ends a run. Expected
// words are by hand, from the definitions in Mesa's nir_opcodes.py and nir_intrinsics.py.
#include "unit.h"

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

// Two subgroups of 16. %0 the lane, %1 to %4 are 0 to 3, %5 the buffer, %6 the invocation's offset,
// %7 the subgroup's number, %8 a push constant.
#define HEAD                                                                                       \
    "shader: MESA_SHADER_COMPUTE\nworkgroup_size: 32, 1, 1\n"                                      \
    "system_values_read: 0x00000000'00000000'00008000'00000102\nshared_size: 64\n"                 \
    "api_subgroup_size: 16\n\nimpl main {\n"                                                       \
    "con block b0:  // preds:\n"                                                                   \
    "con 64 %20 = load_const (0xffffffffffffffff)\n"                                               \
    "con 32 %1 = load_const (0x00000000)\n"                                                        \
    "con 32 %2 = load_const (0x00000001 = 0.000000)\n"                                             \
    "con 32 %3 = load_const (0x00000002)\n"                                                        \
    "con 32 %4 = load_const (0x00000003)\n"                                                        \
    "div 32 %0 = @mbcnt_amd (%20 (0xffffffffffffffff), %1 (0x0))\n"                                \
    "con 32 %21 = @load_scalar_arg_amd (base=1, arg_num_lsb_zero=2)\n"                             \
    "con 32 %22 = load_const (0xffff8000)\n"                                                       \
    "con 64 %23 = pack_64_2x32_split %21, %22 (0xffff8000)\n"                                      \
    "con 32x4 %5 = @load_global_amd (%23, %1 (0x0)) (base=0)\n"                                    \
    "con 32 %24 = @load_scalar_arg_wg_div_amd (base=4, arg_num_lsb_zero=0)\n"                      \
    "con 32 %25 = load_const (0x00000014)\n"                                                       \
    "con 32 %26 = load_const (0x00000005)\n"                                                       \
    "con 32 %28 = load_const (0x00000004)\n"                                                       \
    "con 32 %7 = ubfe %24, %25 (0x14), %26 (0x5)\n"                                                \
    "con 32 %8 = @load_scalar_arg_amd (base=2, arg_num_lsb_zero=0)\n"                              \
    "con 32 %27 = ishl %7, %28\n"                                                                  \
    "div 32 %29 = iadd %27, %0\n"                                                                  \
    "div 32 %6 = ishl %29, %3\n"

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
    snprintf(run.text, sizeof run.text, "%s%s%s", HEAD, body, TAIL);
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
    static const struct {
        const char *lines;
        uint32_t want;
    } rows[] = {
        {"32 %40 = iadd %0, %8\n", 82},
        {"32 %40 = isub %3, %4 (0x3)\n", 0xffffffff},
        {"32 %40 = mov %7\n", 1},
        {"1 %41 = ilt %22, %1\n32 %40 = b2i32 %41\n", 1},
        {"1 %41 = ult %22, %1\n32 %40 = bcsel %41, %3, %4\n", 3},
        {"32 %40 = ishr %22, %3\n", 0xffffe000},
        {"32 %40 = umul_high %22, %22\n", 0xffff0000},
        {"32 %40 = bit_count %22\n", 17},
        {"32 %40 = ufind_msb %4\n", 1},
        {"32 %40 = extract_u8 %22, %2 (0x1)\n", 0x80},
        {"64 %41 = pack_64_2x32_split %1, %2\n64 %42 = isub %41, %41\n32x2 %43 = unpack_64_2x32 "
         "%41\n32 %40 = mov %43.y\n",
         1},
        {"32 %41 = u2f32 %4\n32 %42 = fmul %41, %41\n32 %40 = f2u32 %42 // exact\n", 9},
        {"32x4 %41 = vec4 %2, %3, %4, %0\n32 %40 = iadd %41.w, %41.z\n", 8},
        {"32 %40 = @reduce (%0) (reduction_op=iadd, cluster_size=0)\n", 120},
        {"32 %40 = @reduce (%0) (reduction_op=imul, cluster_size=2)\n", 20},
        {"32 %40 = @inclusive_scan (%0) (reduction_op=iadd)\n", 15},
        {"32 %40 = @exclusive_scan (%0) (reduction_op=umax)\n", 4},
        {"32 %40 = @rotate (%0, %3 (0x2)) (cluster_size=4)\n", 7},
        {"32 %40 = @shuffle (%0, %4)\n", 3},
        {"32 %40 = @masked_swizzle_amd (%0) (swizzle_mask=((id & 31) | 0) ^ 2, fetch_inactive=1)\n",
         7},
        {"32 %40 = @quad_swap_diagonal (%0)\n", 6},
        {"1 %41 = ieq %0, %3\n64 %42 = @ballot (%41)\n32 %40 = u2u32 %42\n", 4},
        {"@store_shared (%0, %1) (base=4, wrmask=x)\n32 %40 = @load_shared (%3) (base=2)\n", 15},
        {"32 %41 = @shared_atomic (%1, %2) (base=8, atomic_op=iadd)\n@barrier "
         "(execution_scope=WORKGROUP)\n32 %40 = @load_shared (%1) (base=8)\n",
         32},
        {"32 %40 = @load_ssbo (%5, %22)\n", 0},
        {"@store_shared (%0, %22) (base=0, wrmask=x)\n32 %40 = @load_shared (%22) (base=0)\n", 0},
        {"32 %41 = @ssbo_atomic (%5, %1, %2) (access=coherent, atomic_op=xchg)\n32 %40 = mov %41\n",
         1},
        {"32 %41 = @shared_append_amd (base=8)\n@barrier (execution_scope=WORKGROUP)\n32 %42 = "
         "@load_shared (%1) (base=8)\n32 %40 = @as_uniform (%42)\n",
         32},
        {"32 %41 = isub %1, %28\n@store_shared (%0, %41) (base=8, wrmask=x)\n32 %40 = @load_shared "
         "(%1) (base=4)\n",
         15},
        // Lanes leave a loop of their own number of turns, and meet behind it.
        {"loop {\nblock b1: // preds: b0 b4\n32 %41 = phi b0: %1 (0xb5), b4: %42\n1 %43 = uge %41, "
         "%0\nif %43 {\nblock b2:\nbreak\n} else {\nblock b3:\n}\nblock b4:\n32 %42 = iadd %41, "
         "%2\n}\nblock b5:\n32 %44 = phi b2: %41\n32 %40 = @reduce (%44) (reduction_op=iadd, "
         "cluster_size=0)\n",
         120},
        // Only the lanes of one side are together in it.
        {"1 %41 = ult %0, %26\nif %41 {\nblock b1:\n64 %42 = @ballot (%41)\n} else {\nblock b2:\n1 "
         "%43 = ieq %1, %1\n64 %44 = @ballot (%43)\n}\nblock b3:\n64 %45 = phi b1: %42, b2: "
         "%44\n32 "
         "%40 = u2u32 %45\n",
         0xffe0},
        // Phis of a block read before one of them is written.
        {"loop {\nblock b1:\n32 %41 = phi b0: %2, b3: %42\n32 %42 = phi b0: %3, b3: %41\n32 %43 = "
         "phi b0: %1, b3: %44\n32 %44 = iadd %43, %2\n1 %45 = ieq %44, %3\nif %45 {\nblock b2:\n"
         "break\n} else {\nblock b3:\n}\n}\nblock b4:\n32 %40 = phi b2: %41\n",
         2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char body[2048];
        snprintf(body, sizeof body, "%s%s", rows[i].lines, STORE("%40"));
        if (!execute(body))
            fail_msg("%s\n%s", rows[i].lines, run.error.message);
        if (run.words[21] != rows[i].want)
            fail_msg("%s\n0x%x, not 0x%x", rows[i].lines, run.words[21], rows[i].want);
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
    static const char *const rows[][2] = {
        {"32 %40 = fsin %0\n", "not known: fsin"},
        {"32 %40 = @load_ubo (%0)\n", "not known: @load_ubo"},
        {"32 %40 = iadd %0, %99\n", "nowhere"},
        {"32 %40 = iadd %0, %4000000000\n", "nowhere"},
        {"33 %40 = iadd %0, %0\n", "no result"},
        {"32x99 %40 = vec4 %0\n", "no result"},
        {"32 %40 = load_const (0x1)\n} else {\n", "not known: } else"},
        {"if %0 {\n", "cut off"},
        {"goto b1\n", "not known: goto b1"},
        {"break\n", "outside of a loop"},
        {"loop {\nblock b1:\n}\n", "too many steps"},
        {"32 %40 = phi b7: %0\n", "without the lane's block"},
        {"32 %40 = @load_global_amd (%20, %1) (base=0)\n", "outside of all buffers"},
        {"32 %40 = @load_scalar_arg_amd (base=9)\n", "arguments that are not known"},
        {"32 %40 = @reduce (%0) (reduction_op=iadd, cluster_size=3)\n", "not known"},
        {"32 %40 = f2f16 %0\n16 %41 = f2f16 %0\n", "not known: f2f16"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (execute(rows[i][0]))
            fail_msg("%s", rows[i][0]);
        if (!strstr(run.error.message, rows[i][1]))
            fail_msg("%s\n%s", rows[i][0], run.error.message);
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
