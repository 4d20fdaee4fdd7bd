// SPDX-License-Identifier: Apache-2.0
// The caches above L2, which keep a line until it is invalidated or evicted: whatever memory says
// meanwhile. L2 is the memory itself: all of the GPU goes through the one.
#pragma once

#include "device/space.h"

#include <stdbool.h>
#include <stdint.h>

// Two compute units of a WGP have an L0 each and share the scalar cache; the WGPs of an array share
// a GL1.
enum { CACHE_WGPS = 8, CACHE_ARRAYS = 4, CACHE_LINE = 128 };

enum cache_level { CACHE_L0, CACHE_SCALAR, CACHE_GL1 };

struct caches;

struct caches *caches_new(void); // empty; NULL: no memory. Free with caches_free
void caches_free(struct caches *caches);

// Copies `size` bytes at `address` for a load of compute unit `unit`, through the caches from
// `level` down. `bypass`: the line is read from below that level anew. False: nothing is mapped.
bool caches_load(struct caches *caches, struct space *space, enum cache_level level, unsigned unit,
                 bool bypass_l0, bool bypass_gl1, uint64_t address, unsigned size, void *to);

// What the same load would read if all invalidations had been done, without a change of the caches.
void caches_peek(struct caches *caches, struct space *space, enum cache_level level, unsigned unit,
                 bool bypass_l0, bool bypass_gl1, uint64_t address, unsigned size, void *to);

// After a store or an atomic of `unit` to memory: its own L0 has the new bytes, its GL1 drops the
// line.
void caches_stored(struct caches *caches, unsigned unit, uint64_t address, unsigned size,
                   const void *from);

// Drops all lines of a level: of `unit` (its WGP's scalar cache), or of all with CACHE_ALL. `kept`:
// a seeded fault keeps it from doing so.
#define CACHE_ALL (~0u)
void caches_invalidate(struct caches *caches, enum cache_level level, unsigned unit, bool kept);
