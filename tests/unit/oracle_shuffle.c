// SPDX-License-Identifier: Apache-2.0
// The oracle of shuffle.scan-loop against the definition of each operation over a set of words,
// worked out for every place from the words alone.
#include "unit.h"

#include "base/text.h"
#include "catalogue/catalogue.h"
#include "oracles/oracles.h"

#include <stdlib.h>
#include <string.h>

#define WORDS 1024u
#define SCALE 2u

static const uint32_t sizes[] = {4, 8, 16, 32, 64, 128};
static const char *const names[] = {"and", "xor", "or", "add", "mul", "min", "max"};

static uint32_t count_bit(const uint32_t *words, uint32_t count, uint32_t bit)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < count; i++)
        set += words[i] >> bit & 1;
    return set;
}

// Bit by bit: all, an odd number, or any of the words have it.
static uint32_t by_bits(const char *name, const uint32_t *words, uint32_t count)
{
    uint32_t result = 0;
    for (uint32_t bit = 0; bit < 32; bit++) {
        const uint32_t set = count_bit(words, count, bit);
        const bool is_set = !strcmp(name, "and")   ? set == count
                            : !strcmp(name, "xor") ? set % 2
                                                   : set > 0;
        result |= (uint32_t)is_set << bit;
    }
    return result;
}

// The word that no other is beyond; of no words, the one that all others are beyond.
static uint32_t extreme(bool least, const uint32_t *words, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t beyond = 0;
        for (uint32_t j = 0; j < count; j++)
            beyond += least ? words[j] < words[i] : words[j] > words[i];
        if (!beyond)
            return words[i];
    }
    return least ? UINT32_MAX : 0;
}

static uint32_t over(const char *name, const uint32_t *words, uint32_t count)
{
    if (!strcmp(name, "min") || !strcmp(name, "max"))
        return extreme(!strcmp(name, "min"), words, count);
    if (strcmp(name, "add") && strcmp(name, "mul"))
        return by_bits(name, words, count);
    uint64_t sum = 0, product = 1;
    for (uint32_t i = count; i-- > 0;) {
        sum += words[i];
        product = product * words[i] % (UINT64_C(1) << 32);
    }
    return (uint32_t)(strcmp(name, "add") ? product : sum % (UINT64_C(1) << 32));
}

static uint32_t definition(const struct cat_args *args, const char *name, const uint32_t *words,
                           uint32_t place)
{
    if (cat_axis_is(args, "mode", "inclusive"))
        return over(name, words, place + 1);
    if (cat_axis_is(args, "mode", "exclusive"))
        return over(name, words, place);
    const uint32_t start = place / args->subgroup * args->subgroup;
    const uint32_t both[] = {over(name, words, WORDS), over(name, words + start, args->subgroup)};
    return over(name, both, 2);
}

static struct cat_args arguments(const struct cat_case *which)
{
    struct cat_args args = {.subgroup = which->subgroup, .scale = SCALE, .which = which};
    args.workgroup = cat_value(&args, "workgroup");
    return args;
}

// What the oracle says of a case does not depend on the axes about the code: one value of each will
// do.
static bool stands_for_all(const struct cat_args *args)
{
    return cat_axis_is(args, "sync", "none") && cat_axis_is(args, "reconvergence", "default") &&
           cat_axis_is(args, "access", "descriptor") && cat_axis_is(args, "form", "variables");
}

static void check_case(const struct cat_case *which, void *user)
{
    const struct cat_oracle *oracle = cat_oracle_find("shuffle.scan-loop");
    const struct cat_args args = arguments(which);
    struct cat_shape shape;
    struct lit_error error;
    if (!stands_for_all(&args) || args.workgroup % args.subgroup)
        return;
    assert_true(cat_oracle_shape(oracle, &args, &shape, &error));
    const bool seven = cat_axis_is(&args, "op", "seven");
    assert_int_equal(shape.workgroups, SCALE);
    assert_int_equal(shape.elements, SCALE * WORDS);
    assert_int_equal(shape.input_words, SCALE * WORDS);
    assert_int_equal(shape.instances, seven ? 7 * SCALE : SCALE);
    assert_int_equal(shape.words_per_instance, WORDS);

    uint32_t *input = lit_alloc(shape.input_words, sizeof *input);
    uint32_t *expected = lit_alloc(shape.instances * WORDS, sizeof *expected);
    cat_oracle_input(oracle, &args, &shape, 7, input);
    cat_oracle_expect(oracle, &args, &shape, input, expected);
    for (uint64_t i = 0; i < shape.instances; i++) {
        const char *name = seven ? names[i / SCALE] : "add";
        const uint32_t *words = input + i % SCALE * WORDS;
        for (uint32_t place = 0; place < WORDS; place += place < 40 ? 1 : 41)
            assert_int_equal(expected[i * WORDS + place], definition(&args, name, words, place));
        assert_int_equal(expected[i * WORDS + WORDS - 1],
                         definition(&args, name, words, WORDS - 1));
    }
    free(input);
    free(expected);
    ++*(size_t *)user;
}

