// SPDX-License-Identifier: Apache-2.0
// What litmus bench comes to.
#include "cli/bench_report.h"

#include <inttypes.h>
#include <stdio.h>

void cli_bench_add_row(struct cli_bench_sum *sum, const struct bench_measured *measured,
                       uint32_t repeats, bool skipped)
{
    if (measured->wrong)
        sum->wrong++;
    else if (measured->gave_up)
        sum->gave_up++;
    else if (skipped || measured->state == BENCH_SKIPPED)
        sum->skipped++;
    else if (measured->state == BENCH_REFUSED)
        sum->refused++;
    else if (measured->count == repeats)
        sum->right++;
    else
        sum->untold++;
}

struct cli_bench_sum cli_bench_sum(const struct cli_bench_device *devices, size_t count)
{
    struct cli_bench_sum sum = {0};
    for (size_t i = 0; i < count; i++) {
        const enum eng_result end = devices[i].end;
        const struct bench_result *result = &devices[i].result;
        for (size_t r = 0; r < result->count; r++)
            cli_bench_add_row(&sum, &result->rows[r], result->repeats, false);
        sum.crashed += end == ENG_CRASH || end == ENG_HANG;
        sum.lost += end == ENG_DEVICE_LOST;
        sum.failed += end == ENG_HARNESS_ERROR;
    }
    return sum;
}

enum lit_exit cli_bench_exit(const struct cli_bench_sum *sum, char *because, size_t size)
{
    if (sum->wrong) {
        snprintf(because, size, "%" PRIu64 " row%s stored wrong words", sum->wrong,
                 sum->wrong == 1 ? "" : "s");
        return LIT_EXIT_FORBIDDEN;
    }
    if (sum->crashed) {
        snprintf(because, size, "%u driver%s crashed or hung", sum->crashed,
                 sum->crashed == 1 ? "" : "s");
        return LIT_EXIT_FORBIDDEN;
    }
    if (sum->lost) {
        snprintf(because, size, "%u device%s lost", sum->lost, sum->lost == 1 ? " was" : "s were");
        return LIT_EXIT_DEVICE_LOST;
    }
    if (sum->out_of_time) {
        snprintf(because, size, "the time was used up");
        return LIT_EXIT_TIME;
    }
    if (sum->gave_up) {
        snprintf(because, size,
                 "in %" PRIu64 " row%s a wait for another workgroup ran out, which says nothing",
                 sum->gave_up, sum->gave_up == 1 ? "" : "s");
        return LIT_EXIT_UNDECIDED;
    }
    if (sum->refused || sum->failed || (sum->untold && sum->right)) {
        snprintf(because, size, "%" PRIu64 " rows could not be timed", sum->refused + sum->untold);
        return LIT_EXIT_UNDECIDED;
    }
    if (!sum->right) {
        snprintf(because, size, "nothing could run");
        return LIT_EXIT_NOTHING;
    }
    snprintf(because, size, "every word that was stored is right");
    return LIT_EXIT_OK;
}
