// SPDX-License-Identifier: Apache-2.0
// Keeps a session's result of one configuration.
#include "engine/supervisor.h"

#include <stdio.h>
#include <stdlib.h>

void eng_record_begin(struct result *record, const char *name, const struct cat_case *which,
                      const struct eng_device *device, uint64_t seed)
{
    const struct cat_module *module = cat_case_module(which);
    const char *headline = which->test->head.headline, *check = cat_test_check(which->test);
    const struct cat_mode mode = cat_test_mode(which->test);
    *record = (struct result){
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

bool eng_record_recall(struct result *record, struct store *store, int64_t session,
                       uint32_t *process, struct lit_error *error)
{
    struct result known = {0};
    if (!store_result_get(store, session, record->device_id, record->name, &known, error))
        return false;
    const bool done = known.result < ENG_PARTIAL && known.result != ENG_HARNESS_ERROR;
    record->result = done ? known.result : ENG_PARTIAL;
    snprintf(record->reason, ENG_REASON, "%s", done ? known.reason : "");
    // A configuration that has begun keeps its stress.
    if (known.runs > 0)
        snprintf(record->stress, ENG_STRESS_TEXT, "%s", known.stress);
    for (size_t i = 0; i < known.piece_count; i++)
        if (known.pieces[i].process >= *process)
            *process = known.pieces[i].process + 1;
    record->count = known.count;
    record->failures = known.failures;
    record->pieces = known.pieces;
    record->piece_count = known.piece_count;
    known.failures = NULL;
    known.pieces = NULL;
    eng_result_clear(&known);
    return done;
}
