// SPDX-License-Identifier: Apache-2.0
// Reads a store piece by piece, so that one damaged piece does not hide the others.
#include "store/merge.h"

#include "store/private.h"

#include <stdarg.h>
#include <unistd.h>

#define LISTED_MOST "100" // lines of SQLite's own check

struct checking {
    struct store *from;
    struct store *to; // NULL: copy nothing
    struct store_checked *checked;
    struct lit_error *error; // of `to`
    struct store_session session;
    int64_t copy;        // the session's id in `to`
    int64_t next_result; // number of the next result in `to`
    bool lost;           // part of the session is damaged
    bool broken;         // SQLite found something: indexes may lack rows
    bool failed;         // the copy cannot be written
    struct text devices; // the session's intact devices: "\tID\n" each
};

__attribute__((format(__printf__, 2, 3))) static void note(struct checking *c, const char *format,
                                                           ...)
{
    char line[512], clean[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    text_sanitise(clean, sizeof clean, line);
    text_printf(&c->checked->lines, "%s\n", clean);
    c->checked->damaged++;
    c->lost = true;
}

// Reports a reader's error without the file's name and without "damaged".
static void tell_error(struct checking *c, const struct lit_error *error)
{
    static const char damaged[] = ": the file is damaged (";
    const char *what = strstr(error->message, damaged);
    const char *end = what ? strrchr(what, ')') : NULL;
    if (end)
        what += strlen(damaged);
    const int length = end ? (int)(end - what) : (int)strlen(error->message);
    what = end ? what : error->message;
    if (c->session.id)
        note(c, "session %lld: %.*s", (long long)c->session.id, length, what);
    else
        note(c, "structure: %.*s", length, what);
}

// Reports missing rows of a kind.
static void check_total(struct checking *c, enum store_kind kind, int64_t session)
{
    struct lit_error error = {0};
    c->from->lenient = false;
    if (!store_total_check(c->from, kind, session, &error))
        tell_error(c, &error);
    c->from->lenient = true;
}

// --- The structure

static enum store_row take_finding(sqlite3_stmt *check, void *user)
{
    const char *found = (const char *)sqlite3_column_text(check, 0);
    if (found && strcmp(found, "ok") != 0)
        note(user, "structure: %s", found);
    return STORE_NEXT;
}

static enum store_row take_orphan(sqlite3_stmt *check, void *user)
{
    note(user, "a row of %s without its %s", sqlite3_column_text(check, 0),
         sqlite3_column_text(check, 2));
    return STORE_NEXT;
}

static void check_structure(struct checking *c)
{
    struct lit_error error = {0};
    struct store *from = c->from;
    if (!store_each(from, &error,
                    store_borrow(from, &error, "PRAGMA integrity_check(" LISTED_MOST ")", ""),
                    take_finding, c))
        note(c, "structure: %s", sqlite3_errmsg(from->db));
    check_total(c, STORE_KIND_SCHEMA, 0);
    c->broken = c->checked->damaged > 0;
    store_each(from, &error, store_borrow(from, &error, "PRAGMA foreign_key_check", ""),
               take_orphan, c);
}

// --- Lists of rows

static int compare_ids(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return a < b ? -1 : a > b;
}

// Lists a session's rows in a table, each once: as SQLite finds them and, if it found errors, also
// by scanning the table from either end. Each scan stops where it fails.
static struct store_numbers list_rows(struct checking *c, enum store_kind kind, int64_t session)
{
    static const char *const orders[] = {"", " ORDER BY 1", " ORDER BY 1 DESC"};
    struct store_numbers list = {0};
    struct lit_error error = {0};
    size_t kept = 0;
    for (size_t way = 0; way < (c->broken ? 3 : 1); way++) {
        OWNED(text_free) struct text sql = {0};
        text_printf(&sql, "SELECT %s FROM %s%s%s%s", kind == STORE_KIND_DEVICE ? "number" : "id",
                    store_tables[kind].name, way && kind != STORE_KIND_DEVICE ? " NOT INDEXED" : "",
                    kind == STORE_KIND_SESSION ? "" : " WHERE session = ?", orders[way]);
        store_add_numbers(c->from, &error, store_borrow(c->from, &error, sql.data, "i", session),
                          &list);
    }
    if (list.count > 0)
        qsort(list.ids, list.count, sizeof *list.ids, compare_ids);
    for (size_t i = 0; i < list.count; i++)
        if (i == 0 || list.ids[i] != list.ids[i - 1])
            list.ids[kept++] = list.ids[i];
    list.count = kept;
    return list;
}

// --- What belongs to a session

// Returns the value of a row's column, or NULL; free() it.
static char *column_of(struct checking *c, enum store_kind kind, const char *column, int64_t number)
{
    struct lit_error error = {0};
    OWNED(text_free) struct text sql = {0};
    char *text = NULL;
    text_printf(&sql, "SELECT %s FROM %s WHERE %s", column, store_tables[kind].name,
                store_tables[kind].where);
    store_text(c->from, &error,
               store_borrow(c->from, &error, sql.data, "ii", c->session.id, number), &text);
    return text;
}

// Whether a row's device is intact. Remembers intact ones.
static bool has_device(struct checking *c, enum store_kind kind, int64_t number)
{
    OWNED(lit_free)
    char *id = column_of(c, kind, kind == STORE_KIND_DEVICE ? "id" : "device", number);
    OWNED(text_free) struct text line = text_format("\t%s\n", id ? id : "");
    if (kind == STORE_KIND_DEVICE)
        text_puts(&c->devices, line.data);
    return id && c->devices.data && strstr(c->devices.data, line.data);
}

static void check_configuration(struct checking *c, int64_t number)
{
    OWNED(lit_free) char *name = column_of(c, STORE_KIND_RESULT, "name", number);
    struct lit_error error = {0};
    int64_t right = 0;
    if (!store_configuration_check(c->from, name ? name : "", &right, &error) || !right)
        note(c, "session %lld: the parts of the name %s", (long long)c->session.id, name);
}

static bool copy_row(struct checking *c, enum store_kind kind, int64_t number)
{
    const int64_t offset = c->next_result - number;
    bool good = store_copy_rows(c->from, c->to, store_tables[kind].name, store_tables[kind].where,
                                c->session.id, number, c->copy, offset, c->error);
    for (size_t i = 0; good && kind == STORE_KIND_RESULT && i < STORE_CHILDREN; i++)
        good = store_copy_rows(c->from, c->to, store_children[i].table, "result = ?2", 0, number,
                               c->copy, offset, c->error);
    c->next_result += kind == STORE_KIND_RESULT;
    return good;
}

// Reports a damaged row, copies an intact one.
static void take_row(struct checking *c, enum store_kind kind, int64_t number)
{
    struct lit_error error = {0};
    if (!store_is_intact(c->from, kind, c->session.id, number, &error)) {
        if (kind == STORE_KIND_DEVICE)
            note(c, "session %lld: device %lld is damaged", (long long)c->session.id,
                 (long long)number);
        else
            tell_error(c, &error);
    } else if (kind != STORE_KIND_KERNEL && !has_device(c, kind, number)) {
        note(c, "session %lld: %s %lld is of no device, or of a damaged one",
             (long long)c->session.id, store_tables[kind].name, (long long)number);
    } else {
        c->checked->results += kind == STORE_KIND_RESULT;
        if (kind == STORE_KIND_RESULT)
            check_configuration(c, number);
        c->failed = c->to && !copy_row(c, kind, number);
    }
}

static void take_rows(struct checking *c, enum store_kind kind)
{
    struct store_numbers list = list_rows(c, kind, c->session.id);
    for (size_t i = 0; i < list.count && !c->failed; i++)
        take_row(c, kind, list.ids[i]);
    free(list.ids);
    check_total(c, kind, c->session.id);
}

static void check_session(struct checking *c, int64_t id)
{
    struct lit_error error = {0};
    c->lost = false;
    text_free(&c->devices);
    if (id <= 0 || !store_session_load(c->from, id, false, &c->session, &error)) {
        struct store_numbers list = list_rows(c, STORE_KIND_RESULT, id);
        note(c, "session %lld is damaged, and its results (%zu) are without it", (long long)id,
             list.count);
        free(list.ids);
        return;
    }
    struct store_session copy = c->session;
    copy.finished = false;
    c->failed = c->to && !store_session_begin(c->to, &copy, c->error);
    c->copy = copy.id;
    for (enum store_kind kind = STORE_KIND_DEVICE; kind < STORE_KINDS && !c->failed; kind++)
        take_rows(c, kind);
    if (c->to && !c->failed)
        c->failed =
            !store_sum_all(c->to, c->copy, c->error) ||
            (c->session.finished && !c->lost && !store_session_finish(c->to, c->copy, c->error));
    c->checked->sessions += !c->lost;
    store_session_clear(&c->session);
}

// Checks that each result is in its course, and that each course has as many as it says.
static void check_courses(struct checking *c)
{
    struct lit_error error = {0};
    int64_t wrong = 0;
    check_total(c, STORE_KIND_COURSE, 0);
    if (!store_number(c->from, &error, &wrong,
                      "SELECT (SELECT count(*) FROM course WHERE members <> (SELECT count(*)"
                      " FROM result WHERE result.course = course.id)) +"
                      " (SELECT count(*) FROM result LEFT JOIN course ON course.id = course"
                      " LEFT JOIN configuration ON configuration.id = configuration"
                      " WHERE (result.name, result.device) IS NOT"
                      " (configuration.name, course.device))",
                      ""))
        tell_error(c, &error);
    else if (wrong > 0)
        note(c, "the courses of %lld results, which histories read", (long long)wrong);
}

static bool check_all(struct checking *c)
{
    bool own = false;
    if (c->to && !store_enter(c->to, &own, c->error))
        return false;
    check_structure(c);
    check_total(c, STORE_KIND_SESSION, 0);
    check_courses(c);
    struct store_numbers list = list_rows(c, STORE_KIND_SESSION, 0);
    for (size_t i = 0; i < list.count && !c->failed; i++)
        check_session(c, list.ids[i]);
    free(list.ids);
    return c->to ? store_leave(c->to, own, !c->failed, c->error) : true;
}

static bool repair(const char *name, const char *temporary, void *user)
{
    struct checking *c = user;
    if (access(name, F_OK) == 0)
        return lit_fail(c->error, LIT_EXIT_USAGE, "%.300s exists: --repair writes a new file",
                        name);
    c->to = store_open_scratch(temporary, name, c->error);
    const bool good = c->to && check_all(c);
    store_close(&c->to);
    return good && store_put_in_place(temporary, name, name, c->error);
}

bool store_check(const char *path, const char *repaired, struct store_checked *checked,
                 struct lit_error *error)
{
    struct checking c = {.checked = checked, .error = error, .next_result = 1};
    *checked = (struct store_checked){0};
    c.from = store_open_damaged(path, error);
    if (!c.from)
        return false;
    const bool good = repaired ? store_fill_scratch(repaired, repair, &c, error) : check_all(&c);
    store_close(&c.from);
    text_free(&c.devices);
    return good;
}
