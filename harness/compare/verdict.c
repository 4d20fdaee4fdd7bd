// SPDX-License-Identifier: Apache-2.0
// Judges each configuration, and all of them together: the verdicts and the gate's exit code.
#include "compare/verdict.h"

#include "stats/stats.h"

#include <math.h>

const struct compare_policy compare_policy_default = {
    .alpha = 0.05,
    .tolerance = 0.01,
    .gates = {[CAT_FORBIDDEN] = true, [CAT_CONTESTED] = true, [CAT_ASSUMED] = true},
};

const char *const compare_verdict_names[COMPARE_VERDICTS] = {[COMPARE_REGRESSION] = "regression",
                                                             [COMPARE_IMPROVEMENT] = "improvement",
                                                             [COMPARE_UNCHANGED] = "unchanged",
                                                             [COMPARE_UNDECIDED] = "undecided",
                                                             [COMPARE_NEW] = "new",
                                                             [COMPARE_GONE] = "gone",
                                                             [COMPARE_CHANGED] = "changed",
                                                             [COMPARE_SKIPPED] = "skipped"};

const char *const compare_why_names[COMPARE_WHYS] = {[COMPARE_RATE] = "rate",
                                                     [COMPARE_WAITS] = "no-progress",
                                                     [COMPARE_FIRST_SEEN] = "first-seen",
                                                     [COMPARE_ENDS] = "does-not-end",
                                                     [COMPARE_ENDED_BEFORE] = "did-not-end",
                                                     [COMPARE_NOT_MEASURED] = "harness-error",
                                                     [COMPARE_NEW_SKIP] = "new-skip",
                                                     [COMPARE_WAS_SKIPPED] = "was-skipped",
                                                     [COMPARE_NOT_RUN] = "not-run",
                                                     [COMPARE_NO_ANSWER] = "no-answer",
                                                     [COMPARE_TOO_FEW] = "too-few-runs",
                                                     [COMPARE_OTHER_CODE] = "changed-code",
                                                     [COMPARE_OTHER_STRESS] = "changed-stress",
                                                     [COMPARE_OTHER_CLASS] = "changed-expectation",
                                                     [COMPARE_SAME] = "same"};

const struct result *compare_entry_result(const struct compare_entry *entry)
{
    return entry->b ? entry->b : entry->a;
}

enum eng_result compare_entry_broken(const struct compare_entry *entry)
{
    return entry->b && eng_is_broken(entry->b->result) ? entry->b->result : entry->broke_now;
}

// Any outcome is right for a control, and for a kernel that is itself wrong.
static bool gates(const struct result *result, const struct compare_policy *policy)
{
    return result->expectation != CAT_CONTROL && policy->gates[result->expectation] &&
           !eng_is_unsound(result->name, result->expectation);
}

bool compare_can_gate(const struct compare_entry *entry, const struct compare_policy *policy)
{
    return gates(compare_entry_result(entry), policy) ||
           (entry->differs == COMPARE_OTHER_CLASS && gates(entry->a, policy));
}

// Whether a result can be compared.
enum state { RAN, BROKEN, NOT_MEASURED, SKIPPED, NOTHING };

static enum state state_of(const struct result *result)
{
    return eng_is_broken(result->result)         ? BROKEN
           : result->result == ENG_HARNESS_ERROR ? NOT_MEASURED
           : result->result == ENG_SKIP          ? SKIPPED
           : result->runs > 0                    ? RAN
                                                 : NOTHING;
}

static bool is_sequential(const struct compare_entry *entry)
{
    return (entry->a && entry->a->rule[0]) || (entry->b && entry->b->rule[0]);
}

// Whether both sides ran the same thing, so that we can compare their rates.
static enum compare_why find_difference(const struct result *a, const struct result *b,
                                        const struct compare_policy *policy)
{
    if (!a || !b)
        return COMPARE_SAME;
    if (!policy->ignore_class && a->expectation != b->expectation)
        return COMPARE_OTHER_CLASS;
    if (!policy->ignore_code && a->sha256[0] && b->sha256[0] && strcmp(a->sha256, b->sha256) != 0)
        return COMPARE_OTHER_CODE;
    return strcmp(a->stress, b->stress) != 0 ? COMPARE_OTHER_STRESS : COMPARE_SAME;
}

// Measuring: one entry by itself

