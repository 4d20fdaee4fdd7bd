// SPDX-License-Identifier: Apache-2.0
// What the catalogue knows, for reports.
#include "session/session.h"

#include "catalogue/prepare.h"
#include "report/failures.h"
#include "report/known.h"
#include "report/markdown.h"

#define SCALE      2                   // workgroups of data to compare
#define MOST_WORDS (UINT64_C(1) << 22) // of a buffer to compare
#define STREAM     0x5eed              // any seed, the same for both

static const struct cat_head *head(const char *name)
{
    const struct cat_test *test = cat_test_find(name);
    return test ? &test->head : NULL;
}

static const struct cat_head *at(size_t index)
{
    return index < cat_test_count() ? &cat_test_at(index)->head : NULL;
}

static const char *generator(const char *name)
{
    const struct cat_test *test = cat_test_find(name);
    return test ? cat_test_draws(test) : NULL;
}

// Configurations of campaigns name the shape: those of litmus run have programs of all arms.
static void drawn(const struct result *result, const struct dev_facts *facts, uint64_t index,
                  struct text *options)
{
    if (strcmp(result->test, "generated.groups") != 0 || report_value(result, "shape")[0])
        return;
    const struct gen_limits arm = eng_draw_arm(facts->features, result->seed, index);
    text_printf(options, " --rule %s", gen_rule_name(arm.rule));
    eng_draw_options(&arm, options);
}

static bool find(const struct cfg *cfg, struct report_case *found)
{
    struct cat_case which;
    struct lit_error error = {0};
    if (!cat_case_find(cfg, &which, &error))
        return false;
    const struct cat_module *module = cat_case_module(&which);
    *found = (struct report_case){.head = &which.test->head,
                                  .subgroup = which.subgroup,
                                  .unit = which.test->oracle->instance,
                                  .variant = module ? module->variant : NULL,
                                  .sha256 = module ? module->sha256 : NULL};
    memcpy(found->axis, which.axis, sizeof found->axis);
    found->expectation = cat_case_expectation(&which, &found->reason);
    return true;
}

static const char *source(const struct cfg *cfg)
{
    struct cat_case which;
    struct lit_error error = {0};
    if (!cat_case_find(cfg, &which, &error))
        return "";
    const struct cat_module *module = cat_case_module(&which);
    return module ? cat_module_page(which.test, module) : cat_test_source(which.test);
}

static const uint32_t *words(const char *name, size_t *count)
{
    struct cat_case which;
    struct lit_error error = {0};
    const bool found = cat_case_parse(name, &which, &error);
    const struct cat_module *module = found ? cat_case_module(&which) : NULL;
    *count = module ? module->count : 0;
    return module ? cat_module_words(which.test, module) : NULL;
}

struct visiting {
    void (*visit)(const char *name, void *user);
    void *user;
};

static void visit_case(const struct cat_case *which, void *user)
{
    const struct visiting *visiting = user;
    OWNED(text_free) struct text name = {0};
    if (cat_case_is_thorough(which))
        return;
    cat_case_name(which, &name);
    visiting->visit(name.data, visiting->user);
}

static void each(const char *test, uint32_t subgroup, void (*visit)(const char *name, void *user),
                 void *user)
{
    struct visiting visiting = {visit, user};
    if (cat_test_find(test))
        cat_test_each(cat_test_find(test), subgroup, visit_case, &visiting);
}

// If another session's kernel already has its name, only the modules tell results apart.
static void add(const void *bytes, size_t size)
{
    struct lit_error why = {0};
    cat_test_add(bytes, size, NULL, &why);
}

// ---- the same work

static bool is_same_shape(const struct eng_prepared *a, const struct eng_prepared *b)
{
    return memcmp(&a->shape, &b->shape, sizeof a->shape) == 0 &&
           a->code.interface == b->code.interface && a->code.subgroup == b->code.subgroup;
}

static bool make_ready(const char *name, const struct dev_facts *facts, uint32_t scale,
                       struct eng_prepared *prepared)
{
    struct lit_error error = {0};
    const struct eng_prepare prepare = {.name = name,
                                        .facts = facts,
                                        .scale = scale,
                                        .most_words = scale ? MOST_WORDS : UINT64_MAX / 16};
    return eng_prepare(&prepare, prepared, &error);
}

static bool is_same_data(const struct eng_prepared *a, const struct eng_prepared *b)
{
    const struct eng_prepared *const both[] = {a, b};
    const uint64_t inputs = a->shape.input_words, words = a->shape.instances *
                                                          a->shape.words_per_instance *
                                                          cat_check_stride(a->oracle->check);
    uint32_t *input[2], *expected[2];
    for (size_t i = 0; i < 2; i++) {
        input[i] = lit_alloc(inputs + 1, sizeof(uint32_t));
        expected[i] = lit_alloc(words, sizeof(uint32_t));
        if (inputs)
            cat_oracle_input(a->oracle, &both[i]->args, &a->shape, STREAM, input[i]);
        cat_oracle_expect(a->oracle, &both[i]->args, &a->shape, input[i], expected[i]);
    }
    const bool same = memcmp(input[0], input[1], inputs * sizeof(uint32_t)) == 0 &&
                      memcmp(expected[0], expected[1], words * sizeof(uint32_t)) == 0;
    for (size_t i = 0; i < 2; i++) {
        free(input[i]);
        free(expected[i]);
    }
    return same;
}

static bool is_same_work(const char *a, const char *b, const struct dev_facts *facts)
{
    bool same = true;
    for (uint32_t scale = 0; same && scale <= SCALE; scale += SCALE) {
        struct eng_prepared left, right = {0};
        same = make_ready(a, facts, scale, &left) && make_ready(b, facts, scale, &right) &&
               is_same_shape(&left, &right) && (scale == 0 || is_same_data(&left, &right));
        eng_prepared_clear(&left);
        eng_prepared_clear(&right);
    }
    return same;
}

static bool stops(void)
{
    return eng_interrupt() != 0;
}

const struct report_known ses_known = {
    .head = head,
    .at = at,
    .generator = generator,
    .drawn = drawn,
    .find = find,
    .source = source,
    .words = words,
    .each = each,
    .label = cat_label,
    .shown = cat_name_shown,
    .is_same_work = is_same_work,
    .stops = stops,
    .add = add,
};

// ---- plans

uint64_t ses_usual_runs(const char *name, uint64_t runs)
{
    const struct report_reference *known = report_reference_find(name);
    OWNED(eng_result_clear) struct result result = {0};
    bool sometimes = false, failed = !known;
    report_result_is(&result, cfg_parse(name));
    const bool drawn = generator(result.test);
    for (const struct report_signature *s = report_signatures; s->finding && !sometimes; s++) {
        const bool found = text_glob(s->test, result.test) && report_has_values(&result, s->values);
        failed = failed || found;
        sometimes = found && s->fails[0];
    }
    for (size_t i = 0; report_reference_models[i] && !failed; i++)
        failed = known->by[i].failed > 0;
    return drawn                ? (runs + CAT_DRAWN_PART - 1) / CAT_DRAWN_PART
           : sometimes          ? runs * 2
           : failed || runs < 2 ? runs
                                : runs / 2;
}
