// SPDX-License-Identifier: Apache-2.0
// An instance of a test as a program of the memory model: the `; formal` lines of its source,
// preprocessed for the variant.
#include "catalogue/catalogue.h"

#include <string.h>

bool cat_case_formal(const struct cat_case *which, struct text *text, struct lit_error *error)
{
    static const char mark[] = "\n; formal ";
    const struct cat_module *module = cat_case_module(which);
    const char *line = module ? strstr(cat_module_page(which->test, module), mark) : NULL;
    if (!line)
        return lit_fail(error, LIT_EXIT_UNDECIDED,
                        "not expressed as a program of the memory model");
    text_printf(text, "VULKAN %s\n", which->test->head.name);
    for (; line; line = strstr(line, mark)) {
        line += sizeof mark - 1;
        line += strspn(line, " ");
        const int length = (int)strcspn(line, "\n");
        if (*line == '!')
            return lit_fail(error, LIT_EXIT_UNDECIDED,
                            "not expressed as a program of the memory model: %.*s", length - 2,
                            line + 2);
        const bool asks = strncmp(line, "exists ", 7) == 0;
        const bool forbidden = cat_case_expect(which)->expectation == CAT_FORBIDDEN;
        text_printf(text, "%s%.*s\n", asks && forbidden ? "~" : "", length, line);
    }
    return true;
}
