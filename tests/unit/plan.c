// SPDX-License-Identifier: Apache-2.0
// The plan of a device: which subgroup sizes, which configurations, in which order.
#include "unit.h"

#include "engine/plan.h"
#include "catalogue/prepare.h"

TEST(sizes_follow_the_device)
{
    static const struct {
        uint32_t usual, least, most;
        bool control;
        size_t count;
        uint32_t want[DEV_MAX_SIZES];
    } rows[] = {
        {32, 32, 32, true, 1, {32}},
        {32, 8, 32, true, 3, {32, 8, 16}},
        {64, 32, 64, true, 2, {64, 32}},
        {64, 32, 64, false, 1, {64}},
        {4, 4, 128, true, 6, {4, 8, 16, 32, 64, 128}},
        {1, 1, 128, true, 8, {1, 2, 4, 8, 16, 32, 64, 128}},
        {8, 0, 4294967295u, true, 8, {8, 1, 2, 4, 16, 32, 64, 128}},
        {24, 8, 32, true, 0, {0}},
        {0, 0, 0, true, 0, {0}},
        {256, 256, 256, true, 0, {0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct dev_facts facts = {.subgroup = rows[i].usual,
                                  .subgroup_min = rows[i].least,
                                  .subgroup_max = rows[i].most,
                                  .subgroup_control = rows[i].control};
        uint32_t sizes[DEV_MAX_SIZES];
        assert_int_equal(dev_facts_sizes(&facts, sizes), rows[i].count);
        assert_memory_equal(sizes, rows[i].want, rows[i].count * sizeof *sizes);
    }
}

static const struct dev_facts device = {
    .subgroup = 32, .subgroup_min = 8, .subgroup_max = 64, .subgroup_control = true};

static size_t count_size(const struct eng_plan *plan, uint32_t size)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->count; i++)
        count += plan->cases[i].subgroup == size;
    return count;
}

TEST(only_the_default_size_unless_asked)
{
    struct cat_selection all = {0}, thorough = {.thorough = true};
    struct eng_plan plan = eng_plan_make(&all, &device, false, 0);
    assert_true(plan.count > 0);
    assert_int_equal(count_size(&plan, 32), plan.count);
    size_t quick = plan.count;
    eng_plan_clear(&plan);
    plan = eng_plan_make(&thorough, &device, false, 0);
    assert_true(count_size(&plan, 32) >= quick);
    for (uint32_t size = 8; size <= 64; size *= 2)
        assert_true(count_size(&plan, size) > 0);
    eng_plan_clear(&plan);
}

TEST(a_pattern_can_name_a_size)
{
    struct eng_plan plan, usual;
    OWNED(text_free) struct text name = {0}, pattern = {0};
    struct cat_selection all = {0};
    usual = eng_plan_make(&all, &device, false, 0);
    struct cat_case other = usual.cases[0];
    other.subgroup = 16;
    cat_case_name(&other, &name);

    const char *one[] = {name.data};
    struct cat_selection named = {.patterns = one, .count = 1};
    plan = eng_plan_make(&named, &device, false, 0);
    assert_int_equal(plan.count, 1);
    assert_int_equal(plan.cases[0].subgroup, 16);
    eng_plan_clear(&plan);

    // A size that the device has not.
    struct dev_facts fixed = device;
    fixed.subgroup_control = false;
    plan = eng_plan_make(&named, &fixed, false, 0);
    assert_int_equal(plan.count, 0);
    eng_plan_clear(&plan);

    // A pattern that reaches all sizes without saying so means the default.
    text_printf(&pattern, "%s/*", other.test->head.name);
    const char *wide[] = {pattern.data};
    struct cat_selection reaching = {.patterns = wide, .count = 1};
    plan = eng_plan_make(&reaching, &device, false, 0);
    assert_int_equal(count_size(&plan, 32), plan.count);
    eng_plan_clear(&plan);

    // One pattern for another size does not pull other tests' sizes in.
    const char *both[] = {"*", name.data};
    struct cat_selection mixed = {.patterns = both, .count = 2};
    plan = eng_plan_make(&mixed, &device, false, 0);
    assert_int_equal(plan.count, usual.count + 1);
    assert_int_equal(count_size(&plan, 16), 1);
    eng_plan_clear(&plan);

    eng_plan_clear(&usual);
}

static int by_bytes(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct cat_case));
}

TEST(shuffling_is_a_permutation_that_the_seed_decides)
{
    struct cat_selection all = {0};
    OWNED(eng_plan_clear) struct eng_plan plain = eng_plan_make(&all, &device, false, 7);
    OWNED(eng_plan_clear) struct eng_plan one = eng_plan_make(&all, &device, true, 7);
    OWNED(eng_plan_clear) struct eng_plan same = eng_plan_make(&all, &device, true, 7);
    OWNED(eng_plan_clear) struct eng_plan other = eng_plan_make(&all, &device, true, 8);
    size_t size = plain.count * sizeof *plain.cases;
    assert_int_equal(one.count, plain.count);
    assert_memory_equal(one.cases, same.cases, size);
    if (plain.count > 20) {
        assert_memory_not_equal(one.cases, plain.cases, size);
        assert_memory_not_equal(one.cases, other.cases, size);
    }
    qsort(plain.cases, plain.count, sizeof *plain.cases, by_bytes);
    qsort(one.cases, one.count, sizeof *one.cases, by_bytes);
    assert_memory_equal(one.cases, plain.cases, size);
}
