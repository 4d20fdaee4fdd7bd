// SPDX-License-Identifier: Apache-2.0
// Checks a configuration's needs against the device, then makes shapes, constants and data.

#include "catalogue/prepare.h"

#define SCALE_CPU 8 // workgroups
#define SCALE_GPU 256

// --- Device requirements. These return false with the reason for skipping.

static bool check_features(const struct eng_prepared *p, const struct dev_facts *facts,
                           struct lit_error *error)
{
    const uint64_t missing = p->module->features & ~facts->features;
    OWNED(text_free) struct text names = {0};
    for (int i = 0; i < CAT_FEATURE_COUNT; i++)
        if (missing >> i & 1)
            text_printf(&names, "%s%s", names.length ? ", " : "",
                        cat_feature_name((enum cat_feature)i));
    if (missing)
        lit_fail(error, LIT_EXIT_NOTHING, "%s", names.data);
    return !missing;
}

static bool check_subgroup(const struct eng_prepared *p, const struct dev_facts *facts,
                           struct lit_error *error)
{
    const uint32_t size = p->args.subgroup;
    if (size == facts->subgroup)
        return true;
    if (!facts->subgroup_control || facts->subgroup_min == facts->subgroup_max)
        return lit_fail(error, LIT_EXIT_NOTHING, "subgroups of %u: the device only runs %u", size,
                        facts->subgroup);
    if (size < facts->subgroup_min || size > facts->subgroup_max)
        return lit_fail(error, LIT_EXIT_NOTHING, "subgroups of %u: the device runs %u to %u", size,
                        facts->subgroup_min, facts->subgroup_max);
    return true;
}

static bool check_workgroup(const struct eng_prepared *p, const struct dev_facts *facts,
                            struct lit_error *error)
{
    const uint32_t size = p->args.workgroup, subgroup = p->args.subgroup;
    if (size > facts->max_workgroup)
        return lit_fail(error, LIT_EXIT_NOTHING,
                        "workgroup of %u > maxComputeWorkGroupInvocations %u", size,
                        facts->max_workgroup);
    if (!p->code.interface->full)
        return true;
    if (!size || size % subgroup)
        return lit_fail(error, LIT_EXIT_NOTHING,
                        "workgroup of %u is not a multiple of the subgroup size %u", size,
                        subgroup);
    if (p->interface && p->interface->width % subgroup)
        return lit_fail(error, LIT_EXIT_NOTHING,
                        "workgroup of %u in x is not a multiple of the subgroup size %u",
                        p->interface->width, subgroup);
    if (facts->max_subgroups && size / subgroup > facts->max_subgroups)
        return lit_fail(error, LIT_EXIT_NOTHING,
                        "workgroup of %u subgroups > maxComputeWorkgroupSubgroups %u",
                        size / subgroup, facts->max_subgroups);
    return true;
}

static void read_sweeps(struct eng_prepared *p)
{
    const struct cat_head *head = &p->which.test->head;
    for (size_t i = 0; i < head->sweep_count; i++) {
        const uint32_t value = cat_case_sweep(&p->which, i);
        if (head->sweeps[i].role == CFG_WORKGROUP)
            p->args.workgroup = value;
        if (head->sweeps[i].spec_id < 0)
            continue;
        p->spec_ids[p->code.spec_count] = (uint32_t)head->sweeps[i].spec_id;
        p->spec_values[p->code.spec_count++] = value;
    }
}

// Additional parts of a kernel from outside.
static void read_package(struct eng_prepared *p, const struct dev_facts *facts)
{
    const struct cat_package *package = p->which.test->package;
    p->code.subgroup = p->args.subgroup;
    if (!package || package->litmus.threads)
        return;
    p->interface = p->code.interface = &package->interface;
    if (!p->interface->sized && p->args.subgroup == facts->subgroup)
        p->code.subgroup = 0;
    for (size_t i = 0; i < package->spec_count; i++) {
        p->spec_ids[p->code.spec_count] = package->specs[i].id;
        p->spec_values[p->code.spec_count++] = package->specs[i].value;
    }
}

static bool check_memory(const struct eng_prepared *p, struct lit_error *error)
{
    const struct cat_shape *shape = &p->shape;
    const uint64_t stride = cat_check_stride(p->oracle->check);
    const uint64_t expected = shape->instances * shape->words_per_instance * stride;
    const uint64_t most = shape->input_words > expected ? shape->input_words : expected;
    const uint32_t array = CAT_DESCRIPTORS * CAT_BINDING_WORDS;
    if (p->code.interface == &cat_array_interface &&
        (shape->input_words < array || shape->state_words < array))
        return lit_fail(error, LIT_EXIT_NOTHING,
                        "%" PRIu64 " words of input and %" PRIu64
                        " of state: the arrays need %u of each",
                        shape->input_words, shape->state_words, array);
    if (most > p->args.most_words)
        return lit_fail(error, LIT_EXIT_NOTHING,
                        "buffers of %" PRIu64 " bytes: there is memory for %" PRIu64, most * 4,
                        p->args.most_words * 4);
    return true;
}

