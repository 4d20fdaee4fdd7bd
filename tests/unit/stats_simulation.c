// SPDX-License-Identifier: Apache-2.0
// How often the methods of harness/stats are wrong, by simulation from fixed seeds and by sums over
// all outcomes; what a simpler method would have done stands beside it, to show that the
// measurement can fail. Prints the figures of docs/statistics.md.
#include "base/random.h"
#include "base/text.h"
#include "stats/stats.h"

#include "unit.h"

#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ALPHA        0.05
#define LOOKS        200
#define SEQUENCES    4000

static double uniform(struct lit_random *random)
{
    return ((double)(random_next(random) >> 11) + 0.5) * 0x1p-53;
}

// What a share of `repeats` may be above the truth by chance: four standard deviations.
static double margin(double p, double repeats)
{
    return 4 * sqrt(p * (1 - p) / repeats);
}

// Whether an interval from k of n leaves the rate out; remembered, since most looks see the same.
struct memory {
    struct stat_interval (*interval)(uint64_t k, uint64_t n, double confidence);
    double rate;
    uint64_t batch, most;
    unsigned char *known; // 0 not yet, 1 inside, 2 outside
};

static bool excludes(struct memory *memory, uint64_t k, uint64_t look)
{
    unsigned char *known = k < memory->most ? &memory->known[look * memory->most + k] : NULL;
    if (known && *known)
        return *known == 2;
    struct stat_interval got = memory->interval(k, look * memory->batch, 1 - ALPHA);
    bool outside = memory->rate < got.low || memory->rate > got.high;
    if (known)
        *known = outside ? 2 : 1;
    return outside;
}

struct wrong {
    double sequence, repeated, once;
};

// The share of sequences of LOOKS batches in which an interval ever leaves the true rate out.
static struct wrong look_often(double rate, uint64_t batch)
{
    uint64_t runs = LOOKS * batch;
    uint64_t most = (uint64_t)((double)runs * rate + 12 * sqrt((double)runs * rate) + 20);
    struct memory sequence = {stat_sequence, rate, batch, most, NULL};
    struct memory fixed = {stat_clopper_pearson, rate, batch, most, NULL};
    sequence.known = lit_alloc((LOOKS + 1) * most, 1);
    fixed.known = lit_alloc((LOOKS + 1) * most, 1);
    struct lit_random random = {runs};
    double log_pass = log1p(-rate);
    unsigned wrong[3] = {0};
    for (int i = 0; i < SEQUENCES; i++) {
        bool ever[2] = {false, false};
        uint64_t k = 0;
        double next = rate > 0 ? floor(log(uniform(&random)) / log_pass) : HUGE_VAL;
        for (uint64_t look = 1; look <= LOOKS; look++) {
            // From failure to failure: the passes between two are geometrically distributed.
            while (next < (double)(look * batch)) {
                k++;
                next += 1 + floor(log(uniform(&random)) / log_pass);
            }
            ever[0] = ever[0] || excludes(&sequence, k, look);
            ever[1] = ever[1] || excludes(&fixed, k, look);
        }
        wrong[0] += ever[0];
        wrong[1] += ever[1];
        wrong[2] += excludes(&fixed, k, LOOKS);
    }
    free(sequence.known);
    free(fixed.known);
    return (struct wrong){(double)wrong[0] / SEQUENCES, (double)wrong[1] / SEQUENCES,
                          (double)wrong[2] / SEQUENCES};
}

TEST(test_looking_often)
{
    static const struct {
        double rate;
        uint64_t batch;
        bool fools; // the interval of a fixed number of runs
    } rows[] = {
        {0, 5000, false},  {1e-5, 5000, true}, {1e-4, 5000, true}, {1e-3, 5000, true},
        {0.01, 500, true}, {0.1, 50, true},    {0.5, 10, true},    {0.9, 10, true},
    };
    print_message("%d sequences looked at %d times, 95 %%: the true rate is left out at some look\n"
                  "    rate  runs at the end  stat_sequence  Clopper-Pearson  (at the end only)\n",
                  SEQUENCES, LOOKS);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct wrong got = look_often(rows[i].rate, rows[i].batch);
        print_message("%8g  %15ju  %13.4f  %15.4f  %17.4f\n", rows[i].rate,
                      (uintmax_t)(LOOKS * rows[i].batch), got.sequence, got.repeated, got.once);
        assert_true(got.sequence <= ALPHA + margin(ALPHA, SEQUENCES));
        assert_true(got.once <= ALPHA + margin(ALPHA, SEQUENCES));
        assert_true(!rows[i].fools || got.repeated > ALPHA + margin(ALPHA, SEQUENCES));
    }
}

// The least n at which no failure decides that the rate is below `rate`.
static uint64_t runs_below(double rate)
{
    uint64_t low = 0;
    uint64_t high = (uint64_t)(100 / rate);
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (stat_decide(0, middle, 1 - ALPHA, rate) == STAT_BELOW)
            high = middle;
        else
            low = middle;
    }
    return high;
}

TEST(test_runs_needed)
{
    print_message("without a failure: runs after which the rate is below, and upper bound times n\n"
                  "    rate  stat_decide          n  Clopper-Pearson  one-sided  stat_sequence\n");
    for (double rate = 0.1; rate > 1e-7; rate /= 10) {
        uint64_t n = (uint64_t)round(10 / rate);
        double trials = (double)n;
        double sequence = stat_sequence(0, n, 1 - ALPHA).high;
        uint64_t needed = runs_below(rate);
        print_message("%8g  %11ju  %9ju  %15.2f  %9.2f  %13.2f\n", rate, (uintmax_t)needed,
                      (uintmax_t)n, trials * stat_clopper_pearson(0, n, 1 - ALPHA).high,
                      trials * stat_zero_bound(n, 1 - ALPHA), trials * sequence);
        assert_true((double)needed < 6 / rate);
    }
}

