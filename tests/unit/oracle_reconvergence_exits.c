// SPDX-License-Identifier: Apache-2.0
// The oracles of the family `reconvergence` that ask about exits and arms: what holds for each of
// them in every configuration, and tables made by hand for four lanes.
#include "oracles/oracles.h"

#include "base/text.h"
#include "catalogue/catalogue.h"
#include "model/check.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

// All axes that any of these tests has. A test that lacks one does not ask for it.
static struct cat_test test = {
    .head =
        {
            .axes = {{"reconvergence", {"default", "subgroup-uniform", "maximal"}, 3},
                     {"entry", {"workgroup", "subgroup"}, 2},
                     {"by", {"flag", "return"}, 2},
                     {"target", {"switch", "continue", "loop"}, 3},
                     {"form", {"peeled", "rotated"}, 2},
                     {"operator", {"and", "or"}, 2}},
            .axis_count = 6,
        },
};
// The same for the others: one test has no more than eight axes.
static struct cat_test other_test = {
    .head =
        {
            .axes = {{"reconvergence", {"default", "subgroup-uniform", "maximal"}, 3},
                     {"calls", {"one-arm", "both-arms"}, 2},
                     {"returns", {"branch", "loop"}, 2},
                     {"condition", {"own", "ballot", "any"}, 3},
                     {"leave", {"break", "condition"}, 2},
                     {"used", {"if", "while"}, 2}},
            .axis_count = 6,
        },
};

static struct cat_test jumps_test = {
    .head =
        {
            .axes = {{"reconvergence", {"default", "subgroup-uniform", "maximal"}, 3},
                     {"target", {"continue", "loop"}, 2},
                     {"early", {"no", "yes"}, 2},
                     {"leave", {"continue", "break"}, 2}},
            .axis_count = 4,
        },
};

enum { DEFAULT, SUBGROUP_UNIFORM, MAXIMAL };

struct made {
    struct cat_case which;
    struct cat_args args;
    struct cat_shape size;
    uint32_t *expected;
};

// One subgroup of four lanes with these words, in both workgroups. `axis[1..]` are the values.
static void make(struct made *made, const char *oracle_name, struct cat_test *of,
                 const uint8_t axis[6], const uint32_t words[4])
{
    struct lit_error error;
    const struct cat_oracle *oracle = cat_oracle_find(oracle_name);
    assert_non_null(oracle);
    *made = (struct made){.which = {.test = of}};
    memcpy(made->which.axis, axis, 6);
    made->args =
        (struct cat_args){.subgroup = 4, .workgroup = 4, .scale = 2, .which = &made->which};
    assert_true(cat_oracle_shape(oracle, &made->args, &made->size, &error));
    uint32_t input[8];
    for (uint32_t i = 0; i < 8; i++)
        input[i] = words[i % 4];
    made->expected =
        lit_alloc(made->size.instances * made->size.words_per_instance * 4, sizeof(uint32_t));
    cat_oracle_expect(oracle, &made->args, &made->size, input, made->expected);
}

// The four words that say what lane `lane` of instance 0 may store in a slot.
static const uint32_t *cell(const struct made *made, uint32_t lane, uint32_t slot)
{
    const uint64_t slots = made->size.words_per_instance / 4 / 4;
    assert_in_range(slot, 0, slots - 1);
    return &made->expected[(lane * slots + slot) * 16];
}

// The masks of the four lanes at a slot; 0 is "is not there".
static void assert_masks(const struct made *made, uint32_t slot, uint32_t a, uint32_t b, uint32_t c,
                         uint32_t d)
{
    const uint32_t masks[4] = {a, b, c, d};
    for (uint32_t lane = 0; lane < 4; lane++) {
        const uint32_t want = masks[lane] ? masks[lane] : CAT_POISON;
        const uint32_t *has = cell(made, lane, slot);
        if (has[0] != want)
            fail_msg("slot %u, lane %u: %x instead of %x", slot, lane, has[0], want);
        // Whoever stored anything else is caught.
        assert_int_equal(cat_classify(CAT_CHECK_MASK, want, has), CAT_RIGHT);
        const uint32_t other = masks[lane] ? masks[lane] ^ 1u << (lane + 1) % 4 : 1;
        assert_true(cat_outcome_fails(CAT_CHECK_MASK, cat_classify(CAT_CHECK_MASK, other, has)) ||
                    has[1] != has[0] || made->which.axis[0] != MAXIMAL);
    }
}

