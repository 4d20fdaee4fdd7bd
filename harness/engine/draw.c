// SPDX-License-Identifier: Apache-2.0
// Tests whose runs are programs that are drawn.
#include "engine/measure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORKGROUPS_CPU 4
#define WORKGROUPS_GPU 16

uint32_t eng_draw_workgroups(const struct dev_facts *facts)
{
    return facts->cpu ? WORKGROUPS_CPU : WORKGROUPS_GPU;
}

enum masks_rule eng_draw_rule(uint64_t features)
{
    return features >> CAT_FEATURE_MAXIMAL & 1            ? MASKS_MAXIMAL
           : features >> CAT_FEATURE_SUBGROUP_UNIFORM & 1 ? MASKS_SUBGROUP_UNIFORM
                                                          : MASKS_DEFAULT;
}

void eng_draw_name(const struct gen_limits *limits, uint64_t seed, uint64_t index, char name[96])
{
    snprintf(name, 96, "%s.fuzz-%s-%" PRIx64 "-%" PRIu64, gen_family_of(limits->numbers),
             gen_rule_name(limits->rule), seed, index);
}

void eng_draw_request(const struct gen_program *program, enum masks_rule rule, uint32_t subgroup,
                      struct eng_request *request)
{
    OWNED(text_free) struct text notation = {0};
    request->kind = ENG_GENERATED;
    request->subgroup = subgroup;
    request->workgroup = subgroup <= 32 ? 64 : 2 * subgroup; // two subgroups at least
    gen_write(program, &notation);
    snprintf(request->program, sizeof request->program, "%s", notation.data);
    snprintf(request->rule, sizeof request->rule, "%s", gen_rule_name(rule));
}

// The program has few runs: what the device-side checker needs to be made ready would take longer
// than they do.
enum dev_status eng_generated_run(struct dev *dev, const struct eng_request *request,
                                  const struct eng_sink *sink)
{
    struct lit_error error = {0};
    struct eng_generated generated;
    enum dev_status status = DEV_OK;
    if (eng_generated_make(request, &generated, &error)) {
        status = eng_measure(
            &(struct eng_measure){
                .dev = dev,
                .own = &generated,
                .check_on_host = true,
                .scale = eng_draw_workgroups(dev_facts(dev)),
                .sink = sink,
            },
            request);
    } else {
        struct eng_event event = {.kind = ENG_EVENT_ERROR, .error_code = error.code};
        snprintf(event.text, sizeof event.text, "%s", error.message);
        sink->emit(&event, sink->user);
    }
    eng_generated_clear(&generated);
    return status;
}

// A program's events on their way to one.
struct drawn {
    const struct eng_sink *sink;
    uint64_t run, index;
    struct eng_count count; // of its own runs
    struct eng_event end;
};

static bool take(const struct eng_event *event, void *user)
{
    struct drawn *drawn = user;
    if (event->kind == ENG_EVENT_BATCH)
        eng_count_add(&drawn->count, &event->count);
    else if (event->kind == ENG_EVENT_DONE || event->kind == ENG_EVENT_ERROR)
        drawn->end = *event;
    else
        return drawn->sink->emit(event, drawn->sink->user);
    return true;
}

void eng_draw_counted(uint64_t run, uint64_t index, struct eng_count *count)
{
    count->runs = 1;
    count->failed_runs = count->failed_runs > 0;
    count->first_run_failed = count->failed_runs && run == 0;
    // One of each, so that as many programs as possible are named.
    count->failure_count = count->failure_count > 0;
    if (count->failure_count) {
        struct eng_failure *failure = &count->failures[0];
        char where[sizeof failure->where];
        snprintf(where, sizeof where, "%s", failure->where);
        failure->at.run = run;
        snprintf(failure->where, sizeof failure->where, "program %" PRIu64 ", %.60s", index, where);
    }
}

static bool emit_program(const struct drawn *drawn)
{
    struct eng_event event = {.kind = ENG_EVENT_BATCH, .count = drawn->count};
    eng_draw_counted(drawn->run, drawn->index, &event.count);
    return drawn->sink->emit(&event, drawn->sink->user);
}

static uint32_t steps_of(const struct cat_case *which)
{
    return cat_value(&(struct cat_args){.which = which}, "steps");
}

static void ask(const struct dev_facts *facts, const struct cat_case *which, const char *family,
                uint64_t index, struct eng_request *request)
{
    struct gen_program program;
    struct gen_limits limits = {.rule = eng_draw_rule(facts->features),
                                .steps = steps_of(which),
                                .depth = ENG_DRAW_DEPTH,
                                .features = facts->features,
                                .subgroup = which->subgroup};
    if (!strcmp(family, gen_family_of(ENG_DRAW_NUMBERS))) {
        limits.numbers = ENG_DRAW_NUMBERS;
        limits.truths = ENG_DRAW_TRUTHS;
    }
    gen_draw(&program, &limits, request->seed, index);
    eng_draw_request(&program, limits.rule, which->subgroup, request);
    eng_draw_name(&limits, request->seed, index, request->name);
    request->first = 0;
    request->runs = CAT_DRAWN_RUNS(limits.steps);
    request->waits = 0;
    request->renew = false;
}

