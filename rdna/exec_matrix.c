// SPDX-License-Identifier: Apache-2.0
// Products of matrices of 16 rows and 16 columns, which all lanes of a wave have together: A a row
// in each lane of 16, B a column, the accumulator a column. On GFX11 each group of 16 lanes has A
// and B again, and the groups have the accumulator's rows in turn; on GFX12 a group has a part of
// each row or column: as many neighbours as there are lanes for. (AMD's manual permutes the halves
// of A's rows and of B's columns, both alike: no sum shows it.) An accumulator of halves has on
// GFX11 one in each register, on GFX12 two.
#include "exec.h"

#include <math.h>

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

// The value of a half of A or B; neg_lo changes the sign of those in low halves of registers.
static double half(const struct sources *x, unsigned source, unsigned k)
{
    const unsigned neg = k % 2 ? x->insn->neg_hi : x->insn->neg;
    return rdna_of_half(factor(x, source, k) ^ (neg >> source & 1) << 15);
}

// Of the accumulator neg_hi is abs.
static double sum_halves(const struct sources *x, double before)
{
    double sum = x->insn->neg_hi & 4 ? fabs(before) : before;
    if (x->insn->neg & 4)
        sum = -sum;
    for (unsigned k = 0; k < SIZE; k++)
        sum += half(x, 0, k) * half(x, 1, k);
    return sum;
}

// A word with the nearest half from bit `shift` on, and the other half of `word`.
static uint32_t with_half(uint32_t word, unsigned shift, double value)
{
    return (word & ~(UINT32_C(0xffff) << shift)) | rdna_to_half(value, 0, false) << shift;
}

static enum rdna_event multiply(struct rdna_wave *wave, const struct rdna_insn *insn,
                                const struct rdna_memory_ops *memory)
{
    (void)memory;
    const struct rdna_op *op = insn->op;
    const struct rdna_type *type = &op->source[0];
    const bool splits = type->kind == RDNA_PART, is_constant = insn->source[2] < FIRST_VGPR,
               packs = op->result[0].kind == RDNA_PART, to_half = packs || op->flags & RDNA_OPSEL;
    const unsigned groups = wave->lanes / SIZE, rows = SIZE / groups;
    struct sources x = {
        wave, insn, splits ? type->bits : type->bits / SIZE, splits ? SIZE / groups : SIZE, {0, 0}};
    const bool is_float = x.bits == 16;
    uint32_t to[LONGEST][RDNA_LANES], constant = 0;
    bool good = true;
    if (x.bits * x.part < 32)
        return rdna_refuse(wave, insn, "with less than a register in a lane");
    if (!is_float && (insn->neg_hi || insn->neg & 4))
        return rdna_refuse(wave, insn, "with neg");
    if (is_float && (wave->mode >> 6 & 3) != 3)
        return rdna_refuse(wave, insn, "with denormals flushed");
    if (is_constant)
        constant = (uint32_t)rdna_scalar(wave, insn, insn->source[2], to_half ? 16 : 32, &good) *
                   (to_half ? 0x10001 : 1);
    for (unsigned i = 0; i < rows; i++)
        for (unsigned lane = 0; lane < wave->lanes; lane++) {
            const unsigned group = lane / SIZE, first = splits ? 0 : lane & ~(SIZE - 1u),
                           at = packs ? i / 2 : i,
                           shift = (packs ? i % 2 : insn->op_sel >> 2 & 1) * 16;
            x.lanes[0] = first + (splits ? quarter(wave, group) * rows + i : i * groups + group);
            x.lanes[1] = first + lane % SIZE;
            const uint32_t before =
                is_constant ? constant : wave->vgpr[insn->source[2] - FIRST_VGPR + at][lane];
            if (!is_float)
                to[at][lane] = sum_integers(&x, before);
            else if (!to_half)
                to[at][lane] = rdna_word((float)sum_halves(&x, (double)rdna_float(before)));
            else {
                // The other half stays if the accumulator is there too; else it is undefined.
                const uint32_t other = packs && shift                       ? to[at][lane]
                                       : insn->source[2] == insn->result[0] ? before
                                                                            : UINT32_MAX;
                const double sum = sum_halves(&x, rdna_of_half(before >> shift & 0xffff));
                to[at][lane] = with_half(other, shift, sum);
            }
        }
    // Inactive lanes take part.
    for (unsigned i = 0; i < (packs ? rows / 2 : rows); i++)
        rdna_put_row(wave, insn->result[0] + i, to[i], UINT64_MAX);
    return RDNA_EVENT_NONE;
}

bool rdna_bind_matrix(struct rdna_op *op)
{
    if (op->result[0].kind >= RDNA_MATRIX)
        op->run = multiply;
    return op->run;
}
