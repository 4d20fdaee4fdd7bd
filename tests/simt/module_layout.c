// SPDX-License-Identifier: Apache-2.0
// Lengths of arrays, and the room that types take in registers and in memory.
#include "words.h"

// Constants as they are by default; specialisation constants as the test says.
struct values {
    const struct module *module;
    uint64_t spec;
    uint32_t asked;
};

static bool constant_value(void *user, uint32_t id, uint64_t *value)
{
    struct values *values = user;
    const uint32_t *words = values->module->words + values->module->ids[id].at;
    values->asked++;
    if ((words[0] & 0xffff) == SpvOpSpecConstant)
        *value = values->spec;
    else if ((words[0] & 0xffff) == SpvOpConstant)
        *value = words[3];
    else
        return false;
    return true;
}

static bool specialise(struct module *module, uint64_t spec, char *error, size_t size)
{
    struct values values = {module, spec, 0};
    return module_specialise(module, 1, constant_value, &values, error, size);
}

static struct module *specialised(const struct parts *parts, uint64_t spec)
{
    struct module *module = read_parts(parts);
    char error[200] = "";
    if (!specialise(module, spec, error, sizeof error))
        fail_msg("%s", error);
    return module;
}

enum {
    T_INT8 = ID_FREE,
    T_INT64,
    T_MAT,
    T_MATS,
    T_LIST,
    T_TAIL,
    T_INNER,
    T_OUTER,
    T_LOOSE,
    T_FREE
};

// struct inner { vec3; int8; }, struct outer { mat2x3 row-major [2] stride 32/8; inner [spec]
// stride 16; uint [] }, and a struct without layout.
static const uint32_t layout_names[] = {
    WORDS(OP(Decorate, 4), T_MATS, SpvDecorationArrayStride, 32,           //
          OP(Decorate, 4), T_LIST, SpvDecorationArrayStride, 16,           //
          OP(Decorate, 4), T_TAIL, SpvDecorationArrayStride, 4,            //
          OP(MemberDecorate, 5), T_INNER, 0, SpvDecorationOffset, 0,       //
          OP(MemberDecorate, 5), T_INNER, 1, SpvDecorationOffset, 12,      //
          OP(MemberDecorate, 5), T_OUTER, 0, SpvDecorationOffset, 16,      //
          OP(MemberDecorate, 5), T_OUTER, 0, SpvDecorationMatrixStride, 8, //
          OP(MemberDecorate, 4), T_OUTER, 0, SpvDecorationRowMajor,        //
          OP(MemberDecorate, 5), T_OUTER, 1, SpvDecorationOffset, 80,      //
          OP(MemberDecorate, 5), T_OUTER, 2, SpvDecorationOffset, 256)};
static const uint32_t layout_declarations[] = {
    WORDS(OP(TypeInt, 4), T_INT8, 8, 1,                       //
          OP(TypeInt, 4), T_INT64, 64, 1,                     //
          OP(TypeMatrix, 4), T_MAT, ID_VEC3, 2,               //
          OP(TypeArray, 4), T_MATS, T_MAT, ID_THREE,          //
          OP(TypeStruct, 4), T_INNER, ID_VEC3, T_INT8,        //
          OP(TypeArray, 4), T_LIST, T_INNER, ID_SPEC,         //
          OP(TypeRuntimeArray, 3), T_TAIL, ID_UINT,           //
          OP(TypeStruct, 5), T_OUTER, T_MATS, T_LIST, T_TAIL, //
          OP(TypeStruct, 6), T_LOOSE, T_INT8, T_INT64, ID_BOOL, T_INT8)};

TEST(types_take_the_room_that_they_say)
{
    OWNED(module_drop)
    struct module *module =
        specialised(&(struct parts){.names = layout_names, .declarations = layout_declarations}, 6);
    assert_int_equal(module_type(module, T_LIST)->count, 6);
    assert_int_equal(module_type(module, T_MATS)->count, 3);
    assert_int_equal(module_type(module, T_MAT)->cells, 6);
    assert_int_equal(module_type(module, T_MATS)->cells, 18);
    assert_int_equal(module_type(module, T_INNER)->cells, 4);
    assert_int_equal(module_type(module, T_LIST)->cells, 24);
    assert_int_equal(module_type(module, T_OUTER)->cells, 0);
    assert_true(module_type(module, T_OUTER)->memory_only);
    assert_int_equal(module_type(module, T_LOOSE)->cells, 4);
    assert_int_equal(module_size(module, ID_VEC3, true), 12);
    assert_int_equal(module_size(module, T_INNER, true), 13);
    assert_int_equal(module_size(module, T_INNER, false), 16);
    assert_int_equal(module_size(module, T_LIST, true), 5 * 16 + 13);
    assert_int_equal(module_size(module, T_OUTER, true), 256);
    assert_int_equal(module_offset(module, T_OUTER, 0, true), 16);
    assert_int_equal(module_offset(module, T_OUTER, 2, true), 256);
    assert_int_equal(module_offset(module, T_OUTER, 3, true), 0);
    assert_int_equal(module_offset(module, T_LIST, 5, true), 80);
    assert_int_equal(module_offset(module, T_LIST, 5, false), 80);
    assert_int_equal(module_offset(module, T_TAIL, 100, true), 400);
    assert_int_equal(module_offset(module, ID_VEC3, 2, true), 8);
    assert_int_equal(module_size(module, T_LOOSE, true), 0);
    assert_int_equal(module_size(module, T_LOOSE, false), 24); // 1, pad, 8 at 8, 4 at 16, 1 at 20
    assert_int_equal(module_alignment(module, T_LOOSE), 8);
    assert_int_equal(module_alignment(module, T_INNER), 4);
    assert_int_equal(module_offset(module, T_LOOSE, 1, false), 8);
    assert_int_equal(module_offset(module, T_LOOSE, 3, false), 20);
    assert_int_equal(module_size(module, ID_VOID, false), 0);
    char error[200];
    assert_true(specialise(module, 2, error, sizeof error));
    assert_int_equal(module_size(module, T_LIST, true), 16 + 13);
}

