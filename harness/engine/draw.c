// SPDX-License-Identifier: Apache-2.0
// Runs tests whose runs are drawn programs.
#include "engine/measure.h"
#include "generate/module.h"

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
    char arm[48];
    gen_arm_name(limits, arm);
    snprintf(name, 96, "%s.fuzz-%s-%" PRIx64 "-%" PRIu64, gen_family_of(limits->numbers), arm, seed,
             index);
}

unsigned eng_draw_workgroup(const struct gen_program *program, uint32_t subgroup)
{
    return subgroup > 64 || gen_asks(program, GEN_SUBGROUP_BIT) ? 256 : subgroup > 32 ? 128 : 64;
}

// --- A program as a configuration

// A program with its request, and with the parts of a test that a run needs: some of a head, its
// family's oracle, and the emitted module. Must stay where it is.
struct drawn {
    struct eng_request request;
    struct gen_program program;
    struct gen_module module;
    struct cat_module entry;
    struct cat_embedded embedded;
    struct cat_test test;
    struct cat_case which;
    struct eng_prepared ready; // to be precompiled
    struct lit_error error;    // why it is invalid
};

// Fills the rest from the program and its request.
static void make(struct drawn *made, enum masks_rule rule)
{
    const struct eng_request *request = &made->request;
    const char *family = gen_family(&made->program);
    char oracle[40];
    snprintf(oracle, sizeof oracle, "%s.generated", family);
    gen_module_make(&made->program, rule, &made->module);
    made->entry.count = (uint32_t)made->module.count;
    cat_module_features(made->module.words, made->module.count, &made->entry.features,
                        &made->error);
    made->embedded = (struct cat_embedded){.modules = &made->entry, .module_count = 1};
    made->test = (struct cat_test){
        .head = {.name = made->request.name,
                 .axes = {{.name = (char *)"reconvergence",
                           .values = {(char *)gen_rule_name(rule)},
                           .count = 1}},
                 .axis_count = 1,
                 .sweeps = {{.name = (char *)"workgroup",
                             .values = {(char *)"64", (char *)"128", (char *)"256"},
                             .count = 3,
                             .role = CFG_WORKGROUP}},
                 .sweep_count = 1},
        .embedded = &made->embedded,
        .oracle = cat_oracle_find(oracle),
        .program = &made->program,
        .words = made->module.words};
    made->which = (struct cat_case){.test = &made->test, .subgroup = request->subgroup};
    const unsigned workgroup = eng_draw_workgroup(&made->program, request->subgroup);
    made->which.sweep[0] = workgroup > 128 ? 2 : workgroup > 64;
}

// Programs have few runs: preparing the device-side checker would take longer than the runs.
static enum dev_status run(struct dev *dev, const struct drawn *drawn, const struct eng_sink *sink)
{
    if (!drawn->error.message[0] && !drawn->request.runs)
        return eng_compile(dev, drawn->request.name, &drawn->which, sink);
    if (!drawn->error.message[0])
        return eng_measure(
            &(struct eng_measure){
                .dev = dev,
                .which = &drawn->which,
                .check_on_host = true,
                .scale = eng_draw_workgroups(dev_facts(dev)),
                .sink = sink,
            },
            &drawn->request);
    eng_emit_error(sink, &drawn->error);
    return DEV_OK;
}

static void forget(struct drawn **one)
{
    if (!*one)
        return;
    eng_prepared_clear(&(*one)->ready);
    gen_module_clear(&(*one)->module);
    free(*one);
    *one = NULL;
}

enum dev_status eng_generated_run(struct dev *dev, const struct eng_request *request,
                                  const struct eng_sink *sink)
{
    OWNED(forget) struct drawn *one = lit_alloc(1, sizeof *one);
    struct gen_program *program = &one->program;
    enum masks_rule rule;
    one->request = *request;
    if (!gen_rule_find(request->rule, &rule))
        lit_fail(&one->error, LIT_EXIT_USAGE, "there is no rule '%s'", request->rule);
    else if (gen_read(request->program, strlen(request->program), program, &one->error) &&
             gen_check(program, rule, &one->error))
        make(one, rule);
    return run(dev, one, sink);
}

// --- Drawn programs as runs

// Turns a program's events into one event.
struct events {
    const struct eng_sink *sink;
    uint64_t run, index;
    struct eng_count count; // of the program's own runs
    struct eng_failure failure;
    struct eng_event end;
};

static bool take(const struct eng_event *event, void *user)
{
    struct events *events = user;
    if (event->kind == ENG_EVENT_BATCH) {
        if (event->count.failure_count && !events->count.failure_count++)
            events->failure = event->failures[0];
        eng_count_add(&events->count, &event->count);
    } else if (event->kind == ENG_EVENT_DONE || event->kind == ENG_EVENT_ERROR) {
        events->end = *event;
    } else {
        return events->sink->emit(event, events->sink->user);
    }
    return true;
}

void eng_draw_counted(uint64_t run, uint64_t index, struct eng_count *count,
                      struct eng_failure *failure)
{
    count->runs = 1;
    count->failed_runs = count->failed_runs > 0;
    count->first_run_failed = count->failed_runs && run == 0;
    // Keep one failure of each, so that as many programs as possible are named.
    count->failure_count = count->failure_count > 0;
    if (count->failure_count) {
        char where[sizeof failure->where];
        snprintf(where, sizeof where, "%s", failure->where);
        failure->at.run = run;
        snprintf(failure->where, sizeof failure->where, "program %" PRIu64 ", %.60s", index, where);
    }
}

