// SPDX-License-Identifier: Apache-2.0
// The oracles of the family `barrier`, against kernels played through: invocation
// by invocation, round by round.
#include "unit.h"

#include "catalogue/catalogue.h"
#include "model/check.h"
#include "oracles/oracles.h"

#include <stdlib.h>
#include <string.h>

#define SCALE 3u

static const uint32_t sizes[] = {1, 4, 8, 32, 64, 128};

static struct cat_args arguments(const struct cat_case *which)
{
    struct cat_args args = {.subgroup = which->subgroup, .scale = SCALE, .which = which};
    args.workgroup = cat_value(&args, "workgroup");
    return args;
}

static uint32_t stepped(uint32_t made, uint32_t steps)
{
    for (uint32_t i = 0; i < steps; i++)
        made = made * 1664525u + 1013904223u;
    return made;
}

// The chosen subgroup fills `slots`, then every invocation reads the slot of its lane.
static void play_workgroup(const struct cat_args *args, const uint32_t *input, uint32_t *output)
{
    const uint32_t lanes = args->subgroup, subgroups = args->workgroup / lanes;
    const uint32_t chosen = cat_axis_is(args, "chosen", "last") ? subgroups - 1 : 0;
    uint32_t slots[128];
    for (uint32_t lane = 0; lane < lanes; lane++)
        slots[lane] = stepped(input[chosen * lanes + lane], cat_value(args, "rounds"));
    for (uint32_t subgroup = 0; subgroup < subgroups; subgroup++)
        for (uint32_t lane = 0; lane < lanes; lane++)
            output[subgroup * lanes + lane] = input[subgroup * lanes + lane] + slots[lane];
}

static void check_branch(const struct cat_case *which, void *user)
{
    const struct cat_oracle *oracle = which->test->oracle;
    const struct cat_args args = arguments(which);
    struct cat_shape shape;
    struct lit_error error = {0};
    if (args.workgroup < args.subgroup)
        return;
    if (args.workgroup == args.subgroup) {
        assert_false(cat_oracle_shape(oracle, &args, &shape, &error));
        assert_non_null(strstr(error.message, "the test needs workgroup > lanes"));
        return;
    }
    assert_true(cat_oracle_shape(oracle, &args, &shape, &error));
    assert_int_equal(shape.workgroups, SCALE);
    assert_int_equal(shape.instances, SCALE);
    assert_int_equal(shape.words_per_instance, args.workgroup);
    assert_int_equal(shape.input_words, SCALE * args.workgroup);
    assert_int_equal(shape.elements, cat_value(&args, "rounds"));
    assert_true(shape.state_words >= 2); // the flag lies behind word 0

    uint32_t *input = lit_alloc(shape.input_words, sizeof *input);
    uint32_t *expected = lit_alloc(shape.input_words, sizeof *expected);
    uint32_t *played = lit_alloc(shape.input_words, sizeof *played);
    cat_oracle_input(oracle, &args, &shape, 7, input);
    cat_oracle_expect(oracle, &args, &shape, input, expected);
    for (uint32_t i = 0; i < SCALE; i++)
        play_workgroup(&args, input + i * args.workgroup, played + i * args.workgroup);
    assert_memory_equal(expected, played, shape.input_words * sizeof *played);
    free(input);
    free(expected);
    free(played);
    ++*(size_t *)user;
}

static void everybody_has_what_was_handed_over(void **state)
{
    (void)state;
    static const char *const names[] = {"barrier.subgroup-in-branch",
                                        "barrier.memory-is-no-rendezvous"};
    for (size_t i = 0; i < 2; i++) {
        const struct cat_test *test = cat_test_find(names[i]);
        assert_non_null(test);
        size_t checked = 0;
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            cat_test_each(test, sizes[s], check_branch, &checked);
        assert_true(checked > 100);
    }
}

static void check_long(const struct cat_case *which, void *user)
{
    const struct cat_oracle *oracle = which->test->oracle;
    const struct cat_args args = arguments(which);
    struct cat_shape shape;
    struct lit_error error = {0};
    if (args.workgroup < args.subgroup)
        return;
    const uint32_t iterations = cat_value(&args, "iterations");
    assert_true(cat_oracle_shape(oracle, &args, &shape, &error));
    assert_int_equal(shape.workgroups, 1);
    assert_int_equal(shape.elements, iterations);
    assert_int_equal(shape.input_words, args.workgroup);
    assert_int_equal(shape.instances * shape.words_per_instance, 2 * args.workgroup);
    assert_int_equal(shape.instances, args.workgroup / args.subgroup);

    uint32_t *input = lit_alloc(shape.input_words, sizeof *input);
    uint32_t *expected = lit_alloc(2 * shape.input_words, sizeof *expected);
    cat_oracle_input(oracle, &args, &shape, 7, input);
    cat_oracle_expect(oracle, &args, &shape, input, expected);
    for (uint32_t i = 0; i < args.workgroup; i += 21) {
        assert_int_equal(expected[2 * i], iterations);
        assert_int_equal(expected[2 * i + 1], stepped(input[i], iterations));
    }
    free(input);
    free(expected);
    ++*(size_t *)user;
}

static void a_long_loop_counts_all_of_it(void **state)
{
    (void)state;
    const struct cat_test *test = cat_test_find("barrier.long-loop");
    assert_non_null(test);
    size_t checked = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        cat_test_each(test, sizes[s], check_long, &checked);
    assert_true(checked >= 5 * 9);
}

static void expect_place(const char *name, uint64_t instance, uint64_t word, const char *place)
{
    struct cat_case which;
    struct lit_error error = {0};
    if (!cat_case_parse(name, &which, &error))
        fail_msg("%s", error.message);
    const struct cat_args args = arguments(&which);
    struct cat_shape shape;
    const struct cat_oracle *oracle = which.test->oracle;
    assert_true(cat_oracle_shape(oracle, &args, &shape, &error));
    const struct cat_failure failure = {.instance = instance, .word = word};
    char text[128];
    cat_oracle_where(oracle, &args, &shape, &failure, text, sizeof text);
    assert_string_equal(text, place);
}

static void a_failure_is_located(void **state)
{
    (void)state;
    expect_place("barrier.subgroup-in-branch/barrier=subgroup,chosen=last@workgroup=128,rounds=16,"
                 "subgroup=32",
                 2, 97, "lane 1, subgroup 3 of workgroup 2");
    expect_place("barrier.long-loop/form=one@workgroup=64,iterations=100000,subgroup=32", 1, 6,
                 "number of iterations, lane 3, subgroup 1");
    expect_place("barrier.long-loop/form=one@workgroup=64,iterations=100000,subgroup=32", 1, 7,
                 "result, lane 3, subgroup 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everybody_has_what_was_handed_over),
        cmocka_unit_test(a_long_loop_counts_all_of_it),
        cmocka_unit_test(a_failure_is_located),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
