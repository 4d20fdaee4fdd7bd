// SPDX-License-Identifier: Apache-2.0
// Accesses in another order than the module's: in what a driver for the H200 made of each form of
// memory.coherence (580.159.04), in a file whose path is the argument.
#include "unit.h"

#include "isa/lint.h"
#include "session/session.h"

#include "report/known.h"

struct form {
    char address[16], cure[16], model[16];
    struct text lines; // as nvdisasm writes them
};

// The next of the file; NULL: none. "#### address=both cure=none vulkan", then "    0000  NOP".
static const char *next(const char *at, struct form *form)
{
    at = strstr(at, "#### ");
    if (!at)
        return NULL;
    assert_int_equal(
        sscanf(at, "#### address=%15s cure=%15s %15s", form->address, form->cure, form->model), 3);
    form->lines.length = 0;
    for (at += 5; *at && strncmp(at, "#### ", 5) != 0; at += strcspn(at, "\n"), at += *at == '\n') {
        unsigned address;
        int length = 0;
        if (sscanf(at, "    %4x  %n", &address, &length) == 1 && length == 10)
            text_printf(&form->lines, "/*%04x*/ %.*s ;\n", address, (int)strcspn(at + length, "\n"),
                        at + length);
    }
    return at;
}

static void find(const struct form *form, const char *lines, struct text *out)
{
    OWNED(text_free) struct text name = {0};
    OWNED(sass_code_clear) struct sass_code code = {0};
    OWNED(lint_clear) struct lint lint = {0};
    struct lint_options options = {.rows = true};
    text_printf(&name,
                "memory.coherence/sides=workgroup,address=%s,place=buffer,memory-model=%s,cure=%s"
                "@workgroup=1024,times=1,stride=1,step=1031,subgroup=32",
                form->address, form->model, form->cure);
    options.words = ses_known.words(name.data, &options.word_count);
    assert_non_null(options.words);
    assert_true(sass_parse(lines, strlen(lines), 90, &code, &error));
    assert_true(lint_run(&code, &options, &lint, &error));
    text_puts(out, "");
    for (size_t i = 0; i < lint.count; i++)
        if (lint_is_risk(lint.findings[i].kind))
            lint_word(&code, &lint, &lint.findings[i], out);
}

TEST(the_forms_that_fail_are_named)
{
    OWNED(text_free) struct text file = {0};
    struct form form = {0};
    size_t count = 0;
    assert_true(text_read(&file, unit_argument(1), 1 << 20));
    for (const char *at = file.data; (at = next(at, &form)); count++) {
        OWNED(text_free) struct text found = {0};
        const bool fails = strcmp(form.cure, "none") == 0 && strcmp(form.address, "same") != 0;
        find(&form, form.lines.data, &found);
        if ((strncmp(found.data, "moved: ", 7) == 0) != fails || (!fails && found.length))
            fail_msg("address=%s cure=%s %s: %s", form.address, form.cure, form.model, found.data);
    }
    assert_int_equal(count, 18);
    text_free(&form.lines);
}

// The two loads of address=computed change places.
TEST(the_right_order_is_not)
{
    OWNED(text_free) struct text file = {0}, right = {0}, found = {0};
    struct form form = {0};
    assert_true(text_read(&file, unit_argument(1), 1 << 20));
    const char *at = strstr(file.data, "#### address=computed cure=none vulkan");
    assert_non_null(next(at, &form));
    find(&form, form.lines.data, &found);
    assert_string_equal(
        found.data,
        "moved: LDG.E.STRONG.SM at 0x210 is executed before the LDG.E.STRONG.SM at 0x220, which "
        "may access the same address; in the module it is behind OpAtomicLoad %96; of the module's "
        "OpAtomicLoad %101");
    char *second = strstr(form.lines.data, "/*0210*/"), *first = strstr(second, "/*0220*/");
    const int lengths[2] = {(int)strcspn(second, "\n"), (int)strcspn(first, "\n")};
    text_printf(&right, "%.*s/*0210*/%.*s\n/*0220*/%.*s%s", (int)(second - form.lines.data),
                form.lines.data, lengths[1] - 8, first + 8, lengths[0] - 8, second + 8,
                first + lengths[1]);
    found.length = 0;
    find(&form, right.data, &found);
    assert_string_equal(found.data, "");
    text_free(&form.lines);
}
