// SPDX-License-Identifier: Apache-2.0
// Instructions with their operands, and the state of a warp: for the emulator's own files.
#pragma once

#include "emulator/emulator.h"

#define EMU_REGISTERS 256 // R255 is RZ
#define EMU_OPERANDS  8
#define EMU_UNIFORM   EMU_LANES // in place of a lane: the uniform datapath

enum emu_kind {
    EMU_NONE,
    EMU_R,
    EMU_UR,
    EMU_P,
    EMU_UP,
    EMU_NUMBER,
    EMU_REAL,     // a number of a float instruction
    EMU_CONSTANT, // c[bank][base + number]
    EMU_ADDRESS,  // [base + uniform + number]
    EMU_BARRIER,
    EMU_PREDICATES, // PR, UPR
    EMU_SPECIAL,
    EMU_STRANGE, // not known
};

struct emu_operand {
    enum emu_kind kind;
    uint8_t index; // of a register, predicate, barrier; the bank of a constant
    uint8_t part;  // .B1 to .B3: 1 to 3
    uint8_t half;  // .H0_H0: 1, .H1_H1: 2
    bool minus, invert, absolute;
    int64_t number;
    double real;
    uint8_t base, uniform; // of addresses: R and UR, 255 and 63 for none
    uint8_t scale, wide;   // the base is multiplied by `scale`; has 64 bits
    const char *name;      // of a special register
};

// Modifiers that say what an instruction does; others, such as .STRONG, do not matter here.
// clang-format off
#define EMU_MODIFIERS(AT) \
    AT(U32) AT(S32) AT(64) AT(U64) AT(S64) AT(U8) AT(S8) AT(U16) AT(S16) AT(128) AT(X) AT(HI) \
    AT(WIDE) AT(SX32) AT(L) AT(R) AT(W) AT(AND) AT(OR) AT(XOR) AT(EX) AT(F) AT(LT) AT(EQ) \
    AT(LE) AT(GT) AT(NE) AT(GE) AT(T) AT(NUM) AT(NAN) AT(LTU) AT(EQU) AT(LEU) AT(GTU) AT(NEU) \
    AT(GEU) AT(IDX) AT(UP) AT(DOWN) AT(BFLY) AT(ALL) AT(ANY) AT(SUM) AT(MIN) AT(MAX) AT(SH) \
    AT(FTZ) AT(RM) AT(RP) AT(RZ) AT(SAT) AT(ADD) AT(INC) AT(DEC) AT(EXCH) AT(CAS) AT(CAST) AT(CLEAR) \
    AT(E) AT(TRUNC) AT(FLOOR) AT(CEIL) AT(F16) AT(F32) AT(F64) AT(B1) AT(B2) AT(B3) AT(RCP) \
    AT(RSQ) AT(EX2) AT(LG2) AT(SQRT) AT(SIN) AT(COS) AT(DIV) AT(CONV) AT(PAND) AT(COLLECTIVE) \
    AT(SYNC) AT(ARV) AT(POPC) AT(RCP64H) AT(PACK_AB) AT(ABS)
// clang-format on
enum emu_modifier {
#define EMU_AS_ENUM(NAME) MOD_##NAME,
    EMU_MODIFIERS(EMU_AS_ENUM)
#undef EMU_AS_ENUM
        MOD_COUNT
};

struct emu_row; // of the table of instructions

struct emu_insn {
    const struct sass_insn *sass;
    const struct emu_row *row; // NULL: not known
    uint64_t modifiers[2];     // 1 << enum emu_modifier
    bool uniform;              // of the uniform datapath
    bool has_to;
    struct emu_operand to;                                   // what it writes, but for predicates
    struct emu_operand out[2];                               // predicates that it writes
    struct emu_operand in[EMU_OPERANDS], test[EMU_OPERANDS]; // values and predicates that it reads
    uint8_t outs, ins, tests;
};

enum emu_state { EMU_READY, EMU_AT_BSYNC, EMU_TOGETHER_THERE, EMU_AT_BAR };

