// SPDX-License-Identifier: Apache-2.0
// Files of words (docs/test-format.md): numbers of 32 bits as text.
#pragma once

#include "base/error.h"

#define CAT_MOST_WORDS ((size_t)1 << 16) // of a file

// Reads words between blanks and line breaks: decimal, or hexadecimal after 0x; a comment runs from
// ; to the end of its line. *words is allocated, also after a failure; free() it. False with an
// error "N: what is wrong", N being the line.
bool cat_words_parse(const char *text, size_t size, uint32_t **words, size_t *count,
                     struct lit_error *error);
