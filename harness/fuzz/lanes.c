// SPDX-License-Identifier: Apache-2.0
// Runs the programs of a campaign, several at once, and puts those that fail into groups.
#include "engine/protocol.h"
#include "fuzz/campaign.h"
#include "report/code.h"

#include <math.h>

#define WAITING_MOST 64 // the most failing programs that wait for their turn
#define ROUND        8  // programs of each arm, on average, until the arms are weighed again

double fuzz_weight(uint64_t failed)
{
    return failed < ENG_MAX_FAILURES ? 1 + sqrt((double)failed) : 0.25;
}

// Keeps the first numbers sorted. Only merging groups inserts one before others.
static void count_in(struct fuzz_group *group, struct fuzz_number number)
{
    const uint64_t told = group->programs < FUZZ_FIRST ? group->programs : FUZZ_FIRST;
    uint64_t at = told;
    for (; at > 0 && group->first[at - 1].order > number.order; at--)
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
    count_in(&tally->groups[i], (struct fuzz_number){found->order, found->index, found->arm});
    return &tally->groups[i];
}

// Whether a program has the cause of the group, or one of the same finding.
static bool is_like(const struct fuzz_group *group, const struct fuzz_found *found)
{
    return !group->same && found->cause[0] &&
           ((found->finding && group->finding &&
             strcmp(found->finding->finding, group->finding->finding) == 0) ||
            lint_is_like(group->cause, found->cause));
}

static size_t find_like(const struct fuzz_tally *tally, const struct fuzz_found *found)
{
    size_t i = 0;
    while (i < tally->group_count && !is_like(&tally->groups[i], found))
        i++;
    return i;
}

// A program of the group was shrunk, or its cause is known. Merges the group into another that has
// a like cause, or the same name now.
static void settle(struct fuzz_tally *tally, struct fuzz_group *group, struct fuzz_found *found)
{
    fuzz_name_group(found);
    size_t i = find_like(tally, found);
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
    other->finding = found->finding ? found->finding : other->finding;
}

// --- Counts

// The record of the configuration that has a program.
static struct eng_record *record_of(const struct fuzz_campaign *c, const struct fuzz_arm *arm,
                                    uint64_t index)
{
    return &c->records.items[(size_t)(arm - c->arms) * c->size_count + index % c->size_count];
}

// The failed programs of an arm that the store names, among its first `count`.
static uint64_t count_named(const struct fuzz_campaign *c, const struct fuzz_arm *arm,
                            uint64_t count)
{
    uint64_t named = 0;
    for (size_t k = 0; k < c->size_count; k++) {
        const struct result *kept = &record_of(c, arm, k)->kept;
        for (size_t i = 0; i < kept->failure_count; i++)
            named += kept->failures[i].at.run * c->size_count + k < c->asked->index.value + count;
    }
    return named;
}

// Whether a program still has to run.
static bool lacks(const struct fuzz_campaign *c, const struct fuzz_arm *arm, uint64_t index)
{
    const struct eng_record *record = record_of(c, arm, index);
    const uint64_t run = index / c->size_count, first = record->kept.first;
    return run >= first + record->kept.runs && run < first + record->planned;
}

// If one program lacks a feature, all do.
static void skip(struct fuzz_campaign *c, const char *reason)
{
    for (size_t i = 0; i < c->records.count; i++) {
        struct eng_record *record = &c->records.items[i];
        if (record->kept.runs || !record->planned)
            continue;
        record->kept.result = ENG_SKIP;
        record->changed = true;
        snprintf(record->kept.reason, ENG_REASON, "%s", reason);
    }
}

// Counts a program, as a run of its configuration if that has all runs before it, and stores the
// counts that have waited long enough.
static void count_program(struct fuzz_campaign *c, struct fuzz_found *found)
{
    const struct eng_outcome *first = &found->first;
    const uint64_t run = found->index / c->size_count;
    const bool broken = eng_is_broken(first->result);
    const bool judged = broken || first->result == ENG_PASS || first->result == ENG_FAIL;
    const bool alone = eng_emulate_lacks(c->device, first);
    struct eng_count count = first->count;
    struct eng_failure failure = first->first;
    if (broken)
        eng_draw_broken(&c->device->facts, found->subgroup, run, first->result, first->reason,
                        &count, &failure);
    else if (alone)
        count = (struct eng_count){
            .runs = 1, .no_progress_runs = 1, .instances = 1, .outcomes[CAT_NO_PROGRESS] = 1};
    else
        eng_draw_counted(run, found->index, &count, &failure);
    if (!judged && !c->tally->reason[0])
        snprintf(c->tally->reason, sizeof c->tally->reason, "%s", first->reason);
    c->tally->programs++;
    c->total.results[first->result]++;
    if (judged || alone) {
        eng_count_add(&c->tally->sum, &count);
        eng_count_add(&found->arm->sum, &count);
    }
    struct eng_record *record = c->store ? record_of(c, found->arm, found->index) : NULL;
    if (!record || record->kept.result != ENG_PARTIAL ||
        run != record->kept.first + record->kept.runs)
        return;
    if (judged || alone) {
        eng_record_add(&c->records, record, &count, &failure, c->process, false);
        if (record->kept.runs == record->planned)
            record->kept.result = eng_verdict(&record->kept.count);
    } else if (first->result == ENG_SKIP) {
        skip(c, first->reason);
    } else {
        record->kept.result = ENG_HARNESS_ERROR;
        record->changed = true;
        snprintf(record->kept.reason, ENG_REASON, "program %" PRIu64 ": %.400s", found->index,
                 first->reason);
    }
    if (eng_records_are_due(&c->records))
        c->written = eng_records_put(&c->records, c->error) && c->written;
}

