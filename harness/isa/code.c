// SPDX-License-Identifier: Apache-2.0
// The compiled code of a pipeline: collected, packed and unpacked.
#include "isa/code.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LINE 512
// Of the packed form: more than a driver has reason to give.
#define MOST_PARTS   4096
#define CACHE_HEADER 32 // bytes of VkPipelineCacheHeaderVersionOne
#define MAGIC        "litmus code 1\n"

const char *isa_source_name(enum isa_source source)
{
    static const char *const names[ISA_SOURCES] = {
        [ISA_TEXT] = "representation",  [ISA_BYTES] = "binary representation",
        [ISA_CACHE] = "pipeline cache", [ISA_BINARY] = "pipeline binary",
        [ISA_MACHINE] = "machine code",
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

// Text of many lines, up to the first NUL; the last one is ended, too.
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
    code->pieces = lit_grow(code->pieces, code->piece_count, sizeof *code->pieces);
    code->pieces[code->piece_count] = piece;
    return &code->pieces[code->piece_count++];
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

// --- Looking

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

// --- Packed: the magic line, three counts, then every string as its length and its bytes. Numbers
// are 32 bits, the low byte first.

static void put_number(struct text *bytes, size_t number)
{
    const char word[4] = {(char)(number & 0xff), (char)(number >> 8 & 0xff),
                          (char)(number >> 16 & 0xff), (char)(number >> 24 & 0xff)};
    text_append(bytes, word, sizeof word);
}

static void put_bytes(struct text *bytes, const char *data, size_t size)
{
    put_number(bytes, size);
    text_append(bytes, data, size);
}

static void put_string(struct text *bytes, const char *string)
{
    put_bytes(bytes, string, strlen(string));
}

void isa_pack(const struct isa_code *code, struct text *bytes)
{
    text_puts(bytes, MAGIC);
    put_number(bytes, code->statistic_count);
    put_number(bytes, code->piece_count);
    put_number(bytes, code->remark_count);
    for (size_t i = 0; i < code->statistic_count; i++) {
        put_string(bytes, code->statistics[i].name);
        put_string(bytes, code->statistics[i].about);
        put_string(bytes, code->statistics[i].value);
    }
    for (size_t i = 0; i < code->piece_count; i++) {
        const struct isa_piece *piece = &code->pieces[i];
        put_number(bytes, piece->source);
        put_number(bytes, piece->architecture);
        put_string(bytes, piece->name);
        put_string(bytes, piece->about);
        put_bytes(bytes, piece->bytes, piece->size);
    }
    for (size_t i = 0; i < code->remark_count; i++)
        put_string(bytes, code->remarks[i]);
}

struct source {
    const char *bytes;
    size_t left;
    bool wrong;
};

static size_t take_number(struct source *source, size_t most)
{
    const unsigned char *word = (const unsigned char *)source->bytes;
    if (source->wrong || source->left < 4) {
        source->wrong = true;
        return 0;
    }
    const size_t number =
        (size_t)word[0] | (size_t)word[1] << 8 | (size_t)word[2] << 16 | (size_t)word[3] << 24;
    source->bytes += 4;
    source->left -= 4;
    source->wrong = number > most;
    return source->wrong ? 0 : number;
}

static const char *take_bytes(struct source *source, size_t *size)
{
    const char *bytes = NULL;
    *size = take_number(source, ISA_MOST_BYTES);
    if (*size > source->left)
        source->wrong = true;
    if (source->wrong) {
        *size = 0;
        return "";
    }
    bytes = source->bytes;
    source->bytes += *size;
    source->left -= *size;
    return bytes;
}

// A line of at most MAX_LINE bytes into `target`.
static const char *take_line(struct source *source, char target[MAX_LINE])
{
    size_t size = 0;
    const char *bytes = take_bytes(source, &size);
    if (size >= MAX_LINE || memchr(bytes, 0, size)) {
        source->wrong = true;
        size = 0;
    }
    memcpy(target, bytes, size);
    target[size] = '\0';
    return target;
}

static void take_piece(struct source *source, struct isa_code *code)
{
    char name[MAX_LINE], about[MAX_LINE];
    size_t size = 0;
    const enum isa_source from = (enum isa_source)take_number(source, ISA_SOURCES - 1);
    const uint32_t architecture = (uint32_t)take_number(source, 999);
    take_line(source, name);
    take_line(source, about);
    const char *bytes = take_bytes(source, &size);
    if (!source->wrong)
        isa_add_piece(code, from, name, about, bytes, size)->architecture = architecture;
}

bool isa_unpack(const char *bytes, size_t size, struct isa_code *code, struct lit_error *error)
{
    struct source source = {.bytes = bytes, .left = size};
    char line[3][MAX_LINE];
    const size_t magic = strlen(MAGIC);
    *code = (struct isa_code){0};
    if (size < magic || memcmp(bytes, MAGIC, magic) != 0)
        return lit_fail(error, LIT_EXIT_USAGE, "not packed code");
    source.bytes += magic;
    source.left -= magic;
    const size_t statistics = take_number(&source, MOST_PARTS);
    const size_t pieces = take_number(&source, MOST_PARTS);
    const size_t remarks = take_number(&source, MOST_PARTS);
    for (size_t i = 0; i < statistics && !source.wrong; i++) {
        for (size_t k = 0; k < 3; k++)
            take_line(&source, line[k]);
        if (!source.wrong)
            isa_add_statistic(code, line[0], line[1], line[2]);
    }
    for (size_t i = 0; i < pieces && !source.wrong; i++)
        take_piece(&source, code);
    for (size_t i = 0; i < remarks && !source.wrong; i++) {
        take_line(&source, line[0]);
        if (!source.wrong)
            isa_remark(code, "%s", line[0]);
    }
    if (!source.wrong && source.left == 0)
        return true;
    isa_code_clear(code);
    return lit_fail(error, LIT_EXIT_USAGE, "packed code is cut or corrupted");
}
