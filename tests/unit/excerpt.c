// SPDX-License-Identifier: Apache-2.0
// The excerpt of a ticket: the small preprocessor by a table, the choice of lines over every
// variant of the catalogue.
#include "report/excerpt.h"

#include "catalogue/catalogue.h"

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *excerpt(const char *source, const struct report_include *includes, const char *family,
                     const char *variant, unsigned subgroup)
{
    struct text out = {0};
    report_excerpt(&out, source, includes, family, variant, subgroup, 40);
    text_puts(&out, "");
    return out.data;
}

static const struct report_include own[] = {
    {"own.h", "; SPDX-License-Identifier: none\nOpGroupB\n#define ONCE \\\n  OpGroupC\n"},
    {"self.h", "#include \"self.h\"\n"},
    {NULL, NULL},
};

static void test_directives(void **state)
{
    (void)state;
    static const struct {
        const char *source, *want;
    } cases[] = {
        {"#ifdef SYNC_NONE\nOpGroupA\n#else\nOpGroupB\n#endif\n", "OpGroupA\n"},
        {"#ifndef SYNC_NONE\nOpGroupA\n#else\nOpGroupB\n#endif\n", "OpGroupB\n"},
        {"#if defined(X) || defined(FORM_TWO_PARTS)\nOpGroupA\n#endif\n", "OpGroupA\n"},
        {"#if defined(SYNC_NONE) && !defined(FORM_TWO_PARTS)\nOpGroupA\n#else\nOpGroupB\n#endif\n",
         "OpGroupB\n"},
        {"#if 0\nOpGroupA\n#elif SUBGROUP_SIZE > 16\nOpGroupB\n#elif 1\nOpGroupC\n#endif\n",
         "OpGroupB\n"},
        {"#if SUBGROUP_SIZE > 32\nOpGroupA\n#elif SUBGROUP_SIZE == 32 && "
         "1\nOpGroupB\n#else\nx\n#endif\n",
         "OpGroupB\n"},
        {"#if 1\n#if 0\nx\n#else\nOpGroupA\n#endif\n#else\n#if 1\nx\n#endif\n#endif\n",
         "OpGroupA\n"},
        {"#define N 3\n#if N == 2 || N == 4\nx\n#elif (N != 3)\nx\n#else\nOpGroupA\n#endif\n",
         "OpGroupA\n"},
        {"#if 0\n#define N 1\n#endif\n#ifdef N\nx\n#endif\nOpGroupA\n", "OpGroupA\n"},
        {"#define X(a) \\\n  OpGroupA\n#if 0\n#define Y(a) \\\n  OpGroupB\n#endif\nY(1)\nX(2)\n",
         "#define X(a) \\\n  OpGroupA\n\nY(1)\nX(2)\n"},
        {"#include \"../common/own.h\"\nOpGroupA\nONCE\n", "OpGroupB\nOpGroupA\nONCE\n"},
        {"#if 0\n#include \"own.h\"\n#endif\nOpGroupA\n", "OpGroupA\n"},
        {"#include \"other.h\"\n#include \"self.h\"\nOpGroupA\n", "OpGroupA\n"},
        {"#if ((((((((((((((((((((((((((((((1\nx\n#endif\nOpGroupA\n", "OpGroupA\n"},
        {"#endif\n#else\nOpGroupA", "OpGroupA\n"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *text = excerpt(cases[i].source, own, "shuffle", "sync=none,form=two-parts", 32);
        assert_string_equal(text, cases[i].want);
        free(text);
    }
}

static void test_subject(void **state)
{
    (void)state;
    static const char source[] =
        "OpCapability GroupNonUniformShuffle\n\n"
        "%f = OpFunction %x\n\n"
        "; Atomic, OpGroup is not meant here.\n"
        "OpAtomicLoad\n\n"
        "; The barrier.\nOpControlBarrier\n\n; The group.\nOpGroupNonUniformAdd\n\n"
        "; ======== form=glslang: x.comp\nvoid main()\n{\n\n    // barrier()\n"
        "    subgroupAdd(1);\n}\n";
    static const struct {
        const char *family, *variant, *first;
    } cases[] = {
        {"shuffle", "", "; The group.\n"},
        {"barrier", "", "; The barrier.\n"},
        {"memory", "", "; Atomic, OpGroup"},
        {"shuffle", "form=glslang", "    // barrier()\n"},
    };
    for (size_t i = 0; i < 4; i++) {
        char *text = excerpt(source, own, cases[i].family, cases[i].variant, 0);
        assert_memory_equal(text, cases[i].first, strlen(cases[i].first));
        free(text);
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
static void test_catalogue(void **state)
{
    (void)state;
    for (size_t i = 0; i < cat_test_count(); i++) {
        const struct cat_test *test = cat_test_at(i);
        const char *source = cat_test_source(test), *body = strstr(source, "\n; oracle");
        assert_non_null(body);
        body = strchr(body + 1, '\n');
        for (size_t m = 0; m < test->embedded->module_count; m++) {
            const struct cat_module *module = &test->embedded->modules[m];
            char *text = excerpt(body, report_includes, test->head.family, module->variant,
                                 module->subgroup);
            bool speaks = strstr(text, "OpGroup") || strstr(text, "OpAtomic") ||
                          strstr(text, "arrier") || strstr(text, "subgroup") ||
                          strstr(text, "OpStore") || strstr(text, "OpLoopMerge") ||
                          strstr(text, "store_result");
            if (!speaks || lines_of(text) > 40 || strstr(text, "\n#i") || strstr(text, "\n#e"))
                fail_msg("%s/%s:\n%s", test->head.name, module->variant, text);
            free(text);
        }
    }
}

// With an argument: all of them, for the eye.
static int print_all(const char *pattern)
{
    for (size_t i = 0; i < cat_test_count(); i++) {
        const struct cat_test *test = cat_test_at(i);
        const char *source = cat_test_source(test), *body = strstr(source, "\n; oracle");
        const struct cat_module *module = &test->embedded->modules[0];
        if (!text_glob(pattern, test->head.name))
            continue;
        char *text = excerpt(body + 1 + strcspn(body + 1, "\n"), report_includes, test->head.family,
                             module->variant, module->subgroup);
        printf("==== %s/%s\n%s\n", test->head.name, module->variant, text);
        free(text);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return print_all(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_directives),
        cmocka_unit_test(test_subject),
        cmocka_unit_test(test_catalogue),
    };
    return cmocka_run_group_tests_name("excerpt", tests, NULL, NULL);
}
