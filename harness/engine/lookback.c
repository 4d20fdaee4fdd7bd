// SPDX-License-Identifier: Apache-2.0
// Scans with look-back in the worker: buffers are filled, the verification is tried, every row is
// made ready, then all of them are timed round by round.
#include "engine/lookback.h"

#include "base/random.h"
#include "bench/lookback.h"
#include "bench/row.h"
#include "device/stream.h"
#include "engine/bench.h"
#include "engine/measure.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_THREADS 16
#define MOST_ASKED   64 // rows for which the driver is asked what it says of them

struct job {
    struct dev *dev;
    const struct eng_request *request;
    bool (*emit)(const struct eng_event *event, void *user);
    void *user;
    struct look_set set;
    struct dev_stream *stream;
    struct dev_streamed *streamed[LOOK_ROWS]; // NULL: it is not timed
    bool asks;
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

// --- Rows

static struct dev_stream_info info_of(const struct job *job, const struct look_row *row)
{
    const uint32_t elements = job->request->elements, tiles = look_row_tiles(row, elements);
    const uint32_t subgroup = dev_facts(job->dev)->subgroup;
    return (struct dev_stream_info){
        .words = look_module_words(row->module),
        .word_count = *row->module->count,
        .subgroup = row->copy ? 0 : subgroup,
        .spec_ids = {0, 1},
        .spec_values = {row->workgroup, subgroup},
        .spec_count = row->copy ? 1 : 2,
        .workgroups = tiles,
        .state_words = row->copy ? 0 : LOOK_STATE_WORDS + tiles * LOOK_TILE_WORDS,
        .segment = look_segment(row, elements),
    };
}

static enum dev_status ask(struct job *job, const struct dev_stream_info *info,
                           struct bench_said *said)
{
    if (!job->request->capture && (!job->asks || !dev_tells(job->dev)))
        return DEV_OK;
    return eng_bench_tell(job->dev,
                          &(struct dev_compile_info){
                              .words = info->words,
                              .word_count = info->word_count,
                              .subgroup = info->subgroup,
                              .spec_ids = info->spec_ids,
                              .spec_values = info->spec_values,
                              .spec_count = info->spec_count,
                          },
                          job->request->capture, said, job->emit, job->user, &job->error);
}

// A row that is made ready: by one of several threads, where a driver compiles very many.
struct made {
    size_t number;
    bool fits, done;
    enum dev_status status;
    struct dev_streamed *streamed;
    struct lit_error error;
};

struct making {
    struct job *job;
    struct made *rows;
    size_t count, next; // next: that no thread has taken yet
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

static void make_one(struct job *job, struct made *made)
{
    const struct look_row row = look_row(made->number);
    const struct dev_stream_info info = info_of(job, &row);
    made->streamed = dev_streamed_create(job->stream, &info, &made->status, &made->error);
}

static void *make_rows(void *user)
{
    struct making *making = user;
    pthread_mutex_lock(&making->lock);
    while (making->next < making->count) {
        struct made *made = &making->rows[making->next++];
        pthread_mutex_unlock(&making->lock);
        if (made->fits)
            make_one(making->job, made);
        pthread_mutex_lock(&making->lock);
        made->done = true;
        pthread_cond_broadcast(&making->changed);
    }
    pthread_mutex_unlock(&making->lock);
    return NULL;
}

// A row that the device cannot run, or whose pipeline the driver refuses, is left out.
static enum dev_status tell_row(struct job *job, struct made *made)
{
    struct eng_event event = {.kind = ENG_EVENT_ROW, .result = ENG_PASS};
    const struct look_row row = look_row(made->number);
    enum dev_status status = made->status;
    event.bench = (struct bench_said){
        .row = (uint32_t)made->number, .loops = 1, .tick = dev_stream_tick(job->stream)};
    job->streamed[made->number] = made->streamed;
    if (!made->fits) {
        event.result = ENG_SKIP;
    } else if (!made->streamed) {
        event.result = ENG_HARNESS_ERROR;
    } else {
        const struct dev_stream_info info = info_of(job, &row);
        status = ask(job, &info, &event.bench);
    }
    if (event.result != ENG_PASS)
        snprintf(event.text, sizeof event.text, "%s", made->error.message);
    if (status == DEV_LOST || status == DEV_TIMEOUT) {
        if (made->status != DEV_OK) // else it is that of asking
            job->error = made->error;
        return status;
    }
    emit(job, &event);
    return DEV_OK;
}

static unsigned threads_for(const struct job *job, size_t rows)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const size_t most = cores < 1 ? 1 : cores > MOST_THREADS ? MOST_THREADS : (size_t)cores;
    // A driver for the processor compiles with threads of its own, or while it runs.
    if (dev_facts(job->dev)->cpu)
        return 1;
    return (unsigned)(rows < most ? rows : most);
}

// Every row of the set; told in their order, each as soon as it is made.
static enum dev_status make_all(struct job *job)
{
    enum dev_status status = DEV_OK;
    pthread_t threads[MOST_THREADS];
    unsigned started = 0;
    struct making making = {.job = job};
    making.rows = lit_alloc(look_set_count(&job->set) + 1, sizeof *making.rows);
    for (size_t i = 0; i < look_rows(); i++)
        if (job->set.has[i]) {
            struct made *made = &making.rows[making.count++];
            made->number = i;
            made->fits =
                look_row_fits(i, job->request->elements, dev_facts(job->dev), &made->error);
        }
    pthread_mutex_init(&making.lock, NULL);
    pthread_cond_init(&making.changed, NULL);
    const unsigned wanted = threads_for(job, making.count);
    while (wanted > 1 && started < wanted &&
           pthread_create(&threads[started], NULL, make_rows, &making) == 0)
        started++;
    for (size_t i = 0; i < making.count && status == DEV_OK && !job->deaf; i++) {
        struct made *made = &making.rows[i];
        if (!started && made->fits)
            make_one(job, made);
        pthread_mutex_lock(&making.lock);
        while (started && !made->done)
            pthread_cond_wait(&making.changed, &making.lock);
        pthread_mutex_unlock(&making.lock);
        status = tell_row(job, made);
    }
    pthread_mutex_lock(&making.lock);
    making.next = making.count;
    pthread_mutex_unlock(&making.lock);
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    // What was made and not told, because it ended early.
    for (size_t i = 0; i < making.count; i++)
        job->streamed[making.rows[i].number] = making.rows[i].streamed;
    pthread_mutex_destroy(&making.lock);
    pthread_cond_destroy(&making.changed);
    free(making.rows);
    return status;
}

// --- Rounds

static enum dev_status time_row(struct job *job, size_t number, uint32_t round)
{
    struct eng_event event = {.kind = ENG_EVENT_TIME};
    struct dev_verdict verdict;
    event.bench.row = (uint32_t)number;
    event.bench.round = round;
    const enum dev_status status =
        dev_streamed_run(job->stream, job->streamed[number], job->request->timeout_ms,
                         &event.bench.ns, &verdict, &job->error);
    if (status != DEV_OK)
        return status;
    event.bench.wrong = verdict.wrong;
    event.bench.index = verdict.index;
    event.bench.got = verdict.got;
    event.bench.want = verdict.want;
    event.bench.gave_up = verdict.gave_up;
    emit(job, &event);
    return DEV_OK;
}

static enum dev_status time_all(struct job *job)
{
    enum dev_status status = DEV_OK;
    struct lit_random random = {random_derive(job->request->seed, "lookback order")};
    size_t order[LOOK_ROWS], count = 0;
    for (size_t i = 0; i < look_rows(); i++)
        if (job->streamed[i])
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
    const uint32_t elements = request->elements;
    if (elements < LOOK_ELEMENTS || elements > LOOK_MOST || (elements & (elements - 1)) ||
        !request->runs || request->runs > BENCH_REPEATS)
        return lit_fail(&job->error, LIT_EXIT_USAGE, "a benchmark of such a size is not possible");
    if (!look_set_read(request->rows, &job->set))
        return lit_fail(&job->error, LIT_EXIT_USAGE, "there are no such rows");
    job->asks = look_set_count(&job->set) <= MOST_ASKED;
    return true;
}

static enum dev_status prepare(struct job *job)
{
    enum dev_status status = DEV_OK;
    const struct eng_request *request = job->request;
    struct lit_random random = {random_derive(request->seed, "lookback input")};
    const uint32_t seed = (uint32_t)random_next(&random);
    job->stream = dev_stream_create(job->dev, request->elements, seed, request->timeout_ms, &status,
                                    &job->error);
    if (!job->stream)
        return status;
    status = dev_stream_try(job->stream, random_next(&random), request->timeout_ms, &job->error);
    return status == DEV_OK ? make_all(job) : status;
}

static void clear(struct job *job, enum dev_status status)
{
    // A driver may hang in cleaning up what it lost.
    if (status != DEV_LOST && status != DEV_TIMEOUT) {
        for (size_t i = 0; i < look_rows(); i++)
            if (job->streamed[i])
                dev_streamed_destroy(job->stream, &job->streamed[i]);
        dev_stream_destroy(&job->stream);
    }
    free(job);
}

enum dev_status eng_lookback(struct dev *dev, const struct eng_request *request,
                             bool (*emit_event)(const struct eng_event *event, void *user),
                             void *user)
{
    enum dev_status status = DEV_OK;
    struct job *job = lit_alloc(1, sizeof *job);
    job->dev = dev;
    job->request = request;
    job->emit = emit_event;
    job->user = user;
    if (!settle(job)) {
        emit_end(job, ENG_HARNESS_ERROR, job->error.message);
        clear(job, status);
        return status;
    }
    status = prepare(job);
    if (status == DEV_OK)
        status = time_all(job);
    if (status == DEV_OK)
        emit_end(job, ENG_PASS, "");
    else
        emit_end(job,
                 status == DEV_LOST                    ? ENG_DEVICE_LOST
                 : status == DEV_TIMEOUT               ? ENG_HANG
                 : job->error.code == LIT_EXIT_NOTHING ? ENG_SKIP
                                                       : ENG_HARNESS_ERROR,
                 job->error.message);
    clear(job, status);
    return status;
}
