// SPDX-License-Identifier: Apache-2.0
// Times scans in the worker: calibrates the iterations or tries the verification, prepares every
// row, then times all rows round by round. Compares each output with the expected one.
#include "engine/measure.h"

#include "bench/oracle.h"

#include <unistd.h>

#define FIRST_LOOPS 3u
#define SAMPLES     3  // dispatches of a kernel; the fastest one decides how many fit
#define MOST_ASKED  64 // rows for which we ask the driver about the pipeline

struct expectation {
    struct bench_row row; // the first row that needs it
    uint32_t *words;
};

// A prepared row.
struct item {
    uint32_t number;
    struct bench_row row;
    bool fits;
    enum dev_status status;
    struct dev_timed *timed; // NULL: cannot be timed
    struct lit_error error;
};

struct job {
    struct dev *dev;
    const struct eng_request *request;
    const struct eng_sink *sink;
    bool lookback, peer_closed;
    uint32_t subgroup;
    struct dev_timer *timer;
    struct item *items;
    size_t count;
    // Of `scan`:
    struct bench_shape shape;
    uint32_t *input, pushed;
    struct expectation expectations[BENCH_ROWS];
    size_t expectation_count;
    struct lit_error error;
};

static void emit(struct job *job, const struct eng_event *event)
{
    job->peer_closed = !job->sink->emit(event, job->sink->user) || job->peer_closed;
}

// --- What is expected

static const uint32_t *expected_of(struct job *job, const struct bench_row *row)
{
    if (row->kind == BENCH_COPY)
        return job->input;
    for (size_t i = 0; i < job->expectation_count; i++)
        if (bench_row_same(&job->expectations[i].row, row))
            return job->expectations[i].words;
    struct expectation *made = &job->expectations[job->expectation_count++];
    made->row = *row;
    made->words = lit_alloc(row->words, sizeof *made->words);
    bench_expect(row, job->subgroup, job->pushed, job->input, made->words);
    return made->words;
}

// --- Rows

// The constants of a kernel: width of a workgroup, subgroup size, iterations.
struct kernel {
    uint32_t ids[3], values[3];
    struct dev_timed_info info;
};

static const struct dev_timed_info *describe(const struct job *job, const struct bench_row *row,
                                             struct kernel *kernel)
{
    const bool any_subgroup = row->tile && !row->lanes;
    *kernel =
        (struct kernel){.ids = {0, 1, 2}, .values = {row->workgroup, job->subgroup, row->loops}};
    kernel->info = (struct dev_timed_info){
        .kernel = {.words = cat_kernel_words(row->kernel),
                   .word_count = row->kernel->count,
                   .subgroup = any_subgroup ? 0 : job->subgroup,
                   .spec_ids = kernel->ids,
                   .spec_values = kernel->values,
                   .spec_count = !row->tile   ? 3
                                 : row->lanes ? 2
                                              : 1},
        .workgroups = row->workgroups,
        .words = row->words,
        .state_words = row->lanes ? look_state_words(row) : 0,
        .segment = row->tile ? look_segment(row) : 0,
        .scan = row->scan,
        .in_place = row->in_place,
    };
    return &kernel->info;
}

static void make_item(struct job *job, struct item *item)
{
    struct kernel kernel;
    item->timed = dev_timed_create(job->timer, describe(job, &item->row, &kernel), &item->status,
                                   &item->error);
}

// Asks the driver about a row, with a separate pipeline so that the timed one is compiled as usual.
// Stores the statistics in *report and, if requested, emits the code as events. Leaves out what the
// driver does not report; nothing depends on it.
static enum dev_status ask_driver(struct job *job, const struct bench_row *row,
                                  struct bench_report *report, struct lit_error *error)
{
    OWNED(isa_code_clear) struct isa_code code = {0};
    struct kernel kernel;
    const struct dev_facts *facts = dev_facts(job->dev);
    if (!job->request->capture && (job->count > MOST_ASKED || !dev_reports_executables(job->dev)))
        return DEV_OK;
    const enum dev_status status =
        dev_compile(job->dev, &describe(job, row, &kernel)->kernel, &code, error);
    for (size_t i = 0; i < code.statistic_count && i < BENCH_STATISTICS; i++) {
        struct bench_statistic *to = &report->statistics[report->statistic_count++];
        snprintf(to->name, sizeof to->name, "%.63s", code.statistics[i].name);
        snprintf(to->value, sizeof to->value, "%.31s", code.statistics[i].value);
    }
    if (job->request->capture) {
        isa_extract(&code, facts->vendor, facts->product);
        eng_emit_code(&code, job->sink);
    }
    return status == DEV_ERROR ? DEV_OK : status;
}

