// SPDX-License-Identifier: Apache-2.0
// Defines the columns of each table once, for inserting, reading, clearing and summing rows.
// Checksums go over them in this order.
#include "store/private.h"

#include <math.h>

#define FIELDS(array)                                                                              \
    {                                                                                              \
        array, sizeof array / sizeof *array                                                        \
    }
#define WITH(name, type, record, member, most, names)                                              \
    {                                                                                              \
        name, FIELD_AT(type, record, member), most, FIELD_ALL, NULL, names, 0                      \
    }
#define NAME(name, record, member, names)                                                          \
    WITH(name, NAME, record, member, sizeof names / sizeof *names, names)
#define OF(type, record, member) WITH(#member, type, record, member, INT64_MAX, NULL)

const char *const store_shard_names[] = {
    [STORE_WHOLE] = "",
    [STORE_SHARD_TESTS] = "tests",
    [STORE_SHARD_RUNS] = "runs",
};

static const struct field session_fields[] = {
    OF(TEXT, store_session, version),       OF(TEXT, store_session, command),
    OF(TEXT, store_session, started),       OF(TEXT, store_session, system),
    OF(HEX, store_session, seed),           OF(NUMBER, store_session, runs),
    OF(BOOL, store_session, finished),      OF(TEXT, store_session, options),
    OF(TEXT, store_session, uuid),          NAME("shard", store_session, shard, store_shard_names),
    OF(NUMBER, store_session, shard_index), OF(NUMBER, store_session, shard_count),
};

#define FACT(type, member) WITH(#member, type, eng_device, facts.member, INT64_MAX, NULL),
static const struct field device_fields[] = {OF(NUMBER, eng_device, number),
                                             OF(CHARS, eng_device, id),
                                             OF(TEXT, eng_device, checker), DEV_FACTS(FACT)};

// The first STORE_BRIEF_FIELDS are in the column `past` and its course.
static const struct field result_fields[] = {
    WITH("device", TEXT, result, device_id, 0, NULL),
    OF(TEXT, result, name),
    NAME("result", result, result, eng_result_names),
    NAME("expectation", result, expectation, cat_expectation_names),
    OF(TEXT, result, sha256),
    OF(HEX, result, seed),
    OF(NUMBER, result, runs),
    OF(NUMBER, result, failed_runs),
    OF(NUMBER, result, no_progress_runs),
    OF(TEXT, result, stress),
    OF(TEXT, result, rule),
    OF(NUMBER, result, first),
    OF(TEXT, result, reason),
    OF(TEXT, result, headline),
    NAME("checked_as", store_result_row, mode.check, cat_check_names),
    OF(BOOL, result, first_run_failed),
    OF(NUMBER, result, instances),
    OF(NUMBER, result, failed_instances),
    OF(REAL, result, seconds),
};

const struct store_fields store_brief = {result_fields, STORE_BRIEF_FIELDS};

static const struct field tuning_fields[] = {
    WITH("device", TEXT, result, device_id, 0, NULL),
    OF(TEXT, result, name),
    OF(TEXT, result, sha256),
    OF(TEXT, result, stress),
    OF(NUMBER, result, runs),
    OF(NUMBER, result, failed_runs),
    OF(NUMBER, result, no_progress_runs),
    OF(REAL, result, seconds),
};

static const struct field code_fields[] = {
    OF(TEXT, store_code_row, device), OF(TEXT, store_code_row, name),
    OF(TEXT, store_code_row, sha256), OF(TEXT, store_code_row, digest),
    OF(BLOB, store_code_row, packed),
};

static const struct field kernel_fields[] = {
    OF(TEXT, store_kernel_row, name),
    OF(BLOB, store_kernel_row, packed),
};

static bool is_session(const void *record)
{
    const struct store_session *session = record;
    return (session->shard == STORE_WHOLE) == (session->shard_count == 0) &&
           (session->shard == STORE_WHOLE || session->shard_index < session->shard_count);
}

