// SPDX-License-Identifier: Apache-2.0
// How often the gate is wrong: gate-simulation [-g GATES] REPORT.json... draws gates from the rates
// that the reports have, with no change and with changes of known size, and writes the table of
// docs/gating-statistics.md. The same gates each time.
#include "world.h"

#include "compare/compare.h"
#include "session/session.h"

#include <math.h>

#define RUNS 1000
#define SEED 0x6761746573 // of all scenarios, with the scenario's name

enum latent { LATENT_NONE, LATENT_RARE, LATENT_BAD };

struct scenario {
    const char *name;
    double rise;        // of one configuration that never failed, to this rate; 0 for no change
    size_t risen;       // how many rise
    double relative;    // instead: of one that fails at times, by this share of its rate
    enum latent latent; // rates of what never failed
    size_t baseline;
    struct world_noise noise;
};

static const struct scenario scenarios[] = {
    {.name = "no change", .baseline = 1},
    {.name = "no change; what never failed fails at up to 1e-4",
     .latent = LATENT_RARE,
     .baseline = 1},
    {.name = "no change; what never failed fails at up to 1e-2",
     .latent = LATENT_BAD,
     .baseline = 1},
    {.name = "one rises from 0 to 0.002", .rise = 0.002, .risen = 1, .baseline = 1},
    {.name = "one rises from 0 to 0.005", .rise = 0.005, .risen = 1, .baseline = 1},
    {.name = "one rises from 0 to 0.01", .rise = 0.01, .risen = 1, .baseline = 1},
    {.name = "one rises from 0 to 0.015", .rise = 0.015, .risen = 1, .baseline = 1},
    {.name = "one rises from 0 to 0.02", .rise = 0.02, .risen = 1, .baseline = 1},
    {.name = "one rises from 0 to 0.05", .rise = 0.05, .risen = 1, .baseline = 1},
    {.name = "ten rise from 0 to 0.005", .rise = 0.005, .risen = 10, .baseline = 1},
    {.name = "one that fails at times rises by a quarter", .relative = 0.25, .baseline = 1},
    {.name = "no change; overdispersed 4 times, batches known",
     .baseline = 1,
     .noise = {.pieces = 4, .sessions = 1}},
    {.name = "no change; overdispersed 4 times, batches not known",
     .baseline = 1,
     .noise = {.pieces = 4, .sessions = 1, .hidden = true}},
    {.name = "no change; sessions vary 20 times, one as baseline",
     .baseline = 1,
     .noise = {.pieces = 1, .sessions = 20}},
    {.name = "no change; sessions vary 20 times, four as baseline",
     .baseline = 4,
     .noise = {.pieces = 1, .sessions = 20}},
    {.name = "no change; sessions vary 20 times, eight as baseline",
     .baseline = 8,
     .noise = {.pieces = 1, .sessions = 20}},
    {.name = "one rises from 0 to 0.02; overdispersed 4 times, batches known",
     .rise = 0.02,
     .risen = 1,
     .baseline = 1,
     .noise = {.pieces = 4, .sessions = 1}},
};

// The rates of a report; controls are left out by the gate itself.
static bool load(const char *path, struct world *world)
{
    struct lit_error error = {0};
    OWNED(compare_side_clear) struct compare_side side;
    const struct compare_source source = {&path, 1, false};
    bool good = compare_side_load(&side, &source, &error);
    if (!good)
        fprintf(stderr, "gate-simulation: %s\n", error.message);
    world->rates = lit_alloc(side.model.result_count, sizeof *world->rates);
    world->count = 0;
    for (size_t i = 0; good && i < side.model.result_count; i++) {
        const struct result *result = &side.model.results[i];
        double rate = result->judged ? (double)result->failed_runs / (double)result->judged : 0;
        if (result->judged > 0)
            world->rates[world->count++] = (struct world_rate){rate, rate, result->expectation};
    }
    return good;
}

// What never failed in a thousand runs may still fail: rates that are equally likely on a
// logarithmic scale.
static void make_latent(struct world *world, enum latent latent, struct lit_random *random)
{
    double most = latent == LATENT_RARE ? 1e-4 : 1e-2;
    for (size_t i = 0; i < world->count; i++)
        if (world->rates[i].before == 0)
            world->rates[i].before = world->rates[i].after =
                most * pow(10, -3 * world_uniform(random));
}

