// SPDX-License-Identifier: Apache-2.0
// SVG output.
#include "base/svg.h"

#define LETTER 8 // maximum width of a character in wrapped text

void svg_put_xml(struct text *out, const char *string)
{
    OWNED(lit_free) char *safe = lit_alloc(strlen(string) + 1, 1);
    text_sanitise(safe, strlen(string) + 1, string);
    for (const char *c = safe; *c; c++) {
        const unsigned char *bytes = (const unsigned char *)c;
        if (*c == '&')
            text_puts(out, "&amp;");
        else if (*c == '<')
            text_puts(out, "&lt;");
        else if (*c == '>')
            text_puts(out, "&gt;");
        else if (*c == '"')
            text_puts(out, "&quot;");
        else if (bytes[0] == 0xef && bytes[1] == 0xbf && bytes[2] >= 0xbe)
            text_puts(out, "?"), c += 2; // U+FFFE, U+FFFF
        else
            text_append(out, c, 1);
    }
}

void svg_put_label(struct text *out, int x, int y, const char *class, const char *string)
{
    text_printf(out, "<text x=\"%d\" y=\"%d\" class=\"%s\">", x, y, class);
    svg_put_xml(out, string);
    text_puts(out, "</text>\n");
}

int svg_put_wrapped(struct text *out, int y, int width, const char *class, const char *string)
{
    const size_t room = (size_t)(width - 2 * SVG_MARGIN) / LETTER;
    while (*string) {
        size_t length = strlen(string);
        if (length > room) {
            for (length = room; length > 0 && string[length] != ' '; length--)
                continue;
            // Splits a word without blanks, such as a configuration's name, where necessary, but
            // not within a character.
            if (length == 0)
                for (length = room; ((unsigned char)string[length] & 0xc0) == 0x80; length--)
                    continue;
        }
        OWNED(lit_free) char *line = lit_alloc(length + 1, 1);
        memcpy(line, string, length);
        svg_put_label(out, SVG_MARGIN, y, class, line);
        string += length;
        string += strspn(string, " ");
        y += SVG_LINE;
    }
    return y;
}

void svg_put_page(struct text *out, const char *title, const char *description, const char *style,
                  int width, int height, const struct text *body)
{
    text_printf(out,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
                "height=\"%d\" role=\"img\">\n<title>",
                width, height, width, height);
    svg_put_xml(out, title);
    text_puts(out, "</title>\n<desc>");
    svg_put_xml(out, description);
    text_printf(out,
                "</desc>\n<style>\n%s</style>\n<rect width=\"%d\" height=\"%d\" "
                "class=\"page\"/>\n%s</svg>\n",
                style, width, height, body->data ? body->data : "");
}
