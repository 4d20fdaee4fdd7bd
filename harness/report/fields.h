// SPDX-License-Identifier: Apache-2.0
// JSON objects by tables of their members: a report is written and read by the same table, so that
// each member is named once, with its type and its bounds.
#pragma once

#include "report/code.h"

#include <jansson.h>

enum field_kind {
    FIELD_TEXT,  // char *
    FIELD_CHARS, // char[most]
    FIELD_U32,
    FIELD_U64,
    FIELD_I64,
    FIELD_SIZE,
    FIELD_HEX32, // "0x10de"
    FIELD_HEX64,
    FIELD_BOOL,
    FIELD_REAL,
    FIELD_UUID,     // uint8_t[16]
    FIELD_INTERVAL, // struct stat_interval; not read
    FIELD_SET,      // its place: the value is set afterwards; not read
};

struct field {
    const char *name;
    enum field_kind kind;
    size_t offset; // of a member of the struct
    uint64_t most; // of a count; of characters their room
    bool unread;
};
// Rows of a table: of a member, with its bound; of one that is not read; of a place.
#define FIELD_READ(name, kind, type, member, most)                                                 \
    {                                                                                              \
        name, FIELD_##kind, offsetof(struct type, member), most, false                             \
    }
#define FIELD_KEPT(name, kind, type, member)                                                       \
    {                                                                                              \
        name, FIELD_##kind, offsetof(struct type, member), 0, true                                 \
    }
#define FIELD_PLACE(name)                                                                          \
    {                                                                                              \
        name, FIELD_SET, 0, 0, true                                                                \
    }
#define FIELD_END                                                                                  \
    {                                                                                              \
        NULL, FIELD_SET, 0, 0, true                                                                \
    }

// Text that went through text_sanitise; a count below REPORT_MOST; hexadecimal; [low, high].
json_t *field_text(const char *text);
json_t *field_count(uint64_t count);
json_t *field_hex(uint64_t value);
json_t *field_interval(struct stat_interval interval);

// An object of the members, in the order of the table.
json_t *fields_write(const struct field *fields, const void *from);
// Reads those members, all of which have to be there; texts are sanitised and allocated. False with
// what is wrong, "'runs' is missing".
bool fields_read(const struct field *fields, const json_t *object, void *to, char fault[128]);
// Reads "api" and "features" of a device, as far as they are there, and whether its type is "cpu".
void fields_read_abilities(const json_t *device, struct dev_facts *facts);
// Reads "outcomes" and "failures" of a result, whose outcomes `mode` names. `failure` is the table
// of a failure; its runs are counted from 1 in JSON. False with what is wrong.
bool fields_read_counts(const json_t *result, const struct field *failure,
                        const struct cat_mode *mode, struct eng_count *count, char fault[128]);
// Appends a value in one line, and drops it.
void fields_dump(struct text *out, json_t *json);

// Of struct store_session, report_build, report_device, report_result, eng_part and eng_failure;
// each ends with a NULL name.
extern const struct field report_tool_fields[], report_build_fields[], report_device_fields[],
    report_driver_fields[], report_subgroup_fields[], report_limit_fields[], report_result_fields[],
    report_part_fields[], report_failure_fields[];

// An object of axes and their values, or with `numbers` of parameters, whose values can be numbers.
json_t *report_json_pairs(const struct cfg_pair *pairs, size_t count, bool numbers);
// An object of those outcomes that were observed.
json_t *report_json_outcomes(const struct report_result *result);
// The objects of a report: of its session, of a device, of a result.
json_t *report_json_tool(const struct report_model *model);
json_t *report_json_device(const struct report_code *code, size_t index);
json_t *report_json_result(const struct report_code *code, const struct report_result *result);
