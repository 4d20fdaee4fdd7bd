// SPDX-License-Identifier: Apache-2.0
// Sends requests to a worker and replaces it when it ends.
#include "engine/client.h"

#include "base/file.h"

#include <unistd.h>

// --- Lanes

void eng_pool_end(struct eng_pool *pool)
{
    pthread_cond_destroy(&pool->changed);
    pthread_mutex_destroy(&pool->lock);
}

struct eng_lane {
    struct eng_pool *pool;
    void (*work)(void *lane);
    void *own; // the caller's
    pthread_t thread;
    bool has_thread;
};

static void *run_lane(void *user)
{
    struct eng_lane *lane = user;
    pthread_mutex_lock(&lane->pool->lock);
    lane->work(lane->own);
    pthread_cond_broadcast(&lane->pool->changed);
    pthread_mutex_unlock(&lane->pool->lock);
    return NULL;
}

bool eng_pool_start(struct eng_pool *pool, void (*work)(void *lane), void *lanes, size_t size,
                    size_t count, size_t first)
{
    bool any = false;
    pool->lanes = lit_alloc(count, sizeof *pool->lanes);
    pool->count = count;
    for (size_t i = 0; i < count; i++)
        pool->lanes[i] =
            (struct eng_lane){.pool = pool, .work = work, .own = (char *)lanes + i * size};
    for (size_t i = first; i < count; i++) {
        struct eng_lane *lane = &pool->lanes[i];
        lane->has_thread = pthread_create(&lane->thread, NULL, run_lane, lane) == 0;
        any |= lane->has_thread;
    }
    return any;
}

void eng_pool_join(struct eng_pool *pool)
{
    for (size_t i = 0; i < pool->count; i++)
        if (!pool->lanes[i].has_thread)
            run_lane(&pool->lanes[i]);
    for (size_t i = 0; i < pool->count; i++)
        if (pool->lanes[i].has_thread)
            pthread_join(pool->lanes[i].thread, NULL);
    free(pool->lanes);
}

void eng_pool_run(struct eng_pool *pool, void (*work)(void *lane), void *lanes, size_t size,
                  size_t count)
{
    eng_pool_start(pool, work, lanes, size, count, 1);
    eng_pool_join(pool);
}

static void say(const char *line, void *user)
{
    struct eng_pool *pool = user;
    pthread_mutex_lock(&pool->lock);
    pool->outer->say(line, pool->outer->user);
    pthread_mutex_unlock(&pool->lock);
}

void eng_pool_begin(struct eng_pool *pool, const struct eng_watch *outer)
{
    *pool = (struct eng_pool){.outer = outer, .watch = *outer};
    pool->watch.say = say;
    pool->watch.tick = NULL;
    pool->watch.stop = &pool->stop;
    pool->watch.user = pool;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->changed, NULL);
}

bool eng_pool_stops(const struct eng_pool *pool)
{
    return eng_interrupt() || atomic_load(&pool->stop);
}

void eng_pool_note(struct eng_pool *pool, enum eng_end end, const char *reason)
{
    if (pool->end != ENG_END_RAN || end == ENG_END_RAN)
        return;
    pool->end = end;
    snprintf(pool->reason, sizeof pool->reason, "%s", reason);
}

// --- One client

static void unlock(const struct eng_client *client)
{
    if (client->pool)
        pthread_mutex_unlock(&client->pool->lock);
}

static void lock(const struct eng_client *client)
{
    if (client->pool)
        pthread_mutex_lock(&client->pool->lock);
}

static void forget_evidence(struct eng_client *client)
{
    for (size_t i = 0; i < ENG_EVIDENCES; i++) {
        free(client->evidence[i]);
        client->evidence[i] = NULL;
    }
}

void eng_client_stop(struct eng_client *client, bool at_once)
{
    char ending[64] = "";
    client->process += client->worker != NULL;
    unlock(client);
    const bool ended = client->ended && !at_once ? eng_worker_close(&client->worker, ending)
                                                 : eng_worker_end(&client->worker, at_once);
    lock(client);
    client->wedged |= !ended;
    client->tried = 0;
    if (client->ended)
        client->ended(ending, client->user);
}

void eng_client_end(struct eng_client *client)
{
    eng_client_stop(client, false);
    text_free(&client->code);
    forget_evidence(client);
}

bool eng_client_must_stop(const struct eng_client *client)
{
    return client->wedged || client->losses >= ENG_LOSSES || client->hangs >= ENG_HANGS ||
           client->failures >= ENG_LOSSES;
}

// Counts how a request ended.
static void count(struct eng_client *client, enum eng_result result)
{
    client->losses = eng_in_a_row(client->losses, ENG_DEVICE_LOST, result);
    client->hangs = eng_in_a_row(client->hangs, ENG_HANG, result);
}

