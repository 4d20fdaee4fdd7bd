// SPDX-License-Identifier: Apache-2.0
// The cache of earlier results: one file of entries, keyed by the SHA-256 of their input.
#include "embed.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// ---- entries

struct entry {
    unsigned char key[32];
    uint64_t size;
    const char *bytes;
    bool used;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *entries; // a hash table with open addressing
static size_t room, taken;
static const char *cache_path;
static const char magic[16] = "litmus embed 01";

// A key's entry, or the free slot for it.
static struct entry *find(const unsigned char key[32])
{
    size_t at;
    memcpy(&at, key, sizeof at);
    for (at &= room - 1; entries[at].bytes && memcmp(entries[at].key, key, 32);)
        at = (at + 1) & (room - 1);
    return &entries[at];
}

static struct entry *insert(const unsigned char key[32], const char *bytes, size_t size)
{
    if (taken * 2 >= room) {
        struct entry *old = entries;
        const size_t count = room;
        room = room ? room * 2 : 1024;
        entries = lit_alloc(room, sizeof *entries);
        for (size_t i = 0; i < count; i++)
            if (old[i].bytes)
                *find(old[i].key) = old[i];
        free(old);
    }
    struct entry *entry = find(key);
    taken += !entry->bytes;
    memcpy(entry->key, key, 32);
    entry->bytes = bytes;
    entry->size = size;
    return entry;
}

void cache_load(const char *path)
{
    struct text all = {0};
    cache_path = path;
    if (!path || !text_read(&all, path, SIZE_MAX - 1) || all.length < sizeof magic ||
        memcmp(all.data, magic, sizeof magic))
        return;
    for (size_t at = sizeof magic; all.length - at >= 40;) {
        uint64_t size;
        memcpy(&size, all.data + at + 32, sizeof size);
        if (size > all.length - at - 40)
            return;
        insert((const unsigned char *)all.data + at, all.data + at + 40, size);
        at += 40 + size;
    }
}

void cache_save(void)
{
    if (!cache_path)
        return;
    struct text all = {0};
    text_append(&all, magic, sizeof magic);
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < room; i++) {
        if (!entries[i].bytes || !entries[i].used)
            continue;
        text_append(&all, (const char *)entries[i].key, 32);
        text_append(&all, (const char *)&entries[i].size, sizeof entries[i].size);
        text_append(&all, entries[i].bytes, entries[i].size);
    }
    pthread_mutex_unlock(&lock);
    const char *path = cache_path;
    cache_path = NULL; // do not retry if this fails
    write_file(path, all.data, all.length);
    text_free(&all);
}

const void *cache_get(const unsigned char key[32], size_t *size)
{
    pthread_mutex_lock(&lock);
    struct entry *entry = room ? find(key) : NULL;
    const char *bytes = entry ? entry->bytes : NULL;
    if (bytes) {
        entry->used = true;
        *size = entry->size;
    }
    pthread_mutex_unlock(&lock);
    return bytes;
}

void cache_put(const unsigned char key[32], const void *bytes, size_t size)
{
    char *copy = lit_alloc(size + 1, 1);
    memcpy(copy, bytes, size);
    pthread_mutex_lock(&lock);
    insert(key, copy, size)->used = true;
    pthread_mutex_unlock(&lock);
}
