// SPDX-License-Identifier: Apache-2.0
// Reading modules: what a good one says, and what is refused with which words.
#include "words.h"

TEST(a_small_module_is_read)
{
    struct assembly assembly;
    assemble(&assembly, &(struct parts){0});
    char error[200];
    OWNED(module_drop)
    struct module *module =
        module_read(assembly.words, assembly.count, "main", error, sizeof error);
    assert_non_null(module);
    assert_int_equal(module->version, 0x00010500);
    assert_int_equal(module->bound, BOUND);
    assert_int_equal(module->entry, ID_MAIN);
    assert_int_equal(module->interface_count, 0);
    assert_int_equal(module->local_size[0], 64);
    assert_int_equal(module->local_size[1], 2);
    assert_int_equal(module->local_size[2], 1);
    assert_int_equal(module->first_declaration, 5 + 2 + 3 + 5 + 6);
    assert_int_equal(module->words[module->first_function], OP(Function, 5));
    assert_int_equal(module->ids[ID_MAIN].kind, ID_FUNCTION);
    assert_int_equal(module->ids[ID_MAIN_LABEL].kind, ID_LABEL);
    assert_int_equal(module->ids[ID_ONE].kind, ID_CONSTANT);
    assert_int_equal(module->ids[ID_ONE].type, ID_UINT);
    assert_int_equal(module->ids[ID_FREE].kind, ID_UNDEFINED);
    assert_int_equal(module->ids[ID_ONE].decorations.set, UINT32_MAX);
    assert_int_equal(module->ids[ID_ONE].decorations.spec_id, UINT32_MAX);
    assert_int_equal(module_type(module, ID_VEC3)->cells, 3);
    assert_int_equal(module_type_of(module, ID_ONE)->width, 32);
    const uint32_t odd[] = {0, ID_ONE, ID_FREE, BOUND, UINT32_MAX};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(module_type(module, odd[i])->kind, TYPE_NONE);
        assert_int_equal(module_size(module, odd[i], true), 0);
        assert_int_equal(module_offset(module, odd[i], 7, false), 0);
    }
    assert_int_equal(module_type_of(module, UINT32_MAX)->kind, TYPE_NONE);
}

TEST(the_other_byte_order_is_read)
{
    struct assembly assembly;
    assemble(&assembly, &(struct parts){0});
    for (uint32_t i = 0; i < assembly.count; i++)
        assembly.words[i] = __builtin_bswap32(assembly.words[i]);
    char error[200];
    OWNED(module_drop)
    struct module *module =
        module_read(assembly.words, assembly.count, "main", error, sizeof error);
    assert_non_null(module);
    assert_int_equal(module->words[0], SpvMagicNumber);
    assert_int_equal(module->local_size[0], 64);
}

TEST(wrong_headers_are_refused)
{
    const struct {
        uint32_t word, value;
        const char *wanted;
    } cases[] = {
        {0, 0x464c457f, "not SPIR-V: it begins with 0x464c457f"},
        {1, 0x00010700, "SPIR-V version 0x00010700 is not supported"},
        {1, 0x00020000, "SPIR-V version 0x00020000 is not supported"},
        {1, 0x00000900, "SPIR-V version 0x00000900 is not supported"},
        {1, 0x00010501, "SPIR-V version 0x00010501 is not supported"},
        {3, 0, "a bound of 0 ids, where 1 to 1048576 are supported"},
        {3, 1048577, "a bound of 1048577 ids, where 1 to 1048576 are supported"},
        {4, 1, "instruction schema 1 is not supported"},
    };
    struct assembly assembly;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assemble(&assembly, &(struct parts){0});
        assembly.words[cases[i].word] = cases[i].value;
        expect_error(assembly.words, assembly.count, cases[i].wanted);
    }
    expect_error(assembly.words, 4, "a module of 4 words is too short");
    expect_error(assembly.words, 0, "a module of 0 words is too short");
    expect_error(assembly.words, MODULE_WORDS_MAX + 1, "a module of 16777217 words is too long");
}

