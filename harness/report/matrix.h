// SPDX-License-Identifier: Apache-2.0
// Which operations need a barrier here? The results of the family sync-matrix on one device as a
// table: a row for each operation, a column for each way of synchronising. Pure functions of a
// model.
#pragma once

#include "report/under.h"

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
    MATRIX_NEVER,     // ran, and never went wrong
    MATRIX_SEEN,      // went wrong
};

// All configurations of one operation and column, summed.
struct report_matrix_cell {
    enum report_matrix_state state;
    uint64_t configurations, runs, failed_runs, judged;
    struct stat_interval interval; // of failed runs among those judged
    const char *reason;            // skipped, undecided: why; else "". Belongs to the model
    const char *rule;              // that of its results, the last one if they differ. Likewise
};

// The strings belong to the model.
struct report_matrix_row {
    const char *test, *op; // "arithmetic" of sync-matrix.arithmetic, "add"
    const char *scan;      // "reduce"; "" if the test has no such axis
    struct report_matrix_cell cells[MATRIX_COLUMNS];
};

struct report_matrix {
    struct report_matrix_row *rows; // by test, operation and scan, in the order of the alphabet
    size_t count;                   // 0: the device has no results of sync-matrix
    bool used[MATRIX_COLUMNS];      // some row has configurations there
    struct report_under under;
};

// Fills *matrix, which is to be cleared.
void report_matrix_make(const struct report_model *model, size_t device,
                        struct report_matrix *matrix);
void report_matrix_clear(struct report_matrix *matrix);

// "none", "memory", "control", "workgroup", "maximal".
const char *report_matrix_column_name(size_t column);
// "not-run", "skip", "undecided", "never", "seen".
const char *report_matrix_state_name(enum report_matrix_state state);

// What a cell says: "never < 3.7e-3", "0.025 [3.0e-3, 0.088]", "skip", "undecided", "-". `brief`:
// the interval without the rate.
void report_matrix_cell_text(char target[96], const struct report_matrix_cell *cell, bool brief);

// Rows of one test that say the same in all columns are one line. Returns how many follow `row`,
// itself among them; `row` < matrix->count. The rows of a test are put so that this is never less
// than it could be: report_matrix_fold() first.
size_t report_matrix_alike(const struct report_matrix *matrix, size_t row);
// Sorts the rows of each test by what they say, alike rows by name.
void report_matrix_fold(struct report_matrix *matrix);
// Appends the name of the line that begins at `row` and has `count` rows: "quad, all 4",
// "shuffle: down, up", at most `width` characters: "shuffle: down and 5 more".
void report_matrix_label(struct text *out, const struct report_matrix *matrix, size_t row,
                         size_t count, size_t width);

// Appends the conclusion, one sentence: what was seen to need a barrier, and what n allows to say.
void report_matrix_conclude(struct text *out, const struct report_matrix *matrix);
