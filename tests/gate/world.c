// SPDX-License-Identifier: Apache-2.0
// Draws sessions and judges them.
#include "world.h"

#include <math.h>

#define MOST_SESSIONS 16

double world_uniform(struct lit_random *random)
{
    return ((double)(random_next(random) >> 11) + 0.5) / 9007199254740992.0;
}

static double draw_normal(struct lit_random *random)
{
    double radius = sqrt(-2 * log(world_uniform(random)));
    return radius * cos(2 * M_PI * world_uniform(random));
}

// Marsaglia, Tsang, ACM TOMS 26 (2000).
static double draw_gamma(struct lit_random *random, double shape)
{
    if (shape < 1)
        return draw_gamma(random, shape + 1) * pow(world_uniform(random), 1 / shape);
    double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        double x = draw_normal(random), v = pow(1 + c * x, 3);
        if (v > 0 && log(world_uniform(random)) < x * x / 2 + d - d * v + d * log(v))
            return d * v;
    }
}

// A rate around `rate` so that n runs of it vary `factor` times as much as independent ones.
static double draw_rate(struct lit_random *random, double rate, uint64_t n, double factor)
{
    if (factor <= 1 || n < 2 || rate <= 0 || rate >= 1)
        return rate;
    double total = ((double)n - factor) / (factor - 1);
    double a = draw_gamma(random, rate * total), b = draw_gamma(random, (1 - rate) * total);
    return a + b > 0 ? a / (a + b) : rate;
}

uint64_t world_binomial(struct lit_random *random, uint64_t n, double rate)
{
    if (rate > 0.5)
        return n - world_binomial(random, n, 1 - rate);
    if (rate <= 0)
        return 0;
    uint64_t sum = 0;
    // By inversion, in blocks in which the chance of no failure is a number still.
    for (; n > 0; n -= n < 1000 ? n : 1000) {
        uint64_t block = n < 1000 ? n : 1000, k = 0;
        double odds = rate / (1 - rate), left = world_uniform(random);
        double chance = exp((double)block * log1p(-rate));
        while (left > chance && k < block) {
            left -= chance;
            chance *= odds * (double)(block - k) / (double)(k + 1);
            k++;
        }
        sum += k;
    }
    return sum;
}

// One session of one configuration, added to what is there.
static void draw_session(const struct world *world, struct lit_random *random, double rate,
                         bool one_piece, uint32_t session, struct result *result)
{
    const struct world_noise *noise = &world->noise;
    double here = draw_rate(random, rate, world->runs, noise->sessions);
    uint64_t size = world->runs / WORLD_PIECES, failed = 0;
    for (size_t i = 0; i < WORLD_PIECES; i++) {
        uint64_t k = world_binomial(random, size, draw_rate(random, here, size, noise->pieces));
        failed += k;
        if (!noise->hidden && !one_piece)
            result->pieces[result->piece_count++] =
                (struct eng_part){.process = session, .runs = size, .failed_runs = k};
    }
    if (one_piece)
        result->pieces[result->piece_count++] = (struct eng_part){
            .process = session, .runs = size * WORLD_PIECES, .failed_runs = failed};
    result->runs += size * WORLD_PIECES;
    result->failed_runs += failed;
}

static void draw_result(const struct world *world, struct lit_random *random,
                        const struct world_rate *rate, bool after, struct result *result)
{
    size_t sessions = after ? 1 : world->baseline;
    struct eng_part *pieces = result->pieces;
    *result = (struct result){.name = (char *)"world.gate",
                              .family = (char *)"world",
                              .sha256 = (char *)"",
                              .stress = (char *)"",
                              .rule = (char *)"",
                              .reason = (char *)"",
                              .expectation = rate->expectation,
                              .pieces = pieces};
    for (size_t s = 0; s < sessions; s++)
        draw_session(world, random, after ? rate->after : rate->before, sessions > 1, (uint32_t)s,
                     result);
    result->judged = result->runs;
    result->result = result->failed_runs ? ENG_FAIL : ENG_PASS;
}

void world_gate(const struct world *world, struct lit_random *random,
                const struct compare_policy *policy, struct compare_summary *summary)
{
    const size_t room = WORLD_PIECES + MOST_SESSIONS;
    OWNED(lit_free) struct compare_entry *entries = lit_alloc(world->count, sizeof *entries);
    OWNED(lit_free) struct result *results = lit_alloc(2 * world->count, sizeof *results);
    OWNED(lit_free) struct eng_part *pieces = lit_alloc(2 * world->count * room, sizeof *pieces);
    for (size_t i = 0; i < world->count; i++) {
        for (size_t s = 0; s < 2; s++) {
            results[2 * i + s].pieces = pieces + (2 * i + s) * room;
            draw_result(world, random, &world->rates[i], s == 1, &results[2 * i + s]);
        }
        entries[i] = (struct compare_entry){
            .a = &results[2 * i], .b = &results[2 * i + 1], .sessions = world->baseline > 1};
    }
    compare_judge(entries, world->count, policy, summary);
}
