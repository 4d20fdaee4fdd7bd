// SPDX-License-Identifier: Apache-2.0
// How two results of one configuration compare, and how all of them together decide. Pure
// functions; docs/gating-statistics.md says why they are as they are and what they were measured to
// do.
#pragma once

#include "report/model.h"

enum compare_verdict {
    COMPARE_REGRESSION,
    COMPARE_IMPROVEMENT,
    COMPARE_UNCHANGED, // no significant change, and a rise that matters is excluded
    COMPARE_UNDECIDED,
    COMPARE_NEW,     // only in B, or A skipped it or could not run it
    COMPARE_GONE,    // only in A
    COMPARE_CHANGED, // a control that differs: neither better nor worse
    COMPARE_SKIPPED, // on both sides
    COMPARE_VERDICTS,
};

// Why a verdict is as it is.
enum compare_why {
    COMPARE_RATE,         // the rate of failed runs
    COMPARE_WAITS,        // the rate of runs in which a wait expired
    COMPARE_FIRST_SEEN,   // a forbidden outcome, in B for the first time, too seldom to be
                          // significant
    COMPARE_ENDS,         // B does not come to an end
    COMPARE_ENDED_BEFORE, // A did not come to an end
    COMPARE_NOT_MEASURED, // a side has an error of the harness for a result
    COMPARE_NEW_SKIP,     // A ran, B skipped
    COMPARE_WAS_SKIPPED,  // A skipped, B ran
    COMPARE_NOT_RUN,      // one side does not have it
    COMPARE_NO_ANSWER,    // not a run was judged
    COMPARE_TOO_FEW,      // runs
    COMPARE_OTHER_CODE,   // the SPIR-V module is another one
    COMPARE_OTHER_STRESS, // it ran under other stress
    COMPARE_OTHER_CLASS,  // what is expected of it changed
    COMPARE_SAME,         // nothing to tell
    COMPARE_WHYS,
};

const char *compare_verdict_name(enum compare_verdict verdict); // "regression"
const char *compare_why_name(enum compare_why why);             // "first-seen"

// What is done about a forbidden outcome in B in a configuration in which A never saw one, if the
// numbers are too small to be significant.
enum compare_first_seen {
    COMPARE_FIRST_UNDECIDED, // the gate wants more runs
    COMPARE_FIRST_REGRESSION,
    COMPARE_FIRST_IGNORED, // the test alone decides
};

struct compare_policy {
    double alpha;     // family-wise, of false regressions
    double tolerance; // from how large a rise on it matters; half of A's rate of failures or of
                      // passes, whichever is less, if that is more
    bool gate;        // one-sided tests, as a gate wants; else two-sided
    bool ignore_code, ignore_class, allow_skips, allow_gone;
    bool strict; // everything undecided counts
    enum compare_first_seen first_seen;
    bool gates[CAT_CONTROL + 1]; // expectations that can fail the gate; never controls
};

// alpha 0.05, tolerance 0.01, two-sided; forbidden, contested and assumed outcomes gate.
extern const struct compare_policy compare_policy_default;

#define COMPARE_CONFIDENCE 0.95 // of the intervals of differences
#define COMPARE_SPREAD     0.05 // below this p value pieces of one session are taken to differ
#define COMPARE_MOST_OPEN  0.1  // share of undecided configurations above which a gate is undecided

// One hypothesis: runs of one kind became more frequent (or less).
struct compare_test {
    bool made;
    double rise, fall;             // p values: of a rise and of a fall; two-sided both are the same
    double least_rise, least_fall; // the least that they could be, whichever runs had failed
    double adjusted_rise, adjusted_fall;
    struct stat_interval difference; // B - A
};

// One configuration on one pair of devices.
struct compare_entry {
    const struct report_result *a, *b; // NULL: the side does not have it
    bool sessions; // A's pieces are sessions: they are taken to differ as they do
    // How it broke in one of several sessions of A and of B, of which it came to its end in others;
    // ENG_PASS: in none.
    enum eng_result broke_before, broke_now;
    size_t pair;   // of devices
    char *name;    // of the configuration, for people; "axis=A>B" where it differs
    size_t waiver; // number of what waives it, from 1; 0: nothing

    // Filled by compare_judge:
    enum compare_verdict verdict;
    enum compare_why why;
    enum compare_why differs; // why counts of both cannot be compared; COMPARE_SAME: they can
    struct compare_test failed, waited;
    double degrees;    // of freedom of the factor
    double factor;     // by which the runs count for less because pieces differ, 1 or more
    bool spread_known; // pieces of both sides are known, or nothing failed
};

// The result that says most of an entry: B's, or A's if there is none.
const struct report_result *compare_entry_result(const struct compare_entry *entry);
// How B broke (eng_is_broken), in one of its sessions at least; ENG_PASS if it did not.
enum eng_result compare_entry_broken(const struct compare_entry *entry);
// Its expectation is one that can fail the gate. Where it changed, one of the two is enough.
bool compare_can_gate(const struct compare_entry *entry, const struct compare_policy *policy);
// B is wrong in itself (broken, or a forbidden outcome), and that was not compared with anything:
// A does not have it, is not comparable, or was broken in another way.
bool compare_is_new_and_wrong(const struct compare_entry *entry);
// B has an error of the harness for a result that A does not have.
bool compare_is_not_measured(const struct compare_entry *entry);
// Undecided in a way that counts for the gate: too few runs, not run, not comparable, first seen,
// and the two above.
bool compare_is_open(const struct compare_entry *entry, const struct compare_policy *policy);

struct compare_summary {
    size_t verdicts[COMPARE_VERDICTS];
    size_t regressions; // that gate
    size_t waived;      // regressions and open entries that do not count because they are waived
    size_t first_seen;  // open
    size_t new_wrong;
    size_t not_measured;
    size_t gone;     // open
    size_t open;     // all that are open, the four above among them
    size_t alone;    // devices of A that B does not have; compare_decide leaves it as it is
    size_t unclosed; // devices that B's driver does not close, and A's does; likewise
    size_t gating;   // entries that could fail the gate, that A ran, and whose result in B counts
    size_t compared; // entries with a test
    size_t tests;    // hypotheses that could fail the gate ...
    size_t family;   // ... and those of them over which Holm's correction goes
    size_t spread;   // entries with a factor above 1
    size_t spread_unknown;
    size_t sequential; // entries with a stopping rule
    enum lit_exit code;
    char reason[256]; // for the code, without a full stop
};

// Judges all entries together.
void compare_judge(struct compare_entry *entries, size_t count, const struct compare_policy *policy,
                   struct compare_summary *summary);
// Counts again after waivers were set, and decides on the code.
void compare_decide(const struct compare_entry *entries, size_t count,
                    const struct compare_policy *policy, struct compare_summary *summary);

// What a run that was compared exits with. A stopped queue (4) and a regression (1) come first,
// then a run that did not come to its end (5, 77, 2); for the rest it is the gate's code: forbidden
// outcomes that the baseline has as well are known. Unless `whole`, a device of the run could not
// be measured, and nothing passes.
enum lit_exit compare_combine(enum lit_exit run, enum lit_exit gate, bool whole);
