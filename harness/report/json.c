// SPDX-License-Identifier: Apache-2.0
// JSON, as docs/report.schema.json says: one line for each device and each result.
#include "catalogue/catalogue.h"
#include "report/code.h"
#include "report/evidence.h"
#include "report/fingerprint.h"
#include "report/format.h"
#include "report/matrix.h"
#include "report/mutation.h"
#include "report/progress.h"
#include "report/report.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DUMP_FLAGS (JSON_COMPACT | JSON_REAL_PRECISION(9))

// Counts are below REPORT_MOST; what a driver says may not be.
static json_t *whole(uint64_t count)
{
    return json_integer((json_int_t)(count < REPORT_MOST ? count : REPORT_MOST - 1));
}

static json_t *hex(uint64_t value)
{
    char text[32];
    snprintf(text, sizeof(text), "0x%jx", (uintmax_t)value);
    return json_string(text);
}

// json_string() refuses what is not UTF-8; everything here went through text_sanitise.
static json_t *string(const char *value)
{
    json_t *json = json_string(value);
    return json ? json : json_string("?");
}

static json_t *pair(double low, double high)
{
    json_t *array = json_array();
    json_array_append_new(array, json_real(low));
    json_array_append_new(array, json_real(high));
    return array;
}

// Appends one value and drops it.
static void dump(struct text *out, json_t *json)
{
    char *line = json_dumps(json, DUMP_FLAGS | JSON_ENCODE_ANY);
    text_puts(out, line ? line : "null");
    free(line);
    json_decref(json);
}

static json_t *make_shard(const struct store_session *session)
{
    static const char *const kinds[] = {
        [STORE_WHOLE] = "whole", [STORE_SHARD_TESTS] = "tests", [STORE_SHARD_RUNS] = "runs"};
    json_t *json = json_object();
    json_object_set_new(json, "of", json_string(kinds[session->shard]));
    json_object_set_new(json, "index", whole(session->shard_index));
    json_object_set_new(json, "count", whole(session->shard_count));
    return json;
}

static json_t *make_selection(const struct report_model *model)
{
    json_t *json = json_object();
    json_object_set_new(json, "device", string(model->only_device));
    json_object_set_new(json, "test", string(model->only_test));
    return json;
}

static json_t *make_tool(const struct report_model *model)
{
    const struct store_session *session = &model->session;
    json_t *tool = json_object();
    json_object_set_new(tool, "name", json_string("litmus"));
    json_object_set_new(tool, "version", string(session->version));
    json_object_set_new(tool, "command", string(session->command));
    json_object_set_new(tool, "session", json_integer(session->id));
    json_object_set_new(tool, "started", string(session->started));
    json_object_set_new(tool, "system", string(session->system));
    json_object_set_new(tool, "seed", hex(session->seed));
    json_object_set_new(tool, "runs", whole(session->runs));
    json_object_set_new(tool, "finished", json_boolean(session->finished));
    json_object_set_new(tool, "confidence", json_real(REPORT_CONFIDENCE));
    json_object_set_new(tool, "uuid", string(session->uuid));
    json_object_set_new(tool, "shard", make_shard(session));
    json_object_set_new(tool, "selection", make_selection(model));
    return tool;
}

static json_t *make_driver(const struct dev_facts *facts)
{
    char uuid[37];
    format_uuid(uuid, facts->driver_uuid);
    json_t *driver = json_object();
    json_object_set_new(driver, "name", string(facts->driver_name));
    json_object_set_new(driver, "info", string(facts->driver_info));
    json_object_set_new(driver, "version", string(facts->driver_version));
    json_object_set_new(driver, "raw_version", whole(facts->driver_raw));
    json_object_set_new(driver, "id", whole(facts->driver_id));
    json_object_set_new(driver, "uuid", json_string(uuid));
    return driver;
}

static json_t *make_subgroup(const struct dev_facts *facts)
{
    json_t *subgroup = json_object();
    json_object_set_new(subgroup, "size", whole(facts->subgroup));
    json_object_set_new(subgroup, "min", whole(facts->subgroup_min));
    json_object_set_new(subgroup, "max", whole(facts->subgroup_max));
    json_object_set_new(subgroup, "control", json_boolean(facts->subgroup_control));
    return subgroup;
}