// The same matrix by rows and by columns: which lines are as long, and how many there are.
TEST(matrices_have_their_stride_from_the_member)
{
    for (uint32_t row_major = 0; row_major < 2; row_major++) {
        const uint32_t names[] = {
            WORDS(OP(MemberDecorate, 5), T_OUTER, 0, SpvDecorationOffset, 4,        //
                  OP(MemberDecorate, 5), T_OUTER, 0, SpvDecorationMatrixStride, 16, //
                  OP(MemberDecorate, 4), T_OUTER, 0,
                  row_major ? SpvDecorationRowMajor : SpvDecorationColMajor)};
        const uint32_t declarations[] = {WORDS(OP(TypeMatrix, 4), T_MAT, ID_VEC3, 2, //
                                               OP(TypeStruct, 3), T_OUTER, T_MAT)};
        OWNED(module_drop)
        struct module *module =
            specialised(&(struct parts){.names = names, .declarations = declarations}, 1);
        // 3 rows of 2 floats, or 2 columns of 3
        assert_int_equal(module_size(module, T_OUTER, true),
                         row_major ? 4 + 2 * 16 + 8 : 4 + 16 + 12);
        assert_int_equal(module_size(module, T_OUTER, false), 24);
    }
}

TEST(a_list_through_pointers_ends)
{
    enum { POINTER = ID_FREE, NODE, LATER };
    const struct parts parts = {
        .names = (const uint32_t[]){WORDS(OP(MemberDecorate, 5), NODE, 0, SpvDecorationOffset, 0, //
                                          OP(MemberDecorate, 5), NODE, 1, SpvDecorationOffset, 8, //
                                          OP(Decorate, 4), POINTER, SpvDecorationArrayStride, 16)},
        .declarations = (const uint32_t[]){WORDS(
            OP(TypeForwardPointer, 3), POINTER, SpvStorageClassPhysicalStorageBuffer, //
            OP(TypeStruct, 4), NODE, POINTER, ID_UINT,                                //
            OP(TypePointer, 4), POINTER, SpvStorageClassPhysicalStorageBuffer, NODE)},
    };
    OWNED(module_drop) struct module *module = specialised(&parts, 1);
    assert_int_equal(module_type(module, POINTER)->element, NODE);
    assert_int_equal(module_type(module, NODE)->cells, 2);
    assert_int_equal(module_size(module, NODE, true), 12);
    assert_int_equal(module_size(module, NODE, false), 16);
    assert_int_equal(module_offset(module, NODE, 1, false), 8);
    assert_int_equal(module_offset(module, POINTER, 3, true), 48);
}

static void expect_specialise_error(const uint32_t *declarations, uint64_t spec, const char *wanted)
{
    OWNED(module_drop)
    struct module *module = read_parts(&(struct parts){.declarations = declarations});
    char error[200] = "";
    assert_false(specialise(module, spec, error, sizeof error));
    assert_string_equal(strchr(error, ':') + 2, wanted);
}

TEST(lengths_are_checked_when_they_are_known)
{
    const uint32_t array[] = {WORDS(OP(TypeArray, 4), ID_FREE, ID_UINT, ID_SPEC)};
    expect_specialise_error(array, 0, "OpTypeArray of length 0");
    expect_specialise_error(array, UINT64_C(1) << 32, "OpTypeArray of length 4294967296");
    const uint32_t unknown[] = {WORDS(OP(SpecConstantOp, 6), ID_UINT, ID_FREE, SpvOpIAdd, ID_ONE,
                                      ID_ONE, OP(TypeArray, 4), ID_FREE + 1, ID_UINT, ID_FREE)};
    expect_specialise_error(unknown, 1, "OpTypeArray: the value of its length %20 is not known");
}

