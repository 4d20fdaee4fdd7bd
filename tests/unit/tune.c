// SPDX-License-Identifier: Apache-2.0
// The search for stress on tests that are made up: it finds the set that was planted, says so when
// there is nothing to find, and reports only runs that the choice knew nothing of.
#include "unit.h"

#include "tune/tune.h"

#include "base/random.h"

#include <math.h>

static const struct eng_stress_limits limits = {
    &(const struct dev_facts){.max_shared = 49152,
                              .max_workgroup = 1024,
                              .max_workgroups = 65535,
                              .max_storage_buffer = 1u << 27},
    true};

// A test that fails by a rule; every run by its number and set alone, as on a device.
struct made_up {
    double (*rate)(const struct dev_stress *set);
    uint64_t seed, runs, calls, stop_after; // 0: never
    uint64_t anew, anew_runs, lowest;       // numbers below `anew` are runs anew
};

static bool measure(const struct tune_try *try, uint64_t first, uint64_t runs,
                    struct eng_count *count, void *user)
{
    const char *notation = try->notation;
    struct made_up *test = user;
    struct dev_stress set;
    if (test->stop_after && test->calls == test->stop_after)
        return false;
    test->calls++;
    assert_true(eng_stress_parse(notation, &set, NULL));
    // A search never mixes both kinds of runs.
    assert_true(first + runs <= test->anew || first >= test->anew);
    if (first < test->anew)
        test->anew_runs += runs;
    *count = (struct eng_count){.runs = runs, .seconds = (double)runs * 1e-3};
    for (uint64_t run = first; run < first + runs; run++) {
        struct lit_random random = {.state = random_derive(test->seed + run, notation)};
        count->failed_runs += (double)random_below(&random, 1000000) < test->rate(&set) * 1e6;
    }
    test->runs += runs;
    return true;
}

static void search(const struct tune_plan *plan, struct made_up *test, struct tune_search *found)
{
    test->anew = tune_runs_anew(plan);
    tune_run(plan, measure, test, found);
    assert_true(test->runs <= tune_runs_all(plan));
    assert_string_equal(found->tries[0].notation, "");
    for (size_t i = 0; i < found->count; i++)
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(found->tries[i].notation, found->tries[j].notation);
}

// One kind of background helps, and more of it helps more.
static double planted(const struct dev_stress *set)
{
    return set->kind == DEV_STRESS_BARRIER ? 0.1 + 0.4 * set->before / 1024.0 : 0.02;
}

static double flat(const struct dev_stress *set)
{
    return 0.05;
}

static double never(const struct dev_stress *set)
{
    return 0;
}

// Stress only hurts.
static double shy(const struct dev_stress *set)
{
    return set->kind || set->slices || set->offset ? 0.01 : 0.5;
}

TEST(the_planted_set_is_found)
{
    for (uint64_t seed = 0; seed < 10; seed++) {
        const struct tune_plan plan = {.seed = seed, .sets = 31, .runs = 50, .limits = limits};
        struct made_up test = {.rate = planted, .seed = seed};
        OWNED(tune_clear) struct tune_search found;
        search(&plan, &test, &found);
        const struct tune_try *best = &found.tries[found.best];
        assert_true(found.whole);
        assert_int_equal(best->set.kind, DEV_STRESS_BARRIER);
        assert_int_equal(found.chosen, found.best);
        assert_true(found.p < TUNE_ALPHA);
        assert_int_equal(best->anew.runs, tune_runs_anew(&plan));
        assert_int_equal(found.tries[0].anew.runs, tune_runs_anew(&plan));
        assert_int_equal(test.anew_runs, 2 * tune_runs_anew(&plan));
        // What is reported is the rate, not the luck.
        const double rate = planted(&best->set);
        assert_true(fabs(tune_rate(&best->anew) - rate) < 4 * sqrt(rate / (double)best->anew.runs));
    }
}

