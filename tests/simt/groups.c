// SPDX-License-Identifier: Apache-2.0
// Generated programs with data: what the simulator makes of the module, under each model, against
// the host's interpreter of the tree.
#define UNIT_MAIN
#include "generated.h"

static int tries = 150; // of each check

// How many words differ; -1 if it did not run. `other` is what the host interprets.
static int try_two(const struct gen_program *program, const struct gen_program *other,
                   uint64_t seed, const char *model, enum masks_rule rule, uint32_t subgroup)
{
    char text[128], error[256];
    struct settings settings;
    const uint32_t several = gen_asks(program, GEN_SUBGROUP_BIT) ? 8 : 2;
    const uint32_t lanes = subgroup < 64 / several ? 64 : several * subgroup;
    const size_t words = (size_t)lanes * gen_registers_records(program) * 4;
    OWNED(lit_free)
    uint32_t *input = calloc(lanes, 4), *got = calloc(words, 4), *want = calloc(words, 4);
    int wrong = 0;
    snprintf(text, sizeof(text), "model=%s,seed=%d,subgroup=%u,threads=1", model, (int)seed,
             subgroup);
    assert_true(settings_parse(text, &settings, error, sizeof(error)));
    for (uint32_t i = 0; i < lanes; i++)
        input[i] = gen_word(seed, seed + i / subgroup, i % subgroup, subgroup);
    if (!generated_run(program, rule, &settings, lanes, input, got, words * 4))
        wrong = -1;
    gen_interpret(other, lanes, subgroup, input, want);
    for (size_t i = 0; i < words && wrong >= 0; i++)
        wrong += got[i] != want[i];
    return wrong;
}

static struct gen_program draw(uint64_t index, enum masks_rule rule, uint32_t subgroup)
{
    struct gen_program program;
    const struct gen_limits limits = {.rule = rule,
                                      .steps = 48,
                                      .depth = 5,
                                      .numbers = index % 10 ? 8 : 64,
                                      .truths = index % 10 ? 4 : 20,
                                      .features = UINT64_MAX,
                                      .subgroup = subgroup,
                                      .focus = (enum gen_focus)(index / 6 % GEN_FOCUSES)};
    gen_draw(&program, &limits, 3, index);
    return program;
}

static const uint32_t sizes[] = {4, 8, 32, 1, 128, 16};

static void check_model(const char *model, enum masks_rule rule)
{
    for (int seed = 0; seed < tries; seed++) {
        const uint32_t subgroup = sizes[seed % 6];
        const struct gen_program program = draw((uint64_t)seed, rule, subgroup);
        const int wrong = try_two(&program, &program, (uint64_t)seed, model, rule, subgroup);
        if (wrong)
            fail_msg("%s, rule %d, program %d, subgroups of %u: %d wrong", model, (int)rule, seed,
                     subgroup, wrong);
    }
}

TEST(right_models_agree_with_the_host)
{
    for (enum masks_rule rule = MASKS_DEFAULT; rule <= MASKS_MAXIMAL; rule++) {
        check_model("lockstep", rule);
        check_model("tangled", rule);
    }
}

// What the weaker rules say exactly does not depend on this either.
TEST(peeling_agrees_under_the_weaker_rules)
{
    check_model("peeling", MASKS_DEFAULT);
    check_model("peeling", MASKS_SUBGROUP_UNIFORM);
}

TEST(broken_models_are_seen)
{
    static const char *const models[] = {"lagging", "peeling"};
    for (int m = 0; m < 2; m++) {
        bool seen = false;
        for (uint64_t seed = 0; seed < 1000 && !seen; seed++) {
            const struct gen_program program = draw(seed, MASKS_MAXIMAL, 8);
            seen = try_two(&program, &program, seed, models[m], MASKS_MAXIMAL, 8) > 0;
        }
        if (!seen)
            fail_msg("%s: never wrong", models[m]);
    }
}