// How much more the pieces of a result differ than chance explains. Within a session, a spread
// counts only if it is significant; sessions always differ, and we take their spread as measured.
static struct stat_dispersion spread_of(const struct result *result, bool sessions)
{
    struct stat_dispersion spread = report_dispersion(result);
    if (spread.groups < 2 || (!sessions && spread.p >= COMPARE_SPREAD) || spread.factor < 1)
        spread = (struct stat_dispersion){.factor = 1, .p = 1};
    return spread;
}

// Dependent runs count for less, on both sides alike: a side without failures shows no spread.
static void set_factor(struct compare_entry *entry)
{
    struct stat_dispersion a = spread_of(entry->a, entry->sessions);
    struct stat_dispersion b = spread_of(entry->b, false);
    struct stat_dispersion larger = a.factor > b.factor ? a : b;
    entry->factor = larger.factor;
    entry->degrees = larger.factor > 1 ? (double)(larger.groups - 1) : 0;
}

static uint64_t shrink(uint64_t count, double factor)
{
    return factor > 1 ? (uint64_t)llround((double)count / factor) : count;
}

// The p value of "the second rate is higher" if the number of runs depended on what they showed:
// the least level at which their confidence sequences, at half of it each, do not overlap.
static double sequential_rise(uint64_t k1, uint64_t n1, uint64_t k2, uint64_t n2)
{
    double low = -30, high = 0; // decimal logarithms of the level
    for (int i = 0; i < 40; i++) {
        double middle = (low + high) / 2, confidence = 1 - pow(10, middle) / 2;
        struct stat_interval first = stat_sequence(k1, n1, confidence);
        struct stat_interval second = stat_sequence(k2, n2, confidence);
        if (first.high < second.low)
            high = middle;
        else
            low = middle;
    }
    return pow(10, high);
}

static void test_sequential(struct compare_test *test, uint64_t k1, uint64_t n1, uint64_t k2,
                            uint64_t n2, bool gate)
{
    test->rise = sequential_rise(k1, n1, k2, n2);
    test->fall = sequential_rise(k2, n2, k1, n1);
    if (!gate)
        test->rise = test->fall = fmin(1, 2 * fmin(test->rise, test->fall));
    const double confidence = 1 - (1 - COMPARE_CONFIDENCE) / 2;
    const struct stat_interval first = stat_sequence(k1, n1, confidence);
    const struct stat_interval second = stat_sequence(k2, n2, confidence);
    test->difference = (struct stat_interval){second.low - first.high, second.high - first.low};
}

static void test_fixed(struct compare_test *test, uint64_t k1, uint64_t n1, uint64_t k2,
                       uint64_t n2, bool gate)
{
    uint64_t all = k1 + k2;
    uint64_t late = all < n2 ? all : n2, early = all < n1 ? all : n1;
    test->difference = stat_newcombe(k1, n1, k2, n2, COMPARE_CONFIDENCE);
    if (gate) {
        test->rise = stat_fisher(k1, n1, k2, n2, STAT_GREATER);
        test->fall = stat_fisher(k1, n1, k2, n2, STAT_LESS);
        test->least_rise = stat_fisher(all - late, n1, late, n2, STAT_GREATER);
        test->least_fall = stat_fisher(early, n1, all - early, n2, STAT_LESS);
    } else {
        test->rise = test->fall = stat_fisher(k1, n1, k2, n2, STAT_TWO_SIDED);
        test->least_rise = test->least_fall =
            fmin(stat_fisher(all - late, n1, late, n2, STAT_TWO_SIDED),
                 stat_fisher(early, n1, all - early, n2, STAT_TWO_SIDED));
    }
}

// The factor is an estimate; adjust the p values for that.
static void loosen(struct compare_test *test, double degrees, bool gate)
{
    double *const all[] = {&test->rise, &test->fall, &test->least_rise, &test->least_fall};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        *all[i] =
            gate ? stat_student(*all[i], degrees) : fmin(1, 2 * stat_student(*all[i] / 2, degrees));
}

