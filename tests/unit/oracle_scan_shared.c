// SPDX-License-Identifier: Apache-2.0
// The oracles of scan.levels, scan.hillis-steele and scan.blelloch, against direct simulations of
// the algorithms that give these tests their names, and against sums added up anew for each word.
#include "unit.h"

#include "catalogue/catalogue.h"
#include "model/check.h"
#include "oracles/oracles.h"

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

static void begin(struct trial *t, const char *test, const char *name, uint32_t subgroup,
                  uint32_t workgroup)
{
    struct lit_error error = {0};
    memset(t, 0, sizeof *t);
    if (!cat_case_parse(name, &t->which, &error))
        fail_msg("%s", error.message);
    t->args = (struct cat_args){
        .subgroup = subgroup, .workgroup = workgroup, .scale = 3, .which = &t->which};
    t->oracle = cat_oracle_find(test);
    assert_non_null(t->oracle);
    assert_true(cat_oracle_shape(t->oracle, &t->args, &t->shape, &error));
    assert_int_equal(t->shape.workgroups, 3);
    assert_int_equal(t->shape.instances, 3);
    const uint64_t words = t->shape.instances * t->shape.words_per_instance;
    assert_int_equal(t->shape.input_words, words);
    t->input = lit_alloc(words, sizeof *t->input);
    t->expected = lit_alloc(words, sizeof *t->expected);
    cat_oracle_input(t->oracle, &t->args, &t->shape, 17, t->input);
    cat_oracle_expect(t->oracle, &t->args, &t->shape, t->input, t->expected);
}