// Leaves out a row that the device cannot run or whose pipeline the driver refuses.
static enum dev_status report_row(struct job *job, struct item *item)
{
    struct eng_event event = {.kind = ENG_EVENT_ROW, .result = ENG_PASS};
    enum dev_status status = item->status;
    event.bench = (struct bench_report){
        .row = item->number,
        .loops = job->lookback ? 1 : job->shape.loops,
        .tick = dev_timer_tick(job->timer),
    };
    if (!item->fits)
        event.result = ENG_SKIP;
    else if (!item->timed)
        event.result = ENG_HARNESS_ERROR;
    else
        status = ask_driver(job, &item->row, &event.bench, &item->error);
    if (event.result != ENG_PASS)
        snprintf(event.text, sizeof event.text, "%s", item->error.message);
    if (status == DEV_LOST || status == DEV_TIMEOUT) {
        job->error = item->error;
        return status;
    }
    emit(job, &event);
    return DEV_OK;
}

// How many rows to compile at a time, each on its own thread. A driver for the processor compiles
// on its own threads, or while it runs.
static size_t rows_at_a_time(const struct job *job)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (!job->lookback || dev_facts(job->dev)->cpu || cores < 2)
        return 0;
    return cores < DEV_PRECOMPILE_MOST ? (size_t)cores : DEV_PRECOMPILE_MOST;
}

// Makes every row; reports them in order, each as soon as it is made.
static enum dev_status make_all(struct job *job)
{
    enum dev_status status = DEV_OK;
    const size_t ahead = rows_at_a_time(job);
    size_t begun = 0;
    for (size_t i = 0; i < job->count && status == DEV_OK && !job->peer_closed; i++) {
        for (; begun < job->count && begun < i + ahead; begun++) {
            struct kernel kernel;
            if (bench_row_fits(&job->items[begun].row, dev_facts(job->dev), NULL))
                dev_precompile_begin(
                    job->dev, &(struct dev_precompile_info){
                                  .name = ENG_LOOKBACK,
                                  .code = describe(job, &job->items[begun].row, &kernel)->kernel});
        }
        struct item *item = &job->items[i];
        item->fits = bench_row_fits(&item->row, dev_facts(job->dev), &item->error);
        if (item->fits)
            make_item(job, item);
        status = report_row(job, item);
    }
    return status;
}

// --- Calibration

uint32_t eng_bench_loops(uint32_t loops, double ns, uint64_t rounds, double budget, bool *enough)
{
    const double all = ns * (double)rounds;
    const double fit = all > 0 ? (double)loops * budget / all : BENCH_LOOPS;
    *enough = loops >= BENCH_LOOPS || all > budget / 4;
    return fit >= BENCH_LOOPS ? BENCH_LOOPS : fit < 1 ? 1 : (uint32_t)fit;
}

// Whether to time this row for calibration: one for each kind of work, with the barriers that may
// be slow on a driver.
static bool is_sample(const struct bench_row *row)
{
    return row->workgroup == 256 && row->items <= 1 && row->chains != 1 &&
           row->kind != BENCH_COPY &&
           (row->operation == BENCH_NATIVE ? row->barrier == BENCH_NONE
                                           : row->barrier == BENCH_CONTROL);
}

// Takes the fastest of a few dispatches: other work on the machine only makes them slower. Skips
// the first one, since a driver may compile within it.
static enum dev_status time_sample(struct job *job, struct dev_timed *timed, double *ns)
{
    enum dev_status status = DEV_OK;
    for (int i = 0; i <= SAMPLES && status == DEV_OK; i++) {
        struct dev_timing timing;
        status = dev_timed_run(job->timer, timed, job->request->timeout_ms, &timing, &job->error);
        if (i == 1 || (i > 1 && timing.ns < *ns))
            *ns = timing.ns;
    }
    return status;
}

