// SPDX-License-Identifier: Apache-2.0
// GLSL.std.450, except for what only fragment shaders have.
#include "exec/extended.h"

insn_run *select_extended(const struct insn_shape *shape, struct insn *insn)
{
    static insn_select *const parts[] = {
        select_extended_float,
        select_extended_integer,
        select_extended_geometry,
        select_extended_pack,
    };
    if (shape->opcode != SpvOpExtInst || !shape->has_result)
        return NULL;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        insn_run *const run = parts[i](shape, insn);
        if (run)
            return run;
    }
    return NULL;
}
