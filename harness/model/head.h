// SPDX-License-Identifier: Apache-2.0
// What the head of a test says (docs/test-format.md).
#pragma once

#include "model/check.h"
#include "model/configuration.h"

#define CAT_MAX_AXES    8
#define CAT_MAX_SWEEPS  8
#define CAT_MAX_VALUES  20
#define CAT_MAX_RULES   20
#define CAT_MAX_SIZES   8
#define CAT_MAX_OUTPUTS 12
#define CAT_MAX_ADVICE  24

// A variant axis, or a run parameter ("sweep").
struct cat_axis {
    char *name;
    char *values[CAT_MAX_VALUES];
    size_t count;
    // Parameters only:
    enum cfg_role role; // its meaning to the harness
    int32_t spec_id;    // -1: none
    size_t quick;       // the first `quick` values belong to the default run
};

// A term: some values of an axis or sweep.
struct cat_term {
    bool is_sweep;
    bool negated;
    size_t index;    // of the axis or sweep
    uint32_t values; // bit v: value v is named
};

struct cat_condition {
    struct cat_term terms[CAT_MAX_AXES + CAT_MAX_SWEEPS];
    size_t count; // 0: always
};

struct cat_rule {
    struct cat_condition when;
    enum cat_expectation expectation; // `expect` rules only
    char *by;     // likewise: ids of the rules that it rests on (docs/spec.md), "a,b"; NULL: none
    char *reason; // likewise
};

// A line `relies` or `remedy`. A remedy belongs to the preceding statement.
struct cat_advice {
    bool is_remedy;
    bool family;  // the statement is about the whole family
    char *values; // the values concerned: "sync=none,memory pressure=none"; "" for any
    char *what;
};

struct cat_head {
    char *text;                 // storage of all strings
    char *name, *family, *test; // "shuffle.scan-loop", "shuffle", "scan-loop"
    char *asks, *fails, *origin, *headline, *program, *oracle;
    // For a case, else NULL: the bug's URL or finding, the vendor, the bug's status.
    char *bug, *vendor, *status;
    char *hazard; // simulator models and operators under which the test must fail, or NULL
    char *needs;  // a feature that the modules do not declare, or NULL
    char *file;   // of words, beside the test: "igc-402.words"; or NULL
    // Formulas, for a test that has no other oracle (catalogue/formula.h); NULL where absent.
    char *fits, *workgroups, *results, *elements, *state, *input;
    char *output[CAT_MAX_OUTPUTS];
    size_t output_count;
    char *where; // text with formulas in braces
    char *spec[CAT_MAX_RULES];
    size_t spec_count;
    struct cat_axis axes[CAT_MAX_AXES];
    size_t axis_count;
    struct cat_axis sweeps[CAT_MAX_SWEEPS];
    size_t sweep_count;
    uint32_t sizes[CAT_MAX_SIZES];
    size_t size_count;
    struct cat_rule expect[CAT_MAX_RULES], without[CAT_MAX_RULES], thorough[CAT_MAX_RULES];
    size_t expect_count, without_count, thorough_count;
    struct cat_advice advice[CAT_MAX_ADVICE];
    size_t advice_count;
};
