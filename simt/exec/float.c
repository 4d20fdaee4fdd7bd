// SPDX-License-Identifier: Apache-2.0
// Floats of 16, 32 and 64 bits: arithmetic, comparisons, and products of vectors and matrices.
//
// Every operation is correctly rounded, to nearest, ties to even; subnormal numbers are kept, and
// NaN is always the positive quiet one. Products of vectors and matrices round each product and
// each sum, from the first component to the last. Where SPIR-V leaves a result undefined: x / 0
// follows IEEE 754, and remainders of x and 0 are NaN.
#include "exec/scalar.h"

typedef double float_unary(double x);
typedef double float_binary(double x, double y);
typedef bool float_test(double x);
typedef bool float_comparison(double x, double y);

static ALWAYS_INLINE void map_float_binary(struct exec *exec, const struct insn *insn,
                                           float_binary *operation, unsigned width)
{
    for (uint32_t i = 0; i < insn->components; i++) {
        const uint64_t *x = exec_cells(exec, insn->operand[0] + i);
        const uint64_t *y = exec_cells(exec, insn->operand[1] + i);
        uint64_t *result = exec_cells(exec, insn->result + i);
        for_lanes(exec, l,
                  result[l] = float_bits(
                      operation(float_value(x[l], width), float_value(y[l], width)), width));
    }
}

static ALWAYS_INLINE void map_test(struct exec *exec, const struct insn *insn, float_test *test,
                                   unsigned width)
{
    for (uint32_t i = 0; i < insn->components; i++) {
        const uint64_t *x = exec_cells(exec, insn->operand[0] + i);
        uint64_t *result = exec_cells(exec, insn->result + i);
        for_lanes(exec, l, result[l] = test(float_value(x[l], width)));
    }
}

static ALWAYS_INLINE void map_comparison(struct exec *exec, const struct insn *insn,
                                         float_comparison *comparison, unsigned width)
{
    for (uint32_t i = 0; i < insn->components; i++) {
        const uint64_t *x = exec_cells(exec, insn->operand[0] + i);
        const uint64_t *y = exec_cells(exec, insn->operand[1] + i);
        uint64_t *result = exec_cells(exec, insn->result + i);
        for_lanes(exec, l,
                  result[l] = comparison(float_value(x[l], width), float_value(y[l], width)));
    }
}

#define FLOAT_BINARY(name, expression)                                                             \
    static ALWAYS_INLINE double name(double x, double y)                                           \
    {                                                                                              \
        return expression;                                                                         \
    }                                                                                              \
    FLOAT_RUNS(name, map_float_binary)
#define FLOAT_TEST(name, expression)                                                               \
    static ALWAYS_INLINE bool name(double x)                                                       \
    {                                                                                              \
        return expression;                                                                         \
    }                                                                                              \
    FLOAT_RUNS(name, map_test)
#define FLOAT_COMPARISON(name, expression)                                                         \
    static ALWAYS_INLINE bool name(double x, double y)                                             \
    {                                                                                              \
        return expression;                                                                         \
    }                                                                                              \
    FLOAT_RUNS(name, map_comparison)

static ALWAYS_INLINE double remainder_of_divisor(double x, double y) // has the sign of y
{
    const double remainder = fmod(x, y);
    if (remainder == 0)
        return copysign(remainder, y);
    return (remainder < 0) != (y < 0) ? remainder + y : remainder;
}

DEFINE_UNARY(negate, x ^ UINT64_C(1) << (width - 1))
FLOAT_RUNS(negate, map_unary)

FLOAT_BINARY(add, x + y)
FLOAT_BINARY(subtract, x - y)
FLOAT_BINARY(multiply, (x * y))
FLOAT_BINARY(divide, x / y)
FLOAT_BINARY(float_rem, fmod(x, y))
FLOAT_BINARY(float_mod, remainder_of_divisor(x, y))

FLOAT_TEST(is_nan, isnan(x))
FLOAT_TEST(is_inf, isinf(x))

