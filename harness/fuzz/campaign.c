// SPDX-License-Identifier: Apache-2.0
// A campaign of generated programs.
#include "base/clock.h"
#include "base/file.h"
#include "engine/plan.h"
#include "fuzz/campaign.h"
#include "generate/module.h"
#include "generate/program.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// ---- Generated programs as requests.

void fuzz_target_init(struct fuzz_target *target, const struct eng_watch *watch,
                      const struct eng_device *device)
{
    *target = (struct fuzz_target){.client = {.watch = watch, .device = device, .generated = true}};
    target->size_count = eng_plan_sizes(&device->facts, target->sizes);
}

bool fuzz_failed(const struct eng_outcome *outcome)
{
    return outcome->result == ENG_FAIL || outcome->result == ENG_CRASH ||
           outcome->result == ENG_HANG || outcome->result == ENG_DEVICE_LOST;
}

static enum eng_end try_once(struct fuzz_target *target, const struct fuzz_trial *trial,
                             struct eng_outcome *outcome)
{
    struct eng_request request = {.kind = ENG_GENERATED,
                                  // At least two subgroups.
                                  .workgroup = trial->subgroup <= 32 ? 64 : 2 * trial->subgroup,
                                  .subgroup = trial->subgroup,
                                  .runs = trial->runs,
                                  .seed = trial->seed};
    OWNED(text_free) struct text notation = {0};
    gen_write(trial->program, &notation);
    snprintf(request.program, sizeof request.program, "%s", notation.data);
    snprintf(request.name, sizeof request.name, "%s", trial->name);
    snprintf(request.rule, sizeof request.rule, "%s", gen_rule_name(trial->rule));
    return eng_client_ask(&target->client, &request, outcome);
}

// ---- Draws, runs, repeats, shrinks, stores.

#define REPEATS      5 // times the usual runs, to learn how often a program fails
#define PATIENCE_MIN 4
#define PATIENCE_MAX 512
#define HARD_TRIES   200 // of a program that ends its worker: each costs a new one

struct campaign {
    struct fuzz_target *target;
    const struct fuzz_plan *plan;
    const struct fuzz_listener *listener;
    struct fuzz_tally *tally;
    // Of the program that is being shrunk:
    struct fuzz_found *found;
    const char *name;
    uint64_t patience;
    double deadline;
    enum eng_end end; // why shrinking stopped
};

void fuzz_name(enum masks_rule rule, uint64_t seed, uint64_t index, char name[96])
{
    snprintf(name, 96, "reconvergence.fuzz-%s-%" PRIx64 "-%" PRIu64, gen_rule_name(rule), seed,
             index);
}

// How many masks its runs stored.
static uint64_t masks_of(const struct gen_program *program, const struct eng_count *count,
                         uint32_t subgroup)
{
    OWNED(lit_free) struct gen_shape *shape = gen_shape_make(program);
    return count->instances * subgroup * shape->masks.slots;
}

uint64_t fuzz_patience(uint64_t failed, uint64_t runs)
{
    const double half = runs ? (double)failed / (double)runs / 2 : 0;
    if (half <= 0)
        return PATIENCE_MAX;
    const double needed = ceil(log(0.01) / log(1 - half));
    return needed < PATIENCE_MIN   ? PATIENCE_MIN
           : needed > PATIENCE_MAX ? PATIENCE_MAX
                                   : (uint64_t)needed;
}

static struct fuzz_trial trial_of(const struct campaign *c, const struct gen_program *program,
                                  uint64_t runs)
{
    return (struct fuzz_trial){.program = program,
                               .name = c->name,
                               .rule = c->plan->limits.rule,
                               .subgroup = c->found->subgroup,
                               .seed = c->plan->seed,
                               .runs = runs};
}

