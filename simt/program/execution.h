// SPDX-License-Identifier: Apache-2.0
// The environment of an executing instruction.
#pragma once

#include "lanes.h"
#include "program/program.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ALWAYS_INLINE inline __attribute__((always_inline))

struct workgroup; // schedule/machine.h
struct subgroup;
struct order; // memory/order.h
struct regions;
struct region;

enum exec_fault_kind {
    EXEC_NO_FAULT,
    EXEC_OUT_OF_BOUNDS, // an access outside of the shader's memory, or by a null pointer
    EXEC_READ_ONLY,     // a store to read-only memory
    EXEC_MISALIGNED,    // a misaligned atomic
    EXEC_UNREACHABLE,   // OpUnreachable was reached
    EXEC_DEADLOCK,      // no invocation of a workgroup can continue
    EXEC_NO_MEMORY,     // the interpreter is out of memory (`size` bytes); not the shader's fault
    // Found by schedule/check.h; execution continues.
    EXEC_RACE,
    EXEC_UNINITIALISED, // of Workgroup memory
    EXEC_UNDEFINED,     // of a variable in Function or Private
    EXEC_MISSED,        // a barrier that not all invocations of the workgroup reach
    EXEC_EARLIER,       // the other access of a race
};

// The first fault of a shader.
struct exec_fault {
    enum exec_fault_kind kind;
    const struct insn *insn;
    uint32_t group[3], subgroup, lane;
    uint64_t address, size; // bytes accessed
};

// One per interpreter thread. The scheduler points it at a subgroup and a set of its lanes;
// instruction functions read and write that subgroup's cells for exactly these lanes.
struct exec {
    uint64_t *cells;         // of the subgroup, [cell][lane]
    uint32_t width;          // subgroup size
    uint32_t count;          // executing lanes
    uint8_t lane[LANES_MAX]; // which, ascending
    lanes mask;              // the same as a set
    lanes present;           // lanes with an invocation (a partial subgroup has fewer)

    const struct program *program;
    const struct insn *insn; // current, for reports
    struct workgroup *workgroup;
    struct subgroup *subgroup;
    uint32_t group_id[3], subgroup_id; // for reports

    // Memory.
    const struct regions *regions; // the device's: buffers by address
    const struct region *local;    // the dispatch's: LOCAL_* and bindings
    uint32_t local_count;
    unsigned char *shared; // of the workgroup
    uint64_t shared_size;
    struct order *order; // of the workgroup; NULL: memory is sequentially consistent

    // Changes by the model in single instructions.
    bool snoop;        // cross-lane reads may read inactive lanes, and get what their cells hold
    uint64_t random;   // generator state: exec_random
    double fault_rate; // probability of corrupting a stored value
    bool robust;       // after a fault, loads give 0, stores are dropped, and execution continues
    struct exec_fault fault;
    uint64_t *clock; // scheduler steps: OpReadClockKHR and timestamps within a dispatch
    bool trace;      // record accesses in `seen`
    struct exec_seen {
        uint64_t address; // of the lane's last memory access
        uint8_t source;   // of a cross-lane read; 255: none
        bool outside;     // out of bounds
    } * seen;             // [LANES_MAX], only with `trace`
};

static inline uint64_t *exec_cells(const struct exec *exec, uint32_t cell)
{
    return exec->cells + (size_t)cell * exec->width;
}

// The executing lanes for which a Boolean holds.
static inline lanes exec_holds(const struct exec *exec, uint32_t cell)
{
    const uint64_t *holds = exec_cells(exec, cell);
    uint64_t low = 0, high = 0;
    uint32_t i = 0;
    for (; i < exec->count && exec->lane[i] < 64; i++)
        low |= (uint64_t)(holds[exec->lane[i]] != 0) << exec->lane[i];
    for (; i < exec->count; i++)
        high |= (uint64_t)(holds[exec->lane[i]] != 0) << (exec->lane[i] - 64);
    return (lanes)high << 64 | low;
}

uint64_t exec_random(struct exec *exec); // 64 random bits

// Returns a fault of the current instruction.
struct exec_fault exec_fault_of(const struct exec *exec, enum exec_fault_kind kind, unsigned lane,
                                uint64_t address, uint64_t size);
// Records a fault of the current instruction (only the first is kept).
void exec_fault(struct exec *exec, enum exec_fault_kind kind, unsigned lane, uint64_t address,
                uint64_t size);
// "out-of-bounds access of 4 bytes at ... by OpLoad %x, workgroup (1, 0, 0), subgroup 0, lane 3"
void exec_fault_text(const struct exec_fault *fault, const struct program *program, char *text,
                     size_t size);
