// SPDX-License-Identifier: Apache-2.0
// Compiler faults in arithmetic: components, signs and saturation, quotients, bit fields, carries.
#include "program/miscompile.h"

// The number of an instruction of GLSL.std.450; 0: it is of SPIR-V itself.
static uint32_t extended(const struct edit *edit, const struct insn *insn)
{
    return insn->opcode == SpvOpExtInst ? edit->c->module->words[insn->at + 4] : 0;
}

static bool is_bound(uint32_t number)
{
    return (number >= GLSLstd450FMin && number <= GLSLstd450SClamp) ||
           (number >= GLSLstd450NMin && number <= GLSLstd450NClamp);
}

bool site_splat(struct edit *edit, uint32_t pc)
{
    struct insn *insn = &edit->program->insns[pc];
    if (insn->kind != INSN_PLAIN || insn->components < 2 ||
        !((insn->opcode >= SpvOpIAdd && insn->opcode <= SpvOpFMod) ||
          is_bound(extended(edit, insn))) ||
        !edit_takes(edit, pc))
        return true;
    return edit_replace(edit, pc, &insn->operand[1],
                        (struct insn){.run = miscompiled_splat, .components = insn->components});
}

// Whether a clamp has the lower bound 0, as a saturation.
static bool is_saturation(const struct edit *edit, const struct insn *insn)
{
    const uint32_t number = extended(edit, insn);
    uint64_t low;
    return (number == GLSLstd450FClamp || number == GLSLstd450NClamp) &&
           edit_constant(edit, insn->operand[1], &low) && !low;
}

bool site_modifier(struct edit *edit, uint32_t pc)
{
    struct insn *insn = &edit->program->insns[pc];
    const uint32_t number = extended(edit, insn);
    if (insn->kind == INSN_PLAIN && insn->run != compose_copy &&
        (insn->opcode == SpvOpSNegate || insn->opcode == SpvOpFNegate || number == GLSLstd450FAbs ||
         number == GLSLstd450SAbs || is_saturation(edit, insn)) &&
        edit_takes(edit, pc))
        edit_make_copy(insn, insn->operand[0], insn->components);
    else if (insn->run == matrix_multiply_add && insn->flags & MATRIX_SATURATING &&
             edit_takes(edit, pc))
        insn->flags &= (uint16_t)~MATRIX_SATURATING;
    return true;
}

static const struct insn *find_sum(const struct edit *edit, uint32_t cell)
{
    const struct program *program = edit->program;
    for (uint32_t pc = 0; pc < program->insn_count; pc++)
        if (program->insns[pc].opcode == SpvOpIAdd && program->insns[pc].result == cell)
            return &program->insns[pc];
    return NULL;
}

bool site_distribute(struct edit *edit, uint32_t pc)
{
    const struct insn quotient = edit->program->insns[pc];
    if (quotient.opcode != SpvOpUDiv && quotient.opcode != SpvOpSDiv)
        return true;
    const struct insn *found = find_sum(edit, quotient.operand[0]);
    if (!found || !edit_takes(edit, pc))
        return true;
    const struct insn sum = *found;
    struct insn parts[2] = {quotient, quotient};
    for (uint32_t i = 0; i < 2; i++) {
        parts[i].id = 0;
        parts[i].operand[0] = sum.operand[i];
        if (!compile_new_cells(edit->c, quotient.components, &parts[i].result) ||
            !edit_add(edit, edit_block(edit, pc), pc, &quotient, parts[i]))
            return false;
    }
    struct insn *whole = &edit->program->insns[pc + 2];
    whole->run = sum.run;
    whole->opcode = sum.opcode;
    whole->operand[0] = parts[0].result;
    whole->operand[1] = parts[1].result;
    return true;
}

bool site_field(struct edit *edit, uint32_t pc)
{
    struct insn *insn = &edit->program->insns[pc];
    const bool inserts = insn->opcode == SpvOpBitFieldInsert;
    if ((!inserts && insn->opcode != SpvOpBitFieldSExtract &&
         insn->opcode != SpvOpBitFieldUExtract) ||
        !edit_takes(edit, pc))
        return true;
    return edit_replace(edit, pc, &insn->operand[inserts ? 3 : 2],
                        (struct insn){.run = miscompiled_mask, .components = 1, .literal = 31});
}

bool site_carry(struct edit *edit, uint32_t pc)
{
    struct insn *insn = &edit->program->insns[pc];
    if ((insn->opcode == SpvOpIAdd || insn->opcode == SpvOpISub) && insn->width == 64 &&
        edit_takes(edit, pc))
        insn->run = miscompiled_carry;
    return true;
}
