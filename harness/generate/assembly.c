// SPDX-License-Identifier: Apache-2.0
// Writes a generated module as the text of a test: its head, then its words, instruction by
// instruction.
#include "generate/module.h"

#include <assert.h>
#include <spirv/unified1/spirv.h>
#include <stdlib.h>
#include <string.h>

// What an operand is: T type, R result, i id, n number, s text; the others are enumerants: C
// capability, A addressing model, M memory model, E execution model, X execution mode, D decoration
// with what follows it, S storage class, F function control, L selection or loop control. What
// stands behind '(' comes any number of times.
static const struct {
    uint32_t opcode;
    const char *name, *operands;
} instructions[] = {
    {SpvOpCapability, "OpCapability", "C"},
    {SpvOpExtension, "OpExtension", "s"},
    {SpvOpMemoryModel, "OpMemoryModel", "AM"},
    {SpvOpEntryPoint, "OpEntryPoint", "Eis(i"},
    {SpvOpExecutionMode, "OpExecutionMode", "iX(n"},
    {SpvOpDecorate, "OpDecorate", "iD"},
    {SpvOpMemberDecorate, "OpMemberDecorate", "inD"},
    {SpvOpTypeVoid, "OpTypeVoid", "R"},
    {SpvOpTypeFunction, "OpTypeFunction", "R(i"},
    {SpvOpTypeBool, "OpTypeBool", "R"},
    {SpvOpTypeInt, "OpTypeInt", "Rnn"},
    {SpvOpTypeVector, "OpTypeVector", "Rin"},
    {SpvOpTypeRuntimeArray, "OpTypeRuntimeArray", "Ri"},
    {SpvOpTypeStruct, "OpTypeStruct", "R(i"},
    {SpvOpTypePointer, "OpTypePointer", "RSi"},
    {SpvOpConstantTrue, "OpConstantTrue", "TR"},
    {SpvOpConstant, "OpConstant", "TRn"},
    {SpvOpSpecConstant, "OpSpecConstant", "TRn"},
    {SpvOpSpecConstantComposite, "OpSpecConstantComposite", "TR(i"},
    {SpvOpVariable, "OpVariable", "TRS"},
    {SpvOpFunction, "OpFunction", "TRFi"},
    {SpvOpFunctionParameter, "OpFunctionParameter", "TR"},
    {SpvOpFunctionEnd, "OpFunctionEnd", ""},
    {SpvOpFunctionCall, "OpFunctionCall", "TR(i"},
    {SpvOpLabel, "OpLabel", "R"},
    {SpvOpPhi, "OpPhi", "TR(i"},
    {SpvOpLoopMerge, "OpLoopMerge", "iiL"},
    {SpvOpSelectionMerge, "OpSelectionMerge", "iL"},
    {SpvOpBranch, "OpBranch", "i"},
    {SpvOpBranchConditional, "OpBranchConditional", "iii"},
    {SpvOpSwitch, "OpSwitch", "ii(ni"},
    {SpvOpReturn, "OpReturn", ""},
    {SpvOpUnreachable, "OpUnreachable", ""},
    {SpvOpLoad, "OpLoad", "TRi"},
    {SpvOpStore, "OpStore", "ii"},
    {SpvOpAccessChain, "OpAccessChain", "TR(i"},
    {SpvOpCompositeExtract, "OpCompositeExtract", "TRi(n"},
    {SpvOpCompositeConstruct, "OpCompositeConstruct", "TR(i"},
    {SpvOpIAdd, "OpIAdd", "TRii"},
    {SpvOpIMul, "OpIMul", "TRii"},
    {SpvOpShiftRightLogical, "OpShiftRightLogical", "TRii"},
    {SpvOpBitwiseAnd, "OpBitwiseAnd", "TRii"},
    {SpvOpSelect, "OpSelect", "TRiii"},
    {SpvOpIEqual, "OpIEqual", "TRii"},
    {SpvOpINotEqual, "OpINotEqual", "TRii"},
    {SpvOpULessThan, "OpULessThan", "TRii"},
    {SpvOpUGreaterThanEqual, "OpUGreaterThanEqual", "TRii"},
    {SpvOpGroupNonUniformElect, "OpGroupNonUniformElect", "TRi"},
    {SpvOpGroupNonUniformBallot, "OpGroupNonUniformBallot", "TRii"},
};