TEST(versions_1_0_to_1_6_are_read)
{
    struct assembly assembly;
    assemble(&assembly, &(struct parts){0});
    for (uint32_t minor = 0; minor <= 6; minor++) {
        assembly.words[1] = 0x00010000 | minor << 8;
        char error[200];
        OWNED(module_drop)
        struct module *module =
            module_read(assembly.words, assembly.count, "main", error, sizeof error);
        assert_non_null(module);
    }
}

TEST(a_module_that_is_cut_is_refused)
{
    struct assembly assembly;
    assemble(&assembly, &(struct parts){0});
    for (uint32_t count = 0; count < assembly.count; count++) {
        // On the heap, so that a sanitizer sees what reads behind it.
        OWNED(lit_free) uint32_t *words = malloc(count ? count * sizeof *words : 1);
        assert_non_null(words);
        memcpy(words, assembly.words, count * sizeof *words);
        char error[200] = "";
        assert_null(module_read(words, count, "main", error, sizeof error));
        assert_int_not_equal(error[0], 0);
    }
}

TEST(errors_name_the_word)
{
    struct assembly assembly;
    assemble(&assembly, &(struct parts){0});
    uint32_t at = 5 + 2 + 3 + 5 + 6; // the first declaration
    assembly.words[at] = OP(TypeVoid, 200);
    char error[200];
    assert_null(module_read(assembly.words, assembly.count, "main", error, sizeof error));
    assert_non_null(strstr(error, "word 21: OpTypeVoid of 200 words, where"));
    char tiny[6] = "......";
    assert_null(module_read(assembly.words, assembly.count, "main", tiny, 5));
    assert_memory_equal(tiny, "word\0.", 6);
    assert_null(module_read(assembly.words, assembly.count, "main", NULL, 0));
}

// One part of an otherwise good module that makes it wrong.
#define PART(part, ...)                                                                            \
    {                                                                                              \
        .part = (const uint32_t[])                                                                 \
        {                                                                                          \
            WORDS(__VA_ARGS__)                                                                     \
        }                                                                                          \
    }

