// SPDX-License-Identifier: Apache-2.0
// Writes lines of SPIR-V assembly.
#include "generate/lines.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct id gen_id(const char *format, ...)
{
    struct id made;
    va_list list;
    va_start(list, format);
    vsnprintf(made.is, sizeof made.is, format, list);
    va_end(list);
    return made;
}

void gen_lines_end(struct gen_lines *lines)
{
    free(lines->constants);
    lines->constants = NULL;
    lines->constant_count = 0;
}

static bool is_known(const struct gen_lines *lines, uint32_t constant)
{
    for (size_t i = 0; i < lines->constant_count; i++)
        if (lines->constants[i] == constant)
            return true;
    return false;
}

void gen_lines_know(struct gen_lines *lines, uint32_t constant)
{
    LIT_ADD(lines->constants, lines->constant_count) = constant;
}

// Appends a constant's name, and declares it at its first use.
static void put_constant(struct gen_lines *lines, uint32_t value)
{
    static const char *const words[] = {"%zero", "%one", "%two", "%three", "%four"};
    char id[24];
    if (value < sizeof words / sizeof *words)
        snprintf(id, sizeof id, "%s", words[value]);
    else
        snprintf(id, sizeof id, "%%number_%u", value);
    if (!is_known(lines, value)) {
        text_printf(&lines->declared, "%-21s = OpConstant %%uint %u\n", id, value);
        gen_lines_know(lines, value);
    }
    text_puts(&lines->code, id);
}

void gen_line_list(struct gen_lines *lines, const char *format, va_list list)
{
    char line[512];
    const int length = vsnprintf(line, sizeof line, format, list);
    assert(length >= 0 && (size_t)length < sizeof line);
    (void)length;
    const char *equals = *line == '%' ? strstr(line, " = ") : NULL, *at = equals ? equals : line;
    if (*line == ';')
        text_puts(&lines->code, "\n");
    else
        text_printf(&lines->code, equals ? "%-21.*s" : "%24.*s", (int)(at - line), line);
    for (size_t plain; *at; at += plain) {
        plain = strcspn(at, *line == ';' ? "" : "#");
        text_append(&lines->code, at, plain);
        if (at[plain] == '#') {
            char *end;
            put_constant(lines, (uint32_t)strtoul(at + plain + 1, &end, 10));
            at = end;
            plain = 0;
        }
    }
    text_puts(&lines->code, "\n");
}

void gen_line(struct gen_lines *lines, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    gen_line_list(lines, format, list);
    va_end(list);
}