// An interpreter that takes one operation for another is seen, whichever it is: two programs of one
// step that differ in one thing.
TEST(a_wrong_interpreter_is_seen)
{
    static const char *const pairs[][2] = {
        {"u1=reduce.add(u2)", "u1=reduce.max(u2)"},
        {"u1=inclusive.xor(u2)", "u1=exclusive.xor(u2)"},
        {"u1=cluster.add(u2,4)", "u1=cluster.add(u2,8)"},
        {"u1=reduce.smin.u8(u2)", "u1=reduce.smin.u16(u2)"},
        {"u1=reduce.add.u64(u2)", "u1=reduce.add(u2)"},
        {"u1=reduce.max.f16(u2)", "u1=reduce.max.f32(u2)"},
        {"u1=late.add(p0,u2)", "u1=late.add(p1,u2)"},
        {"p0=all(p1)", "p0=any(p1)"},
        {"p0=elect()", "p0=alike(u1)"},
        {"u1=ballot(p0)", "u1=ballot(p1)"},
        {"u1=count-inclusive(p0)", "u1=count-exclusive(p0)"},
        {"u1=lowest(p0)", "u1=highest(p0)"},
        {"p0=inverse(u1)", "p0=inverse(u2)"},
        {"p0=extract(p1,u1)", "p0=extract(p1,u2)"},
        {"u1=first(u2)", "u1=broadcast(u2,1)"},
        {"u1=shuffle(u2,u1)", "u1=shuffle(u2,u3)"},
        {"u1=shuffle-xor(u2,1)", "u1=shuffle-xor(u2,2)"},
        {"u1=up(u2,1)", "u1=down(u2,1)"},
        {"u1=rotate(u2,1)", "u1=rotate4(u2,1)"},
        {"u1=quad-broadcast(u2,1)", "u1=quad-broadcast(u2,2)"},
        {"u1=quad-swap(u2,1)", "u1=quad-swap(u2,2)"},
        {"u1=rounds(u2,70)", "u1=rounds(u2,6)"},
        {"store.shared(u1) u2=load.shared()", "store.shared(u3) u2=load.shared()"},
        {"store.buffer(u1) u2=peek.buffer(1)", "store.buffer(u1) u2=peek.buffer(2)"},
        {"u1=swap.buffer(u2) u3=swap.buffer(u4)", "u1=load.buffer() u3=load.buffer()"},
        {"u1=pass.shared(u2,1)", "u1=pass.shared(u2,3)"},
        {"atomic.add.shared(u1) u2=total.add.shared()", "u2=total.add.shared()"},
        {"atomic.smax.buffer(u1) u2=total.smax.buffer()", "u2=total.max.buffer()"},
        {"ticket.shared() u1=tickets.shared()", "u1=tickets.shared()"},
        {"p0=ordered.shared()", "p0=differ(p1,p1)"},
        {"if group.1 { u1=reduce.add(u2) }", "u1=reduce.add(u2)"},
        {"if subgroup.0 { u1=reduce.add(u2) }", "if subgroup.1 { u1=reduce.add(u2) }"},
        {"u1=word(1)", "u1=word(2)"},
        {"u1=local()", "u1=lane()"},
        {"store.shared(u1) u2=gather.shared(1)", "store.shared(u1) u2=gather.shared(2)"},
        {"store.buffer(u1) u2=scatter.buffer(1)", "store.buffer(u1) u2=scatter.buffer(2)"},
        {"store.shared(u1) barrier() sync() fence() u2=peek.shared(1)", "u2=peek.shared(1)"},
        {"while i<9 { u1+=up(u2,1<<i) }", "while i<9 { u1+=up(u2,1) }"},
        {"while i<2 { while j<5 { u1+=shuffle-xor(u2,1<<j) } }",
         "while i<2 { while j<5 { u1+=shuffle-xor(u2,1<<i) } }"},
        {"while i<5 { u1+=down(u2,1<<i) }", "while i<5 { u1+=down(u2,1) }"},
        {"while i<5 { u1+=number(3<<i) }", "while i<5 { u1+=number(3) }"},
        {"store.shared(u1) while i<5 { u2+=peek.shared(1<<i) }",
         "store.shared(u1) while i<5 { u2+=peek.shared(1) }"},
        {"while i<5 { u1+=word(1<<i) }", "while i<5 { u1+=word(1) }"},
        {"if lane>=3 { u1=lane() }", "if lane>=4 { u1=lane() }"},
        {"while i<5 { if lane>=1<<i { u1+=lane() } }", "while i<5 { if lane>=1+i { u1+=lane() } }"},
        {"while i<31 { u1+=lane() }", "while i<30 { u1+=lane() }"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct gen_program program[2];
        for (int k = 0; k < 2; k++) {
            char text[160];
            snprintf(text, sizeof(text), "registers 8 4 %s", pairs[i][k]);
            if (!gen_read(text, strlen(text), &program[k], &error) ||
                !gen_check(&program[k], MASKS_DEFAULT, &error))
                fail_msg("%s: %s", text, error.message);
        }
        bool differs = false;
        for (uint64_t seed = 0; seed < 8; seed++) {
            if (try_two(&program[0], &program[0], seed, "tangled", MASKS_DEFAULT, 16))
                fail_msg("%s: wrong", pairs[i][0]);
            differs |= try_two(&program[0], &program[1], seed, "tangled", MASKS_DEFAULT, 16) > 0;
        }
        if (!differs)
            fail_msg("%s: taken for %s", pairs[i][0], pairs[i][1]);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1)
        tries = atoi(argv[1]);
    return unit_run();
}