static json_t *make_limits(const struct dev_facts *facts)
{
    json_t *limits = json_object();
    json_object_set_new(limits, "workgroup", whole(facts->max_workgroup));
    json_object_set_new(limits, "workgroups", whole(facts->max_workgroups));
    json_object_set_new(limits, "shared", whole(facts->max_shared));
    json_object_set_new(limits, "storage_buffer", whole(facts->max_storage_buffer));
    return limits;
}

static json_t *make_device(const struct report_device *device)
{
    const struct dev_facts *facts = &device->facts;
    char uuid[37], api[32];
    format_uuid(uuid, facts->device_uuid);
    format_api(api, facts->api);
    json_t *features = json_array();
    for (int feature = 0; feature < CAT_FEATURE_COUNT; feature++) {
        if (facts->features >> feature & 1)
            json_array_append_new(features, json_string(cat_feature_name(feature)));
    }
    json_t *json = json_object();
    json_object_set_new(json, "id", json_string(device->id));
    json_object_set_new(json, "number", whole(device->number));
    json_object_set_new(json, "name", string(facts->name));
    json_object_set_new(json, "type", string(facts->type));
    json_object_set_new(json, "vendor", hex(facts->vendor));
    json_object_set_new(json, "product", hex(facts->product));
    json_object_set_new(json, "uuid", json_string(uuid));
    json_object_set_new(json, "driver", make_driver(facts));
    json_object_set_new(json, "api", json_string(api));
    json_object_set_new(json, "subgroup", make_subgroup(facts));
    json_object_set_new(json, "limits", make_limits(facts));
    json_object_set_new(json, "features", features);
    json_object_set_new(json, "checker", string(device->checker));
    json_object_set_new(json, "loader", string(facts->loader));
    return json;
}

static bool is_number(const char *text)
{
    size_t length = strlen(text);
    return length > 0 && length < 19 && strspn(text, "0123456789") == length &&
           (text[0] != '0' || length == 1);
}

static json_t *make_pairs(const struct cfg_pair *pairs, size_t count, bool numbers)
{
    json_t *object = json_object();
    for (size_t i = 0; i < count; i++) {
        const char *value = pairs[i].value;
        json_t *json = numbers && is_number(value) ? json_integer(atoll(value)) : string(value);
        json_object_set_new(object, pairs[i].key, json);
    }
    return object;
}

static json_t *make_outcomes(const struct report_result *result)
{
    json_t *outcomes = json_object();
    for (uint32_t outcome = 0; outcome < CAT_OUTCOMES; outcome++) {
        char buffer[24];
        if (result->outcomes[outcome] > 0)
            json_object_set_new(outcomes, report_outcome_name(result, outcome, buffer),
                                whole(result->outcomes[outcome]));
    }
    return outcomes;
}

static json_t *make_failures(const struct report_result *result)
{
    json_t *failures = json_array();
    for (size_t i = 0; i < result->failure_count; i++) {
        const struct eng_failure *failure = &result->failures[i];
        char buffer[24];
        json_t *json = json_object();
        // Runs are counted from 1, as people do and as first_run_failed does.
        json_object_set_new(json, "run", whole(failure->at.run + 1));
        json_object_set_new(json, "instance", whole(failure->at.instance));
        json_object_set_new(json, "word", whole(failure->at.word));
        json_object_set_new(json, "where", string(failure->where));
        json_object_set_new(json, "outcome",
                            json_string(report_outcome_name(result, failure->at.outcome, buffer)));
        json_object_set_new(json, "got", whole(failure->at.got));
        json_object_set_new(json, "want", whole(failure->at.want));
        json_array_append_new(failures, json);
    }
    return failures;
}

static json_t *make_parts(const struct report_result *result)
{
    json_t *parts = json_array();
    for (size_t i = 0; i < result->piece_count; i++) {
        const struct eng_part *part = &result->pieces[i];
        json_t *json = json_object();
        json_object_set_new(json, "process", whole(part->process));
        json_object_set_new(json, "runs", whole(part->runs));
        json_object_set_new(json, "failed_runs", whole(part->failed_runs));
        json_object_set_new(json, "no_progress_runs", whole(part->no_progress_runs));
        json_array_append_new(parts, json);
    }
    return parts;
}

// null where there are no two parts to compare.
static json_t *make_spread(const struct report_result *result)
{
    if (result->spread.groups < 2)
        return json_null();
    json_t *json = json_object();
    json_object_set_new(json, "groups", whole(result->spread.groups));
    json_object_set_new(json, "factor", json_real(result->spread.factor));
    json_object_set_new(json, "p", json_real(result->spread.p));
    return json;
}

