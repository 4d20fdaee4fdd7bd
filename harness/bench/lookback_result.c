// SPDX-License-Identifier: Apache-2.0
// Gathers what a worker says of scans with look-back, and works out what is told of them.
#include "bench/lookback_result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void look_result_begin(struct look_result *result, uint32_t elements, const struct look_set *set,
                       uint32_t warm, uint32_t repeats)
{
    memset(result, 0, sizeof *result);
    result->elements = elements;
    result->warm = warm;
    result->repeats = repeats;
    result->rows = lit_alloc(look_set_count(set) + 1, sizeof *result->rows);
    for (size_t i = 0; i < look_rows(); i++)
        if (set->has[i]) {
            result->rows[result->count].number = i;
            result->rows[result->count++].measured.row.words = elements;
        }
}

void look_result_clear(struct look_result *result)
{
    for (size_t i = 0; i < result->count; i++)
        free(result->rows[i].measured.ns);
    free(result->rows);
    memset(result, 0, sizeof *result);
}

static struct bench_measured *find(const struct look_result *result, uint32_t number)
{
    for (size_t i = 0; i < result->count; i++)
        if (result->rows[i].number == number)
            return &result->rows[i].measured;
    return NULL;
}

bool look_result_row(struct look_result *result, const struct bench_said *said,
                     enum bench_state state, const char *reason)
{
    struct bench_measured *measured = find(result, said->row);
    if (!measured || measured->state != BENCH_UNTOLD || state == BENCH_UNTOLD || said->loops != 1 ||
        said->statistic_count > BENCH_STATISTICS)
        return false;
    if (!result->told)
        result->tick = said->tick;
    result->told = true;
    if (said->tick < result->tick || said->tick > result->tick)
        return false;
    measured->state = state;
    snprintf(measured->reason, sizeof measured->reason, "%s", reason);
    measured->statistic_count = said->statistic_count;
    memcpy(measured->statistics, said->statistics, sizeof measured->statistics);
    if (state == BENCH_READY)
        measured->ns = lit_alloc(result->repeats, sizeof *measured->ns);
    return true;
}

bool look_result_time(struct look_result *result, const struct bench_said *said)
{
    struct bench_measured *measured = find(result, said->row);
    if (!measured || measured->state != BENCH_READY || said->round != measured->dispatches ||
        said->round >= (uint64_t)result->warm + result->repeats || said->wrong > result->elements ||
        (said->wrong && (said->index >= result->elements || said->got == said->want)))
        return false;
    measured->dispatches++;
    if (said->gave_up)
        measured->gave_up++;
    else if (said->wrong && !measured->wrong++)
        measured->first = *said;
    if (said->round >= result->warm)
        measured->ns[measured->count++] = said->ns;
    return true;
}

enum look_kind look_kind(size_t number)
{
    const struct look_row row = look_row(number);
    return row.copy ? LOOK_COPY : row.module->alone ? LOOK_ALONE : LOOK_WHOLE;
}

static double median_of(const struct look_measured *measured)
{
    return stat_sample(measured->measured.ns, measured->measured.count).median;
}

const struct look_measured *look_result_best(const struct look_result *result, enum look_kind kind)
{
    const struct look_measured *best = NULL;
    for (size_t i = 0; i < result->count; i++) {
        const struct look_measured *row = &result->rows[i];
        if (look_kind(row->number) == kind && bench_is_right(&row->measured) &&
            (!best || median_of(row) < median_of(best)))
            best = row;
    }
    return best;
}

const struct look_measured *look_result_right(const struct look_result *result, size_t number)
{
    for (size_t i = 0; i < result->count; i++)
        if (result->rows[i].number == number && bench_is_right(&result->rows[i].measured))
            return &result->rows[i];
    return NULL;
}

void look_result_move_failed(struct look_result *from, struct look_result *to)
{
    size_t left = 0;
    for (size_t i = 0; i < from->count; i++) {
        const struct bench_measured *measured = &from->rows[i].measured;
        if (!measured->wrong && !measured->gave_up && measured->state != BENCH_REFUSED) {
            from->rows[left++] = from->rows[i];
            continue;
        }
        to->rows = lit_realloc(to->rows, to->count + 1, sizeof *to->rows);
        to->rows[to->count++] = from->rows[i];
    }
    from->count = left;
}

struct look_figures look_figures(const struct look_result *result,
                                 const struct look_measured *measured)
{
    const struct look_measured *copy = look_result_best(result, LOOK_COPY);
    struct look_figures figures = {
        .ns = stat_sample(measured->measured.ns, measured->measured.count),
    };
    if (figures.ns.median > 0) {
        figures.bytes = (double)result->elements * 8 / figures.ns.median * 1e9;
        figures.of_copy = copy ? median_of(copy) / figures.ns.median : 0;
    }
    return figures;
}

struct ranked {
    const struct look_measured *row;
    double median;
};

static int by_median(const void *a, const void *b)
{
    const struct ranked *left = a, *right = b;
    if (left->median < right->median || left->median > right->median)
        return left->median < right->median ? -1 : 1;
    return (left->row > right->row) - (left->row < right->row); // as they were timed
}

size_t look_result_rank(const struct look_result *result, enum look_kind kind,
                        const struct look_measured ***rows)
{
    size_t count = 0;
    struct ranked *ranked = lit_alloc(result->count + 1, sizeof *ranked);
    for (size_t i = 0; i < result->count; i++) {
        const struct look_measured *row = &result->rows[i];
        if (look_kind(row->number) == kind && bench_is_right(&row->measured))
            ranked[count++] = (struct ranked){row, median_of(row)};
    }
    qsort(ranked, count, sizeof *ranked, by_median);
    *rows = lit_alloc(count + 1, sizeof **rows);
    for (size_t i = 0; i < count; i++)
        (*rows)[i] = ranked[i].row;
    free(ranked);
    return count;
}

size_t look_result_keep(const struct look_result *result, size_t keep, struct look_set *kept)
{
    const struct look_measured **rows = NULL;
    const size_t count = look_result_rank(result, LOOK_WHOLE, &rows);
    memset(kept, 0, sizeof *kept);
    for (size_t i = 0; i < count && i < keep; i++)
        kept->has[rows[i]->number] = true;
    free(rows);
    return count < keep ? count : keep;
}