// --- Programs that come next: their pipelines are precompiled, each on a thread of its own, while
// those before them run.

#define AHEAD 5

struct upcoming {
    struct eng_request request;
    struct eng_generated generated;
    struct eng_prepared ready;
};

struct drawing {
    struct dev *dev;
    const struct cat_case *which;
    const struct eng_request *request;
    struct upcoming *ahead[AHEAD]; // run r is at r % AHEAD
    uint64_t begun;                // runs up to here were
};

static void forget(struct upcoming **one)
{
    if (!*one)
        return;
    eng_prepared_clear(&(*one)->ready);
    eng_generated_clear(&(*one)->generated);
    free(*one);
    *one = NULL;
}

static uint64_t index_of(const struct drawing *d, uint64_t run)
{
    return dev_facts_program(dev_facts(d->dev), d->which->subgroup, d->request->first + run);
}

// Whatever is wrong with one will be said when its turn comes.
static void begin(struct drawing *d, uint64_t run)
{
    const struct dev_facts *facts = dev_facts(d->dev);
    struct lit_error error = {0};
    struct upcoming *one = d->ahead[run % AHEAD] = lit_alloc(1, sizeof *one);
    one->request = *d->request;
    ask(facts, d->which, cat_test_draws(d->which->test), index_of(d, run), &one->request);
    if (eng_generated_make(&one->request, &one->generated, &error) &&
        eng_prepare(&(struct eng_prepare){.which = &one->generated.which,
                                          .module = &one->generated.entry,
                                          .facts = facts,
                                          .scale = eng_draw_workgroups(facts),
                                          .most_words = eng_most_words(d->dev)},
                    &one->ready, &error))
        dev_precompile_begin(
            d->dev, &(struct dev_precompile_info){
                        .name = one->request.name,
                        .code = eng_compile_info(&one->ready, one->generated.module.words)});
}

// The words of those that were begun stay until nobody needs them: of `run` no more after it has
// run.
static void begin_ahead(struct drawing *d, uint64_t run)
{
    if (!d->request->renew)
        return;
    for (d->begun = d->begun > run ? d->begun : run + 1;
         d->begun < run + AHEAD && d->begun < d->request->runs; d->begun++)
        begin(d, d->begun);
}

static void end_ahead(struct drawing *d)
{
    for (size_t i = 0; i < AHEAD; i++) {
        if (d->ahead[i])
            dev_precompile_drop(d->dev, d->ahead[i]->request.name);
        forget(&d->ahead[i]);
    }
}

enum dev_status eng_draw_run(struct dev *dev, const struct cat_case *which,
                             const struct eng_request *request, const struct eng_sink *sink)
{
    const struct dev_facts *facts = dev_facts(dev);
    enum dev_status status = DEV_OK;
    struct drawn drawn = {.sink = sink, .end = {.kind = ENG_EVENT_DONE, .result = ENG_PASS}};
    const struct eng_sink own = {take, &drawn};
    struct drawing drawing = {.dev = dev, .which = which, .request = request};
    for (uint64_t i = 0; i < request->runs; i++) {
        struct eng_request program = *request;
        drawn.run = request->first + i;
        drawn.index = index_of(&drawing, i);
        drawn.count = (struct eng_count){0};
        ask(facts, which, cat_test_draws(which->test), drawn.index, &program);
        begin_ahead(&drawing, i);
        status = eng_generated_run(dev, &program, &own);
        forget(&drawing.ahead[i % AHEAD]);
        const bool ran = drawn.end.kind == ENG_EVENT_DONE &&
                         (drawn.end.result == ENG_PASS || drawn.end.result == ENG_FAIL);
        if (!ran || !emit_program(&drawn))
            break;
    }
    // A device that was lost is not asked for anything more.
    if (status == DEV_OK || status == DEV_ERROR)
        end_ahead(&drawing);
    sink->emit(&drawn.end, sink->user);
    return status;
}

void eng_draw_broken(const struct dev_facts *facts, uint32_t subgroup, uint64_t run,
                     enum eng_result result, const char *reason, struct eng_count *count)
{
    *count = (struct eng_count){.runs = 1,
                                .failed_runs = 1,
                                .first_run_failed = run == 0,
                                .instances = 1,
                                .failed_instances = 1,
                                .failure_count = 1};
    count->outcomes[CAT_NEVER_WRITTEN] = 1;
    count->failures[0].at = (struct cat_failure){
        .run = run, .got = CAT_POISON, .want = CAT_POISON, .outcome = CAT_NEVER_WRITTEN};
    snprintf(count->failures[0].where, sizeof count->failures[0].where,
             "program %" PRIu64 ": %s%s%.50s", dev_facts_program(facts, subgroup, run),
             eng_result_name(result), reason[0] ? ", " : "", reason);
}
