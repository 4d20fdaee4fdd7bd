// SPDX-License-Identifier: Apache-2.0
// Compares two sides.
#include "compare/compare.h"

#include "report/failures.h"
#include "stats/stats.h"

#include <stdlib.h>

static void remark_side(struct table *remarks, const struct compare_side *side, const char *letter)
{
    if (side->sources > 1)
        table_note(remarks,
                   "%s combines %zu sessions, and its rates include the variation between them",
                   letter, side->sources);
    if (side->unfinished)
        table_note(remarks, "%s was not finished", letter);
    if (side->partial > 0)
        table_note(remarks, "in %s %zu configuration%s interrupted", letter, side->partial,
                   side->partial == 1 ? " was" : "s were");
}

static void remark_all(struct comparison *comparison)
{
    const struct compare_summary *summary = &comparison->summary;
    struct table *remarks = &comparison->remarks;
    size_t expectations = 0, code = 0;
    if (!comparison->across)
        remark_side(remarks, comparison->a, "A");
    remark_side(remarks, comparison->b, "B");
    if (comparison->pairs.alone_a > 0)
        table_note(remarks, "%zu device%s of A is not in B", comparison->pairs.alone_a,
                   comparison->pairs.alone_a == 1 ? "" : "s");
    if (comparison->across && comparison->pairs.alone_b > 0)
        table_note(remarks, "%zu device%s the only one of its kind", comparison->pairs.alone_b,
                   comparison->pairs.alone_b == 1 ? " is" : "s are each");
    else if (comparison->pairs.alone_b > 0)
        table_note(remarks, "%zu device%s of B is not in A", comparison->pairs.alone_b,
                   comparison->pairs.alone_b == 1 ? "" : "s");
    for (size_t i = 0; i < comparison->count; i++) {
        const struct compare_entry *entry = &comparison->entries[i];
        expectations += entry->why == COMPARE_OTHER_CLASS;
        code += entry->why == COMPARE_OTHER_CODE;
    }
    if (code > 0)
        table_note(remarks,
                   "%zu configuration%s other code in B and cannot be compared: run A anew, "
                   "or give --ignore-hash",
                   code, code == 1 ? " has" : "s have");
    if (expectations > 0)
        table_note(
            remarks,
            "%zu configuration%s another expectation in B and cannot be compared: run A anew",
            expectations, expectations == 1 ? " has" : "s have");
    if (summary->spread > 0)
        table_note(remarks,
                   "in %zu configuration%s rates are overdispersed; their runs count for less",
                   summary->spread, summary->spread == 1 ? "" : "s");
    if (summary->sequential > 0)
        table_note(remarks,
                   "%zu configuration%s had a stopping rule; they are compared by their confidence "
                   "sequences",
                   summary->sequential, summary->sequential == 1 ? " was" : "s were");
}

static bool check_common(const struct comparison *comparison, struct lit_error *error)
{
    for (size_t i = 0; i < comparison->count; i++)
        if (comparison->entries[i].a && comparison->entries[i].b)
            return true;
    if (comparison->axis.name)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "no configurations differ in --axis %s=%.60s,%.60s only",
                        comparison->axis.name, comparison->axis.a, comparison->axis.b);
    if (comparison->across)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "no configuration was measured on two devices of one kind");
    const struct compare_pair *pair = &comparison->pairs.items[0];
    unsigned a = comparison->a->model.devices[pair->a].facts.subgroup;
    unsigned b = comparison->b->model.devices[pair->b].facts.subgroup;
    if (a != b)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "no configuration is on both sides: subgroups of %u and of %u; "
                        "--axis subgroup=%u,%u compares across them",
                        a, b, a, b);
    return lit_fail(error, LIT_EXIT_USAGE, "no configuration is on both sides");
}

// Fails if all pairs have another module: there is nothing to compare, and the baseline is wrong.
static bool check_code(const struct comparison *comparison, struct lit_error *error)
{
    size_t pairs = 0, code = 0;
    for (size_t i = 0; i < comparison->count; i++) {
        const struct compare_entry *entry = &comparison->entries[i];
        pairs += entry->a && entry->b;
        code += entry->why == COMPARE_OTHER_CODE;
    }
    if (code == 0 || code < pairs)
        return true;
    return lit_fail(error, LIT_EXIT_USAGE,
                    "%.200s: all %zu configurations have another SPIR-V module in %.200s: measure "
                    "it anew with this litmus, or give --ignore-hash",
                    comparison->a->label, code, comparison->b->label);
}

static void apply_waivers(struct comparison *comparison, struct compare_waivers *waivers)
{
    const struct compare_pairs *pairs = &comparison->pairs;
    const struct dev_facts **devices = lit_alloc(pairs->count, sizeof *devices);
    for (size_t i = 0; i < pairs->count; i++)
        devices[i] = &comparison->b->model.devices[pairs->items[i].b].facts;
    compare_waivers_apply(waivers, comparison->entries, comparison->count, &comparison->policy,
                          comparison->b->started, devices, pairs->count);
    free(devices);
}

