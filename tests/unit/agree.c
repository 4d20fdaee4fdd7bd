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
        count.failure_count += wrong > 0 && count.failure_count < ENG_MAX_FAILURES;
    }
    return count;
}

static struct result count_all(struct lit_random *random)
{
    static const struct eng_failure failures[ENG_MAX_FAILURES];
    struct result sum = {0};
    const uint64_t batches = 1 + random_below(random, 100);
    for (uint64_t i = 0; i < batches; i++) {
        const struct eng_count batch = count_batch(random, 1 + random_below(random, 30));
        assert_null(eng_count_disagrees(&batch, NULL));
        assert_null(eng_count_disagrees(&batch, &mask));
        const uint32_t process = (uint32_t)random_below(random, 3);
        eng_result_add(&sum, &batch, failures, process, random_below(random, 2));
    }
    return sum;
}

// Any number that is one more or less contradicts another one.
static void check_changes(struct result *count)
{
    uint64_t *numbers[5 + CAT_OUTCOMES + 3 * ENG_MAX_PARTS] = {
        &count->runs, &count->failed_runs, &count->no_progress_runs, &count->instances,
        &count->failed_instances};
    size_t total = 5;
    for (size_t i = 0; i < CAT_OUTCOMES; i++)
        numbers[total++] = &count->outcomes[i];
    for (size_t i = 0; i < count->piece_count; i++) {
        numbers[total++] = &count->pieces[i].runs;
        numbers[total++] = &count->pieces[i].failed_runs;
        numbers[total++] = &count->pieces[i].no_progress_runs;
    }
    for (size_t i = 0; i < total; i++) {
        ++*numbers[i];
        if (!eng_result_disagrees(count))
            fail_msg("number %zu is one more", i);
        *numbers[i] -= 2; // below 0 as well
        if (!eng_result_disagrees(count))
            fail_msg("number %zu is one less", i);
        ++*numbers[i];
    }
    assert_null(eng_result_disagrees(count));
}

TEST(counts)
{
    struct lit_random random = {7};
    for (int i = 0; i < 300; i++) {
        OWNED(eng_result_clear) struct result count = count_all(&random);
        const enum eng_result verdict = count.result = eng_verdict(&count.count);
        count.mode = &mask;
        check_changes(&count);
        count.mode = NULL;
        for (enum eng_result result = 0; result <= ENG_RESULTS; result++) {
            count.result = result;
            // What did not come to its end may have counted anything before.
            const bool open =
                eng_is_broken(result) || result == ENG_HARNESS_ERROR || result == ENG_PARTIAL;
            assert_true(!eng_result_disagrees(&count) == (open || result == verdict));
        }
        count.first_run_failed = count.failed_runs == 0;
        assert_true(!eng_count_disagrees(&count.count, NULL) == !count.first_run_failed);
        count.first_run_failed = false;
        count.failure_count = count.failed_instances + 1;
        assert_non_null(eng_count_disagrees(&count.count, NULL));
    }
}

TEST(nothing)
{
    static const struct {
        enum eng_result result;
        bool agrees;
    } rows[] = {{ENG_SKIP, true},
                {ENG_PASS, true}, // of a shard without a run
                {ENG_CRASH, true},
                {ENG_FAIL, false},
                {ENG_NO_PROGRESS, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_true(!eng_result_disagrees(&(struct result){.result = rows[i].result}) ==
                    rows[i].agrees);
    // 0 by overflow
    const struct result much = {.outcomes = {[CAT_RIGHT] = UINT64_MAX, [CAT_NEVER_WRITTEN] = 1}};
    assert_non_null(eng_result_disagrees(&much));
}
