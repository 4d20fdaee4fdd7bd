// SPDX-License-Identifier: Apache-2.0
// Writes instructions as the VULKAN dialect has them.
#include "axiomatic/program.h"

#include <inttypes.h>

static void put_parts(const struct axi_instruction *of, struct text *text)
{
    static const char *const scopes[] = {".sg", ".wg", ".qf", ".dv", ""};
    const bool is_access = of->kind <= AXI_RMW;
    if (of->kind == AXI_RMW && of->operator!= AXI_REPLACE)
        text_printf(text, ".%s", axi_word_of(AXI_COMPUTE, of->operator));
    text_puts(text, of->atomic ? ".atom" : "");
    text_puts(text, of->acquire ? ".acq" : "");
    text_puts(text, of->release ? ".rel" : "");
    text_puts(text, of->available && !of->atomic ? ".av" : "");
    text_puts(text, of->visible && !of->atomic ? ".vis" : "");
    text_puts(text, of->non_private && !of->available && !of->visible ? ".nonpriv" : "");
    text_puts(text, scopes[of->scope]);
    if (is_access)
        text_printf(text, ".sc%u", of->storage);
    for (int i = 0; i < AXI_STORAGE_CLASSES; i++)
        if (of->semantics >> i & 1)
            text_printf(text, ".semsc%d", i);
    text_puts(text, of->sem_available ? ".semav" : "");
    text_puts(text, of->sem_visible ? ".semvis" : "");
}

static void put_operand(const struct axi_operand *operand, struct text *text)
{
    if (operand->is_register)
        text_printf(text, "r%u", operand->number);
    else
        text_printf(text, "%" PRId64, operand->value);
}

void axi_write(const struct axi_program *program, const struct axi_instruction *of,
               struct text *text)
{
    const char *name = program->references[of->reference].name;
    text_puts(text, axi_word_of(of->kind, of->operator));
    if (of->kind <= AXI_CONTROL_BARRIER)
        put_parts(of, text);
    if (of->target < AXI_REGISTERS)
        text_printf(text, " r%u,", of->target);
    switch (of->kind) {
    case AXI_LOAD:
        text_printf(text, " %s", name);
        break;
    case AXI_STORE:
    case AXI_RMW:
        text_printf(text, " %s, ", name);
        put_operand(&of->a, text);
        break;
    case AXI_CONTROL_BARRIER:
        text_printf(text, " %u", (unsigned)of->barrier);
        break;
    case AXI_COMPUTE:
    case AXI_JUMP:
        text_puts(text, " ");
        if (of->operator!= AXI_ALWAYS) {
            put_operand(&of->a, text);
            text_puts(text, ", ");
            put_operand(&of->b, text);
        }
        if (of->kind == AXI_JUMP)
            text_printf(text, "%sL%u", of->operator!= AXI_ALWAYS ? ", " : "", (unsigned)of->to);
        break;
    default:
        break;
    }
}
