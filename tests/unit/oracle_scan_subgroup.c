// SPDX-License-Identifier: Apache-2.0
// The oracle of scan.subgroup, against the definition: each word is computed anew from the elements
// that it is made of, in the types themselves; sums of floats in several orders and under every
// direction of rounding, all of which must give what the oracle expects.
#include "unit.h"

#include "base/random.h"
#include "catalogue/catalogue.h"
#include "model/check.h"
#include "oracles/oracles.h"

#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 4 };

struct trial {
    const char *mode, *operation, *type;
    uint32_t subgroup, items;
};

static uint32_t slow_u32(const char *op, const uint32_t *from, uint64_t count)
{
    uint32_t all = !strcmp(op, "mul") ? 1 : !strcmp(op, "min") || !strcmp(op, "and") ? ~0u : 0;
    for (uint64_t i = count; i-- > 0;)
        all = !strcmp(op, "add")   ? all + from[i]
              : !strcmp(op, "mul") ? all * from[i]
              : !strcmp(op, "min") ? (from[i] < all ? from[i] : all)
              : !strcmp(op, "max") ? (from[i] > all ? from[i] : all)
              : !strcmp(op, "and") ? (all & from[i])
              : !strcmp(op, "or")  ? (all | from[i])
                                   : (all ^ from[i]);
    return all;
}

static uint32_t slow_i32(const char *op, const uint32_t *from, uint64_t count)
{
    int32_t all = !strcmp(op, "min") ? INT32_MAX : INT32_MIN;
    for (uint64_t i = count; i-- > 0;) {
        const int32_t value = (int32_t)from[i];
        all = (!strcmp(op, "min") ? value < all : value > all) ? value : all;
    }
    return (uint32_t)all;
}

static uint64_t slow_u64(const char *op, const uint32_t *from, uint64_t count)
{
    uint64_t all = !strcmp(op, "mul") ? 1 : !strcmp(op, "min") || !strcmp(op, "and") ? ~0ull : 0;
    for (uint64_t i = count; i-- > 0;) {
        const uint64_t value = from[2 * i] + ((uint64_t)from[2 * i + 1] << 32);
        all = !strcmp(op, "add")   ? all + value
              : !strcmp(op, "mul") ? all * value
              : !strcmp(op, "min") ? (value < all ? value : all)
              : !strcmp(op, "max") ? (value > all ? value : all)
              : !strcmp(op, "and") ? (all & value)
              : !strcmp(op, "or")  ? (all | value)
                                   : (all ^ value);
    }
    return all;
}

static float slow_combine(const char *op, float a, float b)
{
    volatile float result = !strcmp(op, "add")   ? a + b
                            : !strcmp(op, "mul") ? a * b
                            : !strcmp(op, "min") ? fminf(a, b)
                                                 : fmaxf(a, b);
    return result;
}

// Combines any two neighbours until one value is left. order 0 takes the first two, order 1 the
// last two, others draw.
static float slow_float(const char *op, const uint32_t *from, uint64_t count, uint64_t order)
{
    struct lit_random random = {order};
    float values[1024];
    if (!count)
        return !strcmp(op, "mul")   ? 1
               : !strcmp(op, "min") ? FLT_MAX
               : !strcmp(op, "max") ? -FLT_MAX
                                    : 0;
    assert_true(count <= 1024);
    memcpy(values, from, count * sizeof *values);
    while (count > 1) {
        const uint64_t at = order == 0   ? 0
                            : order == 1 ? count - 2
                                         : random_below(&random, count - 1);
        values[at] = slow_combine(op, values[at], values[at + 1]);
        memmove(values + at + 1, values + at + 2, (count - at - 2) * sizeof *values);
        count--;
    }
    return values[0];
}

