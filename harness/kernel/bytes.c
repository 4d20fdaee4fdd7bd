// SPDX-License-Identifier: Apache-2.0
// Values in the form of --push, --then and --buffer.
#include "kernel/plan.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SPELLINGS "u32:..., f32:..., hex:..., address:SET.BINDING or file:FILE"

static int digit(char c)
{
    const char *digits = "0123456789abcdef", *at = strchr(digits, tolower((unsigned char)c));
    return c && at ? (int)(at - digits) : -1;
}

// An integer of -2^31 to 2^32 - 1: 64, 0x40, -1.
static bool take_integer(const char *text, size_t length, uint32_t *value)
{
    char *end;
    const size_t sign = *text == '-' || *text == '+';
    const bool hex = text[sign] == '0' && tolower((unsigned char)text[sign + 1]) == 'x';
    if (!isdigit((unsigned char)text[sign]))
        return false;
    errno = 0;
    const long long number = strtoll(text, &end, hex ? 16 : 10);
    *value = (uint32_t)number;
    return end == text + length && errno == 0 && number >= INT32_MIN &&
           number <= (long long)UINT32_MAX;
}

static bool take_float(const char *text, size_t length, uint32_t *value)
{
    char *end;
    const float real = strtof(text, &end);
    memcpy(value, &real, sizeof real);
    return length && !isspace((unsigned char)*text) && end == text + length;
}

static bool take_word(const char *text, size_t length, uint32_t *value)
{
    const bool is_float = memchr(text, '.', length) && strncmp(text, "0x", 2) != 0;
    return is_float ? take_float(text, length, value) : take_integer(text, length, value);
}

// Parses words without a prefix: "64,1,0.5", "0x40". False, without appending, if it is something
// else.
static bool put_numbers(const char *given, struct text *bytes)
{
    uint32_t value;
    bool good = strpbrk(given, ",.-") || strncmp(given, "0x", 2) == 0;
    for (const char *at = given; good;) {
        const size_t length = strcspn(at, ",");
        good = take_word(at, length, &value);
        if (good)
            text_append(bytes, (const char *)&value, sizeof value);
        if (!at[length])
            break;
        at += length + 1;
    }
    bytes->length = good ? bytes->length : 0;
    return good;
}

static bool put_hex(const char *given, size_t length, struct text *bytes)
{
    for (size_t i = 0; i < length; i++)
        if (digit(given[i]) < 0)
            return false;
    for (size_t i = 0; i + 1 < length; i += 2)
        text_append(bytes, &(char){(char)(digit(given[i]) * 16 + digit(given[i + 1]))}, 1);
    return length && length % 2 == 0;
}

static bool put_address(const char *text, size_t length, struct krn_values *values)
{
    struct krn_address address = {.at = values->bytes.length};
    const char *end;
    if (!krn_take_place(text, &address.of, &end) || end != text + length)
        return false;
    LIT_ADD(values->addresses, values->address_count) = address;
    text_append(&values->bytes, "\0\0\0\0\0\0\0\0", 8);
    return true;
}

// --- With a prefix, which applies until the next one

enum kind { U32, F32, HEX, ADDRESS, KINDS };
static const char *const prefixes[KINDS] = {"u32:", "f32:", "hex:", "address:"};

static size_t find_prefix(const char *text)
{
    size_t kind = 0;
    while (kind < KINDS && strncmp(text, prefixes[kind], strlen(prefixes[kind])) != 0)
        kind++;
    return kind;
}

bool krn_values_are(const char *text)
{
    return find_prefix(text) < KINDS;
}

void krn_values_clear(struct krn_values *values)
{
    text_free(&values->bytes);
    free(values->addresses);
    *values = (struct krn_values){0};
}

bool krn_values_take(const char *option, const char *text, struct krn_values *values,
                     struct lit_error *error)
{
    static const char *const wanted[KINDS] = {
        "an integer of 32 bits, as in u32:64,0x40,-1", "a number, as in f32:1.5,-2",
        "pairs of hexadecimal digits, as in hex:00c0de", "a buffer, as in address:0.2"};
    size_t kind = KINDS;
    for (const char *at = text;; at++) {
        const size_t next = find_prefix(at);
        uint32_t word;
        if (next < KINDS)
            at += strlen(prefixes[kind = next]);
        const size_t length = strcspn(at, ",");
        const bool is_word =
            kind == U32 ? take_integer(at, length, &word) : take_float(at, length, &word);
        const bool good = kind == HEX       ? put_hex(at, length, &values->bytes)
                          : kind == ADDRESS ? put_address(at, length, values)
                                            : is_word;
        if (!good)
            return lit_fail(error, LIT_EXIT_USAGE, "--%s '%.80s': '%.*s' is not %s", option, text,
                            length < 60 ? (int)length : 60, at, wanted[kind < KINDS ? kind : U32]);
        if (kind == U32 || kind == F32)
            text_append(&values->bytes, (const char *)&word, sizeof word);
        at += length;
        if (!*at)
            return true;
    }
}

bool krn_push_take(const char *option, const char *given, uint32_t size, struct krn_values *values,
                   struct lit_error *error)
{
    const size_t length = strlen(given);
    const bool digits = given[strspn(given, "0123456789")] == '\0';
    bool is_hex = true;
    struct lit_error why = {0};
    for (size_t i = 0; i < length; i++)
        is_hex = is_hex && digit(given[i]) >= 0;
    if (krn_values_are(given)) {
        if (!krn_values_take(option, given, values, error))
            return false;
    } else if (strncmp(given, "file:", 5) == 0) {
        if (!krn_bytes(given + 5, CAT_MOST_PUSH, &values->bytes, error))
            return false;
    } else if (put_numbers(given, &values->bytes)) {
    } else if (is_hex && length == 2 * (size_t)size && (size > 4 || !digits)) {
        put_hex(given, length, &values->bytes);
    } else if (is_hex && length) {
        // As many digits as one word has may also be a number.
        OWNED(text_free) struct text spellings = {0};
        if (digits)
            text_printf(&spellings, "u32:%.40s, f32:%.40s, ", given, given);
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--%s '%.40s' is ambiguous: %shex:%.40s or file:%.40s", option, given,
                        spellings.length ? spellings.data : "", given, given);
    } else if (!krn_bytes(given, CAT_MOST_PUSH, &values->bytes, &why)) {
        return lit_fail(error, LIT_EXIT_USAGE, "--%s: %.200s; values are spelt " SPELLINGS, option,
                        why.message);
    }
    return values->bytes.length == size ||
           lit_fail(error, LIT_EXIT_USAGE,
                    "--%s: %zu bytes, where the module has %" PRIu32 " of push constants", option,
                    values->bytes.length, size);
}
