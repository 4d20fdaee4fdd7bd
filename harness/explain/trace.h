// SPDX-License-Identifier: Apache-2.0
// The simulator's trace of a run: parsed, searched for the first fault, and reduced to the part
// shown.
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The trace of the SIMT simulator, parsed (format: simt/schedule/trace.h): every instruction that
// every invocation executed in one dispatch. The file is not trusted.

#define EXP_TRACE_BYTES       (UINT64_C(512) << 20)
#define EXP_TRACE_STEPS       (UINT32_C(1) << 23)
#define EXP_TRACE_CODES       (UINT32_C(1) << 20)
#define EXP_TRACE_INVOCATIONS (UINT32_C(1) << 23) // including nonexistent lanes
#define EXP_LANES             128
#define EXP_REGION_SHIFT      40 // in addresses: simt/memory/regions.h
#define EXP_OFFSETS           ((UINT64_C(1) << EXP_REGION_SHIFT) - 1)
#define EXP_SHARED_REGION     (UINT64_C(1) << 22) // lower regions are device memory
#define EXP_NO_LANE           255
#define EXP_NOWHERE           INT64_MAX // an address without memory: simt/program/instructions.h
#define EXP_MOST_ACCESS       4096      // bytes
#define EXP_MOST_BUFFERS      8192
#define EXP_TRACE_CELLS       (UINT32_C(1) << 20)
#define EXP_NO_FUNCTION       UINT32_MAX

enum exp_code_kind {
    EXP_PLAIN,
    EXP_TANGLED,    // group operation
    EXP_CROSS_LANE, // group operation that reads another lane's value
    EXP_BARRIER,
    EXP_FENCE,
    EXP_BRANCH,
    EXP_IF,
    EXP_SWITCH,
    EXP_CALL,
    EXP_RETURN,
    EXP_END,
    EXP_UNREACHABLE,
    EXP_CODE_KINDS,
};

// The effect of an instruction on memory.
enum exp_access {
    EXP_NO_ACCESS,
    EXP_LOAD,
    EXP_STORE,
    EXP_ATOMIC, // load and store
    EXP_ATOMIC_LOAD,
    EXP_ATOMIC_STORE,
    EXP_MATRIX_LOAD, // of an element of a cooperative matrix, by an invocation of its scope
    EXP_MATRIX_STORE,
    EXP_ORDER, // barrier
    // On Function and Private variables, which are registers.
    EXP_LOAD_REGISTER,
    EXP_STORE_REGISTER,
};

// An instruction of the program.
struct exp_code {
    enum exp_code_kind kind;
    char *text; // printable ASCII; "" if it is part of another instruction
    enum exp_access access;
    uint32_t word;  // offset in the module
    uint32_t bytes; // accessed from a step's address on
    // As in SPIR-V; 0: none. For EXP_LOAD and EXP_STORE the memory operands.
    uint32_t scope, semantics;
    uint32_t execution;   // control barrier: execution scope
    bool by_pointer;      // EXP_LOAD_REGISTER, EXP_STORE_REGISTER: cells start at a step's address
    uint32_t cell, cells; // otherwise at `cell`
    uint32_t function;    // called function, or EXP_NO_FUNCTION
};

// Cells of a variable that are undefined when an invocation or its function begins.
struct exp_undefined {
    uint32_t cell, count;
    uint32_t function; // EXP_NO_FUNCTION: global
    char *name;        // of the variable, printable
};

// The address region of an array element of a binding.
struct exp_buffer {
    uint32_t region, set, binding, element;
    uint64_t size;    // bytes
    uint64_t address; // of its memory in another region; 0: none
};

// Zero-initialised bytes of Workgroup memory.
struct exp_zero {
    uint64_t at, size;
};

// A set of a subgroup's lanes: lane n is bit n % 64 of word n / 64.
struct exp_lanes {
    uint64_t words[2];
};

// An instruction executed by an invocation. Those that executed it together have the same time.
struct exp_step {
    uint64_t time;
    uint64_t value, address;
    struct exp_lanes tangle;
    uint32_t code;       // index, always valid
    uint32_t invocation; // as from exp_invocation
    uint8_t source;      // lane of the same subgroup, or EXP_NO_LANE
    // has_address: `address` is in memory. Otherwise, for a register access by pointer it is the
    // first cell; for a control barrier it is the number of the dynamic instance, equal for all of
    // the workgroup that execute it.
    bool has_value, has_address;
    bool outside; // the access was out of bounds
};

