// SPDX-License-Identifier: Apache-2.0
// The filters of GoogleTest's protocol, as its documentation has them.
#include "cli/cases.h"

#include "unit.h"

#include <stdio.h>
#include <string.h>

#define NAME "shuffle.scan_loop/sync=none/form=ssa@workgroup=64/subgroup=8"

static void filters(void **state)
{
    (void)state;
    static const struct {
        const char *filter, *name;
        bool matches;
    } table[] = {
        {"*", NAME, true},
        {"", NAME, false},
        {NAME, NAME, true},
        {"shuffle", NAME, false},
        {"shuffle.*", NAME, true},
        {"*.scan_loop*", NAME, true},
        {"shuffle.scan?loop*", NAME, true},
        {"shuffle.scan??loop*", NAME, false},
        {"*subgroup=?", NAME, true},
        {"*subgroup=??", NAME, false},
        {"scan.*:shuffle.*", NAME, true},
        {"scan.*:loop.*", NAME, false},
        {":shuffle.*", NAME, true},
        {"shuffle.*-*form=ssa*", NAME, false},
        {"shuffle.*-*form=x*", NAME, true},
        {"shuffle.*-scan.*:*ssa*", NAME, false},
        {"-shuffle.*", NAME, false},
        {"-scan.*", NAME, true},
        {"shuffle.*-", NAME, true},
        {"-", NAME, true},
        {"a-b-c", "a", true},
        {"*-b-c", "b-c", false},
        {"**a**", "a", true},
        {"a*b*c", "aXbXbXc", true},
        {"a*b*c", "aXbXbX", false},
        {"[a]", "a", false},
        {"?", "", false},
        {"*", "", true},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (cli_gtest_matches(table[i].filter, table[i].name) != table[i].matches)
            fail_msg("%s and %s", table[i].filter, table[i].name);
}

// A flag that is taken goes, what is not one stays.
static void flags(void **state)
{
    (void)state;
    char words[][40] = {"litmus",
                        "-n",
                        "2",
                        "--gtest_filter=a.*-b",
                        "--gtest_shuffle",
                        "scan",
                        "--gtest_list_tests",
                        "--gtest_print_time=0",
                        "--gtest_output=xml:x/"};
    char *argv[10] = {0};
    int argc = 9;
    for (int i = 0; i < argc; i++)
        argv[i] = words[i];
    struct cli_gtest gtest;
    struct lit_error error = {0};
    assert_true(cli_gtest_is_asked(argc, argv));
    assert_true(cli_gtest_take(&gtest, &argc, argv, &error));
    assert_int_equal(argc, 4);
    assert_string_equal(argv[3], "scan");
    assert_null(argv[4]);
    assert_false(cli_gtest_is_asked(argc, argv));
    assert_true(gtest.list && gtest.no_time);
    assert_string_equal(gtest.filter, "a.*-b");
    assert_string_equal(gtest.output, "xml:x/");
    assert_false(gtest.json);
    char json[] = "--gtest_output=json:x.json", *with[] = {words[0], json, NULL};
    argc = 2;
    assert_true(cli_gtest_take(&gtest, &argc, with, &error) && gtest.json && argc == 1);
    static const char *const wrong[] = {"--gtest_filter",   "--gtest_",      "--gtest_list",
                                        "--gtest_output=x", "--gtest_color", "--gtest_repeat=0"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char word[40], *one[] = {words[0], word, NULL};
        snprintf(word, sizeof word, "%s", wrong[i]);
        argc = 2;
        if (cli_gtest_take(&gtest, &argc, one, &error))
            fail_msg("%s", wrong[i]);
        assert_int_equal(error.code, LIT_EXIT_USAGE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(filters), cmocka_unit_test(flags)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
