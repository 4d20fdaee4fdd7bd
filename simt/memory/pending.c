// SPDX-License-Identifier: Apache-2.0
// Short lists of pending stores.
#include "memory/pending.h"

#include <string.h>

uint32_t pending_find(const struct pending *pending, uintptr_t granule, uint8_t bytes)
{
    for (uint32_t set = pending_candidates(pending, granule, bytes); set; set &= set - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(set);
        if (pending->stores[i].granule == granule)
            return i;
    }
    return PENDING_MAX;
}

struct store pending_take(struct pending *pending, uint32_t index)
{
    const struct store store = pending->stores[index];
    pending->count--;
    memmove(&pending->stores[index], &pending->stores[index + 1],
            (pending->count - index) * sizeof store);
    for (uint32_t i = index; i < pending->count; i++) {
        pending->tags[i] = pending->tags[i + 1];
        pending->bytes[i] = pending->bytes[i + 1];
    }
    return store;
}

bool pending_put_behind(struct pending *pending, const struct store *store)
{
    struct store newest = *store;
    uint32_t i = pending_find(pending, store->granule, store->bytes);
    for (; i < PENDING_MAX; i = pending_find(pending, newest.granule, newest.bytes)) {
        const struct store older = pending_take(pending, i);
        bytes_copy(&newest.value, older.value, older.bytes & (uint8_t)~newest.bytes);
        newest.bytes |= older.bytes;
        newest.is_private &= older.is_private;
        newest.is_atomic |= older.is_atomic;
    }
    if (pending->count == PENDING_MAX)
        return false;
    pending->tags[pending->count] = pending_tag(newest.granule);
    pending->bytes[pending->count] = newest.bytes;
    pending->stores[pending->count++] = newest;
    return true;
}
