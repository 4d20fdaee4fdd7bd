// SPDX-License-Identifier: Apache-2.0
// Runs the plan: one worker at a time, one configuration after another, a verdict for each.

#include "engine/supervisor.h"

#include "engine/interrupt.h"
#include "engine/plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct supervisor {
    const struct eng_run *run;
    struct eng_watch watch;
    struct eng_tally *tally;
    struct lit_error *error;
    // Of the present device:
    const struct eng_device *device;
    struct eng_worker *worker; // with the device open; NULL: none
    bool stored;               // the device is in the store
    bool wedged;               // a worker outlived SIGKILL
    bool unfit;                // it refuses to be opened, and would again
    char fault[512];           // why it could not be opened last time
    unsigned losses, hangs;    // in a row
    struct eng_progress_state state;
};

// How a step ended: whether the run goes on.
enum step { STEP_ON, STEP_QUEUE_STOPS, STEP_TIME, STEP_SIGNAL, STEP_STORE };

__attribute__((format(printf, 2, 3))) static void say(struct supervisor *s, const char *format, ...)
{
    char line[1024], safe[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    text_sanitise(safe, sizeof safe, line);
    eng_progress_clear(s->run->progress);
    s->run->say(safe, s->run->user);
}

static void watch_say(const char *line, void *user)
{
    say(user, "  driver: %s", line);
}

static void watch_tick(void *user)
{
    struct supervisor *s = user;
    if (s->state.name)
        eng_progress_show(s->run->progress, &s->state, eng_now());
}

static void end_worker(struct supervisor *s, bool at_once)
{
    if (!eng_worker_end(&s->worker, at_once))
        s->wedged = true;
}

// Opening a device

static bool put_device(struct supervisor *s, const char *checker)
{
    if (s->stored)
        return true;
    s->stored = store_device_put(s->run->store, s->run->session, s->device->number,
                                 &s->device->facts, checker, s->error);
    return s->stored;
}

// Reads the answer to OPEN. `reason` says why the device is not open, "" if it is.
static enum eng_wait await_open(struct supervisor *s, char checker[600], char reason[512])
{
    struct eng_event event;
    char id[17];
    snprintf(checker, 600, "device");
    for (;;) {
        enum eng_wait wait = eng_worker_wait(s->worker, &event, reason);
        if (wait != ENG_WAIT_EVENT)
            return wait;
        switch (event.kind) {
        case ENG_EVENT_OPENED:
            dev_facts_id(&event.facts, id);
            if (strcmp(id, s->device->id) != 0)
                snprintf(reason, 512, "another device is there now: %.200s", event.facts.name);
            if (event.host_checker)
                snprintf(checker, 600, "host: %s", event.text);
            if (reason[0])
                return wait;
            break;
        case ENG_EVENT_MESSAGE:
            say(s, "  %s", event.text);
            break;
        case ENG_EVENT_DONE:
            return wait;
        case ENG_EVENT_ERROR:
            snprintf(reason, 512, "%s", event.text[0] ? event.text : "it cannot be opened");
            // Once it was open, it is a device that went away.
            s->unfit = event.error_code != LIT_EXIT_DEVICE_LOST && !s->stored;
            return wait;
        case ENG_EVENT_DEVICE:
        case ENG_EVENT_BATCH:
            break;
        }
    }
}

static enum step open_once(struct supervisor *s, char reason[512])
{
    struct lit_error error = {0};
    char checker[600];
    s->worker = eng_worker_start(&s->watch, s->device->manifest, &error);
    if (!s->worker) {
        snprintf(reason, 512, "%s", error.message);
        return STEP_ON;
    }
    eng_worker_ask(s->worker,
                   &(struct eng_request){.kind = ENG_OPEN,
                                         .index = s->device->index,
                                         .validation = s->run->validation,
                                         .timeout_ms = eng_batch_limit_ms(&s->run->policy)});
    enum eng_wait wait = await_open(s, checker, reason);
    if (wait == ENG_WAIT_EVENT && !reason[0]) {
        bool first = !s->stored;
        if (!put_device(s, checker))
            return STEP_STORE;
        if (first && strcmp(checker, "device") != 0)
            say(s, "  results are checked on the %s", checker);
        return STEP_ON;
    }
    end_worker(s, wait != ENG_WAIT_EVENT);
    if (wait == ENG_WAIT_TIME)
        return STEP_TIME;
    return wait == ENG_WAIT_INTERRUPTED ? STEP_SIGNAL : STEP_ON;
}

// Sees to it that there is a worker with the device open.
static enum step ensure_open(struct supervisor *s)
{
    while (!s->worker && !s->wedged && !s->unfit && s->losses < ENG_LOSSES) {
        s->fault[0] = '\0';
        enum step step = open_once(s, s->fault);
        if (step != STEP_ON || s->worker)
            return step;
        s->losses = eng_losses_after(s->losses, ENG_DEVICE_LOST);
        // A device that resets is away for a moment.
        if (!s->unfit && s->losses < ENG_LOSSES)
            sleep(1);
    }
    return s->worker ? STEP_ON : STEP_QUEUE_STOPS;
}

// One configuration

struct measure {
    const struct cat_case *which;
    struct store_result row;
    struct text name;
    enum cat_expectation expectation;
    enum eng_result result;
    char reason[512];
};

static void measure_begin(struct supervisor *s, struct measure *m, const struct cat_case *which)
{
    const struct cat_module *module = cat_case_module(which);
    *m = (struct measure){.which = which, .result = ENG_PARTIAL};
    cat_case_name(which, &m->name);
    m->expectation = cat_case_expectation(which, NULL);
    m->row = (struct store_result){
        .name = m->name.data,
        .device = (char *)s->device->id,
        .reason = m->reason,
        .expectation = (char *)cat_expectation_name(m->expectation),
        .sha256 = module ? (char *)module->sha256 : (char *)"",
        .headline = which->test->head.headline ? which->test->head.headline : (char *)"",
        .seed = s->run->seed,
        .mode = cat_mode_of(which->test->oracle),
    };
}

static bool put(struct supervisor *s, struct measure *m)
{
    m->row.result = (char *)eng_result_name(m->result);
    return store_result_put(s->run->store, s->run->session, &m->row, s->error);
}

static void show(struct supervisor *s, const struct measure *m)
{
    s->state = (struct eng_progress_state){.name = m->row.name,
                                           .runs = m->row.count.runs,
                                           .of = s->run->runs,
                                           .failed = m->row.count.failed_runs};
    eng_progress_show(s->run->progress, &s->state, eng_now());
}

static void conclude_done(const struct eng_run *run, struct measure *m,
                          const struct eng_event *event)
{
    static const bool worker_says[ENG_RESULTS] = {
        [ENG_SKIP] = true,        [ENG_HANG] = true,          [ENG_CRASH] = true,
        [ENG_DEVICE_LOST] = true, [ENG_HARNESS_ERROR] = true,
    };
    char done[32], asked[32];
    m->result = worker_says[event->result] ? event->result : eng_verdict(&m->row.count);
    snprintf(m->reason, sizeof m->reason, "%s", event->text);
    if (!worker_says[event->result] && m->row.count.runs != run->runs) {
        m->result = ENG_HARNESS_ERROR;
        snprintf(m->reason, sizeof m->reason, "the worker stopped after %s of %s runs",
                 text_count(done, m->row.count.runs), text_count(asked, run->runs));
    }
}

// The configuration is over, but not by a DONE. Sets the verdict.
static enum step conclude_wait(struct measure *m, enum eng_wait wait)
{
    switch (wait) {
    case ENG_WAIT_GONE:
        m->result = ENG_CRASH;
        break;
    case ENG_WAIT_HUNG:
        m->result = ENG_HANG;
        break;
    case ENG_WAIT_NONSENSE:
        m->result = ENG_HARNESS_ERROR;
        break;
    case ENG_WAIT_TIME:
        return STEP_TIME;
    case ENG_WAIT_INTERRUPTED:
        return STEP_SIGNAL;
    case ENG_WAIT_EVENT:
        break;
    }
    return STEP_ON;
}

static bool batch_is_sane(const struct supervisor *s, const struct measure *m,
                          const struct eng_count *batch)
{
    return batch->runs > 0 && batch->runs <= s->run->runs - m->row.count.runs &&
           batch->failed_runs <= batch->runs && batch->no_progress_runs <= batch->runs;
}

// Reads the events of one RUN until the configuration is over. *over is false if the run stops and
// the configuration stays partial.
static enum step follow(struct supervisor *s, struct measure *m, bool *over)
{
    struct eng_event event;
    for (;;) {
        enum eng_wait wait = eng_worker_wait(s->worker, &event, m->reason);
        *over = wait != ENG_WAIT_TIME && wait != ENG_WAIT_INTERRUPTED;
        if (wait != ENG_WAIT_EVENT) {
            end_worker(s, true);
            return conclude_wait(m, wait);
        }
        switch (event.kind) {
        case ENG_EVENT_BATCH:
            if (!batch_is_sane(s, m, &event.count)) {
                end_worker(s, true);
                m->result = ENG_HARNESS_ERROR;
                snprintf(m->reason, sizeof m->reason, "the worker's counts make no sense");
                return STEP_ON;
            }
            eng_count_add(&m->row.count, &event.count);
            if (!put(s, m))
                return STEP_STORE;
            show(s, m);
            break;
        case ENG_EVENT_DONE:
            conclude_done(s->run, m, &event);
            return STEP_ON;
        case ENG_EVENT_ERROR:
            m->result = ENG_HARNESS_ERROR;
            snprintf(m->reason, sizeof m->reason, "%s", event.text);
            return STEP_ON;
        case ENG_EVENT_MESSAGE:
            say(s, "  %s: %s", m->row.name, event.text);
            break;
        case ENG_EVENT_DEVICE:
        case ENG_EVENT_OPENED:
            break;
        }
    }
}

static void report_end(struct supervisor *s, const struct measure *m)
{
    bool always = m->result == ENG_HANG || m->result == ENG_CRASH || m->result == ENG_DEVICE_LOST;
    if (always || s->run->verbose)
        say(s, "  %s: %s%s%s", eng_result_name(m->result), m->row.name, m->reason[0] ? ": " : "",
            m->reason);
}

static enum step run_case(struct supervisor *s, struct measure *m)
{
    bool over = true;
    enum step step = STEP_ON;
    show(s, m);
    if (!cat_case_module(m->which)) {
        m->result = ENG_SKIP;
        snprintf(m->reason, sizeof m->reason,
                 m->which->test->head.size_count
                     ? "built without a module for subgroups of %u"
                     : "built by an assembler that does not know what it needs",
                 m->which->subgroup);
    } else if (m->row.count.runs >= s->run->runs) {
        m->result = eng_verdict(&m->row.count);
    } else {
        step = ensure_open(s);
        if (step != STEP_ON)
            return step;
        struct eng_request request = {.kind = ENG_RUN,
                                      .first = m->row.count.runs,
                                      .runs = s->run->runs - m->row.count.runs,
                                      .seed = s->run->seed,
                                      .timeout_ms = eng_batch_limit_ms(&s->run->policy)};
        snprintf(request.name, sizeof request.name, "%s", m->row.name);
        eng_worker_ask(s->worker, &request);
        step = follow(s, m, &over);
    }
    if (step == STEP_STORE)
        return step;
    // Nothing is known yet of a configuration that was stopped before its first batch.
    if ((over || m->row.count.runs > 0) && !put(s, m))
        return STEP_STORE;
    if (over || m->row.count.runs > 0)
        eng_tally_add(s->tally, m->result, m->expectation, &m->row.count);
    if (over)
        report_end(s, m);
    if (m->result == ENG_HANG || m->result == ENG_DEVICE_LOST)
        end_worker(s, true);
    s->losses = eng_losses_after(s->losses, m->result);
    s->hangs = eng_hangs_after(s->hangs, m->result);
    return step;
}

// One device

// Reads what the session already knows of a configuration. True if it is done.
static bool recall(struct supervisor *s, struct measure *m)
{
    struct store_result known = {0};
    struct lit_error error = {0};
    if (!store_result_get(s->run->store, s->run->session, s->device->id, m->row.name, &known,
                          &error))
        return false;
    enum eng_result result = 0;
    while (result < ENG_RESULTS && strcmp(eng_result_name(result), known.result) != 0)
        result++;
    bool done = result < ENG_PARTIAL;
    m->row.count = known.count;
    m->result = done ? result : ENG_PARTIAL;
    store_result_clear(&known);
    return done;
}

struct queue {
    struct eng_plan plan;
    bool *done; // by an earlier run of this session
    size_t before;
};

// Makes the device's plan and counts what an earlier run has done of it.
static void queue_make(struct supervisor *s, struct queue *queue)
{
    const struct eng_run *run = s->run;
    eng_plan_make(&queue->plan, run->selection, &s->device->facts, run->shuffle, run->seed);
    queue->done = lit_alloc(queue->plan.count + 1, sizeof *queue->done);
    for (size_t i = 0; i < queue->plan.count; i++) {
        struct measure m;
        measure_begin(s, &m, &queue->plan.cases[i]);
        queue->done[i] = recall(s, &m);
        if (queue->done[i]) {
            eng_tally_add(s->tally, m.result, m.expectation, &m.row.count);
            queue->before++;
        }
        text_free(&m.name);
    }
    s->tally->planned += queue->plan.count;
    run->progress->total += queue->plan.count;
    run->progress->done += queue->before;
    run->progress->before += queue->before;
}

static void queue_clear(struct queue *queue)
{
    eng_plan_clear(&queue->plan);
    free(queue->done);
}

static bool queue_must_stop(const struct supervisor *s)
{
    return s->wedged || s->losses >= ENG_LOSSES || s->hangs >= ENG_HANGS;
}

static void say_stopped(struct supervisor *s, size_t left)
{
    char number[32];
    const char *why = "it was lost three times in a row";
    if (s->wedged)
        why = "a worker cannot be killed, the driver hangs in the kernel";
    else if (s->fault[0])
        why = "it cannot be opened";
    else if (s->hangs >= ENG_HANGS)
        why = "it hung ten times in a row";
    say(s, "  device %u stops: %s%s%s; not run: %s configuration%s", s->device->number, why,
        s->fault[0] ? ": " : "", s->fault, text_count(number, left), left == 1 ? "" : "s");
}

static enum step run_queue(struct supervisor *s, const struct queue *queue)
{
    size_t left = queue->plan.count - queue->before;
    enum step step = left ? ensure_open(s) : STEP_ON;
    for (size_t i = 0; i < queue->plan.count && step == STEP_ON; i++) {
        if (queue->done[i])
            continue;
        struct measure m;
        measure_begin(s, &m, &queue->plan.cases[i]);
        recall(s, &m);
        step = run_case(s, &m);
        s->state.name = NULL;
        text_free(&m.name);
        if (step != STEP_ON)
            break;
        s->run->progress->done++;
        if (--left > 0 && queue_must_stop(s))
            step = STEP_QUEUE_STOPS;
    }
    end_worker(s, step != STEP_ON);
    if (step == STEP_QUEUE_STOPS)
        say_stopped(s, left);
    return step;
}

static enum step run_device(struct supervisor *s, const struct eng_device *device,
                            const struct queue *queue)
{
    s->device = device;
    s->stored = s->wedged = s->unfit = false;
    s->fault[0] = '\0';
    s->losses = s->hangs = 0;
    eng_progress_clear(s->run->progress);
    s->run->header(device, queue->plan.count, queue->before, s->run->user);
    enum step step = run_queue(s, queue);
    if (step != STEP_QUEUE_STOPS)
        return step;
    if (s->unfit)
        s->tally->unopened++;
    else
        s->tally->stopped++;
    return STEP_ON;
}

enum eng_stop eng_supervise(const struct eng_run *run, struct eng_tally *tally,
                            struct lit_error *error)
{
    struct supervisor s = {.run = run, .tally = tally, .error = error};
    s.watch = (struct eng_watch){.policy = run->policy,
                                 .started = run->started,
                                 .verbose = run->verbose,
                                 .say = watch_say,
                                 .tick = watch_tick,
                                 .user = &s};
    struct queue *queues = lit_alloc(run->inventory->count + 1, sizeof *queues);
    for (size_t i = 0; i < run->inventory->count; i++) {
        s.device = &run->inventory->devices[i];
        if (run->chosen[i])
            queue_make(&s, &queues[i]);
    }
    enum step step = STEP_ON;
    for (size_t i = 0; i < run->inventory->count && step == STEP_ON; i++)
        if (run->chosen[i])
            step = run_device(&s, &run->inventory->devices[i], &queues[i]);
    eng_progress_clear(run->progress);
    for (size_t i = 0; i < run->inventory->count; i++)
        queue_clear(&queues[i]);
    free(queues);
    switch (step) {
    case STEP_TIME:
        tally->out_of_time = true;
        return ENG_STOP_TIME;
    case STEP_SIGNAL:
        return ENG_STOP_SIGNAL;
    case STEP_STORE:
        return ENG_STOP_STORE;
    case STEP_ON:
    case STEP_QUEUE_STOPS:
        break;
    }
    return ENG_STOP_NOT;
}
