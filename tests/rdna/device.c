// SPDX-License-Identifier: Apache-2.0
// The emulated GPU: command streams as a driver submits them, over memory of the test.
#include "../unit/unit.h"

#include "device/gpu.h"

#define PACKET(code, count) (UINT32_C(3) << 30 | ((count)-1) << 16 | (code) << 8)

// Where the test's memory is mapped.
#define CODE   UINT64_C(0xffff800000010000)
#define DATA   UINT64_C(0xffff800000020000)
#define STREAM UINT64_C(0xffff800000030000)

enum { WORDS = 1024 };
#define S_ENDPGM 0xbf810000
#define S_NOP    0xbf800000

static struct rdna_device gpu;
static uint32_t code[WORDS], data[WORDS], stream[WORDS];

static void open_gpu(const char *settings)
{
    char line[200];
    rdna_close(&gpu);
    memset(data, 0, sizeof data);
    memset(code, 0, sizeof code);
    memset(stream, 0, sizeof stream);
    if (!rdna_settings_parse(settings, &gpu.settings, line, sizeof line))
        fail_msg("%s", line);
    static const enum rdna_generation generations[] = {
        [RDNA_NAVI21] = RDNA_GFX10_3, [RDNA_NAVI31] = RDNA_GFX11, [RDNA_GFX1201] = RDNA_GFX12};
    gpu.generation = generations[gpu.settings.gpu];
    assert_true(rdna_open(&gpu));
    assert_true(space_map(&gpu.space, (struct space_range){CODE, sizeof code, (void *)code, 1}));
    assert_true(space_map(&gpu.space, (struct space_range){DATA, sizeof data, (void *)data, 2}));
    assert_true(
        space_map(&gpu.space, (struct space_range){STREAM, sizeof stream, (void *)stream, 3}));
}

// A dispatch whose SGPRs are the address of DATA, then the workgroup's x, then tg_size.
struct shape {
    uint32_t groups, threads;
    uint32_t lds; // in units of 512 bytes
    uint32_t initiator;
    uint32_t wgp; // 1: WGP mode, 0: CU mode
};

static unsigned put_dispatch(struct shape shape)
{
    const uint32_t words[] = {
        PACKET(0x76, 3),
        0x20c,
        (uint32_t)(CODE >> 8),
        (uint32_t)(CODE >> 40),
        PACKET(0x76, 3),
        0x212,
        3 /* 16 VGPRs */ | shape.wgp << 29,
        2 << 1 | 1 << 7 | 1 << 10 | shape.lds << 15,
        PACKET(0x76, 2),
        0x228,
        0,
        PACKET(0x76, 4),
        0x207,
        shape.threads,
        1,
        1,
        PACKET(0x76, 3),
        0x240,
        (uint32_t)DATA,
        (uint32_t)(DATA >> 32),
        PACKET(0x15, 4),
        shape.groups,
        1,
        1,
        5 | shape.initiator,
    };
    memcpy(stream, words, sizeof words);
    return sizeof words / 4;
}

static void run(const uint32_t *words, size_t bytes, struct shape shape)
{
    memcpy(code, words, bytes);
    if (!rdna_submit(&gpu, STREAM, put_dispatch(shape)))
        fail_msg("%s", gpu.ended);
}

static void assert_ends(uint32_t dwords, const char *with)
{
    gpu.ended[0] = 0;
    assert_false(rdna_submit(&gpu, STREAM, dwords));
    assert_string_equal(gpu.ended, with);
}

// --- Dispatches

// data[thread] = s[2] or s[3]
static const uint32_t store_x[] = {
    0x34020082,             // v_lshlrev_b32_e32 v1, 2, v0
    0x7e040202,             // v_mov_b32_e32 v2, s2
    0xdc708000, 0x00000201, // global_store_dword v1, v2, s[0:1]
    S_ENDPGM,
};
static const uint32_t store_size[] = {
    0x34020082,             // v_lshlrev_b32_e32 v1, 2, v0
    0x7e040203,             // v_mov_b32_e32 v2, s3
    0xdc708000, 0x00000201, // global_store_dword v1, v2, s[0:1]
    S_ENDPGM,
};

