// SPDX-License-Identifier: Apache-2.0
// The scheduler's knowledge of a program's control flow beyond its blocks, computed once per
// dispatch.
#pragma once

#include "program/program.h"

#include <stdbool.h>

struct flow {
    uint32_t *block_of; // [pc]
    bool *visible;      // [pc]: other invocations can observe its execution
    bool *special;      // [block]: some merge block, continue target or case
    bool quads;         // some instruction waits only for its quad: flow_is_quad
    uint32_t *falls;    // [block]: for a case, the case that it falls into, or UINT32_MAX
    bool *leaves; // [block]: leaves the innermost loop: no way to its header, not its merge block
};

// False: out of memory. Call flow_free in any case.
bool flow_find(struct flow *flow, const struct program *program);
void flow_free(struct flow *flow);

// Whether it waits only for its quad; other tangled instructions wait for the whole tangle.
bool flow_is_quad(const struct insn *insn);
