// SPDX-License-Identifier: Apache-2.0
// What the simulator wrote down of a run: read, searched for the first fault, and cut to what is
// shown.
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The trace that the SIMT simulator writes (simt/schedule/trace.h has its format), read back:
// every instruction that every invocation executed in one dispatch. The file is not trusted.

#define EXP_TRACE_BYTES       (UINT64_C(512) << 20)
#define EXP_TRACE_STEPS       (UINT32_C(1) << 23)
#define EXP_TRACE_CODES       (UINT32_C(1) << 20)
#define EXP_TRACE_INVOCATIONS (UINT32_C(1) << 23) // with lanes that have none
#define EXP_LANES             128
#define EXP_REGION_SHIFT      40 // of addresses: simt/memory/regions.h
#define EXP_OFFSETS           ((UINT64_C(1) << EXP_REGION_SHIFT) - 1)
#define EXP_SHARED_REGION     (UINT64_C(1) << 22) // regions below are memory of the device
#define EXP_NO_LANE           255
#define EXP_NOWHERE           INT64_MAX // the address of what is not there: simt/program/instructions.h
#define EXP_MOST_ACCESS       4096      // bytes
#define EXP_MOST_BUFFERS      8192
#define EXP_TRACE_CELLS       (UINT32_C(1) << 20)
#define EXP_NO_FUNCTION       UINT32_MAX

enum exp_code_kind {
    EXP_PLAIN,
    EXP_TANGLED,    // a group operation
    EXP_CROSS_LANE, // a group operation that reads another lane's value
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

// What an instruction does with memory.
enum exp_access {
    EXP_NO_ACCESS,
    EXP_LOAD,
    EXP_STORE,
    EXP_ATOMIC, // loads and stores
    EXP_ATOMIC_LOAD,
    EXP_ATOMIC_STORE,
    EXP_ORDER, // barriers
    // Of Function and Private variables, which are in registers.
    EXP_LOAD_REGISTER,
    EXP_STORE_REGISTER,
};

// One instruction of the program.
struct exp_code {
    enum exp_code_kind kind;
    char *text; // printable ASCII; "" for what has no instruction of its own
    enum exp_access access;
    uint32_t word;  // of the module, at which it begins
    uint32_t bytes; // accessed, from a step's address on
    // Of memory, as SPIR-V has them; 0: none. Of EXP_LOAD and EXP_STORE the memory operands.
    uint32_t scope, semantics;
    uint32_t execution;   // scope of a control barrier
    bool by_pointer;      // EXP_LOAD_REGISTER, EXP_STORE_REGISTER: cells from a step's address
    uint32_t cell, cells; // on, else from `cell` on
    uint32_t function;    // that it calls, or EXP_NO_FUNCTION
};

// Cells of a variable that hold nothing when an invocation begins, nor when its function does.
struct exp_undefined {
    uint32_t cell, count;
    uint32_t function; // EXP_NO_FUNCTION: it is in none
    char *name;        // of the variable, printable
};

// A region of addresses that an element of a binding has.
struct exp_buffer {
    uint32_t region, set, binding, element;
    uint64_t size;    // bytes
    uint64_t address; // of its memory, in another region; 0: it has none of its own
};

// Bytes of Workgroup memory that begin as zeros.
struct exp_zero {
    uint64_t at, size;
};

// A set of lanes of a subgroup: lane n is bit n % 64 of word n / 64.
struct exp_lanes {
    uint64_t words[2];
};

// One instruction executed by one invocation. Those that executed it together have the same time.
struct exp_step {
    uint64_t time;
    uint64_t value, address;
    struct exp_lanes tangle;
    uint32_t code;       // index, always valid
    uint32_t invocation; // see exp_invocation
    uint8_t source;      // lane of the same subgroup, or EXP_NO_LANE
    // The address is one of memory. Where an instruction accesses registers by a pointer, it has
    // none, and `address` is the first cell; nor has a control barrier, whose `address` is the
    // number of its dynamic instance, the same in all of the workgroup that execute it.
    bool has_value, has_address;
    bool outside; // the access was out of bounds
};

// Where an invocation was when its dispatch was cut.
struct exp_left {
    enum { EXP_ENDED, EXP_RUNS, EXP_WAITS } state; // for others to come to `code`
    uint32_t code;                                 // the next one that it executes
};

struct exp_trace {
    char model[32];
    uint64_t seed;
    uint32_t subgroup;  // invocations
    uint32_t groups[3]; // workgroups
    uint32_t local[3];  // invocations of a workgroup
    uint32_t subgroups; // of a workgroup; the last one may be partial
    uint32_t invocations;
    struct exp_code *codes;
    size_t code_count;
    struct exp_buffer *buffers;
    size_t buffer_count;
    uint64_t shared;        // bytes of Workgroup memory
    struct exp_zero *zeros; // parts of it
    size_t zero_count;
    struct exp_undefined *undefined;
    size_t undefined_count;
    struct exp_step *steps; // by rising time
    size_t step_count;
    uint64_t switches;
    struct exp_left *left; // of each invocation; NULL: the dispatch was not cut
    uint64_t dispatched;   // workgroups; exp_trace_trim leaves it as it is
    char end[16]; // "done", "fault", "stopped", "memory", "cut"; "" if the trace breaks off

