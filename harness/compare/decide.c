// SPDX-License-Identifier: Apache-2.0
// Sums up judged configurations: how many have each verdict, and the gate's exit code.
#include "compare/verdict.h"

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
