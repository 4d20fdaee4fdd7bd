// SPDX-License-Identifier: Apache-2.0
// The settings in LITMUS_SIMT: the model and its parameters. "model=snooping,seed=7".
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The execution models. docs/simt.md has a page for each.
enum model {
    MODEL_LOCKSTEP, // the default
    MODEL_TANGLED,
    MODEL_SNOOPING,
    MODEL_LAGGING,
    MODEL_PEELING,
    MODEL_RELAXED,
    MODEL_UNFAIR,
    MODEL_FAULTY,
    MODEL_MISCOMPILING,
    MODEL_COUNT,
};

// Faults of a device.
enum fault {
    FAULT_WRONG,      // one component of a stored value is wrong, with probability `rate`
    FAULT_LOST,       // the device is lost at submit `at`
    FAULT_HANG,       // submit `at` never ends
    FAULT_CRASH,      // the process is killed by a signal at submit `at`
    FAULT_MEMORY,     // memory allocation `at` and all later ones fail: out of device memory
    FAULT_NOTHING,    // dispatches are accepted and nothing is executed, from submit `at` on
    FAULT_PROPERTIES, // invalid properties: names with control characters, sizes of 0
    FAULT_RENDEZVOUS, // subgroup barriers, memory barriers and acquires wait for the workgroup
    FAULT_LOOPS,      // loops end after 65,535 iterations
    FAULT_REDUCTION,  // a reduction omits lanes by an unrelated predicate
    FAULT_TORN,       // a read-modify-write is a load, and later a store
    FAULT_IDS,        // LocalInvocationIndex counts y before x
    FAULT_EXITS,      // lanes that diverge in a block that leaves a loop stay diverged after it
    FAULT_COUNT,
};

// Faults of a compiler, under MODEL_MISCOMPILING. docs/models/miscompiling.md describes each one's
// effect on the program, and the bug that it models.
enum operator{
    OPERATOR_LOAD_ORDER, // a load moves after the next load
    OPERATOR_LOAD_LATE,  // a load moves after the next store
    OPERATOR_STORE_LATE, // a store moves after what follows it
    OPERATOR_FORWARD,    // a load takes what the invocation stored or loaded there before
    OPERATOR_MEMBER,     // a copy of a struct omits its last member
    OPERATOR_DEAD,       // an atomic with unused result is removed
    OPERATOR_HOIST,      // a group operation moves out of a branch
    OPERATOR_SINK,       // a group operation moves into a branch
    OPERATOR_MERGE,      // one group operation replaces two, on both sides of a branch
    OPERATOR_REUSE,      // a group operation takes the result of an equal earlier one
    OPERATOR_UNIFORM,    // an index is taken from the first lane
    OPERATOR_OWN,        // a cross-lane read gives a lane its own value
    OPERATOR_BRANCH,     // all lanes follow the first one
    OPERATOR_BARRIER,    // a control barrier is removed
    OPERATOR_COUNTER,    // a loop's counter is compared in 8 bits
    OPERATOR_SPILL,      // two lanes share a value's storage
    OPERATOR_SUBWORD,    // 8 or 16 bits from other lanes are extended wrongly
    OPERATOR_PREDICATE,  // a group operation is guarded by an unrelated comparison
    OPERATOR_INACTIVE,   // inactive lanes take part in a group operation
    OPERATOR_ATOMIC,     // an atomic is executed twice, an atomic store adds
    OPERATOR_ZERO,       // zero-initialised shared memory is uninitialised
    OPERATOR_TRANSPOSE,  // a cooperative matrix is loaded with the other layout
    OPERATOR_SPLAT,      // a vector is combined with the first component of the other
    OPERATOR_MODIFIER,   // a negation, absolute value or saturation is omitted
    OPERATOR_DISTRIBUTE, // a sum's parts are divided one by one
    OPERATOR_FIELD,      // a bit field of the whole width has no bits
    OPERATOR_CARRY,      // a 64-bit sum has no carry between its halves
    OPERATOR_COUNT,
};

