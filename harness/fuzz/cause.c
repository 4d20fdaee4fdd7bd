// SPDX-License-Identifier: Apache-2.0
// Reads the machine code of a failing program, and executes it: what probably makes it fail.
#include "catalogue/package.h"
#include "explain/explain.h"
#include "fuzz/campaign.h"
#include "generate/module.h"
#include "report/code.h"
#include "report/known.h"

#include <stdio.h>
#include <string.h>

#define CAUSE_SECONDS 60.0 // for the causes of programs that fail before a campaign's time is up

struct seen {
    struct isa_study study;
    bool answered; // the driver made the pipeline
};

static bool take(const struct cat_case *which, enum eng_result result, const char *reason,
                 struct isa_code *code, void *user)
{
    struct seen *seen = user;
    OWNED(text_free) struct text name = {0};
    (void)reason;
    cat_case_name(which, &name);
    seen->answered = result == ENG_PASS;
    if (seen->answered && !isa_is_empty(code))
        isa_study_add(&seen->study, name.data, code, NULL, NULL);
    return true;
}

// Adds the small program to the catalogue, or the drawn one before it is shrunk.
static bool add(const struct fuzz_lane *lane, struct cat_case *which)
{
    const struct fuzz_found *found = lane->found;
    const struct gen_title title = {
        .name = lane->name, .origin = "litmus fuzz", .rule = found->arm->limits.rule};
    OWNED(cat_package_clear) struct cat_package package = {0};
    OWNED(text_free) struct text packed = {0}, name = {0};
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
    if (!cat_test_add(packed.data, packed.length, &test, &error))
        return false;
    text_printf(&name, "%s/*@workgroup=%u*", test->head.name,
                eng_draw_workgroup(&found->small, found->small_subgroup));
    if (!cat_case_first(name.data, which, &error)) {
        cat_test_drop();
        return false;
    }
    which->subgroup = found->small_subgroup;
    return true;
}

// What the lint finds in the code or, if that is nothing, what executing the code shows. NULL:
// neither; else the kind of cause.
static const char *read_code(const struct fuzz_campaign *c, const struct cat_case *which,
                             const struct isa_entry *entry, struct text *words)
{
    const char *kind = NULL;
    // The lint refuses code that is too long.
    const size_t at = entry->linted ? isa_cause(entry) : 0;
    if (entry->linted && at < entry->lint.count) {
        lint_word(&entry->listing.sass, &entry->lint, &entry->lint.findings[at], words);
        kind = lint_kind_name(entry->lint.findings[at].kind);
    } else {
        exp_cause(which, &c->device->facts, &entry->code, c->asked->run.seed.value, &kind, words);
    }
    return kind;
}

void fuzz_find_cause(struct fuzz_lane *lane)
{
    struct fuzz_campaign *c = lane->campaign;
    struct fuzz_found *found = lane->found;
    struct seen seen = {.study.module = report_known->words};
    struct isa_study *const study = &seen.study;
    OWNED(text_free) struct text words = {0};
    // A campaign that is out of time still names its last failures.
    struct eng_watch watch = c->pool.watch;
    watch.stop = NULL;
    watch.policy.total += watch.policy.total > 0 ? CAUSE_SECONDS : 0;
    const struct eng_capture capture = {
        .watch = &watch, .device = c->device, .take = take, .user = &seen};
    struct cat_case which;
    char reason[512];
    const struct report_signature *by_group = NULL;
    if (found->shrunk && !found->cut_short) {
        fuzz_name_group(found);
        by_group = report_finding_by(&c->device->facts, found->group);
    }
    // Where there is no code to read, what the failure needs is all that is known.
    if (!found->cause[0])
        found->finding = by_group;
    // The catalogue has the program of one lane at a time.
    while (c->reading)
        pthread_cond_wait(&c->pool.changed, &c->pool.lock);
    if (found->first.result == ENG_CRASH || c->codeless || c->pool.end == ENG_END_SIGNAL ||
        !add(lane, &which))
        return;
    c->reading = true;
    // Other lanes go on while the driver compiles.
    pthread_mutex_unlock(&c->pool.lock);
    eng_capture(&capture, &which, 1, reason);
    const struct isa_entry *entry = study->count ? study->entries : NULL;
    const char *kind = entry ? read_code(c, &which, entry, &words) : NULL;
    pthread_mutex_lock(&c->pool.lock);
    cat_test_drop();
    c->reading = false;
    pthread_cond_broadcast(&c->pool.changed);
    found->cause[0] = '\0';
    found->finding = by_group;
    c->codeless = seen.answered && (!entry || !entry->listing.sass.count);
    if (kind) {
        snprintf(found->cause, sizeof found->cause, "%s", words.data);
        found->finding = report_finding_by(&c->device->facts, kind);
    }
    isa_study_clear(study);
}