static const struct {
    const char *wanted;
    struct parts parts;
} refused[] = {
    {"capability Geometry is not supported",
     PART(capabilities, OP(Capability, 2), SpvCapabilityGeometry)},
    {"capability RoundingModeRTZ is not supported",
     PART(capabilities, OP(Capability, 2), SpvCapabilityRoundingModeRTZ)},
    {"capability 54321 is not supported", PART(capabilities, OP(Capability, 2), 54321)},
    {"malformed OpCapability", PART(capabilities, OP(Capability, 1))},
    {"extension SPV?x is not supported",
     PART(capabilities, OP(Extension, 3), 0x0a565053, 0x00000078)},
    {"malformed OpExtension", PART(capabilities, OP(Extension, 2), 0x41414141)},
    {"extended instruction set CL is not supported",
     PART(capabilities, OP(ExtInstImport, 3), ID_FREE, 0x00004c43)},
    {"the name in OpExtInstImport does not end", PART(capabilities, OP(ExtInstImport, 2), ID_FREE)},
    {"memory model 0 is not supported", PART(memory_model, OP(MemoryModel, 3), 0, 0)},
    {"addressing model 2 is not supported", PART(memory_model, OP(MemoryModel, 3), 2, 1)},
    {"OpMemoryModel is given twice",
     PART(memory_model, OP(MemoryModel, 3), 0, 1, OP(MemoryModel, 3), 0, 1)},
    {"OpMemoryModel is missing", PART(memory_model, OP(Nop, 1))},
    {"the entry point has no local size", PART(modes, OP(Nop, 1))},
    {"a local size of 0", PART(modes, OP(ExecutionMode, 6), ID_MAIN, 17, 1, 0, 1)},
    {"malformed LocalSize", PART(modes, OP(ExecutionMode, 5), ID_MAIN, 17, 1, 1)},
    {"LocalSizeId: %5 is not a constant of 32 bits",
     PART(modes, OP(ExecutionModeId, 6), ID_MAIN, 38, ID_ONE, ID_ONE, ID_UINT)},
    {"malformed LocalSize", PART(modes, OP(ExecutionMode, 6), ID_MAIN, 38, ID_ONE, ID_ONE, ID_ONE)},
    {"the local size is given twice", PART(modes, OP(ExecutionMode, 6), ID_MAIN, 17, 1, 1, 1,
                                           OP(ExecutionMode, 6), ID_MAIN, 17, 1, 1, 1)},
    {"execution mode RoundingModeRTZ (4463) is not supported",
     PART(modes, OP(ExecutionMode, 4), ID_MAIN, 4463, 32)},
    {"entry point 'main' is given twice", PART(modes, OP(EntryPoint, 5), 5, ID_MAIN, 0x6e69616d, 0,
                                               OP(ExecutionMode, 6), ID_MAIN, 17, 1, 1, 1)},
    {"malformed OpEntryPoint", PART(modes, OP(EntryPoint, 4), 5, ID_MAIN, 0x6e69616d)},
    {"OpEntryPoint comes too late",
     PART(names, OP(Name, 3), 1, 0, OP(EntryPoint, 5), 5, ID_MAIN, 0x6e69616d, 0)},
    {"malformed OpName", PART(names, OP(Name, 3), BOUND, 0)},
    {"malformed OpName", PART(names, OP(Name, 3), ID_ONE, 0x41414141)},
    {"malformed OpName", PART(names, OP(Name, 2), ID_ONE)},
    {"a decoration of %399, which is not defined",
     PART(names, OP(Decorate, 3), 399, SpvDecorationBlock)},
    {"a decoration of %4294967294, which is not defined",
     PART(names, OP(Decorate, 3), 0xfffffffe, SpvDecorationBlock)},
    {"malformed OpDecorate", PART(names, OP(Decorate, 2), ID_ONE)},
    {"decoration 34 with 0 numbers",
     PART(names, OP(Decorate, 3), ID_ONE, SpvDecorationDescriptorSet)},
    {"a stride of 0", PART(names, OP(Decorate, 4), ID_ONE, SpvDecorationArrayStride, 0)},
    {"a rounding mode other than RTE is not supported",
     PART(names, OP(Decorate, 4), ID_ONE, SpvDecorationFPRoundingMode, 1)},
    {"a decoration of member 0 of %6, which does not exist",
     PART(names, OP(MemberDecorate, 5), ID_FLOAT, 0, SpvDecorationOffset, 0)},
    {"WorkgroupSize: %10 is not a constant of three integers",
     PART(names, OP(Decorate, 4), ID_ONE, SpvDecorationBuiltIn, SpvBuiltInWorkgroupSize)},
    {"malformed OpGroupDecorate", PART(names, OP(GroupDecorate, 3), ID_ONE, ID_ONE)},
    {"malformed OpGroupMemberDecorate",
     PART(names, OP(DecorationGroup, 2), ID_FREE, OP(GroupMemberDecorate, 3), ID_FREE, ID_ONE)},
    {"OpTypeInt of 48 bits", PART(declarations, OP(TypeInt, 4), ID_FREE, 48, 0)},
    {"malformed OpTypeInt", PART(declarations, OP(TypeInt, 3), ID_FREE, 32)},
    {"malformed OpTypeInt", PART(declarations, OP(TypeInt, 4), ID_FREE, 32, 2)},
    {"OpTypeFloat of 8 bits", PART(declarations, OP(TypeFloat, 3), ID_FREE, 8)},
    {"OpTypeFloat of 16 bits with encoding 1 is not supported",
     PART(declarations, OP(TypeFloat, 4), ID_FREE, 16, 1)},
    {"OpTypeFloat of 32 bits with encoding 0 is not supported",
     PART(declarations, OP(TypeFloat, 4), ID_FREE, 32, 0)},
    {"OpTypeVector with 9 components", PART(declarations, OP(TypeVector, 4), ID_FREE, ID_FLOAT, 9)},
    {"OpTypeVector with 1 components", PART(declarations, OP(TypeVector, 4), ID_FREE, ID_FLOAT, 1)},
    {"malformed OpTypeVector", PART(declarations, OP(TypeVector, 4), ID_FREE, ID_VEC2, 2)},
    {"OpTypeVector of %20, which is not a type that it can hold",
     PART(declarations, OP(TypeVector, 4), ID_FREE, ID_FREE, 2)},
    {"malformed OpTypeMatrix", PART(declarations, OP(TypeMatrix, 4), ID_FREE, ID_FLOAT, 2)},
    {"OpTypeMatrix with 5 columns", PART(declarations, OP(TypeMatrix, 4), ID_FREE, ID_VEC2, 5)},
    {"OpTypeArray of %1, which is not a type that it can hold",
     PART(declarations, OP(TypeArray, 4), ID_FREE, ID_VOID, ID_ONE)},
    {"OpTypeArray: the length %6 is not an integer constant",
     PART(declarations, OP(TypeArray, 4), ID_FREE, ID_UINT, ID_FLOAT)},
    {"OpTypeArray: the length %4294967294 is not an integer constant",
     PART(declarations, OP(TypeArray, 4), ID_FREE, ID_UINT, 0xfffffffe)},
    {"OpTypeArray of runtime arrays", PART(declarations, OP(TypeRuntimeArray, 3), ID_FREE, ID_UINT,
                                           OP(TypeArray, 4), ID_FREE + 1, ID_FREE, ID_ONE)},
    {"a runtime array is not a struct's last member",
     PART(declarations, OP(TypeRuntimeArray, 3), ID_FREE, ID_UINT, OP(TypeStruct, 4), ID_FREE + 1,
          ID_FREE, ID_UINT)},
    {"OpTypeStruct of %20, which is not a type that it can hold",
     PART(declarations, OP(TypeStruct, 3), ID_FREE, ID_FREE)},
    {"OpTypeStruct defines %1 again", PART(declarations, OP(TypeStruct, 2), ID_VOID)},
    {"OpTypeStruct has the result %0, where the bound is 400",
     PART(declarations, OP(TypeStruct, 2), 0)},
    {"OpTypeStruct has the result %400, where the bound is 400",
     PART(declarations, OP(TypeStruct, 2), BOUND)},
    {"OpTypeStruct of 1 words has no result", PART(declarations, OP(TypeStruct, 1))},
    {"OpTypeImage: supported are storage images of 1 to 3 dimensions in the formats R32i, R32ui "
     "and R32f",
     PART(declarations, OP(TypeImage, 9), ID_FREE, ID_FLOAT, 1, 0, 0, 0, 2, 0)},
    {"storage class Output (3) is not supported",
     PART(declarations, OP(TypePointer, 4), ID_FREE, SpvStorageClassOutput, ID_UINT)},
    {"OpTypePointer to %20, which is not a type that it can point to",
     PART(declarations, OP(TypePointer, 4), ID_FREE, SpvStorageClassPrivate, ID_FREE)},
    {"1 OpTypeForwardPointer without OpTypePointer",
     PART(declarations, OP(TypeForwardPointer, 3), ID_FREE, SpvStorageClassPhysicalStorageBuffer)},
    {"OpTypePointer and OpTypeForwardPointer differ",
     PART(declarations, OP(TypeForwardPointer, 3), ID_FREE, SpvStorageClassPhysicalStorageBuffer,
          OP(TypePointer, 4), ID_FREE, SpvStorageClassStorageBuffer, ID_UINT)},
    {"OpTypeForwardPointer of storage class Private (6)",
     PART(declarations, OP(TypeForwardPointer, 3), ID_FREE, SpvStorageClassPrivate)},
    {"OpTypeForwardPointer of %5, which is defined",
     PART(declarations, OP(TypeForwardPointer, 3), ID_UINT, SpvStorageClassPhysicalStorageBuffer)},
    {"malformed OpTypeFunction",
     PART(declarations, OP(TypeFunction, 4), ID_FREE, ID_VOID, ID_VOID)},
    {"OpConstant has the result type %10, which is not a type",
     PART(declarations, OP(Constant, 4), ID_ONE, ID_FREE, 0)},
    {"malformed OpConstant", PART(declarations, OP(Constant, 5), ID_UINT, ID_FREE, 0, 0)},
    {"malformed OpConstant", PART(declarations, OP(Constant, 4), ID_BOOL, ID_FREE, 0)},
    {"malformed OpConstantTrue", PART(declarations, OP(ConstantTrue, 3), ID_UINT, ID_FREE)},
    {"malformed OpConstantNull", PART(declarations, OP(ConstantNull, 3), ID_VOID, ID_FREE)},
    {"OpConstantComposite of 1 parts, where its type has 2",
     PART(declarations, OP(ConstantComposite, 4), ID_VEC2, ID_FREE, ID_ONE)},
    {"OpConstantComposite: %10 is not a constant of type %6",
     PART(declarations, OP(ConstantComposite, 5), ID_VEC2, ID_FREE, ID_ONE, ID_ONE)},
    {"malformed OpVariable", PART(declarations, OP(Variable, 4), ID_UINT, ID_FREE, 6)},
    {"malformed OpVariable", PART(declarations, OP(TypePointer, 4), ID_FREE, 6, ID_UINT,
                                  OP(Variable, 4), ID_FREE, ID_FREE + 1, 4)},
    {"OpVariable of storage class Function outside a function",
     PART(declarations, OP(TypePointer, 4), ID_FREE, 7, ID_UINT, OP(Variable, 4), ID_FREE,
          ID_FREE + 1, 7)},
    {"OpVariable: the initializer %5 is not a constant",
     PART(declarations, OP(TypePointer, 4), ID_FREE, 6, ID_UINT, OP(Variable, 5), ID_FREE,
          ID_FREE + 1, 6, ID_UINT)},
    {"malformed OpExtInst", PART(declarations, OP(ExtInst, 5), ID_VOID, ID_FREE, ID_ONE, 1)},
    {"OpIAdd is not supported outside functions",
     PART(declarations, OP(IAdd, 5), ID_UINT, ID_FREE, ID_ONE, ID_ONE)},
    {"opcode 60000 is not known", PART(declarations, 0x00010000 | 60000)},
    {"OpDecorate comes too late",
     PART(declarations, OP(Decorate, 3), ID_ONE, SpvDecorationRestrict)},
    {"OpTypeInt inside a function", PART(body, OP(TypeInt, 4), ID_FREE, 16, 0)},
    {"OpFunction inside a function",
     PART(body, OP(Function, 5), ID_VOID, ID_FREE, 0, ID_MAIN_TYPE)},
    {"OpIAdd defines %10 again", PART(body, OP(IAdd, 5), ID_UINT, ID_ONE, ID_ONE, ID_ONE)},
    {"OpIAdd of 2 words has no result", PART(body, OP(IAdd, 2), ID_UINT)},
    {"OpIAdd has the result type %0, which is not a type",
     PART(body, OP(IAdd, 5), 0, ID_FREE, ID_ONE, ID_ONE)},
    {"function %20 does not end", PART(after, OP(Function, 5), ID_VOID, ID_FREE, 0, ID_MAIN_TYPE)},
    {"OpFunction: %5 is not a function type with this result",
     PART(after, OP(Function, 5), ID_VOID, ID_FREE, 0, ID_UINT)},
    {"OpTypeInt comes too late", PART(after, OP(TypeInt, 4), ID_FREE, 16, 0)},
    {"OpFunctionEnd is not supported outside functions", PART(after, OP(FunctionEnd, 1))},
    {"OpNop of 0 words, where 1 are left", PART(after, 0)},
};

