// SPDX-License-Identifier: Apache-2.0
// Runs one configuration in the worker: checks what the device lacks, then runs batches, and makes
// a new pipeline from time to time.
#include "engine/measure.h"

#include "base/clock.h"
#include "catalogue/prepare.h"

#include <unistd.h>

#define PIPELINE_RUNS                                                                              \
    500 // compile a new pipeline after so many runs, if they took longer than compiling did
#define BATCH_SECONDS  0.05 // batches grow until one takes this long
#define BATCH_GROWTH   16u  // but no faster than that
#define CHECKER_SILENT "the checker did not check every word: checked on the host from here on"

struct job {
    const struct eng_measure *measure;
    const struct eng_request *request;
    struct eng_prepared ready;
    struct dev_stress stress;
    bool check_on_host;

    struct dev_program *program;
    uint64_t program_runs;
    bool made;                 // since the last event
    bool next_begun;           // its successor is being precompiled
    double compiling, running; // seconds: creation and first run of this program, its other runs
    bool has_digest;           // from a correct run of this program
    uint32_t digest;
    double mark; // time is accounted for up to here

    uint64_t next, end; // numbers of runs
    uint32_t begun;     // runs in the batch prepared beside the last one; 0: none
    double each;        // maximum seconds per run in the last batch; 0: no batch yet
    struct cat_run runs[ENG_MAX_BATCH];
    bool expired[ENG_MAX_BATCH];
    struct dev_batch batch;
    struct lit_error error;
};

static void emit_text(const struct eng_sink *sink, enum eng_event_kind kind, enum eng_result result,
                      const char *text)
{
    struct eng_event event = {.kind = kind, .result = result, .error_code = LIT_EXIT_USAGE};
    snprintf(event.text, sizeof event.text, "%s", text);
    sink->emit(&event, sink->user);
}

void eng_emit_error(const struct eng_sink *sink, const struct lit_error *error)
{
    struct eng_event event = {.kind = ENG_EVENT_ERROR, .error_code = error->code};
    snprintf(event.text, sizeof event.text, "%s", error->message);
    sink->emit(&event, sink->user);
}

void eng_emit_end(const struct eng_sink *sink, enum eng_result result,
                  const struct lit_error *error)
{
    emit_text(sink, ENG_EVENT_DONE, result, result == ENG_PASS ? "" : error->message);
}

struct dev_program_info eng_program_info(const struct eng_prepared *ready)
{
    return (struct dev_program_info){
        .code = ready->code,
        .mode = ready->mode,
        .shape = ready->shape,
        .input = ready->input,
        .expected = ready->expected,
        .fresh = ready->fresh,
        .stream = ready->stream,
        .batch = ENG_MAX_BATCH,
    };
}

// Prepares a configuration, and checks that it fits the device's limits. If there is none of this
// name, ready->which.test stays NULL.
static bool prepare(const struct dev *dev, const struct eng_prepare *how,
                    struct eng_prepared *ready, struct lit_error *error)
{
    return eng_prepare(how, ready, error) &&
           dev_interface_fits(dev, ready->code.interface, error) &&
           dev_module_fits(dev, &ready->code, error);
}

uint64_t eng_most_words(const struct dev *dev)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    const uint64_t device = dev_most_words(dev);
    const uint64_t host = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page / 16 : device;
    return host < device ? host : device;
}

// --- Prepares ahead of time: from a configuration's name to its pipeline, input and expectation

#define MOST_WORDS (UINT64_C(1) << 22) // of input and expectation

// What one thread makes besides the pipeline, with which it waits for its turn.
struct upcoming {
    const struct eng_sink *sink;
    uint64_t seed;
    bool has_data;
    struct eng_prepared ready;
};

static void free_upcoming(void *user)
{
    struct upcoming *one = user;
    eng_prepared_clear(&one->ready);
    free(one);
}

// Moves input and expectation to *ready, which eng_prepare has filled alike, if they were made with
// this seed for this configuration. Else returns false.
static bool take_data(struct dev *dev, const char *name, uint64_t seed, struct eng_prepared *ready)
{
    struct upcoming *one = dev_precompile_claim(dev, name);
    const bool found = one && one->has_data && one->seed == seed;
    if (found) {
        ready->input = one->ready.input;
        ready->expected = one->ready.expected;
        ready->fresh = one->ready.fresh;
        ready->stream = one->ready.stream;
        ready->deterministic = one->ready.deterministic;
        one->ready.input = one->ready.expected = one->ready.fresh = NULL;
    }
    if (one)
        free_upcoming(one);
    return found;
}

