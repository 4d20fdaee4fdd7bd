// SPDX-License-Identifier: Apache-2.0
// Writes folders as a whole. Never removes files that are not known to be ours.
#include "base/folder.h"

#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_MARK ((size_t)64 << 20) // bytes

struct text *lit_folder_add(struct lit_folder *folder, const char *name)
{
    struct lit_folder_file *file = &LIT_ADD(folder->files, folder->count);
    *file = (struct lit_folder_file){.name = lit_strdup(name)};
    return &file->content;
}

void lit_folder_clear(struct lit_folder *folder)
{
    for (size_t i = 0; i < folder->count; i++) {
        free(folder->files[i].name);
        text_free(&folder->files[i].content);
    }
    free(folder->files);
    *folder = (struct lit_folder){0};
}

static bool fail(struct lit_error *error, const char *path)
{
    return lit_fail(error, LIT_EXIT_USAGE, "cannot write %.300s: %s", path, strerror(errno));
}

// ---- existing content

// The files in a folder and its subfolders, by relative name.
struct found {
    char **files, **folders;
    size_t file_count, folder_count;
    char *foreign; // neither file nor folder, or nested too deep; NULL: none
};

static void clear_found(struct found *found)
{
    for (size_t i = 0; i < found->file_count; i++)
        free(found->files[i]);
    for (size_t i = 0; i < found->folder_count; i++)
        free(found->folders[i]);
    free(found->files);
    free(found->folders);
    free(found->foreign);
}

// `below`: "" or "test/". False with errno.
static bool look(const char *path, const char *below, struct found *found)
{
    OWNED(text_free) struct text here = text_format("%s/%s", path, below);
    DIR *open = opendir(here.data);
    if (!open)
        return false;
    bool good = true;
    for (const struct dirent *entry; good && (entry = readdir(open));) {
        struct stat what;
        struct text name = {0}, whole = {0};
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        text_printf(&name, "%s%s", below, entry->d_name);
        text_printf(&whole, "%s/%s", path, name.data);
        good = lstat(whole.data, &what) == 0;
        text_free(&whole);
        if (good && S_ISREG(what.st_mode)) {
            LIT_ADD(found->files, found->file_count) = name.data;
        } else if (good && S_ISDIR(what.st_mode) && !below[0]) {
            LIT_ADD(found->folders, found->folder_count) = name.data;
            OWNED(text_free) struct text deeper = text_format("%s/", name.data);
            good = look(path, deeper.data, found);
        } else {
            free(found->foreign);
            found->foreign = name.data;
        }
    }
    closedir(open);
    return good;
}

// Whether a mark lists a file on a line of its own.
static bool is_listed(const struct text *mark, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = mark->data; at && *at;) {
        const size_t line = strcspn(at, "\n");
        if (line == length && memcmp(at, name, length) == 0)
            return true;
        at += line + (at[line] == '\n');
    }
    return false;
}

// Examines `path`; *there: a replaceable folder exists.
static bool examine(const char *path, const char *mark, struct found *found, bool *there,
                    struct lit_error *error)
{
    OWNED(text_free) struct text place = {0}, list = {0};
    struct stat what;
    *there = false;
    if (!lit_file_is_free(path, error))
        return false;
    if (stat(path, &what) != 0)
        return errno == ENOENT || fail(error, path);
    if (!S_ISDIR(what.st_mode))
        return lit_fail(error, LIT_EXIT_USAGE, "%.300s is there and no folder", path);
    if (!look(path, "", found))
        return fail(error, path);
    text_printf(&place, "%s/%s", path, mark ? mark : "");
    *there = true;
    if (found->file_count + found->folder_count == 0 && !found->foreign)
        return true;
    if (!mark)
        return lit_fail(error, LIT_EXIT_USAGE, "%.300s is there and not empty", path);
    if (access(place.data, F_OK) != 0 || !text_read(&list, place.data, MOST_MARK))
        return lit_fail(error, LIT_EXIT_USAGE,
                        "%.300s is there and not empty, and not ours to replace: it has no %s",
                        path, mark);
    const char *other = found->foreign;
    for (size_t i = 0; i < found->file_count && !other; i++)
        if (strcmp(found->files[i], mark) != 0 && !is_listed(&list, found->files[i]))
            other = found->files[i];
    return !other || lit_fail(error, LIT_EXIT_USAGE,
                              "%.200s has '%.200s', which was not written with it: move it away "
                              "first",
                              path, other);
}

bool lit_folder_check(const char *path, const char *mark, struct lit_error *error)
{
    struct found found = {0};
    bool there;
    const bool good = examine(path, mark, &found, &there, error);
    clear_found(&found);
    return good;
}

