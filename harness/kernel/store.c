// SPDX-License-Identifier: Apache-2.0
// Kernels from outside in the store: a session keeps those it ran, so that later commands can name
// one without its file.
#include "kernel/kernel.h"

#include "catalogue/catalogue.h"
#include "store/store.h"

#include <inttypes.h>
#include <stdio.h>

bool krn_keep(struct store *store, int64_t session, bool *all, struct lit_error *error)
{
    const struct text *bytes;
    const char *name;
    *all = true;
    for (size_t i = 0; (bytes = cat_added_at(i, &name)); i++) {
        if (bytes->length > STORE_MOST_KERNEL) {
            *all = false;
            fprintf(stderr,
                    "litmus: %s is larger than what a store keeps (%zu MiB): what is done with "
                    "this session needs its file\n",
                    name, STORE_MOST_KERNEL >> 20);
        } else if (!store_kernel_put(store, session, name, bytes->data, bytes->length, error)) {
            return false;
        }
    }
    return true;
}

static bool take(const void *bytes, size_t size, void *user)
{
    struct lit_error *error = user;
    return cat_test_add(bytes, size, NULL, error);
}

bool krn_take(struct store *store, int64_t session, struct lit_error *error)
{
    struct lit_error why = {0};
    if (!store_kernels(store, session, take, &why, error))
        return false;
    return !why.message[0] ||
           lit_fail(error, LIT_EXIT_USAGE, "%.200s: %.300s", store_path(store), why.message);
}