static void make_test(struct compare_test *test, const struct compare_entry *entry, uint64_t k1,
                      uint64_t n1, uint64_t k2, uint64_t n2, bool gate)
{
    *test = (struct compare_test){.adjusted_rise = 1, .adjusted_fall = 1};
    n1 = shrink(n1, entry->factor);
    n2 = shrink(n2, entry->factor);
    k1 = shrink(k1, entry->factor);
    k2 = shrink(k2, entry->factor);
    if (n1 == 0 || n2 == 0)
        return;
    test->made = true;
    if (is_sequential(entry))
        test_sequential(test, k1, n1, k2, n2, gate);
    else
        test_fixed(test, k1, n1, k2, n2, gate);
    if (entry->degrees > 0)
        loosen(test, entry->degrees, gate);
}

// Expired waits count only if the outcome is forbidden or contested: nothing promises progress to
// tests of progress itself.
static bool asks_for_progress(const struct compare_entry *entry)
{
    return compare_entry_result(entry)->expectation <= CAT_CONTESTED;
}

static void measure(struct compare_entry *entry, const struct compare_policy *policy)
{
    const struct result *a = entry->a, *b = entry->b;
    entry->verdict = COMPARE_UNDECIDED;
    entry->why = COMPARE_SAME;
    entry->differs = find_difference(a, b, policy);
    entry->failed = entry->waited = (struct compare_test){.adjusted_rise = 1, .adjusted_fall = 1};
    entry->factor = 1;
    entry->degrees = 0;
    entry->spread_known = true;
    if (!a || !b || state_of(a) != RAN || state_of(b) != RAN || compare_entry_broken(entry) ||
        entry->differs != COMPARE_SAME)
        return;
    set_factor(entry);
    entry->spread_known =
        (a->piece_count > 0 || a->failed_runs == 0) && (b->piece_count > 0 || b->failed_runs == 0);
    make_test(&entry->failed, entry, a->failed_runs, a->judged, b->failed_runs, b->judged,
              policy->gate);
    if (asks_for_progress(entry) && a->no_progress_runs + b->no_progress_runs > 0)
        make_test(&entry->waited, entry, a->no_progress_runs, a->runs, b->no_progress_runs, b->runs,
                  policy->gate);
}

// Correcting: all hypotheses together

struct hypothesis {
    double p, least;
    double *adjusted;
};

static int compare_least(const void *left, const void *right)
{
    const struct hypothesis *a = left, *b = right;
    return a->least < b->least ? -1 : a->least > b->least;
}

// Holm's correction over the hypotheses that could be significant at all. Only the number of failed
// runs on both sides together decides which these are, and given that number the p values are still
// valid, so we can leave out the others for free (Tarone, Biometrics 46, 1990). Returns the size of
// the family.
static size_t correct(struct hypothesis *list, size_t count, double alpha)
{
    size_t family = 0, able = 0;
    if (count > 0)
        qsort(list, count, sizeof *list, compare_least);
    // The least K such that at most K of them can reach alpha / K.
    do {
        family++;
        able = 0;
        while (able < count && list[able].least <= alpha / (double)family)
            able++;
    } while (able > family);
    OWNED(lit_free) double *p = lit_alloc(able + 1, sizeof *p);
    for (size_t i = 0; i < able; i++)
        p[i] = list[i].p;
    stat_holm(p, able, p);
    for (size_t i = 0; i < able; i++)
        *list[i].adjusted = p[i];
    return able;
}

// Hypotheses that can fail the gate are their own family, so that controls do not cost power.
static size_t correct_all(struct compare_entry *entries, size_t count,
                          const struct compare_policy *policy, bool gating, bool rise,
                          size_t *tests)
{
    OWNED(lit_free) struct hypothesis *list = lit_alloc(2 * count, sizeof *list);
    size_t made = 0;
    for (size_t i = 0; i < count; i++) {
        if (compare_can_gate(&entries[i], policy) != gating)
            continue;
        struct compare_test *both[] = {&entries[i].failed, &entries[i].waited};
        for (size_t t = 0; t < 2; t++) {
            struct compare_test *test = both[t];
            if (test->made)
                list[made++] =
                    rise ? (struct hypothesis){test->rise, test->least_rise, &test->adjusted_rise}
                         : (struct hypothesis){test->fall, test->least_fall, &test->adjusted_fall};
        }
    }
    size_t family = correct(list, made, policy->alpha);
    if (tests)
        *tests = made;
    return family;
}

// Concluding: the verdict

static void set(struct compare_entry *entry, enum compare_verdict verdict, enum compare_why why)
{
    entry->verdict = verdict;
    entry->why = why;
}

