// SPDX-License-Identifier: Apache-2.0
// Reports: pure functions of the store. The same store gives the same bytes. Every report is made
// in memory, so that nothing half-written is ever left behind. formats.h is the table of them.
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "report/model.h"

// Appends a report of a model.
typedef void report_function(const struct report_model *model, struct text *out);
report_function report_text, report_json, report_junit, report_csv, report_markdown, report_herd;
report_function report_github, report_annotations, report_html;

// Appends a report of a session, 0 for the newest. False with an error if the store cannot be read.
bool report_stored(report_function *write, struct store *store, int64_t session, struct text *out,
                   struct lit_error *error);

struct report_terminal_info {
    bool color;
    bool utf8;
    int verbosity; // -1 quiet: what failed only; 0; 1: every configuration
};
// The tables that a run ends with: for each device the headlines, the families, what failed with
// the line that runs it again (docs/reading.md). One device alone is not named: its run has begun
// with that.
void report_tables(const struct report_model *model, const struct report_terminal_info *info,
                   struct text *out);
// The same for a session of a store.
bool report_terminal(struct store *store, int64_t session, const struct report_terminal_info *info,
                     struct text *out, struct lit_error *error);
// Replaces what is not ASCII, one character for one.
void report_make_ascii(struct text *text);