// Runs on the pipeline's thread.
static void finish_data(const char *name, void *user)
{
    struct upcoming *one = user;
    const struct cat_shape *shape = &one->ready.shape;
    const uint64_t each = cat_check_stride(one->ready.oracle->check);
    one->has_data =
        shape->input_words + shape->instances * shape->words_per_instance * each <= MOST_WORDS;
    if (one->has_data)
        eng_prepare_data(&one->ready, one->seed);
    emit_text(one->sink, ENG_EVENT_PRECOMPILED, ENG_PASS, name);
}

// Errors are reported when its turn comes.
static bool begin_data(struct dev *dev, const struct eng_upcoming *ahead, struct upcoming *one)
{
    struct lit_error error = {0};
    struct dev_stress stress;
    struct eng_prepared *ready = &one->ready;
    if (!eng_stress_parse(ahead->stress, &stress, &error) ||
        !prepare(dev,
                 &(struct eng_prepare){
                     .name = ahead->name,
                     .facts = dev_facts(dev),
                     .most_words = eng_most_words(dev),
                 },
                 ready, &error))
        return false;
    const struct eng_stress_limits limits = {dev_facts(dev), ready->module->divisible};
    eng_stress_fit(&stress, &limits);
    return dev_precompile_begin(dev, &(struct dev_precompile_info){
                                         .name = ahead->name,
                                         .code = ready->code,
                                         .sliced = stress.slices > 1,
                                         .made = finish_data,
                                         .user = one,
                                         .drop = free_upcoming,
                                     });
}

void eng_precompile_begin(struct dev *dev, const struct eng_request *request,
                          const struct eng_sink *sink)
{
    for (size_t i = 0; i < request->ahead_count; i++) {
        const char *name = request->ahead[i].name;
        struct upcoming *one = lit_alloc(1, sizeof *one);
        one->sink = sink;
        one->seed = request->seed;
        if (!begin_data(dev, &request->ahead[i], one)) {
            free_upcoming(one);
            emit_text(sink, ENG_EVENT_PRECOMPILED, ENG_PASS, name);
        }
    }
}

// --- Splits what is too long for one event

static bool emit_bytes(const void *bytes, size_t size, const struct eng_sink *sink)
{
    OWNED(lit_free) struct eng_event *event = lit_alloc(1, sizeof *event);
    event->kind = ENG_EVENT_CODE;
    event->chunk.total = size;
    const bool fits = size <= ENG_CODE_MAX;
    for (size_t at = 0; fits && at < size; at += event->chunk.size) {
        event->chunk.offset = at;
        event->chunk.size = size - at < ENG_CHUNK ? size - at : ENG_CHUNK;
        memcpy(event->chunk.bytes, (const char *)bytes + at, event->chunk.size);
        if (!sink->emit(event, sink->user))
            break;
    }
    return fits;
}

// --- Runs

static enum dev_status make_program(struct job *job)
{
    enum dev_status status = dev_program_drain(job->program, job->request->timeout_ms, &job->error);
    struct dev_program_info info = eng_program_info(&job->ready);
    const struct cat_module *module = job->ready.module;
    OWNED(lit_free) uint32_t *named = NULL;
    if (job->measure->named)
        info.code.words = named = cat_ids_insert(info.code.words, info.code.word_count,
                                                 cat_module_names(job->ready.which.test, module),
                                                 module->names_size, &info.code.word_count);
    info.name = job->request->name;
    info.check_on_host = job->check_on_host;
    info.stress = job->stress;
    info.timed = job->request->timed;
    job->begun = 0;
    if (status != DEV_OK)
        return status;
    dev_program_destroy(&job->program);
    job->program_runs = 0;
    job->made = true;
    job->compiling = job->running = 0;
    job->next_begun = false;
    job->has_digest = false;
    const double start = clock_now();
    job->program = dev_program_create(job->measure->dev, &info, &status, &job->error);
    // A precompiled pipeline took as long as if we had waited for it. The actual wait counts with
    // the first batch.
    const double spared = dev_precompile_spent(job->measure->dev) - (clock_now() - start);
    job->compiling = spared > 0 ? spared : 0;
    return status;
}

// Starts the next pipeline at half of this one's expected life, if there will be a next one.
static void precompile_next(struct job *job)
{
    if (!job->request->renew || job->next_begun || job->program_runs < PIPELINE_RUNS / 2 ||
        job->running * 2 < job->compiling ||
        job->end - job->next <= PIPELINE_RUNS - job->program_runs)
        return;
    job->next_begun = true;
    dev_precompile_begin(job->measure->dev, &(struct dev_precompile_info){
                                                .name = job->request->name,
                                                .code = job->ready.code,
                                                .sliced = job->stress.slices > 1,
                                            });
}