// A worse control is only different. If it was no control before, judge it as before.
static void set_change(struct compare_entry *entry, bool worse, enum compare_why why)
{
    bool other = entry->differs == COMPARE_OTHER_CLASS && entry->a->expectation != CAT_CONTROL;
    if (compare_entry_result(entry)->expectation == CAT_CONTROL && !other)
        set(entry, COMPARE_CHANGED, why);
    else
        set(entry, worse ? COMPARE_REGRESSION : COMPARE_IMPROVEMENT, why);
}

// B did not end normally, which is wrong whatever A is. It is known only if A ran the same thing
// and broke in the same way.
static void conclude_broken(struct compare_entry *entry)
{
    const struct result *a = entry->a;
    const enum eng_result now = compare_entry_broken(entry);
    const bool same = entry->differs == COMPARE_SAME;
    if (!a)
        set(entry, COMPARE_NEW, COMPARE_NOT_RUN);
    else if (state_of(a) == SKIPPED)
        set(entry, COMPARE_NEW, COMPARE_WAS_SKIPPED);
    else if (state_of(a) == RAN && !entry->broke_before)
        set_change(entry, true, COMPARE_ENDS);
    else if (a->result == now)
        set(entry, same ? COMPARE_UNCHANGED : COMPARE_UNDECIDED, entry->differs);
    else
        set(entry, COMPARE_UNDECIDED,
            same && entry->broke_before == now ? COMPARE_ENDED_BEFORE : COMPARE_ENDS);
}

// True if the states of both results decide the entry, without numbers. A broken B comes first,
// whatever A is.
static bool conclude_by_state(struct compare_entry *entry, const struct compare_policy *policy)
{
    const struct result *a = entry->a, *b = entry->b;
    if (!b) {
        set(entry, COMPARE_GONE, COMPARE_NOT_RUN);
    } else if (compare_entry_broken(entry)) {
        conclude_broken(entry);
    } else if (!a) {
        set(entry, COMPARE_NEW, COMPARE_NOT_RUN);
    } else if (state_of(a) == SKIPPED && state_of(b) == SKIPPED) {
        set(entry, COMPARE_SKIPPED, COMPARE_SAME);
    } else if (state_of(b) == NOT_MEASURED) {
        set(entry, COMPARE_UNDECIDED, COMPARE_NOT_MEASURED);
    } else if (state_of(a) == NOT_MEASURED) {
        set(entry, COMPARE_NEW, COMPARE_NOT_MEASURED);
    } else if (entry->differs != COMPARE_SAME) {
        set(entry, COMPARE_UNDECIDED, entry->differs);
    } else if (state_of(a) == SKIPPED) {
        set(entry, COMPARE_NEW, COMPARE_WAS_SKIPPED);
    } else if (state_of(b) == SKIPPED && state_of(a) == RAN && !policy->allow_skips) {
        set_change(entry, true, COMPARE_NEW_SKIP);
    } else if (state_of(b) == SKIPPED) {
        set(entry, COMPARE_GONE, COMPARE_NEW_SKIP);
    } else if (state_of(a) == NOTHING || state_of(b) == NOTHING) {
        set(entry, COMPARE_UNDECIDED, COMPARE_NO_ANSWER);
    } else if (state_of(a) == BROKEN && b->failed_runs == 0 && b->judged > 0) {
        set_change(entry, false, COMPARE_ENDED_BEFORE);
    } else if (state_of(a) == BROKEN) {
        set(entry, COMPARE_UNDECIDED, COMPARE_ENDED_BEFORE);
    } else {
        return false;
    }
    return true;
}

// A rise matters from the tolerance on, or from half the lesser rate of failures or passes, if that
// is more.
static bool is_excluded(const struct compare_test *test, uint64_t failed, uint64_t judged,
                        const struct compare_policy *policy)
{
    double rate = judged ? (double)failed / (double)judged : 0;
    return test->difference.high < fmax(policy->tolerance, fmin(rate, 1 - rate) / 2);
}

static bool is_first_seen(const struct compare_entry *entry)
{
    return entry->b->expectation == CAT_FORBIDDEN && entry->a->judged > 0 &&
           entry->a->failed_runs == 0 && entry->b->failed_runs > 0;
}

