// SPDX-License-Identifier: Apache-2.0
// Of all modules that are built in, those are named that have the shape.
#include "unit.h"

#include "catalogue/catalogue.h"
#include "lint/exits.h"

// What a variant of the family loop-exit has that was right on the GPU, and is not named.
static const char *const right[] = {
    "place=behind", "place=select",    "place=no-loop", "sync=in-exit",
    "hint=unroll",  "hint=dont",       "exit=lane",     "exit=vote",
    "loop=do",      "loop=forever",    "loop=switch",   "loop=unbounded",
    "work=shared",  "work=arithmetic", "work=call",     "lanes=subgroup"};

static bool is_wrong(const char *test, const char *variant)
{
    if (strcmp(test, "cases.nvidia-loop-exit-shuffle") == 0)
        return strcmp(variant, "branch=lane,place=exit") == 0;
    if (strncmp(test, "loop-exit.", strlen("loop-exit.")) != 0)
        return false;
    // In GLSL a variable is the flag that ends the outer loop: not measured.
    if (strstr(variant, "loop=outer") && strstr(variant, "form=glslang"))
        return false;
    // Arithmetic alone is wrong where invocations part twice.
    for (size_t i = 0; i < sizeof right / sizeof *right && !strstr(variant, "exits=three"); i++)
        if (strstr(variant, right[i]))
            return false;
    return true;
}

static bool is_named(const struct cat_test *test, const struct cat_module *of)
{
    OWNED(red_module_clear) struct red_module module = {0};
    OWNED(exits_clear) struct exits exits = {0};
    struct lit_error error = {0};
    bool named = false;
    assert_true(red_module_read(&module, cat_module_words(test, of), of->count));
    assert_true(exits_find(&module, &exits, &error));
    for (size_t i = 0; i < exits.count; i++)
        named |= !exits.findings[i].lacks;
    return named;
}

TEST(only_the_shape_is_named)
{
    for (size_t i = 0; i < cat_test_count(); i++) {
        const struct cat_embedded *of = cat_test_at(i)->embedded;
        for (size_t k = 0; k < of->module_count; k++)
            if (is_named(cat_test_at(i), &of->modules[k]) !=
                is_wrong(of->name, of->modules[k].variant))
                fail_msg("%s/%s", of->name, of->modules[k].variant);
    }
}
