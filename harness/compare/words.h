// SPDX-License-Identifier: Apache-2.0
// What a comparison says in words: the same sentences in every report.
#pragma once

#include "compare/compare.h"

// "no-progress" -> what it means: "gave up waiting more often".
// Appends what happened to one configuration, from A to B, in one line without a full stop:
// "0 of 1,000 -> 37 of 1,000 runs failed, < 3.7e-3 -> 0.037 [0.026, 0.051], by 0.037 [0.027,
// 0.051], p 3.6e-10".
void compare_say_entry(const struct compare_entry *entry, struct text *out);
// "3.6e-10", "< 1e-300".
void compare_say_p(char target[32], double p);
// The p value after the correction that belongs to the verdict; 1 if nothing was tested.
double compare_entry_p(const struct compare_entry *entry);
// The interval of a result's rate, 95 %: by its confidence sequence where a rule ended it.
struct stat_interval compare_interval(const struct report_result *result);

// "3 regressions, 12 improvements, 320 unchanged, 8 undecided, 87 new".
void compare_say_counts(const struct comparison *comparison, struct text *out);
// The one sentence that comes first: "passed: no regression", "3 regressions", ...
void compare_say_headline(const struct comparison *comparison, struct text *out);
// "Example GPU: driver 1.2.3 -> 1.2.4"; what else differs behind it.
void compare_say_pair(const struct comparison *comparison, size_t pair, struct text *out);
// "before.json: session 3 of 2026-11-21, litmus 0.1.0"
void compare_say_side(const struct compare_side *side, struct text *out);
// Two sentences on what could have been seen; nothing if nothing was tested.
void compare_say_power(const struct comparison *comparison, struct text *out);
// How false alarms are kept rare: "Fisher's exact test, one-sided, Holm over 12 of 371 tests, ...".
void compare_say_method(const struct comparison *comparison, struct text *out);
// What became of an entry of a list: "waives 3", "expired on 2026-01-01, waives nothing any more",
// "matches nothing". False if there is nothing to tell.
bool compare_say_waiver(const struct compare_waiver *waiver, struct text *out);

// Calls `visit` for each entry of a kind: all regressions, forbidden ones first, and so on.
enum compare_kind {
    COMPARE_KIND_REGRESSIONS, // that gate and that nothing excuses
    COMPARE_KIND_WAIVED,
    COMPARE_KIND_FIRST_SEEN,   // open
    COMPARE_KIND_NEW_WRONG,    // open
    COMPARE_KIND_NOT_MEASURED, // open
    COMPARE_KIND_OTHER_WORSE,  // regressions whose expectation does not gate
    COMPARE_KIND_IMPROVEMENTS,
    COMPARE_KIND_CONTROLS, // that changed
    COMPARE_KIND_UNDECIDED,
    COMPARE_KIND_REST,
    COMPARE_KINDS,
};
enum compare_kind compare_kind_of(const struct comparison *comparison,
                                  const struct compare_entry *entry);
const char *compare_kind_title(enum compare_kind kind); // "regressions"
// The entries of a kind, forbidden before contested before assumed, then by name. free() it.
const struct compare_entry **compare_select(const struct comparison *comparison,
                                            enum compare_kind kind, size_t *count);