TEST(a_dispatch_stores_its_workgroup)
{
    open_gpu("navi21");
    memset(data, 0xff, sizeof data);
    run(store_x, sizeof store_x, (struct shape){.groups = 1, .threads = 40});
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(data[i], i < 40 ? 0 : UINT32_MAX);
    run(store_x, sizeof store_x, (struct shape){.groups = 3000, .threads = 1});
    assert_true(data[0] < 3000);
}

TEST(waves_know_their_place)
{
    static const unsigned lanes[] = {64, 32};
    for (unsigned k = 0; k < 2; k++) {
        open_gpu("navi21");
        run(store_size, sizeof store_size,
            (struct shape){.groups = 1, .threads = 160, .initiator = k << 15});
        for (unsigned i = 0; i < 160; i++) {
            assert_int_equal(data[i] & 63, (160 + lanes[k] - 1) / lanes[k]);
            assert_int_equal(data[i] >> 6 & 31, i / lanes[k]);
            assert_int_equal(data[i] >> 20 & 31, i / lanes[k]);
        }
    }
}

TEST(gfx11_packs_the_ids_of_threads)
{
    // data[x + 8 * y] = v0
    static const uint32_t words[] = {
        0x360200ff, 0x000003ff, // v_and_b32_e32 v1, 0x3ff, v0
        0xd6100002, 0x02291500, // v_bfe_u32 v2, v0, 10, 10
        0xd6460001, 0x04050702, // v_lshl_add_u32 v1, v2, 3, v1
        0x30020282,             // v_lshlrev_b32_e32 v1, 2, v1
        0xdc6a0000, 0x00000001, // global_store_b32 v1, v0, s[0:1]
        0xbfb00000,             // s_endpgm
    };
    enum { THREADS_Y = 14 }; // of put_dispatch's words
    open_gpu("navi31");
    memcpy(code, words, sizeof words);
    const unsigned dwords = put_dispatch((struct shape){.groups = 1, .threads = 8});
    stream[THREADS_Y] = 4;
    if (!rdna_submit(&gpu, STREAM, dwords))
        fail_msg("%s", gpu.ended);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(data[i], i % 8 | i / 8 << 10);
}

enum { THREADS_PACKET = 11 }; // of put_dispatch's words

TEST(gfx12_sets_registers_in_pairs)
{
    // data[thread] = tg_size
    static const uint32_t words[] = {
        0x30020082,                         // v_lshlrev_b32_e32 v1, 2, v0
        0x7e0e0202,                         // v_mov_b32_e32 v7, s2
        0xee068000, 0x03800000, 0x00000001, // global_store_b32 v1, v7, s[0:1]
        0xbfb00000,                         // s_endpgm
    };
    const uint32_t pairs[] = {PACKET(0xba, 4), 0x207, 128, 0x208, 1};
    open_gpu("gfx1201");
    run(words, sizeof words, (struct shape){.groups = 1, .threads = 64});
    assert_int_equal(data[63] & 63, 1);
    assert_int_equal(data[127], 0);
    const unsigned dwords = put_dispatch((struct shape){.groups = 1, .threads = 64});
    memcpy(&stream[THREADS_PACKET], pairs, sizeof pairs);
    if (!rdna_submit(&gpu, STREAM, dwords))
        fail_msg("%s", gpu.ended);
    assert_int_equal(data[127] & 63, 2);
}

TEST(clamp_makes_0_of_a_nan_where_the_dispatch_says_so)
{
    static const uint32_t words[] = {
        0x34020082,             // v_lshlrev_b32_e32 v1, 2, v0
        0x7e0402ff, 0x7fc00000, // v_mov_b32_e32 v2, 0x7fc00000
        0xd5038002, 0x00020502, // v_add_f32_e64 v2, v2, v2 clamp
        0xdc708000, 0x00000201, // global_store_dword v1, v2, s[0:1]
        S_ENDPGM,
    };
    enum { RSRC1 = 6, DX10_CLAMP = 21 }; // of put_dispatch's words
    open_gpu("navi21");
    run(words, sizeof words, (struct shape){.groups = 1, .threads = 1});
    assert_int_equal(data[0], 0x7fc00000);
    const unsigned dwords = put_dispatch((struct shape){.groups = 1, .threads = 1});
    stream[RSRC1] |= 1 << DX10_CLAMP;
    if (!rdna_submit(&gpu, STREAM, dwords))
        fail_msg("%s", gpu.ended);
    assert_int_equal(data[0], 0);
}

