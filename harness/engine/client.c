// SPDX-License-Identifier: Apache-2.0
// Asks a worker, and replaces it when it ends.
#include "engine/client.h"

#include "engine/bench.h"

#include <stdio.h>
#include <unistd.h>

void eng_client_end(struct eng_client *client)
{
    eng_worker_end(&client->worker, false);
    text_free(&client->code);
}

// False if a chunk does not go on where the last one ended.
static bool take_chunk(struct text *code, const struct eng_chunk *chunk)
{
    if (chunk->offset != code->length)
        return false;
    text_append(code, (const char *)chunk->bytes, chunk->size);
    return true;
}

// Waits for an event. False if there is none any more: *end and the outcome then say why.
static bool wait_event(struct eng_worker *worker, struct eng_event *event,
                       struct eng_outcome *outcome, enum eng_end *end)
{
    const enum eng_wait wait = eng_worker_wait(worker, event, outcome->reason);
    *end = wait == ENG_WAIT_TIME          ? ENG_END_TIME
           : wait == ENG_WAIT_INTERRUPTED ? ENG_END_SIGNAL
                                          : ENG_END_RAN;
    if (wait != ENG_WAIT_EVENT && *end == ENG_END_RAN)
        outcome->result = eng_wait_result(wait);
    return wait == ENG_WAIT_EVENT;
}

// Reads events up to the last one of a request, which is in *event then.
static enum eng_end follow(struct eng_client *client, struct eng_outcome *outcome,
                           struct eng_event *event)
{
    for (;;) {
        enum eng_end end = ENG_END_RAN;
        if (!wait_event(client->worker, event, outcome, &end))
            return end;
        if (event->kind == ENG_EVENT_OPENED)
            snprintf(client->checker, sizeof client->checker, "%s%s",
                     event->host_checker ? "host: " : "device",
                     event->host_checker ? event->text : "");
        if (event->kind == ENG_EVENT_BATCH)
            eng_count_add(&outcome->count, &event->count);
        if (event->kind == ENG_EVENT_CODE && !take_chunk(&client->code, &event->chunk)) {
            snprintf(outcome->reason, sizeof outcome->reason, "code with a gap");
            outcome->result = ENG_HARNESS_ERROR;
            return ENG_END_RAN;
        }
        if (event->kind == ENG_EVENT_MESSAGE)
            client->watch->say(event->text, client->watch->user);
        if (event->kind == ENG_EVENT_DONE || event->kind == ENG_EVENT_ERROR) {
            outcome->result = event->kind == ENG_EVENT_DONE ? event->result : ENG_HARNESS_ERROR;
            snprintf(outcome->reason, sizeof outcome->reason, "%s", event->text);
            return ENG_END_RAN;
        }
    }
}

// Whether the worker said all that belongs to a request.
static bool is_whole(const struct eng_event *event)
{
    return event->kind == ENG_EVENT_DONE || event->kind == ENG_EVENT_ERROR;
}

static enum eng_end open_once(struct eng_client *client, struct eng_outcome *outcome)
{
    struct lit_error error = {0};
    struct eng_event event = {.kind = ENG_EVENT_MESSAGE};
    client->worker = eng_worker_start(client->watch, client->device->manifest, &error);
    if (!client->worker) {
        snprintf(outcome->reason, sizeof outcome->reason, "%s", error.message);
        client->unfit = true;
        return ENG_END_RAN;
    }
    eng_worker_ask(client->worker, &(struct eng_request){
                                       .kind = ENG_OPEN,
                                       .index = client->device->index,
                                       .capture = client->capture,
                                       .checks = client->generated ? 0 : ENG_ALL_CHECKS,
                                       .timeout_ms = eng_batch_limit_ms(&client->watch->policy),
                                   });
    const enum eng_end end = follow(client, outcome, &event);
    const bool good = end == ENG_END_RAN && event.kind == ENG_EVENT_DONE;
    // A harness that failed, or a worker that talks nonsense, would again.
    if (end == ENG_END_RAN && outcome->result == ENG_HARNESS_ERROR &&
        !(event.kind == ENG_EVENT_ERROR && event.error_code == LIT_EXIT_DEVICE_LOST))
        client->unfit = true;
    if (!good)
        eng_worker_end(&client->worker, !is_whole(&event));
    return end;
}

static enum eng_end ensure_open(struct eng_client *client, struct eng_outcome *outcome)
{
    while (!client->worker && !client->unfit && client->losses < ENG_LOSSES) {
        const enum eng_end end = open_once(client, outcome);
        if (end != ENG_END_RAN || client->worker)
            return end;
        client->losses = eng_in_a_row(client->losses, ENG_DEVICE_LOST, ENG_DEVICE_LOST);
        // A device that resets is away for a moment.
        if (!client->unfit && client->losses < ENG_LOSSES)
            sleep(1);
    }
    return client->worker ? ENG_END_RAN : client->unfit ? ENG_END_UNFIT : ENG_END_STOPS;
}

