// SPDX-License-Identifier: Apache-2.0
// Programs drawn from a seed: tree, notation, shapes, and shrinking.
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "generate/act.h"
#include "generate/masks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A generated program: structured control flow as a tree of steps, small enough to copy. It is
// drawn from a seed, written and parsed as one line of text (notation.c), checked, and translated
// for the simulator of generate/masks.h. Its conditions depend on a lane's input word, its number
// and the iterations of the enclosing loops.

#define GEN_STEPS    128  // limit on steps per program
#define GEN_NESTING  12   // limit on nested constructs
#define GEN_TURNS    4    // limit on a loop's iterations
#define GEN_LONG     32   // in programs with data
#define GEN_SLOTS    256  // records per invocation
#define GEN_TEXT_MAX 8192 // bytes of the notation, terminator included
#define GEN_CASES    4    // values of a selector
#define GEN_NAME     48   // bytes of a place's name, terminator included

// Conditions and selectors. `i` and `j` are the iterations of the enclosing outer and inner loop;
// `loops` says which of them are added.
enum gen_value {
    GEN_NONE,       // loops left only by a break or return
    GEN_TRUE,       // true
    GEN_BIT,        // word.AT+i+j    bit (AT + i + j) mod 32 of the lane's word
    GEN_LANE_BIT,   // lane.AT+i+j    bit AT of lane + i + j
    GEN_LANE_IS,    // lane=AT+i+j    the lane's number is AT + i + j
    GEN_ELECT,      // elect          the lane is elected (maximal reconvergence only)
    GEN_TRIPS,      // i<word.AT:2    iteration below two bits of the word
    GEN_BELOW,      // i<AT           iteration below a constant
    GEN_PAST,       // i>=AT          iteration at or above a constant
    GEN_FIELD,      // word.AT:2+i+j  two bits of the word, from bit (AT + i + j) mod 32: a selector
    GEN_LANE_FIELD, // lane:2+i+j     two bits of lane + i + j: a selector
    GEN_SUBGROUP_BIT, // subgroup.AT+i+j  bit AT of SubgroupId + i + j
    // In programs with data:
    GEN_GROUP_BIT,    // group.AT+i+j bit (AT + i + j) mod 32 of the workgroup's first word
    GEN_TRUTH,        // pAT          register pAT
    GEN_NUMBER_TRIPS, // i<uAT:2        iteration below the lowest two bits of uAT
    GEN_NUMBER_FIELD, // uAT:2+i+j    two bits of uAT + i + j: a selector
    GEN_LANE_FROM,    // lane>=AT+i+j the lane's number is at least AT + i + j
    GEN_LANE_STEP,    // lane>=AT<<i  at least AT << i or AT << j
    GEN_VALUES,
    GEN_OWN = GEN_VALUES, // condition AT of the program's dialect
};

struct gen_condition {
    uint8_t value; // enum gen_value
    uint8_t at;
    uint8_t loops; // bit 0: i; bit 1: j
};

// A condition's notation, in which % stands for AT: counts or shifts by an iteration, or may add
// them; is a selector. The limit on AT, where it is no register, and what it weighs: the knowledge
// needed to follow it.
struct gen_condition_form {
    const char *pattern;
    bool counts, adds, shifts, selects;
    uint8_t most, weight;
};
extern const struct gen_condition_form gen_conditions[GEN_VALUES];

// Lists are chains of indices into the program's steps, terminated by 0.
struct gen_step {
    uint8_t kind;              // enum masks_kind
    struct gen_condition when; // IF, WHILE, DO; SWITCH: the selector
    uint8_t value;             // CASE; LOOK, ELECT, NUMBER of a dialect: index of the place
    bool is_default, falls;    // CASE
    uint8_t body;              // IF, WHILE, DO, SWITCH (its cases), CASE, CALL
    uint8_t other;             // IF: else; WHILE, DO: continue construct
    uint8_t next;
    struct gen_act act; // ACT
};

static inline bool gen_is_loop(const struct gen_step *step)
{
    return step->kind == MASKS_WHILE || step->kind == MASKS_DO;
}

// Programs without registers belong to family `reconvergence`: their steps look around. Programs
// with registers belong to family `groups`: their steps operate on data, and all registers are
// stored at the end.
struct gen_program {
    struct gen_step steps[GEN_STEPS + 1]; // step 0 is none; others in text order
    uint8_t count;                        // number of steps
    uint8_t first;
    uint8_t numbers, truths;     // registers: numbers by four, truths at least 1; or none
    bool vulkan;                 // its module is under the memory model Vulkan, not GLSL450
    struct gen_dialect *dialect; // NULL for generated programs
};

// The number of records per invocation after those of its places: a program with data stores its
// registers, four per record, and the Boolean ones as bits of a word.
uint32_t gen_registers_records(const struct gen_program *program);
// The name of its family: "groups".
const char *gen_family_of(uint32_t numbers);
const char *gen_family(const struct gen_program *program);

