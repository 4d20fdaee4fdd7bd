// SPDX-License-Identifier: Apache-2.0
// facts.json: the machine, the configuration and what was measured, for scripts.

#include "report/format.h"
#include "repro/repro.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

static json_t *whole(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *hex(uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "0x%" PRIx64, value);
    return json_string(text);
}

// json_string() refuses what is not UTF-8; everything here went through text_sanitise.
static json_t *string(const char *value)
{
    json_t *json = json_string(value);
    return json ? json : json_string("?");
}

static json_t *make_device(const struct dev_facts *facts)
{
    char id[DEV_ID_SIZE], uuid[37], api[32];
    json_t *device = json_object(), *features = json_array();
    dev_facts_id(facts, id);
    json_object_set_new(device, "name", string(facts->name));
    json_object_set_new(device, "type", string(facts->type));
    json_object_set_new(device, "driver_name", string(facts->driver_name));
    json_object_set_new(device, "driver_info", string(facts->driver_info));
    json_object_set_new(device, "driver_version", string(facts->driver_version));
    json_object_set_new(device, "driver_version_raw", whole(facts->driver_raw));
    json_object_set_new(device, "driver_id", whole(facts->driver_id));
    json_object_set_new(device, "vendor_id", whole(facts->vendor));
    json_object_set_new(device, "device_id", whole(facts->product));
    format_api(api, facts->api);
    json_object_set_new(device, "api", string(api));
    json_object_set_new(device, "loader", string(facts->loader));
    format_uuid(uuid, facts->device_uuid);
    json_object_set_new(device, "device_uuid", string(uuid));
    format_uuid(uuid, facts->driver_uuid);
    json_object_set_new(device, "driver_uuid", string(uuid));
    json_object_set_new(device, "subgroup_size", whole(facts->subgroup));
    json_object_set_new(device, "subgroup_size_min", whole(facts->subgroup_min));
    json_object_set_new(device, "subgroup_size_max", whole(facts->subgroup_max));
    json_object_set_new(device, "id", string(id));
    for (int i = 0; i < CAT_FEATURE_COUNT; i++)
        if (facts->features >> i & 1)
            json_array_append_new(features, string(cat_feature_name((enum cat_feature)i)));
    json_object_set_new(device, "features", features);
    return device;
}

static json_t *make_configuration(const struct repro *repro)
{
    const struct eng_prepared *ready = repro->ready;
    json_t *configuration = json_object();
    struct text name = {0};
    cat_case_name(&ready->which, &name);
    json_object_set_new(configuration, "name", string(name.data));
    text_free(&name);
    json_object_set_new(configuration, "sha256", string(ready->module->sha256));
    json_object_set_new(configuration, "expectation",
                        string(cat_expectation_name(cat_case_expectation(&ready->which, NULL))));
    json_object_set_new(configuration, "seed", hex(repro->seed));
    json_object_set_new(configuration, "stream", hex(ready->stream));
    json_object_set_new(configuration, "first_run", whole(repro->first));
    json_object_set_new(configuration, "runs", whole(repro->runs));
    return configuration;
}

static json_t *make_measured(const struct repro *repro)
{
    const struct report_result *result = repro->result;
    if (!result)
        return json_null();
    json_t *measured = json_object(), *interval = json_array(), *outcomes = json_object();
    json_object_set_new(measured, "tool", string("litmus"));
    json_object_set_new(measured, "version", string(repro->model->session.version));
    json_object_set_new(measured, "started", string(repro->model->session.started));
    json_object_set_new(measured, "result", string(eng_result_name(result->result)));
    json_object_set_new(measured, "seed", hex(result->seed));
    json_object_set_new(measured, "stress", string(result->stress));
    json_object_set_new(measured, "rule", string(result->rule));
    json_object_set_new(measured, "runs", whole(result->runs));
    json_object_set_new(measured, "failed_runs", whole(result->failed_runs));
    json_object_set_new(measured, "no_progress_runs", whole(result->no_progress_runs));
    json_array_append_new(interval, json_real(result->interval.low));
    json_array_append_new(interval, json_real(result->interval.high));
    json_object_set_new(measured, "interval", interval);
    for (uint32_t i = 0; i < CAT_OUTCOMES; i++) {
        char buffer[24];
        if (result->outcomes[i])
            json_object_set_new(outcomes, report_outcome_name(result, i, buffer),
                                whole(result->outcomes[i]));
    }
    json_object_set_new(measured, "outcomes", outcomes);
    return measured;
}

void repro_facts(const struct repro *repro, struct text *out)
{
    json_t *root = json_object();
    json_object_set_new(root, "schema", json_string("litmus-repro/1"));
    json_object_set_new(root, "configuration", make_configuration(repro));
    json_object_set_new(root, "device", make_device(repro->facts));
    json_object_set_new(root, "system", string(repro->system));
    json_object_set_new(root, "measured", make_measured(repro));
    char *text = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    text_puts(out, text ? text : "null");
    text_puts(out, "\n");
    free(text);
    json_decref(root);
}