// Two rows of up to three columns. Lane 0 goes through all; lane 1 escapes from row 0, column 1;
// lane 2 from row 1, column 0; lane 3 has no row.
static const uint32_t escapes[4] = {
    2 | 2 << 8 | 1 << 10,
    2 | 2 << 8 | 1 << 10 | 1 << 17,
    2 | 1 << 8 | 2 << 10 | 1 << 19,
    0,
};

static void nested_breaks(void **state)
{
    (void)state;
    enum { INNER = 0, ESCAPE = 9, INNER_AFTER = 12, OUTER_BREAK = 15, REST = 16, AFTER = 19 };
    struct made made;
    make(&made, "reconvergence.nested-breaks", &test, (uint8_t[6]){MAXIMAL, 0, 0}, escapes);
    assert_masks(&made, INNER, 0x7, 0x7, 0x7, 0);
    assert_masks(&made, INNER + 1, 0x3, 0x3, 0, 0);
    assert_masks(&made, ESCAPE, 0, 0x2, 0, 0);
    assert_masks(&made, INNER_AFTER, 0x7, 0x7, 0x7, 0); // who escaped comes by here
    assert_masks(&made, OUTER_BREAK, 0, 0x2, 0x4, 0);   // each in a row of its own
    assert_masks(&made, REST, 0x5, 0, 0x5, 0);
    assert_masks(&made, INNER + 3, 0x5, 0, 0x5, 0);
    assert_masks(&made, REST + 1, 0x1, 0, 0, 0);
    assert_masks(&made, AFTER, 0xf, 0xf, 0xf, 0xf);
    assert_masks(&made, AFTER + 1, 0, 0, 0, 0);
    free(made.expected);

    make(&made, "reconvergence.nested-breaks", &test, (uint8_t[6]){MAXIMAL, 0, 1}, escapes);
    assert_masks(&made, ESCAPE + 1, 0, 0, 0x4, 0);
    assert_masks(&made, INNER_AFTER, 0x5, 0, 0x5, 0);
    assert_masks(&made, OUTER_BREAK, 0, 0, 0, 0);
    assert_masks(&made, AFTER, 0x9, 0, 0, 0x9);         // in the function: who did not return
    assert_masks(&made, AFTER + 1, 0xf, 0xf, 0xf, 0xf); // after the call
    free(made.expected);
}

// One iteration. Selectors 0, 0, 1, 2; Y holds for lanes 1 and 2.
static void switch_exit(void **state)
{
    (void)state;
    enum { ZERO = 0, REST = 3, ONE = 6, TWO = 9, AFTER_SWITCH = 15, TARGET = 18, AFTER = 21 };
    const uint32_t words[4] = {1, 1 | 1 << 16, 1 | 1 << 16 | 1 << 25, 1 | 2 << 25};
    for (uint8_t target = 0; target < 3; target++) {
        struct made made;
        make(&made, "reconvergence.switch-exit", &test, (uint8_t[6]){MAXIMAL, 0, 0, target}, words);
        assert_masks(&made, ZERO, 0x3, 0x3, 0, 0);
        assert_masks(&made, REST, 0x1, 0, 0, 0);
        assert_masks(&made, ONE, 0, 0, 0x4, 0);
        assert_masks(&made, TWO, 0, 0, 0, 0x8); // lane 2 left before it fell through
        if (target == 0)
            assert_masks(&made, AFTER_SWITCH, 0xf, 0xf, 0xf, 0xf);
        else
            assert_masks(&made, AFTER_SWITCH, 0x9, 0, 0, 0x9);
        if (target == 2)
            assert_masks(&made, TARGET, 0x9, 0, 0, 0x9);
        else
            assert_masks(&made, TARGET, 0xf, 0xf, 0xf, 0xf);
        assert_masks(&made, AFTER, 0xf, 0xf, 0xf, 0xf);
        free(made.expected);
    }
    // Lane 2 falls through: with lane 3 or without it, and nothing else.
    const uint32_t falls[4] = {1, 1, 1 | 1 << 25, 1 | 2 << 25};
    struct made made;
    make(&made, "reconvergence.switch-exit", &test, (uint8_t[6]){MAXIMAL}, falls);
    assert_masks(&made, TWO, 0, 0, 0xc, 0xc);
    assert_int_equal(cell(&made, 2, TWO)[1], 0x4);
    assert_int_equal(cell(&made, 3, TWO)[1], 0x8);
    free(made.expected);
}

