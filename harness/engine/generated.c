// SPDX-License-Identifier: Apache-2.0
// Makes a configuration of a generated program.
#include "engine/generated.h"

#include <stdlib.h>
#include <string.h>

static bool make_test(const struct eng_request *request, enum masks_rule rule,
                      const struct gen_program *program, struct cat_test *test,
                      struct lit_error *error)
{
    struct text head = {0};
    gen_head(&(struct gen_title){.name = request->name, .origin = "litmus fuzz", .rule = rule},
             program, &head);
    const bool good = cat_head_parse(head.data, head.length, &test->head, error);
    text_free(&head);
    test->oracle = good ? cat_oracle_find(test->head.oracle) : NULL;
    return good && (test->oracle || lit_fail(error, LIT_EXIT_USAGE, "there is no such oracle"));
}

static bool choose_workgroup(const struct eng_request *request, struct cat_case *which,
                             struct lit_error *error)
{
    const struct cat_sweep *sweep = &which->test->head.sweeps[0];
    which->subgroup = request->subgroup;
    for (size_t i = 0; i < sweep->count; i++)
        if (strtoul(sweep->values[i], NULL, 10) == request->workgroup) {
            which->sweep[0] = (uint8_t)i;
            return true;
        }
    return lit_fail(error, LIT_EXIT_USAGE, "no generated program has a workgroup of %u",
                    request->workgroup);
}

bool eng_generated_make(const struct eng_request *request, struct eng_generated *generated,
                        struct lit_error *error)
{
    struct gen_program program;
    enum masks_rule rule;
    uint32_t unknown = 0;
    memset(generated, 0, sizeof *generated);
    if (!gen_rule_find(request->rule, &rule))
        return lit_fail(error, LIT_EXIT_USAGE, "there is no rule '%s'", request->rule);
    if (!gen_read(request->program, strlen(request->program), &program, error) ||
        !gen_check(&program, rule, error) ||
        !make_test(request, rule, &program, &generated->test, error))
        return false;
    generated->which.test = &generated->test;
    if (!choose_workgroup(request, &generated->which, error))
        return false;
    gen_module_make(&program, rule, &generated->module);
    generated->entry.count = (uint32_t)generated->module.count;
    if (!cat_module_features(generated->module.words, generated->module.count,
                             &generated->entry.features, &unknown))
        return lit_fail(error, LIT_EXIT_USAGE, "capability %u is not known", unknown);
    generated->own = (struct eng_own){
        .which = &generated->which, .module = &generated->entry, .words = generated->module.words};
    return true;
}

void eng_generated_clear(struct eng_generated *generated)
{
    cat_head_clear(&generated->test.head);
    gen_module_clear(&generated->module);
}
