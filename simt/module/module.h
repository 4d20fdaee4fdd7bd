// SPDX-License-Identifier: Apache-2.0
// A SPIR-V module as it was given: its words, checked, and what its declarations say. Nothing here
// is decoded for execution: that is program/.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

// Bounds against modules that only want to exhaust memory. More is an error.
#define MODULE_IDS_MAX   (1u << 20)
#define MODULE_WORDS_MAX (1u << 24)
#define MODULE_CELLS_MAX (1u << 16) // scalars in one value or variable of a register file
#define MODULE_DEPTH_MAX 64         // of types within types
#define MODULE_SIDE_MAX  64         // rows, and columns, of a cooperative matrix

enum type_kind {
    TYPE_NONE, // the id is not a type
    TYPE_VOID,
    TYPE_BOOL,
    TYPE_INT,
    TYPE_FLOAT,
    TYPE_VECTOR,        // `element`, `count`
    TYPE_MATRIX,        // columns: `element` is a vector, `count`
    TYPE_ARRAY,         // `element`, `count`, `stride`
    TYPE_RUNTIME_ARRAY, // `element`, `stride`
    TYPE_STRUCT,        // `members`, `count`
    TYPE_POINTER,       // `storage`, `element` (0 while it is only declared forward)
    TYPE_COOPERATIVE,   // `element`, `parameters`: constants that say scope, rows, columns and use;
                        // `count`: components that a lane has, by module_specialise
    TYPE_FUNCTION,      // `element` is the return type, `parameters`, `count`
};

struct member {
    uint32_t type;
    uint32_t offset;        // bytes; UINT32_MAX without decoration
    uint32_t matrix_stride; // bytes; 0 without decoration
    bool row_major;
    bool non_writable, coherent, is_volatile;
    uint32_t builtin; // SpvBuiltIn, or UINT32_MAX
    uint64_t natural; // bytes: where it begins without explicit layout; by module_specialise
};

struct type {
    enum type_kind kind;
    uint32_t width; // bits: of an integer or a float
    bool is_signed;
    uint32_t element; // id of a type
    uint32_t count;   // arrays: filled in by module_specialise for lengths that are constants
    uint32_t length;  // arrays: id of the constant
    uint32_t stride;  // bytes; 0 without decoration; pointers may have it too
    uint32_t rows, columns, use; // of a cooperative matrix; by module_specialise
    bool block;                  // decorated Block or BufferBlock
    bool buffer_block;
    SpvStorageClass storage;
    struct member *members;     // owned
    const uint32_t *parameters; // points into the words
    uint32_t cells;   // scalars in a value of this type, flattened; 0 for void, functions and
                      // whatever holds a runtime array. Pointers are 1. Structs and arrays have it
                      // once module_specialise was there.
    bool memory_only; // holds a runtime array, or more than MODULE_CELLS_MAX scalars: `cells` is 0
    uint32_t depth;   // levels of types in this one, 1 for a scalar; pointers count as scalars
    bool laid_out;    // nothing that an explicit layout needs is missing; by module_specialise
    uint64_t explicit_size, natural_size; // bytes, see module_size; by module_specialise
    uint32_t alignment;                   // bytes, without explicit layout; by module_specialise
};

// What decorations say of an id that is not a type.
struct decorations {
    uint32_t set, binding; // UINT32_MAX without
    uint32_t spec_id;      // UINT32_MAX without
    uint32_t builtin;      // UINT32_MAX without
    bool non_writable, non_readable, coherent, is_volatile, aliased, restricted, no_contraction;
};

enum id_kind {
    ID_UNDEFINED,
    ID_TYPE,
    ID_CONSTANT, // also OpUndef and OpSpecConstantOp outside functions
    ID_VARIABLE, // outside functions
    ID_FUNCTION,
    ID_LABEL,
    ID_VALUE,    // a result inside a function, parameters too
    ID_EXTENDED, // an extended instruction set
    ID_OTHER,    // strings, decoration groups
};

