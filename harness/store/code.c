// SPDX-License-Identifier: Apache-2.0
// The table of code: packed and compressed, a row for each configuration.
#include "store/code.h"

#include "store/private.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define LEVEL         9
#define MOST_UNPACKED ((uint64_t)256 << 20)

// --- Writing

struct row {
    const char *device, *name, *sha256, *digest;
    const void *packed;
    size_t packed_size;
};

// The sum is that of STORE_CODE_SUM.
#define INSERT                                                                                     \
    "INSERT INTO code (session, device, name, sha256, digest, packed, sum) VALUES (?, ?, ?, ?, ?," \
    " ?, litmus_sum(?1, ?2, ?3, ?4, ?5, ?6))"

static bool put_row(struct store *store, int64_t session, const struct row *row, bool replace,
                    struct lit_error *error)
{
    bool own;
    sqlite3_stmt *insert = store_borrow(
        store,
        replace ? INSERT " ON CONFLICT (session, device, name) DO UPDATE SET sha256 ="
                         " excluded.sha256, digest = excluded.digest, packed = excluded.packed,"
                         " sum = excluded.sum"
                : INSERT " ON CONFLICT DO NOTHING",
        error);
    if (!insert)
        return false;
    if (!store_enter(store, &own, error)) {
        store_return(store, insert);
        return false;
    }
    sqlite3_set_last_insert_rowid(store->db, 0);
    sqlite3_bind_int64(insert, 1, session);
    store_bind_text(insert, 2, row->device);
    store_bind_text(insert, 3, row->name);
    store_bind_text(insert, 4, row->sha256);
    store_bind_text(insert, 5, row->digest);
    sqlite3_bind_blob64(insert, 6, row->packed, row->packed_size, SQLITE_STATIC);
    bool good = store_done(store, insert, error);
    store_return(store, insert);
    const int64_t id = sqlite3_last_insert_rowid(store->db);
    if (good && id > 0)
        good = store_total_add(store, STORE_KIND_CODE, session, id, error);
    return store_leave(store, own, good, error);
}

// What is worth keeping of a code: a shallow copy, whose pieces belong to `code`.
static struct isa_code essence(const struct isa_code *code)
{
    struct isa_code kept = *code;
    const bool read = isa_find(code, ISA_MACHINE) != NULL;
    kept.pieces = lit_alloc(code->piece_count + 1, sizeof *kept.pieces);
    kept.piece_count = 0;
    for (size_t i = 0; i < code->piece_count; i++)
        if (!read || (code->pieces[i].source != ISA_CACHE && code->pieces[i].source != ISA_BINARY))
            kept.pieces[kept.piece_count++] = code->pieces[i];
    return kept;
}

// A frame with a checksum. The size, or an error of zstd.
static size_t compress(char *packed, size_t room, const struct text *bytes)
{
    ZSTD_CCtx *context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    const size_t size = ZSTD_compress2(context, packed, room, bytes->data, bytes->length);
    ZSTD_freeCCtx(context);
    return size;
}

bool store_code_put(struct store *store, int64_t session, const char *device, const char *name,
                    const char *sha256, const struct isa_code *code, struct lit_error *error)
{
    struct text bytes = {0};
    char hash[17];
    struct isa_code kept = essence(code);
    isa_pack(&kept, &bytes);
    free(kept.pieces);
    isa_digest(isa_lowest(code), hash);
    const size_t room = ZSTD_compressBound(bytes.length);
    char *packed = lit_alloc(room, 1);
    const size_t size = compress(packed, room, &bytes);
    const bool good =
        !ZSTD_isError(size)
            ? put_row(store, session, &(struct row){device, name, sha256, hash, packed, size}, true,
                      error)
            : lit_fail(error, LIT_EXIT_USAGE, "%.200s: cannot be compressed", name);
    free(packed);
    text_free(&bytes);
    return good;
}

// --- Reading

