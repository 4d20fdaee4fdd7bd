// SPDX-License-Identifier: Apache-2.0
// The JSON objects of a report; the same tables write and read them.
#pragma once

#include "model/field.h"
#include "report/code.h"

#include <jansson.h>

// Writes all fields of a report.
#define fields_write(fields, from) field_write(fields, FIELD_ALL, from)
#define fields_read(fields, json, to, fault)                                                       \
    field_read(fields, FIELD_READ_BACK, false, json, to, fault)
// An allocated list of structures.
#define FIELDS_LIST(name, record, items, total, most, table)                                       \
    {                                                                                              \
        name, FIELD_ITEMS, offsetof(struct record, items), sizeof *((struct record *)0)->items,    \
            most, FIELD_ALL, NULL, table, offsetof(struct record, total)                           \
    }

// Hexadecimal; [low, high].
json_t *field_hex(uint64_t value);
json_t *field_interval(struct stat_interval interval);

// Reads a device's "api" and "features", if present, and whether its "type" is "cpu".
void fields_read_abilities(const json_t *device, struct dev_facts *facts);
// Reads a result's "outcomes", whose names its mode has, and the outcomes of the failures that it
// has; JSON counts their runs from 1. False with the fault.
bool fields_read_counts(const json_t *json, struct result *result, char fault[128]);
// Appends a value on one line, and drops it.
void fields_dump(struct text *out, json_t *json);

// For struct store_session, report_build, report_device and result.
extern const struct field report_tool_fields[], report_build_fields[], report_device_fields[],
    report_result_fields[];

// The members of a result's object that follow from others.
json_t *report_json_derived(const struct result *result);
// An object of the observed outcomes.
json_t *report_json_outcomes(const struct result *result);
// The objects for a report's session, a device, a result.
json_t *report_json_tool(const struct report_model *model);
json_t *report_json_device(const struct report_code *code, size_t index);
json_t *report_json_result(const struct report_code *code, const struct result *result);
// Takes notes on drivers that apply to all results, an array of lines; NULL: none.
void fields_read_drivers(const json_t *lines, struct report_model *model);
