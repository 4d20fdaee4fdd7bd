// SPDX-License-Identifier: Apache-2.0
// The oracles of the look-back scans, against the definition: each word is the sum of all input
// words up to itself, added up by tiles from the end; behind them lies a guard; and no encoding
// overflows.
#include "unit.h"

#include "catalogue/catalogue.h"
#include "model/check.h"
#include "device/device.h"
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
             ",pressure=none@workgroup=%u,elements=%u,subgroup=32",
             encoding, workgroup, elements);
    struct lit_error error = {0};
    if (!cat_case_parse(name, &made->which, &error))
        fail_msg("%s", error.message);
    made->args = (struct cat_args){
        .subgroup = 32, .workgroup = workgroup, .scale = 8, .which = &made->which};
    assert_true(
        cat_oracle_shape(cat_oracle_find("lookback.scan"), &made->args, &made->shape, &error));
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
    cat_oracle_input(cat_oracle_find("lookback.scan"), &made.args, shape, 23, input);
    cat_oracle_expect(cat_oracle_find("lookback.scan"), &made.args, shape, input, expected);

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
    static const char *const encodings[] = {"word64", "word32", "flag-payload", "split",
                                            "unordered"};
    static const uint32_t edges[] = {0, 1, 255, 512, 1000};
    static const uint32_t many[] = {30011, 65536, 1048576};
    for (size_t e = 0; e < 4; e++)
        for (size_t n = 0; n < sizeof edges / sizeof *edges; n++)
            try_configuration(encodings[e], 128, edges[n]);
    for (size_t e = 0; e < 5; e++)
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
    configure(&made, "split", 128, 1000);
    assert_int_equal(made.shape.state_words, 2 + 2 * 2);
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
    cat_oracle_where(cat_oracle_find("lookback.scan"), &made.args, &made.shape,
                     &(struct cat_failure){.word = 512 + 33 * 4 + 2}, text, sizeof text);
    assert_string_equal(text, "element 646: tile 1 of 2, subgroup 1, lane 1, item 2");
    cat_oracle_where(cat_oracle_find("lookback.scan"), &made.args, &made.shape,
                     &(struct cat_failure){.word = 1005}, text, sizeof text);
    assert_string_equal(text, "guard word 5 behind the output");
}

// As large as the device allows: by its buffers, or by the workgroups of a dispatch.
static void the_largest_fits(void **state)
{
    (void)state;
    static const char name[] = "lookback.scan/encoding=word64,memory-model=glsl,walk=lane,"
                               "reconvergence=default,pressure=none@workgroup=1024,"
                               "elements=largest,subgroup=32";
    static const struct {
        uint64_t words, buffer;
        uint32_t workgroups, elements;
    } devices[] = {
        {0, 1u << 27, 0, (1u << 25) - 64}, // not asked: Vulkan's minimum
        {(1u << 30) - 1, UINT32_MAX, INT32_MAX, (1u << 30) - 65},
        {(1u << 30) - 1, UINT32_MAX, 65535, 65535u * 4096},
        {UINT64_C(1) << 40, UINT64_C(1) << 42, UINT32_MAX, INT32_MAX},
    };
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        struct configuration made;
        struct lit_error error = {0};
        if (!cat_case_parse(name, &made.which, &error))
            fail_msg("%s", error.message);
        made.args = (struct cat_args){.subgroup = 32,
                                      .workgroup = 1024,
                                      .scale = 256,
                                      .which = &made.which,
                                      .most_words = devices[i].words,
                                      .most_workgroups = devices[i].workgroups};
        const struct cat_oracle *oracle = made.which.test->oracle;
        assert_true(cat_oracle_shape(oracle, &made.args, &made.shape, &error));
        assert_int_equal(made.shape.elements, devices[i].elements);
        assert_int_equal(made.shape.workgroups, (devices[i].elements + UINT64_C(4095)) / 4096);
        const struct dev_facts facts = {.max_storage_buffer = devices[i].buffer,
                                        .max_workgroups =
                                            devices[i].workgroups ? devices[i].workgroups : 65535};
        if (!dev_shape_fits(&facts, CAT_CHECK_EQUAL, &made.shape, &error))
            fail_msg("%s", error.message);

        made.args.scale = 8;
        assert_false(cat_oracle_shape(oracle, &made.args, &made.shape, &error));
        assert_string_equal(error.message, "more than 1048576 elements take a CPU too long");
    }
}

