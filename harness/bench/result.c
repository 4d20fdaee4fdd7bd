// SPDX-License-Identifier: Apache-2.0
// Gathers a worker's reports of a benchmark, and computes what is reported.
#include "bench/result.h"

static void begin(struct bench_result *result, size_t rows, uint32_t warm, uint32_t repeats)
{
    *result = (struct bench_result){
        .warm = warm, .repeats = repeats, .rows = lit_alloc(rows + 1, sizeof *result->rows)};
}

// Makes the rows of the shape; all but their operation counts are known before its loops are.
static void set_rows(struct bench_result *result)
{
    struct bench_row rows[BENCH_ROWS];
    result->count = bench_scan_rows(&result->shape, rows);
    for (size_t i = 0; i < result->count; i++) {
        result->rows[i].number = i;
        result->rows[i].row = rows[i];
    }
}

void bench_result_begin(struct bench_result *result, const struct dev_facts *facts,
                        uint64_t elements, uint32_t loops, uint32_t warm, uint32_t repeats)
{
    begin(result, BENCH_ROWS, warm, repeats);
    result->shape = (struct bench_shape){.subgroup = facts->subgroup,
                                         .elements = elements,
                                         .copied = bench_copied(elements, facts),
                                         .loops = loops};
    set_rows(result);
}

void look_result_begin(struct bench_result *result, uint64_t elements, const struct look_set *set,
                       uint32_t warm, uint32_t repeats)
{
    begin(result, look_set_count(set), warm, repeats);
    result->shape = (struct bench_shape){.elements = elements, .loops = 1};
    for (size_t i = 0; i < look_rows(); i++)
        if (set->has[i])
            result->rows[result->count++] =
                (struct bench_measured){.number = i, .row = look_row(i, elements)};
}

void bench_result_clear(struct bench_result *result)
{
    for (size_t i = 0; i < result->count; i++)
        free(result->rows[i].ns);
    free(result->rows);
    *result = (struct bench_result){0};
}

struct bench_measured *bench_result_find(const struct bench_result *result, size_t number)
{
    for (size_t i = 0; i < result->count; i++)
        if (result->rows[i].number == number)
            return &result->rows[i];
    return NULL;
}

bool bench_result_row(struct bench_result *result, const struct bench_report *report,
                      enum bench_state state, const char *reason)
{
    struct bench_measured *measured = bench_result_find(result, report->row);
    if (!measured || measured->state != BENCH_UNREPORTED || state == BENCH_UNREPORTED ||
        !report->loops || report->loops > BENCH_MOST_LOOPS ||
        report->statistic_count > BENCH_STATISTICS ||
        (result->shape.loops && report->loops != result->shape.loops))
        return false;
    if (!result->shape.loops) {
        result->shape.loops = report->loops;
        set_rows(result);
    }
    if (!result->reported)
        result->tick = report->tick;
    result->reported = true;
    if (report->tick < result->tick || report->tick > result->tick)
        return false;
    measured->state = state;
    snprintf(measured->reason, sizeof measured->reason, "%s", reason);
    measured->statistic_count = report->statistic_count;
    memcpy(measured->statistics, report->statistics, sizeof measured->statistics);
    if (state == BENCH_READY)
        measured->ns = lit_alloc(result->repeats, sizeof *measured->ns);
    return true;
}

bool bench_result_time(struct bench_result *result, const struct bench_report *report)
{
    struct bench_measured *measured = bench_result_find(result, report->row);
    if (!measured || measured->state != BENCH_READY || report->round != measured->dispatches ||
        report->round >= (uint64_t)result->warm + result->repeats ||
        report->wrong > measured->row.words ||
        (report->wrong && (report->index >= measured->row.words || report->got == report->want)))
        return false;
    measured->dispatches++;
    if (report->expired)
        measured->expired++;
    else if (report->wrong && !measured->wrong++)
        measured->first = *report;
    if (report->round >= result->warm)
        measured->ns[measured->count++] = report->ns;
    return true;
}

