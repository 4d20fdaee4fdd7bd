// SPDX-License-Identifier: Apache-2.0
// Group operations: reductions and scans over the tangle, clusters or partitions.
#include "exec/group.h"

DEFINE_BINARY(i_add, x + y)
DEFINE_BINARY(i_mul, (x * y))
DEFINE_BINARY(f_add, float_bits(float_value(x, width) + float_value(y, width), width))
DEFINE_BINARY(f_mul, float_bits(float_value(x, width) * float_value(y, width), width))
DEFINE_BINARY(s_min, sign_extend(y, width) < sign_extend(x, width) ? y : x)
DEFINE_BINARY(s_max, sign_extend(y, width) > sign_extend(x, width) ? y : x)
DEFINE_BINARY(u_min, y < x ? y : x)
DEFINE_BINARY(u_max, y > x ? y : x)
DEFINE_BINARY(bitwise_and, (x & y))
DEFINE_BINARY(bitwise_or, x | y)
DEFINE_BINARY(bitwise_xor, x ^ y)

// If one operand is NaN, returns the other.
static uint64_t f_min(uint64_t x, uint64_t y, unsigned width)
{
    const double a = float_value(x, width), b = float_value(y, width);
    return isnan(a) || b < a ? y : x;
}

static uint64_t f_max(uint64_t x, uint64_t y, unsigned width)
{
    const double a = float_value(x, width), b = float_value(y, width);
    return isnan(a) || b > a ? y : x;
}

// Extends a result over the values of further lanes, in ascending order.
typedef uint64_t fold(uint64_t sum, const uint64_t *value, lanes set, unsigned width);

#define DEFINE_FOLD(name)                                                                          \
    static uint64_t fold_##name(uint64_t sum, const uint64_t *value, lanes set, unsigned width)    \
    {                                                                                              \
        each_lane (lane, set)                                                                      \
            sum = name(sum, value[lane], width) & width_mask(width);                               \
        return sum;                                                                                \
    }

DEFINE_FOLD(i_add)
DEFINE_FOLD(i_mul)
DEFINE_FOLD(f_add)
DEFINE_FOLD(f_mul)
DEFINE_FOLD(s_min)
DEFINE_FOLD(s_max)
DEFINE_FOLD(u_min)
DEFINE_FOLD(u_max)
DEFINE_FOLD(f_min)
DEFINE_FOLD(f_max)
DEFINE_FOLD(bitwise_and)
DEFINE_FOLD(bitwise_or)
DEFINE_FOLD(bitwise_xor)

// The operation's identity: its result over no values.
enum identity {
    ZERO,
    ONE,
    ALL_BITS,
    SIGNED_LEAST,
    SIGNED_MOST,
    FLOAT_ONE,
    FLOAT_LEAST,
    FLOAT_MOST
};

static uint64_t identity_bits(enum identity identity, unsigned width)
{
    switch (identity) {
    case ONE:
        return 1;
    case ALL_BITS:
        return width_mask(width);
    case SIGNED_LEAST:
        return UINT64_C(1) << (width - 1);
    case SIGNED_MOST:
        return width_mask(width) >> 1;
    case FLOAT_ONE:
        return float_bits(1, width);
    case FLOAT_LEAST:
        return float_bits(-INFINITY, width);
    case FLOAT_MOST:
        return float_bits(INFINITY, width);
    default:
        return 0;
    }
}

// insn->flags is the row's index, insn->literal the group operation.
static const struct {
    uint16_t opcode;
    enum scalar_kind kind;
    fold *run;
    enum identity identity;
} rows[] = {
    {SpvOpGroupNonUniformIAdd, SCALAR_INT, fold_i_add, ZERO},
    {SpvOpGroupNonUniformFAdd, SCALAR_FLOAT, fold_f_add, ZERO},
    {SpvOpGroupNonUniformIMul, SCALAR_INT, fold_i_mul, ONE},
    {SpvOpGroupNonUniformFMul, SCALAR_FLOAT, fold_f_mul, FLOAT_ONE},
    {SpvOpGroupNonUniformSMin, SCALAR_INT, fold_s_min, SIGNED_MOST},
    {SpvOpGroupNonUniformUMin, SCALAR_INT, fold_u_min, ALL_BITS},
    {SpvOpGroupNonUniformFMin, SCALAR_FLOAT, fold_f_min, FLOAT_MOST},
    {SpvOpGroupNonUniformSMax, SCALAR_INT, fold_s_max, SIGNED_LEAST},
    {SpvOpGroupNonUniformUMax, SCALAR_INT, fold_u_max, ZERO},
    {SpvOpGroupNonUniformFMax, SCALAR_FLOAT, fold_f_max, FLOAT_LEAST},
    {SpvOpGroupNonUniformBitwiseAnd, SCALAR_INT, fold_bitwise_and, ALL_BITS},
    {SpvOpGroupNonUniformBitwiseOr, SCALAR_INT, fold_bitwise_or, ZERO},
    {SpvOpGroupNonUniformBitwiseXor, SCALAR_INT, fold_bitwise_xor, ZERO},
    {SpvOpGroupNonUniformLogicalAnd, SCALAR_BOOL, fold_bitwise_and, ALL_BITS},
    {SpvOpGroupNonUniformLogicalOr, SCALAR_BOOL, fold_bitwise_or, ZERO},
    {SpvOpGroupNonUniformLogicalXor, SCALAR_BOOL, fold_bitwise_xor, ZERO},
};

