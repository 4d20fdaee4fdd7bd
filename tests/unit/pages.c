// SPDX-License-Identifier: Apache-2.0
// The text that is shown of a module (litmus show, tickets, bundles) is what the module was made
// from: each one, of all variants and kernels, becomes the embedded words again. pages SPIRV-AS
// GLSLANG
#define UNIT_MAIN
#include "unit.h"

#include "../../tools/embed/modules.h"
#include "base/text.h"
#include "catalogue/catalogue.h"
#include "model/kernel.h"

#include <unistd.h>

static const char *assembler, *compiler;
// Of so many modules in assembly, and in GLSL, one is made.
static size_t each = 1, each_glsl = 1;

// What a page is made with.
enum { SPIRV_1_3, SPIRV_1_5, GLSL, LANGUAGES };
static const char *const ends[LANGUAGES] = {".1.3.spvasm", ".1.5.spvasm", ".comp"};

// What one call of the tools makes: modules of one test, or of some kernels.
struct made {
    char folder[64];
    size_t count;
    bool has[LANGUAGES];
};

static void path_of(const struct made *made, size_t index, const char *end, char path[128])
{
    snprintf(path, 128, "%s/%zu%s", made->folder, index, end);
}

static void add(struct made *made, const char *page, int language)
{
    char path[128];
    path_of(made, made->count++, ends[language], path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(page, file);
    assert_int_equal(fclose(file), 0);
    made->has[language] = true;
}

static void start(struct made *made)
{
    *made = (struct made){.folder = "/tmp/litmus-pages-XXXXXX"};
    assert_non_null(mkdtemp(made->folder));
}

// One call of a tool for each file with this end, as many at a time as there are processors.
static void make(const struct made *made, const char *end, const char *tool, const char *options)
{
    OWNED(text_free) struct text command = {0};
    text_printf(&command,
                "cd %s && printf '%%s\\n' *%s | xargs -P \"$(getconf _NPROCESSORS_ONLN)\" -I@ ",
                made->folder, end);
    text_quote(&command, tool);
    text_printf(&command, " %s @ -o @.spv", options);
    if (system(command.data) != 0)
        fail_msg("failed: %s", command.data);
}

static void make_all(const struct made *made)
{
    // A test has no module where the assembler that built the catalogue knows none of its variants.
    if (made->has[SPIRV_1_3])
        make(made, ends[SPIRV_1_3], assembler, "--target-env spv1.3");
    if (made->has[SPIRV_1_5])
        make(made, ends[SPIRV_1_5], assembler, "--target-env spv1.5");
    if (made->has[GLSL])
        make(made, ends[GLSL], compiler, "--target-env vulkan1.1 --quiet");
}

static void compare(const struct made *made, size_t index, int language, const char *name,
                    const uint32_t *words, size_t count)
{
    char path[160], page[128];
    OWNED(text_free) struct text bytes = {0}, names = {0};
    path_of(made, index, ends[language], page);
    snprintf(path, sizeof path, "%s.spv", page);
    if (!text_read(&bytes, path, SIZE_MAX - 1))
        fail_msg("%s: its page becomes no module", name);
    size_t size = bytes.length / 4;
    if (language == GLSL)
        ids_take((uint32_t *)(void *)bytes.data, &size, &names);
    if (size != count || memcmp(bytes.data, words, count * 4) != 0)
        fail_msg("%s: its page becomes another module", name);
    unlink(path);
    unlink(page);
}

static bool is_glsl(const struct cat_module *module)
{
    return strstr(module->variant, "form=glslang") != NULL;
}

static int language_of(const struct cat_test *test, const struct cat_module *module)
{
    if (is_glsl(module))
        return GLSL;
    return cat_module_words(test, module)[1] >= 0x10400 ? SPIRV_1_5 : SPIRV_1_3;
}

static bool is_taken(size_t index, const struct cat_module *module)
{
    return index % (is_glsl(module) ? each_glsl : each) == 0;
}

TEST(pages_of_tests)
{
    size_t glsl = 0;
    for (size_t t = 0; t < cat_test_count(); t++) {
        const struct cat_test *test = cat_test_at(t);
        const struct cat_module *modules = test->embedded->modules;
        const size_t count = test->embedded->module_count;
        struct made made;
        start(&made);
        for (size_t i = 0; i < count; i++)
            if (is_taken(i, &modules[i]))
                add(&made, cat_module_page(test, &modules[i]), language_of(test, &modules[i]));
        make_all(&made);
        for (size_t i = 0, file = 0; i < count; i++) {
            OWNED(text_free) struct text name = {0};
            text_printf(&name, "%s/%s", test->head.name, modules[i].variant);
            if (is_taken(i, &modules[i]))
                compare(&made, file++, language_of(test, &modules[i]), name.data,
                        cat_module_words(test, &modules[i]), modules[i].count);
            glsl += is_glsl(&modules[i]);
        }
        assert_int_equal(rmdir(made.folder), 0);
    }
    assert_true(glsl >= 48);
}

TEST(pages_of_kernels)
{
    struct made made;
    start(&made);
    for (size_t i = 0; i < cat_kernel_count; i += each) {
        OWNED(lit_free) char *page = cat_kernel_page(&cat_kernels[i]);
        add(&made, page, SPIRV_1_3);
    }
    make_all(&made);
    for (size_t i = 0; i < cat_kernel_count; i += each)
        compare(&made, i / each, SPIRV_1_3, cat_kernels[i].name, cat_kernel_words(&cat_kernels[i]),
                cat_kernels[i].count);
    assert_int_equal(rmdir(made.folder), 0);
}

int main(int argc, char **argv)
{
    assembler = argc > 2 ? argv[1] : "spirv-as";
    compiler = argc > 2 ? argv[2] : "glslangValidator";
    // tools/check without --full
    if (getenv("LITMUS_SAMPLE")) {
        each = 128;
        each_glsl = 8;
    }
    return unit_run();
}
