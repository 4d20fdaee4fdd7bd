// SPDX-License-Identifier: Apache-2.0
// Decodes instructions by the patterns of instructions.txt, and writes operands as nvdisasm does.

#include "base/text.h"
#include "isa/sass.h"

#include <math.h>
#include <stdarg.h>

#define FORM_BITS   9
#define OPCODE_MASK 0x1ffu

const char *sass_look_up(const char *at, const char *key, size_t length)
{
    while ((at = strchr(at, '\n')))
        if (strncmp(++at, key, length) == 0 && at[length] == ' ')
            return at + length + 1;
    return NULL;
}

// State while decoding one instruction.
struct reading {
    uint64_t bits[2];
    uint64_t seen[2]; // bits already decoded
    uint32_t address; // of the instruction
    unsigned form;
    bool datapath; // uniform datapath: registers and predicates are UR and UP
    bool uniform;  // reads a uniform register, as bit 91 must say
    bool hidden;   // within a condition that does not hold: suppresses output
    bool unknown;  // a value that the table does not define
    char text[SASS_TEXT_MAX];
    size_t length;
};

// Extracts a field of at most 64 bits, and marks its bits as decoded.
static uint64_t take(struct reading *reading, unsigned bit, unsigned width)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < width; i++) {
        const unsigned word = (bit + i) / 64, at = (bit + i) % 64;
        value |= (reading->bits[word] >> at & 1) << i;
        reading->seen[word] |= UINT64_C(1) << at;
    }
    return value;
}

static void not_known(struct reading *reading)
{
    if (!reading->hidden)
        reading->unknown = true;
}

__attribute__((format(__printf__, 2, 3))) static void put(struct reading *reading,
                                                          const char *format, ...)
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

// --- Operands

// An operand in a pattern: "%-Ib", "%n40:13".
struct wanted {
    char sign;   // '-', '~', '|' (and an absolute value), '^' ('~' with .X, else '-'), or none
    char number; // number format: 'I' signed, 'F' float, 'D' double, 'H' two halves
    unsigned bit, width;
};

// `slot` 1, 2, 3: first, second, third source, which may be kept for the next instruction (.reuse).
static void put_register(struct reading *reading, unsigned bit, bool uniform, unsigned slot)
{
    const unsigned number = (unsigned)take(reading, bit, uniform ? 6 : 8);
    const bool again = !uniform && slot && reading->bits[1] >> (122 - 64 + slot - 1) & 1;
    if (uniform && bit != 16 && !reading->hidden)
        reading->uniform = true;
    if (number == (uniform ? 63 : 255))
        put(reading, "%s", uniform ? "URZ" : "RZ");
    else
        put(reading, "%s%u", uniform ? "UR" : "R", number);
    put(reading, "%s", again ? ".reuse" : "");
}

static void put_predicate(struct reading *reading, unsigned bit, bool uniform, bool negated)
{
    const unsigned number = (unsigned)take(reading, bit, 3);
    put(reading, "%s%s", negated ? "!" : "", uniform ? "U" : "");
    if (number == 7)
        put(reading, "PT");
    else
        put(reading, "P%u", number);
}

static void put_signed(struct reading *reading, int64_t value)
{
    const uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;
    put(reading, "%s0x%llx", value < 0 ? "-" : "", (unsigned long long)magnitude);
}

static int64_t extend(uint64_t value, unsigned width)
{
    return (int64_t)(value << (64 - width)) >> (64 - width);
}

// 20 digits; always with an exponent from 1e9 on.
static void put_float(struct reading *reading, double value, bool signalling)
{
    const char *sign = signbit(value) ? "-" : "+";
    if (isnan(value))
        put(reading, "%s%sNAN", sign, signalling ? "S" : "Q");
    else if (isinf(value))
        put(reading, "%sINF", sign);
    else if (value == 0)
        put(reading, "%s", signbit(value) ? "-0.0" : "0");
    else
        put(reading, fabs(value) >= 1e9 ? "%.20e" : "%.20g", value);
}