TEST(what_is_wrong_is_refused_by_name)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        expect_parts_error(&refused[i].parts, refused[i].wanted);
}

TEST(the_entry_point_that_was_asked_for_counts)
{
    struct assembly assembly;
    char error[200];
    // "other" is of the model Vertex and has modes that are not supported.
    const struct parts parts = {
        .modes = (const uint32_t[]){WORDS(
            OP(EntryPoint, 5), SpvExecutionModelVertex, ID_FREE, 0x6e69616d, 0,          //
            OP(ExecutionMode, 6), ID_MAIN, SpvExecutionModeLocalSize, 8, 1, 1,           //
            OP(ExecutionMode, 3), ID_FREE, SpvExecutionModeOriginUpperLeft,              //
            OP(ExecutionMode, 3), ID_MAIN, SpvExecutionModeMaximallyReconvergesKHR,      //
            OP(ExecutionMode, 4), ID_MAIN, SpvExecutionModeSignedZeroInfNanPreserve, 32, //
            OP(ExecutionMode, 3), ID_MAIN, SpvExecutionModeSubgroupUniformControlFlowKHR)},
        .after =
            (const uint32_t[]){WORDS(OP(Function, 5), ID_VOID, ID_FREE, 0, ID_MAIN_TYPE,
                                     OP(Label, 2), ID_FREE + 1, OP(Return, 1), OP(FunctionEnd, 1))},
    };
    struct module *module = read_parts(&parts);
    assert_int_equal(module->entry, ID_MAIN);
    assert_int_equal(module->local_size[0], 8);
    assert_true(module->maximally_reconverges);
    assert_true(module->subgroup_uniform);
    assert_false(module->vulkan_memory_model);
    module_free(module);
    module = read_parts(&(struct parts){0});
    assert_false(module->maximally_reconverges);
    assert_false(module->subgroup_uniform);
    module_free(module);
    assemble(&assembly, &parts);
    assert_null(module_read(assembly.words, assembly.count, "mai", error, sizeof error));
    assert_string_equal(error, "no entry point 'mai' of model GLCompute");
}

