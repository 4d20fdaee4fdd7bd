// SPDX-License-Identifier: Apache-2.0
// The sections of a report: sums over a device's results, and the tables that every format shows
// for them. Pure functions of a model. Strings belong to the model or are static.
#pragma once

#include "model/waiting.h"
#include "report/model.h"
#include "report/table.h"

#include <jansson.h>

// ---- stress (sections.c)

// The stress of a family's table: the one with the most results; in a tie, none or the lesser
// notation. Rates under different stress measure different things, so we never add them.
struct report_under {
    const char *stress; // "" for none
    uint64_t others;    // configurations that ran under other stress
};
struct report_under report_under(const struct report_model *model, size_t device,
                                 const char *family);
// Whether a result may be in the sum. A skipped result ran under no stress, so it may.
bool report_is_under(const struct result *result, const struct report_under *under);
// Appends a sentence or two about it; nothing if no result of the family ran under stress.
void report_under_sentence(struct text *out, const struct report_under *under);
void report_under_note(const struct report_under *under, struct table *table);

// ---- which operations need a barrier (matrix.c)

enum report_matrix_column {
    MATRIX_NONE,
    MATRIX_MEMORY,
    MATRIX_CONTROL,
    MATRIX_WORKGROUP,
    MATRIX_MAXIMAL, // no barrier, but maximal reconvergence
    MATRIX_COLUMNS,
};

enum report_matrix_state {
    MATRIX_NOT_RUN,   // the session has no such configuration
    MATRIX_SKIPPED,   // the device lacks something
    MATRIX_UNDECIDED, // no run was judged: a crash, a hang, no progress
    MATRIX_NEVER,     // ran, and never failed
    MATRIX_SEEN,      // failed
};

// All configurations of one operation and column, summed.
struct report_matrix_cell {
    enum report_matrix_state state;
    uint64_t configurations, runs, failed_runs, judged;
    struct stat_interval interval; // of failed runs among those judged
    const char *reason;            // skipped, undecided: why; else ""
    const char *rule;              // of the last result with one
};

struct report_matrix_row {
    const char *test, *op; // "arithmetic" from sync-matrix.arithmetic, "add"
    const char *scan;      // "reduce"; "" if the test has no such axis
    struct report_matrix_cell cells[MATRIX_COLUMNS];
};

struct report_matrix {
    struct report_matrix_row *rows; // by test, operation and scan, in alphabetical order
    size_t count;                   // 0: the device has no results of sync-matrix
    bool used[MATRIX_COLUMNS];      // some row has configurations there
    struct report_under under;
};

// Fills *matrix; clear it.
void report_matrix_make(const struct report_model *model, size_t device,
                        struct report_matrix *matrix);
void report_matrix_clear(struct report_matrix *matrix);

// "none", "memory", "control", "workgroup", "maximal".
const char *report_matrix_column_name(size_t column);
// "not-run", "skip", "undecided", "never", "seen".
const char *report_matrix_state_name(enum report_matrix_state state);
// A cell's text: "never < 3.7e-3", "0.025 [3.0e-3, 0.088]", "skip", "undecided", "-".
void report_matrix_cell_text(char target[96], const struct report_matrix_cell *cell);

// Rows of one test that say the same in all columns share a line. Returns how many rows from `row`
// on share its line; `row` < matrix->count. Call report_matrix_fold() first, so that these rows are
// adjacent.
size_t report_matrix_alike(const struct report_matrix *matrix, size_t row);
// Sorts each test's rows by what they say, then by name.
void report_matrix_fold(struct report_matrix *matrix);
// Appends a name for the line of `count` rows from `row` on, at most `width` characters: "quad, all
// 4", "shuffle: down, up", "shuffle: down and 5 more".
void report_matrix_label(struct text *out, const struct report_matrix *matrix, size_t row,
                         size_t count, size_t width);
// Appends the conclusion, one sentence: what needs a barrier, as far as the number of runs tells.
void report_matrix_conclude(struct text *out, const struct report_matrix *matrix);

// ---- unspecified behaviour of divergent code (fingerprint.c)

#define REPORT_STRATEGIES 9

// One strategy, and how many observations match it.
struct report_strategy {
    const char *name; // "fewer lanes first"
    uint64_t matching;
    struct stat_interval interval; // of the matching share of the question's observations
};

struct report_fingerprint {
    const char *question;      // "which side of a branch runs first"
    struct report_under under; // the same for all questions
    uint64_t observations;
    const char *rule; // of the last result with one, "" if there is none
    // Sorted by matching observations, the most first. Empty if nothing was observed.
    struct report_strategy strategies[REPORT_STRATEGIES];
    size_t count;
    size_t best; // how many match as often as the first: the observations cannot tell them apart
};

