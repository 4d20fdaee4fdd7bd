// SPDX-License-Identifier: Apache-2.0
// The oracles of the family `progress`: what stands in the output once everybody has come through.
// Who did not is no question for an oracle: the kernel says so in word 0 of the state.

#include "base/random.h"
#include "oracles/oracles.h"

#include <stdio.h>

enum {
    NODES_LAID_OUT = 4, // of linked-list, before its tail
    NODE_WORDS = 3,
};

static uint32_t subgroups_of(const struct cat_args *args)
{
    return args->workgroup / args->subgroup;
}

static void random_input(const struct cat_args *args, const struct cat_shape *shape, uint64_t seed,
                         uint32_t *input)
{
    (void)args;
    struct lit_random random = {seed};
    for (uint64_t i = 0; i < shape->input_words; i++)
        input[i] = (uint32_t)(random_next(&random) >> 32) | 1;
}

// chain

static bool chain_shape(const struct cat_args *args, struct cat_shape *shape,
                        struct lit_error *error)
{
    (void)error;
    const uint32_t workgroups = cat_value(args, "workgroups");
    *shape = (struct cat_shape){
        .workgroups = workgroups,
        .elements = workgroups,
        .input_words = 1,
        .state_words = 2 + (uint64_t)workgroups,
        .instances = 1,
        .words_per_instance = workgroups,
    };
    return true;
}

static void chain_expect(const struct cat_args *args, const struct cat_shape *shape,
                         const uint32_t *input, uint32_t *expected)
{
    (void)args;
    uint32_t value = input[0];
    for (uint64_t link = 0; link < shape->words_per_instance; link++)
        expected[link] = value = (value * 1664525u + 1013904223u) | 1;
}

static void chain_where(const struct cat_args *args, const struct cat_shape *shape,
                        const struct cat_failure *failure, char *text, size_t size)
{
    (void)args;
    snprintf(text, size, "link %u of %u", (unsigned)failure->word, (unsigned)shape->workgroups);
}

static const struct cat_oracle oracle_chain = {
    .name = "progress.chain",
    .check = CAT_CHECK_EQUAL,
    .interacts = true,
    .instance = "chain",
    .shape = chain_shape,
    .input = random_input,
    .expect = chain_expect,
    .where = chain_where,
};

// occupancy

static bool occupancy_shape(const struct cat_args *args, struct cat_shape *shape,
                            struct lit_error *error)
{
    (void)error;
    const uint32_t workgroups = cat_value(args, "workgroups");
    *shape = (struct cat_shape){
        .workgroups = workgroups,
        .elements = workgroups,
        .state_words = 2,
        .instances = 1,
        .words_per_instance = workgroups,
    };
    return true;
}

static void occupancy_expect(const struct cat_args *args, const struct cat_shape *shape,
                             const uint32_t *input, uint32_t *expected)
{
    (void)args;
    (void)input;
    for (uint64_t i = 0; i < shape->words_per_instance; i++)
        expected[i] = shape->workgroups;
}

static void occupancy_where(const struct cat_args *args, const struct cat_shape *shape,
                            const struct cat_failure *failure, char *text, size_t size)
{
    (void)args;
    snprintf(text, size, "workgroup %u of %u", (unsigned)failure->word, shape->workgroups);
}

static const struct cat_oracle oracle_occupancy = {
    .name = "progress.occupancy",
    .check = CAT_CHECK_EQUAL,
    .interacts = true,
    .instance = "dispatch",
    .shape = occupancy_shape,
    .expect = occupancy_expect,
    .where = occupancy_where,
};

// handover

static bool handover_shape(const struct cat_args *args, struct cat_shape *shape,
                           struct lit_error *error)
{
    if (args->subgroup < 2 && cat_axis_is(args, "between", "lanes"))
        return lit_fail(error, LIT_EXIT_USAGE, "a subgroup of one lane has nobody to wait for");
    if (subgroups_of(args) < 2 && cat_axis_is(args, "between", "subgroups"))
        return lit_fail(error, LIT_EXIT_USAGE, "a workgroup of one subgroup has no others");
    *shape = (struct cat_shape){
        .workgroups = args->scale,
        .input_words = (uint64_t)args->scale * args->workgroup,
        .state_words = 1,
        .instances = args->scale,
        .words_per_instance = args->workgroup,
    };
    return true;
}

// A waiter shows the word of its partner, half of the subgroup or workgroup away; a giver its own.
static void handover_expect(const struct cat_args *args, const struct cat_shape *shape,
                            const uint32_t *input, uint32_t *expected)
{
    const uint32_t around =
        cat_axis_is(args, "between", "lanes") ? args->subgroup : args->workgroup;
    const bool high_waits = cat_axis_is(args, "waiter", "high");
    for (uint64_t i = 0; i < shape->input_words; i++) {
        const bool is_high = i % around >= around / 2;
        const uint64_t partner = is_high ? i - around / 2 : i + around / 2;
        expected[i] = input[is_high == high_waits ? partner : i];
    }
}

