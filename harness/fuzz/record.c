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

void fuzz_sum_add(struct fuzz_sum *sum, const struct fuzz_sum *more)
{
    sum->judged += more->judged;
    sum->failed += more->failed;
    sum->checked += more->checked;
}

bool fuzz_recall(struct fuzz_campaign *c)
{
    const uint64_t first = c->asked->index.value, count = c->asked->count;
    char test[64];
    snprintf(test, sizeof test, "generated.%s", c->family);
    c->process = 0;
    c->put = clock_now() + PUT_SECONDS;
    c->error->message[0] = '\0';
    for (size_t i = 0; i < c->arm_count * c->size_count && !c->error->message[0]; i++) {
        const size_t k = i % c->size_count, a = i / c->size_count;
        struct fuzz_size *size = &c->sizes[i];
        struct fuzz_arm *arm = &c->arms[a];
        // One arm might get all of them; but in turn.
        const uint64_t behind =
            first + (fuzz_weighs(c) ? count : (count + c->arm_count - 1 - a) / c->arm_count);
        struct result *row = &size->record;
        OWNED(text_free) struct text name = {0};
        const struct cat_case which = {.test = cat_test_find(test), .subgroup = size->subgroup};
        fuzz_put_name(c, arm, size->subgroup, &name);
        eng_record_begin(row, name.data, &which, c->device, c->asked->run.seed.value);
        eng_shard_runs(&c->asked->run.shard, runs_before(c, behind, k) - runs_before(c, first, k),
                       &row->first, &size->runs);
        row->first += runs_before(c, first, k);
        eng_record_recall(row, c->store, c->session.id, &c->process, c->error);
        c->planned += size->runs;
        c->tally->before += row->runs;
        c->tally->failed_before += row->failed_runs;
        const struct fuzz_sum sum = {row->runs, row->failed_runs, row->instances};
        fuzz_sum_add(&arm->sum, &sum);
        fuzz_sum_add(&c->tally->sum, &sum);
    }
    c->planned = fuzz_weighs(c) ? count : c->planned;
    c->tally->programs = c->tally->before;
    return c->size_count ? !c->error->message[0]
                         : lit_fail(c->error, LIT_EXIT_USAGE,
                                    "device %u has no usable subgroup size", c->device->number);
}

void fuzz_forget(struct fuzz_campaign *c)
{
    for (size_t i = 0; i < c->arm_count * c->size_count; i++)
        eng_result_clear(&c->sizes[i].record);
    c->size_count = 0;
}

bool fuzz_is_whole(const struct fuzz_campaign *c)
{
    uint64_t runs = 0;
    bool whole = true;
    for (size_t i = 0; i < c->arm_count * c->size_count; i++) {
        const struct result *row = &c->sizes[i].record;
        whole = whole && (row->runs >= c->sizes[i].runs || row->result == ENG_SKIP);
        runs += row->runs;
    }
    return whole || (fuzz_weighs(c) && runs >= c->planned);
}

struct fuzz_size *fuzz_size_of(struct fuzz_campaign *c, const struct fuzz_arm *arm, uint64_t index)
{
    return &c->sizes[(size_t)(arm - c->arms) * c->size_count + index % c->size_count];
}

uint64_t fuzz_named(struct fuzz_campaign *c, const struct fuzz_arm *arm, uint64_t count)
{
    uint64_t named = 0;
    for (size_t k = 0; k < c->size_count; k++) {
        const struct result *row = &fuzz_size_of(c, arm, k)->record;
        for (size_t i = 0; i < row->failure_count; i++)
            named += row->failures[i].at.run * c->size_count + k < c->asked->index.value + count;
    }
    return named;
}

bool fuzz_lacks(struct fuzz_campaign *c, const struct fuzz_arm *arm, uint64_t index)
{
    const struct fuzz_size *size = fuzz_size_of(c, arm, index);
    const struct result *row = &size->record;
    const uint64_t run = index / c->size_count;
    return run >= row->first + row->runs && run < row->first + size->runs;
}

// If one program lacks a feature, all do.
static void skip(struct fuzz_campaign *c, const char *reason)
{
    for (size_t i = 0; i < c->arm_count * c->size_count; i++) {
        struct fuzz_size *size = &c->sizes[i];
        if (size->record.runs || !size->runs)
            continue;
        size->record.result = ENG_SKIP;
        size->changed = true;
        snprintf(size->record.reason, ENG_REASON, "%s", reason);
    }
}

bool fuzz_count(struct fuzz_campaign *c, const struct fuzz_found *one)
{
    struct fuzz_size *size = fuzz_size_of(c, one->arm, one->index);
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
    const struct result *records[GEN_ARMS * DEV_MAX_SIZES];
    size_t count = 0;
    const bool whole = fuzz_weighs(c) && fuzz_is_whole(c);
    for (size_t i = 0; i < c->arm_count * c->size_count; i++) {
        struct fuzz_size *size = &c->sizes[i];
        // How many it would get was not known.
        if (whole && size->record.runs && size->record.result == ENG_PARTIAL) {
            size->record.result = eng_verdict(&size->record.count);
            size->changed = true;
        }
        if (size->changed)
            records[count++] = &size->record;
        size->changed = false;
    }
    const double began = clock_now();
    const bool good = store_results_put(c->store, c->session.id, records, count, c->error);
    const double took = PUT_PART * (clock_now() - began);
    c->put = clock_now() + (took > PUT_SECONDS ? took : PUT_SECONDS);
    return good;
}