static json_t *make_statistics(const struct isa_code *code)
{
    json_t *json = json_object();
    for (size_t i = 0; i < code->statistic_count; i++)
        json_object_set_new(json, code->statistics[i].name, string(code->statistics[i].value));
    return json;
}

// What the store has of a configuration's code; null if it has none.
static json_t *make_code(const struct report_code *code, const struct report_result *result)
{
    const struct isa_entry *entry = report_code_of(code, result);
    char *faults[] = {(char *)code->fault};
    const struct isa_entry broken = {.code = {.remarks = faults, .remark_count = 1}};
    if (!entry && code->fault[0])
        entry = &broken;
    const struct isa_piece *piece = entry ? entry->piece : NULL;
    char digest[17];
    if (!entry)
        return json_null();
    json_t *json = json_object(), *remarks = json_array();
    isa_digest(entry ? entry->piece : NULL, digest);
    for (size_t i = 0; i < entry->code.remark_count; i++)
        json_array_append_new(remarks, string(entry->code.remarks[i]));
    if (entry->unlinted)
        json_array_append_new(remarks, string(entry->unlinted));
    json_object_set_new(json, "digest", piece ? json_string(digest) : json_null());
    json_object_set_new(json, "source",
                        piece ? json_string(isa_source_name(piece->source)) : json_null());
    json_object_set_new(json, "architecture", piece ? whole(piece->architecture) : json_null());
    json_object_set_new(json, "bytes", piece ? whole(piece->size) : json_null());
    json_object_set_new(json, "statistics", make_statistics(&entry->code));
    json_object_set_new(json, "exchanges",
                        entry->listing.sass.count ? whole(isa_exchanges(&entry->listing))
                                                  : json_null());
    json_object_set_new(json, "apart", entry->linted ? whole(isa_risks(entry)) : json_null());
    json_object_set_new(json, "inside",
                        entry->linted ? whole(report_code_inside(entry)) : json_null());
    json_object_set_new(json, "remarks", remarks);
    return json;
}

static json_t *make_effects(const struct report_code *code, size_t device)
{
    const struct isa_study *study = &code->studies[device];
    json_t *json = json_array();
    for (size_t i = 0; i < study->effect_count; i++) {
        const struct isa_axis_effect *effect = &study->effects[i];
        struct text words = {0};
        if (!report_code_about(code, device, effect))
            continue;
        json_t *entry = json_object();
        isa_effect_words(effect, study->members, study->twins, &words);
        json_object_set_new(entry, "test", string(effect->test));
        json_object_set_new(entry, "axis", string(effect->axis));
        json_object_set_new(entry, "base", string(effect->base_value));
        json_object_set_new(entry, "value", string(effect->other_value));
        json_object_set_new(entry, "pairs", whole(effect->pairs));
        json_object_set_new(entry, "same", whole(effect->like[ISA_SAME]));
        json_object_set_new(entry, "text", string(words.data));
        json_array_append_new(json, entry);
        text_free(&words);
    }
    return json;
}

static json_t *make_evidence(const struct report_result *result)
{
    json_t *json = json_object();
    for (size_t kind = 0; kind < ENG_EVIDENCES; kind++)
        if (result->evidence[kind])
            json_object_set_new(json, eng_evidence_name((enum eng_evidence)kind),
                                string(result->evidence[kind]));
    return json;
}

