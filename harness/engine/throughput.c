// SPDX-License-Identifier: Apache-2.0
// Runs and checks one configuration as fast as possible: finds how many workgroups fill the device,
// then measures rounds.
#include "engine/measure.h"

#include "base/clock.h"
#include "bench/oracle.h"
#include "bench/rate.h"
#include "catalogue/prepare.h"

#include <time.h>

#define SCALE_CPU   8u // workgroups, as in the catalogue's tests
#define SCALE_GPU   256u
#define SCALE_STEP  4u
#define SCALE_MOST  (1u << 20)
#define WORDS_CPU   (UINT64_C(1) << 20) // most words of an output
#define WORDS_GPU   (UINT64_C(1) << 25)
#define SAMPLE      0.15       // seconds to try a scale
#define WORTH       1.05       // the least speedup that makes a larger scale better
#define COPIED_CPU  (1u << 22) // words
#define COPIED_GPU  (1u << 26)
#define COPIED_EACH 16u // words that an invocation copies
#define COPIES      3   // timed copies; the fastest one counts
#define THROUGHPUT  "throughput "
#define SINGLE      "single "

struct job {
    struct dev *dev;
    const struct eng_request *request;
    const struct eng_sink *sink;
    bool peer_closed, singles;
    struct cat_case which;
    struct eng_prepared ready;
    struct dev_program *program;
    struct dev_program *single; // for BENCH_SINGLE and BENCH_COMPILED
    uint32_t scale;
    double copy; // bytes a second
    uint64_t next;
    uint32_t size; // of the next batch
    double each;   // seconds of a run in the last batch
    struct cat_run runs[ENG_MAX_BATCH];
    bool expired[ENG_MAX_BATCH];
    struct lit_error error;
};

bool eng_throughput_is(const char *name)
{
    return !strncmp(name, THROUGHPUT, strlen(THROUGHPUT)) || !strncmp(name, SINGLE, strlen(SINGLE));
}

static double cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

// --- How fast the device copies

static enum dev_status time_copy(struct job *job, struct dev_timer *timer, uint32_t words,
                                 uint32_t workgroup, const uint32_t *input)
{
    enum dev_status status = DEV_OK;
    const struct dev_facts *facts = dev_facts(job->dev);
    const struct bench_row row = {.kind = BENCH_COPY,
                                  .kernel = bench_copy_kernel(),
                                  .workgroup = workgroup,
                                  .workgroups = words / workgroup / COPIED_EACH,
                                  .words = words};
    if (!bench_row_fits(&row, facts, NULL))
        return DEV_OK;
    struct dev_timed *timed = dev_timed_create(
        timer,
        &(struct dev_timed_info){
            .kernel = {.words = cat_kernel_words(row.kernel),
                       .word_count = row.kernel->count,
                       .subgroup = facts->subgroup,
                       .spec_ids = (const uint32_t[]){0, 1, 2},
                       .spec_values = (const uint32_t[]){workgroup, facts->subgroup, 1},
                       .spec_count = 3},
            .workgroups = row.workgroups,
            .words = words},
        &status, &job->error);
    for (int i = 0; i < COPIES && timed && status == DEV_OK; i++) {
        struct dev_timing timing;
        status = dev_timed_run(timer, timed, job->request->timeout_ms, &timing, &job->error);
        // Do not take a wrong copy for a limit.
        if (status == DEV_OK && timing.ns > 0 &&
            !memcmp(input, timing.output, words * sizeof *input) &&
            words * 8.0 / timing.ns * 1e9 > job->copy)
            job->copy = words * 8.0 / timing.ns * 1e9;
    }
    if (status != DEV_LOST)
        dev_timed_destroy(timer, &timed);
    return status;
}

static enum dev_status measure_copy(struct job *job)
{
    static const uint32_t workgroups[] = {256, 1024};
    enum dev_status status = DEV_OK;
    const struct dev_facts *facts = dev_facts(job->dev);
    uint32_t words = facts->cpu ? COPIED_CPU : COPIED_GPU;
    while (words > COPIED_CPU / 4 && words > dev_most_words(job->dev))
        words /= 2;
    // The SIMT simulator's speed does not matter.
    if (!facts->subgroup || facts->subgroup > 128 || strstr(facts->name, "litmus simt"))
        words = BENCH_ELEMENTS;
    OWNED(lit_free) uint32_t *input = lit_alloc(words, sizeof *input);
    bench_input(job->request->seed, input, words);
    struct dev_timer *timer = dev_timer_create(job->dev, input, words, 0, &status, &job->error);
    for (size_t i = 0; timer && status == DEV_OK && i < sizeof workgroups / sizeof *workgroups; i++)
        if (words % (workgroups[i] * COPIED_EACH) == 0)
            status = time_copy(job, timer, words, workgroups[i], input);
    if (status != DEV_LOST && status != DEV_TIMEOUT)
        dev_timer_destroy(&timer);
    return status;
}

// --- A configuration at a scale

