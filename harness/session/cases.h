// SPDX-License-Identifier: Apache-2.0
// What a run leaves of the configurations that its patterns select: those that a caselist names and
// no list of skips does.
#pragma once

#include "catalogue/catalogue.h"
#include "compare/waiver.h"
#include "engine/supervisor.h"
#include "report/model.h"
#include "session/device.h"

// litmus run --caselist and --skips.
struct ses_cases {
    struct compare_waivers list, skips; // of COMPARE_CASELIST, of COMPARE_DEQP_SKIPS
    char **names;                       // of `list`, sorted; they belong to it
    bool thorough;                      // a test that is named stands for its thorough ones too
};

// Reads the files; "-" is stdin. False with an error "FILE:LINE: ..." at a line that makes no
// sense, or names what is not in the catalogue.
bool ses_cases_read(struct ses_cases *cases, const struct lit_list *caselists,
                    const struct lit_list *skips, struct lit_error *error);
// What is selected: by the patterns (none, or exclusions, with `all`) and by the lists. It refers
// to both.
struct cat_selection ses_cases_select(struct ses_cases *cases, const struct lit_list *patterns,
                                      bool all, bool thorough);
// Its `keeps`, of a struct ses_cases.
bool ses_cases_keep(const struct cat_case *which, const char *name, const struct dev_facts *facts,
                    const void *cases);
void ses_cases_clear(struct ses_cases *cases);
