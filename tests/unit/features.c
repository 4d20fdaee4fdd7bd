// SPDX-License-Identifier: Apache-2.0
// What a module needs, read from its words; broken modules are refused, never read past their end.
#include "unit.h"

#include "model/facts.h"

#define OP(length, code) ((uint32_t)(length) << 16 | (code))
#define HEADER           0x07230203, 0x00010300, 0, 10, 0

static uint64_t features;

static bool read_words(const uint32_t *words, size_t count)
{
    return cat_module_features(words, count, &features, &error);
}

TEST(capabilities_and_modes_are_seen)
{
    const uint32_t words[] = {HEADER, OP(2, 17), 1,         OP(2, 17), 66,  OP(3, 16),
                              4,      6023,      OP(3, 16), 4,         4421};
    assert_true(read_words(words, sizeof words / 4));
    assert_true(features ==
                (UINT64_C(1) << CAT_FEATURE_SHUFFLE_RELATIVE | UINT64_C(1) << CAT_FEATURE_MAXIMAL |
                 UINT64_C(1) << CAT_FEATURE_SUBGROUP_UNIFORM));
}

// Of two variables of shared memory and a private one: that with an initial value.
TEST(shared_memory_that_begins_as_something_is_seen)
{
    uint32_t words[] = {HEADER, OP(4, 59), 1, 2, 4, OP(5, 59), 1, 3, 6, 5, OP(5, 59), 1, 4, 4, 5};
    assert_true(read_words(words, sizeof words / 4));
    assert_true(features == UINT64_C(1) << CAT_FEATURE_ZERO_INITIALIZE);
    assert_true(read_words(words, sizeof words / 4 - 5));
    assert_true(features == 0);
}

TEST(what_comes_after_the_first_function_does_not_count)
{
    const uint32_t words[] = {HEADER, OP(2, 17), 1, OP(5, 54), 1, 2, 0, 3, OP(2, 17), 9999};
    assert_true(read_words(words, sizeof words / 4));
    assert_true(features == 0);
}

// A broadcast of a constant's lane and one of another lane, each with the constant before it.
TEST(broadcasts_of_a_lane_that_is_no_constant_are_seen)
{
    uint32_t words[] = {HEADER, OP(4, 43), 1,          5, 3, OP(5, 54), 7, 8,
                        0,      9,         OP(6, 337), 1, 6, 4,         2, 5};
    assert_true(read_words(words, sizeof words / 4));
    assert_true(features == 0);
    words[sizeof words / 4 - 1] = 6;
    assert_true(read_words(words, sizeof words / 4));
    assert_true(features == UINT64_C(1) << CAT_FEATURE_BROADCAST_DYNAMIC);
}

// A shuffle of 64-bit integers and one of vectors of them; a rotate with a cluster; what they need.
TEST(group_operations_are_looked_at)
{
    const uint32_t type_and_function[] = {HEADER, OP(4, 21), 1, 64,        0, OP(4, 21),
                                          2,      32,        0, OP(4, 23), 3, 1,
                                          2,      OP(5, 54), 7, 8,         0, 9};
    const uint32_t operations[][8] = {
        {OP(6, 345), 1, 10, 4, 5, 6},     // u64
        {OP(6, 345), 3, 10, 4, 5, 6},     // u64vec2
        {OP(6, 345), 2, 10, 4, 5, 6},     // u32
        {OP(6, 4431), 2, 10, 4, 5, 6},    // u32
        {OP(7, 4431), 2, 10, 4, 5, 6, 7}, // u32, clustered
        {OP(6, 61), 1, 10, 4, 5, 6},      // no group operation
    };
    const uint64_t extended = UINT64_C(1) << CAT_FEATURE_EXTENDED_TYPES;
    const uint64_t wanted[] = {
        extended, extended, 0, 0, UINT64_C(1) << CAT_FEATURE_ROTATE_CLUSTERED, 0};
    const size_t before = sizeof type_and_function / 4;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        uint32_t words[sizeof type_and_function / 4 + 8];
        memcpy(words, type_and_function, sizeof type_and_function);
        memcpy(words + before, operations[i], sizeof operations[i]);
        assert_true(read_words(words, before + (operations[i][0] >> 16)));
        assert_true(features == wanted[i]);
    }
}

// Atomics, with such numbers in shared memory, with narrower ones there, and with such in a buffer.
TEST(shared_atomics_are_another_feature)
{
    const struct {
        uint32_t capability, type, width;
        enum cat_feature feature, shared;
    } rows[] = {
        {12, 21, 64, CAT_FEATURE_INT64_ATOMICS, CAT_FEATURE_SHARED_INT64_ATOMICS},
        {6033, 22, 32, CAT_FEATURE_FLOAT32_ADD, CAT_FEATURE_SHARED_FLOAT32_ADD},
        {6034, 22, 64, CAT_FEATURE_FLOAT64_ADD, CAT_FEATURE_SHARED_FLOAT64_ADD},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned kind = 0; kind < 3; kind++) {
            const bool is_float = rows[i].type == 22;
            const uint32_t words[] = {HEADER,
                                      OP(2, 17),
                                      rows[i].capability,
                                      OP(is_float ? 3 : 4, rows[i].type),
                                      1,
                                      kind == 1 ? rows[i].width / 2 : rows[i].width,
                                      is_float ? OP(1, 0) : 0,
                                      OP(4, 32),
                                      2,
                                      kind == 2 ? 12 : 4,
                                      1};
            assert_true(read_words(words, sizeof words / 4));
            assert_true(features == (UINT64_C(1) << rows[i].feature |
                                     (kind == 0 ? UINT64_C(1) << rows[i].shared : 0)));
        }
}

TEST(unknown_capabilities_are_named)
{
    uint32_t words[] = {HEADER, OP(2, 17), 2};
    assert_false(read_words(words, sizeof words / 4));
    assert_string_equal(
        error.message,
        "capability Geometry is not supported: the SIMT simulator does not execute it");
    words[sizeof words / 4 - 1] = 0xabcd;
    assert_false(read_words(words, sizeof words / 4));
    assert_string_equal(
        error.message, "capability 43981 is not supported: the SIMT simulator does not execute it");
}

TEST(broken_modules_are_refused)
{
    const uint32_t zero_length[] = {HEADER, OP(0, 17), 1};
    const uint32_t too_long[] = {HEADER, OP(9, 17), 1};
    const uint32_t no_magic[] = {0x03022307, 0x00010300, 0, 10, 0, OP(2, 17), 1};
    assert_false(read_words(zero_length, sizeof zero_length / 4));
    assert_false(read_words(too_long, sizeof too_long / 4));
    assert_false(read_words(no_magic, sizeof no_magic / 4));
    assert_false(read_words(no_magic, 0));
    assert_string_equal(error.message, "not a SPIR-V module");
}

TEST(every_feature_has_a_name_that_is_found)
{
    for (int i = 0; i < CAT_FEATURE_COUNT; i++) {
        enum cat_feature found;
        const char *name = cat_feature_name((enum cat_feature)i);
        assert_non_null(name);
        assert_true(cat_feature_find(name, &found));
        assert_int_equal(found, i);
    }
    enum cat_feature found;
    assert_false(cat_feature_find("VK_KHR_nothing", &found));
    assert_string_equal(cat_feature_name(CAT_FEATURE_COUNT), "unknown feature");
}