// The interface of all tests.
static const struct cat_interface *interface_of(const struct eng_prepared *p)
{
    // A shape given as sizes, "7x13", need not form full subgroups.
    const char *shape = cat_axis(&p->args, "shape");
    const bool array = p->module && p->module->features >> CAT_FEATURE_DESCRIPTORS & 1;
    return shape && strchr(shape, 'x') ? &cat_partial_interface
           : array                     ? &cat_array_interface
                                       : &cat_usual_interface;
}

bool eng_prepare(const struct eng_prepare *prepare, struct eng_prepared *p, struct lit_error *error)
{
    const struct dev_facts *facts = prepare->facts;
    *p = (struct eng_prepared){0};
    if (prepare->which) {
        p->which = *prepare->which;
    } else if (!cat_case_parse(prepare->name, &p->which, error)) {
        p->which.test = NULL;
        return false;
    }
    if (!p->which.subgroup)
        p->which.subgroup = facts->subgroup;
    p->oracle = p->which.test->oracle;
    p->mode = cat_test_mode(p->which.test);
    p->module = cat_case_module(&p->which);
    p->args = (struct cat_args){
        .subgroup = p->which.subgroup,
        .scale = prepare->scale ? prepare->scale
                 : facts->cpu   ? SCALE_CPU
                                : SCALE_GPU,
        .which = &p->which,
        .most_words = prepare->most_words,
        .most_workgroups = facts->max_workgroups,
    };
    if (cat_test_draws(p->which.test))
        return lit_fail(error, LIT_EXIT_NOTHING, "its programs are drawn: see litmus fuzz %s",
                        cat_test_draws(p->which.test));
    read_sweeps(p);
    p->code.interface = interface_of(p);
    read_package(p, facts);
    if (!check_subgroup(p, facts, error))
        return false;
    if (!p->module)
        return lit_fail(error, LIT_EXIT_NOTHING, "no module was built for subgroups of %u",
                        p->args.subgroup);
    p->code.words = cat_module_words(p->which.test, p->module);
    p->code.word_count = p->module->count;
    p->code.spec_ids = p->spec_ids;
    p->code.spec_values = p->spec_values;
    return check_features(p, facts, error) && check_workgroup(p, facts, error) &&
           cat_oracle_shape(p->oracle, &p->args, &p->shape, error) &&
           dev_shape_fits(facts, p->oracle->check, &p->shape, error) && check_memory(p, error);
}

// Fills in the initial values of a litmus test's locations that are not 0.
static void fill_locations(struct eng_prepared *p, const struct cat_package *package)
{
    const struct cat_litmus *litmus = &package->litmus;
    const size_t outputs = p->shape.instances, stride = cat_value(&p->args, "stride");
    const size_t words = litmus->words;
    uint32_t any = 0;
    for (size_t i = 0; i < litmus->buffered; i++)
        any |= litmus->initial[i];
    if (!any)
        return;
    p->fresh = lit_alloc(outputs + p->shape.state_words, 4);
    for (size_t i = 0; i < outputs; i++)
        p->fresh[i] = CAT_POISON;
    for (size_t i = 0; i < litmus->buffered; i++)
        for (size_t n = 0; n < outputs; n++)
            for (size_t w = 0; w < words; w++)
                p->fresh[outputs + (1 + (i * outputs + n) * stride) * words + w] =
                    litmus->initial[i];
}

void eng_prepare_data(struct eng_prepared *p, uint64_t seed)
{
    OWNED(text_free) struct text name = {0};
    cat_case_name(&p->which, &name);
    p->stream = random_derive(seed, name.data);

    const struct cat_shape *shape = &p->shape;
    const size_t stride = cat_check_stride(p->oracle->check);
    p->input = lit_alloc(shape->input_words, sizeof *p->input);
    p->expected = lit_alloc(shape->instances * shape->words_per_instance, stride * 4);
    if (shape->input_words)
        cat_oracle_input(p->oracle, &p->args, shape, p->stream, p->input);
    cat_oracle_expect(p->oracle, &p->args, shape, p->input, p->expected);
    const struct cat_package *package = p->which.test->package;
    if (package && package->litmus.threads) {
        fill_locations(p, package);
    } else if (package) {
        const size_t outputs = package->region_words[CAT_OUTPUT];
        p->fresh = lit_alloc(outputs + package->region_words[CAT_STATE], 4);
        memcpy(p->fresh, package->region[CAT_OUTPUT], outputs * 4);
        memcpy(p->fresh + outputs, package->region[CAT_STATE],
               package->region_words[CAT_STATE] * 4);
    }
    p->deterministic = p->oracle->deterministic && p->oracle->deterministic(&p->args);
}

void eng_prepared_clear(struct eng_prepared *p)
{
    free(p->input);
    free(p->expected);
    free(p->fresh);
    p->input = p->expected = p->fresh = NULL;
}
