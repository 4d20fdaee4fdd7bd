// SPDX-License-Identifier: Apache-2.0
// Runs one device's queue: one worker at a time, one verdict for each configuration.

#include "engine/queue.h"

#include "base/clock.h"

#include <stdarg.h>
#include <unistd.h>

#define UNCLOSED "the driver does not close the device (vkDestroyDevice): %s"

#define PUT_SECONDS 0.1 // batches within it share a commit

static const struct eng_run *run_of(const struct eng_queue *q)
{
    return q->workers->run;
}

// Prints a remark; `named` adds the device's name if several devices run.
__attribute__((format(__printf__, 3, 4))) static void say(struct eng_queue *q, bool named,
                                                          const char *format, ...)
{
    char line[1024], safe[1024];
    va_list arguments;
    va_start(arguments, format);
    int used = named && q->workers->count > 1
                   ? snprintf(line, sizeof line, "  device %u: ", q->device->number)
                   : snprintf(line, sizeof line, "  ");
    vsnprintf(line + used, sizeof line - (size_t)used, format, arguments);
    va_end(arguments);
    text_sanitise(safe, sizeof safe, line);
    eng_progress_clear(run_of(q)->progress);
    run_of(q)->watch->say(safe, run_of(q)->watch->user);
}

static void show_progress(struct eng_queue *q)
{
    eng_progress_show(run_of(q)->progress, q->workers->progress, q->workers->count, clock_now());
}

static void worker_ended(const char *ending, void *user)
{
    struct eng_queue *q = user;
    char line[512];
    struct lit_error error = {0};
    eng_precompile_forget(&q->precompile);
    if (!ending[0])
        return;
    say(q, true, UNCLOSED, ending);
    q->workers->tally->unclosed++;
    snprintf(line, sizeof line, "%s: " UNCLOSED, q->device->facts.name, ending);
    if (!store_session_note(run_of(q)->store, run_of(q)->session, line, true, &error))
        say(q, false, "%s", error.message);
}

// Makes a software device wait until its next run is compatible with the runs on the others.
static void take_place(struct eng_queue *q, const struct cat_case *which)
{
    struct eng_workers *workers = q->workers;
    if (!q->device->facts.cpu)
        return;
    *q->place = (struct eng_place){.state = ENG_PLACE_WAITS,
                                   .alone = which->test->oracle->needs_progress,
                                   .ticket = workers->tickets++};
    while (
        !eng_pool_stops(&workers->pool) &&
        !eng_share_may_run(workers->places, workers->count, (size_t)(q->place - workers->places)))
        clock_wait(&workers->pool.changed, &workers->pool.lock);
    q->place->state = ENG_PLACE_RUNS;
}

static void leave_place(struct eng_queue *q)
{
    q->place->state = ENG_PLACE_NONE;
    pthread_cond_broadcast(&q->workers->pool.changed);
}

// Stops all queues if one cannot write. Returns `written`.
static bool heed(struct eng_queue *q, bool written, const struct lit_error *error)
{
    if (!written && !atomic_exchange(&q->workers->pool.stop, true))
        *q->workers->error = *error;
    return written;
}

// Opening a device

static bool put_device(struct eng_queue *q, const char *checker)
{
    const bool host = strcmp(checker, "device") != 0;
    if (q->stored && (!host || q->on_host))
        return true;
    struct lit_error error = {0};
    q->stored = heed(q,
                     store_device_put(run_of(q)->store, run_of(q)->session, q->device->number,
                                      &q->device->facts, checker, &error),
                     &error);
    q->on_host = host;
    if (q->stored && host)
        say(q, true, "results are checked on the %s", checker);
    return q->stored;
}

// A queue that the others stop, because the store cannot be written, ends as at a signal.
static enum eng_stop stop_of(enum eng_end end)
{
    static const enum eng_stop stops[] = {[ENG_END_RAN] = ENG_STOP_NOT,
                                          [ENG_END_STOPS] = ENG_STOP_QUEUE,
                                          [ENG_END_UNFIT] = ENG_STOP_QUEUE,
                                          [ENG_END_TIME] = ENG_STOP_TIME,
                                          [ENG_END_SIGNAL] = ENG_STOP_SIGNAL};
    return stops[end];
}