// The smaller scans, by name.

static const struct cat_oracle *configure_name(struct configuration *made, const char *name,
                                               uint32_t scale)
{
    struct lit_error error = {0};
    if (!cat_case_parse(name, &made->which, &error))
        fail_msg("%s", error.message);
    made->args = (struct cat_args){.subgroup = 8, .scale = scale, .which = &made->which};
    made->args.workgroup = cat_value(&made->args, "workgroup");
    const struct cat_oracle *oracle = made->which.test->oracle;
    if (!cat_oracle_shape(oracle, &made->args, &made->shape, &error))
        fail_msg("%s", error.message);
    return oracle;
}

// A look-back scan as it is meant, workgroup by workgroup: each tile is summed up by itself, all
// tiles before it are added from the nearest on, and then one element after the other.
static void look_back(const uint32_t *input, uint64_t elements, uint64_t tile, uint32_t *output)
{
    const uint64_t tiles = (elements + tile - 1) / tile;
    uint32_t *sums = lit_alloc(tiles + 1, sizeof *sums);
    for (uint64_t i = 0; i < elements; i++)
        sums[i / tile] += input[i];
    for (uint64_t t = 0; t < tiles; t++) {
        uint32_t before = 0;
        for (uint64_t nearest = t; nearest-- > 0;)
            before += sums[nearest];
        for (uint64_t i = t * tile; i < elements && i < (t + 1) * tile; i++)
            output[i] = before += input[i];
    }
    for (uint64_t i = 0; i < 64; i++)
        output[elements + i] = CAT_POISON;
    free(sums);
}

static uint64_t failures_of(const struct cat_shape *shape, const uint32_t *output,
                            const uint32_t *expected, struct cat_failure *failure)
{
    struct cat_run run;
    size_t count = 0;
    cat_mode_check(&(struct cat_mode){.check = CAT_CHECK_EQUAL}, shape, output, expected, 0, &run,
                   failure, 1, &count);
    assert_int_equal(count, run.failed);
    return run.failed;
}

static void try_name(const char *name, uint64_t elements, uint64_t tile, uint64_t before,
                     uint64_t words, bool packed)
{
    struct configuration made;
    const struct cat_oracle *oracle = configure_name(&made, name, 8);
    const struct cat_shape *shape = &made.shape;
    assert_int_equal(shape->elements, elements);
    assert_int_equal(shape->input_words, elements);
    assert_int_equal(shape->workgroups, (elements + tile - 1) / tile);
    assert_int_equal(shape->state_words, before + shape->workgroups * words);
    assert_int_equal(shape->instances, 1);
    assert_int_equal(shape->words_per_instance, elements + 64);

    uint32_t *input = lit_alloc(elements, sizeof *input);
    uint32_t *expected = lit_alloc(elements + 64, sizeof *expected);
    uint32_t *output = lit_alloc(elements + 64, sizeof *output);
    cat_oracle_input(oracle, &made.args, shape, 5, input);
    cat_oracle_expect(oracle, &made.args, shape, input, expected);
    look_back(input, elements, tile, output);

    uint64_t total = 0;
    for (uint64_t i = 0; i < elements; i++)
        total += input[i];
    assert_true(!packed || total < UINT64_C(1) << 30);
    assert_true(elements < 100 || total > elements); // something to add up

    // Right; then each kind of damage is seen where it is.
    struct cat_failure failure;
    assert_int_equal(failures_of(shape, output, expected, &failure), 0);
    const uint64_t places[] = {0, elements / 2, elements - 1, elements, elements + 63};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const uint32_t kept = output[places[i]];
        output[places[i]] ^= 1;
        assert_int_equal(failures_of(shape, output, expected, &failure), 1);
        assert_int_equal(failure.word, places[i]);
        output[places[i]] = kept;
    }
    free(input);
    free(expected);
    free(output);
}

