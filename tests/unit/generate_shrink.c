// SPDX-License-Identifier: Apache-2.0
// The shrinker, on predicates that stand for a driver, and how patient a campaign is.
#include "fuzz/options.h"
#include "generate/program.h"

#include "unit.h"

#define LIMITS(steps_, depth_, numbers_, truths_, focus_)                                          \
    {                                                                                              \
        .rule = MASKS_MAXIMAL, .focus = focus_, .steps = steps_, .depth = depth_,                  \
        .numbers = numbers_, .truths = truths_, .features = UINT64_MAX, .subgroup = 32             \
    }

struct judge {
    bool (*fails)(const struct gen_program *program);
    unsigned asked, most; // most: asked more often it says stop
    uint32_t last;
};

static enum gen_answer judge(const struct gen_program *program, void *user)
{
    struct judge *j = user;
    assert_true(gen_check(program, MASKS_MAXIMAL, NULL));
    if (j->most && j->asked == j->most)
        return GEN_STOP;
    j->asked++;
    if (!j->fails(program))
        return GEN_PASSES;
    assert_true(gen_weight(program) < j->last);
    j->last = gen_weight(program);
    return GEN_FAILS;
}

static enum gen_answer judge_near(const struct gen_program *program, void *user)
{
    ((struct judge *)user)->last = UINT32_MAX; // it may weigh more
    return judge(program, user);
}

static uint32_t count(const struct gen_program *program, enum masks_kind kind)
{
    uint32_t number = 0;
    for (uint32_t i = 1; i <= program->count; i++)
        number += program->steps[i].kind == kind;
    return number;
}

static bool breaks(const struct gen_program *program)
{
    return count(program, MASKS_BREAK) > 0;
}

static bool two_loops(const struct gen_program *program)
{
    return count(program, MASKS_WHILE) + count(program, MASKS_DO) >= 2;
}

static bool falls_and_calls(const struct gen_program *program)
{
    bool falls = false;
    for (uint32_t i = 1; i <= program->count; i++)
        falls = falls || program->steps[i].falls;
    return falls && count(program, MASKS_CALL) > 0;
}

static bool trips(const struct gen_program *program)
{
    for (uint32_t i = 1; i <= program->count; i++)
        if (program->steps[i].when.value == GEN_TRIPS)
            return true;
    return false;
}

static bool always(const struct gen_program *program)
{
    return true;
}

// Every program that fails becomes one of at most `most` steps, wherever the search begins.
static void shrinks_to(bool (*fails)(const struct gen_program *), uint32_t most)
{
    const struct gen_limits limits = {.rule = MASKS_MAXIMAL, .steps = 64, .depth = 6};
    unsigned found = 0;
    for (uint64_t i = 0; i < 200; i++) {
        struct gen_program program;
        gen_draw(&program, &limits, 1, i);
        if (!fails(&program))
            continue;
        struct judge j = {.fails = fails, .last = gen_weight(&program) + 1};
        gen_shrink(&program, &limits, judge, &j);
        found++;
        assert_true(fails(&program));
        OWNED(text_free) struct text text = {0};
        gen_write(&program, &text);
        if (program.count > most)
            fail_msg("program %d: %s", (int)i, text.data);
    }
    assert_true(found > 10);
}

TEST(to_the_smallest)
{
    shrinks_to(always, 1);    // look
    shrinks_to(breaks, 5);    // switch lane:2 { case 2 { look } default { break } }
    shrinks_to(two_loops, 3); // while i<1 { } while i<1 { } look
    shrinks_to(falls_and_calls,
               7);        // switch lane:2 { case 0 { call { } } case 2 { } falls case 3 { look } }
    shrinks_to(trips, 2); // while i<word.0:2 { } look
}

static bool has(const struct gen_program *program, enum gen_op op)
{
    for (uint32_t i = 1; i <= program->count; i++)
        if (program->steps[i].kind == MASKS_ACT && program->steps[i].act.op == op)
            return true;
    return false;
}

static bool shuffles(const struct gen_program *program)
{
    return has(program, GEN_OP_SHUFFLE);
}

// What stands for an operation goes down to that one, in its simplest form.
TEST(data_shrinks)
{
    const struct gen_limits limits = LIMITS(64, 6, 32, 8, 0);
    unsigned found = 0;
    for (uint64_t i = 0; i < 100; i++) {
        struct gen_program program;
        OWNED(text_free) struct text text = {0};
        gen_draw(&program, &limits, 1, i);
        if (!shuffles(&program))
            continue;
        struct judge j = {.fails = shuffles, .last = gen_weight(&program) + 1};
        gen_shrink(&program, &limits, judge, &j);
        gen_write(&program, &text);
        if (strcmp(text.data, "registers 4 1 u0=shuffle(u0,u0)") != 0 &&
            strcmp(text.data, "registers 4 1 p0=shuffle.bool(p0,u0)") != 0)
            fail_msg("program %d: %s", (int)i, text.data);
        found++;
    }
    assert_true(found > 10);
}

// Of a failing program all goes but the kinds that it needs; constructs that hold them stay at
// most where nothing of the kind can go.
TEST(kinds_are_left)
{
    const struct gen_limits limits = LIMITS(64, 6, 8, 4, 0);
    unsigned found = 0, alone = 0;
    for (uint64_t i = 0; i < 200; i++) {
        struct gen_program program;
        OWNED(text_free) struct text kinds = {0};
        gen_draw(&program, &limits, 2, i);
        if (!shuffles(&program))
            continue;
        struct judge j = {.fails = shuffles, .last = UINT32_MAX};
        assert_true(gen_strip(&program, MASKS_MAXIMAL, judge, &j) == j.asked && j.asked > 0);
        assert_true(shuffles(&program));
        gen_kinds(&program, &kinds);
        if (strncmp(kinds.data, "shuffle", 7) != 0)
            fail_msg("program %d: %s", (int)i, kinds.data);
        found++;
        alone += strcmp(kinds.data, "shuffle") == 0 || strcmp(kinds.data, "shuffle.bool") == 0;
    }
    assert_true(found > 20);
    assert_true(alone > found * 3 / 4);
}