// Makes sure that a worker has the device open and has tried the checker in the configuration's
// mode. Trying all modes would make a software device compile for seconds before the first result.
static enum eng_stop ensure_open(struct eng_queue *q, size_t place)
{
    const struct cat_case *which = &q->plan.cases[place];
    // The host checks drawn programs.
    const uint32_t check =
        cat_test_draws(which->test) ? 0 : UINT32_C(1) << cat_test_mode(which->test).check;
    struct eng_outcome outcome = {0};
    q->present = place;
    const enum eng_end end = eng_client_open(&q->client, check, &outcome);
    if (end == ENG_END_RAN)
        return put_device(q, q->client.checker) ? ENG_STOP_NOT : ENG_STOP_STORE;
    snprintf(q->fault, sizeof q->fault, "%s", outcome.reason);
    return stop_of(end);
}

// One configuration

struct eng_measured {
    const struct cat_case *which;
    struct eng_record record;
    struct result *kept;        // the record's
    struct eng_records records; // it alone
    struct text shown;          // its id and label; empty until it runs
    bool failed;                // the harness failed, not the driver
    bool unclear;               // it failed while the worker may have been compiling another one
    bool aside;                 // its later pipelines are precompiled, too
    struct eng_rule rule;
    uint64_t target; // total runs when the present request is done
};

static void measure_begin(struct eng_queue *q, struct eng_measured *m, const struct cat_case *which)
{
    const struct eng_run *run = run_of(q);
    OWNED(text_free) struct text name = {0};
    *m = (struct eng_measured){.which = which,
                               .kept = &m->record.kept,
                               .records = {run->store, run->session, PUT_SECONDS, 0, &m->record, 1},
                               .rule = q->rule};
    cat_case_name(which, &name);
    eng_record_begin(m->kept, name.data, which, q->device, run->seed);
    const uint64_t runs =
        run->weigh ? run->weigh(q->device, m->kept->name, run->runs, run->user) : run->runs;
    eng_shard_runs(&run->shard, runs, &m->kept->first, &m->rule.least);
    free(m->kept->rule);
    m->kept->rule = lit_strdup(q->rule_text);
    m->target = m->rule.least;
    eng_stress_choose(run_of(q)->stress, run_of(q)->seed, which, m->kept->name, q->device,
                      m->kept->stress);
}

static void forget_evidence(struct eng_measured *m)
{
    for (size_t i = ENG_EVIDENCE_CHECK + 1; i < ENG_EVIDENCES; i++) {
        free(m->kept->evidence[i]);
        m->kept->evidence[i] = NULL;
    }
}

static void measure_clear(struct eng_measured *m)
{
    eng_result_clear(m->kept);
    text_free(&m->shown);
}

static bool put(struct eng_queue *q, struct eng_measured *m)
{
    struct lit_error error = {0};
    m->record.changed = true;
    return heed(q, eng_records_put(&m->records, &error), &error);
}

// Stores the waiting batches. Call before anything that may take long.
static bool put_rest(struct eng_queue *q, struct eng_measured *m)
{
    return m->records.due == 0 || put(q, m);
}

static void show(struct eng_queue *q, const struct eng_measured *m)
{
    q->progress->name = m->shown.data;
    q->progress->runs = m->kept->count.runs;
    q->progress->of = m->target;
    q->progress->failed = m->kept->count.failed_runs;
    show_progress(q);
}

// Waits for the worker while the other queues have the lock

static void watch_say(const char *line, void *user)
{
    struct eng_queue *q = user;
    pthread_mutex_lock(&q->workers->pool.lock);
    say(q, true, "driver: %s", line);
    pthread_mutex_unlock(&q->workers->pool.lock);
}

static void watch_tick(void *user)
{
    struct eng_queue *q = user;
    pthread_mutex_lock(&q->workers->pool.lock);
    if (q->measured && eng_records_are_due(&q->measured->records))
        put(q, q->measured);
    if (q->progress->name)
        show_progress(q);
    pthread_mutex_unlock(&q->workers->pool.lock);
}

static bool batch_is_sane(const struct eng_measured *m, const struct eng_count *batch)
{
    return batch->runs > 0 && batch->runs <= m->target - m->kept->count.runs &&
           batch->failed_runs <= batch->runs && batch->no_progress_runs <= batch->runs;
}