double sass_half(uint32_t bits)
{
    const int exponent = bits >> 10 & 31;
    const unsigned fraction = bits & 0x3ff;
    double value = exponent == 0    ? ldexp(fraction, -24)
                   : exponent == 31 ? (fraction ? NAN : INFINITY)
                                    : ldexp(fraction | 0x400, exponent - 25);
    return copysign(value, bits & 0x8000 ? -1 : 1);
}

static void put_number(struct reading *reading, char kind)
{
    const uint32_t bits = (uint32_t)take(reading, 32, 32);
    const uint64_t wide = (uint64_t)bits << 32;
    float single;
    double number;
    switch (kind) {
    case 'I':
        put_signed(reading, extend(bits, 32));
        break;
    case 'F':
        memcpy(&single, &bits, sizeof single);
        put_float(reading, single, false);
        break;
    case 'D':
        memcpy(&number, &wide, sizeof number);
        put_float(reading, number, !(bits & 0x80000));
        break;
    case 'H':
        put_float(reading, sass_half(bits >> 16), false);
        put(reading, ", ");
        put_float(reading, sass_half(bits & 0xffff), false);
        break;
    default:
        put(reading, "0x%x", bits);
    }
}

// "c[0x0][0x648]", or with bit 91 "cx[UR4][0x648]" with its uniform register at `bit`.
static void put_constant(struct reading *reading, unsigned bit, int64_t offset)
{
    const unsigned bank = (unsigned)take(reading, 54, 5);
    if (reading->bits[1] >> (91 - 64) & 1) {
        put(reading, "cx[");
        put_register(reading, bit, true, 0);
        put(reading, "][0x%x]", (unsigned)offset & 0xffff);
    } else {
        put(reading, "c[0x%x][", bank);
        put_signed(reading, offset);
        put(reading, "]");
    }
}

// An operand's position.
struct place {
    enum { REGISTER, UNIFORM, CONSTANT } kind;
    unsigned bit, sign, absolute, slot;
};

static void put_value(struct reading *reading, const struct place *place, char sign)
{
    const bool bars = sign == '|' && take(reading, place->absolute, 1);
    if (sign == '^')
        sign = take(reading, 74, 1) ? '~' : '-';
    if (sign && take(reading, place->sign, 1))
        put(reading, "%c", sign == '~' ? '~' : '-');
    put(reading, "%s", bars ? "|" : "");
    if (place->kind == CONSTANT)
        put_constant(reading, place->bit, 4 * extend(take(reading, 40, 14), 14));
    else
        put_register(reading, place->bit, place->kind == UNIFORM || reading->datapath, place->slot);
    put(reading, "%s", bars ? "|" : "");
}

// The operand in bits 32 to 63, interpreted by the instruction's form.
static void put_at_32(struct reading *reading, const struct wanted *wanted, unsigned slot)
{
    const unsigned form = reading->form;
    struct place place = {REGISTER, 32, 63, 62, slot};
    if (form != 1)
        place.kind = form < 6 ? CONSTANT : UNIFORM;
    if (form == 2 || form == 4)
        put_number(reading, wanted->number);
    else
        put_value(reading, &place, wanted->sign);
}

static void put_second_or_third(struct reading *reading, const struct wanted *wanted, unsigned slot)
{
    const bool swapped = reading->form == 2 || reading->form == 3 || reading->form == 7;
    const struct place behind = {REGISTER, 64, 75, 74, slot};
    if ((slot == 3) != swapped)
        put_value(reading, &behind, wanted->sign);
    else
        put_at_32(reading, wanted, slot);
}

// Address formats: the position of a uniform register (0: none), the bit for a 64-bit second
// register (0: none, not printed), whether scaling is possible, and the position of the offset,
// which ends at bit 63.
static const struct address {
    const char *name;
    unsigned uniform, wide;
    bool scaled;
    unsigned offset;
} addresses[] = {
    {"load", 32, 90, false, 40}, {"store", 64, 90, false, 40}, {"swap", 64, 70, false, 40},
    {"plain", 0, 0, false, 40},  {"wide", 0, 0, false, 32},    {"local", 32, 0, false, 40},
    {"spill", 64, 0, false, 40}, {"shared", 32, 0, true, 40},  {"share", 64, 0, true, 40},
};

