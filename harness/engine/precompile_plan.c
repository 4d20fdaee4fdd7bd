// SPDX-License-Identifier: Apache-2.0
// Which pipelines a worker is told to precompile, and which it may be making.

#include "engine/queue.h"

#include <string.h>

// Those whose turn is over are dropped by the worker, made or not.
static void drop_before(struct eng_precompile *f, size_t place)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->count; i++)
        if (f->named[i].place >= place)
            f->named[kept++] = f->named[i];
    f->count = kept;
}

static size_t count_after(const struct eng_precompile *f, size_t place)
{
    size_t count = 0;
    for (size_t i = 0; i < f->count; i++)
        count += f->named[i].place > place;
    return count;
}

void eng_precompile_ask(struct eng_precompile *f, const struct eng_plan *plan, const bool *done,
                        size_t place, struct eng_request *request,
                        void (*describe)(const struct cat_case *which, struct eng_upcoming *ahead,
                                         void *user),
                        void *user)
{
    const unsigned most = f->most < ENG_PRECOMPILE_MOST ? f->most : ENG_PRECOMPILE_MOST;
    request->ahead_count = 0;
    request->renew = most > 0 && place >= f->alone;
    drop_before(f, place);
    if (place < f->alone)
        return;
    if (f->next <= place)
        f->next = place + 1;
    for (size_t room = most - count_after(f, place); room > 0 && f->next < plan->count; f->next++) {
        const struct cat_case *which = &plan->cases[f->next];
        if (done[f->next] || !cat_case_module(which))
            continue;
        struct eng_upcoming *ahead = &request->ahead[request->ahead_count++];
        struct eng_precompile_one *named = &f->named[f->count++];
        describe(which, ahead, user);
        *named = (struct eng_precompile_one){.place = f->next, .making = true};
        memcpy(named->name, ahead->name, sizeof named->name);
        room--;
    }
}

bool eng_precompile_made(struct eng_precompile *f, const char *name)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->named[i].making && !strcmp(f->named[i].name, name)) {
            f->named[i].making = false;
            return true;
        }
    return false;
}

bool eng_precompile_over(const struct eng_plan *plan, size_t place, const char *name)
{
    bool found = false;
    for (size_t i = 0; i < place && !found; i++) {
        struct text of = {0};
        cat_case_name(&plan->cases[i], &of);
        found = !strcmp(of.data, name);
        text_free(&of);
    }
    return found;
}

bool eng_precompile_unclear(const struct eng_precompile *f, size_t place)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->named[i].making && f->named[i].place != place)
            return true;
    return false;
}

void eng_precompile_separate(struct eng_precompile *f, size_t place)
{
    if (f->alone <= place)
        f->alone = place + 1;
    for (size_t i = 0; i < f->count; i++)
        if (f->named[i].making && f->named[i].place >= f->alone)
            f->alone = f->named[i].place + 1;
}

void eng_precompile_forget(struct eng_precompile *f)
{
    f->count = 0;
    f->next = 0;
}