static void take_batch(struct eng_queue *q, struct eng_measured *m, const struct eng_event *event)
{
    eng_record_add(&m->records, &m->record, &event->count, event->failures, q->client.process,
                   event->fresh);
    q->tested += event->tested;
    if (cat_test_draws(m->which->test))
        q->client.losses = q->client.hangs = 0;
    if (eng_records_are_due(&m->records))
        put(q, m);
    show(q, m);
}

static const char *hear(const struct eng_event *event, void *user)
{
    struct eng_queue *q = user;
    struct eng_measured *m = q->measured;
    switch (event->kind) {
    case ENG_EVENT_BATCH:
        if (m && !batch_is_sane(m, &event->count))
            return "inconsistent counts from the worker";
        if (m)
            take_batch(q, m, event);
        return NULL;
    case ENG_EVENT_PRECOMPILED:
        return eng_precompile_made(&q->precompile, event->text) || !m ||
                       eng_precompile_over(&q->plan, q->present, event->text)
                   ? NULL
                   : "the worker precompiled a pipeline that was not requested";
    case ENG_EVENT_MESSAGE:
        say(q, true, "%s%s%s", m ? m->shown.data : "", m ? ": " : "", event->text);
        return NULL;
    default:
        return NULL;
    }
}

// The worker may have been compiling another pipeline that is at fault. For example, a driver that
// ran out of memory may have enough without the others. No driver makes a worker send nonsense.
static void failing(const struct eng_outcome *outcome, void *user)
{
    struct eng_queue *q = user;
    struct eng_measured *m = q->measured;
    if (m)
        put_rest(q, m);
    if (outcome->wait == ENG_WAIT_NONSENSE)
        return;
    // Pipelines of drawn programs have no names.
    const bool unclear = eng_precompile_unclear(&q->precompile, q->present) ||
                         (m && m->aside && cat_test_draws(m->which->test));
    if (unclear)
        eng_precompile_separate(&q->precompile, q->present);
    if (m)
        m->unclear = unclear;
}

static void take_evidence(struct eng_queue *q, struct eng_measured *m)
{
    struct eng_kernel_log *log = &q->workers->kernel_log;
    forget_evidence(m);
    for (size_t i = ENG_EVIDENCE_CHECK + 1; i < ENG_EVIDENCES; i++) {
        m->kept->evidence[i] = q->client.evidence[i];
        q->client.evidence[i] = NULL;
    }
    eng_kernel_log_read(log);
    if (log->lines.length > 0)
        m->kept->evidence[ENG_EVIDENCE_KERNEL] = lit_strdup(log->lines.data);
}

// A request ended.
static void conclude(struct eng_queue *q, struct eng_measured *m, const struct eng_outcome *outcome)
{
    static const bool worker_says[ENG_RESULTS] = {
        [ENG_SKIP] = true,        [ENG_HANG] = true,          [ENG_CRASH] = true,
        [ENG_DEVICE_LOST] = true, [ENG_HARNESS_ERROR] = true,
    };
    char done[32], asked[32];
    m->kept->result = worker_says[outcome->result] ? outcome->result : eng_verdict(&m->kept->count);
    snprintf(m->kept->reason, ENG_REASON, "%s", outcome->reason);
    m->failed = outcome->wait == ENG_WAIT_FAILED;
    if (eng_is_broken(outcome->result) || outcome->wait != ENG_WAIT_EVENT)
        take_evidence(q, m);
    if (m->kept->result == ENG_SKIP && m->kept->count.runs > 0) {
        m->kept->result = ENG_HARNESS_ERROR;
        snprintf(m->kept->reason, ENG_REASON,
                 "it ran %s times, then reported a missing feature: %.200s",
                 text_count(done, m->kept->count.runs), outcome->reason);
    }
    if (!worker_says[outcome->result] && m->kept->count.runs != m->target &&
        !eng_rule_waits(&m->rule, &m->kept->count)) {
        m->kept->result = ENG_HARNESS_ERROR;
        snprintf(m->kept->reason, ENG_REASON, "the worker stopped after %s of %s runs",
                 text_count(done, m->kept->count.runs), text_count(asked, m->target));
    }
}

