// SPDX-License-Identifier: Apache-2.0
// Takes the option --stress.

#include "cli/stress.h"

#include "store/store.h"

#include <stdlib.h>
#include <string.h>

bool cli_stress_take(const struct cli_list *list, struct eng_stressing *stressing,
                     struct lit_error *error)
{
    const char *given = list->count ? list->items[0] : "none";
    *stressing = (struct eng_stressing){.mode = ENG_STRESS_GIVEN};
    if (list->count > 1)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--stress can be given once: what a set has is separated by commas");
    if (strcmp(given, "none") == 0)
        stressing->mode = ENG_STRESS_NONE;
    else if (strcmp(given, "random") == 0)
        stressing->mode = ENG_STRESS_RANDOM;
    else if (strcmp(given, "tuned") == 0)
        stressing->mode = ENG_STRESS_TUNED;
    else if (!strchr(given, '='))
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--stress: '%.40s' is none of none, random, tuned, and no set such as "
                        "workgroups=64,kind=memory",
                        given);
    return stressing->mode != ENG_STRESS_GIVEN || eng_stress_parse(given, &stressing->given, error);
}

static bool add(const struct store_tuning *best, void *user)
{
    struct eng_stressing *stressing = user;
    stressing->tuned =
        lit_realloc(stressing->tuned, stressing->tuned_count + 1, sizeof *stressing->tuned);
    stressing->tuned[stressing->tuned_count++] =
        (struct eng_tuned){.device = lit_strdup(best->device),
                           .name = lit_strdup(best->name),
                           .stress = lit_strdup(best->stress)};
    return true;
}

bool cli_stress_load(struct eng_stressing *stressing, struct store *store, struct lit_error *error)
{
    return stressing->mode != ENG_STRESS_TUNED || store_tuned(store, add, stressing, error);
}

void cli_stress_clear(struct eng_stressing *stressing)
{
    for (size_t i = 0; i < stressing->tuned_count; i++) {
        free(stressing->tuned[i].device);
        free(stressing->tuned[i].name);
        free(stressing->tuned[i].stress);
    }
    free(stressing->tuned);
    *stressing = (struct eng_stressing){0};
}
