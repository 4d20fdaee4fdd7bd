// SPDX-License-Identifier: Apache-2.0
// What a workgroup's subgroups know of each other's control flow. Whether the whole workgroup
// enters a construct in uniform control flow becomes known only as its subgroups reach it or take
// other paths; until proven otherwise, it counts as uniform.
//
// Every dynamic instance of a construct has a key that is the same in all subgroups, derived from
// the enclosing construct's key, the step of that one's body at which it was opened, and its
// header. A tangle is at a step of the innermost construct's body: each selection or loop in it,
// each iteration of a loop and each branch out of it is one step.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Known instances. New ones evict old ones: forgotten control flow counts as uniform.
enum { UNIFORM_PLACES = 1024 };

struct uniform_place {
    uint64_t key;
    uint32_t target;      // block chosen by the first lanes at the header
    uint32_t left_at;     // first step at which lanes left the body
    bool parted, escaped; // others chose another block; lanes left it other than to its merge block
};

struct uniform {
    uint64_t root; // key of the entry point's body, different for each workgroup
    struct uniform_place places[UNIFORM_PLACES];
};

uint64_t uniform_key(uint64_t outer, uint32_t step, uint32_t header, uint32_t target);

// Lanes chose a block at the header; left the body at a step, `escaping` unless to the merge block.
void uniform_choose(struct uniform *uniform, uint64_t key, uint32_t target);
void uniform_leave(struct uniform *uniform, uint64_t key, uint32_t step, bool escaping);

// Whether it is known that some invocation that entered the construct is not at this step of its
// body; that some will not leave it by its merge block.
bool uniform_parted(const struct uniform *uniform, uint64_t key, uint32_t step);
bool uniform_escaped(const struct uniform *uniform, uint64_t key);
