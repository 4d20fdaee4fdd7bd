// SPDX-License-Identifier: Apache-2.0
// Adds results.
#include "store/fold.h"

#include <stdlib.h>
#include <string.h>

static bool differ(struct text *why, const char *what, const char *a, const char *b)
{
    if (strcmp(a, b) == 0)
        return false;
    text_printf(why, "%s %.12s%s and %.12s%s", what, a[0] ? a : "(none)",
                strlen(a) > 12 ? "..." : "", b[0] ? b : "(none)", strlen(b) > 12 ? "..." : "");
    return true;
}

static bool ran(const struct store_result *result)
{
    return strcmp(result->result, "skip") != 0;
}

bool store_fold_agrees(const struct store_result *a, const struct store_result *b,
                       enum store_fold kind, struct text *why)
{
    if (differ(why, "module", a->sha256, b->sha256) ||
        differ(why, "stress", a->stress, b->stress) ||
        differ(why, "expectation", a->expectation, b->expectation))
        return false;
    if (a->rule[0] || b->rule[0]) {
        text_printf(why, "was measured until a rule was met (%.40s): such runs cannot be added",
                    a->rule[0] ? a->rule : b->rule);
        return false;
    }
    if (ran(a) != ran(b)) {
        text_printf(why, "was skipped in one (%.120s) and ran in the other",
                    ran(a) ? b->reason : a->reason);
        return false;
    }
    if (a->mode.check != b->mode.check ||
        memcmp(&a->mode.choice, &b->mode.choice, sizeof(a->mode.choice)) != 0) {
        text_puts(why, "the outcomes are called otherwise");
        return false;
    }
    if (kind == STORE_FOLD_RUNS && a->seed != b->seed) {
        text_printf(why, "seed 0x%jx and 0x%jx", (uintmax_t)a->seed, (uintmax_t)b->seed);
        return false;
    }
    bool overlap = a->first < b->first ? b->first - a->first < a->count.runs
                                       : a->first - b->first < b->count.runs;
    if (a->seed == b->seed && overlap && a->count.runs > 0 && b->count.runs > 0) {
        text_printf(why, "runs %ju-%ju and %ju-%ju of the same seed: the same experiment twice",
                    (uintmax_t)a->first, (uintmax_t)(a->first + a->count.runs - 1),
                    (uintmax_t)b->first, (uintmax_t)(b->first + b->count.runs - 1));
        return false;
    }
    return true;
}

// Results that stand for themselves, whatever was counted.
static bool is_verdict(const char *result)
{
    static const enum eng_result verdicts[] = {ENG_PASS, ENG_FAIL, ENG_NO_PROGRESS};
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++)
        if (strcmp(result, eng_result_name(verdicts[i])) == 0)
            return true;
    return false;
}

static void set(char **target, const char *value)
{
    char *copy = lit_strdup(value);
    free(*target);
    *target = copy;
}

// Puts the two neighbours with the fewest runs together, of one process if there are such.
static void join_neighbours(struct eng_part *parts, size_t *count)
{
    size_t best = 0;
    bool best_same = false;
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i + 1 < *count; i++) {
        bool same = parts[i].process == parts[i + 1].process;
        uint64_t runs = parts[i].runs + parts[i + 1].runs;
        if ((same && !best_same) || (same == best_same && runs < least)) {
            best = i;
            best_same = same;
            least = runs;
        }
    }
    parts[best].runs += parts[best + 1].runs;
    parts[best].failed_runs += parts[best + 1].failed_runs;
    parts[best].no_progress_runs += parts[best + 1].no_progress_runs;
    memmove(&parts[best + 1], &parts[best + 2], (*count - best - 2) * sizeof(*parts));
    --*count;
}

// Called before the runs are added.
static void fold_parts(struct eng_count *sum, const struct eng_count *more)
{
    struct eng_part parts[2 * ENG_MAX_PARTS];
    size_t count = 0;
    uint32_t processes = 0;
    if ((sum->runs > 0 && sum->part_count == 0) || (more->runs > 0 && more->part_count == 0)) {
        sum->part_count = 0;
        return;
    }
    for (size_t i = 0; i < sum->part_count; i++) {
        parts[count++] = sum->parts[i];
        if (sum->parts[i].process >= processes)
            processes = sum->parts[i].process + 1;
    }
    for (size_t i = 0; i < more->part_count; i++) {
        parts[count] = more->parts[i];
        parts[count++].process += processes;
    }
    while (count > ENG_MAX_PARTS)
        join_neighbours(parts, &count);
    memcpy(sum->parts, parts, count * sizeof(*parts));
    sum->part_count = count;
}

// The first by number of run; those of one run in the order in which they were seen.
static void fold_failures(struct eng_count *sum, const struct eng_count *more)
{
    struct eng_failure both[2 * ENG_MAX_FAILURES];
    size_t count = 0, a = 0, b = 0;
    while (a < sum->failure_count || b < more->failure_count) {
        bool left = b == more->failure_count ||
                    (a < sum->failure_count && sum->failures[a].at.run <= more->failures[b].at.run);
        both[count++] = left ? sum->failures[a++] : more->failures[b++];
    }
    sum->failure_count = count < ENG_MAX_FAILURES ? count : ENG_MAX_FAILURES;
    memcpy(sum->failures, both, sum->failure_count * sizeof(*both));
}

void store_fold(struct store_result *sum, const struct store_result *more, enum store_fold kind)
{
    struct eng_count *count = &sum->count;
    struct eng_count batch = more->count;
    bool first = count->first_run_failed;
    if (kind == STORE_FOLD_EXPERIMENTS)
        first = first || batch.first_run_failed;
    else if (more->first < sum->first)
        first = batch.first_run_failed;
    if (kind == STORE_FOLD_RUNS) {
        fold_failures(count, &batch);
    } else if (count->failure_count == 0 && batch.failure_count > 0) {
        sum->seed = more->seed;
        memcpy(count->failures, batch.failures, sizeof(count->failures));
        count->failure_count = batch.failure_count;
    }
    batch.failure_count = 0;
    fold_parts(count, &batch);
    eng_count_add(count, &batch);
    count->first_run_failed = first;
    if (more->first < sum->first)
        sum->first = more->first;
    if (!ran(sum))
        return;
    if (is_verdict(sum->result) && !is_verdict(more->result)) {
        set(&sum->result, more->result);
        set(&sum->reason, more->reason);
        for (size_t i = 0; i < ENG_EVIDENCES; i++)
            set(&sum->evidence[i], more->evidence[i] ? more->evidence[i] : "");
    }
    if (is_verdict(sum->result))
        set(&sum->result, eng_result_name(eng_verdict(count)));
}
