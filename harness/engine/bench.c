// SPDX-License-Identifier: Apache-2.0
// A benchmark in the worker: iterations are calibrated, every row is made ready, then all of them
// are timed round by round. Each output is compared with what it has to be.
#include "engine/bench.h"

#include "base/random.h"
#include "bench/oracle.h"
#include "device/timing.h"
#include "engine/measure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_LOOPS 3u
#define SAMPLES     3 // dispatches of a kernel, of which the fastest one says how many fit

struct expectation {
    struct bench_row row; // of the first row that needs it
    uint32_t *words;
};

struct job {
    struct dev *dev;
    const struct eng_request *request;
    bool (*emit)(const struct eng_event *event, void *user);
    void *user;
    struct dev_timer *timer;
    struct bench_shape shape;
    struct bench_row rows[BENCH_ROWS];
    struct dev_timed *timed[BENCH_ROWS]; // NULL: it cannot be timed
    size_t count;
    uint32_t *input;
    uint32_t pushed;
    struct expectation expectations[BENCH_ROWS];
    size_t expectation_count;
    bool deaf; // nobody listens any more
    struct lit_error error;
};

static void emit(struct job *job, const struct eng_event *event)
{
    job->deaf = !job->emit(event, job->user) || job->deaf;
}

static void emit_end(struct job *job, enum eng_result result, const char *text)
{
    struct eng_event event = {.kind = ENG_EVENT_DONE, .result = result};
    snprintf(event.text, sizeof event.text, "%s", text);
    emit(job, &event);
}

// --- What is right

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
    bench_expect(row, job->shape.subgroup, job->pushed, job->input, made->words);
    return made->words;
}

// --- Rows

static struct dev_timed *make(struct job *job, const struct bench_row *row, enum dev_status *status)
{
    const struct bench_module module = bench_row_module(row);
    return dev_timed_create(job->timer,
                            &(struct dev_kernel){
                                .words = module.words,
                                .word_count = module.count,
                                .subgroup = job->shape.subgroup,
                                .spec_ids = {0, 1, 2},
                                .spec_values = {row->workgroup, job->shape.subgroup, row->loops},
                            },
                            status, &job->error);
}

enum dev_status eng_bench_tell(struct dev *dev, const struct dev_compile_info *info, bool capture,
                               struct bench_said *said,
                               bool (*emit_event)(const struct eng_event *event, void *user),
                               void *user, struct lit_error *error)
{
    struct isa_code code = {0};
    const struct dev_facts *facts = dev_facts(dev);
    const enum dev_status status = dev_compile(dev, info, &code, error);
    for (size_t i = 0; i < code.statistic_count && i < BENCH_STATISTICS; i++) {
        struct bench_statistic *to = &said->statistics[said->statistic_count++];
        snprintf(to->name, sizeof to->name, "%.63s", code.statistics[i].name);
        snprintf(to->value, sizeof to->value, "%.31s", code.statistics[i].value);
    }
    if (capture) {
        isa_extract(&code, facts->vendor, facts->product);
        eng_emit_code(&code, emit_event, user);
    }
    isa_code_clear(&code);
    return status == DEV_ERROR ? DEV_OK : status;
}

static enum dev_status ask(struct job *job, const struct bench_row *row, struct bench_said *said)
{
    const struct bench_module module = bench_row_module(row);
    if (!job->request->capture && !dev_tells(job->dev))
        return DEV_OK;
    return eng_bench_tell(
        job->dev,
        &(struct dev_compile_info){
            .words = module.words,
            .word_count = module.count,
            .subgroup = job->shape.subgroup,
            .spec_ids = (const uint32_t[]){0, 1, 2},
            .spec_values = (const uint32_t[]){row->workgroup, job->shape.subgroup, row->loops},
            .spec_count = 3,
        },
        job->request->capture, said, job->emit, job->user, &job->error);
}