TEST(the_local_size_may_be_constants)
{
    const struct parts by_id = {
        .modes = (const uint32_t[]){WORDS(OP(ExecutionModeId, 6), ID_MAIN,
                                          SpvExecutionModeLocalSizeId, ID_SPEC, ID_ONE, ID_THREE)}};
    struct module *module = read_parts(&by_id);
    assert_int_equal(module->local_size[0], 0);
    assert_int_equal(module->local_size_id[0], ID_SPEC);
    assert_int_equal(module->local_size_id[2], ID_THREE);
    assert_int_equal(module->workgroup_size, 0);
    module_free(module);
    const struct parts by_builtin = {
        .names = (const uint32_t[]){WORDS(OP(Decorate, 4), ID_FREE + 1, SpvDecorationBuiltIn,
                                          SpvBuiltInWorkgroupSize)},
        .declarations = (const uint32_t[]){WORDS(OP(TypeVector, 4), ID_FREE, ID_UINT, 3,
                                                 OP(SpecConstantComposite, 6), ID_FREE, ID_FREE + 1,
                                                 ID_SPEC, ID_ONE, ID_ONE)}};
    module = read_parts(&by_builtin);
    assert_int_equal(module->workgroup_size, ID_FREE + 1);
    assert_int_equal(module->local_size[0], 0); // the mode says 64
    module_free(module);
}

