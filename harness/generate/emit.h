// SPDX-License-Identifier: Apache-2.0
// Internal to generate/: shared by module.c, which writes control flow, and emit_act.c, which
// writes operations on data.
#pragma once

#include "generate/lines.h"
#include "generate/module.h"

// A function yet to be emitted.
struct call {
    uint32_t body, loops;
};

// The ids that hold the registers' values at the current position; "" if only memory does.
struct held {
    struct id numbers[GEN_NUMBERS], truths[GEN_TRUTHS];
};

struct emit {
    const struct gen_program *program;
    const struct gen_shape *shape;
    struct gen_lines lines;
    bool callee[MASKS_DEPTH + 1]; // function types in use, by the number of loops around the call
    // The function being emitted.
    struct id word, lane, records, iteration[MASKS_DEPTH], block;
    struct call calls[GEN_STEPS];
    uint32_t call_count;
    uint32_t ifs, loops, switches, conditions;
    // Programs with data only.
    struct gen_places places;
    struct held held;
    struct id size, local, first, cell[2]; // in the current function
    uint32_t values;
};

// Appends a line (gen_line).
#define emit_put(e, ...) gen_line(&(e)->lines, __VA_ARGS__)
void emit_label(struct emit *e, struct id id);

// The registers' values at the current position.
struct id emit_number_register(struct emit *e, uint32_t number);
struct id emit_truth_register(struct emit *e, uint32_t number);
// Bit `at` of the workgroup's first word, or the bit whose number an id holds.
struct id emit_group_word(struct emit *e);
// SubgroupId.
struct id emit_subgroup_number(struct emit *e);
// Forgets the registers that the steps of a list assign.
void emit_forget(struct emit *e, uint32_t first);

// Emits a step with an operation, whose place allows what gen_places says.
void emit_act(struct emit *e, uint32_t number);
// Emits the beginning of every function; function 0 is main.
void emit_entry(struct emit *e, uint32_t function);
// Emits the initialisation of registers and memory at the beginning of main.
void emit_begin(struct emit *e);
// Emits the stores of all registers at the end of main.
void emit_end(struct emit *e);
