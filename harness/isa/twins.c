// SPDX-License-Identifier: Apache-2.0
// Pairs of variants, and what an axis does to the code.
#include "isa/twins.h"

#include "catalogue/catalogue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- Pairs

// The one axis in which two cases of a test differ; SIZE_MAX if it is none or several, or if
// anything else differs.
static size_t differing_axis(const struct cat_case *a, const struct cat_case *b)
{
    const struct cat_head *head = &a->test->head;
    size_t axis = SIZE_MAX;
    if (a->test != b->test || a->subgroup != b->subgroup ||
        memcmp(a->sweep, b->sweep, head->sweep_count) != 0)
        return SIZE_MAX;
    for (size_t i = 0; i < head->axis_count; i++) {
        if (a->axis[i] == b->axis[i])
            continue;
        if (axis != SIZE_MAX)
            return SIZE_MAX;
        axis = i;
    }
    return axis;
}

// Whether some member equals `which` but for a lower value of an axis: then `which` is no base.
static bool has_lower(const struct cat_case *cases, size_t count, const struct cat_case *which,
                      size_t axis)
{
    for (size_t i = 0; i < count; i++)
        if (cases[i].test && differing_axis(&cases[i], which) == axis &&
            cases[i].axis[axis] < which->axis[axis])
            return true;
    return false;
}

static struct isa_twins make_twins(const struct isa_member *members, const struct cat_case *cases,
                                   size_t base, size_t other, size_t axis)
{
    struct isa_twins twins = {.base = base, .other = other};
    const struct cat_axis *of = &cases[base].test->head.axes[axis];
    snprintf(twins.axis, sizeof twins.axis, "%s", of->name);
    snprintf(twins.base_value, sizeof twins.base_value, "%s", of->values[cases[base].axis[axis]]);
    snprintf(twins.other_value, sizeof twins.other_value, "%s",
             of->values[cases[other].axis[axis]]);
    twins.likeness = isa_compare(members[base].listing, members[base].piece, members[other].listing,
                                 members[other].piece);
    return twins;
}

size_t isa_find_twins(const struct isa_member *members, size_t count, struct isa_twins **twins)
{
    size_t found = 0;
    struct cat_case *cases = lit_alloc(count + 1, sizeof *cases);
    *twins = NULL;
    for (size_t i = 0; i < count; i++)
        if (!members[i].piece || !members[i].listing ||
            !cat_case_parse(members[i].name, &cases[i], NULL))
            cases[i].test = NULL;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; cases[i].test && k < count; k++) {
            const size_t axis = cases[k].test ? differing_axis(&cases[i], &cases[k]) : SIZE_MAX;
            if (axis == SIZE_MAX || cases[i].axis[axis] > cases[k].axis[axis] ||
                has_lower(cases, count, &cases[i], axis))
                continue;
            *twins = lit_realloc(*twins, found + 1, sizeof **twins);
            (*twins)[found++] = make_twins(members, cases, i, k, axis);
        }
    free(cases);
    return found;
}

// --- What an axis does

static void test_of(const char *name, char test[96])
{
    snprintf(test, 96, "%.*s", (int)cfg_test_length(name), name);
}

size_t isa_axis_effects(const struct isa_member *members, const struct isa_twins *twins,
                        size_t count, struct isa_axis_effect **effects)
{
    size_t found = 0;
    *effects = NULL;
    for (size_t i = 0; i < count; i++) {
        struct isa_axis_effect *effect = NULL;
        char test[96];
        test_of(members[twins[i].base].name, test);
        for (size_t k = 0; k < found && !effect; k++)
            if (strcmp((*effects)[k].test, test) == 0 &&
                strcmp((*effects)[k].axis, twins[i].axis) == 0 &&
                strcmp((*effects)[k].base_value, twins[i].base_value) == 0 &&
                strcmp((*effects)[k].other_value, twins[i].other_value) == 0)
                effect = &(*effects)[k];
        if (!effect) {
            *effects = lit_realloc(*effects, found + 1, sizeof **effects);
            effect = &(*effects)[found++];
            *effect = (struct isa_axis_effect){.example = i};
            snprintf(effect->test, sizeof effect->test, "%s", test);
            snprintf(effect->axis, sizeof effect->axis, "%s", twins[i].axis);
            snprintf(effect->base_value, sizeof effect->base_value, "%s", twins[i].base_value);
            snprintf(effect->other_value, sizeof effect->other_value, "%s", twins[i].other_value);
        }
        effect->pairs++;
        effect->like[twins[i].likeness]++;
        if (twins[i].likeness > twins[effect->example].likeness)
            effect->example = i;
    }
    return found;
}