static json_t *make_result(const struct report_code *code, const struct report_result *result)
{
    const struct report_model *model = code->model;
    json_t *json = json_object();
    json_object_set_new(json, "name", string(result->name));
    json_object_set_new(json, "family", string(result->family));
    json_object_set_new(json, "test", string(result->test));
    json_object_set_new(json, "variant", make_pairs(result->variant, result->variant_count, false));
    json_object_set_new(json, "params", make_pairs(result->params, result->param_count, true));
    json_object_set_new(json, "device", json_string(model->devices[result->device].id));
    json_object_set_new(json, "expectation",
                        json_string(cat_expectation_name(result->expectation)));
    json_object_set_new(json, "headline", string(result->headline));
    json_object_set_new(json, "result", json_string(eng_result_name(result->result)));
    json_object_set_new(json, "reason", string(result->reason));
    json_object_set_new(json, "observation",
                        json_string(report_observation(result->failed_runs, result->judged)));
    json_object_set_new(json, "runs", whole(result->runs));
    json_object_set_new(json, "failed_runs", whole(result->failed_runs));
    json_object_set_new(json, "no_progress_runs", whole(result->no_progress_runs));
    json_object_set_new(json, "first_run_failed", json_boolean(result->first_run_failed));
    json_object_set_new(json, "instances", whole(result->instances));
    json_object_set_new(json, "failed_instances", whole(result->failed_instances));
    json_object_set_new(json, "interval", pair(result->interval.low, result->interval.high));
    json_object_set_new(json, "outcomes", make_outcomes(result));
    json_object_set_new(json, "failures", make_failures(result));
    json_object_set_new(json, "spirv_sha256", string(result->sha256));
    json_object_set_new(json, "seed", hex(result->seed));
    json_object_set_new(json, "seconds", json_real(result->seconds));
    json_object_set_new(json, "interval_kind", json_string(report_interval_kind(result->rule)));
    json_object_set_new(json, "stress", string(result->stress));
    json_object_set_new(json, "rule", string(result->rule));
    json_object_set_new(json, "first", whole(result->first));
    json_object_set_new(json, "parts", make_parts(result));
    json_object_set_new(json, "overdispersion", make_spread(result));
    json_object_set_new(json, "code", make_code(code, result));
    if (report_evidence_any(result))
        json_object_set_new(json, "evidence", make_evidence(result));
    return json;
}

static json_t *make_counts(const struct report_model *model)
{
    uint64_t results[ENG_RESULTS] = {0};
    for (size_t i = 0; i < model->result_count; i++)
        results[model->results[i].result]++;
    json_t *json = json_object();
    for (int result = 0; result < ENG_RESULTS; result++)
        json_object_set_new(json, eng_result_name(result), whole(results[result]));
    return json;
}

static json_t *make_expectations(const struct report_model *model)
{
    json_t *json = json_object();
    for (enum cat_expectation expectation = CAT_FORBIDDEN; expectation <= CAT_CONTROL;
         expectation++) {
        uint64_t configurations = 0, ran = 0, failed = 0, runs = 0, failed_runs = 0;
        for (size_t i = 0; i < model->result_count; i++) {
            const struct report_result *result = &model->results[i];
            if (result->expectation != expectation)
                continue;
            configurations++;
            ran += result->runs > 0;
            failed += result->failed_runs > 0;
            runs += result->runs;
            failed_runs += result->failed_runs;
        }
        json_t *entry = json_object();
        json_object_set_new(entry, "configurations", whole(configurations));
        json_object_set_new(entry, "ran", whole(ran));
        json_object_set_new(entry, "failed", whole(failed));
        json_object_set_new(entry, "runs", whole(runs));
        json_object_set_new(entry, "failed_runs", whole(failed_runs));
        json_object_set_new(json, cat_expectation_name(expectation), entry);
    }
    return json;
}

static json_t *make_headlines(const struct report_model *model)
{
    json_t *json = json_array();
    for (size_t device = 0; device < model->device_count; device++) {
        struct report_headline *lines;
        size_t count = report_headlines(model, device, &lines);
        for (size_t i = 0; i < count; i++) {
            json_t *entry = json_object();
            json_object_set_new(entry, "device", json_string(model->devices[device].id));
            json_object_set_new(entry, "headline", string(lines[i].name));
            json_object_set_new(entry, "expectation",
                                json_string(cat_expectation_name(lines[i].expectation)));
            json_object_set_new(
                entry, "observation",
                json_string(report_observation(lines[i].failed_runs, lines[i].judged)));
            json_object_set_new(entry, "runs", whole(lines[i].runs));
            json_object_set_new(entry, "failed_runs", whole(lines[i].failed_runs));
            json_object_set_new(entry, "no_progress_runs", whole(lines[i].runs - lines[i].judged));
            json_object_set_new(entry, "interval",
                                pair(lines[i].interval.low, lines[i].interval.high));
            json_object_set_new(entry, "interval_kind",
                                json_string(report_interval_kind(lines[i].rule)));
            json_object_set_new(entry, "stress", string(lines[i].stress));
            json_array_append_new(json, entry);
        }
        free(lines);
    }
    return json;
}

