// SPDX-License-Identifier: Apache-2.0
// Values: of Amber scripts by their types, and of --push, --then and --buffer by their prefixes.
#include "kernel/plan.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>

// Parses "int8" to "uint64", "float", "double".
static bool parse_number(const char *text, size_t length, struct krn_type *type)
{
    static const struct {
        const char *name;
        char kind;
        uint32_t bits;
    } types[] = {{"int8", 'i', 8},   {"int16", 'i', 16},  {"int32", 'i', 32},  {"int64", 'i', 64},
                 {"uint8", 'u', 8},  {"uint16", 'u', 16}, {"uint32", 'u', 32}, {"uint64", 'u', 64},
                 {"float", 'f', 32}, {"double", 'f', 64}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i].name) == length && memcmp(types[i].name, text, length) == 0) {
            type->kind = types[i].kind;
            type->bits = types[i].bits;
            return true;
        }
    return false;
}

static bool is_size(char c)
{
    return c >= '2' && c <= '4';
}

bool krn_type_parse(const char *text, bool std140, struct krn_type *type)
{
    const char *open = strchr(text, '<');
    size_t length = strlen(text);
    *type = (struct krn_type){.columns = 1, .rows = 1};
    if (length > 2 && strcmp(text + length - 2, "[]") == 0)
        length -= 2;
    if (open && (open - text == 4 || open - text == 6) && length && text[length - 1] == '>') {
        const bool vector = open - text == 4 && strncmp(text, "vec", 3) == 0 && is_size(text[3]);
        const bool matrix = open - text == 6 && strncmp(text, "mat", 3) == 0 && is_size(text[3]) &&
                            text[4] == 'x' && is_size(text[5]);
        if (!vector && !matrix)
            return false;
        type->columns = matrix ? (uint32_t)(text[3] - '0') : 1;
        type->rows = (uint32_t)(text[matrix ? 5 : 3] - '0');
        length -= (size_t)(open + 2 - text);
        text = open + 1;
    }
    if (!parse_number(text, length, type))
        return false;
    type->column_bytes = type->bits / 8 * (type->rows == 3 ? 4 : type->rows);
    if (std140)
        type->column_bytes = (type->column_bytes + 15) / 16 * 16;
    type->bytes = type->column_bytes * type->columns;
    return true;
}

uint64_t krn_type_offset(const struct krn_type *type, uint64_t n)
{
    const uint64_t each = (uint64_t)type->columns * type->rows, of = n % each;
    return n / each * type->bytes + of / type->rows * type->column_bytes +
           of % type->rows * (type->bits / 8);
}

static bool parse_integer(const struct krn_type *type, const char *text, uint64_t *number)
{
    const bool negative = *text == '-';
    const char *digits = text + (negative || *text == '+');
    const uint64_t most = type->bits < 64 ? (UINT64_C(1) << type->bits) - 1 : UINT64_MAX;
    char *end;
    if (*digits < '0' || *digits > '9')
        return false;
    errno = 0;
    *number = strtoull(digits, &end, strncmp(digits, "0x", 2) == 0 ? 16 : 10);
    if (*end || errno || *number > (negative ? most / 2 + 1 : most))
        return false;
    *number = negative ? 0 - *number : *number;
    return true;
}

// Parses a real number without a fraction.
static bool parse_whole(const char *text, struct krn_value *value)
{
    char *end;
    const double real = strtod(text, &end);
    value->number = fabs(real) < 0x1p31 ? (uint64_t)(int64_t)real : 0;
    return end > text && !*end && fabs(real) < 0x1p31 && real == (double)(int64_t)value->number;
}

bool krn_value_parse(const struct krn_type *type, const char *text, struct krn_value *value)
{
    const char first = text[strspn(text, "+-")];
    char *end;
    *value = (struct krn_value){0};
    // 1.0 is also an integer.
    if (type->kind != 'f')
        return parse_integer(type, text, &value->number) ||
               (strchr(text, '.') && text[strspn(text, "-0123456789.")] == '\0' &&
                parse_whole(text, value));
    if (first != '.' && (first < '0' || first > '9') && strcmp(text, "nan") != 0 &&
        strcmp(text, "inf") != 0 && strcmp(text, "-inf") != 0)
        return false;
    value->real = strtod(text, &end);
    return end > text && !*end;
}

