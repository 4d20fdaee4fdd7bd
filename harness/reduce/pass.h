// SPDX-License-Identifier: Apache-2.0
// The passes: each knows one way to make a kernel smaller, and all places of it where that can be
// done. Pure.
#pragma once

#include "base/spirv.h"
#include "catalogue/package.h"

// --- A SPIR-V module as lines that can be changed. Nothing in it is believed before it is looked
// at; whether what a pass leaves is valid, spirv-val says.

#define RED_NONE SIZE_MAX

struct red_line {
    uint32_t *words;
    uint8_t *kinds; // of each word: enum spirv_kind
    uint32_t size;
    bool gone; // red_module_tidy drops it
};

struct red_module {
    uint32_t header[SPIRV_HEADER];
    struct red_line *lines;
    size_t count;
    uint32_t bound;
    // Of each id; by red_module_index, but `used`: by red_module_read.
    size_t *made;   // the line that makes it; RED_NONE
    uint32_t *type; // of the value; 0: it has none
    uint32_t *uses; // but by names, decorations and entry points
    uint32_t *used; // what `uses` was when the module was read
};

// False if the words are no module, or have an instruction that spirv-headers do not know. Clear it
// after a failure too.
bool red_module_read(struct red_module *module, const uint32_t *words, size_t count);
void red_module_clear(struct red_module *module);
// The words; free() them.
uint32_t *red_module_write(const struct red_module *module, size_t *count);

static inline uint32_t red_op(const struct red_line *line)
{
    return line->words[0] & SpvOpCodeMask;
}
// The word of that kind, SPIRV_TYPE or SPIRV_RESULT; 0: there is none.
uint32_t red_word(const struct red_line *line, enum spirv_kind kind);
// The instruction that makes an id; NULL: none.
const struct red_line *red_made(const struct red_module *module, uint32_t id);
static inline uint32_t red_result(const struct red_line *line)
{
    return red_word(line, SPIRV_RESULT);
}

// Whether an instruction has a name, a decoration or the like for an id: red_module_tidy drops
// those of ids that are gone.
bool red_is_annotation(uint32_t opcode);
bool red_is_end(uint32_t opcode); // of a block
// Whether nothing but its result is missed where an instruction is gone.
bool red_is_pure(const struct red_line *line);

// Puts an instruction in place of one, or before it.
void red_put(struct red_module *module, size_t at, const uint32_t *words, uint32_t size);
void red_insert(struct red_module *module, size_t at, const uint32_t *words, uint32_t size);
// Takes a word out of an instruction.
void red_cut(struct red_line *line, uint32_t word);

// A constant of a type, made where there is none yet: 0 in all its parts; of 32 bits or Boolean, of
// that value. 0 if there can be none. Lines that follow have other numbers then.
uint32_t red_null(struct red_module *module, uint32_t type);
uint32_t red_constant(struct red_module *module, uint32_t type, uint32_t value);
// Whether it is a Boolean, or an integer or float of 32 bits.
bool red_is_word(const struct red_module *module, uint32_t type);

// Uses with[id] for each id, and so on from that, where it is not 0. False if that goes round.
bool red_replace(struct red_module *module, uint32_t *with);

// Gives ids the names that they have in another module, in which they are the same.
void red_name(struct red_module *module, const struct red_module *named);

// Fills made, type and uses.
void red_module_index(struct red_module *module);
// Makes a module of what a change has left: lines that are gone, blocks that nothing leads to, and
// what only they used go; what is missing is 0. False where something is missing that cannot be 0.
bool red_module_tidy(struct red_module *module);

// How many instructions its functions have, without labels, parameters and lines of sources.
size_t red_module_body(const struct red_module *module);

// --- Passes

// What loads and operations gave in a run of the kernel on the SIMT simulator.
struct red_values {
    uint32_t bound;
    uint8_t *state;  // of an id: 0 it was not made, 1 it had always one value, 2 several
    uint32_t *value; // that one
};
void red_values_clear(struct red_values *values);

// A kernel that fails, from which others are made.
struct red_base {
    struct cat_package package;
    struct red_module module; // of the package's words; without lines, if it is not understood
    struct red_values values;
};
void red_base_clear(struct red_base *base);

// A kernel that is being made from it.
struct red_draft {
    struct cat_package *package;
    struct red_module *module; // changed lines have the numbers that they have in the base
};

// Counts the places of a base; where `draft` is given, changes it at those places that are chosen.
// False in *good, where that is not possible.
typedef size_t red_pass_run(const struct red_base *base, const bool *chosen,
                            struct red_draft *draft, bool *good);

struct red_pass {
    const char *name; // "fewer workgroups"
    red_pass_run *run;
};

// All of them, in the order in which they are tried; ended by one without a name.
extern const struct red_pass red_passes[];

// Makes a kernel of a base by a pass. False if there is none, or what comes of it can be seen to be
// nonsense. The package is to be cleared, after a failure too.
bool red_apply(const struct red_base *base, const struct red_pass *pass, const bool *chosen,
               struct cat_package *package);
// What a module's words and interface have to do with one another: buffers that the module does not
// declare go, and its workgroup size counts. False if the kernel makes no sense then, or has
// something undefined that can be seen: more than `undefined` of what red_undefined counts, a
// division by the constant 0.
bool red_settle(struct cat_package *package, const struct red_module *module, size_t undefined);
// How many OpUndef it has, and conditional branches without a merge block whose two ways are one.
size_t red_undefined(const struct red_module *module);

// A copy of a package; its page, other modules and what is expected are left out.
void red_package_copy(const struct cat_package *from, struct cat_package *to);

#define RED_PARTS 16u // of a buffer's data, each of which may become 0
// Whether a part has anything but 0 and poison.
bool red_has_data(const struct cat_package *package, const struct cat_binding *binding,
                  uint32_t part);

// How large a kernel is: instructions first, then declarations, invocations, buffers, numbers.
uint64_t red_weight(const struct red_base *base);

// Of values.c, flow.c and outside.c.
red_pass_run red_first, red_last, red_before, red_zero, red_one, red_value, red_no_store;
red_pass_run red_branch_first, red_branch_second, red_branch_merge, red_select, red_once, red_join;
red_pass_run red_groups, red_lanes, red_steps, red_specs, red_constants, red_unused, red_equal,
    red_debug, red_preamble, red_buffers, red_data;
