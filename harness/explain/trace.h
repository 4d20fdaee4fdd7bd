// SPDX-License-Identifier: Apache-2.0
// The trace that the reference driver writes (simt/schedule/trace.h has its format), read back:
// every instruction that every invocation executed in one dispatch. The file is not trusted.
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXP_TRACE_BYTES       (UINT64_C(512) << 20)
#define EXP_TRACE_STEPS       (UINT32_C(1) << 23)
#define EXP_TRACE_CODES       (UINT32_C(1) << 20)
#define EXP_TRACE_INVOCATIONS (UINT32_C(1) << 20)
#define EXP_LANES             128
#define EXP_REGION_SHIFT      40 // of addresses: simt/memory/regions.h
#define EXP_SHARED_REGION     (UINT64_C(1) << 22)
#define EXP_NO_LANE           255

enum exp_code_kind {
    EXP_PLAIN,
    EXP_TANGLED,  // a group operation
    EXP_EXCHANGE, // a group operation that reads another lane's value
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

// One instruction of the program.
struct exp_code {
    enum exp_code_kind kind;
    char *text; // printable ASCII; "" for what has no instruction of its own
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
    bool has_value, has_address;
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
    struct exp_step *steps; // by rising time
    size_t step_count;
    uint64_t switches;
    char end[16]; // "done", "fault", "stopped", "memory"; "" if the trace breaks off

    // Filled in by the reader: the steps of invocation i, in order, are
    // steps[order[first[i]]] .. steps[order[first[i + 1] - 1]].
    uint32_t *first, *order;
};

// Reads the first dispatch of a trace, as far as it goes; a last line without its end is left out.
// False with an error "line N: ...". Clear it after a failure too.
bool exp_trace_read(const char *bytes, size_t size, struct exp_trace *trace,
                    struct lit_error *error);
// The same for a file.
bool exp_trace_load(const char *path, struct exp_trace *trace, struct lit_error *error);
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
