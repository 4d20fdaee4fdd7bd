// SPDX-License-Identifier: Apache-2.0
// Anonymous pages only: nothing else can be mapped.
#pragma once

#include <stddef.h>
#include <windows.h>

#define PROT_READ     1
#define PROT_WRITE    2
#define MAP_PRIVATE   2
#define MAP_ANONYMOUS 32
#define MAP_FAILED    ((void *)-1)

static inline void *mmap(void *at, size_t size, int protection, int flags, int file, long offset)
{
    (void)at, (void)protection, (void)flags, (void)file, (void)offset;
    void *memory = VirtualAlloc(NULL, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    return memory ? memory : MAP_FAILED;
}

static inline int munmap(void *memory, size_t size)
{
    (void)size;
    return VirtualFree(memory, 0, MEM_RELEASE) ? 0 : -1;
}