static void put_address(struct reading *reading, const struct address *address)
{
    static const char *const scales[] = {"", ".X4", ".X8", ".X16"};
    const bool uniform = address->uniform && reading->form != 1 && reading->bits[1] >> 27 & 1;
    const bool wide = uniform && address->wide && take(reading, address->wide, 1);
    const char *scale = address->scaled ? scales[take(reading, 78, 2)] : "";
    const unsigned width = 64 - address->offset;
    const int64_t offset = extend(take(reading, address->offset, width), width);
    const char *suffix = !uniform || !address->wide ? scale : wide ? ".64" : ".U32";
    const bool zero = take(reading, 24, 8) == 255;

    put(reading, "[");
    if (!zero || suffix[0] || (!uniform && offset == 0)) {
        put_register(reading, 24, false, 1);
        put(reading, "%s%s", suffix, uniform || offset ? "+" : "");
    }
    if (uniform) {
        put_register(reading, address->uniform, true, 0);
        put(reading, "%s", offset ? "+" : "");
    }
    if (offset && zero && !uniform && !suffix[0])
        put(reading, "0x%llx", (unsigned long long)offset & ((1ull << width) - 1));
    else if (offset)
        put_signed(reading, offset);
    put(reading, "]");
    if (zero && wide)
        not_known(reading);
}

// "c[0x3][R2+0x10]"
static void put_indexed(struct reading *reading)
{
    const int64_t offset = extend(take(reading, 38, 16), 16);
    const bool zero = take(reading, 24, 8) == 255;
    put(reading, "c[0x%x][", (unsigned)take(reading, 54, 5));
    if (!zero || !offset)
        put_register(reading, 24, false, 1);
    if (offset) {
        put(reading, "%s", zero ? "" : "+");
        put_signed(reading, offset);
    }
    put(reading, "]");
}

// A 56-bit offset in words of 4 bytes; its low 8 bits are stored apart.
static int64_t far_offset(struct reading *reading)
{
    const uint64_t low = take(reading, 16, 8), high = take(reading, 34, 48);
    return extend(high << 8 | low, 56) * 4;
}

// "{2,0}"
static void put_scoreboards(struct reading *reading, unsigned bit)
{
    const unsigned set = (unsigned)take(reading, bit, 6);
    const char *before = "{";
    for (unsigned i = 6; i-- > 0;)
        if (set >> i & 1) {
            put(reading, "%s%u", before, i);
            before = ",";
        }
    put(reading, "}");
}

// IMADs that only move, add or shift have their own names.
static void put_imad(struct reading *reading)
{
    const uint32_t factor = (uint32_t)(reading->bits[0] >> 32);
    const unsigned a = reading->bits[0] >> 24 & 255, c = reading->bits[1] & 255;
    const unsigned b = reading->form == 1 ? factor & 255 : c;
    const bool times_register = reading->form <= 3, times_number = reading->form == 4;
    const bool uniform = reading->bits[1] >> (91 - 64) & 1;
    const bool carry = reading->bits[1] >> (74 - 64) & 1;
    if (uniform || carry)
        return;
    if (a == 255 || (times_register && b == 255) || (times_number && factor == 0) ||
        (times_number && factor == 1 && c == 255))
        put(reading, ".MOV");
    else if (times_number && factor == 1)
        put(reading, ".IADD");
    else if (times_number && c == 255 && !(factor & (factor - 1)) && factor != 0x10000 &&
             factor != 0x80000000)
        put(reading, ".SHL");
}

static void put_special(struct reading *reading, unsigned bit)
{
    const unsigned number = (unsigned)take(reading, bit, 8);
    char key[4];
    const int digits = snprintf(key, sizeof key, "%u", number);
    for (const char *line = isa_instructions; (line = sass_look_up(line, "special", 7));)
        if (strncmp(line, key, (size_t)digits) == 0 && line[digits] == ' ') {
            line += digits + 1;
            put(reading, "%.*s", (int)strcspn(line, "\n"), line);
            return;
        }
    put(reading, "SR%u", number);
}