static bool is_partitioned(uint64_t operation)
{
    return operation == SpvGroupOperationPartitionedReduceNV ||
           operation == SpvGroupOperationPartitionedInclusiveScanNV ||
           operation == SpvGroupOperationPartitionedExclusiveScanNV;
}

// The lanes that contribute to the result of `lane`. False if it is undefined.
static bool values_of(const struct exec *exec, const struct insn *insn, unsigned lane, lanes *set)
{
    *set = exec->mask;
    if (is_partitioned(insn->literal)) {
        *set &= group_ballot(exec, insn->operand[GROUP_ARGUMENT], lane);
    } else if (insn->literal == SpvGroupOperationClusteredReduce) {
        const uint64_t size = exec_cells(exec, insn->operand[GROUP_ARGUMENT])[lane];
        if (!size || size & (size - 1) || size > exec->width) // must be a power of two
            return false;
        *set &= lanes_below((unsigned)size) << (lane & ~(size - 1));
    }
    switch (insn->literal) {
    case SpvGroupOperationInclusiveScan:
    case SpvGroupOperationPartitionedInclusiveScanNV:
        *set &= lanes_below(lane + 1);
        break;
    case SpvGroupOperationExclusiveScan:
    case SpvGroupOperationPartitionedExclusiveScanNV:
        *set &= lanes_below(lane);
        break;
    default:
        break;
    }
    return true;
}

// A result over a set of lanes, in ascending order.
struct sum {
    lanes set;
    uint64_t value;
};

// Moves on to another set. If that is the old one plus later lanes, only these are added.
static void sum_over(struct sum *sum, const struct insn *insn, const uint64_t *value, lanes set)
{
    if (set == sum->set && set)
        return;
    if (sum->set & ~set)
        sum->set = 0;
    if (!sum->set) {
        sum->set = set & -set; // starts with the first lane's value
        sum->value =
            set ? value[lanes_first(set)] : identity_bits(rows[insn->flags].identity, insn->width);
    }
    sum->value = rows[insn->flags].run(sum->value, value, set & ~sum->set, insn->width);
    sum->set = set;
}

static void arithmetic(struct exec *exec, const struct insn *insn)
{
    for (uint32_t i = 0; i < insn->components; i++) {
        const uint64_t *value = exec_cells(exec, insn->operand[GROUP_VALUE] + i);
        uint64_t *result = exec_cells(exec, insn->result + i);
        uint64_t results[LANES_MAX];
        struct sum sum = {0};
        if (insn->literal == SpvGroupOperationReduce) {
            sum_over(&sum, insn, value, exec->mask);
            for_lanes(exec, l, result[l] = sum.value);
            continue;
        }
        for_lanes(exec, l, {
            lanes set;
            if (values_of(exec, insn, l, &set)) {
                sum_over(&sum, insn, value, set);
                results[l] = sum.value;
            } else {
                results[l] = exec_random(exec) & width_mask(insn->width);
            }
        });
        for_lanes(exec, l, result[l] = results[l]);
    }
}

static bool fits(const struct group_shape *shape, enum scalar_kind kind)
{
    const bool clustered = shape->operation == SpvGroupOperationClusteredReduce;
    const bool partitioned = is_partitioned((uint64_t)shape->operation);
    const bool is_unsigned =
        shape->opcode == SpvOpGroupNonUniformUMin || shape->opcode == SpvOpGroupNonUniformUMax;
    if (!shape->has_operation || !shape_is_value(shape->result) || shape->result->scalar != kind ||
        shape->operand_count != 1u + (clustered || partitioned) ||
        !shape_same(shape->result, &shape->operand[0]) || (is_unsigned && shape->result->is_signed))
        return false;
    if (clustered)
        return shape_is_unsigned(&shape->operand[1]);
    if (partitioned)
        return shape_is_ballot(&shape->operand[1]);
    return shape->operation <= SpvGroupOperationExclusiveScan;
}

insn_run *group_select_arithmetic(const struct group_shape *shape, struct insn *insn)
{
    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        if (rows[i].opcode != shape->opcode)
            continue;
        if (!fits(shape, rows[i].kind))
            return NULL;
        insn->flags = (uint16_t)i;
        insn->literal = (uint64_t)shape->operation;
        return arithmetic;
    }
    return NULL;
}
