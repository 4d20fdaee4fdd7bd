// SPDX-License-Identifier: Apache-2.0
// One configuration in the worker: what the device lacks for it, then its runs in batches, with a
// new pipeline from time to time.

#include "engine/measure.h"

#include "base/random.h"
#include "catalogue/ids.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAX_BATCH 256
#define PIPELINE_RUNS                                                                              \
    500                     // a pipeline is compiled anew after so many runs, if they took longer
                            // than compiling it did
#define BATCH_SECONDS  0.05 // batches grow until one takes so long
#define SCALE_CPU      8    // workgroups
#define SCALE_GPU      256
#define CHECKER_SILENT "the checker did not look at every word: checked on the host from here on"

struct job {
    const struct eng_measure *measure;
    const struct eng_request *request;
    const struct dev_facts *facts;
    struct cat_case which;
    struct cat_args args;
    const struct cat_oracle *oracle;
    struct cat_mode mode;
    const struct cat_module *module;
    struct cat_shape shape;
    bool steady, check_on_host;
    uint64_t stream; // the configuration's own seed
    uint32_t spec_ids[CAT_MAX_SWEEPS], spec_values[CAT_MAX_SWEEPS];
    size_t spec_count;
    uint32_t *input, *expected;

    struct dev_program *program;
    uint64_t program_runs;
    double compiling, running; // seconds: of this program's creation and first run, of the others
    bool has_digest;           // of a right run of this program
    uint32_t digest;
    struct timespec mark; // up to here the time is accounted for

    uint64_t next, end; // numbers of runs
    uint32_t seeds[MAX_BATCH];
    struct cat_run runs[MAX_BATCH];
    bool gave_up[MAX_BATCH];
    struct dev_batch batch;
    struct lit_error error;
};

static double since(const struct timespec *then)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - then->tv_sec) + (double)(now.tv_nsec - then->tv_nsec) * 1e-9;
}

static bool emit_text(const struct job *job, enum eng_event_kind kind, enum eng_result result,
                      const char *text)
{
    struct eng_event event = {.kind = kind, .result = result, .error_code = LIT_EXIT_USAGE};
    snprintf(event.text, sizeof event.text, "%s", text);
    return job->measure->emit(&event, job->measure->user);
}

// --- What the device lacks. These return false with the reason for a skip in job->error.

static bool check_features(struct job *job)
{
    const uint64_t missing = job->module->features & ~job->facts->features;
    struct text names = {0};
    for (int i = 0; i < CAT_FEATURE_COUNT; i++)
        if (missing >> i & 1)
            text_printf(&names, "%s%s", names.length ? ", " : "",
                        cat_feature_name((enum cat_feature)i));
    if (missing)
        lit_fail(&job->error, LIT_EXIT_NOTHING, "%s", names.data);
    text_free(&names);
    return !missing;
}

static bool check_subgroup(struct job *job)
{
    const struct dev_facts *facts = job->facts;
    const uint32_t size = job->args.subgroup;
    if (size == facts->subgroup)
        return true;
    if (!facts->subgroup_control || facts->subgroup_min == facts->subgroup_max)
        return lit_fail(&job->error, LIT_EXIT_NOTHING,
                        "subgroups of %" PRIu32 ": the device only runs %" PRIu32, size,
                        facts->subgroup);
    if (size < facts->subgroup_min || size > facts->subgroup_max)
        return lit_fail(&job->error, LIT_EXIT_NOTHING,
                        "subgroups of %" PRIu32 ": the device runs %" PRIu32 " to %" PRIu32, size,
                        facts->subgroup_min, facts->subgroup_max);
    return true;
}

