// SPDX-License-Identifier: Apache-2.0
// Sets of registers as text, "R0-R3 R7 P1 UR4-UR5 B0", for tables that people can read.
#pragma once

#include "base/text.h"
#include "isa/sass.h"

static void put_registers(struct text *text, const char *kind, const uint64_t *bits, unsigned end)
{
    for (unsigned i = 0; i < end; i++) {
        unsigned last = i;
        if (!(bits[i / 64] >> i % 64 & 1))
            continue;
        while (last + 1 < end && bits[(last + 1) / 64] >> (last + 1) % 64 & 1)
            last++;
        text_printf(text, "%s%s%u", text->length ? " " : "", kind, i);
        if (last > i)
            text_printf(text, "-%s%u", kind, last);
        i = last;
    }
}

// "" for none. The caller frees it.
static char *registers_text(const struct sass_registers *registers)
{
    struct text text = {0};
    const uint64_t p = registers->p, up = registers->up, b = registers->b;
    text_puts(&text, "");
    put_registers(&text, "R", registers->r, 255);
    put_registers(&text, "UR", &registers->ur, 63);
    put_registers(&text, "P", &p, 7);
    put_registers(&text, "UP", &up, 7);
    put_registers(&text, "B", &b, 16);
    return text.data;
}
