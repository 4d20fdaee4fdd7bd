// SPDX-License-Identifier: Apache-2.0
// Shared by the files of program/ while compiling. Functions that can fail report an error before
// they return false (or 0, or NULL); callers just pass that on.
#pragma once

#include "program/instructions.h"
#include "program/address.h"
#include "program/program.h"

#define PROGRAM_CELLS_MAX   (1u << 20)
#define PROGRAM_INSNS_MAX   (1u << 20)
#define PROGRAM_EXTRA_MAX   (1u << 22)
#define PROGRAM_REGIONS_MAX (1u << 16)
#define COPY_MAX            255 // cells copied by one instruction

// An instruction of the module.
struct op {
    const uint32_t *words; // its own
    const uint32_t *operands;
    uint32_t at, opcode, count; // count of words
    uint32_t operand_count;
    uint32_t type, result; // ids; 0 if absent
};

// Compile-time knowledge of a pointer. All zeros: nothing.
struct pointer {
    bool known;             // `value` is its constant cell or address
    uint64_t value;         // POINTER_BAD: an index is out of bounds
    uint32_t variable;      // id of the global variable that it points into, or 0
    bool coherent;          // the variable or a member on the way is Coherent or Volatile
    bool row_major;         // layout of matrices it points to
    uint32_t matrix_stride; // bytes, of those matrices; 0: unknown
    uint32_t vector_stride; // bytes between components of a column of a row-major matrix; else 0
    uint64_t array_stride;  // bytes between elements of the array that it points into; 0: unknown
};

// Compiler data of an id. Numbers are stored + 1: 0 is none.
struct slot {
    uint32_t cell;    // first cell
    uint32_t value;   // constants: index into `values`
    uint32_t pointer; // index into `pointers`
    uint32_t index;   // labels: block; functions: body; resources: resource
    uint32_t list;    // types: layouts; labels: incoming edges
    uint32_t phi;     // labels: word of the last phi with an entry for it (not + 1)
    uint32_t entry;   // labels: value of that entry
    bool merged;      // labels: some merge block
};

// A reachable function.
struct body {
    uint32_t id, at, end; // words of OpFunction and OpFunctionEnd
    uint32_t cell;        // of the return value; CELL_NONE for void
    uint32_t depth;       // longest call chain below it
    // During the search for functions: where it continues, the first caller, and when it finished.
    uint32_t scan, caller, finish;
};

// A type's pieces in memory: extra[first .. first + count * PIECE_WORDS - 1].
struct layout {
    uint32_t first, count;
    struct pointer pointer; // with the strides it was made for
    bool explicit_layout;
    uint32_t next; // index + 1 of the type's next layout
};

// To find an edge when decoding phis.
struct edge_note {
    uint32_t from; // label
    uint32_t next; // index + 1 of the next edge to the same block
};

struct compiler {
    struct module *module;
    struct program *program;
    const struct program_options *options;
    char *error;
    size_t error_size;
    bool failed;

    struct slot *slots; // [bound]
    // Constants are evaluated here, and get cells on first use. During evaluation (`evaluating`)
    // this is the register file of one lane, and cells are its indices.
    uint64_t *values;
    uint32_t value_count;
    bool evaluating;
    bool sized; // module_specialise has been called

    struct pointer *pointers;
    uint32_t pointer_count;
    struct layout *layouts;
    uint32_t layout_count;
    struct edge_note *edge_notes;
    struct body *bodies; // callers before callees
    uint32_t body_count;
    const struct body *body; // currently decoded
    uint32_t block;          // currently decoded
    bool stores_anywhere;    // some store uses a pointer of unknown origin

    uint32_t value_capacity, pointer_capacity, layout_capacity, edge_capacity, note_capacity,
        body_capacity, insn_capacity, block_capacity, move_capacity, extra_capacity,
        constant_capacity, wrapped_capacity, initial_capacity, undefined_capacity, builtin_capacity,
        resource_capacity, zero_capacity, line_capacity;
};

