// SPDX-License-Identifier: Apache-2.0
// Looks a variant up among the measured ones.
#include "report/references.h"

#include "model/configuration.h"

#include <stdlib.h>
#include <string.h>

struct key {
    const char *name;
    size_t length;
};

static int compare(const void *left, const void *right)
{
    const struct key *key = left;
    const struct report_reference *row = right;
    int order = strncmp(key->name, row->variant, key->length);
    return order ? order : row->variant[key->length] ? -1 : 0;
}

const struct report_reference *report_reference_find(const char *name)
{
    struct key key = {name, cfg_variant_length(name)};
    return bsearch(&key, report_references, report_reference_count, sizeof(*report_references),
                   compare);
}
