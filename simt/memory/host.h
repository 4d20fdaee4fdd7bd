// SPDX-License-Identifier: Apache-2.0
// Accesses to the host memory behind the shader's addresses. Several threads execute workgroups of
// one dispatch concurrently: every aligned access is a single (relaxed) atomic access of its size,
// and others go byte by byte.
#pragma once

#include "program/execution.h"
#include "program/instructions.h"
#include "memory/order.h"
#include "memory/regions.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "a shader's memory is little-endian");

typedef uint16_t __attribute__((may_alias)) host16;
typedef uint32_t __attribute__((may_alias)) host32;
typedef uint64_t __attribute__((may_alias)) host64;

static inline bool host_is_aligned(const unsigned char *at, uint32_t size)
{
    return ((uintptr_t)at & (size - 1)) == 0;
}

static inline uint64_t host_load(const unsigned char *at, uint32_t size) // 1, 2, 4 or 8 bytes
{
    if (host_is_aligned(at, size)) {
        switch (size) {
        case 4:
            return __atomic_load_n((const host32 *)(const void *)at, __ATOMIC_RELAXED);
        case 8:
            return __atomic_load_n((const host64 *)(const void *)at, __ATOMIC_RELAXED);
        case 2:
            return __atomic_load_n((const host16 *)(const void *)at, __ATOMIC_RELAXED);
        }
    }
    uint64_t value = 0;
    for (uint32_t i = 0; i < size; i++)
        value |= (uint64_t)__atomic_load_n(at + i, __ATOMIC_RELAXED) << 8 * i;
    return value;
}

static inline void host_store(unsigned char *at, uint32_t size, uint64_t value)
{
    if (host_is_aligned(at, size)) {
        switch (size) {
        case 4:
            __atomic_store_n((host32 *)(void *)at, (uint32_t)value, __ATOMIC_RELAXED);
            return;
        case 8:
            __atomic_store_n((host64 *)(void *)at, value, __ATOMIC_RELAXED);
            return;
        case 2:
            __atomic_store_n((host16 *)(void *)at, (uint16_t)value, __ATOMIC_RELAXED);
            return;
        }
    }
    for (uint32_t i = 0; i < size; i++)
        __atomic_store_n(at + i, (unsigned char)(value >> 8 * i), __ATOMIC_RELAXED);
}

// A sequentially consistent operation on 4 or 8 aligned bytes. Returns the old value; `differs`:
// ORDER_COMPARE did not match.
uint64_t host_atomic(unsigned char *at, uint32_t size, const struct order_atomic *atomic,
                     bool *differs);

// Looks up a region number as the shader sees it; false if there is none.
static inline bool host_region(const struct exec *exec, uint32_t number, struct region *region)
{
    const struct region *found = NULL;
    if (number == LOCAL_SHARED) {
        *region = (struct region){.bytes = exec->shared, .size = exec->shared_size};
        return exec->shared != NULL;
    }
    if (number < REGION_COUNT)
        found = exec->regions ? regions_get(exec->regions, number) : NULL;
    else if (number - REGION_COUNT < exec->local_count)
        found = &exec->local[number - REGION_COUNT];
    if (!found || !found->bytes)
        return false;
    *region = *found;
    return true;
}

static inline uint32_t host_region_number(uint64_t address)
{
    return (uint32_t)(address >> REGION_SHIFT);
}

static inline uint64_t host_region_offset(uint64_t address)
{
    return address & OFFSET_MASK;
}

// An offset never reaches another region.
static inline uint64_t host_add(uint64_t address, uint64_t offset)
{
    return host_region_offset(address) + offset > OFFSET_MASK ? POINTER_BAD : address + offset;
}

// The scalar of `size` bytes at `address` + `offset` within the region of `address`; NULL with the
// fault's `kind` if the access is invalid.
static inline unsigned char *host_find(const struct region *region, uint64_t address,
                                       uint64_t offset, uint32_t size, bool is_store,
                                       enum exec_fault_kind *kind)
{
    const uint64_t at = host_region_offset(address) + offset; // both far below 1 << 63
    if (at > region->size || region->size - at < size) {
        *kind = EXEC_OUT_OF_BOUNDS;
        return NULL;
    }
    if (is_store && region->read_only) {
        *kind = EXEC_READ_ONLY;
        return NULL;
    }
    return region->bytes + at;
}

// The last lane's region, which the next lane most often accesses as well.
struct host_window {
    struct region region;
    uint32_t number; // UINT32_MAX: none yet
};
#define HOST_NO_WINDOW ((struct host_window){.number = UINT32_MAX})

// A complete access. NULL: the fault has been recorded.
static ALWAYS_INLINE unsigned char *host_access(struct exec *exec, struct host_window *window,
                                                unsigned lane, uint64_t address, uint32_t offset,
                                                uint32_t size, bool is_store)
{
    enum exec_fault_kind kind = EXEC_OUT_OF_BOUNDS;
    const uint32_t number = host_region_number(address);
    if (number != window->number) {
        window->number = number;
        if (!host_region(exec, number, &window->region))
            window->region = (struct region){0};
    }
    unsigned char *at = host_find(&window->region, address, offset, size, is_store, &kind);
    if (!at)
        exec_fault(exec, kind, lane, host_add(address, offset), size);
    return at;
}
