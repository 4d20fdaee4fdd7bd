// SPDX-License-Identifier: Apache-2.0
#include "device/cache.h"

#include <stdlib.h>
#include <string.h>

enum { LINES = 128, UNITS = 2 * CACHE_WGPS };

struct line {
    uint64_t number;     // address / CACHE_LINE
    uint32_t generation; // valid if it is the cache's
    uint32_t filled;     // when, counted in fills
    uint8_t bytes[CACHE_LINE];
};

// Direct-mapped.
struct cache {
    uint32_t generation;
    uint32_t kept; // fills when a seeded fault last kept it from dropping its lines; 0: none did
    struct line lines[LINES];
};

struct caches {
    struct cache l0[UNITS], scalar[CACHE_WGPS], gl1[CACHE_ARRAYS];
    uint32_t fills;
};

struct caches *caches_new(void)
{
    struct caches *caches = calloc(1, sizeof(*caches));
    if (caches) {
        caches_invalidate(caches, CACHE_L0, CACHE_ALL, false);
        caches_invalidate(caches, CACHE_SCALAR, CACHE_ALL, false);
        caches_invalidate(caches, CACHE_GL1, CACHE_ALL, false);
    }
    return caches;
}

void caches_free(struct caches *caches)
{
    free(caches);
}

static struct line *place(struct cache *cache, uint64_t number)
{
    return &cache->lines[(number ^ number >> 7) % LINES];
}

static bool has(const struct cache *cache, const struct line *line, uint64_t number)
{
    return line->generation == cache->generation && line->number == number;
}

// Memory's line; a part of it that nothing is mapped at reads as 0.
static void fill(struct space *space, uint64_t number, uint8_t *bytes)
{
    const uint64_t address = number * CACHE_LINE;
    const void *host = space_host(space, address, CACHE_LINE);
    if (host) {
        memcpy(bytes, host, CACHE_LINE);
        return;
    }
    for (unsigned i = 0; i < CACHE_LINE; i += 4) {
        host = space_host(space, address + i, 4);
        if (host)
            memcpy(bytes + i, host, 4);
        else
            memset(bytes + i, 0, 4);
    }
}

// Which cache of a level is a unit's.
static unsigned number_of(enum cache_level level, unsigned unit)
{
    static const unsigned shared[] = {
        [CACHE_L0] = 1, [CACHE_SCALAR] = 2, [CACHE_GL1] = UNITS / CACHE_ARRAYS};
    return unit % UNITS / shared[level];
}

static struct cache *cache_of(struct caches *caches, enum cache_level level, unsigned unit)
{
    struct cache *const all[] = {
        [CACHE_L0] = caches->l0, [CACHE_SCALAR] = caches->scalar, [CACHE_GL1] = caches->gl1};
    return &all[level][number_of(level, unit)];
}

static const uint8_t *take(struct caches *caches, struct space *space, enum cache_level level,
                           unsigned unit, bool bypass, bool bypass_gl1, uint64_t number)
{
    struct cache *cache = cache_of(caches, level, unit);
    struct line *line = place(cache, number);
    if (has(cache, line, number) && !bypass)
        return line->bytes;
    if (level == CACHE_GL1)
        fill(space, number, line->bytes);
    else
        memcpy(line->bytes, take(caches, space, CACHE_GL1, unit, bypass_gl1, false, number),
               CACHE_LINE);
    line->number = number;
    line->generation = cache->generation;
    line->filled = ++caches->fills;
    return line->bytes;
}

bool caches_load(struct caches *caches, struct space *space, enum cache_level level, unsigned unit,
                 bool bypass_l0, bool bypass_gl1, uint64_t address, unsigned size, void *to)
{
    address &= SPACE_BITS;
    if (!space_find(space, address, size))
        return false;
    for (unsigned done = 0; done < size;) {
        const uint64_t at = address + done;
        const unsigned offset = at % CACHE_LINE;
        unsigned part = CACHE_LINE - offset;
        if (part > size - done)
            part = size - done;
        memcpy((uint8_t *)to + done,
               take(caches, space, level, unit, bypass_l0, bypass_gl1, at / CACHE_LINE) + offset,
               part);
        done += part;
    }
    return true;
}

void caches_peek(struct caches *caches, struct space *space, enum cache_level level, unsigned unit,
                 bool bypass_l0, bool bypass_gl1, uint64_t address, unsigned size, void *to)
{
    for (unsigned i = 0; i < size; i++) {
        const uint64_t at = (address & SPACE_BITS) + i, number = at / CACHE_LINE;
        const uint8_t *from = NULL;
        for (unsigned below = 0; below < 2 && !from; below++) {
            struct cache *cache = cache_of(caches, below ? CACHE_GL1 : level, unit);
            const struct line *line = place(cache, number);
            if (!(below ? bypass_gl1 : bypass_l0) && has(cache, line, number) &&
                line->filled > cache->kept)
                from = line->bytes + at % CACHE_LINE;
        }
        from = from ? from : space_host(space, at, 1);
        ((uint8_t *)to)[i] = from ? *from : 0;
    }
}

void caches_stored(struct caches *caches, unsigned unit, uint64_t address, unsigned size,
                   const void *from)
{
    struct cache *l0 = cache_of(caches, CACHE_L0, unit), *gl1 = cache_of(caches, CACHE_GL1, unit);
    address &= SPACE_BITS;
    for (unsigned i = 0; i < size; i++) {
        const uint64_t number = (address + i) / CACHE_LINE;
        struct line *line = place(l0, number);
        if (has(l0, line, number))
            line->bytes[(address + i) % CACHE_LINE] = ((const uint8_t *)from)[i];
        line = place(gl1, number);
        if (has(gl1, line, number))
            line->generation--;
    }
}

static void drop(struct caches *caches, struct cache *cache, bool kept)
{
    if (kept)
        cache->kept = caches->fills;
    else
        cache->generation++;
}

void caches_invalidate(struct caches *caches, enum cache_level level, unsigned unit, bool kept)
{
    if (unit == CACHE_ALL)
        for (unsigned i = 0; i < UNITS; i++)
            drop(caches, cache_of(caches, level, i), kept);
    else
        drop(caches, cache_of(caches, level, unit), kept);
}
