// SPDX-License-Identifier: Apache-2.0
// A campaign of generated programs.
#include "base/clock.h"
#include "base/file.h"
#include "base/folder.h"
#include "fuzz/campaign.h"
#include "generate/module.h"
#include "generate/program.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Generated programs as requests.

void fuzz_target_init(struct fuzz_target *target, const struct eng_watch *watch,
                      const struct eng_device *device)
{
    *target = (struct fuzz_target){.client = {.watch = watch, .device = device, .generated = true}};
    target->size_count = dev_facts_sizes(&device->facts, target->sizes);
}

bool fuzz_failed(const struct eng_outcome *outcome)
{
    return outcome->result == ENG_FAIL || outcome->result == ENG_CRASH ||
           outcome->result == ENG_HANG || outcome->result == ENG_DEVICE_LOST;
}

static enum eng_end try_once(struct fuzz_target *target, const struct fuzz_trial *trial,
                             struct eng_outcome *outcome)
{
    struct eng_request request = {.runs = trial->runs, .seed = trial->seed};
    eng_draw_request(trial->program, trial->rule, trial->subgroup, &request);
    snprintf(request.name, sizeof request.name, "%s", trial->name);
    return eng_client_ask(&target->client, &request, outcome);
}

// ---- Draws, runs, repeats, shrinks, stores.

#define REPEATS      5 // times the usual runs, to estimate how often a program fails
#define PATIENCE_MIN 4
#define PATIENCE_MAX 512
#define HARD_TRIES   200 // for a program that ends its worker: each run costs a new worker

#define WAITING_MOST 64 // the most failing programs that wait for their turn

struct campaign {
    const struct eng_device *device;
    const struct fuzz_plan *plan;
    const struct fuzz_listener *listener;
    struct fuzz_session *session;
    const struct eng_watch *outer; // call it with the lock held
    struct eng_watch watch;        // the workers use this one
    pthread_mutex_t lock;          // protects everything below, and the lanes' `running`
    pthread_cond_t changed;
    struct fuzz_tally *tally;
    uint64_t next; // next program
    bool over;     // begin no other program
    enum eng_end end;
    bool written;
    struct lit_error *error;
    bool handling;               // a lane handles a failing program
    struct fuzz_found **waiting; // failing programs, sorted by their index
    size_t waiting_count;
    struct lane *lanes;
};

// A thread of a campaign and its worker.
struct lane {
    struct campaign *campaign;
    pthread_t thread; // except the first, which is the caller's
    bool has_thread;
    struct fuzz_target target;
    uint64_t running; // the program being run; UINT64_MAX: none
    // The program being shrunk:
    struct fuzz_found *found;
    const char *name;
    double deadline;
    enum eng_end end; // why shrinking stopped
};