static const struct {
    char kind;
    uint32_t value;
    const char *name;
} enumerants[] = {
    {'C', SpvCapabilityShader, "Shader"},
    {'C', SpvCapabilityGroupNonUniform, "GroupNonUniform"},
    {'C', SpvCapabilityGroupNonUniformBallot, "GroupNonUniformBallot"},
    {'A', SpvAddressingModelLogical, "Logical"},
    {'M', SpvMemoryModelGLSL450, "GLSL450"},
    {'E', SpvExecutionModelGLCompute, "GLCompute"},
    {'X', SpvExecutionModeLocalSize, "LocalSize"},
    {'X', 6023, "MaximallyReconvergesKHR"},
    {'X', 4421, "SubgroupUniformControlFlowKHR"},
    {'D', SpvDecorationSpecId, "SpecId"},
    {'D', SpvDecorationBuiltIn, "BuiltIn"},
    {'D', SpvDecorationBlock, "Block"},
    {'D', SpvDecorationArrayStride, "ArrayStride"},
    {'D', SpvDecorationOffset, "Offset"},
    {'D', SpvDecorationDescriptorSet, "DescriptorSet"},
    {'D', SpvDecorationBinding, "Binding"},
    {'B', SpvBuiltInWorkgroupSize, "WorkgroupSize"},
    {'B', SpvBuiltInSubgroupLocalInvocationId, "SubgroupLocalInvocationId"},
    {'B', SpvBuiltInSubgroupId, "SubgroupId"},
    {'B', SpvBuiltInWorkgroupId, "WorkgroupId"},
    {'S', SpvStorageClassInput, "Input"},
    {'S', SpvStorageClassStorageBuffer, "StorageBuffer"},
    {'S', SpvStorageClassPushConstant, "PushConstant"},
    {'F', 0, "None"},
    {'L', 0, "None"},
};

static const char *enumerant(char kind, uint32_t value)
{
    for (size_t i = 0; i < sizeof enumerants / sizeof *enumerants; i++)
        if (enumerants[i].kind == kind && enumerants[i].value == value)
            return enumerants[i].name;
    assert(!"an enumerant that the emitter does not use");
    return "";
}

// Appends the text that begins at word `at`; returns its last word.
static size_t put_text(const uint32_t *words, size_t at, struct text *text)
{
    text_puts(text, " \"");
    for (;; at++)
        for (uint32_t i = 0; i < 4; i++) {
            const char c = (char)(words[at] >> 8 * i);
            if (!c) {
                text_puts(text, "\"");
                return at;
            }
            text_append(text, &c, 1);
        }
}

// Appends the operands of an instruction of `count` words.
static void put_operands(const struct gen_module *module, const uint32_t *words, const char *kinds,
                         struct text *text)
{
    const size_t count = words[0] >> 16;
    const char *again = strchr(kinds, '('), *kind = kinds;
    for (size_t at = 1; at < count; at++) {
        if (!*kind || *kind == '(')
            kind = again + 1;
        switch (*kind) {
        case 'R':
            break;
        case 's':
            at = put_text(words, at, text);
            break;
        case 'n':
            text_printf(text, " %u", words[at]);
            break;
        case 'i':
        case 'T':
            text_printf(text, " %%%s", module->names[words[at]]);
            break;
        default:
            text_printf(text, " %s", enumerant(*kind, words[at]));
        }
        kind = *kind != 'D' ? kind + 1 : words[at] == SpvDecorationBuiltIn ? "B" : "n";
    }
}

static void put_instruction(const struct gen_module *module, const uint32_t *words,
                            struct text *text)
{
    size_t which = 0;
    while (instructions[which].opcode != (words[0] & 0xffff))
        which++;
    const char *kinds = instructions[which].operands, *result = strchr(kinds, 'R');
    if (result)
        text_printf(text, "%%%-20s = ", module->names[words[1 + (result - kinds)]]);
    else
        text_printf(text, "%24s", "");
    text_puts(text, instructions[which].name);
    put_operands(module, words, kinds, text);
    text_puts(text, "\n");
}

