// SPDX-License-Identifier: Apache-2.0
// What the scheduler knows of a program's control flow beyond its blocks: computed once for a
// dispatch.
#pragma once

#include "program/program.h"

#include <stdbool.h>

struct flow {
    uint32_t *block_of; // [pc]
    bool *visible;      // [pc]: other invocations can tell when it is executed
    bool *special;      // [block]: a merge block, continue target or case of something
    bool quads;         // some instruction waits for its quad alone: flow_is_quad
    uint32_t *falls; // [block]: for a case of a switch, the case that it falls into, or UINT32_MAX
    bool *leaves; // [block]: on the way out of the innermost loop around it: it cannot come back to
                  // that loop's header, and is not its merge block
};

// False: out of memory. Free with flow_free, also after a failure.
bool flow_find(struct flow *flow, const struct program *program);
void flow_free(struct flow *flow);

// Whether it waits for the invocations of its quad, where other tangled instructions wait for all
// of the tangle.
bool flow_is_quad(const struct insn *insn);