static bool check_workgroup(struct job *job)
{
    const struct dev_facts *facts = job->facts;
    const uint32_t size = job->args.workgroup, subgroup = job->args.subgroup;
    if (size > facts->max_workgroup)
        return lit_fail(&job->error, LIT_EXIT_NOTHING,
                        "workgroup of %" PRIu32 " > maxComputeWorkGroupInvocations %" PRIu32, size,
                        facts->max_workgroup);
    if (!size || size % subgroup)
        return lit_fail(&job->error, LIT_EXIT_NOTHING,
                        "workgroup of %" PRIu32 " is no multiple of the subgroup size %" PRIu32,
                        size, subgroup);
    if (facts->max_subgroups && size / subgroup > facts->max_subgroups)
        return lit_fail(&job->error, LIT_EXIT_NOTHING,
                        "workgroup of %" PRIu32
                        " subgroups > maxComputeWorkgroupSubgroups %" PRIu32,
                        size / subgroup, facts->max_subgroups);
    return true;
}

static void read_sweeps(struct job *job)
{
    const struct cat_head *head = &job->which.test->head;
    for (size_t i = 0; i < head->sweep_count; i++) {
        const uint32_t value = cat_case_sweep(&job->which, i);
        if (!strcmp(head->sweeps[i].name, "workgroup"))
            job->args.workgroup = value;
        if (head->sweeps[i].spec_id < 0)
            continue;
        job->spec_ids[job->spec_count] = (uint32_t)head->sweeps[i].spec_id;
        job->spec_values[job->spec_count++] = value;
    }
}

// The most words for a buffer: input and expectation lie in the host's memory, too.
static uint64_t most_words(const struct job *job)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    const uint64_t device = dev_most_words(job->measure->dev);
    const uint64_t host = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page / 16 : device;
    return host < device ? host : device;
}

static bool check_memory(struct job *job)
{
    const struct cat_shape *shape = &job->shape;
    const uint64_t stride = job->oracle->check == CAT_CHECK_MASK ? 4 : 1;
    const uint64_t expected = shape->instances * shape->words_per_instance * stride;
    const uint64_t most = shape->input_words > expected ? shape->input_words : expected;
    if (most > job->args.most_words)
        return lit_fail(&job->error, LIT_EXIT_NOTHING,
                        "buffers of %" PRIu64 " bytes: there is memory for %" PRIu64, most * 4,
                        job->args.most_words * 4);
    return true;
}

static bool resolve(struct job *job)
{
    if (!job->which.subgroup)
        job->which.subgroup = job->facts->subgroup;
    job->oracle = job->which.test->oracle;
    job->mode = cat_mode_of(job->oracle);
    job->module = job->measure->own ? job->measure->own->module : cat_case_module(&job->which);
    job->args = (struct cat_args){
        .subgroup = job->which.subgroup,
        .scale = job->measure->scale ? job->measure->scale
                 : job->facts->cpu   ? SCALE_CPU
                                     : SCALE_GPU,
        .which = &job->which,
        .most_words = most_words(job),
        .most_workgroups = job->facts->max_workgroups,
    };
    read_sweeps(job);
    if (!check_subgroup(job))
        return false;
    if (!job->module)
        return lit_fail(&job->error, LIT_EXIT_NOTHING,
                        "no module was built for subgroups of %" PRIu32, job->args.subgroup);
    return check_features(job) && check_workgroup(job) &&
           job->oracle->shape(&job->args, &job->shape, &job->error) &&
           dev_shape_fits(job->facts, job->oracle->check, &job->shape, &job->error) &&
           check_memory(job);
}

// --- Runs

static void fill_data(struct job *job)
{
    struct text name = {0};
    cat_case_name(&job->which, &name);
    job->stream = random_derive(job->request->seed, name.data);
    text_free(&name);

    const struct cat_shape *shape = &job->shape;
    const size_t stride = cat_check_stride(job->oracle->check);
    job->input = lit_alloc(shape->input_words, sizeof *job->input);
    job->expected = lit_alloc(shape->instances * shape->words_per_instance, stride * 4);
    if (job->oracle->input && shape->input_words)
        job->oracle->input(&job->args, shape, job->stream, job->input);
    job->oracle->expect(&job->args, shape, job->input, job->expected);
    job->steady = job->oracle->steady && job->oracle->steady(&job->args);
}