// A candidate fails if it ends as the program did.
static enum gen_answer ask(const struct gen_program *candidate, void *user)
{
    struct campaign *c = user;
    struct fuzz_found *found = c->found;
    struct eng_outcome outcome;
    char doing[64];
    const bool hard = eng_is_broken(found->first.result);
    if (clock_now() > c->deadline || (hard && found->tries >= HARD_TRIES))
        return GEN_STOP;
    snprintf(doing, sizeof doing, "shrinking, %u of %u steps, %u tries", found->small.count,
             found->drawn.count, found->tries);
    c->listener->progress(c->tally, doing, c->listener->user);
    const struct fuzz_trial trial = trial_of(c, candidate, c->patience);
    c->end = try_once(c->target, &trial, &outcome);
    if (c->end != ENG_END_RAN)
        return GEN_STOP;
    found->tries++;
    if (outcome.result != found->first.result)
        return GEN_PASSES;
    found->small = *candidate;
    return GEN_FAILS;
}

// Runs a program again, to learn how often it fails.
static enum eng_end repeat(struct campaign *c, const struct gen_program *program, uint64_t times,
                           uint64_t *runs, uint64_t *failed, struct eng_failure *failure)
{
    struct eng_outcome outcome;
    const struct fuzz_trial trial = trial_of(c, program, c->plan->runs * times);
    const enum eng_end end = try_once(c->target, &trial, &outcome);
    if (end != ENG_END_RAN)
        return end;
    *runs = outcome.count.runs;
    *failed = outcome.count.failed_runs;
    if (outcome.result != ENG_FAIL && fuzz_failed(&outcome)) {
        ++*runs; // the one that did not come back
        ++*failed;
    }
    if (outcome.count.failure_count)
        *failure = outcome.count.failures[0];
    return ENG_END_RAN;
}

static enum eng_end shrink(struct campaign *c)
{
    struct fuzz_found *found = c->found;
    enum eng_end end = repeat(c, &found->drawn, eng_is_broken(found->first.result) ? 1 : REPEATS,
                              &found->runs, &found->failed, &found->failure);
    if (end != ENG_END_RAN)
        return end;
    // What ends a worker may be what others did to the device before: only what does so again, on a
    // device of its own, can be made smaller.
    if (eng_is_broken(found->first.result) && !found->failed)
        return ENG_END_RAN;
    // The first runs count where the others show nothing.
    c->patience = found->failed ? fuzz_patience(found->failed, found->runs)
                                : fuzz_patience(1, found->runs + c->plan->runs);
    c->deadline = clock_now() + c->plan->shrinking;
    c->end = ENG_END_RAN;
    found->shrunk = true;
    struct gen_program program = found->drawn;
    gen_shrink(&program, c->plan->limits.rule, ask, c);
    found->cut_short = c->end != ENG_END_RAN || clock_now() > c->deadline ||
                       (eng_is_broken(found->first.result) && found->tries >= HARD_TRIES);
    if (c->end != ENG_END_RAN)
        return c->end;
    return repeat(c, &found->small, eng_is_broken(found->first.result) ? 1 : REPEATS,
                  &found->small_runs, &found->small_failed, &found->failure);
}

// What was seen, as prose behind the head.
static void put_remark(const struct campaign *c, struct text *text)
{
    const struct fuzz_found *found = c->found;
    const struct dev_facts *facts = &c->target->client.device->facts;
    text_printf(text, "; Observed on %s, driver %s, in subgroups of %u: ", facts->name,
                facts->driver_version, found->subgroup);
    if (eng_is_broken(found->first.result))
        text_printf(text, "%s, %s%s.\n", eng_result_name(found->first.result), found->first.reason,
                    found->shrunk ? "" : "; not again, alone");
    else
        text_printf(
            text, "failed in %" PRIu64 " of %" PRIu64 " runs.\n; First: %s, got 0x%x, want 0x%x.\n",
            found->small_runs ? found->small_failed : found->failed,
            found->small_runs ? found->small_runs : found->runs, found->failure.where,
            found->failure.at.got, found->failure.at.want);
    text_printf(text, "; Reproduce: litmus fuzz reconvergence --replay FILE\n");
}

