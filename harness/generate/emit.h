// SPDX-License-Identifier: Apache-2.0
// Internal to generate/: shared by module.c, which writes control flow, and by emit_act.c and
// emit_array.c, which write operations on data.
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
    uint32_t function;                     // its number
    uint32_t values;
};

// Appends the variables that hold copies of arrays in a function.
void gen_declare_copies(const struct gen_program *program, uint32_t function, struct text *text);

// Appends a line (gen_line).
#define emit_put(e, ...) gen_line(&(e)->lines, __VA_ARGS__)
void emit_label(struct emit *e, struct id id);

// workgroup; acquire-release, both memories
#define EMIT_BARRIER "OpControlBarrier #2 #2 #328"
extern const char *const emit_type_ids[GEN_TYPES];
// Emits an instruction with a result, and returns its id.
__attribute__((format(__printf__, 2, 3))) struct id emit_value(struct emit *e, const char *format,
                                                               ...);
// Memory operands of a load or store of what invocations share.
const char *emit_shares(const struct emit *e, bool stores);
// The old value behind a pointer, on which an atomic operation acts.
struct id emit_atomic_on(struct emit *e, const struct gen_act *act, struct id at, struct id number);
// Four words, folded into one.
struct id emit_fold_four(struct emit *e, struct id four);

// The registers' values at the current position.
struct id emit_number_register(struct emit *e, uint32_t number);
struct id emit_truth_register(struct emit *e, uint32_t number);
// Bit `at` of the workgroup's first word, or the bit whose number an id holds.
struct id emit_group_word(struct emit *e);
// WorkgroupId, in x.
struct id emit_group_number(struct emit *e);
// SubgroupId.
struct id emit_subgroup_number(struct emit *e);
// Forgets the registers that the steps of a list assign.
void emit_forget(struct emit *e, uint32_t first);

// Emits a step with an operation, whose place allows what gen_places says.
void emit_act(struct emit *e, uint32_t number);
// An operation on vectors; on an array. Each returns the result, or "".
struct id emit_vector(struct emit *e, const struct gen_act *act);
struct id emit_array(struct emit *e, const struct gen_act *act);
// A product of cooperative matrices.
struct id emit_product(struct emit *e, const struct gen_act *act);
// Emits the first stores to arrays.
void emit_begin_arrays(struct emit *e);
// Emits the beginning of every function; function 0 is main.
void emit_entry(struct emit *e, uint32_t function);
// Emits the initialisation of registers and memory at the beginning of main.
void emit_begin(struct emit *e);
// Emits the stores of all registers at the end of main.
void emit_end(struct emit *e);