TEST(threads_may_be_counted)
{
    open_gpu("navi21");
    memset(data, 0xff, sizeof data);
    // 70 threads in workgroups of 64: the last has 6, in the lanes 0 to 5.
    run(store_x, sizeof store_x, (struct shape){.groups = 70, .threads = 64, .initiator = 1 << 5});
    for (unsigned i = 0; i < 64; i++)
        assert_true(i < 6 ? data[i] <= 1 : data[i] == 0);
}

TEST(lds_is_exchanged_across_a_barrier)
{
    static const uint32_t words[] = {
        0x34020082,             // v_lshlrev_b32_e32 v1, 2, v0
        0x4c0402ff, 0x000001fc, // v_sub_nc_u32_e32 v2, 0x1fc, v1
        0xd8340000, 0x00000001, // ds_write_b32 v1, v0
        0xbf8cc07f,             // s_waitcnt lgkmcnt(0)
        0xbf8a0000,             // s_barrier
        0xd8d80000, 0x03000002, // ds_read_b32 v3, v2
        0xbf8cc07f,             // s_waitcnt lgkmcnt(0)
        0xdc708000, 0x00000301, // global_store_dword v1, v3, s[0:1]
        S_ENDPGM,
    };
    static const char *const settings[] = {"navi21", "navi21,timing=late", "navi21,timing=random"};
    for (unsigned k = 0; k < 3; k++)
        for (unsigned wave32 = 0; wave32 < 2; wave32++) {
            open_gpu(settings[k]);
            run(words, sizeof words,
                (struct shape){.groups = 1, .threads = 128, .lds = 1, .initiator = wave32 << 15});
            for (unsigned i = 0; i < 128; i++)
                assert_int_equal(data[i], 127 - i);
        }
}

TEST(atomics_may_have_two_operands_or_saturate)
{
    static const uint32_t words[] = {
        0x34020082,             // v_lshlrev_b32_e32 v1, 2, v0
        0x34040084,             // v_lshlrev_b32_e32 v2, 4, v0
        0xdc3c8000, 0x04000002, // global_load_dwordx3 v[4:6], v2, s[0:1]
        0xbf8c3f70,             // s_waitcnt vmcnt(0)
        0xd8340000, 0x00000401, // ds_write_b32 v1, v4
        0xd8b00000, 0x08060501, // ds_mskor_rtn_b32 v8, v1, v5, v6
        0xd8d00000, 0x09060501, // ds_wrap_rtn_b32 v9, v1, v5, v6
        0xd8d80000, 0x0a000001, // ds_read_b32 v10, v1
        0xbf8cc07f,             // s_waitcnt lgkmcnt(0)
        0xdc7c8000, 0x00000802, // global_store_dwordx3 v2, v[8:10], s[0:1]
        0xdcd1800c, 0x0b000502, // global_atomic_csub v11, v2, v5, s[0:1] offset:12 glc
        S_ENDPGM,
    };
    static const uint32_t before[] = {0xf0f,   0xff,  3,   0x100, 0xff00ff, 0xff0000,
                                      0x10000, 0x100, 0xf, 0,     0xff,     5},
                          after[] = {0xf0f,   0xf03, 0xe04, 1,    0xff00ff, 0x100ff,
                                     0x200ff, 0,     0xf,   0xff, 0xff,     5};
    open_gpu("navi21");
    memcpy(data, before, sizeof before);
    run(words, sizeof words, (struct shape){.groups = 1, .threads = 3, .lds = 1});
    assert_memory_equal(data, after, sizeof after);
}

TEST(gfx12_subtracts_where_nothing_is_negative)
{
    static const uint32_t words[] = {
        0x30020083,                         // v_lshlrev_b32_e32 v1, 3, v0
        0xee050000, 0x00000002, 0x00000401, // global_load_b32 v2, v1, s[0:1] offset:4
        0xbfc00000,                         // s_wait_loadcnt 0x0
        0xee140000, 0x01000000, 0x00000001, // global_atomic_cond_sub_u32 v1, v2, s[0:1]
        0xbfb00000,                         // s_endpgm
    };
    static const uint32_t before[] = {10, 3, 3, 10, 5, 5}, after[] = {7, 3, 3, 10, 0, 5};
    open_gpu("gfx1201");
    memcpy(data, before, sizeof before);
    run(words, sizeof words, (struct shape){.groups = 1, .threads = 3});
    assert_memory_equal(data, after, sizeof after);
}

