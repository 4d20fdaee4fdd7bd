// SPDX-License-Identifier: Apache-2.0
// Longest processing time first.
#include "engine/balance.h"

#include "base/text.h"

#include <stdbool.h>
#include <stdlib.h>

struct kind {
    double seconds;
    size_t items, parts, first; // first: the number of its first part
};

static int compare_loads(const void *left, const void *right)
{
    const struct eng_load *a = *(struct eng_load *const *)left;
    const struct eng_load *b = *(struct eng_load *const *)right;
    if (a->seconds != b->seconds)
        return a->seconds > b->seconds ? -1 : 1;
    return a < b ? -1 : a > b;
}

// Gives each kind one part, then each further part to the kind whose parts take longest.
static size_t share_parts(struct kind kinds[ENG_APARTS], size_t parts)
{
    size_t given = 0, first = 0;
    for (int k = 0; k < ENG_APARTS; k++)
        given += kinds[k].parts = kinds[k].items > 0;
    for (; given < parts; given++) {
        struct kind *longest = NULL;
        for (struct kind *k = kinds; k < kinds + ENG_APARTS; k++)
            if (k->parts < k->items && (!longest || k->seconds * (double)longest->parts >
                                                        longest->seconds * (double)k->parts))
                longest = k;
        if (!longest)
            break;
        longest->parts++;
    }
    for (int k = 0; k < ENG_APARTS; first += kinds[k++].parts)
        kinds[k].first = first;
    return given;
}

size_t eng_balance(struct eng_load *items, size_t count, size_t parts)
{
    OWNED(lit_free) struct eng_load **order = lit_alloc(count + 1, sizeof *order);
    size_t there[ENG_APARTS] = {0}, used = 0;
    for (size_t i = 0; i < count; i++)
        there[items[i].apart]++;
    const size_t different = (there[0] > 0) + (there[1] > 0) + (there[2] > 0);
    enum eng_apart as[ENG_APARTS] = {ENG_APART_NOT, ENG_APART_ENDED, ENG_APART_LOST};
    if (parts < different)
        as[ENG_APART_LOST] = ENG_APART_ENDED;
    if (parts < 2)
        as[ENG_APART_ENDED] = as[ENG_APART_LOST] = ENG_APART_NOT;
    struct kind kinds[ENG_APARTS] = {0};
    for (size_t i = 0; i < count; i++) {
        struct kind *kind = &kinds[as[items[i].apart]];
        kind->items++;
        kind->seconds += items[i].seconds;
        order[i] = &items[i];
    }
    used = share_parts(kinds, parts);
    OWNED(lit_free) double *ends = lit_alloc(used + 1, sizeof *ends);
    OWNED(lit_free) bool *taken = lit_alloc(used + 1, sizeof *taken);
    if (count > 0)
        qsort(order, count, sizeof *order, compare_loads);
    for (size_t i = 0; i < count; i++) {
        const struct kind *kind = &kinds[as[order[i]->apart]];
        size_t best = kind->first;
        // An empty part comes before a part whose items take no time.
        for (size_t p = best + 1; p < kind->first + kind->parts; p++)
            if (ends[p] < ends[best] || (ends[p] <= ends[best] && taken[best] && !taken[p]))
                best = p;
        order[i]->part = best;
        ends[best] += order[i]->seconds;
        taken[best] = true;
    }
    return used;
}
