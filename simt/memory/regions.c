// SPDX-License-Identifier: Apache-2.0
// The table of regions: pages created on demand and kept until the end, so that lookup needs no
// lock.
#include "memory/regions.h"

#include <pthread.h>
#include <stdlib.h>

#define PAGE_SHIFT 10
#define PAGE_SIZE  (1u << PAGE_SHIFT)
#define PAGE_COUNT (REGION_COUNT >> PAGE_SHIFT)

struct slot {
    struct region region; // written only while `present` is false
    bool present;
};

struct regions {
    pthread_mutex_t mutex; // for adding and removing
    uint32_t next;         // start of the search for a free number
    uint32_t count;
    struct slot *pages[PAGE_COUNT];
};

struct regions *regions_create(void)
{
    struct regions *regions = calloc(1, sizeof *regions);
    if (!regions)
        return NULL;
    if (pthread_mutex_init(&regions->mutex, NULL)) {
        free(regions);
        return NULL;
    }
    regions->next = 1;
    return regions;
}

void regions_free(struct regions *regions)
{
    if (!regions)
        return;
    for (uint32_t page = 0; page < PAGE_COUNT; page++)
        free(regions->pages[page]);
    pthread_mutex_destroy(&regions->mutex);
    free(regions);
}

// A number's slot; NULL if its page does not exist.
static struct slot *slot_of(const struct regions *regions, uint32_t number)
{
    struct slot *page = __atomic_load_n(&regions->pages[number >> PAGE_SHIFT], __ATOMIC_ACQUIRE);
    return page ? &page[number & (PAGE_SIZE - 1)] : NULL;
}

// The next free number, with its page; 0 if there is none or no memory.
static uint32_t free_number(struct regions *regions)
{
    if (regions->count == REGION_COUNT - 1)
        return 0;
    uint32_t number = regions->next;
    for (;; number = number + 1 < REGION_COUNT ? number + 1 : 1) {
        const struct slot *slot = slot_of(regions, number);
        if (!slot || !slot->present)
            break;
    }
    if (!slot_of(regions, number)) {
        struct slot *page = calloc(PAGE_SIZE, sizeof *page);
        if (!page)
            return 0;
        __atomic_store_n(&regions->pages[number >> PAGE_SHIFT], page, __ATOMIC_RELEASE);
    }
    return number;
}

uint32_t regions_add(struct regions *regions, struct region region)
{
    pthread_mutex_lock(&regions->mutex);
    const uint32_t number = free_number(regions);
    if (number) {
        struct slot *slot = slot_of(regions, number);
        slot->region = region;
        __atomic_store_n(&slot->present, true, __ATOMIC_RELEASE);
        regions->count++;
        regions->next = number + 1 < REGION_COUNT ? number + 1 : 1;
    }
    pthread_mutex_unlock(&regions->mutex);
    return number;
}

void regions_remove(struct regions *regions, uint32_t number)
{
    if (!number || number >= REGION_COUNT)
        return;
    pthread_mutex_lock(&regions->mutex);
    struct slot *slot = slot_of(regions, number);
    if (slot && slot->present) {
        __atomic_store_n(&slot->present, false, __ATOMIC_RELEASE);
        regions->count--;
    }
    pthread_mutex_unlock(&regions->mutex);
}

const struct region *regions_get(const struct regions *regions, uint32_t number)
{
    if (!number || number >= REGION_COUNT)
        return NULL;
    const struct slot *slot = slot_of(regions, number);
    return slot && __atomic_load_n(&slot->present, __ATOMIC_ACQUIRE) ? &slot->region : NULL;
}
