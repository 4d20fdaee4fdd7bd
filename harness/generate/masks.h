// SPDX-License-Identifier: Apache-2.0
// Which invocations execute an instruction together: a simulator of structured control flow for any
// number of lanes. A shape is a tree of steps; the simulator walks it once for a whole workgroup
// and says, for each lane and each place where the lane looked around, which mask is prescribed and
// which masks are allowed. It knows three rules:
//
//  MASKS_MAXIMAL           SPV_KHR_maximal_reconvergence. Invocations that diverged reconverge
//                          at the merge block of the selection or loop that they entered together,
//                          at the continue target of each iteration and after a call, and nowhere
//                          else. One mask is right, but for OpSwitch: invocations with different
//                          selectors that reach the same case may be one tangle or several.
//  MASKS_SUBGROUP_UNIFORM  SPV_KHR_subgroup_uniform_control_flow. If all of a subgroup entered a
//                          selection or loop together and all left it by its merge block, they are
//                          together at the merge block.
//  MASKS_DEFAULT           SPIR-V 2.2.5, "Uniform Control Flow": the same, for the whole workgroup
//                          only.
//
// What the two weaker rules demand: invocations that were together stay together "as long as they
// follow the same control-flow path" (2.2.5, "Dynamic Instance"). So the lower bound of a mask is
// the set of lanes that took the same way since the last place where the rule brought them
// together. What they allow: invocations that went different ways may resume together where they
// reach the same instruction, in whatever iteration, because without maximal reconvergence a
// compiler may interleave iterations, or take the block that leaves a loop to lie behind the loop.
// So the upper bound is the set of lanes of the subgroup that ever execute this instruction.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MASKS_LANES 1024 // of a workgroup
#define MASKS_DEPTH 2    // loops within loops

enum masks_rule { MASKS_DEFAULT, MASKS_SUBGROUP_UNIFORM, MASKS_MAXIMAL };

// What a condition may look at.
struct masks_lane {
    uint32_t lane;     // within its subgroup
    uint32_t subgroup; // invocations in a subgroup
    uint32_t word;     // the lane's input word
    uint32_t first;    // the lowest lane of its tangle: the one that OpGroupNonUniformElect elects
    uint32_t first_word;             // that lane's input word
    uint32_t iteration[MASKS_DEPTH]; // of the loops around, outermost first
    uint32_t tangle[4];              // the lanes of its tangle, as a mask
    const uint32_t *words;           // the input words of all lanes of its subgroup
    uint32_t argument;               // of the step that asks
    uint32_t group_word;             // the input word of its workgroup's first invocation
    const uint32_t *numbers;         // its registers, if the shape has any,
    uint32_t truths;                 // and Boolean ones
};

typedef uint32_t masks_choice(const struct masks_lane *lane);

enum masks_kind {
    MASKS_END, // ends a list of steps
    MASKS_IF,
    MASKS_WHILE, // tested before the body; without a condition it continues until all have left
    MASKS_DO,    // tested after the continue construct
    MASKS_SWITCH,
    MASKS_CASE,
    MASKS_CALL,
    MASKS_BREAK,
    MASKS_CONTINUE,
    MASKS_RETURN,
    MASKS_LOOK,       // store the ballot of true
    MASKS_ELECT,      // store 255 if elected, else 240
    MASKS_BREAK_LOOP, // leave the loop, also out of a switch inside it, which MASKS_BREAK leaves
    MASKS_NUMBER,     // store the iteration of the innermost loop in the record's first word
    MASKS_ACT,        // what the shape's `act` does
};

struct masks_step {
    enum masks_kind kind;
    masks_choice *choose;           // IF, WHILE, DO: not 0 is yes. SWITCH: the selector
    uint32_t argument;              // what `choose` gets of this step
    const struct masks_step *body;  // IF: if so; WHILE, DO: body; SWITCH: its cases; CASE; CALL
    const struct masks_step *other; // IF: if not; WHILE, DO: the continue construct
    const char *name;               // LOOK, ELECT, NUMBER: what this place is called
    uint32_t value;                 // CASE: the selector
    bool is_default;                // CASE: takes all other selectors; must be the last
    bool falls;                     // CASE: falls through into the next
    uint32_t slot, by[MASKS_DEPTH]; // LOOK, ELECT: stored at slot + sum of iteration[d] * by[d]
    uint32_t count;                 // LOOK, ELECT, NUMBER: slots that belong to this place
    uint32_t wrap;                  // LOOK: not 0: that sum counts modulo this
};

// A shape. Its slots are numbered from 0. Lanes may have registers, lane after lane, which only
// `act` changes: it is called for each ACT with who executes it, bit i of words of 64: lane i.
struct masks_shape {
    const struct masks_step *steps;
    uint32_t slots;
    uint32_t *numbers, *truths;
    uint32_t number_count; // of each lane
    void (*act)(const struct masks_step *step, const uint64_t *here, const uint32_t *iteration,
                void *user);
    void *user;
};

// What one lane may store in one slot: masks of the lane's subgroup, as four words.
struct masks_cell {
    bool executed; // if not, the rest is 0 and the slot stays as it was
    uint32_t want[4], alternative[4];
    // Of MASKS_MAXIMAL: ~0 and 0, nothing beside the two is allowed; but where a case is reached by
    // more than two selectors, any of which may join: the lane's own, and all.
    uint32_t lower[4], upper[4];
};

// Simulates one workgroup of `lanes` invocations in full subgroups of `subgroup`; words[lane] is a
// lane's input. Fills cells[lane * shape->slots + slot]. A slot that a lane stores several times
// holds the last. The tangle that a condition may look at (`first`, `tangle`) is that of maximal
// reconvergence: a shape may choose by it under the weaker rules only where these demand the same
// tangle.
void masks_simulate(const struct masks_shape *shape, enum masks_rule rule, uint32_t lanes,
                    uint32_t subgroup, const uint32_t *words, struct masks_cell *cells);

// Names the place that a slot belongs to, "B, iteration 3", at most `size` bytes.
void masks_describe(const struct masks_shape *shape, uint32_t slot, char *text, size_t size);
