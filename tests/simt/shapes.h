// SPDX-License-Identifier: Apache-2.0
// Random structured control flow: a tree of steps that catalogue/masks.h can simulate, and the
// SPIR-V module that does the same and stores the ballot at every place.
#pragma once

#include "catalogue/masks.h"

#include <stddef.h>
#include <stdint.h>

#define SHAPE_STEPS 256
#define SHAPE_LOOPS 6 // iterations that a loop has at most

struct shape_random {
    struct masks_step steps[SHAPE_STEPS]; // lists lie one behind the other
    uint32_t used;
    struct masks_shape shape;
};

// Draws a shape from a seed.
void shape_draw(struct shape_random *random, uint64_t seed);

// Emits it: binding 0 has a word for each invocation, binding 1 takes 4 words for each slot of each
// invocation. Allocates *words; returns how many there are.
size_t shape_emit(const struct shape_random *random, enum masks_rule rule, uint32_t workgroup,
                  uint32_t **words);

// The shape as text, for messages.
void shape_print(const struct masks_step *steps, int indent);
