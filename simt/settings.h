// SPDX-License-Identifier: Apache-2.0
// What LITMUS_SIMT says: which model executes, and what it is given. "model=snooping,seed=7".
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

// What a faulty device does wrong.
enum fault {
    FAULT_WRONG,      // one component of a value that is stored is wrong, at `rate`
    FAULT_LOST,       // the device is lost at submit `at`
    FAULT_HANG,       // submit `at` never ends
    FAULT_CRASH,      // the process is killed by a signal at submit `at`
    FAULT_MEMORY,     // memory allocation `at` and all later ones fail: out of device memory
    FAULT_NOTHING,    // dispatches are accepted and nothing is executed, from submit `at` on
    FAULT_PROPERTIES, // nonsense in reported properties: names with control characters, sizes of 0
    FAULT_RENDEZVOUS, // a subgroup's barrier, a memory barrier, an acquire waits for the workgroup
    FAULT_LOOPS,      // loops end after 65,535 iterations
    FAULT_REDUCTION,  // a reduction leaves out lanes by a truth value of something else
    FAULT_TORN,       // an atomic that reads and writes is a load, and later a store
    FAULT_IDS,        // LocalInvocationIndex counts y before x
    FAULT_EXITS,      // lanes that part in a block that leaves a loop stay apart behind it
    FAULT_COUNT,
};

// What a compiler does wrong, under MODEL_MISCOMPILING. docs/models/miscompiling.md says of each
// what it does to the program, and which bug it stands for.
enum operator{
    OPERATOR_LOAD_ORDER, // a load goes behind the next load
    OPERATOR_LOAD_LATE,  // a load goes behind the next store
    OPERATOR_STORE_LATE, // a store goes behind what follows it
    OPERATOR_FORWARD,    // a load takes what the invocation stored or loaded there before
    OPERATOR_MEMBER,     // a copy of a struct leaves out its last member
    OPERATOR_DEAD,       // an atomic whose result nobody uses is left out
    OPERATOR_HOIST,      // a group operation goes out of a branch
    OPERATOR_SINK,       // a group operation goes into a branch
    OPERATOR_MERGE,      // one group operation stands for two, in the two sides of a branch
    OPERATOR_REUSE,      // a group operation takes the result of an equal one before it
    OPERATOR_UNIFORM,    // an index is taken from the first lane
    OPERATOR_OWN,        // a cross-lane read gives a lane its own value
    OPERATOR_BRANCH,     // all lanes go where the first one goes
    OPERATOR_BARRIER,    // a control barrier is left out
    OPERATOR_COUNTER,    // a loop's counter is compared in 8 bits
    OPERATOR_SPILL,      // two lanes share the place where a value is kept
    OPERATOR_SUBWORD,    // what other lanes had in 8 or 16 bits is extended wrongly
    OPERATOR_PREDICATE,  // a group operation stands under a comparison that is not its own
    OPERATOR_INACTIVE,   // inactive lanes take part in a group operation
    OPERATOR_ATOMIC,     // an atomic is executed twice, an atomic store adds
    OPERATOR_ZERO,       // shared memory that begins as zeros begins as anything
    OPERATOR_TRANSPOSE,  // a cooperative matrix is loaded by the other layout
    OPERATOR_COUNT,
};

// Who runs next.
enum schedule {
    SCHEDULE_RANDOM,   // any lane that can, for a random while
    SCHEDULE_PRIORITY, // lanes keep together: who has executed the fewest instructions is next. At
                       // `depth` random times one lane is delayed for a random while (delay-bounded
                       // scheduling, Emmi, Qadeer, Rakamaric, POPL 2011).
    // What a progress model promises (docs/models/README.md) and nothing else, lane by lane. They
    // have one thread, and as many workgroups in flight as there may be.
    SCHEDULE_FAIR,
    SCHEDULE_LOBE,
    SCHEDULE_HSA_OBE,
    SCHEDULE_HSA,
    SCHEDULE_OBE,
    SCHEDULE_NONE,
    SCHEDULE_COUNT,
};

// What happens after a shader accessed memory outside what it was given. It is reported either way.
enum bounds {
    BOUNDS_LOST,   // the device is lost
    BOUNDS_REPORT, // loads give 0, stores do nothing, as robustBufferAccess has it
    BOUNDS_CHECK,  // likewise; and those at a barrier that others never reach go on
    BOUNDS_COUNT,
};

#define SETTINGS_DEVICES 16
#define OPERATOR_RATE    0.1

struct settings {
    enum model model;  // model=lockstep
    uint64_t seed;     // seed=1: of the scheduler and of everything that is drawn
    uint32_t devices;  // devices=1: how many there are, 1 to SETTINGS_DEVICES, alike but for the
                       // seed, which is one more from each to the next
    uint32_t subgroup; // subgroup=32: invocations, a power of two from 1 to 128
    uint32_t threads;  // threads=N: cores to use, 1 to 64; default: as many as there are.
                       // With 1 everything happens in an order that the seed decides.
    uint32_t resident; // resident=4: workgroups that a core has in flight, 1 to 64
    enum schedule schedule;           // schedule=random
    uint32_t depth;                   // depth=1: 1 to 64
    enum fault fault;                 // fault=wrong
    double rate;                      // rate=0.001: of FAULT_WRONG, of stored values, 0 to 1
    uint64_t at;                      // at=1: which submit or allocation, counted from 1
    enum bounds bounds;               // bounds=lost; of MODEL_MISCOMPILING report
    double operators[OPERATOR_COUNT]; // NAME=RATE: the share of the places where the operator could
                                      // act in which it does, 0 to 1. Only with MODEL_MISCOMPILING;
                                      // where none is given each is OPERATOR_RATE
    char trace[512];  // trace=FILE: what was executed is appended there; "" for none.
                      // Of one device alone
    char counts[512]; // counts=FILE: likewise, how much of it each dispatch did

    uint64_t workgroups;   // workgroups=N: of each dispatch the first N alone are executed; 0: all
    uint64_t instructions; // instructions=N: no workgroup of a dispatch begins on a core that has
                           // executed N for it, each invocation counted, and the dispatch ends
                           // after a quarter more; 0: no limit
};

extern const char *const model_names[MODEL_COUNT];       // "lockstep", ...
extern const char *const fault_names[FAULT_COUNT];       // "wrong", ...
extern const char *const operator_names[OPERATOR_COUNT]; // "load-order", ...

// Fills `settings` with the defaults and what `text` (may be NULL or empty) says. False if a
// setting is wrong: `error` then has one line that names what is wrong and what would be right,
// free of control characters. Pure but for the number of cores.
bool settings_parse(const char *text, struct settings *settings, char *error, size_t size);
