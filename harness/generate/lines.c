// SPDX-License-Identifier: Apache-2.0
// Writes lines of SPIR-V assembly.
#include "generate/lines.h"

#include <assert.h>
#include <stdarg.h>
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

struct text gen_lines_end(struct gen_lines *lines)
{
    text_append(&lines->declared, lines->code.data, lines->code.length);
    text_free(&lines->code);
    free(lines->constants);
    return lines->declared;
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

void gen_line(struct gen_lines *lines, const char *format, ...)
{
    char raw[512], line[1024];
    size_t used = 0;
    va_list list;
    va_start(list, format);
    const int length = vsnprintf(raw, sizeof raw, format, list);
    va_end(list);
    assert(length >= 0 && (size_t)length < sizeof raw);
    (void)length;
    for (const char *at = raw; *at && used < sizeof line; at++)
        if (*at == '@')
            used += (size_t)snprintf(line + used, sizeof line - used, "%s", lines->self.is);
        else
            line[used++] = *at;
    assert(used < sizeof line);
    line[used] = '\0';
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

const char *gen_part(const char *template, const char *part)
{
    char mark[40];
    snprintf(mark, sizeof mark, "== %s\n", part);
    return strstr(template, mark) + strlen(mark);
}

const char *gen_part_line(const char **at, gen_holds *holds, const void *user)
{
    while (**at && strncmp(*at, "== ", 3) != 0) {
        const char *line = *at;
        bool all = true;
        *at = strchr(line, '\n') + 1;
        for (; *line == '['; line += strcspn(line, "]") + 1)
            all = all && holds(line + 1, strcspn(line + 1, "]"), user);
        if (all)
            return line;
    }
    return NULL;
}
