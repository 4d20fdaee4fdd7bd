// SPDX-License-Identifier: Apache-2.0
// Group operations: votes and ballots.
#include "exec/group.h"

static void write_all(struct exec *exec, const struct insn *insn, uint64_t value)
{
    uint64_t *result = exec_cells(exec, insn->result);
    for_lanes(exec, l, result[l] = value);
}

// The lanes of the tangle whose predicate is true.
static lanes voters(const struct exec *exec, const struct insn *insn)
{
    return exec_holds(exec, insn->operand[GROUP_VALUE]);
}

static void elect(struct exec *exec, const struct insn *insn)
{
    const lanes lowest = exec->mask & -exec->mask;
    uint64_t *result = exec_cells(exec, insn->result);
    for_lanes(exec, l, result[l] = lanes_has(lowest, l));
}

static void all(struct exec *exec, const struct insn *insn)
{
    write_all(exec, insn, voters(exec, insn) == exec->mask);
}

static void any(struct exec *exec, const struct insn *insn)
{
    write_all(exec, insn, voters(exec, insn) != 0);
}

static lanes quad_of(unsigned lane)
{
    return (lanes)0xf << (lane & ~3u);
}

static void quad_all(struct exec *exec, const struct insn *insn)
{
    const lanes against = exec->mask & ~voters(exec, insn);
    uint64_t *result = exec_cells(exec, insn->result);
    for_lanes(exec, l, result[l] = !(against & quad_of(l)));
}

static void quad_any(struct exec *exec, const struct insn *insn)
{
    const lanes set = voters(exec, insn);
    uint64_t *result = exec_cells(exec, insn->result);
    for_lanes(exec, l, result[l] = (set & quad_of(l)) != 0);
}

// insn->literal of all_equal and partition: number of components. insn->operand_width: bits per
// component. insn->flags of all_equal:
#define EQUAL_FLOATS 1u // numerically: 0 equals -0, NaN equals nothing

static void all_equal(struct exec *exec, const struct insn *insn)
{
    const unsigned width = insn->operand_width;
    bool equal = true;
    for (uint32_t i = 0; i < insn->literal && exec->count; i++) {
        const uint64_t *value = exec_cells(exec, insn->operand[GROUP_VALUE] + i);
        const uint64_t first = value[exec->lane[0]];
        if (insn->flags & EQUAL_FLOATS)
            for_lanes(exec, l, equal &= float_value(value[l], width) == float_value(first, width));
        else
            for_lanes(exec, l, equal &= value[l] == first);
    }
    write_all(exec, insn, equal);
}

// Values are equal if their bits are, even for floats, so that each lane is in exactly one set.
static void partition(struct exec *exec, const struct insn *insn)
{
    lanes set[LANES_MAX], rest = exec->mask;
    each_lane (leader, exec->mask) {
        if (!lanes_has(rest, leader))
            continue;
        lanes same = rest;
        for (uint32_t i = 0; i < insn->literal; i++) {
            const uint64_t *value = exec_cells(exec, insn->operand[GROUP_VALUE] + i);
            each_lane (lane, rest) {
                if (value[lane] != value[leader])
                    same &= ~lanes_of(lane);
            }
        }
        each_lane (lane, same)
            set[lane] = same;
        rest &= ~same;
    }
    for_lanes(exec, l, group_write_ballot(exec, insn->result, l, set[l]));
}

static void ballot(struct exec *exec, const struct insn *insn)
{
    const lanes set = voters(exec, insn);
    for_lanes(exec, l, group_write_ballot(exec, insn->result, l, set));
}

static void inverse_ballot(struct exec *exec, const struct insn *insn)
{
    uint64_t *result = exec_cells(exec, insn->result);
    for_lanes(exec, l, result[l] = lanes_has(group_ballot(exec, insn->operand[GROUP_VALUE], l), l));
}

static void ballot_bit_extract(struct exec *exec, const struct insn *insn)
{
    const uint64_t *index = exec_cells(exec, insn->operand[GROUP_ARGUMENT]);
    uint64_t *result = exec_cells(exec, insn->result);
    for_lanes(exec, l, {
        const lanes set = group_ballot(exec, insn->operand[GROUP_VALUE], l);
        result[l] =
            index[l] < exec->width ? lanes_has(set, (unsigned)index[l]) : exec_random(exec) & 1;
    });
}