// Takes an event before the last one. False if it makes no sense.
static bool take(struct eng_client *client, const struct eng_event *event,
                 struct eng_outcome *outcome)
{
    const char *wrong = client->heard ? client->heard(event, client->user) : NULL;
    char id[DEV_ID_SIZE];
    if (wrong) {
        snprintf(outcome->reason, sizeof outcome->reason, "%s", wrong);
        return false;
    }
    switch (event->kind) {
    case ENG_EVENT_OPENED:
        dev_facts_id(&event->facts, id);
        if (strcmp(id, client->device->id) != 0) {
            outcome->result = ENG_DEVICE_LOST;
            snprintf(outcome->reason, sizeof outcome->reason, "the device has changed: %.200s",
                     event->facts.name);
            return false;
        }
        snprintf(client->checker, sizeof client->checker, "%s%s",
                 event->host_checker ? "host: " : "device", event->host_checker ? event->text : "");
        return true;
    case ENG_EVENT_BATCH:
        if (event->count.failure_count && !outcome->count.failure_count++)
            outcome->first = event->failures[0];
        eng_count_add(&outcome->count, &event->count);
        return true;
    case ENG_EVENT_CODE:
        if (event->chunk.offset != client->code.length) {
            snprintf(outcome->reason, sizeof outcome->reason, "code with a gap");
            return false;
        }
        text_append(&client->code, (const char *)event->chunk.bytes, event->chunk.size);
        return true;
    case ENG_EVENT_MESSAGE:
        if (!client->heard) {
            unlock(client);
            client->watch->say(event->text, client->watch->user);
            lock(client);
        }
        return true;
    default:
        return true;
    }
}

void eng_client_teach(struct eng_client *client, const struct text *kernel)
{
    client->kernel = kernel;
    if (client->worker)
        eng_worker_teach_one(client->worker, kernel, true);
}

// Finds the first frame of a backtrace outside this program and the C library, without addresses:
// "libLLVM-15.so.1(_ZN4llvm5Value9takeNameEPS0_".
static void find_place(const char *frames, char *place, size_t size)
{
    for (const char *line = frames; line && *line; line += *line == '\n') {
        const size_t length = strcspn(line, "\n"), path = strcspn(line, "([\n");
        OWNED(text_free) struct text frame = {0};
        text_append(&frame, line, path);
        text_puts(&frame, "");
        const char *name = frame.data ? lit_path_name(frame.data) : "";
        const char *symbol = line + path + (line[path] == '(');
        const bool has_symbol = line[path] == '(' && *symbol != '+';
        const size_t end = strcspn(symbol, has_symbol ? "+)\n" : ")[\n");
        line += length;
        if (strncmp(name, "libc.", 5) == 0 || strncmp(name, "litmus", 6) == 0 ||
            strncmp(name, "linux-", 6) == 0)
            continue;
        snprintf(place, size, "%s(%.*s", path ? name : "code", path ? (int)end : 0, symbol);
        return;
    }
}

// Call before the worker is ended.
static void note_failure(struct eng_client *client, struct eng_outcome *outcome)
{
    unlock(client);
    eng_worker_evidence(client->worker, outcome->wait == ENG_WAIT_HUNG, client->evidence);
    lock(client);
    if (outcome->result == ENG_CRASH)
        find_place(client->evidence[ENG_EVIDENCE_BACKTRACE], outcome->place, sizeof outcome->place);
}

void eng_outcome_how(const struct eng_outcome *outcome, char how[320])
{
    how[0] = '\0';
    if (outcome->result == ENG_CRASH)
        snprintf(how, 320, "%.150s%s%s", outcome->reason, outcome->place[0] ? " in " : "",
                 outcome->place);
}

uint32_t eng_outcome_worst(enum cat_check check, const struct eng_count *count)
{
    uint32_t worst = 0;
    for (uint32_t i = 1; i < CAT_OUTCOMES; i++)
        if (cat_outcome_fails(check, i) && (!worst || count->outcomes[i] > count->outcomes[worst]))
            worst = i;
    return worst;
}

// Whether the worker's answer to a request is complete.
static bool is_whole(const struct eng_event *event)
{
    return event->kind == ENG_EVENT_DONE || event->kind == ENG_EVENT_ERROR;
}

