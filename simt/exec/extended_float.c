// SPDX-License-Identifier: Apache-2.0
// GLSL.std.450: float functions, component by component. They are computed in double and, for 16
// and 32 bits, rounded once at the end.
#include "exec/extended.h"
#include "exec/scalar.h"

#define ALL    (16u | 32u | 64u) // each width is its own bit
#define NARROW (16u | 32u)

#define PI 3.14159265358979323846

static double fract(double x)
{
    return x - floor(x);
}

static double sign(double x)
{
    return (x > 0) - (x < 0);
}

static double radians(double x)
{
    return x * (PI / 180);
}

static double degrees(double x)
{
    return x * (180 / PI);
}

static double inverse_sqrt(double x)
{
    return 1 / sqrt(x);
}

// If one operand is NaN, returns the other, as NMin and NMax require; FMin and FMax allow it.
static double least(double x, double y)
{
    return isnan(x) || y < x ? y : x;
}

static double greatest(double x, double y)
{
    return isnan(x) || y > x ? y : x;
}

static double step(double edge, double x)
{
    return x < edge ? 0 : 1;
}

static double clamp(double x, double low, double high)
{
    return least(greatest(x, low), high);
}

static double mix(double x, double y, double a)
{
    return x * (1 - a) + y * a;
}

static double smooth_step(double low, double high, double x)
{
    const double t = clamp((x - low) / (high - low), 0, 1);
    return t * t * (3 - 2 * t);
}

// For 16-bit floats, fma in double is exact enough: only a product much smaller than z loses bits
// in the sum, and then z is far from the midpoint of two floats.
static double fma_single(double x, double y, double z)
{
    return (double)fmaf((float)x, (float)y, (float)z);
}

// insn->flags is the row's index.
static const struct {
    uint32_t instruction;
    uint32_t widths;
    double (*run)(double x);
} unary[] = {
    {GLSLstd450Round, ALL, rint},         {GLSLstd450RoundEven, ALL, rint},
    {GLSLstd450Trunc, ALL, trunc},        {GLSLstd450FAbs, ALL, fabs},
    {GLSLstd450FSign, ALL, sign},         {GLSLstd450Floor, ALL, floor},
    {GLSLstd450Ceil, ALL, ceil},          {GLSLstd450Fract, ALL, fract},
    {GLSLstd450Radians, NARROW, radians}, {GLSLstd450Degrees, NARROW, degrees},
    {GLSLstd450Sin, NARROW, sin},         {GLSLstd450Cos, NARROW, cos},
    {GLSLstd450Tan, NARROW, tan},         {GLSLstd450Asin, NARROW, asin},
    {GLSLstd450Acos, NARROW, acos},       {GLSLstd450Atan, NARROW, atan},
    {GLSLstd450Sinh, NARROW, sinh},       {GLSLstd450Cosh, NARROW, cosh},
    {GLSLstd450Tanh, NARROW, tanh},       {GLSLstd450Asinh, NARROW, asinh},
    {GLSLstd450Acosh, NARROW, acosh},     {GLSLstd450Atanh, NARROW, atanh},
    {GLSLstd450Exp, NARROW, exp},         {GLSLstd450Log, NARROW, log},
    {GLSLstd450Exp2, NARROW, exp2},       {GLSLstd450Log2, NARROW, log2},
    {GLSLstd450Sqrt, ALL, sqrt},          {GLSLstd450InverseSqrt, ALL, inverse_sqrt},
};

static const struct {
    uint32_t instruction;
    uint32_t widths;
    double (*run)(double x, double y);
} binary[] = {
    {GLSLstd450Atan2, NARROW, atan2}, {GLSLstd450Pow, NARROW, pow}, {GLSLstd450FMin, ALL, least},
    {GLSLstd450FMax, ALL, greatest},  {GLSLstd450NMin, ALL, least}, {GLSLstd450NMax, ALL, greatest},
    {GLSLstd450Step, ALL, step},
};

static const struct {
    uint32_t instruction;
    uint32_t widths;
    double (*run)(double x, double y, double z);
} ternary[] = {
    {GLSLstd450FClamp, ALL, clamp}, {GLSLstd450NClamp, ALL, clamp},
    {GLSLstd450FMix, ALL, mix},     {GLSLstd450SmoothStep, ALL, smooth_step},
    {GLSLstd450Fma, 16 | 64, fma},  {GLSLstd450Fma, 32, fma_single},
};

static void run_unary(struct exec *exec, const struct insn *insn)
{
    const unsigned width = insn->width;
    for (uint32_t i = 0; i < insn->components; i++) {
        const uint64_t *x = exec_cells(exec, insn->operand[0] + i);
        uint64_t *result = exec_cells(exec, insn->result + i);
        for_lanes(exec, l,
                  result[l] = float_bits(unary[insn->flags].run(float_value(x[l], width)), width));
    }
}

static void run_binary(struct exec *exec, const struct insn *insn)
{
    const unsigned width = insn->width;
    for (uint32_t i = 0; i < insn->components; i++) {
        const uint64_t *x = exec_cells(exec, insn->operand[0] + i);
        const uint64_t *y = exec_cells(exec, insn->operand[1] + i);
        uint64_t *result = exec_cells(exec, insn->result + i);
        for_lanes(exec, l,
                  result[l] = float_bits(
                      binary[insn->flags].run(float_value(x[l], width), float_value(y[l], width)),
                      width));
    }
}

