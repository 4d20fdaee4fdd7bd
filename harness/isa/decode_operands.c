// SPDX-License-Identifier: Apache-2.0
// Operands as nvdisasm writes them.

#include "isa/decode.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What a pattern says of an operand: "%-Ib", "%n40:13".
struct wanted {
    char sign;   // '-', '~', '|' (and an absolute value), '^' ('~' with .X, else '-'), or none
    char number; // how numbers are written: 'I' signed, 'F' float, 'D' double, 'H' two halves
    unsigned bit, width;
};

// `slot` 1, 2, 3: the first, second, third source, which may be kept for the next instruction.
static void put_register(struct sass_reading *reading, unsigned bit, bool uniform, unsigned slot)
{
    const unsigned number = (unsigned)sass_field(reading, bit, uniform ? 6 : 8);
    const bool again = !uniform && slot && reading->bits[1] >> (122 - 64 + slot - 1) & 1;
    if (uniform && bit != 16 && !reading->hidden)
        reading->uniform = true;
    if (number == (uniform ? 63 : 255))
        sass_put(reading, "%s", uniform ? "URZ" : "RZ");
    else
        sass_put(reading, "%s%u", uniform ? "UR" : "R", number);
    sass_put(reading, "%s", again ? ".reuse" : "");
}

static void put_predicate(struct sass_reading *reading, unsigned bit, bool uniform, bool negated)
{
    const unsigned number = (unsigned)sass_field(reading, bit, 3);
    sass_put(reading, "%s%s", negated ? "!" : "", uniform ? "U" : "");
    if (number == 7)
        sass_put(reading, "PT");
    else
        sass_put(reading, "P%u", number);
}

static void put_signed(struct sass_reading *reading, int64_t value)
{
    const uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;
    sass_put(reading, "%s0x%llx", value < 0 ? "-" : "", (unsigned long long)magnitude);
}

static int64_t extend(uint64_t value, unsigned width)
{
    return (int64_t)(value << (64 - width)) >> (64 - width);
}

// 20 digits, and from 1e9 on always with an exponent.
static void put_float(struct sass_reading *reading, double value, bool signalling)
{
    const char *sign = signbit(value) ? "-" : "+";
    if (isnan(value))
        sass_put(reading, "%s%sNAN", sign, signalling ? "S" : "Q");
    else if (isinf(value))
        sass_put(reading, "%sINF", sign);
    else if (value == 0)
        sass_put(reading, "%s", signbit(value) ? "-0.0" : "0");
    else
        sass_put(reading, fabs(value) >= 1e9 ? "%.20e" : "%.20g", value);
}

static double half(unsigned bits)
{
    const int exponent = bits >> 10 & 31;
    const unsigned fraction = bits & 0x3ff;
    double value = exponent == 0    ? ldexp(fraction, -24)
                   : exponent == 31 ? (fraction ? NAN : INFINITY)
                                    : ldexp(fraction | 0x400, exponent - 25);
    return copysign(value, bits & 0x8000 ? -1 : 1);
}

static void put_number(struct sass_reading *reading, char kind)
{
    const uint32_t bits = (uint32_t)sass_field(reading, 32, 32);
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
        put_float(reading, half(bits >> 16), false);
        sass_put(reading, ", ");
        put_float(reading, half(bits & 0xffff), false);
        break;
    default:
        sass_put(reading, "0x%x", bits);
    }
}

// "c[0x0][0x648]", or with bit 91 "cx[UR4][0x648]", whose uniform register lies at `bit`.
static void put_constant(struct sass_reading *reading, unsigned bit, int64_t offset)
{
    const unsigned bank = (unsigned)sass_field(reading, 54, 5);
    if (reading->bits[1] >> (91 - 64) & 1) {
        sass_put(reading, "cx[");
        put_register(reading, bit, true, 0);
        sass_put(reading, "][0x%x]", (unsigned)offset & 0xffff);
    } else {
        sass_put(reading, "c[0x%x][", bank);
        put_signed(reading, offset);
        sass_put(reading, "]");
    }
}

// Where a value comes from.
struct place {
    enum { REGISTER, UNIFORM, CONSTANT } kind;
    unsigned bit, sign, absolute, slot;
};