static bool emit_program(const struct events *events)
{
    struct eng_event event = {
        .kind = ENG_EVENT_BATCH, .count = events->count, .failures = {events->failure}};
    eng_draw_counted(events->run, events->index, &event.count, event.failures);
    return events->sink->emit(&event, events->sink->user);
}

struct gen_limits eng_draw_arm(uint64_t features, uint64_t seed, uint64_t index)
{
    struct gen_limits arms[GEN_ARMS];
    const size_t count = gen_arms(features, arms);
    struct lit_random random = {random_derive(seed, "arm") ^ index};
    return arms[random_below(&random, count)];
}

void eng_draw_options(const struct gen_limits *limits, struct text *text)
{
    if (limits->pressure)
        text_printf(text, " --pressure %u", limits->pressure);
    if (limits->numbers)
        text_printf(text, " --shape %s", gen_focus_names[limits->focus]);
}

// Draws run `run` of a configuration.
static void draw(const struct dev_facts *facts, const struct cat_case *which, uint64_t index,
                 const struct eng_request *request, struct drawn *one)
{
    struct gen_limits limits = {.rule = eng_draw_rule(facts->features)};
    if (!strcmp(cat_test_draws(which->test), gen_family_of(true)))
        limits = eng_draw_arm(facts->features, request->seed, index);
    limits.products = facts->products;
    limits.steps = cat_value(&(struct cat_args){.which = which}, "steps");
    limits.depth = ENG_DRAW_DEPTH;
    limits.subgroup = which->subgroup;
    gen_draw(&one->program, &limits, request->seed, index);
    one->request = *request;
    one->request.subgroup = which->subgroup;
    eng_draw_name(&limits, request->seed, index, one->request.name);
    one->request.first = 0;
    one->request.runs = CAT_DRAWN_RUNS(limits.steps);
    one->request.waits = 0;
    one->request.renew = false;
    make(one, limits.rule);
}

// Programs that come next: their pipelines are precompiled, each on its own thread, while earlier
// programs run.

#define AHEAD 5

struct drawing {
    struct dev *dev;
    const struct cat_case *which;
    const struct eng_request *request;
    struct drawn *ahead[AHEAD]; // run r and the next ones, at r % AHEAD
    uint64_t begun;             // runs before this one were begun
};

static uint64_t index_of(const struct drawing *d, uint64_t run)
{
    return dev_facts_program(dev_facts(d->dev), d->which->subgroup, d->request->first + run);
}

// Errors are reported when the program's turn comes.
static void precompile(struct drawing *d, struct drawn *one)
{
    struct lit_error error = {0};
    const struct dev_facts *facts = dev_facts(d->dev);
    if (!one->error.message[0] &&
        eng_prepare(&(struct eng_prepare){.which = &one->which,
                                          .facts = facts,
                                          .scale = eng_draw_workgroups(facts),
                                          .most_words = eng_most_words(d->dev)},
                    &one->ready, &error))
        dev_precompile_begin(d->dev, &(struct dev_precompile_info){.name = one->request.name,
                                                                   .code = one->ready.code});
}

// Draws `run` unless it was drawn, and begins to precompile later runs if the request allows. Each
// program's words stay until nothing needs them, at most until its run is over.
static struct drawn *begin(struct drawing *d, uint64_t run)
{
    const uint64_t behind = d->request->renew ? run + AHEAD : run + 1;
    for (; d->begun < behind && d->begun < d->request->runs; d->begun++) {
        struct drawn *one = d->ahead[d->begun % AHEAD] = lit_alloc(1, sizeof *one);
        draw(dev_facts(d->dev), d->which, index_of(d, d->begun), d->request, one);
        if (d->begun > run)
            precompile(d, one);
    }
    return d->ahead[run % AHEAD];
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
    enum dev_status status = DEV_OK;
    struct events events = {.sink = sink, .end = {.kind = ENG_EVENT_DONE, .result = ENG_PASS}};
    const struct eng_sink own = {take, &events};
    struct drawing drawing = {.dev = dev, .which = which, .request = request};
    for (uint64_t i = 0; i < request->runs; i++) {
        events.run = request->first + i;
        events.index = index_of(&drawing, i);
        events.count = (struct eng_count){0};
        status = run(dev, begin(&drawing, i), &own);
        forget(&drawing.ahead[i % AHEAD]);
        const bool ran = events.end.kind == ENG_EVENT_DONE &&
                         (events.end.result == ENG_PASS || events.end.result == ENG_FAIL);
        if (!ran || !emit_program(&events))
            break;
    }
    // Ask nothing more from a lost device.
    if (status == DEV_OK || status == DEV_ERROR)
        end_ahead(&drawing);
    sink->emit(&events.end, sink->user);
    return status;
}

void eng_draw_broken(const struct dev_facts *facts, uint32_t subgroup, uint64_t run,
                     enum eng_result result, const char *reason, struct eng_count *count,
                     struct eng_failure *failure)
{
    *count = (struct eng_count){.runs = 1,
                                .failed_runs = 1,
                                .first_run_failed = run == 0,
                                .instances = 1,
                                .failed_instances = 1,
                                .failure_count = 1};
    count->outcomes[CAT_NEVER_WRITTEN] = 1;
    failure->at = (struct cat_failure){
        .run = run, .got = CAT_POISON, .want = CAT_POISON, .outcome = CAT_NEVER_WRITTEN};
    snprintf(failure->where, sizeof failure->where, "program %" PRIu64 ": %s%s%.50s",
             dev_facts_program(facts, subgroup, run), eng_result_name(result),
             reason[0] ? ", " : "", reason);
}
