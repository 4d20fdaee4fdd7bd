// SPDX-License-Identifier: Apache-2.0
// Verdicts of single configurations, and what they add up to.
#include "compare/verdict.h"
#include "stats/stats.h"

#include "unit.h"

#include <math.h>

// One side of a case; runs 0 and no result: the side does not have it.
struct half {
    enum eng_result result;
    uint64_t failed, runs, waited;
    const char *code, *stress, *rule;
};

#define PASS(...)                                                                                  \
    {                                                                                              \
        .result = ENG_PASS, .runs = __VA_ARGS__                                                    \
    }
#define FAIL(failures, ...)                                                                        \
    {                                                                                              \
        .result = ENG_FAIL, .failed = failures, .runs = __VA_ARGS__                                \
    }
#define WAIT(waits, ...)                                                                           \
    {                                                                                              \
        .result = ENG_NO_PROGRESS, .waited = waits, .runs = __VA_ARGS__                            \
    }
#define ENDS(...)                                                                                  \
    {                                                                                              \
        .result = ENG_##__VA_ARGS__                                                                \
    }
#define ABSENT ENDS(RESULTS)
#define ROW(what, expectation, a, b, verdict, why, exit)                                           \
    {                                                                                              \
        what, CAT_##expectation, a, b, COMPARE_##verdict, COMPARE_##why, LIT_EXIT_##exit           \
    }

static void fill(struct result *result, const struct half *half, enum cat_expectation expectation)
{
    *result = (struct result){.name = (char *)"family.test/a=b@subgroup=8",
                              .family = (char *)"family",
                              .sha256 = (char *)(half->code ? half->code : "c"),
                              .stress = (char *)(half->stress ? half->stress : ""),
                              .rule = (char *)(half->rule ? half->rule : ""),
                              .reason = (char *)"",
                              .result = half->result,
                              .expectation = expectation,
                              .runs = half->runs,
                              .failed_runs = half->failed,
                              .no_progress_runs = half->waited,
                              .judged = half->runs - half->waited};
}

struct pair {
    struct result a, b;
    struct compare_entry entry;
};

static void make(struct pair *pair, const struct half *a, const struct half *b,
                 enum cat_expectation expectation)
{
    fill(&pair->a, a, expectation);
    fill(&pair->b, b, expectation);
    pair->entry = (struct compare_entry){.a = a->result == ENG_RESULTS ? NULL : &pair->a,
                                         .b = b->result == ENG_RESULTS ? NULL : &pair->b,
                                         .name = pair->a.name};
}