static void every_place_holds_what_the_operation_makes_of_its_words(void **state)
{
    (void)state;
    const struct cat_test *test = cat_test_find("shuffle.scan-loop");
    assert_non_null(test);
    size_t checked = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        cat_test_each(test, sizes[s], check_case, &checked);
    assert_true(checked >= 4 * sizeof sizes / sizeof *sizes);
}

// A result that stays the same for long would hide a missing or repeated element.
static void check_input(const struct cat_case *which, void *user)
{
    const struct cat_args args = arguments(which);
    struct cat_shape shape;
    if (!stands_for_all(&args) || !cat_axis_is(&args, "op", "seven") || args.workgroup != 64)
        return;
    assert_true(cat_oracle_shape(cat_oracle_find("shuffle.scan-loop"), &args, &shape, NULL));
    uint32_t *input = lit_alloc(shape.input_words, sizeof *input);
    uint32_t *expected = lit_alloc(shape.instances * WORDS, sizeof *expected);
    cat_oracle_input(cat_oracle_find("shuffle.scan-loop"), &args, &shape, 11, input);
    cat_oracle_expect(cat_oracle_find("shuffle.scan-loop"), &args, &shape, input, expected);
    for (uint64_t i = 0; i < shape.instances; i++) {
        uint32_t changes = 0;
        for (uint32_t place = 1; place < WORDS; place++)
            changes += expected[i * WORDS + place] != expected[i * WORDS + place - 1];
        const char *name = names[i / SCALE];
        const bool keeps_all = !strcmp(name, "xor") || !strcmp(name, "add") || !strcmp(name, "mul");
        assert_true(changes >= (keeps_all ? WORDS - 2 : 1));
    }
    free(input);
    free(expected);
    ++*(size_t *)user;
}

static void the_input_keeps_every_operation_busy(void **state)
{
    (void)state;
    size_t checked = 0;
    cat_test_each(cat_test_find("shuffle.scan-loop"), 32, check_input, &checked);
    assert_int_equal(checked, 1);
}

static void a_failing_word_is_located(void **state)
{
    (void)state;
    struct cat_case which;
    struct lit_error error = {0};
    if (!cat_case_parse("shuffle.scan-loop/sync=none,reconvergence=default,form=variables,op=seven,"
                        "mode=inclusive,access=descriptor,pressure=none@workgroup=64,subgroup=32",
                        &which, &error))
        fail_msg("%s", error.message);
    const struct cat_args args = arguments(&which);
    struct cat_shape shape;
    assert_true(cat_oracle_shape(cat_oracle_find("shuffle.scan-loop"), &args, &shape, &error));
    const struct cat_failure failure = {.instance = 4 * SCALE + 1, .word = 9 * 64 + 63};
    char text[128];
    cat_oracle_where(cat_oracle_find("shuffle.scan-loop"), &args, &shape, &failure, text,
                     sizeof text);
    assert_string_equal(text, "lane 31 of subgroup 1, iteration 9, operation mul, workgroup 1");
}

static void a_workgroup_that_is_no_divisor_is_refused(void **state)
{
    (void)state;
    struct cat_shape shape;
    struct lit_error error = {0};
    const struct cat_args args = {.subgroup = 128, .workgroup = 64, .scale = 1};
    assert_false(cat_oracle_shape(cat_oracle_find("shuffle.scan-loop"), &args, &shape, &error));
    assert_string_equal(error.message,
                        "64 invocations cannot share 1024 elements in subgroups of 128");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_place_holds_what_the_operation_makes_of_its_words),
        cmocka_unit_test(the_input_keeps_every_operation_busy),
        cmocka_unit_test(a_failing_word_is_located),
        cmocka_unit_test(a_workgroup_that_is_no_divisor_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