static enum dev_status make_program(struct job *job)
{
    enum dev_status status = DEV_OK;
    const uint32_t *words = job->measure->own ? job->measure->own->words
                                              : cat_module_words(job->which.test, job->module);
    size_t count = job->module->count;
    uint32_t *named = NULL;
    if (job->measure->named)
        words = named = cat_ids_insert(words, count, cat_module_names(job->which.test, job->module),
                                       job->module->names_size, &count);
    dev_program_destroy(&job->program);
    job->program_runs = 0;
    job->compiling = job->running = 0;
    job->has_digest = false;
    job->program = dev_program_create(job->measure->dev,
                                      &(struct dev_program_info){
                                          .words = words,
                                          .word_count = count,
                                          .subgroup = job->args.subgroup,
                                          .spec_ids = job->spec_ids,
                                          .spec_values = job->spec_values,
                                          .spec_count = job->spec_count,
                                          .mode = job->mode,
                                          .shape = job->shape,
                                          .input = job->input,
                                          .expected = job->expected,
                                          .check_on_host = job->check_on_host,
                                          .batch = MAX_BATCH,
                                      },
                                      &status, &job->error);
    free(named);
    return status;
}

// Only the run's number counts: a run that is done again, or resumed, has its seed again.
static uint32_t run_seed(const struct job *job, uint64_t run)
{
    struct lit_random random = {.state = job->stream + run};
    return (uint32_t)random_next(&random);
}

static enum dev_status run_batch(struct job *job, uint32_t runs)
{
    for (uint32_t i = 0; i < runs; i++)
        job->seeds[i] = run_seed(job, job->next + i);
    job->batch = (struct dev_batch){.runs = runs, .run = job->runs, .gave_up = job->gave_up};
    enum dev_status status = dev_program_run(job->program, job->seeds, &job->batch,
                                             job->request->timeout_ms, &job->error);
    if (status != DEV_OK || !job->batch.unchecked)
        return status;

    // What the device says cannot be relied on: the same runs again, seen by the host.
    emit_text(job, ENG_EVENT_MESSAGE, ENG_PASS, CHECKER_SILENT);
    job->check_on_host = true;
    status = make_program(job);
    if (status == DEV_OK)
        status = dev_program_run(job->program, job->seeds, &job->batch, job->request->timeout_ms,
                                 &job->error);
    return status;
}

static void add_failure(const struct job *job, const struct cat_failure *at, const char *where,
                        struct eng_count *count)
{
    if (count->failure_count == ENG_MAX_FAILURES)
        return;
    struct eng_failure *failure = &count->failures[count->failure_count++];
    *failure = (struct eng_failure){.at = *at};
    failure->at.run += job->next;
    if (where)
        snprintf(failure->where, sizeof failure->where, "%s", where);
    else if (job->oracle->where)
        job->oracle->where(&job->args, &job->shape, &failure->at, failure->where,
                           sizeof failure->where);
}

// A steady configuration has to store the same words in every run of a pipeline, even where several
// are allowed: one of the run's good instances becomes one that varied.
static void judge_steadiness(struct job *job, uint32_t index, struct eng_count *count)
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
        if (!cat_mode_fails(&job->mode, i) && run->outcomes[i] > run->outcomes[good])
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
                "digest of all words, against the pipeline's first run", count);
}

