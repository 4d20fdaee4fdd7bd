// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of nvdisasm's text: instructions that make sense, or an error of one line.
#include "fuzz.h"

#include "isa/sass.h"

#include <string.h>

static void check_insn(const struct sass_code *code, size_t index)
{
    const struct sass_insn *insn = &code->insns[index];
    MUST(insn->address == index * SASS_BYTES && sass_at(code, insn->address) == index);
    MUST(insn->text && insn->text[0]);
    for (const char *c = insn->text; *c; c++)
        MUST(*c >= 0x20 && *c < 0x7f);
    MUST(insn->target == SASS_NOWHERE || sass_at(code, insn->target) < code->count);
    MUST(insn->guard <= 7 && insn->barrier >= -1 && insn->barrier <= 15 && insn->op < SASS_OPS);
    MUST(insn->op == SASS_OTHER || !(insn->flags & SASS_UNKNOWN));
    MUST(insn->guard == 7 ||
         ((insn->guard_uniform ? insn->reads.up : insn->reads.p) >> insn->guard & 1));
    MUST(!(insn->reads.p >> 7) && !(insn->writes.p >> 7) && !(insn->reads.ur >> 63));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sass_code code;
    struct lit_error error = {0};
    if (sass_parse((const char *)data, size, 90, &code, &error)) {
        MUST(code.count > 0 && code.architecture == 90);
        for (size_t i = 0; i < code.count; i++)
            check_insn(&code, i);
    } else {
        MUST(error.message[0] && !strpbrk(error.message, "\n\r\033") && code.count == 0);
    }
    sass_code_clear(&code);
    return 0;
}
