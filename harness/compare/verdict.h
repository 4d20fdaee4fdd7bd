// SPDX-License-Identifier: Apache-2.0
// How two results of one configuration compare, and how all of them together decide. Pure
// functions; docs/gating-statistics.md explains them, with measurements.
#pragma once

#include "report/model.h"

enum compare_verdict {
    COMPARE_REGRESSION,
    COMPARE_IMPROVEMENT,
    COMPARE_UNCHANGED, // no significant change, and no rise that matters
    COMPARE_UNDECIDED,
    COMPARE_NEW,     // only in B, or A skipped it or could not run it
    COMPARE_GONE,    // only in A
    COMPARE_CHANGED, // a control that differs: neither better nor worse
    COMPARE_SKIPPED, // on both sides
    COMPARE_VERDICTS,
};

// The reason for a verdict.
enum compare_why {
    COMPARE_RATE,         // the rate of failed runs
    COMPARE_WAITS,        // the rate of runs in which a wait expired
    COMPARE_FIRST_SEEN,   // a forbidden outcome, new in B, too rare to be significant
    COMPARE_ENDS,         // B does not end normally
    COMPARE_ENDED_BEFORE, // A did not end normally
    COMPARE_NOT_MEASURED, // a side's result is an error of the harness
    COMPARE_NEW_SKIP,     // A ran, B skipped
    COMPARE_WAS_SKIPPED,  // A skipped, B ran
    COMPARE_NOT_RUN,      // one side does not have it
    COMPARE_NO_ANSWER,    // no run was judged
    COMPARE_TOO_FEW,      // runs
    COMPARE_OTHER_CODE,   // the SPIR-V module is another one
    COMPARE_OTHER_STRESS, // it ran under other stress
    COMPARE_OTHER_CLASS,  // its expectation changed
    COMPARE_SAME,         // nothing to tell
    COMPARE_WHYS,
};

extern const char *const compare_verdict_names[COMPARE_VERDICTS]; // "regression"
extern const char *const compare_why_names[COMPARE_WHYS];         // "first-seen"

// What to do about a forbidden outcome in B that A never saw, if the numbers are too small to be
// significant.
enum compare_first_seen {
    COMPARE_FIRST_UNDECIDED, // the gate wants more runs
    COMPARE_FIRST_REGRESSION,
    COMPARE_FIRST_IGNORED, // the test alone decides
};

struct compare_policy {
    double alpha;     // family-wise, for false regressions
    double tolerance; // the least rise that matters; or half of A's rate of failures or passes,
                      // whichever is less, if that is more
    bool gate;        // one-sided tests, as a gate wants; else two-sided
    bool ignore_code, ignore_class, allow_skips, allow_gone;
    bool strict; // anything undecided counts
    enum compare_first_seen first_seen;
    bool gates[CAT_CONTROL + 1]; // expectations that can fail the gate; never controls
};

// alpha 0.05, tolerance 0.01, two-sided; forbidden, contested and assumed outcomes gate.
extern const struct compare_policy compare_policy_default;

#define COMPARE_CONFIDENCE 0.95 // for intervals of differences
#define COMPARE_SPREAD     0.05 // p value below which pieces of one session differ
#define COMPARE_MOST_OPEN  0.1  // share of undecided configurations above which a gate is undecided

// One hypothesis: one kind of run became more (or less) frequent.
struct compare_test {
    bool made;
    double rise, fall;             // p values for a rise and a fall; equal if two-sided
    double least_rise, least_fall; // the least possible, whichever runs had failed
    double adjusted_rise, adjusted_fall;
    struct stat_interval difference; // B - A
};

// One configuration on one pair of devices.
struct compare_entry {
    const struct result *a, *b; // NULL: the side does not have it
    bool sessions;              // A's pieces are sessions: we take their spread as measured
    // How it broke in some sessions of A and of B, if it ended normally in others; ENG_PASS: in
    // none.
    enum eng_result broke_before, broke_now;
    size_t pair;   // of devices
    char *name;    // for people; "axis=A>B" where it differs
    size_t waiver; // its waiver's number, from 1; 0: none

    // Filled by compare_judge:
    enum compare_verdict verdict;
    enum compare_why why;
    enum compare_why differs; // why we cannot compare their counts; COMPARE_SAME: we can
    struct compare_test failed, waited;
    double degrees;    // of freedom of the factor
    double factor;     // by which runs count for less because pieces differ, 1 or more
    bool spread_known; // pieces of both sides are known, or nothing failed
};

// The result that says most about an entry: B's, or A's if there is none.
const struct result *compare_entry_result(const struct compare_entry *entry);
// How B broke (eng_is_broken) in any of its sessions; ENG_PASS if it did not.
enum eng_result compare_entry_broken(const struct compare_entry *entry);
// Its expectation can fail the gate: the old or the new one, if it changed.
bool compare_can_gate(const struct compare_entry *entry, const struct compare_policy *policy);
// B is wrong by itself (broken, or a forbidden outcome), and there was nothing to compare: A does
// not have it, is not comparable, or broke in another way.
bool compare_is_new_and_wrong(const struct compare_entry *entry);
// B has an error of the harness that A does not have.
bool compare_is_not_measured(const struct compare_entry *entry);
// Undecided so that the gate must care: too few runs, not run, not comparable, first seen, and the
// two above.
bool compare_is_open(const struct compare_entry *entry, const struct compare_policy *policy);

struct compare_summary {
    size_t verdicts[COMPARE_VERDICTS];
    size_t regressions; // that gate
    size_t waived;      // regressions and open entries that do not count because of a waiver
    size_t first_seen;  // open
    size_t new_wrong;
    size_t not_measured;
    size_t gone;     // open
    size_t open;     // all open entries, including the four above
    size_t alone;    // devices of A that B does not have; compare_decide does not set it
    size_t unclosed; // devices that B's driver does not close, and A's does; compare_decide does
                     // not set it
    size_t gating;   // entries that could fail the gate, that A ran, and whose result in B counts
    size_t compared; // entries with a test
    size_t tests;    // hypotheses that could fail the gate ...
    size_t family;   // ... and how many of them Holm's correction covers
    size_t spread;   // entries with a factor above 1
    size_t spread_unknown;
    size_t sequential; // entries with a stopping rule
    enum lit_exit code;
    char reason[256]; // for the code, without a full stop
};

// Judges all entries together.
void compare_judge(struct compare_entry *entries, size_t count, const struct compare_policy *policy,
                   struct compare_summary *summary);
// Counts again once waivers are set, and decides on the code.
void compare_decide(const struct compare_entry *entries, size_t count,
                    const struct compare_policy *policy, struct compare_summary *summary);

// The exit code of a run with a comparison. A stopped queue (4) and a regression (1) come first,
// then an unfinished run (5, 77, 2); else the gate's code, which accepts forbidden outcomes that
// the baseline has too. Unless `whole`, a device of the run could not be measured, and nothing
// passes.
enum lit_exit compare_combine(enum lit_exit run, enum lit_exit gate, bool whole);