// Stores the rest. How many programs each arm would get was not known before.
static bool put_rest(struct fuzz_campaign *c)
{
    const bool whole = fuzz_weighs(c) && fuzz_is_whole(c);
    for (size_t i = 0; i < c->records.count && whole; i++) {
        struct eng_record *record = &c->records.items[i];
        if (!record->kept.runs || record->kept.result != ENG_PARTIAL)
            continue;
        record->kept.result = eng_verdict(&record->kept.count);
        record->changed = true;
    }
    return eng_records_put(&c->records, c->error);
}

// --- Programs that failed

// The group with a like cause, if it is that of a finding and one of its programs was shrunk, or if
// the campaign is over, so that none is shrunk any more.
static struct fuzz_group *find_known(const struct fuzz_campaign *c, const struct fuzz_found *found)
{
    const size_t like = find_like(c->tally, found);
    struct fuzz_group *group = like < c->tally->group_count ? &c->tally->groups[like] : NULL;
    return group && (c->pool.end != ENG_END_RAN || (found->finding && group->settled)) ? group
                                                                                       : NULL;
}

// Waits for the lane's worker, and so lets other lanes go on.
static void handle(struct fuzz_lane *lane, struct fuzz_found *found)
{
    struct fuzz_campaign *c = lane->campaign;
    struct fuzz_group *group = NULL;
    c->handling = true;
    lane->found = found;
    if (!c->given) {
        eng_draw_name(&found->arm->limits, c->asked->run.seed.value, found->index, lane->name);
        if (!found->known)
            fuzz_find_cause(lane);
        group = find_known(c, found);
    }
    if (group) {
        count_in(group, (struct fuzz_number){found->order, found->index, found->arm});
    } else if (!c->given && !(group = join(c->tally, found))->settled) {
        if (c->tally->stored < c->asked->keep) {
            fuzz_shrink(lane);
            c->written = fuzz_store(lane) && c->written;
            fuzz_find_cause(lane);
        }
        settle(c->tally, group, found);
    }
    fuzz_show_found(c, found);
    c->handling = false;
    c->failing--;
    pthread_cond_broadcast(&c->pool.changed);
}

static uint64_t first_running(const struct fuzz_campaign *c)
{
    uint64_t first = UINT64_MAX;
    for (uint64_t i = 0; i < c->asked->jobs; i++)
        first = c->lanes[i].running < first ? c->lanes[i].running : first;
    return first;
}

static void add(struct fuzz_found **list, struct fuzz_found *found)
{
    while (*list && (*list)->order < found->order)
        list = &(*list)->next;
    found->next = *list;
    *list = found;
}

// Counts the programs that ended before this one, in their order.
static void count_ended(struct fuzz_campaign *c, uint64_t order)
{
    struct fuzz_found *one;
    while ((one = c->ended) && one->order < order) {
        c->ended = one->next;
        count_program(c, one);
        if (fuzz_failed(&one->first))
            add(&c->failed, one);
        else
            free(one);
    }
}

// Counts programs once all earlier ones have ended, and handles the first that failed. False if
// there is none, or another one is first.
static bool take_ended(struct fuzz_lane *lane)
{
    struct fuzz_campaign *c = lane->campaign;
    count_ended(c, first_running(c));
    struct fuzz_found *one = c->failed;
    if (!one || one->open || c->handling || !c->written)
        return false;
    c->failed = one->next;
    handle(lane, one);
    free(one);
    return true;
}

static void draw(struct fuzz_lane *lane)
{
    struct fuzz_campaign *c = lane->campaign;
    struct fuzz_found *found = lane->found;
    // Cycle through all sizes of the device.
    found->order = lane->running;
    found->index = lane->index;
    found->arm = lane->arm;
    found->subgroup = found->small_subgroup = c->sizes[found->index % c->size_count];
    if (c->given) {
        found->index = 0;
        found->drawn = c->given->program;
        snprintf(lane->name, sizeof lane->name, "%s", c->given->name);
        return;
    }
    const struct gen_limits limits = fuzz_draw(c, found->arm, found->index, &found->drawn);
    eng_draw_name(&limits, c->asked->run.seed.value, found->index, lane->name);
}

