// SPDX-License-Identifier: Apache-2.0
// GLSL.std.450: functions of whole vectors and matrices.
#include "exec/extended.h"
#include "exec/scalar.h"

#include <float.h>

#define CELLS_MAX (COMPONENTS_MAX * COMPONENTS_MAX) // per matrix

// One lane's operands. `count`: components, or columns and rows.
typedef void geometry(const double operand[3][CELLS_MAX], uint32_t count, double *result);

static double dot(const double *x, const double *y, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += x[i] * y[i];
    return sum;
}

// Scaled, so that no square overflows or underflows.
static double length_of(const double *x, uint32_t count)
{
    double most = 0, scaled[COMPONENTS_MAX];
    for (uint32_t i = 0; i < count; i++)
        most = fmax(most, fabs(x[i]));
    const int exponent = most > 0 && most <= DBL_MAX ? ilogb(most) : 0;
    for (uint32_t i = 0; i < count; i++)
        scaled[i] = ldexp(x[i], -exponent);
    return ldexp(sqrt(dot(scaled, scaled, count)), exponent);
}

static void length(const double operand[3][CELLS_MAX], uint32_t count, double *result)
{
    result[0] = length_of(operand[0], count);
}

static void distance(const double operand[3][CELLS_MAX], uint32_t count, double *result)
{
    double difference[COMPONENTS_MAX];
    for (uint32_t i = 0; i < count; i++)
        difference[i] = operand[0][i] - operand[1][i];
    result[0] = length_of(difference, count);
}

static void cross(const double operand[3][CELLS_MAX], uint32_t count, double *result)
{
    const double *x = operand[0], *y = operand[1];
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t j = (i + 1) % 3, k = (i + 2) % 3;
        result[i] = x[j] * y[k] - y[j] * x[k];
    }
}

static void normalize(const double operand[3][CELLS_MAX], uint32_t count, double *result)
{
    const double length = length_of(operand[0], count);
    for (uint32_t i = 0; i < count; i++)
        result[i] = operand[0][i] / length;
}

static void face_forward(const double operand[3][CELLS_MAX], uint32_t count, double *result)
{
    const bool same = dot(operand[2], operand[1], count) < 0;
    for (uint32_t i = 0; i < count; i++)
        result[i] = same ? operand[0][i] : -operand[0][i];
}

static void reflect(const double operand[3][CELLS_MAX], uint32_t count, double *result)
{
    const double *incident = operand[0], *normal = operand[1];
    const double twice = 2 * dot(normal, incident, count);
    for (uint32_t i = 0; i < count; i++)
        result[i] = incident[i] - twice * normal[i];
}

static void refract(const double operand[3][CELLS_MAX], uint32_t count, double *result)
{
    const double *incident = operand[0], *normal = operand[1], eta = operand[2][0];
    const double cosine = dot(normal, incident, count);
    const double k = 1 - eta * eta * (1 - cosine * cosine);
    for (uint32_t i = 0; i < count; i++)
        result[i] = k < 0 ? 0 : eta * incident[i] - (eta * cosine + sqrt(k)) * normal[i];
}

// The minor of a matrix of `count` columns, stored by columns, without the columns and rows in the
// sets `columns` and `rows`.
static double minor(const double *matrix, uint32_t count, uint32_t columns, uint32_t rows)
{
    double sum = 0, sign = 1;
    uint32_t column = 0;
    while (column < count && columns >> column & 1)
        column++;
    if (column == count)
        return 1;
    for (uint32_t row = 0; row < count; row++) {
        if (rows >> row & 1)
            continue;
        sum += sign * matrix[column * count + row] *
               minor(matrix, count, columns | 1u << column, rows | 1u << row);
        sign = -sign;
    }
    return sum;
}

static void determinant(const double operand[3][CELLS_MAX], uint32_t count, double *result)
{
    result[0] = minor(operand[0], count, 0, 0);
}

static void inverse(const double operand[3][CELLS_MAX], uint32_t count, double *result)
{
    const double all = minor(operand[0], count, 0, 0);
    for (uint32_t column = 0; column < count; column++) {
        for (uint32_t row = 0; row < count; row++) {
            const double cofactor = minor(operand[0], count, 1u << row, 1u << column);
            result[column * count + row] = ((column + row) % 2 ? -cofactor : cofactor) / all;
        }
    }
}

enum form {
    VECTOR, // operands and result have the same type
    SCALAR, // the result is a scalar
    CROSS,  // as VECTOR, with 3 components
    ETA,    // as VECTOR, but the last operand is a scalar
    SQUARE, // square matrix to scalar
    INVERT, // square matrix to square matrix
};