void krn_value_bytes(const struct krn_type *type, const struct krn_value *first,
                     const struct krn_value *step, uint64_t n, uint8_t bytes[8])
{
    const uint64_t number = first->number + (step ? step->number * n : 0);
    const double real = first->real + (step ? step->real * (double)n : 0);
    const float single = (float)real;
    if (type->kind != 'f')
        memcpy(bytes, &number, sizeof number);
    else if (type->bits == 32)
        memcpy(bytes, &single, sizeof single);
    else
        memcpy(bytes, &real, sizeof real);
}

// --- Options

// A prefix applies until the next one; WORD has none.
enum kind { U32, F32, HEX, ADDRESS, WORD };
static const char *const prefixes[WORD] = {"u32:", "f32:", "hex:", "address:"};

static enum kind find_prefix(const char *text)
{
    enum kind kind = U32;
    while (kind < WORD && strncmp(text, prefixes[kind], strlen(prefixes[kind])) != 0)
        kind++;
    return kind;
}

bool krn_values_are(const char *text)
{
    return find_prefix(text) < WORD;
}

void krn_values_clear(struct krn_values *values)
{
    text_free(&values->bytes);
    free(values->addresses);
    *values = (struct krn_values){0};
}

static bool put_hex(const char *digits, struct text *bytes)
{
    const size_t length = strlen(digits);
    if (!length || length % 2 || strspn(digits, "0123456789abcdefABCDEF") != length)
        return false;
    for (size_t i = 0; i < length; i += 2) {
        const char pair[] = {digits[i], digits[i + 1], '\0'};
        text_append(bytes, &(char){(char)strtoul(pair, NULL, 16)}, 1);
    }
    return true;
}

static bool put_address(const char *place, struct krn_values *values)
{
    struct krn_address address = {.at = values->bytes.length};
    const char *end;
    if (!krn_take_place(place, &address.of, &end) || *end)
        return false;
    LIT_ADD(values->addresses, values->address_count) = address;
    text_append(&values->bytes, "\0\0\0\0\0\0\0\0", 8);
    return true;
}

// Digits after a 0 are no number: somebody may mean bytes by them.
static bool put_word(enum kind kind, const char *number, struct text *bytes)
{
    const bool is_float = kind == F32 || (kind == WORD && strchr(number, '.'));
    const struct krn_type type = {.kind = is_float ? 'f' : 'u', .bits = 32};
    struct krn_value value;
    uint8_t word[8];
    if ((!is_float && number[0] == '0' && isdigit((unsigned char)number[1])) ||
        !krn_value_parse(&type, number, &value))
        return false;
    krn_value_bytes(&type, &value, NULL, 0, word);
    text_append(bytes, (const char *)word, sizeof(uint32_t));
    return true;
}

bool krn_values_take(const char *option, const char *text, struct krn_values *values,
                     struct lit_error *error)
{
    static const char *const wanted[] = {
        [U32] = "an integer of 32 bits, as in u32:64,0x40,-1",
        [F32] = "a number, as in f32:1.5,-2",
        [HEX] = "pairs of hexadecimal digits, as in hex:00c0de",
        [ADDRESS] = "a buffer, as in address:0.2",
        [WORD] = "a number: u32:..., f32:..., hex:..., address:SET.BINDING or file:FILE"};
    enum kind kind = WORD;
    for (const char *at = text;; at++) {
        const enum kind next = find_prefix(at);
        OWNED(text_free) struct text one = {0};
        if (next < WORD)
            at += strlen(prefixes[kind = next]);
        text_puts(&one, "");
        text_append(&one, at, strcspn(at, ","));
        if (!(kind == HEX       ? put_hex(one.data, &values->bytes)
              : kind == ADDRESS ? put_address(one.data, values)
                                : put_word(kind, one.data, &values->bytes)))
            return lit_fail(error, LIT_EXIT_USAGE, "--%s '%.80s': '%.60s' is not %s", option, text,
                            one.data, wanted[kind]);
        at += one.length;
        if (!*at)
            return true;
    }
}
