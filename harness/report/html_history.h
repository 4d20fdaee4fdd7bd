// SPDX-License-Identifier: Apache-2.0
// What the other sessions of a store measured of the configurations of one: rates over drivers.
#pragma once

#include "report/model.h"
#include "store/history.h"

// One result of one session.
struct html_past {
    const struct store_driver *driver;   // of the history's index
    const struct store_session *session; // likewise
    char *result, *rule;                 // as in struct store_result
    uint64_t failed, judged;
    bool same_module; // the same SPIR-V as in the page's session
};

// All results of one configuration on one device under one stress, whatever the driver, in the
// order of the drivers, then of time. `last` is the page's own result.
struct html_course {
    const struct report_result *last; // belongs to the model
    struct html_past *pasts;
    size_t count;
};

struct html_history {
    struct store_index index;
    struct html_course *courses; // those with two results or more, in order of name
    size_t count;
};

// Reads what the store holds of the model's configurations. Clear it after a failure too.
bool html_history_load(struct store *store, const struct report_model *model,
                       struct html_history *history, struct lit_error *error);
void html_history_clear(struct html_history *history);
// Whether a course is worth a look.
enum html_move {
    HTML_STAYS,   // nothing failed but a control, and every session has the same result
    HTML_APPEARS, // the same, but for sessions that skipped it
    HTML_MOVES,   // a failing outcome was seen where none should be, or results differ
};
enum html_move html_course_move(const struct html_course *course);
