// SPDX-License-Identifier: Apache-2.0
// The columns of each table, written down once: what inserts, reads, clears and sums a row follows
// from it. The order is that in which checksums go over them.
#include "store/private.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS(array)                                                                              \
    {                                                                                              \
        array, sizeof array / sizeof *array                                                        \
    }
#define TEXT(type, member)    STORE_TEXT, offsetof(type, member), 0, NULL
#define COUNT(type, member)   STORE_COUNT, offsetof(type, member), 0, NULL
#define WORD(type, member)    STORE_WORD, offsetof(type, member), 0, NULL
#define FLAG(type, member)    STORE_FLAG, offsetof(type, member), 0, NULL
#define HEX(type, member)     STORE_HEX, offsetof(type, member), 0, NULL
#define SECONDS(type, member) STORE_SECONDS, offsetof(type, member), 0, NULL
#define NAME(type, member, names)                                                                  \
    STORE_NAME, offsetof(type, member), sizeof names / sizeof *names, names
#define SIZED(kind, type, member) kind, offsetof(type, member), sizeof((type *)0)->member, NULL

const char *const store_shard_names[] = {
    [STORE_WHOLE] = "",
    [STORE_SHARD_TESTS] = "tests",
    [STORE_SHARD_RUNS] = "runs",
};

static const struct store_field session_fields[] = {
    {"version", TEXT(struct store_session, version)},
    {"command", TEXT(struct store_session, command)},
    {"started", TEXT(struct store_session, started)},
    {"system", TEXT(struct store_session, system)},
    {"seed", HEX(struct store_session, seed)},
    {"runs", COUNT(struct store_session, runs)},
    {"finished", FLAG(struct store_session, finished)},
    {"options", TEXT(struct store_session, options)},
    {"uuid", TEXT(struct store_session, uuid)},
    {"shard", NAME(struct store_session, shard, store_shard_names)},
    {"shard_index", COUNT(struct store_session, shard_index)},
    {"shard_count", COUNT(struct store_session, shard_count)},
};

static const struct store_field device_fields[] = {
    {"number", WORD(struct store_device, number)},
    {"id", TEXT(struct store_device, id)},
    {"checker", TEXT(struct store_device, checker)},
    {"name", SIZED(STORE_CHARS, struct store_device, facts.name)},
    {"driver_name", SIZED(STORE_CHARS, struct store_device, facts.driver_name)},
    {"driver_info", SIZED(STORE_CHARS, struct store_device, facts.driver_info)},
    {"driver_version", SIZED(STORE_CHARS, struct store_device, facts.driver_version)},
    {"device_uuid", SIZED(STORE_BYTES, struct store_device, facts.device_uuid)},
    {"driver_uuid", SIZED(STORE_BYTES, struct store_device, facts.driver_uuid)},
    {"driver_id", WORD(struct store_device, facts.driver_id)},
    {"vendor", WORD(struct store_device, facts.vendor)},
    {"product", WORD(struct store_device, facts.product)},
    {"api", WORD(struct store_device, facts.api)},
    {"driver_raw", WORD(struct store_device, facts.driver_raw)},
    {"cpu", FLAG(struct store_device, facts.cpu)},
    {"type", SIZED(STORE_CHARS, struct store_device, facts.type)},
    {"subgroup", WORD(struct store_device, facts.subgroup)},
    {"subgroup_min", WORD(struct store_device, facts.subgroup_min)},
    {"subgroup_max", WORD(struct store_device, facts.subgroup_max)},
    {"subgroup_control", FLAG(struct store_device, facts.subgroup_control)},
    {"max_workgroup", WORD(struct store_device, facts.max_workgroup)},
    {"max_workgroups", WORD(struct store_device, facts.max_workgroups)},
    {"max_shared", WORD(struct store_device, facts.max_shared)},
    {"max_storage_buffer", COUNT(struct store_device, facts.max_storage_buffer)},
    {"features", HEX(struct store_device, facts.features)},
    {"loader", SIZED(STORE_CHARS, struct store_device, facts.loader)},
};

