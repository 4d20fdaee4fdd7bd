// SPDX-License-Identifier: Apache-2.0
// All that is known of several configurations' code.
#include "isa/study.h"

#include <stdlib.h>
#include <string.h>

static bool same_piece(const struct isa_piece *a, const struct isa_piece *b)
{
    return a && b && a->source == b->source && a->size == b->size &&
           memcmp(a->bytes, b->bytes, a->size) == 0;
}

static void inspect(struct isa_entry *entry, struct sass_code *sass, const char *by)
{
    // Every test has workgroups of one row.
    static const struct lint_options options = {.rows = true};
    struct lit_error error = {0};
    if (!entry->piece) {
        entry->why = lit_strdup("the driver gives no code that can be listed");
        return;
    }
    if (sass && entry->piece->source == ISA_MACHINE) {
        isa_list_sass(sass, by, &entry->listing);
    } else if (!isa_list(entry->piece, &entry->listing, &error)) {
        entry->why = lit_strdup(error.message);
        return;
    }
    if (entry->listing.sass.count == 0)
        return;
    entry->linted = lint_run(&entry->listing.sass, &options, &entry->lint, &error);
    if (!entry->linted)
        entry->unlinted = lit_strdup(error.message);
}

void isa_study_add(struct isa_study *study, const char *name, struct isa_code *code,
                   struct sass_code *sass, const char *by)
{
    study->entries = lit_realloc(study->entries, study->count + 1, sizeof *study->entries);
    struct isa_entry *entry = &study->entries[study->count];
    *entry = (struct isa_entry){.name = lit_strdup(name), .code = *code, .same_as = study->count};
    *code = (struct isa_code){0};
    entry->piece = isa_lowest(&entry->code);
    for (size_t i = 0; i < study->count; i++)
        if (same_piece(study->entries[i].piece, entry->piece)) {
            entry->same_as = i;
            break;
        }
    if (entry->same_as == study->count) {
        inspect(entry, sass, by);
    } else {
        // Listed and linted once; what is pointed to belongs to the first.
        const struct isa_entry *first = &study->entries[entry->same_as];
        entry->listing = first->listing;
        entry->lint = first->lint;
        entry->linted = first->linted;
        entry->why = first->why;
        entry->unlinted = first->unlinted;
        if (sass)
            sass_code_clear(sass);
    }
    study->count++;
}

void isa_study_finish(struct isa_study *study)
{
    study->members = lit_alloc(study->count + 1, sizeof *study->members);
    for (size_t i = 0; i < study->count; i++) {
        const struct isa_entry *entry = &study->entries[i];
        study->members[i] = (struct isa_member){
            .name = entry->name,
            .piece = entry->listing.lines ? entry->piece : NULL,
            .listing = &entry->listing,
        };
    }
    study->twin_count = isa_find_twins(study->members, study->count, &study->twins);
    study->effect_count =
        isa_axis_effects(study->members, study->twins, study->twin_count, &study->effects);
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
    free(study->members);
    free(study->twins);
    free(study->effects);
    *study = (struct isa_study){0};
}

const struct isa_entry *isa_study_find(const struct isa_study *study, const char *name)
{
    for (size_t i = 0; i < study->count; i++)
        if (strcmp(study->entries[i].name, name) == 0)
            return &study->entries[i];
    return NULL;
}

size_t isa_risks(const struct isa_entry *entry)
{
    size_t count = 0;
    for (size_t i = 0; i < entry->lint.count; i++)
        count += isa_is_risk(&entry->lint.findings[i]);
    return count;
}

size_t isa_study_distinct(const struct isa_study *study)
{
    size_t distinct = 0;
    for (size_t i = 0; i < study->count; i++)
        distinct += study->entries[i].piece && study->entries[i].same_as == i;
    return distinct;
}

const char *isa_statistic(const struct isa_code *code, const char *name)
{
    for (size_t i = 0; i < code->statistic_count; i++)
        if (strcmp(code->statistics[i].name, name) == 0)
            return code->statistics[i].value;
    return "";
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
