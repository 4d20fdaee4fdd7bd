// SPDX-License-Identifier: Apache-2.0
// The interface between the instructions of an AMD GPU (decode.h, step.c) and the device that runs
// waves (device/). The instructions read and write a wave's registers; memory, and every result
// that a counter announces, belong to the device.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rdna_generation { RDNA_GFX10_3, RDNA_GFX11, RDNA_GFX12, RDNA_GENERATIONS };

enum { RDNA_LANES = 64, RDNA_VGPRS = 512, RDNA_ELEMENTS = 2, RDNA_DWORDS = 4, RDNA_NAME = 96 };

// Indices into `sgpr`: the encodings of scalar operands. m0 and null, which GFX11 exchanges, are
// 124 and 125 as on GFX10.
enum { RDNA_VCC = 106, RDNA_TTMP = 108, RDNA_EXEC = 126 };

// 128, and room for operands of several words that begin at the last.
enum { RDNA_SGPRS = 144 };

struct rdna_insn; // decode.h

// A wave. In wave32 lanes 32 to 63 do not exist, and neither do the upper halves of vcc and exec.
struct rdna_wave {
    enum rdna_generation generation;
    unsigned lanes;        // 32 or 64
    unsigned vgprs;        // allocated to each lane
    unsigned shared_vgprs; // wave64 on GFX10: that many more, each 32 words for both halves. The
                           // device holds them as vgpr[vgprs + i][0..31]
    uint64_t pc;           // a byte address
    bool scc;
    uint32_t mode;             // MODE: round in 3:0, denormals in 7:4, ...
    uint64_t flat_scratch;     // FLAT_SCRATCH, which hwreg sets on GFX10
    uint32_t hw_id[2];         // HW_ID1 and HW_ID2 of s_getreg
    uint32_t sgpr[RDNA_SGPRS]; // by the encoding of the operand, with vcc, ttmp, m0 and exec
    uint32_t vgpr[RDNA_VGPRS][RDNA_LANES];

    // Set by rdna_step for the event that it returns.
    struct rdna_wait {
        // Wait until at most that many; UINT_MAX: no wait. GFX12's loadcnt is vmcnt, storecnt
        // vscnt, and dscnt lgkmcnt; kmcnt has its scalar loads.
        unsigned vmcnt, lgkmcnt, expcnt, vscnt, kmcnt;
        bool sources; // wait until the operations issued have read their registers (depctr)
    } wait;
    unsigned caches;         // RDNA_EVENT_CACHES: the set of RDNA_INVALIDATE_*, RDNA_WRITE_BACK
    char unknown[RDNA_NAME]; // RDNA_EVENT_UNKNOWN: the name for "not emulated: NAME"
};

enum {
    RDNA_INVALIDATE_SCALAR = 1,
    RDNA_INVALIDATE_L0 = 2,
    RDNA_INVALIDATE_GL1 = 4,
    RDNA_INVALIDATE_GL2 = 8,
    RDNA_WRITE_BACK_GL2 = 16
};

// What an instruction asks of the scheduler. After each but UNKNOWN, pc is the next instruction.
enum rdna_event {
    RDNA_EVENT_NONE,
    RDNA_EVENT_WAIT,    // s_waitcnt and its relatives, s_waitcnt_depctr: `wait`
    RDNA_EVENT_BARRIER, // s_barrier
    RDNA_EVENT_SIGNAL,  // s_barrier_signal: the wave arrives at the barrier, and goes on
    RDNA_EVENT_AWAIT,   // s_barrier_wait: all have arrived
    RDNA_EVENT_CACHES,  // buffer_gl0_inv, global_inv, s_dcache_inv, s_gl1_inv, ...: `caches`
    RDNA_EVENT_YIELD,   // s_sleep, s_sethalt...: another wave's turn
    RDNA_EVENT_END,     // s_endpgm
    RDNA_EVENT_UNKNOWN, // an opcode, field or value that is not emulated: `unknown`
};

enum rdna_space {
    RDNA_SPACE_NONE,   // no memory: `values` are the results, which the counter announces
                       // (ds_bpermute_b32, ds_swizzle_b32, s_memtime, ...)
    RDNA_SPACE_GLOBAL, // global, buffer and scratch instructions: virtual addresses of the GPU
    RDNA_SPACE_SCALAR, // scalar loads: the same, through the scalar cache, of lane 0
    RDNA_SPACE_LDS,    // bytes from the start of the workgroup's LDS
};

enum rdna_action { RDNA_LOAD, RDNA_STORE, RDNA_ATOMIC };

enum rdna_counter { RDNA_VMCNT, RDNA_LGKMCNT, RDNA_EXPCNT, RDNA_VSCNT, RDNA_KMCNT, RDNA_COUNTERS };

