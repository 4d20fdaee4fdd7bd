// SPDX-License-Identifier: Apache-2.0
// A folder of its own for each test: setup and teardown of cmocka.
#pragma once

#include "unit.h"

static char folder[64];

static int make_folder(void **state)
{
    snprintf(folder, sizeof(folder), "/tmp/litmus-unit-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

// A file in the folder. The path lasts for the next three calls.
__attribute__((unused)) static const char *folder_file(const char *name, const char *text)
{
    static char paths[4][128];
    static size_t next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    return path;
}

static int remove_folder(void **state)
{
    char command[128];
#ifdef _WIN32
    int at = snprintf(command, sizeof(command), "rmdir /s /q ");
    for (const char *from = folder; *from; from++)
        command[at++] = *from == '/' ? '\\' : *from;
    command[at] = '\0';
#else
    snprintf(command, sizeof(command), "rm -r %s", folder);
#endif
    return system(command);
}
