// SPDX-License-Identifier: Apache-2.0
// The oracles of shuffle.operations, shuffle.chain and shuffle.types against a subgroup played
// through: who reads whom is found by walking from lane to lane.
#include "unit.h"

#include "base/text.h"
#include "catalogue/catalogue.h"
#include "model/check.h"
#include "oracles/oracles.h"

#include <stdlib.h>
#include <string.h>

#define SCALE    2u
#define NOBODY   UINT32_MAX
#define ANY_SIZE 8192u

static const uint32_t sizes[] = {4, 8, 32, 128};

static struct cat_args arguments(const struct cat_case *which)
{
    struct cat_args args = {.subgroup = which->subgroup, .scale = SCALE, .which = which};
    args.workgroup = cat_value(&args, "workgroup");
    return args;
}

// Walks `steps` lanes to the right within groups of `size`, to the first again after the last.
static uint32_t walk_around(uint32_t lane, uint32_t steps, uint32_t size)
{
    while (steps--)
        lane = (lane + 1) % size ? lane + 1 : lane + 1 - size;
    return lane;
}

// The lane that `lane` reads, or NOBODY.
static uint32_t read_by(const struct cat_args *args, uint32_t lane, uint32_t operand)
{
    const char *op = cat_axis(args, "op");
    const uint32_t lanes = args->subgroup;
    if (!strcmp(op, "rotate"))
        return walk_around(lane, operand, lanes);
    if (!strcmp(op, "clustered"))
        return walk_around(lane, operand, cat_value(args, "cluster"));
    if (!strcmp(op, "first"))
        return 0;
    for (uint32_t other = 0; other < lanes; other++) {
        if ((!strcmp(op, "shuffle") && other == operand) ||
            (!strcmp(op, "xor") && (other ^ lane) == operand) ||
            (!strcmp(op, "up") && other + operand == lane) ||
            (!strcmp(op, "down") && lane + operand == other))
            return other;
    }
    return NOBODY;
}

// What one lane ends with: the tag that it has after the exchange number `step`, found by asking
// the lane it read what that had one step before.
static uint32_t tag_after(const struct cat_args *args, const uint32_t *input, uint64_t instance,
                          uint32_t step, uint32_t lane)
{
    const bool chain = cat_axis(args, "length") != NULL;
    const uint32_t lanes = args->subgroup, registers = chain ? 1 : 4;
    const uint32_t *own = input + 1 + registers * lanes + instance * lanes;
    const char *kind = cat_axis(args, "operand");
    const uint32_t operand = !strcmp(kind, "dynamic")   ? own[lane]
                             : !strcmp(kind, "uniform") ? own[0]
                                                        : cat_value(args, "distance");
    uint32_t from = read_by(args, lane, operand);
    if (from == NOBODY)
        from = lane;
    if (step)
        return tag_after(args, input, instance, step - 1, from) + 0x100;
    const bool array = cat_axis(args, "value") && cat_axis_is(args, "value", "array");
    return input[1 + (array ? input[0] * lanes : 0) + from];
}

static void check_exchange(const struct cat_case *which, void *user)
{
    const struct cat_oracle *oracle = cat_oracle_find("shuffle.exchange");
    const struct cat_args args = arguments(which);
    struct cat_shape shape;
    struct lit_error error;
    if (args.workgroup % args.subgroup || !cat_oracle_shape(oracle, &args, &shape, &error))
        return;
    if (cat_axis(&args, "sync") && !cat_axis_is(&args, "sync", "none")) // the same once more
        return;
    const char *length = cat_axis(&args, "length");
    const uint32_t steps = length                                   ? (uint32_t)atoi(length)
                           : cat_axis_is(&args, "value", "shuffle") ? 2
                                                                    : 1;
    uint32_t *input = lit_alloc(shape.input_words, sizeof *input);
    uint32_t *expected = lit_alloc(shape.instances * shape.words_per_instance, sizeof *expected);
    cat_oracle_input(oracle, &args, &shape, 5, input);
    cat_oracle_expect(oracle, &args, &shape, input, expected);
    const uint32_t lanes = args.subgroup;
    assert_int_equal(shape.words_per_instance, lanes * steps);
    assert_int_equal(input[0], length ? steps : 2);
    for (uint64_t i = 0; i < shape.instances * steps; i++) {
        // Of the long chains the first steps and the last one, which asks for all before.
        const uint32_t step = (uint32_t)(i % steps);
        for (uint32_t lane = 0; lane < lanes && (step < 4 || step + 1 == steps); lane++)
            assert_int_equal(expected[i * lanes + lane],
                             tag_after(&args, input, i / steps, step, lane));
    }
    free(input);
    free(expected);
    ++*(size_t *)user;
}

