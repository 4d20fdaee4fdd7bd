// SPDX-License-Identifier: Apache-2.0
// Writes the parts of a section in HTML or Markdown, so that the section is described once. All
// strings are escaped.
#pragma once

#include "report/table.h"

struct html;

struct pen {
    struct text *out;
    const struct html *html; // NULL: Markdown
    size_t limit;            // Markdown: no table rows once *out has this many bytes
};

// A heading over tables and paragraphs; a paragraph; a paragraph about something with a name.
void pen_heading(const struct pen *pen, const char *title);
__attribute__((format(__printf__, 2, 3))) void pen_say(const struct pen *pen, const char *format,
                                                       ...);
void pen_item(const struct pen *pen, const char *name, const char *words);
// A table and its notes, which it clears; its title, if not NULL, is the heading if it has rows.
void pen_table(const struct pen *pen, struct table *table);
// Opens a fold; `id` is its anchor in HTML, or "".
void pen_open(const struct pen *pen, const char *id, const char *title);
void pen_close(const struct pen *pen);
// Lines of code. HTML marks those that begin with > or !, and in the language "diff" with - or +.
void pen_lines(const struct pen *pen, const char *language, const char *lines);
