// SPDX-License-Identifier: Apache-2.0
// The rows of `litmus bench scan`, what they count, what is taken from a worker, and what it comes
// to.
#include "unit.h"

#include "bench/result.h"
#include "benching/benching.h"
#include "engine/measure.h"
#include "stats/stats.h"

#include <math.h>

static struct dev_facts some_facts(uint32_t subgroup)
{
    return (struct dev_facts){.subgroup = subgroup,
                              .max_workgroup = 1024,
                              .max_workgroups = 65535,
                              .max_storage_buffer = 1u << 30,
                              .features = UINT64_MAX};
}

static size_t rows_of(uint32_t subgroup, uint32_t loops, struct bench_row rows[BENCH_ROWS])
{
    const struct bench_shape shape = {
        .subgroup = subgroup, .elements = 1u << 16, .copied = 1u << 20, .loops = loops};
    return bench_scan_rows(&shape, rows);
}

TEST(names_are_different)
{
    struct bench_row rows[BENCH_ROWS];
    struct text names[BENCH_ROWS] = {{0}};
    const size_t count = rows_of(32, 10, rows);
    assert_int_equal(count, 5 + 2 * 2 * 3 * 4);
    for (size_t i = 0; i < count; i++) {
        bench_row_name(&rows[i], &names[i]);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(names[i].data, names[j].data);
    }
    assert_string_equal(names[1].data, "limit/adds/chains=8");
    assert_string_equal(names[7].data, "subgroup/emulated/control/items=1/workgroup=256");
    for (size_t i = 0; i < count; i++)
        text_free(&names[i]);
}

TEST(each_row_has_a_module_of_its_own)
{
    struct bench_row rows[BENCH_ROWS];
    const size_t count = rows_of(32, 10, rows);
    for (size_t i = 0; i < count; i++) {
        assert_non_null(rows[i].kernel);
        assert_int_equal(cat_kernel_words(rows[i].kernel)[0], 0x07230203);
        assert_true(rows[i].kernel->count > 100);
        for (size_t j = 0; j < i; j++) {
            // Workgroups of other sizes are the same module, and nothing else is.
            struct bench_row other = rows[j];
            other.workgroup = rows[i].workgroup;
            const bool alike = rows[i].kind == other.kind && rows[i].level == other.level &&
                               rows[i].operation == other.operation &&
                               rows[i].barrier == other.barrier && rows[i].items == other.items &&
                               rows[i].chains == other.chains;
            assert_int_equal(rows[i].kernel == rows[j].kernel, alike);
        }
    }
}

// The algorithms walked through, one lane's operation at a time.
struct tally {
    uint64_t adds, shuffles;
};

static void walk_lanes(struct tally *tally, uint32_t subgroup)
{
    for (uint32_t lane = 0; lane < subgroup; lane++)
        for (uint32_t distance = 1; distance < subgroup; distance *= 2) {
            tally->shuffles++;
            tally->adds++;
        }
}

static void walk_items(struct tally *tally, uint32_t subgroup, uint32_t items)
{
    if (items == 4)
        for (uint32_t lane = 0; lane < subgroup; lane++) {
            tally->adds += 3;     // within the invocation
            tally->shuffles += 1; // from the lane before
            tally->adds += 4;     // to each item
        }
    walk_lanes(tally, subgroup);
}

static void walk_block(struct tally *tally, uint32_t subgroup, uint32_t items)
{
    uint32_t totals = 0;
    for (uint32_t at = 0; at < BENCH_BLOCK; at += subgroup, totals++)
        walk_items(tally, subgroup, items);
    for (uint32_t chunk = 0; chunk < totals; chunk += subgroup) {
        walk_lanes(tally, subgroup);
        if (totals > subgroup) {
            tally->adds += subgroup;     // what is carried
            tally->shuffles += subgroup; // to carry it
        }
    }
    tally->adds += BENCH_BLOCK * items; // what is to the left
}

TEST(operations_are_counted)
{
    static const uint32_t sizes[] = {4, 8, 16, 32, 64, 128};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct bench_row rows[BENCH_ROWS];
        const size_t count = rows_of(sizes[s], 7, rows);
        for (size_t i = 0; i < count; i++) {
            const struct bench_row *row = &rows[i];
            struct tally tally = {0};
            if (row->kind != BENCH_SCAN)
                continue;
            const bool whole = row->level == BENCH_WORKGROUP;
            const uint32_t lanes = whole ? BENCH_BLOCK : sizes[s];
            for (uint64_t at = 0; at < row->words; at += lanes * row->items)
                (whole ? walk_block : walk_items)(&tally, sizes[s], row->items);
            assert_int_equal(row->adds, tally.adds * 7);
            assert_int_equal(row->shuffles, tally.shuffles * 7);
            assert_int_equal(row->bytes, (1u << 16) * 8);
            assert_int_equal((uint64_t)row->workgroups * row->items *
                                 (whole ? BENCH_BLOCK : row->workgroup),
                             1u << 16);
        }
    }
}

