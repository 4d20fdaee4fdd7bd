// SPDX-License-Identifier: Apache-2.0
// Code for tests, from lines as nvdisasm writes them but without addresses: each line an
// instruction, or "name:" for the address of what follows, which lines then use as target.
#pragma once

#include "base/text.h"
#include "isa/sass.h"

static uint32_t listing_address(const char *lines, const char *name, size_t length)
{
    uint32_t address = 0;
    for (const char *at = lines; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        const size_t end = strcspn(at, "\n");
        if (end == 0)
            continue;
        if (at[end - 1] != ':')
            address += SASS_BYTES;
        else if (end - 1 == length && memcmp(at, name, length) == 0)
            return address;
    }
    return SASS_NOWHERE;
}

// What nvdisasm would write.
static void listing_text(const char *lines, struct text *text)
{
    uint32_t address = 0;
    for (const char *at = lines; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        const size_t end = strcspn(at, "\n");
        if (end == 0 || at[end - 1] == ':')
            continue;
        size_t last = end;
        while (last > 0 && at[last - 1] != ' ')
            last--;
        const uint32_t target = listing_address(lines, at + last, end - last);
        text_printf(text, "        /*%04x*/                   %.*s", address, (int)last, at);
        if (target == SASS_NOWHERE)
            text_append(text, at + last, end - last);
        else
            text_printf(text, "0x%x", target);
        text_puts(text, " ;\n");
        address += SASS_BYTES;
    }
}

static void listing_code(const char *lines, struct sass_code *code)
{
    struct text text = {0};
    struct lit_error error;
    listing_text(lines, &text);
    const bool good = sass_parse(text.data, text.length, 90, code, &error);
    if (!good)
        fprintf(stderr, "%s in:\n%s", error.message, text.data);
    text_free(&text);
    assert_true(good);
}