// Takes a row of select_codes. False if it is not what was written.
static bool unpack(sqlite3_stmt *select, struct isa_code *code)
{
    const void *packed = sqlite3_column_blob(select, 4);
    const size_t size = (size_t)sqlite3_column_bytes(select, 4);
    const char *digest = (const char *)sqlite3_column_text(select, 3);
    char found[17];
    if (sqlite3_column_int(select, 5) != 1)
        return false;
    const unsigned long long said = ZSTD_getFrameContentSize(packed, size);
    if (said == ZSTD_CONTENTSIZE_ERROR || said == ZSTD_CONTENTSIZE_UNKNOWN || said > MOST_UNPACKED)
        return false;
    char *bytes = lit_alloc((size_t)said + 1, 1);
    const size_t done = ZSTD_decompress(bytes, (size_t)said, packed, size);
    const bool good = done == said && isa_unpack(bytes, done, code, NULL);
    free(bytes);
    isa_digest(isa_lowest(code), found);
    return good && digest && strcmp(digest, found) == 0;
}

// `id`, `device` and `name` choose, unless they are 0 and "".
static sqlite3_stmt *select_codes(struct store *store, int64_t session, int64_t id,
                                  const char *device, const char *name, struct lit_error *error)
{
    struct text sql = {0};
    if (!store_total_check(store, STORE_KIND_CODE, session, error))
        return NULL;
    text_printf(&sql,
                "SELECT device, name, sha256, digest, packed, %s FROM code WHERE session = ?1"
                " AND (?2 = '' OR device = ?2) AND (?3 = '' OR name = ?3)"
                " AND (?4 = 0 OR id = ?4) ORDER BY id",
                STORE_IS_WHOLE(store, "code", STORE_CODE_SUM));
    sqlite3_stmt *select = store_prepare(store, sql.data, error);
    text_free(&sql);
    if (select) {
        sqlite3_bind_int64(select, 1, session);
        store_bind_text(select, 2, device);
        store_bind_text(select, 3, name);
        sqlite3_bind_int64(select, 4, id);
    }
    return select;
}

bool store_codes(struct store *store, int64_t session, const char *device, const char *name,
                 bool (*visit)(const char *device, const char *name, struct isa_code *code,
                               void *user),
                 void *user, struct lit_error *error)
{
    if (store->version < 4)
        return true;
    sqlite3_stmt *select = select_codes(store, session, 0, device, name, error);
    bool good = select != NULL, more = true;
    int step;
    while (good && more && (step = sqlite3_step(select)) != SQLITE_DONE) {
        struct isa_code code = {0};
        if (step != SQLITE_ROW) {
            good = store_fail(store, error);
            break;
        }
        char *of = store_column_text(select, 0), *called = store_column_text(select, 1);
        if (unpack(select, &code))
            more = visit(of, called, &code, user);
        else
            good = store_damaged(store, error, "the code of %.200s", called);
        isa_code_clear(&code);
        free(of);
        free(called);
    }
    sqlite3_finalize(select);
    return good;
}

// --- Copying: each row is unpacked once, so that nothing comes along that cannot be read

static bool copy_row(struct store *from, sqlite3_stmt *select, struct store *to, int64_t copy,
                     struct lit_error *error)
{
    char *texts[4];
    struct isa_code code = {0};
    const void *packed = sqlite3_column_blob(select, 4);
    const size_t size = (size_t)sqlite3_column_bytes(select, 4);
    bool good = unpack(select, &code);
    for (int i = 0; i < 4; i++)
        texts[i] = store_column_text(select, i);
    if (good)
        good = !to || put_row(to, copy,
                              &(struct row){texts[0], texts[1], texts[2], texts[3], packed, size},
                              false, error);
    else
        store_damaged(from, error, "the code of %.200s", texts[1]);
    isa_code_clear(&code);
    for (int i = 0; i < 4; i++)
        free(texts[i]);
    return good;
}

bool store_copy_code_of(struct store *from, int64_t session, int64_t id, struct store *to,
                        int64_t copy, struct lit_error *error)
{
    if (from->version < 4)
        return true;
    sqlite3_stmt *select = select_codes(from, session, id, "", "", error);
    bool good = select != NULL;
    int step;
    while (good && (step = sqlite3_step(select)) != SQLITE_DONE)
        good =
            step == SQLITE_ROW ? copy_row(from, select, to, copy, error) : store_fail(from, error);
    sqlite3_finalize(select);
    return good;
}

bool store_copy_code(struct store *from, int64_t session, struct store *to, int64_t copy,
                     struct lit_error *error)
{
    return store_copy_code_of(from, session, 0, to, copy, error);
}
