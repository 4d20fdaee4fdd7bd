// SPDX-License-Identifier: Apache-2.0
// What was found around a crash, a hang or a lost device, for all reports. The lines are those of
// a driver, the kernel or a store: free of control characters, and nothing more.
#pragma once

#include "report/model.h"

// A title without a full stop.
const char *report_evidence_title(enum eng_evidence kind);
bool report_evidence_any(const struct report_result *result);
// Appends the last `most` lines (SIZE_MAX: all), each with `before` in front of it.
void report_evidence_lines(struct text *out, const struct report_result *result,
                           enum eng_evidence kind, size_t most, const char *before);
