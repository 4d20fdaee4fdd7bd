// SPDX-License-Identifier: Apache-2.0
// Pipeline caches. Compiling is fast, so that a cache only remembers the keys of what was compiled
// with it: enough for programs that save, load and merge caches to see that theirs work.
#pragma once

#include "icd/icd.h"

struct icd_cache;

// Notes a key; NULL is no cache. Thread-safe.
void icd_cache_note(struct icd_cache *cache, uint64_t key);
