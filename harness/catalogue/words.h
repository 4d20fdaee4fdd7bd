// SPDX-License-Identifier: Apache-2.0
// Files of words (docs/test-format.md): 32-bit numbers as text.
#pragma once

#include "base/error.h"

#define CAT_MOST_WORDS ((size_t)1 << 16) // per file

// Parses words separated by blanks and line breaks: decimal, or hexadecimal after 0x; comments run
// from ; to the end of the line. *words is allocated even on failure; free() it. False with an
// error "N: what is wrong" for line N.
bool cat_words_parse(const char *text, size_t size, uint32_t **words, size_t *count,
                     struct lit_error *error);