// A row that the device cannot run, or whose pipeline the driver refuses, is left out.
static enum dev_status make_row(struct job *job, size_t index)
{
    enum dev_status status = DEV_OK;
    const struct bench_row *row = &job->rows[index];
    struct eng_event event = {.kind = ENG_EVENT_ROW, .result = ENG_PASS};
    event.bench = (struct bench_said){
        .row = (uint32_t)index, .loops = job->shape.loops, .tick = dev_timer_tick(job->timer)};
    if (!bench_row_fits(row, dev_facts(job->dev), &job->error)) {
        event.result = ENG_SKIP;
    } else {
        status = ask(job, row, &event.bench);
        if (status == DEV_OK)
            job->timed[index] = make(job, row, &status);
        if (status == DEV_LOST || status == DEV_TIMEOUT)
            return status;
        if (!job->timed[index])
            event.result = ENG_HARNESS_ERROR;
    }
    if (event.result != ENG_PASS)
        snprintf(event.text, sizeof event.text, "%s", job->error.message);
    emit(job, &event);
    return DEV_OK;
}

// --- Calibration

uint32_t eng_bench_loops(uint32_t loops, double ns, uint64_t rounds, double budget, bool *enough)
{
    const double all = ns * (double)rounds;
    const double fit = all > 0 ? (double)loops * budget / all : BENCH_LOOPS;
    *enough = loops >= BENCH_LOOPS || all > budget / 4;
    return fit >= BENCH_LOOPS ? BENCH_LOOPS : fit < 1 ? 1 : (uint32_t)fit;
}

// Whether a row is timed while iterations are calibrated: one for each kind of work, with the
// barriers that a driver may take its time for.
static bool is_sample(const struct bench_row *row)
{
    return row->workgroup == 256 && row->items <= 1 && row->chains != 1 &&
           row->kind != BENCH_COPY &&
           (row->operation == BENCH_NATIVE ? row->barrier == BENCH_NONE
                                           : row->barrier == BENCH_CONTROL);
}

// The fastest of a few dispatches: what else the machine does makes them slower only. The first one
// is not counted, since a driver may compile within it.
static enum dev_status time_sample(struct job *job, const struct bench_row *row,
                                   const struct dev_timed *timed, double *ns)
{
    enum dev_status status = DEV_OK;
    for (int i = 0; i <= SAMPLES && status == DEV_OK; i++) {
        const uint32_t *output = NULL;
        double took = 0;
        status = dev_timed_run(job->timer, timed, row->workgroups, row->words,
                               job->request->timeout_ms, &took, &output, &job->error);
        if (i == 1 || (i > 1 && took < *ns))
            *ns = took;
    }
    return status;
}

