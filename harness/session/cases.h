// SPDX-License-Identifier: Apache-2.0
// Filters the configurations that a run's patterns select: keeps those named by a caselist and not
// by a skip list.
#pragma once

#include "catalogue/catalogue.h"
#include "compare/waiver.h"
#include "engine/supervisor.h"
#include "report/model.h"
#include "session/device.h"

// litmus run --caselist and --skips.
struct ses_cases {
    struct compare_waivers list, skips; // from COMPARE_CASELIST and COMPARE_DEQP_SKIPS
    char **names;                       // from `list`, sorted; `list` owns them
    bool thorough;                      // a named test includes its thorough configurations
};

// Reads the files; "-" is stdin. False with an error "FILE:LINE: ..." if a line is invalid or names
// something that the catalogue does not have.
bool ses_cases_read(struct ses_cases *cases, const struct lit_list *caselists,
                    const struct lit_list *skips, struct lit_error *error);
// Returns what the patterns (none, or exclusions, with `all`) and the lists select. It refers to
// both.
struct cat_selection ses_cases_select(struct ses_cases *cases, const struct lit_list *patterns,
                                      bool all, bool thorough);
void ses_cases_clear(struct ses_cases *cases);
