// SPDX-License-Identifier: Apache-2.0
// The table of code: packed and compressed, a row for each configuration.
#include "store/code.h"

#include "store/private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define LEVEL         9
#define MOST_UNPACKED ((uint64_t)256 << 20)

// --- Writing

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

static bool put_row(struct store *store, int64_t session, const char *texts[4], const void *packed,
                    size_t size, struct lit_error *error)
{
    struct text sql = {0};
    store_put_insert(&sql, &store_tables[STORE_KIND_CODE]);
    text_puts(&sql, " ON CONFLICT (session, device, name) DO UPDATE SET sha256 = excluded.sha256,"
                    " digest = excluded.digest, packed = excluded.packed RETURNING id");
    sqlite3_stmt *insert = store_borrow(store, error, sql.data, "itttt", session, texts[0],
                                        texts[1], texts[2], texts[3]);
    text_free(&sql);
    if (!insert)
        return false;
    sqlite3_bind_blob64(insert, 6, packed, size, SQLITE_STATIC);
    sqlite3_set_last_insert_rowid(store->db, 0);
    bool good = sqlite3_step(insert) == SQLITE_ROW || store_fail(store, error);
    const int64_t id = good ? sqlite3_column_int64(insert, 0) : 0;
    good = good && (sqlite3_step(insert) == SQLITE_DONE || store_fail(store, error));
    store_return(store, insert);
    if (good && sqlite3_last_insert_rowid(store->db) == id)
        good = store_total_add(store, STORE_KIND_CODE, session, id, error);
    return good && store_sum_make(store, STORE_KIND_CODE, session, id, error);
}

bool store_code_put(struct store *store, int64_t session, const char *device, const char *name,
                    const char *sha256, const struct isa_code *code, struct lit_error *error)
{
    bool own;
    struct text bytes = {0};
    char hash[IDENTITY_SIZE];
    struct isa_code kept = essence(code);
    isa_pack(&kept, &bytes);
    free(kept.pieces);
    isa_digest(isa_lowest(code), hash);
    const size_t room = ZSTD_compressBound(bytes.length);
    char *packed = lit_alloc(room, 1);
    const size_t size = compress(packed, room, &bytes);
    const char *texts[] = {device, name, sha256, hash};
    bool good = !ZSTD_isError(size) ||
                lit_fail(error, LIT_EXIT_USAGE, "%.200s: cannot be compressed", name);
    if (good && store_enter(store, &own, error))
        good = store_leave(store, own, put_row(store, session, texts, packed, size, error), error);
    else
        good = false;
    free(packed);
    text_free(&bytes);
    return good;
}

// --- Reading

// Columns of store_put_select.
enum { DEVICE = 1, NAME, SHA256, DIGEST, PACKED, SUM };

// Whether it is the digest of a code, which before format 7 had 16 digits.
static bool is_digest(const char *digest, const struct isa_code *code)
{
    const struct isa_piece *lowest = isa_lowest(code);
    char found[IDENTITY_SIZE];
    isa_digest(lowest, found);
    if (lowest && strlen(digest) == 16)
        snprintf(found, sizeof found, "%016jx",
                 (uintmax_t)hash_bytes(HASH_START, lowest->bytes, lowest->size));
    return strcmp(digest, found) == 0;
}

// False if the row is not what was written.
static bool unpack(sqlite3_stmt *select, struct isa_code *code)
{
    const void *packed = sqlite3_column_blob(select, PACKED);
    const size_t size = (size_t)sqlite3_column_bytes(select, PACKED);
    const char *digest = (const char *)sqlite3_column_text(select, DIGEST);
    if (sqlite3_column_int(select, SUM) != 1)
        return false;
    const unsigned long long said = ZSTD_getFrameContentSize(packed, size);
    if (said == ZSTD_CONTENTSIZE_ERROR || said == ZSTD_CONTENTSIZE_UNKNOWN || said > MOST_UNPACKED)
        return false;
    char *bytes = lit_alloc((size_t)said + 1, 1);
    const size_t done = ZSTD_decompress(bytes, (size_t)said, packed, size);
    const bool good = done == said && isa_unpack(bytes, done, code, NULL);
    free(bytes);
    return good && digest && is_digest(digest, code);
}

struct reading {
    struct store *store;
    struct lit_error *error;
    bool (*visit)(const char *device, const char *name, struct isa_code *code, void *user);
    void *user;
};

static enum store_row take_code(sqlite3_stmt *select, void *user)
{
    const struct reading *reading = user;
    struct isa_code code = {0};
    char *device = store_column_text(select, DEVICE), *name = store_column_text(select, NAME);
    const bool good = unpack(select, &code);
    if (!good)
        store_damaged(reading->store, reading->error, "the code of %.200s", name);
    const bool more =
        good && (!reading->visit || reading->visit(device, name, &code, reading->user));
    isa_code_clear(&code);
    free(device);
    free(name);
    return !good ? STORE_FAILED : more ? STORE_NEXT : STORE_STOP;
}

bool store_codes(struct store *store, int64_t session, const char *device, const char *name,
                 bool (*visit)(const char *device, const char *name, struct isa_code *code,
                               void *user),
                 void *user, struct lit_error *error)
{
    struct reading reading = {store, error, visit, user};
    struct text sql = {0};
    store_put_select(&sql, STORE_KIND_CODE,
                     "WHERE session = ?1 AND (?2 = '' OR device = ?2) AND (?3 = '' OR name = ?3)"
                     " ORDER BY id");
    const bool good =
        store_total_check(store, STORE_KIND_CODE, session, error) &&
        store_each(store, error, store_borrow(store, error, sql.data, "itt", session, device, name),
                   take_code, &reading);
    text_free(&sql);
    return good;
}

bool store_code_is_intact(struct store *store, int64_t session, int64_t number,
                          struct lit_error *error)
{
    struct reading reading = {.store = store, .error = error};
    struct text sql = {0};
    store_put_select(&sql, STORE_KIND_CODE, "WHERE session = ?1 AND (?2 = 0 OR id = ?2)");
    const bool good =
        store_total_check(store, STORE_KIND_CODE, session, error) &&
        store_each(store, error, store_borrow(store, error, sql.data, "ii", session, number),
                   take_code, &reading);
    text_free(&sql);
    return good;
}

// --- Converting

static enum store_row take_digest(sqlite3_stmt *select, void *user)
{
    const struct reading *reading = user;
    struct isa_code code = {0};
    char digest[IDENTITY_SIZE] = "";
    const bool good = unpack(select, &code);
    isa_digest(isa_lowest(&code), digest);
    isa_code_clear(&code);
    // One that cannot be read stays as it is, and says so when it is asked for.
    return !good || store_run(reading->store, reading->error,
                              "UPDATE code SET digest = ?2 WHERE id = ?1", "it",
                              sqlite3_column_int64(select, 0), digest)
               ? STORE_NEXT
               : STORE_FAILED;
}

bool store_digests_convert(struct store *store, struct lit_error *error)
{
    struct reading reading = {.store = store, .error = error};
    // As store_put_select has the columns; older formats have no sums yet, and those that there
    // are were verified.
    return store_each(store, error,
                      store_borrow(store, error,
                                   "SELECT id, device, name, sha256, digest, packed, 1 FROM code"
                                   " WHERE length(digest) = 16",
                                   ""),
                      take_digest, &reading);
}