TEST(limits_have_odd_iterations)
{
    struct bench_row rows[BENCH_ROWS];
    rows_of(32, 1000, rows);
    assert_int_equal(rows[0].kind, BENCH_COPY);
    assert_int_equal(rows[0].loops, 1);
    assert_int_equal(rows[0].bytes, (1u << 20) * 8);
    assert_int_equal(rows[0].workgroups, (1u << 20) / 16 / 256);
    for (size_t i = 1; i < 5; i++)
        assert_int_equal(rows[i].loops, 1001);
    assert_int_equal(rows[1].adds, UINT64_C(65536) * 64 * 1001);
    assert_int_equal(rows[4].shuffles, UINT64_C(65536) * 16 * 1001);
}

TEST(what_a_device_lacks_is_named)
{
    struct bench_row rows[BENCH_ROWS];
    struct dev_facts facts = some_facts(32);
    rows_of(32, 1, rows);
    const struct bench_row *largest = &rows[5 + 8], *native = &rows[5];
    assert_int_equal(largest->workgroup, 1024);
    assert_true(bench_row_fits(largest, &facts, &error));
    facts.max_workgroup = 512;
    must_fail("maxComputeWorkGroupInvocations 512", bench_row_fits(largest, &facts, &error));
    facts = some_facts(32);
    facts.max_subgroups = 31;
    assert_false(bench_row_fits(largest, &facts, &error));
    facts = some_facts(32);
    facts.features &= ~(UINT64_C(1) << 2); // CAT_FEATURE_ARITHMETIC
    must_fail("ARITHMETIC", bench_row_fits(native, &facts, &error));
    facts = some_facts(32);
    facts.max_workgroups = 10;
    assert_false(bench_row_fits(native, &facts, &error));
    facts = some_facts(32);
    facts.max_storage_buffer = 4096;
    assert_false(bench_row_fits(native, &facts, &error));
}

TEST(copies_fit_the_device)
{
    struct dev_facts facts = some_facts(32);
    assert_int_equal(bench_copied(BENCH_ELEMENTS, &facts), BENCH_ELEMENTS * 128);
    assert_int_equal(bench_copied(1u << 20, &facts), 1u << 26);
    assert_int_equal(bench_copied(1u << 24, &facts), 1u << 26);
    facts.max_storage_buffer = 1u << 27; // the least that Vulkan allows
    assert_int_equal(bench_copied(1u << 20, &facts), 1u << 25);
    facts.max_workgroups = 100;
    assert_true(bench_copied(1u << 20, &facts) / 4096 <= 100);
}

// --- What a worker says

static struct bench_report said_row(uint32_t row)
{
    return (struct bench_report){.row = row, .loops = 20, .tick = 1};
}

static void begin(struct bench_result *result, uint32_t repeats)
{
    const struct dev_facts facts = some_facts(32);
    bench_result_begin(result, &facts, 1u << 16, 0, 1, repeats);
    for (uint32_t i = 0; i < result->count; i++) {
        const struct bench_report said = said_row(i);
        assert_true(bench_result_row(result, &said, BENCH_READY, ""));
    }
}

static bool time_row(struct bench_result *result, uint32_t row, uint32_t round, double ns)
{
    const struct bench_report said = {.row = row, .round = round, .ns = ns};
    return bench_result_time(result, &said);
}

TEST(rows_that_cannot_be_are_refused)
{
    OWNED(bench_result_clear) struct bench_result result;
    const struct dev_facts facts = some_facts(32);
    bench_result_begin(&result, &facts, 1u << 16, 0, 1, 2);
    struct bench_report said = said_row(0);
    assert_false(time_row(&result, 0, 0, 1)); // not told yet
    assert_false(bench_result_row(&result, &said, BENCH_UNREPORTED, ""));
    said.row = (uint32_t)result.count;
    assert_false(bench_result_row(&result, &said, BENCH_READY, ""));
    said = said_row(0);
    said.loops = 0;
    assert_false(bench_result_row(&result, &said, BENCH_READY, ""));
    said.loops = BENCH_MOST_LOOPS + 1;
    assert_false(bench_result_row(&result, &said, BENCH_READY, ""));
    said = said_row(0);
    said.statistic_count = BENCH_STATISTICS + 1;
    assert_false(bench_result_row(&result, &said, BENCH_READY, ""));
    said = said_row(0);
    assert_true(bench_result_row(&result, &said, BENCH_READY, ""));
    assert_false(bench_result_row(&result, &said, BENCH_READY, "")); // again
    said = said_row(1);
    said.loops = 21; // others than the first row had
    assert_false(bench_result_row(&result, &said, BENCH_READY, ""));
    said = said_row(1);
    said.tick = 0;
    assert_false(bench_result_row(&result, &said, BENCH_READY, ""));
    said.tick = 1;
    assert_true(bench_result_row(&result, &said, BENCH_SKIPPED, "why"));
    assert_false(time_row(&result, 1, 0, 1)); // is not timed
    assert_int_equal(result.rows[7].row.loops, 20);
}