static const struct verdict_case {
    const char *what;
    enum cat_expectation expectation;
    struct half a, b;
    enum compare_verdict verdict;
    enum compare_why why;
    enum lit_exit code; // of a gate over this alone
} cases[] = {
    ROW("never failed, fails now", FORBIDDEN, PASS(1000), FAIL(30, 1000), REGRESSION, RATE,
        FORBIDDEN),
    ROW("the same of contested", CONTESTED, PASS(1000), FAIL(30, 1000), REGRESSION, RATE,
        FORBIDDEN),
    ROW("the same of a control", CONTROL, PASS(1000), FAIL(30, 1000), CHANGED, RATE,
        UNDECIDED), // nothing was compared that gates
    ROW("always failed, never now", FORBIDDEN, FAIL(1000, 1000), PASS(1000), IMPROVEMENT, RATE, OK),
    ROW("never, never", FORBIDDEN, PASS(1000), PASS(1000), UNCHANGED, SAME, OK),
    ROW("always, always", FORBIDDEN, FAIL(1000, 1000), FAIL(1000, 1000), UNCHANGED, SAME, OK),
    ROW("never, never, but of ten runs", FORBIDDEN, PASS(10), PASS(10), UNDECIDED, TOO_FEW,
        UNDECIDED),
    ROW("a third, a third", FORBIDDEN, FAIL(333, 1000), FAIL(340, 1000), UNCHANGED, SAME, OK),
    ROW("a third, a little more of few", FORBIDDEN, FAIL(10, 30), FAIL(13, 30), UNDECIDED, TOO_FEW,
        UNDECIDED),
    ROW("a forbidden outcome for the first time", FORBIDDEN, PASS(1000), FAIL(1, 1000), UNDECIDED,
        FIRST_SEEN, UNDECIDED),
    ROW("a contested outcome for the first time", CONTESTED, PASS(1000), FAIL(1, 1000), UNCHANGED,
        SAME, OK),
    ROW("a forbidden outcome not for the first time", FORBIDDEN, FAIL(1, 1000), FAIL(2, 1000),
        UNCHANGED, SAME, OK),
    ROW("hangs", FORBIDDEN, PASS(1000), ENDS(HANG, .runs = 3), REGRESSION, ENDS, FORBIDDEN),
    ROW("failed, crashes", CONTESTED, FAIL(3, 1000), ENDS(CRASH), REGRESSION, ENDS, FORBIDDEN),
    ROW("an assumed one loses the device", ASSUMED, WAIT(4, 1000), ENDS(DEVICE_LOST), REGRESSION,
        ENDS, FORBIDDEN),
    ROW("cannot be run", FORBIDDEN, PASS(1000), ENDS(HARNESS_ERROR), UNDECIDED, NOT_MEASURED,
        UNDECIDED),
    ROW("a control crashes", CONTROL, FAIL(5, 1000), ENDS(CRASH), CHANGED, ENDS, UNDECIDED),
    ROW("crashed and crashes", FORBIDDEN, ENDS(CRASH), ENDS(CRASH), UNCHANGED, SAME, OK),
    ROW("crashed, hangs", FORBIDDEN, ENDS(CRASH), ENDS(HANG), UNDECIDED, ENDS, UNDECIDED),
    ROW("crashed, passes", FORBIDDEN, ENDS(CRASH), PASS(1000), IMPROVEMENT, ENDED_BEFORE, OK),
    ROW("crashed, fails", FORBIDDEN, ENDS(CRASH), FAIL(9, 1000), UNDECIDED, ENDED_BEFORE,
        UNDECIDED),
    ROW("gives up waiting", FORBIDDEN, PASS(1000), WAIT(40, 1000), REGRESSION, WAITS, FORBIDDEN),
    ROW("had an expired wait", FORBIDDEN, WAIT(40, 1000), PASS(1000), IMPROVEMENT, WAITS, OK),
    ROW("gives up waiting once", FORBIDDEN, PASS(1000), WAIT(1, 1000), UNCHANGED, SAME, OK),
    ROW("gives up where nothing is promised", ASSUMED, PASS(1000), WAIT(40, 1000), UNCHANGED, SAME,
        OK),
    ROW("gives up in every run", ASSUMED, PASS(1000), WAIT(1000, 1000), UNDECIDED, NO_ANSWER,
        UNDECIDED),
    ROW("gave up and gives up in every run", ASSUMED, WAIT(1000, 1000), WAIT(1000, 1000), UNCHANGED,
        SAME, OK),
    ROW("is skipped", FORBIDDEN, PASS(1000), ENDS(SKIP), REGRESSION, NEW_SKIP, FORBIDDEN),
    ROW("was skipped, passes", FORBIDDEN, ENDS(SKIP), PASS(1000), NEW, WAS_SKIPPED, UNDECIDED),
    ROW("was skipped, is wrong", FORBIDDEN, ENDS(SKIP), FAIL(1, 1000), NEW, WAS_SKIPPED, UNDECIDED),
    ROW("skipped and skipped", FORBIDDEN, ENDS(SKIP), ENDS(SKIP), SKIPPED, SAME, UNDECIDED),
    ROW("only in A", FORBIDDEN, PASS(1000), ABSENT, GONE, NOT_RUN, UNDECIDED),
    ROW("only in B", FORBIDDEN, ABSENT, PASS(1000), NEW, NOT_RUN, UNDECIDED),
    ROW("other code", FORBIDDEN, PASS(1000), FAIL(900, 1000, .code = "d"), UNDECIDED, OTHER_CODE,
        UNDECIDED),
    ROW("other stress", FORBIDDEN, PASS(1000), FAIL(900, 1000, .stress = "x"), UNDECIDED,
        OTHER_STRESS, UNDECIDED),
    ROW("the same stress", FORBIDDEN, PASS(1000, .stress = "x"), FAIL(900, 1000, .stress = "x"),
        REGRESSION, RATE, FORBIDDEN),
    ROW("interrupted before the first run", FORBIDDEN, PASS(1000), ENDS(PARTIAL), UNDECIDED,
        NO_ANSWER, UNDECIDED),
    ROW("interrupted, and wrong", FORBIDDEN, PASS(1000), ENDS(PARTIAL, .failed = 50, .runs = 100),
        REGRESSION, RATE, FORBIDDEN),
    ROW("stopped by a rule, far apart", FORBIDDEN, PASS(1000, .rule = "width 0.01"),
        FAIL(100, 1000, .rule = "width 0.01"), REGRESSION, RATE, FORBIDDEN),
    // Fisher's test would say 2e-4 to this, and be wrong about it.
    ROW("stopped by a rule, near", CONTESTED, PASS(1000), FAIL(12, 1000, .rule = "decided 0.005"),
        UNDECIDED, TOO_FEW, UNDECIDED),
};