// The first STORE_BRIEF_FIELDS are those of the column `past` and of its course.
static const struct store_field result_fields[] = {
    {"device", TEXT(struct store_result, device)},
    {"name", TEXT(struct store_result, name)},
    {"result", TEXT(struct store_result, result)},
    {"expectation", TEXT(struct store_result, expectation)},
    {"sha256", TEXT(struct store_result, sha256)},
    {"seed", HEX(struct store_result, seed)},
    {"runs", COUNT(struct store_result, count.runs)},
    {"failed_runs", COUNT(struct store_result, count.failed_runs)},
    {"no_progress_runs", COUNT(struct store_result, count.no_progress_runs)},
    {"stress", TEXT(struct store_result, stress)},
    {"rule", TEXT(struct store_result, rule)},
    {"first", COUNT(struct store_result, first)},
    {"reason", TEXT(struct store_result, reason)},
    {"headline", TEXT(struct store_result, headline)},
    {"checked_as", NAME(struct store_result, mode.check, cat_check_names)},
    {"first_run_failed", FLAG(struct store_result, count.first_run_failed)},
    {"instances", COUNT(struct store_result, count.instances)},
    {"failed_instances", COUNT(struct store_result, count.failed_instances)},
    {"seconds", SECONDS(struct store_result, count.seconds)},
};

const struct store_fields store_brief = {result_fields, STORE_BRIEF_FIELDS};

static const struct store_field tuning_fields[] = {
    {"device", TEXT(struct store_tuning, device)},
    {"name", TEXT(struct store_tuning, name)},
    {"sha256", TEXT(struct store_tuning, sha256)},
    {"stress", TEXT(struct store_tuning, stress)},
    {"runs", COUNT(struct store_tuning, runs)},
    {"failed_runs", COUNT(struct store_tuning, failed_runs)},
    {"no_progress_runs", COUNT(struct store_tuning, no_progress_runs)},
    {"seconds", SECONDS(struct store_tuning, seconds)},
};

static const struct store_field code_fields[] = {
    {"device", TEXT(struct store_code_row, device)},
    {"name", TEXT(struct store_code_row, name)},
    {"sha256", TEXT(struct store_code_row, sha256)},
    {"digest", TEXT(struct store_code_row, digest)},
    {"packed", SIZED(STORE_BLOB, struct store_code_row, packed)},
};

static const struct store_field kernel_fields[] = {
    {"name", TEXT(struct store_kernel_row, name)},
    {"packed", SIZED(STORE_BLOB, struct store_kernel_row, packed)},
};

static bool is_session(const void *record)
{
    const struct store_session *session = record;
    return (session->shard == STORE_WHOLE) == (session->shard_count == 0) &&
           (session->shard == STORE_WHOLE || session->shard_index < session->shard_count);
}

static bool is_tuning(const void *record)
{
    const struct store_tuning *tuning = record;
    return tuning->failed_runs <= tuning->runs &&
           tuning->no_progress_runs <= tuning->runs - tuning->failed_runs;
}

const struct store_table store_tables[STORE_KINDS] = {
    [STORE_KIND_SCHEMA] = {.name = "sqlite_schema", .members = "type, name, tbl_name, sql"},
    [STORE_KIND_COURSE] = {.name = "course",
                           .members = "id, (SELECT name FROM configuration WHERE"
                                      " configuration.id = configuration), device",
                           .where = "id = ?2"},
    [STORE_KIND_SESSION] = {"session", "id", FIELDS(session_fields), "id, uuid", "id = ?1", "id",
                            "session", .known = "", .valid = is_session},
    [STORE_KIND_DEVICE] = {"device", "session", FIELDS(device_fields), "number, id",
                           "session = ?1 AND number = ?2", "session", "a device of session",
                           .known = "ON CONFLICT DO UPDATE SET checker = excluded.checker"
                                    " WHERE excluded.checker <> 'device'"},
    [STORE_KIND_RESULT] = {"result", "session", FIELDS(result_fields), "id, device, name",
                           "session = ?1 AND id = ?2", "id", "result",
                           .known = "ON CONFLICT (session, device, name) DO UPDATE SET",
                           .updated = true},
    [STORE_KIND_TUNING] = {"tuning", "session", FIELDS(tuning_fields), "id, device, name, stress",
                           "session = ?1 AND id = ?2", "id", "a tried stress configuration, row",
                           .known = "ON CONFLICT (session, device, name, stress) DO UPDATE SET",
                           .updated = true, .valid = is_tuning},
    [STORE_KIND_CODE] = {"code", "session", FIELDS(code_fields), "id, device, name",
                         "session = ?1 AND id = ?2", "id", "the code of",
                         .named = offsetof(struct store_code_row, name),
                         .known = "ON CONFLICT (session, device, name) DO UPDATE SET",
                         .updated = true},
    [STORE_KIND_KERNEL] = {"kernel", "session", FIELDS(kernel_fields), "id, name",
                           "session = ?1 AND id = ?2", "id", "the kernel of",
                           .named = offsetof(struct store_kernel_row, name),
                           .known = "ON CONFLICT (session, name) DO UPDATE SET packed ="
                                    " excluded.packed"},
};