// Iterations 3, 2, 1, 0; lane 1 leaves in its second, lane 2 in its first.
static void peeled_by_hand(void **state)
{
    (void)state;
    enum { A = 0, B = 8, LEAVE_COPY = 16, LEAVE = 17, LOOP = 18, AFTER = 19 };
    const uint32_t words[4] = {3, 2 | 1 << 17, 1 | 1 << 16, 0};
    for (uint8_t rotated = 0; rotated < 2; rotated++) {
        struct made made;
        make(&made, "reconvergence.peeled-by-hand", &test, (uint8_t[6]){MAXIMAL, 0, 0, 0, rotated},
             words);
        assert_masks(&made, A, 0x7, 0x7, 0x7, 0);
        assert_masks(&made, A + 1, 0x3, 0x3, 0, 0);
        assert_masks(&made, A + 2, 0x1, 0, 0, 0);
        assert_masks(&made, B, 0x3, 0x3, 0, 0);
        assert_masks(&made, B + 1, 0x1, 0, 0, 0);
        assert_masks(&made, LEAVE_COPY, 0, 0, rotated ? 0 : 0x4, 0);
        assert_masks(&made, LEAVE, 0, 0x2, rotated ? 0x4 : 0, 0);
        if (rotated)
            assert_masks(&made, LOOP, 0x7, 0x7, 0x7, 0);
        else
            assert_masks(&made, LOOP, 0x3, 0x3, 0, 0);
        assert_masks(&made, AFTER, 0xf, 0xf, 0xf, 0xf);
        free(made.expected);
    }
}

static void elect_turns(void **state)
{
    (void)state;
    enum { REMAINING = 0, TURN = 8, NUMBER = 9, STAY = 10, AFTER = 11 };
    const uint32_t words[4] = {0};
    for (uint8_t condition = 0; condition < 2; condition++) {
        struct made made;
        make(&made, "reconvergence.elect-turns", &other_test,
             (uint8_t[6]){MAXIMAL, 0, 0, 0, condition}, words);
        assert_masks(&made, REMAINING, 0xf, 0xf, 0xf, 0xf);
        assert_masks(&made, REMAINING + 2, 0, 0, 0xc, 0xc);
        assert_masks(&made, TURN, 1, 2, 4, 8);
        for (uint32_t lane = 0; lane < 4; lane++)
            assert_int_equal(cell(&made, lane, NUMBER)[0], lane);
        if (condition)
            assert_masks(&made, STAY, 0xf, 0xe, 0xc, 0x8);
        else
            assert_masks(&made, STAY, 0, 0xe, 0xc, 0x8);
        assert_masks(&made, AFTER, 0xf, 0xf, 0xf, 0xf);
        free(made.expected);
    }
}

