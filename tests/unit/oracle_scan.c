// SPDX-License-Identifier: Apache-2.0
// The oracle of scan.workgroup, against the definition: each word is the sum of the input words of
// its workgroup up to itself, before itself, or all, added up anew for each word.
#include "unit.h"

#include "catalogue/catalogue.h"
#include "oracles/oracles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t slow_sum(const uint32_t *input, uint64_t count)
{
    uint64_t sum = 0;
    for (uint64_t i = count; i-- > 0;)
        sum += input[i];
    return (uint32_t)sum;
}

static void try_configuration(const char *mode, uint32_t items, uint32_t workgroup)
{
    char name[200];
    snprintf(name, sizeof name,
             "scan.workgroup/mode=%s,operation=native,items=%u,sync=none,totals=first,"
             "reconvergence=default,pressure=none@workgroup=%u,subgroup=32",
             mode, items, workgroup);
    struct cat_case which;
    struct lit_error error = {0};
    if (!cat_case_parse(name, &which, &error))
        fail_msg("%s", error.message);

    const struct cat_oracle *oracle = cat_oracle_find("scan.workgroup");
    const struct cat_args args = {
        .subgroup = 32, .workgroup = workgroup, .scale = 3, .which = &which};
    struct cat_shape shape;
    assert_true(cat_oracle_shape(oracle, &args, &shape, &error));
    const uint64_t words = (uint64_t)workgroup * items;
    assert_int_equal(shape.workgroups, 3);
    assert_int_equal(shape.instances, 3);
    assert_int_equal(shape.words_per_instance, words);
    assert_int_equal(shape.input_words, 3 * words);
    assert_true(shape.state_words >= 1);

    uint32_t *input = lit_alloc(shape.input_words, sizeof *input);
    uint32_t *other = lit_alloc(shape.input_words, sizeof *other);
    uint32_t *expected = lit_alloc(3 * words, sizeof *expected);
    cat_oracle_input(oracle, &args, &shape, 17, input);
    cat_oracle_input(oracle, &args, &shape, 17, other);
    assert_memory_equal(input, other, 3 * words * sizeof *input);
    cat_oracle_input(oracle, &args, &shape, 18, other);
    assert_memory_not_equal(input, other, 3 * words * sizeof *input);

    cat_oracle_expect(oracle, &args, &shape, input, expected);
    for (uint64_t i = 0; i < 3 * words; i++) {
        const uint64_t begin = i / words * words;
        uint64_t count = words;
        if (strcmp(mode, "reduce"))
            count = i - begin + !strcmp(mode, "inclusive");
        assert_int_equal(expected[i], slow_sum(input + begin, count));
    }
    free(input);
    free(other);
    free(expected);
}

static void sums_are_those_of_the_definition(void **state)
{
    (void)state;
    static const char *const modes[] = {"inclusive", "exclusive", "reduce"};
    for (size_t i = 0; i < 3; i++)
        for (uint32_t items = 1; items <= 4; items++) {
            try_configuration(modes[i], items, 64);
            try_configuration(modes[i], items, 256);
        }
}

static void a_failure_is_located(void **state)
{
    (void)state;
    struct cat_case which;
    struct lit_error error = {0};
    if (!cat_case_parse("scan.workgroup/mode=inclusive,operation=native,items=4,sync=none,"
                        "totals=first,reconvergence=default,pressure=none@workgroup=64,subgroup=32",
                        &which, &error))
        fail_msg("%s", error.message);
    const struct cat_args args = {.subgroup = 32, .workgroup = 64, .scale = 1, .which = &which};
    struct cat_shape shape;
    char text[80];
    assert_true(cat_oracle_shape(cat_oracle_find("scan.workgroup"), &args, &shape, &error));
    cat_oracle_where(cat_oracle_find("scan.workgroup"), &args, &shape,
                     &(struct cat_failure){.word = 33 * 4 + 2}, text, sizeof text);
    assert_string_equal(text, "subgroup 1, lane 1, item 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_the_definition),
        cmocka_unit_test(a_failure_is_located),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
