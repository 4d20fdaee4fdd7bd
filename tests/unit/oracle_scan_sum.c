// SPDX-License-Identifier: Apache-2.0
// The oracles of scan.vector-sum and scan.vector-sum-grid, against sums added up anew: those of
// floats in the order of a tree and one after the other, under every direction of rounding, all of
// which must give what the oracle expects.
#include "unit.h"

#include "catalogue/catalogue.h"
#include "model/check.h"
#include "oracles/oracles.h"

#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct trial {
    struct cat_case which;
    struct cat_args args;
    struct cat_shape shape;
    const struct cat_oracle *oracle;
    uint32_t *input, *expected;
};

static void begin(struct trial *t, const char *test, const char *name)
{
    struct lit_error error = {0};
    memset(t, 0, sizeof *t);
    if (!cat_case_parse(name, &t->which, &error))
        fail_msg("%s", error.message);
    t->args = (struct cat_args){.subgroup = 32, .workgroup = 128, .scale = 3, .which = &t->which};
    t->oracle = cat_oracle_find(test);
    assert_non_null(t->oracle);
    assert_true(cat_oracle_shape(t->oracle, &t->args, &t->shape, &error));
    t->input = lit_alloc(t->shape.input_words, sizeof *t->input);
    t->expected = lit_alloc(t->shape.instances * t->shape.words_per_instance, sizeof *t->expected);
    cat_oracle_input(t->oracle, &t->args, &t->shape, 17, t->input);
    cat_oracle_expect(t->oracle, &t->args, &t->shape, t->input, t->expected);
}

// Corrupts the first word of what is expected, and sees one instance fail.
static void end(struct trial *t)
{
    const uint64_t words = t->shape.instances * t->shape.words_per_instance;
    uint32_t *output = lit_alloc(words, sizeof *output);
    memcpy(output, t->expected, words * sizeof *output);
    for (unsigned wrong = 0; wrong < 2; wrong++) {
        output[0] += wrong;
        struct cat_run run = {0};
        size_t count = 0;
        cat_mode_check(&(struct cat_mode){.check = t->oracle->check}, &t->shape, output,
                       t->expected, 0, &run, NULL, 0, &count);
        assert_int_equal(run.failed, wrong);
    }
    free(output);
    free(t->input);
    free(t->expected);
}

static float one_after_the_other(const uint32_t *words, uint32_t count)
{
    volatile float sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        float item = 0;
        memcpy(&item, words + i, sizeof item);
        sum += item;
    }
    return sum;
}

static float in_a_tree(const uint32_t *words, uint32_t count)
{
    if (count < 2)
        return one_after_the_other(words, count);
    volatile float sum =
        in_a_tree(words, count / 2) + in_a_tree(words + count / 2, count - count / 2);
    return sum;
}

static uint32_t stored(float sum, bool rounded)
{
    uint32_t word = (uint32_t)(sum / 64);
    if (!rounded)
        memcpy(&word, &sum, sizeof word);
    return word;
}

static void expect_floats(const uint32_t *words, uint32_t count, bool rounded, uint32_t want)
{
    static const int directions[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (size_t i = 0; i < 4; i++) {
        fesetround(directions[i]);
        const float serial = one_after_the_other(words, count), tree = in_a_tree(words, count);
        fesetround(FE_TONEAREST);
        assert_int_equal(stored(serial, rounded), want);
        assert_int_equal(stored(tree, rounded), want);
    }
}

static void try_vector(const char *type, uint32_t elements)
{
    struct trial t;
    char name[200];
    snprintf(name, sizeof name,
             "scan.vector-sum/type=%s,load=vector,form=native,barriers=all,pressure=none@"
             "workgroup=128,last-lane=last,elements=%u,subgroup=32",
             type, (unsigned)elements);
    begin(&t, "scan.vector-sum", name);
    const uint32_t stride = (elements + 3) / 4 * 4;
    assert_int_equal(t.shape.instances, 3);
    assert_int_equal(t.shape.words_per_instance, 1);
    assert_int_equal(t.shape.input_words, 3 * stride);
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t *words = t.input + (uint64_t)i * stride;
        for (uint32_t at = elements; at < stride; at++)
            assert_int_equal(words[at], 0);
        if (!strcmp(type, "u32")) {
            uint64_t sum = 0;
            for (uint32_t at = elements; at-- > 0;)
                sum += words[at];
            assert_int_equal(t.expected[i], (uint32_t)sum);
        } else {
            expect_floats(words, elements, strcmp(type, "f32") != 0, t.expected[i]);
        }
    }
    end(&t);
}

static void vector_sums_do_not_depend_on_the_order(void **state)
{
    (void)state;
    static const uint32_t counts[] = {1, 33, 1000, 1024, 4096};
    for (size_t i = 0; i < 5; i++) {
        try_vector("u32", counts[i]);
        try_vector("f32", counts[i]);
        try_vector("f32-rounded", counts[i]);
    }
}

// The exact sums of f32-rounded are farther from a multiple of 64 than any rounding takes them, and
// additions do round.
static void rounded_sums_stay_clear(void **state)
{
    (void)state;
    struct trial t;
    begin(&t, "scan.vector-sum",
          "scan.vector-sum/type=f32-rounded,load=vector,form=native,barriers=all,pressure=none@"
          "workgroup=128,last-lane=last,elements=4096,subgroup=32");
    for (uint32_t i = 0; i < 3; i++) {
        double sum = 0;
        for (uint32_t at = 0; at < 4096; at++) {
            float item = 0;
            memcpy(&item, t.input + (uint64_t)i * 4096 + at, sizeof item);
            assert_true(item >= 0 && item < 64);
            sum += (double)item;
        }
        const double rest = fmod(sum, 64);
        const double bound = (pow(1 + 0x1p-23, 4095) - 1) * sum;
        assert_true(bound < 17);
        assert_true(rest > bound && 64 - rest > bound);
        assert_true((double)one_after_the_other(t.input + (uint64_t)i * 4096, 4096) != sum);
    }
    end(&t);
}

static void the_grid_sums_all(void **state)
{
    (void)state;
    static const uint32_t counts[] = {1, 512, 4096, 30011};
    for (size_t i = 0; i < 4; i++) {
        struct trial t;
        char name[200];
        snprintf(name, sizeof name,
                 "scan.vector-sum-grid/combine=partials,order=acquire-release,handover=buffers,"
                 "memory-model=glsl,pressure=none@workgroup=128,last-lane=last,elements=%u,"
                 "subgroup=32",
                 (unsigned)counts[i]);
        begin(&t, "scan.vector-sum-grid", name);
        const uint32_t tiles = (counts[i] + 511) / 512;
        assert_int_equal(t.shape.workgroups, tiles);
        assert_int_equal(t.shape.state_words, 3 + tiles);
        uint64_t sum = 0;
        for (uint32_t at = counts[i]; at-- > 0;)
            sum += t.input[at];
        assert_int_equal(t.expected[0], (uint32_t)sum);
        for (uint64_t at = 1; at < t.shape.words_per_instance; at++)
            assert_int_equal(t.expected[at], CAT_POISON);
        char text[80];
        cat_oracle_where(t.oracle, &t.args, &t.shape, &(struct cat_failure){.word = 1}, text,
                         sizeof text);
        assert_string_equal(text, "guard word 0 behind the sum");
        end(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vector_sums_do_not_depend_on_the_order),
        cmocka_unit_test(rounded_sums_stay_clear),
        cmocka_unit_test(the_grid_sums_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
