// SPDX-License-Identifier: Apache-2.0
// The parts of the group operations, with a selector each.
//
// exec->mask is the tangle: the invocations that execute the operation together. The functions read
// everything they need of a component before they write any lane's result. Undefined results are
// new random values.
#pragma once

#include "program/execution.h"
#include "program/instructions.h"
#include "exec/scalar.h"

// An instruction without its scope. `operand` starts with the value.
struct group_shape {
    uint32_t opcode; // old extensions (shader_ballot, subgroup_vote): the successor
    const struct shape *result, *operand;
    uint32_t operand_count;
    bool has_operation;
    SpvGroupOperation operation;
    bool any_sign; // an argument may be signed, as in SPV_KHR_shader_ballot
};

typedef insn_run *group_select(const struct group_shape *shape, struct insn *insn);

group_select group_select_vote;       // votes and ballots
group_select group_select_cross_lane; // values of other lanes
group_select group_select_arithmetic; // reductions and scans

// The ballot in the four words from `cell` on, in one lane.
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