static enum dev_status run_batch(struct job *job, uint32_t runs, uint32_t next_runs)
{
    job->batch = (struct dev_batch){.first = job->next,
                                    .runs = runs,
                                    .next_runs = next_runs,
                                    .submits = job->request->renew,
                                    .run = job->runs,
                                    .expired = job->expired};
    enum dev_status status =
        dev_program_run(job->program, &job->batch, job->request->timeout_ms, &job->error);
    job->begun = next_runs;
    if (status != DEV_OK || !job->batch.unchecked)
        return status;

    // The device's report is unreliable: repeat these runs and check them on the host.
    emit_text(job->measure->sink, ENG_EVENT_MESSAGE, ENG_PASS, CHECKER_SILENT);
    job->check_on_host = true;
    status = make_program(job);
    if (status == DEV_OK)
        status = dev_program_run(job->program, &job->batch, job->request->timeout_ms, &job->error);
    return status;
}

static void add_failure(const struct job *job, const struct cat_failure *at, const char *where,
                        struct eng_event *event)
{
    if (event->count.failure_count == ENG_MAX_FAILURES)
        return;
    struct eng_failure *failure = &event->failures[event->count.failure_count++];
    *failure = (struct eng_failure){.at = *at};
    failure->at.run += job->next;
    if (where)
        snprintf(failure->where, sizeof failure->where, "%s", where);
    else
        cat_oracle_where(job->ready.oracle, &job->ready.args, &job->ready.shape, &failure->at,
                         failure->where, sizeof failure->where);
}

// A deterministic configuration must store the same words in every run of a pipeline, even if it
// allows several outcomes. Turns one good instance of the run into one that varied.
static void check_determinism(struct job *job, uint32_t index, struct eng_event *event)
{
    struct cat_run *run = &job->runs[index];
    if (!job->has_digest) {
        job->has_digest = true;
        job->digest = run->digest;
    }
    if (run->digest == job->digest)
        return;
    uint32_t good = CAT_RIGHT;
    for (uint32_t i = 0; i < CAT_OUTCOMES; i++)
        if (!cat_mode_fails(&job->ready.mode, i) && run->outcomes[i] > run->outcomes[good])
            good = i;
    run->outcomes[good]--;
    run->outcomes[CAT_VARIED]++;
    run->failed++;
    add_failure(job,
                &(struct cat_failure){
                    .run = index,
                    .got = run->digest,
                    .want = job->digest,
                    .outcome = CAT_VARIED,
                },
                "digest of all words, against the pipeline's first run", event);
}

static void count_run(struct job *job, uint32_t index, struct eng_event *event)
{
    struct eng_count *count = &event->count;
    struct cat_run *run = &job->runs[index];
    const uint64_t instances = job->ready.shape.instances;
    count->runs++;
    count->instances += instances;
    if (job->expired[index]) {
        count->no_progress_runs++;
        count->outcomes[CAT_NO_PROGRESS] += instances;
        return;
    }
    for (size_t i = 0; i < job->batch.failure_count; i++)
        if (job->batch.failures[i].run == index)
            add_failure(job, &job->batch.failures[i], NULL, event);
    if (job->ready.deterministic && !run->failed)
        check_determinism(job, index, event);
    for (size_t i = 0; i < CAT_OUTCOMES; i++)
        count->outcomes[i] += run->outcomes[i];
    count->failed_instances += run->failed;
    count->failed_runs += run->failed != 0;
    if (run->failed && job->next + index == 0)
        count->first_run_failed = true;
}

uint32_t eng_batch_after(uint32_t runs, double seconds)
{
    const uint32_t most = runs < ENG_MAX_BATCH / BATCH_GROWTH ? runs * BATCH_GROWTH : ENG_MAX_BATCH;
    const double fits = runs * BATCH_SECONDS;
    if (seconds * most <= fits)
        return most;
    if (seconds <= BATCH_SECONDS)
        return (uint32_t)(fits / seconds);
    return seconds > 2 * BATCH_SECONDS && runs > 1 ? runs / 2 : runs;
}

static uint32_t at_most(uint64_t limit, uint32_t runs)
{
    return runs < limit ? runs : (uint32_t)limit;
}

static bool program_is_old(const struct job *job)
{
    return job->program_runs >= PIPELINE_RUNS && job->running >= job->compiling;
}

// How many runs are left up to the end, or up to where expired waits may end the request; no batch
// is longer.
static uint64_t runs_left(const struct job *job, uint64_t from)
{
    const uint64_t look = job->request->first + job->request->waits;
    return (from < look && look < job->end ? look : job->end) - from;
}

