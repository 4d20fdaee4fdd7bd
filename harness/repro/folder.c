// SPDX-License-Identifier: Apache-2.0
// Writes a bundle: all of it or nothing.

#include "repro/repro.h"

#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fail(struct lit_error *error, const char *path, int number)
{
    return lit_fail(error, LIT_EXIT_USAGE, "cannot write %.300s: %s", path, strerror(number));
}

bool repro_folder_free(const char *folder, struct lit_error *error)
{
    DIR *open = opendir(folder);
    if (!open)
        return errno == ENOENT || fail(error, folder, errno);
    bool empty = true;
    for (const struct dirent *entry; empty && (entry = readdir(open));)
        empty = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..");
    closedir(open);
    return empty || lit_fail(error, LIT_EXIT_USAGE,
                             "%.300s is there and not empty: -o names another folder", folder);
}

static void path_in(struct text *path, const char *folder, const char *name)
{
    text_free(path);
    text_printf(path, "%s/%s", folder, name);
}

bool repro_write(const struct repro_bundle *bundle, const char *folder, struct lit_error *error)
{
    struct text made = {0}, path = {0};
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/')
        length--;
    text_printf(&made, "%.*s.XXXXXX", (int)length, folder);
    if (!mkdtemp(made.data)) {
        fail(error, folder, errno);
        text_free(&made);
        return false;
    }
    const mode_t mask = umask(0);
    umask(mask);
    bool good = chmod(made.data, 0777 & ~mask) == 0;
    for (size_t i = 0; i < bundle->count && good; i++) {
        path_in(&path, made.data, bundle->files[i].name);
        const struct text *content = &bundle->files[i].content;
        good = lit_file_write(path.data, content->data, content->length, NULL);
    }
    text_free(&path);
    text_printf(&path, "%.*s", (int)length, folder);
    good = good && rename(made.data, path.data) == 0 && lit_file_sync_name(path.data);
    if (!good) {
        fail(error, folder, errno);
        for (size_t i = 0; i < bundle->count; i++) {
            path_in(&path, made.data, bundle->files[i].name);
            unlink(path.data);
        }
        rmdir(made.data);
    }
    text_free(&made);
    text_free(&path);
    return good;
}
