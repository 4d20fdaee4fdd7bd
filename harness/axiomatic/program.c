// SPDX-License-Identifier: Apache-2.0
// A program's arithmetic and conditions.
#include "axiomatic/program.h"

#include <stdio.h>
#include <stdlib.h>

void axi_program_clear(struct axi_program *program)
{
    for (size_t i = 0; i < program->thread_count; i++)
        free(program->threads[i].instructions);
    *program = (struct axi_program){0};
}

bool axi_waits(const struct axi_program *program)
{
    for (size_t t = 0; t < program->thread_count; t++)
        for (size_t i = 0; i < program->threads[t].count; i++)
            if (program->threads[t].instructions[i].kind == AXI_JUMP &&
                program->threads[t].instructions[i].to <= i)
                return true;
    return false;
}

bool axi_reads(const struct axi_instruction *instruction)
{
    return instruction->kind == AXI_LOAD || instruction->kind == AXI_RMW;
}

bool axi_writes(const struct axi_instruction *instruction)
{
    return instruction->kind == AXI_STORE || instruction->kind == AXI_RMW;
}

// Adds a conjunct: that a read has this value.
static bool add_read(struct axi_program *program, unsigned thread, unsigned number, int64_t value)
{
    if (number == AXI_REGISTERS || program->observed_count == AXI_OBSERVED ||
        program->node_count + 2 > AXI_NODES)
        return false;
    struct axi_observed *observed = &program->observed[program->observed_count];
    *observed = (struct axi_observed){.thread = (int)thread, .number = number};
    snprintf(observed->name, sizeof observed->name, "P%u:r%u", program->threads[thread].number,
             number);
    const uint16_t node = (uint16_t)program->node_count++;
    program->nodes[node] = (struct axi_node){.kind = AXI_COMPARE,
                                             .left = (uint16_t)program->observed_count++,
                                             .operator= AXI_EQ,
                                             .is_constant = {false, true},
                                             .constant = {0, value}};
    int *all = &program->checks[0].condition;
    if (*all == AXI_TRUE) {
        *all = node;
        return true;
    }
    program->nodes[program->node_count] =
        (struct axi_node){.kind = AXI_BOTH, .left = (uint16_t)*all, .right = node};
    *all = (int)program->node_count++;
    return true;
}

bool axi_ask_reads(struct axi_program *program)
{
    size_t asked = 0;
    bool any = false;
    while (asked < program->check_count && program->checks[asked].any_candidate)
        asked++;
    for (unsigned t = 0; t < program->thread_count; t++) {
        struct axi_thread *thread = &program->threads[t];
        unsigned used = 0;
        for (size_t i = 0; i < thread->count; i++) {
            struct axi_instruction *of = &thread->instructions[i];
            if (!of->wants)
                continue;
            if (!any) {
                program->checks[0] = (struct axi_check){
                    .condition = AXI_TRUE,
                    .quantifier = asked < program->check_count ? program->checks[asked].quantifier
                                                               : AXI_EXISTS};
                program->check_count = 1;
                any = true;
            }
            of->wants = false;
            of->target = (uint8_t)used;
            if (!add_read(program, t, used++, of->wanted))
                return false;
        }
    }
    return true;
}

bool axi_is_same_barrier(const struct axi_instruction *a, const struct axi_instruction *b)
{
    return a->kind == AXI_CONTROL_BARRIER && b->kind == AXI_CONTROL_BARRIER &&
           a->barrier == b->barrier && a->scope == b->scope;
}

bool axi_shares_barrier(const struct axi_program *program, size_t thread, size_t other,
                        const struct axi_instruction *barrier)
{
    const struct axi_thread *of = &program->threads[other];
    for (int scope = barrier->execution; scope < AXI_DEVICE; scope++)
        if (of->group[scope] != program->threads[thread].group[scope])
            return false;
    for (size_t i = 0; i < of->count; i++)
        if (axi_is_same_barrier(barrier, &of->instructions[i]))
            return true;
    return false;
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
