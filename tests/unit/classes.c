// SPDX-License-Identifier: Apache-2.0
// Which class configurations have, and on which rules of docs/spec.md it rests: those that were
// once of another class, or are of the same shape as one that was.
#include "sections.h"

#include "base/spirv.h"
#include "base/text.h"
#include "catalogue/catalogue.h"

// All configurations whose names a pattern matches.
struct expected {
    const char *pattern, *class; // "EXPECTATION RULE,..."
};

struct looking {
    struct expected row;
    size_t found;
};

static void check(const struct cat_case *which, void *user)
{
    struct looking *looking = user;
    OWNED(text_free) struct text name = {0};
    cat_case_name(which, &name);
    if (text_glob(looking->row.pattern, name.data)) {
        const struct cat_rule *expect = cat_case_expect(which);
        OWNED(text_free) struct text class = {0};
        text_printf(&class, "%s %s", cat_expectation_name(expect->expectation),
                    expect->by ? expect->by : "nothing");
        looking->found++;
        if (strcmp(class.data, looking->row.class) != 0)
            fail_msg("%s: %s", name.data, class.data);
    }
}

TEST(configurations_have_their_classes)
{
    struct expected row;
    for (const char *at = section("classes")->text; sections_row(&at, &row.pattern, &row.class);) {
        struct looking looking = {row, 0};
        char test[64] = "";
        strncat(test, row.pattern, strcspn(row.pattern, "/"));
        assert_non_null(cat_test_find(test));
        cat_test_each(cat_test_find(test), 32, check, &looking);
        if (looking.found == 0)
            fail_msg("'%s' matches nothing", row.pattern);
    }
}

// A lane that is not there has no value: without full subgroups the test has nothing to say.
TEST(a_far_lane_needs_full_subgroups)
{
    const struct cat_test *test = cat_test_find("cases.moltenvk-2750");
    for (size_t i = 0; i < test->embedded->module_count; i++)
        assert_true(test->embedded->modules[i].features >> CAT_FEATURE_FULL_SUBGROUPS & 1);
}

// The instruction `opcode` that declares the type `id`; of size 0 if none does.
static struct spirv_instruction type_of(const uint32_t *words, size_t count, uint32_t opcode,
                                        uint32_t id)
{
    struct spirv_instruction each;
    SPIRV_EACH (each, words, count)
        if (each.opcode == opcode && spirv_operand(&each, 1, 0) == id)
            break;
    return each;
}

// Whether a module combines floats by an operation that has no precision: a group addition or
// multiplication, a product of matrices.
static bool rounds_freely(const uint32_t *words, size_t count)
{
    struct spirv_instruction each;
    SPIRV_EACH (each, words, count) {
        if (each.opcode == SpvOpGroupNonUniformFAdd || each.opcode == SpvOpGroupNonUniformFMul)
            return true;
        if (each.opcode != SpvOpCooperativeMatrixMulAddKHR)
            continue;
        const struct spirv_instruction matrix =
            type_of(words, each.at, SpvOpTypeCooperativeMatrixKHR, each.words[1]);
        if (type_of(words, each.at, SpvOpTypeFloat, spirv_operand(&matrix, 2, 0)).size)
            return true;
    }
    return false;
}

static void check_floats(const struct cat_case *which, void *user)
{
    const struct cat_module *module = cat_case_module(which);
    const bool *is_of = user; // for each module of the test
    if (module && is_of[module - which->test->embedded->modules] &&
        cat_case_expectation(which, NULL) == CAT_FORBIDDEN) {
        struct text name = {0};
        cat_case_name(which, &name);
        fail_msg("%s is forbidden, and combines floats without a precision", name.data);
    }
}

// docs/spec.md, silent-float-group-add and silent-matrix-precision: one class wherever a test has
// such an operation, whatever the numbers.
TEST(no_unspecified_precision_is_forbidden)
{
    size_t tests = 0;
    for (size_t i = 0; i < cat_test_count(); i++) {
        const struct cat_test *test = cat_test_at(i);
        const struct cat_embedded *embedded = test->embedded;
        bool *is_of = calloc(embedded->module_count + 1, sizeof *is_of), any = false;
        assert_non_null(is_of);
        for (size_t m = 0; m < embedded->module_count; m++) {
            const struct cat_module *module = &embedded->modules[m];
            is_of[m] = rounds_freely(cat_module_words(test, module), module->count);
            any |= is_of[m];
        }
        for (size_t size = 0; any && size < 3; size++)
            cat_test_each(test, (const uint32_t[]){8, 32, 64}[size], check_floats, is_of);
        tests += any;
        free(is_of);
    }
    assert_true(tests >= 6); // seven where the assembler knows cooperative matrices
}
