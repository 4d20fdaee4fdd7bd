// SPDX-License-Identifier: Apache-2.0
// Formats of buffers: how the bytes of an element become registers.
#pragma once

#include "rdna.h"

#include <stdbool.h>
#include <stdint.h>

// The number of GFX10 for a format of a generation; 0: it has none.
unsigned rdna_format(enum rdna_generation generation, unsigned format);

// A format of GFX10 (7 bits), what each register selects (3 bits each: 0, 1, 4 to 7 for the
// components), how many components, and whether registers have two halves: as one word.
uint32_t format_code(unsigned format, unsigned selections, unsigned components, bool halves);

// Bytes of an element; 0: the format is not emulated.
unsigned format_bytes(uint32_t code);

// The bytes of an element from registers.
void format_store(uint32_t code, const uint32_t *registers, uint32_t *words);