// Lanes 0 and 1 take the first arm; 1 and 2 return early, in the loop in its second iteration.
static void call_in_arms(void **state)
{
    (void)state;
    enum { FUNCTION = 0, RETURN = 1, FUNCTION_END = 2, BODY = 3, BEFORE = 6, BEHIND = 7 };
    enum { OTHER = 8, OTHER_BEHIND = 9, AFTER = 10 };
    const uint32_t branch[4] = {1 << 8, 1 << 8 | 1 << 16, 1 << 16, 0};
    const uint32_t loop[4] = {2 | 1 << 8, 2 | 1 << 8 | 1 << 17, 3 | 1 << 17, 3};
    for (uint8_t both = 0; both < 2; both++) {
        for (uint8_t has_loop = 0; has_loop < 2; has_loop++) {
            struct made made;
            make(&made, "reconvergence.call-in-arms", &other_test,
                 (uint8_t[6]){MAXIMAL, both, has_loop}, has_loop ? loop : branch);
            const uint32_t others = both ? 0xc : 0;
            assert_masks(&made, FUNCTION, 0x3, 0x3, others, others);
            assert_masks(&made, RETURN, 0, 0x2, both ? 0x4 : 0, 0);
            assert_masks(&made, FUNCTION_END, 0x1, 0, 0, both ? 0x8 : 0);
            if (has_loop) {
                assert_masks(&made, BODY + 1, 0x3, 0x3, others, others);
                assert_masks(&made, BODY + 2, 0, 0, 0, both ? 0x8 : 0);
            }
            assert_masks(&made, BEFORE, 0x3, 0x3, 0, 0);
            assert_masks(&made, BEHIND, 0x3, 0x3, 0, 0);
            assert_masks(&made, OTHER, 0, 0, 0xc, 0xc);
            assert_masks(&made, OTHER_BEHIND, 0, 0, others, others);
            assert_masks(&made, AFTER, 0xf, 0xf, 0xf, 0xf);
            free(made.expected);
        }
    }
}

// A and Y of lanes 0 to 3: neither, A, A and Y, Y; one row where A holds.
static void short_circuit(void **state)
{
    (void)state;
    enum { OPERAND = 0, OPERATOR = 4, THEN = 8, ELSE = 12, AFTER = 13 };
    const uint32_t words[4] = {0, 1 << 8 | 1, 1 << 8 | 1 << 16 | 1, 1 << 16};
    struct made made;
    make(&made, "reconvergence.short-circuit", &test, (uint8_t[6]){MAXIMAL}, words);
    assert_masks(&made, OPERAND, 0, 0x6, 0x6, 0);
    assert_masks(&made, OPERATOR, 0xf, 0xf, 0xf, 0xf);
    assert_masks(&made, THEN, 0, 0, 0x4, 0);
    assert_masks(&made, ELSE, 0xb, 0xb, 0, 0xb);
    assert_masks(&made, AFTER, 0xf, 0xf, 0xf, 0xf);
    free(made.expected);

    make(&made, "reconvergence.short-circuit", &test, (uint8_t[6]){MAXIMAL, 0, 0, 0, 0, 1}, words);
    assert_masks(&made, OPERAND, 0x9, 0, 0, 0x9);
    assert_masks(&made, THEN, 0, 0xe, 0xe, 0xe);
    assert_masks(&made, ELSE, 0x1, 0, 0, 0);
    free(made.expected);

    // while (i < rows && f(Y)); `operator` is not an axis of this test, so it is `and`.
    make(&made, "reconvergence.short-circuit", &other_test, (uint8_t[6]){MAXIMAL, 0, 0, 0, 0, 1},
         words);
    assert_masks(&made, OPERAND, 0, 0x6, 0x6, 0);
    assert_masks(&made, THEN, 0, 0, 0x4, 0);
    assert_masks(&made, OPERATOR + 1, 0, 0, 0x4, 0);
    assert_masks(&made, OPERAND + 1, 0, 0, 0, 0);
    assert_masks(&made, AFTER, 0xf, 0xf, 0xf, 0xf);
    free(made.expected);
}