static void add_up(struct eng_queue *q, const struct eng_measured *m)
{
    eng_tally_add(q->workers->tally, m->kept->name, m->kept->result, m->kept->expectation,
                  &m->kept->count);
    if (eng_is_verdict(m->kept->result) &&
        eng_rule_judge(&m->rule, &m->kept->count) == ENG_RULING_MISSED)
        q->workers->tally->undecided++;
    if (m->kept->expectation != CAT_CONTROL &&
        (m->kept->result == ENG_FAIL || m->kept->count.failed_runs > 0))
        run_of(q)->progress->failed++;
}

static void report_end(struct eng_queue *q, const struct eng_measured *m)
{
    if (eng_is_broken(m->kept->result) || m->failed || q->watch.verbose)
        say(q, true, "%s: %s%s%s", eng_result_name(m->kept->result), m->shown.data,
            m->kept->reason[0] ? ": " : "", m->kept->reason);
}

static void describe(const struct cat_case *which, struct eng_upcoming *ahead, void *user)
{
    const struct eng_queue *q = user;
    OWNED(text_free) struct text name = {0};
    cat_case_name(which, &name);
    snprintf(ahead->name, sizeof ahead->name, "%s", name.data);
    eng_stress_choose(run_of(q)->stress, run_of(q)->seed, which, name.data, q->device,
                      ahead->stress);
}

// One request to the worker: runs up to m->target.
static enum eng_stop run_chunk(struct eng_queue *q, struct eng_measured *m, bool *over)
{
    struct eng_outcome outcome;
    struct eng_request request = {.kind = ENG_RUN,
                                  .first = m->kept->first + m->kept->count.runs,
                                  .runs = m->target - m->kept->count.runs,
                                  .seed = run_of(q)->seed,
                                  .timed = q->watch.verbose};
    if (m->rule.waits > m->kept->count.runs) {
        const uint64_t half = (m->rule.waits + 1) / 2, before = m->kept->count.no_progress_runs;
        request.waits = m->rule.waits - m->kept->count.runs;
        request.expired = half > before ? half - before : 0;
    }
    eng_precompile_ask(&q->precompile, &q->plan, q->done, q->present, &request, describe, q);
    m->unclear = m->failed = false;
    m->aside = request.renew;
    show(q, m);
    take_place(q, m->which);
    q->measured = m;
    const enum eng_end end =
        eng_submit(&q->client, &(struct eng_work){.name = m->kept->name, .stress = m->kept->stress},
                   &request, &outcome);
    q->measured = NULL;
    leave_place(q);
    *over = end == ENG_END_RAN;
    if (*over)
        conclude(q, m, &outcome);
    return stop_of(end);
}

// Keeps the counted runs; repeats the others, since we do not know what ended them.
static void go_on_alone(struct eng_queue *q, struct eng_measured *m)
{
    say(q, true, "%s: %s while precompiling other pipelines: continues without: %s", m->shown.data,
        eng_result_name(m->kept->result), m->kept->reason);
    eng_client_stop(&q->client, true);
    forget_evidence(m);
    m->unclear = false;
    m->kept->reason[0] = '\0';
    m->kept->result = eng_verdict(&m->kept->count);
}

// A drawn program ended the worker: count it as a failed run; the next run gets a new worker.
static bool count_broken(struct eng_queue *q, struct eng_measured *m)
{
    struct eng_count count;
    struct eng_failure failure;
    const enum eng_result result = m->kept->result;
    // A worker that ended by itself has used up its number.
    const uint32_t process = q->client.worker ? q->client.process : q->client.process - 1;
    report_end(q, m);
    eng_client_stop(&q->client, true);
    eng_draw_broken(&q->device->facts, m->which->subgroup, m->kept->first + m->kept->count.runs,
                    result, m->kept->reason, &count, &failure);
    eng_record_add(&m->records, &m->record, &count, &failure, process, false);
    m->kept->reason[0] = '\0';
    m->kept->result = ENG_PARTIAL;
    const bool written = put(q, m);
    m->kept->result = eng_verdict(&m->kept->count);
    return written;
}

