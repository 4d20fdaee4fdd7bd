// SPDX-License-Identifier: Apache-2.0
// Relatives of modules that are built in: nothing chosen is the module itself, all chosen is a
// module that holds together.
#include "unit.h"

#include "base/random.h"
#include "catalogue/catalogue.h"
#include "relate/relate.h"

#include <stdlib.h>
#include <string.h>

// Every id that is used is made, once; every value that comes together is of a block that is there.
static void check_module(const struct red_module *m, const char *name, enum rel_change change)
{
    for (size_t i = 0; i < m->count; i++) {
        const struct red_line *line = &m->lines[i];
        for (uint32_t w = 1; w < line->size; w++)
            if ((line->kinds[w] == SPIRV_ID || line->kinds[w] == SPIRV_TYPE) &&
                !red_made(m, line->words[w]))
                fail_msg("%s, %s: nothing makes %u", name, rel_names[change], line->words[w]);
        for (uint32_t w = 4; red_op(line) == SpvOpPhi && w < line->size; w += 2)
            assert_int_equal(red_op(red_made(m, line->words[w])), SpvOpLabel);
    }
}

static uint32_t *make(const struct red_module *m, enum rel_change change, size_t places, bool all,
                      size_t *count)
{
    OWNED(lit_free) bool *chosen = lit_alloc(places + 1, sizeof *chosen);
    for (size_t i = 0; i < places; i++)
        chosen[i] = all;
    return rel_make(m, change, chosen, count);
}

static void check_relatives(const struct cat_test *test, const struct cat_module *of,
                            size_t *places)
{
    const uint32_t *words = cat_module_words(test, of);
    struct red_module module, relative;
    assert_true(red_module_read(&module, words, of->count));
    for (enum rel_change change = 0; change < REL_CHANGES; change++) {
        const size_t here = rel_places(&module, change);
        size_t count = 0;
        uint32_t *made = make(&module, change, here, false, &count);
        assert_int_equal(count, of->count);
        assert_memory_equal(made, words, count * sizeof *made);
        free(made);
        places[change] += here;
        if (!here)
            continue;
        made = make(&module, change, here, true, &count);
        assert_true(count != of->count || memcmp(made, words, count * sizeof *made) != 0);
        if (!red_module_read(&relative, made, count))
            fail_msg("%s, %s: no module", test->head.name, rel_names[change]);
        check_module(&relative, test->head.name, change);
        red_module_clear(&relative);
        free(made);
    }
    red_module_clear(&module);
}

static void every_test_has_relatives(void **state)
{
    (void)state;
    size_t places[REL_CHANGES] = {0};
    for (size_t i = 0; i < cat_test_count(); i++) {
        const struct cat_test *test = cat_test_at(i);
        const size_t count = test->embedded->module_count;
        for (size_t k = 0; k < count; k += unit_sampled() ? count : 1 + count / 4)
            check_relatives(test, &test->embedded->modules[k], places);
    }
    for (enum rel_change change = 0; change < REL_CHANGES; change++)
        if (places[change] < 100)
            fail_msg("%s: only %zu places", rel_names[change], places[change]);
}

// Swapped twice it is what it was, also of comparisons, which turn round.
static void swapping_is_its_own_inverse(void **state)
{
    (void)state;
    const struct cat_test *test = cat_test_find("scan.types");
    const struct cat_module *of = &test->embedded->modules[0];
    struct red_module module, other;
    size_t count = 0;
    assert_true(red_module_read(&module, cat_module_words(test, of), of->count));
    const size_t places = rel_places(&module, REL_SWAP);
    assert_true(places > 3);
    uint32_t *once = make(&module, REL_SWAP, places, true, &count);
    assert_true(red_module_read(&other, once, count));
    uint32_t *twice = make(&other, REL_SWAP, rel_places(&other, REL_SWAP), true, &count);
    assert_int_equal(count, of->count);
    assert_memory_equal(twice, cat_module_words(test, of), count * sizeof *twice);
    free(once);
    free(twice);
    red_module_clear(&module);
    red_module_clear(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_test_has_relatives),
        cmocka_unit_test(swapping_is_its_own_inverse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
