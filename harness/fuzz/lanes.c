// SPDX-License-Identifier: Apache-2.0
// Runs the programs of a campaign, several at once, and puts those that fail into groups.
#include "fuzz/campaign.h"
#include "report/code.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WAITING_MOST 64 // the most failing programs that wait for their turn

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

// The group with a like cause.
static size_t find_like(const struct fuzz_tally *tally, const char *cause)
{
    size_t i = 0;
    while (i < tally->group_count &&
           (!cause[0] || tally->groups[i].same || !lint_is_like(tally->groups[i].cause, cause)))
        i++;
    return i;
}

// A program of the group was shrunk, or its cause is known. Merges the group into another that has
// a like cause, or the same name now.
static void settle(struct fuzz_tally *tally, struct fuzz_group *group, struct fuzz_found *found)
{
    fuzz_name_group(found);
    size_t i = find_like(tally, found->cause);
    if (i == tally->group_count && found->shrunk)
        i = find_group(tally, found->group);
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
    if (other->cause[0])
        return;
    snprintf(other->cause, sizeof other->cause, "%s", found->cause);
    other->finding = found->finding;
}

static void note(struct fuzz_campaign *c, const struct eng_outcome *first)
{
    struct fuzz_tally *tally = c->tally;
    const bool failed = fuzz_failed(first);
    if (first->result != ENG_PASS && !failed && !tally->reason[0])
        snprintf(tally->reason, sizeof tally->reason, "%s", first->reason);
    tally->programs++;
    tally->failed += failed;
    tally->judged += failed || first->result == ENG_PASS;
    // Nothing is known about what ended the worker, as in eng_draw_broken.
    tally->checked += eng_is_broken(first->result) ? 1 : first->count.instances;
    tally->results[first->result]++;
}

// Waits for the lane's worker, and so lets other lanes go on.
static void handle(struct fuzz_lane *lane, struct fuzz_found *found)
{
    struct fuzz_campaign *c = lane->campaign;
    struct fuzz_group *group = c->given ? NULL : join(c->tally, found);
    c->handling = true;
    lane->found = found;
    const bool keeps = c->tally->stored < c->asked->keep;
    if (group && !group->settled && (keeps || !group->cause[0])) {
        eng_draw_name(&c->limits, c->asked->run.seed.value, found->index, lane->name);
        const enum eng_end end = keeps ? fuzz_shrink(lane) : ENG_END_RAN;
        c->end = c->end == ENG_END_RAN ? end : c->end;
        c->written = (!keeps || fuzz_store(lane)) && c->written;
        fuzz_find_cause(lane);
        settle(c->tally, group, found);
    }
    fuzz_show_found(c, found);
    c->handling = false;
    c->failing--;
    pthread_cond_broadcast(&c->pool.changed);
}

// Takes programs that ended in the order of their numbers: counts each once all earlier ones have
// ended, and handles the first that failed. False if there is none, or another one is first.
static bool take_ended(struct fuzz_lane *lane)
{
    struct fuzz_campaign *c = lane->campaign;
    struct fuzz_found **at = &c->ended, *one;
    uint64_t running = UINT64_MAX;
    bool waits = c->handling;
    for (uint64_t i = 0; i < c->asked->jobs; i++)
        running = c->lanes[i].running < running ? c->lanes[i].running : running;
    while ((one = *at) && one->index < running && c->written) {
        const bool failed = fuzz_failed(&one->first);
        if (!one->counted) {
            note(c, &one->first);
            c->written = fuzz_count(c, one);
        }
        one->counted = true;
        waits |= failed && one->open;
        if (failed && waits) {
            at = &one->next;
            continue;
        }
        *at = one->next;
        if (failed)
            handle(lane, one);
        free(one);
        if (failed)
            return true;
    }
    return false;
}

static void add_ended(struct fuzz_campaign *c, struct fuzz_found *found)
{
    struct fuzz_found **at = &c->ended;
    while (*at && (*at)->index < found->index)
        at = &(*at)->next;
    found->next = *at;
    *at = found;
}

