// SPDX-License-Identifier: Apache-2.0
// The head of a test file, parsed (docs/test-format.md). Used by the program and by the build.
#pragma once

#include "base/error.h"
#include "base/text.h"
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
    // Of a parameter:
    enum cfg_role role; // what its number is to the harness
    int32_t spec_id;    // -1: none
    size_t quick;       // the first `quick` values belong to the default run
};

// A term names an axis or a sweep and a set of its values.
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
    enum cat_expectation expectation; // of `expect` rules only
    char *by; // likewise: the ids of what it rests on (docs/spec.md), "a,b"; NULL if none is named
    char *reason; // likewise
};

// A line `relies` or `remedy`. A remedy is for the statement above it.
struct cat_advice {
    bool is_remedy;
    bool family;  // the statement is about every test of the family
    char *values; // "sync=none,memory pressure=none", those that it is about; "" for any
    char *what;
};

struct cat_head {
    char *text;                 // what all strings point into
    char *name, *family, *test; // "shuffle.scan-loop", "shuffle", "scan-loop"
    char *asks, *fails, *origin, *headline, *program, *oracle;
    // Of a case, each NULL of other tests: the bug's address or its finding, whose devices had it,
    // what came of it.
    char *bug, *vendor, *status;
    char *hazard; // models and operators of the simulator under which the test must fail; NULL
    char *needs;  // a feature that the modules do not tell of; NULL
    char *file;   // of words, beside the test's: "igc-402.words"; NULL
    // Of a test whose oracle is formulas: which (catalogue/formula.h), each NULL if it is not
    // there.
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

// Appends a condition as a head has it, each term behind a blank: " sync=none,memory-once
// form!=ssa".
void cat_condition_words(const struct cat_head *head, const struct cat_condition *condition,
                         struct text *text);

// Parses the head of `source` (`size` bytes). False with an error "line N: ...". Free with
// cat_head_clear, after a failure too.
bool cat_head_parse(const char *source, size_t size, struct cat_head *head,
                    struct lit_error *error);
void cat_head_clear(struct cat_head *head);

// The axis or parameter whose name is the first `length` bytes; NULL if there is none.
const struct cat_axis *cat_axis_find(const struct cat_axis *axes, size_t count, const char *name,
                                     size_t length);
// Parses a term whose axis or parameter is one of the head's. False with what is wrong with `word`:
// "no such value:".
bool cat_term_parse(const struct cat_head *head, const char *word, struct cat_term *term,
                    const char **what);
// Inline: a plan asks for millions.
static inline bool cat_term_holds(const struct cat_term *term, const uint8_t *axis,
                                  const uint8_t *sweep)
{
    const uint8_t value = term->is_sweep ? sweep[term->index] : axis[term->index];
    return (term->values >> value & 1) != term->negated;
}
// Whether a condition holds at a point. `sweep` may be NULL when only axes are known: a condition
// that names a sweep then does not hold.
bool cat_condition_holds(const struct cat_condition *condition, const uint8_t *axis,
                         const uint8_t *sweep);