enum bench_verdict bench_verdict(const struct bench_measured *measured)
{
    static const enum bench_verdict others[] = {[BENCH_UNREPORTED] = BENCH_UNTIMED,
                                                [BENCH_SKIPPED] = BENCH_SKIP,
                                                [BENCH_REFUSED] = BENCH_REFUSAL};
    return measured->state != BENCH_READY ? others[measured->state]
           : measured->wrong              ? BENCH_WRONG
           : measured->expired            ? BENCH_EXPIRED
           : measured->count              ? BENCH_RIGHT
                                          : BENCH_UNTIMED;
}

bool bench_is_right(const struct bench_measured *measured)
{
    return measured->count && !measured->wrong && !measured->expired;
}

// --- Ranking

struct ranked {
    const struct bench_measured *row;
    double median;
};

static double median_of(const struct bench_measured *measured)
{
    return stat_sample(measured->ns, measured->count).median;
}

static int by_median(const void *a, const void *b)
{
    const struct ranked *left = a, *right = b;
    if (left->median < right->median || left->median > right->median)
        return left->median < right->median ? -1 : 1;
    return (left->row > right->row) - (left->row < right->row); // in the order of timing
}

size_t bench_result_rank(const struct bench_result *result, enum bench_kind kind,
                         const struct bench_measured ***rows)
{
    size_t count = 0;
    OWNED(lit_free) struct ranked *ranked = lit_alloc(result->count + 1, sizeof *ranked);
    for (size_t i = 0; i < result->count; i++) {
        const struct bench_measured *row = &result->rows[i];
        if (row->row.kind == kind && bench_is_right(row))
            ranked[count++] = (struct ranked){row, median_of(row)};
    }
    qsort(ranked, count, sizeof *ranked, by_median);
    *rows = lit_alloc(count + 1, sizeof **rows);
    for (size_t i = 0; i < count; i++)
        (*rows)[i] = ranked[i].row;
    return count;
}

const struct bench_measured *bench_result_best(const struct bench_result *result,
                                               enum bench_kind kind)
{
    OWNED(lit_free) const struct bench_measured **rows = NULL;
    const size_t count = bench_result_rank(result, kind, &rows);
    const struct bench_measured *best = count ? rows[0] : NULL;
    return best;
}

const struct bench_measured *bench_size_chosen(const struct bench_size *size)
{
    if (size->chosen >= LOOK_ROWS)
        return bench_result_best(&size->result, BENCH_LOOKBACK);
    const struct bench_measured *row = bench_result_find(&size->result, size->chosen);
    return row && bench_is_right(row) ? row : NULL;
}

// --- Figures

static double per_second(uint64_t operations, double ns)
{
    return ns > 0 ? (double)operations / ns * 1e9 : 0;
}

static struct bench_limits rate_of(const struct bench_row *row, double ns)
{
    return (struct bench_limits){.bytes = per_second(row->bytes, ns),
                                 .adds = per_second(row->adds, ns),
                                 .shuffles = per_second(row->shuffles, ns)};
}

struct bench_limits bench_result_limits(const struct bench_result *result)
{
    struct bench_limits limits = {0};
    for (size_t i = 0; i < result->count; i++) {
        const struct bench_measured *measured = &result->rows[i];
        const enum bench_kind kind = measured->row.kind;
        if (kind < BENCH_COPY || kind > BENCH_SHUFFLES || !bench_is_right(measured))
            continue;
        const struct bench_limits rate = rate_of(&measured->row, median_of(measured));
        if (kind == BENCH_COPY && rate.bytes > limits.bytes)
            limits.bytes = rate.bytes;
        if (rate.adds > limits.adds)
            limits.adds = rate.adds;
        if (rate.shuffles > limits.shuffles)
            limits.shuffles = rate.shuffles;
    }
    return limits;
}

// The native scan of the same size; NULL if it has no times or was wrong.
static const struct bench_measured *native_of(const struct bench_result *result,
                                              const struct bench_row *row)
{
    for (size_t i = 0; i < result->count && row->kind == BENCH_SCAN; i++) {
        const struct bench_row *other = &result->rows[i].row;
        if (other->kind == BENCH_SCAN && other->operation == BENCH_NATIVE &&
            other->level == row->level && other->items == row->items &&
            other->workgroup == row->workgroup)
            return bench_is_right(&result->rows[i]) ? &result->rows[i] : NULL;
    }
    return NULL;
}