static bool peeks(const struct gen_program *program)
{
    return has(program, GEN_OP_PEEK);
}

// Of what was changed in a kernel only that is left which the failure needs.
TEST(the_nearest_has_few_changes)
{
    const struct gen_limits limits = LIMITS(40, 4, 8, 4, GEN_NABLA);
    uint32_t found = 0, before = 0, after = 0;
    for (uint64_t i = 0; i < 2000; i++) {
        struct gen_program program;
        gen_draw(&program, &limits, 1, i);
        if (!peeks(&program))
            continue;
        struct judge j = {.fails = peeks, .last = UINT32_MAX};
        before += gen_kernel_distance(&program, &limits, NULL);
        assert_true(gen_near(&program, &limits, judge_near, &j) == j.asked);
        after += gen_kernel_distance(&program, &limits, NULL);
        assert_true(peeks(&program));
        found++;
    }
    assert_true(found > 10 && after >= found && after < before * 2 / 3);
}

TEST(kinds_are_named)
{
    static const char source[] = "registers 4 1 while i<2 { if p0 { u0=reduce.add.u16(u0) break } "
                                 "u0+=reduce.add.u16(u0) u0=add(u0,u0) u0=swap.buffer(u0) }";
    struct gen_program program;
    OWNED(text_free) struct text kinds = {0};
    assert_true(gen_read(source, strlen(source), &program, NULL));
    gen_kinds(&program, &kinds);
    assert_string_equal(kinds.data, "reduce.u16 swap.buffer if while break");
}

static bool multiplies_bytes(const struct gen_program *program)
{
    return has(program, GEN_OP_PRODUCT) && gen_uses(program, GEN_U8);
}

// A product becomes the plainest listed one that fails.
TEST(a_product_becomes_plain)
{
    static const struct {
        const char *products, *want;
    } table[] = {
        {"", "16x8x32"},
        {"f16.f16.f32.8x8x8 f16.f16.f32.16x16x16", "16x8x32"},
        {"u8.u8.u32.8x16x16 s8.s8.s32.8x8x8 u8.s8.s32.8x8x16 u8.u8.u32.16x16x32", "8x8x8"},
        {"s8.s8.s32.16x8x16 f16.f16.f32.8x8x8 s8.s8.s32.8x8x32 u8.s8.s32.64x64x64", "16x8x16"},
    };
    static const char source[] = "registers 4 1 vulkan u1+=product.s8.s8.s32.16x8x32(u2,u3,19)";
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct gen_limits limits = {.rule = MASKS_MAXIMAL, .products = table[i].products};
        struct gen_program program;
        OWNED(text_free) struct text text = {0}, want = {0};
        must(gen_read(source, strlen(source), &program, &error));
        struct judge j = {.fails = multiplies_bytes, .last = UINT32_MAX};
        gen_shrink(&program, &limits, judge, &j);
        gen_write(&program, &text);
        text_printf(&want, "registers 4 1 vulkan u0=product.s8.s8.s32.%s(u0,u0,0)", table[i].want);
        assert_string_equal(text.data, want.data);
    }
}

TEST(the_smallest_is_simple)
{
    static const struct gen_limits limits = {.rule = MASKS_MAXIMAL};
    static const char source[] =
        "loop { if i>=3 { look return } if word.7+i { elect break } else { "
        "look } } next { look } if lane=2 { call { look return } } look";
    struct gen_program program;
    struct text text = {0};
    assert_true(gen_read(source, strlen(source), &program, NULL));
    struct judge j = {.fails = always, .last = UINT32_MAX};
    gen_shrink(&program, &limits, judge, &j);
    gen_write(&program, &text);
    assert_string_equal(text.data, "look");
    text_free(&text);
    assert_true(gen_read(source, strlen(source), &program, NULL));
    j = (struct judge){.fails = breaks, .last = UINT32_MAX};
    gen_shrink(&program, &limits, judge, &j);
    gen_write(&program, &text);
    assert_string_equal(text.data, "while i<0 { look break }");
    text_free(&text);
}

TEST(it_stops_when_it_is_told)
{
    for (unsigned most = 1; most < 20; most++) {
        const struct gen_limits limits = {.rule = MASKS_MAXIMAL, .steps = 64, .depth = 6};
        struct gen_program program;
        gen_draw(&program, &limits, 1, 0);
        struct judge j = {.fails = breaks, .most = most, .last = UINT32_MAX};
        assert_true(breaks(&program));
        gen_shrink(&program, &limits, judge, &j);
        assert_true(breaks(&program));
        assert_true(gen_check(&program, MASKS_MAXIMAL, NULL));
        assert_int_equal(j.asked, most);
    }
}

TEST(patience)
{
    assert_true(fuzz_weight(0) == 1 && fuzz_weight(9) == 4 && fuzz_weight(16) == 0.25);
    assert_int_equal(fuzz_patience(40, 40), 7);    // half of always: 1/2 ^ 7 < 0.01
    assert_int_equal(fuzz_patience(20, 40), 17);   // 3/4 ^ 17 < 0.01
    assert_int_equal(fuzz_patience(1, 40), 367);   // 79/80 ^ 367 < 0.01
    assert_int_equal(fuzz_patience(1, 1000), 512); // as many as there are
    assert_int_equal(fuzz_patience(0, 40), 512);
    assert_int_equal(fuzz_patience(0, 0), 512);
}