// ---- writing

bool lit_folder_make(const char *path, struct lit_error *error)
{
    return lit_file_is_free(path, error) &&
           ((lit_path_make_above(path) && (mkdir(path, 0777) == 0 || errno == EEXIST)) ||
            fail(error, path));
}

static void remove_found(const char *path, const struct found *found)
{
    OWNED(text_free) struct text place = {0};
    for (size_t i = 0; i < found->file_count + found->folder_count; i++) {
        const bool is_file = i < found->file_count;
        text_free(&place);
        text_printf(&place, "%s/%s", path,
                    is_file ? found->files[i] : found->folders[i - found->file_count]);
        if (is_file)
            unlink(place.data);
        else
            rmdir(place.data);
    }
    rmdir(path);
}

static void remove_made(const char *path)
{
    struct found found = {0};
    look(path, "", &found);
    remove_found(path, &found);
    clear_found(&found);
}

static bool put_files(const struct lit_folder *folder, const char *path, const char *mark,
                      struct lit_error *error)
{
    OWNED(text_free) struct text place = {0}, list = {0};
    text_puts(&list, "Written by litmus: these files, which it replaces when it writes them "
                     "again.\n");
    for (size_t i = 0; i < folder->count + (mark != NULL); i++) {
        const bool last = i == folder->count;
        const struct text *content = last ? &list : &folder->files[i].content;
        text_free(&place);
        text_printf(&place, "%s/%s", path, last ? mark : folder->files[i].name);
        if (!lit_path_make_above(place.data))
            return fail(error, place.data);
        if (!lit_file_write(place.data, content->data ? content->data : "", content->length, error))
            return false;
        if (!last)
            text_printf(&list, "%s\n", folder->files[i].name);
    }
    return true;
}

// Moves `made` to `path`; `old`, an empty folder, gets the previous content.
static bool put_in_place(const char *made, const char *path, const char *old)
{
#ifdef RENAME_EXCHANGE
    if (renameat2(AT_FDCWD, made, AT_FDCWD, path, RENAME_EXCHANGE) == 0)
        return rmdir(old) == 0 && rename(made, old) == 0;
#endif
    // Some systems cannot rename a folder onto an empty one.
    if (rmdir(old) != 0 || rename(path, old) != 0)
        return false;
    if (rename(made, path) == 0)
        return true;
    const int number = errno;
    rename(old, path);
    errno = number;
    return false;
}

// Creates a folder beside another.
static bool make_beside(struct text *name, const char *path)
{
    text_printf(name, "%s.XXXXXX", path);
    return lit_path_make_above(name->data) && mkdtemp(name->data);
}

// Replaces a link by its target.
static void follow(char **path)
{
    char first;
    char *target = readlink(*path, &first, 1) >= 0 ? realpath(*path, NULL) : NULL;
    if (target) {
        free(*path);
        *path = target;
    }
}

bool lit_folder_write(const struct lit_folder *folder, const char *given, const char *mark,
                      struct lit_error *error)
{
    OWNED(text_free) struct text made = {0}, old = {0};
    OWNED(lit_free) char *path = lit_strdup(given);
    struct found found = {0};
    bool there;
    for (size_t length = strlen(path); length > 1 && strchr(PATH_SEPARATORS, path[length - 1]);)
        path[--length] = '\0';
    follow(&path);
    bool good = examine(path, mark, &found, &there, error);
    if (good && !make_beside(&made, path)) {
        good = fail(error, path);
        text_free(&made);
    }
    const mode_t mask = umask(0);
    umask(mask);
    good = good && (chmod(made.data, 0777 & ~mask) == 0 || fail(error, made.data)) &&
           put_files(folder, made.data, mark, error);
    if (good && there)
        good = (make_beside(&old, path) && put_in_place(made.data, path, old.data)) ||
               fail(error, path);
    else if (good)
        good = rename(made.data, path) == 0 || fail(error, path);
    // Another process may have written the folder meanwhile: removes our kind of files, whoever
    // wrote them.
    clear_found(&found);
    found = (struct found){0};
    if (good && there && examine(old.data, mark, &found, &there, error))
        remove_found(old.data, &found);
    else if (good && there)
        good = lit_fail(error, LIT_EXIT_USAGE, "%.200s: what was in it meanwhile is in %.200s",
                        path, old.data);
    if (!good && old.data)
        rmdir(old.data);
    if (!good && made.data)
        remove_made(made.data);
    clear_found(&found);
    return good && (lit_file_sync_name(path) || fail(error, path));
}