enum eng_end eng_client_ask(struct eng_client *client, const struct eng_request *asked,
                            struct eng_outcome *outcome)
{
    struct eng_request request = *asked;
    struct eng_event event = {.kind = ENG_EVENT_MESSAGE};
    *outcome = (struct eng_outcome){0};
    request.timeout_ms = eng_batch_limit_ms(&client->watch->policy);
    if (client->hangs >= ENG_HANGS) {
        snprintf(outcome->reason, sizeof outcome->reason, "hung ten times in a row");
        return ENG_END_STOPS;
    }
    enum eng_end end = ensure_open(client, outcome);
    if (end != ENG_END_RAN)
        return end;
    *outcome = (struct eng_outcome){0};
    text_free(&client->code);
    eng_worker_ask(client->worker, &request);
    end = follow(client, outcome, &event);
    // A worker whose device is lost, or does not end what it began, has ended.
    if (!is_whole(&event) || outcome->result == ENG_HANG || outcome->result == ENG_DEVICE_LOST)
        eng_worker_end(&client->worker, true);
    if (end == ENG_END_RAN) {
        client->losses = eng_in_a_row(client->losses, ENG_DEVICE_LOST, outcome->result);
        client->hangs = eng_in_a_row(client->hangs, ENG_HANG, outcome->result);
    }
    return end;
}

// --- One request after another for what a driver makes of a configuration.

static bool hand_over(const struct eng_capture *capture, const struct cat_case *which,
                      const struct eng_client *client, const struct eng_outcome *outcome)
{
    struct isa_code code = {0};
    struct lit_error error = {0};
    enum eng_result result = outcome->result;
    const char *reason = outcome->reason;
    if (result == ENG_PASS && !isa_unpack(client->code.data ? client->code.data : "",
                                          client->code.length, &code, &error)) {
        result = ENG_HARNESS_ERROR;
        reason = error.message;
    }
    const bool on = capture->take(which, result, reason, &code, capture->user);
    isa_code_clear(&code);
    return on;
}

enum eng_end eng_capture(const struct eng_capture *capture, const struct cat_case *cases,
                         size_t count, char reason[512])
{
    struct eng_client client = {
        .watch = capture->watch, .device = capture->device, .capture = true};
    enum eng_end end = ENG_END_RAN;
    reason[0] = '\0';
    for (size_t i = 0; i < count && end == ENG_END_RAN; i++) {
        struct text name = {0};
        struct eng_outcome outcome;
        struct eng_request request = {.kind = ENG_COMPILE};
        cat_case_name(&cases[i], &name);
        snprintf(request.name, sizeof request.name, "%s", name.data);
        text_free(&name);
        end = eng_client_ask(&client, &request, &outcome);
        if (end != ENG_END_RAN)
            snprintf(reason, 512, "%s", outcome.reason);
        else if (!hand_over(capture, &cases[i], &client, &outcome))
            break;
    }
    eng_client_end(&client);
    return end;
}

// --- One request for a benchmark.

// False if what the worker said ends the conversation; *end and *outcome then say how.
static bool take(const struct eng_watch *watch, const struct eng_event *event,
                 const struct eng_benching *benching, struct text *code,
                 struct eng_outcome *outcome)
{
    bool sense = true;
    switch (event->kind) {
    case ENG_EVENT_ROW:
        sense = benching->row &&
                benching->row(&event->bench, event->result, event->text, benching->user);
        break;
    case ENG_EVENT_CODE:
        sense = benching->code && take_chunk(code, &event->chunk);
        if (sense && code->length == event->chunk.total) {
            sense = benching->code(code->data ? code->data : "", code->length, benching->user);
            text_free(code);
        }
        break;
    case ENG_EVENT_TIME:
        sense = benching->time && benching->time(&event->bench, benching->user);
        break;
    case ENG_EVENT_RATE:
        sense = benching->rate && benching->rate(&event->rate, benching->user);
        break;
    case ENG_EVENT_MESSAGE:
        watch->say(event->text, watch->user);
        break;
    case ENG_EVENT_DONE:
        outcome->result = event->result;
        snprintf(outcome->reason, sizeof outcome->reason, "%s", event->text);
        return false;
    case ENG_EVENT_ERROR:
        outcome->result =
            event->error_code == LIT_EXIT_DEVICE_LOST ? ENG_DEVICE_LOST : ENG_HARNESS_ERROR;
        snprintf(outcome->reason, sizeof outcome->reason, "%s", event->text);
        return false;
    default:
        sense = false;
    }
    if (!sense) {
        outcome->result = ENG_HARNESS_ERROR;
        snprintf(outcome->reason, sizeof outcome->reason, "invalid message from the worker");
    }
    return sense;
}

static enum eng_end follow_bench(struct eng_worker *worker, const struct eng_watch *watch,
                                 const struct eng_benching *benching, struct text *code,
                                 struct eng_outcome *outcome)
{
    for (;;) {
        struct eng_event event;
        enum eng_end end = ENG_END_RAN;
        if (!wait_event(worker, &event, outcome, &end))
            return end;
        if (!take(watch, &event, benching, code, outcome))
            return ENG_END_RAN;
    }
}

enum eng_end eng_bench_ask(const struct eng_watch *watch, const struct eng_device *device,
                           const struct eng_request *asked, const struct eng_benching *benching,
                           struct eng_outcome *outcome)
{
    struct lit_error error = {0};
    struct text code = {0};
    struct eng_request request = *asked;
    *outcome = (struct eng_outcome){0};
    struct eng_worker *worker = eng_worker_start(watch, device->manifest, &error);
    if (!worker) {
        snprintf(outcome->reason, sizeof outcome->reason, "%s", error.message);
        return ENG_END_UNFIT;
    }
    request.kind = ENG_BENCH;
    request.index = device->index;
    request.timeout_ms = eng_batch_limit_ms(&watch->policy);
    eng_worker_ask(worker, &request);
    const enum eng_end end = follow_bench(worker, watch, benching, &code, outcome);
    text_free(&code);
    eng_worker_end(&worker, end != ENG_END_RAN || outcome->result != ENG_PASS);
    return end;
}
