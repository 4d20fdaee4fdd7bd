// SPDX-License-Identifier: Apache-2.0
// Paired variants, and an axis's effect on the code.
#include "isa/study.h"

#include <string.h>

struct variant {
    struct isa_variant of;
    size_t group; // first entry of the same test and parameters
};

// The only axis in which two configurations of a test differ; SIZE_MAX if they differ in none, in
// several or in anything else.
static size_t differing_axis(const struct variant *a, const struct variant *b)
{
    size_t axis = SIZE_MAX;
    if (a->group != b->group)
        return SIZE_MAX;
    for (size_t i = 0; i < a->of.axis_count; i++) {
        if (a->of.axes[i].order == b->of.axes[i].order)
            continue;
        if (axis != SIZE_MAX)
            return SIZE_MAX;
        axis = i;
    }
    return axis;
}

// Whether another variant equals `which` except for a lower value of one axis, so that `which` is
// no base.
static bool has_lower(const struct variant *variants, size_t count, const struct variant *which,
                      size_t axis)
{
    for (size_t i = 0; i < count; i++)
        if (differing_axis(&variants[i], which) == axis &&
            variants[i].of.axes[axis].order < which->of.axes[axis].order)
            return true;
    return false;
}

// The effect record for an axis of a test between two of its values.
static struct isa_axis_effect *effect_of(struct isa_study *study, const struct isa_variant *base,
                                         const struct isa_variant *other, size_t axis)
{
    struct isa_axis_effect effect = {.example = study->pair_count};
    memcpy(effect.test, base->test, sizeof effect.test);
    memcpy(effect.axis, base->axes[axis].name, sizeof effect.axis);
    memcpy(effect.base_value, base->axes[axis].value, sizeof effect.base_value);
    memcpy(effect.other_value, other->axes[axis].value, sizeof effect.other_value);
    for (size_t i = 0; i < study->effect_count; i++) {
        struct isa_axis_effect *known = &study->effects[i];
        if (strcmp(known->test, effect.test) == 0 && strcmp(known->axis, effect.axis) == 0 &&
            strcmp(known->base_value, effect.base_value) == 0 &&
            strcmp(known->other_value, effect.other_value) == 0)
            return known;
    }
    study->effects = lit_grow(study->effects, study->effect_count, sizeof *study->effects);
    study->effects[study->effect_count] = effect;
    return &study->effects[study->effect_count++];
}

static void add_pair(struct isa_study *study, struct isa_pair pair, struct isa_axis_effect *effect)
{
    const struct isa_entry *left = &study->entries[pair.base];
    const struct isa_entry *right = &study->entries[pair.other];
    pair.likeness = isa_compare(&left->listing, left->piece, &right->listing, right->piece);
    study->pairs = lit_grow(study->pairs, study->pair_count, sizeof *study->pairs);
    study->pairs[study->pair_count] = pair;
    effect->pairs++;
    effect->like[pair.likeness]++;
    if (pair.likeness > study->pairs[effect->example].likeness)
        effect->example = study->pair_count;
    study->pair_count++;
}

void isa_study_finish(struct isa_study *study, isa_describe *describe)
{
    if (!describe)
        return;
    OWNED(lit_free) struct variant *variants = lit_alloc(study->count + 1, sizeof *variants);
    for (size_t i = 0; i < study->count; i++) {
        struct variant *variant = &variants[i];
        // Entries without a catalogue name or without code have no axes and so form no pairs.
        if (!study->entries[i].listing.lines || !describe(study->entries[i].name, &variant->of))
            variant->of = (struct isa_variant){0};
        while (strcmp(variants[variant->group].of.test, variant->of.test) != 0 ||
               strcmp(variants[variant->group].of.params, variant->of.params) != 0)
            variant->group++;
    }
    for (size_t i = 0; i < study->count; i++)
        for (size_t k = 0; k < study->count; k++) {
            const size_t axis = differing_axis(&variants[i], &variants[k]);
            if (axis != SIZE_MAX &&
                variants[i].of.axes[axis].order <= variants[k].of.axes[axis].order &&
                !has_lower(variants, study->count, &variants[i], axis))
                add_pair(study, (struct isa_pair){.base = i, .other = k},
                         effect_of(study, &variants[i].of, &variants[k].of, axis));
        }
}

// --- Descriptions

// What a value adds to a base without it. Used only for exactly these two values.
static const struct {
    const char *axis, *base, *value, *words;
} known[] = {
    {"sync", "none", "control", "the subgroup barrier"},
    {"sync", "none", "control-once", "one subgroup barrier"},
    {"sync", "none", "control-each", "a subgroup barrier before each cross-lane read"},
    {"sync", "none", "memory", "the memory barrier"},
    {"sync", "none", "memory-once", "one memory barrier"},
    {"sync", "none", "workgroup", "the workgroup barrier"},
    {"sync", "none", "workgroup-in-loop", "a workgroup barrier in the loop"},
    {"barrier", "none", "subgroup", "the subgroup barrier"},
    {"barrier", "none", "memory", "the memory barrier"},
    {"barrier", "none", "workgroup", "the workgroup barrier"},
    {"reconvergence", "default", "maximal", "maximal reconvergence"},
    {"reconvergence", "maximal", "default", "without maximal reconvergence"},
    {"reconvergence", "default", "subgroup-uniform", "subgroup-uniform control flow"},
    {"entry", "workgroup", "subgroup", "entry as single subgroups"},
    {"memory-model", "vulkan", "glsl", "the GLSL memory model"},
    {"memory-model", "glsl", "vulkan", "the Vulkan memory model"},
};

// "the subgroup barrier (sync=control)", "maximal reconvergence": what a value adds to its base.
static void axis_words(const struct isa_axis_effect *effect, struct text *words)
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

// How the most different pair differs.
static void put_example(const struct isa_study *study, const struct isa_axis_effect *effect,
                        struct text *words)
{
    const struct isa_pair *pair = &study->pairs[effect->example];
    static const char *const alike[] = {
        [ISA_SAME] = "the same code",
        [ISA_SAME_TEXT] = "only scheduling or branch targets differ",
        [ISA_SAME_NAMES] = "the same instructions in the same order, with other operands",
    };
    if (pair->likeness < ISA_SAME_MEMBERS)
        text_puts(words, alike[pair->likeness]);
    else
        isa_diff_words(&study->entries[pair->base].listing, &study->entries[pair->other].listing,
                       words);
}

void isa_effect_words(const struct isa_study *study, const struct isa_axis_effect *effect,
                      struct text *words)
{
    const size_t same = effect->like[ISA_SAME];
    axis_words(effect, words);
    if (same == effect->pairs) {
        text_puts(words,
                  is_barrier(effect) ? " compiles to nothing here" : " changes nothing here");
        text_printf(words, ": identical code to %s=%s", effect->axis, effect->base_value);
        if (effect->pairs > 1)
            text_printf(words, " in all %zu pairs", effect->pairs);
        return;
    }
    if (effect->pairs == 1)
        text_puts(words, " changes the code: ");
    else
        text_printf(words, " changes the code in %zu of %zu pairs; largest difference: ",
                    effect->pairs - same, effect->pairs);
    put_example(study, effect, words);
}
