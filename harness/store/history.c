// SPDX-License-Identifier: Apache-2.0
// Reads results over all sessions. Walks courses (the results of a configuration under a driver) by
// name and reads only the results that are requested, so that the file's size does not matter.
//
// The part of each result that histories read is one value in an index, so that reading millions
// takes seconds: the session's number, the fields of store_brief after device and name, and 8 bytes
// of XXH3 over these, seeded with the hash of the course's device and name. A number is its length
// in bytes, then its bytes without leading zeros, the highest first, so that rows of a course sort
// by session. A text ends with a zero byte.
#include "store/history.h"

#include "base/random.h"
#include "model/configuration.h"
#include "model/result.h"
#include "store/private.h"

static uint64_t past_seed(const char *name, const char *device)
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
    const uint64_t seed = past_seed(text_of(values[NAME]), text_of(values[DEVICE]));
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

// Reads the next kept value, of the course with that seed. False if this program cannot have
// written it. Strings point into `kept`; name, session and driver stay unchanged.
static bool take_past(const struct text *kept, size_t *at, uint64_t seed, int64_t *session,
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

// --- The index

struct loading {
    struct store *store;
    struct store_index *index;
    uint64_t counted;
    bool failed;
    bool combined; // some sessions may be combined from others
    struct lit_error *error;
};

static bool add_session(int64_t number, void *record, void *user)
{
    struct loading *loading = user;
    struct store_session *session = record;
    session->id = number;
    struct store_index *index = loading->index;
    LIT_ADD(index->sessions, index->session_count) = *session;
    loading->combined = loading->combined || strstr(session->options, "\"joined\"");
    *session = (struct store_session){0};
    return true;
}

static int compare_ids(const void *left, const void *right)
{
    const struct store_session *a = left, *b = right;
    return a->id < b->id ? -1 : a->id > b->id;
}

// NULL if it does not exist.
static const struct store_session *find_session(const struct store_index *index, int64_t id)
{
    const struct store_session key = {.id = id};
    if (index->session_count == 0)
        return NULL;
    // Usually no number is skipped.
    const uint64_t at = (uint64_t)id - (uint64_t)index->sessions->id;
    if (at < index->session_count && index->sessions[at].id == id)
        return &index->sessions[at];
    return bsearch(&key, index->sessions, index->session_count, sizeof(key), compare_ids);
}

static struct store_driver *find_driver(const struct store_index *index, const char *id)
{
    for (size_t i = 0; i < index->driver_count; i++)
        if (strcmp(index->drivers[i].id, id) == 0)
            return &index->drivers[i];
    return NULL;
}

// Marks a session that was merged into another in this file.
static enum store_row take_contained(sqlite3_stmt *select, void *user)
{
    const struct loading *loading = user;
    const struct store_session *session =
        find_session(loading->index, sqlite3_column_int64(select, 0));
    if (session)
        loading->index->contained[session - loading->index->sessions] = true;
    return STORE_NEXT;
}

// Adds a device of a session. Rows come grouped by driver, the newest session first.
static bool add_device(int64_t number, void *record, void *user)
{
    const struct eng_device *device = record;
    struct loading *loading = user;
    struct store_index *index = loading->index;
    const struct store_session *session = find_session(index, number);
    struct store_driver *last =
        index->driver_count ? &index->drivers[index->driver_count - 1] : NULL;
    if (!session) {
        loading->failed = true;
        return store_damaged(loading->store, loading->error, "a device of no session");
    }
    if (last && strcmp(last->id, device->id) == 0) {
        last->sessions++;
        if (strcmp(session->started, last->first) < 0)
            last->first = session->started;
        if (strcmp(session->started, last->last) > 0)
            last->last = session->started;
        return true;
    }
    struct store_driver *driver = &LIT_ADD(index->drivers, index->driver_count);
    *driver = (struct store_driver){
        .facts = device->facts, .sessions = 1, .first = session->started, .last = session->started};
    memcpy(driver->id, device->id, sizeof driver->id);
    return true;
}

static bool load_drivers(struct loading *loading)
{
    return store_total_check(loading->store, STORE_KIND_DEVICE, 0, loading->error) &&
           store_each_record(loading->store, STORE_KIND_DEVICE, "ORDER BY id, session DESC", 0, 0,
                             add_device, loading, loading->error) &&
           !loading->failed;
}

static enum store_row take_count(sqlite3_stmt *select, void *user)
{
    struct loading *loading = user;
    const char *id = (const char *)sqlite3_column_text(select, 0);
    struct store_driver *driver = id ? find_driver(loading->index, id) : NULL;
    if (!driver) {
        store_damaged(loading->store, loading->error, "a result without a device");
        return STORE_FAILED;
    }
    driver->results += (uint64_t)sqlite3_column_int64(select, 1);
    loading->counted += (uint64_t)sqlite3_column_int64(select, 1);
    return STORE_NEXT;
}

static bool count_driver_results(struct loading *loading)
{
    struct store *store = loading->store;
    struct lit_error *error = loading->error;
    int64_t all = 0;
    return store_each(store, error,
                      store_borrow(store, error,
                                   "SELECT device, count(*) FROM result GROUP BY device", ""),
                      take_count, loading) &&
           store_number(store, error, &all,
                        "SELECT coalesce(sum(members), 0) FROM total WHERE kind = 'result'", "") &&
           ((uint64_t)all == loading->counted ||
            store_damaged(store, error, "results are missing"));
}

static int compare_drivers(const void *left, const void *right)
{
    const struct store_driver *a = left, *b = right;
    int order = strcmp(a->facts.name, b->facts.name);
    if (order == 0)
        order = strcmp(a->first, b->first);
    return order ? order : strcmp(a->id, b->id);
}

bool store_index_load(struct store *store, bool count_results, struct store_index *index,
                      struct lit_error *error)
{
    struct loading loading = {.store = store, .index = index, .error = error};
    bool own;
    *index = (struct store_index){0};
    if (!store_enter_reading(store, &own, error))
        return false;
    bool good = store_total_check(store, STORE_KIND_SESSION, 0, error) &&
                store_each_record(store, STORE_KIND_SESSION, "ORDER BY id", 0, 0, add_session,
                                  &loading, error);
    index->contained = lit_alloc(index->session_count + 1, sizeof *index->contained);
    if (good && loading.combined)
        good = store_each(store, error,
                          store_borrow(store, error,
                                       "SELECT session.id FROM session AS whole,"
                                       " json_each(iif(json_valid(whole.options), whole.options,"
                                       " '{}'), '$.joined.members') JOIN session ON session.uuid ="
                                       " json_extract(whole.options, fullkey || '.uuid')"
                                       " WHERE session.id <> whole.id",
                                       ""),
                          take_contained, &loading);
    good = good && load_drivers(&loading) && (!count_results || count_driver_results(&loading));
    if (index->driver_count > 0)
        qsort(index->drivers, index->driver_count, sizeof(*index->drivers), compare_drivers);
    store_leave_reading(store, own);
    return good;
}

void store_index_clear(struct store_index *index)
{
    for (size_t i = 0; i < index->session_count; i++)
        store_session_clear(&index->sessions[i]);
    free(index->sessions);
    free(index->contained);
    free(index->drivers);
    *index = (struct store_index){0};
}

// --- Results

struct walk {
    struct store *store;
    const struct store_query *query;
    const struct store_index *index;
    bool (*visit)(const struct store_past *past, void *user);
    void *user;
    struct lit_error *error;
    sqlite3_stmt *select; // the rows of a course
    struct text kept;     // by them
    struct store_past *rows;
    size_t count;
    uint64_t courses, sum; // of everything seen, as in the total of STORE_KIND_COURSE
};

// A course of the current name.
struct course {
    int64_t id, members;
    char *device;
    const struct store_driver *driver; // NULL: none
};

struct courses {
    char *name;  // as in the file
    char *shown; // the same, sanitised
    struct course *list;
    size_t count;
};

static void clear_courses(struct courses *courses)
{
    for (size_t i = 0; i < courses->count; i++)
        free(courses->list[i].device);
    free(courses->name);
    free(courses->shown);
    courses->name = courses->shown = NULL;
    courses->count = 0;
}

static int compare_courses(const void *left, const void *right)
{
    const struct course *a = left, *b = right;
    return (a->driver > b->driver) - (a->driver < b->driver);
}

static int compare_rows(const void *left, const void *right)
{
    const struct store_past *a = left, *b = right;
    int order = strcmp(a->session->started, b->session->started);
    if (order == 0)
        order = strcmp(a->session->uuid, b->session->uuid);
    return order ? order : compare_ids(a->session, b->session);
}

// Reads the kept rows. False if this program cannot have written one.
static bool take_rows(struct walk *walk, const struct courses *courses, const struct course *course)
{
    struct store_past past = {.name = courses->shown, .driver = course->driver};
    const uint64_t seed = past_seed(courses->name, course->device);
    bool sorted = true;
    walk->count = 0;
    for (size_t at = 0; at < walk->kept.length;) {
        int64_t session;
        if (!take_past(&walk->kept, &at, seed, &session, &past))
            return false;
        past.session = find_session(walk->index, session);
        if (!past.session || !past.driver)
            return false;
        if (walk->index->contained[past.session - walk->index->sessions])
            continue;
        LIT_ADD(walk->rows, walk->count) = past;
        sorted = sorted && (walk->count < 2 || compare_rows(&walk->rows[walk->count - 2],
                                                            &walk->rows[walk->count - 1]) < 0);
    }
    if (!sorted)
        qsort(walk->rows, walk->count, sizeof *walk->rows, compare_rows);
    return true;
}

enum answer { ANSWER_MORE, ANSWER_ENOUGH, ANSWER_FAILED };

static enum answer visit_course(struct walk *walk, const struct courses *courses,
                                const struct course *course)
{
    walk->kept.length = 0;
    sqlite3_bind_int64(walk->select, 1, course->id);
    sqlite3_bind_pointer(walk->select, 2, &walk->kept, STORE_KEPT_PAST, NULL);
    const bool read = sqlite3_step(walk->select) == SQLITE_ROW;
    const int64_t members = read ? sqlite3_column_int64(walk->select, 0) : 0;
    if (!read)
        store_fail(walk->store, walk->error);
    sqlite3_reset(walk->select);
    if (!read)
        return ANSWER_FAILED;
    if (members != course->members || !take_rows(walk, courses, course)) {
        store_damaged(walk->store, walk->error, "a result of %.200s", courses->shown);
        return ANSWER_FAILED;
    }
    for (size_t i = 0; i < walk->count; i++)
        if (!walk->visit(&walk->rows[i], walk->user))
            return ANSWER_ENOUGH;
    return ANSWER_MORE;
}

// Reads the courses of one name.
static enum answer visit_courses(struct walk *walk, struct courses *courses)
{
    const char *pattern = walk->query->pattern;
    enum answer answer = ANSWER_MORE;
    if (courses->count > 0)
        qsort(courses->list, courses->count, sizeof *courses->list, compare_courses);
    const bool matches = courses->count > 0 && (!pattern || cfg_matches(pattern, courses->shown));
    for (size_t i = 0; matches && answer == ANSWER_MORE && i < courses->count; i++) {
        const struct course *course = &courses->list[i];
        if (!walk->query->wants || !course->driver ||
            walk->query->wants(courses->shown, course->driver, walk->user))
            answer = visit_course(walk, courses, course);
    }
    clear_courses(courses);
    return answer;
}

enum { ID, DEVICE, MEMBERS, NAME, SUM };

static enum answer take_course(struct walk *walk, struct courses *courses, sqlite3_stmt *select)
{
    const char *name = (const char *)sqlite3_column_text(select, NAME);
    const char *device = (const char *)sqlite3_column_text(select, DEVICE);
    enum answer answer = ANSWER_MORE;
    if (!name || !device) {
        store_damaged(walk->store, walk->error, "the name of a result");
        return ANSWER_FAILED;
    }
    if (!courses->name || strcmp(courses->name, name) != 0) {
        answer = visit_courses(walk, courses);
        courses->name = lit_strdup(name);
        courses->shown = store_column_text(select, NAME);
    }
    walk->courses++;
    walk->sum += (uint64_t)sqlite3_column_int64(select, SUM);
    LIT_ADD(courses->list, courses->count) =
        (struct course){.id = sqlite3_column_int64(select, ID),
                        .members = sqlite3_column_int64(select, MEMBERS),
                        .device = lit_strdup(device),
                        .driver = find_driver(walk->index, device)};
    return answer;
}

// Whether the walk, which uses an index, saw all courses as written.
static bool check_courses(const struct walk *walk)
{
    int64_t right = 0;
    return store_number(walk->store, walk->error, &right,
                        "SELECT count(*) FROM total WHERE session = 0 AND kind = 'course'"
                        " AND members = ?1 AND sum = ?2",
                        "ii", (int64_t)walk->courses, (int64_t)walk->sum) &&
           (right || store_damaged(walk->store, walk->error, "results are missing"));
}

static bool walk_courses(struct walk *walk, sqlite3_stmt *select)
{
    const char *pattern = walk->query->pattern ? walk->query->pattern : "";
    const size_t literal = cfg_is_id(pattern) ? 0 : strcspn(pattern, "*?[");
    struct courses courses = {0};
    enum answer answer = ANSWER_MORE;
    int step = SQLITE_DONE;
    sqlite3_bind_text(select, 1, pattern, (int)literal, SQLITE_STATIC);
    while (answer == ANSWER_MORE && (step = sqlite3_step(select)) == SQLITE_ROW) {
        answer = take_course(walk, &courses, select);
        if (courses.shown && strncmp(courses.shown, pattern, literal) != 0)
            break;
    }
    if (answer == ANSWER_MORE && step == SQLITE_DONE)
        answer = visit_courses(walk, &courses);
    else if (answer == ANSWER_MORE && step != SQLITE_ROW)
        answer = store_fail(walk->store, walk->error) ? ANSWER_MORE : ANSWER_FAILED;
    clear_courses(&courses);
    free(courses.list);
    // A query for a part does not see all.
    return answer == ANSWER_ENOUGH ||
           (answer == ANSWER_MORE && (walk->query->pattern || check_courses(walk)));
}

bool store_history(struct store *store, const struct store_query *query,
                   bool (*visit)(const struct store_past *past, void *user), void *user,
                   struct lit_error *error)
{
    OWNED(store_index_clear) struct store_index own_index = {0};
    struct walk walk = {.store = store,
                        .query = query,
                        .index = query->index,
                        .visit = visit,
                        .user = user,
                        .error = error};
    bool own;
    if (!store_enter_reading(store, &own, error))
        return false;
    bool good = walk.index || store_index_load(store, false, &own_index, error);
    if (!walk.index)
        walk.index = &own_index;
    if (good) {
        // A function that keeps each row needs only one step.
        walk.select = store_borrow(
            store, error, "SELECT count(litmus_keep(?2, past)) FROM result WHERE course = ?1", "");
        sqlite3_stmt *select = store_borrow(
            store, error,
            "SELECT course.id, device, members, name, litmus_sum(course.id, name, device)"
            " FROM configuration CROSS JOIN course"
            " ON course.configuration = configuration.id WHERE name >= ? ORDER BY name",
            "");
        good = walk.select && select && walk_courses(&walk, select);
        store_return(store, select);
        store_return(store, walk.select);
    }
    text_free(&walk.kept);
    free(walk.rows);
    store_leave_reading(store, own);
    return good;
}
