// SPDX-License-Identifier: Apache-2.0
// A session's results of a campaign on one device.
#include "base/clock.h"
#include "fuzz/campaign.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// Stores results once a second, or less often if storing would take more than 1/PUT_PART of the
// time.
#define PUT_SECONDS 1.0
#define PUT_PART    50

// Counts the programs before `index` that have size `k`.
static uint64_t runs_before(const struct fuzz_session *s, uint64_t index, size_t k)
{
    return (index + s->count - 1 - k) / s->count;
}

bool fuzz_session_load(struct fuzz_session *s, const struct eng_device *device,
                       const struct fuzz_plan *plan,
                       void (*name)(uint32_t subgroup, struct text *name, void *user), void *user,
                       struct fuzz_tally *tally, struct lit_error *error)
{
    uint32_t sizes[DEV_MAX_SIZES];
    char test[64];
    OWNED(text_free) struct text named = {0};
    snprintf(test, sizeof test, "generated.%s", gen_family_of(plan->limits.numbers));
    fuzz_session_clear(s);
    s->device = device;
    s->process = 0;
    s->put = clock_now() + PUT_SECONDS;
    s->count = dev_facts_sizes(&device->facts, sizes);
    error->message[0] = '\0';
    for (size_t k = 0; k < s->count && !error->message[0]; k++) {
        struct fuzz_size *size = &s->sizes[k];
        const struct eng_count *known = &size->record.count;
        const struct cat_case which = {.test = cat_test_find(test), .subgroup = sizes[k]};
        uint64_t first;
        size->subgroup = sizes[k];
        named.length = 0;
        name(sizes[k], &named, user);
        eng_record_begin(&size->record, named.data, &which, device, plan->seed);
        size->record.first = runs_before(s, plan->first, k);
        eng_shard_runs(&s->shard, runs_before(s, plan->first + plan->count, k) - size->record.first,
                       &first, &size->runs);
        size->record.first += first;
        eng_record_recall(&size->record, s->store, s->id, &s->process, error);
        tally->programs += known->runs;
        tally->before += known->runs;
        tally->failed_before += known->failed_runs;
        tally->checked += known->instances;
    }
    return s->count ? !error->message[0]
                    : lit_fail(error, LIT_EXIT_USAGE, "device %u has no usable subgroup size",
                               device->number);
}

void fuzz_session_clear(struct fuzz_session *s)
{
    for (size_t k = 0; k < s->count; k++) {
        eng_result_clear(&s->sizes[k].record);
        s->sizes[k] = (struct fuzz_size){0};
    }
    for (struct fuzz_ended *next; s->ended; s->ended = next) {
        next = s->ended->next;
        free(s->ended);
    }
    s->count = 0;
}

uint64_t fuzz_session_planned(const struct fuzz_session *s)
{
    uint64_t planned = 0;
    for (size_t k = 0; k < s->count; k++)
        planned += s->sizes[k].runs;
    return planned;
}

bool fuzz_session_is_whole(const struct fuzz_session *s)
{
    bool whole = true;
    for (size_t k = 0; k < s->count; k++)
        whole = whole && (s->sizes[k].record.count.runs >= s->sizes[k].runs ||
                          s->sizes[k].record.result == ENG_SKIP);
    return whole;
}

bool fuzz_session_lacks(const struct fuzz_session *s, uint64_t index)
{
    const struct fuzz_size *size = &s->sizes[index % s->count];
    const struct report_result *row = &size->record;
    const uint64_t run = index / s->count;
    return run >= row->first + row->runs && run < row->first + size->runs;
}

// If one program lacks a feature, all do.
static void skip(struct fuzz_session *s, const char *reason)
{
    for (size_t k = 0; k < s->count; k++) {
        struct fuzz_size *size = &s->sizes[k];
        if (size->record.count.runs || !size->runs)
            continue;
        size->record.result = ENG_SKIP;
        size->changed = true;
        snprintf(size->record.reason, ENG_REASON, "%s", reason);
    }
}

// Counts the next run of a configuration, unless it already has a result.
static void count_next(struct fuzz_session *s, struct fuzz_size *size, const struct fuzz_ended *one)
{
    struct report_result *record = &size->record;
    const uint64_t run = record->first + record->count.runs;
    const struct eng_outcome *outcome = &one->outcome;
    struct eng_count count = outcome->count;
    struct eng_failure failure = outcome->first;
    if (record->result != ENG_PARTIAL)
        return;
    if (outcome->result == ENG_SKIP) {
        skip(s, outcome->reason);
        return;
    }
    size->changed = true;
    if (eng_is_broken(outcome->result)) {
        eng_draw_broken(&s->device->facts, size->subgroup, run, outcome->result, outcome->reason,
                        &count, &failure);
    } else if (outcome->result == ENG_PASS || outcome->result == ENG_FAIL) {
        eng_draw_counted(run, one->index, &count, &failure);
    } else {
        record->result = ENG_HARNESS_ERROR;
        snprintf(record->reason, ENG_REASON, "program %" PRIu64 ": %.400s", one->index,
                 outcome->reason);
        return;
    }
    eng_result_add(record, &count, &failure, s->process, false);
    if (record->count.runs == size->runs)
        record->result = eng_verdict(&record->count);
}

bool fuzz_session_ran(struct fuzz_session *s, uint64_t index, const struct eng_outcome *outcome,
                      struct lit_error *error)
{
    struct fuzz_ended *ran = lit_alloc(1, sizeof *ran);
    *ran = (struct fuzz_ended){s->ended, index, *outcome};
    s->ended = ran;
    for (struct fuzz_ended **at = &s->ended; *at;) {
        struct fuzz_ended *one = *at;
        struct fuzz_size *size = &s->sizes[one->index % s->count];
        const struct report_result *row = &size->record;
        if (size->record.result == ENG_PARTIAL && one->index / s->count != row->first + row->runs) {
            at = &one->next;
            continue;
        }
        *at = one->next;
        count_next(s, size, one);
        free(one);
        at = &s->ended;
    }
    return clock_now() < s->put || fuzz_session_put(s, error);
}

bool fuzz_session_put(struct fuzz_session *s, struct lit_error *error)
{
    const struct report_result *records[DEV_MAX_SIZES];
    size_t count = 0;
    for (size_t k = 0; k < s->count; k++) {
        if (s->sizes[k].changed)
            records[count++] = &s->sizes[k].record;
        s->sizes[k].changed = false;
    }
    const double began = clock_now();
    const bool good = store_results_put(s->store, s->id, records, count, error);
    const double took = PUT_PART * (clock_now() - began);
    s->put = clock_now() + (took > PUT_SECONDS ? took : PUT_SECONDS);
    return good;
}
