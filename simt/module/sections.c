// SPDX-License-Identifier: Apache-2.0
// The order of a module's sections: "Logical Layout of a Module" in the SPIR-V specification.
#include "module/reader.h"

static bool is_debug(uint32_t opcode)
{
    switch (opcode) {
    case SpvOpString:
    case SpvOpSourceExtension:
    case SpvOpSource:
    case SpvOpSourceContinued:
    case SpvOpName:
    case SpvOpMemberName:
    case SpvOpModuleProcessed:
        return true;
    default:
        return false;
    }
}

static bool is_annotation(uint32_t opcode)
{
    switch (opcode) {
    case SpvOpDecorate:
    case SpvOpMemberDecorate:
    case SpvOpDecorationGroup:
    case SpvOpGroupDecorate:
    case SpvOpGroupMemberDecorate:
    case SpvOpDecorateId:
    case SpvOpDecorateString:
    case SpvOpMemberDecorateString:
        return true;
    default:
        return false;
    }
}

static bool is_declaration(uint32_t opcode)
{
    switch (opcode) {
    case SpvOpTypeVoid:
    case SpvOpTypeBool:
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
    case SpvOpTypeVector:
    case SpvOpTypeMatrix:
    case SpvOpTypeArray:
    case SpvOpTypeRuntimeArray:
    case SpvOpTypeStruct:
    case SpvOpTypePointer:
    case SpvOpTypeForwardPointer:
    case SpvOpTypeFunction:
    case SpvOpTypeImage:
    case SpvOpTypeCooperativeMatrixKHR:
    case SpvOpConstantTrue:
    case SpvOpConstantFalse:
    case SpvOpConstant:
    case SpvOpConstantComposite:
    case SpvOpConstantNull:
    case SpvOpSpecConstantTrue:
    case SpvOpSpecConstantFalse:
    case SpvOpSpecConstant:
    case SpvOpSpecConstantComposite:
    case SpvOpSpecConstantOp:
    case SpvOpVariable:
    case SpvOpUndef:
        return true;
    default:
        return false;
    }
}

enum section section_of(uint32_t opcode)
{
    switch (opcode) {
    case SpvOpCapability:
        return SECTION_CAPABILITY;
    case SpvOpExtension:
        return SECTION_EXTENSION;
    case SpvOpExtInstImport:
        return SECTION_IMPORT;
    case SpvOpMemoryModel:
        return SECTION_MEMORY_MODEL;
    case SpvOpEntryPoint:
        return SECTION_ENTRY_POINT;
    case SpvOpExecutionMode:
    case SpvOpExecutionModeId:
        return SECTION_EXECUTION_MODE;
    case SpvOpFunction:
        return SECTION_FUNCTION;
    case SpvOpNop:
    case SpvOpLine:
    case SpvOpNoLine:
    case SpvOpExtInst: // non-semantic
    case SpvOpExtInstWithForwardRefsKHR:
        return SECTION_ANY;
    default:
        return is_debug(opcode)         ? SECTION_DEBUG
               : is_annotation(opcode)  ? SECTION_ANNOTATION
               : is_declaration(opcode) ? SECTION_DECLARATION
                                        : SECTION_BODY;
    }
}
