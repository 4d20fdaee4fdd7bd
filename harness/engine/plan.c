// SPDX-License-Identifier: Apache-2.0
// Makes the list of configurations that a device runs.

#include "engine/plan.h"

#include "base/random.h"

#include <stdlib.h>
#include <string.h>

static bool is_size(uint32_t size)
{
    return size >= 1 && size <= 128 && (size & (size - 1)) == 0;
}

size_t eng_plan_sizes(const struct dev_facts *facts, uint32_t *sizes)
{
    size_t count = 0;
    if (!is_size(facts->subgroup))
        return 0;
    sizes[count++] = facts->subgroup;
    for (uint32_t size = 1; size <= 128 && facts->subgroup_control; size *= 2)
        if (size >= facts->subgroup_min && size <= facts->subgroup_max && size != facts->subgroup)
            sizes[count++] = size;
    return count;
}

struct gathering {
    struct eng_plan *plan;
    const struct cat_selection *selection;
    const struct cat_selection *sized; // what a case of another size must be selected by as well
    uint32_t usual;
};

static void gather(const struct cat_case *which, void *user)
{
    struct gathering *g = user;
    if (!cat_selection_has(g->selection, which))
        return;
    if (which->subgroup != g->usual && !g->selection->thorough &&
        (g->sized->count == 0 || !cat_selection_has(g->sized, which)))
        return;
    // Grows by doubling: the count is a power of two when the room is used up.
    size_t count = g->plan->count;
    if (count == 0 || (count & (count - 1)) == 0)
        g->plan->cases = lit_realloc(g->plan->cases, count ? 2 * count : 1, sizeof *g->plan->cases);
    g->plan->cases[g->plan->count++] = *which;
}

static void shuffle_cases(struct eng_plan *plan, uint64_t seed)
{
    struct lit_random random = {.state = random_derive(seed, "order")};
    for (size_t i = plan->count; i > 1; i--) {
        size_t other = (size_t)random_below(&random, i);
        struct cat_case swap = plan->cases[i - 1];
        plan->cases[i - 1] = plan->cases[other];
        plan->cases[other] = swap;
    }
}

void eng_plan_make(struct eng_plan *plan, const struct cat_selection *selection,
                   const struct dev_facts *facts, bool shuffle, uint64_t seed)
{
    uint32_t sizes[ENG_MAX_SIZES];
    size_t size_count = facts->problem[0] ? 0 : eng_plan_sizes(facts, sizes);
    const char **patterns = lit_alloc(selection->count + 1, sizeof *patterns);
    struct cat_selection sized = {.patterns = patterns, .thorough = selection->thorough};
    for (size_t i = 0; i < selection->count; i++)
        if (selection->patterns[i][0] != '!' && strstr(selection->patterns[i], "subgroup="))
            patterns[sized.count++] = selection->patterns[i];

    *plan = (struct eng_plan){0};
    struct gathering gathering = {
        .plan = plan, .selection = selection, .sized = &sized, .usual = size_count ? sizes[0] : 0};
    // Other sizes than the usual one have to be asked for.
    if (!selection->thorough && sized.count == 0 && size_count > 1)
        size_count = 1;
    const char **room = lit_alloc(selection->count + 1, sizeof *room);
    for (size_t t = 0; t < cat_test_count(); t++) {
        struct cat_selection narrow;
        gathering.selection = &narrow;
        if (!cat_selection_narrow(selection, cat_test_at(t), room, &narrow))
            continue;
        for (size_t s = 0; s < size_count; s++)
            cat_test_each(cat_test_at(t), sizes[s], gather, &gathering);
    }
    free(room);
    free(patterns);
    if (shuffle)
        shuffle_cases(plan, seed);
}

void eng_plan_shard(struct eng_plan *plan, const struct eng_shard *shard)
{
    size_t kept = 0;
    for (size_t i = 0; i < plan->count; i++) {
        struct text name = {0};
        cat_case_name(&plan->cases[i], &name);
        if (eng_shard_has(shard, name.data))
            plan->cases[kept++] = plan->cases[i];
        text_free(&name);
    }
    plan->count = kept;
}

void eng_plan_clear(struct eng_plan *plan)
{
    free(plan->cases);
    *plan = (struct eng_plan){0};
}