// Runs until the rule is satisfied or something fails.
static enum eng_stop run_by_rule(struct eng_queue *q, struct eng_measured *m, bool *over)
{
    enum eng_stop step = ENG_STOP_NOT;
    uint64_t next = eng_rule_next(&m->rule, &m->kept->count);
    m->kept->result = eng_verdict(&m->kept->count);
    while (next > 0 && step == ENG_STOP_NOT && *over && eng_is_verdict(m->kept->result)) {
        m->kept->result = ENG_PARTIAL;
        step = put_rest(q, m) ? ensure_open(q, q->present) : ENG_STOP_STORE;
        if (step == ENG_STOP_NOT) {
            m->target = next;
            step = run_chunk(q, m, over);
            if (step == ENG_STOP_NOT && *over && m->unclear)
                go_on_alone(q, m);
            if (step == ENG_STOP_NOT && *over && cat_test_draws(m->which->test) &&
                eng_is_broken(m->kept->result) && !count_broken(q, m))
                step = ENG_STOP_STORE;
        } else {
            *over = false;
        }
        next = eng_rule_next(&m->rule, &m->kept->count);
    }
    if (*over && eng_is_verdict(m->kept->result))
        eng_rule_reason(&m->rule, &m->kept->count, m->kept->reason, ENG_REASON);
    return step;
}

// Adds to the reason of a failure on an emulated GPU what it is about.
static void judge(struct eng_queue *q, struct eng_measured *m)
{
    const struct result *kept = m->kept;
    struct eng_request request = {.kind = ENG_RUN,
                                  .first = kept->failure_count ? kept->failures[0].at.run
                                                               : kept->first + kept->runs,
                                  .runs = 1,
                                  .seed = run_of(q)->seed};
    char says[128] = "";
    if (kept->expectation == CAT_CONTROL ||
        (kept->result != ENG_FAIL && !eng_is_broken(kept->result)))
        return;
    put_rest(q, m);
    eng_emulate_judge(&q->client,
                      &(struct eng_work){.name = m->kept->name, .stress = m->kept->stress},
                      &request, says, sizeof says);
    const size_t length = strlen(kept->reason);
    snprintf(kept->reason + length, ENG_REASON - length, "%s%s", length > 0 && says[0] ? "; " : "",
             says);
}

static enum eng_stop run_case(struct eng_queue *q, struct eng_measured *m)
{
    bool over = true;
    enum eng_stop step = ENG_STOP_NOT;
    show(q, m);
    if (!cat_case_module(m->which)) {
        m->kept->result = ENG_SKIP;
        snprintf(m->kept->reason, ENG_REASON,
                 m->which->test->head.size_count
                     ? "built without a module for subgroups of %u"
                     : "built by an assembler that does not know what it needs",
                 m->which->subgroup);
    } else {
        step = run_by_rule(q, m, &over);
    }
    if (step == ENG_STOP_STORE)
        return step;
    if (over)
        judge(q, m);
    // A configuration that stopped before its first batch has no results yet.
    if (over || m->kept->count.runs > 0) {
        if (!put(q, m))
            return ENG_STOP_STORE;
        add_up(q, m);
    }
    if (over)
        report_end(q, m);
    if (over && run_of(q)->ended)
        run_of(q)->ended(q->device, m->kept, run_of(q)->user);
    return step;
}

// One device

// Reads the session's results for a configuration. True if it is done.
static bool recall(struct eng_queue *q, struct eng_measured *m)
{
    struct lit_error *error = q->workers->error;
    uint32_t process = q->client.process;
    // If the store cannot be read, measure nothing again.
    if (error->message[0])
        return false;
    const bool done = eng_record_recall(&m->records, m->kept, &process, error);
    // From here on, use a new process number.
    if (!q->client.worker)
        q->client.process = process;
    if (done && run_of(q)->known)
        run_of(q)->known(q->device, m->kept, run_of(q)->user);
    return done;
}

