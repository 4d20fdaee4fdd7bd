// SPDX-License-Identifier: Apache-2.0
// Fuzzes the readers of SPIR-V modules: of the features that one needs, of whether its dispatch may
// be cut, and of the interface of a kernel from outside.
#include "fuzz.h"

#include "catalogue/inspect.h"
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
    cat_module_is_divisible(words, count);
    struct cat_inspected found;
    struct lit_error error = {0};
    const struct cat_spec specs[] = {{0, 64}};
    for (size_t given = 0; given < 2; given++)
        if (cat_inspect(words, count, NULL, specs, given, &found, &error)) {
            MUST(found.buffer_count > 0 && found.buffer_count <= CAT_MOST_BINDINGS);
            MUST(found.push_size <= CAT_MOST_PUSH && found.push_size % 4 == 0);
            MUST(found.local[0] > 0 && found.local[1] > 0 && found.local[2] > 0);
            for (size_t i = 0; i < found.buffer_count; i++)
                MUST(found.buffers[i].set < CAT_MOST_SETS);
        }
    free(words);
    return 0;
}