static void handover_where(const struct cat_args *args, const struct cat_shape *shape,
                           const struct cat_failure *failure, char *text, size_t size)
{
    (void)shape;
    snprintf(text, size, "lane %u, subgroup %u of workgroup %u",
             (unsigned)(failure->word % args->subgroup), (unsigned)(failure->word / args->subgroup),
             (unsigned)failure->instance);
}

static const struct cat_oracle oracle_handover = {
    .name = "progress.handover",
    .check = CAT_CHECK_EQUAL,
    .interacts = true,
    .instance = "workgroup",
    .shape = handover_shape,
    .input = random_input,
    .expect = handover_expect,
    .where = handover_where,
};

// spin-lock

static bool lock_shape(const struct cat_args *args, struct cat_shape *shape,
                       struct lit_error *error)
{
    uint64_t locks = args->scale, contenders = subgroups_of(args);
    if (cat_axis_is(args, "contenders", "lanes")) {
        locks = (uint64_t)args->scale * subgroups_of(args);
        contenders = args->subgroup;
    } else if (cat_axis_is(args, "contenders", "workgroups")) {
        locks = 1;
        contenders = args->scale;
    }
    if (contenders < 2)
        return lit_fail(error, LIT_EXIT_USAGE, "nobody contends for a lock that one alone wants");
    *shape = (struct cat_shape){
        .workgroups = args->scale,
        .elements = args->scale,
        .state_words = 1 + 2 * locks,
        .instances = locks,
        .words_per_instance = contenders,
    };
    return true;
}

// Each number of predecessors belongs to exactly one of those that entered.
static void lock_expect(const struct cat_args *args, const struct cat_shape *shape,
                        const uint32_t *input, uint32_t *expected)
{
    (void)args;
    (void)input;
    for (uint64_t i = 0; i < shape->instances * shape->words_per_instance; i++)
        expected[i] = (uint32_t)(i % shape->words_per_instance);
}

static void lock_where(const struct cat_args *args, const struct cat_shape *shape,
                       const struct cat_failure *failure, char *text, size_t size)
{
    (void)args;
    snprintf(text, size, "entry %u of %u into lock %u", (unsigned)failure->word,
             (unsigned)shape->words_per_instance, (unsigned)failure->instance);
}

static const struct cat_oracle oracle_spin_lock = {
    .name = "progress.spin-lock",
    .check = CAT_CHECK_EQUAL,
    .interacts = true,
    .instance = "lock",
    .shape = lock_shape,
    .expect = lock_expect,
    .where = lock_where,
};

// linked-list

static bool list_shape(const struct cat_args *args, struct cat_shape *shape,
                       struct lit_error *error)
{
    if (args->subgroup < NODES_LAID_OUT)
        return lit_fail(error, LIT_EXIT_USAGE, "a subgroup of less than %d lanes lays out no list",
                        NODES_LAID_OUT);
    const uint64_t lists = (uint64_t)args->scale * subgroups_of(args);
    *shape = (struct cat_shape){
        .workgroups = args->scale,
        .state_words = 1 + lists * NODE_WORDS * (NODES_LAID_OUT + 1 + (uint64_t)args->subgroup),
        .instances = lists,
        .words_per_instance = 4,
    };
    return true;
}

// All nodes but the tail, both ways: 0 to 3, and from 5 on one for each lane.
static void list_expect(const struct cat_args *args, const struct cat_shape *shape,
                        const uint32_t *input, uint32_t *expected)
{
    (void)input;
    const uint32_t lanes = args->subgroup;
    for (uint64_t i = 0; i < shape->instances; i++) {
        expected[4 * i] = expected[4 * i + 2] = NODES_LAID_OUT + lanes;
        expected[4 * i + 1] = expected[4 * i + 3] =
            0 + 1 + 2 + 3 + 5 * lanes + lanes * (lanes - 1) / 2;
    }
}

static void list_where(const struct cat_args *args, const struct cat_shape *shape,
                       const struct cat_failure *failure, char *text, size_t size)
{
    static const char *const words[] = {"nodes there", "their sum", "nodes back", "their sum back"};
    (void)shape;
    snprintf(text, size, "%s, subgroup %u of workgroup %u", words[failure->word % 4],
             (unsigned)(failure->instance % subgroups_of(args)),
             (unsigned)(failure->instance / subgroups_of(args)));
}

static const struct cat_oracle oracle_linked_list = {
    .name = "progress.linked-list",
    .check = CAT_CHECK_EQUAL,
    .interacts = true,
    .instance = "list",
    .shape = list_shape,
    .expect = list_expect,
    .where = list_where,
};

const struct cat_oracle *const oracles_progress[] = {
    &oracle_chain,     &oracle_occupancy,   &oracle_handover,
    &oracle_spin_lock, &oracle_linked_list, NULL,
};