struct id {
    enum id_kind kind;
    uint32_t at;      // index of the first word of the instruction that has this result
    uint32_t type;    // id of the result type; 0 without
    const char *name; // OpName, points into the words, always terminated; NULL without
    struct decorations decorations;
    struct type shape; // of ID_TYPE
};

struct module {
    uint32_t *words; // owned, in this machine's byte order
    uint32_t count;
    uint32_t bound;
    struct id *ids; // [bound], owned
    uint32_t version;
    // From the entry point that was asked for:
    uint32_t entry;            // id of its function
    const uint32_t *interface; // ids of variables
    uint32_t interface_count;
    uint32_t local_size[3];    // of LocalSize; 0 where LocalSizeId or WorkgroupSize says it
    uint32_t local_size_id[3]; // ids of constants, 0 without
    uint32_t workgroup_size;   // id of the constant with BuiltIn WorkgroupSize, or 0
    bool maximally_reconverges, subgroup_uniform;
    bool vulkan_memory_model, physical_addresses;
    uint32_t glsl;              // id of the extended instruction set GLSL.std.450, or 0
    uint32_t first_declaration; // index of the first word behind the annotations
    uint32_t first_function;    // index of the first OpFunction
};

// Reads a module: header (either byte order), every instruction's length, ids below the bound and
// defined once, the order of sections as far as it matters here, capabilities and extensions that
// this driver supports, types, decorations, the entry point `entry` of model GLCompute. Returns
// NULL and one line in `error` if anything is wrong or not supported: "capability Geometry is not
// supported", "word 212: OpTypeVector with 9 components". Never trusts a word. The module owns a
// copy of the words; free with module_free.
struct module *module_read(const uint32_t *words, size_t count, const char *entry, char *error,
                           size_t size);
void module_free(struct module *module);

// The type of an id, or a type of kind TYPE_NONE; safe for any number.
const struct type *module_type(const struct module *module, uint32_t id);       // the id IS a type
const struct type *module_type_of(const struct module *module, uint32_t value); // the id HAS a type

// Lengths of arrays and sizes of cooperative matrices, of which each of the `lanes` of a subgroup
// has a part, once constants are known: `value` gives the value of an integer constant,
// false if there is none. Computes `count` of arrays and then `cells` of all types; fails for
// lengths of 0 or types of more than MODULE_CELLS_MAX cells that a register file would have to hold
// (such types get cells = 0 if they are in memory only): that is what a constant, a value or
// something in the storage classes Function, Private and Input has. Asks for lengths in the order
// of declarations, and the types declared before are complete by then. May be called again.
typedef bool module_constant(void *user, uint32_t id, uint64_t *value);
bool module_specialise(struct module *module, uint32_t lanes, module_constant *value, void *user,
                       char *error, size_t size);

// Bytes that a value of a type takes in memory with explicit layout (offsets and strides), and in
// Workgroup storage without (this program's own: natural alignment, bool as 4 bytes). A struct that
// ends in a runtime array counts up to it. 0 for types that cannot be in memory: with explicit
// layout also those that lack an offset or a stride. A matrix in explicit layout takes its stride
// from the member that holds it, so it is right as part of a struct; on its own it is tight. All
// four are for after module_specialise, and safe for any number; what does not fit is UINT64_MAX.
uint64_t module_size(const struct module *module, uint32_t type, bool explicit_layout);
uint64_t module_alignment(const struct module *module, uint32_t type); // without explicit layout
// Where member `index` of a struct, or element `index` of anything else, begins; of a pointer, the
// element of the array that it points into. 0 for members that are not there.
uint64_t module_offset(const struct module *module, uint32_t type, uint64_t index,
                       bool explicit_layout);

// "OpIAdd", SPIR-V's own spelling; "Unknown" for what no module that was read can hold. A string
// constant, never NULL.
const char *module_op_name(uint32_t opcode);

// What this driver executes: by capability and by extension name.
bool module_knows_capability(uint32_t capability);
bool module_knows_extension(const char *name);
