// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of kernels from outside, as a store or a supervisor hands them on: the bytes
// are what a package has inside of its frame, and a package as they are.
#include "fuzz.h"

#include "catalogue/catalogue.h"

#include <zstd.h>

static void take(const void *bytes, size_t size)
{
    const size_t count = cat_test_count();
    const struct cat_test *test = NULL;
    struct lit_error error = {0};
    if (!cat_test_add(bytes, size, &test, &error)) {
        MUST(error.message[0] && cat_test_count() == count);
        return;
    }
    const struct cat_package *package = test->package;
    MUST(cat_test_count() == count + 1);
    const struct cat_binding *binding;
    if (!package) { // a generated program
        cat_test_drop();
        return;
    }
    for (size_t i = 0; i < package->interface.step_count; i++)
        MUST(package->interface.steps[i].part <= package->interface.part_count);
    for (size_t i = 0; (binding = cat_binding_at(&package->interface, i)); i++) {
        MUST(binding->first + binding->words <= package->region_words[binding->region]);
        MUST(binding->may.to <= binding->words && binding->may.order <= binding->words);
    }
    cat_settle(&package->interface, package->expected, package->expected);
    cat_test_drop();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const size_t room = ZSTD_compressBound(size);
    OWNED(lit_free) char *packed = malloc(room);
    MUST(packed);
    const size_t length = ZSTD_compress(packed, room, data, size, 1);
    MUST(!ZSTD_isError(length));
    take(packed, length);
    take(data, size);
    return 0;
}
