// SPDX-License-Identifier: Apache-2.0
// Reads the machine code of a failing program: what probably makes it fail.
#include "catalogue/package.h"
#include "fuzz/campaign.h"
#include "generate/module.h"
#include "report/code.h"
#include "report/known.h"

#include <stdio.h>
#include <string.h>

static bool take(const struct cat_case *which, enum eng_result result, const char *reason,
                 struct isa_code *code, void *user)
{
    OWNED(text_free) struct text name = {0};
    (void)reason;
    cat_case_name(which, &name);
    if (result == ENG_PASS && !isa_is_empty(code))
        isa_study_add(user, name.data, code, NULL, NULL);
    return true;
}

// Adds the small program to the catalogue, or the drawn one before it is shrunk.
static bool add(const struct fuzz_lane *lane, struct cat_case *which)
{
    const struct fuzz_found *found = lane->found;
    const struct gen_title title = {
        .name = lane->name, .origin = "litmus fuzz", .rule = found->arm->limits.rule};
    OWNED(cat_package_clear) struct cat_package package = {0};
    OWNED(text_free) struct text packed = {0};
    struct lit_error error = {0};
    const struct cat_test *test = NULL;
    struct gen_module module = {0};
    gen_module_make(&found->small, title.rule, &module);
    text_puts(&package.origin, "litmus fuzz");
    gen_assembly(&title, &found->small, &package.page);
    package.words = module.words;
    package.word_count = module.count;
    module.words = NULL;
    gen_module_clear(&module);
    cat_package_write(&package, &packed);
    if (!cat_test_add(packed.data, packed.length, &test, &error) ||
        !cat_case_first(test->head.name, which, &error))
        return false;
    which->subgroup = found->small_subgroup;
    return true;
}

void fuzz_find_cause(struct fuzz_lane *lane)
{
    struct fuzz_campaign *c = lane->campaign;
    struct fuzz_found *found = lane->found;
    OWNED(isa_study_clear) struct isa_study study = {.module = report_known->words};
    OWNED(text_free) struct text words = {0};
    const struct eng_capture capture = {
        .watch = &c->watch, .device = c->device, .take = take, .user = &study};
    struct cat_case which;
    char reason[512];
    if (found->first.result != ENG_FAIL || c->codeless || !add(lane, &which))
        return;
    // Other lanes go on while the driver compiles.
    pthread_mutex_unlock(&c->pool.lock);
    eng_capture(&capture, &which, 1, reason);
    pthread_mutex_lock(&c->pool.lock);
    cat_test_drop();
    found->cause[0] = '\0';
    found->finding = NULL;
    c->codeless = !study.count || !study.entries[0].listing.sass.count;
    // The lint refuses code that is too long.
    const bool linted = !c->codeless && study.entries[0].linted;
    const size_t at = linted ? isa_cause(&study.entries[0]) : 0;
    if (!linted || at == study.entries[0].lint.count)
        return;
    const struct lint_finding *cause = &study.entries[0].lint.findings[at];
    lint_word(&study.entries[0].listing.sass, &study.entries[0].lint, cause, &words);
    snprintf(found->cause, sizeof found->cause, "%s", words.data);
    found->finding = report_finding_by(&c->device->facts, lint_kind_name(cause->kind));
}