static void put_value(struct sass_reading *reading, const struct place *place, char sign)
{
    const bool bars = sign == '|' && sass_field(reading, place->absolute, 1);
    if (sign == '^')
        sign = sass_field(reading, 74, 1) ? '~' : '-';
    if (sign && sass_field(reading, place->sign, 1))
        sass_put(reading, "%c", sign == '~' ? '~' : '-');
    sass_put(reading, "%s", bars ? "|" : "");
    if (place->kind == CONSTANT)
        put_constant(reading, place->bit, 4 * extend(sass_field(reading, 40, 14), 14));
    else
        put_register(reading, place->bit, place->kind == UNIFORM || reading->datapath, place->slot);
    sass_put(reading, "%s", bars ? "|" : "");
}

// What bits 32 to 63 hold, as the form says.
static void put_at_32(struct sass_reading *reading, const struct wanted *wanted, unsigned slot)
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

static void put_second_or_third(struct sass_reading *reading, const struct wanted *wanted,
                                unsigned slot)
{
    const bool swapped = reading->form == 2 || reading->form == 3 || reading->form == 7;
    const struct place behind = {REGISTER, 64, 75, 74, slot};
    if ((slot == 3) != swapped)
        put_value(reading, &behind, wanted->sign);
    else
        put_at_32(reading, wanted, slot);
}

// Addresses: where a uniform register lies (0: never), which bit says that the other register is
// 64 bits wide (0: none does, and it is not said), whether it may be scaled, and where the number
// lies, up to bit 63.
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

static void put_address(struct sass_reading *reading, const struct address *address)
{
    static const char *const scales[] = {"", ".X4", ".X8", ".X16"};
    const bool uniform = address->uniform && reading->form != 1 && reading->bits[1] >> 27 & 1;
    const bool wide = uniform && address->wide && sass_field(reading, address->wide, 1);
    const char *scale = address->scaled ? scales[sass_field(reading, 78, 2)] : "";
    const unsigned width = 64 - address->offset;
    const int64_t offset = extend(sass_field(reading, address->offset, width), width);
    const char *suffix = !uniform || !address->wide ? scale : wide ? ".64" : ".U32";
    const bool zero = sass_field(reading, 24, 8) == 255;

    sass_put(reading, "[");
    if (!zero || suffix[0] || (!uniform && offset == 0)) {
        put_register(reading, 24, false, 1);
        sass_put(reading, "%s%s", suffix, uniform || offset ? "+" : "");
    }
    if (uniform) {
        put_register(reading, address->uniform, true, 0);
        sass_put(reading, "%s", offset ? "+" : "");
    }
    if (offset && zero && !uniform && !suffix[0])
        sass_put(reading, "0x%llx", (unsigned long long)offset & ((1ull << width) - 1));
    else if (offset)
        put_signed(reading, offset);
    sass_put(reading, "]");
    if (zero && wide)
        sass_not_known(reading);
}

// "c[0x3][R2+0x10]"
static void put_indexed(struct sass_reading *reading)
{
    const int64_t offset = extend(sass_field(reading, 38, 16), 16);
    const bool zero = sass_field(reading, 24, 8) == 255;
    sass_put(reading, "c[0x%x][", (unsigned)sass_field(reading, 54, 5));
    if (!zero || !offset)
        put_register(reading, 24, false, 1);
    if (offset) {
        sass_put(reading, "%s", zero ? "" : "+");
        put_signed(reading, offset);
    }
    sass_put(reading, "]");
}

// 56 bits, in words of 4 bytes; the low 8 of them lie apart.
static int64_t far_offset(struct sass_reading *reading)
{
    const uint64_t low = sass_field(reading, 16, 8), high = sass_field(reading, 34, 48);
    return extend(high << 8 | low, 56) * 4;
}

// "{2,0}"
static void put_scoreboards(struct sass_reading *reading, unsigned bit)
{
    const unsigned set = (unsigned)sass_field(reading, bit, 6);
    const char *before = "{";
    for (unsigned i = 6; i-- > 0;)
        if (set >> i & 1) {
            sass_put(reading, "%s%u", before, i);
            before = ",";
        }
    sass_put(reading, "}");
}

// IMAD that only moves, adds or shifts has a name that says so.
static void put_imad(struct sass_reading *reading)
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
        sass_put(reading, ".MOV");
    else if (times_number && factor == 1)
        sass_put(reading, ".IADD");
    else if (times_number && c == 255 && !(factor & (factor - 1)) && factor != 0x10000 &&
             factor != 0x80000000)
        sass_put(reading, ".SHL");
}