static void conclude(struct compare_entry *entry, const struct compare_policy *policy)
{
    const struct result *a = entry->a, *b = entry->b;
    const struct compare_test *failed = &entry->failed, *waited = &entry->waited;
    if (conclude_by_state(entry, policy))
        return;
    // A two-sided p value has no direction.
    bool more_failed = failed->made && (double)b->failed_runs * (double)a->judged >
                                           (double)a->failed_runs * (double)b->judged;
    bool more_waited = waited->made && (double)b->no_progress_runs * (double)a->runs >
                                           (double)a->no_progress_runs * (double)b->runs;
    if (more_failed && failed->adjusted_rise <= policy->alpha)
        set_change(entry, true, COMPARE_RATE);
    else if (more_waited && waited->adjusted_rise <= policy->alpha)
        set_change(entry, true, COMPARE_WAITS);
    else if (is_first_seen(entry) && policy->first_seen != COMPARE_FIRST_IGNORED)
        set(entry,
            policy->first_seen == COMPARE_FIRST_REGRESSION ? COMPARE_REGRESSION : COMPARE_UNDECIDED,
            COMPARE_FIRST_SEEN);
    else if (!failed->made && b->failed_runs > 0)
        set(entry, COMPARE_UNDECIDED, COMPARE_NO_ANSWER); // whatever the waits did
    else if (failed->made && !more_failed && failed->adjusted_fall <= policy->alpha)
        set_change(entry, false, COMPARE_RATE);
    else if (waited->made && !more_waited && waited->adjusted_fall <= policy->alpha)
        set_change(entry, false, COMPARE_WAITS);
    else if (!failed->made)
        set(entry, a->judged + b->judged ? COMPARE_UNDECIDED : COMPARE_UNCHANGED,
            a->judged + b->judged ? COMPARE_NO_ANSWER : COMPARE_SAME);
    else if (is_excluded(failed, a->failed_runs, a->judged, policy) &&
             (!waited->made || is_excluded(waited, a->no_progress_runs, a->runs, policy)))
        set(entry, COMPARE_UNCHANGED, COMPARE_SAME);
    else
        set(entry, COMPARE_UNDECIDED, COMPARE_TOO_FEW);
}

void compare_judge(struct compare_entry *entries, size_t count, const struct compare_policy *policy,
                   struct compare_summary *summary)
{
    *summary = (struct compare_summary){0};
    for (size_t i = 0; i < count; i++)
        measure(&entries[i], policy);
    summary->family = correct_all(entries, count, policy, true, true, &summary->tests);
    correct_all(entries, count, policy, true, false, NULL);
    correct_all(entries, count, policy, false, true, NULL);
    correct_all(entries, count, policy, false, false, NULL);
    for (size_t i = 0; i < count; i++)
        conclude(&entries[i], policy);
    compare_decide(entries, count, policy, summary);
}

// --- Summing up: how many have each verdict, and the code

// The comparison with A says nothing about B.
static bool is_alone(const struct compare_entry *entry)
{
    return entry->verdict == COMPARE_NEW ||
           (entry->verdict == COMPARE_UNDECIDED && !entry->failed.made &&
            entry->why != COMPARE_FIRST_SEEN);
}

bool compare_is_new_and_wrong(const struct compare_entry *entry)
{
    if (!is_alone(entry))
        return false;
    // One of A's sessions broke in the same way.
    if (compare_entry_broken(entry))
        return entry->why != COMPARE_ENDED_BEFORE;
    return entry->b->expectation == CAT_FORBIDDEN && entry->b->failed_runs > 0;
}

bool compare_is_not_measured(const struct compare_entry *entry)
{
    return is_alone(entry) && entry->b->result == ENG_HARNESS_ERROR &&
           !(entry->a && entry->a->result == ENG_HARNESS_ERROR && entry->differs == COMPARE_SAME);
}

bool compare_is_open(const struct compare_entry *entry, const struct compare_policy *policy)
{
    if (!compare_can_gate(entry, policy))
        return false;
    if (entry->verdict == COMPARE_GONE)
        return entry->why != COMPARE_NEW_SKIP && !policy->allow_gone &&
               entry->a->result != ENG_SKIP;
    return entry->verdict == COMPARE_UNDECIDED || compare_is_new_and_wrong(entry) ||
           compare_is_not_measured(entry);
}