// Iterations 1 (as 0 counts), 1, 2, 3; lanes 1 and 2 continue early in the first.
static void continue_exit(void **state)
{
    (void)state;
    enum { BODY = 0, EARLY = 3, REST = 6, TARGET = 9, AFTER = 18 };
    const uint32_t words[4] = {0, 1 | 1 << 16, 2 | 1 << 16, 3};
    struct made made;
    make(&made, "reconvergence.continue-exit", &other_test, (uint8_t[6]){MAXIMAL}, words);
    assert_masks(&made, BODY, 0xf, 0xf, 0xf, 0xf);
    assert_masks(&made, EARLY, 0, 0x6, 0x6, 0);
    assert_masks(&made, REST, 0x9, 0, 0, 0x9);
    assert_masks(&made, TARGET, 0xf, 0xf, 0xf, 0xf);
    assert_masks(&made, TARGET + 1, 0, 0, 0xc, 0xc);
    assert_masks(&made, TARGET + 2, 0, 0, 0, 0x8);
    assert_masks(&made, AFTER, 0xf, 0xf, 0xf, 0xf);
    free(made.expected);

    enum { ANY = 2 };
    make(&made, "reconvergence.continue-exit", &other_test, (uint8_t[6]){MAXIMAL, 0, 0, ANY},
         words);
    assert_masks(&made, TARGET + 1, 0xf, 0xf, 0xf, 0xf); // lane 3 keeps all of them
    assert_masks(&made, TARGET + 2, 0xf, 0xf, 0xf, 0xf);
    assert_masks(&made, AFTER, 0xf, 0xf, 0xf, 0xf);
    free(made.expected);
}

// Selectors 0, 1, 2, 4.
static void switch_shared_target(void **state)
{
    (void)state;
    const uint32_t words[4] = {0, 1 << 25, 2 << 25 | 1 << 8, 4u << 25};
    struct made made;
    make(&made, "reconvergence.switch-shared-target", &test, (uint8_t[6]){MAXIMAL}, words);
    assert_masks(&made, 0, 0x1, 0, 0, 0);
    assert_masks(&made, 1, 0, 0x6, 0x6, 0);
    assert_int_equal(cell(&made, 1, 1)[1], 0x2); // or each with its selector
    assert_int_equal(cell(&made, 2, 3)[1], 0x4);
    assert_masks(&made, 2, 0, 0, 0x4, 0);
    assert_masks(&made, 4, 0, 0, 0, 0x8);
    assert_masks(&made, 5, 0xf, 0xf, 0xf, 0xf);
    assert_int_equal(cell(&made, 0, 5)[1], 0xf); // no choice behind the switch
    free(made.expected);
}

// Two iterations. In the first the selectors are 0 0, 0 0 with the early break, 0 1, 1 0; in the
// second all are 1.
static void switch_in_switch(void **state)
{
    (void)state;
    enum { LEAVE = 0, REST = 3, SWITCHES = 6, AFTER = 9 };
    const uint32_t second = 2 | 1 << 9 | 1 << 12;
    const uint32_t words[4] = {second, second | 1 << 16, second | 1 << 11, second | 1 << 8};
    for (uint8_t target = 0; target < 2; target++) {
        for (uint8_t early = 0; early < 2; early++) {
            struct made made;
            make(&made, "reconvergence.switch-in-switch", &jumps_test,
                 (uint8_t[6]){MAXIMAL, target, early}, words);
            const uint32_t left = early ? 0x1 : 0x3;
            const uint32_t rest = 0x7 & ~left, stayed = 0xf & ~left;
            assert_masks(&made, LEAVE, left, left & 2 ? left : 0, 0, 0);
            assert_masks(&made, REST, 0, rest & 2 ? rest : 0, rest, 0);
            assert_masks(&made, SWITCHES, 0, stayed & 2 ? stayed : 0, stayed, stayed);
            assert_masks(&made, REST + 1, 0, 0, 0, 0);
            // `continue` comes back for the second iteration, a break of the loop does not.
            const uint32_t next = target ? stayed : 0xf;
            assert_masks(&made, SWITCHES + 1, next & 1 ? next : 0, next & 2 ? next : 0, next, next);
            assert_masks(&made, AFTER, 0xf, 0xf, 0xf, 0xf);
            free(made.expected);
        }
    }
}

