// SPDX-License-Identifier: Apache-2.0
// Products of matrices of 16 rows and 16 columns, which all lanes of a wave have together: A a row
// in each lane of 16, B a column, the accumulator a column. On GFX11 each group of 16 lanes has A
// and B again, and the groups have the accumulator's rows in turn; on GFX12 a group has a part of
// each row or column: as many neighbours as there are lanes for.
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

// Which of the wave's parts of a row, column or the accumulator's rows a group of 16 lanes has, on
// GFX12; and the reverse.
static unsigned quarter(const struct rdna_wave *wave, unsigned group)
{
    return wave->lanes == 64 ? (group & 1) << 1 | group >> 1 : group;
}

// How a product's sources are in registers.
struct sources {
    const struct rdna_wave *wave;
    const struct rdna_insn *insn;
    unsigned bits;     // of an element
    unsigned part;     // elements of a row or column in one lane
    unsigned lanes[2]; // the first that has A's row, B's column
};

// Element `k` of A's row or of B's column.
static uint32_t factor(const struct sources *x, unsigned source, unsigned k)
{
    return element(x->wave, x->insn->source[source],
                   x->lanes[source] + quarter(x->wave, k / x->part) * SIZE, k % x->part, x->bits);
}

static uint32_t sum_integers(const struct sources *x, uint32_t before)
{
    const struct rdna_insn *insn = x->insn;
    int64_t sum = (int32_t)before;
    for (unsigned k = 0; k < SIZE; k++)
        sum += integer(factor(x, 0, k), x->bits, insn->neg & 1) *
               integer(factor(x, 1, k), x->bits, insn->neg & 2);
    if (insn->clamp)
        sum = sum < INT32_MIN ? INT32_MIN : sum > INT32_MAX ? INT32_MAX : sum;
    return (uint32_t)sum;
}

static uint32_t sum_halves(const struct sources *x, uint32_t before)
{
    double sum = (double)rdna_float(before);
    for (unsigned k = 0; k < SIZE; k++)
        sum += rdna_of_half(factor(x, 0, k)) * rdna_of_half(factor(x, 1, k));
    return rdna_word((float)sum);
}

static enum rdna_event multiply(struct rdna_wave *wave, const struct rdna_insn *insn,
                                const struct rdna_memory_ops *memory)
{
    (void)memory;
    const struct rdna_type *type = &insn->op->source[0];
    const bool splits = type->kind == RDNA_PART, is_constant = insn->source[2] < FIRST_VGPR;
    const unsigned groups = wave->lanes / SIZE, registers = SIZE / groups;
    struct sources x = {
        wave, insn, splits ? type->bits : type->bits / SIZE, splits ? SIZE / groups : SIZE, {0, 0}};
    const bool is_float = x.bits == 16;
    uint32_t to[LONGEST][RDNA_LANES];
    bool good = true;
    if (~rdna_exec(wave) << (64 - wave->lanes))
        return rdna_refuse(wave, insn, "with inactive lanes");
    if (x.bits * x.part < 32)
        return rdna_refuse(wave, insn, "with less than a register in a lane");
    if (wave->shared_vgprs || insn->neg_hi || (insn->neg & (is_float ? 7 : 4)))
        return rdna_refuse(wave, insn, "with shared registers or neg");
    for (unsigned i = 0; i < registers; i++)
        for (unsigned lane = 0; lane < wave->lanes; lane++) {
            const unsigned group = lane / SIZE, first = splits ? 0 : lane & ~(SIZE - 1u);
            x.lanes[0] =
                first + (splits ? quarter(wave, group) * registers + i : i * groups + group);
            x.lanes[1] = first + lane % SIZE;
            const uint32_t before =
                is_constant ? (uint32_t)rdna_scalar(wave, insn, insn->source[2], 32, &good)
                            : wave->vgpr[insn->source[2] - FIRST_VGPR + i][lane];
            to[i][lane] = is_float ? sum_halves(&x, before) : sum_integers(&x, before);
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
