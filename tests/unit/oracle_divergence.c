// SPDX-License-Identifier: Apache-2.0
// The oracles of the family divergence against subgroups that are played through: the two pieces'
// atomic operations in every order, and any grouping of the lanes that count themselves.
#include "unit.h"

#include "catalogue/catalogue.h"
#include "model/check.h"
#include "oracles/oracles.h"

static const struct cat_oracle *oracle_of(const char *name, struct cat_args *args,
                                          struct cat_case *which)
{
    must(cat_case_parse(name, which, &error));
    *args =
        (struct cat_args){.subgroup = which->subgroup, .workgroup = 64, .scale = 2, .which = which};
    return which->test->oracle;
}

// What the subgroup's word of the output is after the pieces' draws in this order ("1122").
static uint32_t play(const char *order)
{
    uint32_t word = 0, output = 0xC0DEDEADu, found[2];
    unsigned first = 0, second = 0;
    for (const char *at = order; *at; at++) {
        if (*at == '1') {
            found[first] = word;
            word |= first ? 2 : 1;
            if (++first == 2)
                output += 0x100 + ((found[0] >> 2 & 3) | (found[1] >> 2 & 3) << 2);
        } else {
            word += second ? 8 : 4;
            if (++second == 2)
                output += 0x200;
        }
    }
    return output;
}

static void check_orders(const char *configuration, const char *const names[6])
{
    static const char *const orders[] = {"1122", "2211", "1212", "2121", "1221", "2112"};
    struct cat_args args;
    struct cat_case which;
    struct cat_shape shape;
    const struct cat_oracle *oracle = oracle_of(configuration, &args, &which);
    const struct cat_mode mode = cat_mode_of(oracle);
    assert_true(cat_oracle_shape(oracle, &args, &shape, &error));
    uint32_t input[128], expected[4 * 64];
    assert_true(shape.input_words <= 128 && shape.instances <= 64);
    cat_oracle_input(oracle, &args, &shape, 1, input);
    cat_oracle_expect(oracle, &args, &shape, input, expected);
    for (uint64_t instance = 0; instance < shape.instances; instance++)
        for (size_t i = 0; i < 6; i++) {
            const uint32_t outcome =
                cat_classify(CAT_CHECK_CHOICE, play(orders[i]), &expected[4 * instance]);
            assert_string_equal(cat_mode_name(&mode, outcome), names[i]);
            assert_false(cat_mode_fails(&mode, outcome));
        }
    // A piece that was never executed, and none of the two.
    const uint32_t half = cat_classify(CAT_CHECK_CHOICE, play("11"), expected);
    assert_string_equal(cat_mode_name(&mode, half), "something else");
    assert_true(cat_mode_fails(&mode, cat_classify(CAT_CHECK_CHOICE, play(""), expected)));
}

TEST(orders_have_names)
{
    check_orders("divergence.sides/observer=ticket,layout=true-first@workgroup=64,taken=1,lowest=0,"
                 "subgroup=4",
                 (const char *const[]){"true side first", "false side first",
                                       "by turns, true side first", "by turns, false side first",
                                       "something else", "something else"});
    check_orders("divergence.loop-exit@workgroup=64,taken=last,lowest=1,subgroup=8",
                 (const char *const[]){"exit first", "back edge first", "by turns, exit first",
                                       "by turns, back edge first", "something else",
                                       "something else"});
}

static void check_lanes(const struct cat_case *which, void *user)
{
    struct cat_args args = {
        .subgroup = which->subgroup, .workgroup = 64, .scale = 2, .which = which};
    struct cat_shape shape;
    uint32_t input[128], taken[2] = {0}, speakers[2] = {0};
    args.workgroup = cat_value(&args, "workgroup");
    if (args.workgroup % args.subgroup ||
        !cat_oracle_shape(which->test->oracle, &args, &shape, &error))
        return;
    assert_int_equal(shape.instances, 2 * args.workgroup / args.subgroup);
    assert_int_equal(shape.input_words, args.subgroup);
    cat_oracle_input(which->test->oracle, &args, &shape, 1, input);
    for (uint32_t lane = 0; lane < args.subgroup; lane++) {
        assert_true(input[lane] < 4);
        taken[input[lane] & 1]++;
        speakers[input[lane] & 1] += input[lane] >> 1;
    }
    assert_int_equal(taken[1], cat_value(&args, "taken"));
    assert_int_equal(taken[0] + taken[1], args.subgroup);
    assert_int_equal(speakers[0], 1);
    assert_int_equal(speakers[1], 1);
    assert_int_equal(input[0] & 1, cat_value(&args, "lowest"));
}

TEST(each_piece_has_one_speaker)
{
    for (uint32_t size = 4; size <= 128; size *= 2) {
        cat_test_each(cat_test_find("divergence.sides"), size, check_lanes, NULL);
        cat_test_each(cat_test_find("divergence.loop-exit"), size, check_lanes, NULL);
    }
}

static void check_groups(const struct cat_case *which, void *user)
{
    struct cat_args args = {
        .subgroup = which->subgroup, .workgroup = 64, .scale = 1, .which = which};
    struct cat_shape shape;
    const struct cat_oracle *oracle = which->test->oracle;
    const struct cat_mode mode = cat_mode_of(oracle);
    if (cat_value(&args, "workgroup") != 64 || args.workgroup % args.subgroup)
        return;
    assert_true(cat_oracle_shape(oracle, &args, &shape, &error));
    uint32_t input[64], expected[64 * 4];
    cat_oracle_input(oracle, &args, &shape, 1, input);
    cat_oracle_expect(oracle, &args, &shape, input, expected);
    // The lanes that come to where groups are counted: with the break, those that do not break.
    const bool breaks = cat_axis_is(&args, "place", "broken-if");
    uint32_t there = 0, took = 0;
    for (uint32_t lane = 0; lane < args.subgroup; lane++) {
        const bool a = input[lane] & 1, y = input[lane] & 2;
        there += !(breaks && a && y);
        took += a && !(breaks && y);
    }
    assert_true(took > 0 && took < there);
    for (uint32_t groups = 1; groups <= there; groups++) {
        const uint32_t outcome = cat_classify(CAT_CHECK_CHOICE, 0xC0DEDEADu + groups, expected);
        assert_string_equal(cat_mode_name(&mode, outcome), groups == 1       ? "together"
                                                           : groups == 2     ? "in two groups"
                                                           : groups == there ? "one by one"
                                                                             : "something else");
        assert_false(cat_mode_fails(&mode, outcome));
    }
}

TEST(groups_have_names)
{
    for (uint32_t size = 4; size <= 64; size *= 2)
        cat_test_each(cat_test_find("divergence.reconverge"), size, check_groups, NULL);
}

TEST(few_lanes_cannot_part)
{
    struct cat_args args;
    struct cat_case which;
    struct cat_shape shape;
    const struct cat_oracle *oracle =
        oracle_of("divergence.reconverge/place=if@workgroup=64,subgroup=2", &args, &which);
    must_fail("subgroups of 2", cat_oracle_shape(oracle, &args, &shape, &error));
}
