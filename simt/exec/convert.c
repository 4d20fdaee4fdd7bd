// SPDX-License-Identifier: Apache-2.0
// Conversions between integers and floats of all widths, and bitcasts.
//
// Where SPIR-V leaves a result undefined: a float outside of the integer's range becomes the
// nearest representable integer, and NaN becomes 0. Floats are rounded to nearest, ties to even.
// OpQuantizeToF16 flushes values too small for a normal number to zero of the same sign.
#include "exec/scalar.h"

typedef uint64_t conversion(uint64_t x, unsigned from, unsigned to); // widths in bits

static ALWAYS_INLINE void map_conversion(struct exec *exec, const struct insn *insn,
                                         conversion *convert, unsigned from, unsigned to)
{
    for (uint32_t i = 0; i < insn->components; i++) {
        const uint64_t *x = exec_cells(exec, insn->operand[0] + i);
        uint64_t *result = exec_cells(exec, insn->result + i);
        for_lanes(exec, l, result[l] = convert(x[l], from, to) & width_mask(to));
    }
}

static ALWAYS_INLINE uint64_t zero_extended(uint64_t x, unsigned from, unsigned to)
{
    (void)from, (void)to;
    return x;
}

static ALWAYS_INLINE uint64_t sign_extended(uint64_t x, unsigned from, unsigned to)
{
    (void)to;
    return (uint64_t)sign_extend(x, from);
}

static ALWAYS_INLINE double power(unsigned exponent) // of two; below 64
{
    return (double)(UINT64_C(1) << exponent);
}

static ALWAYS_INLINE uint64_t float_to_unsigned(uint64_t x, unsigned from, unsigned to)
{
    const double value = float_value(x, from);
    if (!(value > 0)) // also true for NaN
        return 0;
    return value >= 2 * power(to - 1) ? ~UINT64_C(0) : (uint64_t)value;
}

static ALWAYS_INLINE uint64_t float_to_signed(uint64_t x, unsigned from, unsigned to)
{
    const double value = float_value(x, from);
    const double limit = power(to - 1);
    const uint64_t least = UINT64_C(1) << (to - 1);
    if (isnan(value))
        return 0;
    if (value >= limit)
        return least - 1;
    return value <= -limit ? least : (uint64_t)(int64_t)value;
}

// A 64-bit integer must not be rounded twice on the way to 32 bits. To 16 bits it may: all values
// in range are exact as doubles.
static ALWAYS_INLINE uint64_t signed_to_float(uint64_t x, unsigned from, unsigned to)
{
    const int64_t value = sign_extend(x, from);
    return float_bits(to == 32 ? (double)(float)value : (double)value, to);
}

static ALWAYS_INLINE uint64_t unsigned_to_float(uint64_t x, unsigned from, unsigned to)
{
    (void)from;
    return float_bits(to == 32 ? (double)(float)x : (double)x, to);
}

static ALWAYS_INLINE uint64_t float_to_float(uint64_t x, unsigned from, unsigned to)
{
    return float_bits(float_value(x, from), to);
}

static ALWAYS_INLINE uint64_t quantized(uint64_t x, unsigned from, unsigned to)
{
    const double value = float_value(x, from);
    if (fabs(value) < 0x1p-14)
        return x & UINT64_C(1) << (from - 1);
    return float_bits(half_value(half_bits(value)), to);
}

// Float widths are constants in the loops; integer widths are the instruction's.
#define CONVERSION(name, convert, from, to)                                                        \
    static void name(struct exec *exec, const struct insn *insn)                                   \
    {                                                                                              \
        map_conversion(exec, insn, convert, from, to);                                             \
    }