struct gen_limits fuzz_limits(const struct fuzz_plan *plan, const struct eng_device *device,
                              uint32_t subgroup)
{
    struct gen_limits limits = plan->limits;
    limits.features = device->facts.features;
    limits.subgroup = subgroup;
    return limits;
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

enum cat_check fuzz_check(const struct gen_program *program)
{
    return program->numbers ? CAT_CHECK_EQUAL : CAT_CHECK_MASK;
}

static struct fuzz_trial trial_of(const struct lane *lane, const struct gen_program *program,
                                  uint64_t runs)
{
    return (struct fuzz_trial){.program = program,
                               .name = lane->name,
                               .rule = lane->campaign->plan->limits.rule,
                               .subgroup = lane->found->small_subgroup,
                               .seed = lane->campaign->plan->seed,
                               .runs = runs};
}

static void tell(struct campaign *c, const char *doing)
{
    pthread_mutex_lock(&c->lock);
    c->listener->progress(c->tally, doing, c->listener->user);
    pthread_mutex_unlock(&c->lock);
}

static bool is_alike(const struct eng_outcome *outcome, const struct eng_outcome *first)
{
    char how[320], was[320];
    eng_outcome_how(outcome, how);
    eng_outcome_how(first, was);
    return outcome->result == first->result && strcmp(how, was) == 0;
}

// A candidate fails if it ends like the program.
static enum gen_answer ask(const struct gen_program *candidate, void *user)
{
    struct lane *lane = user;
    struct fuzz_found *found = lane->found;
    struct eng_outcome outcome;
    char doing[64];
    const bool hard = eng_is_broken(found->first.result);
    if (clock_now() > lane->deadline || (hard && found->tries >= HARD_TRIES))
        return GEN_STOP;
    snprintf(doing, sizeof doing, "shrinking, %u of %u steps, %u tries", found->small.count,
             found->drawn.count, found->tries);
    tell(lane->campaign, doing);
    const struct fuzz_trial trial = trial_of(lane, candidate, found->patience);
    lane->end = try_once(&lane->target, &trial, &outcome);
    if (lane->end != ENG_END_RAN)
        return GEN_STOP;
    found->tries++;
    if (!is_alike(&outcome, &found->first))
        return GEN_PASSES;
    found->small = *candidate;
    found->worst = eng_outcome_worst(fuzz_check(candidate), &outcome.count);
    return GEN_FAILS;
}

// Finds the smallest subgroup in which the small program still fails.
static void take_lanes(struct lane *lane)
{
    struct fuzz_found *found = lane->found;
    const struct fuzz_target *target = &lane->target;
    const uint32_t own = found->small_subgroup;
    for (uint32_t size = gen_least(&found->small); size < own; size *= 2)
        for (size_t i = 0; i < target->size_count; i++) {
            if (target->sizes[i] != size)
                continue;
            found->small_subgroup = size;
            const struct gen_program program = found->small;
            const enum gen_answer answer = ask(&program, lane);
            if (answer == GEN_FAILS)
                return;
            found->small_subgroup = own;
            if (answer == GEN_STOP)
                return;
        }
}

// Runs a program again to estimate how often it fails, and adds up the counts.
static enum eng_end repeat(struct lane *lane, const struct gen_program *program, uint64_t times,
                           uint64_t *runs, uint64_t *failed, struct eng_failure *failure)
{
    struct eng_outcome outcome;
    const struct fuzz_trial trial = trial_of(lane, program, lane->campaign->plan->runs * times);
    const enum eng_end end = try_once(&lane->target, &trial, &outcome);
    if (end != ENG_END_RAN)
        return end;
    *runs += outcome.count.runs;
    *failed += outcome.count.failed_runs;
    if (outcome.result != ENG_FAIL && fuzz_failed(&outcome)) {
        ++*runs; // the run that did not return
        ++*failed;
    }
    if (outcome.count.failure_count)
        *failure = outcome.first;
    return ENG_END_RAN;
}

// Estimates how often a program fails, and from that how often to run candidates.
static enum eng_end estimate(struct lane *lane)
{
    const struct fuzz_plan *plan = lane->campaign->plan;
    struct fuzz_found *found = lane->found;
    const bool hard = eng_is_broken(found->first.result);
    enum eng_end end = repeat(lane, &found->drawn, hard ? 1 : REPEATS, &found->runs, &found->failed,
                              &found->failure);
    // Run it often enough to show a failure as rare as these runs and the first suggest.
    if (end == ENG_END_RAN && !hard && !found->failed)
        end =
            repeat(lane, &found->drawn, fuzz_patience(1, found->runs + plan->runs) / plan->runs + 1,
                   &found->runs, &found->failed, &found->failure);
    found->patience = fuzz_patience(found->failed, found->runs);
    lane->deadline = clock_now() + plan->shrinking;
    lane->end = ENG_END_RAN;
    return end;
}

// Names the group after what makes the small program fail.
static void name_group(struct fuzz_found *found)
{
    const char *outcome = cat_outcome_name(fuzz_check(&found->small), found->worst);
    OWNED(text_free) struct text kinds = {0};
    char how[320];
    eng_outcome_how(&found->first, how);
    gen_kinds(&found->small, &kinds);
    if (found->first.result == ENG_FAIL)
        snprintf(found->group, sizeof found->group, "%s%s%s", outcome ? outcome : "wrong",
                 kinds.length ? ": " : "", kinds.length ? kinds.data : "");
    else
        snprintf(found->group, sizeof found->group, "%s%s%s", eng_result_name(found->first.result),
                 *how ? ": " : "", how);
}

// Finds the group of a failing program. Wrong results are identified by the steps they need:
// removes all other steps from the program.
static enum eng_end strip(struct lane *lane)
{
    struct fuzz_found *found = lane->found;
    enum eng_end end = ENG_END_RAN;
    found->small = found->drawn;
    found->worst = eng_outcome_worst(fuzz_check(&found->drawn), &found->first.count);
    if (found->first.result == ENG_FAIL && (end = estimate(lane)) == ENG_END_RAN && found->failed) {
        struct gen_program program = found->drawn;
        gen_strip(&program, lane->campaign->plan->limits.rule, ask, lane);
        end = lane->end;
    }
    name_group(found);
    return end;
}

static enum eng_end shrink(struct lane *lane)
{
    const struct fuzz_plan *plan = lane->campaign->plan;
    struct fuzz_found *found = lane->found;
    const bool hard = eng_is_broken(found->first.result);
    // Earlier runs may have damaged the device before a worker ended, and a device may change a
    // word now and then: shrink only a failure that repeats with a new pipeline.
    const enum eng_end end = hard ? estimate(lane) : ENG_END_RAN;
    if (end != ENG_END_RAN || !found->failed)
        return end;
    lane->deadline = clock_now() + plan->shrinking;
    lane->end = ENG_END_RAN;
    found->shrunk = true;
    struct gen_program program = found->small;
    gen_shrink(&program, plan->limits.rule, ask, lane);
    if (lane->end == ENG_END_RAN)
        take_lanes(lane);
    found->cut_short = lane->end != ENG_END_RAN || clock_now() > lane->deadline ||
                       (hard && found->tries >= HARD_TRIES);
    if (lane->end != ENG_END_RAN)
        return lane->end;
    return repeat(lane, &found->small, hard ? 1 : REPEATS, &found->small_runs, &found->small_failed,
                  &found->failure);
}

// Writes the observations as prose after the head.
static void put_remark(const struct fuzz_found *found, const struct dev_facts *facts,
                       struct text *text)
{
    text_printf(text, "; Observed on %s, driver %s, in subgroups of %u: ", facts->name,
                facts->driver_version, found->small_subgroup);
    if (eng_is_broken(found->first.result))
        text_printf(text, "%s, %s%s.\n", eng_result_name(found->first.result), found->first.reason,
                    found->shrunk ? "" : "; not again, alone");
    else
        text_printf(text,
                    "failed in %" PRIu64 " of %" PRIu64
                    " runs%s.\n; First: %s, got 0x%x, want 0x%x.\n",
                    found->small_runs ? found->small_failed : found->failed,
                    found->small_runs ? found->small_runs : found->runs,
                    found->failed ? "" : ", when it was run again", found->failure.where,
                    found->failure.at.got, found->failure.at.want);
    text_printf(text, "; Reproduce: litmus fuzz %s --replay FILE\n", gen_family(&found->small));
}

// Call with the lock held.
static bool store(const struct lane *lane)
{
    struct campaign *c = lane->campaign;
    struct fuzz_found *found = lane->found;
    const char *rule = gen_rule_name(c->plan->limits.rule);
    OWNED(text_free) struct text origin = {0}, remark = {0}, text = {0};
    if (!lit_folder_make(c->plan->folder, c->error))
        return false;
    text_printf(&origin,
                "litmus fuzz %s --rule %s --seed 0x%" PRIx64 ", program %" PRIu64
                ",\n;              %u of its %u steps%s",
                gen_family(&found->small), rule, c->plan->seed, found->index, found->small.count,
                found->drawn.count, found->cut_short ? " (shrinking was incomplete)" : "");
    put_remark(found, &c->device->facts, &remark);
    gen_assembly(&(struct gen_title){.name = lane->name,
                                     .origin = origin.data,
                                     .remark = remark.data,
                                     .rule = c->plan->limits.rule},
                 &found->small, &text);
    snprintf(found->path, sizeof found->path, "%.400s/%s-%" PRIx64 "-%" PRIu64 ".spvasm",
             c->plan->folder, rule, c->plan->seed, found->index);
    const bool good = lit_file_write(found->path, text.data, text.length, c->error);
    c->tally->stored += good;
    return good;
}

// Keeps the first numbers sorted. Only merging groups inserts one before others.
static void count_in(struct fuzz_group *group, uint64_t number)
{
    const uint64_t told = group->programs < FUZZ_FIRST ? group->programs : FUZZ_FIRST;
    uint64_t at = told;
    for (; at > 0 && group->first[at - 1] > number; at--)
        if (at < FUZZ_FIRST)
            group->first[at] = group->first[at - 1];
    if (at < FUZZ_FIRST)
        group->first[at] = number;
    group->programs++;
}

// Finds the group with this name, or one whose shrunk program has it; the number of groups: none.
static size_t find_group(const struct fuzz_tally *tally, const char *name)
{
    size_t i = 0;
    while (i < tally->group_count && strcmp(tally->groups[i].name, name) != 0 &&
           strcmp(tally->groups[i].small, name) != 0)
        i++;
    return i;
}

// Counts a program in its group.
static struct fuzz_group *join(struct fuzz_tally *tally, const struct fuzz_found *found)
{
    size_t i = find_group(tally, found->group);
    if (i == FUZZ_GROUPS)
        i--;
    if (i == tally->group_count) {
        const char *name = i == FUZZ_GROUPS - 1 ? "other" : found->group;
        snprintf(tally->groups[tally->group_count++].name, sizeof found->group, "%s", name);
    }
    while (tally->groups[i].same)
        i = tally->groups[i].same - 1;
    count_in(&tally->groups[i], found->index);
    return &tally->groups[i];
}

// A program of the group was shrunk. Merges the group into another that has the same name now.
static void settle(struct fuzz_tally *tally, struct fuzz_group *group, struct fuzz_found *found)
{
    name_group(found);
    size_t i = found->shrunk ? find_group(tally, found->group) : tally->group_count;
    while (i < tally->group_count && tally->groups[i].same)
        i = tally->groups[i].same - 1;
    struct fuzz_group *other = i < tally->group_count ? &tally->groups[i] : group;
    snprintf(group->small, sizeof group->small, "%s", found->shrunk ? found->group : "");
    if (other != group) {
        for (uint64_t k = 0; k < group->programs && k < FUZZ_FIRST; k++)
            count_in(other, group->first[k]);
        other->programs += group->programs > FUZZ_FIRST ? group->programs - FUZZ_FIRST : 0;
        group->programs = 0;
        group->same = i + 1;
    }
    other->settled |= found->shrunk;
    if (!other->path[0])
        snprintf(other->path, sizeof other->path, "%s", found->path);
}

// Call with the lock held; drops it while the program is shrunk.
static void handle(struct lane *lane, struct fuzz_found *found)
{
    struct campaign *c = lane->campaign;
    struct fuzz_group *group = join(c->tally, found);
    char name[96];
    eng_draw_name(&c->plan->limits, c->plan->seed, found->index, name);
    lane->found = found;
    lane->name = name;
    if (c->tally->stored < c->plan->keep && !group->settled) {
        pthread_mutex_unlock(&c->lock);
        const enum eng_end end = shrink(lane);
        pthread_mutex_lock(&c->lock);
        c->end = c->end == ENG_END_RAN ? end : c->end;
        c->written = store(lane);
        settle(c->tally, group, found);
    }
    c->listener->found(found, c->listener->user);
}

// Handles failing programs, each once all earlier ones have run. Call with the lock held.
static void handle_waiting(struct lane *lane)
{
    struct campaign *c = lane->campaign;
    while (!c->handling && c->waiting_count > 0 && c->written) {
        struct fuzz_found *first = c->waiting[0];
        for (uint64_t i = 0; i < c->plan->jobs; i++)
            if (c->lanes[i].running < first->index)
                return;
        c->handling = true;
        memmove(c->waiting, c->waiting + 1, --c->waiting_count * sizeof *c->waiting);
        handle(lane, first);
        free(first);
        c->handling = false;
        pthread_cond_broadcast(&c->changed);
    }
}

static void add_waiting(struct campaign *c, struct fuzz_found *found)
{
    size_t at = c->waiting_count++;
    for (; at > 0 && c->waiting[at - 1]->index > found->index; at--)
        c->waiting[at] = c->waiting[at - 1];
    c->waiting[at] = found;
}

static void note(const struct fuzz_found *found, enum eng_end end, struct fuzz_tally *tally)
{
    const struct eng_outcome *first = &found->first;
    if (eng_end_stops(end))
        snprintf(tally->reason, sizeof tally->reason, "%s", first->reason);
    if (end != ENG_END_RAN)
        return;
    tally->programs++;
    // Nothing is known about what ended the worker, as in eng_draw_broken.
    tally->checked += eng_is_broken(first->result) ? 1 : first->count.instances;
    tally->results[first->result]++;
    if (first->result != ENG_PASS && !fuzz_failed(first) && !tally->reason[0])
        snprintf(tally->reason, sizeof tally->reason, "%s", first->reason);
}

static enum eng_end run_first(struct fuzz_target *target, const struct fuzz_trial *trial,
                              struct fuzz_found *found)
{
    const enum eng_end end = try_once(target, trial, &found->first);
    if (end == ENG_END_RAN && found->first.count.failure_count)
        found->failure = found->first.first;
    return end;
}

enum eng_end fuzz_run(struct fuzz_target *target, const struct fuzz_trial *trial,
                      struct fuzz_found *found, struct fuzz_tally *tally)
{
    const enum eng_end end = run_first(target, trial, found);
    note(found, end, tally);
    return end;
}

// Stores the result before anything else uses the program.
static void keep(struct campaign *c, const struct fuzz_found *found, enum eng_end end)
{
    if (end != ENG_END_RAN || !c->session)
        return;
    pthread_mutex_lock(&c->lock);
    c->written = fuzz_session_ran(c->session, found->index, &found->first, c->error) && c->written;
    pthread_mutex_unlock(&c->lock);
}

// Runs the lane's program. NULL unless it failed; else free it.
static struct fuzz_found *run_program(struct lane *lane)
{
    struct campaign *c = lane->campaign;
    const struct fuzz_plan *plan = c->plan;
    const struct fuzz_target *target = &lane->target;
    struct fuzz_found *found = lit_alloc(1, sizeof *found);
    char name[96];
    found->index = lane->running;
    // Cycle through all sizes of the device.
    if (target->size_count)
        found->subgroup = target->sizes[found->index % target->size_count];
    found->small_subgroup = found->subgroup;
    eng_draw_name(&plan->limits, plan->seed, found->index, name);
    const struct gen_limits limits = fuzz_limits(plan, c->device, found->subgroup);
    gen_draw(&found->drawn, &limits, plan->seed, found->index);
    lane->found = found;
    lane->name = name;
    const struct fuzz_trial trial = trial_of(lane, &found->drawn, plan->runs);
    const enum eng_end end = run_first(&lane->target, &trial, found);
    const bool failed = end == ENG_END_RAN && fuzz_failed(&found->first);
    keep(c, found, end);
    const enum eng_end stripped = failed ? strip(lane) : ENG_END_RAN;
    pthread_mutex_lock(&c->lock);
    note(found, end, c->tally);
    c->end = c->end == ENG_END_RAN ? end : c->end;
    c->end = c->end == ENG_END_RAN ? stripped : c->end;
    // If one program lacks a feature, all do.
    c->over |= end == ENG_END_RAN && found->first.result == ENG_SKIP;
    pthread_mutex_unlock(&c->lock);
    if (failed)
        return found;
    free(found);
    return NULL;
}

// Takes the next program. False if there is none. Call with the lock held.
static bool take(struct lane *lane)
{
    struct campaign *c = lane->campaign;
    handle_waiting(lane);
    while (c->waiting_count >= WAITING_MOST && c->end == ENG_END_RAN && c->written) {
        pthread_cond_wait(&c->changed, &c->lock);
        handle_waiting(lane);
    }
    const uint64_t behind = c->plan->first + c->plan->count;
    while (c->next < behind && c->session && !fuzz_session_lacks(c->session, c->next))
        c->next++;
    if (c->over || c->end != ENG_END_RAN || !c->written || c->next >= behind)
        return false;
    lane->running = c->next++;
    c->listener->progress(c->tally, NULL, c->listener->user);
    return true;
}

// A worker ends with the thread that started it.
static void *work(void *user)
{
    struct lane *lane = user;
    struct campaign *c = lane->campaign;
    fuzz_target_init(&lane->target, &c->watch, c->device);
    pthread_mutex_lock(&c->lock);
    while (take(lane)) {
        pthread_mutex_unlock(&c->lock);
        struct fuzz_found *found = run_program(lane);
        pthread_mutex_lock(&c->lock);
        lane->running = UINT64_MAX;
        if (found)
            add_waiting(c, found);
    }
    handle_waiting(lane);
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    eng_client_end(&lane->target.client);
    return NULL;
}

static void say(const char *line, void *user)
{
    struct campaign *c = user;
    pthread_mutex_lock(&c->lock);
    c->outer->say(line, c->outer->user);
    pthread_mutex_unlock(&c->lock);
}

static void tick(void *user)
{
    struct campaign *c = user;
    pthread_mutex_lock(&c->lock);
    if (c->outer->tick)
        c->outer->tick(c->outer->user);
    pthread_mutex_unlock(&c->lock);
}

// A lane stops where another had to stop.
static bool stop(void *user)
{
    struct campaign *c = user;
    pthread_mutex_lock(&c->lock);
    const bool stops = !c->written || c->end == ENG_END_TIME || c->end == ENG_END_SIGNAL ||
                       (c->outer->stop && c->outer->stop(c->outer->user));
    pthread_mutex_unlock(&c->lock);
    return stops;
}

enum eng_end fuzz_campaign(const struct eng_watch *watch, const struct eng_device *device,
                           const struct fuzz_plan *plan, struct fuzz_session *session,
                           const struct fuzz_listener *listener, struct fuzz_tally *tally,
                           bool *written, struct lit_error *error)
{
    struct campaign c = {.device = device,
                         .plan = plan,
                         .listener = listener,
                         .session = session,
                         .outer = watch,
                         .watch = *watch,
                         .tally = tally,
                         .next = plan->first,
                         .written = true,
                         .error = error,
                         // Each lane may add one beyond the limit.
                         .waiting = lit_alloc(WAITING_MOST + plan->jobs, sizeof *c.waiting),
                         .lanes = lit_alloc(plan->jobs, sizeof *c.lanes)};
    c.watch.say = say;
    c.watch.tick = tick;
    c.watch.stop = stop;
    c.watch.user = &c;
    pthread_mutex_init(&c.lock, NULL);
    pthread_cond_init(&c.changed, NULL);
    for (uint64_t i = 0; i < plan->jobs; i++)
        c.lanes[i] = (struct lane){.campaign = &c, .running = UINT64_MAX};
    for (uint64_t i = 1; i < plan->jobs; i++)
        c.lanes[i].has_thread = pthread_create(&c.lanes[i].thread, NULL, work, &c.lanes[i]) == 0;
    work(&c.lanes[0]);
    for (uint64_t i = 1; i < plan->jobs; i++)
        if (c.lanes[i].has_thread)
            pthread_join(c.lanes[i].thread, NULL);
    for (size_t i = 0; i < c.waiting_count; i++) {
        join(tally, c.waiting[i]);
        free(c.waiting[i]);
    }
    free(c.waiting);
    free(c.lanes);
    if (session)
        c.written = fuzz_session_put(session, error) && c.written;
    pthread_cond_destroy(&c.changed);
    pthread_mutex_destroy(&c.lock);
    *written = c.written;
    return c.end;
}
