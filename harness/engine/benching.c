// SPDX-License-Identifier: Apache-2.0
// Asks a worker for a benchmark.
#include "engine/bench.h"

#include <stdio.h>
#include <string.h>

// False if what the worker said ends the conversation; *end and *outcome then say how.
static bool take(const struct eng_watch *watch, const struct eng_event *event,
                 const struct eng_benching *benching, struct text *code,
                 struct eng_outcome *outcome)
{
    const struct eng_chunk *chunk = &event->chunk;
    bool sense = true;
    switch (event->kind) {
    case ENG_EVENT_ROW:
        sense = benching->row &&
                benching->row(&event->bench, event->result, event->text, benching->user);
        break;
    case ENG_EVENT_CODE:
        sense = benching->code && chunk->offset == code->length;
        if (sense)
            text_append(code, (const char *)chunk->bytes, chunk->size);
        if (sense && code->length == chunk->total) {
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

static enum eng_end follow(struct eng_worker *worker, const struct eng_watch *watch,
                           const struct eng_benching *benching, struct text *code,
                           struct eng_outcome *outcome)
{
    for (;;) {
        struct eng_event event;
        enum eng_end end = ENG_END_RAN;
        if (!eng_client_wait(worker, &event, outcome, &end))
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
    const enum eng_end end = follow(worker, watch, benching, &code, outcome);
    text_free(&code);
    eng_worker_end(&worker, end != ENG_END_RAN || outcome->result != ENG_PASS);
    return end;
}
