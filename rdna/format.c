// SPDX-License-Identifier: Apache-2.0
#include "format.h"
#include "exec.h"
#include "floats.h"

#include <math.h>

enum kind { UNORM, SNORM, USCALED, SSCALED, UINT, SINT, FLOAT };

struct layout {
    unsigned components, bits;
    enum kind kind;
};

// Those whose components have one size.
static struct layout layout_of(unsigned format)
{
    static const struct {
        unsigned first, components, bits, kind, count;
    } groups[] = {
        {1, 1, 8, UNORM, 6},   {7, 1, 16, UNORM, 7}, {14, 2, 8, UNORM, 6}, {20, 1, 32, UINT, 3},
        {23, 2, 16, UNORM, 7}, {56, 4, 8, UNORM, 6}, {62, 2, 32, UINT, 3}, {65, 4, 16, UNORM, 7},
        {72, 3, 32, UINT, 3},  {75, 4, 32, UINT, 3},
    };
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (format >= groups[i].first && format < groups[i].first + groups[i].count)
            return (struct layout){groups[i].components, groups[i].bits,
                                   groups[i].kind + format - groups[i].first};
    return (struct layout){0};
}

unsigned rdna_format(enum rdna_generation generation, unsigned format)
{
    if (generation < RDNA_GFX11 || format < 30)
        return format;
    // GFX11 has fewer of 10_11_11, 11_11_10 and 10_10_10_2.
    return format == 30   ? 36
           : format == 31 ? 43
           : format < 34  ? format + 12
           : format < 64  ? format + 14
                          : 0;
}

uint32_t format_code(unsigned format, unsigned selections, unsigned components, bool halves)
{
    return format | selections << 7 | components << 19 | (uint32_t)halves << 23;
}

unsigned format_bytes(uint32_t code)
{
    const struct layout layout = layout_of(code & 0x7f);
    return layout.components * layout.bits / 8;
}

static uint32_t extended(uint32_t part, unsigned bits)
{
    return (uint32_t)((int32_t)(part << (32 - bits)) >> (32 - bits));
}

static bool is_integer(enum kind kind)
{
    return kind == UINT || kind == SINT;
}

// A component as a register has it: of 32 bits, or 16.
static uint32_t loaded(const struct layout *layout, uint32_t part, bool half)
{
    const unsigned bits = layout->bits;
    const double most = (double)(UINT32_MAX >> (32 - bits)), most_signed = floor(most / 2);
    const int32_t integer = (int32_t)extended(part, bits);
    double value;
    switch (layout->kind) {
    case UINT:
        return part;
    case SINT:
        return extended(part, bits);
    case FLOAT:
        if (half == (bits == 16))
            return part;
        value = bits == 16 ? rdna_of_half(part) : (double)rdna_float(part);
        break;
    case UNORM:
        value = (double)part / most;
        break;
    case SNORM:
        value = integer < -most_signed ? -1 : integer / most_signed;
        break;
    case USCALED:
        value = (double)part;
        break;
    default:
        value = integer;
    }
    return half ? rdna_to_half(value, 0, false) : rdna_word((float)value);
}

static uint32_t stored(const struct layout *layout, uint32_t word, bool half)
{
    const unsigned bits = layout->bits;
    const uint32_t ones = UINT32_MAX >> (32 - bits);
    if (is_integer(layout->kind)) {
        if (bits >= (half ? 16u : 32u))
            return word & ones;
        const int64_t value =
            layout->kind == UINT ? (int64_t)word : (int32_t)extended(word, half ? 16 : 32);
        const int64_t least = layout->kind == UINT ? 0 : -(int64_t)(ones / 2) - 1,
                      most = layout->kind == UINT ? ones : ones / 2;
        return (uint32_t)(value < least ? least : value > most ? most : value) & ones;
    }
    if (layout->kind == FLOAT && half == (bits == 16))
        return word & ones;
    const double value = half ? rdna_of_half(word & 0xffff) : (double)rdna_float(word);
    if (layout->kind == FLOAT)
        return bits == 16 ? rdna_to_half(value, 0, false) : rdna_word((float)value);
    const bool is_signed = layout->kind == SNORM || layout->kind == SSCALED;
    const double most = is_signed ? ones / 2 : ones;
    const bool scaled = layout->kind == USCALED || layout->kind == SSCALED;
    double to = isnan(value) ? 0 : scaled ? trunc(value) : value * most;
    const double least = !is_signed ? 0 : scaled ? -most - 1 : -most;
    to = to < least ? least : to > most ? most : to;
    return (uint32_t)(int64_t)rdna_round_even_double(to) & ones;
}

void rdna_convert(const struct rdna_access *access, const uint8_t *bytes, uint32_t *registers)
{
    const uint32_t code = access->format;
    const struct layout layout = layout_of(code & 0x7f);
    const unsigned components = code >> 19 & 15, bytes_each = layout.bits / 8;
    const bool halves = code >> 23 & 1 || access->half != RDNA_WHOLE;
    const uint32_t one = is_integer(layout.kind) ? 1 : halves ? 0x3c00 : 0x3f800000;
    for (unsigned i = 0; i < components; i++) {
        const unsigned selection = code >> (7 + 3 * i) & 7, which = selection & 3;
        uint32_t part = 0, value = selection == 1 ? one : 0;
        if (selection >= 4 && which < layout.components) {
            memcpy(&part, bytes + which * bytes_each, bytes_each);
            value = loaded(&layout, part, halves);
        } else if (selection == 7)
            value = one; // the fourth component of fewer
        if (!(code >> 23 & 1))
            registers[i] = value;
        else if (i & 1)
            registers[i / 2] |= value << 16;
        else
            registers[i / 2] = value & 0xffff;
    }
}

void format_store(uint32_t code, const uint32_t *registers, uint32_t *words)
{
    const struct layout layout = layout_of(code & 0x7f);
    const unsigned components = code >> 19 & 15, bytes_each = layout.bits / 8;
    const bool halves = code >> 23 & 1;
    uint8_t *bytes = (uint8_t *)words;
    for (unsigned i = 0; i < layout.components; i++) {
        // The register that selects component i; without one it is 0.
        uint32_t word = 0;
        for (unsigned r = components; r-- > 0;)
            if ((code >> (7 + 3 * r) & 7) == 4 + i)
                word = halves ? registers[r / 2] >> 16 * (r & 1) & 0xffff : registers[r];
        const uint32_t part = stored(&layout, word, halves);
        memcpy(bytes + i * bytes_each, &part, bytes_each);
    }
}