static void draw(struct fuzz_lane *lane)
{
    const struct fuzz_campaign *c = lane->campaign;
    struct fuzz_found *found = lane->found;
    // Cycle through all sizes of the device.
    found->index = lane->running;
    found->subgroup = found->small_subgroup = c->sizes[found->index % c->size_count].subgroup;
    if (c->given) {
        found->index = 0;
        found->drawn = c->given->program;
        snprintf(lane->name, sizeof lane->name, "%s", c->given->name);
        return;
    }
    const struct gen_limits limits = fuzz_limits(c, found->subgroup);
    eng_draw_name(&limits, c->asked->run.seed.value, found->index, lane->name);
    gen_draw(&found->drawn, &limits, c->asked->run.seed.value, found->index);
}

static void run_program(struct fuzz_lane *lane)
{
    struct fuzz_campaign *c = lane->campaign;
    struct fuzz_found *found = lane->found = lit_alloc(1, sizeof *found);
    const struct eng_outcome *first = &found->first;
    draw(lane);
    enum eng_end end = fuzz_try(lane, &found->drawn, c->asked->run.runs, &found->first);
    lane->running = UINT64_MAX;
    if (end != ENG_END_RAN) {
        if (eng_end_stops(end))
            snprintf(c->tally->reason, sizeof c->tally->reason, "%s", first->reason);
        free(found);
    } else if (fuzz_failed(first)) {
        found->failure = first->first;
        c->failing++;
        add_ended(c, found);
        found->open = true;
        end = c->given ? end : fuzz_strip(lane);
        found->open = false;
    } else {
        // If a drawn program lacks a feature, all do.
        c->over |= first->result == ENG_SKIP && !c->given;
        add_ended(c, lit_realloc(found, 1, offsetof(struct fuzz_found, drawn)));
    }
    c->end = c->end == ENG_END_RAN ? end : c->end;
}

// Takes the next program. False if there is none.
static bool take(struct fuzz_lane *lane)
{
    struct fuzz_campaign *c = lane->campaign;
    const uint64_t behind = c->asked->index.value + c->asked->count;
    while (take_ended(lane) || (c->failing >= WAITING_MOST && c->end == ENG_END_RAN && c->written &&
                                pthread_cond_wait(&c->pool.changed, &c->pool.lock) == 0))
        continue;
    while (c->next < behind && c->store && !fuzz_lacks(c, c->next))
        c->next++;
    if (c->over || c->end != ENG_END_RAN || !c->written || c->next >= behind)
        return false;
    lane->running = c->next++;
    fuzz_show_progress(c, NULL);
    return true;
}

// The other lanes stop where one had to stop.
static void heed_end(struct fuzz_campaign *c)
{
    if (!c->written || c->end == ENG_END_TIME || c->end == ENG_END_SIGNAL)
        atomic_store(&c->pool.stop, true);
}

static void work(void *user)
{
    struct fuzz_lane *lane = user;
    struct fuzz_campaign *c = lane->campaign;
    while (take(lane)) {
        run_program(lane);
        heed_end(c);
    }
    heed_end(c);
    eng_client_end(&lane->client);
}

static void begin(struct fuzz_campaign *c)
{
    eng_pool_begin(&c->pool);
    c->watch = eng_pool_watch(&c->pool, &c->devices.watch);
    c->next = c->asked->index.value;
    c->over = false;
    c->written = true;
    c->end = ENG_END_RAN;
    c->failing = 0;
    c->codeless = false;
    c->lanes = lit_alloc(c->asked->jobs, sizeof *c->lanes);
    for (uint64_t i = 0; i < c->asked->jobs; i++)
        c->lanes[i] = (struct fuzz_lane){.campaign = c,
                                         .running = UINT64_MAX,
                                         .client = {.watch = &c->watch,
                                                    .device = c->device,
                                                    .pool = &c->pool,
                                                    .unchecked = true,
                                                    .capture = c->asked->compile}};
}

enum eng_end fuzz_run(struct fuzz_campaign *c)
{
    begin(c);
    eng_pool_run(&c->pool, work, c->lanes, sizeof *c->lanes, c->asked->jobs);
    // What ended behind a program that was stopped is not stored.
    for (struct fuzz_found *one = c->ended, *next; one; one = next) {
        next = one->next;
        if (!one->counted)
            note(c, &one->first);
        if (fuzz_failed(&one->first))
            join(c->tally, one);
        free(one);
    }
    c->ended = NULL;
    free(c->lanes);
    c->written = (!c->store || fuzz_put(c)) && c->written;
    eng_pool_end(&c->pool);
    return c->end;
}
