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

// --- Private to harness/lint/

#define EXITS_NONE SIZE_MAX

struct exits_block {
    size_t begin, behind; // lines: its label; one past its last
    size_t function;      // line
    size_t merge;         // block: merge block of its construct; EXITS_NONE
    size_t header;        // block: header of the selection that it merges; EXITS_NONE
    size_t loop;          // line of its OpLoopMerge; 0
    size_t *next;         // blocks
    size_t count;
};

// A loop that can have a second iteration.
struct exits_loop {
    size_t header, merge; // blocks
    bool *inside, *again; // per block: in the loop; another iteration can follow
};

// What an id depends on.
enum exits_trait {
    EXITS_DIFFERS = 1, // on values that may differ within a subgroup
    EXITS_GIVEN = 2,   // on values loaded or given at run time
    EXITS_COMMON = 4,  // a built-in variable that is uniform within a subgroup
};

struct exits_graph {
    const struct red_module *module;
    struct exits_block *blocks;
    struct exits_loop *loops;
    size_t count, loop_count;
    size_t *of;      // each line's block; EXITS_NONE outside of functions
    uint8_t *traits; // per id: bits of enum exits_trait
    uint64_t work;   // steps so far; exits_is_over bounds them
};

void exits_graph_make(const struct red_module *module, struct exits_graph *graph);
void exits_graph_clear(struct exits_graph *graph);
bool exits_is_over(const struct exits_graph *graph); // it takes too long
// Marks the blocks reachable from `from`, inclusive, without passing the other two.
void exits_reach(struct exits_graph *graph, size_t from, size_t without, size_t other, bool *found);
bool exits_leads_to(const struct exits_graph *graph, size_t from, size_t block);
// The id of the condition of a block's branch or switch; 0: none.
uint32_t exits_condition(const struct exits_graph *graph, size_t block);

void exits_compare(struct exits_graph *graph); // fills graph->traits

bool exits_is_group(uint32_t opcode);  // operation of a subgroup or workgroup, not a barrier
bool exits_is_atomic(uint32_t opcode); // on memory
SpvStorageClass exits_storage(const struct red_module *module, uint32_t pointer); // ...Max: none
bool exits_is_private(const struct red_module *module, uint32_t pointer);         // to own memory
// Whether a loop whose counter is compared with a constant has at most one iteration.
bool exits_is_once(const struct exits_graph *graph, const struct exits_loop *loop, size_t block);