static void count_run(struct job *job, uint32_t index, struct eng_count *count)
{
    struct cat_run *run = &job->runs[index];
    const uint64_t instances = job->shape.instances;
    count->runs++;
    count->instances += instances;
    if (job->gave_up[index]) {
        count->no_progress_runs++;
        count->outcomes[CAT_NO_PROGRESS] += instances;
        return;
    }
    for (size_t i = 0; i < job->batch.failure_count; i++)
        if (job->batch.failures[i].run == index)
            add_failure(job, &job->batch.failures[i], NULL, count);
    if (job->steady && !run->failed)
        judge_steadiness(job, index, count);
    for (size_t i = 0; i < CAT_OUTCOMES; i++)
        count->outcomes[i] += run->outcomes[i];
    count->failed_instances += run->failed;
    count->failed_runs += run->failed != 0;
    if (run->failed && job->next + index == 0)
        count->first_run_failed = true;
}

// The next batch is as large as the last one's time allows.
static uint32_t next_size(uint32_t runs, double seconds)
{
    if (seconds < BATCH_SECONDS)
        return runs < MAX_BATCH / 2 ? runs * 2 : MAX_BATCH;
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

// All runs, batch by batch; *total is what they add up to.
static enum dev_status run_all(struct job *job, struct eng_count *total)
{
    uint32_t size = 1;
    while (job->next < job->end) {
        enum dev_status status = DEV_OK;
        struct timespec start;
        clock_gettime(CLOCK_MONOTONIC, &start);
        if (!job->program || program_is_old(job))
            status = make_program(job);
        if (status != DEV_OK)
            return status;

        // Some drivers compile within the first dispatch.
        const bool fresh = job->program_runs == 0;
        const uint32_t runs = fresh ? 1 : at_most(job->end - job->next, size);
        status = run_batch(job, runs);
        if (status != DEV_OK)
            return status;
        const double seconds = since(&start);
        *(fresh ? &job->compiling : &job->running) += seconds;

        struct eng_event event = {.kind = ENG_EVENT_BATCH};
        for (uint32_t i = 0; i < runs; i++)
            count_run(job, i, &event.count);
        event.count.seconds = since(&job->mark);
        clock_gettime(CLOCK_MONOTONIC, &job->mark);
        eng_count_add(total, &event.count);
        if (!job->measure->emit(&event, job->measure->user))
            return DEV_OK;
        job->next += runs;
        job->program_runs += runs;
        if (!fresh)
            size = next_size(size, seconds);
    }
    return DEV_OK;
}

enum dev_status eng_measure(const struct eng_measure *measure, const struct eng_request *request)
{
    enum dev_status status = DEV_OK;
    struct eng_count total = {0};
    struct job *job = lit_alloc(1, sizeof *job);
    job->measure = measure;
    job->request = request;
    job->facts = dev_facts(measure->dev);
    job->check_on_host = measure->check_on_host;
    job->next = request->first;
    job->end = request->first + request->runs;
    clock_gettime(CLOCK_MONOTONIC, &job->mark);

    if (measure->own) {
        job->which = *measure->own->which;
    } else if (!cat_case_parse(request->name, &job->which, &job->error)) {
        emit_text(job, ENG_EVENT_ERROR, ENG_HARNESS_ERROR, job->error.message);
        goto done;
    }
    if (!resolve(job)) {
        emit_text(job, ENG_EVENT_DONE, ENG_SKIP, job->error.message);
        goto done;
    }
    fill_data(job);
    status = run_all(job, &total);
    switch (status) {
    case DEV_OK:
        emit_text(job, ENG_EVENT_DONE, eng_verdict(&total), "");
        break;
    case DEV_LOST:
        emit_text(job, ENG_EVENT_DONE, ENG_DEVICE_LOST, job->error.message);
        break;
    case DEV_TIMEOUT:
        emit_text(job, ENG_EVENT_DONE, ENG_HANG, job->error.message);
        break;
    case DEV_ERROR:
        emit_text(job, ENG_EVENT_DONE, ENG_HARNESS_ERROR, job->error.message);
        break;
    }
    // A driver may hang in cleaning up what it lost.
    if (status != DEV_LOST)
        dev_program_destroy(&job->program);
done:
    free(job->input);
    free(job->expected);
    free(job);
    return status;
}
