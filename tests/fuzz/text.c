// SPDX-License-Identifier: Apache-2.0
// Fuzzes the text helpers. The first byte of an input is the size of the target; a NUL in the rest
// parts it into pattern and name.
#include "fuzz.h"

#include "base/text.h"

static void check_sanitise(size_t size, const char *source)
{
    char safe[256], again[256];
    memset(safe, 'x', sizeof safe);
    text_sanitise(safe, size, source);
    MUST(memchr(safe, '\0', size));
    for (size_t i = size; i < sizeof safe; i++)
        MUST(safe[i] == 'x');
    for (const char *c = safe; *c; c++)
        MUST((unsigned char)*c >= 0x20 && *c != 0x7f);
    // What is safe stays as it is.
    text_sanitise(again, sizeof again, safe);
    MUST(strcmp(safe, again) == 0);
}

static void check_glob(const char *pattern, const char *name)
{
    text_glob(pattern, name);
    if (!strpbrk(name, "*?[\\"))
        MUST(text_glob(name, name));
    MUST(text_glob("*", name));
    MUST(text_distance(pattern, name) == text_distance(name, pattern));
    MUST(text_distance(name, name) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    OWNED(lit_free) char *text = malloc(size + 1);
    MUST(text);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = text[size] = '\0';
    const size_t length = strlen(text);
    check_sanitise(data[0] ? data[0] : 1, text);
    check_glob(text, length + 1 < size ? text + length + 1 : "");
    return 0;
}
