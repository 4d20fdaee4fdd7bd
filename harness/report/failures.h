// SPDX-License-Identifier: Apache-2.0
// What a device did wrong, in few words: the verdict, and failures that are alike in one block. All
// formats take them from here. Pure functions of a model and of the store it was read from.
#pragma once

#include "report/model.h"

// Appends the first sentence on a device, without a full stop: "1 of 241 forbidden configurations
// failed: memory.coherence (0.78 of runs)".
void report_verdict(const struct report_model *model, size_t device, struct text *out);
// Appends what the driver did as the device was closed, behind `before`. False if it closed it.
bool report_unclosed(const struct report_model *model, size_t device, const char *before,
                     struct text *out);

// What of one class ran on a device, and what came of it. Both the verdict and its pages count so.
struct report_class {
    size_t ran; // what ended the driver or the device counts, even if no run of it ended
    size_t failed, triggered, unfinished;
    size_t broken[ENG_RESULTS]; // by how they ended, of those that did not fail before
};
struct report_class report_class(const struct report_model *model, size_t device,
                                 enum cat_expectation expectation);

// What is known about a defect: reports/findings/*/signature, built in by tools/ticket-data. The
// first one that matches a result is that of its finding.
struct report_signature {
    const char *finding, *title; // "lavapipe-25.0.7-subgroup-barrier-waits"; of its report
    const char *path;            // of its report, in this program's source
    const char *text;            // Markdown: its report behind the title
    const char *test;            // a glob
    const char *outcome;         // as report_seen() names it, a glob
    const char *values;          // "sync=control-* workgroup=64": globs; "" for any
    const char *driver;          // of the driver's name and version, "llvmpipe 25.0.*"
};
extern const struct report_signature report_signatures[]; // ended by one without a finding

// Whether a result has values that are as "key=glob,glob key=glob" says; of "" or NULL each has.
bool report_has_values(const struct report_result *result, const char *values);

// How many runs a configuration gets where nobody says it, and one that a model of the simulator
// was seen to fail gets `runs`: twice as many if a finding is of its values, with whatever driver;
// half as many if no model fails it. As many if that is not known.
uint64_t report_usual_runs(const char *name, uint64_t runs);

// The most frequent failing outcome of a result, or how it ended: "never written", "crash".
const char *report_seen(const struct report_result *result, char buffer[24]);
// NULL if none matches.
const struct report_signature *report_finding(const struct report_model *model,
                                              const struct report_result *result);

// By which values of axes and parameters those of all results that `some` marks differ from the
// others, in the notation of conditions (docs/test-format.md), in which * stands for any ending:
// "sync=control-* form=ssa,counted". Appends nothing if no value matters; the test stands first
// where it does. Returns how many of all have these values: more than are marked, if no values tell
// them apart. `out` may be NULL.
size_t report_where(const struct report_result *const *all, const bool *some, size_t count,
                    struct text *out);

// Results of one device, test and expectation that share an outcome (the most frequent failing one
// of the first was seen in all, or all ended the same way), and what sets them apart. All texts are
// allocated, without a full stop, and "" where there is nothing to say.
struct report_block {
    size_t device;
    const struct report_result **members; // the highest rate first; `count` of them, never none
    size_t count;
    const struct report_signature *finding; // that of the first member that has one; or NULL
    char *where;  // "sync=control-*", as report_where; "" if no value matters
    char *says;   // "6 of 6 always, never written; the other values pass"
    char *passes; // nearest passing variants, by what they differ in: "sync=none, sync=memory-once"
    char *elsewhere; // "passes on llvmpipe 22.3.6 (6 of 6); fails on llvmpipe 26.1.6 (6 of 6)"
    char *since; // or why other sessions cannot be read: "fails since 2026-11-21 (25.0.7); passed
                 // on 2026-11-20 (22.3.6)"
    char *again; // one command that runs all of them again
};
// Fills their `elsewhere` and `since` (past.c).
void report_blocks_past(const struct report_model *model, struct report_block *list, size_t count);
// The blocks of the results of a device that `which` selects (report_failed,
// report_unfinished_only): forbidden first, then in the order of the results. *list is allocated;
// returns how many.
size_t report_blocks(const struct report_model *model, size_t device,
                     bool (*which)(const struct report_result *result), struct report_block **list);
void report_blocks_free(struct report_block *list, size_t count);
