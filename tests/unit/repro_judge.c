// SPDX-License-Identifier: Apache-2.0
// The reproducer in C: what it makes of words, and that seeds and intervals are the program's. It
// is included whole, with Vulkan's functions as volk has them.
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

#include "catalogue/prepare.h"
#include "stats/stats.h"

TEST(counts_what_failed)
{
    uint32_t slot[SLOT_WORDS] = {0}, expected[OUTPUT_WORDS * STRIDE] = {0};
    struct tally made = {.shown = MOST_SHOWN};
    judge_run(&made, slot, expected, 1);
    assert_int_equal(made.outcomes[CAT_RIGHT], UNITS);
    assert_int_equal(made.failed_runs, 0);
    slot[0] = slot[1] = 7;                 // two words of one unit
    slot[2 * WORDS_PER_UNIT] = CAT_POISON; // and one of another
    judge_run(&made, slot, expected, 0);
    assert_int_equal(made.outcomes[CAT_RIGHT], 2 * UNITS - 2);
    assert_int_equal(made.outcomes[CAT_NEVER_WRITTEN], 1);
    assert_int_equal(made.outcomes[3], 1);
    assert_int_equal(made.shown, MOST_SHOWN + 2);
    assert_int_equal(made.failed_runs, 1);
    assert_true(made.first_run_failed);
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
    slot[OUTPUT_WORDS] = CAT_POISON; // nothing was executed at all
    judge_run(&made, slot, expected, 4);
    assert_int_equal(made.expired_runs, 1);
    assert_int_equal(made.runs, 2);
}

TEST(has_the_same_seeds)
{
    for (uint64_t run = 0; run < 1000; run++)
        assert_int_equal(run_seed(run), random_of_run(STREAM, run));
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
    return unit_run();
}