// What one round of all rows would take: each sample stands for the rows of its kind. What cannot
// be made is left out here; make_row tells of it.
static enum dev_status time_samples(struct job *job, double *ns)
{
    enum dev_status status = DEV_OK;
    *ns = 0;
    for (size_t i = 0; i < job->count && status == DEV_OK; i++) {
        const struct bench_row *row = &job->rows[i];
        double took = 0;
        if (!is_sample(row) || !bench_row_fits(row, dev_facts(job->dev), &job->error))
            continue;
        struct dev_timed *timed = make(job, row, &status);
        if (timed)
            status = time_sample(job, row, timed, &took);
        else if (status == DEV_ERROR)
            status = DEV_OK;
        if (timed && status != DEV_LOST)
            dev_timed_destroy(job->timer, &timed);
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
        job->count = bench_scan_rows(&job->shape, job->rows);
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

static enum dev_status time_row(struct job *job, size_t index, uint32_t round)
{
    const struct bench_row *row = &job->rows[index];
    struct eng_event event = {.kind = ENG_EVENT_TIME};
    const uint32_t *output = NULL;
    event.bench.row = (uint32_t)index;
    event.bench.round = round;
    const uint32_t *expected = expected_of(job, row);
    const enum dev_status status =
        dev_timed_run(job->timer, job->timed[index], row->workgroups, row->words,
                      job->request->timeout_ms, &event.bench.ns, &output, &job->error);
    if (status != DEV_OK)
        return status;
    event.bench.wrong = bench_differ(expected, output, row->words, &event.bench.index);
    if (event.bench.wrong) {
        event.bench.got = output[event.bench.index];
        event.bench.want = expected[event.bench.index];
    }
    emit(job, &event);
    return DEV_OK;
}

static enum dev_status time_all(struct job *job)
{
    enum dev_status status = DEV_OK;
    struct lit_random random = {random_derive(job->request->seed, "bench order")};
    size_t order[BENCH_ROWS], count = 0;
    for (size_t i = 0; i < job->count; i++)
        if (job->timed[i])
            order[count++] = i;
    const uint64_t rounds = job->request->runs + ENG_BENCH_WARM;
    for (uint64_t round = 0; round < rounds && status == DEV_OK; round++) {
        random_shuffle(&random, order, count);
        for (size_t i = 0; i < count && status == DEV_OK && !job->deaf; i++)
            status = time_row(job, order[i], (uint32_t)round);
    }
    return status;
}

// --- From the request to the end

static bool settle(struct job *job)
{
    const struct eng_request *request = job->request;
    const struct dev_facts *facts = dev_facts(job->dev);
    const uint32_t elements = request->elements;
    if (strcmp(request->name, "scan") != 0)
        return lit_fail(&job->error, LIT_EXIT_USAGE, "there is no such benchmark");
    if (elements < BENCH_ELEMENTS || elements > BENCH_MOST || (elements & (elements - 1)) ||
        request->loops > BENCH_MOST_LOOPS || !request->runs || request->runs > BENCH_REPEATS)
        return lit_fail(&job->error, LIT_EXIT_USAGE, "a benchmark of such a size is not possible");
    job->shape = (struct bench_shape){.subgroup = facts->subgroup,
                                      .elements = elements,
                                      .copied = bench_copied(elements, facts),
                                      .loops = request->loops};
    return true;
}

static enum dev_status prepare(struct job *job)
{
    enum dev_status status = DEV_OK;
    const struct eng_request *request = job->request;
    const uint64_t words =
        job->shape.copied > job->shape.elements ? job->shape.copied : job->shape.elements;
    job->input = lit_alloc(words, sizeof *job->input);
    job->pushed = bench_pushed(request->seed);
    bench_input(request->seed, job->input, words);
    job->timer = dev_timer_create(job->dev, job->input, words, job->pushed, &status, &job->error);
    if (!job->timer)
        return status;
    if (!job->shape.loops)
        status = calibrate(job);
    job->count = bench_scan_rows(&job->shape, job->rows);
    for (size_t i = 0; i < job->count && status == DEV_OK && !job->deaf; i++)
        status = make_row(job, i);
    return status;
}

static void clear(struct job *job, enum dev_status status)
{
    // A driver may hang in cleaning up what it lost.
    for (size_t i = 0; i < job->count && status != DEV_LOST && status != DEV_TIMEOUT; i++)
        if (job->timed[i])
            dev_timed_destroy(job->timer, &job->timed[i]);
    if (status != DEV_LOST && status != DEV_TIMEOUT)
        dev_timer_destroy(&job->timer);
    for (size_t i = 0; i < job->expectation_count; i++)
        free(job->expectations[i].words);
    free(job->input);
    free(job);
}

enum dev_status eng_bench(struct dev *dev, const struct eng_request *request,
                          bool (*emit_event)(const struct eng_event *event, void *user), void *user)
{
    enum dev_status status = DEV_OK;
    const uint32_t subgroup = dev_facts(dev)->subgroup;
    struct job *job = lit_alloc(1, sizeof *job);
    job->dev = dev;
    job->request = request;
    job->emit = emit_event;
    job->user = user;
    if (subgroup < 4 || subgroup > 128) {
        char reason[64];
        snprintf(reason, sizeof reason, "subgroups of %" PRIu32 "; the kernels are for 4 to 128",
                 subgroup);
        emit_end(job, ENG_SKIP, reason);
        goto done;
    }
    if (!settle(job)) {
        emit_end(job, ENG_HARNESS_ERROR, job->error.message);
        goto done;
    }
    status = prepare(job);
    if (status == DEV_OK)
        status = time_all(job);
    if (status == DEV_OK)
        emit_end(job, ENG_PASS, "");
    else
        emit_end(job,
                 status == DEV_LOST      ? ENG_DEVICE_LOST
                 : status == DEV_TIMEOUT ? ENG_HANG
                                         : ENG_HARNESS_ERROR,
                 job->error.message);
done:
    clear(job, status);
    return status;
}
