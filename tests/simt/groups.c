// SPDX-License-Identifier: Apache-2.0
// Generated programs with data: what the simulator makes of the module, under each model, against
// the host's interpreter of the tree.
#define UNIT_MAIN
#include "../unit/sections.h"

#include "generated.h"

#include "model/facts.h"

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
    gen_interpret(other, lanes, subgroup, 0, input, want);
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
                                      .features = ~(UINT64_C(1) << CAT_FEATURE_ADDRESSES |
                                                    UINT64_C(1) << CAT_FEATURE_DESCRIPTORS),
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
    for (const char *at = section("pairs")->text, *pair[2];
         sections_row(&at, &pair[0], &pair[1]);) {
        struct gen_program program[2];
        for (int k = 0; k < 2; k++) {
            char text[160];
            snprintf(text, sizeof(text), "registers 8 4 %s", pair[k]);
            if (!gen_read(text, strlen(text), &program[k], &error) ||
                !gen_check(&program[k], MASKS_DEFAULT, &error))
                fail_msg("%s: %s", text, error.message);
        }
        bool differs = false;
        for (uint64_t seed = 0; seed < 8; seed++) {
            if (try_two(&program[0], &program[0], seed, "tangled", MASKS_DEFAULT, 16))
                fail_msg("%s: wrong", pair[0]);
            differs |= try_two(&program[0], &program[1], seed, "tangled", MASKS_DEFAULT, 16) > 0;
        }
        if (!differs)
            fail_msg("%s: taken for %s", pair[0], pair[1]);
    }
}

int main(int argc, char **argv)
{
    sections_read(argc > 1, argv + 1);
    if (argc > 2)
        tries = atoi(argv[2]);
    return unit_run();
}
