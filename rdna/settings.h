// SPDX-License-Identifier: Apache-2.0
// The settings in LITMUS_RDNA: the GPU, then what else: "navi21,timing=late,caches=manual,seed=7".
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// When a result that a counter announces reaches its register, and a store its memory.
enum rdna_timing {
    RDNA_PROMPT, // at once
    RDNA_LATE,   // only when a wait says so; stores after a while, too
    RDNA_RANDOM, // at any step up to that, by seed
};

enum rdna_caches {
    RDNA_COHERENT, // none
    RDNA_MANUAL,   // scalar, L0 and GL1 keep their lines until they are invalidated
};

// Instructions of a wave's turn, and how long a store takes in instructions of the GPU.
enum rdna_turns {
    RDNA_SHORT, // 1 to 64; up to 512
    RDNA_LONG,  // 1 to 4096, small numbers as often as large ones: some waves run far ahead; up to
                // 16384
};

enum rdna_gpu { RDNA_NAVI21, RDNA_NAVI31, RDNA_GFX1201, RDNA_GPUS };
extern const char *const rdna_gpus[RDNA_GPUS]; // "navi21": as Mesa's drm shim names them

// A fault of tests (device/fault.h).
enum rdna_fault {
    RDNA_FAULT_NONE,
    RDNA_FAULT_WAIT,    // one wait is dropped
    RDNA_FAULT_EXEC,    // one write of exec
    RDNA_FAULT_CACHE,   // one instruction's cache bits, or one invalidation
    RDNA_FAULT_BARRIER, // one barrier
    RDNA_FAULTS
};
extern const char *const rdna_faults[RDNA_FAULTS]; // "list", which only tells programs; "wait", ...

struct rdna_settings {
    enum rdna_gpu gpu;
    enum rdna_timing timing;
    enum rdna_caches caches;
    enum rdna_turns turns;
    uint64_t seed;
    uint64_t steps; // instructions of a submission, at most
    bool lists;     // whether to tell programs and their instructions of each kind
    enum rdna_fault fault;
    uint32_t fault_program;
    unsigned fault_index;
};

// The other defaults: prompt, coherent, short, seed 1. False, with one line in `error`, if `text`
// begins with no such GPU, or has no such setting or value.
bool rdna_settings_parse(const char *text, struct rdna_settings *settings, char *error,
                         size_t error_size);
