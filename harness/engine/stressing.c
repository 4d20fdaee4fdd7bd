// SPDX-License-Identifier: Apache-2.0
// From what a run was asked for to the set of one configuration.

#include "engine/stressing.h"

#include "base/random.h"

#include <string.h>

static struct dev_stress find_tuned(const struct eng_stressing *stressing, const char *device,
                                    const char *name)
{
    struct dev_stress set = {0};
    const char *near = NULL;
    for (size_t i = 0; i < stressing->tuned_count; i++) {
        const struct eng_tuned *tuned = &stressing->tuned[i];
        if (strcmp(tuned->device, device) != 0)
            continue;
        if (strcmp(tuned->name, name) == 0) {
            near = tuned->stress;
            break;
        }
        if (!near && cfg_same_test(tuned->name, name))
            near = tuned->stress;
    }
    // A store is a file: what it says may be no set.
    if (near && !eng_stress_parse(near, &set, NULL))
        set = (struct dev_stress){0};
    return set;
}

void eng_stress_choose(const struct eng_stressing *stressing, uint64_t seed,
                       const struct cat_case *which, const char *name,
                       const struct eng_device *device, char text[ENG_STRESS_TEXT])
{
    const struct cat_module *module = cat_case_module(which);
    const struct eng_stress_limits limits =
        eng_stress_limits(&device->facts, module && module->divisible);
    struct dev_stress set = {0};
    switch (stressing ? stressing->mode : ENG_STRESS_NONE) {
    case ENG_STRESS_NONE:
        break;
    case ENG_STRESS_GIVEN:
        set = stressing->given;
        break;
    case ENG_STRESS_RANDOM:
        set = eng_stress_draw(random_derive(seed, name), 0, &limits);
        break;
    case ENG_STRESS_TUNED:
        set = find_tuned(stressing, device->id, name);
        break;
    }
    eng_stress_fit(&set, &limits);
    eng_stress_print(&set, text);
}
