// SPDX-License-Identifier: Apache-2.0
// How devices share a machine.
#include "unit.h"

#include "engine/queue.h"

TEST(the_table)
{
    static const struct {
        unsigned cores, software, hardware;
        struct eng_share want;
    } rows[] = {
        // Hardware alone is never held back, and nobody is nice to a neighbour that is not there.
        {2, 0, 0, {0, 1, 0, 0}},
        {2, 0, 4, {0, 1, 0, 0}},
        {2, 1, 0, {1, 1, 0, 0}},
        {2, 1, 3, {1, 1, 5, 0}},
        // No more software devices than cores, and each may take as much longer.
        {2, 2, 0, {2, 2, 0, 0}},
        {2, 3, 0, {2, 2, 0, 0}},
        {1, 3, 0, {1, 1, 0, 0}},
        {0, 3, 1, {1, 1, 5, 0}},
        {64, 3, 1, {3, 3, 5, 14}},
        // Pipelines are made ahead on all cores but one, for hardware.
        {1, 0, 1, {0, 1, 0, 0}},
        {2, 0, 1, {0, 1, 0, 1}},
        {8, 0, 1, {0, 1, 0, 7}},
        {16, 0, 1, {0, 1, 0, 14}},
        {16, 0, 4, {0, 1, 0, 3}},
        {256, 0, 8, {0, 1, 0, 14}},
        // Beside software, which computes on them, fewer.
        {2, 1, 1, {1, 1, 5, 0}},
        {8, 1, 1, {1, 1, 5, 3}},
        {16, 2, 1, {2, 2, 5, 5}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct eng_share got = eng_share_make(rows[i].cores, rows[i].software, rows[i].hardware);
        print_message("row %zu\n", i);
        assert_int_equal(got.at_once, rows[i].want.at_once);
        assert_true(got.patience == rows[i].want.patience);
        assert_int_equal(got.niceness, rows[i].want.niceness);
        assert_int_equal(got.ahead, rows[i].want.ahead);
    }
}

TEST(who_may_run)
{
    // Lower case: runs, or waits, beside others; upper case: alone. Digits say who came first.
    static const struct {
        const char *places;
        bool want; // of the first
    } rows[] = {
        {"w1", true},      {"W1", true},        {"w1 -", true},          {"w1 r", true},
        {"w1 R", false},   {"W1 r", false},     {"W1 R", false},         {"w2 w1", true},
        {"w2 W1", false},  {"w1 W2", true},     {"W2 w1", false},        {"W1 w2", true},
        {"W2 W1", false},  {"W1 W2", true},     {"w2 r w1", true},       {"w2 r W1", false},
        {"w1 r W2", true}, {"W1 - w2 -", true}, {"w3 - w2 - W1", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct eng_place places[8] = {0};
        size_t count = 0;
        for (const char *at = rows[i].places; *at; at++) {
            if (*at == ' ')
                continue;
            struct eng_place *place = &places[count++];
            place->alone = *at == 'W' || *at == 'R';
            if (*at == 'r' || *at == 'R')
                place->state = ENG_PLACE_RUNS;
            if (*at == 'w' || *at == 'W') {
                place->state = ENG_PLACE_WAITS;
                place->ticket = (uint64_t)(*++at - '0');
            }
        }
        print_message("%s\n", rows[i].places);
        assert_int_equal(eng_share_may_run(places, count, 0), rows[i].want);
    }
}
