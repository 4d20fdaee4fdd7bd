// SPDX-License-Identifier: Apache-2.0
// Listings, and the study of several configurations' code.
#include "isa/study.h"

#include <stdlib.h>
#include <string.h>

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
    struct lint_options options = {.rows = !study->any_shape};
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
