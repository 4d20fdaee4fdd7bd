// SPDX-License-Identifier: Apache-2.0
#include "model/interface.h"

#define USUAL(full_, count)                                                                        \
    {                                                                                              \
        .entry = "main", .rows = 1, .layers = 1, .full = (full_), .sized = true, .counted = true,  \
        .push_size = 32,                                                                           \
        .bindings = {{.binding = 0, .region = CAT_INPUT},                                          \
                     {.binding = 1, .region = CAT_OUTPUT},                                         \
                     {.binding = 2, .region = CAT_STATE},                                          \
                     {.binding = 3,                                                                \
                      .region = CAT_INPUT,                                                         \
                      .words = CAT_BINDING_WORDS,                                                  \
                      .array = CAT_DESCRIPTORS}},                                                  \
        .binding_count = (count),                                                                  \
    }

const struct cat_interface cat_usual_interface = USUAL(true, 3);
const struct cat_interface cat_partial_interface = USUAL(false, 3);
const struct cat_interface cat_array_interface = USUAL(true, 4);
