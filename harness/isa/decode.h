// SPDX-License-Identifier: Apache-2.0
// Instructions of SASS from their bytes, where there is no nvdisasm: a table of what was learnt
// from bytes and nvdisasm's text of them side by side. It knows what decides convergence, exchange
// and memory with all modifiers, and of the rest what the tests of the catalogue become. Pure; the
// bytes are not trusted.
#pragma once

#include "base/error.h"
#include "isa/sass.h"

// Decodes `size` bytes of sm_90. An instruction is known only if each of its bits is accounted for;
// the text of one that is not is "?0x" with its opcode, behind its guard, and it has SASS_UNKNOWN.
// False with one line of error if the architecture is another one or `size` is no multiple of
// SASS_BYTES. *code is cleared by the caller either way.
bool sass_decode(const uint8_t *bytes, size_t size, uint32_t architecture, struct sass_code *code,
                 struct lit_error *error);
