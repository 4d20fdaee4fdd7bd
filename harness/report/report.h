// SPDX-License-Identifier: Apache-2.0
// Reports: pure functions of the store. The same store gives the same bytes. Every report is made
// in memory, so that nothing half-written is ever left behind.
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "store/store.h"

// Append a report of a session. False with an error if the store cannot be read.
bool report_json(struct store *store, int64_t session, struct text *out, struct lit_error *error);
bool report_markdown(struct store *store, int64_t session, struct text *out,
                     struct lit_error *error);
bool report_herd(struct store *store, int64_t session, struct text *out, struct lit_error *error);

struct report_terminal_info {
    bool color;
    bool utf8;
    int verbosity; // -1 quiet: what failed only; 0; 1: every configuration
};
// The tables that a run ends with: for each device the headlines, the families, what failed with
// the line that runs it again (docs/reading.md). One device alone is not named: its run has begun
// with that.
bool report_terminal(struct store *store, int64_t session, const struct report_terminal_info *info,
                     struct text *out, struct lit_error *error);
