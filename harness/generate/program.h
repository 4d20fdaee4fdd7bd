// SPDX-License-Identifier: Apache-2.0
// Programs drawn from a seed: tree, notation, shapes, and how a failing one is made smaller.
#pragma once

#include "base/error.h"
#include "base/random.h"
#include "base/text.h"
#include "generate/act.h"
#include "generate/masks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A generated program: structured control flow as a tree of steps, small enough to be copied. It is
// drawn from a seed, written and read as one line of text (notation.c), checked, and made into what
// generate/masks.h simulates. What it asks of a lane is made of the lane's input word, the lane's
// number and the iterations of the loops around.

#define GEN_STEPS    128  // steps that a program has at most
#define GEN_NESTING  12   // constructs within constructs
#define GEN_TURNS    4    // iterations that a loop has at most
#define GEN_SLOTS    256  // records of an invocation
#define GEN_TEXT_MAX 8192 // bytes of the notation, terminator included
#define GEN_CASES    4    // values that a selector has
#define GEN_NAME     48   // bytes of a place's name, terminator included

// What a condition or a selector is. `i` and `j` are the iterations of the outer and inner loop
// around; `loops` says which of them are added.
enum gen_value {
    GEN_NONE,       // of a loop that only a break or a return leaves
    GEN_TRUE,       // true
    GEN_BIT,        // word.AT+i+j    bit (AT + i + j) mod 32 of the lane's word
    GEN_LANE_BIT,   // lane.AT+i+j    bit AT of lane + i + j
    GEN_LANE_IS,    // lane=AT+i+j    the lane's number is AT + i + j
    GEN_ELECT,      // elect          the lane is elected: of maximal reconvergence only
    GEN_TRIPS,      // i<word.AT:2    fewer iterations than two bits of the word say
    GEN_BELOW,      // i<AT           fewer iterations than a constant
    GEN_PAST,       // i>=AT          so many iterations are done
    GEN_FIELD,      // word.AT:2+i+j  two bits of the word, from bit (AT + i + j) mod 32: a selector
    GEN_LANE_FIELD, // lane:2+i+j     two bits of lane + i + j: a selector
    // Of programs with data:
    GEN_GROUP_BIT,    // group.AT+i+j bit (AT + i + j) mod 32 of the workgroup's first word
    GEN_TRUTH,        // pAT          register pAT
    GEN_NUMBER_TRIPS, // i<uAT:2      fewer iterations than the lowest two bits of uAT say
    GEN_NUMBER_FIELD, // uAT:2+i+j    two bits of uAT + i + j: a selector
    GEN_VALUES,
    GEN_OWN = GEN_VALUES, // condition AT of the program's dialect
};

struct gen_condition {
    uint8_t value; // enum gen_value
    uint8_t at;
    uint8_t loops; // bit 0: i; bit 1: j
};

// Lists are chains of indices into the program's steps; 0 ends them.
struct gen_step {
    uint8_t kind;              // enum masks_kind
    struct gen_condition when; // IF, WHILE, DO; SWITCH: the selector
    uint8_t value;             // CASE; of a dialect LOOK, ELECT, NUMBER: which place
    bool is_default, falls;    // CASE
    uint8_t body;              // IF, WHILE, DO, SWITCH (its cases), CASE, CALL
    uint8_t other;             // IF: else; WHILE, DO: the continue construct
    uint8_t next;
    struct gen_act act; // ACT
};

// Programs without registers are of the family `reconvergence`: they look. Those with registers are
// of the family `groups`: they act, and every register is stored at the end.
struct gen_program {
    struct gen_step steps[GEN_STEPS + 1]; // step 0 is none; the others in the order of the text
    uint8_t count;                        // of steps
    uint8_t first;
    uint8_t numbers, truths;     // registers: GEN_NUMBERS at most, by four; 1 to GEN_TRUTHS, or 0
    struct gen_dialect *dialect; // NULL of generated programs
};

// The records of an invocation behind those of its places: the registers of a program with data,
// four a record, and the Boolean ones as the bits of a word.
uint32_t gen_registers_records(const struct gen_program *program);
// What the tests of its family are called: "groups".
const char *gen_family_of(uint32_t numbers);
const char *gen_family(const struct gen_program *program);

// What the notation has for kernels that are written by hand: conditions by name, the steps
//  leave           leaves the loop, also out of a switch inside it
//  'NAME'@SLOT     a place that looks: its name and its slot; behind the slot:
//    :N            a slot for each of N iterations of the outermost loop
//    :NxM          for each of N iterations of the outer and M of the inner loop
//    %N            the slot of iteration i is i modulo N
//  elect 'NAME'@SLOT, number 'NAME'@SLOT
//                  stores who is elected; the iteration of the innermost loop
struct gen_dialect {
    const char *const *conditions; // the names, NULL at the end
    masks_choice *const *choices;  // what they are worth
    struct gen_place {
        char name[GEN_NAME];
        uint32_t slot, by[MASKS_DEPTH], count, wrap; // as struct masks_step has them
    } places[GEN_STEPS];
    uint8_t used; // of these
};

// The name of a rule, as the axis `reconvergence` has it; the rule of a name, false if it is none.
const char *gen_rule_name(enum masks_rule rule);
bool gen_rule_find(const char *name, enum masks_rule *rule);

