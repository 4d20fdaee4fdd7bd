// SPDX-License-Identifier: Apache-2.0
#include "model/interface.h"

#include "base/text.h"

#include <inttypes.h>

#define ELEMENT(n)                                                                                 \
    {                                                                                              \
        .binding = 3, .element = (n) + 1, .region = CAT_INPUT, .first = (n)*CAT_BINDING_WORDS,     \
        .words = CAT_BINDING_WORDS                                                                 \
    }
#define USUAL(full_, count)                                                                        \
    {                                                                                              \
        .entry = "main", .rows = 1, .layers = 1, .full = (full_), .sized = true, .counted = true,  \
        .push_size = 32,                                                                           \
        .bindings = {{.binding = 0, .region = CAT_INPUT},                                          \
                     {.binding = 1, .region = CAT_OUTPUT},                                         \
                     {.binding = 2, .region = CAT_STATE},                                          \
                     ELEMENT(0),                                                                   \
                     ELEMENT(1),                                                                   \
                     ELEMENT(2),                                                                   \
                     ELEMENT(3)},                                                                  \
        .binding_count = (count),                                                                  \
    }

const struct cat_interface cat_usual_interface = USUAL(true, 3);
const struct cat_interface cat_partial_interface = USUAL(false, 3);
const struct cat_interface cat_array_interface = USUAL(true, 3 + CAT_DESCRIPTORS);

void cat_put_place(struct text *text, uint32_t set, uint32_t binding, uint32_t element)
{
    text_printf(text, "%" PRIu32 ".%" PRIu32, set, binding);
    if (element)
        text_printf(text, "[%" PRIu32 "]", element - 1);
}