FLOAT_COMPARISON(ordered_equal, x == y)
FLOAT_COMPARISON(unordered_equal, !(x < y || x > y))
FLOAT_COMPARISON(ordered_not_equal, x<y || x> y)
FLOAT_COMPARISON(unordered_not_equal, x != y)
FLOAT_COMPARISON(ordered_less, x < y)
FLOAT_COMPARISON(unordered_less, !(x >= y))
FLOAT_COMPARISON(ordered_greater, x > y)
FLOAT_COMPARISON(unordered_greater, !(x <= y))
FLOAT_COMPARISON(ordered_less_equal, x <= y)
FLOAT_COMPARISON(unordered_less_equal, !(x > y))
FLOAT_COMPARISON(ordered_greater_equal, x >= y)
FLOAT_COMPARISON(unordered_greater_equal, !(x < y))

// Every product of vectors and matrices is a product of a matrix of `rows` by `inner` and one of
// `inner` by `columns`, both stored by columns: a left vector is one row (in an outer product one
// column), a right vector is one column, and a scalar is a one-by-one matrix.
struct product {
    uint32_t rows, inner, columns;
};

static uint64_t product_pack(struct product product) // for insn->literal
{
    return product.rows | product.inner << 8 | product.columns << 16;
}

static struct product product_unpack(uint64_t literal)
{
    return (struct product){literal & 0xff, literal >> 8 & 0xff, literal >> 16 & 0xff};
}

// One element of a product: the sum over `inner` of x[k * stride] y[k].
static ALWAYS_INLINE void product_element(struct exec *exec, uint32_t result, uint32_t x,
                                          uint32_t stride, uint32_t y, uint32_t inner,
                                          unsigned width)
{
    uint64_t *sum = exec_cells(exec, result);
    for (uint32_t k = 0; k < inner; k++) {
        const uint64_t *left = exec_cells(exec, x + k * stride);
        const uint64_t *right = exec_cells(exec, y + k);
        for_lanes(exec, l, {
            double term = float_value(left[l], width) * float_value(right[l], width);
            const uint64_t rounded = float_bits(term, width);
            term = float_value(rounded, width);
            sum[l] = k == 0 ? rounded : float_bits(float_value(sum[l], width) + term, width);
        });
    }
}

static ALWAYS_INLINE void product_all(struct exec *exec, const struct insn *insn, unsigned width)
{
    const struct product product = product_unpack(insn->literal);
    for (uint32_t column = 0; column < product.columns; column++)
        for (uint32_t row = 0; row < product.rows; row++)
            product_element(exec, insn->result + column * product.rows + row,
                            insn->operand[0] + row, product.rows,
                            insn->operand[1] + column * product.inner, product.inner, width);
}

static void product_16(struct exec *exec, const struct insn *insn)
{
    product_all(exec, insn, 16);
}

static void product_32(struct exec *exec, const struct insn *insn)
{
    product_all(exec, insn, 32);
}

static void product_64(struct exec *exec, const struct insn *insn)
{
    product_all(exec, insn, 64);
}

static void transpose(struct exec *exec, const struct insn *insn)
{
    const struct product size = product_unpack(insn->literal);
    for (uint32_t column = 0; column < size.columns; column++)
        for (uint32_t row = 0; row < size.rows; row++) {
            const uint64_t *x = exec_cells(exec, insn->operand[0] + row * size.columns + column);
            uint64_t *result = exec_cells(exec, insn->result + column * size.rows + row);
            for_lanes(exec, l, result[l] = x[l]);
        }
}

enum { UNARY, BINARY, TEST, COMPARISON, PRODUCT, TRANSPOSED };

