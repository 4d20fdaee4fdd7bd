// SPDX-License-Identifier: Apache-2.0
// What a program means by itself: its arithmetic and its conditions.
#include "axiomatic/program.h"

#include <stdlib.h>

void axi_program_clear(struct axi_program *program)
{
    for (size_t i = 0; i < program->thread_count; i++)
        free(program->threads[i].instructions);
    *program = (struct axi_program){0};
}

bool axi_reads(const struct axi_instruction *instruction)
{
    return instruction->kind == AXI_LOAD || instruction->kind == AXI_RMW;
}

bool axi_writes(const struct axi_instruction *instruction)
{
    return instruction->kind == AXI_STORE || instruction->kind == AXI_RMW;
}

bool axi_compute(enum axi_operator operator, int64_t a, int64_t b, int64_t *result)
{
    const uint64_t x = (uint64_t)a, y = (uint64_t)b;
    switch (operator) {
    case AXI_ADD:
        *result = (int64_t)(x + y);
        return true;
    case AXI_SUB:
        *result = (int64_t)(x - y);
        return true;
    case AXI_MUL:
        *result = (int64_t)(x * y);
        return true;
    case AXI_DIV:
        *result = b == -1 ? (int64_t)(0 - x) : b ? a / b : 0;
        return b != 0;
    case AXI_AND:
        *result = a & b;
        return true;
    case AXI_OR:
        *result = a | b;
        return true;
    case AXI_XOR:
        *result = a ^ b;
        return true;
    default:
        *result = b;
        return true;
    }
}

bool axi_compare(enum axi_operator operator, int64_t a, int64_t b)
{
    switch (operator) {
    case AXI_EQ:
        return a == b;
    case AXI_NE:
        return a != b;
    case AXI_LT:
        return a < b;
    case AXI_GT:
        return a > b;
    case AXI_LE:
        return a <= b;
    case AXI_GE:
        return a >= b;
    default:
        return true;
    }
}

static int64_t side(const struct axi_node *node, int which, const int64_t *values)
{
    if (node->is_constant[which])
        return node->constant[which];
    return values[which ? node->right : node->left];
}

bool axi_satisfies(const struct axi_program *program, int node, const int64_t *values)
{
    if (node == AXI_TRUE)
        return true;
    const struct axi_node *of = &program->nodes[node];
    switch (of->kind) {
    case AXI_BOTH:
        return axi_satisfies(program, of->left, values) &&
               axi_satisfies(program, of->right, values);
    case AXI_EITHER:
        return axi_satisfies(program, of->left, values) ||
               axi_satisfies(program, of->right, values);
    case AXI_NOT:
        return !axi_satisfies(program, of->left, values);
    default:
        return axi_compare(of->operator, side(of, 0, values), side(of, 1, values));
    }
}