TEST(only_memory_may_hold_what_is_large)
{
    const uint32_t in_memory[] = {
        WORDS(OP(TypeArray, 4), ID_FREE, ID_UINT, ID_SPEC,                        //
              OP(TypePointer, 4), ID_FREE + 1, SpvStorageClassWorkgroup, ID_FREE, //
              OP(Variable, 4), ID_FREE + 1, ID_FREE + 2, SpvStorageClassWorkgroup)};
    struct module *module = specialised(&(struct parts){.declarations = in_memory}, 65536);
    assert_int_equal(module_type(module, ID_FREE)->cells, 65536);
    module_free(module);
    module = specialised(&(struct parts){.declarations = in_memory}, 65537);
    assert_int_equal(module_type(module, ID_FREE)->cells, 0);
    assert_true(module_type(module, ID_FREE)->memory_only);
    assert_int_equal(module_size(module, ID_FREE, false), 4 * 65537);
    module_free(module);
    const char *wanted =
        "%21 holds a runtime array or more than 65536 scalars, which only memory can";
    const uint32_t in_private[] = {WORDS(OP(TypeArray, 4), ID_FREE, ID_UINT, ID_SPEC, //
                                         OP(TypePointer, 4), ID_FREE + 1, SpvStorageClassPrivate,
                                         ID_FREE)};
    module = specialised(&(struct parts){.declarations = in_private}, 65536);
    module_free(module);
    expect_specialise_error(in_private, 65537, wanted);
    const uint32_t constant[] = {WORDS(OP(TypeArray, 4), ID_FREE, ID_UINT, ID_SPEC, //
                                       OP(ConstantNull, 3), ID_FREE, ID_FREE + 1)};
    expect_specialise_error(constant, 65537, wanted);
    const uint32_t runtime[] = {WORDS(OP(TypeRuntimeArray, 3), ID_FREE, ID_UINT, //
                                      OP(Undef, 3), ID_FREE, ID_FREE + 1)};
    expect_specialise_error(runtime, 1, wanted);
}

// Arrays of arrays of 2^32 - 1: 2^64 bytes and more, without wrapping around.
TEST(sizes_do_not_wrap_around)
{
    uint32_t words[64], count = 0;
    for (uint32_t i = 0; i < 8; i++) {
        const uint32_t array[] = {OP(TypeArray, 4), ID_FREE + i, i ? ID_FREE + i - 1 : ID_UINT,
                                  ID_SPEC};
        memcpy(words + count, array, sizeof array);
        count += 4;
    }
    words[count] = END;
    OWNED(module_drop)
    struct module *module = specialised(&(struct parts){.declarations = words}, UINT32_MAX);
    assert_int_equal(module_size(module, ID_FREE, false), UINT64_C(4) * UINT32_MAX);
    assert_true(module_size(module, ID_FREE + 7, false) == UINT64_MAX);
    assert_true(module_offset(module, ID_FREE + 7, UINT64_MAX, false) == UINT64_MAX);
    assert_int_equal(module_type(module, ID_FREE + 7)->cells, 0);
}

// Every struct holds the one before twice: as many scalars as 2 to the depth.
static uint32_t nest(uint32_t *words, uint32_t levels)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < levels; i++) {
        const uint32_t before = i ? ID_FREE + i - 1 : ID_UINT;
        const uint32_t type[] = {OP(TypeStruct, 4), ID_FREE + i, before, before};
        memcpy(words + count, type, sizeof type);
        count += 4;
    }
    words[count] = END;
    return ID_FREE + levels - 1;
}

TEST(nesting_is_bounded)
{
    uint32_t words[400];
    const struct parts parts = {.declarations = words};
    const uint32_t last = nest(words, MODULE_DEPTH_MAX - 1);
    struct module *module = specialised(&parts, 1);
    assert_int_equal(module_type(module, last)->depth, MODULE_DEPTH_MAX);
    assert_true(module_type(module, last)->memory_only);
    assert_true(module_size(module, last, false) == UINT64_MAX);
    assert_int_equal(module_size(module, last - 60, false), 4 * 8);
    assert_int_equal(module_type(module, last - 60)->cells, 8);
    module_free(module);
    nest(words, MODULE_DEPTH_MAX);
    expect_parts_error(&parts, "types are nested more than 64 deep");
}

// Good modules with wrong words in them: no sanitizer may say anything.
TEST(random_words_do_no_harm)
{
    uint64_t random = 0x9e3779b97f4a7c15;
    struct assembly assembly;
    for (int round = 0; round < 5000; round++) {
        assemble(&assembly,
                 &(struct parts){.names = layout_names, .declarations = layout_declarations});
        for (int change = 0; change < 1 + round % 3; change++) {
            random = random * 6364136223846793005 + 1442695040888963407;
            const uint32_t at = (uint32_t)(random >> 33) % assembly.count;
            const uint32_t value = (uint32_t)(random >> 20);
            assembly.words[at] = round % 2 ? value : assembly.words[at] ^ 1u << value % 32;
        }
        char error[64] = "";
        OWNED(module_drop)
        struct module *module =
            module_read(assembly.words, assembly.count, "main", error, sizeof error);
        if (module && specialise(module, round % 70000, error, sizeof error))
            for (uint32_t id = 0; id < BOUND; id++)
                module_size(module, id, round % 2);
        assert_true(module || error[0]);
    }
}