// insn->flags is the row's index.
static const struct {
    uint32_t instruction;
    uint32_t operands;
    enum form form;
    geometry *run;
} rows[] = {
    {GLSLstd450Length, 1, SCALAR, length},
    {GLSLstd450Distance, 2, SCALAR, distance},
    {GLSLstd450Cross, 2, CROSS, cross},
    {GLSLstd450Normalize, 1, VECTOR, normalize},
    {GLSLstd450FaceForward, 3, VECTOR, face_forward},
    {GLSLstd450Reflect, 2, VECTOR, reflect},
    {GLSLstd450Refract, 3, ETA, refract},
    {GLSLstd450Determinant, 1, SQUARE, determinant},
    {GLSLstd450MatrixInverse, 1, INVERT, inverse},
};

// insn->literal: what a lane reads and writes, one byte each.
struct layout {
    uint8_t count; // as for `geometry`
    uint8_t width;
    uint8_t result;           // cells
    uint8_t operands;         // number
    uint8_t cells;            // per operand except the last
    uint8_t last, last_width; // cells and width of the last operand
    uint8_t unused;
};

_Static_assert(sizeof(struct layout) == sizeof(uint64_t), "a layout has to fit into the literal");

static void run(struct exec *exec, const struct insn *insn)
{
    struct layout layout;
    memcpy(&layout, &insn->literal, sizeof(layout));
    for_lanes(exec, l, {
        double operand[3][CELLS_MAX];
        double result[CELLS_MAX];
        for (uint32_t i = 0; i < layout.operands; i++) {
            const bool last = i + 1u == layout.operands;
            const uint32_t cells = last ? layout.last : layout.cells;
            for (uint32_t j = 0; j < cells; j++)
                operand[i][j] = float_value(exec_cells(exec, insn->operand[i] + j)[l],
                                            last ? layout.last_width : layout.width);
        }
        rows[insn->flags].run((const double(*)[CELLS_MAX])operand, layout.count, result);
        for (uint32_t j = 0; j < layout.result; j++)
            exec_cells(exec, insn->result + j)[l] = float_bits(result[j], layout.width);
    });
}

static bool is_square(const struct shape *shape)
{
    return shape->scalar == SCALAR_OTHER && shape->columns >= 2 &&
           shape->columns <= COMPONENTS_MAX && shape->rows == shape->columns &&
           shape->components == shape->columns * shape->rows &&
           (shape->matrix_width == 16 || shape->matrix_width == 32 || shape->matrix_width == 64);
}

static bool is_scalar(const struct shape *shape, uint32_t width)
{
    return shape_is_float(shape) && shape->components == 1 && (!width || shape->width == width);
}

static bool fits_matrix(const struct insn_shape *shape, enum form form)
{
    const struct shape *x = &shape->operand[0], *result = &shape->result;
    if (!is_square(x))
        return false;
    return form == SQUARE ? is_scalar(result, x->matrix_width)
                          : is_square(result) && result->columns == x->columns &&
                                result->matrix_width == x->matrix_width;
}

static bool fits(const struct insn_shape *shape, enum form form)
{
    const struct shape *x = &shape->operand[0], *result = &shape->result;
    if (form == SQUARE || form == INVERT)
        return fits_matrix(shape, form);
    if (!shape_is_float(x) || (form == CROSS && x->components != 3))
        return false;
    for (uint32_t i = 1; i < shape->operand_count; i++) {
        const bool is_eta = form == ETA && i == 2;
        if (is_eta ? !is_scalar(&shape->operand[i], 0) : !shape_same(&shape->operand[i], x))
            return false;
    }
    return form == SCALAR ? is_scalar(result, x->width) : shape_same(result, x);
}

insn_run *select_extended_geometry(const struct insn_shape *shape, struct insn *insn)
{
    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        if (rows[i].instruction != shape->extended)
            continue;
        const enum form form = rows[i].form;
        if (shape->operand_count != rows[i].operands || !fits(shape, form))
            return NULL;
        const struct shape *x = &shape->operand[0], *last = &shape->operand[rows[i].operands - 1];
        const bool is_matrix = form == SQUARE || form == INVERT;
        const struct layout layout = {
            .count = (uint8_t)(is_matrix ? x->columns : x->components),
            .width = (uint8_t)(is_matrix ? x->matrix_width : x->width),
            .result = (uint8_t)shape->result.components,
            .operands = (uint8_t)rows[i].operands,
            .cells = (uint8_t)x->components,
            .last = (uint8_t)last->components,
            .last_width = (uint8_t)(is_matrix ? x->matrix_width : last->width),
        };
        arithmetic_fill(shape, insn, shape->result.components);
        memcpy(&insn->literal, &layout, sizeof(layout));
        insn->flags = (uint16_t)i;
        return run;
    }
    return NULL;
}
