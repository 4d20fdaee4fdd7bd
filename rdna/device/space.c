// SPDX-License-Identifier: Apache-2.0
#include "device/space.h"

#include <stdlib.h>
#include <string.h>

// The first range that ends behind `address`.
static size_t first_behind(const struct space *space, uint64_t address)
{
    size_t low = 0, high = space->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (space->ranges[middle].address + space->ranges[middle].size > address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static bool reserve(struct space *space, size_t more)
{
    if (space->capacity - space->count >= more)
        return true;
    const size_t capacity = 2 * space->capacity + more + 16;
    struct space_range *ranges = realloc(space->ranges, capacity * sizeof(*ranges));
    if (!ranges)
        return false;
    space->ranges = ranges;
    space->capacity = capacity;
    return true;
}

static void insert(struct space *space, size_t at, struct space_range range)
{
    memmove(&space->ranges[at + 1], &space->ranges[at],
            (space->count - at) * sizeof(*space->ranges));
    space->ranges[at] = range;
    space->count++;
}

static void erase(struct space *space, size_t at)
{
    space->count--;
    memmove(&space->ranges[at], &space->ranges[at + 1],
            (space->count - at) * sizeof(*space->ranges));
}

static struct space_range behind(struct space_range range, uint64_t address)
{
    const uint64_t skipped = address - range.address;
    range.address = address;
    range.size -= skipped;
    if (range.host)
        range.host += skipped;
    return range;
}

bool space_unmap(struct space *space, uint64_t address, uint64_t size)
{
    address &= SPACE_BITS;
    if (size > SPACE_BITS - address)
        size = SPACE_BITS - address;
    const uint64_t end = address + size;
    if (!reserve(space, 1))
        return false;
    space->last = 0;
    for (size_t i = first_behind(space, address);
         i < space->count && space->ranges[i].address < end;) {
        const struct space_range old = space->ranges[i];
        if (old.address < address) {
            space->ranges[i].size = address - old.address;
            if (old.address + old.size > end)
                insert(space, i + 1, behind(old, end));
            i++;
        } else if (old.address + old.size > end) {
            space->ranges[i] = behind(old, end);
        } else {
            erase(space, i);
        }
    }
    return true;
}

bool space_map(struct space *space, struct space_range range)
{
    range.address &= SPACE_BITS;
    if (!range.size || range.size > SPACE_BITS - range.address ||
        !space_unmap(space, range.address, range.size) || !reserve(space, 1))
        return false;
    insert(space, first_behind(space, range.address), range);
    return true;
}

void space_forget(struct space *space, uint32_t handle)
{
    space->last = 0;
    for (size_t i = space->count; i-- > 0;)
        if (space->ranges[i].handle == handle)
            erase(space, i);
}

void space_clear(struct space *space)
{
    free(space->ranges);
    *space = (struct space){0};
}

const struct space_range *space_search(struct space *space, uint64_t address, uint64_t bytes)
{
    const size_t i = first_behind(space, address);
    if (i == space->count || !space_holds(&space->ranges[i], address, bytes))
        return NULL;
    space->last = i;
    return &space->ranges[i];
}

void *space_host(struct space *space, uint64_t address, uint64_t bytes)
{
    const struct space_range *range = space_find(space, address, bytes);
    return range && range->host ? range->host + ((address & SPACE_BITS) - range->address) : NULL;
}
