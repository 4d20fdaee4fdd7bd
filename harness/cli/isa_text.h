// SPDX-License-Identifier: Apache-2.0
// What litmus isa prints of a device's code. Pure.
#pragma once

#include "isa/study.h"

struct cli_isa_view {
    bool listing; // of each code
    bool diff;    // of the pair of each axis that differs most
    bool every;   // all representations, not the lowest alone
};

// Table of configurations, what axes change, risks, remarks, listings.
void cli_isa_text(const struct isa_study *study, const struct cli_isa_view *view,
                  struct text *text);
// One listing: address, text, and a mark before what the lint names.
void cli_isa_listing(const struct isa_entry *entry, struct text *text);