static bool store(struct campaign *c, struct lit_error *error)
{
    struct fuzz_found *found = c->found;
    const char *rule = gen_rule_name(c->plan->limits.rule);
    OWNED(text_free) struct text origin = {0}, remark = {0}, text = {0};
    if (mkdir(c->plan->folder, 0777) != 0 && errno != EEXIST)
        return lit_fail(error, LIT_EXIT_USAGE, "%.200s: %s", c->plan->folder, strerror(errno));
    text_printf(&origin,
                "litmus fuzz reconvergence --rule %s --seed 0x%" PRIx64 ", program %" PRIu64
                ",\n;              %u of its %u steps%s",
                rule, c->plan->seed, found->index, found->small.count, found->drawn.count,
                found->cut_short ? " (shrinking was incomplete)" : "");
    put_remark(c, &remark);
    gen_assembly(&(struct gen_title){.name = c->name,
                                     .origin = origin.data,
                                     .remark = remark.data,
                                     .rule = c->plan->limits.rule},
                 &found->small, &text);
    snprintf(found->path, sizeof found->path, "%.400s/%s-%" PRIx64 "-%" PRIu64 ".spvasm",
             c->plan->folder, rule, c->plan->seed, found->index);
    const bool good = lit_file_write(found->path, text.data, text.length, error);
    c->tally->stored += good;
    return good;
}

static enum eng_end handle(struct campaign *c, struct fuzz_found *found, bool *written,
                           struct lit_error *error)
{
    enum eng_end end = ENG_END_RAN;
    c->found = found;
    found->small = found->drawn;
    if (c->tally->stored < c->plan->keep) {
        end = shrink(c);
        *written = store(c, error);
    }
    c->listener->found(found, c->listener->user);
    return end;
}

enum eng_end fuzz_run(struct fuzz_target *target, const struct fuzz_trial *trial,
                      struct fuzz_found *found, struct fuzz_tally *tally)
{
    struct eng_outcome *first = &found->first;
    const enum eng_end end = try_once(target, trial, first);
    if (eng_end_stops(end))
        snprintf(tally->reason, sizeof tally->reason, "%s", first->reason);
    if (end != ENG_END_RAN)
        return end;
    if (first->count.failure_count)
        found->failure = first->count.failures[0];
    tally->programs++;
    tally->runs += first->count.runs;
    tally->masks += masks_of(trial->program, &first->count, trial->subgroup);
    tally->results[first->result]++;
    if (first->result != ENG_PASS && !fuzz_failed(first) && !tally->reason[0])
        snprintf(tally->reason, sizeof tally->reason, "%s", first->reason);
    return end;
}

enum eng_end fuzz_campaign(struct fuzz_target *target, const struct fuzz_plan *plan,
                           const struct fuzz_listener *listener, struct fuzz_tally *tally,
                           bool *written, struct lit_error *error)
{
    struct campaign c = {.target = target, .plan = plan, .listener = listener, .tally = tally};
    OWNED(lit_free) struct fuzz_found *found = lit_alloc(1, sizeof *found);
    enum eng_end end = ENG_END_RAN;
    *tally = (struct fuzz_tally){0};
    *written = true;
    for (uint64_t i = 0; i < plan->count && end == ENG_END_RAN && *written; i++) {
        char name[96];
        *found = (struct fuzz_found){.index = plan->first + i};
        // All sizes that the device offers, in turn.
        if (target->size_count)
            found->subgroup = target->sizes[found->index % target->size_count];
        fuzz_name(plan->limits.rule, plan->seed, found->index, name);
        gen_draw(&found->drawn, &plan->limits, plan->seed, found->index);
        listener->progress(tally, NULL, listener->user);
        c.found = found;
        c.name = name;
        const struct fuzz_trial trial = trial_of(&c, &found->drawn, plan->runs);
        end = fuzz_run(target, &trial, found, tally);
        if (end == ENG_END_RAN && fuzz_failed(&found->first))
            end = handle(&c, found, written, error);
        // What one program lacks they all lack.
        if (found->first.result == ENG_SKIP)
            break;
    }
    return end;
}
