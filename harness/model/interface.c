// SPDX-License-Identifier: Apache-2.0
#include "model/interface.h"

#define USUAL(full_)                                                                               \
    {                                                                                              \
        .entry = "main", .rows = 1, .layers = 1, .full = (full_), .sized = true, .counted = true,  \
        .push_size = 32,                                                                           \
        .bindings = {{.binding = 0, .region = CAT_INPUT},                                          \
                     {.binding = 1, .region = CAT_OUTPUT},                                         \
                     {.binding = 2, .region = CAT_STATE}},                                         \
        .binding_count = 3,                                                                        \
    }

const struct cat_interface cat_usual_interface = USUAL(true);
const struct cat_interface cat_partial_interface = USUAL(false);