TEST(gfx12_barriers_have_two_halves)
{
    static const uint32_t words[] = {
        0x30020082,                         // v_lshlrev_b32_e32 v1, 2, v0
        0x4c0402ff, 0x000001fc,             // v_sub_nc_u32_e32 v2, 0x1fc, v1
        0xd8340000, 0x00000001,             // ds_store_b32 v1, v0
        0xbfc60000,                         // s_wait_dscnt 0x0
        0xbe804ec1,                         // s_barrier_signal -1
        0x9303ff74, 0x00050019,             // s_bfe_u32 s3, ttmp8, 0x50019
        0xbf94ffff,                         // s_barrier_wait 0xffff
        0xd8d80000, 0x03000002,             // ds_load_b32 v3, v2
        0x7e0a0203,                         // v_mov_b32_e32 v5, s3
        0x7e0c0275,                         // v_mov_b32_e32 v6, ttmp9
        0xbfc60000,                         // s_wait_dscnt 0x0
        0xee068000, 0x01800000, 0x00000001, // global_store_b32 v1, v3, s[0:1]
        0xee068000, 0x02800000, 0x00020001, // global_store_b32 v1, v5, s[0:1] offset:512
        0xee068000, 0x03000000, 0x00040001, // global_store_b32 v1, v6, s[0:1] offset:1024
        0xbfb00000,                         // s_endpgm
    };
    static const char *const settings[] = {"gfx1201", "gfx1201,timing=late",
                                           "gfx1201,timing=random"};
    for (unsigned k = 0; k < 3; k++)
        for (unsigned wave32 = 0; wave32 < 2; wave32++) {
            open_gpu(settings[k]);
            run(words, sizeof words,
                (struct shape){.groups = 3, .threads = 128, .lds = 1, .initiator = wave32 << 15});
            for (unsigned i = 0; i < 128; i++) {
                assert_int_equal(data[i], 127 - i);
                assert_int_equal(data[128 + i], i / (wave32 ? 32 : 64));
                assert_true(data[256 + i] < 3);
            }
        }
}

TEST(gfx12_counts_scalar_loads_apart)
{
    // data[64 + lane] and data[128 + lane]: a scalar load before and after its wait
    static const uint32_t words[] = {
        0x30020082,                         // v_lshlrev_b32_e32 v1, 2, v0
        0xf4000100, 0xf8000000,             // s_load_b32 s4, s[0:1], 0x0
        0xbfc80000,                         // s_wait_loadcnt_dscnt 0x0
        0x7e040204,                         // v_mov_b32_e32 v2, s4
        0xbfc70000,                         // s_wait_kmcnt 0x0
        0x7e060204,                         // v_mov_b32_e32 v3, s4
        0xee068000, 0x01000000, 0x00010001, // global_store_b32 v1, v2, s[0:1] offset:256
        0xee068000, 0x01800000, 0x00020001, // global_store_b32 v1, v3, s[0:1] offset:512
        0xbfb00000,                         // s_endpgm
    };
    for (unsigned late = 0; late < 2; late++) {
        open_gpu(late ? "gfx1201,timing=late" : "gfx1201");
        data[0] = 1000;
        run(words, sizeof words, (struct shape){.groups = 1, .threads = 64});
        assert_int_equal(data[64] == 1000, !late);
        assert_int_equal(data[128], 1000);
    }
}

// --- The adversary

TEST(a_load_lands_at_its_wait)
{
    static const uint32_t words[] = {
        0x34020082,             // v_lshlrev_b32_e32 v1, 2, v0
        0xdc308000, 0x02000001, // global_load_dword v2, v1, s[0:1]
        0x7e060302,             // v_mov_b32_e32 v3, v2
        0xbf8c3f70,             // s_waitcnt vmcnt(0)
        0xdc708100, 0x00000201, // global_store_dword v1, v2, s[0:1] offset:256
        0xdc708200, 0x00000301, // global_store_dword v1, v3, s[0:1] offset:512
        S_ENDPGM,
    };
    for (unsigned late = 0; late < 2; late++) {
        open_gpu(late ? "navi21,timing=late" : "navi21");
        for (unsigned i = 0; i < 64; i++)
            data[i] = 1000 + i;
        run(words, sizeof words, (struct shape){.groups = 1, .threads = 64});
        for (unsigned i = 0; i < 64; i++) {
            assert_int_equal(data[64 + i], 1000 + i);
            assert_int_equal(data[128 + i] == 1000 + i, !late);
        }
    }
}

