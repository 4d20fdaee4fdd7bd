// SPDX-License-Identifier: Apache-2.0
// SASS, the machine code of NVIDIA's GPUs from Volta on: 16 bytes an instruction. Instructions come
// from the bytes themselves or from the text of nvdisasm; whoever reads them here need not know
// from which. The bytes and the text are a driver's and are not trusted.
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SASS_BYTES    16         // of an instruction
#define SASS_NOWHERE  UINT32_MAX // an address that is none
#define SASS_ALWAYS   7          // PT, as a guard
#define SASS_TEXT_MAX 256        // the longest text of an instruction, with its NUL

// What decides who executes together, who reads what from whom, and what becomes visible when.
enum sass_op {
    SASS_OTHER, // arithmetic and the like: registers and text only
    // Cross-lane reads, between the lanes of a warp (a subgroup):
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
    SASS_BRA, // .DIV and .CONV, which ask whether the warp is converged, are in the flags
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
    SASS_S2R,  // a special register
    SASS_S2UR, // likewise, the same for all lanes
    SASS_R2UR,
    SASS_OPS
};

// "SHFL"; "" for SASS_OTHER.
const char *sass_op_name(enum sass_op op);
// SHFL, VOTE, VOTEU, MATCH, REDUX: what they give depends on which lanes execute them together.
bool sass_is_cross_lane(enum sass_op op);

// Registers that are read or written, a bit for each. RZ, PT, URZ and UPT, which are constants,
// have none.
struct sass_registers {
    uint64_t r[4]; // R0 to R254
    uint64_t ur;   // UR0 to UR62: the same for all lanes of a warp
    uint8_t p;     // P0 to P6
    uint8_t up;    // UP0 to UP6: the same for all lanes
    uint16_t b;    // B0 to B15: convergence barriers
};

bool registers_empty(const struct sass_registers *set);
bool registers_meet(const struct sass_registers *a, const struct sass_registers *b);
// Adds to a set; true if that made it larger.
bool registers_add(struct sass_registers *set, const struct sass_registers *what);
void registers_remove(struct sass_registers *set, const struct sass_registers *what);

enum sass_flag {
    SASS_CONVERGED = 1 << 0, // BRA.CONV: taken if the named lanes are converged
    SASS_DIVERGED = 1 << 1,  // BRA.DIV: taken if the named lanes are not converged
    SASS_UNIFORM = 1 << 2,   // BRA.U and branches on a uniform predicate: the same for all lanes
    SASS_UNKNOWN = 1 << 3, // the decoder does not know it: nothing but its address and guard counts
};

struct sass_insn {
    uint32_t address; // bytes from the start of the code
    enum sass_op op;
    uint32_t flags; // enum sass_flag
    // Executed only by lanes where the guard holds. guard: 0 to 6 are P0 to P6, or UP0 to UP6 with
    // guard_uniform; SASS_ALWAYS is PT (and with guard_negated "never").
    uint8_t guard;
    bool guard_negated, guard_uniform;
    uint32_t target; // of branches, BSSY, CALL: an address in the code; else SASS_NOWHERE
    int8_t barrier;  // of BSSY, BSYNC, BREAK: 0 to 15; -1: none
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
// The name of an instruction with its modifiers, without guard: "SHFL.IDX", `length` bytes of
// insn->text. What follows is its operands.
const char *sass_mnemonic(const struct sass_insn *insn, size_t *length);
// Whether its text, without guard, begins so.
bool sass_begins(const struct sass_insn *insn, const char *with);
// Executed by no lane: "@!PT". By every lane that comes to it.
bool sass_is_never(const struct sass_insn *insn);
bool sass_is_always(const struct sass_insn *insn);

// --- From bytes and from text. All of these fail with one line of error, and *code is cleared by
// the caller either way.

// Decodes `size` bytes of sm_90 by a table of what was learnt from bytes and nvdisasm's text of
// them side by side. It knows what decides convergence, cross-lane reads and memory with all
// modifiers, and of the rest what the tests of the catalogue become. An instruction is known only
// if each of its bits is accounted for; the text of one that is not is "?0x" with its opcode,
// behind its guard, and it has SASS_UNKNOWN. False if the architecture is another one or `size` is
// not a multiple of SASS_BYTES. Pure.
bool sass_decode(const uint8_t *bytes, size_t size, uint32_t architecture, struct sass_code *code,
                 struct lit_error *error);

// Reads what `nvdisasm -b SMxx`, `nvdisasm -c` or `cuobjdump -sass` writes, of one function: a line
// for each instruction with its address in a comment; lines of labels; other lines are skipped.
// Texts lose blanks that say nothing, and references to labels become addresses. False if there is
// no instruction, or if one is missing, too long or at a wrong address: an nvdisasm that does not
// know an instruction leaves it out. Pure.
bool sass_parse(const char *text, size_t length, uint32_t architecture, struct sass_code *code,
                struct lit_error *error);

// Runs NVIDIA's nvdisasm, which is not part of this program, on `bytes` and reads what it writes.
// It is what the variable LITMUS_NVDISASM names, else "nvdisasm" on PATH, and has `seconds` seconds
// before it is killed. False if there is none, or if it fails, takes or writes too much, or writes
// what sass_parse does not take.
bool sass_nvdisasm(const uint8_t *bytes, size_t size, uint32_t architecture, double seconds,
                   struct sass_code *code, struct lit_error *error);

// By nvdisasm if it can, else by the decoder. `source` (may be NULL) becomes a line that says which
// it was, and why: "nvdisasm", "decoder: nvdisasm: not found". False if the decoder cannot either.
bool sass_from_bytes(const uint8_t *bytes, size_t size, uint32_t architecture,
                     struct sass_code *code, char source[256], struct lit_error *error);

// --- What an instruction reads, writes and decides, from its text: the same for the decoder's text
// and for nvdisasm's, whose operands name the first register of each value only. Pure.

// Fills everything but address and text from insn->text. An instruction that is not in the table,
// or whose operands make no sense, gets SASS_UNKNOWN; its guard is right if it has one.
void sass_effects(struct sass_insn *insn);
// Once all instructions are there: targets that are none become SASS_NOWHERE, and `operands` is
// set.
void sass_complete(struct sass_code *code);

// The table of instructions, instructions.txt.
extern const char isa_instructions[];
// What lies behind the first word of the next line after `at` whose first word is `key`; NULL if
// there is none.
const char *sass_look_up(const char *at, const char *key, size_t length);