void gen_instructions(const struct gen_module *module, struct text *text)
{
    size_t noted = 0;
    for (size_t at = 5; at < module->count; at += module->words[at] >> 16) {
        const bool is_function = (module->words[at] & 0xffff) == SpvOpFunction;
        for (; noted < module->note_count && module->notes[noted].at == at; noted++)
            text_printf(text, "\n; %s\n", module->notes[noted].text);
        if (is_function && (!noted || module->notes[noted - 1].at != at))
            text_puts(text, "\n");
        put_instruction(module, module->words + at, text);
    }
}

// The head

static void put_program(const struct gen_program *program, struct text *text)
{
    struct text notation = {0};
    size_t width = 0;
    gen_write(program, &notation);
    text_puts(text, "; program     ");
    for (char *save = NULL, *word = strtok_r(notation.data, " ", &save); word;
         word = strtok_r(NULL, " ", &save)) {
        if (width && width + strlen(word) > 80) {
            text_puts(text, "\n;             ");
            width = 0;
        }
        text_printf(text, " %s", word);
        width += strlen(word) + 1;
    }
    text_puts(text, "\n");
    text_free(&notation);
}

static const char *const spec[] = {
    [MASKS_DEFAULT] = "; spec         SPIR-V 2.2.5, Uniform Control Flow: if all of the workgroup "
                      "entered a selection\n"
                      ";              or a loop together and all left it by its merge block, they "
                      "are together there\n"
                      "; spec         SPIR-V 2.2.5, Dynamic Instance: invocations stay together as "
                      "long as they take\n"
                      ";              the same way; those that took different ways may meet at the "
                      "same instruction\n",
    [MASKS_SUBGROUP_UNIFORM] =
        "; spec         SPV_KHR_subgroup_uniform_control_flow: the rule of SPIR-V 2.2.5 for each\n"
        ";              subgroup: if all of it entered a selection or a loop together and all left "
        "it by\n"
        ";              its merge block, they are together there\n"
        "; spec         SPIR-V 2.2.5, Dynamic Instance: invocations stay together as long as they "
        "take\n"
        ";              the same way; those that took different ways may meet at the same "
        "instruction\n",
    [MASKS_MAXIMAL] =
        "; spec         SPV_KHR_maximal_reconvergence, Reconvergence: invocations that entered a\n"
        ";              selection, a loop, an iteration or a call together are together at its "
        "merge\n"
        ";              block, its continue target, its return, but those that escaped from it\n"
        "; spec         SPV_KHR_maximal_reconvergence, Non-reconvergence: nowhere else do they "
        "meet\n",
};

static const char *const expects[] = {
    [MASKS_DEFAULT] = "what was uniform for the workgroup is again, and who took the same way is "
                      "together;\n;              more is not demanded",
    [MASKS_SUBGROUP_UNIFORM] = "what was uniform for the subgroup is again, and who took the same "
                               "way is together;\n;              more is not demanded",
    [MASKS_MAXIMAL] = "one mask is prescribed at each place; behind a case that several selectors\n"
                      ";              reach, joined or not",
};

void gen_head(const struct gen_title *title, const struct gen_program *program, struct text *text)
{
    text_printf(
        text,
        "; SPDX-License-Identifier: Apache-2.0\n;\n"
        "; litmus       %s\n"
        "; asks         which lanes execute together in this generated program?\n"
        "; fails        lanes were together that the rule keeps apart, or apart that the rule "
        "brings together\n"
        "; origin       %s\n%s"
        "; axis reconvergence   %s\n"
        "; sweep workgroup 0    64 128 256\n"
        "; expect       forbidden : %s\n",
        title->name, title->origin, spec[title->rule], gen_rule_name(title->rule),
        expects[title->rule]);
    put_program(program, text);
    text_puts(text, "; oracle       reconvergence.generated\n");
}

void gen_assembly(const struct gen_title *title, const struct gen_program *program,
                  struct text *text)
{
    struct gen_module module;
    gen_module_make(program, title->rule, &module);
    gen_head(title, program, text);
    text_printf(text, "%s%s\n", title->remark ? ";\n" : "", title->remark ? title->remark : "");
    gen_instructions(&module, text);
    gen_module_clear(&module);
}