// How many runs the batch after one with `runs` has. Returns 0 if no such batch may follow, or if
// it would be much larger: then we must first know how long this one takes.
static uint32_t runs_after(const struct job *job, uint32_t runs)
{
    const uint32_t next = eng_batch_after(runs, job->each * runs);
    const uint64_t left = runs_left(job, job->next + runs);
    const bool may_end = job->next + runs == job->request->first + job->request->waits;
    const bool renews = job->program_runs + runs >= PIPELINE_RUNS &&
                        job->running + job->each * runs >= job->compiling;
    return may_end || renews || job->program_runs == 0 || next > 2 * runs ? 0 : at_most(left, next);
}

// Does all runs, batch by batch; *total sums them up.
static enum dev_status run_all(struct job *job, struct eng_count *total)
{
    uint32_t size = 1;
    while (job->next < job->end) {
        enum dev_status status = DEV_OK;
        // A batch prepared beside another begins when the other ends.
        const double start = job->begun ? job->mark : clock_now();
        if (!job->program || (!job->begun && program_is_old(job)))
            status = make_program(job);
        if (status != DEV_OK)
            return status;

        // Some drivers compile during the first dispatch.
        const bool fresh = job->program_runs == 0;
        const double made = fresh ? clock_now() : start;
        precompile_next(job);
        const uint32_t runs = job->begun ? job->begun
                              : fresh    ? 1
                                         : at_most(runs_left(job, job->next), size);
        status = run_batch(job, runs, runs_after(job, runs));
        if (status != DEV_OK)
            return status;
        const double ended = clock_now(), seconds = ended - made;
        *(fresh ? &job->compiling : &job->running) += ended - start;

        struct eng_event event = {
            .kind = ENG_EVENT_BATCH, .fresh = job->made, .tested = job->batch.stages.test * 1e-9};
        job->made = false;
        for (uint32_t i = 0; i < runs; i++)
            count_run(job, i, &event);
        const double now = clock_now();
        event.count.seconds = now - job->mark;
        job->mark = now;
        eng_count_add(total, &event.count);
        if (!job->measure->sink->emit(&event, job->measure->sink->user))
            return DEV_OK;
        job->next += runs;
        job->program_runs += runs;
        if (job->request->waits && total->runs == job->request->waits &&
            total->no_progress_runs >= job->request->expired)
            return DEV_OK;
        // This bounds the time of a first run.
        if (!fresh || size == 1)
            size = eng_batch_after(runs, seconds);
        if (!fresh || job->each <= 0)
            job->each = seconds / runs;
    }
    return DEV_OK;
}

// A submitted batch must end before anything is destroyed, even if nobody reads its result.
static enum dev_status end_batches(struct job *job, enum dev_status status)
{
    struct lit_error error = {0};
    const enum dev_status ended = dev_program_drain(job->program, job->request->timeout_ms, &error);
    if (ended != DEV_OK)
        job->error = error;
    return ended != DEV_OK ? ended : status;
}

// Ends the request. A driver may hang while it cleans up a lost device. All other calls into the
// driver come before we report the end, so that a crash counts for this configuration.
static void conclude(struct job *job, enum dev_status status, enum eng_event_kind kind,
                     enum eng_result result)
{
    if (status == DEV_OK || status == DEV_ERROR) {
        dev_program_destroy(&job->program);
        // Unused if the stress changed or no runs are left.
        dev_precompile_drop(job->measure->dev, job->request->name);
    }
    emit_text(job->measure->sink, kind, result, job->error.message);
}

enum eng_result eng_status_result(enum dev_status status, const struct lit_error *error)
{
    static const enum eng_result results[] = {[DEV_OK] = ENG_PASS,
                                              [DEV_LOST] = ENG_DEVICE_LOST,
                                              [DEV_TIMEOUT] = ENG_HANG,
                                              [DEV_ERROR] = ENG_HARNESS_ERROR};
    const bool lacks = status == DEV_ERROR && error->code == LIT_EXIT_NOTHING;
    return lacks ? ENG_SKIP : results[status];
}

enum dev_status eng_measure(const struct eng_measure *measure, const struct eng_request *request)
{
    enum dev_status status = DEV_OK;
    struct eng_count total = {0};
    OWNED(lit_free) struct job *job = lit_alloc(1, sizeof *job);
    job->measure = measure;
    job->request = request;
    job->check_on_host = measure->check_on_host;
    job->next = request->first;
    job->end = request->first + request->runs;
    job->mark = clock_now();