    // Filled in by the reader: the steps of invocation i, in order, are
    // steps[order[first[i]]] .. steps[order[first[i + 1] - 1]].
    uint32_t *first, *order;
};

// Reads the first dispatch of a trace, as far as it goes; a last line without its end is left out.
// False with an error "line N: ...". Clear it after a failure too.
bool exp_trace_read(const char *bytes, size_t size, struct exp_trace *trace,
                    struct lit_error *error);
// The first `count` dispatches of a file, all of them with no more than EXP_TRACE_STEPS steps.
// False with an error if it has not as many. Clear each after a failure too.
bool exp_trace_load(const char *path, size_t count, struct exp_trace *traces,
                    struct lit_error *error);
// Drops the workgroups behind the last one that has a step.
void exp_trace_trim(struct exp_trace *trace);
void exp_trace_clear(struct exp_trace *trace);

// An invocation's number: all lanes of a subgroup, then the next subgroup of the workgroup, then
// the next workgroup. Lanes of a partial subgroup that do not exist have numbers too.
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

// Where a step accessed memory: its address, with the workgroup where that is Workgroup memory,
// which has the same addresses in all of them.
static inline uint64_t exp_place(const struct exp_trace *trace, const struct exp_step *step)
{
    const bool shared = step->address >> EXP_REGION_SHIFT == EXP_SHARED_REGION;
    return shared ? step->address | (uint64_t)exp_group(trace, step->invocation) << 20
                  : step->address;
}

// How many invocations there are, without the lanes of partial subgroups that do not exist.
static inline uint32_t exp_real(const struct exp_trace *trace)
{
    return trace->invocations / trace->subgroups / trace->subgroup * trace->local[0] *
           trace->local[1] * trace->local[2];
}

// The buffer in which an address lies, by its region or by that of its memory, and the byte there;
// NULL if it is in none.
const struct exp_buffer *exp_buffer_at(const struct exp_trace *trace, uint64_t address,
                                       uint64_t *offset);
// Whether an instruction stores to memory that several invocations may access.
static inline bool exp_stores(const struct exp_code *code)
{
    return code->access == EXP_STORE || code->access == EXP_ATOMIC ||
           code->access == EXP_ATOMIC_STORE;
}

// How many steps an invocation executed, and its nth step.
static inline uint32_t exp_step_count(const struct exp_trace *trace, uint32_t invocation)
{
    return trace->first[invocation + 1] - trace->first[invocation];
}
static inline uint32_t exp_step_at(const struct exp_trace *trace, uint32_t invocation, uint32_t nth)
{
    return trace->order[trace->first[invocation] + nth];
}

// How often the invocation of `step` had executed the instruction `code` before that step.
uint32_t exp_executions(const struct exp_trace *trace, uint32_t invocation, uint32_t code,
                        size_t before);

// The first fault of a dispatch: the earliest step at which an invocation got something else than
// what is prescribed. What is prescribed is what two dispatches under lockstep agree on, which
// differ in their seeds alone; where these two differ (the value of a shuffle from a lane that is
// not there, the order of atomics) nothing is prescribed. Pure.

enum exp_cause {
    EXP_CAUSE_NONE,       // nothing prescribed was broken
    EXP_CAUSE_CROSS_LANE, // a value of another lane, at a time when it was not the prescribed one
    EXP_CAUSE_TANGLE,     // a group operation with other lanes than prescribed, or other operands
    EXP_CAUSE_LOAD,       // memory did not hold, or did not show, what is prescribed
    EXP_CAUSE_STORE,      // a wrong value was stored although nothing before was
    EXP_CAUSE_BRANCH,     // another way was taken
    EXP_CAUSE_RESULT,     // an instruction that looks at nothing but its operands
    EXP_CAUSE_STUCK,      // the dispatch did not come to its end; `step` is the last one, if any
};

#define EXP_NO_STEP SIZE_MAX

struct exp_fault {
    enum exp_cause cause;
    size_t step;  // of the failing trace: the faulty instruction
    bool has_got; // the two values can be compared
    uint64_t got, want;
    struct exp_lanes want_tangle; // TANGLE: who was to execute it together
    // How often the invocation had executed that instruction, this time included, and how often it
    // is to execute it in all: 1 of 1 is no iteration.
    uint32_t iteration, iterations;

    // CROSS_LANE: the lane that was read, and the instruction that makes the value that it gave
    // (EXP_NO_STEP, of other causes too: it never executed it before).
    uint32_t source; // invocation
    char name[64];   // of the value: "%total"
    size_t made;     // step at which the source had made what it gave
    size_t due;      // step at which it makes what is prescribed, in the failing trace
    // Which making of the value: of the reader's own at that time, and of the source's that it got
    // (0: the source had not made it at all).
    uint32_t reader_iteration, source_iteration;

    // LOAD: the last store to this address before, and the store of what is prescribed; else
    // EXP_NO_STEP.
    size_t stored, expected_store;
};

// Finds it. The three traces are of the same dispatch; a reference may be NULL, then nothing is
// prescribed.
void exp_fault_find(const struct exp_trace *failing, const struct exp_trace *reference,
                    const struct exp_trace *second, struct exp_fault *fault);

// Whether a step is a store to memory.
bool exp_is_store(const struct exp_trace *trace, const struct exp_step *step);
// Copies the nth word of the operation: 0 is the opcode, 1 what follows. "" if there is none.
void exp_code_word(const struct exp_code *code, unsigned nth, char *word, size_t size);

// Which part of a trace is shown: the lanes that took part in the first fault, the last things that
// they did before, and who did them with them. Pure.

#define EXP_ROWS   8
#define EXP_BEFORE 6 // steps of a lane that are shown before the faulty one

struct exp_row {
    uint32_t invocation;
    bool involved; // else it is a neighbour
};

struct exp_window {
    struct exp_row rows[EXP_ROWS]; // by rising invocation
    size_t row_count;
    // Indexes of the trace's steps, rising. Of neighbours those that they executed together with an
    // involved lane.
    struct exp_shown {
        size_t step, row;
    } * steps;
    size_t step_count;
};

void exp_window_make(const struct exp_trace *trace, const struct exp_fault *fault,
                     struct exp_window *window);
void exp_window_clear(struct exp_window *window);
