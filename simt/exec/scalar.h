// SPDX-License-Identifier: Apache-2.0
// Shared by the arithmetic instruction functions: scalar bits, loops over executing lanes, and the
// shape checks of selectors.
//
// Each operation is written once, as an expression of the operands' bits x, y, ... and the width in
// bits; the macros at the end of this file turn it into a function for each width. Bits of the
// result above the width are truncated.
#pragma once

#include "program/execution.h"
#include "program/instructions.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define COMPONENTS_MAX   4 // per vector
#define ROW_COUNT(array) (sizeof(array) / sizeof((array)[0]))

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

// Executes `statement` for each executing lane; if the whole subgroup executes, in a loop that the
// compiler can vectorise.
#define for_lanes(exec, l, statement)                                                              \
    do {                                                                                           \
        if ((exec)->count == (exec)->width) {                                                      \
            const uint32_t l##_count = (exec)->width;                                              \
            for (uint32_t l = 0; l < l##_count; l++) {                                             \
                statement;                                                                         \
            }                                                                                      \
        } else {                                                                                   \
            const uint32_t l##_count = (exec)->count;                                              \
            for (uint32_t l##_at = 0; l##_at < l##_count; l##_at++) {                              \
                const uint32_t l = (exec)->lane[l##_at];                                           \
                statement;                                                                         \
            }                                                                                      \
        }                                                                                          \
    } while (0)

static ALWAYS_INLINE uint64_t width_mask(unsigned width) // 1 to 64
{
    return ~UINT64_C(0) >> (64 - width);
}

// The low `width` bits as a two's complement number; higher bits are ignored.
static ALWAYS_INLINE int64_t sign_extend(uint64_t bits, unsigned width)
{
    const uint64_t sign = UINT64_C(1) << (width - 1);
    return (int64_t)(((bits & width_mask(width)) ^ sign) - sign);
}

static ALWAYS_INLINE double double_of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static ALWAYS_INLINE uint64_t bits_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static ALWAYS_INLINE double half_value(uint64_t bits)
{
    const double sign = bits & 0x8000 ? -1 : 1;
    if ((bits & 0x7c00) == 0x7c00)
        return bits & 0x3ff ? NAN : sign * INFINITY;
    // The same fields in a double have an exponent too small by 1008: exact, even for subnormal
    // numbers.
    return sign * double_of_bits((bits & 0x7fff) << 42) * 0x1p1008;
}

// Rounds to the nearest 16-bit float, ties to even. NaN becomes 0x7e00.
static ALWAYS_INLINE uint64_t half_bits(double value)
{
    const double magnitude = fabs(value);
    const uint64_t sign = bits_of_double(value) >> 48 & 0x8000;
    if (!(magnitude < 65520)) // midpoint of the greatest float and the next
        return isnan(value) ? 0x7e00 : sign | 0x7c00;
    if (magnitude < 0x1p-14) // subnormal: the sum's last bit is worth 2^-24
        return sign | (bits_of_double(magnitude + 0x1p28) & 0x7ff);
    uint64_t bits = bits_of_double(magnitude);
    bits += (UINT64_C(1) << 41) - 1 + (bits >> 42 & 1);
    return sign | ((bits >> 42) - (UINT64_C(1008) << 10));
}

// Floats of 16, 32 and 64 bits are computed as doubles. Rounding a sum, product or quotient of two
// floats of at most 32 bits first to double and then to 32 bits is correct, because 53 bits exceed
// 2 * 24 + 2. This includes subnormal results: exact products fit into a double, and exact
// quotients cannot be that close to a midpoint.
static ALWAYS_INLINE double float_value(uint64_t bits, unsigned width)
{
    if (width == 16)
        return half_value(bits);
    if (width == 64)
        return double_of_bits(bits);
    const uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, sizeof(value));
    return (double)value;
}

// Rounds to nearest, ties to even. Every NaN becomes the positive quiet one without payload, so
// that results are the same on all processors.
static ALWAYS_INLINE uint64_t float_bits(double value, unsigned width)
{
    if (width == 16)
        return half_bits(value);
    if (width == 64)
        return isnan(value) ? UINT64_C(0x7ff8000000000000) : bits_of_double(value);
    const float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof(bits));
    return isnan(value) ? 0x7fc00000 : bits;
}

// A bfloat16 is the upper half of a 32-bit float.
static ALWAYS_INLINE double bfloat_value(uint64_t bits)
{
    return float_value(bits << 16, 32);
}