static json_t *make_cell(const struct report_matrix_cell *cell)
{
    json_t *json = json_object();
    json_object_set_new(json, "state", json_string(report_matrix_state_name(cell->state)));
    json_object_set_new(json, "reason", string(cell->reason));
    json_object_set_new(json, "observation",
                        json_string(report_observation(cell->failed_runs, cell->judged)));
    json_object_set_new(json, "configurations", whole(cell->configurations));
    json_object_set_new(json, "runs", whole(cell->runs));
    json_object_set_new(json, "failed_runs", whole(cell->failed_runs));
    json_object_set_new(json, "no_progress_runs", whole(cell->runs - cell->judged));
    json_object_set_new(json, "interval", pair(cell->interval.low, cell->interval.high));
    json_object_set_new(json, "interval_kind", json_string(report_interval_kind(cell->rule)));
    return json;
}

static json_t *make_operations(const struct report_matrix *matrix)
{
    json_t *json = json_array();
    for (size_t i = 0; i < matrix->count; i++) {
        const struct report_matrix_row *row = &matrix->rows[i];
        json_t *cells = json_object();
        for (size_t c = 0; c < MATRIX_COLUMNS; c++)
            if (row->cells[c].state != MATRIX_NOT_RUN)
                json_object_set_new(cells, report_matrix_column_name(c), make_cell(&row->cells[c]));
        json_t *entry = json_object();
        json_object_set_new(entry, "test", string(row->test));
        json_object_set_new(entry, "op", string(row->op));
        json_object_set_new(entry, "scan", string(row->scan));
        json_object_set_new(entry, "sync", cells);
        json_array_append_new(json, entry);
    }
    return json;
}

// Nothing (NULL) for sessions without sync-matrix.
static json_t *make_matrices(const struct report_model *model)
{
    json_t *json = NULL;
    for (size_t device = 0; device < model->device_count; device++) {
        struct report_matrix matrix;
        struct text conclusion = {0};
        report_matrix_make(model, device, &matrix);
        if (matrix.count > 0) {
            json_t *entry = json_object();
            report_matrix_conclude(&conclusion, &matrix);
            json_object_set_new(entry, "device", json_string(model->devices[device].id));
            json_object_set_new(entry, "conclusion", string(conclusion.data));
            report_under_json(entry, &matrix.under);
            json_object_set_new(entry, "operations", make_operations(&matrix));
            json = json ? json : json_array();
            json_array_append_new(json, entry);
            text_free(&conclusion);
        }
        report_matrix_clear(&matrix);
    }
    return json;
}

static json_t *make_summary(const struct report_model *model)
{
    uint64_t runs = 0, instances = 0;
    for (size_t i = 0; i < model->result_count; i++) {
        runs += model->results[i].runs;
        instances += model->results[i].instances;
    }
    json_t *verdict = json_object();
    json_object_set_new(verdict, "code", json_integer(model->code));
    json_object_set_new(verdict, "reason", string(model->code_reason));
    json_t *json = json_object();
    json_object_set_new(json, "configurations", whole(model->result_count));
    json_object_set_new(json, "runs", whole(runs));
    json_object_set_new(json, "instances", whole(instances));
    json_object_set_new(json, "seconds", json_real(model->seconds));
    json_object_set_new(json, "results", make_counts(model));
    json_object_set_new(json, "expectations", make_expectations(model));
    json_object_set_new(json, "headlines", make_headlines(model));
    json_t *matrices = make_matrices(model);
    if (matrices)
        json_object_set_new(json, "sync_matrix", matrices);
    json_object_set_new(json, "fingerprints", report_fingerprints_json(model));
    json_object_set_new(json, "progress", report_progress_json(model));
    json_object_set_new(json, "mutation", report_mutation_json(model));
    json_object_set_new(json, "exit", verdict);
    return json;
}

void report_json(const struct report_model *model, struct text *out)
{
    struct report_code code;
    report_code_load(model, NULL, &code);
    text_puts(out, "{\"schema\":\"litmus-report/4\",\n\"tool\":");
    dump(out, make_tool(model));
    text_puts(out, ",\n\"devices\":[");
    for (size_t i = 0; i < model->device_count; i++) {
        text_puts(out, i ? ",\n" : "\n");
        json_t *device = make_device(&model->devices[i]);
        json_object_set_new(device, "code_effects", make_effects(&code, i));
        dump(out, device);
    }
    text_puts(out, "\n],\n\"results\":[");
    for (size_t i = 0; i < model->result_count; i++) {
        text_puts(out, i ? ",\n" : "\n");
        dump(out, make_result(&code, &model->results[i]));
    }
    text_puts(out, "\n],\n\"summary\":");
    dump(out, make_summary(model));
    text_puts(out, "}\n");
    report_code_clear(&code);
}