// Estimates one round of all rows: each sample stands for the rows of its kind. Leaves out rows
// that cannot be made; report_row reports those.
static enum dev_status time_samples(struct job *job, double *ns)
{
    enum dev_status status = DEV_OK;
    struct bench_row rows[BENCH_ROWS];
    const size_t count = bench_scan_rows(&job->shape, rows);
    *ns = 0;
    for (size_t i = 0; i < count && status == DEV_OK; i++) {
        const struct bench_row *row = &rows[i];
        struct item item = {.row = *row};
        double took = 0;
        if (!is_sample(row) || !bench_row_fits(row, dev_facts(job->dev), NULL))
            continue;
        make_item(job, &item);
        status = item.status == DEV_ERROR ? DEV_OK : item.status;
        if (item.timed)
            status = time_sample(job, item.timed, &took);
        else
            job->error = item.error;
        if (status != DEV_LOST)
            dev_timed_destroy(job->timer, &item.timed);
        *ns += took * (row->kind != BENCH_SCAN ? 2 : row->operation == BENCH_NATIVE ? 6 : 18);
    }
    return status;
}

static enum dev_status calibrate(struct job *job)
{
    bool enough = false;
    job->shape.loops = FIRST_LOOPS;
    for (;;) {
        double ns = 0;
        const enum dev_status status = time_samples(job, &ns);
        if (status != DEV_OK)
            return status;
        const uint64_t rounds = job->request->runs + ENG_BENCH_WARM;
        const double budget = job->request->budget_ms * 1e6;
        const uint32_t fit = eng_bench_loops(job->shape.loops, ns, rounds, budget, &enough);
        if (enough || fit <= job->shape.loops) {
            job->shape.loops = fit;
            return DEV_OK;
        }
        job->shape.loops = fit < job->shape.loops * 10 ? fit : job->shape.loops * 10;
    }
}

// --- Rounds

static enum dev_status time_row(struct job *job, struct item *item, uint32_t round)
{
    struct eng_event event = {.kind = ENG_EVENT_TIME};
    struct dev_timing timing;
    const uint32_t *expected = job->lookback ? NULL : expected_of(job, &item->row);
    const enum dev_status status =
        dev_timed_run(job->timer, item->timed, job->request->timeout_ms, &timing, &job->error);
    if (status != DEV_OK)
        return status;
    if (expected)
        timing.wrong = bench_differ(expected, timing.output, item->row.words, &timing.index);
    if (expected && timing.wrong) {
        timing.got = timing.output[timing.index];
        timing.want = expected[timing.index];
    }
    event.bench = (struct bench_report){.row = item->number,
                                        .round = round,
                                        .ns = timing.ns,
                                        .wrong = timing.wrong,
                                        .index = timing.index,
                                        .got = timing.got,
                                        .want = timing.want,
                                        .expired = timing.expired};
    emit(job, &event);
    return DEV_OK;
}

static enum dev_status time_all(struct job *job)
{
    enum dev_status status = DEV_OK;
    const char *stream = job->lookback ? "lookback order" : "bench order";
    struct lit_random random = {random_derive(job->request->seed, stream)};
    size_t *order = lit_alloc(job->count + 1, sizeof *order), count = 0;
    for (size_t i = 0; i < job->count; i++)
        if (job->items[i].timed)
            order[count++] = i;
    const uint64_t rounds = job->request->runs + ENG_BENCH_WARM;
    for (uint64_t round = 0; round < rounds && status == DEV_OK; round++) {
        random_shuffle(&random, order, count, sizeof *order);
        for (size_t i = 0; i < count && status == DEV_OK && !job->peer_closed; i++)
            status = time_row(job, &job->items[order[i]], (uint32_t)round);
    }
    free(order);
    return status;
}

// --- From the request to the end

static bool settle(struct job *job)
{
    const struct eng_request *request = job->request;
    const uint64_t elements = request->elements;
    struct look_set set;
    if (!job->lookback && strcmp(request->name, ENG_BENCH_SCAN) != 0)
        return lit_fail(&job->error, LIT_EXIT_USAGE, "unknown benchmark");
    if (elements < BENCH_ELEMENTS || elements > (job->lookback ? LOOK_MOST : BENCH_MOST) ||
        (elements & (elements - 1)) || request->loops > BENCH_MOST_LOOPS || !request->runs ||
        request->runs > BENCH_REPEATS)
        return lit_fail(&job->error, LIT_EXIT_USAGE, "a benchmark of such a size is not possible");
    if (!job->lookback) {
        job->shape = (struct bench_shape){.subgroup = job->subgroup,
                                          .elements = elements,
                                          .copied = bench_copied(elements, dev_facts(job->dev)),
                                          .loops = request->loops};
        return true;
    }
    if (!look_set_read(request->rows, &set))
        return lit_fail(&job->error, LIT_EXIT_USAGE, "unknown rows");
    job->items = lit_alloc(look_set_count(&set) + 1, sizeof *job->items);
    for (size_t i = 0; i < look_rows(); i++)
        if (set.has[i])
            job->items[job->count++] =
                (struct item){.number = (uint32_t)i, .row = look_row(i, elements)};
    return true;
}

