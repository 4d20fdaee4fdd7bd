// SPDX-License-Identifier: Apache-2.0
// Of all modules that are built in, those are named that have the shape.
#include "unit.h"

#include "catalogue/catalogue.h"
#include "lint/exits.h"

#include <string.h>

static size_t find_in(const struct cat_test *test, const struct cat_module *of, size_t *near)
{
    OWNED(red_module_clear) struct red_module module = {0};
    OWNED(exits_clear) struct exits exits = {0};
    struct lit_error error = {0};
    size_t found = 0;
    assert_true(red_module_read(&module, cat_module_words(test, of), of->count));
    assert_true(exits_find(&module, &exits, &error));
    for (size_t i = 0; i < exits.count; i++) {
        found += !exits.findings[i].lacks;
        *near += exits.findings[i].lacks != 0;
    }
    return found;
}

static void only_the_shape_is_named(void **state)
{
    (void)state;
    size_t named = 0, near = 0;
    for (size_t i = 0; i < cat_test_count(); i++) {
        const struct cat_test *test = cat_test_at(i);
        for (size_t k = 0; k < test->embedded->module_count; k++) {
            const struct cat_module *module = &test->embedded->modules[k];
            const size_t found = find_in(test, module, &near);
            if (found && (strcmp(test->embedded->name, "cases.nvidia-loop-exit-shuffle") != 0 ||
                          strcmp(module->variant, "branch=lane,place=exit") != 0))
                fail_msg("%s/%s is named", test->embedded->name, module->variant);
            named += found;
        }
    }
    assert_int_equal(named, 1);
    assert_int_equal(near, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(only_the_shape_is_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