static void a_lane_has_what_it_would_have_been_told(void **state)
{
    (void)state;
    static const char *const names[] = {"shuffle.operations", "shuffle.chain"};
    size_t checked = 0;
    for (size_t t = 0; t < 2; t++) {
        const struct cat_test *test = cat_test_find(names[t]);
        assert_non_null(test);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            cat_test_each(test, sizes[s], check_exchange, &checked);
    }
    assert_true(checked > 1000);
}

static bool is_wide(const struct cat_args *args)
{
    return cat_axis_is(args, "type", "u64") || cat_axis_is(args, "type", "f64");
}

// What the type leaves of a word of a component.
static uint32_t through(const struct cat_args *args, uint32_t word)
{
    if (cat_axis_is(args, "type", "u8"))
        return (uint8_t)word;
    if (cat_axis_is(args, "type", "u16"))
        return (uint16_t)word;
    if (cat_axis_is(args, "type", "bool"))
        return word ? 1 : 0;
    return word;
}

// A float's word stands for a normal number; that of a half for one that 16 bits can hold.
static void check_float(const struct cat_args *args, uint32_t word, bool high)
{
    float number;
    memcpy(&number, &word, sizeof number);
    if (cat_axis_is(args, "type", "f32"))
        assert_true((word >> 23 & 0xff) > 0 && (word >> 23 & 0xff) < 255);
    if (cat_axis_is(args, "type", "number16"))
        assert_in_range(word, 0, 2048);
    if (cat_axis_is(args, "type", "number32"))
        assert_in_range(word, 0, 1 << 24);
    if (cat_axis_is(args, "type", "f64") && high)
        assert_true((word >> 20 & 0x7ff) > 0 && (word >> 20 & 0x7ff) < 2047);
    if (cat_axis_is(args, "type", "f16")) {
        const float size = number < 0 ? -number : number;
        assert_true(size >= 0x1p-14f && size <= 65504.0f);
        assert_int_equal(word & 0x1fff, 0);
    }
}

static void check_types(const struct cat_case *which, void *user)
{
    static const char *const widths[] = {"scalar", "vec2", "vec3", "vec4"};
    const struct cat_oracle *oracle = cat_oracle_find("shuffle.types");
    const struct cat_args args = arguments(which);
    struct cat_shape shape;
    struct lit_error error;
    if (args.workgroup % args.subgroup || !cat_oracle_shape(oracle, &args, &shape, &error))
        return;
    const uint32_t invocations = SCALE * args.workgroup;
    assert_int_equal(shape.elements, invocations);
    assert_int_equal(shape.input_words, 9 * invocations);
    uint32_t *input = lit_alloc(shape.input_words, sizeof *input), width = 0;
    uint32_t *expected = lit_alloc(8 * invocations, sizeof *expected);
    cat_oracle_input(oracle, &args, &shape, 9, input);
    cat_oracle_expect(oracle, &args, &shape, input, expected);
    while (!cat_axis_is(&args, "width", widths[width]))
        width++;
    for (uint32_t i = 0; i < 8 * invocations; i++) {
        const uint32_t lane = i / 8 % args.subgroup, start = i / 8 - lane;
        const uint32_t from = read_by(&args, lane, input[start + lane]);
        assert_int_not_equal(from, NOBODY);
        const uint32_t word = input[invocations + 8 * (start + from) + i % 8];
        const bool used = i % 8 / 2 <= width && (is_wide(&args) || i % 2 == 0);
        assert_int_equal(expected[i], used ? through(&args, word) : CAT_POISON);
        check_float(&args, word, i % 2);
    }
    free(input);
    free(expected);
    ++*(size_t *)user;
}