// Operands with one-letter names.
static void put_letter(struct reading *reading, char name, const struct wanted *wanted)
{
    const unsigned bit = wanted->bit;
    const struct place first = {REGISTER, 24, 72, 73, 1}, uniform = {UNIFORM, bit, bit + 6, 0, 0};
    switch (name) {
    case 'd': // the destination register
        put_register(reading, 16, reading->datapath, 0);
        break;
    case 'a':
        put_value(reading, &first, wanted->sign);
        break;
    case 'b':
    case 'c':
        put_second_or_third(reading, wanted, name == 'b' ? 2 : 3);
        break;
    case 'x': // the third source, if there is no second
        put_at_32(reading, wanted, 3);
        break;
    case 'r':
        put_register(reading, bit, false, bit == 24 ? 1 : bit == 32 ? 2 : bit == 64 ? 3 : 0);
        break;
    case 'w': // a uniform register in an instruction of the other datapath
        put_value(reading, &uniform, wanted->sign);
        break;
    case 'p':
        put_predicate(reading, bit, reading->datapath, false);
        break;
    case 'q': // a predicate, possibly negated
        put_predicate(reading, bit, reading->datapath, take(reading, bit + 3, 1));
        break;
    case 'v': // a uniform predicate that is written, and one that is read
        put_predicate(reading, bit, true, false);
        break;
    case 'z':
        put_predicate(reading, bit, true, take(reading, bit + 3, 1));
        break;
    case 'i': // a predicate that defaults to PT
        put(reading, "%s", take(reading, bit + 3, 1) ? "!" : "");
        put(reading, "P%.1s", &"T6543210"[take(reading, bit, 3)]);
        break;
    case 'n':
        put(reading, "0x%llx", (unsigned long long)take(reading, bit, wanted->width));
        break;
    default:
        not_known(reading);
    }
}

static void put_word(struct reading *reading, const char *name, const struct wanted *wanted)
{
    const int64_t next = (int64_t)reading->address + SASS_BYTES;
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++)
        if (strcmp(name, addresses[i].name) == 0)
            put_address(reading, &addresses[i]);
    if (strcmp(name, "any") == 0) {
        take(reading, wanted->bit, wanted->width);
    } else if (strcmp(name, "uniform") == 0) {
        reading->uniform = true;
    } else if (strcmp(name, "constant") == 0) { // each byte has its own address
        put_constant(reading, wanted->bit, extend(take(reading, 38, 16), 16));
    } else if (strcmp(name, "indexed") == 0) {
        put_indexed(reading);
    } else if (strcmp(name, "imad") == 0) {
        put_imad(reading);
    } else if (strcmp(name, "special") == 0) {
        put_special(reading, wanted->bit);
    } else if (strcmp(name, "barrier") == 0) {
        put(reading, "B%u", (unsigned)take(reading, wanted->bit, 4));
    } else if (strcmp(name, "near") == 0) {
        put_signed(reading, next + 4 * extend(take(reading, 34, 30), 30));
    } else if (strcmp(name, "far") == 0) {
        put_signed(reading, next + far_offset(reading));
    } else if (strcmp(name, "absolute") == 0) {
        const uint64_t low = take(reading, 16, 8), high = take(reading, 34, 47);
        put_signed(reading, (int64_t)(high << 8 | low) * 4);
    } else if (strcmp(name, "signed") == 0) {
        put_signed(reading, far_offset(reading));
    } else if (strcmp(name, "offset") == 0) {
        const int64_t offset = far_offset(reading);
        put(reading, "%s", offset ? " " : "");
        if (offset)
            put_signed(reading, offset);
    } else if (strcmp(name, "lut") == 0) {
        put(reading, "0x%x", (unsigned)(take(reading, 72, 5) << 3 | take(reading, 64, 3)));
    } else if (strcmp(name, "scoreboards") == 0) {
        put_scoreboards(reading, wanted->bit);
    }
}

