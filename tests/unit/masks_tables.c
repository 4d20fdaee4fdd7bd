// SPDX-License-Identifier: Apache-2.0
// The mask simulator against tables that were made by hand, for shapes small enough to be followed
// on paper. unit/masks.c has random shapes.
#include "generate/masks.h"

#include <string.h>

#include "unit.h"

// Tables made by hand. The word of lane l is the number of its iterations or its selector.

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
#define EACH(s, n)                                                                                 \
    {                                                                                              \
        .kind = MASKS_LOOK, .name = "here", .slot = s, .by = {1}, .count = n                       \
    }

static uint32_t word_again(const struct masks_lane *lane)
{
    return lane->iteration[0] < lane->word;
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

// Four lanes with 2, 1, 3 and 0 iterations, two subgroups; the second is 0, 0, 0, 0.
static void a_loop(void **state)
{
    (void)state;
    const struct masks_step steps[] = {
        {.kind = MASKS_WHILE, .choose = word_again, .body = STEPS(EACH(0, 3))},
        HERE(3),
        END,
    };
    const struct masks_shape shape = {.steps = steps, .slots = 4};
    const uint32_t words[8] = {2, 1, 3, 0};
    struct masks_cell cells[8 * 4];

    masks_simulate(&shape, MASKS_MAXIMAL, 8, 4, words, cells);
    assert_mask(&cells[0 * 4 + 0], 0x7, ~0u, 0); // iteration 0: all but lane 3
    assert_mask(&cells[2 * 4 + 0], 0x7, ~0u, 0);
    assert_mask(&cells[0 * 4 + 1], 0x5, ~0u, 0); // iteration 1: lanes 0 and 2
    assert_mask(&cells[2 * 4 + 2], 0x4, ~0u, 0); // iteration 2: lane 2
    assert_false(cells[3 * 4 + 0].executed);
    assert_false(cells[1 * 4 + 1].executed);
    assert_mask(&cells[3 * 4 + 3], 0xf, ~0u, 0); // after the loop: all
    assert_mask(&cells[7 * 4 + 3], 0xf, ~0u, 0);

    masks_simulate(&shape, MASKS_DEFAULT, 8, 4, words, cells);
    assert_mask(&cells[0 * 4 + 0], 0x7, 0x7, 0x7); // so far these took the same way
    assert_mask(&cells[0 * 4 + 1], 0x5, 0x5, 0x7); // lane 1 may still be about
    assert_mask(&cells[2 * 4 + 2], 0x4, 0x4, 0x7);
    assert_mask(&cells[2 * 4 + 3], 0xf, 0xf, 0xf); // the whole workgroup left the loop
}

// Selectors 0, 1, 1, 2, 3, 0, 5, 5 of eight lanes. Case 0 falls into case 1; 2 is a case; others:
// default.
static void a_switch(void **state)
{
    (void)state;
    const struct masks_step steps[] = {
        {.kind = MASKS_SWITCH,
         .choose = is_word,
         .body = STEPS({.kind = MASKS_CASE, .value = 0, .falls = true, .body = STEPS(HERE(0))},
                       {.kind = MASKS_CASE, .value = 1, .body = STEPS(HERE(1))},
                       {.kind = MASKS_CASE, .value = 2, .body = STEPS(HERE(2))},
                       {.kind = MASKS_CASE, .is_default = true, .body = STEPS(HERE(3))})},
        HERE(4),
        END,
    };
    const struct masks_shape shape = {.steps = steps, .slots = 5};
    const uint32_t words[8] = {0, 1, 1, 2, 3, 0, 5, 5};
    struct masks_cell cells[8 * 5];

    masks_simulate(&shape, MASKS_MAXIMAL, 8, 8, words, cells);
    assert_mask(&cells[0 * 5 + 0], 0x21, ~0u, 0);
    assert_mask(&cells[0 * 5 + 1], 0x27, ~0u, 0);            // at case 1, joined …
    assert_int_equal(cells[0 * 5 + 1].alternative[0], 0x21); // … or those that fell through
    assert_int_equal(cells[2 * 5 + 1].alternative[0], 0x06); // … or those that jumped there
    assert_mask(&cells[3 * 5 + 2], 0x08, ~0u, 0);
    assert_mask(&cells[4 * 5 + 3], 0xd0, ~0u, 0);            // default: 3 and 5 together
    assert_int_equal(cells[4 * 5 + 3].alternative[0], 0x10); // or by selector
    assert_int_equal(cells[7 * 5 + 3].alternative[0], 0xc0);
    assert_mask(&cells[5 * 5 + 4], 0xff, ~0u, 0);
    assert_int_equal(cells[5 * 5 + 4].alternative[0], 0xff);
    assert_false(cells[1 * 5 + 0].executed);

    masks_simulate(&shape, MASKS_DEFAULT, 8, 8, words, cells);
    assert_mask(&cells[0 * 5 + 1], 0x27, 0x21, 0x27);
    assert_mask(&cells[6 * 5 + 3], 0xd0, 0xc0, 0xd0);
    assert_mask(&cells[6 * 5 + 4], 0xff, 0xff, 0xff);
}

static uint32_t low_bit(const struct masks_lane *lane)
{
    return lane->word & 1;
}

static uint32_t high_bit(const struct masks_lane *lane)
{
    return lane->word >> 1;
}

// Words 0 to 3: the low bit chooses whether a lane falls into the second case or jumps there, the
// high bit is the selector of a switch inside it, whose only case is the default.
static void a_switch_in_a_switch(void **state)
{
    (void)state;
    const struct masks_step steps[] = {
        {.kind = MASKS_SWITCH,
         .choose = low_bit,
         .body = STEPS(
             {.kind = MASKS_CASE, .value = 0, .falls = true},
             {.kind = MASKS_CASE,
              .value = 1,
              .body = STEPS(
                  {.kind = MASKS_SWITCH,
                   .choose = high_bit,
                   .body = STEPS({.kind = MASKS_CASE, .is_default = true, .body = STEPS(HERE(0))})},
                  HERE(1))})},
        END,
    };
    const struct masks_shape shape = {.steps = steps, .slots = 2};
    const uint32_t words[4] = {0, 1, 2, 3};
    struct masks_cell cells[4 * 2];

    masks_simulate(&shape, MASKS_MAXIMAL, 4, 4, words, cells);
    for (uint32_t l = 0; l < 4; l++) {
        // Four ways lead to the inner case: any of them may join. Two lead behind it.
        assert_mask(&cells[l * 2], 0xf, 1u << l, 0xf);
        assert_int_equal(cells[l * 2].alternative[0], 1u << l);
        assert_mask(&cells[l * 2 + 1], 0xf, ~0u, 0);
        assert_int_equal(cells[l * 2 + 1].alternative[0], l % 2 ? 0xa : 0x5);
    }
}

// while (true) { look; if (elect()) { look; break; } } look: lanes leave from the lowest on.
static void an_election(void **state)
{
    (void)state;
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

// if (lane 0 or 1) { if (lane 0) return; look } look, called from `if (subgroup 0) call; look`.
static uint32_t is_low(const struct masks_lane *lane)
{
    return lane->lane < 2;
}

static void a_return(void **state)
{
    (void)state;
    const struct masks_step steps[] = {
        {.kind = MASKS_IF,
         .choose = is_word,
         .body = STEPS({.kind = MASKS_CALL,
                        .body = STEPS({.kind = MASKS_IF,
                                       .choose = is_low,
                                       .body = STEPS({.kind = MASKS_IF,
                                                      .choose = is_first,
                                                      .body = STEPS({.kind = MASKS_RETURN})},
                                                     HERE(0))},
                                      HERE(1))},
                       HERE(2))},
        HERE(3),
        END,
    };
    const struct masks_shape shape = {.steps = steps, .slots = 4};
    const uint32_t words[8] = {1, 1, 1, 1, 0, 0, 0, 0};
    struct masks_cell cells[8 * 4];

    masks_simulate(&shape, MASKS_MAXIMAL, 8, 4, words, cells);
    assert_mask(&cells[1 * 4 + 0], 0x2, ~0u, 0);
    assert_false(cells[0 * 4 + 1].executed);
    assert_mask(&cells[1 * 4 + 1], 0xe, ~0u, 0); // those that did not return
    assert_mask(&cells[0 * 4 + 2], 0xf, ~0u, 0); // after the call: all
    assert_false(cells[4 * 4 + 2].executed);
    assert_mask(&cells[4 * 4 + 3], 0xf, ~0u, 0);

    // The weaker rules know no call: three ways led here.
    masks_simulate(&shape, MASKS_SUBGROUP_UNIFORM, 8, 4, words, cells);
    assert_mask(&cells[0 * 4 + 2], 0xf, 0x1, 0xf);
    assert_mask(&cells[1 * 4 + 2], 0xf, 0x2, 0xf);
    assert_mask(&cells[3 * 4 + 2], 0xf, 0xc, 0xf);
    // The subgroup entered the outer selection together: together again behind it, by either rule.
    assert_mask(&cells[0 * 4 + 3], 0xf, 0xf, 0xf);
    masks_simulate(&shape, MASKS_DEFAULT, 8, 4, words, cells);
    assert_mask(&cells[0 * 4 + 3], 0xf, 0xf, 0xf);
}

// if (subgroup 0) { if (lane 0 or 1) {} look }: what tells the two weaker rules apart.
static void an_entry(void **state)
{
    (void)state;
    const struct masks_step steps[] = {
        {.kind = MASKS_IF,
         .choose = is_word,
         .body = STEPS({.kind = MASKS_IF, .choose = is_low}, HERE(0))},
        END,
    };
    const struct masks_shape shape = {.steps = steps, .slots = 1};
    const uint32_t words[8] = {1, 1, 1, 1, 0, 0, 0, 0};
    struct masks_cell cells[8];

    masks_simulate(&shape, MASKS_SUBGROUP_UNIFORM, 8, 4, words, cells);
    assert_mask(&cells[0], 0xf, 0xf, 0xf);
    masks_simulate(&shape, MASKS_DEFAULT, 8, 4, words, cells);
    assert_mask(&cells[0], 0xf, 0x3, 0xf);
    assert_mask(&cells[3], 0xf, 0xc, 0xf);
    masks_simulate(&shape, MASKS_DEFAULT, 4, 4, words, cells); // one subgroup is all the workgroup
    assert_mask(&cells[3], 0xf, 0xf, 0xf);
}

// for (;;) { switch (word) { case 0: break loop; case 1: continue; default: if (word == 2) break;
// look } look } continue: look; if (--word…): what leaves a switch for the loop around, and what
// does not.
static uint32_t word_less_iteration(const struct masks_lane *lane)
{
    return lane->word - lane->iteration[0];
}

static uint32_t is_two(const struct masks_lane *lane)
{
    return word_less_iteration(lane) == 2;
}

static void out_of_a_switch(void **state)
{
    (void)state;
    const struct masks_step steps[] = {
        {.kind = MASKS_WHILE,
         .body = STEPS({.kind = MASKS_SWITCH,
                        .choose = word_less_iteration,
                        .body = STEPS({.kind = MASKS_CASE,
                                       .value = 0,
                                       .body = STEPS(HERE(0), {.kind = MASKS_BREAK_LOOP})},
                                      {.kind = MASKS_CASE,
                                       .value = 1,
                                       .body = STEPS(EACH(1, 4), {.kind = MASKS_CONTINUE})},
                                      {.kind = MASKS_CASE,
                                       .is_default = true,
                                       .body = STEPS({.kind = MASKS_IF,
                                                      .choose = is_two,
                                                      .body = STEPS({.kind = MASKS_BREAK})},
                                                     EACH(5, 4))})},
                       EACH(9, 4)),
         .other = STEPS(EACH(13, 4))},
        HERE(17),
        END,
    };
    const struct masks_shape shape = {.steps = steps, .slots = 18};
    const uint32_t words[4] = {0, 1, 2, 3};
    struct masks_cell cells[4 * 18];

    masks_simulate(&shape, MASKS_MAXIMAL, 4, 4, words, cells);
    for (uint32_t l = 0; l < 4; l++) {
        assert_mask(&cells[l * 18], 1u << l, ~0u, 0); // each alone, in its own iteration
        assert_mask(&cells[l * 18 + 17], 0xf, ~0u, 0);
        assert_int_equal(cells[l * 18 + 17].alternative[0], 0xf);
    }
    assert_mask(&cells[1 * 18 + 1], 0x2, ~0u, 0);
    assert_mask(&cells[3 * 18 + 5], 0x8, ~0u, 0);      // case 3 beside case 2, which broke
    assert_mask(&cells[3 * 18 + 9], 0xc, ~0u, 0);      // behind the switch: who stayed in it
    assert_false(cells[1 * 18 + 9].executed);          // who continued has left it
    assert_mask(&cells[1 * 18 + 13], 0xe, ~0u, 0);     // the continue target has both
    assert_mask(&cells[3 * 18 + 13 + 2], 0x8, ~0u, 0); // the third iteration's

    // The loop was entered by all and left by its merge block; the switch was not.
    masks_simulate(&shape, MASKS_SUBGROUP_UNIFORM, 4, 4, words, cells);
    assert_mask(&cells[2 * 18 + 9], 0xc, 0x4, 0xc);
    assert_mask(&cells[1 * 18 + 17], 0xf, 0xf, 0xf);
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

static void a_vote(void **state)
{
    (void)state;
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

static void names(void **state)
{
    (void)state;
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
static void elections_behind_cases(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elections_behind_cases),
        cmocka_unit_test(a_loop),
        cmocka_unit_test(a_switch),
        cmocka_unit_test(a_switch_in_a_switch),
        cmocka_unit_test(an_election),
        cmocka_unit_test(a_return),
        cmocka_unit_test(an_entry),
        cmocka_unit_test(out_of_a_switch),
        cmocka_unit_test(a_vote),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
