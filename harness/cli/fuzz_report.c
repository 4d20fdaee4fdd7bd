// SPDX-License-Identifier: Apache-2.0
// The words and tables of `litmus fuzz`.
#include "cli/fuzz_report.h"

#include "model/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void put_rate(uint64_t failed, uint64_t runs, struct text *text)
{
    char rate[80], a[32], b[32];
    format_interval(rate, failed, runs, stat_clopper_pearson(failed, runs, 0.95));
    text_printf(text, "%s of %s runs (%s)", text_count(a, failed), text_count(b, runs), rate);
}

void cli_fuzz_found(const struct fuzz_found *found, enum masks_rule rule, struct text *text)
{
    const struct eng_failure *failure = &found->failure;
    struct text notation = {0};
    text_printf(text, "  program %" PRIu64 ", %s, subgroups of %u: %s", found->index,
                gen_rule_name(rule), found->subgroup, eng_result_name(found->first.result));
    if (found->first.result != ENG_FAIL)
        text_printf(text, ": %s%s\n", found->first.reason,
                    found->runs && !found->failed ? "; not again, alone" : "");
    else {
        text_puts(text, " in ");
        if (found->runs)
            put_rate(found->failed, found->runs, text);
        else
            put_rate(found->first.count.failed_runs, found->first.count.runs, text);
        text_puts(text, "\n");
    }
    gen_write(&found->small, &notation);
    if (found->shrunk)
        text_printf(text, "    %u of %u steps after %u tries%s\n", found->small.count,
                    found->drawn.count, found->tries,
                    found->cut_short ? ", incomplete" : ", no smaller one fails");
    if (found->small_runs && found->first.result == ENG_FAIL) {
        text_puts(text, "    fails in ");
        put_rate(found->small_failed, found->small_runs, text);
        text_puts(text, "\n");
    }
    if (found->shrunk)
        text_paragraph(text, "    ", notation.data);
    if (found->first.result == ENG_FAIL && failure->where[0]) {
        const char *outcome = cat_outcome_name(CAT_CHECK_MASK, failure->at.outcome);
        text_printf(text, "    %s: %s: got 0x%x, want 0x%x\n", outcome ? outcome : "wrong",
                    failure->where, failure->at.got, failure->at.want);
    }
    if (found->path[0])
        text_printf(text, "    stored in %s\n", found->path);
    text_free(&notation);
}

static uint64_t failed_of(const struct fuzz_tally *tally)
{
    return tally->results[ENG_FAIL] + tally->results[ENG_CRASH] + tally->results[ENG_HANG] +
           tally->results[ENG_DEVICE_LOST];
}

static uint64_t judged_of(const struct fuzz_tally *tally)
{
    return failed_of(tally) + tally->results[ENG_PASS];
}

void cli_fuzz_table(const struct fuzz_tally *tally, enum masks_rule rule, struct text *text)
{
    static const char *const headings[] = {
        "rule", "programs", "runs", "masks checked", "failed", "rate, 95 % interval", ""};
    struct format_table table = {.columns = 7,
                                 .right = {[1] = true, [2] = true, [3] = true, [4] = true}};
    const uint64_t failed = failed_of(tally), judged = judged_of(tally);
    char number[32], rate[80];
    struct format_row *row = format_row(&table);
    for (size_t i = 0; i < 7; i++)
        format_cell(row, i, FORMAT_PLAIN, headings[i]);
    row = format_row(&table);
    format_cell(row, 0, FORMAT_PLAIN, gen_rule_name(rule));
    format_cell(row, 1, FORMAT_PLAIN, text_count(number, judged));
    format_cell(row, 2, FORMAT_PLAIN, text_count(number, tally->runs));
    format_cell(row, 3, FORMAT_PLAIN, text_count(number, tally->masks));
    format_cell(row, 4, FORMAT_PLAIN, text_count(number, failed));
    format_interval(rate, failed, judged, stat_clopper_pearson(failed, judged, 0.95));
    format_cell(row, 5, FORMAT_PLAIN, rate);
    format_cell(row, 6, FORMAT_PLAIN,
                judged == 0        ? "nothing ran"
                : failed == 0      ? "never seen"
                : failed == judged ? "ALWAYS"
                                   : "SOMETIMES");
    format_table_print(&table, 40, false, text);
    for (enum eng_result result = 0; result < ENG_RESULTS; result++)
        if (tally->results[result] && result != ENG_PASS && result != ENG_FAIL)
            text_printf(text, "  %s: %s\n", eng_result_name(result),
                        text_count(number, tally->results[result]));
    if (tally->reason[0])
        text_printf(text, "  %s\n", tally->reason);
}

void cli_fuzz_add(struct cli_fuzz_sum *sum, const struct fuzz_tally *tally)
{
    sum->failed += tally->results[ENG_FAIL];
    sum->broken += failed_of(tally) - tally->results[ENG_FAIL];
    sum->errors += tally->results[ENG_HARNESS_ERROR];
    sum->skipped += tally->results[ENG_SKIP];
    sum->ran += judged_of(tally);
}

enum lit_exit cli_fuzz_exit(const struct cli_fuzz_sum *sum, char *reason, size_t size)
{
    char number[32];
    if (sum->stopped) {
        snprintf(reason, size, "a device was lost and its queue stopped");
        return LIT_EXIT_DEVICE_LOST;
    }
    if (sum->failed || sum->broken) {
        const bool wrong = sum->failed > 0;
        const uint64_t count = wrong ? sum->failed : sum->broken;
        snprintf(reason, size,
                 wrong ? "forbidden masks were observed in %s program%s"
                       : "the driver crashed, hung or lost the device in %s program%s",
                 text_count(number, count), count == 1 ? "" : "s");
        return LIT_EXIT_FORBIDDEN;
    }
    if (sum->out_of_time) {
        snprintf(reason, size, "the time budget was used up");
        return LIT_EXIT_TIME;
    }
    if (sum->errors) {
        snprintf(reason, size, "%s programs could not be run", text_count(number, sum->errors));
        return LIT_EXIT_UNDECIDED;
    }
    if (sum->unopened && sum->ran) {
        snprintf(reason, size, "a device could not be used");
        return LIT_EXIT_UNDECIDED;
    }
    if (!sum->ran) {
        snprintf(reason, size, "nothing could run");
        return LIT_EXIT_NOTHING;
    }
    snprintf(reason, size, "no forbidden mask was observed");
    return LIT_EXIT_OK;
}
