// SPDX-License-Identifier: Apache-2.0
// What the second definition of unit/masks.c does not know of the mask simulator, against tables
// that were made by hand: elections, votes, names.
#include "generate/masks.h"

#include "unit.h"

#define END                                                                                        \
    {                                                                                              \
        .kind = MASKS_END                                                                          \
    }
#define STEPS(...)                                                                                 \
    (const struct masks_step[])                                                                    \
    {                                                                                              \
        __VA_ARGS__, END                                                                           \
    }
#define HERE(s)                                                                                    \
    {                                                                                              \
        .kind = MASKS_LOOK, .name = "here", .slot = s, .count = 1                                  \
    }
static uint32_t is_word(const struct masks_lane *lane)
{
    return lane->word;
}

static uint32_t is_first(const struct masks_lane *lane)
{
    return lane->lane == lane->first;
}

static void assert_mask(const struct masks_cell *cell, uint32_t want, uint32_t lower,
                        uint32_t upper)
{
    assert_true(cell->executed);
    assert_int_equal(cell->want[0], want);
    assert_int_equal(cell->lower[0], lower);
    assert_int_equal(cell->upper[0], upper);
    assert_int_equal(cell->want[1] | cell->want[2] | cell->want[3], 0);
}

// while (true) { look; if (elect()) { look; break; } } look: lanes leave from the lowest on.
TEST(an_election)
{
    const struct masks_step steps[] = {
        {.kind = MASKS_WHILE,
         .body = STEPS(HERE(0), {.kind = MASKS_IF,
                                 .choose = is_first,
                                 .body = STEPS(HERE(1), {.kind = MASKS_BREAK})})},
        {.kind = MASKS_ELECT, .name = "elected", .slot = 2, .count = 1},
        END,
    };
    const struct masks_shape shape = {.steps = steps, .slots = 3};
    const uint32_t words[4] = {0};
    struct masks_cell cells[4 * 3];

    masks_simulate(&shape, MASKS_MAXIMAL, 4, 4, words, cells);
    const uint32_t left[4] = {0xf, 0xe, 0xc, 0x8};
    for (uint32_t l = 0; l < 4; l++) {
        assert_mask(&cells[l * 3], left[l], ~0u, 0);
        assert_mask(&cells[l * 3 + 1], 1u << l, ~0u, 0);
        assert_mask(&cells[l * 3 + 2], l ? 240 : 255, ~0u, 0);
        assert_int_equal(cells[l * 3 + 2].alternative[0], l ? 240 : 255);
    }
    masks_simulate(&shape, MASKS_DEFAULT, 4, 4, words, cells);
    for (uint32_t l = 0; l < 4; l++) {
        assert_mask(&cells[l * 3], left[l], left[l], 0xf);
        assert_mask(&cells[l * 3 + 1], 1u << l, 1u << l, 0xf);
        assert_int_equal(cells[l * 3 + 2].alternative[0], l ? 240 : 255);
    }
}

static uint32_t is_low(const struct masks_lane *lane)
{
    return lane->lane < 2;
}

// do { number } while (any lane of the tangle has more): all go on as long as one wants to.
static uint32_t any_again(const struct masks_lane *lane)
{
    for (uint32_t i = 0; i < lane->subgroup; i++) {
        if (lane->tangle[i / 32] >> i % 32 & 1 && lane->iteration[0] + 1 < lane->words[i])
            return 1;
    }
    return 0;
}

TEST(a_vote)
{
    const struct masks_step steps[] = {
        {.kind = MASKS_IF,
         .choose = is_low,
         .body =
             STEPS({.kind = MASKS_DO,
                    .choose = any_again,
                    .body = STEPS({.kind = MASKS_NUMBER, .name = "n", .slot = 0, .count = 1})})},
        END,
    };
    const struct masks_shape shape = {.steps = steps, .slots = 1};
    const uint32_t words[8] = {1, 3, 7, 7, 0, 0, 7, 7}; // lanes 2 and 3 have no vote
    struct masks_cell cells[8];

    masks_simulate(&shape, MASKS_MAXIMAL, 8, 4, words, cells);
    assert_int_equal(cells[0].want[0], 2);
    assert_int_equal(cells[1].want[0], 2);
    assert_false(cells[2].executed);
    assert_int_equal(cells[4].want[0], 0);
    masks_simulate(&shape, MASKS_DEFAULT, 8, 4, words, cells);
    assert_mask(&cells[1], 2, ~0u, 0); // a number is exact under every rule
}

TEST(names)
{
    const struct masks_step steps[] = {
        {.kind = MASKS_LOOK, .name = "B", .slot = 0, .by = {3, 1}, .count = 9},
        {.kind = MASKS_LOOK, .name = "after", .slot = 9, .count = 1},
        {.kind = MASKS_LOOK, .name = "C", .slot = 10, .by = {1}, .count = 2, .wrap = 2},
        END,
    };
    const struct masks_shape shape = {.steps = steps, .slots = 12};
    char text[64];
    masks_describe(&shape, 7, text, sizeof(text));
    assert_string_equal(text, "B, iteration 2, inner iteration 1");
    masks_describe(&shape, 9, text, sizeof(text));
    assert_string_equal(text, "after");
    masks_describe(&shape, 11, text, sizeof(text));
    assert_string_equal(text, "C, iteration 1 modulo 2");
    masks_describe(&shape, 7, text, 6);
    assert_string_equal(text, "B, it");
}

static uint32_t twice(const struct masks_lane *lane)
{
    return lane->iteration[0] < 2;
}

// while (iteration < 2) switch (word) { case 0: falls; case 1: falls; case 2: elect }: in each
// iteration the lowest lane is elected, and the lowest of each selector may be.
TEST(elections_behind_cases)
{
    const struct masks_step steps[] = {
        {.kind = MASKS_WHILE,
         .choose = twice,
         .body =
             STEPS({.kind = MASKS_SWITCH,
                    .choose = is_word,
                    .body = STEPS(
                        {.kind = MASKS_CASE, .value = 0, .falls = true},
                        {.kind = MASKS_CASE, .value = 1, .falls = true},
                        {.kind = MASKS_CASE,
                         .value = 2,
                         .body = STEPS(
                             {.kind = MASKS_ELECT, .name = "elected", .by = {1}, .count = 2})})})},
        END,
    };
    const struct masks_shape shape = {.steps = steps, .slots = 2};
    const uint32_t words[4] = {1, 1, 0, 2};
    const uint32_t wanted[4] = {255, 240, 240, 240}, others[4] = {255, 240, 255, 255};
    struct masks_cell cells[4 * 2];

    masks_simulate(&shape, MASKS_MAXIMAL, 4, 4, words, cells);
    for (uint32_t l = 0; l < 4; l++)
        for (uint32_t i = 0; i < 2; i++) {
            assert_mask(&cells[l * 2 + i], wanted[l], ~0u, 0);
            assert_int_equal(cells[l * 2 + i].alternative[0], others[l]);
        }
}