// The share of spreads of failures that fall anywhere alike which are called bunched at 5 %.
TEST(test_bunches)
{
    enum { repeats = 1000, most = 100 };
    static const struct {
        size_t parts;
        unsigned failures;
    } rows[] = {{10, 2}, {10, 10}, {100, 2}, {100, 5}, {100, 20}, {100, 200}, {20, 200}, {4, 100}};
    print_message("%d even spreads: called bunched at 5 %%, and at 0.1 %%\n"
                  "parts  failures  stat_dispersion        chi-square\n",
                  repeats);
    struct lit_random random = {11};
    bool fooled = false;
    for (size_t i = 0; i < COUNT(rows); i++) {
        double wrong[4] = {0};
        for (int repeat = 0; repeat < repeats; repeat++) {
            uint64_t k[most] = {0};
            uint64_t n[most];
            for (size_t part = 0; part < rows[i].parts; part++)
                n[part] = 1000;
            for (unsigned failure = 0; failure < rows[i].failures; failure++)
                k[random_below(&random, rows[i].parts)]++;
            struct stat_dispersion got = stat_dispersion(k, n, rows[i].parts);
            double degrees = (double)rows[i].parts - 1;
            double chi = stat_chi_square_tail(got.factor * degrees, degrees);
            wrong[0] += got.p <= 0.05;
            wrong[1] += got.p <= 0.001;
            wrong[2] += chi <= 0.05;
            wrong[3] += chi <= 0.001;
        }
        for (int j = 0; j < 4; j++)
            wrong[j] /= repeats;
        print_message("%5zu  %8u    %6.3f  %6.3f    %6.3f  %6.3f\n", rows[i].parts,
                      rows[i].failures, wrong[0], wrong[1], wrong[2], wrong[3]);
        assert_true(wrong[0] <= 0.05 + margin(0.05, repeats));
        assert_true(wrong[1] <= 0.001 + margin(0.001, repeats));
        fooled = fooled || wrong[3] > 0.001 + margin(0.001, repeats);
    }
    assert_true(fooled);
}

// The probability of k failures of n. 0 <= p < 1.
static double outcome(uint64_t k, uint64_t n, double p)
{
    if (p == 0)
        return k == 0;
    double all = (double)n, failed = (double)k;
    return exp(lgamma(all + 1) - lgamma(failed + 1) - lgamma(all - failed + 1) + failed * log(p) +
               (all - failed) * log1p(-p));
}

struct compared {
    double held;    // Newcombe's interval holds the true difference
    double told[2]; // Fisher's test says different, higher
};

// The probabilities, over all outcomes.
static struct compared compare(uint64_t n1, double p1, uint64_t n2, double p2)
{
    struct compared sum = {0};
    for (uint64_t k1 = 0; k1 <= n1; k1++) {
        const double first = outcome(k1, n1, p1);
        for (uint64_t k2 = 0; k2 <= n2; k2++) {
            const double both = first < 1e-9 ? 0 : first * outcome(k2, n2, p2);
            if (both < 1e-9)
                continue;
            struct stat_interval got = stat_newcombe(k1, n1, k2, n2, 1 - ALPHA);
            if (got.low <= p2 - p1 && p2 - p1 <= got.high)
                sum.held += both;
            if (stat_fisher(k1, n1, k2, n2, STAT_TWO_SIDED) <= ALPHA)
                sum.told[0] += both;
            if (stat_fisher(k1, n1, k2, n2, STAT_GREATER) <= ALPHA)
                sum.told[1] += both;
        }
    }
    return sum;
}

TEST(test_comparing)
{
    static const struct {
        uint64_t n1;
        double p1;
        uint64_t n2;
        double p2;
    } rows[] = {
        {100, 0.01, 100, 0.01},    {100, 0.05, 100, 0.05},   {100, 0.5, 100, 0.5},
        {100, 0.5, 100, 0.7},      {1000, 0, 1000, 0.003},   {1000, 0.001, 1000, 0.001},
        {1000, 0.001, 1000, 0.01}, {1000, 0.01, 1000, 0.01}, {1000, 0.001, 100, 0.001},
        {1000, 0.001, 100, 0.05},
    };
    print_message("comparing, summed over all outcomes, at 95 %%: Newcombe's interval holds the\n"
                  "difference; Fisher's test says \"different\", or \"higher\"\n"
                  "   n1     p1    n2     p2  Newcombe  two-sided  one-sided\n");
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct compared got = compare(rows[i].n1, rows[i].p1, rows[i].n2, rows[i].p2);
        print_message("%5ju  %5g  %4ju  %5g  %8.4f  %9.4f  %9.4f\n", (uintmax_t)rows[i].n1,
                      rows[i].p1, (uintmax_t)rows[i].n2, rows[i].p2, got.held, got.told[0],
                      got.told[1]);
        assert_true(got.held > 0.93 && got.held <= 1 + 1e-9);
        if (rows[i].p1 == rows[i].p2)
            assert_true(got.told[0] <= ALPHA && got.told[1] <= ALPHA);
    }
}
