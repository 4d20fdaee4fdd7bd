// SPDX-License-Identifier: Apache-2.0
// What pictures as SVG have in common. All numbers are whole pixels; y of a text is its base line.
#pragma once

#include "base/text.h"

enum { SVG_MARGIN = 16, SVG_LINE = 18 }; // around a picture; from one line of text to the next

// Appends text from anywhere as XML: what XML cannot hold becomes '?'.
void svg_put_xml(struct text *out, const char *string);
// Appends a line of text; `class` is one of the style.
void svg_put_label(struct text *out, int x, int y, const char *class, const char *string);
// Appends lines of at most `width` pixels, margins included, broken at blanks. Returns y of the
// line behind the last.
int svg_put_wrapped(struct text *out, int y, int width, const char *class, const char *string);
// Appends the file: title, description and a style sheet that has the class `page`, around `body`.
void svg_put_page(struct text *out, const char *title, const char *description, const char *style,
                  int width, int height, const struct text *body);
