// SPDX-License-Identifier: Apache-2.0
// Pipeline caches. Compiling is fast, so a cache only records the keys of what was compiled with
// it: enough for programs that save, load and merge caches to see that it works.
#pragma once

#include "icd/icd.h"

struct icd_cache;

// Records a key; NULL is fine. Thread-safe.
void icd_cache_note(struct icd_cache *cache, uint64_t key);
