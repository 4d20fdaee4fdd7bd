// SPDX-License-Identifier: Apache-2.0
// A SPIR-V module as given: validated words, and its declarations. Decoding for execution is done
// in program/.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

// Limits against modules that only exhaust memory; exceeding one is an error.
#define MODULE_IDS_MAX   (1u << 20)
#define MODULE_WORDS_MAX (1u << 24)
#define MODULE_CELLS_MAX (1u << 16) // scalars per value or variable in a register file
#define MODULE_DEPTH_MAX 64         // nesting of types
#define MODULE_SIDE_MAX  64         // rows and columns of a cooperative matrix

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
    TYPE_POINTER,       // `storage`, `element` (0 until a forward declaration is completed)
    TYPE_COOPERATIVE,   // `element`, `parameters`: scope, rows, columns, use; `count`: per lane
    TYPE_FUNCTION,      // `element`: return type; `parameters`, `count`
    TYPE_IMAGE,         // for storage: `element`: 32-bit type of a texel; `count`: coordinates
};

struct member {
    uint32_t type;
    uint32_t offset;        // bytes; UINT32_MAX if absent
    uint32_t matrix_stride; // bytes; 0 if absent
    bool row_major;
    bool non_writable, coherent, is_volatile;
    uint32_t builtin; // SpvBuiltIn, or UINT32_MAX
    uint64_t natural; // offset in bytes without explicit layout; from module_specialise
};

// Of floats; simt/program has kinds of scalars in this order.
enum encoding { ENCODING_IEEE, ENCODING_BFLOAT16, ENCODING_E4M3, ENCODING_E5M2 };

struct type {
    enum type_kind kind;
    uint32_t width; // bits of an integer or float
    bool is_signed;
    enum encoding encoding;      // of a float
    uint32_t element;            // id of a type
    uint32_t count;              // arrays: length, from module_specialise
    uint32_t length;             // arrays: id of the constant
    uint32_t stride;             // bytes; 0 if absent; pointers may have one
    uint32_t rows, columns, use; // of a cooperative matrix; from module_specialise
    bool block;                  // decorated Block or BufferBlock
    bool buffer_block;
    SpvStorageClass storage;
    struct member *members;     // owned
    const uint32_t *parameters; // into the words
    uint32_t cells;             // scalars per value; 0 for void, functions, runtime arrays
    bool memory_only; // contains a runtime array or over MODULE_CELLS_MAX scalars: `cells` is 0
    uint32_t depth;   // nesting of types, 1 for a scalar; pointers count as scalars
    bool laid_out;    // has everything for an explicit layout; from module_specialise
    uint64_t explicit_size, natural_size; // bytes, see module_size; from module_specialise
    uint32_t alignment;                   // bytes, without explicit layout; from module_specialise
};

// Decorations of an id other than a type.
struct decorations {
    uint32_t set, binding; // UINT32_MAX without
    uint32_t spec_id;      // UINT32_MAX without
    uint32_t builtin;      // UINT32_MAX without
    bool non_writable, non_readable, coherent, is_volatile, aliased, restricted, no_contraction;
    bool to_largest; // SaturatedToLargestFloat8NormalConversionEXT
};

enum id_kind {
    ID_UNDEFINED,
    ID_TYPE,
    ID_CONSTANT, // also OpUndef and OpSpecConstantOp outside of functions
    ID_VARIABLE, // global
    ID_FUNCTION,
    ID_LABEL,
    ID_VALUE,    // a result inside a function, or a parameter
    ID_EXTENDED, // an extended instruction set
    ID_OTHER,    // strings, decoration groups
};

struct id {
    enum id_kind kind;
    uint32_t at;      // index of the first word of its instruction
    uint32_t type;    // result type; 0 without
    const char *name; // OpName, into the words, terminated; NULL without
    struct decorations decorations;
    struct type shape; // for ID_TYPE
};

struct module {
    uint32_t *words; // owned, in native byte order
    uint32_t count;
    uint32_t bound;
    struct id *ids; // [bound], owned
    uint32_t version;
    // From the requested entry point:
    uint32_t entry;            // id of its function
    const uint32_t *interface; // ids of variables
    uint32_t interface_count;
    uint32_t local_size[3];    // from LocalSize; 0 if LocalSizeId or WorkgroupSize gives it
    uint32_t local_size_id[3]; // ids of constants; 0 if absent
    uint32_t workgroup_size;   // id of the constant with BuiltIn WorkgroupSize, or 0
    bool maximally_reconverges, subgroup_uniform;
    bool vulkan_memory_model, physical_addresses;
    uint32_t glsl;              // id of the extended instruction set GLSL.std.450, or 0
    uint32_t first_declaration; // index of the first word after the annotations
    uint32_t first_function;    // index of the first OpFunction
};

// Reads and validates a module: header (either byte order), instruction lengths, ids below the
// bound and defined once, the order of sections as far as it matters, supported capabilities and
// extensions, types, decorations, and the GLCompute entry point `entry`. Returns NULL and one line
// in `error` if anything is invalid or unsupported: "capability Geometry is not supported", "word
// 212: OpTypeVector with 9 components". The input is not trusted. The module owns a copy of the
// words; free with module_free.
struct module *module_read(const uint32_t *words, size_t count, const char *entry, char *error,
                           size_t size);
void module_free(struct module *module);

// The type that an id is, or that a value has; kind TYPE_NONE if there is none; safe for any
// number.
const struct type *module_type(const struct module *module, uint32_t id);       // the id IS a type
const struct type *module_type_of(const struct module *module, uint32_t value); // the id HAS a type
// Whether the id is a type of images, or of arrays of them.
bool module_has_images(const struct module *module, uint32_t id);

// Evaluates array lengths and sizes of cooperative matrices, which are divided among a subgroup's
// `lanes`, once constants are known: `value` gives an integer constant's value, false if there is
// none. Computes `count` of arrays and `cells` of all types; fails for lengths of 0, and for types
// of more than MODULE_CELLS_MAX cells that must fit into a register file: those of constants,
// values, and variables in Function, Private and Input (types only used in memory get cells = 0).
// Asks for lengths in order of declaration, with earlier types complete. May be called again.
typedef bool module_constant(void *user, uint32_t id, uint64_t *value);
bool module_specialise(struct module *module, uint32_t lanes, module_constant *value, void *user,
                       char *error, size_t size);

// Bytes of a type in memory with explicit layout (offsets and strides), or in Workgroup storage
// without (this program's own: natural alignment, bool as 4 bytes). A struct that ends in a runtime
// array counts up to it. 0 for types that cannot be in memory, with explicit layout also those
// without an offset or stride. A matrix takes its stride from the member that contains it, so its
// size is right within a struct; on its own it is tightly packed. Call all four functions after
// module_specialise; they are safe for any number; overflow gives UINT64_MAX.
uint64_t module_size(const struct module *module, uint32_t type, bool explicit_layout);
uint64_t module_alignment(const struct module *module, uint32_t type); // without explicit layout
// The offset of member `index` of a struct or element `index` of anything else; for a pointer, of
// the element in the array that it points into. 0 for nonexistent members.
uint64_t module_offset(const struct module *module, uint32_t type, uint64_t index,
                       bool explicit_layout);

// "OpIAdd", SPIR-V's spelling; "Unknown" for opcodes that no valid module contains. A string
// constant, never NULL.
const char *module_op_name(uint32_t opcode);

// Whether this driver supports a capability, an extension.
bool module_knows_capability(uint32_t capability);
bool module_knows_extension(const char *name);
