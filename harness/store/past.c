// SPDX-License-Identifier: Apache-2.0
// Courses (the results of a configuration under a driver in all sessions), and the part of each
// result that histories read: one value in an index, so that reading millions takes seconds.
//
// The value is the session's number, the fields of store_brief after device and name, and 8 bytes
// of XXH3 over these, seeded with the hash of the course's device and name. A number is its length
// in bytes, then its bytes without leading zeros, the highest first, so that rows of a course sort
// by session. A text ends with a zero byte.
#include "store/history.h"
#include "store/private.h"

#include "base/random.h"
#include "model/result.h"

#include <stdlib.h>
#include <string.h>

uint64_t store_past_seed(const char *name, const char *device)
{
    return hash_fast(hash_fast(0, name, strlen(name)), device, strlen(device));
}

// --- Writing

static void put_number(struct text *out, uint64_t number)
{
    char bytes[1 + sizeof number];
    size_t size = 0;
    while (size < sizeof number && number >> 8 * size)
        size++;
    bytes[0] = (char)size;
    for (size_t i = 0; i < size; i++)
        bytes[1 + i] = (char)(number >> 8 * (size - 1 - i));
    text_append(out, bytes, 1 + size);
}

static const char *text_of(sqlite3_value *value)
{
    const char *text = (const char *)sqlite3_value_text(value);
    return text ? text : "";
}

void store_past_make(sqlite3_context *context, int count, sqlite3_value **values)
{
    enum { SESSION, DEVICE, NAME, REST };
    OWNED(text_free) struct text out = {0};
    put_number(&out, (uint64_t)sqlite3_value_int64(values[SESSION]));
    for (int i = REST; i < count; i++) {
        if (store_brief.fields[i - 1].type == FIELD_NUMBER) {
            put_number(&out, (uint64_t)sqlite3_value_int64(values[i]));
        } else {
            const char *text = text_of(values[i]);
            text_append(&out, text, strlen(text) + 1);
        }
    }
    const uint64_t seed = store_past_seed(text_of(values[NAME]), text_of(values[DEVICE]));
    const uint64_t hash = hash_fast(seed, out.data, out.length);
    text_append(&out, (const char *)&hash, sizeof hash);
    sqlite3_result_blob64(context, out.data, out.length, SQLITE_TRANSIENT);
}

// Selects a result's course.
#define COURSE(name, device)                                                                       \
    "(SELECT course.id FROM configuration JOIN course ON course.configuration = configuration.id"  \
    " WHERE configuration.name = " name " AND course.device = " device ")"

bool store_course_add(struct store *store, int64_t result, const char *name, const char *device,
                      struct lit_error *error)
{
    // Only a new row changes it.
    sqlite3_set_last_insert_rowid(store->db, 0);
    if (!store_run(store, error,
                   "INSERT INTO course (configuration, device, members)"
                   " SELECT id, ?2, 1 FROM configuration WHERE name = ?1"
                   " ON CONFLICT (configuration, device) DO UPDATE SET members = members + 1",
                   "tt", name, device))
        return false;
    const int64_t fresh = sqlite3_last_insert_rowid(store->db);
    return store_run(store, error,
                     "UPDATE result SET course = " COURSE("?2", "?3") " WHERE id = ?1", "itt",
                     result, name, device) &&
           (!fresh || store_total_add(store, STORE_KIND_COURSE, 0, fresh, error));
}

bool store_courses_make(struct store *store, int64_t session, struct lit_error *error)
{
    const char *which = session ? "session = ?1" : "?1 = 0";
    OWNED(text_free) struct text add = {0}, number = {0};
    // Rows without a course are adjacent in the index.
    text_printf(&add,
                "INSERT INTO course (configuration, device, members)"
                " SELECT configuration.id, device, count(*) FROM result JOIN configuration"
                " USING (name) WHERE course = 0 AND %s GROUP BY name, device"
                " ON CONFLICT (configuration, device)"
                " DO UPDATE SET members = members + excluded.members",
                which);
    text_printf(&number,
                "UPDATE result SET course = " COURSE("result.name",
                                                     "result.device") " WHERE course = 0 AND %s",
                which);
    return (session ||
            store_execute(store,
                          "DELETE FROM course; UPDATE result SET course = 0 WHERE course <> 0",
                          error)) &&
           store_configurations_make(store, session, error) &&
           store_run(store, error, add.data, "i", session) &&
           store_run(store, error, number.data, "i", session) &&
           store_total_make(store, STORE_KIND_COURSE, 0, error);
}

