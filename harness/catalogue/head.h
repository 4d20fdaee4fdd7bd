// SPDX-License-Identifier: Apache-2.0
// Parses the head of a test file. Used by the program and by the build.
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "model/head.h"

// Appends a condition as written in a head, each term after a blank: " sync=none,memory-once
// form!=ssa".
void cat_condition_words(const struct cat_head *head, const struct cat_condition *condition,
                         struct text *text);

// Parses the head of `source` (`size` bytes). False with an error "line N: ...". Call
// cat_head_clear in any case.
bool cat_head_parse(const char *source, size_t size, struct cat_head *head,
                    struct lit_error *error);
void cat_head_clear(struct cat_head *head);

// The axis or parameter named by the first `length` bytes; NULL if there is none.
const struct cat_axis *cat_axis_find(const struct cat_axis *axes, size_t count, const char *name,
                                     size_t length);
// Parses a term on one of the head's axes or parameters. False with a message about `word`: "no
// such value:".
bool cat_term_parse(const struct cat_head *head, const char *word, struct cat_term *term,
                    const char **what);
// Inline because a plan evaluates millions.
static inline bool cat_term_holds(const struct cat_term *term, const uint8_t *axis,
                                  const uint8_t *sweep)
{
    const uint8_t value = term->is_sweep ? sweep[term->index] : axis[term->index];
    return (term->values >> value & 1) != term->negated;
}
// Whether a condition holds at a point. `sweep` may be NULL if only the axes are known: conditions
// on a sweep are then false.
bool cat_condition_holds(const struct cat_condition *condition, const uint8_t *axis,
                         const uint8_t *sweep);
