// SPDX-License-Identifier: Apache-2.0
// The parts of the group operations, each a selector for the instructions of its own.
//
// exec->mask is the tangle: the invocations that execute the operation together. Its functions read
// everything that they need of a component before they write any lane's result. Where the
// specification leaves a result undefined it is a new random value.
#pragma once

#include "program/execution.h"
#include "program/instructions.h"
#include "exec/scalar.h"

// An instruction without its scope. `operand` begins with the value.
struct group_shape {
    uint32_t opcode; // those of SPV_KHR_shader_ballot and SPV_KHR_subgroup_vote became their
                     // successor
    const struct shape *result, *operand;
    uint32_t operand_count;
    bool has_operation;
    SpvGroupOperation operation;
    bool any_sign; // an argument may be signed, as SPV_KHR_shader_ballot has it
};

typedef insn_run *group_select(const struct group_shape *shape, struct insn *insn);

group_select group_select_vote;       // exec/group_vote.c: votes and ballots
group_select group_select_cross_lane; // exec/group_cross_lane.c: values of other lanes
group_select group_select_arithmetic; // exec/group_arithmetic.c: reductions and scans

// The set that the four words from `cell` on are, in a lane.
static inline lanes group_ballot(const struct exec *exec, uint32_t cell, unsigned lane)
{
    lanes set = 0;
    for (uint32_t i = 0; i < 4; i++)
        set |= (lanes)(uint32_t)exec_cells(exec, cell + i)[lane] << (32 * i);
    return set;
}

static inline void group_write_ballot(const struct exec *exec, uint32_t cell, unsigned lane,
                                      lanes set)
{
    for (uint32_t i = 0; i < 4; i++)
        exec_cells(exec, cell + i)[lane] = (uint32_t)(set >> (32 * i));
}

static inline bool shape_is_ballot(const struct shape *shape)
{
    return shape->scalar == SCALAR_INT && shape->width == 32 && !shape->is_signed &&
           shape->components == 4;
}

static inline bool shape_is_value(const struct shape *shape)
{
    return shape_is_bool(shape) || shape_is_int(shape) || shape_is_float(shape);
}

static inline bool shape_is_unsigned(const struct shape *shape) // a scalar
{
    return shape_is_int(shape) && shape->components == 1 && !shape->is_signed;
}

static inline bool shape_is_flag(const struct shape *shape) // a scalar
{
    return shape_is_bool(shape) && shape->components == 1;
}
