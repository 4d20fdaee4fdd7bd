// SPDX-License-Identifier: Apache-2.0
// What the files of program/ share while a module is compiled. Functions that can fail return false
// (or 0, or NULL) after they have written the error; the caller only passes that on.
#pragma once

#include "program/instructions.h"
#include "program/address.h"
#include "program/program.h"

#define PROGRAM_CELLS_MAX   (1u << 20)
#define PROGRAM_INSNS_MAX   (1u << 20)
#define PROGRAM_EXTRA_MAX   (1u << 22)
#define PROGRAM_REGIONS_MAX (1u << 16)
#define COPY_MAX            255 // cells that one instruction copies

// One instruction of the module.
struct op {
    const uint32_t *words; // its own
    const uint32_t *operands;
    uint32_t at, opcode, count; // count of words
    uint32_t operand_count;
    uint32_t type, result; // ids; 0 without
};

// What is known of a pointer while compiling. All zeros: nothing.
struct pointer {
    bool known;             // `value` is the cell or the address that it always has
    uint64_t value;         // POINTER_BAD: an index is out of bounds
    uint32_t variable;      // id of the global variable that it points into, or 0
    bool coherent;          // the variable or a member on the way is Coherent or Volatile
    bool row_major;         // of the matrices that it points to
    uint32_t matrix_stride; // bytes, of those matrices; 0 unknown
    uint32_t vector_stride; // bytes between the components of the vector that it points to, if that
                            // is a column of a row-major matrix; 0 otherwise
    uint64_t array_stride;  // bytes between the elements of the array in memory that it points to
                            // one of; 0 unknown
};

// What the compiler knows of an id, beside what the module does. Numbers are kept + 1: 0 is none.
struct slot {
    uint32_t cell;    // first cell
    uint32_t value;   // constants: index into `values`
    uint32_t pointer; // index into `pointers`
    uint32_t index;   // labels: block; functions: body; resources: resource
    uint32_t list;    // types: layouts; labels: edges that lead there
    uint32_t phi;     // labels: word of the last phi that had an entry for it (not + 1)
    uint32_t entry;   // labels: value of that entry
    bool merged;      // labels: somebody's merge block
};

// A function that the entry point reaches.
struct body {
    uint32_t id, at, end; // words at which OpFunction and OpFunctionEnd begin
    uint32_t cell;        // of what it returns; CELL_NONE for void
    uint32_t depth;       // of calls below it
    // While functions are found: where the search continues, who called it first, and when its
    // search ended.
    uint32_t scan, caller, finish;
};

// The pieces of a type in memory: extra[first .. first + count * PIECE_WORDS - 1].
struct layout {
    uint32_t first, count;
    struct pointer pointer; // the strides that it was made for
    bool explicit_layout;
    uint32_t next; // index + 1 of the type's next one
};

// How an edge is found again when phis are decoded.
struct edge_note {
    uint32_t from; // label
    uint32_t next; // index + 1 of the next edge that leads to the same block
};

struct compiler {
    struct module *module;
    struct program *program;
    const struct program_options *options;
    char *error;
    size_t error_size;
    bool failed;

    struct slot *slots; // [bound]
    // Constants are evaluated here; they get cells when something uses them. While they are
    // evaluated (`evaluating`), this is the register file of one lane, and cells are its indices.
    uint64_t *values;
    uint32_t value_count;
    bool evaluating;
    bool sized; // module_specialise has been called

    struct pointer *pointers;
    uint32_t pointer_count;
    struct layout *layouts;
    uint32_t layout_count;
    struct edge_note *edge_notes;
    struct body *bodies; // callers before those that they call
    uint32_t body_count;
    const struct body *body; // being decoded
    uint32_t block;          // being decoded
    bool stores_anywhere;    // some store goes through a pointer of unknown origin

    uint32_t value_capacity, pointer_capacity, layout_capacity, edge_capacity, note_capacity,
        body_capacity, insn_capacity, block_capacity, move_capacity, extra_capacity,
        constant_capacity, wrapped_capacity, initial_capacity, undefined_capacity, builtin_capacity,
        resource_capacity, zero_capacity;
};

// How an instruction is decoded. `operands` is what follows the opcode, one letter each:
//   =  result type and result
//   i  id of a value           x  any other id         l  literal number
//   g  group operation         v  packed vector format
//   e  number of an extended instruction
//   S L F  selection control, loop control, function control
//   m  memory operands         c  storage class        w  literals and labels of a switch
//   *  the letter before is repeated up to the end
//   ?  what follows may be missing
// With `select`, the values are the operands of the instruction that is selected.
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
// Makes room for `more` elements of `size` bytes behind `count`; at most `limit` in all.
bool compile_room(struct compiler *c, void *array, uint32_t count, uint32_t more,
                  uint32_t *capacity, size_t size, uint32_t limit);
#define COMPILE_ROOM(c, array, count, more, capacity, limit)                                       \
    compile_room(c, &(array), count, more, &(c)->capacity, sizeof *(array), limit)
bool compile_read(struct compiler *c, uint32_t at, struct op *op); // the instruction at a word
bool compile_new_cells(struct compiler *c, uint32_t count, uint32_t *cell);
bool compile_extra(struct compiler *c, uint32_t count, uint32_t *first); // room in program->extra
// Appends an instruction that comes from `op`; executes it if constants are being evaluated.
bool compile_emit(struct compiler *c, const struct op *op, struct insn insn);
bool compile_copy(struct compiler *c, const struct op *op, uint32_t to, uint32_t from,
                  uint32_t count);
