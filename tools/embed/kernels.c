// SPDX-License-Identifier: Apache-2.0
// Parses the list of modules that belong to no test, which describes its own format.
#include "embed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CHOICES 16

// A word of a line, AXIS[/AXIS]...=VALUE[/VALUE]...[,VALUE[/VALUE]...]...
struct choice {
    const char *axes;   // ends at '='
    const char *values; // after it, up to a blank
    size_t count, at;   // number of values; current value
};

// Adds a choice's current value to a kernel's name and defines.
static bool add_choice(const struct choice *choice, struct text *name, struct text *defines)
{
    const char *axis = choice->axes, *value = choice->values;
    for (size_t i = 0; i < choice->at; i++)
        value += strcspn(value, ",") + 1;
    for (;;) {
        const size_t axis_size = strcspn(axis, "/="), value_size = strcspn(value, "/, ");
        const bool number = axis_size && axis[axis_size - 1] == '#';
        if (!axis_size || !value_size)
            return false;
        text_puts(name, "/");
        for (size_t i = 0; i < axis_size - number; i++)
            text_append(name, (char[]){axis[i] | ('a' ^ 'A')}, 1);
        text_printf(name, "=%.*s", (int)value_size, value);
        text_append(defines, axis, axis_size - number);
        text_puts(defines, number ? " " : "_");
        for (size_t i = 0; i < value_size; i++) {
            const char c = value[i];
            text_append(defines, (char[]){c >= 'a' && c <= 'z' ? (char)(c - 32) : c}, 1);
        }
        text_puts(defines, number ? "\n" : " 1\n");
        axis += axis_size;
        value += value_size;
        if (*axis != '/' || *value != '/')
            return *axis == '=' && *value != '/';
        axis++;
        value++;
    }
}

// Splits a line; returns the number of choices, or MAX_CHOICES + 1 if it is invalid.
static size_t read_choices(const char *line, struct choice *choices)
{
    size_t count = 0;
    line += strcspn(line, " ");
    for (line += strspn(line, " "); *line; line += strspn(line, " ")) {
        const size_t length = strcspn(line, " "), axes = strcspn(line, "= ");
        if (count == MAX_CHOICES || axes == length)
            return MAX_CHOICES + 1;
        choices[count] = (struct choice){.axes = line, .values = line + axes + 1, .count = 1};
        for (size_t i = axes; i < length; i++)
            choices[count].count += line[i] == ',';
        line += length;
        count++;
    }
    return count;
}

void read_kernels(const char *path, const char *text,
                  void (*add)(const char *source, struct text *name, struct text *defines,
                              void *user),
                  void *user)
{
    unsigned number = 1;
    for (const char *at = text; *at;) {
        struct text line = {0};
        const unsigned first = number;
        text_puts(&line, "");
        for (bool more = true; more && *at; number++) {
            const size_t length = strcspn(at, "\n");
            more = length && at[length - 1] == '\\';
            text_append(&line, at, length - more);
            at += length + (at[length] == '\n');
        }
        struct choice choices[MAX_CHOICES];
        const size_t count = *line.data == '#' ? 0 : read_choices(line.data, choices);
        for (bool more = *line.data && *line.data != '#'; more;) {
            struct text name = {0}, defines = {0}, source = {0};
            text_append(&source, line.data, strcspn(line.data, " "));
            text_append(&name, source.data, source.length);
            text_puts(&defines, "");
            bool good = count <= MAX_CHOICES;
            for (size_t i = 0; good && i < count; i++)
                good = add_choice(&choices[i], &name, &defines);
            if (!good)
                die("%s:%u: error: no FILE [AXIS[/AXIS]...=VALUE[/VALUE]...[,...]]...", path,
                    first);
            add(source.data, &name, &defines, user);
            text_free(&source);
            size_t digit = count;
            for (more = false; digit-- > 0 && !more;) {
                more = ++choices[digit].at < choices[digit].count;
                if (!more)
                    choices[digit].at = 0;
            }
        }
        text_free(&line);
    }
}
