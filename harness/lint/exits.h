// SPDX-License-Identifier: Apache-2.0
// Loops of SPIR-V whose exit block makes invocations diverge. NVIDIA's compiler may leave them
// without a convergence point, which makes later subgroup operations wrong. Pure; its time is
// bounded. docs/lint.md defines the shape.
#pragma once

#include "base/error.h"
#include "reduce/pass.h"

// Parts of the shape that a loop may lack; such a loop is reported only if the user asks for all.
// Every loop measured that lacked one of these was right.
enum exits_lack {
    EXITS_COUNTED = 1, // constants at its top give it at least two iterations
    EXITS_WORKING = 2, // its iterations do something
    EXITS_SILENT = 4,  // it has no group operation or barrier
    EXITS_FREE = 8,    // it has no loop control about unrolling
    EXITS_LAST = 16,   // nothing follows the selection
};

// Line numbers refer to the module.
struct exits_finding {
    size_t function;  // OpFunction
    size_t loop;      // OpLoopMerge
    size_t exit;      // branch to the leaving block
    size_t selection; // divergent branch in that block
    size_t work;      // on one of its sides; RED_NONE: they diverge twice and leave by themselves
    size_t operation; // after the loop
    unsigned lacks;   // bits of enum exits_lack
};

struct exits {
    struct exits_finding *findings; // in module order
    size_t count, loops;
};

// Expects a module with variables promoted to values and calls inlined, as spirv-opt makes it: it
// follows variables in memory less far, and calls not at all. False if it would take too long.
bool exits_find(const struct red_module *module, struct exits *exits, struct lit_error *error);
void exits_clear(struct exits *exits);
