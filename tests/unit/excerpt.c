// SPDX-License-Identifier: Apache-2.0
// The excerpt of a ticket: which lines of the preprocessed source, over every variant of the
// catalogue.
#define UNIT_MAIN
#include "report/markdown.h"

#include "catalogue/catalogue.h"

#include "unit.h"

static char *excerpt(const char *source, const char *family)
{
    struct text out = {0};
    report_excerpt(&out, source, family, 40);
    text_puts(&out, "");
    return out.data;
}

TEST(test_head)
{
    static const struct {
        const char *source, *want;
    } cases[] = {
        {"; asks OpGroupA\n; oracle x\n\nOpGroupB\n", "OpGroupB\n"},
        {"OpGroupA", "OpGroupA\n"},
        {"x\n\ny\n", "x\n\ny\n"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        OWNED(lit_free) char *text = excerpt(cases[i].source, "shuffle");
        assert_string_equal(text, cases[i].want);
    }
}

TEST(test_subject)
{
    static const char source[] =
        "OpCapability GroupNonUniformShuffle\n\n"
        "%f = OpFunction %x\n\n"
        "; Atomic, OpGroup is not meant here.\n"
        "OpAtomicLoad\n\n"
        "; The barrier.\nOpControlBarrier\n\n; The group.\nOpGroupNonUniformAdd\n\n";
    static const char glsl[] = "void main()\n{\n\n    // barrier()\n    subgroupAdd(1);\n}\n";
    static const struct {
        const char *family, *source, *first;
    } cases[] = {
        {"shuffle", source, "; The group.\n"},
        {"barrier", source, "; The barrier.\n"},
        {"memory", source, "; Atomic, OpGroup"},
        {"shuffle", glsl, "    // barrier()\n"},
    };
    for (size_t i = 0; i < 4; i++) {
        OWNED(lit_free) char *text = excerpt(cases[i].source, cases[i].family);
        assert_memory_equal(text, cases[i].first, strlen(cases[i].first));
    }
}

static size_t lines_of(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += *text == '\n';
    return count;
}

// Every variant shows something that is what the test is about.
TEST(test_catalogue)
{
    for (size_t i = 0; i < cat_test_count(); i++) {
        const struct cat_test *test = cat_test_at(i);
        for (size_t m = 0; m < test->embedded->module_count; m++) {
            const struct cat_module *module = &test->embedded->modules[m];
            OWNED(lit_free) char *text = excerpt(cat_module_page(test, module), test->head.family);
            bool speaks = strstr(text, "OpGroup") || strstr(text, "OpAtomic") ||
                          strstr(text, "arrier") || strstr(text, "subgroup") ||
                          strstr(text, "OpStore") || strstr(text, "OpLoopMerge") ||
                          strstr(text, "ARB(") || strstr(text, "store_result");
            if (!speaks || lines_of(text) > 40 || strstr(text, "\n#i") || strstr(text, "\n#e"))
                fail_msg("%s/%s:\n%s", test->head.name, module->variant, text);
        }
    }
}

// With an argument: all of them, for the eye.
static int print_all(const char *pattern)
{
    for (size_t i = 0; i < cat_test_count(); i++) {
        const struct cat_test *test = cat_test_at(i);
        const struct cat_module *module = &test->embedded->modules[0];
        if (!text_glob(pattern, test->head.name))
            continue;
        OWNED(lit_free) char *text = excerpt(cat_module_page(test, module), test->head.family);
        printf("==== %s/%s\n%s\n", test->head.name, module->variant, text);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return print_all(argv[1]);
    return unit_run();
}
