// SPDX-License-Identifier: Apache-2.0
// GLSL.std.450: packing several numbers into a word, and unpacking.
#include "exec/extended.h"
#include "exec/scalar.h"

// Packs a fraction from -1 or 0 to 1 into `bits` bits.
static uint64_t pack_fraction(uint64_t single, unsigned bits, bool is_signed)
{
    const double most = (double)width_mask(is_signed ? bits - 1 : bits);
    const double value = float_value(single, 32);
    const double least = is_signed ? -1 : 0;
    const double clamped = !(value > least) ? least : value > 1 ? 1 : value; // NaN: minimum
    return (uint64_t)(int64_t)rint(clamped * most) & width_mask(bits);
}

static uint64_t unpack_fraction(uint64_t packed, unsigned bits, bool is_signed)
{
    const double most = (double)width_mask(is_signed ? bits - 1 : bits);
    const uint64_t low = packed & width_mask(bits);
    const double value = is_signed ? (double)sign_extend(low, bits) : (double)low;
    return float_bits(value < -most ? -1 : value / most, 32);
}

typedef uint64_t convert(uint64_t bits);

static uint64_t pack_snorm8(uint64_t x)
{
    return pack_fraction(x, 8, true);
}

static uint64_t pack_unorm8(uint64_t x)
{
    return pack_fraction(x, 8, false);
}

static uint64_t pack_snorm16(uint64_t x)
{
    return pack_fraction(x, 16, true);
}

static uint64_t pack_unorm16(uint64_t x)
{
    return pack_fraction(x, 16, false);
}

static uint64_t pack_half(uint64_t x)
{
    return float_bits(float_value(x, 32), 16);
}

static uint64_t unpack_snorm8(uint64_t x)
{
    return unpack_fraction(x, 8, true);
}

static uint64_t unpack_unorm8(uint64_t x)
{
    return unpack_fraction(x, 8, false);
}

static uint64_t unpack_snorm16(uint64_t x)
{
    return unpack_fraction(x, 16, true);
}

static uint64_t unpack_unorm16(uint64_t x)
{
    return unpack_fraction(x, 16, false);
}

static uint64_t unpack_half(uint64_t x)
{
    return float_bits(float_value(x, 16), 32);
}

static uint64_t word(uint64_t x)
{
    return x & UINT32_MAX;
}

// insn->flags is the row's index.
static const struct {
    uint32_t instruction;
    bool packs; // false: unpacks
    uint8_t count;
    uint8_t bits; // bits per part
    enum scalar_kind many, one;
    convert *convert; // converts a part
} rows[] = {
    {GLSLstd450PackSnorm4x8, true, 4, 8, SCALAR_FLOAT, SCALAR_INT, pack_snorm8},
    {GLSLstd450PackUnorm4x8, true, 4, 8, SCALAR_FLOAT, SCALAR_INT, pack_unorm8},
    {GLSLstd450PackSnorm2x16, true, 2, 16, SCALAR_FLOAT, SCALAR_INT, pack_snorm16},
    {GLSLstd450PackUnorm2x16, true, 2, 16, SCALAR_FLOAT, SCALAR_INT, pack_unorm16},
    {GLSLstd450PackHalf2x16, true, 2, 16, SCALAR_FLOAT, SCALAR_INT, pack_half},
    {GLSLstd450PackDouble2x32, true, 2, 32, SCALAR_INT, SCALAR_FLOAT, word},
    {GLSLstd450UnpackSnorm4x8, false, 4, 8, SCALAR_FLOAT, SCALAR_INT, unpack_snorm8},
    {GLSLstd450UnpackUnorm4x8, false, 4, 8, SCALAR_FLOAT, SCALAR_INT, unpack_unorm8},
    {GLSLstd450UnpackSnorm2x16, false, 2, 16, SCALAR_FLOAT, SCALAR_INT, unpack_snorm16},
    {GLSLstd450UnpackUnorm2x16, false, 2, 16, SCALAR_FLOAT, SCALAR_INT, unpack_unorm16},
    {GLSLstd450UnpackHalf2x16, false, 2, 16, SCALAR_FLOAT, SCALAR_INT, unpack_half},
    {GLSLstd450UnpackDouble2x32, false, 2, 32, SCALAR_INT, SCALAR_FLOAT, word},
};

// The first part has the lowest bits.
static void pack(struct exec *exec, const struct insn *insn)
{
    const unsigned bits = rows[insn->flags].bits;
    for_lanes(exec, l, {
        uint64_t whole = 0;
        for (uint32_t i = 0; i < rows[insn->flags].count; i++)
            whole |= rows[insn->flags].convert(exec_cells(exec, insn->operand[0] + i)[l])
                     << (i * bits);
        exec_cells(exec, insn->result)[l] = whole;
    });
}

static void unpack(struct exec *exec, const struct insn *insn)
{
    const unsigned bits = rows[insn->flags].bits;
    for_lanes(exec, l, {
        const uint64_t whole = exec_cells(exec, insn->operand[0])[l];
        for (uint32_t i = 0; i < rows[insn->flags].count; i++)
            exec_cells(exec, insn->result + i)[l] = rows[insn->flags].convert(whole >> (i * bits));
    });
}

static bool is_of(const struct shape *shape, enum scalar_kind kind, uint32_t width, uint32_t count)
{
    return shape->scalar == kind && shape->width == width && shape->components == count;
}

insn_run *select_extended_pack(const struct insn_shape *shape, struct insn *insn)
{
    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        if (rows[i].instruction != shape->extended)
            continue;
        const struct shape *many = rows[i].packs ? &shape->operand[0] : &shape->result;
        const struct shape *one = rows[i].packs ? &shape->result : &shape->operand[0];
        if (shape->operand_count != 1 || !is_of(many, rows[i].many, 32, rows[i].count) ||
            !is_of(one, rows[i].one, rows[i].one == SCALAR_FLOAT ? 64 : 32, 1))
            return NULL;
        arithmetic_fill(shape, insn, shape->result.components);
        insn->flags = (uint16_t)i;
        return rows[i].packs ? pack : unpack;
    }
    return NULL;
}