TEST(what_a_reader_need_not_know_is_passed_over)
{
    const struct parts parts = {
        .capabilities = (const uint32_t[]){WORDS(OP(Extension, 8), 0x5f565053, 0x5f52484b,
                                                 0x5f6e6f6e, 0x616d6573, 0x6369746e, 0x666e695f,
                                                 0x0000006f, // SPV_KHR_non_..
                                                 OP(ExtInstImport, 6), ID_FREE, 0x536e6f4e,
                                                 0x6e616d65, 0x2e636974, 0x58, // NonSemantic.X
                                                 OP(ExtInstImport, 6), ID_GLSL, 0x4c534c47,
                                                 0x6474732e, 0x3035342e, 0)},
        .names = (const uint32_t[]){WORDS(OP(String, 3), ID_FREE + 1, 0x00000061, //
                                          OP(Source, 3), 2, 460,                  //
                                          OP(Decorate, 3), ID_ONE, 0,             //
                                          OP(DecorateId, 4), ID_ONE, 27, ID_THREE)},
        .declarations = (const uint32_t[]){WORDS(OP(ExtInst, 6), ID_VOID, ID_FREE + 2, ID_FREE, 1,
                                                 ID_FREE + 1, //
                                                 OP(Line, 4), ID_FREE + 1, 1, 1, OP(NoLine, 1))},
        .body = (const uint32_t[]){WORDS(OP(Line, 4), ID_FREE + 1, 1, 1,                   //
                                         OP(ExtInst, 5), ID_VOID, ID_FREE + 3, ID_FREE, 2, //
                                         OP(Undef, 3), ID_UINT, ID_FREE + 5)},
        .after = (const uint32_t[]){WORDS(OP(ExtInst, 5), ID_VOID, ID_FREE + 4, ID_FREE, 3)},
    };
    OWNED(module_drop) struct module *module = read_parts(&parts);
    assert_int_equal(module->glsl, ID_GLSL);
    assert_int_equal(module->ids[ID_FREE].kind, ID_EXTENDED);
    assert_int_equal(module->ids[ID_FREE + 1].kind, ID_OTHER);
    assert_int_equal(module->ids[ID_FREE + 2].kind, ID_OTHER);
    assert_int_equal(module->ids[ID_FREE + 3].kind, ID_VALUE);
    assert_int_equal(module->ids[ID_FREE + 4].kind, ID_OTHER);
    assert_int_equal(module->ids[ID_FREE + 5].kind, ID_VALUE);
}