// An invocation's state when its dispatch was cut.
struct exp_left {
    enum { EXP_ENDED, EXP_RUNS, EXP_WAITS } state; // waits for others at `code`
    uint32_t code;                                 // its next instruction
};

struct exp_trace {
    char model[32];
    uint64_t seed;
    uint32_t subgroup;  // size
    uint32_t groups[3]; // workgroups
    uint32_t local[3];  // workgroup size
    uint32_t subgroups; // per workgroup; the last may be partial
    uint32_t invocations;
    struct exp_code *codes;
    size_t code_count;
    struct exp_buffer *buffers;
    size_t buffer_count;
    uint64_t shared;        // bytes of Workgroup memory
    struct exp_zero *zeros; // zero-initialised parts
    size_t zero_count;
    struct exp_undefined *undefined;
    size_t undefined_count;
    struct exp_step *steps; // sorted by time
    size_t step_count;
    uint64_t switches;
    struct exp_left *left; // per invocation; NULL: the dispatch was not cut
    uint64_t dispatched;   // number of workgroups; unchanged by exp_trace_trim
    char end[16]; // "done", "fault", "stopped", "memory", "cut"; "" if the trace is truncated

    // Computed when parsing: the steps of invocation i, in order, are steps[order[first[i]]] ..
    // steps[order[first[i + 1] - 1]].
    uint32_t *first, *order;
};

// Parses the first dispatch of a trace, as far as it goes; ignores an incomplete last line. False
// with an error "line N: ...". Clear it in any case.
bool exp_trace_read(const char *bytes, size_t size, struct exp_trace *trace,
                    struct lit_error *error);
// Loads the first `count` dispatches of a file, with EXP_TRACE_STEPS steps at most in all. False
// with an error if there are fewer. Clear each in any case.
bool exp_trace_load(const char *path, size_t count, struct exp_trace *traces,
                    struct lit_error *error);
// Drops the workgroups after the last one with a step.
void exp_trace_trim(struct exp_trace *trace);
void exp_trace_clear(struct exp_trace *trace);

// An invocation's number: all lanes of a subgroup, then the next subgroup of the workgroup, then
// the next workgroup. Nonexistent lanes of a partial subgroup are numbered as well.
static inline uint32_t exp_invocation(const struct exp_trace *trace, uint32_t group,
                                      uint32_t subgroup, uint32_t lane)
{
    return (group * trace->subgroups + subgroup) * trace->subgroup + lane;
}
static inline uint32_t exp_lane(const struct exp_trace *trace, uint32_t invocation)
{
    return invocation % trace->subgroup;
}
static inline uint32_t exp_subgroup(const struct exp_trace *trace, uint32_t invocation)
{
    return invocation / trace->subgroup % trace->subgroups;
}
static inline uint32_t exp_group(const struct exp_trace *trace, uint32_t invocation)
{
    return invocation / trace->subgroup / trace->subgroups;
}
static inline bool exp_lanes_has(const struct exp_lanes *lanes, uint32_t lane)
{
    return lane < EXP_LANES && lanes->words[lane / 64] >> lane % 64 & 1;
}

// The place of a step's access: its address, with the workgroup added for Workgroup memory, which
// has the same addresses in every workgroup.
static inline uint64_t exp_place(const struct exp_trace *trace, const struct exp_step *step)
{
    const bool shared = step->address >> EXP_REGION_SHIFT == EXP_SHARED_REGION;
    return shared ? step->address | (uint64_t)exp_group(trace, step->invocation) << 20
                  : step->address;
}

// The number of invocations without nonexistent lanes.
static inline uint32_t exp_real(const struct exp_trace *trace)
{
    return trace->invocations / trace->subgroups / trace->subgroup * trace->local[0] *
           trace->local[1] * trace->local[2];
}

// The buffer that contains an address, by its region or its memory's, and the byte in it; NULL if
// there is none.
const struct exp_buffer *exp_buffer_at(const struct exp_trace *trace, uint64_t address,
                                       uint64_t *offset);