static void clear(struct job *job)
{
    dev_program_destroy(&job->program);
    dev_program_destroy(&job->single);
    eng_prepared_clear(&job->ready);
}

// False if the device does not support it.
static bool resolve(struct job *job, uint32_t scale)
{
    return eng_prepare(&(struct eng_prepare){.which = &job->which,
                                             .facts = dev_facts(job->dev),
                                             .scale = scale,
                                             .most_words = dev_most_words(job->dev)},
                       &job->ready, &job->error);
}

static enum dev_status make(struct job *job)
{
    enum dev_status status = DEV_OK;
    eng_prepare_data(&job->ready, job->request->seed);
    struct dev_program_info info = eng_program_info(&job->ready);
    info.timed = true;
    job->size = 1;
    job->each = 0;
    job->program = dev_program_create(job->dev, &info, &status, &job->error);
    info.single = true;
    info.timed = false;
    if (job->singles && job->program)
        job->single = dev_program_create(job->dev, &info, &status, &job->error);
    return status;
}

// --- Runs

static void add_run(const struct job *job, uint32_t index, struct bench_rate *rate)
{
    rate->runs++;
    rate->expired += job->expired[index];
    rate->failed += job->expired[index] ? 0 : job->runs[index].failed;
}

static enum dev_status run_batch(struct job *job, struct bench_rate *rate)
{
    struct dev_batch batch = {
        .first = job->next,
        .runs = job->size,
        .next_runs = job->each > 0 ? eng_batch_after(job->size, job->each * job->size) : 0,
        .submits = !dev_facts(job->dev)->cpu,
        .run = job->runs,
        .expired = job->expired};
    const double began = clock_now();
    const enum dev_status status =
        dev_program_run(job->program, &batch, job->request->timeout_ms, &job->error);
    job->next += batch.runs;
    if (status != DEV_OK)
        return status;
    if (batch.unchecked) {
        lit_fail(&job->error, LIT_EXIT_USAGE, "the checker did not check every word");
        return DEV_ERROR;
    }
    for (uint32_t i = 0; i < batch.runs; i++)
        add_run(job, i, rate);
    rate->fill_ns += batch.stages.fill;
    rate->test_ns += batch.stages.test;
    rate->check_ns += batch.stages.check;
    const double seconds = clock_now() - began;
    job->each = seconds / batch.runs;
    job->size = batch.next_runs ? batch.next_runs : eng_batch_after(batch.runs, seconds);
    return DEV_OK;
}

static enum dev_status run_single(struct job *job, bool compiles, struct bench_rate *rate)
{
    const enum dev_status status =
        dev_program_single(job->single, compiles, job->next++, &job->runs[0], &job->expired[0],
                           job->request->timeout_ms, &job->error);
    if (status == DEV_OK)
        add_run(job, 0, rate);
    return status;
}

// Runs for `seconds`, at least once.
static enum dev_status run_for(struct job *job, enum bench_form form, uint32_t round,
                               double seconds, struct bench_rate *rate)
{
    enum dev_status status = DEV_OK;
    const struct cat_shape *shape = &job->ready.shape;
    *rate = (struct bench_rate){
        .form = form,
        .round = round,
        .workgroups = shape->workgroups,
        .input_words = shape->input_words,
        .output_words = shape->instances * shape->words_per_instance,
        .state_words = shape->state_words,
        .instances = shape->instances,
        .stride = cat_check_stride(job->ready.mode.check),
        .slots = form == BENCH_BATCHED ? dev_program_slots(job->program) : 1,
        .subgroup = job->ready.args.subgroup,
        .copy = job->copy,
    };
    const double began = clock_now(), cpu = cpu_ns();
    do {
        status = form == BENCH_BATCHED ? run_batch(job, rate)
                                       : run_single(job, form == BENCH_COMPILED, rate);
        rate->wall_ns = (clock_now() - began) * 1e9;
    } while (status == DEV_OK && rate->wall_ns < seconds * 1e9);
    rate->cpu_ns = cpu_ns() - cpu;
    // It must not overlap with the next timed work.
    if (status == DEV_OK && job->singles)
        status = dev_program_drain(job->program, job->request->timeout_ms, &job->error);
    return status;
}

// --- How many workgroups fill the device

// Tries a scale. Sets *better and replaces *best if it is sufficiently faster.
static enum dev_status try_scale(struct job *job, uint32_t scale, double *best, bool *better)
{
    enum dev_status status = make(job);
    struct bench_rate rate = {0};
    *better = false;
    // Exclude what a driver compiles in the first dispatch.
    if (status == DEV_OK)
        status = run_for(job, BENCH_BATCHED, 0, 0, &rate);
    if (status == DEV_OK)
        status = run_for(job, BENCH_BATCHED, 0, SAMPLE, &rate);
    const double rated = (double)rate.runs * (double)rate.instances / rate.wall_ns;
    if (status != DEV_OK || rated < *best * WORTH)
        return status;
    *better = true;
    *best = rated;
    job->scale = scale;
    return DEV_OK;
}