// Rows 0, 1, 2, 2; of the first row 0, 0, 1, 3 columns, of the second one.
static void loop_not_entered(void **state)
{
    (void)state;
    enum { INNER = 0, OUTER = 9, AFTER = 12 };
    const uint32_t words[4] = {3 << 8, 1, 2 | 1 << 8 | 1 << 10, 2 | 3 << 8 | 1 << 10};
    const uint32_t none[4] = {3 << 8, 0, 4, 8};
    struct made made;
    make(&made, "reconvergence.loop-not-entered", &jumps_test, (uint8_t[6]){MAXIMAL}, words);
    assert_masks(&made, INNER, 0, 0xe, 0xe, 0xe); // once at least
    assert_masks(&made, INNER + 1, 0, 0, 0, 0x8);
    assert_masks(&made, INNER + 2, 0, 0, 0, 0x8);
    assert_masks(&made, OUTER, 0, 0xe, 0xe, 0xe);
    assert_masks(&made, INNER + 3, 0, 0, 0xc, 0xc);
    assert_masks(&made, OUTER + 1, 0, 0, 0xc, 0xc);
    assert_masks(&made, AFTER, 0xf, 0xf, 0xf, 0xf);
    free(made.expected);
    make(&made, "reconvergence.loop-not-entered", &jumps_test, (uint8_t[6]){MAXIMAL}, none);
    for (uint32_t slot = 0; slot < AFTER; slot++)
        assert_masks(&made, slot, 0, 0, 0, 0);
    assert_masks(&made, AFTER, 0xf, 0xf, 0xf, 0xf);
    free(made.expected);
}

// Two iterations. Lane 0 continues in the first one and comes through in the second, lane 1 comes
// through, lane 2 takes the other arm twice, lane 3 the other arm and comes through.
static void else_leaves(void **state)
{
    (void)state;
    enum { BEFORE = 0, ARM = 3, AGAIN = 6, BEHIND = 9, AFTER = 12 };
    const uint32_t words[4] = {2 | 3 << 8 | 1 << 16, 2 | 3 << 8, 2, 2 | 2 << 8};
    for (uint8_t leave = 0; leave < 2; leave++) {
        struct made made;
        make(&made, "reconvergence.else-leaves", &jumps_test, (uint8_t[6]){MAXIMAL, 0, 0, leave},
             words);
        const uint32_t second = leave ? 0x1 : 0x9; // with `break` lane 3 does not come back
        assert_masks(&made, BEFORE, 0x1, 0, 0, 0);
        for (uint32_t slot = ARM; slot <= BEHIND; slot += 3) {
            assert_masks(&made, slot, 0, 0x2, 0, 0);
            assert_masks(&made, slot + 1, second, 0, 0, second & 8 ? second : 0);
        }
        assert_masks(&made, AFTER, 0xf, 0xf, 0xf, 0xf);
        assert_int_equal(made.size.words_per_instance, 4 * 13 * 4);
        free(made.expected);
    }
}

// Lane 0 goes through its iterations; the others, one of which has the number of the turn, do not
// enter.
static void never_true(void **state)
{
    (void)state;
    enum { NEVER = 0, REST = 1, LOOP = 4, AFTER = 5 };
    const uint32_t words[4] = {2, 3, 3, 3};
    struct made made;
    make(&made, "reconvergence.never-true", &jumps_test, (uint8_t[6]){MAXIMAL}, words);
    assert_masks(&made, NEVER, 0, 0, 0, 0);
    assert_masks(&made, REST, 0x1, 0, 0, 0);
    assert_masks(&made, REST + 1, 0x1, 0, 0, 0);
    assert_masks(&made, REST + 2, 0, 0, 0, 0);
    assert_masks(&made, LOOP, 0x1, 0, 0, 0);
    assert_masks(&made, AFTER, 0xf, 0xf, 0xf, 0xf);
    free(made.expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_breaks),    cmocka_unit_test(switch_exit),
        cmocka_unit_test(switch_in_switch), cmocka_unit_test(loop_not_entered),
        cmocka_unit_test(else_leaves),      cmocka_unit_test(never_true),
        cmocka_unit_test(peeled_by_hand),   cmocka_unit_test(elect_turns),
        cmocka_unit_test(call_in_arms),     cmocka_unit_test(short_circuit),
        cmocka_unit_test(continue_exit),    cmocka_unit_test(switch_shared_target),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
