// SPDX-License-Identifier: Apache-2.0
// SPIR-V assembly line by line, in two columns; constants are declared where they are first used.
#pragma once

#include "base/text.h"

#include <stdarg.h>

// The module is two texts, one behind the other: what is declared, which grows as constants are
// needed, and the functions. Zero-initialise.
struct gen_lines {
    struct text declared, code;
    uint32_t *constants; // that are declared, but for those of gen_lines_know
    size_t constant_count;
};
// Frees all but the texts.
void gen_lines_end(struct gen_lines *lines);

// A constant that is declared already: %zero to %four, else %number_N.
void gen_lines_know(struct gen_lines *lines, uint32_t constant);
// Appends a line: an instruction, with #N for the constant N; or, behind an empty line, a comment,
// which begins with ;.
__attribute__((format(__printf__, 2, 3))) void gen_line(struct gen_lines *lines, const char *format,
                                                        ...);
void gen_line_list(struct gen_lines *lines, const char *format, va_list list);