bool store_courses_count(struct store *store, struct lit_error *error)
{
    return store_execute(store,
                         "UPDATE course SET members ="
                         " (SELECT count(*) FROM result WHERE result.course = course.id);"
                         "DELETE FROM course WHERE members = 0",
                         error) &&
           store_total_make(store, STORE_KIND_COURSE, 0, error);
}

// --- Reading

void store_past_keep(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct text *kept = sqlite3_value_pointer(values[0], STORE_KEPT_PAST);
    const void *bytes = sqlite3_value_blob(values[1]);
    const uint64_t size = (uint64_t)sqlite3_value_bytes(values[1]);
    (void)count;
    if (kept) {
        text_append(kept, (const char *)&size, sizeof size);
        text_append(kept, bytes ? bytes : "", size);
    }
    sqlite3_result_int(context, 0);
}

struct bytes {
    char *at, *end;
    bool good;
};

static uint64_t take_number(struct bytes *bytes)
{
    uint64_t number = 0;
    size_t size = bytes->at < bytes->end ? (unsigned char)*bytes->at++ : SIZE_MAX;
    bytes->good = bytes->good && size <= sizeof number && size <= (size_t)(bytes->end - bytes->at);
    for (; bytes->good && size > 0; size--)
        number = number << 8 | (unsigned char)*bytes->at++;
    return number;
}

static const char *take_text(struct bytes *bytes)
{
    char *text = bytes->at;
    char *zero = bytes->at < bytes->end ? memchr(text, 0, (size_t)(bytes->end - text)) : NULL;
    bytes->good = bytes->good && zero;
    if (!bytes->good)
        return "";
    bytes->at = zero + 1;
    return text;
}

// Reads a notation to be shown.
static const char *take_notation(struct bytes *bytes)
{
    char *text = bytes->at;
    const char *raw = take_text(bytes);
    if (raw[0])
        text_sanitise(text, strlen(text) + 1, text);
    return raw;
}

static const struct field seed_field = FIELD_OF(HEX, store_past, seed);

bool store_past_take(const struct text *kept, size_t *at, uint64_t seed, int64_t *session,
                     struct store_past *past)
{
    const char *before = past->sha256;
    uint64_t size, hash;
    memcpy(&size, kept->data + *at, sizeof size);
    struct bytes bytes = {.at = kept->data + *at + sizeof size, .good = size >= sizeof hash};
    *at += sizeof size + size;
    if (!bytes.good)
        return false;
    bytes.end = bytes.at + (size - sizeof hash);
    memcpy(&hash, bytes.end, sizeof hash);
    if (hash != hash_fast(seed, bytes.at, size - sizeof hash))
        return false;
    *session = (int64_t)take_number(&bytes);
    past->result = eng_result_named(take_text(&bytes));
    past->expectation = cat_expectation_named(take_text(&bytes));
    past->sha256 = take_text(&bytes);
    const struct field_value drawn = {.is = FIELD_IS_TEXT, .bytes = take_text(&bytes)};
    bytes.good = field_set(&seed_field, past, &drawn) && bytes.good;
    past->runs = take_number(&bytes);
    past->failed_runs = take_number(&bytes);
    past->no_progress_runs = take_number(&bytes);
    past->stress = take_notation(&bytes);
    past->rule = take_notation(&bytes);
    past->first = take_number(&bytes);
    // Most rows of a course have the same module.
    return bytes.good && bytes.at == bytes.end && past->result < ENG_RESULTS &&
           past->expectation < CAT_EXPECTATIONS &&
           ((before && strcmp(before, past->sha256) == 0) || store_is_hash(past->sha256)) &&
           !eng_runs_disagree(past->result, past->runs, past->failed_runs, past->no_progress_runs);
}
