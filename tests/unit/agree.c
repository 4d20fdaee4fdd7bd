// SPDX-License-Identifier: Apache-2.0
// Numbers of results that agree, and any of them changed by one.
#include "model/result.h"

#include "unit.h"

#include "base/random.h"

static const struct cat_mode mask = {.check = CAT_CHECK_MASK}; // outcome 2 is allowed

// What a worker counts in a batch of `runs`.
static struct eng_count count_batch(struct lit_random *random, uint64_t runs)
{
    struct eng_count count = {.seconds = 0.1};
    for (uint64_t run = 0; run < runs; run++) {
        const uint64_t kind = random_below(random, 10);
        const uint64_t wrong = kind == 0 ? 1 + random_below(random, 8) : 0;
        const uint64_t allowed = random_below(random, 9 - wrong);
        count.runs++;
        count.instances += 8;
        if (kind == 1) {
            count.no_progress_runs++;
            count.outcomes[CAT_NO_PROGRESS] += 8;
            continue;
        }
        count.failed_runs += wrong > 0;
        count.failed_instances += wrong;
        count.outcomes[3 + random_below(random, 4)] += wrong;
        count.outcomes[2] += allowed;
        count.outcomes[CAT_RIGHT] += 8 - wrong - allowed;
        if (wrong > 0 && count.failure_count < ENG_MAX_FAILURES)
            count.failures[count.failure_count++].at.run = run;
    }
    return count;
}

static struct eng_count count_all(struct lit_random *random)
{
    struct eng_count sum = {0};
    const uint64_t batches = 1 + random_below(random, 100);
    for (uint64_t i = 0; i < batches; i++) {
        const struct eng_count batch = count_batch(random, 1 + random_below(random, 30));
        assert_null(eng_count_disagrees(&batch, NULL));
        assert_null(eng_count_disagrees(&batch, &mask));
        eng_count_part(&sum, &batch, (uint32_t)random_below(random, 3), random_below(random, 2));
        eng_count_add(&sum, &batch);
    }
    return sum;
}

// Any number that is one more or less contradicts another one.
static void check_changes(struct eng_count *count, enum eng_result result)
{
    uint64_t *numbers[5 + CAT_OUTCOMES + 3 * ENG_MAX_PARTS] = {
        &count->runs, &count->failed_runs, &count->no_progress_runs, &count->instances,
        &count->failed_instances};
    size_t total = 5;
    for (size_t i = 0; i < CAT_OUTCOMES; i++)
        numbers[total++] = &count->outcomes[i];
    for (size_t i = 0; i < count->part_count; i++) {
        numbers[total++] = &count->parts[i].runs;
        numbers[total++] = &count->parts[i].failed_runs;
        numbers[total++] = &count->parts[i].no_progress_runs;
    }
    for (size_t i = 0; i < total; i++) {
        ++*numbers[i];
        if (!eng_result_disagrees(result, count, &mask))
            fail_msg("number %zu is one more", i);
        *numbers[i] -= 2; // below 0 as well
        if (!eng_result_disagrees(result, count, &mask))
            fail_msg("number %zu is one less", i);
        ++*numbers[i];
    }
    assert_null(eng_result_disagrees(result, count, &mask));
}

TEST(counts)
{
    struct lit_random random = {7};
    for (int i = 0; i < 300; i++) {
        struct eng_count count = count_all(&random);
        const enum eng_result verdict = eng_verdict(&count);
        check_changes(&count, verdict);
        for (enum eng_result result = 0; result <= ENG_RESULTS; result++) {
            // What did not come to its end may have counted anything before.
            const bool open =
                eng_is_broken(result) || result == ENG_HARNESS_ERROR || result == ENG_PARTIAL;
            assert_true(!eng_result_disagrees(result, &count, NULL) == (open || result == verdict));
        }
        count.first_run_failed = count.failed_runs == 0;
        assert_true(!eng_count_disagrees(&count, NULL) == !count.first_run_failed);
        count.first_run_failed = false;
        count.failure_count = count.failed_instances + 1;
        assert_non_null(eng_count_disagrees(&count, NULL));
    }
}

TEST(nothing)
{
    struct eng_count count = {0};
    assert_null(eng_result_disagrees(ENG_SKIP, &count, NULL));
    assert_null(eng_result_disagrees(ENG_PASS, &count, NULL)); // of a shard without a run
    assert_null(eng_result_disagrees(ENG_CRASH, &count, NULL));
    assert_non_null(eng_result_disagrees(ENG_FAIL, &count, NULL));
    assert_non_null(eng_result_disagrees(ENG_NO_PROGRESS, &count, NULL));
    count.outcomes[CAT_RIGHT] = UINT64_MAX;
    count.outcomes[CAT_NEVER_WRITTEN] = 1; // 0 by overflow
    assert_non_null(eng_result_disagrees(ENG_PASS, &count, NULL));
}
