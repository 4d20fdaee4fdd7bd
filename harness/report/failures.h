// SPDX-License-Identifier: Apache-2.0
// What a device did wrong, in few words: the verdict, and a block for each group of failures that
// are alike. All formats use these. Pure functions of a model and its store.
#pragma once

#include "report/model.h"

// Appends the first sentence about a device, without a full stop: "1 of 241 forbidden
// configurations failed: memory.coherence (0.78 of runs)".
void report_verdict(const struct report_model *model, size_t device, struct text *out);
// Appends `before` and what the driver did as the device was closed. False if it closed it.
bool report_unclosed(const struct report_model *model, size_t device, const char *before,
                     struct text *out);

struct report_code;

// Counts for one class on a device. Both the verdict and its pages use them.
struct report_class {
    size_t ran; // includes those that ended the driver or the device, even in their first run
    size_t failed, triggered, unfinished;
    size_t broken[ENG_RESULTS]; // by how they ended, if they had not failed before
};
struct report_class report_class(const struct report_model *model, size_t device,
                                 enum cat_expectation expectation);

// What is known about a defect: reports/findings/*/signature, which tools/ticket-data builds in. A
// result's finding is the first that matches.
struct report_part {
    const char *id, *title, *html; // of a section; the first part has no id, and its title is HTML
};
struct report_signature {
    const char *finding, *title;     // "lavapipe-25.0.7-subgroup-barrier-waits"; its report's title
    const char *path;                // of its report, in this program's source
    const struct report_part *parts; // of its report; the last has no html
    const char *test;                // a glob
    const char *outcome;             // as report_seen() names it, a glob
    const char *values;              // "sync=control-* workgroup=64": globs; "" for any
    const char *driver;              // a glob for the driver's name and version, "llvmpipe 25.0.*"
    // A kind of the lint's findings; or a glob for a group of generated programs, once one of them
    // was shrunk (fuzz_group). Any test and outcome. "": not by this.
    const char *cause;
    const char *fails; // "sometimes": in some of the runs; "": in all
};
extern const struct report_signature report_signatures[]; // the last has no finding

// Whether a result's values match "key=glob,glob key=glob"; "" and NULL match all.
bool report_has_values(const struct result *result, const char *values);

// The most frequent failing outcome of a result, or how it ended: "never written", "crash".
const char *report_seen(const struct result *result, char buffer[24]);
// NULL if none matches.
const struct report_signature *report_finding(const struct report_model *model,
                                              const struct result *result);

// The first for failures on this device with this cause: of machine code (lint_kind_name), or the
// name of a group; NULL if none matches.
const struct report_signature *report_finding_by(const struct dev_facts *facts, const char *cause);

// Appends the values of axes and parameters that tell the results that `some` marks from the
// others, in the notation of conditions (docs/test-format.md), where * stands for any ending:
// "sync=control-* form=ssa,counted". Begins with the test if that matters; appends nothing if no
// value does. Returns how many results of all have these values: more than are marked, if no values
// tell them apart. `out` may be NULL.
size_t report_where(const struct result *const *all, const bool *some, size_t count,
                    struct text *out);

// Results of one device, test and expectation that share a cause and an outcome (all had the first
// one's most frequent failing outcome, or all ended in the same way), and what sets them apart. All
// texts are allocated, without a full stop, and "" if there is nothing to say.
struct report_block {
    size_t device;
    const struct result **members; // the highest rate first; `count` of them, never none
    size_t count;
    const struct report_signature *finding; // by its cause, else the first of a member; or NULL
    char *cause;     // "misguarded: REDUX.SUM at 0x90 ...", of the first member that has one
    char *where;     // "sync=control-*", as report_where; "" if no value matters
    char *says;      // "6 of 6 always, never written; the other values pass"
    char *passes;    // nearest passing variants, by the values that differ: "sync=none,
                     // sync=memory-once"
    char *elsewhere; // "passes on llvmpipe 22.3.6 (6 of 6); fails on llvmpipe 26.1.6 (6 of 6)"
    char *since;     // "fails since 2026-11-21 (25.0.7); passed on 2026-11-20 (22.3.6)"; or why we
                     // cannot read other sessions
    char *again;     // one command that runs all of them again
};
// Fills `elsewhere` and `since` of each block (past.c).
void report_blocks_past(const struct report_model *model, struct report_block *list, size_t count);
// The blocks of a device's results that `which` selects (report_failed, report_unfinished_only):
// forbidden ones first, of these those without a finding, then those of each finding in the order
// of the results. *list is allocated; returns its length.
size_t report_blocks(const struct report_code *code, size_t device,
                     bool (*which)(const struct result *result), struct report_block **list);
void report_blocks_free(struct report_block *list, size_t count);
