// SPDX-License-Identifier: Apache-2.0
// Products of cooperative matrices. Elements of lanes that do not take part are junk to the others.
// Each float is rounded once, to the result's width: the specification leaves order and precision
// of the sums to the implementation. Where it leaves a saturating product undefined because A x B
// overflows before C is added, A x B wraps at the result's width.
#include "exec/scalar.h"

#define ELEMENTS_MAX ((size_t)MODULE_SIDE_MAX * MODULE_SIDE_MAX)

// Collects all elements of A or B from the lanes: floats as doubles, integers with 64 bits.
static void fetch(struct exec *exec, const struct insn *insn, unsigned which, uint32_t count,
                  bool is_signed, uint64_t *elements)
{
    const unsigned width = insn->operand_width;
    const uint32_t cell = insn->operand[GROUP_VALUE + which];
    for (uint32_t i = 0; i < count; i++) {
        const unsigned lane = i % exec->width;
        const uint64_t bits = lanes_has(exec->mask, lane)
                                  ? exec_cells(exec, cell + i / exec->width)[lane]
                                  : exec_random(exec) & width_mask(width);
        elements[i] = insn->flags & MATRIX_FLOAT
                          ? bits_of_double(encoded_value(bits, MATRIX_KIND(insn, which), width))
                      : is_signed ? (uint64_t)sign_extend(bits, width)
                                  : bits;
    }
}

void matrix_multiply_add(struct exec *exec, const struct insn *insn)
{
    const uint32_t rows = MATRIX_ROWS(insn), columns = MATRIX_COLUMNS(insn);
    const uint32_t inner = (uint32_t)(insn->literal >> MATRIX_LAST_SHIFT);
    const enum scalar_kind kind = MATRIX_KIND(insn, 2);
    uint64_t a[ELEMENTS_MAX], b[ELEMENTS_MAX];
    fetch(exec, insn, 0, rows * inner, insn->flags & MATRIX_A_SIGNED, a);
    fetch(exec, insn, 1, inner * columns, insn->flags & MATRIX_B_SIGNED, b);
    for (uint32_t i = 0; i < rows * columns; i++) {
        const unsigned lane = i % exec->width;
        const uint32_t cell = i / exec->width;
        const uint64_t *x = a + (size_t)(i / columns) * inner, *y = b + i % columns;
        const uint64_t c = exec_cells(exec, insn->operand[GROUP_CLUSTER] + cell)[lane];
        if (!lanes_has(exec->mask, lane))
            continue;
        double sum = insn->flags & MATRIX_FLOAT ? encoded_value(c, kind, insn->width) : 0;
        uint64_t whole = 0;
        for (uint32_t k = 0; k < inner; k++, y += columns) {
            if (insn->flags & MATRIX_FLOAT)
                sum += double_of_bits(x[k]) * double_of_bits(*y);
            else
                whole += x[k] * *y;
        }
        whole = insn->flags & MATRIX_SATURATING
                    ? saturated_sum(whole, c, insn->width, insn->flags & MATRIX_SIGNED)
                    : whole + c;
        exec_cells(exec, insn->result + cell)[lane] =
            insn->flags & MATRIX_FLOAT ? encoded_bits(sum, kind, insn->width, false)
                                       : whole & width_mask(insn->width);
    }
}
