// SPDX-License-Identifier: Apache-2.0
// The oracle of kernels from outside: buffers and expectation are part of the kernel. The unit is a
// word of the compared buffers, or of the gaps between them, which stay poison.

#include "catalogue/catalogue.h"
#include "oracles/oracles.h"

static const struct cat_package *package_of(const struct cat_args *args)
{
    return args->which->test->package;
}

static bool kernel_fits(const struct cat_args *args, struct lit_error *error)
{
    return package_of(args) || lit_fail(error, LIT_EXIT_USAGE, "the test is not a kernel");
}

static void kernel_shape(struct cat_args *args)
{
    const struct cat_package *package = package_of(args);
    args->shape = (struct cat_shape){
        .workgroups = package->groups,
        .input_words = package->region_words[CAT_INPUT],
        .state_words = package->region_words[CAT_STATE],
        .instances = package->region_words[CAT_OUTPUT],
        .words_per_instance = 1,
    };
}

void oracle_package_input(const struct cat_args *args, uint64_t seed, uint32_t *input)
{
    const struct cat_package *package = package_of(args);
    (void)seed;
    memcpy(input, package->region[CAT_INPUT], package->region_words[CAT_INPUT] * sizeof *input);
}

static void kernel_expect(const struct cat_args *args, const uint32_t *input, uint32_t *expected)
{
    const struct cat_package *package = package_of(args);
    (void)input;
    memcpy(expected, package->expected, package->expected_words * sizeof *expected);
}

static void kernel_describe(const struct cat_args *args, const struct cat_failure *failure,
                            char *text, size_t size)
{
    const struct cat_interface *interface = &package_of(args)->interface;
    const struct cat_binding *nearest = NULL, *binding;
    OWNED(text_free) struct text name = {0};
    for (size_t i = 0; (binding = cat_binding_at(interface, i)); i++)
        if (binding->region == CAT_OUTPUT && binding->first <= failure->instance &&
            (!nearest || binding->first > nearest->first))
            nearest = binding;
    if (nearest && nearest->name[0])
        text_puts(&name, nearest->name);
    else
        cat_put_place(&name, nearest ? nearest->set : 0, nearest ? nearest->binding : 0,
                      nearest ? nearest->element : 0);
    const uint64_t word = nearest ? failure->instance - nearest->first : failure->instance;
    if (nearest && word < nearest->words)
        snprintf(text, size, "buffer %s, word %" PRIu64 "%s", name.data, word,
                 nearest->may.order  ? " when sorted"
                 : nearest->may.like ? ", exclusive or with the buffer that it is to be like"
                                     : "");
    else
        snprintf(text, size, "behind the end of buffer %s, at its word %" PRIu64, name.data, word);
}

const struct cat_oracle oracles_kernel[] = {
    // Whether its workgroups wait is unknown: assume so.
    ORACLE("kernel.words", "word", .needs_progress = true, .results = 1, .fits = kernel_fits,
           .shape = kernel_shape, .input = oracle_package_input, .expect = kernel_expect,
           .describe = kernel_describe),
    {0},
};