    if (!eng_stress_parse(request->stress, &job->stress, &job->error) ||
        !prepare(measure->dev,
                 &(struct eng_prepare){.which = measure->which,
                                       .name = request->name,
                                       .facts = dev_facts(measure->dev),
                                       .scale = measure->scale,
                                       .most_words = eng_most_words(measure->dev)},
                 &job->ready, &job->error)) {
        const bool known = job->ready.which.test;
        conclude(job, status, known ? ENG_EVENT_DONE : ENG_EVENT_ERROR,
                 known ? ENG_SKIP : ENG_HARNESS_ERROR);
        goto done;
    }
    const struct eng_stress_limits limits = {dev_facts(measure->dev), job->ready.module->divisible};
    eng_stress_fit(&job->stress, &limits);
    job->check_on_host |= !(measure->tried >> job->ready.mode.check & 1);
    if (measure->which || measure->scale ||
        !take_data(measure->dev, request->name, request->seed, &job->ready))
        eng_prepare_data(&job->ready, request->seed);
    status = run_all(job, &total);
    if (status == DEV_OK || status == DEV_ERROR)
        status = end_batches(job, status);
    if (status == DEV_OK)
        job->error.message[0] = '\0';
    const uint32_t *output = job->program ? dev_program_output(job->program) : NULL;
    if (status == DEV_OK && measure->outputs && output)
        emit_bytes(output, job->ready.shape.instances * job->ready.shape.words_per_instance * 4,
                   measure->sink);
    conclude(job, status, ENG_EVENT_DONE,
             status == DEV_OK ? eng_verdict(&total) : eng_status_result(status, &job->error));
done:
    eng_prepared_clear(&job->ready);
    return status;
}

// --- Compiles one configuration and cuts what the driver reports into chunks

bool eng_emit_code(const struct isa_code *code, const struct eng_sink *sink)
{
    OWNED(text_free) struct text bytes = {0};
    isa_pack(code, &bytes);
    return emit_bytes(bytes.data, bytes.length, sink);
}

enum dev_status eng_compile(struct dev *dev, const char *name, const struct cat_case *which,
                            const struct eng_sink *sink)
{
    const struct dev_facts *facts = dev_facts(dev);
    struct dev_facts unbounded = *facts; // no buffer is made
    unbounded.max_storage_buffer = UINT32_MAX;
    struct lit_error error = {0};
    OWNED(isa_code_clear) struct isa_code code = {0};
    struct eng_prepared ready;
    const struct eng_prepare how = {.which = which,
                                    .name = name,
                                    .facts = which ? &unbounded : facts,
                                    .most_words = UINT32_MAX};
    if (!prepare(dev, &how, &ready, &error)) {
        const bool known = ready.which.test;
        emit_text(sink, known ? ENG_EVENT_DONE : ENG_EVENT_ERROR,
                  known ? ENG_SKIP : ENG_HARNESS_ERROR, error.message);
        eng_prepared_clear(&ready);
        return DEV_OK;
    }
    const enum dev_status status = dev_compile(dev, &ready.code, which ? NULL : &code, &error);
    const bool refused = status == DEV_ERROR && !strstr(error.message, "_MEMORY");
    if (which && (status == DEV_OK || refused)) {
        struct eng_event event = {.kind = ENG_EVENT_BATCH, .count = {.runs = 1, .instances = 1}};
        event.count.outcomes[refused ? CAT_NEVER_WRITTEN : CAT_RIGHT] = 1;
        event.count.failed_runs = event.count.failed_instances = refused;
        event.count.failure_count = refused;
        event.count.first_run_failed = refused;
        event.failures[0].at = (struct cat_failure){
            .got = CAT_POISON, .want = CAT_POISON, .outcome = CAT_NEVER_WRITTEN};
        snprintf(event.failures[0].where, sizeof event.failures[0].where, "not compiled");
        sink->emit(&event, sink->user);
        emit_text(sink, ENG_EVENT_DONE, refused ? ENG_FAIL : ENG_PASS,
                  refused ? error.message : "");
    } else if (status == DEV_OK) {
        isa_extract(&code, facts->vendor, facts->product);
        if (eng_emit_code(&code, sink))
            emit_text(sink, ENG_EVENT_DONE, ENG_PASS, "");
        else
            emit_text(sink, ENG_EVENT_ERROR, ENG_HARNESS_ERROR,
                      "the driver returned too much data");
    } else {
        emit_text(sink, ENG_EVENT_DONE, status == DEV_LOST ? ENG_DEVICE_LOST : ENG_HARNESS_ERROR,
                  error.message);
    }
    eng_prepared_clear(&ready);
    return status;
}
