// SPDX-License-Identifier: Apache-2.0
// The GPU's virtual addresses: which host memory is behind them.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The address bits that the hardware decodes: pointers may be sign-extended or not.
#define SPACE_BITS UINT64_C(0xffffffffffff)

struct space_range {
    uint64_t address, size; // bytes
    uint8_t *host;          // NULL: no memory behind (sparse): reads 0, writes go nowhere
    uint32_t handle;        // of the buffer
};

// Zero-initialized: empty. Ranges are sorted and do not overlap.
struct space {
    struct space_range *ranges;
    size_t count, capacity;
    size_t last; // where the last lookup ended
};

// Maps, in place of what was there. The host memory stays the caller's. False: the range does not
// fit into the address bits, or no memory.
bool space_map(struct space *space, struct space_range range);
bool space_unmap(struct space *space, uint64_t address, uint64_t size); // false: no memory
void space_forget(struct space *space, uint32_t handle);                // unmaps all of a buffer
void space_clear(struct space *space);                                  // frees

static inline bool space_holds(const struct space_range *range, uint64_t address, uint64_t bytes)
{
    const uint64_t offset = address - range->address;
    return address >= range->address && offset < range->size && bytes <= range->size - offset;
}

// The range around all of the bytes; NULL: they are not all in one range. Addresses are often in
// the range of the last.
const struct space_range *space_search(struct space *space, uint64_t address, uint64_t bytes);
static inline const struct space_range *space_find(struct space *space, uint64_t address,
                                                   uint64_t bytes)
{
    address &= SPACE_BITS;
    if (space->last < space->count && space_holds(&space->ranges[space->last], address, bytes))
        return &space->ranges[space->last];
    return space_search(space, address, bytes);
}

// The host memory of the bytes, or NULL if there is none.
void *space_host(struct space *space, uint64_t address, uint64_t bytes);
