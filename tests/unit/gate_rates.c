// SPDX-License-Identifier: Apache-2.0
// How often the gate is wrong, over some hundred gates drawn from a seed. tests/gate/simulate.c
// draws more of them over real rates; these are chosen so that a gate which forgot its correction,
// or counted bunched runs as independent, is wrong far too often.
#include "../gate/world.h"
#include "compare/compare.h"

#include "unit.h"

#define GATES 200

// How many of GATES gates end with exit code 1.
static unsigned count_regressions(const struct world *world, uint64_t seed)
{
    struct compare_policy policy = compare_policy_default;
    struct lit_random random = {seed};
    unsigned count = 0;
    policy.gate = true;
    policy.first_seen = COMPARE_FIRST_IGNORED;
    for (int gate = 0; gate < GATES; gate++) {
        struct compare_summary summary;
        world_gate(world, &random, &policy, &summary);
        count += summary.code == LIT_EXIT_FORBIDDEN;
    }
    return count;
}

static void fill(struct world_rate *rates, size_t count, double rate)
{
    for (size_t i = 0; i < count; i++)
        rates[i] = (struct world_rate){rate, rate, CAT_FORBIDDEN};
}

// The most that a gate which keeps its 5 % exceeds once in ten thousand times: 21 of 200 is the
// 0.9999 quantile of the binomial distribution.
#define MOST_FALSE 21

static void check_alarms(const struct world *world, unsigned seed)
{
    const unsigned alarms = count_regressions(world, seed);
    if (alarms > MOST_FALSE)
        fail_msg("%u of %d gates failed without a change", alarms, GATES);
}

TEST(false_alarms)
{
    struct world_rate rates[300];
    // Each test by itself is wrong in up to 5 %: all sixty, in nine of ten gates.
    fill(rates, 60, 0.3);
    check_alarms(&(struct world){.rates = rates, .count = 60, .runs = 400, .baseline = 1}, 1);
    fill(rates, 300, 0.003); // rare failures
    check_alarms(&(struct world){.rates = rates, .count = 300, .runs = 1000, .baseline = 1}, 2);
}

TEST(false_alarms_of_bunches)
{
    struct world_rate rates[20];
    struct world world = {.rates = rates, .count = 20, .runs = 1000, .baseline = 1};
    fill(rates, 20, 0.2);
    world.noise = (struct world_noise){.pieces = 4, .sessions = 1};
    check_alarms(&world, 3);
    // The noise is there: a gate that does not know of the pieces falls for it.
    world.noise.hidden = true;
    assert_true(count_regressions(&world, 3) > GATES / 3);
}

TEST(false_alarms_of_sessions)
{
    struct world_rate rates[20];
    struct world world = {.rates = rates, .count = 20, .runs = 1000, .baseline = 4};
    fill(rates, 20, 0.3);
    world.noise = (struct world_noise){.pieces = 1, .sessions = 20};
    check_alarms(&world, 5);
    // One session cannot show how much they vary.
    world.baseline = 1;
    assert_true(count_regressions(&world, 5) > GATES / 3);
}

// A rise that the gate says it would see with 80 % power is seen so often.
TEST(power)
{
    struct world_rate rates[50];
    struct world world = {.rates = rates, .count = 50, .runs = 1000, .baseline = 1};
    struct compare_policy policy = compare_policy_default;
    struct compare_summary summary = {.family = 10};
    struct compare_power said;
    struct result right = {.runs = 1000, .judged = 1000, .rule = (char *)""};
    struct compare_entry entry = {.a = &right, .b = &right, .factor = 1, .failed = {.made = true}};
    policy.gate = true;
    compare_power(&entry, 1, &policy, &summary, &said);
    assert_int_equal(said.tests, 11);
    fill(rates, 50, 0);
    fill(rates, 10, 0.2); // ten that could be significant
    rates[49].after = said.typical_never;
    unsigned seen = count_regressions(&world, 4);
    // 80 % of 200 within four standard deviations; more, because Holm goes on once one was found.
    if (seen < 137 || seen > 190)
        fail_msg("%u of %d gates saw a rise to %g", seen, GATES, said.typical_never);
}
