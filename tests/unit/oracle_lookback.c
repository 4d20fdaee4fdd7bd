// SPDX-License-Identifier: Apache-2.0
// The oracle of lookback.scan, against the definition: each word is the sum of all input words up
// to itself, added up by tiles from the end; behind them lies a guard; and no encoding overflows.
#include "unit.h"

#include "catalogue/catalogue.h"
#include "oracles/oracles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct configuration {
    struct cat_case which;
    struct cat_args args;
    struct cat_shape shape;
};

static void configure(struct configuration *made, const char *encoding, uint32_t workgroup,
                      uint32_t elements)
{
    char name[200];
    snprintf(name, sizeof name,
             "lookback.scan/encoding=%s,memory-model=glsl,walk=lane,reconvergence=default"
             "@workgroup=%u,elements=%u,subgroup=32",
             encoding, workgroup, elements);
    struct lit_error error = {0};
    if (!cat_case_parse(name, &made->which, &error))
        fail_msg("%s", error.message);
    made->args = (struct cat_args){
        .subgroup = 32, .workgroup = workgroup, .scale = 8, .which = &made->which};
    assert_true(cat_oracle_find("lookback.scan")->shape(&made->args, &made->shape, &error));
}

static void try_configuration(const char *encoding, uint32_t workgroup, uint32_t elements)
{
    struct configuration made;
    configure(&made, encoding, workgroup, elements);
    const struct cat_shape *shape = &made.shape;
    const uint64_t tile = workgroup * 4;
    assert_int_equal(shape->elements, elements);
    assert_int_equal(shape->input_words, elements);
    assert_int_equal(shape->instances, 1);
    assert_int_equal(shape->words_per_instance, elements + 64);
    assert_true(shape->workgroups * tile >= elements);
    assert_true(shape->workgroups == 0 || (shape->workgroups - 1) * tile < elements);
    assert_true(shape->state_words >= 2 + shape->workgroups);

    uint32_t *input = lit_alloc(elements + 1, sizeof *input);
    uint32_t *expected = lit_alloc(elements + 64, sizeof *expected);
    cat_oracle_find("lookback.scan")->input(&made.args, shape, 23, input);
    cat_oracle_find("lookback.scan")->expect(&made.args, shape, input, expected);

    uint64_t total = 0;
    for (uint32_t i = 0; i < elements; i++)
        total += input[i];
    if (!strcmp(encoding, "word32"))
        assert_true(total < UINT64_C(1) << 30);
    for (uint32_t i = elements; i-- > 0;) {
        assert_int_equal(expected[i], (uint32_t)total);
        total -= input[i];
    }
    assert_int_equal(total, 0);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(expected[elements + i], CAT_POISON);
    free(input);
    free(expected);
}

static void sums_are_those_of_the_definition(void **state)
{
    (void)state;
    static const char *const encodings[] = {"word64", "word32", "flag-payload", "unordered"};
    static const uint32_t edges[] = {0, 1, 255, 512, 1000};
    static const uint32_t many[] = {30011, 65536, 1048576};
    for (size_t e = 0; e < 3; e++)
        for (size_t n = 0; n < sizeof edges / sizeof *edges; n++)
            try_configuration(encodings[e], 128, edges[n]);
    for (size_t e = 0; e < 4; e++)
        for (size_t n = 0; n < sizeof many / sizeof *many; n++) {
            try_configuration(encodings[e], 128, many[n]);
            try_configuration(encodings[e], 1024, many[n]);
        }
}

static void state_holds_what_a_tile_publishes(void **state)
{
    (void)state;
    struct configuration made;
    configure(&made, "word64", 128, 1000); // two tiles
    assert_int_equal(made.shape.state_words, 2 + 2 * 2);
    configure(&made, "word32", 128, 1000);
    assert_int_equal(made.shape.state_words, 2 + 2 * 1);
    configure(&made, "flag-payload", 128, 1000);
    assert_int_equal(made.shape.state_words, 2 + 2 * 4);
    configure(&made, "word32", 128, 0);
    assert_int_equal(made.shape.workgroups, 0);
    assert_int_equal(made.shape.state_words, 2);
}

static void a_failure_is_located(void **state)
{
    (void)state;
    struct configuration made;
    configure(&made, "word64", 128, 1000);
    char text[80];
    cat_oracle_find("lookback.scan")
        ->where(&made.args, &made.shape, &(struct cat_failure){.word = 512 + 33 * 4 + 2}, text,
                sizeof text);
    assert_string_equal(text, "element 646: tile 1 of 2, subgroup 1, lane 1, item 2");
    cat_oracle_find("lookback.scan")
        ->where(&made.args, &made.shape, &(struct cat_failure){.word = 1005}, text, sizeof text);
    assert_string_equal(text, "guard word 5 behind the output");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_the_definition),
        cmocka_unit_test(state_holds_what_a_tile_publishes),
        cmocka_unit_test(a_failure_is_located),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
