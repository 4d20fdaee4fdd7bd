// SPDX-License-Identifier: Apache-2.0
// Modules made of words, for tests: one that is good, and parts that are added to it.
#pragma once

#include "../unit/unit.h"

#include "base/text.h"
#include "module/module.h"

static inline void module_drop(struct module **module)
{
    module_free(*module);
}

#define OP(name, length) ((uint32_t)(length) << 16 | SpvOp##name)
#define WORDS(...)       __VA_ARGS__, END
#define END              0xffffffffu // ends a list of words

enum { BOUND = 400, WORDS_MAX = 4096 };

// Ids of every module made here. Others are from ID_FREE.
enum {
    ID_VOID = 1,
    ID_MAIN_TYPE,
    ID_MAIN,
    ID_MAIN_LABEL,
    ID_UINT,
    ID_FLOAT,
    ID_BOOL,
    ID_VEC2,
    ID_VEC3,
    ID_ONE,
    ID_THREE,
    ID_SPEC, // a specialisation constant, 5 by default
    ID_GLSL,
    ID_FREE = 20,
};

// A module in parts; each part may be NULL and replaces or adds to what is usual.
struct parts {
    const uint32_t *capabilities; // added, with extensions and imports
    const uint32_t *memory_model; // instead
    const uint32_t *modes;        // instead
    const uint32_t *names;        // added, with annotations
    const uint32_t *declarations; // added
    const uint32_t *body;         // added, before OpReturn
    const uint32_t *after;        // added behind the function
};

struct assembly {
    uint32_t words[WORDS_MAX], count;
};

static inline void add(struct assembly *assembly, const uint32_t *words)
{
    for (; words && *words != END; words++) {
        assert_true(assembly->count < WORDS_MAX);
        assembly->words[assembly->count++] = *words;
    }
}

static inline void assemble(struct assembly *assembly, const struct parts *parts)
{
    static const uint32_t capabilities[] = {
        WORDS(SpvMagicNumber, 0x00010500, 0, BOUND, 0, OP(Capability, 2), SpvCapabilityShader)};
    static const uint32_t memory_model[] = {
        WORDS(OP(MemoryModel, 3), SpvAddressingModelLogical, SpvMemoryModelGLSL450)};
    static const uint32_t entry[] = {
        WORDS(OP(EntryPoint, 5), SpvExecutionModelGLCompute, ID_MAIN, 0x6e69616d, 0)}; // "main"
    static const uint32_t modes[] = {
        WORDS(OP(ExecutionMode, 6), ID_MAIN, SpvExecutionModeLocalSize, 64, 2, 1)};
    static const uint32_t declarations[] = {WORDS(OP(TypeVoid, 2), ID_VOID,                   //
                                                  OP(TypeFunction, 3), ID_MAIN_TYPE, ID_VOID, //
                                                  OP(TypeInt, 4), ID_UINT, 32, 0,             //
                                                  OP(TypeFloat, 3), ID_FLOAT, 32,             //
                                                  OP(TypeBool, 2), ID_BOOL,                   //
                                                  OP(TypeVector, 4), ID_VEC2, ID_FLOAT, 2,    //
                                                  OP(TypeVector, 4), ID_VEC3, ID_FLOAT, 3,    //
                                                  OP(Constant, 4), ID_UINT, ID_ONE, 1,        //
                                                  OP(Constant, 4), ID_UINT, ID_THREE, 3,      //
                                                  OP(SpecConstant, 4), ID_UINT, ID_SPEC, 5)};
    static const uint32_t function[] = {
        WORDS(OP(Function, 5), ID_VOID, ID_MAIN, 0, ID_MAIN_TYPE, OP(Label, 2), ID_MAIN_LABEL)};
    static const uint32_t end[] = {WORDS(OP(Return, 1), OP(FunctionEnd, 1))};
    assembly->count = 0;
    add(assembly, capabilities);
    add(assembly, parts->capabilities);
    add(assembly, parts->memory_model ? parts->memory_model : memory_model);
    add(assembly, entry);
    add(assembly, parts->modes ? parts->modes : modes);
    add(assembly, parts->names);
    add(assembly, declarations);
    add(assembly, parts->declarations);
    add(assembly, function);
    add(assembly, parts->body);
    add(assembly, end);
    add(assembly, parts->after);
}

static inline struct module *read_parts(const struct parts *parts)
{
    struct assembly assembly;
    assemble(&assembly, parts);
    char error[200] = "";
    struct module *module =
        module_read(assembly.words, assembly.count, "main", error, sizeof error);
    if (!module)
        fail_msg("%s", error);
    return module;
}

static inline void expect_error(const uint32_t *words, size_t count, const char *wanted)
{
    char error[200] = "";
    struct module *module = module_read(words, count, "main", error, sizeof error);
    if (module)
        fail_msg("accepted, where this was expected: %s", wanted);
    // "word N: " depends on what is usual in these modules.
    const char *text = strncmp(error, "word ", 5) ? error : strchr(error, ':') + 2;
    assert_string_equal(text, wanted);
}

static inline void expect_parts_error(const struct parts *parts, const char *wanted)
{
    struct assembly assembly;
    assemble(&assembly, parts);
    expect_error(assembly.words, assembly.count, wanted);
}
