// SPDX-License-Identifier: Apache-2.0
// Keeps a session's results while they are measured.
#include "engine/supervisor.h"

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>

void eng_record_begin(struct result *result, const char *name, const struct cat_case *which,
                      const struct eng_device *device, uint64_t seed)
{
    const struct cat_module *module = cat_case_module(which);
    const char *headline = which->test->head.headline, *check = cat_test_check(which->test);
    const struct cat_mode mode = cat_test_mode(which->test);
    *result = (struct result){
        .cfg = cfg_parse(name),
        .device_id = lit_strdup(device->id),
        .result = ENG_PARTIAL,
        .expectation = cat_case_expectation(which, NULL),
        .reason = lit_alloc(ENG_REASON, 1),
        .sha256 = lit_strdup(module ? module->sha256 : ""),
        .headline = lit_strdup(headline ? headline : ""),
        .stress = lit_alloc(ENG_STRESS_TEXT, 1),
        .rule = lit_strdup(""),
        .seed = seed,
        .mode = cat_mode_keep(&mode),
        .evidence[ENG_EVIDENCE_CHECK] = check ? lit_strdup(check) : NULL,
    };
}

bool eng_record_recall(const struct eng_records *records, struct result *result, uint32_t *process,
                       struct lit_error *error)
{
    struct result known = {0};
    if (!store_result_get(records->store, records->session, result->device_id, result->name, &known,
                          error))
        return false;
    const bool done = known.result < ENG_PARTIAL && known.result != ENG_HARNESS_ERROR;
    result->result = done ? known.result : ENG_PARTIAL;
    snprintf(result->reason, ENG_REASON, "%s", done ? known.reason : "");
    // A configuration that has begun keeps its stress.
    if (known.runs > 0)
        snprintf(result->stress, ENG_STRESS_TEXT, "%s", known.stress);
    for (size_t i = 0; i < known.piece_count; i++)
        if (known.pieces[i].process >= *process)
            *process = known.pieces[i].process + 1;
    result->count = known.count;
    result->failures = known.failures;
    result->pieces = known.pieces;
    result->piece_count = known.piece_count;
    known.failures = NULL;
    known.pieces = NULL;
    eng_result_clear(&known);
    return done;
}

void eng_record_add(struct eng_records *records, struct eng_record *record,
                    const struct eng_count *batch, const struct eng_failure *failures,
                    uint32_t process, bool fresh)
{
    eng_result_add(&record->kept, batch, failures, process, fresh);
    record->changed = true;
    if (records->due == 0)
        records->due = clock_now() + records->pause;
}

bool eng_records_are_due(const struct eng_records *records)
{
    return records->due > 0 && clock_now() >= records->due;
}

bool eng_records_put(struct eng_records *records, struct lit_error *error)
{
    OWNED(lit_free) const struct result **list = lit_alloc(records->count, sizeof *list);
    size_t count = 0;
    for (size_t i = 0; i < records->count; i++)
        if (records->items[i].changed) {
            list[count++] = &records->items[i].kept;
            records->items[i].changed = false;
        }
    records->due = 0;
    return !count || store_results_put(records->store, records->session, list, count, error);
}