// Lanes that are together.
struct emu_part {
    uint32_t lanes, pc; // pc: an index
    enum emu_state state;
    uint32_t awaited; // lanes
    unsigned barrier; // EMU_AT_BSYNC: which
    bool masked;      // by WARPSYNC: `awaited` is its mask, else the barrier's lanes
    bool held;        // waited by an EMU_TOGETHER, so does not wait again
};

struct emu_group; // a workgroup
struct emu_machine;

struct emu_warp {
    uint32_t r[EMU_REGISTERS][EMU_LANES], ur[64];
    uint32_t p[8];      // one bit a lane; p[7] are all
    uint32_t before[8]; // before they were last written
    bool up[8];         // up[7] is true
    uint32_t b[17];     // convergence barriers: their lanes; the last one is for EMU_SPARE
    uint32_t lanes, exited;
    struct emu_part parts[EMU_LANES + 1]; // the last one that is ready runs
    size_t part_count;
    uint32_t number; // in its workgroup
    uint64_t steps;
    uint8_t *local; // of all lanes; NULL until used
    struct emu_group *group;
    struct emu_machine *machine;
};

#define EMU_LOCAL  16384u // bytes of a lane
#define EMU_SHARED 65536u

struct emu_group {
    uint32_t id[3];
    struct emu_warp *warps;
    size_t warp_count;
    uint32_t arrived; // at BAR, each part of a warp once
    uint8_t *shared;
};

struct emu_machine {
    const struct emu_program *program;
    const struct emu_dispatch *dispatch;
    struct lit_error *error;
    bool failed;
};

struct emu_program {
    const struct sass_code *code;
    struct emu_insn *insns;
    size_t count;
    uint32_t registers;
};

// One instruction in one lane, or (lane EMU_UNIFORM) on the uniform datapath.
struct emu_at {
    struct emu_warp *warp;
    const struct emu_insn *insn;
    uint32_t lane;
    uint32_t active; // lanes that execute it together, its guard included
};

static inline bool has(const struct emu_at *at, enum emu_modifier modifier)
{
    return at->insn->modifiers[modifier / 64] >> modifier % 64 & 1;
}

// A line of the table. `lane` executes one lane; `all` the lanes together; neither:
// warp.c does, or nobody. `before` and `behind`:
// predicates that are written, in front of the register that is written, and behind it.
struct emu_row {
    const char *name;
    void (*lane)(struct emu_at *at);
    void (*all)(struct emu_at *at);
    uint8_t before;
    bool to;
    uint8_t behind;
};
extern const struct emu_row emu_computing_rows[], emu_memory_rows[], emu_lane_rows[]; // to a {0}

// Ends the run with an error that names the instruction.
__attribute__((format(__printf__, 2, 3))) void emu_fail(struct emu_at *at, const char *format, ...);

// --- Operands

// Finds an instruction's row, modifiers and operands in its text.
void emu_parse(const struct sass_insn *sass, struct emu_insn *insn);

uint32_t emu_raw(struct emu_at *at, const struct emu_operand *operand); // without signs
uint32_t emu_get(struct emu_at *at, unsigned in);
uint64_t emu_get64(struct emu_at *at, unsigned in);
bool emu_test(struct emu_at *at, unsigned test); // true if there is none
void emu_put(struct emu_at *at, uint32_t value);
void emu_put64(struct emu_at *at, uint64_t value);
void emu_put_word(struct emu_at *at, unsigned word, uint32_t value); // of several registers
void emu_out(struct emu_at *at, unsigned out, bool value);
bool emu_constant(struct emu_at *at, const struct emu_operand *operand, size_t size, void *value);

// The sum of two floats, by the instruction's modifiers.
uint32_t emu_sum(const struct emu_at *at, uint32_t a, uint32_t b);

#define EMU_FIRST_LANE(lanes) ((uint32_t)__builtin_ctz(lanes))
