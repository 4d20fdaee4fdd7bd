// SPDX-License-Identifier: Apache-2.0
// The table of code: one packed and compressed row per configuration.
#include "store/private.h"

#include "store/study.h"

#include <zstd.h>

#define LEVEL         9
#define MOST_UNPACKED ((uint64_t)256 << 20)

// --- Writing

// A shallow copy with the parts worth keeping; `code` owns its pieces.
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

// Compresses into a frame with a checksum. Returns the size, or an error of zstd.
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
    OWNED(text_free) struct text bytes = {0};
    char hash[IDENTITY_SIZE];
    struct isa_code kept = essence(code);
    isa_pack(&kept, &bytes);
    free(kept.pieces);
    isa_digest(isa_lowest(code), hash);
    const size_t room = ZSTD_compressBound(bytes.length);
    OWNED(lit_free) char *packed = lit_alloc(room, 1);
    const size_t size = compress(packed, room, &bytes);
    const struct store_code_row row = {
        (char *)device, (char *)name, (char *)sha256, hash, {packed, size}};
    return ZSTD_isError(size)
               ? lit_fail(error, LIT_EXIT_USAGE, "%.200s: cannot be compressed", name)
               : store_put_record(store, STORE_KIND_CODE, session, &row, error);
}

// --- Reading

// False if the row differs from what was written.
static bool unpack(const struct store_code_row *row, struct isa_code *code)
{
    const void *packed = row->packed.bytes;
    const unsigned long long said = ZSTD_getFrameContentSize(packed, row->packed.size);
    if (said == ZSTD_CONTENTSIZE_ERROR || said == ZSTD_CONTENTSIZE_UNKNOWN || said > MOST_UNPACKED)
        return false;
    OWNED(lit_free) char *bytes = lit_alloc((size_t)said + 1, 1);
    const size_t done = ZSTD_decompress(bytes, (size_t)said, packed, row->packed.size);
    char digest[IDENTITY_SIZE];
    if (done != said || !isa_unpack(bytes, done, code, NULL))
        return false;
    isa_digest(isa_lowest(code), digest);
    return strcmp(row->digest, digest) == 0;
}

bool store_code_session(struct store *store, int64_t before, const char *device, int64_t *session,
                        struct lit_error *error)
{
    return store_number(store, error, session,
                        "SELECT coalesce(max(session), 0) FROM (SELECT session FROM code"
                        " WHERE session < ?1 AND device = ?2 GROUP BY session HAVING count(*) >="
                        " (SELECT count(*) FROM result WHERE result.session = code.session"
                        " AND result.device = ?2 AND result.runs > 0))",
                        "it", before, device);
}

struct reading {
    struct store *store;
    struct lit_error *error;
    bool good;
    bool (*visit)(const char *device, const char *name, struct isa_code *code, void *user);
    void *user;
};

static bool take_code(int64_t number, void *record, void *user)
{
    struct reading *reading = user;
    const struct store_code_row *row = record;
    OWNED(isa_code_clear) struct isa_code code = {0};
    (void)number;
    reading->good = unpack(row, &code) ||
                    store_damaged(reading->store, reading->error, "the code of %.200s", row->name);
    return reading->good &&
           (!reading->visit || reading->visit(row->device, row->name, &code, reading->user));
}

bool store_codes(struct store *store, int64_t session, const char *device, const char *name,
                 bool (*visit)(const char *device, const char *name, struct isa_code *code,
                               void *user),
                 void *user, struct lit_error *error)
{
    struct reading reading = {store, error, true, visit, user};
    OWNED(text_free) struct text sql = {0};
    store_put_select(&sql, STORE_KIND_CODE,
                     "WHERE session = ?1 AND (?2 = '' OR device = ?2) AND (?3 = '' OR name = ?3)"
                     " ORDER BY id");
    const bool good =
        store_total_check(store, STORE_KIND_CODE, session, error) &&
        store_each_selected(store, STORE_KIND_CODE,
                            store_borrow(store, error, sql.data, "itt", session, device, name),
                            take_code, &reading, error);
    return good && reading.good;
}

bool store_codes_are_intact(struct store *store, const char *rest, int64_t session, int64_t number,
                            struct lit_error *error)
{
    struct reading reading = {.store = store, .error = error, .good = true};
    return store_each_record(store, STORE_KIND_CODE, rest, session, number, take_code, &reading,
                             error) &&
           reading.good;
}

struct studying {
    struct isa_study *study;
    const char *test; // NULL: all
};

static bool add_code(const char *device, const char *name, struct isa_code *code, void *user)
{
    const struct studying *studying = user;
    (void)device;
    if (studying->study->stops && studying->study->stops())
        return false;
    if (!studying->test || cfg_same_test(name, studying->test))
        isa_study_add(studying->study, name, code, NULL, NULL);
    return true;
}

bool store_study(struct store *store, int64_t session, const char *device, const char *test,
                 struct isa_study *study, struct lit_error *error)
{
    struct studying studying = {study, test};
    return store_codes(store, session, device, NULL, add_code, &studying, error);
}
