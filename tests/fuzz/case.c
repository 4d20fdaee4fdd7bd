// SPDX-License-Identifier: Apache-2.0
// Fuzzes the parser of configuration names, and selections: a name that is understood is written
// back as a name that means the same.
#include "fuzz.h"

#include "catalogue/catalogue.h"

static void check_name(const char *name)
{
    struct cat_case which, again;
    struct lit_error error = {0};
    if (!cat_case_parse(name, &which, &error)) {
        MUST(error.message[0] && !strpbrk(error.message, "\n\r\033"));
        return;
    }
    OWNED(text_free) struct text first = {0}, second = {0};
    cat_case_name(&which, &first);
    MUST(cat_case_parse(first.data, &again, &error));
    cat_case_name(&again, &second);
    MUST(strcmp(first.data, second.data) == 0);
    cat_case_expectation(&which, NULL);
    cat_case_is_thorough(&which);
}

static void check_pattern(const char *pattern)
{
    const struct cat_selection selection = {.patterns = &pattern, .count = 1};
    struct lit_error error = {0};
    struct cat_case which;
    if (!cat_selection_check(&selection, &error))
        MUST(error.message[0] && !strpbrk(error.message, "\n\r\033"));
    if (cat_case_parse(pattern, &which, &error))
        cat_selection_has(&selection, &which);
}

// Looking a pattern up walks the whole catalogue: one input in 64 has to be enough.
static bool chosen(const uint8_t *data, size_t size)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ data[i]) * 16777619u;
    return hash >> 26 == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 512)
        size = 512;
    OWNED(lit_free) char *text = malloc(size + 1);
    MUST(text);
    memcpy(text, data, size);
    text[size] = '\0';
    check_name(text);
    if (chosen(data, size))
        check_pattern(text);
    return 0;
}