// Resolves a scale; reduces it if the output would be too long. False if the device does not
// support it, or it is then no more than the last.
static bool resolve_within(struct job *job, uint32_t *scale, uint32_t last)
{
    const uint64_t most = dev_facts(job->dev)->cpu ? WORDS_CPU : WORDS_GPU;
    if (!resolve(job, *scale))
        return false;
    const uint64_t words = job->ready.shape.instances * job->ready.shape.words_per_instance;
    if (words <= most)
        return true;
    *scale = (uint32_t)((uint64_t)*scale * most / words);
    clear(job);
    return *scale > last && resolve(job, *scale);
}

static enum dev_status calibrate(struct job *job)
{
    enum dev_status status = DEV_OK;
    const bool cpu = dev_facts(job->dev)->cpu;
    uint32_t last = 0;
    double best = 0;
    unsigned worse = 0;
    job->scale = cpu ? SCALE_CPU : SCALE_GPU;
    // One slower scale may merely have left a cache.
    for (uint32_t scale = job->scale; scale <= SCALE_MOST && worse < 2; scale *= SCALE_STEP) {
        bool better = false;
        if (!resolve_within(job, &scale, last))
            break;
        last = scale;
        status = try_scale(job, scale, &best, &better);
        // Perhaps the device has too little memory for it.
        if (status == DEV_ERROR && best > 0)
            break;
        if (status != DEV_OK)
            return status;
        worse += !better;
        const uint64_t workgroups = job->ready.shape.workgroups;
        clear(job);
        // The test fixes the number of workgroups.
        if (workgroups != scale)
            break;
    }
    clear(job);
    return DEV_OK;
}

// --- Rounds

static enum dev_status run_rounds(struct job *job)
{
    enum dev_status status = DEV_OK;
    const struct eng_request *request = job->request;
    const int forms = job->singles ? BENCH_FORMS : 1;
    const double seconds = request->budget_ms * 1e-3 / (double)request->runs / forms;
    struct bench_rate warm = {0};
    for (int form = 0; form < forms && status == DEV_OK; form++)
        status = run_for(job, (enum bench_form)form, 0, seconds / 4, &warm);
    for (uint32_t round = 0; round < request->runs && status == DEV_OK; round++)
        for (int form = 0; form < forms && status == DEV_OK && !job->peer_closed; form++) {
            struct eng_event event = {.kind = ENG_EVENT_RATE};
            status = run_for(job, (enum bench_form)form, round, seconds, &event.rate);
            if (status == DEV_OK)
                job->peer_closed = !job->sink->emit(&event, job->sink->user);
        }
    return status;
}

static bool settle(struct job *job)
{
    const struct eng_request *request = job->request;
    job->singles = !strncmp(request->name, SINGLE, strlen(SINGLE));
    if (!request->runs || request->runs > BENCH_RATE_ROUNDS || !request->budget_ms ||
        request->elements > SCALE_MOST)
        return lit_fail(&job->error, LIT_EXIT_USAGE, "a benchmark of such a size is not possible");
    return cat_case_parse(request->name + strlen(job->singles ? SINGLE : THROUGHPUT), &job->which,
                          &job->error);
}

static enum dev_status work(struct job *job)
{
    enum dev_status status = measure_copy(job);
    const bool cpu = dev_facts(job->dev)->cpu;
    job->scale = job->request->elements ? (uint32_t)job->request->elements
                 : job->singles         ? (cpu ? SCALE_CPU : SCALE_GPU)
                                        : 0;
    if (status == DEV_OK && !job->scale)
        status = calibrate(job);
    if (status != DEV_OK)
        return status;
    if (!resolve(job, job->scale))
        return DEV_ERROR;
    status = make(job);
    return status == DEV_OK ? run_rounds(job) : status;
}

enum dev_status eng_throughput(struct dev *dev, const struct eng_request *request,
                               const struct eng_sink *sink)
{
    enum dev_status status = DEV_OK;
    OWNED(lit_free) struct job *job = lit_alloc(1, sizeof *job);
    job->dev = dev;
    job->request = request;
    job->sink = sink;
    if (!settle(job)) {
        eng_emit_end(sink, ENG_HARNESS_ERROR, &job->error);
    } else if (!resolve(job, (uint32_t)request->elements)) {
        eng_emit_end(sink, ENG_SKIP, &job->error);
    } else if (!dev_self_test(dev, 1u << job->ready.mode.check, request->timeout_ms, &status,
                              &job->error)) {
        eng_emit_end(sink, status == DEV_OK ? ENG_SKIP : eng_status_result(status, &job->error),
                     &job->error);
    } else {
        status = work(job);
        eng_emit_end(sink, eng_status_result(status, &job->error), &job->error);
    }
    // A driver may hang while it cleans up a lost device.
    if (status == DEV_OK || status == DEV_ERROR)
        clear(job);
    return status;
}