static const struct store_field outcome_fields[] = {{"instances", STORE_COUNT, 0, 0, NULL}};
static const struct store_field failure_fields[] = {
    {"run", COUNT(struct eng_failure, at.run)},
    {"instance", COUNT(struct eng_failure, at.instance)},
    {"word", COUNT(struct eng_failure, at.word)},
    {"place", SIZED(STORE_CHARS, struct eng_failure, where)},
    {"outcome", WORD(struct eng_failure, at.outcome)},
    {"got", WORD(struct eng_failure, at.got)},
    {"want", WORD(struct eng_failure, at.want)},
};
static const struct store_field choice_fields[] = {
    {"name", STORE_CHARS, 0, CAT_CHOICE_NAME, NULL},
};
static const struct store_field part_fields[] = {
    {"process", WORD(struct eng_part, process)},
    {"runs", COUNT(struct eng_part, runs)},
    {"failed_runs", COUNT(struct eng_part, failed_runs)},
    {"no_progress_runs", COUNT(struct eng_part, no_progress_runs)},
};
static const struct store_field evidence_fields[] = {
    {"text", STORE_LINES, 0, ENG_EVIDENCE_SIZE, NULL},
};
#define ARRAY(member)                                                                              \
    .offset = offsetof(struct store_result, member),                                               \
    .stride = sizeof *((struct store_result *)0)->member,                                          \
    .rooms = sizeof((struct store_result *)0)->member / sizeof *((struct store_result *)0)->member

const struct store_child store_children[STORE_CHILDREN] = {
    {"outcome", "outcome", FIELDS(outcome_fields), ARRAY(count.outcomes)},
    {"failure", "number", FIELDS(failure_fields), ARRAY(count.failures),
     .count = offsetof(struct store_result, count.failure_count)},
    {"choice", "place", FIELDS(choice_fields), ARRAY(mode.choice.names),
     .bits = offsetof(struct store_result, mode.choice.fails)},
    {"part", "number", FIELDS(part_fields), ARRAY(count.parts),
     .count = offsetof(struct store_result, count.part_count)},
    {"evidence", "kind", FIELDS(evidence_fields), ARRAY(evidence), .names = eng_evidence_names},
};

void store_put_child_columns(struct text *sql, const struct store_child *child)
{
    text_puts(sql, child->key);
    text_puts(sql, ", ");
    store_put_columns(sql, "", child->fields);
    text_puts(sql, child->bits ? ", fails" : "");
}

void store_put_columns(struct text *sql, const char *prefix, struct store_fields fields)
{
    for (size_t i = 0; i < fields.count; i++) {
        text_puts(sql, i ? ", " : "");
        text_puts(sql, prefix);
        text_puts(sql, fields.fields[i].column);
    }
}

static void bind_hex(sqlite3_stmt *statement, int at, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "0x%jx", (uintmax_t)value);
    sqlite3_bind_text(statement, at, text, -1, SQLITE_TRANSIENT);
}

static void bind_text(sqlite3_stmt *statement, int at, const char *text)
{
    sqlite3_bind_text(statement, at, text ? text : "", -1, SQLITE_STATIC);
}

static void bind_lines(sqlite3_stmt *statement, int at, const char *text, size_t size)
{
    char *clean = lit_alloc(size, 1);
    text_sanitise_lines(clean, size, text);
    sqlite3_bind_text(statement, at, clean, -1, free);
}

void store_bind(sqlite3_stmt *statement, int at, struct store_fields fields, const void *record)
{
    for (size_t i = 0; i < fields.count; i++, at++) {
        const struct store_field *field = &fields.fields[i];
        const void *value = (const char *)record + field->offset;
        const char *text;
        switch (field->type) {
        case STORE_TEXT:
            memcpy(&text, value, sizeof text);
            bind_text(statement, at, text);
            break;
        case STORE_LINES:
            memcpy(&text, value, sizeof text);
            bind_lines(statement, at, text, field->size);
            break;
        case STORE_CHARS:
            bind_text(statement, at, value);
            break;
        case STORE_HEX:
            bind_hex(statement, at, *(const uint64_t *)value);
            break;
        case STORE_COUNT: {
            const uint64_t count = *(const uint64_t *)value;
            sqlite3_bind_int64(statement, at, count > INT64_MAX ? INT64_MAX : (int64_t)count);
            break;
        }
        case STORE_WORD:
            sqlite3_bind_int64(statement, at, *(const uint32_t *)value);
            break;
        case STORE_FLAG:
            sqlite3_bind_int(statement, at, *(const bool *)value);
            break;
        case STORE_SECONDS: {
            const double seconds = *(const double *)value;
            sqlite3_bind_double(statement, at, isfinite(seconds) ? fmax(seconds, 0) : 0);
            break;
        }
        case STORE_BYTES:
            sqlite3_bind_blob(statement, at, value, (int)field->size, SQLITE_STATIC);
            break;
        case STORE_NAME:
            bind_text(statement, at, field->names[*(const int *)value]);
            break;
        case STORE_BLOB: {
            const struct store_blob *blob = value;
            sqlite3_bind_blob64(statement, at, blob->bytes, blob->size, SQLITE_STATIC);
            break;
        }
        }
    }
}

