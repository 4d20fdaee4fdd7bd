// SPDX-License-Identifier: Apache-2.0
// How a kernel is started and what it is bound to. All tests of the catalogue have the same
// (docs/test-format.md); a kernel from outside has what its module asks for (docs/kernel.md).
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text;

#define CAT_MOST_BINDINGS  32
#define CAT_MOST_SETS      8
#define CAT_MOST_PUSH      256 // bytes of push constants
#define CAT_MOST_SPEC      32  // specialization constants
#define CAT_MOST_STEPS     64  // dispatches behind the first
#define CAT_MOST_PARTS     16  // pipelines besides that of the first dispatch
#define CAT_MOST_ADDRESSES 64  // of buffers, in buffers and push constants
#define CAT_ENTRY_SIZE     64  // bytes of an entry point's name, with the terminator

// Where a buffer lies, which says what becomes of it: CAT_INPUT is written once, CAT_OUTPUT and
// CAT_STATE are made anew before each run, CAT_OUTPUT is compared after it. Word 0 of CAT_STATE
// says that a bounded wait ran out.
enum cat_region { CAT_INPUT, CAT_OUTPUT, CAT_STATE, CAT_REGIONS };

// In what a buffer may differ from what is expected of it; all 0: in nothing.
struct cat_tolerance {
    uint32_t order;           // elements of so many words may come in any order
    uint64_t from, to;        // the words that count, `to` is the one behind; 0, 0: all
    uint32_t ulps, half_ulps; // of floats of 32 bits, of each half of a word
    float relative, absolute; // floats of 32 bits: |got - want| <= absolute + relative * |want|
    uint64_t like; // it is to be as the buffer at this word of CAT_OUTPUT, from 1; 0: as expected
    float rmse;   // floats of 32 bits: the root of the mean of (got - want) squared, over all words
    uint32_t nan; // all are floats of 16, 32 or 64 bits, and each NaN is like every other; or 0
};

// One buffer of a kernel.
struct cat_binding {
    uint32_t set, binding;
    uint32_t element; // of an array of buffers, from 1; 0: it is in none
    bool uniform;     // a uniform buffer, else a storage buffer
    enum cat_region region;
    uint64_t first; // word of the region: a multiple of CAT_BINDING_WORDS
    uint64_t words; // 0: the whole region
    struct cat_tolerance may;
    char name[CAT_ENTRY_SIZE]; // that a script gives it; "" without
};
#define CAT_BINDING_WORDS 64u // 256 bytes: no device aligns a buffer's offset to more
#define CAT_DESCRIPTORS   4u  // of the array that a test may have, each of CAT_BINDING_WORDS

// The address of a buffer, 8 bytes, among words that are given.
struct cat_address {
    uint32_t in;    // enum cat_region; CAT_REGIONS: the push constants of dispatch `step`
    uint32_t step;  // 0: the first, else steps[step - 1]
    uint64_t at;    // word of the region, or of the push constants
    uint32_t of;    // enum cat_region
    uint64_t first; // the buffer's first word there
};

// Another dispatch, behind a barrier.
struct cat_step {
    uint32_t part;      // its pipeline: 0 that of the first dispatch, else parts[part - 1]
    uint32_t groups[3]; // workgroups in x, y and z
    uint8_t push[CAT_MOST_PUSH];
};

struct cat_interface {
    char entry[CAT_ENTRY_SIZE];
    uint32_t rows, layers; // workgroups in y and z; those in x are the shape's
    // Whether subgroups must be full, and have the configuration's size.
    bool full, sized;
    uint32_t width; // a workgroup's invocations in x; 0: all of them
    // Push constants: `push`, or where `counted` those of the catalogue's tests.
    bool counted;
    uint32_t push_size; // bytes, a multiple of 4; 0: none
    uint8_t push[CAT_MOST_PUSH];
    struct cat_binding bindings[CAT_MOST_BINDINGS];
    size_t binding_count;
    struct cat_step steps[CAT_MOST_STEPS]; // in turn, behind the first dispatch
    size_t step_count;
    struct cat_part *parts;
    size_t part_count;
    struct cat_address addresses[CAT_MOST_ADDRESSES]; // of all pipelines
    size_t address_count;
    uint32_t *counts; // the bits of each word of CAT_OUTPUT that count; NULL: all
    uint64_t count_words;
};

// Another pipeline, with its own bindings in the same regions.
struct cat_part {
    struct cat_interface interface; // without steps and parts
    uint32_t *words;                // its module
    size_t word_count;              // 0: it is that of the first dispatch
    uint32_t workgroup;             // invocations
    uint32_t subgroup;              // that it asks for; 0: as the first dispatch
    uint32_t spec_ids[CAT_MOST_SPEC], spec_values[CAT_MOST_SPEC];
    size_t spec_count;
};

// One binding after the other, of all pipelines; NULL behind the last.
const struct cat_binding *cat_binding_at(const struct cat_interface *interface, size_t index);
// Whether no binding before is of the same buffer.
bool cat_binding_is_first(const struct cat_interface *interface, size_t index);
// Whether no buffer may differ in anything: the checker on the device knows of nothing else.
bool cat_interface_is_exact(const struct cat_interface *interface);
// Whether a word may be there where another is wanted, by itself.
bool cat_is_near(const struct cat_tolerance *may, uint32_t got, uint32_t want);
// Makes those words of CAT_OUTPUT that may differ as they do what is expected of them; elements
// that may come in any order are sorted first. What is expected is sorted by the same call, with
// itself.
void cat_settle(const struct cat_interface *interface, uint32_t *output, const uint32_t *expected);

// Forgets of each buffer that NaNs are alike if none is expected in it.
void cat_forget_nans(struct cat_interface *interface, const uint32_t *expected);

// That of the catalogue's tests.
extern const struct cat_interface cat_usual_interface;
// The same, but subgroups need not be full.
extern const struct cat_interface cat_partial_interface;
// The usual one with an array: CAT_DESCRIPTORS parts of the input, from its first word on.
extern const struct cat_interface cat_array_interface;

// Whether two have the same place: set, binding and element.
#define CAT_SAME_PLACE(a, b)                                                                       \
    ((a)->set == (b)->set && (a)->binding == (b)->binding && (a)->element == (b)->element)
// The element's index, from 0, as Vulkan has it.
static inline uint32_t cat_index(uint32_t element)
{
    return element ? element - 1 : 0;
}
// Appends "0.1", of an array "0.1[2]".
void cat_put_place(struct text *text, uint32_t set, uint32_t binding, uint32_t element);
