// SPDX-License-Identifier: Apache-2.0
// The findings of the lint while they are made: each is kept once, with its shortest ways.
#pragma once

#include "isa/apart.h"
#include "isa/lint.h"

struct finding_key {
    size_t exchange, twin, branch, at;
    int kind;
    bool used;
};

struct findings {
    struct lint *lint;
    size_t capacity;
    struct finding_key *keys; // hash table
    size_t key_count, key_capacity;
    uint64_t work; // addresses and findings handled, for whoever limits it
};

// A finding of the lanes that were followed in `apart`: `second` is the hit of the other side, or
// NULL. `branch` is an instruction, as are the exchanges.
void findings_add(struct findings *findings, const struct apart *apart, enum lint_kind kind,
                  size_t branch, const struct apart_hit *first, const struct apart_hit *second);
// An exchange that has no way to it: LINT_GUARDED, LINT_MISGUARDED.
void findings_add_alone(struct findings *findings, const struct sass_code *code,
                        enum lint_kind kind, size_t exchange, size_t branch);
// Forgets all that were made.
void findings_restart(struct findings *findings);
// Frees what is not the lint's.
void findings_clear(struct findings *findings);