TEST(dispatches_that_cannot_be_are_refused)
{
    OWNED(bench_result_clear) struct bench_result result;
    begin(&result, 2);
    assert_false(time_row(&result, (uint32_t)result.count, 0, 1));
    assert_false(time_row(&result, 3, 1, 1)); // the first round is missing
    assert_true(time_row(&result, 3, 0, 100));
    assert_false(time_row(&result, 3, 0, 1)); // again
    struct bench_report wrong = {.row = 3, .round = 1, .ns = 1, .wrong = 1, .got = 1, .want = 1};
    assert_false(bench_result_time(&result, &wrong)); // wrong and right
    wrong.want = 2;
    wrong.index = 1u << 16;
    assert_false(bench_result_time(&result, &wrong)); // no such word
    wrong.index = 0;
    wrong.wrong = (1u << 16) + 1;
    assert_false(bench_result_time(&result, &wrong)); // more words than there are
    assert_true(time_row(&result, 3, 1, 1));
    assert_true(time_row(&result, 3, 2, 2));
    assert_false(time_row(&result, 3, 3, 2)); // one more than was asked for
    assert_int_equal(result.rows[3].count, 2);
    assert_int_equal(result.rows[3].dispatches, 3);
    assert_true(result.rows[3].ns[0] < 1.5); // the warm one is not among them
}

TEST(wrong_words_are_never_right)
{
    OWNED(bench_result_clear) struct bench_result result;
    begin(&result, 1);
    // In the round for warming up already.
    const struct bench_report wrong = {
        .row = 5, .round = 0, .ns = 1, .wrong = 9, .index = 3, .got = 1, .want = 2};
    assert_true(bench_result_time(&result, &wrong));
    assert_true(time_row(&result, 5, 1, 1));
    assert_false(bench_is_right(&result.rows[5]));
    assert_int_equal(result.rows[5].wrong, 1);
    assert_int_equal(result.rows[5].first.index, 3);
    assert_false(bench_is_right(&result.rows[6])); // nothing is known of it
}

TEST(figures_of_a_row)
{
    OWNED(bench_result_clear) struct bench_result result;
    begin(&result, 1);
    for (uint32_t i = 0; i < result.count; i++) {
        assert_true(time_row(&result, i, 0, 5));
        // The second kernel of a limit is the slower one.
        assert_true(time_row(&result, i, 1, i == 2 || i == 4 ? 4000 : i == 6 ? 3000 : 2000));
    }
    const struct bench_limits limits = bench_result_limits(&result);
    assert_true(fabs(limits.bytes - (1u << 23) * 8 / 2e-6) < 1);
    assert_true(fabs(limits.adds - 65536.0 * 64 * 21 / 2e-6) < 1);
    assert_true(fabs(limits.shuffles - 65536.0 * 16 * 21 / 2e-6) < 1);
    const struct bench_figures f = bench_figures(&result, &result.rows[6]);
    assert_true(fabs(f.of_native - 1.5) < 1e-12);
    assert_true(fabs(f.rate.shuffles - 65536.0 * 5 * 20 / 3e-6) < 1);
    assert_true(fabs(f.share.shuffles - f.rate.shuffles / limits.shuffles) < 1e-12);
    assert_true(fabs(f.share.adds - f.rate.adds / limits.adds) < 1e-12);
    assert_true(fabs(f.share.bytes - f.rate.bytes / limits.bytes) < 1e-12);
    // A native scan that was wrong is nothing to compare with, nor is a wrong limit one.
    result.rows[5].wrong = 1;
    result.rows[0].wrong = 1;
    const struct bench_figures g = bench_figures(&result, &result.rows[6]);
    assert_true(g.of_native <= 0 && g.share.bytes <= 0 && g.share.adds > 0);
}

// --- What it comes to

static enum lit_exit exit_of(struct bench_sum sum)
{
    char because[128] = "";
    const enum lit_exit code = bench_sum_exit(&sum, because, sizeof because);
    assert_true(because[0]);
    return code;
}