// Workgroup 0 stores data, then a flag. Workgroup 1 has seen the data before, waits for the flag,
// and loads the data again.
static const uint32_t pass[] = {
    0x7e020280,             // 0: v_mov_b32_e32 v1, 0
    0x7e040281,             // 1: v_mov_b32_e32 v2, 1
    0xbf068002,             // 2: s_cmp_eq_u32 s2, 0
    0xbf840006,             // 3: s_cbranch_scc0 10
    0xdc708000, 0x00000201, // 4: global_store_dword v1, v2, s[0:1]
    0xbbfd0000,             // 6: s_waitcnt_vscnt null, 0x0
    0xdc708400, 0x00000201, // 7: global_store_dword v1, v2, s[0:1] offset:1024
    S_ENDPGM,               // 9
    0xdc308000, 0x04000001, // 10: global_load_dword v4, v1, s[0:1]
    0xbf8c3f70,             // 12: s_waitcnt vmcnt(0)
    0xdc319400, 0x03000001, // 13: global_load_dword v3, v1, s[0:1] offset:1024 glc dlc
    0xbf8c3f70,             // 15: s_waitcnt vmcnt(0)
    0x7d840680,             // 16: v_cmp_eq_u32_e32 vcc, 0, v3
    0xbf87fffb,             // 17: s_cbranch_vccnz 13
    0xe1c80000, 0x00000000, // 18: buffer_gl1_inv
    0xe1c40000, 0x00000000, // 20: buffer_gl0_inv
    0xdc308000, 0x03000001, // 22: global_load_dword v3, v1, s[0:1]
    0xbf8c3f70,             // 24: s_waitcnt vmcnt(0)
    0xdc708200, 0x00000301, // 25: global_store_dword v1, v3, s[0:1] offset:512
    S_ENDPGM,               // 27
};
enum { PASS_STORE_WAIT = 6, PASS_GL1 = 18, PASS_GL0 = 20 };

static unsigned mattering; // of these, how many had a fault that mattered

// How many of 100 seeds do not leave 1 in data[128], with `count` dwords of the code from `at` on
// left out.
static unsigned count_wrong(const char *settings, const uint32_t *program, size_t bytes,
                            unsigned at, unsigned count, struct shape shape)
{
    unsigned wrong = 0;
    mattering = 0;
    uint32_t words[64];
    assert_true(bytes <= sizeof words);
    memcpy(words, program, bytes);
    for (unsigned i = 0; i < count; i++)
        words[at + i] = S_NOP;
    for (unsigned seed = 0; seed < 100; seed++) {
        char text[100];
        snprintf(text, sizeof text, "navi21,%s,seed=%u", settings, seed);
        open_gpu(text);
        run(words, bytes, shape);
        wrong += data[128] != 1;
        mattering += gpu.fault_matters;
    }
    return wrong;
}

// How many seeds let workgroup 1 see the flag without the data.
static unsigned count_stale(const char *settings, unsigned at, unsigned count)
{
    return count_wrong(settings, pass, sizeof pass, at, count,
                       (struct shape){.groups = 2, .threads = 1});
}

TEST(stores_are_seen_in_any_order_without_a_wait)
{
    assert_int_equal(count_stale("timing=late", 0, 0), 0);
    assert_int_equal(count_stale("timing=random", 0, 0), 0);
    assert_int_equal(count_stale("timing=prompt", PASS_STORE_WAIT, 1), 0);
    assert_true(count_stale("timing=late", PASS_STORE_WAIT, 1) > 0);
    assert_true(count_stale("timing=random", PASS_STORE_WAIT, 1) > 0);
    assert_int_equal(count_stale("timing=late,turns=long", 0, 0), 0);
    assert_true(count_stale("timing=late,turns=long", PASS_STORE_WAIT, 1) > 0);
}

