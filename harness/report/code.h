// SPDX-License-Identifier: Apache-2.0
// The compiled code of a session's configurations, as every report shows it: its owner, the
// instructions in question, the risks, and how it differs from code that did not fail.
// The built-in decoder reads SASS, never a tool.
#pragma once

#include "report/model.h"
#include "report/table.h"
#include "store/study.h"

struct report_code {
    const struct report_model *model; // not owned; must not change
    struct isa_study *studies;        // one for each device of the model; empty if it has no code
    size_t count;
    const struct isa_entry **of; // for each result of the model, then for the rest; NULL: no code
    char fault[512];             // why the store's code could not be read; "" if it could
};

// Fills a variant from a name of the catalogue, for isa_study_finish.
bool report_code_describe(const char *name, struct isa_variant *variant);

// Reads the code of all devices of the model from its store; none without a store. `test`, if not
// NULL, reads only one test.
struct report_code report_code_load(const struct report_model *model, const char *test);
void report_code_clear(struct report_code *code);

// The code of a result, in the model or the rest of its session, on the result's device; NULL if
// the store has none.
const struct isa_entry *report_code_of(const struct report_code *code, const struct result *result);
// What in its code probably makes a failed result fail, and the same as a line: "misguarded:
// REDUX.SUM at 0x90 ...". NULL, and appends nothing, if that is not known.
const struct lint_finding *report_code_cause(const struct report_code *code,
                                             const struct result *result, struct text *words);
// Whether the model has results on the device for the test of an axis effect.
bool report_code_about(const struct report_code *code, size_t device,
                       const struct isa_axis_effect *effect);
// A result's other variants, from the model and the rest of the session, on the same device under
// the same stress: nearest first, then those that never failed, then by name. *list is allocated;
// returns its length.
struct report_variant {
    const struct result *result;
    size_t differences;
};
size_t report_variants(const struct report_model *model, const struct result *result,
                       struct report_variant **list);
// The nearest variant, in the model or the rest of the session, that had no failed run under the
// same stress and has a listing in the store. NULL if there is none.
const struct result *report_code_paired(const struct report_code *code,
                                        const struct result *result);
// Appends how a result's code differs from its paired variant's: a sentence, or the title of a
// difference to show. Returns true for a title. Appends nothing without a listing.
bool report_code_versus(const struct report_code *code, const struct result *result,
                        struct text *words);
// Appends what the code costs: bytes, registers and cross-lane reads.
void report_code_cost(const struct isa_entry *entry, struct text *words);

// Appends one line about finding `index` of isa_risks(entry), its kind first.
void report_code_risk(const struct isa_entry *entry, size_t index, struct text *words);
// The lint findings for a device's code: each code once, with the failure counts of its results,
// and at most `most` findings each; a note explains them or says that there are none. Empty if no
// code was linted. `only`, if not NULL, limits it to one code.
void report_code_findings(const struct report_code *code, size_t device,
                          const struct isa_entry *only, size_t most, struct table *table);
// The driver's statistics for a code: names and values, and notes.
void report_code_statistics(const struct isa_entry *entry, struct table *table);
// How many cross-lane reads run with only part of the lanes, as far as the lint says.
size_t report_code_inside(const struct isa_entry *entry);

// The model's results that share one code, counted together.
struct report_code_users {
    const struct result *first; // NULL: no result has it
    size_t count;
    uint64_t failed_runs, judged; // over all of them
};
// `failed`: only results that failed and should not have.
struct report_code_users report_code_users(const struct report_code *code, size_t device,
                                           const struct isa_entry *entry, bool failed);
// Whether two results of a device ran the same program: the same machine code (if the driver gives
// it) with the same statistics, dispatch, input and expectation, parameters, stress and class, each
// with a number of runs fixed in advance.
bool report_code_is_one(const struct report_code *code, const struct result *a,
                        const struct result *b);
// Groups of a device's results that ran the same program: a row each, with the pooled rate.
// Empty if there is none.
void report_code_shared(const struct report_code *code, size_t device, struct table *table);
// A device's failed results that have code in the store, each code once, forbidden ones first.
// *list is allocated; returns its length.
size_t report_code_failed(const struct report_code *code, size_t device,
                          const struct result ***list);

// ---- instructions in question

struct report_marks {
    char *lines;       // for each line of the listing: REPORT_MARK_ or ' '
    size_t count;      // lines with REPORT_MARK_ASKED
    struct text words; // sentences: what is marked and what that means, or why nothing is
};
#define REPORT_MARK_ASKED '>' // could have read the wrong value
#define REPORT_MARK_RISK  '!' // a risk that the lint names; not in question otherwise

// Marks the instructions that a test of this name questions: candidates for the failure, never
// more.
void report_marks_make(const struct isa_entry *entry, const char *test, bool failed,
                       struct report_marks *marks);
void report_marks_clear(struct report_marks *marks);

// ---- as text

// The listing, each line after its mark, in at most `most` bytes. A longer listing keeps the lines
// around marks and says how many it leaves out.
void report_code_listing(const struct isa_entry *entry, const struct report_marks *marks,
                         size_t most, struct text *out);

// A unified diff from the paired variant (-) to this one (+), in at most `most` bytes plus a line
// that counts the rows left out. Titles are single lines. Empty if no row differs.
void report_code_difference(const struct isa_listing *paired, const char *paired_title,
                            const struct isa_listing *listing, const char *title, size_t most,
                            struct text *out);