// Names the group of a failing program. Strips the program, unless its machine code has the cause
// of a known group.
static void examine(struct fuzz_lane *lane)
{
    const struct fuzz_campaign *c = lane->campaign;
    struct fuzz_found *found = lane->found;
    found->small = found->drawn;
    found->worst = eng_outcome_worst(fuzz_check(&found->drawn), &found->first.count);
    fuzz_find_cause(lane);
    // The kernel that a relative is nearest to is found while it is stripped.
    found->known = found->arm->limits.focus < GEN_NABLA && find_known(c, found);
    if (!found->known)
        fuzz_strip(lane);
    fuzz_name_group(found);
}

static void run_program(struct fuzz_lane *lane)
{
    struct fuzz_campaign *c = lane->campaign;
    struct fuzz_found *found = lane->found = lit_alloc(1, sizeof *found);
    const struct eng_outcome *first = &found->first;
    draw(lane);
    const enum eng_end end = fuzz_try(lane, &found->drawn, c->asked->run.runs, &found->first);
    lane->running = UINT64_MAX;
    pthread_cond_broadcast(&c->pool.changed);
    if (end != ENG_END_RAN) {
        if (eng_end_stops(end))
            snprintf(c->tally->reason, sizeof c->tally->reason, "%s", first->reason);
        free(found);
    } else if (fuzz_failed(first)) {
        found->failure = first->first;
        c->failing++;
        add(&c->ended, found);
        found->open = true;
        if (!c->given)
            examine(lane);
        found->open = false;
    } else {
        c->over |= first->result == ENG_SKIP && !c->given && !eng_emulate_lacks(c->device, first);
        add(&c->ended, lit_realloc(found, 1, offsetof(struct fuzz_found, drawn)));
    }
}

// Whether the next program begins a round.
static bool is_round(const struct fuzz_campaign *c)
{
    return fuzz_weighs(c) && c->next % (ROUND * c->arm_count) == 0;
}

// A round is divided by what failed before the one before it, so that it seldom has to wait for
// programs, and the same results divide it alike however many run at once.
static bool must_wait(const struct fuzz_campaign *c)
{
    return c->pool.end == ENG_END_RAN && c->written &&
           (c->failing >= WAITING_MOST ||
            (is_round(c) && c->next && first_running(c) < c->next - ROUND * c->arm_count));
}

// Gives the next program to the arm that has the fewest for its weight.
static void give(struct fuzz_campaign *c, struct fuzz_lane *lane)
{
    struct fuzz_arm *best = c->arms;
    for (struct fuzz_arm *arm = c->arms; arm < c->arms + c->arm_count; arm++) {
        if (is_round(c)) {
            arm->named = count_named(c, arm, arm->marked);
            arm->marked = arm->given;
        }
        if ((double)(arm->given + 1) / fuzz_weight(arm->named) <
            (double)(best->given + 1) / fuzz_weight(best->named))
            best = arm;
    }
    lane->arm = best;
    lane->index = c->asked->index.value + best->given++;
    c->next++;
}

// Takes the next program. False if there is none.
static bool take(struct fuzz_lane *lane)
{
    struct fuzz_campaign *c = lane->campaign;
    do {
        while (take_ended(lane) ||
               (must_wait(c) && pthread_cond_wait(&c->pool.changed, &c->pool.lock) == 0))
            continue;
        if (c->over || c->pool.end != ENG_END_RAN || !c->written || c->next >= c->asked->count)
            return false;
        give(c, lane);
    } while (c->store && !lacks(c, lane->arm, lane->index));
    lane->running = c->next - 1;
    fuzz_show_progress(c, NULL);
    return true;
}

static void work(void *user)
{
    struct fuzz_lane *lane = user;
    struct fuzz_campaign *c = lane->campaign;
    while (take(lane))
        run_program(lane);
    // A result that cannot be stored stops the others.
    if (!c->written)
        atomic_store(&c->pool.stop, true);
    eng_client_end(&lane->client);
}

static void begin(struct fuzz_campaign *c)
{
    eng_pool_begin(&c->pool, &c->devices.watch);
    c->next = 0;
    c->over = false;
    c->written = true;
    c->failing = 0;
    c->codeless = c->reading = false;
    c->lanes = lit_alloc(c->asked->jobs, sizeof *c->lanes);
    for (uint64_t i = 0; i < c->asked->jobs; i++)
        c->lanes[i] = (struct fuzz_lane){.campaign = c,
                                         .running = UINT64_MAX,
                                         .client = {.watch = &c->pool.watch,
                                                    .device = c->device,
                                                    .pool = &c->pool,
                                                    .unchecked = true,
                                                    .capture = c->asked->compile}};
}

enum eng_end fuzz_run(struct fuzz_campaign *c)
{
    begin(c);
    eng_pool_run(&c->pool, work, c->lanes, sizeof *c->lanes, c->asked->jobs);
    count_ended(c, UINT64_MAX);
    for (struct fuzz_found *one; (one = c->failed); free(one)) {
        c->failed = one->next;
        join(c->tally, one);
    }
    free(c->lanes);
    c->written = put_rest(c) && c->written;
    eng_pool_end(&c->pool);
    return c->pool.end;
}