// --- Words

// What is added to a variant that has none of it. Only where base and value are these.
static const struct {
    const char *axis, *base, *value, *words;
} known[] = {
    {"sync", "none", "control", "the subgroup barrier"},
    {"sync", "none", "control-once", "one subgroup barrier"},
    {"sync", "none", "control-each", "a subgroup barrier before each exchange"},
    {"sync", "none", "memory", "the memory barrier"},
    {"sync", "none", "memory-once", "one memory barrier"},
    {"sync", "none", "workgroup", "the workgroup barrier"},
    {"sync", "none", "workgroup-in-loop", "a workgroup barrier in the loop"},
    {"barrier", "none", "subgroup", "the subgroup barrier"},
    {"barrier", "none", "memory", "the memory barrier"},
    {"barrier", "none", "workgroup", "the workgroup barrier"},
    {"reconvergence", "default", "maximal", "maximal reconvergence"},
    {"reconvergence", "maximal", "default", "leaving out maximal reconvergence"},
    {"reconvergence", "default", "subgroup-uniform", "subgroup-uniform control flow"},
    {"entry", "workgroup", "subgroup", "entering as single subgroups"},
    {"memory-model", "vulkan", "glsl", "the GLSL memory model"},
    {"memory-model", "glsl", "vulkan", "the Vulkan memory model"},
};

void isa_axis_words(const struct isa_axis_effect *effect, struct text *words)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(effect->axis, known[i].axis) == 0 &&
            strcmp(effect->base_value, known[i].base) == 0 &&
            strcmp(effect->other_value, known[i].value) == 0) {
            text_printf(words, "%s (%s=%s)", known[i].words, effect->axis, effect->other_value);
            return;
        }
    text_printf(words, "%s=%s", effect->axis, effect->other_value);
}

static bool is_barrier(const struct isa_axis_effect *effect)
{
    return strcmp(effect->base_value, "none") == 0 &&
           (strcmp(effect->axis, "sync") == 0 || strcmp(effect->axis, "barrier") == 0);
}

// What the pair that differs most differs in.
static void put_example(const struct isa_axis_effect *effect, const struct isa_member *members,
                        const struct isa_twins *twins, struct text *words)
{
    const struct isa_twins *pair = &twins[effect->example];
    static const char *const alike[] = {
        [ISA_SAME] = "the same code",
        [ISA_SAME_TEXT] = "only scheduling or branch targets differ",
        [ISA_SAME_NAMES] = "the same instructions in the same order, with other operands",
    };
    if (pair->likeness < ISA_SAME_MEMBERS)
        text_puts(words, alike[pair->likeness]);
    else
        isa_diff_words(members[pair->base].listing, members[pair->other].listing, words);
}

void isa_effect_words(const struct isa_axis_effect *effect, const struct isa_member *members,
                      const struct isa_twins *twins, struct text *words)
{
    const size_t same = effect->like[ISA_SAME];
    isa_axis_words(effect, words);
    if (same == effect->pairs) {
        text_puts(words,
                  is_barrier(effect) ? " compiles to nothing here" : " changes nothing here");
        text_printf(words, ": the same code as %s=%s", effect->axis, effect->base_value);
        if (effect->pairs > 1)
            text_printf(words, " in all %zu pairs", effect->pairs);
        return;
    }
    if (effect->pairs == 1)
        text_puts(words, " changes the code: ");
    else
        text_printf(words,
                    " changes the code in %zu of %zu pairs, at most so: ", effect->pairs - same,
                    effect->pairs);
    put_example(effect, members, twins, words);
}
