// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of SPIR-V modules that finds out which features one needs.
#include "fuzz.h"

#include "model/facts.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const size_t count = size / 4;
    uint32_t *words = malloc(count ? count * 4 : 1);
    uint64_t features = 0;
    uint32_t unknown = 0;
    MUST(words);
    memcpy(words, data, count * 4);
    if (cat_module_features(words, count, &features, &unknown))
        MUST(features >> CAT_FEATURE_COUNT == 0);
    free(words);
    return 0;
}
