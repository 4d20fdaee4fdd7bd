// SPDX-License-Identifier: Apache-2.0
// Files of what a driver gave.
#include "cli/isa_keep.h"

#include "base/file.h"
#include "repro/repro.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define NAME_LONGEST 200 // bytes; file systems take 255 with what comes behind

static bool make_folder(const char *path, struct lit_error *error)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST ||
           lit_fail(error, LIT_EXIT_USAGE, "cannot make %.300s: %s", path, strerror(errno));
}

bool cli_isa_keep_start(const char *folder, struct lit_error *error)
{
    return repro_folder_free(folder, error) && make_folder(folder, error);
}

// A long name keeps its start and gets a hash of the whole.
static void put_name(struct text *path, const char *name)
{
    const size_t start = path->length;
    uint32_t hash = 0x811c9dc5; // FNV-1a
    for (const char *c = name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 0x01000193;
    if (strlen(name) <= NAME_LONGEST)
        text_puts(path, name);
    else
        text_printf(path, "%.*s~%08x", NAME_LONGEST - 9, name, hash);
    for (size_t i = start; i < path->length; i++)
        if (path->data[i] == '/')
            path->data[i] = '~';
}

static const char *extension(enum isa_source source)
{
    static const char *const extensions[ISA_SOURCES] = {
        [ISA_TEXT] = "txt",      [ISA_BYTES] = "bin",    [ISA_CACHE] = "cache",
        [ISA_BINARY] = "binary", [ISA_MACHINE] = "code",
    };
    return extensions[source];
}

bool cli_isa_keep(const char *folder, unsigned device, const char *name,
                  const struct isa_code *code, struct lit_error *error)
{
    struct text base = {0}, path = {0}, content = {0};
    text_printf(&base, "%s/device-%u", folder, device);
    bool good = make_folder(base.data, error);
    text_puts(&base, "/");
    put_name(&base, name);
    for (size_t i = 0; i < code->statistic_count; i++)
        text_printf(&content, "%s: %s\n", code->statistics[i].name, code->statistics[i].value);
    text_printf(&path, "%s.statistics.txt", base.data);
    good =
        good && (!content.length || lit_file_write(path.data, content.data, content.length, error));
    text_free(&content);
    text_free(&path);
    for (size_t i = 0; i < code->remark_count; i++)
        text_printf(&content, "%s\n", code->remarks[i]);
    text_printf(&path, "%s.remarks.txt", base.data);
    good =
        good && (!content.length || lit_file_write(path.data, content.data, content.length, error));
    text_free(&content);
    for (size_t i = 0; good && i < code->piece_count; i++) {
        const struct isa_piece *piece = &code->pieces[i];
        text_free(&path);
        text_printf(&path, "%s.%zu.%s", base.data, i + 1, extension(piece->source));
        good = lit_file_write(path.data, piece->bytes, piece->size, error);
    }
    text_free(&path);
    text_free(&base);
    return good;
}
