// SPDX-License-Identifier: Apache-2.0
// What litmus list prints.
#pragma once

#include "catalogue/catalogue.h"

// What to list: the patterns' cases, limited to these families and expectations, and to cases that
// need at least one of these features. An empty set of bits means all.
struct report_list {
    struct cat_selection selection;
    const struct lit_list *families;
    unsigned expectations;
    uint64_t needs;
};

// Appends a line for each test, with `questions` also its question and needs; or with `names` the
// name of each configuration. JSON follows docs/list.schema.json.
void report_list_text(const struct report_list *filter, bool names, bool questions,
                      struct text *text);
void report_list_json(const struct report_list *filter, struct text *text);
