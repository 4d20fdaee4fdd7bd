// SPDX-License-Identifier: Apache-2.0
// What the subgroups of a workgroup know of each other's control flow. Whether all of a workgroup
// enters a construct in uniform control flow shows only as its subgroups come there, or go other
// ways; until something shows that they did not, they count as having done so.
//
// Every dynamic instance of a construct has a key, which is the same in all subgroups: it is made
// of the key of the construct around, of the step of that one's body at which it was opened, and of
// its header. A tangle is at a step of the innermost construct's body: a selection or loop in it,
// an iteration of a loop and a branch that leads out of it are one step each.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Instances of which something is known. A new one takes the place of an old one: to forget makes
// control flow count as uniform.
enum { UNIFORM_PLACES = 1024 };

struct uniform_place {
    uint64_t key;
    uint32_t target;      // the block that the first lanes chose at the header
    uint32_t left_at;     // the first step at which lanes left the body
    bool parted, escaped; // others chose another block; lanes left it, not to its merge block
};

struct uniform {
    uint64_t root; // the key of the entry point's body, another one for each workgroup
    struct uniform_place places[UNIFORM_PLACES];
};

uint64_t uniform_key(uint64_t outer, uint32_t step, uint32_t header, uint32_t target);

// Lanes chose a block at the header; left the body at a step, `escaping` if not to the merge block.
void uniform_choose(struct uniform *uniform, uint64_t key, uint32_t target);
void uniform_leave(struct uniform *uniform, uint64_t key, uint32_t step, bool escaping);

// Whether it is known that some invocation which entered the construct is not at this step of its
// body; that some will not leave it by its merge block.
bool uniform_parted(const struct uniform *uniform, uint64_t key, uint32_t step);
bool uniform_escaped(const struct uniform *uniform, uint64_t key);
