// SPDX-License-Identifier: Apache-2.0
// Names of ids, from an assembly text to its module and back into it. The module is written by
// hand.

#include "unit.h"

#include "catalogue/catalogue.h"
#include "../../tools/embed/modules.h"

#define OP(size, opcode) ((uint32_t)(size) << 16 | (opcode))

enum { CAPABILITY = 17, MEMORY_MODEL = 14, NAME = 5, TYPE_VOID = 19, TYPE_INT = 21, CONSTANT = 43 };

static const char assembly[] = "; %no = a comment\n"
                               "OpCapability Shader\n"
                               "OpMemoryModel Logical GLSL450 ; %none = here\n"
                               "%uint = OpTypeInt 32 0\n"
                               "%void\t=\n OpTypeVoid\n"
                               "%the_answer = OpConstant %uint 42\n";

// The constant's type is met before the constant: an assembler may number as it likes.
static const uint32_t module[] = {
    0x07230203,          0x00010300, 0,  5,  0, // header, ids below 5
    OP(2, CAPABILITY),   1,                     //
    OP(3, MEMORY_MODEL), 0,          1,         //
    OP(4, TYPE_INT),     3,          32, 0,     // %uint
    OP(2, TYPE_VOID),    1,                     // %void
    OP(4, CONSTANT),     3,          2,  42,    // %the_answer
};
#define WORDS (sizeof module / sizeof *module)

TEST(names_are_those_of_the_text)
{
    OWNED(text_free) struct text names = {0};
    ids_list(assembly, module, WORDS, &names);
    assert_string_equal(names.data, "void\nthe_answer\nuint\n\n");
}

TEST(a_text_that_does_not_fit_gives_none)
{
    static const char *const texts[] = {"", "%uint = OpTypeInt 32 0\n%void = OpTypeVoid\n",
                                        "%a = x\n%b = x\n%c = x\n%d = x\n", "\"%a = ", "%a ="};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        OWNED(text_free) struct text names = {0};
        ids_list(texts[i], module, WORDS, &names);
        assert_int_equal(names.length, 0);
    }
}

// What cat_ids_insert put in is taken out again, whatever else stands between.
TEST(names_are_taken_out)
{
    static const char names[] = "void\nthe_answer\nuint\n\n";
    size_t count;
    OWNED(lit_free)
    uint32_t *words = cat_ids_insert(module, WORDS, names, sizeof names - 1, &count);
    assert_true(count > WORDS);
    OWNED(text_free) struct text taken = {0};
    ids_take(words, &count, &taken);
    assert_int_equal(count, WORDS);
    assert_memory_equal(words, module, sizeof module);
    assert_string_equal(taken.data, names);
}

// A compiler's module may be cut off, or have names without an end, or that break a list's lines.
TEST(names_that_make_no_sense_are_left_out)
{
    uint32_t words[] = {
        0x07230203,  0x00010300, 0,          3, 0, // header, ids below 3
        OP(3, NAME), 1,          0x6c6c6c6c,       // no end
        OP(3, NAME), 2,          0x00610a61,       // a newline
        OP(3, NAME), 9,          0x00000061,       // no such id
        OP(9, NAME),                               // longer than the module
    };
    size_t count = sizeof words / sizeof *words;
    OWNED(text_free) struct text taken = {0};
    ids_take(words, &count, &taken);
    assert_string_equal(taken.data, "llll\n\n");
    assert_int_equal(count, 5);
}

TEST(names_are_inserted_where_they_belong)
{
    static const char names[] = "void\nthe_answer\nuint\n\n";
    static const uint32_t inserted[] = {
        OP(4, NAME), 1, 0x64696f76, 0,                      // "void"
        OP(5, NAME), 2, 0x5f656874, 0x77736e61, 0x00007265, // "the_answer"
        OP(4, NAME), 3, 0x746e6975, 0,                      // "uint"
    };
    const size_t more = sizeof inserted / sizeof *inserted;
    size_t count = 0;
    OWNED(lit_free) uint32_t *copy = cat_ids_insert(module, WORDS, names, sizeof names - 1, &count);
    assert_int_equal(count, WORDS + more);
    assert_memory_equal(copy, module, 10 * 4);
    assert_memory_equal(copy + 10, inserted, sizeof inserted);
    assert_memory_equal(copy + 10 + more, module + 10, (WORDS - 10) * 4);
}

TEST(words_that_are_no_module_stay)
{
    static const uint32_t odd[] = {1, 2, 3, 4, 5, OP(9, 17), 1};
    for (size_t count = 0; count <= 7; count++) {
        size_t copied = 0;
        OWNED(lit_free) uint32_t *copy = cat_ids_insert(odd, count, "", 0, &copied);
        assert_int_equal(copied, count);
        assert_memory_equal(copy, odd, count * 4);
        struct text names = {0};
        ids_list("%a = b", odd, count, &names);
        assert_int_equal(names.length, 0);
    }
}

// What the build made of the real ones.
TEST(every_module_has_its_names)
{
    for (size_t t = 0; t < cat_test_count(); t++) {
        const struct cat_test *test = cat_test_at(t);
        for (size_t m = 0; m < test->embedded->module_count; m++) {
            const struct cat_module *of = &test->embedded->modules[m];
            OWNED(text_free) struct text names = {0};
            if (!of->names_size)
                fail_msg("%s/%s has no names", test->head.name, of->variant);
            text_append(&names, cat_module_names(test, of), of->names_size);
            assert_non_null(strstr(names.data, "\nmain\n"));
            // A front end gives types no names.
            if (!strstr(of->variant, "form=glslang"))
                assert_non_null(strstr(names.data, "\nuint\n"));
        }
    }
}
