// SPDX-License-Identifier: Apache-2.0
// Lines of code.
#include "isa/listing.h"

#include "isa/decode.h"

#include <stdlib.h>
#include <string.h>

static void add_line(struct isa_listing *listing, const char *text, size_t length, uint32_t address)
{
    char *copy = lit_alloc(length + 1, 1);
    memcpy(copy, text, length);
    listing->lines[listing->count++] = (struct isa_line){.text = copy, .address = address};
}

static void list_text(const struct isa_piece *piece, struct isa_listing *listing)
{
    size_t count = 0;
    for (size_t i = 0; i < piece->size; i++)
        count += piece->bytes[i] == '\n';
    *listing = (struct isa_listing){.by = "the driver",
                                    .lines = lit_alloc(count + 1, sizeof *listing->lines)};
    for (size_t at = 0; at < piece->size;) {
        const char *line = piece->bytes + at;
        const char *end = memchr(line, '\n', piece->size - at);
        const size_t length = end ? (size_t)(end - line) : piece->size - at;
        add_line(listing, line, length, SASS_NOWHERE);
        at += length + 1;
    }
}

// Code is filled up to its end with instructions that nothing reaches: a branch to itself and NOPs.
static size_t without_padding(const struct sass_code *code)
{
    size_t count = code->count;
    while (count > 1 && strcmp(code->insns[count - 1].text, "NOP") == 0)
        count--;
    const struct sass_insn *last = &code->insns[count - 1];
    if (count > 1 && last->op == SASS_BRA && last->target == last->address)
        count--;
    return count;
}

void isa_list_sass(struct sass_code *code, const char *by, struct isa_listing *listing)
{
    const size_t count = code->count ? without_padding(code) : 0;
    *listing = (struct isa_listing){
        .by = by, .sass = *code, .lines = lit_alloc(count + 1, sizeof *listing->lines)};
    *code = (struct sass_code){0};
    for (size_t i = 0; i < count; i++)
        add_line(listing, listing->sass.insns[i].text, strlen(listing->sass.insns[i].text),
                 listing->sass.insns[i].address);
}

bool isa_list(const struct isa_piece *piece, struct isa_listing *listing, struct lit_error *error)
{
    struct sass_code code;
    *listing = (struct isa_listing){0};
    if (piece->source == ISA_TEXT) {
        list_text(piece, listing);
        return true;
    }
    if (piece->source != ISA_MACHINE)
        return lit_fail(error, LIT_EXIT_USAGE, "a %s cannot be listed",
                        isa_source_name(piece->source));
    if (!sass_decode((const uint8_t *)piece->bytes, piece->size, piece->architecture, &code, error))
        return false;
    isa_list_sass(&code, "the built-in decoder", listing);
    return true;
}

void isa_listing_clear(struct isa_listing *listing)
{
    for (size_t i = 0; i < listing->count; i++)
        free(listing->lines[i].text);
    free(listing->lines);
    sass_code_clear(&listing->sass);
    *listing = (struct isa_listing){0};
}

size_t isa_exchanges(const struct isa_listing *listing)
{
    size_t count = 0;
    for (size_t i = 0; i < listing->count && i < listing->sass.count; i++)
        count += sass_is_exchange(listing->sass.insns[i].op);
    return count;
}