static void run_ternary(struct exec *exec, const struct insn *insn)
{
    const unsigned width = insn->width;
    for (uint32_t i = 0; i < insn->components; i++) {
        const uint64_t *x = exec_cells(exec, insn->operand[0] + i);
        const uint64_t *y = exec_cells(exec, insn->operand[1] + i);
        const uint64_t *z = exec_cells(exec, insn->operand[2] + i);
        uint64_t *result = exec_cells(exec, insn->result + i);
        for_lanes(exec, l,
                  result[l] = float_bits(ternary[insn->flags].run(float_value(x[l], width),
                                                                  float_value(y[l], width),
                                                                  float_value(z[l], width)),
                                         width));
    }
}

// `literal` is the width of the exponent. Exponents beyond 4000 make no difference.
static void ldexp_run(struct exec *exec, const struct insn *insn)
{
    const unsigned width = insn->width, exponent_width = (unsigned)insn->literal;
    for (uint32_t i = 0; i < insn->components; i++) {
        const uint64_t *x = exec_cells(exec, insn->operand[0] + i);
        const uint64_t *exponents = exec_cells(exec, insn->operand[1] + i);
        uint64_t *result = exec_cells(exec, insn->result + i);
        for_lanes(exec, l, {
            const int64_t exponent = sign_extend(exponents[l], exponent_width);
            const int near = exponent < -4000 ? -4000 : exponent > 4000 ? 4000 : (int)exponent;
            result[l] = float_bits(ldexp(float_value(x[l], width), near), width);
        });
    }
}

// Results that are a struct of two members of `components` components each.

static void modf_run(struct exec *exec, const struct insn *insn)
{
    const unsigned width = insn->operand_width;
    for (uint32_t i = 0; i < insn->components; i++) {
        const uint64_t *x = exec_cells(exec, insn->operand[0] + i);
        uint64_t *fraction = exec_cells(exec, insn->result + i);
        uint64_t *whole = exec_cells(exec, insn->result + insn->components + i);
        for_lanes(exec, l, {
            double part;
            fraction[l] = float_bits(modf(float_value(x[l], width), &part), width);
            whole[l] = float_bits(part, width);
        });
    }
}

static void frexp_run(struct exec *exec, const struct insn *insn)
{
    const unsigned width = insn->operand_width;
    for (uint32_t i = 0; i < insn->components; i++) {
        const uint64_t *x = exec_cells(exec, insn->operand[0] + i);
        uint64_t *significand = exec_cells(exec, insn->result + i);
        uint64_t *exponents = exec_cells(exec, insn->result + insn->components + i);
        for_lanes(exec, l, {
            const double value = float_value(x[l], width);
            int exponent = 0;
            significand[l] = float_bits(frexp(value, &exponent), width);
            exponents[l] = isfinite(value) ? (uint32_t)exponent : 0;
        });
    }
}

static insn_run *select_special(const struct insn_shape *shape, struct insn *insn)
{
    const struct shape *x = &shape->operand[0], *result = &shape->result;
    const struct shape *exponent = &shape->operand[1];
    arithmetic_fill(shape, insn, x->components);
    switch (shape->extended) {
    case GLSLstd450Ldexp:
        insn->literal = exponent->width;
        return shape->operand_count == 2 && shape_same(x, result) && shape_is_int(exponent) &&
                       exponent->components == x->components
                   ? ldexp_run
                   : NULL;
    case GLSLstd450ModfStruct:
    case GLSLstd450FrexpStruct:
        if (shape->operand_count != 1 || result->scalar != SCALAR_OTHER || result->columns ||
            result->components != 2 * x->components)
            return NULL;
        return shape->extended == GLSLstd450ModfStruct ? modf_run : frexp_run;
    default:
        return NULL;
    }
}

#define FIND(rows, function)                                                                       \
    for (size_t i = 0; i < ROW_COUNT(rows); i++) {                                                 \
        if (rows[i].instruction == shape->extended && rows[i].widths & shape->result.width) {      \
            insn->flags = (uint16_t)i;                                                             \
            return function;                                                                       \
        }                                                                                          \
    }                                                                                              \
    return NULL

insn_run *select_extended_float(const struct insn_shape *shape, struct insn *insn)
{
    if (shape->operand_count < 1 || shape->operand_count > 3 || !shape_is_float(&shape->operand[0]))
        return NULL;
    if (shape->extended == GLSLstd450Ldexp || shape->extended == GLSLstd450ModfStruct ||
        shape->extended == GLSLstd450FrexpStruct)
        return select_special(shape, insn);
    for (uint32_t i = 0; i < shape->operand_count; i++)
        if (!shape_same(&shape->operand[i], &shape->result))
            return NULL;
    arithmetic_fill(shape, insn, shape->result.components);
    switch (shape->operand_count) {
    case 1:
        FIND(unary, run_unary);
    case 2:
        FIND(binary, run_binary);
    default:
        FIND(ternary, run_ternary);
    }
}
