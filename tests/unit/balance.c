// SPDX-License-Identifier: Apache-2.0
// A run in parts: how long the longest takes, compared with the best that is possible, and what is
// kept apart.
#include "unit.h"

#include "base/random.h"
#include "engine/plan.h"

#define MOST 12

static double longest(const struct eng_load *items, size_t count)
{
    double ends[MOST] = {0}, most = 0;
    for (size_t i = 0; i < count; i++) {
        assert_true(items[i].part < MOST);
        ends[items[i].part] += items[i].seconds;
        most = ends[items[i].part] > most ? ends[items[i].part] : most;
    }
    return most;
}

// The shortest that the longest part can be: every way is tried.
static double best(const struct eng_load *items, size_t count, double *ends, size_t parts,
                   double limit)
{
    double most = 0;
    for (size_t p = 0; p < parts; p++)
        most = ends[p] > most ? ends[p] : most;
    if (count == 0 || most >= limit)
        return most < limit ? most : limit;
    for (size_t p = 0; p < parts; p++) {
        ends[p] += items->seconds;
        limit = best(items + 1, count - 1, ends, parts, limit);
        ends[p] -= items->seconds;
        if (ends[p] <= 0)
            break; // the other empty ones are alike
    }
    return limit;
}

// Graham's bound, (4 - 1 / parts) / 3 of the best, and the bound is reached.
TEST(near_the_best)
{
    struct lit_random random = {7};
    for (int round = 0; round < 300; round++) {
        struct eng_load items[9] = {0};
        const size_t parts = 2 + random_below(&random, 3), count = 1 + random_below(&random, 9);
        double ends[MOST] = {0};
        for (size_t i = 0; i < count; i++)
            items[i].seconds = (double)(1 + random_below(&random, 20));
        const size_t used = eng_balance(items, count, parts);
        assert_int_equal(used, count < parts ? count : parts);
        const double least = best(items, count, ends, parts, 1e9);
        assert_true(longest(items, count) <= least * (4 - 1.0 / (double)parts) / 3 + 1e-9);
    }
    // 5 5 4 4 3 3 3 on three machines: 11, where 9 is possible.
    struct eng_load worst[] = {{.seconds = 5}, {.seconds = 5}, {.seconds = 4}, {.seconds = 4},
                               {.seconds = 3}, {.seconds = 3}, {.seconds = 3}};
    eng_balance(worst, 7, 3);
    assert_true(longest(worst, 7) == 11);
}

#define N ENG_APART_NOT
#define E ENG_APART_ENDED
#define L ENG_APART_LOST

// As "seconds kind" and the part that each gets.
TEST(the_table)
{
    static const struct {
        size_t parts, used, count;
        struct eng_load items[6]; // with the part that is expected
    } rows[] = {
        {1, 1, 3, {{1, N, 0}, {60, E, 0}, {9, L, 0}}},
        {2, 2, 4, {{9, N, 0}, {60, E, 1}, {9, L, 1}, {9, N, 0}}},
        {3, 3, 4, {{9, N, 0}, {60, E, 1}, {9, L, 2}, {9, N, 0}}},
        // The fourth goes to the kind whose parts take longest, unless that has but one item.
        {4, 4, 5, {{9, N, 0}, {60, E, 1}, {50, E, 2}, {9, L, 3}, {9, N, 0}}},
        {4, 4, 4, {{9, N, 0}, {8, N, 1}, {60, E, 2}, {9, L, 3}}},
        {2, 2, 3, {{9, L, 1}, {9, N, 0}, {1, L, 1}}},
        {2, 2, 2, {{9, E, 0}, {8, E, 1}}},
        {5, 2, 2, {{8, N, 1}, {9, N, 0}}},
        // What takes no time fills no part alone.
        {2, 2, 4, {{0, N, 0}, {0, N, 1}, {0, N, 0}, {0, N, 0}}},
        {3, 0, 0, {{0, N, 0}}},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct eng_load items[6];
        for (size_t i = 0; i < rows[r].count; i++) {
            items[i] = rows[r].items[i];
            items[i].part = 99;
        }
        assert_int_equal(eng_balance(items, rows[r].count, rows[r].parts), rows[r].used);
        for (size_t i = 0; i < rows[r].count; i++)
            if (items[i].part != rows[r].items[i].part)
                fail_msg("row %zu, item %zu: part %zu", r, i, items[i].part);
    }
}
