// SPDX-License-Identifier: Apache-2.0
// Executes decoded SASS of sm_90 on the host: what the machine code that a driver made computes,
// if the hardware does what is known of it. Pure. Neither code nor data is trusted: runs are
// bounded, each access is checked, and what is not known ends a run with one line that names it.
//
// What is known of convergence, and from where:
//  - Each lane has a program counter. A warp executes one instruction at a time, for lanes that are
//    together (NVIDIA, Tesla V100 whitepaper, "Independent Thread Scheduling"). Cross-lane
//    instructions act on the lanes that execute them together (PTX ISA, "shfl.sync", "vote.sync").
//  - BSSY Bn puts the executing lanes into convergence barrier n; BSYNC Bn waits until all lanes of
//    the barrier that have not exited wait there; BREAK Bn takes the executing lanes out of it;
//    BMOV saves and restores one; WARPSYNC waits for the lanes of a mask; YIELD lets other lanes
//    run (US patent 10,067,768, "Execution of divergent threads using a convergence barrier"; Abaie
//    Shoushtary, Tubella, González: "Control Flow Management in Modern GPUs", arXiv:2407.02944).
//
// Assumed, since it agrees with what an H200 (driver 580.159.04) stored:
//  - Lanes that a branch parts do not meet again but by BSYNC or WARPSYNC, not even at one address,
//    and not by BAR.SYNC. The part that does not branch runs on first, until it waits or exits.
//  - A convergence barrier is one mask for the warp. Lanes that go on are no longer in it, and
//  those
//    that wait at its BSYNC do not wait for them. Lanes that are not in it do not wait there.
//  - WARPSYNC, unless all lanes of its mask execute it together, waits at barrier 0, apart from
//    those at BSYNC B0. Lanes that wait there for the same lanes go on together; if the warp is
//    stuck, those that wait for others too. A BSYNC B0 behind it waits for nobody:
//    cases.nvidia-vote-behind-call fails, and divergence.reconverge/place=broken-if ends.
//  - If the warp is still stuck, a BSYNC does not wait for lanes that wait at a WARPSYNC: loops
//  that
//    some lanes leave past their BSYNC, without BREAK, end.
//  - Uniform registers and predicates exist once for a warp.
//  - At BAR.SYNC lanes that are together count as a warp, whether or not they are all of it, so
//    parts of a warp that arrive apart stand in for other warps.
//  - SHFL gives 0 for a lane that does not execute it, and its predicate is then false.
//  - Registers, predicates, shared and local memory are 0 at the start.
//  - Memory is sequentially consistent. Lanes of an atomic instruction act in their order.
//
// The constant bank c[0x0], from listings of the same driver: the number of workgroups in x, y and
// z at 0; 16 bytes from 0x30 for each descriptor of set 0 in order of binding: address (64 bits)
// and bytes (32 bits) of a storage buffer; push constants from 0x630.
// c[0x1] has constants that the compiler puts there for each program. Where they are not at hand,
// the one that IMAD adds to an index is 0x1000000, from which pointers to local memory count, in
// all five programs that were.
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "isa/sass.h"

#define EMU_LANES          32
#define EMU_NEVER          UINT32_MAX // no instruction
#define EMU_GROUPS_AT      0x0u
#define EMU_DESCRIPTORS_AT 0x30u
#define EMU_PUSH_AT        0x630u
#define EMU_LOCAL_AT       0x1000000u
#define EMU_CONSTANTS      0x1000u // bytes of a bank

// A buffer. Addresses of different buffers are far apart.
struct emu_buffer {
    uint64_t address;
    void *bytes;
    size_t size;
};

