// SPDX-License-Identifier: Apache-2.0
// Counts that grow, and their verdict.

#include "engine/result.h"

#include <stddef.h>

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

enum eng_result eng_verdict(const struct eng_count *count)
{
    if (count->failed_runs)
        return ENG_FAIL;
    return count->no_progress_runs ? ENG_NO_PROGRESS : ENG_PASS;
}