// Reads events until the last one of a request, which it stores in *event.
static enum eng_end follow(struct eng_client *client, struct eng_outcome *outcome,
                           struct eng_event *event)
{
    for (;;) {
        unlock(client);
        outcome->wait = eng_worker_wait(client->worker, event, outcome->reason);
        lock(client);
        if (outcome->wait == ENG_WAIT_TIME || outcome->wait == ENG_WAIT_INTERRUPTED)
            return outcome->wait == ENG_WAIT_TIME ? ENG_END_TIME : ENG_END_SIGNAL;
        if (outcome->wait != ENG_WAIT_EVENT) {
            outcome->result = eng_wait_result(outcome->wait);
            if (outcome->result == ENG_HARNESS_ERROR)
                outcome->code = LIT_EXIT_UNDECIDED;
            return ENG_END_RAN;
        }
        if (is_whole(event)) {
            if (event->kind == ENG_EVENT_ERROR)
                outcome->code = event->error_code;
            const bool lost = event->error_code == LIT_EXIT_DEVICE_LOST;
            outcome->result = event->kind == ENG_EVENT_DONE ? event->result
                              : lost                        ? ENG_DEVICE_LOST
                                                            : ENG_HARNESS_ERROR;
            snprintf(outcome->reason, sizeof outcome->reason, "%s", event->text);
            return ENG_END_RAN;
        }
        if (!take(client, event, outcome)) {
            if (outcome->result == ENG_DEVICE_LOST)
                return ENG_END_RAN;
            outcome->result = ENG_HARNESS_ERROR;
            outcome->wait = ENG_WAIT_NONSENSE;
            return ENG_END_RAN;
        }
    }
}

static bool need_worker(struct eng_client *client, struct eng_outcome *outcome)
{
    struct lit_error error = {0};
    if (client->worker)
        return true;
    client->worker = eng_worker_start(client->watch, client->device->manifest, &error);
    if (!client->worker)
        snprintf(outcome->reason, sizeof outcome->reason, "%s", error.message);
    else if (client->kernel)
        eng_worker_teach_one(client->worker, client->kernel, false);
    else
        eng_worker_teach(client->worker);
    return client->worker;
}

// Counts a failure as the harness's or as a lost device.
static enum eng_end open_once(struct eng_client *client, uint32_t checks,
                              struct eng_outcome *outcome)
{
    struct eng_event event = {.kind = ENG_EVENT_MESSAGE};
    *outcome = (struct eng_outcome){0};
    if (!need_worker(client, outcome)) {
        client->failures++;
        return ENG_END_RAN;
    }
    struct eng_request request = {.kind = ENG_OPEN,
                                  .index = client->device->index,
                                  .validation = client->validation,
                                  .capture = client->capture,
                                  .checks = checks,
                                  .timeout_ms = eng_batch_limit_ms(&client->watch->policy)};
    snprintf(request.settings, sizeof request.settings, "%s", client->settings);
    eng_worker_ask(client->worker, &request);
    const enum eng_end end = follow(client, outcome, &event);
    const bool refused = event.kind == ENG_EVENT_ERROR;
    if (end == ENG_END_RAN && event.kind == ENG_EVENT_DONE) {
        client->tried |= checks;
        client->opened = true;
        return end;
    }
    if (refused && !outcome->reason[0])
        snprintf(outcome->reason, sizeof outcome->reason, "it cannot be opened");
    // A device that was open before has gone away.
    client->unfit = refused && event.error_code != LIT_EXIT_DEVICE_LOST && !client->opened;
    if (end == ENG_END_RAN && outcome->result == ENG_HARNESS_ERROR && !is_whole(&event))
        client->failures++;
    else if (end == ENG_END_RAN)
        count(client, ENG_DEVICE_LOST);
    if (client->failing)
        client->failing(outcome, client->user);
    eng_client_stop(client, !is_whole(&event));
    return end;
}

enum eng_end eng_client_open(struct eng_client *client, uint32_t checks,
                             struct eng_outcome *outcome)
{
    while ((!client->worker || checks & ~client->tried) && !client->unfit &&
           !eng_client_must_stop(client)) {
        const enum eng_end end = open_once(client, checks, outcome);
        if (end != ENG_END_RAN || client->worker)
            return end;
        // A device that resets disappears for a moment.
        if (!client->unfit && !eng_client_must_stop(client)) {
            unlock(client);
            sleep(1);
            lock(client);
        }
    }
    return client->worker                                    ? ENG_END_RAN
           : client->unfit || client->failures >= ENG_LOSSES ? ENG_END_UNFIT
                                                             : ENG_END_STOPS;
}

static void fill(const struct eng_work *work, struct eng_request *request)
{
    OWNED(text_free) struct text name = {0}, notation = {0};
    if (work->which)
        cat_case_name(work->which, &name);
    snprintf(request->name, sizeof request->name, "%s", work->which ? name.data : work->name);
    snprintf(request->stress, sizeof request->stress, "%s", work->stress ? work->stress : "");
    snprintf(request->settings, sizeof request->settings, "%s",
             work->settings ? work->settings : "");
    if (!work->program)
        return;
    gen_write(work->program, &notation);
    snprintf(request->program, sizeof request->program, "%s", notation.data);
    snprintf(request->rule, sizeof request->rule, "%s", gen_rule_name(work->rule));
    request->subgroup = work->subgroup;
}

