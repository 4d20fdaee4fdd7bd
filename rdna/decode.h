// SPDX-License-Identifier: Apache-2.0
// The instructions that instructions.txt lists, decoded and as text.
#pragma once

#include "rdna.h"

enum rdna_format {
    RDNA_SOP1,
    RDNA_SOP2,
    RDNA_SOPK,
    RDNA_SOPC,
    RDNA_SOPP,
    RDNA_SMEM,
    RDNA_VOP1,
    RDNA_VOP2,
    RDNA_VOPC,
    RDNA_VOP3,
    RDNA_VOP3P,
    RDNA_VINTERP,
    RDNA_DS,
    RDNA_MUBUF,
    RDNA_MTBUF,
    RDNA_FLAT,
    RDNA_VOPD, // its opcodes name operations of VOP1 and VOP2
    RDNA_FORMATS
};

// What an operand is; its bits are those of a lane.
enum rdna_kind {
    RDNA_BITS,  // b32
    RDNA_FLOAT, // f32: has neg and abs
    RDNA_MASK,  // a bit of each lane
    RDNA_SGPR,
    RDNA_VGPR,
    RDNA_LITERAL,
    RDNA_SIMM,
    RDNA_HWREG,
    RDNA_BRANCH,
    RDNA_MESSAGE,
    RDNA_MATRIX, // 256 elements of b32, which the wave has together
    RDNA_PART    // the same, of so many bits
};

// Flags of instructions.txt, in its order.
enum {
    RDNA_ONLY = 1 << 0,
    RDNA_DPP = 1 << 1,
    RDNA_SDWA = 1 << 2,
    RDNA_OMOD = 1 << 3,
    RDNA_CLAMP = 1 << 4,
    RDNA_OPSEL = 1 << 5,
    RDNA_HALVES = 1 << 6,
    RDNA_MIX = 1 << 7,
    RDNA_RETURNS = 1 << 8,
    RDNA_TWO = 1 << 9,
    RDNA_ST64 = 1 << 10,
    RDNA_LOW = 1 << 11,
    RDNA_HIGH = 1 << 12,
    RDNA_BUFFER = 1 << 13,
    RDNA_ADDTID = 1 << 14,
    RDNA_SCALAR = 1 << 15
};

// What an access to memory does. SOPP has the way to write its constant instead.
enum rdna_does {
    RDNA_DOES_NOTHING,
    RDNA_DOES_LOAD,
    RDNA_DOES_STORE,
    RDNA_DOES_LOAD_FORMAT,
    RDNA_DOES_STORE_FORMAT,
    RDNA_DOES_ATOMIC, // `atomic`
    RDNA_DOES_TIME,
    RDNA_DOES_INVALIDATE,
    RDNA_DOES_PROBE,
    RDNA_DOES_SWIZZLE,
    RDNA_DOES_PERMUTE,
    RDNA_DOES_BPERMUTE,
    RDNA_DOES_CONSUME,
    RDNA_DOES_APPEND,
    RDNA_DOES_OTHER // an access that is not emulated
};

struct rdna_insn;

// Executes an instruction on a wave whose pc is past it.
typedef enum rdna_event rdna_run(struct rdna_wave *wave, const struct rdna_insn *insn,
                                 const struct rdna_memory_ops *memory);

enum { RDNA_OP_NAME = 40 };

// A row of instructions.txt, for one generation.
struct rdna_op {
    char name[RDNA_OP_NAME]; // the same in all generations
    char text[RDNA_OP_NAME]; // as this generation writes it
    enum rdna_format format;
    unsigned opcode;
    unsigned results, sources;
    struct rdna_type {
        enum rdna_kind kind;
        unsigned bits; // 0 where the kind says it
    } result[2], source[4];
    unsigned flags;
    enum rdna_does does;
    enum rdna_atomic atomic;
    unsigned bits;   // of memory's type
    bool is_signed;  // i8, i16
    char number;     // SOPP: the first letter of its constant's form
    rdna_run *run;   // NULL: not emulated
    const void *how; // of `run`
};

enum rdna_encoding { RDNA_E32, RDNA_E64, RDNA_DPP16, RDNA_DPP8, RDNA_SDWA_ENCODING };

// A decoded instruction. Operands are the 9 bits of AMD's manuals, in all generations those of
// GFX10.3: 0 to 127 scalar registers, 128 to 208 and 240 to 248 constants, 255 the literal, from
// 256 on vector registers.
struct rdna_insn {
    const struct rdna_op *op; // NULL: not known
    enum rdna_generation generation;
    size_t size; // dwords
    uint32_t words[3];
    enum rdna_encoding encoding;
    bool is_long; // DPP of VOP3
    uint16_t result[2], source[4];
    // VOPD: the second operation, its result and sources, as rdna_second gives them. NULL: none
    const struct rdna_op *dual;
    uint16_t dual_operands[4];
    uint32_t literal;
    int32_t imm;      // SIMM, HWREG, BRANCH, the constant of SOPP; an offset of bytes; wait_exp
    uint8_t neg, abs; // a bit for each source; VOP3P: neg_lo
    uint8_t neg_hi;   // VOP3P
    uint8_t op_sel, op_sel_hi; // a high half: of the result in bit 3
    uint8_t omod;              // 0, 1: *2, 2: *4, 3: /2
    bool clamp;
    uint16_t dpp_ctrl;
    uint8_t row_mask, bank_mask;
    bool bound_ctrl, fetch_inactive;
    uint32_t dpp8; // 3 bits for each lane of 8
    uint8_t dst_sel, dst_unused, sel[2], sext;
    // Memory. `source` has the address, then data; `scalar` the base or descriptor, and the offset.
    uint16_t scalar[2];
    bool offen /* scratch: a vector register has an offset */, idxen, lds, tfe, gds;
    bool glc, slc, dlc;  // GFX12: an atomic that returns has glc, and hints and scope have the rest
    uint8_t hint, scope; // GFX12's fields TH and SCOPE: 0 compute unit, 1 array, 2 device, 3 system
    uint8_t offset[2];   // of RDNA_TWO
    uint8_t segment;     // FLAT: 0 flat, 1 scratch, 2 global
    uint8_t data_format; // MTBUF
    char unknown[RDNA_NAME]; // if op is NULL
};

enum { RDNA_TEXT = 256 };

// The instruction at `words`; `count` of them can be read. Returns its dwords, or 0 if it is not
// known or not whole: then insn->unknown is the name for "not emulated: NAME".
size_t rdna_decode(const uint32_t *words, size_t count, enum rdna_generation generation,
                   struct rdna_insn *insn);

// Writes a known instruction as llvm-mc does. `lanes` is 32 or 64.
void rdna_print(const struct rdna_insn *insn, unsigned lanes, char text[RDNA_TEXT]);

// The row of an opcode, or NULL.
const struct rdna_op *rdna_op(enum rdna_generation generation, enum rdna_format format,
                              unsigned opcode);

// How many registers of 32 bits an operand has in a wave of 32 or 64 lanes.
unsigned rdna_operand_dwords(const struct rdna_type *type, unsigned lanes);

// What s_waitcnt waits for; a counter's most: no wait.
struct rdna_wait rdna_waits(const struct rdna_insn *insn);

// The second operation of VOPD as an instruction.
struct rdna_insn rdna_second(const struct rdna_insn *insn);

// Dwords of the registers that an access to memory reads (`stores`) or writes in each lane.
unsigned rdna_data_dwords(const struct rdna_op *op, bool stores);

// Whether an atomic has a second operand, for which DS has a register of its own.
bool rdna_takes_comparand(const struct rdna_op *op);
