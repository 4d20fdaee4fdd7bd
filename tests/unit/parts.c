// SPDX-License-Identifier: Apache-2.0
// Runs in parts: they are all runs, each is of one process and, while there is room, of one
// pipeline, and there are never too many.
#include "unit.h"

#include "model/result.h"

#include "base/random.h"

// Adds a batch as the supervisor does; every third run fails, every fifth gives up.
static void add(struct result *result, uint64_t runs, uint32_t process, bool fresh)
{
    struct eng_count batch = {.runs = runs, .failed_runs = runs / 3, .no_progress_runs = runs / 5};
    eng_result_add(result, &batch, NULL, process, fresh);
}

static void assert_sums(const struct result *result)
{
    uint64_t runs = 0, failed = 0, gave_up = 0;
    assert_true(result->piece_count <= ENG_MAX_PARTS);
    for (size_t i = 0; i < result->piece_count; i++) {
        assert_true(result->pieces[i].runs > 0);
        runs += result->pieces[i].runs;
        failed += result->pieces[i].failed_runs;
        gave_up += result->pieces[i].no_progress_runs;
    }
    assert_int_equal(runs, result->runs);
    assert_int_equal(failed, result->failed_runs);
    assert_int_equal(gave_up, result->no_progress_runs);
}

// Batches and the parts that they make, as "runs" or "process:runs".
TEST(the_table)
{
    static const struct {
        const char *batches; // "N" goes on, "fN" with a new pipeline, "pN" of the next process
        const char *parts;
    } rows[] = {
        {"f1", "0:1"},
        {"f1 2 4 8 16", "0:31"},
        {"f1 49 30", "0:50 0:30"},
        {"f1 48 30 30", "0:79 0:30"},
        {"f1 256 256", "0:257 0:256"},
        {"f1 9 f1 9", "0:10 0:10"},
        {"f1 9 p1 9", "0:10 1:10"},
        {"p1 9 p1 9", "1:10 2:10"},
        {"f1 0 0 9", "0:10"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        OWNED(eng_result_clear) struct result result = {0};
        uint32_t process = 0;
        char copy[64], got[128] = "", *rest = NULL;
        snprintf(copy, sizeof copy, "%s", rows[i].batches);
        for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
            const bool marked = *word == 'f' || *word == 'p';
            process += *word == 'p';
            add(&result, strtoull(word + marked, NULL, 10), process, marked);
        }
        for (size_t p = 0; p < result.piece_count; p++)
            snprintf(got + strlen(got), sizeof got - strlen(got), "%s%u:%u", p ? " " : "",
                     result.pieces[p].process, (unsigned)result.pieces[p].runs);
        assert_string_equal(got, rows[i].parts);
        assert_sums(&result);
    }
}

TEST(a_thousand_runs_have_no_more_than_twenty)
{
    OWNED(eng_result_clear) struct result result = {0};
    for (int i = 0; i < 1000; i++)
        add(&result, 1, 0, i % 500 == 0);
    assert_int_equal(result.piece_count, 20);
    assert_sums(&result);
}

// A device that begins to fail after a third of many runs: however often neighbours are joined,
// what stands before is right, what stands behind is not, and one part at most is of both.
TEST(the_order_is_kept)
{
    for (uint64_t batches = 30; batches <= 300000; batches *= 10) {
        OWNED(eng_result_clear) struct result result = {0};
        size_t mixed = 0;
        uint64_t last = 0;
        for (uint64_t i = 0; i < batches; i++) {
            const struct eng_count batch = {.runs = 16, .failed_runs = i < batches / 3 ? 0 : 8};
            eng_result_add(&result, &batch, NULL, 0, i % 40 == 0);
        }
        for (size_t i = 0; i < result.piece_count; i++) {
            const uint64_t failed = result.pieces[i].failed_runs, half = result.pieces[i].runs / 2;
            mixed += failed && failed < half;
            assert_true(failed >= last);
            assert_true(batches < 3000 || result.pieces[i].runs <= result.runs / 16);
            last = failed ? 1 : 0;
        }
        assert_in_range(mixed, 0, 1);
        assert_true(result.piece_count >= (batches < 3000 ? 6 : 16));
        assert_int_equal(result.pieces[0].failed_runs, 0);
    }
}

TEST(there_are_never_too_many)
{
    struct lit_random random = {.state = 5};
    for (int round = 0; round < 200; round++) {
        OWNED(eng_result_clear) struct result result = {0};
        uint32_t process = 0, last = 0;
        for (int i = 0; i < 2000; i++) {
            uint64_t runs = 1 + random_below(&random, 1u << random_below(&random, 9));
            process += random_below(&random, 40) == 0;
            add(&result, runs, process, random_below(&random, 4) == 0);
            assert_sums(&result);
        }
        assert_true(result.piece_count > ENG_MAX_PARTS / 4);
        for (size_t i = 0; i < result.piece_count; i++) {
            assert_true(result.pieces[i].process >= last);
            last = result.pieces[i].process;
        }
    }
}

TEST(many_processes_of_one_run_each)
{
    OWNED(eng_result_clear) struct result result = {0};
    for (uint32_t process = 0; process < 1000; process++)
        add(&result, 1, process, true);
    assert_int_equal(result.piece_count, ENG_MAX_PARTS);
    assert_sums(&result);
}

TEST(runs_without_parts_stay_without)
{
    OWNED(eng_result_clear) struct result result = {.runs = 100};
    add(&result, 50, 3, true);
    assert_int_equal(result.piece_count, 0);
    assert_int_equal(result.runs, 150);
}
