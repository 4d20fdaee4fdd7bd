// SPDX-License-Identifier: Apache-2.0
// JSON objects of a report, which is written and read by the same tables.
#pragma once

#include "model/field.h"
#include "report/code.h"

#include <jansson.h>

// The fields of a report, of which all are written.
#define fields_write(fields, from) field_write(fields, FIELD_ALL, from)
#define fields_read(fields, json, to, fault)                                                       \
    field_read(fields, FIELD_READ_BACK, false, json, to, fault)

// Hexadecimal; [low, high].
json_t *field_hex(uint64_t value);
json_t *field_interval(struct stat_interval interval);

// Reads "api" and "features" of a device, as far as they are there, and whether its type is "cpu".
void fields_read_abilities(const json_t *device, struct dev_facts *facts);
// Reads "outcomes" and "failures" of a result, whose outcomes `mode` names. `failure` is the table
// of a failure; its runs are counted from 1 in JSON. False with what is wrong.
bool fields_read_counts(const json_t *result, const struct field *failure,
                        const struct cat_mode *mode, struct eng_count *count, char fault[128]);
// Appends a value in one line, and drops it.
void fields_dump(struct text *out, json_t *json);

// Of struct store_session, report_build, report_device and report_result.
extern const struct field report_tool_fields[], report_build_fields[], report_device_fields[],
    report_driver_fields[], report_subgroup_fields[], report_limit_fields[], report_result_fields[];

// An object of axes and their values, or with `numbers` of parameters, whose values can be numbers.
json_t *report_json_pairs(const struct cfg_pair *pairs, size_t count, bool numbers);
// An object of those outcomes that were observed.
json_t *report_json_outcomes(const struct report_result *result);
// The objects of a report: of its session, of a device, of a result.
json_t *report_json_tool(const struct report_model *model);
json_t *report_json_device(const struct report_code *code, size_t index);
json_t *report_json_result(const struct report_code *code, const struct report_result *result);
// Takes what is to be known of drivers beside all results, an array of lines; NULL: none.
void fields_read_drivers(const json_t *lines, struct report_model *model);
