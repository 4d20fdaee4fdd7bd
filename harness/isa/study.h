// SPDX-License-Identifier: Apache-2.0
// What one driver made of several configurations: listed, compared and looked through for risks.
// What isa's command and the reports show is read from here. Pure.
#pragma once

#include "isa/lint.h"
#include "isa/twins.h"

struct isa_entry {
    char *name; // of the configuration
    struct isa_code code;
    const struct isa_piece *piece; // the lowest of the code; NULL: the driver gives none
    struct isa_listing listing;    // of the piece; empty, with `why` saying why, if there is none
    char *why;
    struct lint lint; // of SASS; empty for others
    bool linted;      // else `unlinted` says why not, if it is SASS
    char *unlinted;
    size_t same_as; // the first entry with the same bytes: itself, or one before, whose listing and
                    // lint it then has
};

struct isa_study {
    struct isa_entry *entries;
    size_t count;
    // From isa_study_finish on:
    struct isa_member *members; // one for each entry
    struct isa_twins *twins;
    size_t twin_count;
    struct isa_axis_effect *effects;
    size_t effect_count;
};

// Takes `code` over and leaves it empty; likewise `sass`, which is its machine code as `by` lists
// it (NULL: the built-in decoder does).
void isa_study_add(struct isa_study *study, const char *name, struct isa_code *code,
                   struct sass_code *sass, const char *by);
// Compares. After it, nothing may be added.
void isa_study_finish(struct isa_study *study);
void isa_study_clear(struct isa_study *study);

// Findings of lanes that can reach an exchange apart, and of exchanges under another predicate than
// was meant; the others say that a part of the lanes
// exchanges, which can be what the program asks for.
static inline bool isa_is_risk(const struct lint_finding *finding)
{
    return finding->kind == LINT_RISK || finding->kind == LINT_LEAVING ||
           finding->kind == LINT_TWICE || finding->kind == LINT_MISGUARDED;
}
size_t isa_risks(const struct isa_entry *entry);

// The entry of a configuration; NULL if there is none.
const struct isa_entry *isa_study_find(const struct isa_study *study, const char *name);
// How many entries have code of their own: that none before them has.
size_t isa_study_distinct(const struct isa_study *study);
// The value of a statistic, as the driver writes it; "" if it has none of that name.
const char *isa_statistic(const struct isa_code *code, const char *name);
// The registers of an invocation, under whichever name the driver has for them; "" if it does not
// say.
const char *isa_registers(const struct isa_code *code);
// What a pipeline takes of the machine, in the words of its driver: "16 registers, 1,280 bytes".
void isa_cost_words(const struct isa_code *code, const struct isa_piece *piece, struct text *words);
