// SPDX-License-Identifier: Apache-2.0
// Which part of a trace is shown: the lanes that took part in what went wrong, the last things that
// they did before, and who did them with them. Pure.
#pragma once

#include "explain/breakage.h"

#define EXP_ROWS   8
#define EXP_BEFORE 6 // steps of a lane that are shown before the one that went wrong

struct exp_row {
    uint32_t invocation;
    bool involved; // else it is a neighbour
};

struct exp_window {
    struct exp_row rows[EXP_ROWS]; // by rising invocation
    size_t row_count;
    // Indexes of the trace's steps, rising. Of neighbours those that they executed together with an
    // involved lane.
    struct exp_shown {
        size_t step, row;
    } * steps;
    size_t step_count;
};

void exp_window_make(const struct exp_trace *trace, const struct exp_breakage *breakage,
                     struct exp_window *window);
void exp_window_clear(struct exp_window *window);