// Counts the devices of B that their driver does not close, if it closed them in A or A does not
// have them.
static size_t count_unclosed(const struct comparison *comparison)
{
    const struct compare_pairs *pairs = &comparison->pairs;
    size_t count = 0;
    for (size_t i = 0; !comparison->across && i < pairs->count; i++) {
        const struct compare_pair *pair = &pairs->items[i];
        const bool is_new = i >= pairs->count - pairs->alone_b;
        OWNED(text_free) struct text said = {0};
        count += report_unclosed(&comparison->b->model, pair->b, "", &said) &&
                 (is_new || !report_unclosed(&comparison->a->model, pair->a, "", &said));
    }
    return count;
}

bool compare_make(struct comparison *comparison, const struct compare_request *request,
                  struct compare_waivers *waivers, struct lit_error *error)
{
    *comparison = (struct comparison){.a = request->a,
                                      .b = request->b,
                                      .across = request->across,
                                      .policy = request->policy,
                                      .waivers = waivers};
    if (request->axis && !compare_axis_parse(request->axis, &comparison->axis, error))
        return false;
    // An axis differs on purpose: the code differs, and so may the expectation.
    comparison->policy.ignore_code |= request->axis != NULL;
    comparison->policy.ignore_class |= request->axis != NULL;
    if (!(request->across ? compare_across_pairs(request->b, &comparison->pairs, error)
                          : compare_pair_devices(request->a, request->b, request->devices,
                                                 request->device_count, &comparison->pairs, error)))
        return false;
    comparison->count =
        compare_pair_results(request->a, request->b, &comparison->pairs, &comparison->axis,
                             request->only, request->only_count, &comparison->entries);
    if (!check_common(comparison, error))
        return false;
    compare_judge(comparison->entries, comparison->count, &comparison->policy,
                  &comparison->summary);
    if (!check_code(comparison, error))
        return false;
    if (waivers)
        apply_waivers(comparison, waivers);
    comparison->summary.alone = comparison->pairs.alone_a;
    comparison->summary.unclosed = count_unclosed(comparison);
    compare_decide(comparison->entries, comparison->count, &comparison->policy,
                   &comparison->summary);
    compare_power(comparison->entries, comparison->count, &comparison->policy, &comparison->summary,
                  &comparison->power);
    remark_all(comparison);
    compare_words(comparison);
    return true;
}

void compare_clear(struct comparison *comparison)
{
    compare_axis_clear(&comparison->axis);
    compare_pairs_clear(&comparison->pairs);
    compare_entries_free(comparison->entries, comparison->count);
    table_drop_notes(&comparison->remarks);
    char *const words[] = {comparison->words.summary, comparison->words.counts,
                           comparison->words.a,       comparison->words.b,
                           comparison->words.method,  comparison->words.power};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        free(words[i]);
    *comparison = (struct comparison){0};
}

// Power

struct seen {
    uint64_t k, n1, n2;
    double rate;
};

// Computes each set of numbers once: most configurations have the same.
static double find_detectable(struct seen **seen, size_t *count, const struct seen *wanted,
                              double alpha)
{
    for (size_t i = 0; i < *count; i++)
        if ((*seen)[i].k == wanted->k && (*seen)[i].n1 == wanted->n1 && (*seen)[i].n2 == wanted->n2)
            return (*seen)[i].rate;
    *seen = lit_realloc(*seen, *count + 1, sizeof **seen);
    (*seen)[*count] = *wanted;
    (*seen)[*count].rate = stat_detectable(wanted->k, wanted->n1, wanted->n2, alpha, COMPARE_POWER);
    return (*seen)[(*count)++].rate;
}

static int compare_numbers(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static double median(double *list, size_t count)
{
    if (count == 0)
        return 0;
    qsort(list, count, sizeof *list, compare_numbers);
    return list[count / 2];
}

void compare_power(const struct compare_entry *entries, size_t count,
                   const struct compare_policy *policy, const struct compare_summary *summary,
                   struct compare_power *power)
{
    OWNED(lit_free) struct seen *seen = NULL;
    size_t seen_count = 0;
    OWNED(lit_free) double *all = lit_alloc(count + 1, sizeof *all);
    OWNED(lit_free) double *never = lit_alloc(count + 1, sizeof *never);
    *power = (struct compare_power){.tests = summary->family + 1};
    double alpha = policy->alpha / (double)power->tests / (policy->gate ? 1 : 2);
    for (size_t i = 0; i < count; i++) {
        const struct compare_entry *entry = &entries[i];
        if (!entry->failed.made || !compare_can_gate(entry, policy) || entry->a->rule[0] ||
            entry->b->rule[0] || entry->a->failed_runs == entry->a->judged)
            continue;
        const struct seen wanted = {
            .k = (uint64_t)((double)entry->a->failed_runs / entry->factor + 0.5),
            .n1 = (uint64_t)((double)entry->a->judged / entry->factor + 0.5),
            .n2 = (uint64_t)((double)entry->b->judged / entry->factor + 0.5)};
        double rise = find_detectable(&seen, &seen_count, &wanted, alpha) -
                      (double)entry->a->failed_runs / (double)entry->a->judged;
        all[power->all++] = rise;
        if (entry->a->failed_runs == 0)
            never[power->never++] = rise;
        if (rise > power->worst) {
            power->worst = rise;
            power->worst_name = entry->name;
        }
    }
    power->typical = median(all, power->all);
    power->typical_never = median(never, power->never);
    power->worst_never = power->never ? never[power->never - 1] : 0;
}