TEST(models_of_memory_are_noted)
{
    const struct parts parts =
        PART(memory_model, OP(MemoryModel, 3), SpvAddressingModelPhysicalStorageBuffer64,
             SpvMemoryModelVulkan);
    OWNED(module_drop) struct module *module = read_parts(&parts);
    assert_true(module->physical_addresses);
    assert_true(module->vulkan_memory_model);
}

enum { A_STRUCT = ID_FREE, A_POINTER, A_VARIABLE, A_GROUP, A_MEMBER_GROUP, AN_ARRAY };

TEST(decorations_reach_ids_members_and_groups)
{
    const struct parts parts = {
        .names = (const uint32_t[]){WORDS(
            OP(Name, 4), A_VARIABLE, 0x61746164, 0,                     // "data"
            OP(Name, 3), A_POINTER, 0,                                  // ""
            OP(Decorate, 4), A_GROUP, SpvDecorationDescriptorSet, 2,    //
            OP(Decorate, 3), A_GROUP, SpvDecorationCoherent,            //
            OP(Decorate, 4), A_GROUP, SpvDecorationArrayStride, 16,     //
            OP(DecorationGroup, 2), A_GROUP,                            //
            OP(Decorate, 4), A_MEMBER_GROUP, SpvDecorationOffset, 48,   //
            OP(Decorate, 3), A_MEMBER_GROUP, SpvDecorationNonWritable,  //
            OP(DecorationGroup, 2), A_MEMBER_GROUP,                     //
            OP(GroupDecorate, 4), A_GROUP, A_VARIABLE, AN_ARRAY,        //
            OP(GroupMemberDecorate, 4), A_MEMBER_GROUP, A_STRUCT, 1,    //
            OP(Decorate, 4), A_VARIABLE, SpvDecorationBinding, 3,       //
            OP(Decorate, 3), A_STRUCT, SpvDecorationBufferBlock,        //
            OP(Decorate, 4), ID_SPEC, SpvDecorationSpecId, 9,           //
            OP(MemberDecorate, 5), A_STRUCT, 0, SpvDecorationOffset, 4, //
            OP(MemberDecorate, 4), A_STRUCT, 0, SpvDecorationCoherent,  //
            OP(MemberDecorate, 4), A_STRUCT, 0, SpvDecorationVolatile,  //
            OP(MemberDecorate, 4), A_STRUCT, 0, SpvDecorationRowMajor,  //
            OP(MemberDecorate, 5), A_STRUCT, 0, SpvDecorationBuiltIn, SpvBuiltInSubgroupId)},
        .declarations =
            (const uint32_t[]){
                WORDS(OP(TypeArray, 4), AN_ARRAY, ID_UINT, ID_THREE,                   //
                      OP(TypeStruct, 4), A_STRUCT, ID_UINT, ID_UINT,                   //
                      OP(TypePointer, 4), A_POINTER, SpvStorageClassUniform, A_STRUCT, //
                      OP(Variable, 4), A_POINTER, A_VARIABLE, SpvStorageClassUniform)},
    };
    OWNED(module_drop) struct module *module = read_parts(&parts);
    const struct id *variable = &module->ids[A_VARIABLE];
    assert_int_equal(variable->kind, ID_VARIABLE);
    assert_string_equal(variable->name, "data");
    assert_null(module->ids[A_POINTER].name);
    assert_int_equal(variable->decorations.set, 2);
    assert_int_equal(variable->decorations.binding, 3);
    assert_true(variable->decorations.coherent);
    assert_false(variable->decorations.is_volatile);
    assert_int_equal(module_type(module, AN_ARRAY)->stride, 16);
    assert_int_equal(module->ids[ID_SPEC].decorations.spec_id, 9);
    const struct type *type = module_type(module, A_STRUCT);
    assert_true(type->block);
    assert_true(type->buffer_block);
    assert_int_equal(type->members[0].offset, 4);
    assert_true(type->members[0].is_volatile);
    assert_true(type->members[0].coherent);
    assert_false(type->members[0].non_writable);
    assert_true(type->members[0].row_major);
    assert_int_equal(type->members[0].builtin, SpvBuiltInSubgroupId);
    assert_int_equal(type->members[1].offset, 48);
    assert_true(type->members[1].non_writable);
    assert_false(type->members[1].coherent);
    assert_int_equal(type->members[1].builtin, UINT32_MAX);
}

TEST(names_are_spirvs_own)
{
    assert_string_equal(module_op_name(SpvOpIAdd), "OpIAdd");
    assert_string_equal(module_op_name(SpvOpGroupNonUniformShuffle), "OpGroupNonUniformShuffle");
    assert_string_equal(module_op_name(60000), "Unknown");
    assert_true(module_knows_capability(SpvCapabilityGroupNonUniformRotateKHR));
    assert_true(module_knows_capability(SpvCapabilityDeviceGroup)); // Vulkan 1.1 has it
    assert_true(module_knows_extension("SPV_KHR_device_group"));
    assert_false(module_knows_capability(SpvCapabilityKernel));
    assert_true(module_knows_extension("SPV_KHR_maximal_reconvergence"));
    assert_false(module_knows_extension("SPV_KHR_maximal"));
    assert_true(module_knows_extension("SPV_KHR_shader_ballot"));
    assert_true(module_knows_extension("SPV_KHR_subgroup_vote"));
    assert_true(module_knows_capability(SpvCapabilitySubgroupBallotKHR));
    assert_true(module_knows_capability(SpvCapabilitySubgroupVoteKHR));
    assert_false(module_knows_extension("SPV_EXT_shader_tile_image"));
}
