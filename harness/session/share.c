// SPDX-License-Identifier: Apache-2.0
// Finds configurations that share their runs because an earlier session has the machine code of all
// of them and it is the same.
#include "session/session.h"

#include "report/code.h"
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SHARING 4 // a configuration keeps at least this part of the usual runs

static int compare_shares(const void *left, const void *right)
{
    const struct ses_share *a = left, *b = right;
    const int order = strcmp(a->device, b->device);
    return order ? order : strcmp(a->name, b->name);
}

void ses_planned_make(const struct cat_selection *selection, const struct dev_facts *facts,
                      struct ses_planned *planned)
{
    struct eng_plan plan;
    eng_plan_make(&plan, selection, facts, false, 0);
    planned->names = lit_alloc(plan.count + 1, sizeof *planned->names);
    for (planned->count = 0; planned->count < plan.count; planned->count++) {
        struct text name = {0};
        cat_case_name(&plan.cases[planned->count], &name);
        planned->names[planned->count] = name.data;
    }
    text_sort(planned->names, planned->count, sizeof *planned->names);
    eng_plan_clear(&plan);
}

static int compare_name(const void *key, const void *item)
{
    return strcmp(key, *(char *const *)item);
}

bool ses_planned_has(const struct ses_planned *planned, const struct result *result,
                     const struct cat_module **module)
{
    struct cat_case which;
    const bool has = bsearch(result->name, planned->names, planned->count, sizeof *planned->names,
                             compare_name) &&
                     cat_case_parse(result->name, &which, NULL);
    *module = has ? cat_case_module(&which) : NULL;
    return has;
}

void ses_planned_clear(struct ses_planned *planned)
{
    for (size_t i = 0; i < planned->count; i++)
        free(planned->names[i]);
    free(planned->names);
}

// Adds the later configurations that are the same program as the first.
static void add_group(const struct report_code *code, size_t first,
                      const struct ses_planned *planned, bool *seen, struct ses_shares *shares)
{
    const struct report_model *model = code->model;
    const struct cat_module *module;
    const size_t start = shares->count;
    for (size_t i = first; i < model->result_count; i++) {
        const struct result *result = &model->results[i];
        if (seen[i] || !report_code_is_one(code, &model->results[first], result))
            continue;
        seen[i] = true;
        if (ses_planned_has(planned, result, &module) && module &&
            strcmp(module->sha256, result->sha256) == 0) {
            struct ses_share *share = &LIT_ADD(shares->items, shares->count);
            *share = (struct ses_share){.name = lit_strdup(result->name)};
            snprintf(share->device, sizeof share->device, "%s", model->devices[result->device].id);
        }
    }
    for (size_t i = start; i < shares->count; i++)
        shares->items[i].among = shares->count - start;
}

static bool add_device(struct store *store, int64_t session, const struct eng_device *device,
                       const struct ses_planned *planned, struct ses_shares *shares,
                       struct lit_error *error)
{
    struct report_model model;
    struct report_code code;
    int64_t known = 0;
    bool good = store_code_session(store, session, device->id, &known, error);
    if (!good || known == 0)
        return good;
    good = report_model_load(store, known, &model, error);
    if (good) {
        report_code_load(&model, NULL, &code);
        OWNED(lit_free) bool *seen = lit_alloc(model.result_count + 1, sizeof *seen);
        for (size_t i = 0; i < model.result_count && !code.fault[0]; i++)
            if (!seen[i] && code.of[i] &&
                strcmp(model.devices[model.results[i].device].id, device->id) == 0)
                add_group(&code, i, planned, seen, shares);
        report_code_clear(&code);
    }
    report_model_clear(&model);
    return good;
}

bool ses_shares_load(struct store *store, int64_t session, const struct cat_selection *selection,
                     const struct ses_devices *devices, struct ses_shares *shares,
                     struct lit_error *error)
{
    bool good = true;
    SES_EACH_DEVICE (device, devices) {
        OWNED(ses_planned_clear) struct ses_planned planned;
        ses_planned_make(selection, &device->facts, &planned);
        good = good && add_device(store, session, device, &planned, shares, error);
    }
    if (shares->count)
        qsort(shares->items, shares->count, sizeof *shares->items, compare_shares);
    return good;
}

size_t ses_shares_among(const struct ses_shares *shares, const char *device, const char *name)
{
    struct ses_share key = {.name = (char *)name};
    snprintf(key.device, sizeof key.device, "%s", device);
    const struct ses_share *found =
        shares->count ? bsearch(&key, shares->items, shares->count, sizeof key, compare_shares)
                      : NULL;
    return found ? found->among : 1;
}

uint64_t ses_shares_runs(const struct ses_shares *shares, const char *device, const char *name,
                         uint64_t runs)
{
    const size_t among = ses_shares_among(shares, device, name);
    const uint64_t parts = among < MOST_SHARING ? among : MOST_SHARING;
    return (runs + parts - 1) / parts;
}

void ses_shares_clear(struct ses_shares *shares)
{
    for (size_t i = 0; i < shares->count; i++)
        free(shares->items[i].name);
    free(shares->items);
    *shares = (struct ses_shares){0};
}