static bool is_measured(const struct result *result)
{
    return result && result->result != ENG_SKIP && result->result != ENG_HARNESS_ERROR &&
           result->result != ENG_PARTIAL;
}

static void count_entry(const struct compare_entry *entry, const struct compare_policy *policy,
                        struct compare_summary *summary)
{
    const struct result *a = entry->a, *b = entry->b;
    bool can_gate = compare_can_gate(entry, policy), open = compare_is_open(entry, policy);
    bool regression = can_gate && entry->verdict == COMPARE_REGRESSION;
    bool counts = (regression || open) && !entry->waiver;
    summary->verdicts[entry->verdict]++;
    summary->compared += entry->failed.made || entry->waited.made;
    summary->gating += can_gate && a && a->result != ENG_SKIP && (counts || is_measured(b));
    summary->spread += entry->factor > 1;
    summary->spread_unknown += entry->failed.made && !entry->spread_known;
    summary->sequential += (a && a->rule[0]) || (b && b->rule[0]);
    summary->waived += (regression || open) && !counts;
    if (!counts)
        return;
    summary->regressions += regression;
    summary->open += open;
    summary->first_seen += open && entry->why == COMPARE_FIRST_SEEN;
    summary->new_wrong += open && compare_is_new_and_wrong(entry);
    summary->not_measured += open && compare_is_not_measured(entry);
    summary->gone += open && entry->verdict == COMPARE_GONE;
}

void compare_decide(const struct compare_entry *entries, size_t count,
                    const struct compare_policy *policy, struct compare_summary *summary)
{
    *summary = (struct compare_summary){.tests = summary->tests,
                                        .family = summary->family,
                                        .alone = summary->alone,
                                        .unclosed = summary->unclosed};
    for (size_t i = 0; i < count; i++)
        count_entry(&entries[i], policy, summary);
    const struct compare_summary *s = summary;
    const size_t most_open = (size_t)(COMPARE_MOST_OPEN * (double)s->gating);
    const struct lit_end ends[] = {
        {s->regressions, LIT_EXIT_FORBIDDEN, "a regression", "%s regressions"},
        {s->first_seen, LIT_EXIT_UNDECIDED,
         "a forbidden outcome was observed for the first time, too rarely to decide whether it is "
         "new",
         "forbidden outcomes were observed for the first time in %s configurations, too rarely to "
         "decide whether they are new"},
        {s->new_wrong, LIT_EXIT_UNDECIDED,
         "a configuration fails that is not comparable with the baseline",
         "%s configurations fail that are not comparable with the baseline"},
        {s->unclosed, LIT_EXIT_UNDECIDED,
         "the driver crashed or hung as a device was closed, and did not in the baseline",
         "the drivers of %s devices crashed or hung as these were closed, and did not in the "
         "baseline"},
        {s->not_measured, LIT_EXIT_UNDECIDED,
         "a configuration could not be run: an error of the harness",
         "%s configurations could not be run: errors of the harness"},
        {s->gone, LIT_EXIT_UNDECIDED,
         "a configuration of the baseline was not run; --allow-gone accepts that",
         "%s configurations of the baseline were not run; --allow-gone accepts that"},
        {policy->allow_gone ? 0 : s->alone, LIT_EXIT_UNDECIDED,
         "a device of the baseline was not measured; --allow-gone accepts that",
         "%s devices of the baseline were not measured; --allow-gone accepts that"},
        {s->gating == 0, LIT_EXIT_UNDECIDED, "nothing that can fail the gate was compared", NULL},
        {policy->strict || s->open > most_open ? s->open : 0, LIT_EXIT_UNDECIDED,
         "a configuration is undecided", "%s configurations are undecided"},
        {1, LIT_EXIT_OK, "no regression", NULL},
    };
    summary->code = lit_end_choose(ends, summary->reason, sizeof summary->reason);
}

enum lit_exit compare_combine(enum lit_exit run, enum lit_exit gate, bool whole)
{
    if (run == LIT_EXIT_DEVICE_LOST)
        return run;
    if (gate == LIT_EXIT_FORBIDDEN)
        return gate;
    if (run == LIT_EXIT_TIME || run == LIT_EXIT_NOTHING || run == LIT_EXIT_USAGE)
        return run;
    return gate == LIT_EXIT_OK && !whole ? LIT_EXIT_UNDECIDED : gate;
}