static const struct arithmetic_row rows[] = {
    {SpvOpFNegate, UNARY, FLOAT_ROW(negate)},
    {SpvOpFAdd, BINARY, FLOAT_ROW(add)},
    {SpvOpFSub, BINARY, FLOAT_ROW(subtract)},
    {SpvOpFMul, BINARY, FLOAT_ROW(multiply)},
    {SpvOpFDiv, BINARY, FLOAT_ROW(divide)},
    {SpvOpFRem, BINARY, FLOAT_ROW(float_rem)},
    {SpvOpFMod, BINARY, FLOAT_ROW(float_mod)},
    {SpvOpIsNan, TEST, FLOAT_ROW(is_nan)},
    {SpvOpIsInf, TEST, FLOAT_ROW(is_inf)},
    {SpvOpFOrdEqual, COMPARISON, FLOAT_ROW(ordered_equal)},
    {SpvOpFUnordEqual, COMPARISON, FLOAT_ROW(unordered_equal)},
    {SpvOpFOrdNotEqual, COMPARISON, FLOAT_ROW(ordered_not_equal)},
    {SpvOpFUnordNotEqual, COMPARISON, FLOAT_ROW(unordered_not_equal)},
    {SpvOpFOrdLessThan, COMPARISON, FLOAT_ROW(ordered_less)},
    {SpvOpFUnordLessThan, COMPARISON, FLOAT_ROW(unordered_less)},
    {SpvOpFOrdGreaterThan, COMPARISON, FLOAT_ROW(ordered_greater)},
    {SpvOpFUnordGreaterThan, COMPARISON, FLOAT_ROW(unordered_greater)},
    {SpvOpFOrdLessThanEqual, COMPARISON, FLOAT_ROW(ordered_less_equal)},
    {SpvOpFUnordLessThanEqual, COMPARISON, FLOAT_ROW(unordered_less_equal)},
    {SpvOpFOrdGreaterThanEqual, COMPARISON, FLOAT_ROW(ordered_greater_equal)},
    {SpvOpFUnordGreaterThanEqual, COMPARISON, FLOAT_ROW(unordered_greater_equal)},
    {SpvOpVectorTimesScalar, PRODUCT, FLOAT_ROW(product)},
    {SpvOpMatrixTimesScalar, PRODUCT, FLOAT_ROW(product)},
    {SpvOpVectorTimesMatrix, PRODUCT, FLOAT_ROW(product)},
    {SpvOpMatrixTimesVector, PRODUCT, FLOAT_ROW(product)},
    {SpvOpMatrixTimesMatrix, PRODUCT, FLOAT_ROW(product)},
    {SpvOpOuterProduct, PRODUCT, FLOAT_ROW(product)},
    {SpvOpDot, PRODUCT, FLOAT_ROW(product)},
    {SpvOpTranspose, TRANSPOSED, SAME_ROW(transpose)},
};

enum { SCALAR = 1, VECTOR, MATRIX };

// The operands of each product instruction.
static const struct {
    uint16_t opcode;
    uint8_t result, x, y;
} products[] = {
    {SpvOpVectorTimesScalar, VECTOR, VECTOR, SCALAR},
    {SpvOpMatrixTimesScalar, MATRIX, MATRIX, SCALAR},
    {SpvOpVectorTimesMatrix, VECTOR, VECTOR, MATRIX},
    {SpvOpMatrixTimesVector, VECTOR, MATRIX, VECTOR},
    {SpvOpMatrixTimesMatrix, MATRIX, MATRIX, MATRIX},
    {SpvOpOuterProduct, MATRIX, VECTOR, VECTOR},
    {SpvOpDot, SCALAR, VECTOR, VECTOR},
};

// A value's columns (1 for a vector) and rows; zeros if it has another kind or width.
struct size {
    uint32_t columns, rows;
};

static bool is_matrix(const struct shape *shape)
{
    return shape->scalar == SCALAR_OTHER && shape->columns >= 2 &&
           shape->columns <= COMPONENTS_MAX && shape->rows >= 2 && shape->rows <= COMPONENTS_MAX &&
           shape->components == shape->columns * shape->rows;
}