static bool can_rise(const struct world_rate *rate, bool from_zero)
{
    return rate->expectation != CAT_CONTROL &&
           (from_zero ? rate->after == 0 : rate->before > 0 && rate->before < 0.7);
}

static void make_rise(struct world *world, const struct scenario *scenario,
                      struct lit_random *random)
{
    bool from_zero = scenario->relative == 0;
    for (size_t left = from_zero ? scenario->risen : 1; left > 0;) {
        struct world_rate *rate = &world->rates[random_below(random, world->count)];
        if (!can_rise(rate, from_zero))
            continue;
        rate->after = from_zero ? scenario->rise : rate->before * (1 + scenario->relative);
        left--;
    }
}

static bool any_can_rise(const struct world *world, const struct scenario *scenario)
{
    for (size_t i = 0; i < world->count; i++)
        if (can_rise(&world->rates[i], scenario->relative == 0))
            return true;
    return false;
}

static void print_share(uint64_t k, uint64_t n)
{
    struct stat_interval interval = stat_clopper_pearson(k, n, 0.95);
    printf(" | %.1f %% [%.1f, %.1f]", 100.0 * (double)k / (double)n, 100 * interval.low,
           100 * interval.high);
}

static void simulate(const struct world *known, const struct scenario *scenario, uint64_t gates)
{
    struct lit_random random = {random_derive(SEED, scenario->name)};
    struct compare_policy policy = compare_policy_default;
    uint64_t regression = 0, strict = 0, open = 0, undecided = 0;
    policy.gate = true;
    for (uint64_t gate = 0; gate < gates; gate++) {
        struct world world = *known;
        struct compare_summary summary;
        world.rates = lit_alloc(known->count, sizeof *world.rates);
        memcpy(world.rates, known->rates, known->count * sizeof *world.rates);
        world.runs = RUNS;
        world.baseline = scenario->baseline;
        world.noise = scenario->noise;
        if (scenario->latent)
            make_latent(&world, scenario->latent, &random);
        if (scenario->risen > 0 || scenario->relative > 0)
            make_rise(&world, scenario, &random);
        world_gate(&world, &random, &policy, &summary);
        regression += summary.code == LIT_EXIT_FORBIDDEN;
        // What --first-seen would make of it.
        strict += summary.code == LIT_EXIT_FORBIDDEN || summary.first_seen > 0;
        open += summary.code == LIT_EXIT_UNDECIDED;
        undecided += summary.verdicts[COMPARE_UNDECIDED];
        free(world.rates);
    }
    printf("| %s", scenario->name);
    print_share(regression, gates);
    print_share(open, gates);
    print_share(gates - regression - open, gates);
    print_share(strict, gates);
    printf(" | %.1f |\n", (double)undecided / (double)gates);
}

int main(int argc, char **argv)
{
    report_known = &ses_known;
    uint64_t gates = 1000;
    int first = 1;
    if (argc > 2 && strcmp(argv[1], "-g") == 0) {
        gates = strtoull(argv[2], NULL, 10);
        first = 3;
    }
    if (argc <= first || gates == 0) {
        fprintf(stderr, "usage: gate-simulation [-g GATES] REPORT.json...\n");
        return LIT_EXIT_USAGE;
    }
    for (int i = first; i < argc; i++) {
        struct world world = {0};
        if (!load(argv[i], &world))
            return LIT_EXIT_USAGE;
        printf("%s%s: %zu configurations that ran, %d runs in each session, %ju gates a line.\n\n"
               "| what is true | exit 1: a regression | exit 3: undecided | exit 0: passed | with "
               "--first-seen: exit 1 | undecided "
               "configurations, mean |\n| --- | --- | --- | --- | --- | --- |\n",
               i > first ? "\n" : "", argv[i], world.count, RUNS, (uintmax_t)gates);
        for (size_t s = 0; s < sizeof scenarios / sizeof *scenarios; s++)
            if (any_can_rise(&world, &scenarios[s]))
                simulate(&world, &scenarios[s], gates);
        free(world.rates);
    }
    return LIT_EXIT_OK;
}
