// SPDX-License-Identifier: Apache-2.0
// The reproducer in C against the program: what it makes of words, seeds and counts. Built once for
// each mode; the reproducer is included whole, with Vulkan's functions as volk has them.
#define UNIT_MAIN
#include "unit.h"

#include "device/features.h"

#pragma push_macro("main")
#undef main
static int repro_main(int argc, char **argv);
#define main   repro_main
#define device repro_device
#define check  repro_check
#include "repro/template.c"
#pragma pop_macro("main")
#undef device
#undef check

#include "base/random.h"
#include "model/check.h"
#include "catalogue/prepare.h"
#include "stats/stats.h"

static const struct cat_choice choice = {{"one", "two", "three", "four", "else"}, 0x14};
static const struct cat_mode mode = {(enum cat_check)CHECK, choice};

TEST(fails_as_the_program_says)
{
    for (uint32_t i = 0; i < CAT_OUTCOMES; i++)
        assert_int_equal(fails(i), cat_mode_fails(&mode, i));
    assert_int_equal(STRIDE, cat_check_stride(mode.check));
}

// Words that are near to each other, so that every outcome comes up.
static uint32_t draw(struct lit_random *random)
{
    switch (random_below(random, 6)) {
    case 0:
        return POISON;
    case 1:
        return 0;
    case 2:
        return cat_tag((uint32_t)random_below(random, 12), (uint32_t)random_below(random, 3));
    case 3:
        return (uint32_t)random_below(random, 16);
    case 4:
        return ~0u << random_below(random, 4);
    default:
        return (uint32_t)random_below(random, 3);
    }
}

TEST(judges_as_the_program_does)
{
    const struct cat_shape shape = {.instances = UNITS, .words_per_instance = WORDS_PER_UNIT};
    struct lit_random random = {.state = 7};
    uint64_t seen[CAT_OUTCOMES] = {0};
    for (int round = 0; round < 20000; round++) {
        uint32_t slot[SLOT_WORDS] = {0}, expected[OUTPUT_WORDS * STRIDE];
        const uint64_t wrong = 1 + random_below(&random, 40);
        for (uint64_t i = 0; i < OUTPUT_WORDS * STRIDE; i++)
            expected[i] = draw(&random);
        for (uint64_t i = 0; i < OUTPUT_WORDS; i++)
            slot[i] = random_below(&random, wrong) ? expected[i * STRIDE] : draw(&random);
        struct cat_run run;
        struct cat_failure failures[1];
        size_t count = 0;
        cat_mode_check(&mode, &shape, slot, expected, 0, &run, failures, 1, &count);
        struct tally made = {.shown = MOST_SHOWN};
        judge_run(&made, slot, expected, 0);
        assert_memory_equal(made.outcomes, run.outcomes, sizeof made.outcomes);
        assert_int_equal(made.failed_runs, run.failed != 0);
        assert_int_equal(made.first_run_failed, run.failed != 0);
        uint64_t outcomes[16] = {0};
        uint32_t digest = 0;
        assert_int_equal(judge_units(&made, slot, expected, 0, outcomes, &digest), run.failed);
        assert_int_equal(digest, run.digest);
        for (uint32_t i = 0; i < CAT_OUTCOMES; i++)
            seen[i] += run.outcomes[i];
    }
    // Each outcome that the mode has came up.
    for (uint32_t i = 0; i < CAT_VARIED; i++)
        if (cat_mode_name(&mode, i))
            assert_int_not_equal(seen[i], 0);
}

TEST(gives_up)
{
    uint32_t slot[SLOT_WORDS] = {0}, expected[OUTPUT_WORDS * STRIDE] = {0};
    struct tally made = {.shown = MOST_SHOWN};
    slot[OUTPUT_WORDS] = 1;
    judge_run(&made, slot, expected, 3);
    assert_int_equal(made.expired_runs, 1);
    assert_int_equal(made.failed_runs, 0);
    assert_int_equal(made.outcomes[CAT_NO_PROGRESS], UNITS);
    slot[OUTPUT_WORDS] = POISON; // nothing was executed at all
    judge_run(&made, slot, expected, 4);
    assert_int_equal(made.expired_runs, 1);
    assert_int_equal(made.runs, 2);
}

TEST(has_the_same_seeds)
{
    for (uint64_t run = 0; run < 1000; run++)
        assert_int_equal(run_seed(run), eng_run_seed(STREAM, run));
}

TEST(has_the_same_interval)
{
    static const uint64_t ns[] = {1, 2, 20, 1000, 100000, 1000000};
    for (size_t i = 0; i < sizeof ns / sizeof *ns; i++)
        for (uint64_t part = 0; part <= 10; part++) {
            const uint64_t n = ns[i], k = n * part / 10;
            const struct stat_interval want = stat_clopper_pearson(k, n, 0.95);
            assert_true(fabs(upper(k, n) - want.high) < 1e-7);
            assert_true(fabs(1 - upper(n - k, n) - want.low) < 1e-7);
        }
}

int main(void)
{
    // Used by the reproducer's own main alone.
    (void)repro_main;
    return unit_run(NULL, NULL);
}
