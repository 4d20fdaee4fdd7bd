// SPDX-License-Identifier: Apache-2.0
// The passes: each one knows a way to make a kernel smaller, and all places where it applies. Pure.
#pragma once

#include "base/spirv.h"
#include "catalogue/package.h"

// --- A SPIR-V module as editable lines. The input is not trusted; spirv-val decides whether the
// result of a pass is valid.

#define RED_NONE SIZE_MAX

struct red_line {
    uint32_t *words;
    uint8_t *kinds; // per word: enum spirv_kind
    uint32_t size;
    bool gone; // red_module_tidy drops it
};

struct red_module {
    uint32_t header[SPIRV_HEADER];
    struct red_line *lines;
    size_t count;
    uint32_t bound;
    // Indexed by id; computed by red_module_index, except `used` by red_module_read.
    size_t *made;   // defining line; RED_NONE
    uint32_t *type; // of the value; 0: none
    uint32_t *uses; // excluding names, decorations and entry points
    uint32_t *used; // `uses` when the module was read
};

// False if the words are no module, or contain an instruction unknown to spirv-headers. Clear it in
// any case.
bool red_module_read(struct red_module *module, const uint32_t *words, size_t count);
void red_module_clear(struct red_module *module);
// The words; free() them.
uint32_t *red_module_write(const struct red_module *module, size_t *count);

static inline uint32_t red_op(const struct red_line *line)
{
    return line->words[0] & SpvOpCodeMask;
}
// The opcode of a line of a module; SpvOpNop: it is gone, or there is none.
static inline uint32_t red_at(const struct red_module *module, size_t at)
{
    return at < module->count && !module->lines[at].gone ? red_op(&module->lines[at])
                                                         : (uint32_t)SpvOpNop;
}
// Whether it is one of these opcodes. 0 ends the list.
#define RED_IS_ONE(opcode, ...) red_is_one(opcode, (const uint16_t[]){__VA_ARGS__, 0})
bool red_is_one(uint32_t opcode, const uint16_t *opcodes);
// The instruction's word of kind SPIRV_TYPE or SPIRV_RESULT; 0: none.
uint32_t red_word(const struct red_line *line, enum spirv_kind kind);
// The instruction that defines an id; NULL: none.
const struct red_line *red_made(const struct red_module *module, uint32_t id);
static inline uint32_t red_result(const struct red_line *line)
{
    return red_word(line, SPIRV_RESULT);
}

bool red_is_end(uint32_t opcode); // of a block
// Whether an instruction has no effect besides its result.
bool red_is_pure(const struct red_line *line);

// Replaces an instruction.
void red_put(struct red_module *module, size_t at, const uint32_t *words, uint32_t size);

// A constant of a type, created if missing: zero; or, for 32-bit and Boolean types, a value. 0 if
// that is not possible. Subsequent lines may be renumbered.
uint32_t red_null(struct red_module *module, uint32_t type);
uint32_t red_constant(struct red_module *module, uint32_t type, uint32_t value);
// Whether it is Boolean, or a 32-bit integer or float.
bool red_is_word(const struct red_module *module, uint32_t type);

// Replaces each id by with[id], transitively, unless that is 0. False on a cycle.
bool red_replace(struct red_module *module, uint32_t *with);

// Copies the names of ids from another module with the same ids.
void red_name(struct red_module *module, const struct red_module *named);

// Computes made, type and uses.
void red_module_index(struct red_module *module);
// Repairs a module after a change: drops removed lines, unreachable blocks and whatever only they
// used; replaces missing values by 0. False if something is missing that cannot be 0.
bool red_module_tidy(struct red_module *module);

// The number of instructions in functions, without labels, parameters and source lines.
size_t red_module_body(const struct red_module *module);

// --- Passes

// Results of loads and operations in a run of the kernel on the SIMT simulator.
struct red_values {
    uint32_t bound;
    uint8_t *state;  // per id: 0 never computed, 1 always the same value, 2 several
    uint32_t *value; // that value
};
void red_values_clear(struct red_values *values);

// A failing kernel to derive others from.
struct red_base {
    struct cat_package package;
    struct red_module module; // parsed from the package's words; no lines if that failed
    struct red_values values;
};
void red_base_clear(struct red_base *base);

struct red_run; // a pass at work: passes.c

struct red_pass {
    const char *name; // "fewer workgroups"
    // Looks at one line of the base's module; or once at the whole base.
    void (*line)(struct red_run *run, size_t at);
    void (*whole)(struct red_run *run);
    int how;
};

// The number of places where a pass applies.
size_t red_places(const struct red_pass *pass, const struct red_base *base);

// All passes in order, terminated by one without a name.
extern const struct red_pass red_passes[];

// Derives a kernel from a base by a pass. False if there is none, or if the result is obviously
// invalid. Clear the package in any case.
bool red_apply(const struct red_base *base, const struct red_pass *pass, const bool *chosen,
               struct cat_package *package);
// Adapts the interface to the module's words: drops buffers that the module does not declare, and
// takes its workgroup size. False if the kernel is then invalid or visibly undefined: more than
// `undefined` by red_undefined, or a division by a constant 0.
bool red_settle(struct cat_package *package, const struct red_module *module, size_t undefined);
// The number of OpUndef, and of conditional branches without merge block to a single target.
size_t red_undefined(const struct red_module *module);

// Copies a package without page, other modules and expectation.
void red_package_copy(const struct cat_package *from, struct cat_package *to);

#define RED_PARTS 16u // parts of a buffer's data that can be zeroed separately
// Whether a part contains anything other than 0 and poison.
bool red_has_data(const struct cat_package *package, const struct cat_binding *binding,
                  uint32_t part);

// A kernel's size: by instructions first, then declarations, invocations, buffers, numbers.
uint64_t red_weight(const struct red_base *base);
