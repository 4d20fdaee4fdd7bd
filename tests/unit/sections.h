// SPDX-License-Identifier: Apache-2.0
// The files of texts that a test is given: "# NAME" begins a text; more may follow the name. What
// comes before the first is a comment. The test's main is here, unless it defines UNIT_MAIN first.
#pragma once

#ifndef UNIT_MAIN
#define UNIT_MAIN
#define SECTIONS_MAIN
#endif
#include "unit.h"

#include <errno.h>

#include "base/text.h"

#define SECTIONS_MOST 256

static struct section {
    const char *name, *more; // more: what follows the name on its line, "" if nothing
    const char *text;        // the lines below
} sections[SECTIONS_MOST];

static size_t section_count;

// Adds the texts of files, which are there until the program ends.
static inline void sections_read(int count, char **paths)
{
    static struct text all;
    for (int i = 0; i < count; i++)
        if (!text_read(&all, paths[i], 1 << 20))
            fail_msg("%s: %s", paths[i], strerror(errno));
    for (char *next, *line = all.data; line; line = next) {
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
    const struct section *found = NULL;
    for (size_t i = 0; i < section_count; i++)
        if (!strcmp(sections[i].name, name)) {
            if (found)
                fail_msg("there are two sections %s", name);
            found = &sections[i];
        }
    if (!found)
        fail_msg("there is no section %s", name);
    return found;
}

// The next line of a text that is neither empty nor a comment: what stands before and behind its
// " => ", until the next call.
static inline bool sections_row(const char **text, const char **left, const char **right)
{
    static char line[1024];
    for (; **text == '\n' || **text == ';'; *text += strspn(*text, "\n"))
        *text += strcspn(*text, "\n");
    const size_t length = strcspn(*text, "\n");
    if (!length)
        return false;
    assert_true(length < sizeof line);
    snprintf(line, sizeof line, "%.*s", (int)length, *text);
    *text += length;
    char *arrow = strstr(line, " =>");
    assert_non_null(arrow);
    *arrow = '\0';
    *left = line;
    *right = arrow + 3 + (arrow[3] == ' ');
    return true;
}

// What stands behind " -> " in a cell, which ends there.
static inline const char *sections_instead(const char *cell)
{
    char *arrow = strstr(cell, " -> ");
    assert_non_null(arrow);
    *arrow = '\0';
    return arrow + strlen(" -> ");
}

#ifdef SECTIONS_MAIN
int main(int argc, char **argv)
{
    sections_read(argc - 1, argv + 1);
    return unit_run();
}
#endif
