// SPDX-License-Identifier: Apache-2.0
// Gathers what a worker says of a benchmark, and works out what is told of it.
#include "bench/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bench_result_begin(struct bench_result *result, const struct dev_facts *facts,
                        uint32_t elements, uint32_t loops, uint32_t warm, uint32_t repeats)
{
    memset(result, 0, sizeof *result);
    result->warm = warm;
    result->repeats = repeats;
    result->shape = (struct bench_shape){.subgroup = facts->subgroup,
                                         .elements = elements,
                                         .copied = bench_copied(elements, facts),
                                         .loops = loops};
    struct bench_row rows[BENCH_ROWS];
    result->count = bench_scan_rows(&result->shape, rows);
    for (size_t i = 0; i < result->count; i++)
        result->rows[i].row = rows[i];
}

void bench_result_clear(struct bench_result *result)
{
    for (size_t i = 0; i < result->count; i++)
        free(result->rows[i].ns);
    memset(result, 0, sizeof *result);
}

// The iterations are known: so is what each row does.
static void set_loops(struct bench_result *result, uint32_t loops)
{
    struct bench_row rows[BENCH_ROWS];
    result->shape.loops = loops;
    bench_scan_rows(&result->shape, rows);
    for (size_t i = 0; i < result->count; i++)
        result->rows[i].row = rows[i];
}

static bool is_told(const struct bench_result *result)
{
    for (size_t i = 0; i < result->count; i++)
        if (result->rows[i].state != BENCH_UNTOLD)
            return true;
    return false;
}

bool bench_result_row(struct bench_result *result, const struct bench_said *said,
                      enum bench_state state, const char *reason)
{
    if (said->row >= result->count || result->rows[said->row].state != BENCH_UNTOLD ||
        state == BENCH_UNTOLD || !said->loops || said->loops > BENCH_MOST_LOOPS ||
        said->statistic_count > BENCH_STATISTICS ||
        (result->shape.loops && said->loops != result->shape.loops))
        return false;
    if (!is_told(result)) {
        set_loops(result, said->loops);
        result->tick = said->tick;
    }
    if (said->tick < result->tick || said->tick > result->tick)
        return false;
    struct bench_measured *measured = &result->rows[said->row];
    measured->state = state;
    snprintf(measured->reason, sizeof measured->reason, "%s", reason);
    measured->statistic_count = said->statistic_count;
    memcpy(measured->statistics, said->statistics, sizeof measured->statistics);
    if (state == BENCH_READY)
        measured->ns = lit_alloc(result->repeats, sizeof *measured->ns);
    return true;
}

bool bench_result_time(struct bench_result *result, const struct bench_said *said)
{
    if (said->row >= result->count)
        return false;
    struct bench_measured *measured = &result->rows[said->row];
    if (measured->state != BENCH_READY || said->round != measured->dispatches ||
        said->round >= (uint64_t)result->warm + result->repeats ||
        said->wrong > measured->row.words ||
        (said->wrong && (said->index >= measured->row.words || said->got == said->want)))
        return false;
    measured->dispatches++;
    if (said->wrong && !measured->wrong++)
        measured->first = *said;
    if (said->round >= result->warm)
        measured->ns[measured->count++] = said->ns;
    return true;
}

enum bench_verdict bench_verdict(const struct bench_measured *measured)
{
    switch (measured->state) {
    case BENCH_READY:
        return measured->wrong     ? BENCH_WRONG
               : measured->gave_up ? BENCH_GAVE_UP
               : measured->count   ? BENCH_RIGHT
                                   : BENCH_UNTIMED;
    case BENCH_SKIPPED:
        return BENCH_SKIP;
    case BENCH_REFUSED:
        return BENCH_REFUSAL;
    case BENCH_UNTOLD:
        break;
    }
    return BENCH_UNTIMED;
}

bool bench_is_right(const struct bench_measured *measured)
{
    return measured->count && !measured->wrong && !measured->gave_up;
}

static double per_second(uint64_t operations, double ns)
{
    return ns > 0 ? (double)operations / ns * 1e9 : 0;
}

struct bench_limits bench_result_limits(const struct bench_result *result)
{
    struct bench_limits limits = {0};
    for (size_t i = 0; i < result->count; i++) {
        const struct bench_measured *measured = &result->rows[i];
        const struct bench_row *row = &measured->row;
        if (row->kind == BENCH_SCAN || !bench_is_right(measured))
            continue;
        const double ns = stat_sample(measured->ns, measured->count).median;
        double *limit = row->kind == BENCH_COPY   ? &limits.bytes
                        : row->kind == BENCH_ADDS ? &limits.adds
                                                  : &limits.shuffles;
        const double rate = per_second(row->kind == BENCH_COPY   ? row->bytes
                                       : row->kind == BENCH_ADDS ? row->adds
                                                                 : row->shuffles,
                                       ns);
        if (rate > *limit)
            *limit = rate;
    }
    return limits;
}

// The native scan of the same size, NULL if it has no times or was wrong.
static const struct bench_measured *native_of(const struct bench_result *result,
                                              const struct bench_row *row)
{
    for (size_t i = 0; i < result->count; i++) {
        const struct bench_row *other = &result->rows[i].row;
        if (row->kind == BENCH_SCAN && other->kind == BENCH_SCAN &&
            other->operation == BENCH_NATIVE && other->level == row->level &&
            other->items == row->items && other->workgroup == row->workgroup)
            return bench_is_right(&result->rows[i]) ? &result->rows[i] : NULL;
    }
    return NULL;
}

struct bench_figures bench_figures(const struct bench_result *result,
                                   const struct bench_measured *measured)
{
    const struct bench_row *row = &measured->row;
    const struct bench_limits limits = bench_result_limits(result);
    const struct bench_measured *native = native_of(result, row);
    struct bench_figures figures = {.ns = stat_sample(measured->ns, measured->count)};
    figures.bytes = per_second(row->bytes, figures.ns.median);
    figures.adds = per_second(row->adds, figures.ns.median);
    figures.shuffles = per_second(row->shuffles, figures.ns.median);
    figures.bytes_share = limits.bytes > 0 ? figures.bytes / limits.bytes : 0;
    figures.adds_share = limits.adds > 0 ? figures.adds / limits.adds : 0;
    figures.shuffles_share = limits.shuffles > 0 ? figures.shuffles / limits.shuffles : 0;
    if (native) {
        const double median = stat_sample(native->ns, native->count).median;
        figures.of_native = median > 0 ? figures.ns.median / median : 0;
    }
    return figures;
}

static const char *statistic(const struct bench_measured *measured, const char *const *names,
                             size_t count)
{
    for (size_t n = 0; n < count; n++)
        for (size_t i = 0; i < measured->statistic_count; i++)
            if (strcmp(measured->statistics[i].name, names[n]) == 0)
                return measured->statistics[i].value;
    return NULL;
}

const char *bench_registers(const struct bench_measured *measured)
{
    static const char *const names[] = {"Register Count", "VGPRs", "Registers"};
    return statistic(measured, names, sizeof names / sizeof *names);
}

const char *bench_code(const struct bench_measured *measured)
{
    static const char *const names[] = {"Binary Size", "Code size", "Code Size"};
    return statistic(measured, names, sizeof names / sizeof *names);
}