static void smaller_scans_are_scans(void **state)
{
    (void)state;
    try_name("lookback.order/tiles=ticket@workgroup=64,groups=12", 96, 1, 2, 1, true);
    try_name("lookback.order/tiles=permuted@workgroup=256,groups=96", 768, 1, 2, 1, true);
    try_name(
        "lookback.fallback/fallback=workgroup,insert=max@workgroup=64,withheld=8,elements=2001",
        2001, 64, 2, 1, true);
    try_name("lookback.fallback/fallback=lane,insert=max@workgroup=64,withheld=0,elements=65", 65,
             64, 2, 1, true);
    try_name("lookback.levien-2020/access=plain,form=ssa@workgroup=64,rows=4,elements=3001", 3001,
             256, 4, 4, false);
    try_name("lookback.levien-2020/access=atomic,form=ssa@workgroup=256,rows=16,elements=30011",
             30011, 4096, 4, 4, false);
    try_name("lookback.levien-2021/memory-model=vulkan,barriers=two@workgroup=64,elements=2001",
             2001, 64, 4, 4, false);
}

// Each tile is taken once, whatever number of workgroups a device gets.
static void the_permutation_is_one(void **state)
{
    (void)state;
    static const uint32_t scales[] = {1, 8, 256};
    static const char *const names[] = {
        "lookback.order/tiles=permuted@workgroup=64,groups=1",
        "lookback.order/tiles=permuted@workgroup=64,groups=4",
        "lookback.order/tiles=permuted@workgroup=64,groups=12",
        "lookback.order/tiles=permuted@workgroup=64,groups=96",
    };
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
            struct configuration made;
            configure_name(&made, names[n], scales[s]);
            const uint32_t count = made.shape.workgroups;
            bool *taken = lit_alloc(count, sizeof *taken);
            for (uint32_t i = 0; i < count; i++) {
                const uint32_t tile = i * 419 % count;
                assert_false(taken[tile]);
                taken[tile] = true;
            }
            free(taken);
        }
}

static void places_have_names(void **state)
{
    (void)state;
    struct configuration made;
    char text[96];
    const struct cat_oracle *oracle =
        configure_name(&made, "lookback.order/tiles=id@workgroup=64,groups=1", 8);
    cat_oracle_where(oracle, &made.args, &made.shape, &(struct cat_failure){.word = 3}, text,
                     sizeof text);
    assert_string_equal(text, "tile 3 of 8");
    cat_oracle_where(oracle, &made.args, &made.shape, &(struct cat_failure){.word = 8}, text,
                     sizeof text);
    assert_string_equal(text, "guard word 0 behind the output");
    oracle = configure_name(
        &made, "lookback.fallback/fallback=lane,insert=max@workgroup=64,withheld=8,elements=2001",
        8);
    cat_oracle_where(oracle, &made.args, &made.shape, &(struct cat_failure){.word = 64 * 3 + 17},
                     text, sizeof text);
    assert_string_equal(text, "element 209: tile 3 of 32, subgroup 2, lane 1");
    oracle = configure_name(
        &made, "lookback.levien-2020/access=plain,form=ssa@workgroup=64,rows=4,elements=3001", 8);
    // The second subgroup's elements of a tile begin behind the 4 rows of 8 of the first.
    cat_oracle_where(oracle, &made.args, &made.shape,
                     &(struct cat_failure){.word = 256 + 32 + 8 * 3 + 5}, text, sizeof text);
    assert_string_equal(text, "element 317: tile 1 of 12, subgroup 1, row 3, lane 5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_the_definition),
        cmocka_unit_test(state_holds_what_a_tile_publishes),
        cmocka_unit_test(a_failure_is_located),
        cmocka_unit_test(the_largest_fits),
        cmocka_unit_test(smaller_scans_are_scans),
        cmocka_unit_test(the_permutation_is_one),
        cmocka_unit_test(places_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