// How an instruction is decoded. `operands` describes what follows the opcode, one letter each:
//   =  result type and result
//   i  id of a value           x  any other id         l  literal number
//   g  group operation         v  packed vector format
//   e  number of an extended instruction
//   S L F  selection control, loop control, function control
//   m  memory operands         o  image operands
//   c  storage class        w  literals and labels of a switch
//   *  repeats the letter before up to the end
//   ?  the rest is optional
// With `select`, the values are the operands of the selected instruction.
typedef bool decode_op(struct compiler *c, const struct op *op);
struct form {
    uint16_t opcode;
    bool constant; // allowed in OpSpecConstantOp
    const char *operands;
    insn_select *select;
    decode_op *decode;
};

// compile.c
__attribute__((format(__printf__, 3, 4))) bool compile_fail(struct compiler *c, const struct op *op,
                                                            const char *format, ...);
// Makes room for `more` elements of `size` bytes after `count`; at most `limit` in all.
bool compile_room(struct compiler *c, void *array, uint32_t count, uint32_t more,
                  uint32_t *capacity, size_t size, uint32_t limit);
#define COMPILE_ROOM(c, array, count, more, capacity, limit)                                       \
    compile_room(c, &(array), count, more, &(c)->capacity, sizeof *(array), limit)
bool compile_read(struct compiler *c, uint32_t at, struct op *op); // the instruction at a word
bool compile_new_cells(struct compiler *c, uint32_t count, uint32_t *cell);
bool compile_extra(struct compiler *c, uint32_t count, uint32_t *first); // room in program->extra
// Appends an instruction derived from `op`; executes it when evaluating constants.
bool compile_emit(struct compiler *c, const struct op *op, struct insn insn);
bool compile_copy(struct compiler *c, const struct op *op, uint32_t to, uint32_t from,
                  uint32_t count);
bool compile_preset(struct compiler *c, uint32_t cell, uint64_t value); // in program->constants

// check.c
bool check_length(struct compiler *c, const struct op *op, uint32_t least, uint32_t most);
// Checks a value that `op` uses; returns its type, which has cells, or 0.
uint32_t check_value(struct compiler *c, const struct op *op, uint32_t id);
// The type of op's result, which must have cells; 0 on error.
uint32_t check_result(struct compiler *c, const struct op *op);
bool check_same_type(struct compiler *c, const struct op *op, uint32_t type, uint32_t other);
// A 32-bit integer: a scope or semantics.
bool check_word(struct compiler *c, const struct op *op, uint32_t id);
struct shape check_shape(const struct compiler *c, uint32_t type);
uint32_t check_cells(const struct compiler *c, uint32_t type); // scalars in a value; 0: none
bool check_in_register(SpvStorageClass storage);               // pointers are numbers of cells

// The first cell of a checked value. Gives constants and known pointers a preset cell, and reserves
// cells for values not yet defined.
bool value_cell(struct compiler *c, uint32_t id, uint32_t *cell);
bool value_result(struct compiler *c, const struct op *op, uint32_t *cell); // of op's result
void value_alias(struct compiler *c, uint32_t id, uint32_t cell); // gives it these cells for good
// A constant's scalar, zero-extended; false if the id is no evaluated constant.
bool value_constant(const struct compiler *c, uint32_t id, uint32_t index, uint64_t *value);
bool value_integer(const struct compiler *c, uint32_t id, int64_t *value); // by its signedness

// constants.c
bool constants_evaluate(struct compiler *c); // all of the module's, and the lengths of arrays
bool constants_local_size(struct compiler *c);

// variables.c
// Compile-time knowledge of a checked pointer; instantiates global variables on first use.
bool variables_pointer(struct compiler *c, uint32_t id, struct pointer *pointer);
bool variables_note(struct compiler *c, uint32_t id, struct pointer pointer);
bool variables_local(struct compiler *c, const struct op *op); // OpVariable in a function
void variables_written(struct compiler *c, const struct pointer *pointer, SpvStorageClass storage);
void variables_finish(struct compiler *c);

// function.c, flow.c
bool function_find_all(struct compiler *c);
bool function_decode(struct compiler *c, const struct body *body);
decode_op function_call, function_parameter;
decode_op flow_branch, flow_branch_conditional, flow_switch, flow_return, flow_return_value,
    flow_end, flow_unreachable, flow_merge, flow_phi;
bool flow_label(struct compiler *c, const struct op *op);
bool flow_moves(struct compiler *c, const struct body *body);
bool flow_is_terminator(uint32_t opcode);

