// SPDX-License-Identifier: Apache-2.0
// Keeps a session's record of one configuration.
#include "engine/supervisor.h"

#include <stdio.h>

void eng_record_begin(struct eng_record *record, const struct cat_case *which,
                      const struct eng_device *device, uint64_t seed)
{
    const struct cat_module *module = cat_case_module(which);
    const char *headline = which->test->head.headline;
    record->result = ENG_PARTIAL;
    record->reason[0] = record->stress[0] = '\0';
    record->row = (struct store_result){
        .name = record->name.data,
        .device = (char *)device->id,
        .reason = record->reason,
        .stress = record->stress,
        .expectation = (char *)cat_expectation_name(cat_case_expectation(which, NULL)),
        .sha256 = (char *)(module ? module->sha256 : ""),
        .headline = (char *)(headline ? headline : ""),
        .rule = (char *)"",
        .seed = seed,
        .mode = cat_test_mode(which->test),
    };
}

bool eng_record_recall(struct eng_record *record, struct store *store, int64_t session,
                       uint32_t *process, struct lit_error *error)
{
    OWNED(store_result_clear) struct store_result known = {0};
    struct store_result *row = &record->row;
    if (!store_result_get(store, session, row->device, row->name, &known, error))
        return false;
    const enum eng_result result = eng_result_named(known.result);
    const bool done = result < ENG_PARTIAL && result != ENG_HARNESS_ERROR;
    record->result = done ? result : ENG_PARTIAL;
    snprintf(record->reason, sizeof record->reason, "%s", done ? known.reason : "");
    row->result = (char *)eng_result_name(record->result);
    row->count = known.count;
    for (size_t i = 0; i < known.count.part_count; i++)
        if (known.count.parts[i].process >= *process)
            *process = known.count.parts[i].process + 1;
    // A configuration that has begun keeps its stress.
    if (known.count.runs > 0)
        snprintf(record->stress, sizeof record->stress, "%s", known.stress);
    return done;
}

void eng_record_count(struct eng_record *record, const struct eng_count *batch, uint32_t process,
                      bool fresh)
{
    eng_count_part(&record->row.count, batch, process, fresh);
    eng_count_add(&record->row.count, batch);
}

bool eng_records_put(struct eng_record *const *records, size_t count, struct store *store,
                     int64_t session, struct lit_error *error)
{
    const struct store_result *rows[DEV_MAX_SIZES];
    for (size_t i = 0; i < count; i++) {
        struct eng_record *record = records[i];
        record->row.result = (char *)eng_result_name(record->result);
        record->row.reason = record->result == ENG_PARTIAL ? (char *)"" : record->reason;
        rows[i] = &record->row;
    }
    return !count || store_results_put(store, session, rows, count, error);
}
