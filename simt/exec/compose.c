// SPDX-License-Identifier: Apache-2.0
// Composition and decomposition of values, and copies between cells.
//
// Where SPIR-V leaves a result undefined: reading a component outside of its vector gives 0, and
// writing one has no effect.
#include "exec/scalar.h"

#include <stdlib.h>

static void copy_cell(struct exec *exec, uint32_t to, uint32_t from)
{
    const uint64_t *x = exec_cells(exec, from);
    uint64_t *result = exec_cells(exec, to);
    for_lanes(exec, l, result[l] = x[l]);
}

// Stores random bits that are a valid value of any type of that width; 0 stands for mixed types.
static void junk_cell(struct exec *exec, uint32_t cell, unsigned width)
{
    uint64_t *result = exec_cells(exec, cell);
    for_lanes(exec, l, result[l] = exec_random(exec) & width_mask(width ? width : 1));
}

void compose_copy(struct exec *exec, const struct insn *insn)
{
    for (uint32_t i = 0; i < insn->components; i++)
        copy_cell(exec, insn->result + i, insn->operand[0] + i);
}

void compose_gather(struct exec *exec, const struct insn *insn)
{
    const uint32_t *from = exec->program->extra + insn->extra;
    for (uint32_t i = 0; i < insn->extra_count; i++)
        if (from[i] == CELL_NONE)
            junk_cell(exec, insn->result + i, insn->width);
        else
            copy_cell(exec, insn->result + i, from[i]);
}

void compose_extract(struct exec *exec, const struct insn *insn)
{
    const uint64_t *vector = exec_cells(exec, insn->operand[0]);
    const uint64_t *index = exec_cells(exec, insn->operand[1]);
    uint64_t *result = exec_cells(exec, insn->result);
    for_lanes(exec, l,
              result[l] = index[l] < insn->literal ? vector[index[l] * exec->width + l] : 0);
}

void compose_insert(struct exec *exec, const struct insn *insn)
{
    const uint64_t *component = exec_cells(exec, insn->operand[1]);
    const uint64_t *index = exec_cells(exec, insn->operand[2]);
    for (uint32_t i = 0; i < insn->components; i++) {
        const uint64_t *vector = exec_cells(exec, insn->operand[0] + i);
        uint64_t *result = exec_cells(exec, insn->result + i);
        for_lanes(exec, l, result[l] = index[l] == i ? component[l] : vector[l]);
    }
}

void compose_undefined(struct exec *exec, const struct insn *insn)
{
    for (uint32_t i = 0; i < insn->components; i++)
        junk_cell(exec, insn->result + i, insn->width);
}

// Most blocks move few cells.

#define MOVES_COMPARED 32  // more are assumed to overlap
#define MOVES_CELLS    512 // more are allocated on the heap

static bool overlap(uint32_t x, uint32_t y, uint32_t count_x, uint32_t count_y)
{
    return x < y ? y - x < count_x : x - y < count_y;
}

// Whether the moves can be made one after the other.
static bool moves_are_independent(const struct move *moves, uint32_t count)
{
    if (count > MOVES_COMPARED)
        return false;
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (overlap(moves[k].to, moves[i].from, moves[k].count, moves[i].count))
                return false;
    return true;
}

static void move_lane(struct exec *exec, const struct move *moves, uint32_t count, uint32_t lane,
                      uint64_t *buffer)
{
    size_t at = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < moves[i].count; k++)
            buffer[at++] = exec_cells(exec, moves[i].from + k)[lane];
    at = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < moves[i].count; k++)
            exec_cells(exec, moves[i].to + k)[lane] = buffer[at++];
}

void compose_moves(struct exec *exec, const struct move *moves, uint32_t count)
{
    if (moves_are_independent(moves, count)) {
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t k = 0; k < moves[i].count; k++)
                copy_cell(exec, moves[i].to + k, moves[i].from + k);
        return;
    }
    uint64_t few[MOVES_CELLS], *many = NULL;
    size_t cells = 0;
    for (uint32_t i = 0; i < count; i++)
        cells += moves[i].count;
    if (cells > MOVES_CELLS && !(many = calloc(cells, sizeof(*many)))) {
        exec_fault(exec, EXEC_NO_MEMORY, exec->lane[0], 0, cells * sizeof(*many));
        return;
    }
    for_lanes(exec, l, move_lane(exec, moves, count, l, many ? many : few));
    free(many);
}
