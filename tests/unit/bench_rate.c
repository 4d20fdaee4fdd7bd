// SPDX-License-Identifier: Apache-2.0
// What `litmus bench throughput` counts, what it takes from a worker, and what that comes to.
#include "unit.h"

#include "bench/rate.h"
#include "benching/benching.h"

// 1,000 runs in a second, of 10 instances with 64 words each.
static struct bench_rate some_rate(void)
{
    return (struct bench_rate){.form = BENCH_BATCHED,
                               .workgroups = 5,
                               .input_words = 100,
                               .output_words = 640,
                               .state_words = 3,
                               .instances = 10,
                               .stride = 1,
                               .slots = 4,
                               .subgroup = 32,
                               .copy = 20e6,
                               .runs = 1000,
                               .wall_ns = 1e9,
                               .cpu_ns = 5e8,
                               .fill_ns = 1e8,
                               .test_ns = 5e8,
                               .check_ns = 3e8};
}

TEST(traffic_is_what_the_algorithm_needs)
{
    struct bench_rate rate = some_rate();
    struct bench_traffic traffic = bench_rate_traffic(&rate);
    assert_true(traffic.fill == 4 * (640 + 3 + 20));
    assert_true(traffic.test == 4 * (100 + 640));
    assert_true(traffic.check == 4 * (640 + 640 / 4 + 20));
    rate.stride = 4;
    rate.slots = 1;
    traffic = bench_rate_traffic(&rate);
    assert_true(traffic.check == 4 * (640 + 640 * 4 + 20));
    assert_true(bench_rate_subgroups(&rate) == 20);
}

TEST(figures_add_up)
{
    OWNED(bench_rates_clear) struct bench_rates rates = {0};
    struct bench_rate rate = some_rate();
    const double runs[] = {1000, 3000, 2000};
    for (uint32_t i = 0; i < 3; i++) {
        rate.round = i;
        rate.runs = (uint64_t)runs[i];
        rate.failed = i;
        assert_true(bench_rates_take(&rates, &rate));
    }
    const struct bench_rate_figures f = bench_rate_figures(&rates, BENCH_BATCHED);
    const double bytes = 4 * (663 + 740 + 820);
    assert_int_equal(f.rounds, 3);
    assert_int_equal(f.runs, 6000);
    assert_int_equal(f.instances, 60000);
    assert_int_equal(f.failed, 3);
    assert_float_equal(f.per_second.median, 20000, 1e-6);
    assert_float_equal(f.per_second.least, 10000, 1e-6);
    assert_float_equal(f.subgroups, 40000, 1e-6);
    assert_float_equal(f.test, 0.5, 1e-9);
    assert_float_equal(f.rest, 0.1, 1e-9);
    assert_float_equal(f.cpu, 1.5, 1e-9);
    assert_float_equal(f.bytes, 2000 * bytes, 1);
    assert_float_equal(f.limit, 20e6 / bytes * 10, 1e-6);
    assert_float_equal(f.of_limit, 2000 * bytes / 20e6, 1e-9);
    assert_int_equal(bench_rate_figures(&rates, BENCH_SINGLE).rounds, 0);
}

TEST(ratios_are_of_the_same_round)
{
    OWNED(bench_rates_clear) struct bench_rates rates = {0};
    struct stat_sample ratio;
    const uint64_t batched[] = {1000, 500, 900}, single[] = {100, 50, 30};
    for (uint32_t i = 0; i < 3; i++) {
        struct bench_rate rate = some_rate();
        rate.round = i;
        rate.runs = batched[i];
        assert_true(bench_rates_take(&rates, &rate));
        assert_false(bench_rates_ratio(&rates, BENCH_BATCHED, BENCH_COMPILED, &ratio));
        rate.form = BENCH_SINGLE;
        rate.runs = single[i];
        assert_true(bench_rates_take(&rates, &rate));
    }
    assert_true(bench_rates_ratio(&rates, BENCH_BATCHED, BENCH_SINGLE, &ratio));
    assert_float_equal(ratio.median, 10, 1e-9);
    assert_float_equal(ratio.most, 30, 1e-9);
}

TEST(nonsense_is_not_taken)
{
    OWNED(bench_rates_clear) struct bench_rates rates = {0};
    const struct bench_rate good = some_rate();
    struct bench_rate bad[12];
    for (size_t i = 0; i < 12; i++)
        bad[i] = good;
    bad[0].form = BENCH_FORMS;
    bad[1].round = 1;
    bad[2].runs = 0;
    bad[3].instances = 0;
    bad[4].subgroup = 0;
    bad[5].slots = 0;
    bad[6].stride = 2;
    bad[7].wall_ns = 0;
    bad[8].check_ns = 1e9;
    bad[9].failed = good.runs * good.instances + 1;
    bad[10].expired = good.runs + 1;
    bad[11].output_words = 9;
    for (size_t i = 0; i < 12; i++)
        if (bench_rates_take(&rates, &bad[i]))
            fail_msg("taken: %zu", i);
    assert_true(bench_rates_take(&rates, &good));
    assert_false(bench_rates_take(&rates, &good)); // told before
    struct bench_rate other = good;
    other.round = 1;
    other.output_words++;
    assert_false(bench_rates_take(&rates, &other)); // another run
    assert_int_equal(rates.count, 1);
}

TEST(exit_codes)
{
    char because[256];
    struct bench_rate right = some_rate(), wrong = some_rate();
    wrong.failed = 1;
    const struct benching_rate pass = {.end = ENG_PASS, .rates = {&right, 1}};
    const struct benching_rate fails = {.end = ENG_PASS, .rates = {&wrong, 1}};
    const struct {
        struct benching_rate rates[2];
        bool out_of_time;
        enum lit_exit code;
    } cases[] = {
        {{pass, pass}, false, LIT_EXIT_OK},
        {{pass, {.end = ENG_SKIP}}, false, LIT_EXIT_OK},
        {{{.end = ENG_SKIP}, {.end = ENG_SKIP}}, false, LIT_EXIT_NOTHING},
        {{pass, fails}, false, LIT_EXIT_FORBIDDEN},
        {{pass, {.end = ENG_CRASH}}, false, LIT_EXIT_FORBIDDEN},
        {{pass, {.end = ENG_DEVICE_LOST}}, false, LIT_EXIT_DEVICE_LOST},
        {{pass, {.end = ENG_HARNESS_ERROR}}, false, LIT_EXIT_UNDECIDED},
        {{pass, pass}, true, LIT_EXIT_TIME},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(
            benching_rates_exit(cases[i].rates, 2, cases[i].out_of_time, because, sizeof because),
            cases[i].code);
}
