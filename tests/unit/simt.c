// SPDX-License-Identifier: Apache-2.0
// What --simt may say, where the SIMT simulator is searched, and in which order explain tries.

#include "unit.h"

#include "engine/drivers.h"
#include "explain/explain.h"

#include <unistd.h>

TEST(settings_are_those_of_the_driver)
{
    struct text text = {0};
    assert_true(eng_simt_settings("snooping,subgroup=32", &text, NULL));
    assert_string_equal(text.data, "model=snooping,subgroup=32");
    assert_string_equal(eng_simt_model(text.data), "snooping");
    assert_true(eng_simt_has(text.data, "subgroup"));
    assert_true(eng_simt_has(text.data, "model"));
    assert_false(eng_simt_has(text.data, "group"));
    assert_false(eng_simt_has(text.data, "seed"));
    text_free(&text);
    assert_true(eng_simt_settings("model=peeling", &text, NULL));
    assert_string_equal(text.data, "model=peeling");
    text_free(&text);
}

TEST(every_model_is_described)
{
    static const char *const models[] = {"lockstep", "tangled", "snooping",
                                         "lagging",  "peeling", "relaxed",
                                         "unfair",   "faulty",  "miscompiling"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        OWNED(text_free) struct text text = {0};
        assert_true(eng_simt_settings(models[i], &text, NULL));
        assert_string_equal(eng_simt_model(text.data), models[i]);
        assert_true(strlen(eng_simt_about(models[i])) > 10);
    }
    assert_string_equal(eng_simt_about("none"), "");
}

TEST(a_wrong_model_names_the_right_ones)
{
    static const char *const wrong[] = {"",           "snoping", "SNOOPING", "snooping subgroup",
                                        "subgroup=4", "\033[2J"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct text text = {0};
        must_fail("", eng_simt_settings(wrong[i], &text, &error));
        assert_int_equal(error.code, LIT_EXIT_USAGE);
        assert_null(strpbrk(error.message, "\n\033"));
        if (!strstr(error.message, "lockstep") || !strstr(error.message, "unfair"))
            fail_msg("'%s': %s", wrong[i], error.message);
        assert_int_equal(text.length, 0);
    }
}

TEST(the_driver_is_the_only_one)
{
    char path[] = "/tmp/litmus-simt-XXXXXX";
    close(mkstemp(path));
    setenv("VK_LOADER_DRIVERS_SELECT", "*lvp*", 1);
    setenv("VK_ICD_FILENAMES", "/other.json", 1);
    setenv("LITMUS_SIMT_ICD", path, 1);
    assert_true(eng_simt_use("unfair,seed=3", &error));
    OWNED(lit_free) char *real = realpath(path, NULL);
    assert_string_equal(getenv("VK_DRIVER_FILES"), real);
    assert_string_equal(getenv("LITMUS_SIMT"), "model=unfair,seed=3");
    assert_null(getenv("VK_LOADER_DRIVERS_SELECT"));
    assert_null(getenv("VK_ICD_FILENAMES"));
    unlink(path);
    must_fail(path, eng_simt_use("unfair", &error));
    assert_int_equal(error.code, LIT_EXIT_USAGE);
}

TEST(rounds_reach_everything)
{
    struct exp_plan plan = {.count = 3, .seed = 10};
    unsigned seen[3][16] = {{0}};
    uint64_t seed = 10;
    for (int i = 0; i < 200; i++) {
        const struct exp_point point = exp_plan_next(&plan);
        assert_true(point.which < 3 && point.depth < 16);
        assert_true(point.seed == seed++);
        seen[point.which][point.depth]++;
    }
    for (int which = 0; which < 3; which++)
        for (int depth = 0; depth <= 4; depth++)
            assert_true(seen[which][depth] > 0);
    // Shallow schedules of the first configuration come first.
    plan = (struct exp_plan){.count = 3};
    assert_int_equal(exp_plan_next(&plan).depth, 1);
    assert_int_equal(exp_plan_next(&plan).depth, 2);
    assert_int_equal(exp_plan_next(&plan).depth, 3);
    assert_int_equal(exp_plan_next(&plan).depth, 0);
    assert_int_equal(exp_plan_next(&plan).which, 1);
}

TEST(small_configurations_come_first)
{
    static const char *const names[] = {
        "shuffle.scan-loop/sync=none,reconvergence=default,form=variables,op=add,mode=inclusive,"
        "access=descriptor,pressure=none@workgroup=128,subgroup=4",
        "shuffle.scan-loop/sync=none,reconvergence=default,form=ssa,op=add,mode=inclusive,"
        "access=descriptor,pressure=none@workgroup=64,subgroup=4",
        "shuffle.scan-loop/sync=none,reconvergence=default,form=variables,op=add,mode=inclusive,"
        "access=descriptor,pressure=none@workgroup=64,subgroup=4"};
    struct cat_case cases[3];
    for (int i = 0; i < 3; i++)
        must(cat_case_parse(names[i], &cases[i], &error));
    const struct cat_case first = cases[1], second = cases[2], third = cases[0];
    exp_sort_cases(cases, 3);
    assert_memory_equal(&cases[0], &first, sizeof first);
    assert_memory_equal(&cases[1], &second, sizeof second);
    assert_memory_equal(&cases[2], &third, sizeof third);
}