TEST(verdicts)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct verdict_case *c = &cases[i];
        struct compare_policy policy = compare_policy_default;
        struct compare_summary summary;
        struct pair pair;
        make(&pair, &c->a, &c->b, c->expectation);
        policy.gate = true;
        compare_judge(&pair.entry, 1, &policy, &summary);
        if (pair.entry.verdict != c->verdict || pair.entry.why != c->why || summary.code != c->code)
            fail_msg("%s: %s, %s, exit %d", c->what, compare_verdict_names[pair.entry.verdict],
                     compare_why_names[pair.entry.why], (int)summary.code);
        // Two-sided, the verdicts are the same for changes as large as these.
        policy.gate = false;
        compare_judge(&pair.entry, 1, &policy, &summary);
        if (pair.entry.verdict != c->verdict)
            fail_msg("%s, two-sided: %s", c->what, compare_verdict_names[pair.entry.verdict]);
    }
}

// What is expected of it changed: nothing is compared, and what is wrong now is not hidden by that.
TEST(classes)
{
    static const struct {
        enum cat_expectation before, after;
        struct half b;
        bool axis, wrong; // compared along an axis; new and wrong
        enum compare_verdict verdict;
        enum lit_exit code;
    } all[] = {
#define CHANGE(before, after, b, axis, wrong, verdict, exit)                                       \
    {CAT_##before, CAT_##after, b, axis, wrong, COMPARE_##verdict, LIT_EXIT_##exit}
        CHANGE(CONTESTED, FORBIDDEN, PASS(1000), false, false, UNDECIDED, UNDECIDED),
        CHANGE(CONTESTED, FORBIDDEN, FAIL(1, 1000), false, true, UNDECIDED, UNDECIDED),
        CHANGE(FORBIDDEN, CONTESTED, FAIL(1, 1000), false, false, UNDECIDED, UNDECIDED),
        CHANGE(ASSUMED, CONTESTED, ENDS(CRASH), false, false, REGRESSION, FORBIDDEN),
        CHANGE(FORBIDDEN, CONTROL, ENDS(CRASH), false, false, REGRESSION, FORBIDDEN),
        CHANGE(CONTROL, FORBIDDEN, ENDS(DEVICE_LOST), false, false, REGRESSION, FORBIDDEN),
        CHANGE(CONTESTED, FORBIDDEN, FAIL(900, 1000), true, false, REGRESSION, FORBIDDEN),
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const struct half before = PASS(1000);
        struct compare_policy policy = compare_policy_default;
        struct compare_summary summary;
        struct pair pair;
        make(&pair, &before, &all[i].b, all[i].after);
        pair.a.expectation = all[i].before;
        policy.gate = true;
        policy.ignore_class = all[i].axis;
        compare_judge(&pair.entry, 1, &policy, &summary);
        assert_int_equal(pair.entry.verdict, all[i].verdict);
        if (!all[i].axis)
            assert_string_equal(compare_why_names[pair.entry.why],
                                all[i].verdict == COMPARE_REGRESSION ? "does-not-end"
                                                                     : "changed-expectation");
        assert_int_equal(compare_is_new_and_wrong(&pair.entry), all[i].wrong);
        assert_int_equal(summary.new_wrong, all[i].wrong);
        assert_int_equal(summary.code, all[i].code);
        // One among many that pass: what is wrong stops the gate, what is right does not.
        struct compare_entry entries[20];
        struct pair others[19];
        for (size_t o = 0; o < 19; o++) {
            make(&others[o], &before, &before, CAT_FORBIDDEN);
            entries[o] = others[o].entry;
        }
        entries[19] = pair.entry;
        compare_judge(entries, 20, &policy, &summary);
        assert_int_equal(summary.code, all[i].verdict == COMPARE_REGRESSION ? LIT_EXIT_FORBIDDEN
                                       : all[i].wrong                       ? LIT_EXIT_UNDECIDED
                                                                            : LIT_EXIT_OK);
    }
}

static void verdict_of(const struct half *a, const struct half *b,
                       const struct compare_policy *policy, enum compare_verdict verdict,
                       enum lit_exit code)
{
    struct compare_summary summary;
    struct pair pair;
    make(&pair, a, b, CAT_FORBIDDEN);
    compare_judge(&pair.entry, 1, policy, &summary);
    assert_int_equal(pair.entry.verdict, verdict);
    assert_int_equal(summary.code, code);
}

TEST(options)
{
    const struct half right = PASS(1000), once = FAIL(1, 1000), skip = ENDS(SKIP),
                      other = FAIL(900, 1000, .code = "d"), often = FAIL(30, 1000), absent = ABSENT;
    struct compare_policy policy = compare_policy_default;
    policy.gate = true;
    policy.first_seen = COMPARE_FIRST_REGRESSION;
    verdict_of(&right, &once, &policy, COMPARE_REGRESSION, LIT_EXIT_FORBIDDEN);
    policy.first_seen = COMPARE_FIRST_IGNORED;
    verdict_of(&right, &once, &policy, COMPARE_UNCHANGED, LIT_EXIT_OK);
    policy.allow_skips = true;
    verdict_of(&right, &skip, &policy, COMPARE_GONE, LIT_EXIT_UNDECIDED); // nothing is left
    policy.ignore_code = true;
    verdict_of(&right, &other, &policy, COMPARE_REGRESSION, LIT_EXIT_FORBIDDEN);
    policy.gates[CAT_FORBIDDEN] = false;
    verdict_of(&right, &often, &policy, COMPARE_REGRESSION, LIT_EXIT_UNDECIDED);
    policy.gates[CAT_FORBIDDEN] = true;
    policy.alpha = 1e-20;
    verdict_of(&right, &often, &policy, COMPARE_UNDECIDED, LIT_EXIT_UNDECIDED);
    policy.tolerance = 0.2;
    verdict_of(&right, &often, &policy, COMPARE_UNCHANGED, LIT_EXIT_OK);
    policy.allow_gone = true;
    verdict_of(&right, &absent, &policy, COMPARE_GONE, LIT_EXIT_UNDECIDED); // nothing is left
}

#define MANY 100

// `few` of MANY configurations have too few runs.
TEST(share_of_undecided)
{
    const struct half right = PASS(1000), few = PASS(20);
    static struct pair pairs[MANY];
    struct compare_entry entries[MANY];
    struct compare_policy policy = compare_policy_default;
    struct compare_summary summary;
    for (size_t undecided = 9; undecided <= 11; undecided++) {
        for (size_t i = 0; i < MANY; i++) {
            make(&pairs[i], &right, i < undecided ? &few : &right, CAT_FORBIDDEN);
            entries[i] = pairs[i].entry;
        }
        policy.gate = true;
        policy.strict = false;
        compare_judge(entries, MANY, &policy, &summary);
        assert_int_equal(summary.open, undecided);
        assert_int_equal(summary.code, undecided <= 10 ? LIT_EXIT_OK : LIT_EXIT_UNDECIDED);
        policy.strict = true;
        compare_judge(entries, MANY, &policy, &summary);
        assert_int_equal(summary.code, LIT_EXIT_UNDECIDED);
    }
}

// What B did not run, of many that it ran. A waiver or an option leaves it out; if nothing else is
// left, the gate has not compared anything.
TEST(nothing_is_passed_over)
{
    const struct half right = PASS(1000), skip = ENDS(SKIP), absent = ABSENT;
    static struct pair pairs[MANY];
    struct compare_entry entries[MANY];
    struct compare_summary summary;
    for (int all = 0; all < 2; all++)
        for (int skipped = 0; skipped < 2; skipped++)
            for (int allowed = 0; allowed < 3; allowed++) {
                struct compare_policy policy = compare_policy_default;
                policy.gate = true;
                policy.allow_skips = policy.allow_gone = allowed == 1;
                for (size_t i = 0; i < MANY; i++) {
                    make(&pairs[i], &right,
                         i && !all ? &right
                         : skipped ? &skip
                                   : &absent,
                         CAT_FORBIDDEN);
                    entries[i] = pairs[i].entry;
                    entries[i].waiver = allowed == 2;
                }
                compare_judge(entries, MANY, &policy, &summary);
                assert_int_equal(summary.code, allowed && !all       ? LIT_EXIT_OK
                                               : !allowed && skipped ? LIT_EXIT_FORBIDDEN
                                                                     : LIT_EXIT_UNDECIDED);
            }
}

// One rise that is significant alone and not among many that could be. What never fails anywhere
// cannot be, and costs nothing.
TEST(correction)
{
    const struct half some = FAIL(100, 1000), more = FAIL(126, 1000), right = PASS(1000);
    static struct pair pairs[MANY];
    struct compare_entry entries[MANY];
    struct compare_policy policy = compare_policy_default;
    struct compare_summary summary;
    policy.gate = true;
    for (int others = 0; others < 2; others++) {
        for (size_t i = 0; i < MANY; i++) {
            const struct half *rest = others ? &some : &right;
            make(&pairs[i], i ? rest : &some, i ? rest : &more, CAT_FORBIDDEN);
            entries[i] = pairs[i].entry;
        }
        compare_judge(entries, MANY, &policy, &summary);
        assert_int_equal(summary.tests, MANY);
        assert_int_equal(summary.family, others ? MANY : 1);
        assert_int_equal(entries[0].verdict, others ? COMPARE_UNDECIDED : COMPARE_REGRESSION);
        assert_float_equal(entries[0].failed.adjusted_rise,
                           fmin(1, entries[0].failed.rise * (others ? MANY : 1)), 1e-9);
        assert_true(entries[0].failed.rise > 0.01 && entries[0].failed.rise < 0.05);
    }
}

// The same counts, evenly and in bunches.
TEST(bunches)
{
    const struct half a = FAIL(100, 1000), b = FAIL(160, 1000);
    struct eng_part even[10], bunched[10];
    struct compare_policy policy = compare_policy_default;
    struct compare_summary summary;
    struct pair pair;
    policy.gate = true;
    for (uint32_t i = 0; i < 10; i++) {
        even[i] = (struct eng_part){.process = i, .runs = 100, .failed_runs = 10};
        bunched[i] = (struct eng_part){.process = i, .runs = 100, .failed_runs = i < 2 ? 50 : 0};
    }
    make(&pair, &a, &b, CAT_FORBIDDEN);
    pair.a.pieces = even;
    pair.a.piece_count = 10;
    compare_judge(&pair.entry, 1, &policy, &summary);
    assert_int_equal(pair.entry.verdict, COMPARE_REGRESSION);
    assert_true(pair.entry.factor == 1);
    assert_false(pair.entry.spread_known); // B's are not
    pair.a.pieces = bunched;
    compare_judge(&pair.entry, 1, &policy, &summary);
    assert_int_not_equal(pair.entry.verdict, COMPARE_REGRESSION);
    // Pearson's chi-squared: (2 (50-10)^2 + 8 10^2) / (100 * 0.1 * 0.9) over 9.
    assert_float_equal(pair.entry.factor, (2 * 1600 + 8 * 100) / 9.0 / 9.0, 1e-9);
    assert_true(pair.entry.degrees == 9);
    assert_int_equal(summary.spread, 1);
    // On B's side it counts as much.
    pair.a.pieces = even;
    pair.b.pieces = bunched;
    pair.b.piece_count = 10;
    compare_judge(&pair.entry, 1, &policy, &summary);
    assert_int_not_equal(pair.entry.verdict, COMPARE_REGRESSION);
}

// Two sessions that differ as much as B does from them.
TEST(sessions_vary)
{
    const struct half a = FAIL(1595, 2000), b = FAIL(950, 1000);
    struct eng_part two[2] = {{.runs = 1000, .failed_runs = 672},
                              {.process = 1, .runs = 1000, .failed_runs = 923}};
    struct compare_policy policy = compare_policy_default;
    struct compare_summary summary;
    struct pair pair;
    policy.gate = true;
    make(&pair, &a, &b, CAT_CONTESTED);
    compare_judge(&pair.entry, 1, &policy, &summary);
    assert_int_equal(pair.entry.verdict, COMPARE_REGRESSION);
    pair.a.pieces = two;
    pair.a.piece_count = 2;
    pair.entry.sessions = true;
    compare_judge(&pair.entry, 1, &policy, &summary);
    assert_int_not_equal(pair.entry.verdict, COMPARE_REGRESSION);
    // A crash that was there in one of A's sessions is not new.
    const struct half crash = ENDS(CRASH);
    make(&pair, &a, &crash, CAT_CONTESTED);
    pair.entry.broke_before = ENG_CRASH;
    compare_judge(&pair.entry, 1, &policy, &summary);
    assert_int_equal(pair.entry.verdict, COMPARE_UNDECIDED);
    assert_false(compare_is_new_and_wrong(&pair.entry));
    // Nor is a hang what a crash was; and in one of B's sessions it is as bad as in the only one.
    pair.b.result = ENG_HANG;
    compare_judge(&pair.entry, 1, &policy, &summary);
    assert_true(compare_is_new_and_wrong(&pair.entry));
    make(&pair, &a, &b, CAT_CONTESTED);
    pair.entry.broke_now = ENG_DEVICE_LOST;
    compare_judge(&pair.entry, 1, &policy, &summary);
    assert_int_equal(pair.entry.verdict, COMPARE_REGRESSION);
    assert_int_equal(pair.entry.why, COMPARE_ENDS);
}

TEST(combined)
{
    // The run's code, the gate's, and both together.
    static const enum lit_exit table[][3] = {
        {LIT_EXIT_OK, LIT_EXIT_OK, LIT_EXIT_OK},
        {LIT_EXIT_OK, LIT_EXIT_FORBIDDEN, LIT_EXIT_FORBIDDEN},
        {LIT_EXIT_OK, LIT_EXIT_UNDECIDED, LIT_EXIT_UNDECIDED},
        {LIT_EXIT_FORBIDDEN, LIT_EXIT_OK, LIT_EXIT_OK},
        {LIT_EXIT_FORBIDDEN, LIT_EXIT_UNDECIDED, LIT_EXIT_UNDECIDED},
        {LIT_EXIT_UNDECIDED, LIT_EXIT_OK, LIT_EXIT_OK},
        {LIT_EXIT_DEVICE_LOST, LIT_EXIT_OK, LIT_EXIT_DEVICE_LOST},
        {LIT_EXIT_DEVICE_LOST, LIT_EXIT_FORBIDDEN, LIT_EXIT_DEVICE_LOST},
        {LIT_EXIT_TIME, LIT_EXIT_OK, LIT_EXIT_TIME},
        {LIT_EXIT_TIME, LIT_EXIT_UNDECIDED, LIT_EXIT_TIME},
        {LIT_EXIT_TIME, LIT_EXIT_FORBIDDEN, LIT_EXIT_FORBIDDEN},
        {LIT_EXIT_NOTHING, LIT_EXIT_USAGE, LIT_EXIT_NOTHING},
        {LIT_EXIT_OK, LIT_EXIT_USAGE, LIT_EXIT_USAGE},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_int_equal(compare_combine(table[i][0], table[i][1], true), table[i][2]);
    // Where a device could not be measured nothing passes, and what does not pass stays as it is.
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_int_equal(compare_combine(table[i][0], table[i][1], false),
                         table[i][2] ? table[i][2] : LIT_EXIT_UNDECIDED);
}

// Student's quantiles from the tables, 0.025 and 0.005, against the normal tail at them.
TEST(student)
{
    static const struct {
        double degrees, quantile, tail;
    } table[] = {{1, 12.706204736, 0.025}, {3, 3.182446305, 0.025},  {3, 5.840909310, 0.005},
                 {9, 2.262157163, 0.025},  {19, 2.860934606, 0.005}, {60, 2.000297822, 0.025}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        double normal = erfc(table[i].quantile / sqrt(2)) / 2;
        assert_float_equal(stat_student(normal, table[i].degrees), table[i].tail, 1e-8);
        if (normal > 1e-10)
            assert_float_equal(stat_student(1 - normal, table[i].degrees), 1 - table[i].tail, 1e-6);
    }
    assert_float_equal(stat_student(0.5, 3), 0.5, 1e-12);
    assert_true(stat_student(0, 3) > 0);
}
