// SPDX-License-Identifier: Apache-2.0
// A session's results of a campaign of programs on one device.
#include "base/clock.h"
#include "fuzz/campaign.h"

#include <inttypes.h>
#include <stdio.h>

// Stores results once a second, or less often if storing would take more than 1/PUT_PART of the
// time.
#define PUT_SECONDS 1.0
#define PUT_PART    50

// Counts the programs before `index` that have size `k`.
static uint64_t runs_before(const struct fuzz_campaign *c, uint64_t index, size_t k)
{
    return (index + c->size_count - 1 - k) / c->size_count;
}

bool fuzz_recall(struct fuzz_campaign *c)
{
    const uint64_t first = c->asked->index.value, behind = first + c->asked->count;
    char test[64];
    snprintf(test, sizeof test, "generated.%s", c->family);
    c->process = 0;
    c->put = clock_now() + PUT_SECONDS;
    c->error->message[0] = '\0';
    for (size_t k = 0; k < c->size_count && !c->error->message[0]; k++) {
        struct fuzz_size *size = &c->sizes[k];
        struct result *row = &size->record;
        OWNED(text_free) struct text name = {0};
        const struct cat_case which = {.test = cat_test_find(test), .subgroup = size->subgroup};
        fuzz_put_name(c, size->subgroup, &name);
        eng_record_begin(row, name.data, &which, c->device, c->asked->run.seed.value);
        eng_shard_runs(&c->asked->run.shard, runs_before(c, behind, k) - runs_before(c, first, k),
                       &row->first, &size->runs);
        row->first += runs_before(c, first, k);
        eng_record_recall(row, c->store, c->session.id, &c->process, c->error);
        c->planned += size->runs;
        c->tally->before += row->runs;
        c->tally->failed_before += row->failed_runs;
        c->tally->checked += row->instances;
    }
    c->tally->programs = c->tally->judged = c->tally->before;
    c->tally->failed = c->tally->failed_before;
    return c->size_count ? !c->error->message[0]
                         : lit_fail(c->error, LIT_EXIT_USAGE,
                                    "device %u has no usable subgroup size", c->device->number);
}

void fuzz_forget(struct fuzz_campaign *c)
{
    for (size_t k = 0; k < c->size_count; k++)
        eng_result_clear(&c->sizes[k].record);
    c->size_count = 0;
}

bool fuzz_is_whole(const struct fuzz_campaign *c)
{
    bool whole = true;
    for (size_t k = 0; k < c->size_count; k++)
        whole = whole && (c->sizes[k].record.runs >= c->sizes[k].runs ||
                          c->sizes[k].record.result == ENG_SKIP);
    return whole;
}

bool fuzz_lacks(const struct fuzz_campaign *c, uint64_t index)
{
    const struct fuzz_size *size = &c->sizes[index % c->size_count];
    const struct result *row = &size->record;
    const uint64_t run = index / c->size_count;
    return run >= row->first + row->runs && run < row->first + size->runs;
}

// If one program lacks a feature, all do.
static void skip(struct fuzz_campaign *c, const char *reason)
{
    for (size_t k = 0; k < c->size_count; k++) {
        struct fuzz_size *size = &c->sizes[k];
        if (size->record.runs || !size->runs)
            continue;
        size->record.result = ENG_SKIP;
        size->changed = true;
        snprintf(size->record.reason, ENG_REASON, "%s", reason);
    }
}

bool fuzz_count(struct fuzz_campaign *c, const struct fuzz_found *one)
{
    struct fuzz_size *size = &c->sizes[one->index % c->size_count];
    struct result *record = &size->record;
    const uint64_t run = record->first + record->runs;
    const struct eng_outcome *outcome = &one->first;
    struct eng_count count = outcome->count;
    struct eng_failure failure = outcome->first;
    // Programs after one that was stopped are run again.
    if (!c->store || record->result != ENG_PARTIAL || one->index / c->size_count != run)
        return true;
    size->changed = true;
    if (outcome->result == ENG_SKIP) {
        skip(c, outcome->reason);
        return true;
    }
    if (eng_is_broken(outcome->result)) {
        eng_draw_broken(&c->device->facts, size->subgroup, run, outcome->result, outcome->reason,
                        &count, &failure);
    } else if (outcome->result == ENG_PASS || outcome->result == ENG_FAIL) {
        eng_draw_counted(run, one->index, &count, &failure);
    } else {
        record->result = ENG_HARNESS_ERROR;
        snprintf(record->reason, ENG_REASON, "program %" PRIu64 ": %.400s", one->index,
                 outcome->reason);
        return true;
    }
    eng_result_add(record, &count, &failure, c->process, false);
    if (record->runs == size->runs)
        record->result = eng_verdict(&record->count);
    return clock_now() < c->put || fuzz_put(c);
}

bool fuzz_put(struct fuzz_campaign *c)
{
    const struct result *records[DEV_MAX_SIZES];
    size_t count = 0;
    for (size_t k = 0; k < c->size_count; k++) {
        if (c->sizes[k].changed)
            records[count++] = &c->sizes[k].record;
        c->sizes[k].changed = false;
    }
    const double began = clock_now();
    const bool good = store_results_put(c->store, c->session.id, records, count, c->error);
    const double took = PUT_PART * (clock_now() - began);
    c->put = clock_now() + (took > PUT_SECONDS ? took : PUT_SECONDS);
    return good;
}
