// SPDX-License-Identifier: Apache-2.0
// Lexing of untrusted text: words, numbers and their positions.
#include "axiomatic/scan.h"

#include "base/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool fail(const struct axi_scan *scan, enum lit_exit code, const char *format,
                 va_list arguments)
{
    char message[256];
    vsnprintf(message, sizeof message, format, arguments);
    return lit_fail(scan->error, code, "line %u, column %td: %s", (unsigned)scan->line,
                    scan->at - scan->line_start + 1, message);
}

bool axi_wrong(const struct axi_scan *scan, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail(scan, LIT_EXIT_USAGE, format, arguments);
    va_end(arguments);
    return false;
}

bool axi_beyond(const struct axi_scan *scan, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail(scan, LIT_EXIT_UNDECIDED, format, arguments);
    va_end(arguments);
    return false;
}

static bool begins(const struct axi_scan *scan, const char *text)
{
    const size_t length = strlen(text);
    return (size_t)(scan->end - scan->at) >= length && memcmp(scan->at, text, length) == 0;
}

static void pass(struct axi_scan *scan, size_t bytes)
{
    for (; bytes && scan->at < scan->end; bytes--)
        if (*scan->at++ == '\n') {
            scan->line++;
            scan->line_start = scan->at;
        }
}

void axi_skip(struct axi_scan *scan)
{
    while (scan->at < scan->end) {
        if (begins(scan, "(*")) {
            while (scan->at < scan->end && !begins(scan, "*)"))
                pass(scan, 1);
            pass(scan, 2);
        } else if (memchr(" \t\r\n", *scan->at, 4)) {
            pass(scan, 1);
        } else {
            return;
        }
    }
}

bool axi_take(struct axi_scan *scan, const char *text)
{
    axi_skip(scan);
    const bool here = begins(scan, text);
    scan->at += here ? strlen(text) : 0;
    return here;
}

bool axi_expect(struct axi_scan *scan, const char *text)
{
    return axi_take(scan, text) || axi_wrong(scan, "'%s' expected", text);
}

static bool is_of_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static size_t word_length(const struct axi_scan *scan)
{
    size_t length = 0;
    while (scan->at + length < scan->end && is_of_word(scan->at[length]))
        length++;
    return length && !isdigit((unsigned char)*scan->at) ? length : 0;
}

bool axi_word(struct axi_scan *scan, char word[AXI_NAME])
{
    axi_skip(scan);
    const size_t length = word_length(scan);
    if (!length)
        return axi_wrong(scan, "a name expected");
    if (length >= AXI_NAME)
        return axi_wrong(scan, "a name of more than %d bytes", AXI_NAME - 1);
    memcpy(word, scan->at, length);
    word[length] = '\0';
    scan->at += length;
    return true;
}

bool axi_take_word(struct axi_scan *scan, const char *word)
{
    axi_skip(scan);
    const bool here = begins(scan, word) && word_length(scan) == strlen(word);
    scan->at += here ? strlen(word) : 0;
    return here;
}

bool axi_is_number(struct axi_scan *scan)
{
    axi_skip(scan);
    const char *at = scan->at;
    at += at < scan->end && *at == '-';
    return at < scan->end && isdigit((unsigned char)*at);
}

bool axi_number(struct axi_scan *scan, int64_t *number)
{
    if (!axi_is_number(scan))
        return axi_wrong(scan, "a number expected");
    const char *at = scan->at;
    const bool negative = *at == '-';
    at += negative;
    const unsigned base = scan->end - at > 2 && at[0] == '0' && at[1] == 'x' ? 16 : 10;
    at += base == 16 ? 2 : 0;
    const char *first = at;
    uint64_t value = 0;
    for (; at < scan->end && isxdigit((unsigned char)*at); at++) {
        const unsigned digit = isdigit((unsigned char)*at)
                                   ? (unsigned)(*at - '0')
                                   : (unsigned)(tolower((unsigned char)*at) - 'a') + 10;
        if (digit >= base)
            break;
        if (value > ((uint64_t)INT64_MAX - digit) / base)
            return axi_wrong(scan, "a number of more than 63 bits");
        value = value * base + digit;
    }
    if (at == first || (at < scan->end && is_of_word(*at)))
        return axi_wrong(scan, "a number expected");
    scan->at = at;
    *number = negative ? -(int64_t)value : (int64_t)value;
    return true;
}

bool axi_small(struct axi_scan *scan, uint32_t *number)
{
    int64_t value = 0;
    const struct axi_scan before = *scan;
    if (!axi_number(scan, &value))
        return false;
    if (value < 0 || value > 9999)
        return axi_wrong(&before, "a number from 0 to 9999 expected");
    *number = (uint32_t)value;
    return true;
}

int axi_reference(struct axi_program *program, const char *name)
{
    for (size_t i = 0; i < program->reference_count; i++)
        if (strcmp(program->references[i].name, name) == 0)
            return (int)i;
    if (program->reference_count == AXI_REFERENCES)
        return -1;
    struct axi_reference *added = &program->references[program->reference_count];
    snprintf(added->name, sizeof added->name, "%s", name);
    added->location = (uint8_t)program->reference_count;
    return (int)program->reference_count++;
}

struct axi_instruction *axi_append(struct axi_scan *scan, struct axi_thread *thread)
{
    if (thread->count == AXI_INSTRUCTIONS) {
        axi_beyond(scan, "more than %d instructions in a thread", AXI_INSTRUCTIONS);
        return NULL;
    }
    const struct axi_instruction empty = {
        .scope = AXI_SCOPES, .target = AXI_REGISTERS, .operator= AXI_REPLACE, .line = scan->line};
    LIT_ADD(thread->instructions, thread->count) = empty;
    return &thread->instructions[thread->count - 1];
}

bool axi_parse(const char *text, size_t size, struct axi_program *program, struct lit_error *error)
{
    const char *end = text + size;
    text += text_mark(text, size);
    struct axi_scan scan = {.at = text, .end = end, .line_start = text, .line = 1, .error = error};
    *program = (struct axi_program){.filter = AXI_TRUE};
    axi_skip(&scan);
    const bool is_vulkan = word_length(&scan) == 6 && strncasecmp(scan.at, "vulkan", 6) == 0;
    return is_vulkan ? axi_parse_vulkan(&scan, program) : axi_parse_alloy(&scan, program);
}