// Extensions of the notation for hand-written kernels: conditions by name, and the steps
//  leave           leaves the loop, even from a switch inside it
//  'NAME'@SLOT     looks around at a place: its name and slot; after the slot:
//    :N            one slot for each of N iterations of the outermost loop
//    :NxM          one for each of N iterations of the outer and M of the inner loop
//    %N            iteration i uses slot i modulo N
//  elect 'NAME'@SLOT, number 'NAME'@SLOT
//                  stores whether the lane is elected; the innermost loop's iteration
struct gen_dialect {
    const char *const *conditions; // names, terminated by NULL
    masks_choice *const *choices;  // their functions
    struct gen_place {
        char name[GEN_NAME];
        uint32_t slot, by[MASKS_DEPTH], count, wrap; // as in struct masks_step
    } places[GEN_STEPS];
    uint8_t used; // number of places in use
};

// The name of a rule in the axis `reconvergence`; the rule of a name, false if there is none.
const char *gen_rule_name(enum masks_rule rule);
bool gen_rule_find(const char *name, enum masks_rule *rule);

// What programs with data are drawn to have more often than by chance.
enum gen_focus {
    GEN_PLAIN,
    GEN_EXITS,     // group operations behind loops that all lanes leave in nested selections
    GEN_SUBGROUPS, // conditions on SubgroupId
    GEN_VULKAN,    // the memory model Vulkan, which all others but plain ones have every other time
    GEN_ARITHMETIC, // bit fields, and arithmetic of other types than words
    GEN_ARRAYS,     // arrays, vectors, numbers of 8 and 16 bits in memory
    GEN_ADDRESSES,  // physical pointers, arrays of buffers
    GEN_MATRICES,   // products of cooperative matrices, under the memory model Vulkan
    // Programs of kernels.c, changed:
    GEN_NABLA,
    GEN_VELLO,
    GEN_LLAMA,
    GEN_PREFIX_SUMS,
    GEN_FOCUSES
};
extern const char *const gen_focus_names[GEN_FOCUSES];

// Limits for drawing programs; docs/fuzzing.md gives the probabilities.
struct gen_limits {
    enum masks_rule rule;
    uint32_t steps; // approximate, at most GEN_STEPS / 2
    uint32_t depth; // nested constructs, at most GEN_NESTING / 2
    // Programs with data; 0 registers: other programs.
    uint32_t numbers, truths, pressure; // `pressure`: what gen_press was given
    enum gen_focus focus;
    uint64_t features;    // of the device, as bits 1 << enum cat_feature
    const char *products; // dev_facts.products, borrowed; NULL or "": not known
    uint32_t subgroup;    // size in which it will run: an upper limit for clusters
};

// Gives programs with data their usual registers and `pressure` more, at most GEN_PRESSURE_MOST.
void gen_press(struct gen_limits *limits, uint32_t pressure);
#define GEN_PRESSURE_MOST (GEN_NUMBERS - 8)

// The arms of a campaign on a device with these features: every rule that it has, with each
// pressure and focus, of kernels without pressure; the strongest rule without either first. Sets
// all but sizes. Returns how many, at most GEN_ARMS.
#define GEN_ARMS 108
size_t gen_arms(uint64_t features, struct gen_limits arms[GEN_ARMS]);
// Names what a program is drawn with in so far as it is not usual: "maximal-p50-exits".
void gen_arm_name(const struct gen_limits *limits, char name[48]);

// Draws program number `index` of a seed, the same on every machine. It passes gen_check.
void gen_draw(struct gen_program *program, const struct gen_limits *limits, uint64_t seed,
              uint64_t index);

// Whether a program is valid: all links are sound, every loop ends within GEN_TURNS, and no
// condition depends on what the rule leaves open. The error gives a faulty step's number in the
// text. Only valid programs may be passed to other functions.
bool gen_check(const struct gen_program *program, enum masks_rule rule, struct lit_error *error);
// For each step: the operations that the rule permits there (enum gen_needs), the number of
// enclosing loops, and the innermost enclosing construct (enum masks_kind; MASKS_END: none).
// docs/fuzzing.md has the rules.
struct gen_places {
    uint8_t allows[GEN_STEPS + 1], loops[GEN_STEPS + 1], around[GEN_STEPS + 1];
};
void gen_converge(const struct gen_program *program, enum masks_rule rule,
                  struct gen_places *places);
// The smallest subgroup size in which a program makes sense; the features that it needs.
uint32_t gen_least(const struct gen_program *program);
// Whether an operation is on this type or kind of memory, or on an array of it.
bool gen_uses(const struct gen_program *program, enum gen_type type);
// The words of a buffer for the state of so many workgroups.
uint64_t gen_state_words(const struct gen_program *program, uint64_t workgroups,
                         uint32_t workgroup);
