// SPDX-License-Identifier: Apache-2.0
// The interface declared by a compute kernel's module: entry point, workgroup size, buffers, push
// constants. The module is untrusted: everything is validated.
#pragma once

#include "base/error.h"
#include "model/interface.h"

// A buffer that the module declares.
struct cat_buffer {
    uint32_t set, binding;
    uint32_t element; // as in struct cat_binding
    bool open;        // first of an array of buffers whose size the module does not state
    bool uniform;
    bool readonly;   // never written: NonWritable or uniform
    bool stored;     // some instruction may store into it
    uint64_t bytes;  // size of the fixed part
    uint64_t each;   // size of a runtime array's element; 0: none
    uint32_t floats; // width if all of it is floats: 16, 32 or 64; else 0
    char name[64];   // of the variable, sanitised; "" if unnamed
};

struct cat_inspected {
    char entry[CAT_ENTRY_SIZE];
    uint32_t local[3]; // workgroup size
    struct cat_buffer buffers[CAT_MOST_BINDINGS];
    size_t buffer_count;
    uint32_t push_size; // bytes, rounded up to a multiple of 4
};

// A value for a specialization constant. A 64-bit constant uses two entries, low word first.
struct cat_spec {
    uint32_t id, value;
};

// A specialization constant's type: 'i', 'u' or 'f' and the width in bits; a Boolean is 'u', 32.
// False if the module has no such id.
bool cat_spec_kind(const uint32_t *words, size_t count, uint32_t id, char *kind, uint32_t *bits);

// Inspects the GLCompute entry point `entry` (NULL: the only one). False with an error if the
// module is invalid or cannot be run here: unsupported capabilities, images, arrays of arrays of
// buffers, a computed workgroup size.
bool cat_inspect(const uint32_t *words, size_t count, const char *entry,
                 const struct cat_spec *specs, size_t spec_count, struct cat_inspected *found,
                 struct lit_error *error);
