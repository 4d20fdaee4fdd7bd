// SPDX-License-Identifier: Apache-2.0
// What litmus list prints.
#pragma once

#include "catalogue/catalogue.h"

// What is listed: the patterns' cases, of these families, with these expectations, that need at
// least one of these features. An empty set of bits stands for all.
struct report_list {
    struct cat_selection selection;
    const struct lit_list *families;
    unsigned expectations;
    uint64_t needs;
};

// Appends a line for each test, with `questions` also what it asks and needs; or with `names` the
// name of each configuration. As JSON: by docs/list.schema.json.
void report_list_text(const struct report_list *filter, bool names, bool questions,
                      struct text *text);
void report_list_json(const struct report_list *filter, struct text *text);
