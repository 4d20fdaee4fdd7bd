// SPDX-License-Identifier: Apache-2.0
// Numbers that contradict one another.
#include "model/result.h"

#include <math.h>
#include <stddef.h>

static const char *check_sums(uint64_t runs, uint64_t failed_runs, uint64_t no_progress_runs)
{
    return failed_runs > runs || no_progress_runs > runs - failed_runs
               ? "more runs failed or gave up than there were"
               : NULL;
}

const char *eng_runs_disagree(enum eng_result result, uint64_t runs, uint64_t failed_runs,
                              uint64_t no_progress_runs)
{
    const struct eng_count count = {
        .runs = runs, .failed_runs = failed_runs, .no_progress_runs = no_progress_runs};
    const char *wrong = check_sums(runs, failed_runs, no_progress_runs);
    const bool follows = eng_verdict(&count) == result;
    if (wrong)
        return wrong;
    switch (result) {
    case ENG_PASS:
        return follows ? NULL : "the result is pass, but runs failed or gave up";
    case ENG_FAIL:
        return follows ? NULL : "the result is fail, but no run failed";
    case ENG_NO_PROGRESS:
        return follows ? NULL : "the result is no-progress, but no run gave up, or one failed";
    case ENG_SKIP:
        return runs == 0 ? NULL : "the result is skip, but there were runs";
    case ENG_HANG:
    case ENG_CRASH:
    case ENG_DEVICE_LOST:
    case ENG_HARNESS_ERROR:
    case ENG_PARTIAL:
        return NULL;
    case ENG_RESULTS:
        break;
    }
    return "the result is none";
}

// What of the instances failed, by their outcomes: at least, and at most. Those of a run that gave
// up have an outcome of their own, which is no failure.
static bool is_failed_sum(const struct eng_count *count, const struct cat_mode *mode)
{
    uint64_t least = 0, most = 0;
    for (uint32_t i = 0; i < CAT_OUTCOMES; i++) {
        const bool fails = mode ? cat_mode_fails(mode, i) : i != CAT_RIGHT;
        const bool surely = mode ? fails : i == CAT_NEVER_WRITTEN || i == CAT_VARIED;
        if (i == CAT_NO_PROGRESS)
            continue;
        most += fails ? count->outcomes[i] : 0;
        least += surely ? count->outcomes[i] : 0;
    }
    return least <= count->failed_instances && count->failed_instances <= most;
}

const char *eng_count_disagrees(const struct eng_count *count, const struct cat_mode *mode)
{
    const char *wrong = check_sums(count->runs, count->failed_runs, count->no_progress_runs);
    uint64_t left = count->instances;
    bool adds_up = true;
    for (size_t i = 0; i < CAT_OUTCOMES && adds_up; i++) {
        adds_up = count->outcomes[i] <= left;
        left -= adds_up ? count->outcomes[i] : 0;
    }
    if (wrong)
        return wrong;
    if (!adds_up || left > 0)
        return "the outcomes do not add up to the instances";
    if (count->instances < count->runs || (count->runs == 0 && count->instances > 0))
        return "the instances cannot be of so many runs";
    if (count->outcomes[CAT_NO_PROGRESS] < count->no_progress_runs ||
        (count->no_progress_runs == 0 && count->outcomes[CAT_NO_PROGRESS] > 0))
        return "the instances that gave up cannot be of so many runs";
    if (!is_failed_sum(count, mode))
        return "the failed instances are not those of the outcomes";
    if (count->failed_instances < count->failed_runs ||
        (count->failed_runs == 0 && count->failed_instances > 0))
        return "the failed instances cannot be of so many failed runs";
    if (count->first_run_failed && count->failed_runs == 0)
        return "the first run failed, but no run did";
    if (count->failure_count > count->failed_instances)
        return "there are more failures than failed instances";
    return isfinite(count->seconds) && count->seconds >= 0 ? NULL : "the seconds are no time";
}

static const char *check_parts(const struct eng_count *count)
{
    struct eng_part left = {.runs = count->runs,
                            .failed_runs = count->failed_runs,
                            .no_progress_runs = count->no_progress_runs};
    for (size_t i = 0; i < count->part_count; i++) {
        const struct eng_part *part = &count->parts[i];
        if (check_sums(part->runs, part->failed_runs, part->no_progress_runs))
            return "in a part more runs failed or gave up than there were";
        if (part->runs > left.runs || part->failed_runs > left.failed_runs ||
            part->no_progress_runs > left.no_progress_runs)
            return "the parts do not add up";
        left.runs -= part->runs;
        left.failed_runs -= part->failed_runs;
        left.no_progress_runs -= part->no_progress_runs;
    }
    const bool all = left.runs + left.failed_runs + left.no_progress_runs == 0;
    return count->part_count == 0 || all ? NULL : "the parts do not add up";
}

const char *eng_result_disagrees(enum eng_result result, const struct eng_count *count,
                                 const struct cat_mode *mode)
{
    const char *wrong =
        eng_runs_disagree(result, count->runs, count->failed_runs, count->no_progress_runs);
    wrong = wrong ? wrong : eng_count_disagrees(count, mode);
    return wrong ? wrong : check_parts(count);
}