void eng_queue_make(struct eng_queue *q, struct eng_workers *workers, size_t index,
                    const struct eng_device *device)
{
    const struct eng_run *run = workers->run;
    const struct eng_share *share = &workers->share;
    *q = (struct eng_queue){.workers = workers,
                            .device = device,
                            .progress = &workers->progress[index],
                            .place = &workers->places[index]};
    q->watch = workers->pool.watch;
    q->watch.say = watch_say;
    q->watch.tick = watch_tick;
    q->watch.user = q;
    q->client = (struct eng_client){.watch = &q->watch,
                                    .device = device,
                                    .pool = &workers->pool,
                                    .heard = hear,
                                    .failing = failing,
                                    .ended = worker_ended,
                                    .user = q,
                                    .validation = run->validation,
                                    .unchecked = true};
    // A validation message would be attributed to the present configuration.
    if (!run->validation)
        q->precompile.most = run->ahead >= 0     ? (unsigned)run->ahead
                             : device->facts.cpu ? 0
                                                 : share->ahead;
    if (device->facts.cpu) {
        q->watch.policy.idle *= share->patience;
        q->watch.niceness = share->niceness;
    }
    q->plan = eng_plan_make(run->selection, &device->facts, run->shuffle, run->seed);
    eng_plan_shard(&q->plan, &run->shard);
    uint64_t first, own;
    q->rule = run->rule;
    eng_shard_runs(&run->shard, run->runs, &first, &own);
    if (own == 0)
        q->plan.count = 0;
    eng_rule_write(&q->rule, q->rule_text);
    q->done = lit_alloc(q->plan.count + 1, sizeof *q->done);
    *q->progress = (struct eng_progress_queue){
        .device = device->number, .total = q->plan.count, .started = -1};
    for (size_t i = 0; i < q->plan.count; i++) {
        OWNED(measure_clear) struct eng_measured m = {0};
        measure_begin(q, &m, &q->plan.cases[i]);
        q->done[i] = recall(q, &m);
        if (q->done[i]) {
            add_up(q, &m);
            q->progress->before++;
        }
    }
    q->progress->done = q->progress->before;
    q->left = q->plan.count - q->progress->before;
    workers->tally->planned += q->plan.count;
    workers->tally->unopened += device->facts.problem[0] != '\0';
}

void eng_queue_clear(struct eng_queue *q)
{
    eng_plan_clear(&q->plan);
    free(q->done);
    *q = (struct eng_queue){0};
}

static void say_stopped(struct eng_queue *q)
{
    char number[32];
    const char *why = "it was lost three times in a row";
    if (q->client.wedged)
        why = "a worker cannot be killed, the driver hangs in the kernel";
    else if (q->client.failures >= ENG_LOSSES)
        why = "the harness failed three times in a row";
    else if (q->fault[0])
        why = "it cannot be opened";
    else if (q->client.hangs >= ENG_HANGS)
        why = "hung ten times in a row";
    say(q, false, "device %u stops: %s%s%s; not run: %s configuration%s", q->device->number, why,
        q->fault[0] ? ": " : "", q->fault, text_count(number, q->left), q->left == 1 ? "" : "s");
}

// Unknown without timestamps, or if the host checks the runs.
static void say_share(struct eng_queue *q)
{
    char took[32];
    const double seconds = clock_now() - run_of(q)->progress->started - q->progress->started;
    const double share = 100 * q->tested / seconds;
    if (q->watch.verbose && q->tested > 0)
        say(q, true, "the device executed tests for %s%.0f %% of %s", share < 1 ? "< " : "",
            share < 1 ? 1 : share, eng_duration(took, seconds));
}

static enum eng_stop run_cases(struct eng_queue *q)
{
    size_t first = 0;
    while (first < q->plan.count && q->done[first])
        first++;
    enum eng_stop step = q->left ? ensure_open(q, first) : ENG_STOP_NOT;
    for (size_t i = first; i < q->plan.count && step == ENG_STOP_NOT; i++) {
        if (q->done[i])
            continue;
        OWNED(measure_clear) struct eng_measured m = {0};
        measure_begin(q, &m, &q->plan.cases[i]);
        recall(q, &m);
        q->present = i;
        cat_name_shown(m.kept->name, &m.shown);
        step = run_case(q, &m);
        q->progress->name = NULL;
        if (step != ENG_STOP_NOT)
            break;
        q->progress->done++;
        if (--q->left > 0 && eng_client_must_stop(&q->client))
            step = ENG_STOP_QUEUE;
    }
    return step;
}

void eng_queue_run(struct eng_queue *q)
{
    q->progress->started = clock_now() - run_of(q)->progress->started;
    q->progress->active = true;
    q->step = run_cases(q);
    eng_client_stop(&q->client, q->step != ENG_STOP_NOT);
    q->progress->active = false;
    say_share(q);
    if (q->step != ENG_STOP_QUEUE)
        return;
    say_stopped(q);
    if (q->client.failures >= ENG_LOSSES && !q->client.wedged)
        q->workers->tally->failed++;
    else if (q->client.unfit)
        q->workers->tally->unopened++;
    else
        q->workers->tally->stopped++;
}