bool store_read_hex(const char *text, uint64_t *value)
{
    if (!text || strncmp(text, "0x", 2) != 0)
        return false;
    const size_t digits = strspn(text + 2, "0123456789abcdefABCDEF");
    *value = strtoull(text + 2, NULL, 16);
    return digits >= 1 && digits <= 16 && text[2 + digits] == '\0';
}

static bool read_name(const char *text, const struct store_field *field, int *value)
{
    for (size_t i = 0; text && i < field->size; i++)
        if (strcmp(text, field->names[i]) == 0) {
            *value = (int)i;
            return true;
        }
    return false;
}

static bool read_field(sqlite3_stmt *select, int at, const struct store_field *field, void *value)
{
    const char *text = NULL;
    const void *bytes;
    char *copy;
    int64_t number = 0;
    double real;
    if (field->type == STORE_COUNT || field->type == STORE_WORD || field->type == STORE_FLAG)
        number = sqlite3_column_int64(select, at);
    else if (field->type != STORE_BYTES && field->type != STORE_BLOB &&
             field->type != STORE_SECONDS)
        text = (const char *)sqlite3_column_text(select, at);
    switch (field->type) {
    case STORE_TEXT:
        copy = store_column_text(select, at);
        memcpy(value, &copy, sizeof copy);
        return true;
    case STORE_CHARS:
        text_sanitise(value, field->size, text ? text : "");
        return true;
    case STORE_LINES:
        if (!text || strlen(text) >= field->size)
            return false;
        copy = lit_alloc(strlen(text) + 1, 1);
        text_sanitise_lines(copy, strlen(text) + 1, text);
        memcpy(value, &copy, sizeof copy);
        return true;
    case STORE_HEX:
        return store_read_hex(text, value);
    case STORE_COUNT:
        *(uint64_t *)value = (uint64_t)number;
        return number >= 0;
    case STORE_WORD:
        *(uint32_t *)value = (uint32_t)number;
        return number >= 0 && number <= UINT32_MAX;
    case STORE_FLAG:
        *(bool *)value = number != 0;
        return true;
    case STORE_SECONDS:
        real = sqlite3_column_double(select, at);
        *(double *)value = real;
        return isfinite(real) && real >= 0;
    case STORE_BYTES:
        bytes = sqlite3_column_blob(select, at);
        if (!bytes || (size_t)sqlite3_column_bytes(select, at) != field->size)
            return false;
        memcpy(value, bytes, field->size);
        return true;
    case STORE_NAME:
        return read_name(text, field, value);
    case STORE_BLOB:
        bytes = sqlite3_column_blob(select, at);
        copy = lit_alloc((size_t)sqlite3_column_bytes(select, at) + 1, 1);
        *(struct store_blob *)value =
            (struct store_blob){copy, (size_t)sqlite3_column_bytes(select, at)};
        memcpy(copy, bytes ? bytes : "", ((struct store_blob *)value)->size);
        return true;
    }
    return false;
}

bool store_read(sqlite3_stmt *select, int at, struct store_fields fields, void *record)
{
    bool good = true;
    for (size_t i = 0; i < fields.count; i++) {
        const struct store_field *field = &fields.fields[i];
        good = read_field(select, at + (int)i, field, (char *)record + field->offset) && good;
    }
    return good;
}

void store_clear(struct store_fields fields, void *record)
{
    for (size_t i = 0; i < fields.count; i++) {
        const struct store_field *field = &fields.fields[i];
        // The first member of a blob is a pointer too.
        if (field->type == STORE_TEXT || field->type == STORE_BLOB) {
            char *text, *none = NULL;
            memcpy(&text, (char *)record + field->offset, sizeof text);
            memcpy((char *)record + field->offset, &none, sizeof none);
            free(text);
        }
    }
}