// Corrupts one word of what is expected, and sees one instance fail.
static void end(struct trial *t)
{
    const uint64_t words = t->shape.instances * t->shape.words_per_instance;
    uint32_t *output = lit_alloc(words, sizeof *output);
    memcpy(output, t->expected, words * sizeof *output);
    for (unsigned wrong = 0; wrong < 2; wrong++) {
        output[words - 1] += wrong;
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

static void try_hillis_steele(const char *element, uint32_t words, uint32_t workgroup)
{
    struct trial t;
    char name[200];
    snprintf(name, sizeof name,
             "scan.hillis-steele/barriers=double,step=branch,element=%s,memory-model=glsl"
             "@workgroup=%u,subgroup=8",
             element, (unsigned)workgroup);
    begin(&t, "scan.hillis-steele", name, 8, workgroup);
    assert_int_equal(t.shape.words_per_instance, words * workgroup);
    uint32_t cells[256], next[256];
    assert_true(workgroup <= 256);
    for (uint64_t i = 0; i < 3; i++)
        for (uint32_t word = 0; word < words; word++) {
            const uint64_t base = i * words * workgroup + word;
            for (uint32_t v = 0; v < workgroup; v++)
                cells[v] = t.input[base + (uint64_t)v * words];
            for (uint32_t distance = 1; distance < workgroup; distance *= 2) {
                for (uint32_t v = 0; v < workgroup; v++)
                    next[v] = cells[v] + (v >= distance ? cells[v - distance] : 0);
                memcpy(cells, next, sizeof cells);
            }
            for (uint32_t v = 0; v < workgroup; v++)
                assert_int_equal(t.expected[base + (uint64_t)v * words], cells[v]);
        }
    end(&t);
}

static void hillis_steele_is_what_its_steps_give(void **state)
{
    (void)state;
    try_hillis_steele("word", 1, 64);
    try_hillis_steele("word", 1, 256);
    try_hillis_steele("struct", 12, 64);
}

static void blelloch_is_what_the_sweeps_give(void **state)
{
    (void)state;
    struct trial t;
    begin(&t, "scan.blelloch",
          "scan.blelloch/barriers=each-level,memory-model=glsl@workgroup=64,subgroup=8", 8, 64);
    assert_int_equal(t.shape.words_per_instance, 128);
    for (uint64_t i = 0; i < 3; i++) {
        uint32_t tree[128];
        memcpy(tree, t.input + i * 128, sizeof tree);
        for (uint32_t stride = 2; stride <= 128; stride *= 2)
            for (uint32_t at = stride - 1; at < 128; at += stride)
                tree[at] += tree[at - stride / 2];
        tree[127] = 0;
        for (uint32_t stride = 128; stride >= 2; stride /= 2)
            for (uint32_t at = stride - 1; at < 128; at += stride) {
                const uint32_t left = tree[at - stride / 2];
                tree[at - stride / 2] = tree[at];
                tree[at] += left;
            }
        assert_memory_equal(t.expected + i * 128, tree, sizeof tree);
    }
    end(&t);
}

static void try_levels(const char *mode, const char *levels, uint64_t elements)
{
    struct trial t;
    char name[250];
    snprintf(name, sizeof name,
             "scan.levels/mode=%s,levels=%s,form=native,barriers=all,sync=none,"
             "reconvergence=default,pressure=none@workgroup=64,last-lane=last,subgroup=8",
             mode, levels);
    begin(&t, "scan.levels", name, 8, 64);
    assert_int_equal(t.shape.words_per_instance, elements);
    for (uint64_t i = 0; i < 3 * elements; i++) {
        const uint64_t first = i / elements * elements;
        uint64_t count = elements, sum = 0;
        if (strcmp(mode, "reduce") != 0)
            count = i - first + !strcmp(mode, "inclusive");
        for (uint64_t at = count; at-- > 0;)
            sum += t.input[first + at];
        assert_int_equal(t.expected[i], (uint32_t)sum);
    }
    end(&t);
}

static void levels_are_sums(void **state)
{
    (void)state;
    static const char *const modes[] = {"inclusive", "exclusive", "reduce"};
    for (size_t i = 0; i < 3; i++) {
        try_levels(modes[i], "two", 256);
        try_levels(modes[i], "three", 512);
    }
}

static void sizes_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    struct cat_case which;
    struct cat_shape shape;
    struct lit_error error = {0};
    assert_true(cat_case_parse("scan.levels/mode=reduce,levels=two,form=native,barriers=all,"
                               "sync=none,reconvergence=default,pressure=none@workgroup=128,"
                               "last-lane=last,subgroup=4",
                               &which, &error));
    struct cat_args args = {.subgroup = 4, .workgroup = 128, .scale = 8, .which = &which};
    const struct cat_oracle *oracle = cat_oracle_find("scan.levels");
    assert_false(cat_oracle_shape(oracle, &args, &shape, &error));
    args = (struct cat_args){.subgroup = 128, .workgroup = 128, .scale = 256, .which = &which};
    assert_true(cat_oracle_shape(oracle, &args, &shape, &error));
    assert_int_equal(shape.workgroups, 32); // 65,536 elements each
}

static void failures_are_located(void **state)
{
    (void)state;
    char text[80];
    struct trial t;
    begin(&t, "scan.hillis-steele",
          "scan.hillis-steele/barriers=double,step=branch,element=struct,memory-model=glsl"
          "@workgroup=64,subgroup=8",
          8, 64);
    cat_oracle_where(t.oracle, &t.args, &t.shape, &(struct cat_failure){.word = 9 * 12 + 5}, text,
                     sizeof text);
    assert_string_equal(text, "subgroup 1, lane 1, word 5 of the struct");
    end(&t);
    begin(&t, "scan.blelloch",
          "scan.blelloch/barriers=each-level,memory-model=glsl@workgroup=64,subgroup=8", 8, 64);
    cat_oracle_where(t.oracle, &t.args, &t.shape, &(struct cat_failure){.word = 64 + 9}, text,
                     sizeof text);
    assert_string_equal(text, "element 73, stored by lane 1 of subgroup 1");
    end(&t);
    begin(&t, "scan.levels",
          "scan.levels/mode=reduce,levels=two,form=native,barriers=all,sync=none,"
          "reconvergence=default,pressure=none@workgroup=64,last-lane=last,subgroup=8",
          8, 64);
    cat_oracle_where(t.oracle, &t.args, &t.shape, &(struct cat_failure){.word = 64 + 9}, text,
                     sizeof text);
    assert_string_equal(text, "round 1, subgroup 1, lane 1");
    end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hillis_steele_is_what_its_steps_give),
        cmocka_unit_test(blelloch_is_what_the_sweeps_give),
        cmocka_unit_test(levels_are_sums),
        cmocka_unit_test(sizes_that_do_not_fit_are_refused),
        cmocka_unit_test(failures_are_located),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
