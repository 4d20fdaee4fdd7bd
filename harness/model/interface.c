// SPDX-License-Identifier: Apache-2.0
#include "model/interface.h"

#include "base/text.h"

#define ELEMENT(binding_, region_, n)                                                              \
    {                                                                                              \
        .binding = (binding_), .element = (n) + 1, .region = (region_),                            \
        .first = (n)*CAT_BINDING_WORDS, .words = CAT_BINDING_WORDS                                 \
    }
#define ARRAY(binding, region)                                                                     \
    ELEMENT(binding, region, 0), ELEMENT(binding, region, 1), ELEMENT(binding, region, 2),         \
        ELEMENT(binding, region, 3)
#define USUAL(full_, count)                                                                        \
    {                                                                                              \
        .entry = "main", .rows = 1, .layers = 1, .full = (full_), .sized = true, .counted = true,  \
        .push_size = 32,                                                                           \
        .bindings = {{.binding = 0, .region = CAT_INPUT},                                          \
                     {.binding = 1, .region = CAT_OUTPUT},                                         \
                     {.binding = 2, .region = CAT_STATE},                                          \
                     ARRAY(3, CAT_INPUT),                                                          \
                     ARRAY(4, CAT_STATE)},                                                         \
        .binding_count = (count),                                                                  \
    }

const struct cat_interface cat_usual_interface = USUAL(true, 3);
const struct cat_interface cat_partial_interface = USUAL(false, 3);
const struct cat_interface cat_array_interface = USUAL(true, 3 + 2 * CAT_DESCRIPTORS);

void cat_put_place(struct text *text, uint32_t set, uint32_t binding, uint32_t element)
{
    text_printf(text, "%" PRIu32 ".%" PRIu32, set, binding);
    if (element)
        text_printf(text, "[%" PRIu32 "]", element - 1);
}
