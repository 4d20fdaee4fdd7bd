// SPDX-License-Identifier: Apache-2.0
// How to start a kernel and what to bind to it. All tests of the catalogue share one interface
// (docs/test-format.md); a kernel from outside has the one that its module needs (docs/kernel.md).
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text;

#define CAT_MOST_BINDINGS  32
#define CAT_MOST_SETS      8
#define CAT_MOST_PUSH      256 // bytes of push constants
#define CAT_MOST_SPEC      32  // specialization constants
#define CAT_MOST_STEPS     64  // dispatches after the first
#define CAT_MOST_PARTS     16  // pipelines besides the first dispatch's
#define CAT_MOST_ADDRESSES 64  // addresses of buffers, in buffers and push constants
#define CAT_ENTRY_SIZE     64  // bytes of an entry point's name, with the terminator

// Where a buffer lies, which decides how it is used: CAT_INPUT is written once; CAT_OUTPUT and
// CAT_STATE are reset before each run; CAT_OUTPUT is compared after it. Word 0 of CAT_STATE is set
// when a bounded wait expired.
enum cat_region { CAT_INPUT, CAT_OUTPUT, CAT_STATE, CAT_REGIONS };

// How a buffer may differ from its expectation; all 0: must be equal.
struct cat_tolerance {
    uint32_t order;           // elements of this many words may come in any order
    uint64_t from, to;        // words to compare, before `to`; 0, 0: all
    uint32_t ulps, half_ulps; // for 32-bit floats; for the 16-bit float in each half word
    float relative, absolute; // floats of 32 bits: |got - want| <= absolute + relative * |want|
    uint64_t like; // must equal the buffer at this word of CAT_OUTPUT, from 1; 0: its expectation
    float rmse;   // floats of 32 bits: the root of the mean of (got - want) squared, over all words
    uint32_t nan; // all are floats of this many bits (16, 32, 64), and all NaNs are equal; or 0
};

// One buffer of a kernel.
struct cat_binding {
    uint32_t set, binding;
    uint32_t element; // in an array of buffers, from 1; 0: in no array
    bool uniform;     // a uniform buffer, else a storage buffer
    enum cat_region region;
    uint64_t first; // word of the region: a multiple of CAT_BINDING_WORDS
    uint64_t words; // 0: the whole region
    struct cat_tolerance may;
    char name[CAT_ENTRY_SIZE]; // its name in a script, or ""
};
#define CAT_BINDING_WORDS 64u // 256 bytes: no device aligns a buffer's offset to more
#define CAT_DESCRIPTORS   4u  // in a test's array, CAT_BINDING_WORDS each

// The address of a buffer, 8 bytes, stored among given words.
struct cat_address {
    uint32_t in;    // enum cat_region; CAT_REGIONS: the push constants of dispatch `step`
    uint32_t step;  // 0: the first, else steps[step - 1]
    uint64_t at;    // word of the region, or of the push constants
    uint32_t of;    // enum cat_region
    uint64_t first; // the buffer's first word there
};

// Another dispatch, after a barrier.
struct cat_step {
    uint32_t part;      // its pipeline: 0 the first dispatch's, else parts[part - 1]
    uint32_t groups[3]; // workgroups in x, y and z
    uint8_t push[CAT_MOST_PUSH];
};

struct cat_interface {
    char entry[CAT_ENTRY_SIZE];
    uint32_t rows, layers; // workgroups in y and z; the shape has those in x
    // Whether subgroups must be full and have the configuration's size.
    bool full, sized;
    uint32_t width; // a workgroup's invocations in x; 0: all of them
    // Push constants: `push`, or the catalogue's if `counted`.
    bool counted;
    uint32_t push_size; // bytes, a multiple of 4; 0: none
    uint8_t push[CAT_MOST_PUSH];
    struct cat_binding bindings[CAT_MOST_BINDINGS];
    size_t binding_count;
    struct cat_step steps[CAT_MOST_STEPS]; // in order, after the first dispatch
    size_t step_count;
    struct cat_part *parts;
    size_t part_count;
    struct cat_address addresses[CAT_MOST_ADDRESSES]; // in all pipelines
    size_t address_count;
    uint32_t *counts; // mask of the bits to compare in each word of CAT_OUTPUT; NULL: all
    uint64_t count_words;
};

// Another pipeline, with its own bindings in the same regions.
struct cat_part {
    struct cat_interface interface; // without steps and parts
    uint32_t *words;                // its module
    size_t word_count;              // 0: the first dispatch's module
    uint32_t workgroup;             // invocations
    uint32_t subgroup;              // the size it requests; 0: as the first dispatch
    uint32_t spec_ids[CAT_MOST_SPEC], spec_values[CAT_MOST_SPEC];
    size_t spec_count;
};

// Iterates over the bindings of all pipelines; NULL after the last.
const struct cat_binding *cat_binding_at(const struct cat_interface *interface, size_t index);
// Whether no earlier binding has the same buffer.
bool cat_binding_is_first(const struct cat_interface *interface, size_t index);
// Whether all buffers must be equal: the device's checker supports nothing else.
bool cat_interface_is_exact(const struct cat_interface *interface);
// Whether a word may differ in this way from the wanted one, by itself.
bool cat_is_near(const struct cat_tolerance *may, uint32_t got, uint32_t want);
// Replaces CAT_OUTPUT words whose difference is allowed by the expected ones; first sorts elements
// that may come in any order. To sort an expectation, pass it as both arguments.
void cat_settle(const struct cat_interface *interface, uint32_t *output, const uint32_t *expected);

// Clears `nan` in each buffer whose expectation contains no NaN.
void cat_forget_nans(struct cat_interface *interface, const uint32_t *expected);

// The interface of the catalogue's tests.
extern const struct cat_interface cat_usual_interface;
// The same, but subgroups may be partial.
extern const struct cat_interface cat_partial_interface;
// The usual one with two arrays: CAT_DESCRIPTORS parts of the input and as many of the state, from
// their first words on.
extern const struct cat_interface cat_array_interface;

// Whether two have the same set, binding and element.
#define CAT_SAME_PLACE(a, b)                                                                       \
    ((a)->set == (b)->set && (a)->binding == (b)->binding && (a)->element == (b)->element)
// The element's index in Vulkan, from 0.
static inline uint32_t cat_index(uint32_t element)
{
    return element ? element - 1 : 0;
}
// Appends "0.1", or "0.1[2]" for an array.
void cat_put_place(struct text *text, uint32_t set, uint32_t binding, uint32_t element);