// Whether that buffer has arrays.
bool gen_has_blocks(const struct gen_program *program);
// Whether it has physical pointers.
bool gen_has_addresses(const struct gen_program *program);
// Whether it has products of cooperative matrices.
bool gen_multiplies(const struct gen_program *program);
// Whether it may have instructions of GLSL.std.450.
bool gen_extends(const struct gen_program *program);
// Whether a condition has this value.
bool gen_asks(const struct gen_program *program, enum gen_value value);
uint64_t gen_features(const struct gen_program *program);
// Computes what the specifications prescribe as the final records of a workgroup's lanes, four
// words per record. `input` has the words of all workgroups, one for each lane.
void gen_interpret(const struct gen_program *program, uint32_t lanes, uint32_t subgroup,
                   uint32_t group, const uint32_t *input, uint32_t *records);

// The focus must be a kernel.
//
// Program `number` of the kernel, from 0, for the limits' registers and subgroup size. It may need
// features that the device lacks. False behind the last.
bool gen_kernel_take(const struct gen_limits *limits, uint32_t number, struct gen_program *program);
// How many steps of a program were inserted, removed or replaced, compared with the nearest program
// of the kernel, which becomes *nearest; NULL: is not needed.
uint32_t gen_kernel_distance(const struct gen_program *program, const struct gen_limits *limits,
                             struct gen_program *nearest);

// Concatenates two lists; each may be empty.
uint8_t gen_join(struct gen_program *program, uint8_t first, uint8_t second);
// Sorts the steps into text order and drops unreachable ones.
void gen_tidy(struct gen_program *program);

// Appends the notation, "while i<word.14:2 { look } look"; that of a single step without its
// contents.
void gen_write(const struct gen_program *program, struct text *text);
void gen_write_step(const struct gen_step *step, struct text *text);
// Parses the notation, in which white space separates words. The input is untrusted: false with an
// error that shows the position. The program must still pass gen_check.
bool gen_read(const char *source, size_t length, struct gen_program *program,
              struct lit_error *error);
// The same with a dialect, whose places it fills. The dialect must outlive the program, which must
// not be passed to gen_check.
bool gen_read_in(struct gen_dialect *dialect, const char *source, size_t length,
                 struct gen_program *program, struct lit_error *error);

// Evaluates a condition or selector for a lane.
uint32_t gen_value_of(const struct gen_condition *when, const struct masks_lane *lane);

// Translates a program into steps for masks_simulate. Free with free(). Places are named "look 1"
// and so on in text order, and their slots are numbered consecutively.
struct gen_shape {
    struct masks_shape masks;
    struct masks_step steps[3 * GEN_STEPS + 4];
    char names[GEN_STEPS][GEN_NAME];
    const struct masks_step *of[GEN_STEPS + 1]; // by the program's step number
};
struct gen_shape *gen_shape_make(const struct gen_program *program);

// A lane's input word in subgroup number `instance`. Eight consecutive subgroups have different
// patterns: all lanes alike, one lane different, two halves, every other lane, or one bit of each.
uint32_t gen_word(uint64_t seed, uint64_t instance, uint32_t lane, uint32_t subgroup);

// Shrinks a failing program: removes steps, unwraps constructs, and simplifies conditions, as long
// as it still fails.

enum gen_answer {
    GEN_PASSES,
    GEN_FAILS, // the candidate replaces the program
    GEN_STOP,  // stop and keep the current program
};

// Tests whether a candidate that passed gen_check fails.
typedef enum gen_answer gen_fails(const struct gen_program *candidate, void *user);

// Replaces a program by smaller ones until no single change keeps it failing. Returns the number of
// candidates tried. For each step in text order, a change removes it with its contents; removes
// what follows it; replaces it by its contents, one list or both, with or without exits; removes
// its second list; stops a case from falling through; makes a loop count; or simplifies its
// condition; or takes a plainer one of the limits' products. Each lowers gen_weight, so the search
// ends. Of the limits the rule and the products matter.
unsigned gen_shrink(struct gen_program *program, const struct gen_limits *limits, gen_fails *fails,
                    void *user);

// The same, but each change lowers gen_kernel_distance. The kernel itself is tried first.
unsigned gen_near(struct gen_program *program, const struct gen_limits *kernel, gen_fails *fails,
                  void *user);

// Removes all steps of a kind at once from a failing program, kind by kind (constructs, operations,
// number types), and before them the memory model Vulkan, if it still fails without them: one
// candidate per kind shows which kinds the failure needs. Returns the number of candidates tried.
unsigned gen_strip(struct gen_program *program, enum masks_rule rule, gen_fails *fails, void *user);
// Appends the program's kinds, except lane-local arithmetic: "reduce.u16 if while vulkan".
void gen_kinds(const struct gen_program *program, struct text *text);

// A program's size: by steps first, then by conditions.
uint32_t gen_weight(const struct gen_program *program);
