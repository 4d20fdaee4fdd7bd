// SPDX-License-Identifier: Apache-2.0
// What a compute kernel's module says of itself: entry point, workgroup size, buffers, push
// constants. A module may come from anywhere: nothing in it is believed before it is looked at.
#pragma once

#include "base/error.h"
#include "model/interface.h"

// A buffer that the module declares.
struct cat_buffer {
    uint32_t set, binding;
    uint32_t element; // as struct cat_binding has it
    bool open;        // an array whose size the module does not state: its first
    bool uniform;
    bool readonly;   // nothing in it is written: NonWritable, or uniform
    bool stored;     // some instruction may store into it
    uint64_t bytes;  // of what has a fixed size
    uint64_t each;   // of an element of the array without a size at its end; 0: there is none
    uint32_t floats; // all of it are floats of so many bits, 16, 32 or 64; 0: not all
    char name[64];   // of the variable, sanitised; "" without
};

struct cat_inspected {
    char entry[CAT_ENTRY_SIZE];
    uint32_t local[3]; // workgroup size
    struct cat_buffer buffers[CAT_MOST_BINDINGS];
    size_t buffer_count;
    uint32_t push_size; // bytes, rounded up to a multiple of 4
};

// The value that somebody gives a specialization constant. One of 64 bits has two, one behind the
// other, the low word first.
struct cat_spec {
    uint32_t id, value;
};

// What a specialization constant is: 'i', 'u' or 'f', and of how many bits; a Boolean is a 'u'
// of 32. False if the module has none of that id.
bool cat_spec_kind(const uint32_t *words, size_t count, uint32_t id, char *kind, uint32_t *bits);

// Inspects the entry point `entry`, of kind GLCompute; NULL: the only one. False with an error that
// says what is wrong with the module, or what in it cannot be run: a capability that nothing here
// executes, images, arrays of arrays of buffers, a workgroup size that is computed.
bool cat_inspect(const uint32_t *words, size_t count, const char *entry,
                 const struct cat_spec *specs, size_t spec_count, struct cat_inspected *found,
                 struct lit_error *error);