#define FROM_FLOAT(name)                                                                           \
    CONVERSION(name##_16, name, 16, insn->width)                                                   \
    CONVERSION(name##_32, name, 32, insn->width)                                                   \
    CONVERSION(name##_64, name, 64, insn->width)
#define TO_FLOAT(name)                                                                             \
    CONVERSION(name##_16, name, insn->operand_width, 16)                                           \
    CONVERSION(name##_32, name, insn->operand_width, 32)                                           \
    CONVERSION(name##_64, name, insn->operand_width, 64)

FROM_FLOAT(float_to_unsigned)
FROM_FLOAT(float_to_signed)
FROM_FLOAT(float_to_float)
TO_FLOAT(signed_to_float)
TO_FLOAT(unsigned_to_float)
CONVERSION(convert_unsigned, zero_extended, insn->operand_width, insn->width)
CONVERSION(convert_signed, sign_extended, insn->operand_width, insn->width)
CONVERSION(quantize, quantized, 32, 32)

// From or to floats with another encoding than IEEE 754's. An integer becomes a 32-bit float first.
void convert_encoded(struct exec *exec, const struct insn *insn)
{
    const enum scalar_kind from = CONVERTS_FROM(insn), to = CONVERTS_TO(insn);
    const unsigned width = insn->operand_width, bits = insn->width;
    for (uint32_t i = 0; i < insn->components; i++) {
        const uint64_t *x = exec_cells(exec, insn->operand[0] + i);
        uint64_t *result = exec_cells(exec, insn->result + i);
        for_lanes(exec, l, {
            const uint64_t whole = insn->opcode == SpvOpConvertSToF
                                       ? signed_to_float(x[l], width, 32)
                                       : unsigned_to_float(x[l], width, 32);
            const double value =
                from == SCALAR_INT ? float_value(whole, 32) : encoded_value(x[l], from, width);
            const uint64_t number = bits_of_double(value);
            result[l] = to != SCALAR_INT
                            ? encoded_bits(value, to, bits, insn->flags & CONVERT_TO_LARGEST)
                        : insn->opcode == SpvOpConvertFToS
                            ? float_to_signed(number, 64, bits) & width_mask(bits)
                            : float_to_unsigned(number, 64, bits) & width_mask(bits);
        });
    }
}

// To fewer, wider components: the first of the joined ones has the lowest bits.
static void bitcast_join(struct exec *exec, const struct insn *insn)
{
    const uint32_t width = insn->operand_width, parts = insn->width / width;
    for (uint32_t i = 0; i < insn->components; i++) {
        uint64_t *result = exec_cells(exec, insn->result + i);
        for (uint32_t part = 0; part < parts; part++) {
            const uint64_t *x = exec_cells(exec, insn->operand[0] + i * parts + part);
            for_lanes(exec, l,
                      result[l] = (part == 0 ? 0 : result[l]) | (x[l] & width_mask(width))
                                                                    << (part * width));
        }
    }
}

// To more, narrower components.
static void bitcast_split(struct exec *exec, const struct insn *insn)
{
    const uint32_t width = insn->width, parts = insn->operand_width / width;
    for (uint32_t i = 0; i < insn->components; i++) {
        const uint64_t *x = exec_cells(exec, insn->operand[0] + i / parts);
        uint64_t *result = exec_cells(exec, insn->result + i);
        for_lanes(exec, l, result[l] = x[l] >> (i % parts * width) & width_mask(width));
    }
}

enum {
    INT_TO_INT,
    INT_TO_FLOAT,
    FLOAT_TO_INT,
    FLOAT_TO_FLOAT,
    QUANTIZE,
    BITCAST,
    FROM_POINTER,
    TO_POINTER
};

static const struct arithmetic_row rows[] = {
    {SpvOpUConvert, INT_TO_INT, SAME_ROW(convert_unsigned)},
    {SpvOpSConvert, INT_TO_INT, SAME_ROW(convert_signed)},
    {SpvOpFConvert, FLOAT_TO_FLOAT, FLOAT_ROW(float_to_float)},
    {SpvOpConvertFToU, FLOAT_TO_INT, FLOAT_ROW(float_to_unsigned)},
    {SpvOpConvertFToS, FLOAT_TO_INT, FLOAT_ROW(float_to_signed)},
    {SpvOpConvertUToF, INT_TO_FLOAT, FLOAT_ROW(unsigned_to_float)},
    {SpvOpConvertSToF, INT_TO_FLOAT, FLOAT_ROW(signed_to_float)},
    {SpvOpQuantizeToF16, QUANTIZE, SAME_ROW(quantize)},
    {SpvOpBitcast, BITCAST, SAME_ROW(convert_unsigned)},
    {SpvOpConvertPtrToU, FROM_POINTER, SAME_ROW(convert_unsigned)},
    {SpvOpConvertUToPtr, TO_POINTER, SAME_ROW(convert_unsigned)},
};

// With another encoding than IEEE 754's.
static bool is_encoded(const struct shape *shape)
{
    return shape->scalar >= SCALAR_BFLOAT && shape->scalar <= SCALAR_E5M2 &&
           shape->components - 1 < COMPONENTS_MAX;
}

static bool is_any_float(const struct shape *shape)
{
    return shape_is_float(shape) || is_encoded(shape);
}

static bool has_bits(const struct shape *shape)
{
    return shape_is_int(shape) || is_any_float(shape) ||
           (shape_is_pointer(shape) && shape->width == 64);
}

static bool fits(const struct shape *result, const struct shape *x, int form)
{
    const bool same_components = result->components == x->components;
    switch (form) {
    case INT_TO_INT:
        return shape_is_int(x) && shape_is_int(result) && same_components &&
               x->width != result->width;
    case INT_TO_FLOAT:
        return shape_is_int(x) && is_any_float(result) && same_components;
    case FLOAT_TO_INT:
        return is_any_float(x) && shape_is_int(result) && same_components;
    case FLOAT_TO_FLOAT:
        return same_components && is_any_float(x) && is_any_float(result) &&
               (x->scalar != result->scalar || x->width != result->width);
    case QUANTIZE:
        return shape_is_float(x) && x->width == 32 && shape_same(x, result);
    case BITCAST:
        return has_bits(x) && has_bits(result) &&
               x->width * x->components == result->width * result->components;
    case FROM_POINTER:
        return shape_is_pointer(x) && x->width == 64 && shape_is_int(result) && same_components;
    case TO_POINTER:
        return shape_is_int(x) && shape_is_pointer(result) && result->width == 64 &&
               same_components;
    }
    return false;
}

insn_run *select_convert(const struct insn_shape *shape, struct insn *insn)
{
    const struct shape *result = &shape->result, *x = &shape->operand[0];
    const struct arithmetic_row *row = arithmetic_find(rows, ROW_COUNT(rows), shape->opcode);
    if (!row || !shape->has_result || shape->operand_count != 1 || !fits(result, x, row->form))
        return NULL;
    arithmetic_fill(shape, insn, result->components);
    if (row->form <= FLOAT_TO_FLOAT && (is_encoded(x) || is_encoded(result))) {
        insn->flags |= (uint16_t)(x->scalar | result->scalar << CONVERTS_TO_SHIFT);
        return convert_encoded;
    }
    if (row->form == BITCAST && result->width > x->width)
        return bitcast_join;
    if (row->form == BITCAST && result->width < x->width)
        return bitcast_split;
    return arithmetic_run(row, row->form == INT_TO_FLOAT ? result->width : x->width);
}
