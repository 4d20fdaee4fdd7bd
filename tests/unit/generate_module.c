// SPDX-License-Identifier: Apache-2.0
// The two forms of a generated module: the words that are run, and the text that is kept. spirv-as
// must make the same words of the text; spirv-val must accept them. generate_module SPIRV-AS
// SPIRV-VAL [PROGRAMS [no-maximal]]
#define UNIT_MAIN
#include "generate/module.h"

#include "model/facts.h"

#include <unistd.h>

#include "unit.h"

static const char *assembler, *validator;
static uint64_t programs = 12;
static bool has_maximal = true;

static uint32_t *read_module(const char *path, size_t *count)
{
    uint32_t *words = lit_alloc(1 << 16, 4);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    *count = fread(words, 4, 1 << 16, file);
    fclose(file);
    return words;
}

static void run(const char *format, const char *a, const char *b, const char *c)
{
    char command[1024];
    snprintf(command, sizeof command, format, a, b, c);
    if (system(command) != 0)
        fail_msg("failed: %s", command);
}

static void compare(const struct gen_program *program, enum masks_rule rule)
{
    char folder[] = "/tmp/litmus-generate-XXXXXX", text_path[64], module_path[64];
    const struct gen_title title = {.name = "reconvergence.fuzz", .origin = "a test", .rule = rule};
    OWNED(gen_module_clear) struct gen_module module = {0};
    OWNED(text_free) struct text text = {0};
    size_t count;
    assert_non_null(mkdtemp(folder));
    snprintf(text_path, sizeof text_path, "%s/text", folder);
    snprintf(module_path, sizeof module_path, "%s/module", folder);
    gen_assembly(&title, program, &text);
    gen_module_make(program, rule, &module);
    FILE *file = fopen(text_path, "w");
    assert_non_null(file);
    fwrite(text.data, 1, text.length, file);
    fclose(file);

    run("%s --target-env spv1.3 -o %s %s", assembler, module_path, text_path);
    OWNED(lit_free) uint32_t *words = read_module(module_path, &count);
    words[2] = 0; // the assembler's mark
    assert_int_equal(count, module.count);
    assert_memory_equal(words, module.words, count * 4);
    file = fopen(module_path, "wb");
    fwrite(module.words, 4, module.count, file);
    fclose(file);
    run("%s --target-env vulkan1.1 %s%s", validator, module_path, "");

    uint64_t features = 0;
    assert_true(cat_module_features(module.words, module.count, &features, &error));
    assert_int_equal(features >> CAT_FEATURE_MAXIMAL & 1, rule == MASKS_MAXIMAL);
    assert_int_equal(features >> CAT_FEATURE_SUBGROUP_UNIFORM & 1, rule == MASKS_SUBGROUP_UNIFORM);
    unlink(text_path);
    unlink(module_path);
    rmdir(folder);
}

TEST(both_forms_are_the_same_module)
{
    for (enum masks_rule rule = MASKS_DEFAULT; rule <= MASKS_MAXIMAL; rule++) {
        const struct gen_limits limits = {.rule = rule, .steps = 48, .depth = 5};
        for (uint64_t i = 0; i < programs && (rule != MASKS_MAXIMAL || has_maximal); i++) {
            struct gen_program program;
            gen_draw(&program, &limits, 1, i);
            compare(&program, rule);
        }
    }
}

TEST(so_it_is_with_data)
{
    for (uint64_t i = 0; i < 2 * programs; i++) {
        const struct gen_limits limits = {
            .rule = has_maximal && i % 2 ? MASKS_MAXIMAL : MASKS_DEFAULT,
            .steps = 64,
            .depth = 5,
            .numbers = 8,
            .truths = 4,
            // Rotation and matrices are younger than the assembler may be.
            .features = has_maximal ? UINT64_MAX
                                    : ~(UINT64_C(1) << CAT_FEATURE_ROTATE |
                                        UINT64_C(1) << CAT_FEATURE_MATRIX_PRODUCTS),
            .subgroup = 32,
            .focus = (enum gen_focus)(i / 2 % GEN_FOCUSES)};
        struct gen_program program;
        gen_draw(&program, &limits, 1, i);
        compare(&program, limits.rule);
    }
}

// Every step and condition there is, among them what is seldom drawn.
TEST(everything_once)
{
    static const char *const sources[] = {
        "look",
        "return look",
        "if true { look return } else { return } look",
        "call { if lane.2 { look return } else { return } } look",
        "loop { if i>=3 { return } elect if elect { look break } } look",
        "do { } while i<word.30:2 look",
        "while i<3 { while j<word.3:2 { if word.31+i+j { continue } look } next { look } if "
        "lane=2+i { break } } next { while j<2 { if lane.1+j { break } } call { look return } }",
        "switch lane:2 { case 0 { look } falls case 3 { } falls case 2 { look return } default { "
        "break look } } look",
        "while i<2 { switch word.30:2+i { case 1 { continue } case 0 { break } } look }",
        "switch word.0:2 { default { look } }",
        "while i<1 { if word.1 { break } else { continue } look }",
        "loop { if i>=0 { look break } look continue }",
    };
    for (size_t i = 0; i < sizeof sources / sizeof *sources && has_maximal; i++) {
        struct gen_program program;
        if (!gen_read(sources[i], strlen(sources[i]), &program, &error) ||
            !gen_check(&program, MASKS_MAXIMAL, &error))
            fail_msg("%s: %s", sources[i], error.message);
        compare(&program, MASKS_MAXIMAL);
    }
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 77;
    assembler = argv[1];
    validator = argv[2];
    if (argc > 3)
        programs = strtoull(argv[3], NULL, 10);
    has_maximal = argc < 5 || strcmp(argv[4], "no-maximal") != 0;
    return unit_run();
}
