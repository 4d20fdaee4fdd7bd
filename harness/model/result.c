// SPDX-License-Identifier: Apache-2.0
// Counts that grow, and their verdict.

#include "model/result.h"

#include <stddef.h>
#include <string.h>

const char *eng_result_name(enum eng_result result)
{
    static const char *const names[ENG_RESULTS] = {
        [ENG_PASS] = "pass",
        [ENG_FAIL] = "fail",
        [ENG_SKIP] = "skip",
        [ENG_HANG] = "hang",
        [ENG_CRASH] = "crash",
        [ENG_DEVICE_LOST] = "device-lost",
        [ENG_NO_PROGRESS] = "no-progress",
        [ENG_HARNESS_ERROR] = "harness-error",
        [ENG_PARTIAL] = "partial",
    };
    return (unsigned)result < ENG_RESULTS ? names[result] : "unknown";
}

const char *eng_evidence_name(enum eng_evidence kind)
{
    static const char *const names[ENG_EVIDENCES] = {
        [ENG_EVIDENCE_WORDS] = "last-words",
        [ENG_EVIDENCE_KERNEL] = "kernel-log",
        [ENG_EVIDENCE_BACKTRACE] = "backtrace",
        [ENG_EVIDENCE_CORE] = "core",
    };
    return (unsigned)kind < ENG_EVIDENCES ? names[kind] : "unknown";
}

enum eng_result eng_result_named(const char *name)
{
    enum eng_result result = 0;
    while (result < ENG_RESULTS && strcmp(name, eng_result_name(result)) != 0)
        result++;
    return result;
}

bool eng_is_broken(enum eng_result result)
{
    return result == ENG_HANG || result == ENG_CRASH || result == ENG_DEVICE_LOST;
}

// Workers are not trusted: what they say must not wrap around.
static void add(uint64_t *sum, uint64_t more)
{
    *sum = *sum > UINT64_MAX - more ? UINT64_MAX : *sum + more;
}

void eng_count_add(struct eng_count *sum, const struct eng_count *batch)
{
    add(&sum->runs, batch->runs);
    add(&sum->failed_runs, batch->failed_runs);
    add(&sum->no_progress_runs, batch->no_progress_runs);
    sum->first_run_failed |= batch->first_run_failed;
    add(&sum->instances, batch->instances);
    add(&sum->failed_instances, batch->failed_instances);
    for (size_t i = 0; i < CAT_OUTCOMES; i++)
        add(&sum->outcomes[i], batch->outcomes[i]);
    for (size_t i = 0; i < batch->failure_count && sum->failure_count < ENG_MAX_FAILURES; i++)
        sum->failures[sum->failure_count++] = batch->failures[i];
    sum->seconds += batch->seconds;
}

static void join(struct eng_part *part, const struct eng_part *next)
{
    add(&part->runs, next->runs);
    add(&part->failed_runs, next->failed_runs);
    add(&part->no_progress_runs, next->no_progress_runs);
}

// Halves the number of parts: neighbours of one process become one. Where no two are of one
// process, the smallest pair.
static void join_neighbours(struct eng_count *count)
{
    size_t kept = 0, smallest = 0;
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i + 1 < count->part_count; i++) {
        uint64_t both = count->parts[i].runs + count->parts[i + 1].runs;
        if (both < least) {
            least = both;
            smallest = i;
        }
    }
    for (size_t i = 0; i < count->part_count; i++) {
        struct eng_part part = count->parts[i];
        if (i + 1 < count->part_count && count->parts[i + 1].process == part.process)
            join(&part, &count->parts[++i]);
        count->parts[kept++] = part;
    }
    if (kept == count->part_count) {
        join(&count->parts[smallest], &count->parts[smallest + 1]);
        for (size_t i = smallest + 1; i + 1 < kept; i++)
            count->parts[i] = count->parts[i + 1];
        kept--;
    }
    count->part_count = kept;
}

void eng_count_part(struct eng_count *sum, const struct eng_count *batch, uint32_t process,
                    bool fresh)
{
    // Parts grow with the number of runs, so that neighbours are seldom joined.
    uint64_t enough = ENG_PART_RUNS;
    while (enough <= sum->runs / (ENG_MAX_PARTS / 2))
        enough *= 2;
    struct eng_part *last = sum->part_count ? &sum->parts[sum->part_count - 1] : NULL;
    const struct eng_part part = {.process = process,
                                  .runs = batch->runs,
                                  .failed_runs = batch->failed_runs,
                                  .no_progress_runs = batch->no_progress_runs};
    if ((!last && sum->runs > 0) || batch->runs == 0)
        return;
    if (last && last->process == process && !fresh && last->runs < enough) {
        join(last, &part);
        return;
    }
    if (sum->part_count == ENG_MAX_PARTS)
        join_neighbours(sum);
    sum->parts[sum->part_count++] = part;
}

enum eng_result eng_verdict(const struct eng_count *count)
{
    if (count->failed_runs)
        return ENG_FAIL;
    return count->no_progress_runs ? ENG_NO_PROGRESS : ENG_PASS;
}