// Wave 0 stores a word before a barrier, and wave 1 loads it behind that.
static const uint32_t hand_over[] = {
    0x7e020280,             // 0: v_mov_b32_e32 v1, 0
    0x7e040281,             // 1: v_mov_b32_e32 v2, 1
    0x9384ff03, 0x00050006, // 2: s_bfe_u32 s4, s3, 0x50006
    0xbf068004,             // 4: s_cmp_eq_u32 s4, 0
    0xbf840005,             // 5: s_cbranch_scc0 11
    0xdc708000, 0x00000201, // 6: global_store_dword v1, v2, s[0:1]
    0xbfa3ffe3,             // 8: s_waitcnt_depctr 0xffe3
    0xbf8a0000,             // 9: s_barrier
    S_ENDPGM,               // 10
    0xbf8a0000,             // 11: s_barrier
    0xdc319000, 0x03000001, // 12: global_load_dword v3, v1, s[0:1] glc dlc
    0xbf8c3f70,             // 14: s_waitcnt vmcnt(0)
    0xdc708200, 0x00000301, // 15: global_store_dword v1, v3, s[0:1] offset:512
    S_ENDPGM,               // 17
};

enum { HAND_OVER_WAIT = 8 };

// How many seeds let wave 1 miss the word, without the wait for registers or with.
static unsigned count_missed(const char *settings, uint32_t wgp, bool waits)
{
    return count_wrong(settings, hand_over, sizeof hand_over, HAND_OVER_WAIT, !waits,
                       (struct shape){.groups = 1, .threads = 128, .wgp = wgp});
}

TEST(a_compute_unit_executes_in_order_what_left_its_waves)
{
    static const char *const timings[] = {"timing=late", "timing=random"};
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(count_missed(timings[i], 0, true), 0);
        assert_true(count_missed(timings[i], 0, false) > 0);
        assert_true(count_missed(timings[i], 1, true) > 0);
    }
}

TEST(caches_keep_their_lines)
{
    assert_int_equal(count_stale("caches=manual", 0, 0), 0);
    assert_int_equal(count_stale("caches=manual,timing=late", 0, 0), 0);
    assert_int_equal(count_stale("caches=coherent", PASS_GL0, 2), 0);
    assert_true(count_stale("caches=manual", PASS_GL0, 2) > 0);
    assert_true(count_stale("caches=manual", PASS_GL1, 2) > 0);
}

// --- Faults

static char told[120];

static void hear(const char *line)
{
    snprintf(told, sizeof told, "%s", line);
}

// The program's name; `counts` are what it has of each kind.
static unsigned name_of(const uint32_t *words, size_t bytes, const char *counts)
{
    unsigned name = 0;
    int end = 0;
    open_gpu("navi21,fault=list");
    gpu.tell = hear;
    run(words, bytes, (struct shape){.groups = 2, .threads = 1});
    assert_int_equal(sscanf(told, "program %8x: %n", &name, &end), 1);
    assert_string_equal(told + end, counts);
    assert_false(gpu.fault_matters);
    return name;
}

