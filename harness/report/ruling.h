// SPDX-License-Identifier: Apache-2.0
// What sequential rules (--until-width, --until-decided) came to. Pure functions of the model.
#pragma once

#include "model/rule.h"
#include "report/model.h"

// ENG_RULING_NONE if its runs were fixed beforehand, or did not come to an end by themselves: it
// was skipped, crashed, hung or was interrupted.
enum eng_ruling report_ruling(const struct report_result *result);

// It ended at the most runs that were allowed, and the rule was not reached.
bool report_is_undecided(const struct report_result *result);

// One sentence without a full stop for each rule of a device's results, in their order: "until
// decided 0.01: above in 1, below in 12, undecided in 2 of 15 configurations".
struct report_rule {
    const char *rule; // of the model
    uint64_t configurations, rulings[ENG_RULINGS];
};
// *rules is allocated; returns how many.
size_t report_rules(const struct report_model *model, size_t device, struct report_rule **rules);
void report_rule_say(const struct report_rule *rule, struct text *out);
