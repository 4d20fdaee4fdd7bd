// SPDX-License-Identifier: Apache-2.0
// Fuzzes Amber scripts. A shader of a script is one of the program's own kernels, whatever its text
// is.
#include "fuzz.h"

#include "catalogue/catalogue.h"
#include "kernel/plan.h"
#include "model/kernel.h"

static bool load(const struct krn_shader *shader, void *user, uint32_t **words, size_t *count,
                 struct lit_error *error)
{
    const struct cat_kernel *kernel = &cat_kernels[shader->length % cat_kernel_count];
    (void)user;
    if (shader->file)
        return lit_fail(error, LIT_EXIT_USAGE, "no file is read");
    *words = lit_alloc(kernel->count, sizeof **words);
    *count = kernel->count;
    memcpy(*words, cat_kernel_words(kernel), kernel->count * sizeof **words);
    return true;
}

// What a script says becomes a package that the catalogue takes.
static void take_script(const char *text, size_t length)
{
    OWNED(krn_plan_clear) struct krn_plan plan = {0};
    OWNED(cat_package_clear) struct cat_package package = {0};
    OWNED(text_free) struct text bytes = {0};
    struct lit_error error = {0};
    const struct krn_script script = {.path = "/nowhere/some.amber",
                                      .text = text,
                                      .length = length,
                                      .agrees = length % 2 == 0,
                                      .load = load};
    text_puts(&package.name, "some");
    text_puts(&package.origin, "some.amber");
    if (!krn_script_read(&script, &plan, &error) ||
        !krn_plan_place(&plan, script.agrees, &package, &error)) {
        MUST(error.message[0] && error.code == LIT_EXIT_USAGE);
        return;
    }
    cat_package_write(&package, &bytes);
    MUST(cat_test_add(bytes.data, bytes.length, NULL, &error));
    cat_test_drop();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    OWNED(text_free) struct text text = {0};
    text_puts(&text, "");
    text_append(&text, (const char *)data, size);
    take_script(text.data, text.length);
    return 0;
}
