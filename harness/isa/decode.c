// SPDX-License-Identifier: Apache-2.0
// Follows the patterns of instructions.txt; see there.

#include "base/text.h"
#include "isa/decode.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORM_BITS   9
#define OPCODE_MASK 0x1ffu

const char *sass_look_up(const char *at, const char *key, size_t length)
{
    while ((at = strchr(at, '\n')))
        if (strncmp(++at, key, length) == 0 && at[length] == ' ')
            return at + length + 1;
    return NULL;
}

uint64_t sass_field(struct sass_reading *reading, unsigned bit, unsigned width)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < width; i++) {
        const unsigned word = (bit + i) / 64, at = (bit + i) % 64;
        value |= (reading->bits[word] >> at & 1) << i;
        reading->seen[word] |= UINT64_C(1) << at;
    }
    return value;
}

void sass_not_known(struct sass_reading *reading)
{
    if (!reading->hidden)
        reading->unknown = true;
}

void sass_put(struct sass_reading *reading, const char *format, ...)
{
    if (reading->hidden)
        return;
    va_list arguments;
    va_start(arguments, format);
    const size_t room = sizeof reading->text - reading->length;
    const int length = vsnprintf(reading->text + reading->length, room, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= room)
        reading->unknown = true;
    else
        reading->length += (size_t)length;
}

// "76:3" or "76"; *pattern goes behind it.
static uint64_t read_field(struct sass_reading *reading, const char **pattern)
{
    char *end;
    const unsigned bit = (unsigned)strtoul(*pattern, &end, 10);
    const unsigned width = *end == ':' ? (unsigned)strtoul(end + 1, &end, 10) : 1;
    *pattern = end;
    return sass_field(reading, bit, width);
}

// "{76:3 .F .LT - ?}" behind its brace.
static const char *put_choice(struct sass_reading *reading, const char *pattern)
{
    const char *end = strchr(pattern, '}');
    uint64_t value = read_field(reading, &pattern);
    for (; *pattern == ' '; value--) {
        const char *word = pattern + 1;
        pattern = word + strcspn(word, " }");
        if (value > 0)
            continue;
        if (*word == '?')
            break;
        if (*word != '-')
            sass_put(reading, "%.*s", (int)(pattern - word), word);
        return end + 1;
    }
    sass_not_known(reading);
    return end + 1;
}

static const char *follow(struct sass_reading *reading, const char *pattern);

// "<81:3!7 , %p81>" behind its bracket. What is not shown is accounted for none the less: nvdisasm
// does not look at it either. A condition that shows nothing must hold.
static const char *put_condition(struct sass_reading *reading, const char *pattern)
{
    const uint64_t value = read_field(reading, &pattern);
    const bool equal = *pattern++ == '=';
    char *end;
    const bool holds = (value == strtoull(pattern, &end, 10)) == equal, was = reading->hidden;
    pattern = end + 1;
    if (*pattern == '>' && !holds)
        sass_not_known(reading);
    reading->hidden = was || !holds;
    pattern = follow(reading, pattern);
    reading->hidden = was;
    return pattern;
}

// "(FTZ)" behind its parenthesis: the pattern of that name.
static const char *put_named(struct sass_reading *reading, const char *name)
{
    const size_t length = strcspn(name, ")");
    follow(reading, sass_look_up(isa_instructions, name, length));
    return name + length + 1;
}

static const char *follow(struct sass_reading *reading, const char *pattern)
{
    while (*pattern != '\n' && *pattern != '>') {
        const char c = *pattern++;
        if (c == '{')
            pattern = put_choice(reading, pattern);
        else if (c == '<')
            pattern = put_condition(reading, pattern);
        else if (c == '(')
            pattern = put_named(reading, pattern);
        else if (c == '%')
            pattern = sass_put_operand(reading, pattern);
        else
            sass_put(reading, "%c", c);
    }
    return pattern + (*pattern == '>');
}

static void put_guard(struct sass_reading *reading, bool datapath)
{
    const unsigned guard = (unsigned)sass_field(reading, 12, 3);
    const bool negated = sass_field(reading, 15, 1);
    const char *kind = datapath ? "U" : "";
    if (guard < 7)
        sass_put(reading, "@%s%sP%u ", negated ? "!" : "", kind, guard);
    else if (negated)
        sass_put(reading, "@!%sPT ", kind);
}

static bool all_accounted_for(const struct sass_reading *reading)
{
    // Bits 105 and up say when and not what.
    const uint64_t what = (UINT64_C(1) << (105 - 64)) - 1;
    return !(reading->bits[0] & ~reading->seen[0]) &&
           !(reading->bits[1] & ~reading->seen[1] & what);
}

// Follows the pattern of an instruction's operation and form. False: that is not all of it.
static bool read_row(struct sass_reading *reading, const char *pattern)
{
    const bool guard_only = pattern[0] == '@';
    reading->datapath = pattern[0] == 'U';
    put_guard(reading, reading->datapath || guard_only);
    follow(reading, pattern + guard_only);
    const bool uniform = sass_field(reading, 91, 1);
    return !reading->unknown && uniform == reading->uniform && all_accounted_for(reading);
}

static void decode_insn(const uint8_t *bytes, struct sass_insn *insn)
{
    struct sass_reading start = {.address = insn->address};
    for (unsigned i = 0; i < SASS_BYTES; i++)
        start.bits[i / 8] |= (uint64_t)bytes[i] << 8 * (i % 8);

    const unsigned opcode = (unsigned)sass_field(&start, 0, 12);
    start.form = opcode >> FORM_BITS;
    struct sass_reading reading;
    bool known = false;
    char key[4];
    snprintf(key, sizeof key, "%03x", opcode & OPCODE_MASK);
    for (const char *row = isa_instructions; !known && (row = sass_look_up(row, key, 3));) {
        const char *pattern = strchr(row, ' ') + 1;
        if (!memchr(row, (int)('0' + start.form), (size_t)(pattern - row)))
            continue;
        reading = start;
        known = read_row(&reading, pattern);
    }
    if (!known) {
        reading = start;
        put_guard(&reading, false);
        sass_put(&reading, "?0x%03x", opcode);
    }
    insn->text = lit_strdup(reading.text);
    sass_effects(insn);
}

bool sass_decode(const uint8_t *bytes, size_t size, uint32_t architecture, struct sass_code *code,
                 struct lit_error *error)
{
    *code = (struct sass_code){.architecture = architecture};
    if (architecture != 90)
        return lit_fail(error, LIT_EXIT_USAGE, "machine code of sm_%u is not supported, only sm_90",
                        architecture);
    if (size == 0 || size % SASS_BYTES != 0 || size >= UINT32_MAX)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "%zu bytes are not machine code of sm_%u, whose instructions take %d", size,
                        architecture, SASS_BYTES);
    code->insns = lit_alloc(size / SASS_BYTES, sizeof *code->insns);
    for (; code->count < size / SASS_BYTES; code->count++) {
        struct sass_insn *insn = &code->insns[code->count];
        insn->address = (uint32_t)(code->count * SASS_BYTES);
        decode_insn(bytes + insn->address, insn);
    }
    sass_complete(code);
    return true;
}