static double share_of(double rate, double limit)
{
    return limit > 0 ? rate / limit : 0;
}

struct bench_figures bench_figures(const struct bench_result *result,
                                   const struct bench_measured *measured)
{
    const struct bench_limits limits = bench_result_limits(result);
    const struct bench_measured *native = native_of(result, &measured->row);
    struct bench_figures f = {.ns = stat_sample(measured->ns, measured->count)};
    f.rate = rate_of(&measured->row, f.ns.median);
    f.share = (struct bench_limits){.bytes = share_of(f.rate.bytes, limits.bytes),
                                    .adds = share_of(f.rate.adds, limits.adds),
                                    .shuffles = share_of(f.rate.shuffles, limits.shuffles)};
    f.of_native = native ? share_of(f.ns.median, median_of(native)) : 0;
    return f;
}

static const char *statistic(const struct bench_measured *measured, const char *const names[3])
{
    for (size_t n = 0; n < 3; n++)
        for (size_t i = 0; i < measured->statistic_count; i++)
            if (strcmp(measured->statistics[i].name, names[n]) == 0)
                return measured->statistics[i].value;
    return NULL;
}

const char *bench_registers(const struct bench_measured *measured)
{
    return statistic(measured, (const char *[]){"Register Count", "VGPRs", "Registers"});
}

const char *bench_code(const struct bench_measured *measured)
{
    return statistic(measured, (const char *[]){"Binary Size", "Code size", "Code Size"});
}

// --- Exit code

static void add_size(struct bench_sum *sum, const struct bench_size *size)
{
    const struct bench_result *result = &size->result;
    const bool skipped = size->end == ENG_SKIP; // nothing could be timed
    for (size_t i = 0; i < result->count; i++) {
        const struct bench_measured *measured = &result->rows[i];
        ++*(measured->wrong                               ? &sum->wrong
            : measured->expired                           ? &sum->expired
            : skipped || measured->state == BENCH_SKIPPED ? &sum->skipped
            : measured->state == BENCH_REFUSED            ? &sum->refused
            : measured->count == result->repeats          ? &sum->right
                                                          : &sum->unreported);
    }
    sum->crashed += size->end == ENG_CRASH || size->end == ENG_HANG;
    sum->lost += size->end == ENG_DEVICE_LOST;
    sum->failed += size->end == ENG_HARNESS_ERROR;
}

struct bench_sum bench_devices_sum(const struct bench_device *devices, size_t count)
{
    struct bench_sum sum = {0};
    for (size_t i = 0; i < count; i++)
        for (size_t s = 0; s < devices[i].count; s++)
            add_size(&sum, &devices[i].sizes[s]);
    return sum;
}

enum lit_exit bench_sum_exit(const struct bench_sum *sum, char *because, size_t size)
{
    const uint64_t untimed = sum->refused + sum->unreported;
    const struct lit_end ends[] = {
        {sum->wrong, LIT_EXIT_FORBIDDEN, "1 row stored wrong words", "%s rows stored wrong words"},
        {sum->crashed, LIT_EXIT_FORBIDDEN, "1 driver crashed or hung",
         "%s drivers crashed or hung"},
        {sum->lost, LIT_EXIT_DEVICE_LOST, "1 device was lost", "%s devices were lost"},
        {sum->out_of_time, LIT_EXIT_TIME, "the time budget was used up", NULL},
        {sum->expired, LIT_EXIT_UNDECIDED, "in 1 row a bounded wait expired: inconclusive",
         "in %s rows a bounded wait expired: inconclusive"},
        {sum->right || sum->refused || sum->failed ? untimed : 0, LIT_EXIT_UNDECIDED,
         "1 row could not be timed", "%s rows could not be timed"},
        {sum->failed, LIT_EXIT_UNDECIDED, "a benchmark could not be run", NULL},
        {!sum->right, LIT_EXIT_NOTHING, "nothing could run", NULL},
        {1, LIT_EXIT_OK, "every word that was stored is correct", NULL},
    };
    return lit_end_choose(ends, because, size);
}