// decode.c, extended.c
struct decoded {
    struct insn_shape shape; // without the result
    uint32_t cell[SHAPE_OPERANDS_MAX];
};
const struct form *decode_form(uint32_t opcode); // NULL: not supported
bool decode(struct compiler *c, const struct op *op);
bool decode_operands(struct compiler *c, const struct op *op, const char *letters,
                     struct decoded *decoded);
// Fills in the instruction's operands and function.
bool decode_selected(struct compiler *c, const struct op *op, insn_select *select,
                     struct decoded *decoded, struct insn *insn);
bool decode_pair_fits(struct compiler *c, const struct op *op, uint32_t first,
                      const struct shape *second);
// The default: values and literals, and a result if the table says so.
decode_op decode_usual;
decode_op decode_barrier, decode_extended;
bool extended_is_skipped(const struct compiler *c, const struct op *op); // of OpExtInst

// access.c, atomic.c: parsed memory operands; NULL: none
struct access_operands {
    uint32_t mask;
    uint32_t available, visible; // scopes
};
decode_op access_load, access_store, access_copy_memory, access_array_length, access_atomic,
    access_convert_pointer;
// Copies between cells and the memory or registers behind a checked pointer.
bool access_read(struct compiler *c, const struct op *op, uint32_t pointer, uint32_t cell,
                 const struct access_operands *operands);
bool access_write(struct compiler *c, const struct op *op, uint32_t pointer, uint32_t cell,
                  const struct access_operands *operands);
// Whether stores are allowed there; records them.
bool access_may_store(struct compiler *c, const struct op *op, uint32_t pointer);

// Flags and scope of a load or store through op's first operand, a pointer to memory; memory
// operands, if any, start at operand `at`.
bool access_order(struct compiler *c, const struct op *op, uint32_t at, bool is_store,
                  struct insn *insn);

// The same from parsed operands, which may be NULL, of an access to memory `at`.
void access_set_order(const struct compiler *c, const struct pointer *at, uint32_t type,
                      const struct access_operands *operands, bool is_store, struct insn *insn);
// A scope operand number `*at`, a constant, which is advanced.
bool access_scope(struct compiler *c, const struct op *op, uint32_t *at, uint32_t *scope);

// image.c
bool image_load(struct compiler *c, const struct op *op, const struct pointer *at); // OpLoad
decode_op image_texel_pointer, image_read, image_write, image_query_size;

// cooperative.c
decode_op cooperative_load, cooperative_store, cooperative_multiply_add, cooperative_length;
// Operations applied to each component of a matrix: `select` chooses the vector version.
bool cooperative_by_component(struct compiler *c, const struct op *op, insn_select *select,
                              const struct decoded *decoded, uint32_t result);

// chain.c
decode_op chain_access, chain_pointer_access, chain_pointer_difference;

// layout.c: offsets in memory. `at` is a pointer to the composite, and is advanced to the part.
bool layout_is_explicit(SpvStorageClass storage);
bool layout_member(struct compiler *c, const struct op *op, uint32_t type, uint32_t index,
                   bool explicit_layout, struct pointer *at, uint64_t *offset);
bool layout_stride(struct compiler *c, const struct op *op, uint32_t type, bool explicit_layout,
                   struct pointer *at, uint64_t *stride); // of anything else that has elements
bool layout_pieces(struct compiler *c, const struct op *op, uint32_t type, const struct pointer *at,
                   bool explicit_layout, uint32_t *first, uint32_t *count);
// A part of a composite: its type and first cell. False, without an error, if it does not exist.
bool layout_part(const struct compiler *c, uint32_t type, uint32_t index, uint32_t *part,
                 uint32_t *cell);

// compose.c
decode_op compose_op_extract, compose_op_insert, compose_op_construct, compose_op_shuffle,
    compose_op_transpose, compose_op_alias, compose_op_copy_logical, compose_op_undefined,
    compose_op_extract_dynamic, compose_op_insert_dynamic;
// Handles consecutive cells of a type's scalars, one width at a time.
typedef bool compose_take(struct compiler *c, const struct op *op,
                          const struct undefined_cells *run);
bool compose_runs(struct compiler *c, const struct op *op, uint32_t type, uint32_t cell,
                  compose_take *take);

// listing.c
bool listing_write(struct compiler *c);
extern const char *const listing_extended_names[]; // of GLSL.std.450
extern const uint32_t listing_extended_count;