// Where no set does anything, a set is chosen no more often than the level of the test allows, and
// the best looks better while it is searched than it is: the reason for runs anew.
TEST(luck_is_not_reported)
{
    unsigned chosen = 0, searched_above = 0;
    double anew = 0, searched = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        const struct tune_plan plan = {.seed = seed, .sets = 15, .runs = 40, .limits = limits};
        struct made_up test = {.rate = flat, .seed = 1000 + seed * 7919};
        OWNED(tune_clear) struct tune_search found;
        search(&plan, &test, &found);
        chosen += found.chosen != 0;
        const struct tune_try *best = &found.tries[found.best];
        searched += tune_rate(&best->searched);
        anew += tune_rate(&best->anew);
        searched_above += tune_rate(&best->searched) > 0.05;
    }
    assert_true(chosen <= 9); // 60 * 0.05 = 3; more than 9 has a chance of 0.0007
    assert_true(searched / 60 > 0.055 && searched_above > 45);
    assert_true(fabs(anew / 60 - 0.05) < 0.005);
}

TEST(nothing_to_find)
{
    const struct tune_plan plan = {.seed = 1, .sets = 7, .runs = 10, .limits = limits};
    struct made_up test = {.rate = never};
    OWNED(tune_clear) struct tune_search found;
    search(&plan, &test, &found);
    assert_true(found.whole);
    assert_int_equal(found.chosen, 0);
    assert_true(found.p == 1);
}

TEST(no_stress_can_win)
{
    const struct tune_plan plan = {.seed = 1, .sets = 7, .runs = 30, .limits = limits};
    struct made_up test = {.rate = shy};
    OWNED(tune_clear) struct tune_search found;
    search(&plan, &test, &found);
    assert_int_equal(found.best, 0);
    assert_int_equal(found.chosen, 0);
    assert_int_equal(found.tries[0].anew.runs, tune_runs_anew(&plan));
}

TEST(it_can_be_cut_short_anywhere)
{
    const struct tune_plan plan = {.seed = 5, .sets = 7, .runs = 10, .limits = limits};
    for (uint64_t calls = 1;; calls++) {
        struct made_up test = {.rate = planted, .stop_after = calls};
        OWNED(tune_clear) struct tune_search found = {0};
        search(&plan, &test, &found);
        assert_true(found.best < found.count);
        const bool whole = found.whole;
        assert_true(whole || found.chosen == 0);
        if (whole)
            break;
        assert_true(calls < 100);
    }
}

TEST(the_smallest_search)
{
    const struct tune_plan plan = {.seed = 5, .sets = 1, .runs = 1, .limits = limits};
    struct made_up test = {.rate = planted};
    OWNED(tune_clear) struct tune_search found;
    search(&plan, &test, &found);
    assert_true(found.whole && found.count >= 2);
}

// Levine and others: 12 failures within the budget give 99.999 %.
TEST(scores)
{
    assert_true(tune_ceiling(TUNE_REPRODUCIBLE, 4) == 3);
    assert_true(tune_ceiling(0.95, 1) == 3);
    assert_true(tune_score(tune_ceiling(TUNE_REPRODUCIBLE, 4), 4) >= TUNE_REPRODUCIBLE);
    assert_true(tune_score(0, 4) == 0);
    assert_true(fabs(tune_score(1e-12, 4) / 4e-12 - 1) < 1e-9);
    assert_true(fabs(tune_score(0.25, 4) - 0.6321205588) < 1e-9);
    const struct eng_count count = {
        .runs = 100, .failed_runs = 30, .no_progress_runs = 40, .seconds = 2};
    assert_true(tune_rate(&count) == 0.5 && tune_per_second(&count) == 15);
    assert_true(tune_rate(&(struct eng_count){0}) == 0);
    assert_true(tune_per_second(&(struct eng_count){.runs = 1, .failed_runs = 1}) == 0);
}