// Writes the operand that `pattern` names after '%'; returns the rest of the pattern.
static const char *put_operand(struct reading *reading, const char *pattern)
{
    struct wanted wanted = {.width = 1};
    char name[16] = "";
    size_t length = 0;
    if (strchr("-~|^", *pattern))
        wanted.sign = *pattern++;
    if (*pattern >= 'A' && *pattern <= 'Z')
        wanted.number = *pattern++;
    for (; *pattern >= 'a' && *pattern <= 'z'; pattern++)
        if (length + 1 < sizeof name)
            name[length++] = *pattern;
    char *end = (char *)pattern;
    if (*pattern >= '0' && *pattern <= '9')
        wanted.bit = (unsigned)strtoul(pattern, &end, 10);
    if (end > pattern && *end == ':')
        wanted.width = (unsigned)strtoul(end + 1, &end, 10);
    if (length == 1)
        put_letter(reading, name[0], &wanted);
    else
        put_word(reading, name, &wanted);
    return end;
}

// --- Patterns

// "76:3" or "76"; advances *pattern past it.
static uint64_t read_field(struct reading *reading, const char **pattern)
{
    char *end;
    const unsigned bit = (unsigned)strtoul(*pattern, &end, 10);
    const unsigned width = *end == ':' ? (unsigned)strtoul(end + 1, &end, 10) : 1;
    *pattern = end;
    return take(reading, bit, width);
}

// "{76:3 .F .LT - ?}" after its brace.
static const char *put_choice(struct reading *reading, const char *pattern)
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
            put(reading, "%.*s", (int)(pattern - word), word);
        return end + 1;
    }
    not_known(reading);
    return end + 1;
}

static const char *follow(struct reading *reading, const char *pattern);

// "<81:3!7 , %p81>" after its bracket. Suppressed fields count as decoded, because nvdisasm ignores
// them as well. A condition with an empty body must hold.
static const char *put_condition(struct reading *reading, const char *pattern)
{
    const uint64_t value = read_field(reading, &pattern);
    const bool equal = *pattern++ == '=';
    char *end;
    const bool holds = (value == strtoull(pattern, &end, 10)) == equal, was = reading->hidden;
    pattern = end + 1;
    if (*pattern == '>' && !holds)
        not_known(reading);
    reading->hidden = was || !holds;
    pattern = follow(reading, pattern);
    reading->hidden = was;
    return pattern;
}

// "(FTZ)" after its parenthesis: the pattern of that name.
static const char *put_named(struct reading *reading, const char *name)
{
    const size_t length = strcspn(name, ")");
    follow(reading, sass_look_up(isa_instructions, name, length));
    return name + length + 1;
}

static const char *follow(struct reading *reading, const char *pattern)
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
            pattern = put_operand(reading, pattern);
        else
            put(reading, "%c", c);
    }
    return pattern + (*pattern == '>');
}

static void put_guard(struct reading *reading, bool datapath)
{
    const unsigned guard = (unsigned)take(reading, 12, 3);
    const bool negated = take(reading, 15, 1);
    const char *kind = datapath ? "U" : "";
    if (guard < 7)
        put(reading, "@%s%sP%u ", negated ? "!" : "", kind, guard);
    else if (negated)
        put(reading, "@!%sPT ", kind);
}

static bool all_accounted_for(const struct reading *reading)
{
    // Bits from 105 up are scheduling information.
    const uint64_t what = (UINT64_C(1) << (105 - 64)) - 1;
    return !(reading->bits[0] & ~reading->seen[0]) &&
           !(reading->bits[1] & ~reading->seen[1] & what);
}

// Applies the pattern for an instruction's operation and form. False if bits are left over.
static bool read_row(struct reading *reading, const char *pattern)
{
    const bool guard_only = pattern[0] == '@';
    reading->datapath = pattern[0] == 'U';
    put_guard(reading, reading->datapath || guard_only);
    follow(reading, pattern + guard_only);
    const bool uniform = take(reading, 91, 1);
    return !reading->unknown && uniform == reading->uniform && all_accounted_for(reading);
}

static void decode_insn(const uint8_t *bytes, struct sass_insn *insn)
{
    struct reading start = {.address = insn->address};
    for (unsigned i = 0; i < SASS_BYTES; i++)
        start.bits[i / 8] |= (uint64_t)bytes[i] << 8 * (i % 8);

    const unsigned opcode = (unsigned)take(&start, 0, 12);
    start.form = opcode >> FORM_BITS;
    struct reading reading;
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
        put(&reading, "?0x%03x", opcode);
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
