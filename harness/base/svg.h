// SPDX-License-Identifier: Apache-2.0
// Common parts of SVG pictures. All numbers are whole pixels; the y of a text is its baseline.
#pragma once

#include "base/text.h"

enum { SVG_MARGIN = 16, SVG_LINE = 18 }; // around a picture; between lines of text

// Appends untrusted text as XML: characters that XML cannot represent become '?'.
void svg_put_xml(struct text *out, const char *string);
// Appends a line of text; `class` is defined in the style.
void svg_put_label(struct text *out, int x, int y, const char *class, const char *string);
// Appends lines of at most `width` pixels, margins included, wrapped at blanks. Returns the y of
// the next line.
int svg_put_wrapped(struct text *out, int y, int width, const char *class, const char *string);
// Appends the file: title, description, a style sheet (which defines the class `page`), and `body`.
void svg_put_page(struct text *out, const char *title, const char *description, const char *style,
                  int width, int height, const struct text *body);
