// SPDX-License-Identifier: Apache-2.0
// The compiled code of a pipeline: collected, packed and unpacked, as files.
#include "isa/code.h"

#include "base/file.h"
#include "base/folder.h"

#include <endian.h>
#include <stdarg.h>

#define MAX_LINE 512
// Limits of the packed form, above what any driver should report.
#define MOST_PARTS   4096
#define CACHE_HEADER 32 // bytes of VkPipelineCacheHeaderVersionOne
#define MAGIC        "litmus code 1\n"
#define KEPT_DEVICES 16 // where to look
#define KEPT_PIECES  9
#define NAME_LONGEST 200 // bytes; file systems take 255 with what comes behind

const char *isa_source_name(enum isa_source source)
{
    static const char *const names[ISA_SOURCES] = {
        [ISA_TEXT] = "representation",  [ISA_BYTES] = "binary representation",
        [ISA_CACHE] = "pipeline cache", [ISA_BINARY] = "pipeline binary",
        [ISA_MACHINE] = "machine code", [ISA_CONSTANTS] = "constants",
    };
    return names[source];
}

void isa_code_clear(struct isa_code *code)
{
    for (size_t i = 0; i < code->statistic_count; i++) {
        free(code->statistics[i].name);
        free(code->statistics[i].about);
        free(code->statistics[i].value);
    }
    for (size_t i = 0; i < code->piece_count; i++) {
        free(code->pieces[i].name);
        free(code->pieces[i].about);
        free(code->pieces[i].bytes);
    }
    for (size_t i = 0; i < code->remark_count; i++)
        free(code->remarks[i]);
    free(code->statistics);
    free(code->pieces);
    free(code->remarks);
    *code = (struct isa_code){0};
}

// --- Adding

static char *clean_line(const char *line)
{
    char clean[MAX_LINE];
    text_sanitise(clean, sizeof clean, line);
    return lit_strdup(clean);
}

// Copies text of several lines, up to the first NUL; terminates the last line if necessary.
static char *clean_text(const char *bytes, size_t size, size_t *length)
{
    const size_t end = strnlen(bytes, size);
    char *copy = lit_alloc(end + 2, 1), *clean = lit_alloc(end + 2, 1);
    memcpy(copy, bytes, end);
    if (end && copy[end - 1] != '\n')
        copy[end] = '\n';
    text_sanitise_lines(clean, end + 2, copy);
    free(copy);
    *length = strlen(clean);
    return clean;
}

void isa_add_statistic(struct isa_code *code, const char *name, const char *about,
                       const char *value)
{
    LIT_ADD(code->statistics, code->statistic_count) = (struct isa_statistic){
        .name = clean_line(name), .about = clean_line(about), .value = clean_line(value)};
}

struct isa_piece *isa_add_piece(struct isa_code *code, enum isa_source source, const char *name,
                                const char *about, const void *bytes, size_t size)
{
    struct isa_piece piece = {.source = source, .size = size};
    if (size > ISA_MOST_BYTES) {
        isa_remark(code, "%.100s: only the first %zu of %zu bytes were kept", name, ISA_MOST_BYTES,
                   size);
        piece.size = size = ISA_MOST_BYTES;
    }
    if (source == ISA_TEXT) {
        piece.bytes = clean_text(bytes, size, &piece.size);
    } else {
        piece.bytes = lit_alloc(size + 1, 1);
        if (size)
            memcpy(piece.bytes, bytes, size);
    }
    piece.name = clean_line(name);
    piece.about = clean_line(about);
    LIT_ADD(code->pieces, code->piece_count) = piece;
    return &code->pieces[code->piece_count - 1];
}

