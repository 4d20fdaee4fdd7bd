// SPDX-License-Identifier: Apache-2.0
// The code that a store has of a session's configurations, as every report shows it: whose it is,
// which instructions are in question, what is at risk, and how it differs from code that did not
// fail. A function of the store alone: SASS is read by the built-in decoder, never by a tool.
#pragma once

#include "isa/study.h"
#include "report/model.h"
#include "report/table.h"

struct report_code {
    const struct report_model *model; // not owned; must stay as it is
    struct isa_study *studies;        // one for each device of the model; empty where nothing is
    size_t count;
    const struct isa_entry **of; // for each result of the model, then for the rest; NULL: none
    char fault[512];             // why the store's code could not be read; "" if it could
};

// What a name of the catalogue says, for isa_study_finish.
bool report_code_describe(const char *name, struct isa_variant *variant);

// Reads the code of all devices of the model from its store; none without a store. `test`, if not
// NULL, asks for one test alone.
void report_code_load(const struct report_model *model, const char *test, struct report_code *code);
void report_code_clear(struct report_code *code);

// Of the configuration of a result of the model or the rest of its session, on its device; NULL if
// the store has none.
const struct isa_entry *report_code_of(const struct report_code *code,
                                       const struct report_result *result);
// Whether a sentence on an axis is about one of the results of the model.
bool report_code_about(const struct report_code *code, size_t device,
                       const struct isa_axis_effect *effect);
// Those of its other variants, in the results of the model and the rest of the session, that were
// measured on its device under the same stress: the nearest first, of these those that never
// failed, then by name. *list is allocated; returns how many.
struct report_variant {
    const struct report_result *result;
    size_t differences;
};
size_t report_variants(const struct report_model *model, const struct report_result *result,
                       struct report_variant **list);
// The nearest variant that did not fail under the same stress, of which the store has a listing: in
// the results of the model or the rest of the session. NULL if there is none.
const struct report_result *report_code_paired(const struct report_code *code,
                                               const struct report_result *result);
// Appends how the code of a result differs from that of its paired variant: a sentence, or the
// title of a difference that is to be shown. Returns whether it is that. Nothing where there is no
// listing.
bool report_code_versus(const struct report_code *code, const struct report_result *result,
                        struct text *words);
// How many bytes of what, in how many registers, and how many cross-lane reads there are.
void report_code_cost(const struct isa_entry *entry, struct text *words);

// One line, its kind first, on the finding of this index, of isa_risks(entry).
void report_code_risk(const struct isa_entry *entry, size_t index, struct text *words);
// The lint findings of the code of a device: each code once, with how often those failed that have
// it, and at most `most` findings of each; a note says what they mean, or that there are none.
// Nothing where no code was linted. `only`, if not NULL: of this code alone.
void report_code_findings(const struct report_code *code, size_t device,
                          const struct isa_entry *only, size_t most, struct table *table);
// What the driver says of a code: names and values, and notes.
void report_code_statistics(const struct isa_entry *entry, struct table *table);
// How many cross-lane reads a part of the lanes executes, as far as the lint says.
size_t report_code_inside(const struct isa_entry *entry);

// Results of the model that have one code, counted together.
struct report_code_users {
    const struct report_result *first; // NULL: none of the results has it
    size_t count;
    uint64_t failed_runs, judged; // of all of them
};
// `failed`: only those that failed where nothing should.
struct report_code_users report_code_users(const struct report_code *code, size_t device,
                                           const struct isa_entry *entry, bool failed);
// Whether two results of a device are of one program: the same machine code (of drivers that give
// it) with the same statistics, dispatch, input and expectation, parameters, stress and class, each
// with a number of runs that did not depend on what was seen.
bool report_code_is_one(const struct report_code *code, const struct report_result *a,
                        const struct report_result *b);
// Groups of such, of the results of a device: a row each, with what all of their runs show
// (code_shared.c). Nothing where there is none.
void report_code_shared(const struct report_code *code, size_t device, struct table *table);
// Results of a device that failed and of which the store has code, each code once: forbidden
// first. *list is allocated; returns how many.
size_t report_code_failed(const struct report_code *code, size_t device,
                          const struct report_result ***list);

// ---- instructions in question (code_marks.c)

struct report_marks {
    char *lines;       // for each line of the listing: REPORT_MARK_ or ' '
    size_t count;      // lines with REPORT_MARK_ASKED
    struct text words; // what is marked and what that means, or why nothing is: sentences
};
#define REPORT_MARK_ASKED '>' // could have read the wrong value
#define REPORT_MARK_RISK  '!' // what the lint names as a risk; not in question otherwise

// Which instructions of a test of this name could be what failed, or would be if something did.
// Candidates, and never more.
void report_marks_make(const struct isa_entry *entry, const char *test, bool failed,
                       struct report_marks *marks);
void report_marks_clear(struct report_marks *marks);

// ---- as text

// The listing with its marks before the lines, at most `most` bytes. If it is longer, what is
// around marked lines; how many lines are left out is said.
void report_code_listing(const struct isa_entry *entry, const struct report_marks *marks,
                         size_t most, struct text *out);

// The rows of a difference that are shown: those that differ, with some before and after.
#define REPORT_AROUND 4
// *shown is allocated, true for each row of the difference that is to be shown.
void report_code_around(const struct isa_diff *diff, bool **shown);
// As `diff -u` writes it, from the paired variant (-) to this (+); at most `most` bytes and the
// line that says how many more rows there are. Titles are single lines. Empty if no row differs.
void report_code_difference(const struct isa_listing *paired, const char *paired_title,
                            const struct isa_listing *listing, const char *title, size_t most,
                            struct text *out);

// What litmus isa prints: a table of configurations, what axes change, risks, remarks; with
// `listing` of each code, with `diff` of the pair of each axis that differs most, with `every` all
// representations and not the lowest alone. Pure.
void report_study(const struct isa_study *study, bool listing, bool diff, bool every,
                  struct text *text);
