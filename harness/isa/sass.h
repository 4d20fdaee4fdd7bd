// SPDX-License-Identifier: Apache-2.0
// SASS, the machine code of NVIDIA's GPUs since Volta: 16 bytes per instruction. Instructions are
// decoded from bytes or parsed from nvdisasm's text, with the same result. Neither input is
// trusted.
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SASS_BYTES    16         // per instruction
#define SASS_NOWHERE  UINT32_MAX // no address
#define SASS_ALWAYS   7          // PT, as a guard
#define SASS_TEXT_MAX 256        // the longest text of an instruction, with its NUL

// The instructions that determine convergence, cross-lane reads, memory visibility and order.
enum sass_op {
    SASS_OTHER, // arithmetic and the like: only registers and text
    // Cross-lane reads within a warp (a subgroup):
    SASS_SHFL,
    SASS_VOTE,
    SASS_VOTEU,
    SASS_MATCH,
    SASS_REDUX,
    // Warp convergence:
    SASS_WARPSYNC, // waits for the lanes of a mask
    SASS_BSSY,     // executing lanes form a convergence barrier; target: where it ends
    SASS_BSYNC,    // waits for the lanes of a convergence barrier
    SASS_BREAK,    // executing lanes leave a convergence barrier
    SASS_BMOV,     // saves or restores a convergence barrier
    SASS_YIELD,
    SASS_NANOSLEEP,
    SASS_WARPGROUP, // warpgroup instructions: ARRIVE, DEPBAR
    // Control flow:
    SASS_BRA, // flags say .DIV and .CONV, which test the warp's convergence
    SASS_BRX, // to an address in a register: target is SASS_NOWHERE
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
    // Memory; scope and order are in the text
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
    // Sources of differing or uniform values
    SASS_S2R,  // reads a special register
    SASS_S2UR, // the same into a uniform register
    SASS_R2UR,
    SASS_OPS
};

// "SHFL"; "" for SASS_OTHER.
const char *sass_op_name(enum sass_op op);
// SHFL, VOTE, VOTEU, MATCH, REDUX: results depend on which lanes execute them together.
bool sass_is_cross_lane(enum sass_op op);

// Registers read or written, one bit each. The constants RZ, PT, URZ and UPT have none.
struct sass_registers {
    uint64_t r[4]; // R0 to R254
    uint64_t ur;   // UR0 to UR62: the same for all lanes of a warp
    uint8_t p;     // P0 to P6
    uint8_t up;    // UP0 to UP6: the same for all lanes
    uint16_t b;    // B0 to B15: convergence barriers
};

bool registers_empty(const struct sass_registers *set);
bool registers_meet(const struct sass_registers *a, const struct sass_registers *b);
// Adds to a set; true if it grew.
bool registers_add(struct sass_registers *set, const struct sass_registers *what);
void registers_remove(struct sass_registers *set, const struct sass_registers *what);
// The first register of a set from number `i` on: R0 is 0, UR0 is 256; SASS_REGISTERS if none.
#define SASS_REGISTERS (256 + 64)
unsigned registers_next(const struct sass_registers *set, unsigned i);
#define SASS_EACH_REGISTER(NUMBER, SET)                                                            \
    for (unsigned NUMBER = registers_next(SET, 0); NUMBER < SASS_REGISTERS;                        \
         NUMBER = registers_next(SET, NUMBER + 1))

enum sass_flag {
    SASS_CONVERGED = 1 << 0, // BRA.CONV: taken if the named lanes are converged
    SASS_DIVERGED = 1 << 1,  // BRA.DIV: taken if the named lanes are not converged
    SASS_UNIFORM = 1 << 2,   // BRA.U and branches on a uniform predicate: the same for all lanes
    SASS_UNKNOWN = 1 << 3,   // unknown to the decoder: only address and guard are valid
};