TEST(one_instruction_loses_its_effect)
{
    const unsigned name = name_of(pass, sizeof pass, "wait 4, exec 0, cache 3, barrier 0");
    const struct {
        const char *settings;
        unsigned add, index;
        bool matters;
    } cases[] = {
        {"timing=late,fault=wait", 0, 0, true},    {"timing=late,fault=wait", 1, 0, false},
        {"timing=late,fault=wait", 0, 4, false},   {"timing=prompt,fault=wait", 0, 0, false},
        {"caches=manual,fault=cache", 0, 1, true}, {"caches=manual,fault=cache", 0, 2, true},
        {"timing=late,fault=barrier", 0, 0, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char settings[80];
        snprintf(settings, sizeof settings, "%s:%08x:%u", cases[i].settings, name + cases[i].add,
                 cases[i].index);
        const unsigned stale = count_stale(settings, 0, 0);
        assert_int_equal(stale > 0, cases[i].matters);
        assert_int_equal(mattering > 0, cases[i].matters);
        assert_true(stale <= mattering);
    }
}

TEST(exec_stays)
{
    static const uint32_t words[] = {
        0x34020082,             // v_lshlrev_b32_e32 v1, 2, v0
        0xbefe0481,             // s_mov_b64 exec, 1
        0xdc708000, 0x00000101, // global_store_dword v1, v1, s[0:1]
        S_ENDPGM,
    };
    char settings[80];
    snprintf(settings, sizeof settings, "navi21,fault=exec:%08x:0",
             name_of(words, sizeof words, "wait 0, exec 1, cache 0, barrier 0"));
    for (unsigned faulty = 0; faulty < 2; faulty++) {
        open_gpu(faulty ? settings : "navi21");
        run(words, sizeof words, (struct shape){.groups = 1, .threads = 64});
        assert_int_equal(data[1], faulty ? 4 : 0);
        assert_int_equal(gpu.fault_matters, faulty);
    }
}

// --- Packets

TEST(packets_write_memory)
{
    const uint32_t low = (uint32_t)DATA, high = (uint32_t)(DATA >> 32);
    const uint32_t words[] = {
        0xffff1000, // a NOP without words
        PACKET(0x10, 2),
        1,
        2,
        PACKET(0x37, 5),
        5 << 8,
        low,
        high,
        11,
        12, // WRITE_DATA
        PACKET(0x50, 6),
        3 << 29 | 3 << 20,
        low,
        high,
        low + 8,
        high,
        8, // DMA_DATA: a copy
        PACKET(0x50, 6),
        2 << 29 | 3 << 20,
        0x01020304,
        0,
        low + 16,
        high,
        6, // and a fill
        PACKET(0x49, 7),
        0,
        1 << 29,
        low + 24,
        high,
        77,
        0,
        0, // RELEASE_MEM
        PACKET(0x3c, 6),
        0x13,
        low + 24,
        high,
        77,
        UINT32_MAX,
        4, // WAIT_REG_MEM
        PACKET(0x40, 5),
        1 | 5 << 8,
        low,
        high,
        low + 28,
        high, // COPY_DATA
    };
    static const uint32_t expected[] = {11, 12, 11, 12, 0x01020304, 0x0304, 77, 11};
    open_gpu("navi21");
    memcpy(stream, words, sizeof words);
    if (!rdna_submit(&gpu, STREAM, sizeof words / 4))
        fail_msg("%s", gpu.ended);
    assert_memory_equal(data, expected, sizeof expected);
}

TEST(what_is_not_known_ends_the_submission)
{
    const uint32_t stream_low = (uint32_t)STREAM, stream_high = (uint32_t)(STREAM >> 32);
    const struct {
        uint32_t words[8];
        const char *ended;
    } cases[] = {
        {{PACKET(0xfe, 1), 0}, "not emulated: packet 0xfe"},
        {{PACKET(0x1e, 1), 0}, "not emulated: ATOMIC_MEM"},
        {{PACKET(0x37, 2), 0, 0}, "not emulated: WRITE_DATA of 2 words"},
        {{PACKET(0x10, 100)}, "fault: a packet reaches out of its buffer"},
        {{0x40000000}, "not emulated: a packet of type 0x1"},
        {{PACKET(0x37, 4), 5 << 8, 64, 0, 1},
         "fault: a packet accesses 0x40, where nothing is mapped"},
        {{PACKET(0x3c, 6), 0x13, stream_low, stream_high, 1, UINT32_MAX, 4},
         "not emulated: WAIT_REG_MEM for what never comes"},
        // Buffers that call or continue with themselves.
        {{PACKET(0x3f, 3), stream_low, stream_high, 8}, "not emulated: indirect buffers 4 deep"},
        {{PACKET(0x3f, 3), stream_low, stream_high, 8 | 1 << 20},
         "not emulated: more than 4194304 packets"},
        {{PACKET(0x3f, 3), stream_low, stream_high, 0xfffff},
         "fault: a packet accesses 0xffff800000030000, where nothing is mapped"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        open_gpu("navi21");
        memcpy(stream, cases[i].words, sizeof cases[i].words);
        assert_ends(8, cases[i].ended);
    }
}

TEST(untrusted_code_ends_the_submission)
{
    static const uint32_t endless[] = {0xbf82ffff}; // s_branch to itself
    static const uint32_t wild[] = {
        0x7e020280, // v_mov_b32_e32 v1, 0
        0xdc708000,
        0x00000102, // global_store_dword v2, v1, s[0:1]: v2 is random
        S_ENDPGM,
    };
    open_gpu("navi21,steps=100000");
    memcpy(code, endless, sizeof endless);
    assert_ends(put_dispatch((struct shape){.groups = UINT32_MAX, .threads = 64}),
                "not emulated: more than 100000 instructions");
    open_gpu("navi21,steps=100000");
    memcpy(code, store_x, sizeof store_x);
    assert_ends(put_dispatch((struct shape){.groups = UINT32_MAX, .threads = 64}),
                "not emulated: more than 100000 instructions");
    assert_ends(put_dispatch((struct shape){.groups = 1, .threads = 2000}),
                "not emulated: a workgroup of 2000 threads in dimension 0");
    open_gpu("navi21");
    memcpy(code, wild, sizeof wild);
    gpu.ended[0] = 0;
    assert_false(
        rdna_submit(&gpu, STREAM, put_dispatch((struct shape){.groups = 1, .threads = 1})));
    assert_memory_equal(gpu.ended, "fault: nothing is mapped at", 27);
    open_gpu("navi21"); // code that runs out of its buffer
    for (unsigned i = 0; i < WORDS; i++)
        code[i] = S_NOP;
    assert_ends(put_dispatch((struct shape){.groups = 1, .threads = 1}),
                "fault: code at 0xffff800000011000, where nothing is mapped");
}

// --- Addresses

TEST(ranges_replace_each_other)
{
    struct space space = {0};
    uint8_t a[256], b[256];
    assert_true(space_map(&space, (struct space_range){0x1000, 256, a, 1}));
    assert_true(space_map(&space, (struct space_range){0x1040, 64, b, 2}));
    assert_ptr_equal(space_host(&space, 0x1000, 64), a);
    assert_ptr_equal(space_host(&space, 0x1040, 64), b);
    assert_ptr_equal(space_host(&space, 0x1080, 128), a + 128);
    assert_null(space_host(&space, 0x1030, 32)); // across
    assert_null(space_host(&space, 0x1080, 129));
    assert_null(space_host(&space, 0x1080, UINT64_MAX));
    assert_null(space_host(&space, 0xfff, 1));
    // The sign of an address does not matter.
    assert_ptr_equal(space_host(&space, UINT64_C(0xffff000000001000), 1), a);
    assert_true(space_unmap(&space, 0x1010, 0x38));
    assert_null(space_host(&space, 0x1010, 1));
    assert_null(space_host(&space, 0x1047, 1));
    assert_ptr_equal(space_host(&space, 0x100f, 1), a + 15);
    assert_ptr_equal(space_host(&space, 0x1048, 56), b + 8);
    space_forget(&space, 1);
    assert_null(space_host(&space, 0x1000, 1));
    assert_non_null(space_host(&space, 0x1048, 1));
    assert_false(space_map(&space, (struct space_range){SPACE_BITS - 5, 256, a, 1}));
    space_clear(&space);
}

// --- Settings

TEST(settings_are_read)
{
    struct rdna_settings settings;
    char line[200];
    assert_true(rdna_settings_parse("navi21,timing=random,caches=manual,turns=long,seed=0x10,"
                                    "steps=7",
                                    &settings, line, sizeof line));
    assert_int_equal(settings.timing, RDNA_RANDOM);
    assert_int_equal(settings.caches, RDNA_MANUAL);
    assert_int_equal(settings.turns, RDNA_LONG);
    assert_int_equal(settings.seed, 16);
    assert_int_equal(settings.steps, 7);
    static const char *const bad[] = {"",
                                      "navi22",
                                      "navi21,",
                                      "navi21,timing",
                                      "navi21=1",
                                      "navi21,seed=",
                                      "navi21,seed=-1",
                                      "navi21,seed=1x",
                                      "seed=1",
                                      "navi21,timing=soon",
                                      "navi21,fault=wait",
                                      "navi21,fault=list:1:2",
                                      "navi21,fault=wait:1:2x",
                                      "navi21,navi21"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (rdna_settings_parse(bad[i], &settings, line, sizeof line))
            fail_msg("'%s' is taken", bad[i]);
    assert_string_equal(line, "'navi21' is none of timing=prompt|late|random, "
                              "caches=coherent|manual, turns=short|long, seed=N, steps=N");
}
