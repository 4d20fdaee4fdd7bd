// SPDX-License-Identifier: Apache-2.0
// How batches grow, on devices of any speed.
#include "unit.h"

#include "engine/measure.h"

TEST(after_one)
{
    static const struct {
        uint32_t runs;
        double seconds;
        uint32_t next;
    } table[] = {
        {1, 0, 16},       {1, 1e-6, 16},     {1, 0.003, 16},    {1, 0.0051, 9},    {1, 0.0251, 1},
        {1, 0.05, 1},     {1, 0.09, 1},      {1, 10, 1},        {15, 1e-3, 240},   {16, 1e-3, 256},
        {16, 0.05, 16},   {16, 0.04, 20},    {17, 1e-3, 256},   {100, 0.051, 100}, {100, 0.1, 100},
        {100, 0.101, 50}, {255, 0.049, 256}, {256, 1e-3, 256},  {256, 0, 256},     {256, 0.06, 256},
        {256, 1, 128},    {3, 0.2, 1},       {200, 0.049, 204},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_int_equal(eng_batch_after(table[i].runs, table[i].seconds), table[i].next);
}

// Whatever the speed: no batch but the first is expected to take longer than 0.1 s, and the last of
// them takes at least half of 0.05 s where there are as many runs.
TEST(at_any_speed)
{
    for (double each = 1e-7; each < 1; each *= 1.3) {
        uint32_t runs = 1;
        for (int i = 0; i < 20; i++) {
            runs = eng_batch_after(runs, runs * each);
            assert_in_range(runs, 1, ENG_MAX_BATCH);
            assert_true(runs == 1 || runs * each <= 0.1);
        }
        assert_true(runs == ENG_MAX_BATCH || runs * each >= 0.025);
    }
}
