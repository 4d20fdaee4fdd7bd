// SPDX-License-Identifier: Apache-2.0
// Writes SPIR-V assembly line by line in two columns, and declares constants on first use.
#pragma once

#include "base/text.h"

#include <stdbool.h>

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
    struct id self; // what @ stands for
};
// Frees everything except the whole text, which it returns.
struct text gen_lines_end(struct gen_lines *lines);

// Registers a constant that is already declared: %zero to %four, else %number_N.
void gen_lines_know(struct gen_lines *lines, uint32_t constant);
// A constant's name, declared at its first use.
struct id gen_constant(struct gen_lines *lines, uint32_t value);
// Appends a line: an instruction, in which #N stands for constant N and @ for `self`, or a
// comment that begins with
// ; and follows an empty line.
__attribute__((format(__printf__, 2, 3))) void gen_line(struct gen_lines *lines, const char *format,
                                                        ...);

// Where a part of a template begins, behind its line "== PART". Its next line, up to *at, without
// its marks: "[MARK]" before a line restricts it to where MARK holds. NULL at the end.
typedef bool gen_holds(const char *mark, size_t length, const void *user);
const char *gen_part(const char *template, const char *part);
const char *gen_part_line(const char **at, gen_holds *holds, const void *user);