bool compile_preset(struct compiler *c, uint32_t cell, uint64_t value); // in program->constants

// check.c
bool check_length(struct compiler *c, const struct op *op, uint32_t least, uint32_t most);
// A value that `op` may use: its type, which has cells, or 0.
uint32_t check_value(struct compiler *c, const struct op *op, uint32_t id);
// The type of op's result, which must have cells; 0 if it is wrong.
uint32_t check_result(struct compiler *c, const struct op *op);
bool check_same_type(struct compiler *c, const struct op *op, uint32_t type, uint32_t other);
// An integer of 32 bits: a scope or semantics.
bool check_word(struct compiler *c, const struct op *op, uint32_t id);
struct shape check_shape(const struct compiler *c, uint32_t type);
uint32_t check_cells(const struct compiler *c, uint32_t type); // scalars in a value; 0: none
bool check_in_register(SpvStorageClass storage);               // pointers are numbers of cells

// The first cell of a value that was checked. Gives constants and known pointers a cell that is
// preset, and values that are not defined yet theirs.
bool value_cell(struct compiler *c, uint32_t id, uint32_t *cell);
bool value_result(struct compiler *c, const struct op *op, uint32_t *cell); // of op's result
void value_alias(struct compiler *c, uint32_t id, uint32_t cell); // its cells are these, for good
// A constant's scalar, zero-extended; false if the id is not a constant that has been evaluated.
bool value_constant(const struct compiler *c, uint32_t id, uint32_t index, uint64_t *value);
bool value_integer(const struct compiler *c, uint32_t id, int64_t *value); // by its signedness

// constants.c
bool constants_evaluate(struct compiler *c); // all of the module's, and the lengths of arrays
bool constants_local_size(struct compiler *c);

// variables.c
// What is known of a pointer that was checked; global variables come to exist by this.
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
const struct form *decode_form(uint32_t opcode); // NULL: nobody executes it
bool decode(struct compiler *c, const struct op *op);
bool decode_operands(struct compiler *c, const struct op *op, const char *letters,
                     struct decoded *decoded);
// Fills in the instruction's operands, and its function.
bool decode_selected(struct compiler *c, const struct op *op, insn_select *select,
                     struct decoded *decoded, struct insn *insn);
bool decode_pair_fits(struct compiler *c, const struct op *op, uint32_t first,
                      const struct shape *second);
// The usual path: values and literals, and the result that the table says.
decode_op decode_usual;
decode_op decode_barrier, decode_extended;
bool extended_is_skipped(const struct compiler *c, const struct op *op); // of OpExtInst

// access.c, atomic.c: what memory operands say; NULL: nothing
struct access_operands {
    uint32_t mask;
    uint32_t available, visible; // scopes
};
decode_op access_load, access_store, access_copy_memory, access_array_length, access_atomic,
    access_convert_pointer;
// From and to where a pointer that was checked points, to and from cells.
bool access_read(struct compiler *c, const struct op *op, uint32_t pointer, uint32_t cell,
                 const struct access_operands *operands);
bool access_write(struct compiler *c, const struct op *op, uint32_t pointer, uint32_t cell,
                  const struct access_operands *operands);
// Whether stores are allowed there; notes them.
bool access_may_store(struct compiler *c, const struct op *op, uint32_t pointer);

// Flags and scope of a load or store through op's first operand, which is a pointer to memory; its
// memory operands, if there are any, begin with operand `at`.
bool access_order(struct compiler *c, const struct op *op, uint32_t at, bool is_store,
                  struct insn *insn);

// cooperative.c
decode_op cooperative_load, cooperative_store, cooperative_multiply_add, cooperative_length;
// Operations on matrices that are done to each component: `select` chooses those of vectors.
bool cooperative_by_component(struct compiler *c, const struct op *op, insn_select *select,
                              const struct decoded *decoded, uint32_t result);

// chain.c
decode_op chain_access, chain_pointer_access, chain_pointer_difference;

// layout.c: where things are in memory. `at` is a pointer to the composite, and afterwards to the
// part.
bool layout_is_explicit(SpvStorageClass storage);
bool layout_member(struct compiler *c, const struct op *op, uint32_t type, uint32_t index,
                   bool explicit_layout, struct pointer *at, uint64_t *offset);
bool layout_stride(struct compiler *c, const struct op *op, uint32_t type, bool explicit_layout,
                   struct pointer *at, uint64_t *stride); // of anything else that has elements
bool layout_pieces(struct compiler *c, const struct op *op, uint32_t type, const struct pointer *at,
                   bool explicit_layout, uint32_t *first, uint32_t *count);
// Parts of composites: the type of one, and where its cells begin. False, without an error, if
// there is none.
bool layout_part(const struct compiler *c, uint32_t type, uint32_t index, uint32_t *part,
                 uint32_t *cell);

// compose.c
decode_op compose_op_extract, compose_op_insert, compose_op_construct, compose_op_shuffle,
    compose_op_transpose, compose_op_alias, compose_op_copy_logical, compose_op_undefined,
    compose_op_extract_dynamic, compose_op_insert_dynamic;
// Takes the cells from `cell` on that hold something of a type, scalars of one width at a time.
typedef bool compose_take(struct compiler *c, const struct op *op,
                          const struct undefined_cells *run);
bool compose_runs(struct compiler *c, const struct op *op, uint32_t type, uint32_t cell,
                  compose_take *take);

// listing.c
bool listing_write(struct compiler *c);
extern const char *const listing_extended_names[]; // of GLSL.std.450
extern const uint32_t listing_extended_count;