static struct size size_of(const struct shape *shape, int kind, uint32_t width)
{
    if (kind == MATRIX)
        return is_matrix(shape) && shape->matrix_width == width
                   ? (struct size){shape->columns, shape->rows}
                   : (struct size){0, 0};
    const bool is_kind = shape_is_float(shape) && shape->width == width &&
                         (shape->components > 1) == (kind > SCALAR);
    return is_kind ? (struct size){1, shape->components} : (struct size){0, 0};
}

static bool same_size(struct size x, struct size y)
{
    return x.columns == y.columns && x.rows == y.rows;
}

static struct size swapped(struct size size)
{
    return (struct size){size.rows, size.columns};
}

// Describes the instruction as a product of matrices; false if the sizes do not match.
static bool product_find(const struct insn_shape *shape, uint32_t width, struct product *product)
{
    size_t i = 0;
    while (i < ROW_COUNT(products) && products[i].opcode != shape->opcode)
        i++;
    if (i == ROW_COUNT(products))
        return false;
    struct size x = size_of(&shape->operand[0], products[i].x, width);
    struct size y = size_of(&shape->operand[1], products[i].y, width);
    struct size result = size_of(&shape->result, products[i].result, width);
    if (!x.rows || !y.rows || !result.rows)
        return false;
    if (products[i].y == SCALAR) { // component by component
        *product = (struct product){x.columns * x.rows, 1, 1};
        return same_size(x, result);
    }
    if (shape->opcode == SpvOpOuterProduct)
        y = swapped(y);
    else if (products[i].x == VECTOR)
        x = swapped(x);
    if (shape->opcode == SpvOpVectorTimesMatrix)
        result = swapped(result);
    *product = (struct product){x.rows, x.columns, y.columns};
    return x.columns == y.rows && same_size(result, (struct size){y.columns, x.rows});
}

static bool fits(const struct insn_shape *shape, int form)
{
    const struct shape *result = &shape->result, *x = &shape->operand[0], *y = &shape->operand[1];
    switch (form) {
    case UNARY:
        return shape_is_float(x) && shape_same(x, result);
    case BINARY:
        return shape_is_float(x) && shape_same(x, y) && shape_same(x, result);
    case TEST:
        return shape_is_float(x) && shape_is_bool(result) && result->components == x->components;
    case COMPARISON:
        return shape_is_float(x) && shape_same(x, y) && shape_is_bool(result) &&
               result->components == x->components;
    case TRANSPOSED:
        return is_matrix(x) && is_matrix(result) && x->matrix_width == result->matrix_width &&
               x->rows == result->columns && x->columns == result->rows;
    }
    return false;
}

static uint32_t float_width(const struct shape *shape)
{
    return shape->scalar == SCALAR_OTHER ? shape->matrix_width : shape->width;
}

insn_run *select_float(const struct insn_shape *shape, struct insn *insn)
{
    const struct shape *result = &shape->result;
    const struct arithmetic_row *row = arithmetic_find(rows, ROW_COUNT(rows), shape->opcode);
    if (!row || !shape->has_result)
        return NULL;
    const bool is_unary = row->form == UNARY || row->form == TEST || row->form == TRANSPOSED;
    if (shape->operand_count != (is_unary ? 1 : 2))
        return NULL;
    const uint32_t width = float_width(&shape->operand[0]);
    if (row->form == PRODUCT) {
        struct product product;
        if ((width != 16 && width != 32 && width != 64) || !product_find(shape, width, &product))
            return NULL;
        insn->literal = product_pack(product);
    } else if (!fits(shape, row->form)) {
        return NULL;
    } else if (row->form == TRANSPOSED) {
        insn->literal = product_pack((struct product){result->rows, 1, result->columns});
    }
    arithmetic_fill(shape, insn, result->components);
    insn->width = (uint8_t)float_width(result);
    insn->operand_width = (uint8_t)width;
    return arithmetic_run(row, width);
}