TEST(exit_codes)
{
    assert_int_equal(exit_of((struct bench_sum){.right = 3}), LIT_EXIT_OK);
    assert_int_equal(exit_of((struct bench_sum){.right = 3, .skipped = 2}), LIT_EXIT_OK);
    assert_int_equal(exit_of((struct bench_sum){.skipped = 2}), LIT_EXIT_NOTHING);
    assert_int_equal(exit_of((struct bench_sum){0}), LIT_EXIT_NOTHING);
    assert_int_equal(exit_of((struct bench_sum){.right = 3, .wrong = 1}), LIT_EXIT_FORBIDDEN);
    assert_int_equal(exit_of((struct bench_sum){.right = 3, .crashed = 1}), LIT_EXIT_FORBIDDEN);
    assert_int_equal(exit_of((struct bench_sum){.right = 3, .lost = 1}), LIT_EXIT_DEVICE_LOST);
    assert_int_equal(exit_of((struct bench_sum){.wrong = 3, .lost = 1}), LIT_EXIT_FORBIDDEN);
    assert_int_equal(exit_of((struct bench_sum){.right = 3, .refused = 1}), LIT_EXIT_UNDECIDED);
    assert_int_equal(exit_of((struct bench_sum){.failed = 1, .unreported = 53}),
                     LIT_EXIT_UNDECIDED);
    assert_int_equal(exit_of((struct bench_sum){.right = 3, .out_of_time = true}), LIT_EXIT_TIME);
}

TEST(iterations_are_calibrated)
{
    bool enough = true;
    // Nothing was measured: as many as there may be.
    assert_int_equal(eng_bench_loops(3, 0, 33, 25e9, &enough), BENCH_LOOPS);
    assert_false(enough);
    // Slow enough to say how many fit: 25 s for 33 rounds of 0.25 s for 3 iterations.
    assert_int_equal(eng_bench_loops(3, 2.5e8, 33, 25e9, &enough), 9);
    assert_true(enough);
    assert_int_equal(eng_bench_loops(3, 1e8, 33, 2.5e9, &enough), 2);
    assert_int_equal(eng_bench_loops(3, 1e12, 33, 25e9, &enough), 1);
    assert_int_equal(eng_bench_loops(3, 1e4, 33, 25e9, &enough), BENCH_LOOPS);
    assert_false(enough);
    assert_int_equal(eng_bench_loops(BENCH_LOOPS, 1e4, 33, 25e9, &enough), BENCH_LOOPS);
    assert_true(enough);
}

TEST(numbers_in_words)
{
    char text[32];
    assert_string_equal(benching_ms(text, 126800), "0.1268");
    assert_string_equal(benching_ms(text, 12240000), "12.24");
    assert_string_equal(benching_ms(text, 1203400000), "1203");
    assert_string_equal(benching_share(text, 0.412), "41 %");
    assert_string_equal(benching_share(text, 0.0412), "4.1 %");
    assert_string_equal(benching_share(text, 0.000412), "0.04 %");
    assert_string_equal(benching_share(text, 1e-9), "< 0.01 %");
    assert_string_equal(benching_share(text, 0), "");
    assert_string_equal(benching_per_second(text, 4.226e12), "4.23 T");
    assert_string_equal(benching_per_second(text, 14.2e9), "14.2 G");
    assert_string_equal(benching_per_second(text, 850e6), "850 M");
}

// The quantile of a share: where the polygon through the sorted values is, walked piece by piece.
static double slow_quantile(const double *values, size_t count, double share)
{
    double at = share * (double)(count - 1);
    for (size_t rank = 0;; rank++) {
        // The value of a rank has exactly as many below it, or equal ones make up for it.
        double here = 0, next = 0;
        for (size_t i = 0; i < count; i++) {
            size_t below = 0, same = 0;
            for (size_t j = 0; j < count; j++) {
                below += values[j] < values[i];
                same += values[j] <= values[i] && values[j] >= values[i];
            }
            if (rank >= below && rank < below + same)
                here = values[i];
            if (rank + 1 >= below && rank + 1 < below + same)
                next = values[i];
        }
        if (at < 1)
            return at > 0 ? here + at * (next - here) : here;
        at -= 1;
    }
}

TEST(samples)
{
    double values[40];
    uint32_t x = 1;
    for (size_t count = 1; count <= 40; count++) {
        for (size_t i = 0; i < count; i++)
            values[i] = (double)((x = x * 1664525 + 1013904223) >> 27);
        const struct stat_sample s = stat_sample(values, count);
        assert_true(fabs(s.median - slow_quantile(values, count, 0.5)) < 1e-9);
        assert_true(fabs(s.low - slow_quantile(values, count, 0.25)) < 1e-9);
        assert_true(fabs(s.high - slow_quantile(values, count, 0.75)) < 1e-9);
        assert_true(fabs(s.least - slow_quantile(values, count, 0)) < 1e-9);
        assert_true(fabs(s.most - slow_quantile(values, count, 1)) < 1e-9);
    }
    const struct stat_sample known = stat_sample((const double[]){4, 1, 3, 2}, 4);
    assert_true(fabs(known.median - 2.5) < 1e-12 && fabs(known.low - 1.75) < 1e-12);
}