static void a_value_arrives_whole_and_no_further(void **state)
{
    (void)state;
    size_t checked = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        cat_test_each(cat_test_find("shuffle.types"), sizes[s], check_types, &checked);
    assert_true(checked > 500);
}

// The outcome of an output that is right but for one word.
static const char *spoilt(const char *name, uint64_t word, uint32_t xor)
{
    struct cat_case which;
    struct lit_error error = {0};
    if (!cat_case_parse(name, &which, &error))
        fail_msg("%s", error.message);
    const struct cat_oracle *oracle = which.test->oracle;
    const struct cat_args args = arguments(&which);
    struct cat_shape shape;
    static uint32_t input[ANY_SIZE], output[ANY_SIZE], expected[ANY_SIZE];
    assert_true(cat_oracle_shape(oracle, &args, &shape, &error));
    assert_true(shape.input_words <= ANY_SIZE);
    cat_oracle_input(oracle, &args, &shape, 1, input);
    cat_oracle_expect(oracle, &args, &shape, input, expected);
    memcpy(output, expected, sizeof output);
    output[word] ^= xor;
    struct cat_run run = {0};
    struct cat_failure failures[2];
    size_t count = 0;
    cat_mode_check(&(struct cat_mode){.check = oracle->check}, &shape, output, expected, 0, &run,
                   failures, 2, &count);
    assert_int_equal(run.failed, xor? 1 : 0);
    assert_int_equal(count, xor? 1 : 0);
    return xor? cat_outcome_name(oracle->check, failures[0].outcome) : "right";
}

static void a_wrong_word_is_seen(void **state)
{
    (void)state;
    static const char chain[] = "shuffle.chain/op=up,operand=constant,length=16,form=straight,"
                                "sync=none,pressure=none@workgroup=128,distance=1,subgroup=32";
    static const char types[] =
        "shuffle.types/"
        "op=shuffle,type=u64,width=scalar,pressure=none@workgroup=64,cluster=4,subgroup=32";
    assert_string_equal(spoilt(chain, 5 * 32 + 7, 0), "right");
    assert_string_equal(spoilt(chain, 5 * 32 + 7, 0x1), "wrong lane");
    assert_string_equal(spoilt(chain, 5 * 32 + 7, 0x100), "stale by 1"); // 5 became 4
    assert_string_equal(spoilt(types, 1, 0), "right");
    assert_string_equal(spoilt(types, 1, 0x80000000), "wrong"); // the upper half
    assert_string_equal(spoilt(types, 2, 1), "wrong");          // a word that nobody may write
    static const char numbers[] =
        "shuffle.types/"
        "op=first,type=number32,width=scalar,pressure=none@workgroup=64,cluster=4,subgroup=32";
    assert_string_equal(spoilt(numbers, 8 * 5, 0), "right");
    assert_string_equal(spoilt(numbers, 8 * 5, 1), "wrong");
}

static void places_have_names_and_impossible_ones_are_refused(void **state)
{
    (void)state;
    struct cat_case which;
    struct cat_shape shape;
    struct lit_error error = {0};
    char text[128];
    assert_true(cat_case_parse("shuffle.operations/op=clustered,operand=constant,value=shuffle,"
                               "reconvergence=default,pressure=none@workgroup=64,distance=1,"
                               "cluster=8,subgroup=4",
                               &which, &error));
    const struct cat_args args = arguments(&which);
    assert_false(cat_oracle_shape(cat_oracle_find("shuffle.exchange"), &args, &shape, &error));
    assert_string_equal(error.message, "a subgroup of 4 lanes has no cluster of 8");
    const struct cat_failure failure = {.instance = 17, .word = 7};
    cat_oracle_where(cat_oracle_find("shuffle.exchange"), &args, &shape, &failure, text,
                     sizeof text);
    assert_string_equal(text, "lane 3, step 1, subgroup 1 of workgroup 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lane_has_what_it_would_have_been_told),
        cmocka_unit_test(a_value_arrives_whole_and_no_further),
        cmocka_unit_test(a_wrong_word_is_seen),
        cmocka_unit_test(places_have_names_and_impossible_ones_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