static void expect_float(const struct trial *t, const uint32_t *from, uint64_t count, uint32_t want)
{
    static const int directions[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (size_t i = 0; i < 4; i++)
        for (uint64_t order = 0; order < 3; order++) {
            fesetround(directions[i]);
            const float value = slow_float(t->operation, from, count, order);
            fesetround(FE_TONEAREST);
            uint32_t word = 0;
            memcpy(&word, &value, sizeof word);
            assert_int_equal(strcmp(t->type, "f32") ? (uint32_t)value : word, want);
        }
}

// What one element of a row must be, which is made of the first `count` elements.
static void expect_element(const struct trial *t, const uint32_t *from, uint64_t count,
                           const uint32_t *want)
{
    if (!strcmp(t->type, "u32"))
        assert_int_equal(*want, slow_u32(t->operation, from, count));
    else if (!strcmp(t->type, "i32"))
        assert_int_equal(*want, slow_i32(t->operation, from, count));
    else if (!strcmp(t->type, "u64"))
        assert_true((want[0] | (uint64_t)want[1] << 32) == slow_u64(t->operation, from, count));
    else
        expect_float(t, from, count, *want);
}

static void parse(const struct trial *t, struct cat_case *which)
{
    struct lit_error error = {0};
    char name[256];
    snprintf(name, sizeof name,
             "scan.subgroup/mode=%s,operation=%s,type=%s,form=native,sync=none,"
             "reconvergence=default,pressure=none@workgroup=64,last-lane=last,items=%u,subgroup=%u",
             t->mode, t->operation, t->type, t->items, t->subgroup);
    if (!cat_case_parse(name, which, &error))
        fail_msg("%s", error.message);
}

static void check_corruption(const struct cat_oracle *oracle, const struct cat_shape *shape,
                             const uint32_t *expected)
{
    const uint64_t words = shape->instances * shape->words_per_instance;
    uint32_t *output = lit_alloc(words, sizeof *output);
    memcpy(output, expected, words * sizeof *output);
    struct cat_run run = {0};
    size_t count = 0;
    cat_mode_check(&(struct cat_mode){.check = oracle->check}, shape, output, expected, 0, &run,
                   NULL, 0, &count);
    assert_true(run.failed == 0);
    output[words / 2] ^= 1;
    run = (struct cat_run){0};
    cat_mode_check(&(struct cat_mode){.check = oracle->check}, shape, output, expected, 0, &run,
                   NULL, 0, &count);
    assert_true(run.failed == 1);
    free(output);
}

static void try_one(const struct trial *t)
{
    const struct cat_oracle *oracle = cat_oracle_find("scan.subgroup");
    struct cat_case which;
    parse(t, &which);
    const struct cat_args args = {
        .subgroup = t->subgroup, .workgroup = 2 * t->subgroup, .scale = 2, .which = &which};
    struct cat_shape shape;
    struct lit_error error = {0};
    assert_true(cat_oracle_shape(oracle, &args, &shape, &error));
    const uint64_t width = strcmp(t->type, "u64") ? 1 : 2;
    const uint64_t length = (uint64_t)t->subgroup * t->items;
    assert_int_equal(shape.instances, 4);
    assert_int_equal(shape.words_per_instance, ROUNDS * (length + 1) * width);
    const uint64_t words = shape.instances * shape.words_per_instance;
    assert_int_equal(shape.input_words, words);

    uint32_t *input = lit_alloc(words, sizeof *input);
    uint32_t *expected = lit_alloc(words, sizeof *expected);
    cat_oracle_input(oracle, &args, &shape, 17, input);
    cat_oracle_expect(oracle, &args, &shape, input, expected);
    for (uint64_t row = 0; row < 4 * ROUNDS; row++) {
        const uint32_t *from = input + row * (length + 1) * width;
        const uint32_t *want = expected + row * (length + 1) * width;
        for (uint64_t i = 0; i <= length; i++) {
            uint64_t count = i + !strcmp(t->mode, "inclusive");
            if (i == length || !strcmp(t->mode, "reduce"))
                count = length;
            if (width == 1 && length > 64 && i % 37 && i < length - 2)
                continue; // a sample is enough where every element takes many additions
            expect_element(t, from, count, want + i * width);
        }
    }
    check_corruption(oracle, &shape, expected);
    free(input);
    free(expected);
}

static void results_are_those_of_the_definition(void **state)
{
    (void)state;
    static const char *const modes[] = {"inclusive", "exclusive", "reduce"};
    static const char *const operations[] = {"add", "mul", "min", "max", "and", "or", "xor"};
    static const char *const types[] = {"u32", "i32", "f32", "f32-rounded", "u64"};
    static const unsigned operation_mask[] = {0x7f, 0x0c, 0x0f, 0x01, 0x7f};
    for (size_t mode = 0; mode < 3; mode++)
        for (size_t operation = 0; operation < 7; operation++)
            for (size_t type = 0; type < 5; type++) {
                if (!(operation_mask[type] >> operation & 1))
                    continue;
                struct trial t = {modes[mode], operations[operation], types[type], 8, 1};
                try_one(&t);
                t.items = 3;
                try_one(&t);
                t.subgroup = 128;
                t.items = 4;
                try_one(&t);
            }
}

// Every beginning of a row of f32-rounded is far from a whole number, and its additions do round.
static void rounded_sums_are_rounded_and_stay_clear(void **state)
{
    (void)state;
    const struct trial t = {"inclusive", "add", "f32-rounded", 128, 4};
    struct cat_case which;
    parse(&t, &which);
    const struct cat_args args = {.subgroup = 128, .workgroup = 128, .scale = 4, .which = &which};
    const struct cat_oracle *oracle = cat_oracle_find("scan.subgroup");
    struct cat_shape shape;
    struct lit_error error = {0};
    assert_true(cat_oracle_shape(oracle, &args, &shape, &error));
    uint32_t *input = lit_alloc(shape.input_words, sizeof *input);
    cat_oracle_input(oracle, &args, &shape, 5, input);
    unsigned rounded = 0;
    for (uint64_t row = 0; row < 16; row++) {
        double sum = 0;
        float in_floats = 0;
        for (uint64_t i = 0; i < 512; i++) {
            float item = 0;
            memcpy(&item, input + row * 513 + i, sizeof item);
            assert_true(item > 0.4f && item < 8.2f);
            sum += (double)item;
            in_floats += item;
            rounded += (double)in_floats != sum;
            assert_true(fabs(sum - floor(sum) - 0.5) <= 1.0 / 16);
        }
        assert_true((pow(1 + 0x1p-23, 511) - 1) * sum < 7.0 / 16);
    }
    assert_true(rounded > 1000);
    free(input);
}

static void a_failure_is_located(void **state)
{
    (void)state;
    const struct trial t = {"inclusive", "add", "u64", 32, 2};
    struct cat_case which;
    parse(&t, &which);
    const struct cat_args args = {.subgroup = 32, .workgroup = 64, .scale = 1, .which = &which};
    const struct cat_oracle *oracle = cat_oracle_find("scan.subgroup");
    struct cat_shape shape;
    struct lit_error error = {0};
    char text[80];
    assert_true(cat_oracle_shape(oracle, &args, &shape, &error));
    cat_oracle_where(oracle, &args, &shape, &(struct cat_failure){.word = 2 * (65 + 5) + 1}, text,
                     sizeof text);
    assert_string_equal(text, "round 1, lane 2, item 1");
    cat_oracle_where(oracle, &args, &shape, &(struct cat_failure){.word = 2 * 64}, text,
                     sizeof text);
    assert_string_equal(text, "round 0, the total that the last lane stored");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_those_of_the_definition),
        cmocka_unit_test(rounded_sums_are_rounded_and_stay_clear),
        cmocka_unit_test(a_failure_is_located),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