// The questions with observations on a device. *list is allocated; returns its length.
size_t report_fingerprints(const struct report_model *model, size_t device,
                           struct report_fingerprint **list);
// The first strategy's share is large enough to name the device's behaviour; else it is mixed.
bool report_fingerprint_is_clear(const struct report_fingerprint *fingerprint);

// ---- forward progress (progress.c)

// One kind of wait: how often it ended.
struct report_wait {
    const char *who;               // "a workgroup that has started"
    const char *test;              // "chain, order=ticket"
    uint64_t runs;                 // counted, over all configurations
    uint64_t stuck;                // runs in which the wait expired
    uint64_t ended_by;             // configurations that hung, crashed or had wrong data: no answer
    const char *rule;              // a stopping rule of one of them, or ""
    struct stat_interval interval; // of the stuck share, 95 %
};

#define REPORT_WAITS 14

struct report_progress {
    struct report_wait waits[REPORT_WAITS]; // those with runs, in the order of the family's page
    size_t count;                           // 0: no test of the family ran
    uint64_t together; // the most workgroups that were co-resident in every run; 0: not known
    uint64_t apart;    // the fewest that were not; 0: none
    struct report_under under;
    // The strongest model that no generated program contradicts, and what rules out the next one;
    // NULL if no such program ran.
    char *between[AXI_PLACES];
};
// Fills *progress; clear it.
void report_progress(const struct report_model *model, size_t device,
                     struct report_progress *progress);
void report_progress_clear(struct report_progress *progress);
// Whether there is anything to tell.
bool report_progress_any(const struct report_progress *progress);
// Whether a result is of a generated program whose threads wait for each other; if so, *place is
// where they are, *ends the models under which it must end (a bit each).
bool report_is_waiting(const struct result *result, enum axi_place *place, unsigned *ends);

// ---- positive controls (sections.c)

// The controls of one family.
struct report_mutation_family {
    const char *name;
    uint64_t run, seen;
};

// The mutation score: how many controls, whose failing outcome is allowed or certain, showed it. A
// control that did not is a surviving mutant: if the other tests of its family passed on that
// device, that is weak evidence.
struct report_mutation {
    uint64_t run, seen; // configurations
    double score;       // seen of run; 0 if none ran
    size_t *unseen;     // indexes of results, in their order
    size_t unseen_count;
    struct report_mutation_family *families; // families with controls, by name
    size_t family_count;
};
// Fills *mutation; clear it.
void report_mutation_score(const struct report_model *model, size_t device,
                           struct report_mutation *mutation);
void report_mutation_clear(struct report_mutation *mutation);
// No control of the family was triggered.
bool report_mutation_weak(const struct report_mutation_family *family);
// Appends sentences: how many were triggered, the score, and which passes are weak evidence.
// Nothing if no control ran.
void report_mutation_sentences(const struct report_mutation *mutation, struct text *out);

// ---- tables. Each appends a device's rows, and its notes, to an empty table or to other devices'
// rows; nothing if there is nothing to say.

// `all`: also rows usually left out to save space.
typedef void report_section(const struct report_model *model, size_t device, bool all,
                            struct table *table);
report_section report_key_results, report_family_counts, report_skipped, report_every;
report_section report_rule_outcomes, report_controls; // only notes
report_section report_barriers; // rows that say the same share a line, unless `all`
// Leaves only the intervals of its rates.
void report_barriers_narrow(struct table *table);
report_section report_divergence, report_waits;
// What a shader author may rely on, what failed and what to use instead, and what was not measured.
report_section report_advice_held, report_advice_failed, report_advice_open;
report_section report_final_states; // of litmus tests: observed, forbidden or asked for; or `all`
report_section report_machine;      // names and values: what the session ran on, and how
// Appends its first rows: device, driver, versions, subgroup size.
void report_device_facts(const struct dev_facts *facts, struct table *table);

// How grave a result is.
enum tone report_tone(const struct result *result);
// For one result: expected and observed outcomes of its instances; the first failures.
void report_histogram(const struct result *result, struct table *table);
void report_places(const struct result *result, size_t most, struct table *table);

// ---- as JSON (json.c): arrays of objects, each for a device

json_t *report_fingerprints_json(const struct report_model *model);
json_t *report_progress_json(const struct report_model *model);
json_t *report_mutation_json(const struct report_model *model);
