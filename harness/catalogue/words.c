// SPDX-License-Identifier: Apache-2.0
#include "catalogue/words.h"

#include "base/text.h"

#define BLANKS " \t\r\n"

// Parses one word of `length` bytes.
static bool parse_word(const char *text, size_t length, uint32_t *word)
{
    char copy[16];
    const bool hexadecimal = length > 2 && text[0] == '0' && text[1] == 'x';
    const char *digits = hexadecimal ? "0123456789abcdefABCDEF" : "0123456789";
    const size_t from = hexadecimal ? 2 : 0;
    if (length == 0 || length >= sizeof copy)
        return false;
    snprintf(copy, sizeof copy, "%.*s", (int)length, text);
    if (copy[from + strspn(copy + from, digits)])
        return false;
    const unsigned long long value = strtoull(copy + from, NULL, hexadecimal ? 16 : 10);
    *word = (uint32_t)value;
    return value <= UINT32_MAX;
}

bool cat_words_parse(const char *text, size_t size, uint32_t **words, size_t *count,
                     struct lit_error *error)
{
    size_t at = 0, line = 1;
    *words = NULL;
    *count = 0;
    while (at < size) {
        const char *from = text + at;
        size_t length = 0;
        if (*from == ';' || (*from && strchr(BLANKS, *from))) {
            const char *newline = *from == ';' ? memchr(from, '\n', size - at) : NULL;
            line += *from == '\n';
            at = newline ? (size_t)(newline - text) : *from == ';' ? size : at + 1;
            continue;
        }
        while (at + length < size && from[length] && !strchr(BLANKS ";", from[length]))
            length++;
        uint32_t word;
        if (!parse_word(from, length, &word))
            return lit_fail(error, LIT_EXIT_USAGE, "%zu: not a word of 32 bits: '%.*s'", line,
                            (int)(length < 40 ? length : 40), from);
        if (*count == CAT_MOST_WORDS)
            return lit_fail(error, LIT_EXIT_USAGE, "%zu: more than %zu words", line,
                            CAT_MOST_WORDS);
        LIT_ADD(*words, *count) = word;
        at += length;
    }
    return *count || lit_fail(error, LIT_EXIT_USAGE, "%zu: no words", line);
}
