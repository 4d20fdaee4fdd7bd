// SPDX-License-Identifier: Apache-2.0
#include "isa/asking.h"

#include "isa/insn.h"

// `tainted` begins as what the exchange writes and grows by what is made of it. False if something
// else than a value is made of it before the block's last instruction.
static bool feeds_values(const struct sass_code *code, const struct flow_node *node, size_t insn,
                         struct sass_registers *tainted)
{
    for (size_t i = insn + 1; i + 1 < node->end; i++) {
        const struct sass_insn *at = &code->insns[i];
        if (registers_meet(&at->reads, tainted)) {
            if (at->op != SASS_OTHER && at->op != SASS_R2UR && !sass_is_exchange(at->op))
                return false;
            if (registers_empty(&at->writes) || (at->flags & SASS_UNKNOWN))
                return false;
            registers_add(tainted, &at->writes);
        } else if (!flow_is_conditional(at)) {
            registers_remove(tainted, &at->writes);
        }
    }
    return true;
}

bool asking_only(const struct sass_code *code, const struct flow *flow, size_t node, size_t insn)
{
    const struct flow_node *at = &flow->nodes[node];
    const struct sass_insn *last = flow_last(code, at);
    if (!code->operands || !(last->flags & (SASS_CONVERGED | SASS_DIVERGED)))
        return false;
    struct sass_registers tainted = code->insns[insn].writes;
    if (!feeds_values(code, at, insn, &tainted) || !registers_meet(&last->reads, &tainted))
        return false;
    return !flow_reads_later(code, flow, node, &tainted);
}
