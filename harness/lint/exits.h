// SPDX-License-Identifier: Apache-2.0
// Loops of SPIR-V that invocations leave by a block in which they part: what NVIDIA's compiler
// leaves without a convergence point, so that subgroup operations behind the loop are wrong. Pure;
// the time is bounded. docs/lint.md says what is found.
#pragma once

#include "base/error.h"
#include "reduce/pass.h"

// What of the shape a loop may lack, and is mentioned then only where all is asked for. Each of
// these was right wherever it was measured.
enum exits_lack {
    EXITS_COUNTED = 1, // constants say at its top that it has two rounds or more
    EXITS_WORKING = 2, // its rounds do something
    EXITS_SILENT = 4,  // it has no operation or barrier of a group
    EXITS_FREE = 8,    // it has no loop control that says whether it is unrolled
    EXITS_LAST = 16,   // nothing stands behind the selection
};

// Lines are those of the module.
struct exits_finding {
    size_t function;  // OpFunction
    size_t loop;      // OpLoopMerge
    size_t exit;      // the branch to the block that leaves
    size_t selection; // the branch there at which invocations part
    size_t work; // what one side of it does; RED_NONE: they part twice, and leave by themselves
    size_t operation; // behind the loop
    unsigned lacks;   // of enum exits_lack
};

struct exits {
    struct exits_finding *findings; // in the order of the module
    size_t count, loops;
};

// Of a module whose variables are values where they can be, and which has no calls, as spirv-opt
// makes it: variables in memory are followed less far, and calls are not. False if it would take
// too long.
bool exits_find(const struct red_module *module, struct exits *exits, struct lit_error *error);
void exits_clear(struct exits *exits);

// --- Private to harness/lint/

#define EXITS_NONE SIZE_MAX

struct exits_block {
    size_t begin, behind; // lines: its label, and the one behind its last
    size_t function;      // line
    size_t merge;         // block: of the construct that it is the header of; EXITS_NONE
    size_t header;        // block: of the selection that it is the merge block of; EXITS_NONE
    size_t loop;          // line: its OpLoopMerge; 0
    size_t *next;         // blocks
    size_t count;
};

// A loop that can come to a second round.
struct exits_loop {
    size_t header, merge; // blocks
    bool *inside, *again; // of each block: it is reached in the loop; another round can come behind
};

// What an id depends on.
enum exits_trait {
    EXITS_DIFFERS = 1, // on what may differ between the invocations of a subgroup
    EXITS_GIVEN = 2,   // on what is loaded or given when the shader runs
    EXITS_COMMON = 4,  // it is a built-in variable that is the same for all of a subgroup
};

struct exits_graph {
    const struct red_module *module;
    struct exits_block *blocks;
    struct exits_loop *loops;
    size_t count, loop_count;
    size_t *of;      // the block of each line; EXITS_NONE outside of functions
    uint8_t *traits; // of each id: of enum exits_trait
    uint64_t work;   // steps taken so far; exits_is_over bounds them
};

void exits_graph_make(const struct red_module *module, struct exits_graph *graph);
void exits_graph_clear(struct exits_graph *graph);
bool exits_is_over(const struct exits_graph *graph); // it takes too long
// Marks the blocks that are reached from one, which is one of them, without the two others.
void exits_reach(struct exits_graph *graph, size_t from, size_t without, size_t other, bool *found);
bool exits_leads_to(const struct exits_graph *graph, size_t from, size_t block);
// The condition of a block's branch or switch, an id; 0: it has none.
uint32_t exits_condition(const struct exits_graph *graph, size_t block);

void exits_compare(struct exits_graph *graph); // fills graph->traits

bool exits_is_group(uint32_t opcode);  // an operation of the subgroup or workgroup, no barrier
bool exits_is_atomic(uint32_t opcode); // of memory
SpvStorageClass exits_storage(const struct red_module *module, uint32_t pointer); // ...Max: none
bool exits_is_private(const struct red_module *module, uint32_t pointer); // to an invocation's own
// Whether a loop that goes on while its counter compares so with a constant has one round at most.
bool exits_is_once(const struct exits_graph *graph, const struct exits_loop *loop, size_t block);