static enum eng_end ask(struct eng_client *client, const struct eng_work *work,
                        const struct eng_request *how, struct eng_outcome *outcome)
{
    struct eng_request request = *how;
    struct eng_event event = {.kind = ENG_EVENT_MESSAGE};
    const bool opens = how->kind == ENG_TRY || how->kind == ENG_OUTPUT || how->kind == ENG_BENCH ||
                       how->kind == ENG_ENUMERATE;
    *outcome = (struct eng_outcome){0};
    if (work)
        fill(work, &request);
    request.index = client->device->index;
    request.timeout_ms = eng_batch_limit_ms(&client->watch->policy);
    if (client->hangs >= ENG_HANGS) {
        snprintf(outcome->reason, sizeof outcome->reason, "hung ten times in a row");
        return ENG_END_STOPS;
    }
    const uint32_t checks = client->unchecked ? 0 : ENG_ALL_CHECKS;
    enum eng_end end = !opens                         ? eng_client_open(client, checks, outcome)
                       : need_worker(client, outcome) ? ENG_END_RAN
                                                      : ENG_END_UNFIT;
    if (end != ENG_END_RAN)
        return end;
    *outcome = (struct eng_outcome){0};
    text_free(&client->code);
    forget_evidence(client);
    eng_worker_ask(client->worker, &request);
    end = follow(client, outcome, &event);
    const bool fails = eng_is_broken(outcome->result) || outcome->result == ENG_HARNESS_ERROR;
    if (eng_is_broken(outcome->result) || (end == ENG_END_RAN && outcome->wait != ENG_WAIT_EVENT))
        note_failure(client, outcome);
    if (client->failing && (fails || end != ENG_END_RAN))
        client->failing(outcome, client->user);
    // End a worker that lost its device or hangs.
    if (!is_whole(&event) || outcome->result == ENG_HANG || outcome->result == ENG_DEVICE_LOST)
        eng_client_stop(client, true);
    if (end == ENG_END_RAN && !opens) {
        count(client, outcome->result);
        if (outcome->result != ENG_SKIP)
            client->failures = outcome->wait == ENG_WAIT_FAILED ? client->failures + 1 : 0;
    }
    return end;
}

enum eng_end eng_submit(struct eng_client *client, const struct eng_work *work,
                        const struct eng_request *how, struct eng_outcome *outcome)
{
    const enum eng_end end = ask(client, work, how, outcome);
    if (client->pool)
        eng_pool_note(client->pool, end, outcome->reason);
    return end;
}

// --- Asks for the code of configurations

#define CAPTURE_LANES 4

struct capturing {
    const struct eng_capture *capture;
    const struct cat_case *cases;
    size_t count, next; // next: to compile
    bool over;
    struct eng_pool pool;
};

static bool hand_over(const struct eng_capture *capture, const struct cat_case *which,
                      const struct eng_client *client, const struct eng_outcome *outcome)
{
    OWNED(isa_code_clear) struct isa_code code = {0};
    struct lit_error error = {0};
    enum eng_result result = outcome->result;
    const char *reason = outcome->reason;
    if (result == ENG_PASS && !isa_unpack(client->code.data ? client->code.data : "",
                                          client->code.length, &code, &error)) {
        result = ENG_HARNESS_ERROR;
        reason = error.message;
    }
    return capture->take(which, result, reason, &code, capture->user);
}

static void capture_lane(void *lane)
{
    struct capturing *c = *(struct capturing **)lane;
    struct eng_client client = {
        .watch = &c->pool.watch, .device = c->capture->device, .pool = &c->pool, .capture = true};
    while (!c->over && c->pool.end == ENG_END_RAN && c->next < c->count) {
        const struct cat_case *which = &c->cases[c->next++];
        struct eng_outcome outcome;
        if (eng_submit(&client, &(struct eng_work){.which = which},
                       &(struct eng_request){.kind = ENG_COMPILE}, &outcome) == ENG_END_RAN &&
            !c->over)
            c->over = !hand_over(c->capture, which, &client, &outcome);
    }
    eng_client_end(&client);
}

enum eng_end eng_capture(const struct eng_capture *capture, const struct cat_case *cases,
                         size_t count, char reason[512])
{
    struct capturing c = {.capture = capture, .cases = cases, .count = count};
    struct capturing *lanes[CAPTURE_LANES] = {&c, &c, &c, &c};
    const size_t allowed = capture->lanes < CAPTURE_LANES ? capture->lanes : CAPTURE_LANES;
    const size_t most = allowed < count ? allowed : count;
    eng_pool_begin(&c.pool, capture->watch);
    eng_pool_run(&c.pool, capture_lane, lanes, sizeof *lanes, most > 1 ? most : 1);
    eng_pool_end(&c.pool);
    snprintf(reason, 512, "%s", c.pool.reason);
    return c.pool.end;
}
