// SPDX-License-Identifier: Apache-2.0
// Objects of JSON by tables.
#include "report/fields.h"

#include "report/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *field_text(const char *text)
{
    // json_string() refuses what is not UTF-8.
    json_t *json = json_string(text ? text : "");
    return json ? json : json_string("?");
}

json_t *field_count(uint64_t count)
{
    // What a driver says may be more than a reader keeps.
    return json_integer((json_int_t)(count < REPORT_MOST ? count : REPORT_MOST - 1));
}

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

static json_t *write_field(const struct field *field, const void *from)
{
    const void *at = (const char *)from + field->offset;
    switch (field->kind) {
    case FIELD_TEXT:
        return field_text(*(char *const *)at);
    case FIELD_CHARS:
        return field_text(at);
    case FIELD_U32:
        return field_count(*(const uint32_t *)at);
    case FIELD_U64:
        return field_count(*(const uint64_t *)at);
    case FIELD_I64:
        return json_integer(*(const int64_t *)at);
    case FIELD_SIZE:
        return field_count(*(const size_t *)at);
    case FIELD_HEX32:
        return field_hex(*(const uint32_t *)at);
    case FIELD_HEX64:
        return field_hex(*(const uint64_t *)at);
    case FIELD_BOOL:
        return json_boolean(*(const bool *)at);
    case FIELD_REAL:
        return json_real(*(const double *)at);
    case FIELD_UUID:
        return json_string(UUID(at));
    case FIELD_INTERVAL:
        return field_interval(*(const struct stat_interval *)at);
    case FIELD_SET:
        break;
    }
    return json_null();
}

json_t *fields_write(const struct field *fields, const void *from)
{
    json_t *object = json_object();
    for (; fields->name; fields++)
        json_object_set_new(object, fields->name, write_field(fields, from));
    return object;
}

// ---- reading

static bool read_text(const struct field *field, const json_t *value, void *at)
{
    const size_t size = json_string_length(value) + 1;
    char *text = lit_alloc(size, 1);
    text_sanitise(text, size, json_string_value(value));
    if (field->kind == FIELD_TEXT) {
        *(char **)at = text;
        return true;
    }
    text_sanitise(at, field->most, text);
    free(text);
    return true;
}

static bool read_count(const struct field *field, const json_t *value, void *at)
{
    const json_int_t number = json_integer_value(value);
    if (!json_is_integer(value) || number < 0 || (uint64_t)number > field->most)
        return false;
    if (field->kind == FIELD_U32)
        *(uint32_t *)at = (uint32_t)number;
    else if (field->kind == FIELD_U64)
        *(uint64_t *)at = (uint64_t)number;
    else
        *(int64_t *)at = number;
    return true;
}

static bool read_hex(const struct field *field, const json_t *value, void *at)
{
    const char *text = json_string_value(value);
    const size_t length = text ? strlen(text) : 0;
    if (length < 3 || length > 18 || strncmp(text, "0x", 2) != 0 ||
        strspn(text + 2, "0123456789abcdefABCDEF") != length - 2)
        return false;
    const uint64_t number = strtoull(text + 2, NULL, 16);
    if (field->kind == FIELD_HEX32)
        *(uint32_t *)at = (uint32_t)number;
    else
        *(uint64_t *)at = number;
    return true;
}

static bool read_uuid(const json_t *value, uint8_t *uuid)
{
    const char *text = json_string_value(value);
    size_t digits = 0;
    for (const char *c = text ? text : "?"; *c; c++) {
        const char *place = strchr("0123456789abcdef", *c);
        if (*c == '-')
            continue;
        if (!place || digits >= 32)
            return false;
        const unsigned digit = (unsigned)(place - "0123456789abcdef");
        uuid[digits / 2] = (uint8_t)(digits % 2 ? uuid[digits / 2] | digit : digit << 4);
        digits++;
    }
    return digits == 32;
}

// NULL if the value is taken, else what it is not.
static const char *read_field(const struct field *field, const json_t *value, void *to)
{
    void *at = (char *)to + field->offset;
    switch (field->kind) {
    case FIELD_TEXT:
    case FIELD_CHARS:
        return json_is_string(value) && read_text(field, value, at) ? NULL : "not a text";
    case FIELD_U32:
    case FIELD_U64:
    case FIELD_I64:
        return read_count(field, value, at) ? NULL : "not a number in range";
    case FIELD_HEX32:
    case FIELD_HEX64:
        return read_hex(field, value, at) ? NULL : "not a hexadecimal number";
    case FIELD_BOOL:
        *(bool *)at = json_is_true(value);
        return json_is_boolean(value) ? NULL : "neither true nor false";
    case FIELD_REAL:
        *(double *)at = json_number_value(value);
        return json_is_number(value) ? NULL : "not a number";
    case FIELD_UUID:
        return read_uuid(value, at) ? NULL : "not a UUID";
    case FIELD_SIZE:
    case FIELD_INTERVAL:
    case FIELD_SET:
        break;
    }
    return NULL;
}

bool fields_read(const struct field *fields, const json_t *object, void *to, char fault[128])
{
    const char *wrong = NULL;
    for (; fields->name && !wrong; fields++) {
        const json_t *value = json_object_get(object, fields->name);
        if (fields->unread)
            continue;
        wrong = value ? read_field(fields, value, to) : "missing";
        if (wrong)
            snprintf(fault, 128, "'%s' is %s", fields->name, wrong);
    }
    return !wrong;
}

static bool read_outcome(const struct cat_mode *mode, const char *name, uint32_t *outcome,
                         char fault[128])
{
    *outcome = cat_mode_find(mode, name ? name : "");
    if (*outcome == CAT_OUTCOMES)
        snprintf(fault, 128, "'%.80s' is not one of its outcomes", name ? name : "");
    return *outcome < CAT_OUTCOMES;
}

bool fields_read_counts(const json_t *result, const struct field *failure,
                        const struct cat_mode *mode, struct eng_count *count, char fault[128])
{
    const json_t *outcomes = json_object_get(result, "outcomes");
    const json_t *failures = json_object_get(result, "failures");
    const char *name;
    json_t *value;
    size_t i;
    snprintf(fault, 128, "'%s' is missing or not valid",
             json_is_object(outcomes) ? "failures" : "outcomes");
    if (!json_is_object(outcomes) || !json_is_array(failures) ||
        json_array_size(failures) > ENG_MAX_FAILURES)
        return false;
    json_object_foreach((json_t *)outcomes, name, value)
    {
        const struct field field[] = {{name, FIELD_U64, 0, REPORT_MOST, false}, FIELD_END};
        uint32_t outcome;
        if (!read_outcome(mode, name, &outcome, fault) ||
            !fields_read(field, outcomes, &count->outcomes[outcome], fault))
            return false;
    }
    json_array_foreach((json_t *)failures, i, value)
    {
        struct eng_failure *to = &count->failures[count->failure_count++];
        if (!fields_read(failure, value, to, fault) ||
            !read_outcome(mode, json_string_value(json_object_get(value, "outcome")),
                          &to->at.outcome, fault))
            return false;
        snprintf(fault, 128, "a failure in run 0");
        if (to->at.run-- == 0)
            return false;
    }
    return true;
}

// "1.3.230"; 0 if it is no such.
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