// Rounds to the nearest bfloat16, ties to even, and only once: the 32-bit float in between is odd
// if it is not exact. NaN becomes 0x7fc0.
static ALWAYS_INLINE uint64_t bfloat_bits(double value)
{
    uint32_t bits = (uint32_t)float_bits(value, 32);
    const double near = float_value(bits, 32);
    if (isnan(value))
        return bits >> 16;
    if (fabs(near) > fabs(value))
        bits--;
    if (near != value)
        bits |= 1;
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

// Floats of 8 bits: E5M2 is the upper half of a 16-bit float; E4M3 has no infinity, and in its NaN
// all bits but the sign are set.
static ALWAYS_INLINE double float8_value(uint64_t bits, bool is_e5m2)
{
    const uint32_t exponent = bits >> 3 & 15, fraction = bits & 7;
    if (is_e5m2)
        return half_value(bits << 8);
    const double value = (bits & 0x7f) == 0x7f ? NAN
                         : exponent            ? ldexp(8 + fraction, (int)exponent - 10)
                                               : ldexp(fraction, -9);
    return bits & 0x80 ? -value : value;
}

// Rounds to nearest, ties to even. What is then greater than the greatest finite number becomes
// this if `to_largest`, else an infinity, or NaN in E4M3. NaN becomes the positive quiet one.
static ALWAYS_INLINE uint64_t float8_bits(double value, bool is_e5m2, bool to_largest)
{
    const int fraction_bits = is_e5m2 ? 2 : 3, least = is_e5m2 ? -14 : -6; // exponent of a normal
    const uint64_t sign = signbit(value) ? 0x80 : 0, largest = is_e5m2 ? 0x7b : 0x7e;
    const double magnitude = isinf(value) ? 0x1p100 : fabs(value);
    int exponent = least;
    if (isnan(value))
        return is_e5m2 ? 0x7e : 0x7f;
    if (magnitude >= ldexp(1, least))
        exponent = ilogb(magnitude);
    const double steps = nearbyint(ldexp(magnitude, fraction_bits - exponent));
    const uint64_t bits = ((uint64_t)(exponent - least) << fraction_bits) + (uint64_t)steps;
    if (bits <= largest)
        return sign | bits;
    return to_largest ? sign | largest : is_e5m2 ? sign | 0x7c : 0x7f;
}

// Floats of any kind, `width` being that of IEEE 754's.
static ALWAYS_INLINE double encoded_value(uint64_t bits, enum scalar_kind kind, unsigned width)
{
    return kind == SCALAR_FLOAT    ? float_value(bits, width)
           : kind == SCALAR_BFLOAT ? bfloat_value(bits)
                                   : float8_value(bits, kind == SCALAR_E5M2);
}

static ALWAYS_INLINE uint64_t encoded_bits(double value, enum scalar_kind kind, unsigned width,
                                           bool to_largest)
{
    return kind == SCALAR_FLOAT    ? float_bits(value, width)
           : kind == SCALAR_BFLOAT ? bfloat_bits(value)
                                   : float8_bits(value, kind == SCALAR_E5M2, to_largest);
}

// The low-order `width` bits of x and y, added; what is out of range becomes the nearest limit.
static ALWAYS_INLINE uint64_t saturated_sum(uint64_t x, uint64_t y, unsigned width, bool is_signed)
{
    const wide least = is_signed ? -((wide)1 << (width - 1)) : 0;
    const wide greatest = is_signed ? ((wide)1 << (width - 1)) - 1 : ((wide)1 << width) - 1;
    wide sum;
    if (is_signed)
        sum = (wide)sign_extend(x, width) + sign_extend(y, width);
    else
        sum = (wide)(x & width_mask(width)) + (wide)(y & width_mask(width));
    return (uint64_t)(sum < least ? least : sum > greatest ? greatest : sum);
}

// Shapes.

static inline bool shape_is_int(const struct shape *shape)
{
    return shape->scalar == SCALAR_INT && shape->components - 1 < COMPONENTS_MAX &&
           (shape->width == 8 || shape->width == 16 || shape->width == 32 || shape->width == 64);
}

static inline bool shape_is_float(const struct shape *shape)
{
    return shape->scalar == SCALAR_FLOAT && shape->components - 1 < COMPONENTS_MAX &&
           (shape->width == 16 || shape->width == 32 || shape->width == 64);
}

static inline bool shape_is_bool(const struct shape *shape)
{
    return shape->scalar == SCALAR_BOOL && shape->components - 1 < COMPONENTS_MAX;
}

static inline bool shape_is_pointer(const struct shape *shape)
{
    return shape->scalar == SCALAR_POINTER && shape->components == 1;
}

// The same, ignoring signedness, which never matters to SPIR-V's arithmetic.
static inline bool shape_same(const struct shape *a, const struct shape *b)
{
    return a->scalar == b->scalar && a->width == b->width && a->components == b->components;
}

// Rows of a selector's table: an instruction, its required shape, and its functions for 8, 16, 32
// and 64 bits.
struct arithmetic_row {
    uint16_t opcode;
    uint8_t form; // defined by the table
    insn_run *run[4];
};

static inline const struct arithmetic_row *arithmetic_find(const struct arithmetic_row *rows,
                                                           size_t count, uint16_t opcode)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].opcode == opcode)
            return &rows[i];
    return NULL;
}

