// SPDX-License-Identifier: Apache-2.0
// facts.json: the machine, the configuration and what was measured, for scripts.

#include "base/sha256.h"
#include "report/fields.h"
#include "report/format.h"
#include "repro/repro.h"

#include <jansson.h>
#include <stdlib.h>

#define FACT(name, kind, member) FIELD_KEPT(name, kind, dev_facts, member)
static const struct field device_fields[] = {
    FACT("name", CHARS, name),
    FACT("type", CHARS, type),
    FACT("driver_name", CHARS, driver_name),
    FACT("driver_info", CHARS, driver_info),
    FACT("driver_version", CHARS, driver_version),
    FACT("driver_version_raw", U32, driver_raw),
    FACT("driver_id", U32, driver_id),
    FACT("vendor_id", U32, vendor),
    FACT("device_id", U32, product),
    FIELD_PLACE("api"),
    FACT("loader", CHARS, loader),
    FACT("device_uuid", UUID, device_uuid),
    FACT("driver_uuid", UUID, driver_uuid),
    FACT("subgroup_size", U32, subgroup),
    FACT("subgroup_size_min", U32, subgroup_min),
    FACT("subgroup_size_max", U32, subgroup_max),
    FIELD_PLACE("id"),
    FIELD_PLACE("features"),
    FIELD_END,
};
#undef FACT

static json_t *make_device(const struct dev_facts *facts)
{
    char id[DEV_ID_SIZE], api[32];
    json_t *device = fields_write(device_fields, facts), *features = json_array();
    format_api(api, facts->api);
    dev_facts_id(facts, id);
    for (int i = 0; i < CAT_FEATURE_COUNT; i++)
        if (facts->features >> i & 1)
            json_array_append_new(features, field_text(cat_feature_name((enum cat_feature)i)));
    json_object_set_new(device, "api", field_text(api));
    json_object_set_new(device, "id", field_text(id));
    json_object_set_new(device, "features", features);
    return device;
}

static json_t *make_configuration(const struct repro *repro)
{
    const struct eng_prepared *ready = repro->ready;
    char sha256[SHA256_TEXT];
    sha256_text(repro->words, (size_t)ready->module->count * 4, sha256);
    const char *check = ready->which.test ? cat_test_check(ready->which.test) : NULL;
    return json_pack("{s:o, s:o, s:o*, s:s?, s:o, s:o, s:o, s:o}", "name", field_text(repro->name),
                     "sha256", field_text(sha256), "check", check ? field_text(check) : NULL,
                     "expectation", repro->expectation, "seed", field_hex(repro->seed), "stream",
                     field_hex(ready->stream), "first_run", field_count(repro->first), "runs",
                     field_count(repro->runs));
}

static json_t *make_measured(const struct repro *repro)
{
    const struct report_result *result = repro->result;
    if (!result)
        return json_null();
    return json_pack("{s:s, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "tool",
                     "litmus", "version", field_text(repro->model->session.version), "started",
                     field_text(repro->model->session.started), "result",
                     eng_result_name(result->result), "seed", field_hex(result->seed), "stress",
                     field_text(result->stress), "rule", field_text(result->rule), "runs",
                     field_count(result->runs), "failed_runs", field_count(result->failed_runs),
                     "no_progress_runs", field_count(result->no_progress_runs), "interval",
                     field_interval(result->interval), "outcomes", report_json_outcomes(result));
}

void repro_facts(const struct repro *repro, struct text *out)
{
    json_t *root =
        json_pack("{s:s, s:o, s:o, s:o, s:o}", "schema", "litmus-repro/1", "configuration",
                  make_configuration(repro), "device", make_device(repro->facts), "system",
                  field_text(repro->system), "measured", make_measured(repro));
    OWNED(lit_free) char *text = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    text_puts(out, text ? text : "null");
    text_puts(out, "\n");
    json_decref(root);
}
