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
    EXITS_LATER = 1,    // a round need not come to the exit
    EXITS_COUNTED = 2,  // the loop has another exit, whose last round no constant says
    EXITS_RESTORED = 4, // another loop stands before the subgroup operation
    EXITS_EMPTY = 8,    // the rounds do nothing but count
};

// Lines are those of the module.
struct exits_finding {
    size_t function;  // OpFunction
    size_t loop;      // OpLoopMerge
    size_t exit;      // the branch to the block that leaves
    size_t selection; // the branch there at which invocations part
    size_t work;      // what one side of it does; RED_NONE: both leave the loop, each by itself
    size_t operation; // behind the loop
    unsigned lacks;   // of enum exits_lack
};

struct exits {
    struct exits_finding *findings; // in the order of the module
    size_t count, loops;
};

// Of a module whose variables are values where they can be, as spirv-opt makes them: variables in
// memory are followed less far. False if it would take too long.
bool exits_find(const struct red_module *module, struct exits *exits, struct lit_error *error);
void exits_clear(struct exits *exits);

// --- Private to harness/lint/

#define EXITS_NONE SIZE_MAX

struct exits_block {
    size_t begin, behind; // lines: its label, and the one behind its last
    size_t function;      // line
    size_t merge;         // block: of the construct that it is the header of; EXITS_NONE
    size_t header;        // block: of the selection that it is the merge block of; EXITS_NONE
    bool loop;            // it is the header of one
    size_t *next;         // blocks
    size_t count;
};

// A loop that can come to a second round.
struct exits_loop {
    size_t at, header, merge; // the line of its OpLoopMerge; blocks
    bool *inside, *again; // of each block: it is reached in the loop; another round can come behind
};

// What decorations say of an id.
enum exits_mark {
    EXITS_READ_ONLY = 1,
    EXITS_SHARED = 2, // Coherent, Volatile
    EXITS_BLOCK = 4,  // BufferBlock
    EXITS_COMMON = 8, // a built-in variable that is the same for all of a subgroup
};

struct exits_graph {
    const struct red_module *module;
    struct exits_block *blocks;
    struct exits_loop *loops;
    size_t count, loop_count;
    size_t *of;     // the block of each line; EXITS_NONE outside of functions
    uint8_t *marks; // of each id: of enum exits_mark
    bool *differs;  // of each id: it may differ between the invocations of a subgroup
    // By exits_change of each id in one loop, and 1 more; 0: not asked yet.
    uint8_t *changes;
    const struct exits_loop *changing;
    uint64_t work; // steps, of which there are not to be too many
};

void exits_graph_make(const struct red_module *module, struct exits_graph *graph);
void exits_graph_clear(struct exits_graph *graph);
bool exits_is_over(const struct exits_graph *graph); // it takes too long
// Marks the blocks that are reached from one, which is one of them, without the two others.
void exits_reach(struct exits_graph *graph, size_t from, size_t without, size_t other, bool *found);
// The condition of a block's branch or switch, an id; 0: it has none.
uint32_t exits_condition(const struct exits_graph *graph, size_t block);

// Fills graph->differs.
void exits_compare(struct exits_graph *graph);

enum exits_change {
    EXITS_SAME,    // one value in all rounds, as far as a compiler can tell
    EXITS_COUNTS,  // made of constants and of what the loop counts
    EXITS_CHANGES, // anything else
};
enum exits_change exits_change(struct exits_graph *graph, const struct exits_loop *loop,
                               uint32_t id);

bool exits_is_group(uint32_t opcode);  // an operation of the subgroup or workgroup, no barrier
bool exits_is_atomic(uint32_t opcode); // of memory
SpvStorageClass exits_storage(const struct red_module *module, uint32_t pointer); // ...Max: none
bool exits_is_buffer(const struct exits_graph *graph, uint32_t pointer); // that can be written
