// SPDX-License-Identifier: Apache-2.0
// Escaping for XML.
#include "report/xml.h"

#include <string.h>

// Bytes of the character at `at`, 0 if it is none that XML 1.0 has (Char, section 2.2).
static size_t character(const unsigned char *at)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (*at < 0x80)
        return *at >= 0x20 || *at == '\t' || *at == '\n' || *at == '\r';
    size_t length = (*at & 0xe0) == 0xc0 ? 2 : (*at & 0xf0) == 0xe0 ? 3 : 4;
    if (*at < 0xc0 || *at > 0xf7)
        return 0;
    uint32_t code = *at & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (at[i] & 0x3f);
    }
    bool good = code >= least[length] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) &&
                code != 0xfffe && code != 0xffff;
    return good ? length : 0;
}

static void escape(struct text *out, const char *string, const char *special)
{
    for (const char *at = string; *at;) {
        size_t length = character((const unsigned char *)at);
        if (length == 0)
            text_puts(out, "?");
        else if (strchr(special, *at))
            text_printf(out, "&#%d;", *at);
        else
            text_append(out, at, length);
        at += length ? length : 1;
    }
}

void xml_text(struct text *out, const char *string)
{
    escape(out, string, "&<>\"'\r");
}

// White space as it is would be read as blanks.
void xml_attribute(struct text *out, const char *name, const char *value)
{
    text_printf(out, " %s=\"", name);
    escape(out, value, "&<>\"'\r\t\n");
    text_puts(out, "\"");
}