static inline insn_run *arithmetic_run(const struct arithmetic_row *row, uint32_t width)
{
    return row->run[width == 8 ? 0 : width == 16 ? 1 : width == 32 ? 2 : 3];
}

// Fills in the fields common to all selectors.
static inline void arithmetic_fill(const struct insn_shape *shape, struct insn *insn,
                                   uint32_t components)
{
    insn->components = (uint8_t)components;
    insn->width = (uint8_t)shape->result.width;
    insn->operand_width = (uint8_t)shape->operand[0].width;
}

// Component by component. `width` is a constant in every call.

typedef uint64_t unary_operation(uint64_t x, unsigned width);
typedef uint64_t binary_operation(uint64_t x, uint64_t y, unsigned width);

static ALWAYS_INLINE void map_unary(struct exec *exec, const struct insn *insn,
                                    unary_operation *operation, unsigned width)
{
    for (uint32_t i = 0; i < insn->components; i++) {
        const uint64_t *x = exec_cells(exec, insn->operand[0] + i);
        uint64_t *result = exec_cells(exec, insn->result + i);
        for_lanes(exec, l, result[l] = operation(x[l], width) & width_mask(width));
    }
}

static ALWAYS_INLINE void map_binary(struct exec *exec, const struct insn *insn,
                                     binary_operation *operation, unsigned width)
{
    for (uint32_t i = 0; i < insn->components; i++) {
        const uint64_t *x = exec_cells(exec, insn->operand[0] + i);
        const uint64_t *y = exec_cells(exec, insn->operand[1] + i);
        uint64_t *result = exec_cells(exec, insn->result + i);
        for_lanes(exec, l, result[l] = operation(x[l], y[l], width) & width_mask(width));
    }
}

// Also compiled for processors with wider vectors; the choice is made when the library is loaded.
// AVX2 without FMA contracts nothing, so the results are the same.
#if defined(__x86_64__) && defined(__ELF__) && !defined(__SANITIZE_ADDRESS__)
#define WIDE __attribute__((target_clones("default", "avx2")))
#else
#define WIDE
#endif

#define DEFINE_RUN(name, map, width)                                                               \
    WIDE static void name##_##width(struct exec *exec, const struct insn *insn)                    \
    {                                                                                              \
        map(exec, insn, name, width);                                                              \
    }
#define DEFINE_UNARY(name, expression)                                                             \
    static ALWAYS_INLINE uint64_t name(uint64_t x, unsigned width)                                 \
    {                                                                                              \
        (void)width;                                                                               \
        return (uint64_t)(expression);                                                             \
    }
#define DEFINE_BINARY(name, expression)                                                            \
    static ALWAYS_INLINE uint64_t name(uint64_t x, uint64_t y, unsigned width)                     \
    {                                                                                              \
        (void)width;                                                                               \
        return (uint64_t)(expression);                                                             \
    }

#define INTEGER_RUNS(name, map)                                                                    \
    DEFINE_RUN(name, map, 8)                                                                       \
    DEFINE_RUN(name, map, 16)                                                                      \
    DEFINE_RUN(name, map, 32)                                                                      \
    DEFINE_RUN(name, map, 64)
#define FLOAT_RUNS(name, map)                                                                      \
    DEFINE_RUN(name, map, 16)                                                                      \
    DEFINE_RUN(name, map, 32)                                                                      \
    DEFINE_RUN(name, map, 64)

#define INTEGER_UNARY(name, expression)                                                            \
    DEFINE_UNARY(name, expression)                                                                 \
    INTEGER_RUNS(name, map_unary)
#define INTEGER_BINARY(name, expression)                                                           \
    DEFINE_BINARY(name, expression)                                                                \
    INTEGER_RUNS(name, map_binary)

// The functions of an operation, as a table row.
#define INTEGER_ROW(name)                                                                          \
    {                                                                                              \
        name##_8, name##_16, name##_32, name##_64                                                  \
    }
#define FLOAT_ROW(name)                                                                            \
    {                                                                                              \
        NULL, name##_16, name##_32, name##_64                                                      \
    }
#define SAME_ROW(run)                                                                              \
    {                                                                                              \
        run, run, run, run                                                                         \
    } // one function for all widths

insn_select select_dot; // integer dot products, called by select_integer