static bool is_tuning(const void *record)
{
    const struct result *tuning = record;
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

static const struct field outcome_fields[] = {
    {"instances", FIELD_NUMBER, 0, sizeof(uint64_t), INT64_MAX, FIELD_ALL, NULL, NULL, 0},
};
static const struct field choice_fields[] = {
    {"name", FIELD_CHARS, 0, CAT_CHOICE_NAME, 0, FIELD_ALL, NULL, NULL, 0},
};
static const struct field evidence_fields[] = {
    {"text", FIELD_LINES, 0, sizeof(char *), ENG_EVIDENCE_SIZE, FIELD_ALL, NULL, NULL, 0},
};
#define ARRAY(member)                                                                              \
    .offset = offsetof(struct store_result_row, member),                                           \
    .stride = sizeof *((struct store_result_row *)0)->member,                                      \
    .rooms = sizeof((struct store_result_row *)0)->member /                                        \
             sizeof *((struct store_result_row *)0)->member
#define ITEMS(member, most, total)                                                                 \
    .offset = offsetof(struct result, member), .stride = sizeof *((struct result *)0)->member,     \
    .rooms = most, .count = offsetof(struct result, total)

const struct store_child store_children[STORE_CHILDREN] = {
    {"outcome", "outcome", FIELDS(outcome_fields), ARRAY(result.outcomes)},
    {"failure",
     "number",
     {eng_failure_fields, 7},
     ITEMS(failures, ENG_MAX_FAILURES, failure_count)},
    {"choice", "place", FIELDS(choice_fields), ARRAY(mode.choice.names),
     .bits = offsetof(struct store_result_row, mode.choice.fails)},
    {"part", "number", {eng_part_fields, 4}, ITEMS(pieces, ENG_MAX_PARTS, piece_count)},
    {"evidence", "kind", FIELDS(evidence_fields), ARRAY(result.evidence),
     .names = eng_evidence_names},
};

void store_put_child_columns(struct text *sql, const struct store_child *child)
{
    text_puts(sql, child->key);
    text_puts(sql, ", ");
    store_put_columns(sql, "", child->fields);
    text_puts(sql, child->bits ? ", fails" : "");
}

static const char *column_of(const struct field *field)
{
    return field->column ? field->column : field->name;
}

void store_put_columns(struct text *sql, const char *prefix, struct store_fields fields)
{
    for (size_t i = 0; i < fields.count; i++) {
        text_puts(sql, i ? ", " : "");
        text_puts(sql, prefix);
        text_puts(sql, column_of(&fields.fields[i]));
    }
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
        const struct field *field = &fields.fields[i];
        struct field_value value;
        field_get(field, record, &value);
        if (field->type == FIELD_LINES)
            bind_lines(statement, at, value.bytes, field->most);
        else if (value.is == FIELD_IS_TEXT)
            sqlite3_bind_text(statement, at, value.bytes, -1,
                              value.bytes == value.made ? SQLITE_TRANSIENT : SQLITE_STATIC);
        else if (value.is == FIELD_IS_BYTES)
            sqlite3_bind_blob64(statement, at, value.bytes, value.size, SQLITE_STATIC);
        else if (value.is == FIELD_IS_REAL)
            sqlite3_bind_double(statement, at, isfinite(value.real) ? fmax(value.real, 0) : 0);
        else
            sqlite3_bind_int64(statement, at,
                               value.number > INT64_MAX ? INT64_MAX : (int64_t)value.number);
    }
}

static bool read_field(sqlite3_stmt *select, int at, const struct field *field, void *record)
{
    struct field_value value = {.is = field_forms[field->type]};
    if (value.is == FIELD_IS_NUMBER || value.is == FIELD_IS_BOOL) {
        value.number = (uint64_t)sqlite3_column_int64(select, at);
    } else if (value.is == FIELD_IS_REAL) {
        value.real = sqlite3_column_double(select, at);
    } else if (value.is == FIELD_IS_BYTES) {
        value.bytes = sqlite3_column_blob(select, at);
        value.size = (size_t)sqlite3_column_bytes(select, at);
    } else {
        value.bytes = (const char *)sqlite3_column_text(select, at);
        if (!value.bytes && field->type == FIELD_LINES)
            return false;
    }
    return field_set(field, record, &value);
}

bool store_read(sqlite3_stmt *select, int at, struct store_fields fields, void *record)
{
    bool good = true;
    for (size_t i = 0; i < fields.count; i++)
        good = read_field(select, at + (int)i, &fields.fields[i], record) && good;
    return good;
}

void store_clear(struct store_fields fields, void *record)
{
    for (size_t i = 0; i < fields.count; i++) {
        const struct field *field = &fields.fields[i];
        // The first member of a blob is a pointer, too.
        if (field->type == FIELD_TEXT || field->type == FIELD_BLOB) {
            char **text = (char **)((char *)record + field->offset);
            free(*text);
            *text = NULL;
        }
    }
}