enum rdna_atomic {
    RDNA_SWAP,
    RDNA_COMPARE_SWAP,
    RDNA_ADD,
    RDNA_SUB,
    RDNA_REVERSE_SUB,
    RDNA_SMIN,
    RDNA_UMIN,
    RDNA_SMAX,
    RDNA_UMAX,
    RDNA_AND,
    RDNA_OR,
    RDNA_XOR,
    RDNA_INC,
    RDNA_DEC,
    RDNA_FADD,
    RDNA_FMIN,
    RDNA_FMAX,
    RDNA_FCOMPARE_SWAP,
    RDNA_MASKED_OR, // (old & ~operand) | comparand
    RDNA_WRAP,      // old - operand, or old + comparand if that is negative
    RDNA_SUB_CLAMP, // old - operand, at least 0
    RDNA_COND_SUB,  // old - operand, or old if that is negative
};

// How the bytes of an element become registers, and the reverse. The device calls `convert` (below)
// for LOADs whose conversion is CONVERTED; PLAIN copies dwords.
enum rdna_conversion {
    RDNA_PLAIN,       // `bytes` is 4, 8, 12, ... 64
    RDNA_ZERO_EXTEND, // 1 or 2 bytes
    RDNA_SIGN_EXTEND,
    RDNA_CONVERTED,
};

enum rdna_half {
    RDNA_WHOLE,
    RDNA_LOW_HALF,
    RDNA_HIGH_HALF
}; // what a load of d16 keeps of the rest

// One instruction's access. The device copies it: it may do the work, and write the registers, at
// any later moment that the counter allows.
struct rdna_access {
    enum rdna_space space;
    enum rdna_action action;
    enum rdna_counter counter; // counts 1 from now until the work is done
    bool glc, slc, dlc;        // cache bits, with the meanings of GFX10
    bool lost_glc, lost_dlc;   // those that the device took away by a seeded fault
    uint64_t mask;             // the lanes that take part: exec, or 1 for a scalar access
    unsigned elements;         // 1, or 2 (ds_read2_b32, ds_write2_b32 and their relatives)
    unsigned bytes;            // of an element: 1 to 64, over 16 only for scalar loads
    unsigned stride;           // from a dword of an element to its next in memory: 4 but in scratch
    // Of each lane and element. For a load of GLOBAL from a buffer that is out of range, in_range
    // is how many leading bytes are in range: the others read as 0 and are not written.
    uint64_t address[RDNA_ELEMENTS][RDNA_LANES];
    uint8_t in_range[RDNA_ELEMENTS][RDNA_LANES];
    // Loads, and atomics that return the old value.
    bool returns;
    bool to_sgpr;         // else to VGPRs
    unsigned destination; // the first register; element e begins at destination + e * registers
    unsigned registers;   // that an element fills in each lane, 1 to 16
    enum rdna_half half;  // for registers == 1 of 16 bits
    enum rdna_conversion conversion;
    uint32_t format; // for `convert`: its meaning is the instructions' own
    // Stores: the bytes to store, little-endian. Atomics: the operand (8 bytes for 64 bits) in
    // words 0 and 1, the comparand in words 2 and 3. SPACE_NONE: the results (to_sgpr: dword i is
    // values[0][0][i]).
    enum rdna_atomic atomic;
    uint32_t values[RDNA_ELEMENTS][RDNA_DWORDS][RDNA_LANES];
};

struct rdna_memory_ops {
    void *context;
    // Takes an access of the instruction being executed. A fault (an address that nothing is mapped
    // at) is noted by the device, which ends the dispatch after the step.
    void (*access)(void *context, struct rdna_wave *wave, const struct rdna_access *access);
    uint64_t (*clock)(void *context); // s_memtime, s_memrealtime, SHADER_CYCLES
};

// The instruction at `words`; `count` of them can be read. Returns its dwords, or 0 if it is not
// known or not whole: then the insn has the name for "not emulated: NAME".
// (in decode.h) size_t rdna_decode(const uint32_t *words, size_t count, enum rdna_generation,
//                                  struct rdna_insn *);

// Executes the instruction at wave->pc, and moves pc.
enum rdna_event rdna_step(struct rdna_wave *wave, const struct rdna_insn *insn,
                          const struct rdna_memory_ops *memory);

// The registers of a loaded element with RDNA_CONVERTED, from its bytes.
void rdna_convert(const struct rdna_access *access, const uint8_t *bytes, uint32_t *registers);

static inline uint64_t rdna_exec(const struct rdna_wave *wave)
{
    const uint64_t high = wave->lanes == 64 ? wave->sgpr[RDNA_EXEC + 1] : 0;
    return high << 32 | wave->sgpr[RDNA_EXEC];
}
