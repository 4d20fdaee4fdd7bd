// SPDX-License-Identifier: Apache-2.0
// Inside of generate: what module.c, which writes control flow, and emit_act.c, which writes what
// is done with data, share.
#pragma once

#include "generate/lines.h"
#include "generate/module.h"

// What an operand is called: "%word", or "#5" for a constant.
struct name {
    char is[24];
};

// A function that is still to be emitted.
struct call {
    uint32_t body, loops;
};

// The ids that hold what is in the registers where the emitter is; "" where only memory has it.
struct held {
    struct name numbers[GEN_NUMBERS], truths[GEN_TRUTHS];
};

struct emit {
    const struct gen_program *program;
    const struct gen_shape *shape;
    struct gen_lines lines;
    bool callee[MASKS_DEPTH + 1]; // types of functions, by the loops around the call
    // Of the function that is being emitted.
    struct name word, lane, records, iteration[MASKS_DEPTH], block;
    struct call calls[GEN_STEPS];
    uint32_t call_count;
    uint32_t ifs, loops, switches, conditions;
    // Of programs with data.
    struct gen_places places;
    struct held held;
    struct name size, local, first, cell[2]; // of the function
    uint32_t values;
};

__attribute__((format(__printf__, 1, 2))) struct name emit_name(const char *format, ...);
// Appends a line (gen_line).
__attribute__((format(__printf__, 2, 3))) void emit_put(struct emit *e, const char *format, ...);
void emit_label(struct emit *e, struct name id);

// The registers, where the emitter is.
struct name emit_number_register(struct emit *e, uint32_t number);
struct name emit_truth_register(struct emit *e, uint32_t number);
// Bit `at` of the first word of the workgroup, or the bit that an id says.
struct name emit_group_word(struct emit *e);
// Forgets what the steps of a list assign.
void emit_forget(struct emit *e, uint32_t first);

// A step that acts, which stands where gen_places says.
void emit_act(struct emit *e, uint32_t number);
// What every function needs at its beginning; function 0 is main.
void emit_entry(struct emit *e, uint32_t function);
// At the beginning of main: what the registers and memory hold at first.
void emit_begin(struct emit *e);
// At its end: every register is stored.
void emit_end(struct emit *e);

// Appends the part of the template that depends on what the program does: 'c', capabilities and
// extensions; 'd', decorations; 't', types and variables.
void emit_declare(const struct gen_program *program, char what, struct text *text);
