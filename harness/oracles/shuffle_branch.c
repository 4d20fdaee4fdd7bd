// SPDX-License-Identifier: Apache-2.0
// The oracle of shuffle.branch: a lane that comes to the shuffle receives the tag of the lane that
// it names, every other lane stores nothing. An instance is a subgroup.
//
// input[] has two words for each invocation: its tag, and a word with bit 0 "takes the branch", bit
// 1 "takes the inner branch" and from bit 8 on the lane that it reads.

#include "base/random.h"
#include "oracles/oracles.h"
#include "oracles/shuffle_source.h"

#include <stdio.h>

enum { TAKES_BRANCH = 1, TAKES_INNER = 2, SOURCE_SHIFT = 8 };

static bool branch_shape(const struct cat_args *args, struct cat_shape *shape,
                         struct lit_error *error)
{
    (void)error;
    const uint32_t invocations = args->scale * args->workgroup;
    *shape = (struct cat_shape){
        .workgroups = args->scale,
        .input_words = 2 * (uint64_t)invocations,
        .state_words = 1 + (uint64_t)invocations,
        .instances = invocations / args->subgroup,
        .words_per_instance = args->subgroup,
    };
    return true;
}

// Which side of the branches a lane is on: lanes of one side meet at one shuffle. 0: at none.
static uint32_t side(const struct cat_args *args, uint32_t deed)
{
    const bool outer = deed & TAKES_BRANCH, inner = deed & TAKES_INNER;
    if (cat_axis_is(args, "place", "after"))
        return 1;
    if (cat_axis_is(args, "place", "both"))
        return outer ? 1 : 2;
    return outer && (inner || cat_axis_is(args, "place", "then"));
}

// Who takes the branches: every other lane, one lane alone, all but one, one half, or any.
static uint32_t conditions(struct lit_random *random, uint64_t instance, uint32_t odd,
                           uint32_t lane, uint32_t lanes)
{
    const uint32_t any = (uint32_t)random_next(random) & (TAKES_BRANCH | TAKES_INNER);
    const bool takes[] = {lane % 2 == 1, lane == odd, lane != odd, lane >= lanes / 2};
    const uint64_t kind = instance % 6;
    return kind < 4 ? (takes[kind] ? TAKES_BRANCH : 0) | TAKES_INNER : any;
}

static void branch_input(const struct cat_args *args, const struct cat_shape *shape, uint64_t seed,
                         uint32_t *input)
{
    struct lit_random random = {seed};
    const uint32_t lanes = args->subgroup;
    const bool active = cat_axis_is(args, "source", "active");
    for (uint64_t i = 0; i < shape->instances; i++, input += 2 * lanes) {
        const uint32_t odd = (uint32_t)random_below(&random, lanes);
        for (uint32_t lane = 0; lane < lanes; lane++) {
            input[2 * lane] = cat_tag(0, lane);
            input[2 * lane + 1] = conditions(&random, i, odd, lane, lanes);
        }
        // The next lane, from a random one on, that is on the same side, or is not.
        for (uint32_t lane = 0; lane < lanes; lane++) {
            uint32_t source = (uint32_t)random_below(&random, lanes);
            const uint32_t own = side(args, input[2 * lane + 1]);
            for (uint32_t n = 0; n < lanes; n++, source = (source + 1) % lanes)
                if ((side(args, input[2 * source + 1]) == own) == active)
                    break;
            input[2 * lane + 1] |= source << SOURCE_SHIFT;
        }
    }
}

static void branch_expect(const struct cat_args *args, const struct cat_shape *shape,
                          const uint32_t *input, uint32_t *expected)
{
    const uint64_t invocations = shape->instances * args->subgroup;
    for (uint64_t i = 0; i < invocations; i++) {
        const uint32_t deed = input[2 * i + 1];
        const uint64_t source = i - i % args->subgroup + (deed >> SOURCE_SHIFT);
        expected[i] = side(args, deed) ? input[2 * source] : CAT_POISON;
    }
}

static void branch_where(const struct cat_args *args, const struct cat_shape *shape,
                         const struct cat_failure *failure, char *text, size_t size)
{
    (void)shape;
    const uint32_t subgroups = args->workgroup / args->subgroup;
    snprintf(text, size, "lane %u, subgroup %u of workgroup %u", (unsigned)failure->word,
             (unsigned)(failure->instance % subgroups), (unsigned)(failure->instance / subgroups));
}

const struct cat_oracle oracle_shuffle_branch = {
    .name = "shuffle.branch",
    .check = CAT_CHECK_TAG,
    .instance = "subgroup",
    .shape = branch_shape,
    .input = branch_input,
    .expect = branch_expect,
    .where = branch_where,
};
