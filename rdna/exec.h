// SPDX-License-Identifier: Apache-2.0
// What the files that execute instructions share.
#pragma once

#include "decode.h"

#include <string.h>

// A vector instruction being executed. Lanes that EXEC leaves out are computed too, and not
// written.
struct rdna_lanes {
    struct rdna_wave *wave;
    const struct rdna_insn *insn;
    unsigned lanes;
    uint64_t active;              // EXEC, without the lanes that DPP switches off
    const uint32_t *in[3];        // sources of up to 32 bits; 16 bits are the low ones
    uint64_t wide[3][RDNA_LANES]; // sources of 64 bits
    uint64_t mask;                // the source that is a mask
    uint32_t out[RDNA_LANES];
    uint64_t wide_out[RDNA_LANES];
    uint64_t mask_out;
    bool failed; // not emulated: wave->unknown says what
    // MODE
    unsigned round32, round64;                             // 0 to nearest, 1 up, 2 down, 3 to zero
    bool flush_in32, flush_out32, flush_in64, flush_out64; // denormals; 64: of 16 bits too
    uint32_t buffer[3][RDNA_LANES];
};

typedef void rdna_lane_op(struct rdna_lanes *x);

enum { RDNA_RAW = 1, RDNA_ACCUMULATES = 2, RDNA_SETS_ROUNDING = 4 };

// How an operation on lanes is done. Tables of them end with a NULL name.
struct rdna_lane_row {
    const char *name;
    rdna_lane_op *op;
    unsigned flags; // RAW: floats keep their denormals; ACCUMULATES: the last source is the result
};

extern const struct rdna_lane_row rdna_integer_ops[], rdna_float_ops[], rdna_double_ops[],
    rdna_half_ops[], rdna_packed_ops[];

// The operation of a name, or NULL.
const struct rdna_lane_row *rdna_lane_row(const char *name);

// A half between 0 and 1, as the modifier clamp says.
uint32_t rdna_clamp_half(const struct rdna_lanes *x, uint32_t half);

// Finds how a row is executed: sets op->run and op->how.
void rdna_bind(struct rdna_op *op);
bool rdna_bind_scalar(struct rdna_op *op);
bool rdna_bind_lanes(struct rdna_op *op); // v_readlane_b32 and its relatives
bool rdna_bind_matrix(struct rdna_op *op);
bool rdna_bind_vector(struct rdna_op *op);
bool rdna_bind_single(struct rdna_op *op); // floats in scalar registers
bool rdna_bind_memory(struct rdna_op *op);

// Notes "NAME: WHY" as what is not emulated.
enum rdna_event rdna_refuse(struct rdna_wave *wave, const struct rdna_insn *insn, const char *why);

// The value of a scalar operand, which is a register or a constant, of 16, 32 or 64 bits. A value
// that is not emulated sets *good to false.
uint64_t rdna_scalar(const struct rdna_wave *wave, const struct rdna_insn *insn, unsigned code,
                     unsigned bits, bool *good);

void rdna_put_scalar(struct rdna_wave *wave, unsigned code, unsigned bits, uint64_t value);

// A mask of the wave's lanes, in one register or two.
uint64_t rdna_get_mask(const struct rdna_wave *wave, unsigned code);
void rdna_put_mask(struct rdna_wave *wave, unsigned code, uint64_t mask);

// Whether the halves of the wave share a vector register; codes begin at 256.
bool rdna_is_shared(const struct rdna_wave *wave, unsigned code);

// The words of a vector register in each lane, in `buffer` if the halves of the wave share them.
const uint32_t *rdna_row(const struct rdna_wave *wave, unsigned code, uint32_t buffer[RDNA_LANES]);
void rdna_put_row(struct rdna_wave *wave, unsigned code, const uint32_t *words, uint64_t active);

// --- Floats

static inline float rdna_float(uint32_t word)
{
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static inline uint32_t rdna_word(float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

static inline double rdna_double(uint64_t word)
{
    double value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static inline uint64_t rdna_long(double value)
{
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

// The value of a half, which a double has exactly; NaNs keep their payload on top.
double rdna_of_half(uint32_t half);

// The half nearest to a value in a rounding mode of MODE. `flush`: denormals become 0.
uint32_t rdna_to_half(double value, unsigned round, bool flush);

// a * b + c of halves, rounded once.
uint32_t rdna_fuse_halves(uint32_t a, uint32_t b, uint32_t c, unsigned round, bool flush);
