// SPDX-License-Identifier: Apache-2.0
// Writes SPIR-V assembly line by line in two columns, and declares constants on first use.
#pragma once

#include "base/text.h"

#include <stdarg.h>

// An operand's name: "%word", or "#5" for a constant.
struct id {
    char is[64];
};
__attribute__((format(__printf__, 1, 2))) struct id gen_id(const char *format, ...);

// A module as two consecutive texts: declarations, which grow as constants are needed, and
// functions. Zero-initialise.
struct gen_lines {
    struct text declared, code;
    uint32_t *constants; // already declared, except by gen_lines_know
    size_t constant_count;
};
// Frees everything except the texts.
void gen_lines_end(struct gen_lines *lines);

// Registers a constant that is already declared: %zero to %four, else %number_N.
void gen_lines_know(struct gen_lines *lines, uint32_t constant);
// Appends a line: an instruction, in which #N stands for constant N, or a comment that begins with
// ; and follows an empty line.
__attribute__((format(__printf__, 2, 3))) void gen_line(struct gen_lines *lines, const char *format,
                                                        ...);
void gen_line_list(struct gen_lines *lines, const char *format, va_list list);