// insn->literal is the group operation.
static void ballot_bit_count(struct exec *exec, const struct insn *insn)
{
    uint64_t *result = exec_cells(exec, insn->result);
    for_lanes(exec, l, {
        const uint32_t end = insn->literal == SpvGroupOperationReduce          ? exec->width
                             : insn->literal == SpvGroupOperationInclusiveScan ? l + 1
                                                                               : l;
        const lanes set = group_ballot(exec, insn->operand[GROUP_VALUE], l) & lanes_below(end);
        result[l] = lanes_count(set);
    });
}

// The lowest or highest bit among those for lanes of the subgroup.
static void ballot_find(struct exec *exec, const struct insn *insn)
{
    uint64_t *result = exec_cells(exec, insn->result);
    for_lanes(exec, l, {
        const lanes set =
            group_ballot(exec, insn->operand[GROUP_VALUE], l) & lanes_below(exec->width);
        if (!set)
            result[l] = exec_random(exec) & width_mask(insn->width);
        else if (insn->opcode == SpvOpGroupNonUniformBallotFindLSB)
            result[l] = lanes_first(set);
        else
            result[l] = lanes_last(set);
    });
}

// Required operand and result types.
enum form { NOTHING, FLAG, VALUE, BALLOT, UNSIGNED };

static const struct {
    uint16_t opcode;
    uint8_t result, value, argument; // enum form
    bool has_operation;
    insn_run *run;
} rows[] = {
    {SpvOpGroupNonUniformElect, FLAG, NOTHING, NOTHING, false, elect},
    {SpvOpGroupNonUniformAll, FLAG, FLAG, NOTHING, false, all},
    {SpvOpGroupNonUniformAny, FLAG, FLAG, NOTHING, false, any},
    {SpvOpGroupNonUniformAllEqual, FLAG, VALUE, NOTHING, false, all_equal},
    {SpvOpGroupNonUniformQuadAllKHR, FLAG, FLAG, NOTHING, false, quad_all},
    {SpvOpGroupNonUniformQuadAnyKHR, FLAG, FLAG, NOTHING, false, quad_any},
    {SpvOpGroupNonUniformBallot, BALLOT, FLAG, NOTHING, false, ballot},
    {SpvOpGroupNonUniformInverseBallot, FLAG, BALLOT, NOTHING, false, inverse_ballot},
    {SpvOpGroupNonUniformBallotBitExtract, FLAG, BALLOT, UNSIGNED, false, ballot_bit_extract},
    {SpvOpGroupNonUniformBallotBitCount, UNSIGNED, BALLOT, NOTHING, true, ballot_bit_count},
    {SpvOpGroupNonUniformBallotFindLSB, UNSIGNED, BALLOT, NOTHING, false, ballot_find},
    {SpvOpGroupNonUniformBallotFindMSB, UNSIGNED, BALLOT, NOTHING, false, ballot_find},
    {SpvOpGroupNonUniformPartitionNV, BALLOT, VALUE, NOTHING, false, partition},
};

static bool fits(const struct shape *shape, enum form form)
{
    switch (form) {
    case FLAG:
        return shape_is_flag(shape);
    case VALUE:
        return shape_is_value(shape);
    case BALLOT:
        return shape_is_ballot(shape);
    case UNSIGNED:
        return shape_is_unsigned(shape);
    default:
        return false;
    }
}

static bool fits_row(const struct group_shape *shape, size_t row)
{
    const uint32_t operands = (rows[row].value != NOTHING) + (rows[row].argument != NOTHING);
    if (shape->operand_count != operands || shape->has_operation != rows[row].has_operation ||
        (shape->has_operation && shape->operation > SpvGroupOperationExclusiveScan))
        return false;
    return fits(shape->result, rows[row].result) &&
           (operands < 1 || fits(&shape->operand[0], rows[row].value)) &&
           (operands < 2 || fits(&shape->operand[1], rows[row].argument));
}

insn_run *group_select_vote(const struct group_shape *shape, struct insn *insn)
{
    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        if (rows[i].opcode != shape->opcode)
            continue;
        if (!fits_row(shape, i))
            return NULL;
        if (rows[i].value == VALUE) {
            insn->literal = shape->operand[0].components;
            insn->operand_width = (uint8_t)shape->operand[0].width;
            insn->flags = shape->operand[0].scalar == SCALAR_FLOAT ? EQUAL_FLOATS : 0;
        } else {
            insn->literal = (uint64_t)shape->operation;
        }
        return rows[i].run;
    }
    return NULL;
}
