// SPDX-License-Identifier: Apache-2.0
// A file of texts for a test: "# NAME" begins one; more may follow the name. What comes before the
// first is a comment.
#pragma once

#include "unit.h"

#include <errno.h>

#include "base/text.h"

#define SECTIONS_MOST 256

static struct section {
    const char *name, *more; // more: what follows the name on its line, "" if nothing
    const char *text;        // the lines below
} sections[SECTIONS_MOST];

static size_t section_count;

// Adds the texts of a file, which are there until the program ends.
static inline void sections_read(const char *path)
{
    static struct text file;
    if (file.data || !text_read(&file, path, 1 << 20))
        fail_msg("%s: %s", path, strerror(errno));
    for (char *next, *line = file.data; line; line = next) {
        next = strchr(line, '\n');
        next = next ? next + 1 : NULL;
        if (strncmp(line, "# ", 2) != 0)
            continue;
        assert_true(section_count < SECTIONS_MOST && next);
        *line = next[-1] = '\0'; // which ends the text before, and the name
        char *name = line + 2, *more = name + strcspn(name, " ");
        if (*more)
            *more++ = '\0';
        sections[section_count++] = (struct section){name, more, next};
    }
}

static inline const struct section *section(const char *name)
{
    for (size_t i = 0; i < section_count; i++)
        if (!strcmp(sections[i].name, name))
            return &sections[i];
    fail_msg("there is no section %s", name);
    return NULL;
}