static enum dev_status prepare_scan(struct job *job)
{
    enum dev_status status = DEV_OK;
    struct bench_row rows[BENCH_ROWS];
    const uint64_t seed = job->request->seed;
    const uint64_t words =
        job->shape.copied > job->shape.elements ? job->shape.copied : job->shape.elements;
    job->input = lit_alloc(words, sizeof *job->input);
    job->pushed = bench_pushed(seed);
    bench_input(seed, job->input, words);
    job->timer = dev_timer_create(job->dev, job->input, words, job->pushed, &status, &job->error);
    if (job->timer && !job->shape.loops)
        status = calibrate(job);
    job->items = lit_alloc(BENCH_ROWS, sizeof *job->items);
    job->count = bench_scan_rows(&job->shape, rows);
    for (size_t i = 0; i < job->count; i++)
        job->items[i] = (struct item){.number = (uint32_t)i, .row = rows[i]};
    return status;
}

static enum dev_status prepare_lookback(struct job *job)
{
    enum dev_status status = DEV_OK;
    const struct eng_request *request = job->request;
    struct lit_random random = {random_derive(request->seed, "lookback input")};
    const uint32_t seed = (uint32_t)random_next(&random);
    job->timer = dev_timer_create(job->dev, NULL, request->elements, seed, &status, &job->error);
    for (int scan = 0; scan < CAT_SCANS && job->timer && status == DEV_OK; scan++) {
        bool needed = false;
        for (size_t i = 0; i < job->count; i++)
            needed = needed || job->items[i].row.scan == (enum cat_scan)scan;
        if (needed)
            status = dev_timer_try(job->timer, (enum cat_scan)scan, random_next(&random),
                                   request->timeout_ms, &job->error);
    }
    return status;
}

static enum dev_status work(struct job *job)
{
    enum dev_status status = job->lookback ? prepare_lookback(job) : prepare_scan(job);
    if (status == DEV_OK)
        status = make_all(job);
    if (status == DEV_OK)
        status = time_all(job);
    eng_emit_end(job->sink, eng_status_result(status, &job->error), &job->error);
    return status;
}

static void clear(struct job *job, enum dev_status status)
{
    // A driver may hang while it cleans up a lost device.
    const bool alive = status != DEV_LOST && status != DEV_TIMEOUT;
    for (size_t i = 0; i < job->count && alive; i++)
        if (job->items[i].timed)
            dev_timed_destroy(job->timer, &job->items[i].timed);
    if (alive)
        dev_timer_destroy(&job->timer);
    for (size_t i = 0; i < job->expectation_count; i++)
        free(job->expectations[i].words);
    free(job->items);
    free(job->input);
    free(job);
}

enum dev_status eng_bench(struct dev *dev, const struct eng_request *request,
                          const struct eng_sink *sink)
{
    enum dev_status status = DEV_OK;
    struct job *job = lit_alloc(1, sizeof *job);
    *job = (struct job){.dev = dev,
                        .request = request,
                        .sink = sink,
                        .lookback = strcmp(request->name, ENG_LOOKBACK) == 0,
                        .subgroup = dev_facts(dev)->subgroup};
    if (job->subgroup < 4 || job->subgroup > 128) {
        lit_fail(&job->error, LIT_EXIT_NOTHING, "subgroups of %u; the kernels are for 4 to 128",
                 job->subgroup);
        eng_emit_end(job->sink, ENG_SKIP, &job->error);
    } else if (!settle(job)) {
        eng_emit_end(job->sink, ENG_HARNESS_ERROR, &job->error);
    } else {
        status = work(job);
    }
    clear(job, status);
    return status;
}
