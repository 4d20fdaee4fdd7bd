// SPDX-License-Identifier: Apache-2.0
// Compiled code as files.
#include "isa/code.h"

#include "base/file.h"
#include "base/folder.h"
#include "base/random.h"

#include <string.h>

#define KEPT_DEVICES 16 // where to look
#define KEPT_PIECES  9
#define NAME_LONGEST 200 // bytes; file systems take 255 with what comes behind

bool isa_keep_start(const char *folder, struct lit_error *error)
{
    return lit_folder_check(folder, NULL, error) && lit_folder_make(folder, error);
}

// A long name keeps its start and gets a hash of the whole.
static void put_name(struct text *path, const char *name)
{
    const size_t start = path->length;
    if (strlen(name) <= NAME_LONGEST)
        text_puts(path, name);
    else
        text_printf(path, "%.*s~%08x", NAME_LONGEST - 9, name,
                    (uint32_t)hash_bytes(HASH_START, name, strlen(name)));
    for (size_t i = start; i < path->length; i++)
        if (path->data[i] == '/')
            path->data[i] = '~';
}

static const char *extension(enum isa_source source)
{
    static const char *const extensions[ISA_SOURCES] = {
        [ISA_TEXT] = "txt",      [ISA_BYTES] = "bin",    [ISA_CACHE] = "cache",
        [ISA_BINARY] = "binary", [ISA_MACHINE] = "code", [ISA_CONSTANTS] = "constants",
    };
    return extensions[source];
}

// Writes lines as a file, unless there are none, and frees them.
static bool write_lines(const struct text *base, const char *extension, struct text *lines,
                        struct lit_error *error)
{
    OWNED(text_free) struct text path = {0};
    text_printf(&path, "%s.%s", base->data, extension);
    const bool good =
        !lines->length || lit_file_write(path.data, lines->data, lines->length, error);
    text_free(lines);
    return good;
}

bool isa_keep(const char *folder, unsigned device, const char *name, const struct isa_code *code,
              struct lit_error *error)
{
    OWNED(text_free) struct text base = {0}, statistics = {0}, remarks = {0};
    text_printf(&base, "%s/device-%u", folder, device);
    bool good = lit_folder_make(base.data, error);
    text_puts(&base, "/");
    put_name(&base, name);
    for (size_t i = 0; i < code->statistic_count; i++)
        text_printf(&statistics, "%s: %s\n", code->statistics[i].name, code->statistics[i].value);
    for (size_t i = 0; i < code->remark_count; i++)
        text_printf(&remarks, "%s\n", code->remarks[i]);
    good = good && write_lines(&base, "statistics.txt", &statistics, error) &&
           write_lines(&base, "remarks.txt", &remarks, error);
    for (size_t i = 0; good && i < code->piece_count; i++) {
        const struct isa_piece *piece = &code->pieces[i];
        OWNED(text_free) struct text path = {0};
        text_printf(&path, "%s.%zu.%s", base.data, i + 1, extension(piece->source));
        good = lit_file_write(path.data, piece->bytes, piece->size, error);
    }
    return good;
}

// Lines "NAME: VALUE".
static void read_statistics(const char *folder, unsigned device, const char *name,
                            struct isa_code *code)
{
    OWNED(text_free) struct text path = {0}, lines = {0};
    text_printf(&path, "%s/device-%u/", folder, device);
    put_name(&path, name);
    text_puts(&path, ".statistics.txt");
    if (!text_read(&lines, path.data, ISA_MOST_BYTES) || !lines.data)
        return;
    char *rest = NULL;
    for (char *line = strtok_r(lines.data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *value = strstr(line, ": ");
        if (value) {
            *value = 0;
            isa_add_statistic(code, line, "", value + 2);
        }
    }
}

bool isa_kept(const char *folder, const char *name, struct isa_code *code)
{
    static const enum isa_source sources[] = {ISA_MACHINE, ISA_CONSTANTS, ISA_TEXT};
    const unsigned kinds = sizeof sources / sizeof *sources;
    for (unsigned device = 1; device <= KEPT_DEVICES && !code->piece_count; device++) {
        for (unsigned piece = 0; piece < kinds * KEPT_PIECES; piece++) {
            const enum isa_source source = sources[piece % kinds];
            OWNED(text_free) struct text path = {0}, bytes = {0};
            text_printf(&path, "%s/device-%u/", folder, device);
            put_name(&path, name);
            text_printf(&path, ".%u.%s", piece / kinds + 1, extension(source));
            if (text_read(&bytes, path.data, ISA_MOST_BYTES))
                isa_add_piece(code, source, "", "", bytes.data ? bytes.data : "", bytes.length)
                    ->architecture = source == ISA_MACHINE ? 90 : 0;
        }
        if (code->piece_count)
            read_statistics(folder, device, name, code);
    }
    return code->piece_count;
}
