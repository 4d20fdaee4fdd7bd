// SPDX-License-Identifier: Apache-2.0
// Makes a failing program small: takes steps away, unwraps constructs, makes conditions simple, as
// long as it goes on failing.
#pragma once

#include "generate/program.h"

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

// How large a program is: steps first, then conditions.
uint32_t gen_weight(const struct gen_program *program);
