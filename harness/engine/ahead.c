// SPDX-License-Identifier: Apache-2.0
// From a configuration's name to its pipeline, ahead of its turn.

#include "engine/ahead.h"

#include "engine/measure.h"
#include "engine/prepare.h"

#include <stdio.h>
#include <stdlib.h>

struct listener {
    bool (*emit)(const struct eng_event *event, void *user);
    void *user;
};

static void say_made(const char *name, void *user)
{
    struct listener *listener = user;
    struct eng_event event = {.kind = ENG_EVENT_AHEAD};
    snprintf(event.text, sizeof event.text, "%s", name);
    listener->emit(&event, listener->user);
    free(listener);
}

// Whatever is wrong with it will be said when its turn comes.
static bool begin(struct dev *dev, const struct eng_ahead *ahead, struct listener *listener)
{
    struct lit_error error = {0};
    struct cat_case which;
    struct dev_stress stress;
    struct eng_prepared ready;
    if (!cat_case_parse(ahead->name, &which, &error) ||
        !eng_stress_parse(ahead->stress, &stress, &error))
        return false;
    bool good = eng_prepare(
        &(struct eng_prepare){
            .which = &which,
            .facts = dev_facts(dev),
            .most_words = eng_most_words(dev),
        },
        &ready, &error);
    if (good) {
        const struct eng_stress_limits limits =
            eng_stress_limits(dev_facts(dev), ready.module->divisible);
        eng_stress_fit(&stress, &limits);
        good = dev_ahead(dev, &(struct dev_ahead_info){
                                  .name = ahead->name,
                                  .what =
                                      {
                                          .words = cat_module_words(ready.which.test, ready.module),
                                          .word_count = ready.module->count,
                                          .subgroup = ready.args.subgroup,
                                          .spec_ids = ready.spec_ids,
                                          .spec_values = ready.spec_values,
                                          .spec_count = ready.spec_count,
                                      },
                                  .sliced = stress.slices > 1,
                                  .made = say_made,
                                  .user = listener,
                              });
    }
    eng_prepared_clear(&ready);
    return good;
}

void eng_ahead(struct dev *dev, const struct eng_request *request,
               bool (*emit)(const struct eng_event *event, void *user), void *user)
{
    for (size_t i = 0; i < request->ahead_count; i++) {
        struct listener *listener = lit_alloc(1, sizeof *listener);
        *listener = (struct listener){emit, user};
        if (!begin(dev, &request->ahead[i], listener))
            say_made(request->ahead[i].name, listener);
    }
}
