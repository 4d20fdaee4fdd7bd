// SPDX-License-Identifier: Apache-2.0
// Runs generated programs in a worker, and replaces it when it ends.
#include "fuzz/target.h"

#include "engine/plan.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

void fuzz_target_init(struct fuzz_target *target, const struct eng_watch *watch,
                      const struct eng_device *device)
{
    *target = (struct fuzz_target){.watch = watch, .device = device};
    target->size_count = eng_plan_sizes(&device->facts, target->sizes);
}

void fuzz_target_end(struct fuzz_target *target)
{
    eng_worker_end(&target->worker, false);
}

bool fuzz_failed(const struct fuzz_outcome *outcome)
{
    return outcome->result == ENG_FAIL || outcome->result == ENG_CRASH ||
           outcome->result == ENG_HANG || outcome->result == ENG_DEVICE_LOST;
}

uint32_t fuzz_workgroup(uint32_t subgroup)
{
    return subgroup <= 32 ? 64 : 2 * subgroup;
}

// Reads events up to the last one of a request, which is in *event then.
static enum fuzz_end follow(struct fuzz_target *target, struct fuzz_outcome *outcome,
                            struct eng_event *event)
{
    for (;;) {
        switch (eng_worker_wait(target->worker, event, outcome->reason)) {
        case ENG_WAIT_EVENT:
            break;
        case ENG_WAIT_GONE:
            outcome->result = ENG_CRASH;
            return FUZZ_RAN;
        case ENG_WAIT_HUNG:
            outcome->result = ENG_HANG;
            return FUZZ_RAN;
        case ENG_WAIT_NONSENSE:
            outcome->result = ENG_HARNESS_ERROR;
            return FUZZ_RAN;
        case ENG_WAIT_TIME:
            return FUZZ_TIME;
        case ENG_WAIT_INTERRUPTED:
            return FUZZ_SIGNAL;
        }
        if (event->kind == ENG_EVENT_BATCH)
            eng_count_add(&outcome->count, &event->count);
        if (event->kind == ENG_EVENT_MESSAGE)
            target->watch->say(event->text, target->watch->user);
        if (event->kind == ENG_EVENT_DONE || event->kind == ENG_EVENT_ERROR) {
            outcome->result = event->kind == ENG_EVENT_DONE ? event->result : ENG_HARNESS_ERROR;
            snprintf(outcome->reason, sizeof outcome->reason, "%s", event->text);
            return FUZZ_RAN;
        }
    }
}

// Whether the worker said all that belongs to a request.
static bool is_whole(const struct eng_event *event)
{
    return event->kind == ENG_EVENT_DONE || event->kind == ENG_EVENT_ERROR;
}

static enum fuzz_end open_once(struct fuzz_target *target, struct fuzz_outcome *outcome)
{
    struct lit_error error = {0};
    struct eng_event event = {.kind = ENG_EVENT_MESSAGE};
    target->worker = eng_worker_start(target->watch, target->device->manifest, &error);
    if (!target->worker) {
        snprintf(outcome->reason, sizeof outcome->reason, "%s", error.message);
        return FUZZ_STOPS;
    }
    eng_worker_ask(target->worker, &(struct eng_request){
                                       .kind = ENG_OPEN,
                                       .index = target->device->index,
                                       .timeout_ms = eng_batch_limit_ms(&target->watch->policy),
                                   });
    const enum fuzz_end end = follow(target, outcome, &event);
    const bool good = end == FUZZ_RAN && event.kind == ENG_EVENT_DONE;
    if (end == FUZZ_RAN && event.kind == ENG_EVENT_ERROR &&
        event.error_code != LIT_EXIT_DEVICE_LOST)
        target->unfit = true;
    if (!good)
        eng_worker_end(&target->worker, !is_whole(&event));
    return end;
}

static enum fuzz_end ensure_open(struct fuzz_target *target, struct fuzz_outcome *outcome)
{
    while (!target->worker && !target->unfit && target->losses < ENG_LOSSES) {
        const enum fuzz_end end = open_once(target, outcome);
        if (end != FUZZ_RAN || target->worker)
            return end;
        target->losses = eng_losses_after(target->losses, ENG_DEVICE_LOST);
        // A device that resets is away for a moment.
        if (!target->unfit && target->losses < ENG_LOSSES)
            sleep(1);
    }
    return target->worker ? FUZZ_RAN : FUZZ_STOPS;
}

enum fuzz_end fuzz_try(struct fuzz_target *target, const struct fuzz_trial *trial,
                       struct fuzz_outcome *outcome)
{
    struct eng_request request = {.kind = ENG_GENERATED,
                                  .workgroup = fuzz_workgroup(trial->subgroup),
                                  .subgroup = trial->subgroup,
                                  .runs = trial->runs,
                                  .seed = trial->seed,
                                  .timeout_ms = eng_batch_limit_ms(&target->watch->policy)};
    struct eng_event event = {.kind = ENG_EVENT_MESSAGE};
    struct text notation = {0};
    *outcome = (struct fuzz_outcome){0};
    if (target->hangs >= ENG_HANGS) {
        snprintf(outcome->reason, sizeof outcome->reason, "it hung ten times in a row");
        return FUZZ_STOPS;
    }
    enum fuzz_end end = ensure_open(target, outcome);
    if (end != FUZZ_RAN)
        return end;
    gen_write(trial->program, &notation);
    snprintf(request.program, sizeof request.program, "%s", notation.data);
    snprintf(request.name, sizeof request.name, "%s", trial->name);
    snprintf(request.rule, sizeof request.rule, "%s", gen_rule_name(trial->rule));
    text_free(&notation);

    *outcome = (struct fuzz_outcome){0};
    eng_worker_ask(target->worker, &request);
    end = follow(target, outcome, &event);
    // A worker whose device is lost, or does not end what it began, has ended.
    if (!is_whole(&event) || outcome->result == ENG_HANG || outcome->result == ENG_DEVICE_LOST)
        eng_worker_end(&target->worker, true);
    if (end == FUZZ_RAN) {
        target->losses = eng_losses_after(target->losses, outcome->result);
        target->hangs = eng_hangs_after(target->hangs, outcome->result);
    }
    return end;
}
