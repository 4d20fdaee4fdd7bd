// SPDX-License-Identifier: Apache-2.0
// Writes and reads JSON objects by tables.
#include "report/fields.h"

#include "report/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *field_hex(uint64_t value)
{
    char text[32];
    snprintf(text, sizeof(text), "0x%jx", (uintmax_t)value);
    return json_string(text);
}

json_t *field_interval(struct stat_interval interval)
{
    return json_pack("[f, f]", interval.low, interval.high);
}

static bool read_outcome(const struct cat_mode *mode, const char *name, uint32_t *outcome,
                         char fault[128])
{
    *outcome = cat_mode_find(mode, name ? name : "");
    if (*outcome == CAT_OUTCOMES)
        snprintf(fault, 128, "'%.80s' is not one of its outcomes", name ? name : "");
    return *outcome < CAT_OUTCOMES;
}

bool fields_read_counts(const json_t *json, struct result *result, char fault[128])
{
    const json_t *outcomes = json_object_get(json, "outcomes");
    const json_t *failures = json_object_get(json, "failures");
    const char *name;
    json_t *value;
    snprintf(fault, 128, "'outcomes' is missing or not valid");
    if (!json_is_object(outcomes))
        return false;
    json_object_foreach((json_t *)outcomes, name, value)
    {
        const struct field field[] = {FIELD_ITEM(name, REPORT_MOST), FIELD_END};
        uint32_t outcome;
        if (!read_outcome(result->mode, name, &outcome, fault) ||
            !fields_read(field, outcomes, &result->outcomes[outcome], fault))
            return false;
    }
    for (size_t i = 0; i < result->failure_count; i++) {
        struct cat_failure *at = &result->failures[i].at;
        value = json_object_get(json_array_get(failures, i), "outcome");
        if (!read_outcome(result->mode, json_string_value(value), &at->outcome, fault))
            return false;
        snprintf(fault, 128, "a failure in run 0");
        if (at->run-- == 0)
            return false;
    }
    return true;
}

// Reads "1.3.230"; 0 if it is no version.
static uint32_t read_api(const json_t *json)
{
    unsigned part[3] = {0};
    char end;
    const char *text = json_string_value(json);
    const bool good =
        text && sscanf(text, "%2u.%3u.%4u%c", &part[0], &part[1], &part[2], &end) == 3;
    return good ? part[0] << 22 | part[1] << 12 | part[2] : 0;
}

void fields_read_abilities(const json_t *json, struct dev_facts *facts)
{
    const json_t *features = json_object_get(json, "features");
    facts->api = read_api(json_object_get(json, "api"));
    facts->cpu = strcmp(facts->type, "cpu") == 0;
    for (size_t i = 0; i < json_array_size(features); i++) {
        const char *name = json_string_value(json_array_get(features, i));
        enum cat_feature feature;
        if (name && cat_feature_find(name, &feature))
            facts->features |= UINT64_C(1) << feature;
    }
}

void fields_dump(struct text *out, json_t *json)
{
    OWNED(lit_free)
    char *line = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(9) | JSON_ENCODE_ANY);
    text_puts(out, line ? line : "null");
    json_decref(json);
}

void fields_read_drivers(const json_t *lines, struct report_model *model)
{
    struct text drivers = {0};
    json_t *line;
    size_t i;
    text_puts(&drivers, "");
    json_array_foreach(lines, i, line)
    {
        char clean[1024];
        text_sanitise(clean, sizeof clean, json_string_value(line) ? json_string_value(line) : "");
        text_printf(&drivers, "%s\n", clean);
    }
    model->drivers = drivers.data;
}