// A single change of the program, to find out which instruction is to blame.
enum emu_change_kind {
    EMU_AS_IT_IS,
    EMU_MEET,     // lanes at one address meet, those at the lowest address run first
    EMU_TOGETHER, // WARPSYNC.ALL before the instruction
    EMU_SPARE,    // the WARPSYNC leaves convergence barrier 0 alone
    EMU_GUARD,    // another guard
    EMU_TEST,     // predicate operand number `operand` (from 0, of those that are read) is another
    EMU_INVERT,   // such operands are inverted, those of the bits of `operand`
    EMU_KEEP,     // the instruction leaves predicates alone, those of the bits of `operand`
    EMU_ALONE,    // lanes with other values execute it, and what is behind it, one after the other
};
struct emu_change {
    enum emu_change_kind kind;
    size_t insn;
    uint8_t operand;
    uint8_t predicate; // 0 to 6: P0 to P6; 7: PT; with `uniform` UP0 to UP6
    bool uniform, negated;
    bool before; // its value before it was last written
};

// What a run is asked to write down of one warp.
struct emu_event {
    uint32_t insn, active;     // index; lanes that executed it
    uint32_t value[EMU_LANES]; // what it wrote: a register's word, or predicates as bits
};
struct emu_trace {
    uint32_t workgroup, warp; // whose
    struct emu_event *events;
    size_t count;
};

#define EMU_TRACE_MOST 200000 // events; later ones are left out

struct emu_dispatch {
    uint32_t groups[3], local[3]; // workgroups, and invocations of one, in x, y, z
    uint32_t first, last;         // workgroups that run, in x; `last` is the first that does not
    struct emu_buffer *buffers;
    size_t buffer_count;
    uint8_t constants[EMU_CONSTANTS]; // c[0x0]
    const char *compiled;             // c[0x1], not owned
    size_t compiled_size;
    uint64_t steps;       // most instructions of a warp
    const uint32_t *stop; // the run ends once this is not 0; NULL: none
    bool backwards;       // warps take turns in the other order, and shorter ones
    struct emu_change change;
    struct emu_trace *trace; // NULL: none
};

struct emu_program; // code, made ready to run

// False with an error if there is no code or it is of another architecture. An instruction that is
// not known is an error only where it is executed. `code` must outlive the program.
bool emu_program_make(const struct sass_code *code, struct emu_program **program,
                      struct lit_error *error);
void emu_program_free(struct emu_program **program); // NULL is fine

// Runs all workgroups to their end. False with an error: an unknown instruction or value, an access
// outside of all buffers, lanes that wait for ever, too many steps.
bool emu_run(const struct emu_program *program, const struct emu_dispatch *dispatch,
             struct lit_error *error);

// --- Which instruction of a wrong program is to blame, by changes of single instructions: the one
// that makes all results right

#define EMU_TRIES_MOST 20000

struct emu_cause {
    struct emu_change change; // EMU_AS_IT_IS: none was found
    uint32_t apart;           // EMU_TOGETHER: the lanes that were apart; EMU_ALONE: together
    uint32_t tries;
    // The first instruction that did otherwise than in the run that the change makes right, in
    // order of execution: its index, or EMU_NEVER; a lane; what it wrote, and what was right.
    uint32_t first, first_lane, got, want;
    size_t first_event;
    bool elsewhere; // the lane executed another instruction there
};

// `trace` is of a warp with a wrong result. `right` runs the program with a change and says whether
// all results are right: of that warp's workgroup or, if `all`, of all that are at hand. False if
// no change makes them right.
bool emu_cause_find(const struct emu_program *program, const struct emu_trace *trace,
                    bool (*right)(const struct emu_change *change, bool all, void *user),
                    void *user, struct emu_cause *cause);
// Finds the first instruction that did otherwise.
void emu_cause_compare(struct emu_cause *cause, const struct emu_trace *wrong,
                       const struct emu_trace *right);
// Appends one sentence, without a full stop.
void emu_cause_print(const struct emu_program *program, const struct emu_cause *cause,
                     struct text *text);
// The index of the instruction to mark; EMU_NEVER: none.
uint32_t emu_cause_place(const struct emu_cause *cause);