void isa_remark(struct isa_code *code, const char *format, ...)
{
    char line[MAX_LINE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    LIT_ADD(code->remarks, code->remark_count) = clean_line(line);
}

// --- Queries

const char *isa_statistic(const struct isa_code *code, const char *name)
{
    for (size_t i = 0; i < code->statistic_count; i++)
        if (strcmp(code->statistics[i].name, name) == 0)
            return code->statistics[i].value;
    return "";
}

const struct isa_piece *isa_find(const struct isa_code *code, enum isa_source source)
{
    for (size_t i = 0; i < code->piece_count; i++)
        if (code->pieces[i].source == source)
            return &code->pieces[i];
    return NULL;
}

const struct isa_piece *isa_lowest(const struct isa_code *code)
{
    const struct isa_piece *lowest = isa_find(code, ISA_MACHINE);
    for (size_t i = code->piece_count; i-- > 0 && !lowest;)
        if (code->pieces[i].source == ISA_TEXT)
            lowest = &code->pieces[i];
    return lowest;
}

bool isa_is_empty(const struct isa_code *code)
{
    for (size_t i = 0; i < code->piece_count; i++)
        if (code->pieces[i].source != ISA_CACHE || code->pieces[i].size > CACHE_HEADER)
            return false;
    return code->statistic_count == 0;
}

void isa_digest(const struct isa_piece *piece, char target[IDENTITY_SIZE])
{
    target[0] = '\0';
    if (piece)
        identity_of(piece->bytes, piece->size, target);
}

// --- Packed form: the magic line, three counts, then each string as its length and bytes. Numbers
// are 32-bit little-endian. The same functions write and read.

struct packing {
    struct text *out;  // NULL: reading
    const char *bytes; // remaining input
    size_t left;
    bool wrong; // the input is invalid: everything after is read as 0 and empty
};

static void pack_number(struct packing *p, size_t *number, size_t most)
{
    uint32_t word = htole32((uint32_t)*number);
    if (p->out) {
        text_append(p->out, (const char *)&word, sizeof word);
        return;
    }
    p->wrong |= p->left < sizeof word;
    if (!p->wrong) {
        memcpy(&word, p->bytes, sizeof word);
        p->bytes += sizeof word;
        p->left -= sizeof word;
        p->wrong = le32toh(word) > most;
    }
    *number = p->wrong ? 0 : le32toh(word);
}

static void pack_bytes(struct packing *p, const char **bytes, size_t *size)
{
    pack_number(p, size, ISA_MOST_BYTES);
    if (p->out) {
        text_append(p->out, *bytes, *size);
        return;
    }
    p->wrong |= *size > p->left;
    *size = p->wrong ? 0 : *size;
    *bytes = p->bytes;
    p->bytes += *size;
    p->left -= *size;
}

// When reading, the line goes to `room`.
static void pack_line(struct packing *p, const char *line, char room[MAX_LINE])
{
    size_t size = p->out ? strlen(line) : 0;
    pack_bytes(p, &line, &size);
    if (p->out)
        return;
    p->wrong |= size >= MAX_LINE || memchr(line, 0, size);
    snprintf(room, MAX_LINE, "%.*s", p->wrong ? 0 : (int)size, line);
}

// Writes *code, or reads and adds to it.
static void pack(struct packing *p, struct isa_code *code)
{
    char name[MAX_LINE], about[MAX_LINE], value[MAX_LINE];
    const bool writes = p->out;
    size_t statistics = code->statistic_count, pieces = code->piece_count;
    size_t remarks = code->remark_count;
    pack_number(p, &statistics, MOST_PARTS);
    pack_number(p, &pieces, MOST_PARTS);
    pack_number(p, &remarks, MOST_PARTS);
    for (size_t i = 0; i < statistics && !p->wrong; i++) {
        const struct isa_statistic one = writes ? code->statistics[i] : (struct isa_statistic){0};
        pack_line(p, one.name, name);
        pack_line(p, one.about, about);
        pack_line(p, one.value, value);
        if (!writes && !p->wrong)
            isa_add_statistic(code, name, about, value);
    }
    for (size_t i = 0; i < pieces && !p->wrong; i++) {
        struct isa_piece one = writes ? code->pieces[i] : (struct isa_piece){0};
        size_t source = one.source, architecture = one.architecture;
        const char *bytes = one.bytes;
        pack_number(p, &source, ISA_SOURCES - 1);
        pack_number(p, &architecture, 999);
        pack_line(p, one.name, name);
        pack_line(p, one.about, about);
        pack_bytes(p, &bytes, &one.size);
        if (!writes && !p->wrong)
            isa_add_piece(code, (enum isa_source)source, name, about, bytes, one.size)
                ->architecture = (uint32_t)architecture;
    }
    for (size_t i = 0; i < remarks && !p->wrong; i++) {
        pack_line(p, writes ? code->remarks[i] : NULL, name);
        if (!writes && !p->wrong)
            isa_remark(code, "%s", name);
    }
}

void isa_pack(const struct isa_code *code, struct text *bytes)
{
    struct isa_code all = *code;
    text_puts(bytes, MAGIC);
    pack(&(struct packing){.out = bytes}, &all);
}

bool isa_unpack(const char *bytes, size_t size, struct isa_code *code, struct lit_error *error)
{
    const size_t magic = strlen(MAGIC);
    *code = (struct isa_code){0};
    if (size < magic || memcmp(bytes, MAGIC, magic) != 0)
        return lit_fail(error, LIT_EXIT_USAGE, "not packed code");
    struct packing source = {.bytes = bytes + magic, .left = size - magic};
    pack(&source, code);
    if (!source.wrong && source.left == 0)
        return true;
    isa_code_clear(code);
    return lit_fail(error, LIT_EXIT_USAGE, "packed code is cut or corrupted");
}

// --- Files

bool isa_keep_start(const char *folder, struct lit_error *error)
{
    return lit_folder_check(folder, NULL, error) && lit_folder_make(folder, error);
}

// "FOLDER/device-N/NAME"; a long name keeps its start and gets a hash of the whole.
static void put_base(struct text *path, const char *folder, unsigned device, const char *name)
{
    text_printf(path, "%s/device-%u/", folder, device);
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
    OWNED(text_free) struct text path = text_format("%s.%s", base->data, extension);
    const bool good =
        !lines->length || lit_file_write(path.data, lines->data, lines->length, error);
    text_free(lines);
    return good;
}

bool isa_keep(const char *folder, unsigned device, const char *name, const struct isa_code *code,
              struct lit_error *error)
{
    OWNED(text_free) struct text within = {0}, base = {0}, statistics = {0}, remarks = {0};
    text_printf(&within, "%s/device-%u", folder, device);
    bool good = lit_folder_make(within.data, error);
    put_base(&base, folder, device, name);
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
    put_base(&path, folder, device, name);
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
            put_base(&path, folder, device, name);
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
