// SPDX-License-Identifier: Apache-2.0
// Listings, and the study of several configurations' code: paired variants, and an axis's effect.
#include "isa/study.h"

static void list_text(const struct isa_piece *piece, struct isa_listing *listing)
{
    *listing = (struct isa_listing){.by = "the driver"};
    for (size_t at = 0, length; at < piece->size; at += length + 1) {
        const char *line = piece->bytes + at;
        const char *end = memchr(line, '\n', piece->size - at);
        length = end ? (size_t)(end - line) : piece->size - at;
        LIT_ADD(listing->lines, listing->count) =
            (struct isa_line){lit_have(strndup(line, length)), SASS_NOWHERE};
    }
}

// Length without padding: code is filled up with unreachable instructions, a branch to itself and
// NOPs.
static size_t without_padding(const struct sass_code *code)
{
    size_t count = code->count;
    while (count > 1 && strcmp(code->insns[count - 1].text, "NOP") == 0)
        count--;
    const struct sass_insn *last = &code->insns[count - 1];
    if (count > 1 && last->op == SASS_BRA && last->target == last->address)
        count--;
    return count;
}

// Lists decoded code and takes it over. `by` must outlive the listing.
static void list_sass(struct sass_code *code, const char *by, struct isa_listing *listing)
{
    const size_t count = code->count ? without_padding(code) : 0;
    *listing = (struct isa_listing){
        .by = by, .sass = *code, .lines = lit_alloc(count + 1, sizeof *listing->lines)};
    *code = (struct sass_code){0};
    for (const struct sass_insn *insn = listing->sass.insns; listing->count < count; insn++)
        listing->lines[listing->count++] = (struct isa_line){lit_strdup(insn->text), insn->address};
}

bool isa_list(const struct isa_piece *piece, struct isa_listing *listing, struct lit_error *error)
{
    struct sass_code code;
    *listing = (struct isa_listing){0};
    if (piece->source == ISA_TEXT) {
        list_text(piece, listing);
        return true;
    }
    if (piece->source != ISA_MACHINE)
        return lit_fail(error, LIT_EXIT_USAGE, "a %s cannot be listed",
                        isa_source_name(piece->source));
    if (!sass_decode((const uint8_t *)piece->bytes, piece->size, piece->architecture, &code, error))
        return false;
    list_sass(&code, "the built-in decoder", listing);
    return true;
}

void isa_listing_clear(struct isa_listing *listing)
{
    for (size_t i = 0; i < listing->count; i++)
        free(listing->lines[i].text);
    free(listing->lines);
    sass_code_clear(&listing->sass);
    *listing = (struct isa_listing){0};
}

size_t isa_cross_lane_reads(const struct isa_listing *listing)
{
    size_t count = 0;
    for (size_t i = 0; i < listing->count && i < listing->sass.count; i++)
        count += sass_is_cross_lane(listing->sass.insns[i].op);
    return count;
}

// --- Several configurations

static bool same_piece(const struct isa_piece *a, const struct isa_piece *b)
{
    return a && b && a->source == b->source && a->size == b->size &&
           memcmp(a->bytes, b->bytes, a->size) == 0;
}

static void inspect(struct isa_entry *entry, const struct isa_study *study, struct sass_code *sass,
                    const char *by)
{
    struct lint_options options = {.rows = true};
    struct lit_error error = {0};
    if (!entry->piece) {
        entry->why = lit_strdup("the driver provides no code that can be listed");
        return;
    }
    if (sass && entry->piece->source == ISA_MACHINE) {
        list_sass(sass, by, &entry->listing);
    } else if (!isa_list(entry->piece, &entry->listing, &error)) {
        entry->why = lit_strdup(error.message);
        return;
    }
    if (entry->listing.sass.count == 0)
        return;
    if (study->module)
        options.words = study->module(entry->name, &options.word_count);
    entry->linted = lint_run(&entry->listing.sass, &options, &entry->lint, &error);
    if (!entry->linted)
        entry->unlinted = lit_strdup(error.message);
}

void isa_study_add(struct isa_study *study, const char *name, struct isa_code *code,
                   struct sass_code *sass, const char *by)
{
    size_t first = 0;
    const struct isa_piece *piece = isa_lowest(code);
    while (first < study->count && !same_piece(study->entries[first].piece, piece))
        first++;
    struct isa_entry *entry = &LIT_ADD(study->entries, study->count);
    const bool is_new = entry == &study->entries[first];
    // Listed and linted once; duplicates share the first entry's pointers.
    *entry = is_new ? (struct isa_entry){0} : study->entries[first];
    entry->name = lit_strdup(name);
    entry->code = *code;
    entry->piece = piece;
    entry->same_as = first;
    *code = (struct isa_code){0};
    if (is_new)
        inspect(entry, study, sass, by);
    else if (sass)
        sass_code_clear(sass);
}

void isa_study_clear(struct isa_study *study)
{
    for (size_t i = 0; i < study->count; i++) {
        struct isa_entry *entry = &study->entries[i];
        free(entry->name);
        isa_code_clear(&entry->code);
        if (entry->same_as != i)
            continue;
        free(entry->why);
        free(entry->unlinted);
        lint_clear(&entry->lint);
        isa_listing_clear(&entry->listing);
    }
    free(study->entries);
    free(study->pairs);
    free(study->effects);
    *study = (struct isa_study){0};
}

size_t isa_cause(const struct isa_entry *entry)
{
    size_t first = 0; // they are sorted by kind
    while (first < entry->lint.count && !lint_is_cause(entry->lint.findings[first].kind))
        first++;
    return first;
}

size_t isa_risks(const struct isa_entry *entry)
{
    size_t count = 0;
    for (size_t i = 0; i < entry->lint.count; i++)
        count += lint_is_risk(entry->lint.findings[i].kind);
    return count;
}

size_t isa_study_distinct(const struct isa_study *study)
{
    size_t distinct = 0;
    for (size_t i = 0; i < study->count; i++)
        distinct += study->entries[i].piece && study->entries[i].same_as == i;
    return distinct;
}

const char *isa_registers(const struct isa_code *code)
{
    static const char *const names[] = {"Register Count", "VGPRs", "cells"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (*isa_statistic(code, names[i]))
            return isa_statistic(code, names[i]);
    return "";
}

void isa_cost_words(const struct isa_code *code, const struct isa_piece *piece, struct text *words)
{
    char count[32];
    if (*isa_registers(code))
        text_printf(words, "%s registers", isa_registers(code));
    if (piece)
        text_printf(words, "%s%s bytes of %s", words->length ? ", " : "",
                    text_count(count, piece->size),
                    piece->source == ISA_MACHINE ? piece->name : "text");
}

// --- Pairs

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
    LIT_ADD(study->effects, study->effect_count) = effect;
    return &study->effects[study->effect_count - 1];
}

static void add_pair(struct isa_study *study, struct isa_pair pair, struct isa_axis_effect *effect)
{
    const struct isa_entry *left = &study->entries[pair.base];
    const struct isa_entry *right = &study->entries[pair.other];
    pair.likeness = isa_compare(&left->listing, left->piece, &right->listing, right->piece);
    LIT_ADD(study->pairs, study->pair_count) = pair;
    effect->pairs++;
    effect->like[pair.likeness]++;
    if (pair.likeness > study->pairs[effect->example].likeness)
        effect->example = study->pair_count - 1;
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