static void put_special(struct sass_reading *reading, unsigned bit)
{
    const unsigned number = (unsigned)sass_field(reading, bit, 8);
    char key[4];
    const int digits = snprintf(key, sizeof key, "%u", number);
    for (const char *line = isa_instructions; (line = sass_look_up(line, "special", 7));)
        if (strncmp(line, key, (size_t)digits) == 0 && line[digits] == ' ') {
            line += digits + 1;
            sass_put(reading, "%.*s", (int)strcspn(line, "\n"), line);
            return;
        }
    sass_put(reading, "SR%u", number);
}

// Operands with a name of one letter.
static void put_letter(struct sass_reading *reading, char name, const struct wanted *wanted)
{
    const unsigned bit = wanted->bit;
    const struct place first = {REGISTER, 24, 72, 73, 1}, uniform = {UNIFORM, bit, bit + 6, 0, 0};
    switch (name) {
    case 'd': // the register that is written
        put_register(reading, 16, reading->datapath, 0);
        break;
    case 'a':
        put_value(reading, &first, wanted->sign);
        break;
    case 'b':
    case 'c':
        put_second_or_third(reading, wanted, name == 'b' ? 2 : 3);
        break;
    case 'x': // the third source of instructions without a second one
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
    case 'q': // a predicate that may be negated
        put_predicate(reading, bit, reading->datapath, sass_field(reading, bit + 3, 1));
        break;
    case 'v': // a uniform predicate that is written, and one that is read
        put_predicate(reading, bit, true, false);
        break;
    case 'z':
        put_predicate(reading, bit, true, sass_field(reading, bit + 3, 1));
        break;
    case 'i': // a predicate that is PT where it is not named
        sass_put(reading, "%s", sass_field(reading, bit + 3, 1) ? "!" : "");
        sass_put(reading, "P%.1s", &"T6543210"[sass_field(reading, bit, 3)]);
        break;
    case 'n':
        sass_put(reading, "0x%llx", (unsigned long long)sass_field(reading, bit, wanted->width));
        break;
    default:
        sass_not_known(reading);
    }
}

static void put_word(struct sass_reading *reading, const char *name, const struct wanted *wanted)
{
    const int64_t next = (int64_t)reading->address + SASS_BYTES;
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++)
        if (strcmp(name, addresses[i].name) == 0)
            put_address(reading, &addresses[i]);
    if (strcmp(name, "any") == 0) {
        sass_field(reading, wanted->bit, wanted->width);
    } else if (strcmp(name, "uniform") == 0) {
        reading->uniform = true;
    } else if (strcmp(name, "constant") == 0) { // of which each byte has an address
        put_constant(reading, wanted->bit, extend(sass_field(reading, 38, 16), 16));
    } else if (strcmp(name, "indexed") == 0) {
        put_indexed(reading);
    } else if (strcmp(name, "imad") == 0) {
        put_imad(reading);
    } else if (strcmp(name, "special") == 0) {
        put_special(reading, wanted->bit);
    } else if (strcmp(name, "barrier") == 0) {
        sass_put(reading, "B%u", (unsigned)sass_field(reading, wanted->bit, 4));
    } else if (strcmp(name, "near") == 0) {
        put_signed(reading, next + 4 * extend(sass_field(reading, 34, 30), 30));
    } else if (strcmp(name, "far") == 0) {
        put_signed(reading, next + far_offset(reading));
    } else if (strcmp(name, "absolute") == 0) {
        const uint64_t low = sass_field(reading, 16, 8), high = sass_field(reading, 34, 47);
        put_signed(reading, (int64_t)(high << 8 | low) * 4);
    } else if (strcmp(name, "signed") == 0) {
        put_signed(reading, far_offset(reading));
    } else if (strcmp(name, "offset") == 0) {
        const int64_t offset = far_offset(reading);
        sass_put(reading, "%s", offset ? " " : "");
        if (offset)
            put_signed(reading, offset);
    } else if (strcmp(name, "lut") == 0) {
        sass_put(reading, "0x%x",
                 (unsigned)(sass_field(reading, 72, 5) << 3 | sass_field(reading, 64, 3)));
    } else if (strcmp(name, "scoreboards") == 0) {
        put_scoreboards(reading, wanted->bit);
    }
}

const char *sass_put_operand(struct sass_reading *reading, const char *pattern)
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
