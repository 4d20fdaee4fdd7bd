// SPDX-License-Identifier: Apache-2.0
// Products of matrices of 16 rows and 16 columns, which all lanes of a wave have together: A a row
// in each lane of 16, B a column, both again in the next 16; the accumulator a column in each lane,
// whose rows the groups of 16 lanes have in turn.
#include "exec.h"

enum { SIZE = 16, FIRST_VGPR = 256, LONGEST = 8 };

// Element `k` of a row or column, of `bits`.
static uint32_t element(const struct rdna_wave *wave, unsigned code, unsigned lane, unsigned k,
                        unsigned bits)
{
    const unsigned from = k * bits;
    return wave->vgpr[code - FIRST_VGPR + from / 32][lane] >> from % 32 & ((1u << bits) - 1);
}

static int64_t integer(uint32_t part, unsigned bits, bool is_signed)
{
    return is_signed ? (int32_t)(part << (32 - bits)) >> (32 - bits) : (int64_t)part;
}

static uint32_t sum_integers(const struct rdna_wave *wave, const struct rdna_insn *insn,
                             const unsigned lanes[2], uint32_t before)
{
    const unsigned bits = insn->op->source[0].bits / SIZE;
    int64_t sum = (int32_t)before;
    for (unsigned k = 0; k < SIZE; k++)
        sum += integer(element(wave, insn->source[0], lanes[0], k, bits), bits, insn->neg & 1) *
               integer(element(wave, insn->source[1], lanes[1], k, bits), bits, insn->neg & 2);
    if (insn->clamp)
        sum = sum < INT32_MIN ? INT32_MIN : sum > INT32_MAX ? INT32_MAX : sum;
    return (uint32_t)sum;
}

static uint32_t sum_halves(const struct rdna_wave *wave, const struct rdna_insn *insn,
                           const unsigned lanes[2], uint32_t before)
{
    double sum = (double)rdna_float(before);
    for (unsigned k = 0; k < SIZE; k++)
        sum += rdna_of_half(element(wave, insn->source[0], lanes[0], k, 16)) *
               rdna_of_half(element(wave, insn->source[1], lanes[1], k, 16));
    return rdna_word((float)sum);
}

static enum rdna_event multiply(struct rdna_wave *wave, const struct rdna_insn *insn,
                                const struct rdna_memory_ops *memory)
{
    (void)memory;
    const bool is_float = insn->op->source[0].bits == 256,
               is_constant = insn->source[2] < FIRST_VGPR;
    const unsigned groups = wave->lanes / SIZE, registers = SIZE / groups;
    uint32_t to[LONGEST][RDNA_LANES];
    bool good = true;
    if (~rdna_exec(wave) << (64 - wave->lanes))
        return rdna_refuse(wave, insn, "with inactive lanes");
    if (wave->shared_vgprs || insn->neg_hi || (insn->neg & (is_float ? 7 : 4)))
        return rdna_refuse(wave, insn, "with shared registers or neg");
    for (unsigned i = 0; i < registers; i++)
        for (unsigned lane = 0; lane < wave->lanes; lane++) {
            const unsigned first = lane & ~(SIZE - 1u), row = i * groups + lane / SIZE;
            const unsigned lanes[2] = {first + row, lane};
            const uint32_t before =
                is_constant ? (uint32_t)rdna_scalar(wave, insn, insn->source[2], 32, &good)
                            : wave->vgpr[insn->source[2] - FIRST_VGPR + i][lane];
            to[i][lane] = is_float ? sum_halves(wave, insn, lanes, before)
                                   : sum_integers(wave, insn, lanes, before);
        }
    for (unsigned i = 0; i < registers; i++)
        rdna_put_row(wave, insn->result[0] + i, to[i], rdna_exec(wave));
    return RDNA_EVENT_NONE;
}

bool rdna_bind_matrix(struct rdna_op *op)
{
    if (op->result[0].kind == RDNA_MATRIX)
        op->run = multiply;
    return op->run;
}
