// SPDX-License-Identifier: Apache-2.0
// SASS, the machine code of NVIDIA's GPUs from Volta on: 16 bytes an instruction. Instructions come
// from the bytes themselves (decode.h) or from the text of nvdisasm (nvdisasm.h); whoever reads
// them here need not know from which. Pure; the bytes and the text are a driver's and are not
// trusted.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SASS_BYTES   16         // of an instruction
#define SASS_NOWHERE UINT32_MAX // an address that is none

// What decides who executes together, who exchanges what with whom, and what becomes visible when.
enum sass_op {
    SASS_OTHER, // arithmetic and the like: registers and text only
    // Exchange between the lanes of a warp (a subgroup):
    SASS_SHFL,
    SASS_VOTE,
    SASS_VOTEU,
    SASS_MATCH,
    SASS_REDUX,
    // Convergence of a warp:
    SASS_WARPSYNC, // waits for the lanes of a mask
    SASS_BSSY,  // the executing lanes become those of a convergence barrier; target: where it ends
    SASS_BSYNC, // waits for the lanes of a convergence barrier
    SASS_BREAK, // the executing lanes leave a convergence barrier
    SASS_BMOV,  // a convergence barrier is kept or taken back
    SASS_YIELD,
    SASS_NANOSLEEP,
    SASS_WARPGROUP, // a warpgroup's own: ARRIVE, DEPBAR
    // Control flow:
    SASS_BRA, // .DIV and .CONV, which ask whether the warp is together, are in the flags
    SASS_BRX, // to a register's address: target is SASS_NOWHERE
    SASS_JMP,
    SASS_CALL,
    SASS_RET,
    SASS_EXIT,
    SASS_KILL,
    SASS_BPT, // a trap
    // Barriers of a workgroup and of memory:
    SASS_BAR,
    SASS_MEMBAR,
    SASS_ERRBAR,
    SASS_CCTL,
    SASS_FENCE,
    SASS_DEPBAR,
    // Memory; what scope and order they have is in the text
    SASS_LD,
    SASS_LDG,
    SASS_LDS,
    SASS_LDL,
    SASS_LDC,
    SASS_ST,
    SASS_STG,
    SASS_STS,
    SASS_STL,
    SASS_ATOM,
    SASS_ATOMG,
    SASS_ATOMS,
    SASS_RED,
    // What differs between lanes, or not
    SASS_S2R,  // a special register; special: which
    SASS_S2UR, // likewise, the same for all lanes
    SASS_R2UR,
    SASS_OPS
};

// "SHFL"; "" for SASS_OTHER.
const char *sass_op_name(enum sass_op op);
// SHFL, VOTE, VOTEU, MATCH, REDUX: what they give depends on which lanes execute them together.
bool sass_is_exchange(enum sass_op op);

// Registers that are read or written, a bit for each. RZ, PT, URZ and UPT, which are constants,
// have none.
struct sass_registers {
    uint64_t r[4]; // R0 to R254
    uint64_t ur;   // UR0 to UR62: the same for all lanes of a warp
    uint8_t p;     // P0 to P6
    uint8_t up;    // UP0 to UP6: the same for all lanes
    uint16_t b;    // B0 to B15: convergence barriers
};

enum sass_flag {
    SASS_CONVERGED = 1 << 0, // BRA.CONV: taken if the named lanes are together
    SASS_DIVERGED = 1 << 1,  // BRA.DIV: taken if the named lanes are not together
    SASS_UNIFORM = 1 << 2,   // BRA.U and branches on a uniform predicate: the same for all lanes
    SASS_UNKNOWN = 1 << 3, // the decoder does not know it: nothing but its address and guard counts
};

struct sass_insn {
    uint32_t address; // bytes from the start of the code
    enum sass_op op;
    uint32_t flags; // enum sass_flag
    // Executed only by lanes where the guard holds. guard: 0 to 6 are P0 to P6, or UP0 to UP6 with
    // guard_uniform; 7 is PT, "always" (and with guard_negated "never").
    uint8_t guard;
    bool guard_negated, guard_uniform;
    uint32_t target; // of branches, BSSY, CALL: an address in the code; else SASS_NOWHERE
    int8_t barrier;  // of BSSY, BSYNC, BREAK: 0 to 15; -1: none
    uint8_t special; // of S2R, S2UR: the number of the special register; 254: not known
    struct sass_registers reads, writes; // the guard among the reads
    char *text; // as nvdisasm writes it, guard first, without address and semicolon:
                // "@!P1 STS [R0], R3"; targets as "0x1a0"
};

struct sass_code {
    struct sass_insn *insns; // in the order of their addresses
    size_t count;
    uint32_t architecture; // 90 for sm_90
    bool operands; // reads and writes are complete; if not, nothing can be said of uniform values
};

void sass_code_clear(struct sass_code *code);
// The index of the instruction at an address; code->count if there is none.
size_t sass_at(const struct sass_code *code, uint32_t address);
