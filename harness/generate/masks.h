// SPDX-License-Identifier: Apache-2.0
// Which invocations execute an instruction together: a simulator of structured control flow for any
// number of lanes. A shape is a tree of steps. The simulator walks it once for a whole workgroup
// and computes, for each lane and each place where it looked around, the prescribed mask and the
// allowed masks. It knows three rules:
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
// The weaker rules demand that invocations that were together stay together "as long as they follow
// the same control-flow path" (2.2.5, "Dynamic Instance"). So a mask's lower bound is the set of
// lanes that took the same path since the rule last brought them together. They allow invocations
// on different paths to resume together wherever they reach the same instruction, in any iteration,
// because without maximal reconvergence a compiler may interleave iterations, or move a block that
// leaves a loop behind the loop. So the upper bound is the set of the subgroup's lanes that ever
// execute the instruction.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MASKS_LANES 1024 // per workgroup
#define MASKS_DEPTH 2    // nested loops

enum masks_rule { MASKS_DEFAULT, MASKS_SUBGROUP_UNIFORM, MASKS_MAXIMAL };

// Inputs to a condition.
struct masks_lane {
    uint32_t lane;       // within its subgroup
    uint32_t subgroup;   // invocations in a subgroup
    uint32_t word;       // the lane's input word
    uint32_t first;      // the lowest lane of its tangle, which OpGroupNonUniformElect elects
    uint32_t first_word; // that lane's input word
    uint32_t iteration[MASKS_DEPTH]; // of the enclosing loops, outermost first
    uint32_t tangle[4];              // the lanes of its tangle, as a mask
    const uint32_t *words;           // the input words of all lanes of its subgroup
    uint32_t argument;               // the step's argument
    uint32_t group_word;             // the input word of its workgroup's first invocation
    uint32_t ordinal;                // the number of its subgroup in the workgroup
    const uint32_t *numbers;         // its registers, if the shape has any
    uint32_t truths;                 // and Boolean registers
};

typedef uint32_t masks_choice(const struct masks_lane *lane);

enum masks_kind {
    MASKS_END, // end of a list of steps
    MASKS_IF,
    MASKS_WHILE, // tested before the body; without a condition, loops until all have left
    MASKS_DO,    // tested after the continue construct
    MASKS_SWITCH,
    MASKS_CASE,
    MASKS_CALL,
    MASKS_BREAK,
    MASKS_CONTINUE,
    MASKS_RETURN,
    MASKS_LOOK,       // store the ballot of true
    MASKS_ELECT,      // store 255 if elected, else 240
    MASKS_BREAK_LOOP, // leaves the loop, even from a switch inside it, unlike MASKS_BREAK
    MASKS_NUMBER,     // stores the iteration of the innermost loop in the record's first word
    MASKS_ACT,        // calls the shape's `act`
};

struct masks_step {
    enum masks_kind kind;
    masks_choice *choose;           // IF, WHILE, DO: nonzero means yes. SWITCH: selector
    uint32_t argument;              // passed to `choose`
    const struct masks_step *body;  // IF: then; WHILE, DO: body; SWITCH: cases; CASE; CALL
    const struct masks_step *other; // IF: else; WHILE, DO: continue construct
    const char *name;               // LOOK, ELECT, NUMBER: the place's name
    uint32_t value;                 // CASE: the selector
    bool is_default;                // CASE: takes all other selectors; must be last
    bool falls;                     // CASE: falls through to the next
    uint32_t slot, by[MASKS_DEPTH]; // LOOK, ELECT: stored at slot + sum of iteration[d] * by[d]
    uint32_t count;                 // LOOK, ELECT, NUMBER: number of the place's slots
    uint32_t wrap;                  // LOOK: if nonzero, the sum is taken modulo this
};

// A shape. Its slots are numbered from 0. Lanes may have registers, stored lane after lane, which
// only `act` changes: it is called for each ACT with the executing lanes, bit i of an array of
// 64-bit words for lane i.
struct masks_shape {
    const struct masks_step *steps;
    uint32_t slots;
    uint32_t *numbers, *truths;
    uint32_t number_count; // per lane
    void (*act)(const struct masks_step *step, const uint64_t *here, const uint32_t *iteration,
                void *user);
    void *user;
};

// What a lane may store in a slot: masks of its subgroup, as four words.
struct masks_cell {
    bool executed; // if false, all else is 0 and the slot keeps its content
    uint32_t want[4], alternative[4];
    // For MASKS_MAXIMAL: ~0 and 0, since nothing else is allowed; except in a case reached by more
    // than two selectors, where any may join: the lane's own mask, and all lanes.
    uint32_t lower[4], upper[4];
};

// Simulates a workgroup of `lanes` invocations in full subgroups of `subgroup`; words[lane] is a
// lane's input. Fills cells[lane * shape->slots + slot]. A slot that a lane stores several times
// holds the last value. Conditions see the tangle of maximal reconvergence (`first`, `tangle`):
// under the weaker rules, a shape may use it only where they demand the same tangle.
void masks_simulate(const struct masks_shape *shape, enum masks_rule rule, uint32_t lanes,
                    uint32_t subgroup, const uint32_t *words, struct masks_cell *cells);

// Writes the name of a slot's place, "B, iteration 3", in at most `size` bytes.
void masks_describe(const struct masks_shape *shape, uint32_t slot, char *text, size_t size);
