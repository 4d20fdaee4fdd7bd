// SPDX-License-Identifier: Apache-2.0
// Of all modules that are built in, the lint names those that fail on a GPU, by the table of its
// run, whose path is the argument.
#include "unit.h"

#include "base/text.h"

#include "catalogue/catalogue.h"
#include "lint/exits.h"

// Whether a module failed in every run, as its row of the table says: "FFF   loop-exit.scan/...".
static bool is_wrong(const char *table, const char *test, const char *variant)
{
    OWNED(text_free) struct text row = text_format(" %s/%s\n", test, variant);
    const char *at = strstr(table, row.data);
    if (!at && strncmp(test, "loop-exit.", strlen("loop-exit.")) == 0)
        fail_msg("not measured:%s", row.data);
    while (at && *at == ' ')
        at--;
    return at && *at == 'F';
}

static bool is_named(const struct cat_test *test, const struct cat_module *of)
{
    OWNED(red_module_clear) struct red_module module = {0};
    OWNED(exits_clear) struct exits exits = {0};
    bool named = false;
    assert_true(red_module_read(&module, cat_module_words(test, of), of->count));
    assert_true(exits_find(&module, &exits, &error));
    for (size_t i = 0; i < exits.count; i++)
        named |= !exits.findings[i].lacks;
    return named;
}

TEST(only_the_shape_is_named)
{
    OWNED(text_free) struct text table = {0};
    assert_true(text_read(&table, unit_argument(1), 1 << 20));
    for (size_t i = 0; i < cat_test_count(); i++) {
        const struct cat_embedded *of = cat_test_at(i)->embedded;
        for (size_t k = 0; k < of->module_count; k++) {
            const char *variant = of->modules[k].variant;
            const bool wrong = is_wrong(table.data, of->name, variant);
            // Calls around the loop are false alarms, as docs/lint.md says.
            if (is_named(cat_test_at(i), &of->modules[k]) !=
                (wrong || strstr(variant, "calls=some")))
                fail_msg("%s/%s: %s", of->name, variant, wrong ? "missed" : "named");
        }
    }
}