struct sass_insn {
    uint32_t address; // bytes from the start of the code
    enum sass_op op;
    uint32_t flags; // enum sass_flag
    // Executes only in lanes where the guard holds. guard: 0 to 6 for P0 to P6, or with
    // guard_uniform UP0 to UP6; SASS_ALWAYS is PT (with guard_negated: never).
    uint8_t guard;
    bool guard_negated, guard_uniform;
    uint32_t target; // of branches, BSSY, CALL: an address in the code; else SASS_NOWHERE
    int8_t barrier;  // of BSSY, BSYNC, BREAK: 0 to 15; -1: none
    struct sass_registers reads, writes; // the guard counts as read
    char *text; // as nvdisasm writes it, from the guard on: "@!P1 STS [R0], R3"
};

struct sass_code {
    struct sass_insn *insns; // sorted by address
    size_t count;
    uint32_t architecture; // 90 for sm_90
    bool operands; // reads and writes are complete; otherwise uniformity cannot be determined
};

void sass_code_clear(struct sass_code *code);
// The index of the instruction at an address; code->count if none.
size_t sass_at(const struct sass_code *code, uint32_t address);
// An instruction's name with modifiers, without guard: "SHFL.IDX", the first `length` bytes of the
// result, which points into insn->text. Operands follow.
const char *sass_mnemonic(const struct sass_insn *insn, size_t *length);
// Whether its text after the guard begins with `with`.
bool sass_begins(const struct sass_insn *insn, const char *with);
// Never executed: "@!PT". Executed by every lane that reaches it.
bool sass_is_never(const struct sass_insn *insn);
bool sass_is_always(const struct sass_insn *insn);

// --- Reading bytes and text. On failure these return false and a one-line error; the caller clears
// *code in any case.

// Decodes `size` bytes of sm_90 by a table derived from bytes and nvdisasm's text for them. It
// knows everything that concerns convergence, cross-lane reads and memory, with all modifiers; of
// other instructions, those that the catalogue's tests compile to. An instruction is known only if
// each of its bits is accounted for; others have SASS_UNKNOWN and the text "?0x" with the opcode,
// after their guard. False for another architecture, or if `size` is not a multiple of SASS_BYTES.
// Pure.
bool sass_decode(const uint8_t *bytes, size_t size, uint32_t architecture, struct sass_code *code,
                 struct lit_error *error);

// The value of a float of 16 bits.
double sass_half(uint32_t bits);

// Parses one function from the output of `nvdisasm -b SMxx`, `nvdisasm -c` or `cuobjdump -sass`:
// one line per instruction with its address in a comment, and lines of labels; skips other lines.
// Drops redundant blanks, and replaces labels by addresses. False if there is no instruction, or if
// one is missing, too long or at a wrong address: nvdisasm leaves out instructions that it does not
// know. Pure.
bool sass_parse(const char *text, size_t length, uint32_t architecture, struct sass_code *code,
                struct lit_error *error);

// Runs NVIDIA's nvdisasm, which is not part of this program, on `bytes` and parses its output. The
// program is the one named by the variable LITMUS_NVDISASM, else "nvdisasm" on PATH; it is killed
// after `seconds`. False if it is missing, fails, takes too long, writes too much, or writes what
// sass_parse rejects.
bool sass_nvdisasm(const uint8_t *bytes, size_t size, uint32_t architecture, double seconds,
                   struct sass_code *code, struct lit_error *error);

// Uses nvdisasm if possible, else the decoder. False if the decoder fails as well.
bool sass_from_bytes(const uint8_t *bytes, size_t size, uint32_t architecture,
                     struct sass_code *code, struct lit_error *error);

// --- An instruction's effects, derived from its text, whether from the decoder or nvdisasm.
// Operands in the text name only the first register of each value. Pure.

// Fills everything except address and text, from insn->text. Instructions that are not in the table
// or have invalid operands get SASS_UNKNOWN; their guard, if any, is still right.
void sass_effects(struct sass_insn *insn);
// Call once all instructions are present: invalid targets become SASS_NOWHERE, and `operands` is
// set.
void sass_complete(struct sass_code *code);

// The table of instructions, instructions.txt.
extern const char isa_instructions[];
// The rest of the next line after `at` whose first word is `key`; NULL if there is none.
const char *sass_look_up(const char *at, const char *key, size_t length);