// Which lane runs next.
enum schedule {
    SCHEDULE_RANDOM,   // any runnable lane, for a random time
    SCHEDULE_PRIORITY, // fewest instructions executed first; `depth` random delays (delay-bounded
                       // scheduling, Emmi, Qadeer, Rakamaric, POPL 2011)
    // Exactly the promises of a progress model (docs/models/README.md), lane by lane. They use one
    // thread, and as many workgroups in flight as possible.
    SCHEDULE_FAIR,
    SCHEDULE_LOBE,
    SCHEDULE_HSA_OBE,
    SCHEDULE_HSA,
    SCHEDULE_OBE,
    SCHEDULE_NONE,
    SCHEDULE_COUNT,
};

// The consequence of an out-of-bounds access, which is reported in any case.
enum bounds {
    BOUNDS_LOST,   // the device is lost
    BOUNDS_REPORT, // loads give 0, stores do nothing, as with robustBufferAccess
    BOUNDS_CHECK,  // likewise; and lanes at a barrier that others never reach continue
    BOUNDS_COUNT,
};

// What the device says that it is.
enum face {
    FACE_COMPUTE, // what it does
    FACE_WEBGPU,  // also the graphics that implementations of WebGPU insist on; one subgroup size
};

// What to look for in shaders: schedule/check.h.
enum checks {
    CHECK_RACES = 1,
    CHECK_BOUNDS = 2,
    CHECK_UNINITIALISED = 4,
    CHECK_BARRIERS = 8,
};

#define SETTINGS_DEVICES 16
#define OPERATOR_RATE    0.1

struct settings {
    enum model model;  // model=lockstep
    uint64_t seed;     // seed=1: for the scheduler and all random choices
    uint32_t devices;  // devices=1: number of equal devices, up to SETTINGS_DEVICES, with seeds
                       // counting up
    uint32_t subgroup; // subgroup=32: invocations, a power of two from 1 to 128
    enum face face;    // as=compute
    uint32_t threads; // threads=N: cores to use, 1 to 64; default: all. With 1 the seed decides the
                      // order.
    uint32_t resident;                // resident=4: workgroups in flight per core, 1 to 64
    enum schedule schedule;           // schedule=random
    uint32_t depth;                   // depth=1: 1 to 64
    enum fault fault;                 // fault=wrong
    double rate;                      // rate=0.001: FAULT_WRONG: share of stored values, 0 to 1
    uint64_t at;                      // at=1: number of the submit or allocation, from 1
    enum bounds bounds;               // bounds=lost; of MODEL_MISCOMPILING report
    uint32_t checks;                  // check=races,bounds,uninitialised,barriers: enum checks
    double operators[OPERATOR_COUNT]; // NAME=RATE: share of an operator's sites where it acts, 0 to
                                      // 1, under MODEL_MISCOMPILING; if none is given, all are
                                      // OPERATOR_RATE
    char trace[512];  // trace=FILE: append a trace of execution; "": none. For a single device
    char counts[512]; // counts=FILE: append counts for each dispatch, likewise

    uint64_t workgroups;   // workgroups=N: execute only the first N of each dispatch; 0: all
    uint64_t instructions; // instructions=N: after N invocation-instructions in a dispatch, a core
                           // starts no more workgroups; after a quarter more the dispatch ends; 0:
                           // no limit
};

extern const char *const model_names[MODEL_COUNT];       // "lockstep", ...
extern const char *const fault_names[FAULT_COUNT];       // "wrong", ...
extern const char *const operator_names[OPERATOR_COUNT]; // "load-order", ...

// Fills `settings` with the defaults and the settings in `text` (may be NULL or empty). False if
// one is invalid: `error` is one line that names it and what is expected, without control
// characters. Pure, except for the number of cores.
bool settings_parse(const char *text, struct settings *settings, char *error, size_t size);