// How programs are drawn; docs/fuzzing.md says with which chances.
struct gen_limits {
    enum masks_rule rule;
    uint32_t steps; // about so many, at most GEN_STEPS / 2
    uint32_t depth; // constructs within constructs, at most GEN_NESTING / 2
    // Of programs with data; 0 registers: of the others.
    uint32_t numbers, truths;
    uint64_t features; // of the device, as bits 1 << enum cat_feature
    uint32_t subgroup; // the size in which it is to run: no cluster is larger
};

// Draws program number `index` of a seed: the same one on every machine. It passes gen_check.
void gen_draw(struct gen_program *program, const struct gen_limits *limits, uint64_t seed,
              uint64_t index);

// Whether a program is one: everything leads where it can, every loop ends within GEN_TURNS, and
// nothing is asked whose answer the rule leaves open. The step that is wrong is named by its number
// in the order of the text. A program must have passed this before anything else is done with it.
bool gen_check(const struct gen_program *program, enum masks_rule rule, struct lit_error *error);
// For each step, which operations the rule lets stand there (enum gen_needs), in how many loops it
// is, and the innermost construct around it (enum masks_kind; MASKS_END: none). The rules:
// docs/fuzzing.md.
struct gen_places {
    uint8_t allows[GEN_STEPS + 1], loops[GEN_STEPS + 1], around[GEN_STEPS + 1];
};
void gen_converge(const struct gen_program *program, enum masks_rule rule,
                  struct gen_places *places);
// The smallest subgroup in which a program makes sense; the features that its operations need.
uint32_t gen_least(const struct gen_program *program);
uint64_t gen_features(const struct gen_program *program);
// Draws what the steps of a program with data do, where they stand. `random` goes on.
void gen_draw_acts(struct gen_program *program, const struct gen_limits *limits,
                   struct lit_random *random);
// What the lanes of a workgroup hold at the end, by what the text of the specifications prescribes:
// the records of each, four words a record. words[lane] is its input.
void gen_interpret(const struct gen_program *program, uint32_t lanes, uint32_t subgroup,
                   const uint32_t *words, uint32_t *records);

// Brings the steps into the order of the text and drops those that are not reached.
void gen_tidy(struct gen_program *program);

// Appends the notation, "while i<word.14:2 { look } look"; that of one step without what is inside.
void gen_write(const struct gen_program *program, struct text *text);
void gen_write_step(const struct gen_step *step, struct text *text);
// Reads the notation; spaces and line ends part its words. Not trusted: false with an error that
// shows where. The program must still pass gen_check.
bool gen_read(const char *source, size_t length, struct gen_program *program,
              struct lit_error *error);
// The same with what a dialect has, whose places are filled: it must outlive the program, which is
// not for gen_check.
bool gen_read_in(struct gen_dialect *dialect, const char *source, size_t length,
                 struct gen_program *program, struct lit_error *error);

// What a condition or selector is worth to a lane.
uint32_t gen_value_of(const struct gen_condition *when, const struct masks_lane *lane);

// The same program as steps that masks_simulate takes. Free with free(). Places are called "look 1"
// and so on, in the order of the text; the slots of a place follow those of the place before.
struct gen_shape {
    struct masks_shape masks;
    struct masks_step steps[3 * GEN_STEPS + 4];
    char names[GEN_STEPS][GEN_NAME];
    const struct masks_step *of[GEN_STEPS + 1]; // of the program's step by its number
};
struct gen_shape *gen_shape_make(const struct gen_program *program);

// The word of one lane of subgroup number `instance`. Of eight subgroups in a row the lanes of one
// are alike, in others one lane differs, two halves, every other lane, or one bit of each.
uint32_t gen_word(uint64_t seed, uint64_t instance, uint32_t lane, uint32_t subgroup);

// Makes a failing program small: takes steps away, unwraps constructs, makes conditions simple, as
// long as it still fails.

enum gen_answer {
    GEN_PASSES,
    GEN_FAILS, // the candidate replaces the program
    GEN_STOP,  // no more tries: what is reached is kept
};

// Asks whether a candidate, which has passed gen_check, fails.
typedef enum gen_answer gen_fails(const struct gen_program *candidate, void *user);

// Replaces a program by smaller ones until no single change of the list below fails any more.
// Returns how many candidates were tried. Changes, for each step in the order of the text: the step
// goes, with all inside; what follows it goes; it is replaced by what is inside, one list or both,
// with or without what leaves it; its second list goes; a case does not fall; a loop counts; its
// condition becomes a simpler one. Each makes gen_weight less, so that an end is certain.
unsigned gen_shrink(struct gen_program *program, enum masks_rule rule, gen_fails *fails,
                    void *user);

// Takes out of a failing program all steps of one kind after another, constructs, operations and
// types of numbers, where it still fails without them: which kinds the failure needs is learned by
// one candidate for each. Returns how many were tried.
unsigned gen_strip(struct gen_program *program, enum masks_rule rule, gen_fails *fails, void *user);
// Appends which kinds a program has but for arithmetic of the lane: "reduce.u16 if while".
void gen_kinds(const struct gen_program *program, struct text *text);

// How large a program is: steps first, then conditions.
uint32_t gen_weight(const struct gen_program *program);