// Whether an instruction stores to memory that several invocations may access.
static inline bool exp_stores(const struct exp_code *code)
{
    return code->access == EXP_STORE || code->access == EXP_ATOMIC ||
           code->access == EXP_ATOMIC_STORE || code->access == EXP_MATRIX_STORE;
}

// Which invocation accesses an element of a matrix is not specified, so no races are searched.
static inline bool exp_is_matrix(const struct exp_code *code)
{
    return code->access == EXP_MATRIX_LOAD || code->access == EXP_MATRIX_STORE;
}

// The number of an invocation's steps, and its nth step.
static inline uint32_t exp_step_count(const struct exp_trace *trace, uint32_t invocation)
{
    return trace->first[invocation + 1] - trace->first[invocation];
}
static inline uint32_t exp_step_at(const struct exp_trace *trace, uint32_t invocation, uint32_t nth)
{
    return trace->order[trace->first[invocation] + nth];
}

// How often the invocation had executed instruction `code` before `step`.
uint32_t exp_executions(const struct exp_trace *trace, uint32_t invocation, uint32_t code,
                        size_t before);

// The first fault of a dispatch: the earliest step at which an invocation got something other than
// prescribed. Two dispatches under lockstep that differ only in seed prescribe whatever they agree
// on; where they differ (the value of a shuffle from a nonexistent lane, the order of atomics),
// nothing is prescribed. Pure.

enum exp_cause {
    EXP_CAUSE_NONE,       // no deviation
    EXP_CAUSE_CROSS_LANE, // a value from another lane, read at the wrong time
    EXP_CAUSE_TANGLE,     // a group operation with the wrong lanes or operands
    EXP_CAUSE_LOAD,       // memory did not hold or show the prescribed value
    EXP_CAUSE_STORE,      // a wrong value was stored although all before was right
    EXP_CAUSE_BRANCH,     // a wrong branch direction
    EXP_CAUSE_RESULT,     // an instruction that depends only on its operands
    EXP_CAUSE_STUCK,      // the dispatch did not end; `step` is the last one, if any
};

#define EXP_NO_STEP SIZE_MAX

struct exp_fault {
    enum exp_cause cause;
    size_t step;  // faulty instruction in the failing trace
    bool has_got; // the two values can be compared
    uint64_t got, want;
    struct exp_lanes want_tangle; // TANGLE: the lanes that should execute it together
    // How often the invocation had executed the instruction, including this time, and how often it
    // should in all: 1 of 1 is no iteration.
    uint32_t iteration, iterations;

    // CROSS_LANE: the lane read, and the instruction that makes its value (EXP_NO_STEP if never
    // executed, and for other causes).
    uint32_t source; // invocation
    char name[64];   // of the value: "%total"
    size_t made;     // step at which the source made what it supplied
    size_t due;      // step at which it makes the prescribed value, in the failing trace
    // How often the value had been made: by the reader itself at that time, and by the source when
    // it supplied it (0: not at all).
    uint32_t reader_iteration, source_iteration;

    // LOAD: the last earlier store to this address, and the store of the prescribed value; else
    // EXP_NO_STEP.
    size_t stored, expected_store;
};

// Finds it. All three traces must be of the same dispatch; if a reference is NULL, nothing is
// prescribed.
void exp_fault_find(const struct exp_trace *failing, const struct exp_trace *reference,
                    const struct exp_trace *second, struct exp_fault *fault);

// Whether a step is a store to memory.
bool exp_is_store(const struct exp_trace *trace, const struct exp_step *step);
// Copies the operation's nth word: 0 is the opcode. "" if there is none.
void exp_code_word(const struct exp_code *code, unsigned nth, char *word, size_t size);

// The part of a trace to show: the lanes in the first fault, their last actions before it, and the
// lanes that executed these with them. Pure.

#define EXP_ROWS   8
#define EXP_BEFORE 6 // steps per lane before the faulty one

struct exp_row {
    uint32_t invocation;
    bool involved; // false: a neighbour
};

struct exp_window {
    struct exp_row rows[EXP_ROWS]; // sorted by invocation
    size_t row_count;
    // Sorted indexes of the trace's steps. For neighbours, only steps executed together with an
    // involved lane.
    struct exp_shown {
        size_t step, row;
    } * steps;
    size_t step_count;
};

void exp_window_make(const struct exp_trace *trace, const struct exp_fault *fault,
                     struct exp_window *window);
void exp_window_clear(struct exp_window *window);
