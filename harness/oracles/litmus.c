// SPDX-License-Identifier: Apache-2.0
// The oracle of litmus tests (generate/concurrent.h): the test includes the names of its final
// states, and which of them fail.

#include "catalogue/catalogue.h"
#include "oracles/oracles.h"

static uint64_t instances_of(const struct cat_args *args)
{
    const struct cat_package *package = args->which->test->package;
    const uint64_t workgroups = (uint64_t)args->scale * cat_value(args, "times");
    if (package->groups) // one per workgroup, or per so many subgroups
        return package->groups > 1
                   ? workgroups / package->groups
                   : workgroups * (args->workgroup / args->subgroup / package->workgroup);
    return workgroups * args->workgroup;
}

static bool litmus_fits(const struct cat_args *args, struct lit_error *error)
{
    const struct cat_package *package = args->which->test->package;
    if (!package || !package->litmus.threads)
        return lit_fail(error, LIT_EXIT_USAGE, "the test is not a litmus test");
    if (package->groups && (args->workgroup / args->subgroup < package->workgroup ||
                            args->subgroup < package->subgroup))
        return lit_fail(error, LIT_EXIT_USAGE,
                        "%u subgroups of %u lanes in a workgroup: the test needs %u of %u",
                        args->workgroup / args->subgroup, args->subgroup, package->workgroup,
                        package->subgroup);
    return oracle_permutes(args, instances_of(args), error);
}

static void litmus_shape(struct cat_args *args)
{
    const struct cat_package *package = args->which->test->package;
    const uint64_t instances = instances_of(args);
    args->shape = (struct cat_shape){
        .workgroups = args->scale * cat_value(args, "times"),
        .elements = (uint32_t)instances,
        .input_words = package->region_words[CAT_INPUT],
        .state_words = (1 + package->litmus.buffered * instances * cat_value(args, "stride")) *
                           package->litmus.words +
                       instances,
        .instances = instances,
        .words_per_instance = 1,
    };
}

static void litmus_expect(const struct cat_args *args, const uint32_t *input, uint32_t *expected)
{
    (void)args;
    (void)input;
    *expected = 0;
}

const struct cat_oracle oracles_litmus[] = {
    ORACLE("litmus.states", "instance of the test", .check = CAT_CHECK_STATE,
           .needs_progress = true, .alike = true, .fits = litmus_fits, .shape = litmus_shape,
           .input = oracle_package_input, .expect = litmus_expect, .where = "instance {unit}"),
    {0},
};
